"""Each condition of Go zones is necessary.

Without it the checker accepts an unsound step.
"""

from __future__ import annotations

import inspect
import random

import pytest

from jaxsolve.proof.check.games.go.rules import Go
from jaxsolve.proof.check.games.go.zones import GoZones
from support.proofs import go_zone_steps as steps
from support.proofs.go_zone_clauses import CLAUSES, IMPLIED
from support.proofs.go_zone_lies import CONDITIONS, rules
from support.proofs.weaker import weakened, without


def needed(step: steps.Step, weaker: type[GoZones]) -> bool:
    """Whether only the weaker checker accepts a step that is unsound."""
    return not steps.accepts(step) and steps.accepts(step, weaker) and steps.broken(step)


@pytest.mark.parametrize("name", CONDITIONS)
def test_each_condition_is_necessary(name):
    assert needed(CONDITIONS[name], without(GoZones, name, [] if name == "unanswered" else True))


@pytest.mark.parametrize("clause", CLAUSES)
def test_each_clause_is_necessary(clause):
    old, new, step = CLAUSES[clause]
    assert needed(step, weakened(GoZones, old, new))


def test_every_condition_has_a_test():
    """A condition added to the checker requires a step here."""
    methods = {
        name
        for name, value in vars(GoZones).items()
        if inspect.isfunction(value) and value.__annotations__.get("return") == "bool"
    }
    assert methods - {"covers", "no_pass_before"} == set(CONDITIONS) - {"unanswered"}


def test_clauses_that_follow_from_others_admit_no_unsound_step():
    rng, more = random.Random(9), 0
    draws = [steps.random_or, steps.random_must_play, steps.random_must_play]
    for _ in range(2500):
        options = {
            name: rng.choice(values)
            for name, values in (
                ("fill_eyes", ("true", "false")),
                ("ko_black", ("allow", "forbid")),
            )
        }
        step = rng.choice(draws)(rng, rules("white", "any", "all", **options), rng.randrange(2), 4)
        if step is not None and not steps.accepts(step):
            for clause in IMPLIED.values():
                if steps.accepts(step, weakened(GoZones, *clause)):
                    more += 1
                    assert not steps.broken(step), (clause, step)
    assert more > 10


def test_no_position_covers_the_forced_opening():
    """In the opening White must pass, and Black may not."""
    rules_of_seven = Go("killallgo-7;ko=simple;passes=stones;fill_eyes=true")
    board = "/".join(["......."] * 6 + ["X......"])
    opening, later = (
        rules_of_seven.position(f"{board} w ply=1"),
        rules_of_seven.position(f"{board} w"),
    )
    for claimant in (0, 1):
        assert rules_of_seven.written.covers(claimant, later, later, 1)
        assert not rules_of_seven.written.covers(claimant, opening, later, 1)
        assert not rules_of_seven.written.covers(claimant, later, opening, 1)
