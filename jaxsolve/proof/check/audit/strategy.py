"""The strategy in a certificate: the claimant's moves, also from positions outside the certificate.

A *place* is a real position together with the reason why the claim holds in it. The reason is a
node: its position equals the real position or is covered by it. After the last node of a game, the
reason is the rest of that node's pairs or of its threat.

Every condition of the law of zones (FORMAT.md) is tested at the real position:

* The claimant's move must be legal, and the position after it must cover the child.
* The position after every reply must cover some child.
* The game must end as claimed.

If a test fails, Refused is raised, with one sentence.

Every game ends, whatever the certificate contains. The children of a node are earlier lines, so a
game visits at most as many nodes as the root's height. Every move after the node of a pairing,
which exists in Hex only, fills a cell.

If the nodes are written under simple ko and the claim is about superko, a position has two texts:
the text of the place, under simple ko, and the text under the claim's rules, with the history.
Otherwise the two texts are the same.
"""

from __future__ import annotations

import functools
import random
from collections.abc import Sequence
from typing import Any, NamedTuple

from jaxsolve.proof.check.audit.certificate import MOVES, Certificate, edges
from jaxsolve.proof.check.audit.sampling import sampler_of
from jaxsolve.proof.check.errors import Refused, show
from jaxsolve.proof.check.rules import Verdict


class NotFollowed(ValueError):
    """The strategy of a certificate cannot be followed, although the proof may be correct.

    The message is one sentence.
    """


class Place(NamedTuple):
    """A real position, and the reason why the claim holds in it."""

    text: str  # the real position
    node: int  # id of the node that it equals or covers; 0: the reason is in the following fields
    answer: str = ""  # the claimant's next move; "": any move is good
    pairs: tuple[tuple[str, str], ...] = ()  # pairs of cells: the claimant gets one cell of each
    # The rest of a threat of several moves after ``answer``: the moves of a line, or the line and
    # the answers of a branch.
    threat: Any = ()


