"""Each condition of Slither's zones is necessary.

With a weaker condition the checker accepts an unsound step.
"""

from __future__ import annotations

import functools
import itertools
import random

import pytest

from jaxsolve.proof.check.errors import Refused
from jaxsolve.proof.check.games.slither.zones import SlitherZones
from jaxsolve.proof.check.zones import Child
from support.proofs.slither_zone_steps import Truth, World
from support.proofs.weaker import false_step, weakened

CLAUSES = {
    "L1": ("return bool(self.grid.flood(start & stones, stones) & end)", "return True"),
    "O1 the child": ("if not self.child_inside(child.zone, zone):", "if False:"),
    "O2 the stone": ("return not source & ~mine and ", "return "),
    "O2 the cell, of P": ("not target & ~(mine & theirs)", "not target & ~theirs"),
    "O2 the cell, of Q": ("not target & ~(mine & theirs)", "not target & ~mine"),
    "O3": (
        "return all(missing & one or there & two for one, two in ways)",
        "return True",
    ),
    "O3 one diagonal": (
        "ways = ((window.diagonal, other), (other, window.diagonal))",
        "ways = ((window.diagonal, other),)",
    ),
    "O3 the child": ("return not window.cells & ~known", "return True"),
    "M1 the child": ("if zone and not self.child_inside(child.zone, zone):", "if False:"),
    "M2 from a known cell to one": (
        "yield Turn(stones & ~source | target, (landing | source) & ~target, name)",
        "pass",
    ),
    "M2 to a known cell": (
        'yield Turn(stones | target, landing & ~target, f"elsewhere-{names[target]}")',
        "pass",
    ),
    "M2 no relocation": ('yield Turn(stones, landing, "")', "pass"),
    "M2 elsewhere": ("if elsewhere and not self.shows_broken(turn.stones, known):", "if False:"),
    "M2 on known cells": (
        "left, elsewhere = left & won.known, False",
        "left, elsewhere = 0, False",
    ),
    "M2 one placement": ("elif not changed & (changed - 1):", "else:"),
    "M2 a turn begun": (
        "if any(not (turn.stones ^ won.stones) & won.known for won in going):",
        "if going:",
    ),
    "M3": (
        "return any(window.is_broken(stones)"
        " for window in self.windows if not window.cells & ~known)",
        "return True",
    ),
    "M3 known cells": (
        "for window in self.windows if not window.cells & ~known)",
        "for window in self.windows)",
    ),
}  # text of the checker, and a weaker text that admits an unsound step
UNSEEN = {
    "P's broken windows": ("if not self.breaks_inside(claimant, position, zone):", "if False:"),
    "O1 a pass": ("if not self.is_stone(move):", "if False:"),
    "M2 from a known cell": (
        'yield Turn(stones & ~source, landing | source, f"{names[source]}-elsewhere")',
        "pass",
    ),
}
"""Clauses without which this board has no unsound step.

Without the first a node need not cover itself, and the law then proves nothing about it. The proof
of the law uses the others. A pass that wins, or an enclosed stone of Q that restrains another
stone, needs a larger board.
"""


@functools.cache
def truth() -> Truth:
    return Truth(3)


@pytest.mark.parametrize("clause", CLAUSES)
def test_each_clause_is_necessary(clause):
    world = World(truth(), weakened(SlitherZones, *CLAUSES[clause]), random.Random(4))
    step = false_step(
        itertools.islice(world.steps(), 20_000),
        lambda step: world.failure(step.claimant, step.text, step.zone) is not None,
    )
    assert not World(truth(), SlitherZones, random.Random(0)).accepts(step, step.zone)


@pytest.mark.full
@pytest.mark.parametrize("clause", UNSEEN)
def test_without_the_other_clauses_this_board_has_no_unsound_step(clause):
    world = World(truth(), weakened(SlitherZones, *UNSEEN[clause]), random.Random(5))
    for step in itertools.islice(world.steps(), 2000):
        assert world.failure(step.claimant, step.text, step.zone) is None


def test_the_other_clauses_refuse_their_cases():
    rules = truth().rules
    zones, full = SlitherZones(rules), rules.grid.full
    every = full | full << rules.grid.length
    with pytest.raises(Refused, match="has to pass"):
        zones.or_node(
            0, rules.position("OOX/OXX/XX. b"), "pass", Child("OOX/OXX/XX. w", every), every
        )
    middle = rules.position("X../.X./... b relocated")
    mine = rules.grid.points("A1,B1,C1,A2,B2,C2,B3,C3")
    with pytest.raises(Refused, match="in a window that breaks"):
        zones.or_node(
            0,
            middle,
            "A2",
            Child("X../XX./... w", full << rules.grid.length),
            mine | full << rules.grid.length,
        )
    corner = rules.grid.points("A1,B1,A2")
    turns = {turn.name for turn in zones.turns(0, rules.position(".../.../O.. w"), 0, corner)}
    assert turns == {"", "A1-A2", "A1-B1", "A1-elsewhere", "elsewhere-A2", "elsewhere-B1"}
