"""Rules of the Go family for the checker: plain Go, Killall-Go, life-and-death problems."""

from __future__ import annotations

from typing import Any, NamedTuple

from jaxsolve.proof.check.errors import Refused, show
from jaxsolve.proof.check.games.go import death, life
from jaxsolve.proof.check.games.go import options as go_options
from jaxsolve.proof.check.games.go import text as go_text
from jaxsolve.proof.check.games.go.text import GoPosition
from jaxsolve.proof.check.games.go.zones import GoZones
from jaxsolve.proof.check.grid import STONES, bits
from jaxsolve.proof.check.relaxation import NoRepeats
from jaxsolve.proof.check.rules import Rules, Verdict


class Chains(NamedTuple):
    """The chains of one colour, classified by their number of liberties."""

    safe: int  # mask of the stones whose chains have two liberties or more
    # For each point that is the only liberty of some chains: mask of these chains. Key 0: mask of
    # the chains without a liberty.
    atari: dict[int, int]


class Moves(NamedTuple):
    """The board moves that are legal apart from superko."""

    quiet: int  # mask of the moves that capture nothing
    taking: dict[int, int]  # for each capturing move (a bit): mask of the stones that it captures


class Go(Rules):
    """All rule sets of ``go-N``, ``killallgo-N`` and ``tsumego-N`` (see ``GoOptions``)."""

    def __init__(self, rules: str):
        self.rule_set = rules
        self.options = go_options.parse(rules)
        self.grid = self.options.grid
        self.text = go_text.GoText(self.options)
        self.longest = self.text.longest
        self.corners = {bit: self._diagonal(bit) for bit in self.grid.names}
        if self.options.living is not None and self.options.ko == "simple":
            self.written = GoZones(self)

    def _diagonal(self, bit: int) -> int:
        up_left, up_right = self.grid.stride + 1, self.grid.stride - 1
        return (
            bit << up_left | bit << up_right | bit >> up_left | bit >> up_right
        ) & self.grid.full

    def position(self, text: str) -> GoPosition:
        return self.text.parse(text)

    def side(self, position: GoPosition) -> int:
        return position.side

    # ---- the position as a whole -----------------------------------------------------------------
    def root(self, text: str) -> GoPosition:
        position = self.text.parse(text)
        empty = self.empty(position)
        for player in (0, 1):
            loose = position.stones[player]
            if self.grid.flood(loose & self.grid.near(empty), loose) != loose:
                raise Refused(f"the position has a {self.players[player]} chain without a liberty")
        if position.ko and not self.ko_taken(position, empty):
            raise Refused(f"no stone can have taken a ko at {self.grid.names[position.ko]}")
        self.text.check_opening(position)
        if position.crucial & ~position.stones[self.options.living or 0]:
            raise Refused("a crucial point holds no stone of the defender")
        self.text.check_history(position)
        return position

    def ko_taken(self, position: GoPosition, empty: int) -> bool:
        """Whether a capture of one stone at ``position.ko`` by the last move is possible.

        Such a capture sets the ko. ``empty`` is the mask of the position's empty points. The
        following must hold:

        * All neighbours of the ko point are stones of the side that moved last.
        * The capturing stone is alone, and the ko point is its only liberty.
        * Every other chain beside the ko point has another liberty, because it had one before the
          capture.
        """
        takers, near = position.stones[1 - position.side], self.grid.near
        beside = near(position.ko) & self.grid.full
        if beside & ~takers:
            return False
        chains = {self.grid.flood(stone, takers) for stone in bits(beside)}
        tight = [chain for chain in chains if near(chain) & empty == position.ko]
        return len(tight) == 1 and tight[0].bit_count() == 1

    def empty(self, position: GoPosition) -> int:
        """Returns the mask of the empty points."""
        return self.grid.full ^ position.stones[0] ^ position.stones[1]

    # ---- the end ---------------------------------------------------------------------------------
    def verdict(self, position: GoPosition) -> Verdict | None:
        options = self.options
        if options.kind == "go":
            return self._score(position) if position.passes == 2 else None
        if options.crucial is not None and not position.crucial:
            return Verdict(1 - self._living, "captured")
        if self._lives(position):
            return Verdict(self._living, "benson")
        if position.passes == 2:
            lives = options.stones_live and position.stones[1]
            return Verdict(1 if lives else options.pass_winner, "passes")
        return None

    def settled(self, position: GoPosition, reason: Any) -> Verdict | None:
        if reason in death.REASONS and death.holds(self, position, reason):
            return Verdict(1 - self._living, reason)
        return None

    def leaf_plays(self, position: GoPosition, reason: Any) -> int:
        return death.inside_of(self, position) if reason == "sealed" else 0

    def ended(self, position: GoPosition, claimant: int) -> bool:
        """Whether the game is over, except by unconditional life with which ``claimant`` wins.

        Leaving out this test is sound. Consider a node with moves. If the claimant has
        unconditional life in the node's position, the claim holds by the rules, whatever the
        children are. Otherwise the game is not over, because this method tests all other ends. The
        legal moves are then those of ``child`` and ``replies``, and the claim follows from the
        claims at the children.

        If unconditional life is a win for the opponent, it is tested at every node, because it
        would make the claim false.
        """
        if self.options.living != claimant:
            return self.verdict(position) is not None
        return position.passes == 2 or (self.options.crucial is not None and not position.crucial)

    @property
    def _living(self) -> int:
        assert self.options.living is not None
        return self.options.living

    def _lives(self, position: GoPosition) -> bool:
        alive = life.alive(self.grid, position.stones[self._living], self.empty(position))
        return bool(alive if self.options.crucial is None else alive & position.crucial)

    def _score(self, position: GoPosition) -> Verdict:
        area = [stones.bit_count() for stones in position.stones]
        for region in self.grid.components(self.empty(position)):
            near = self.grid.near(region)
            touched = [bool(near & stones) for stones in position.stones]
            if sum(touched) == 1:
                area[touched.index(True)] += region.bit_count()
        lead = area[0] - area[1] - self.options.komi
        return Verdict(None if lead == 0 else int(lead < 0), "score")

    def written_under(
        self, root: GoPosition, claimant: int, by: str, again: str | None
    ) -> tuple[Go, str, NoRepeats]:
        if self.options.ko == "simple":
            raise Refused("this rule set takes no proof by another one: it has no superko")
        wanted = self.rule_set.replace(f";ko={self.options.ko}", ";ko=simple", 1)
        if by != wanted:
            raise Refused(f"a proof by simple ko is written under {wanted}, not under {show(by)}")
        rules = Go(by)
        points = 0 if again is None else self.grid.points(again)
        before = (
            [self.grid.stones(entry.partition(":")[0]) for entry in root.history.split(";")]
            if root.history
            else []
        )
        text = self.text.forgotten(root, self._retake(root))
        rules.root(text)
        return rules, text, NoRepeats(rules, claimant, points, before)

    def _retake(self, root: GoPosition) -> int:
        """Returns the ko point of ``root`` under simple ko, or 0.

        At this point the side to move would retake a ko, and thereby repeat the last board of the
        history (FORMAT.md, "Superko under the relaxation to simple ko").
        """
        board, _, mark = root.history.rpartition(";")[2].partition(":")
        side = root.side
        if not board or root.passes or mark == "bw"[side]:
            return 0
        (was, was_other), (now, now_other) = (
            (stones[side], stones[1 - side]) for stones in (self.grid.stones(board), root.stones)
        )
        ko, taker = was & ~now, now_other & ~was_other
        if (
            (was ^ now, was_other ^ now_other) != (ko, taker)
            or ko.bit_count() != 1
            or taker.bit_count() != 1
        ):
            return 0
        # The capturing stone has no neighbour of its side and no other liberty.
        alone = self.grid.near(taker) & self.grid.full & ~now == ko
        return ko if alone and self.ko_taken(root._replace(ko=ko), self.empty(root)) else 0

    # ---- moves -----------------------------------------------------------------------------------
    def child(self, position: GoPosition, move: str) -> str:
        if move == "pass":
            if position.ply in (0, 2):
                raise Refused("the move pass is not legal in the opening")
            return self.text.passed(position)
        bit = self.grid.point(move)
        empty = self.empty(position)
        own, enemy = position.stones[position.side], position.stones[1 - position.side]
        if not bit & empty & self._allowed(position, own, empty):
            raise Refused(
                f"the move {move} is not legal: the point is taken or closed to the side to move"
            )
        near = self.grid.near(bit)
        captured = 0
        for stone in bits(near & enemy & ~captured):
            if not stone & captured:
                chain = self.grid.flood(stone, enemy)
                captured |= 0 if self.grid.near(chain) & empty & ~bit else chain
        if captured:
            return self._capture(position, bit, captured)
        if bit == position.ko:
            raise Refused(f"the move {move} is not legal: it retakes no ko")
        if not near & empty and not self.grid.near(self.grid.flood(bit, own | bit)) & empty & ~bit:
            raise Refused(f"the move {move} is not legal: it is suicide")
        return self._known(
            position,
            move,
            self.text.plain(position, self.grid.put(position.board, bit, STONES[position.side])),
        )

    def replies(self, position: GoPosition) -> dict[str, str]:
        found = {} if position.ply in (0, 2) else {"pass": self.text.passed(position)}
        quiet, taking = self.moves(position)
        names = self.grid.names
        suffix, fresh = self.text.suffix(position), self.text.allowed_by_superko(position)
        board, stone, length = position.board, STONES[position.side], self.grid.length
        for bit in bits(quiet):
            index = length - bit.bit_length()
            after = board[:index] + stone + board[index + 1 :]
            if fresh(after):
                found[names[bit]] = after + suffix
        for bit, captured in taking.items():
            try:
                found[names[bit]] = self._capture(position, bit, captured)
            except Refused:
                continue
        return found

    def moves(self, position: GoPosition) -> Moves:
        """Returns the legal board moves of a position; superko is not tested."""
        if position.ply == 1:
            return Moves(0, {})
        empty, side = self.empty(position), position.side
        own, enemy = position.stones[side], position.stones[1 - side]
        allowed = empty & self._allowed(position, own, empty)
        captures = self.chains(enemy, empty).atari
        quiet = allowed & ~sum(captures) & ~position.ko
        quiet &= self.grid.near(empty) | self.grid.near(self.chains(own, empty).safe)
        taking = {bit: captures[bit] for bit in bits(allowed & sum(captures))}
        if self.options.no_ko[side]:
            taking = {
                bit: captured
                for bit, captured in taking.items()
                if not self.takes_ko(position, bit, captured)
            }
        return Moves(quiet, taking)

    def after(self, position: GoPosition, bit: int, captured: int) -> str:
        """Returns the text after the board move ``bit``, which must be one of ``moves``.

        ``captured`` is the mask of the stones that the move captures. Superko is not tested.
        """
        if captured:
            return self._capture(position, bit, captured)
        return self.text.plain(position, self.grid.put(position.board, bit, STONES[position.side]))

    def takes_ko(self, position: GoPosition, bit: int, captured: int) -> bool:
        """Whether the move ``bit``, which captures the stones ``captured``, takes a ko.

        A move takes a ko if it captures exactly one stone, and the capturing stone is alone and has
        one liberty.
        """
        near = self.grid.near(bit)
        return (
            not captured & (captured - 1)
            and not near & position.stones[position.side]
            and near & (self.empty(position) | captured) == captured
        )

    def _allowed(self, position: GoPosition, own: int, empty: int) -> int:
        """Returns the points that the ko, the region, the opening and the eye rule do not forbid.

        The result can include points with stones, and empty points at which a move is suicide.
        """
        allowed = self.options.region
        if not self.may_retake(position):
            allowed &= ~position.ko
        if position.ply == 1:
            return 0
        if not self.options.fill_eyes:
            allowed &= ~self._eyes(own, empty)
        return allowed

    def may_retake(self, position: GoPosition) -> bool:
        """Whether the side to move may retake a ko at once, because it has a ko threat."""
        return position.side == self.options.threatening and position.threats > 0

    def _eyes(self, own: int, empty: int) -> int:
        """Returns the true eyes of the side with the stones ``own``, as a mask.

        With ``fill_eyes=false`` the side may not fill its true eyes.
        """
        eyes = 0
        for bit in bits(empty & ~self.grid.near(self.grid.full & ~own)):
            corners = self.corners[bit]
            if (corners & own).bit_count() >= min(corners.bit_count(), 3):
                eyes |= bit
        return eyes

    def chains(self, stones: int, empty: int) -> Chains:
        """Classifies the chains of the mask ``stones`` by their liberties in ``empty``."""
        grid, stride = self.grid, self.grid.stride
        a, b, c, d = empty << 1, empty >> 1, empty << stride, empty >> stride
        # A chain with a stone that has two empty neighbours is safe. Its liberties are not counted.
        safe = grid.flood(stones & (a & b | c & d | (a | b) & (c | d)), stones)
        atari: dict[int, int] = {}
        for chain in grid.components(stones & ~safe):
            liberties = grid.near(chain) & empty
            if liberties & (liberties - 1):
                safe |= chain
            else:
                atari[liberties] = atari.get(liberties, 0) | chain
        return Chains(safe, atari)

    def _capture(self, position: GoPosition, bit: int, captured: int) -> str:
        """Returns the text after a capturing move. Raises Refused if a ko rule forbids it."""
        move = self.grid.names[bit]
        takes_ko = self.takes_ko(position, bit, captured)
        if takes_ko and self.options.no_ko[position.side]:
            raise Refused(
                f"the move {move} is not legal: {self.players[position.side]} may not take a ko"
            )
        if bit == position.ko:  # a ko threat, its answer, and the retaking
            position = position._replace(threats=position.threats - 1)
        board = self.grid.put(position.board, bit, STONES[position.side])
        for stone in bits(captured):
            board = self.grid.put(board, stone, ".")
        ko = captured if takes_ko and self.options.ko == "simple" else 0
        return self._known(
            position, move, self.text.after(position, board, ko, position.crucial & ~captured)
        )

    def _known(self, position: GoPosition, move: str, text: str) -> str:
        if not self.text.allowed_by_superko(position)(text.partition(" ")[0]):
            raise Refused(
                f"the move {move} is not legal: it repeats a position ({self.options.ko} superko)"
            )
        return text
