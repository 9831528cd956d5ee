"""Laws of ``commands.resumption``: a row is searched again if, and only if, its limit is larger."""

from __future__ import annotations

import json

import pytest

from jaxsolve import search
from jaxsolve.commands import answer
from jaxsolve.commands.resumption import can_continue, is_final
from jaxsolve.games import make
from jaxsolve.question import Problem, default_claim
from jaxsolve.search.run import effort
from jaxsolve.search.settings import LIMIT_NAMES, Limits, Settings, proof_seconds

ROW = {
    "verdict": "unknown",
    "reason": "Whatever it says: the limit of 5 nodes was reached.",
    "nodes": 100,
    "evaluations": 90,
    "cpu_seconds": 1.3,
    "wall_seconds": 2.1,
}


def stopped(by, at):
    return ROW | {"stopped_by": by, "stopped_at": at}


@pytest.mark.parametrize(
    ("by", "at", "same", "wider"),
    [
        ("nodes", 100, Settings(limits=Limits(nodes=100)), Settings(limits=Limits(nodes=101))),
        ("evaluations", 90, Settings(limits=Limits(evaluations=90)), Settings()),
        ("cpu_seconds", 1.25, Settings(limits=Limits(1.25)), Settings(limits=Limits(2.0))),
        ("wall_seconds", 2.0, Settings(limits=Limits(None, 2.0)), Settings(limits=Limits(5.0))),
        # The effort so far must be within the other limits.
        (
            "nodes",
            100,
            Settings(limits=Limits(0.5, nodes=200)),
            Settings(limits=Limits(3.0, nodes=200)),
        ),
        ("memory_mb", 64, Settings(memory_mb=64), Settings(memory_mb=65)),
        ("max_nodes", 5, Settings(max_nodes=5), Settings(max_nodes=6)),
        # Collecting a proof has at least 10 seconds.
        (
            "proof_seconds",
            10.0,
            Settings(limits=Limits(None, 5.0)),
            Settings(limits=Limits(None, 20.0)),
        ),
    ],
)
def test_a_row_is_searched_again_if_the_limit_that_stopped_it_is_larger(by, at, same, wider):
    row = stopped(by, at)
    assert not can_continue(row, same) and can_continue(row, wider)
    assert is_final(row, same) and not is_final(row, wider)
    assert not is_final(row | {"unsaved": "The proof could not be written."}, same)
    assert is_final(row | {"verdict": "proved"}, wider)
    assert is_final(stopped(None, None), wider)  # another cause than a limit


def test_the_sum_of_parts_of_a_limit_is_no_larger_limit():
    limit = 0.3
    part = 0.1 + 0.2 - 1e-12  # as of a search that had the rest of the limit
    assert part < limit and is_final(
        stopped("cpu_seconds", part) | {"cpu_seconds": 0.2, "wall_seconds": 0.2},
        Settings(limits=Limits(cpu_seconds=limit)),
    )


def test_an_unknown_row_of_an_earlier_version_is_searched_again():
    assert not is_final(ROW, Settings(limits=Limits(nodes=1)))
    assert is_final(ROW | {"verdict": "disproved"}, Settings())


def test_a_proof_has_the_limit_of_cpu_or_of_wall_seconds():
    found = [proof_seconds(Limits(*each)) for each in ((20, 30), (None, 30), (5, 30), (None, None))]
    assert found == [20, 30, 10, None]


@pytest.mark.parametrize("limit", LIMIT_NAMES)
def test_a_search_reports_the_limit_that_stopped_it_in_its_row(limit):
    game, value = make("hex-6"), 1 if limit in ("nodes", "evaluations") else 0.00123456
    settings = Settings(limits=Limits(**{limit: value}))
    result = search.solve(game, game.init(), settings=settings)
    assert (result.stopped_by, result.stopped_at) == (limit, value)
    assert result.reason == settings.limits.reached(limit)
    problem = Problem("one", game, game.init(), default_claim(game, game.init()))
    row = json.loads(json.dumps(answer.fields(problem, result)))
    assert row["stopped_at"] == value  # not rounded
    assert is_final(row, settings) and not is_final(row, Settings())
    assert not is_final(row, Settings(limits=Limits(**{limit: 2 * value})))


def test_a_search_that_does_not_fit_in_memory_reports_this_limit():
    stop = effort.memory_full(Settings(memory_mb=5))
    assert (stop.by, stop.at) == ("memory_mb", 5) and "memory limit of 5 MB" in stop.reason
    game, most = make("hex-6"), Settings(max_nodes=1, limits=Limits(nodes=1000))
    result = search.solve(game, game.init(), settings=most)
    assert (result.stopped_by, result.stopped_at) == ("max_nodes", 1), result.reason


def test_an_answer_reports_no_limit():
    game = make("hex-2")
    result = search.solve(game, game.init(), settings=Settings(limits=Limits(nodes=10_000)))
    assert result.verdict.value == "proved" and result.stopped_by is result.stopped_at is None
