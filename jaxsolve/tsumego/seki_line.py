"""The line of play of a seki: both sides follow a proof.

A seki takes two proofs: the defender prevents capture, and the attacker prevents life. One proof
alone gives no line of best play, since the losing side of a proof tries every move, also a
self-atari. In the line of this module the defender follows the proof that prevents capture, and the
attacker follows the proof that prevents life. So no move changes the result.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from jaxsolve.proof.check import registry as checkers
from jaxsolve.proof.check.errors import Refused
from jaxsolve.proof.check.rules import Rules
from jaxsolve.proof.reading import Proof
from jaxsolve.tsumego import variations
from jaxsolve.tsumego.variations import LONGEST, Variation


@dataclass(frozen=True)
class ProofPlace:
    """A node of a proof, and the position reached, which covers that of the node."""

    proof: Proof
    number: int  # id of the node
    text: str  # the position reached

    @property
    def rules(self) -> Rules:
        return checkers.find(self.proof.game).rules(self.proof.rules)

    @property
    def claimants_move(self) -> str | None:
        """The move of the proof at this node; None at a leaf."""
        moves = self.proof.nodes[self.number].moves
        return moves[0].move if moves else None

    def after(self, move: str) -> ProofPlace | None:
        """Returns the place after ``move``, or None if the proof does not say what follows it."""
        rules, node = self.rules, self.proof.nodes[self.number]
        try:
            text = rules.child(rules.position(self.text), move)
        except Refused:
            return None
        number = variations.child_after(self.proof, rules, node, move, text)
        return None if number is None else ProofPlace(self.proof, number, text)


def root(proof: Proof) -> ProofPlace:
    """Returns the place at the root of a proof."""
    return ProofPlace(proof, proof.root, proof.position)


def line(not_captured: ProofPlace, no_life: ProofPlace, defender: int) -> list[Variation]:
    """Returns the line of play of a seki, from one position; empty if the proofs do not show it.

    The line ends with two passes. A side answers a pass with a pass: the game then ends with the
    stones neither alive nor captured. The attacker also passes when the defender can get no two
    eyes even if the attacker only passes.

    Args:
      not_captured: the position in the proof that the defender prevents capture.
      no_life: the same position in the proof that the attacker prevents life.
      defender: player of the crucial stones.
    """
    moves = list(_moves(not_captured, no_life, defender))
    if [move for _, move in moves[-2:]] != ["pass", "pass"]:
        return []
    after: list[Variation] = []
    for player, move in reversed(moves):
        after = [Variation(move, player, after, end="" if after else "passes")]
    return after


def _moves(
    not_captured: ProofPlace, no_life: ProofPlace, defender: int
) -> Iterator[tuple[int, str]]:
    """Yields the players and moves of the line, until both have passed or a proof ends."""
    defends: ProofPlace | None = not_captured
    prevents: ProofPlace | None = no_life
    passed = settled = False
    for _ in range(LONGEST):
        if defends is None or prevents is None:
            return
        player = defends.rules.side(defends.rules.position(defends.text))
        settled = settled or prevents.proof.nodes[prevents.number].leaf is not None
        if passed:
            move = "pass"
        elif player == defender:
            move = defends.claimants_move
        else:
            move = "pass" if settled else prevents.claimants_move
        if move is None:
            return
        yield player, move
        if passed and move == "pass":
            return
        passed = move == "pass"
        defends = defends.after(move)
        prevents = prevents if settled else prevents.after(move)
