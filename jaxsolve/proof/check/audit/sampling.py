"""Samplers: random positions that may cover a given one, from which a replay starts."""

from __future__ import annotations

import random
from typing import Any

from jaxsolve.proof.check.rules import Rules


class Sampler:
    """Default sampler, for games without zones. A zone is a bit set, as in ``zones``."""

    def point(self, move: str) -> int:
        """The point of a move as a bit of a zone; 0 if the move has none."""
        return 0

    def draw(self, rng: random.Random, claimant: int, position: Any, zone: int) -> str | None:
        """Text of a random position that may cover ``position`` on ``zone``, or None.

        The stones elsewhere are random. The caller tests whether the text can be a position of
        play and whether it covers ``position``.
        """
        return None

    def begun(self, position: Any) -> str | None:
        """Text of ``position`` after a first part of the turn that changes nothing, or None."""
        return None


def sampler_of(rules: Rules) -> Sampler:
    """The sampler of a rule set."""
    from jaxsolve.proof.check.audit.go_sampling import GoSampler
    from jaxsolve.proof.check.audit.hex_sampling import HexSampler
    from jaxsolve.proof.check.audit.slither_sampling import SlitherSampler
    from jaxsolve.proof.check.games.go.rules import Go
    from jaxsolve.proof.check.games.hex import Hex
    from jaxsolve.proof.check.games.slither.rules import Slither

    if isinstance(rules, Go):
        return GoSampler(rules)
    if isinstance(rules, Hex):
        return HexSampler(rules)
    if isinstance(rules, Slither):
        return SlitherSampler(rules)
    return Sampler()
