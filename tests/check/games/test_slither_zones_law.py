"""The law of Slither's zones by brute force.

The conclusion of an accepted step holds in every position that covers the node's on its zone.
"""

from __future__ import annotations

import itertools
import os
import random

import pytest

from jaxsolve.proof.check.games.slither.zones import SlitherZones
from support.oracles import slither as oracle
from support.proofs.slither_zone_steps import Step, Truth, World

LONG = os.environ.get("JAXSOLVE_LONG") == "1"


@pytest.fixture(scope="module")
def truth() -> Truth:
    return Truth(3)


def test_solved_values_equal_the_oracle(truth):
    rng, table = random.Random(1), truth.tables[0, False]
    for _ in range(40):
        black, white, winner = table[rng.randrange(len(table))].tolist()
        text = truth.text(black, white, 0, False)
        board = oracle.board_of(text)
        if not all(oracle.connects(board.stones[side], side, 3) for side in (0, 1)):
            assert oracle.wins(board) == (winner == 0), text


@pytest.mark.parametrize("kind", ["leaf", "or", "or relocated", "must-play", "must-play relocated"])
def test_accepted_steps_are_sound(truth, kind):
    world, small = World(truth, SlitherZones, random.Random(kind)), 0
    cells = 2 * truth.size**2

    def wanted(step: Step) -> bool:
        position = truth.rules.position(step.text)
        if truth.rules.verdict(position) is not None:
            return kind == "leaf"
        return (
            "or" if position.side == step.claimant else "must-play"
        ) + " relocated" * position.relocated == kind

    for step in itertools.islice(world.steps(wanted), 20_000 if LONG else 400):
        assert world.failure(step.claimant, step.text, step.zone) is None, step
        small += step.zone.bit_count() < cells - 4
    assert small > 100
