"""Extracts a small tree of variations from a proof, for display."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import NamedTuple

from jaxsolve.proof.check import registry as checkers
from jaxsolve.proof.check.errors import Refused
from jaxsolve.proof.check.rules import Rules, Verdict
from jaxsolve.proof.reading import Edge, Node, Proof

REPLIES = (
    4,
    2,
)  # number of replies shown at the losing side's first and second turn; one at later turns
MAX_MOVES = 160  # moves of all variations of a first move together
LONGEST = 60  # moves of one variation


@dataclass
class Variation:
    """A move and its continuations; the first continuation is the main line."""

    move: str
    player: int
    after: list[Variation] = field(default_factory=list)
    # why the game is over (a leaf reason of FORMAT.md); "" if play goes on or the line is cut
    end: str = ""
    zone: str | None = None  # zone of the position after the move, if the proof has it

    def line(self) -> list[Variation]:
        """Returns the moves of the main line, beginning with this move."""
        found: list[Variation] = [self]
        while found[-1].after:
            found.append(found[-1].after[0])
        return found


class _Place(NamedTuple):
    """A node of the proof that is still to be expanded into variations."""

    number: int  # id of the node
    position: str  # position reached; with zones it may differ from that of the node
    into: list[Variation]  # receives the moves at the node
    turn: int  # turns of the losing side so far
    length: int  # moves so far


def variations(
    proof: Proof, number: int | None = None, position: str | None = None
) -> list[Variation]:
    """Returns the variations below a node of a proof, cut to a readable size.

    The longest resistance comes first. All moves are legal. With zones, the position reached may
    differ from that of the node outside the zone; replies that are illegal in it are left out.

    Args:
      proof: the proof.
      number: id of the node; None: the root.
      position: the position reached, as text; None: the position of the node.
    """
    number = proof.root if number is None else number
    rules = checkers.find(proof.game).rules(proof.rules)
    claimant = rules.players.index(proof.player)
    found: list[Variation] = []
    here = proof.position if number == proof.root else proof.nodes[number].position
    todo = [_Place(number, position or here, found, 0, 0)]
    count = 0
    while todo and count < MAX_MOVES:
        place = todo.pop(0)
        at = rules.position(place.position)
        if rules.verdict(at) is not None or place.length >= LONGEST:
            continue
        player = rules.side(at)
        width = 1 if player == claimant else (*REPLIES, 1)[min(place.turn, len(REPLIES))]
        for rank, (edge, text) in enumerate(_legal(proof, rules, place, width)):
            count += 1
            verdict = end_of(rules, text, proof.nodes[edge.child].leaf)
            here = Variation(
                edge.move,
                player,
                end="" if verdict is None else verdict.reason,
                zone=proof.nodes[edge.child].zone,
            )
            place.into.append(here)
            following = _Place(
                edge.child, text, here.after, place.turn + (player != claimant), place.length + 1
            )
            todo.insert(len(todo) if rank else 0, following)  # the main line is finished first
    return found


def end_of(rules: Rules, text: str, leaf: str | None) -> Verdict | None:
    """Returns why play ends at the position ``text``, or None.

    ``leaf`` is the reason of the leaf that the position covers, or None.
    """
    position = rules.position(text)
    return rules.verdict(position) or rules.settled(position, leaf)


def _legal(proof: Proof, rules: Rules, place: _Place, width: int) -> Iterator[tuple[Edge, str]]:
    at = rules.position(place.position)
    for edge in proof.replies(place.number):
        try:
            text = rules.child(at, edge.move)
        except Refused:
            continue
        yield edge, text
        width -= 1
        if not width:
            return


def after_move(proof: Proof, move: str) -> Variation | None:
    """Returns an opponent's move at the root of a proof, with its refutation as variations.

    A proof with zones leaves out some moves. The position after such a move covers the position
    after a listed move (``proof/FORMAT.md``) on the zone of the refutation of that move. That
    refutation then also answers the move that is left out.

    Returns None if the proof has no refutation of ``move``.
    """
    rules = checkers.find(proof.game).rules(proof.rules)
    root = rules.position(proof.position)
    text = rules.child(root, move)
    child = child_after(proof, rules, proof.nodes[proof.root], move, text)
    if child is None:
        return None
    verdict = end_of(rules, text, proof.nodes[child].leaf)
    return Variation(
        move,
        rules.side(root),
        variations(proof, child, text),
        "" if verdict is None else verdict.reason,
        proof.nodes[child].zone,
    )


def child_after(proof: Proof, rules: Rules, node: Node, move: str, text: str) -> int | None:
    """Returns the id of a child of ``node`` whose proof holds after ``move``, or None.

    If ``move`` is listed at the node, it is the child of this move. Otherwise it is the first child
    whose position is covered by the position reached, on the child's zone.

    Args:
      proof: the proof.
      rules: the rules of the proof.
      node: a node of the proof.
      move: a move at the node.
      text: the position that the move reaches.
    """
    edge = next((edge for edge in node.moves if edge.move == move), None) or next(
        (edge for edge in node.moves if _covers(proof, rules, text, edge.child)), None
    )
    return None if edge is None else edge.child


def is_outside(proof: Proof, move: str) -> bool:
    """Returns whether the point ``move`` lies outside the zone of the root of a proof."""
    zone = proof.nodes[proof.root].zone
    return zone is not None and move not in zone.split(",")


def _covers(proof: Proof, rules: Rules, text: str, number: int) -> bool:
    """Returns whether the position ``text`` covers that of node ``number`` on the node's zone.

    The proof of the node then also holds for ``text``.
    """
    zones, node = rules.written, proof.nodes[number]
    if zones is None or node.zone is None:
        return False
    won = rules.position(node.position)
    return zones.covers(
        rules.players.index(proof.player), rules.position(text), won, zones.read(won, node.zone)
    )
