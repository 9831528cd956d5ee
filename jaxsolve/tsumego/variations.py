"""What a proof has to say about a first move, as a small tree of variations: who answers what, and how it ends."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import NamedTuple

from jaxsolve.proof.check import registry as checkers
from jaxsolve.proof.check.errors import Refused
from jaxsolve.proof.check.rules import Rules
from jaxsolve.proof.reading import Edge, Proof

REPLIES = (
    4,
    2,
)  # of the side that fails, shown at its first and its second turn; one at every later turn
MOST_MOVES = 160  # of the variations of one first move
LONGEST = 60  # moves of a line


@dataclass
class Variation:
    """A move with what follows it, the main line first."""

    move: str
    player: int
    after: list[Variation] = field(default_factory=list)
    end: str = ""  # why the game is over after it, as FORMAT.md calls it; "" where it goes on or the line is cut
    zone: str | None = None  # what the proof of the position after it rests on

    def line(self) -> list[Variation]:
        """This move and the main line after it."""
        found: list[Variation] = [self]
        while found[-1].after:
            found.append(found[-1].after[0])
        return found


class _Place(NamedTuple):
    """A node of the proof, the position that play has led to there, the list that its moves go to, and how often the failing side has moved."""

    number: int
    position: str
    into: list[Variation]
    turn: int
    length: int


def variations(
    proof: Proof, number: int | None = None, position: str | None = None, *, quiet: bool = False
) -> list[Variation]:
    """The moves from a node of a proof (None: its root), as deep and wide as fits a person, the replies that resist longest first.

    ``position`` is where play has led to, if that is not the node's own. ``quiet`` puts first those replies that can lead to where both sides pass:
    so a seki looks like one. Every move is played by the rules: with zones a reply that the proof names may not exist in a position that is merely
    covered, and is then left out.
    """
    number = proof.root if number is None else number
    rules = checkers.find(proof.game).rules(proof.rules)
    claimant = rules.players.index(proof.player)
    found: list[Variation] = []
    here = proof.position if number == proof.root else proof.nodes[number].position
    to_passes = _to_passes(proof) if quiet else {}
    todo = [_Place(number, position or here, found, 0, 0)]
    count = 0
    while todo and count < MOST_MOVES:
        place = todo.pop(0)
        at = rules.position(place.position)
        if rules.verdict(at) is not None or place.length >= LONGEST:
            continue
        player = rules.side(at)
        width = 1 if player == claimant else (*REPLIES, 1)[min(place.turn, len(REPLIES))]
        for rank, (edge, text) in enumerate(_legal(proof, rules, place, width, to_passes)):
            count += 1
            verdict = rules.verdict(rules.position(text))
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
            todo.insert(len(todo) if rank else 0, following)  # the main line to its end first
    return found


def _to_passes(proof: Proof) -> dict[int, int]:
    """For nodes from which the proof has a line that ends with two passes: moves of the longest one."""
    found: dict[int, int] = {}
    for number, node in proof.nodes.items():  # children first
        if node.leaf == "passes":
            found[number] = 0
        elif below := [found[edge.child] for edge in node.moves if edge.child in found]:
            found[number] = 1 + max(below)
    return found


def _legal(
    proof: Proof, rules: Rules, place: _Place, width: int, to_passes: dict[int, int]
) -> Iterator[tuple[Edge, str]]:
    at = rules.position(place.position)
    for edge in sorted(
        proof.replies(place.number), key=lambda edge: -to_passes.get(edge.child, -1)
    ):
        try:
            text = rules.child(at, edge.move)
        except Refused:
            continue
        yield edge, text
        width -= 1
        if not width:
            return


def after_move(proof: Proof, move: str) -> Variation | None:
    """A reply at the root of a proof by the other side, with what refutes it; None where the proof says nothing of it.

    A reply that the proof leaves out leads to a position that covers the one after another reply, on what that one's refutation rests on: so it is
    answered in the same way.
    """
    rules = checkers.find(proof.game).rules(proof.rules)
    root = rules.position(proof.position)
    text = rules.child(root, move)
    moves = proof.nodes[proof.root].moves
    edge = next((edge for edge in moves if edge.move == move), None) or next(
        (edge for edge in moves if _covers(proof, rules, text, edge.child)), None
    )
    if edge is None:
        return None
    verdict = rules.verdict(rules.position(text))
    zone = proof.nodes[edge.child].zone
    return Variation(
        move,
        rules.side(root),
        variations(proof, edge.child, text),
        "" if verdict is None else verdict.reason,
        zone,
    )


def is_outside(proof: Proof, move: str) -> bool:
    """Whether a point is none of those that the proof at its root rests on."""
    zone = proof.nodes[proof.root].zone
    return zone is not None and move not in zone.split(",")


def _covers(proof: Proof, rules: Rules, text: str, number: int) -> bool:
    """Whether the claimant wins from ``text`` as from a node: it covers the node's position on its zone."""
    zones, node = rules.written, proof.nodes[number]
    if zones is None or node.zone is None:
        return False
    won = rules.position(node.position)
    return zones.covers(
        rules.players.index(proof.player), rules.position(text), won, zones.read(won, node.zone)
    )
