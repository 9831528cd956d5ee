"""Samplers: they draw random positions from which a replay plays on.

A position drawn for a node of the proof should cover the node's position on the node's zone
(``proof.check.zones``). A sampler does not guarantee this. The caller must test it.
"""

from __future__ import annotations

import random
from typing import Any

from jaxsolve.proof.check.rules import Rules


class Sampler:
    """Draws random positions. This base class is for games without relevance zones.

    A zone is a bit set that the game defines (``proof.check.zones``).
    """

    def point(self, move: str) -> int:
        """Returns the bits of a zone for the point of ``move``; 0 for a move without a point."""
        return 0

    def draw(self, rng: random.Random, claimant: int, position: Any, zone: int) -> str | None:
        """Draws a position with random stones outside ``zone``; returns its text.

        The caller must test that the result is a valid position and that it covers ``position``.
        Returns None in games without zones.
        """
        return None

    def begun(self, position: Any) -> str | None:
        """Returns ``position`` as text, with the first move of a turn of two moves marked as made.

        Only Slither has turns of two moves. The stones stay the same, and the text states that a
        stone has been relocated. Returns None in other games, or if the first move has already been
        made.
        """
        return None


def sampler_of(rules: Rules) -> Sampler:
    """Returns the sampler of a rule set."""
    from jaxsolve.proof.check.audit.go_sampling import GoSampler
    from jaxsolve.proof.check.audit.hex_sampling import HexSampler
    from jaxsolve.proof.check.audit.slither_sampling import SlitherSampler
    from jaxsolve.proof.check.games.go.rules import Go
    from jaxsolve.proof.check.games.hex.rules import Hex
    from jaxsolve.proof.check.games.slither.rules import Slither

    if isinstance(rules, Go):
        return GoSampler(rules)
    if isinstance(rules, Hex):
        return HexSampler(rules)
    if isinstance(rules, Slither):
        return SlitherSampler(rules)
    return Sampler()
