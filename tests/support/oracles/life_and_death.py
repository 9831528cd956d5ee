"""Exhaustive truth about crucial stones, written from the text of the rules.

Nothing of the package is used: boards are bit masks with code of their own. ``Exhaustive`` expands
every position that two players can reach inside a region, with either side to move first and all ko
moves allowed. It then solves each question by retrograde analysis: both goals under each of the
four pairs of ko options, and with ko threats of one side. What neither side can force in a bounded
number of moves is None.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import NamedTuple

import numpy as np

COLUMNS = "ABCDEFGHJKLMNOPQRST"
SIDES = ("black", "white")
PASS = "pass"
ENDED = 2  # successive passes


class TooLarge(RuntimeError):
    """There are more boards than the limit."""


class Options(NamedTuple):
    """The sides that may make ko moves."""

    attacker: bool
    defender: bool


AGAINST, FOR = Options(True, False), Options(False, True)
BOTH, NEITHER = Options(True, True), Options(False, False)


# ---- boards --------------------------------------------------------------------------------------
class Grid:
    """A square board as bits, row by row from the top, with an empty column after each row."""

    def __init__(self, size: int):
        self.size, self.stride = size, size + 1
        self.full = sum(((1 << size) - 1) << row * self.stride for row in range(size))

    def bit(self, name: str) -> int:
        """The bit of a point such as ``B1``."""
        column, row = COLUMNS.index(name[0]), self.size - int(name[1:])
        return 1 << row * self.stride + column

    def name(self, bit: int) -> str:
        row, column = divmod(bit.bit_length() - 1, self.stride)
        return f"{COLUMNS[column]}{self.size - row}"

    def names(self, mask: int) -> list[str]:
        """The points of a mask, from the bottom row, left to right."""
        found = [self.name(bit) for bit in bits(mask)]
        return sorted(found, key=lambda name: (int(name[1:]), name[0]))

    def mask(self, names: Iterable[str]) -> int:
        return sum(self.bit(name) for name in names)

    def stones(self, text: str) -> tuple[int, int]:
        """Black's and White's stones of a board such as ``.X./OO./...``."""
        found = [0, 0]
        for row, line in enumerate(text.split("/")):
            for column, cell in enumerate(line):
                if cell != ".":
                    found["XO".index(cell)] |= 1 << row * self.stride + column
        return found[0], found[1]

    def text(self, stones: Sequence[int]) -> str:
        """The inverse of ``stones``."""
        rows = []
        for row in range(self.size):
            cells = [1 << row * self.stride + column for column in range(self.size)]
            rows.append(
                "".join("X" if stones[0] & p else "O" if stones[1] & p else "." for p in cells)
            )
        return "/".join(rows)

    def beside(self, mask: int) -> int:
        """The points orthogonally beside a mask; some of them may be in it."""
        up, down = mask >> self.stride, mask << self.stride
        return (up | down | mask << 1 | mask >> 1) & self.full

    def flood(self, seed: int, within: int) -> int:
        """The connected part of ``within`` that holds ``seed``."""
        while (grown := seed | self.beside(seed) & within) != seed:
            seed = grown
        return seed

    def parts(self, mask: int) -> Iterator[int]:
        """The connected parts of a mask."""
        while mask:
            part = self.flood(mask & -mask, mask)
            mask &= ~part
            yield part


def bits(mask: int) -> Iterator[int]:
    """The bits of a mask, lowest first."""
    while mask:
        yield mask & -mask
        mask &= mask - 1


class Played(NamedTuple):
    """The stones after a placement."""

    own: int
    enemy: int
    ko: int  # the point that may not be retaken at once; 0: none


def play(grid: Grid, own: int, enemy: int, point: int) -> Played | None:
    """A placement on an empty point; None: suicide."""
    own |= point
    captured = 0
    for stone in bits(grid.beside(point) & enemy & ~captured):
        if not stone & captured:
            chain = grid.flood(stone, enemy)
            if not grid.beside(chain) & grid.full & ~own & ~enemy:
                captured |= chain
    enemy &= ~captured
    chain = grid.flood(point, own)
    liberties = grid.beside(chain) & ~own & ~enemy
    if not liberties:
        return None
    lone = chain == point and liberties == captured and captured.bit_count() == 1
    return Played(own, enemy, captured if lone else 0)


def alive(grid: Grid, own: int, enemy: int) -> int:
    """The unconditionally alive stones of ``own`` (Benson 1976)."""
    empty = grid.full & ~own & ~enemy
    chains = [(chain, grid.beside(chain)) for chain in grid.parts(own)]
    regions = [(region, grid.beside(region) & own) for region in grid.parts(grid.full & ~own)]
    while True:
        living = [
            (chain, near)
            for chain, near in chains
            if sum(
                bool(border & chain) and not region & empty & ~near for region, border in regions
            )
            >= 2
        ]
        if len(living) == len(chains):
            return sum(chain for chain, _ in chains)
        kept = sum(chain for chain, _ in living)
        regions = [(region, border) for region, border in regions if not border & ~kept]
        chains = living


# ---- the graph of positions ----------------------------------------------------------------------
class Node(NamedTuple):
    """A position; ``board`` is a number of ``Exhaustive.boards``."""

    board: int
    side: int
    ko: int
    passes: int


class Move(NamedTuple):
    """A placement that is legal apart from a ko ban and the ko options."""

    point: int
    board: int
    ko: int


class Exhaustive:
    """All questions about the crucial stones of a board, solved by exhaustion.

    Args:
      text: the board, such as ``.X./OO./...``.
      crucial: points of the crucial stones, all of one colour.
      region: points where stones may be placed; None: anywhere.
      limit: most boards that are expanded.

    Raises TooLarge.
    """

    def __init__(
        self,
        text: str,
        crucial: Iterable[str],
        region: Iterable[str] | None = None,
        limit: int = 100_000,
    ):
        self.grid = grid = Grid(text.count("/") + 1)
        self.region = grid.full if region is None else grid.mask(region)
        stones, named = grid.stones(text), grid.mask(crucial)
        self.defender = 0 if named & stones[0] else 1
        self.limit = limit
        self.boards: list[tuple[int, int, int]] = []  # Black's, White's and crucial stones
        self.winners: list[int | None] = []  # the side for which the stones decide the game
        self.moves: list[tuple[list[Move], list[Move]]] = []  # for either side
        self._numbers: dict[tuple[int, int, int], int] = {}
        self._answers: dict[tuple[str, Options], tuple[np.ndarray, np.ndarray]] = {}
        self._threatened: dict[tuple[str, int, bool], np.ndarray] = {}
        self._number((*stones, named))
        self._expand_boards()
        self._expand_nodes()

    def _number(self, board: tuple[int, int, int]) -> int:
        number = self._numbers.setdefault(board, len(self.boards))
        if number == len(self.boards):
            self.boards.append(board)
        return number

    def _winner(self, board: tuple[int, int, int]) -> int | None:
        own, enemy, crucial = board[self.defender], board[1 - self.defender], board[2]
        if not crucial:
            return 1 - self.defender
        return self.defender if alive(self.grid, own, enemy) & crucial else None

    def _expand_boards(self) -> None:
        done = 0
        while done < len(self.boards):
            board = self.boards[done]
            winner = self._winner(board)
            self.winners.append(winner)
            over = winner is not None
            self.moves.append(
                ([], []) if over else (list(self._plays(board, 0)), list(self._plays(board, 1)))
            )
            if len(self.boards) > self.limit:
                raise TooLarge
            done += 1

    def _plays(self, board: tuple[int, int, int], side: int) -> Iterator[Move]:
        empty = self.grid.full & ~board[0] & ~board[1]
        for point in bits(empty & self.region):
            played = play(self.grid, board[side], board[1 - side], point)
            if played is None:
                continue
            after = (played.own, played.enemy) if side == 0 else (played.enemy, played.own)
            # A captured crucial stone is not replaced by a stone that is played there later.
            child = self._number((*after, board[2] & after[self.defender]))
            yield Move(point, child, played.ko)

    def _expand_nodes(self) -> None:
        self.nodes: dict[Node, int] = {}
        parents, children, takes, places = [], [], [], []
        waits: dict[int, int] = {}  # for a pass at a ko, the position in which it does not count
        waiting = [Node(0, 0, 0, 0), Node(0, 1, 0, 0)]
        self.nodes = {node: number for number, node in enumerate(waiting)}
        for node in waiting:  # grows
            if node.passes == ENDED or self.winners[node.board] is not None:
                continue
            after = [
                (move.point, move.ko, Node(move.board, 1 - node.side, move.ko, 0))
                for move in self.moves[node.board][node.side]
                if move.point != node.ko
            ]
            after.append((0, 0, Node(node.board, 1 - node.side, 0, node.passes + 1)))
            if node.ko:  # the position after a ko threat and the answer to it
                lifted = Node(node.board, node.side, 0, 0)
                if self.nodes.setdefault(lifted, len(waiting)) == len(waiting):
                    waiting.append(lifted)
                waiting_pass = Node(node.board, 1 - node.side, 0, 0)
                if self.nodes.setdefault(waiting_pass, len(waiting)) == len(waiting):
                    waiting.append(waiting_pass)
                waits[len(parents) + len(after) - 1] = self.nodes[waiting_pass]
            for point, ko, child in after:
                number = self.nodes.setdefault(child, len(waiting))
                if number == len(waiting):
                    waiting.append(child)
                parents.append(self.nodes[node])
                children.append(number)
                takes.append(ko != 0)
                places.append(point)
        self._parents, self._children = np.array(parents, int), np.array(children, int)
        self._takes, self._places = np.array(takes, bool), places
        self._waiting = self._children.copy()
        self._waiting[list(waits)] = list(waits.values())
        lifted = [
            self.nodes.get(Node(node.board, node.side, 0, 0), -1) if node.ko else -1
            for node in waiting
        ]
        self._lifted = np.array(lifted)  # for a node with a ban, the node without it
        self._sides = np.array([node.side for node in waiting])
        winners = [self.winners[node.board] for node in waiting]
        self._winners = np.array([-1 if winner is None else winner for winner in winners])
        self._ended = np.array([node.passes == ENDED for node in waiting]) & (self._winners < 0)

    # ---- questions -------------------------------------------------------------------------------
    def wins(
        self,
        goal: str,
        options: Options,
        player: int,
        given: np.ndarray | None = None,
        never: np.ndarray | None = None,
        waits: bool = False,
    ) -> np.ndarray:
        """bool[nodes]: where ``player`` forces a win of the game with this goal.

        ``live``: the defender wins if a crucial stone becomes unconditionally alive. ``kill``: the
        attacker wins if all of them are captured. Else the other side wins after two passes.
        ``given`` are nodes that count as won, ``never`` others that do not. ``waits``: a pass of
        a side that may not retake a ko does not count towards two passes.
        """
        may = np.array([self.may(options, side) for side in (0, 1)])
        legal = ~self._takes | may[self._sides[self._parents]]
        parents, children = (
            self._parents[legal],
            (self._waiting if waits else self._children)[legal],
        )
        loser = self.defender if goal == "live" else 1 - self.defender
        count, mine = len(self._sides), self._sides == player
        replies = np.bincount(parents, minlength=count)
        won = (self._winners == player) | self._ended & (loser != player)
        won = won if given is None else won | given
        won = won if never is None else won & ~never
        while True:
            good = np.bincount(parents, won[children], count)
            grown = won | (replies > 0) & np.where(mine, good > 0, good == replies)
            grown = grown if never is None else grown & ~never
            if (grown == won).all():
                return won
            won = grown

    def _solved(self, goal: str, options: Options) -> tuple[np.ndarray, np.ndarray]:
        if (goal, options) not in self._answers:
            wins = [self.wins(goal, options, player) for player in (0, 1)]
            self._answers[goal, options] = (wins[0], wins[1])
        return self._answers[goal, options]

    def answer(
        self, goal: str, options: Options, side: int, move: str | None = None
    ) -> bool | None:
        """Whether the goal is reached with ``side`` to move first, or after its first ``move``.

        None: neither side can force its result. Raises KeyError for a move that is illegal even
        with all ko moves allowed.
        """
        node, player = self._node(side, move), self._player(goal)
        wins = self._solved(goal, options)
        return True if wins[player][node] else False if wins[1 - player][node] else None

    def first_edges(self, side: int) -> dict[str, int]:
        """For each legal first move of a side, and ``pass``, its number among all moves."""
        edges = np.flatnonzero(self._parents == self.nodes[Node(0, side, 0, 0)])
        return {
            self.grid.name(self._places[edge]) if self._places[edge] else PASS: int(edge)
            for edge in edges
        }

    def takes_ko(self, side: int, move: str) -> bool:
        """Whether a first move starts or takes a ko."""
        return bool(self._takes[self.first_edges(side)[move]])

    def threats(self, goal: str, player: int, side: int, most: int = 4) -> int | None:
        """The fewest ko threats with which ``player`` wins if the other side has none.

        Both sides may take kos. A threat lifts the ban on retaking a ko: the other side answers it.
        None: more than ``most``, or the side does not win.
        """
        root, won = self.nodes[Node(0, side, 0, 0)], None
        for count in range(most + 1):
            given = None
            if won is not None:
                mine = (self._sides == player) & (self._lifted >= 0)
                given = won | mine & won[self._lifted]
            won = self.wins(goal, BOTH, player, given)
            if won[root]:
                return count
        return None

    def despite(self, goal: str, side: int, move: str | None = None, count: int = 2) -> bool:
        """Whether the goal is reached although the other side has ``count`` ko threats.

        Both sides may take kos, with ``side`` to move first or after its first ``move``. A pass at
        a ko does not count.
        """
        return self._with_threats(goal, count, own=False, node=self._node(side, move))

    def helped(self, goal: str, side: int, move: str | None = None, count: int = 2) -> bool:
        """As ``despite``, but the side with the goal has the threats, and the other side none."""
        return self._with_threats(goal, count, own=True, node=self._node(side, move))

    def _with_threats(self, goal: str, count: int, *, own: bool, node: int) -> bool:
        if (goal, count, own) not in self._threatened:
            player = self._player(goal)
            uses = (self._sides == player if own else self._sides != player) & (self._lifted >= 0)
            won = self.wins(goal, BOTH, player, waits=True)
            for _ in range(count):
                lifted = won[self._lifted]
                given, never = (uses & lifted, None) if own else (None, uses & ~lifted)
                won = self.wins(goal, BOTH, player, given=given, never=never, waits=True)
            self._threatened[goal, count, own] = won
        return bool(self._threatened[goal, count, own][node])

    def _player(self, goal: str) -> int:
        """The player with the goal."""
        return self.defender if goal == "live" else 1 - self.defender

    def _node(self, side: int, move: str | None) -> int:
        """The number of the root with ``side`` to move first, or of that after its move."""
        if move is None:
            return self.nodes[Node(0, side, 0, 0)]
        return int(self._children[self.first_edges(side)[move]])

    def may(self, options: Options, side: int) -> bool:
        """Whether a side may make ko moves."""
        return options.defender if side == self.defender else options.attacker

    @property
    def over(self) -> bool:
        """Whether the stones decide the game before the first move."""
        return self.winners[0] is not None
