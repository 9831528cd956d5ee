"""Limits and effort: no limit is passed, and each second is counted once."""

from __future__ import annotations

import threading
import time
from concurrent.futures import ThreadPoolExecutor

import pytest

from jaxsolve.core.process import cpu_seconds
from jaxsolve.evaluate import Evaluator
from jaxsolve.jit import compile_clock
from jaxsolve.question import Problem
from jaxsolve.search import Claim, Limits, Settings, Verdict, solve, solve_pool, solve_value
from jaxsolve.search.run.effort import Stopwatch
from jaxsolve.search.run.job import Job
from jaxsolve.search.run.options import RunOptions
from jaxsolve.search.run.pool import Pool
from support.plain_hex import make
from support.search import NAMES, in_turn


# ---- limits --------------------------------------------------------------------------------------
@pytest.mark.short(2)
@pytest.mark.parametrize(
    ("method", "rule_set"), in_turn(NAMES, ["hex-6", "go-3;ko=simple;komi=2.5"])
)
def test_limits_are_never_passed(method, rule_set):
    """Not by one position, however wide the waves; nor by a job among others."""
    game = make(rule_set)
    for limit, wave, flights in ((1, 64, 2), (50, None, 2), (50, 7, 5), (200, 64, 1)):
        settings = Settings(
            method, wave=wave, flights=flights, max_nodes=64 if limit == 200 else None
        )
        result = solve(game, game.init(), settings=settings, limits=Limits(nodes=limit))
        assert result.nodes <= limit and result.verdict is Verdict.UNKNOWN
        assert (
            result.reason
            == f"The limit of {limit} {'node' if limit == 1 else 'nodes'} was reached."
            and (result.nodes == limit or method == "mcts")
        )
        result = solve(game, game.init(), settings=settings, limits=Limits(evaluations=limit))
        assert result.evaluations == limit and result.reason == Limits(evaluations=limit).reached(
            "evaluations"
        )
    problems = [Problem(str(i), game, game.init(), Claim(i % 2)) for i in range(4)]
    for limits in (Limits(nodes=50), Limits(evaluations=50)):
        for _, result in solve_pool(problems, pool=3, method=method, limits=limits):
            assert result.verdict is Verdict.UNKNOWN and result.nodes <= 50
            assert limits.evaluations is None or result.evaluations <= 50


def test_limits_of_seconds_end_a_search():
    game = make("hex-6")
    for limits, sentence in (
        (Limits(wall_seconds=0.3), "0.3 seconds of wall time"),
        (Limits(cpu_seconds=0.3), "0.3 CPU seconds"),
    ):
        result = solve(game, game.init(), claim=Claim(1), limits=limits)
        assert (
            result.verdict is Verdict.UNKNOWN
            and result.reason == f"The limit of {sentence} was reached."
        )
    assert result.cpu_seconds >= 0.3


# ---- effort --------------------------------------------------------------------------------------
def test_cpu_seconds_of_pooled_jobs_sum_to_at_most_those_of_the_process():
    """Compilation is counted apart."""
    game = make("hex-5")
    before = cpu_seconds()
    evaluator = Evaluator(
        game, max_playout=1999
    )  # settings of its own: what another test has compiled would cost it nothing
    jobs = [
        Job(
            game,
            game.init(),
            options=RunOptions(
                settings=Settings(limits=Limits(nodes=300 + 100 * i), seed=i), evaluator=evaluator
            ),
        )
        for i in range(4)
    ]
    pool = Pool(evaluator, 2)
    for job in jobs:
        pool.submit(job)
    while pool.poll():
        pass
    pool.drain()
    used = cpu_seconds() - before
    results = [job.finish()[0] for job in jobs]
    for job in jobs:
        job.close()
    charged, compiled = (
        sum(job.cpu_seconds for job in jobs),
        sum(result.compile_seconds for result in results),
    )
    assert compiled >= evaluator.compile_seconds > 0
    assert all(job.cpu_seconds > 0 for job in jobs)
    assert charged + compiled <= used
    assert charged < used - evaluator.compile_seconds


def test_a_wait_for_compilation_is_no_wall_time_of_a_search():
    """On a busy machine, compilation takes many more wall seconds than CPU seconds."""
    watch = Stopwatch()
    with watch.compiling():
        time.sleep(0.5)
    assert watch.wall_seconds < 0.5
    lock = threading.RLock()
    with watch.searching(), compile_clock.measured(lock), compile_clock.measured(lock):
        time.sleep(0.5)  # the inner block is not counted twice
    assert watch.wall_seconds < 0.5
    with ThreadPoolExecutor(1) as threads:
        elsewhere = threads.submit(compile_clock.read).result()
        assert elsewhere.wall_seconds == 0 < compile_clock.read().wall_seconds


def test_effort_of_two_claims_is_counted_once():
    game = make("gomoku-3;line=3;win=five-or-more;knowledge=ndk")
    before = cpu_seconds()
    value = solve_value(game, game.init(), wave=1)
    used = cpu_seconds() - before
    assert len(value.results) == 2
    spent = sum(
        result.cpu_seconds + result.compile_seconds + result.certificate_seconds
        for result in value.results
    )
    assert 0 < spent <= used