class Strategy:
    """Follows the strategy of an accepted certificate.

    Some choices are open, for example if a position covers several children. With ``rng`` the
    choice is random. Without ``rng`` it is the one with the fewest moves to the end.

    Raises NotFollowed if a node has a field of ``certificate.UNFOLLOWED``. Such a field proves that
    the claimant has an answer, and the strategy would have to derive the answer itself.
    """

    def __init__(self, proof: Certificate, rng: random.Random | None = None):
        if proof.unfollowed is not None:
            number, name = proof.unfollowed
            raise NotFollowed(
                f"the node {number} has the field '{name}', which stands for moves that the"
                " certificate does not list, and an audit does not derive them"
            )
        self.proof, self.rules, self.claimant = proof, proof.rules, proof.claimant
        self.position = functools.lru_cache(1 << 13)(self.rules.position)
        self.fields = functools.lru_cache(1 << 12)(proof.fields)
        self._sequence = functools.lru_cache(1 << 8)(
            lambda node: self.rules.sequence(
                self.position(proof.texts[node]), self.fields(node)["threat"]
            )
        )
        self._rng, self._sampler = rng, sampler_of(self.rules)
        # The claim's rules if the nodes are written under other rules, otherwise None.
        self.played = proof.played if proof.played is not proof.rules else None
        self._real = functools.lru_cache(1 << 8)(
            self.rules.position if self.played is None else self.played.position
        )

    def start(self) -> Place:
        """Returns the place of the claim's position, at the root node."""
        return self.enter(self.proof.texts[self.proof.top], self.proof.top)

    def enter(self, text: str, node: int) -> Place:
        """Returns the place of ``text``, a position that equals or covers the one of ``node``."""
        fields = self.fields(node)
        if "leaf" in fields and "pairs" in fields:
            return Place(text, 0, "", _pairs(fields))
        return Place(text, node)

    def covers(self, text: str, node: int) -> bool:
        """Whether ``text`` is the position of ``node``, or covers this position on its zone."""
        won, zone = self.proof.texts[node], self.proof.zones.get(node, 0)
        if text == won:
            return True
        zones = self.rules.zones or (self.rules.written if zone else None)
        return zones is not None and zones.covers(
            self.claimant, self.position(text), self.position(won), zone
        )

    # ---- the end ---------------------------------------------------------------------------------
    def over(self, place: Place, text: str) -> Verdict | None:
        """Returns the result of the game at ``place``, or None if the game goes on.

        ``text`` is the position under the claim's rules. Raises Refused if the result does not
        satisfy the claim, or if the game goes on although the place requires its end.
        """
        verdict = self.rules.verdict(self.position(place.text))
        if self.played is not None and self.played.verdict(self._real(text)) != verdict:
            raise Refused(
                f"{show(text, 500)} is not over for the same reason as without its history"
            )
        if verdict is not None:
            if not self.proof.serves(verdict):
                end = (
                    "a draw"
                    if verdict.winner is None
                    else f"won by {self.rules.players[verdict.winner]}"
                )
                raise Refused(f"the game is over by '{verdict.reason}', {end}")
        elif place.node and "leaf" in self.fields(place.node):
            reason = self.fields(place.node)["leaf"]
            settled = self.rules.settled(self.position(place.text), reason)
            if settled is not None and self.proof.serves(settled):
                return settled
            raise Refused(f"the game goes on, and the leaf {place.node} says that it is over")
        elif not (place.node or place.answer or place.pairs or place.threat):
            raise Refused("the game goes on after the threat")
        return verdict

    # ---- play under the claim's rules ------------------------------------------------------------
    def after(self, text: str, move: str, place: Place) -> str:
        """Returns the text, under the claim's rules, of the position after the claimant's ``move``.

        The move is played in ``text`` and leads to ``place``. Raises Refused if the claim's rules
        forbid the move.
        """
        return place.text if self.played is None else self.played.child(self._real(text), move)

    def replies(self, place: Place, text: str) -> dict[str, tuple[str, str]]:
        """Returns the replies that are legal under the claim's rules in the position ``text``.

        For each reply the result has two texts of the position after it: under the rules of the
        nodes, and under the claim's rules.
        """
        known = self.rules.replies(self.position(place.text))
        if self.played is None:
            return {move: (after, after) for move, after in known.items()}
        legal = self.played.replies(self._real(text))
        if not legal.keys() <= known.keys():
            raise Refused(
                f"simple ko knows no reply {min(legal.keys() - known.keys())}"
                f" in {show(place.text, 500)}"
            )
        return {move: (known[move], after) for move, after in legal.items()}

    # ---- the claimant moves ----------------------------------------------------------------------
    def move(self, place: Place) -> tuple[str, Place]:
        """Returns the claimant's move at ``place`` and the place after it.

        The game must not be over at ``place``. Raises Refused if the move is illegal or does not
        lead to a position that covers the child.
        """
        position = self.position(place.text)
        move, child = self.fields(place.node)["or"] if place.node else (place.answer, 0)
        zones = self.rules.zones
        if not move or (zones is not None and zones.spare(self.claimant, position, move)):
            move = self._any(place)
        text = self.rules.child(position, move)
        if not child:
            return move, Place(text, 0, "", place.pairs, place.threat)
        if not self.covers(text, child):
            raise Refused(
                f"{move} leads to {show(text, 500)}, which neither is nor covers the node {child}"
            )
        return move, self.enter(text, child)

    def _any(self, place: Place) -> str:
        """Chooses a move at a place where every move of the claimant is good."""
        legal = self.rules.replies(self.position(place.text))
        if self._rng is not None:
            return self._rng.choice(list(legal))
        return next(
            (cell for pair in place.pairs for cell in pair if legal.keys() >= set(pair)),
            next(iter(legal)),
        )

    # ---- the opponent moves ----------------------------------------------------------------------
    def listed(self, place: Place) -> set[str]:
        """Returns the opponent's moves that the certificate mentions at ``place``."""
        if place.node:
            fields = self.fields(place.node)
            return {move for move, _ in edges(fields)} | set(_threat(fields))
        return {cell for pair in place.pairs for cell in pair} | set(_replies(place.threat))

    def follow(self, place: Place, reply: str, text: str) -> Place:
        """Returns the place after the opponent's legal ``reply``, which leads to ``text``.

        Raises Refused if the certificate has no answer to the reply.
        """
        if place.threat:
            rest = _replies(place.threat).get(reply) or (
                place.threat[0] if _is_branch(place.threat) else None
            )
            if not rest:
                raise Refused(f"the threat does not force {reply}")
            return _carried_out(text, rest)
        if not place.node:
            partners = {one: other for pair in place.pairs for one, other in (pair, pair[::-1])}
            return Place(text, 0, partners.get(reply, ""), place.pairs)
        fields = self.fields(place.node)
        children = {child for name in MOVES for _, child in fields.get(name, ())}
        found = [self.enter(text, child) for child in sorted(children) if self.covers(text, child)]
        found += self._idle(place, sorted(children), reply, text)
        if "threat" in fields and self._threatens(place.node, fields, reply, text):
            threat = fields["threat"]
            found.append(
                _carried_out(text, threat)
                if isinstance(threat, list)
                else Place(text, 0, threat, _pairs(fields))
            )
        if not found and self.rules.side(self.position(text)) != self.claimant:
            return Place(text, place.node)  # the opponent's second move decides the child
        if not found:
            raise Refused(
                f"{reply} leads to {show(text, 500)},"
                f" which neither is nor covers a child of the node {place.node}"
            )
        return self._best(found) if self._rng is None else self._rng.choice(found)

    def _idle(self, place: Place, children: Sequence[int], reply: str, text: str) -> list[Place]:
        """Returns the places after ``reply`` that follow from a child within the opponent's turn.

        In Slither a child after a relocation can also answer a turn without a relocation
        (``Sampler.begun``). ``children`` are the ids of the listed children.
        """
        idle = self._sampler.begun(self.position(place.text))
        if (
            idle is None
            or idle == place.text
            or self.rules.side(self.position(text)) != self.claimant
        ):
            return []
        return [
            self.follow(Place(idle, child), reply, text)
            for child in children
            if self.covers(idle, child)
        ]

    def _threatens(self, node: int, fields: dict[str, Any], reply: str, text: str) -> bool:
        """Whether the threat of ``node`` answers ``reply``, which leads to ``text``."""
        position, zones = self.position(self.proof.texts[node]), self.rules.zones
        if isinstance(fields["threat"], list):
            return reply not in self._sequence(node)
        if zones is None:
            return reply not in self.rules.threat(position, fields["threat"])
        won, zone = zones.null(self.claimant, position, fields["threat"], fields.get("pairs", []))
        return zones.covers(self.claimant, self.position(text), self.position(won), zone)

    def _best(self, places: Sequence[Place]) -> Place:
        return min(
            places,
            key=lambda place: (
                self.proof.heights[place.node]
                if place.node
                else 2 * len(place.pairs) + _height(place.threat) + 1
            ),
        )


