"""The replies that a must-play region answers.

Positions may have been decided several times, each time on another zone.
"""

from __future__ import annotations

import itertools
import random

import pytest

from jaxsolve.proof.errors import ProofGap
from jaxsolve.proof.zoned import Basis, Refutation, ZonedGraphBuilder


class Builder(ZonedGraphBuilder):
    """Only the choice of replies."""

    def __init__(self):
        self.stop = lambda: None

    def _gap(self, what, node):
        return ProofGap(what)


def leaves_none(lines: list[int], chosen: dict[int, Basis]) -> bool:
    left = sum(1 << action for action in lines)
    for action, basis in chosen.items():
        left &= basis.zone & ~(1 << action)
    return not left


def refutations(known: dict[int, list[Basis]]) -> dict[int, list[Refutation]]:
    """Refutations of a game in which a reply outside the zone is omitted."""
    return {
        action: [Refutation(basis, basis.zone & ~(1 << action)) for basis in bases]
        for action, bases in known.items()
    }


def possible(lines: list[int], known: dict[int, list[Basis]]) -> bool:
    """Brute force: answers all replies that can be answered, for any choice of bases."""
    return any(
        leaves_none(lines, dict(zip(known, bases, strict=True)))
        for bases in itertools.product(*known.values())
    )


def test_replies_are_found_if_a_choice_of_bases_answers_all_of_them():
    rng, found, refused, smallest_fails = random.Random(1), 0, 0, 0
    for _ in range(3000):
        lines = list(range(rng.randrange(2, 8)))
        answered = rng.sample(lines, rng.randrange(1, len(lines) + 1))
        known = {
            action: sorted(
                (
                    Basis(number, rng.getrandbits(len(lines)) | rng.getrandbits(len(lines)))
                    for number in range(rng.randrange(1, 4))
                ),
                key=lambda basis: basis.zone.bit_count(),
            )
            for action in answered
        }
        if possible(lines, known):
            chosen = Builder()._replies(0, lines, refutations(known))
            assert leaves_none(lines, chosen) and all(
                basis in known[action] for action, basis in chosen.items()
            )
            found += 1
            smallest_fails += not leaves_none(
                lines, {action: bases[0] for action, bases in known.items()}
            )
        else:
            with pytest.raises(ProofGap):
                Builder()._replies(0, lines, refutations(known))
            refused += 1
    assert min(found, refused, smallest_fails) > 100