def _carried_out(text: str, threat: list[Any]) -> Place:
    """Returns the place at which the claimant's next move is the first move of ``threat``.

    ``threat`` is a line or a branch of moves in the form of the certificate.
    """
    return Place(text, 0, threat[0], (), threat[1:])


def _is_branch(threat: Any) -> bool:
    """Whether ``threat`` (``Place.threat``) is the rest of a branch, not of a line."""
    return bool(threat) and not isinstance(threat[0], str)


def _replies(threat: Any) -> dict[str, Any]:
    """Maps each reply in ``threat`` (``Place.threat``) to the play after it.

    A line has one reply, its first move. A branch has several replies, and its line answers all
    other replies.
    """
    if not _is_branch(threat):
        return {threat[0]: threat[1:]} if threat else {}
    return dict(threat[1])


def _height(threat: Any) -> int:
    """Returns the largest number of moves left in ``threat`` (``Place.threat``)."""
    if not _is_branch(threat):
        return len(threat)
    line, answers = threat
    return max([len(line) + 1, *(2 + _height(answer[1:]) for _, answer in answers)])


def _threat(fields: dict[str, Any]) -> list[str]:
    """Returns a list with the first move of a node's threat, or [] without a threat."""
    threat = fields.get("threat", [])
    return threat[:1] if isinstance(threat, list) else [threat]


def _pairs(fields: dict[str, Any]) -> tuple[tuple[str, str], ...]:
    return tuple((one, other) for one, other in fields.get("pairs", ()))
