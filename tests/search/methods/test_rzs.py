"""Depth-first search with relevance zones agrees with minimax and retrograde analysis."""

from __future__ import annotations

import dataclasses
import itertools
import random
from collections import Counter

import numpy as np
import pytest

from jaxsolve.evaluate import shared_evaluator
from jaxsolve.search import METHODS, Claim, Limits, Settings, Verdict
from jaxsolve.search.methods.rzs import RelevanceZone
from jaxsolve.search.run.job import Job
from jaxsolve.search.run.options import RunOptions
from jaxsolve.search.run.pool import Pool, run_jobs
from jaxsolve.search.tree.paths import Paths
from support.go_questions import position, task
from support.oracles import minimax
from support.plain_hex import make
from support.search import LONG, Setting, accepted, claims, run

RZS = METHODS["rzs"]


def own(game, state, claim, folder, **options):
    """(result, whether it ended without a fallback) of one search; its certificate is checked."""
    job = Job(
        game,
        state,
        claims=claim,
        options=RunOptions(
            settings=Settings(RZS, **options), evaluator=shared_evaluator(game), out=folder
        ),
    )
    run_jobs([job])
    itself = isinstance(job.search.method, RelevanceZone)
    (result,) = job.finish()
    job.close()
    if result.verdict is not Verdict.UNKNOWN:
        accepted(game, state, claim, result)
    return result, itself


def test_random_life_problems_are_answered_as_by_retrograde_analysis(tmp_path):
    """Where only repetition could decide, the fallback leaves the answer open."""
    rng, seen, alone = random.Random(22), Counter(), 0
    # Each has a rule set of its own, whose compilation takes longer than the search.
    while sum(seen.values()) < (2000 if LONG else 24):
        game = task(rng, 4, "true")
        state = position(rng, game)
        if state is None:
            continue
        try:
            graph = minimax.Graph(game, [np.asarray(game.pack(state))], 4_000)
        except minimax.TooLarge:
            continue
        for claim in claims(game):
            forced, prevented = (
                bool(graph.forced(claim)[0]),
                bool(graph.forced(claim.opposite(False))[0]),
            )
            right = (
                Verdict.PROVED if forced else Verdict.DISPROVED if prevented else Verdict.UNKNOWN
            )
            number = sum(seen.values())
            result, itself = own(
                game,
                state,
                claim,
                tmp_path / f"{number}",
                wave=(1, 8)[number % 2],
                max_nodes=(None, None, 64)[number % 3],
            )
            assert result.verdict is right, (game.rule_set, game.text(state), claim, number)
            seen[right] += 1
            alone += itself and right is not Verdict.UNKNOWN
    assert min(seen[Verdict.PROVED], seen[Verdict.DISPROVED]) > 5, seen
    assert 4 * alone > 3 * (seen[Verdict.PROVED] + seen[Verdict.DISPROVED]), (alone, seen)


@pytest.mark.parametrize(
    ("rule_set", "plies"),
    [("hex-4", range(3, 6)), ("gomoku-3;line=3;win=five-or-more;knowledge=ndk", range(2, 6))],
)
def test_games_without_repetition_are_decided_without_a_fallback(rule_set, plies, tmp_path):
    """Each iteration has a larger budget, so in the end everything is searched."""
    game = make(rule_set)
    oracle, asked, nodes = minimax.DepthFirst(game), itertools.cycle(claims(game)), 0
    for number, text in enumerate(
        itertools.islice(minimax.random_positions(game, plies, 7), 60 if LONG else 8)
    ):
        claim = next(asked)
        result, itself = own(
            game, game.parse(text), claim, tmp_path / f"{number}", wave=(1, 8)[number % 2]
        )
        assert result.verdict is minimax.expected(oracle.holds(text, claim)) and itself, (
            text,
            claim,
        )
        nodes += result.nodes
    assert nodes > 50  # not all are decided by their row


def test_one_path_searches_depth_first():
    """A path stays below a move until it is decided or its budget is spent, once an iteration."""
    game = make("hex-4")
    method = dataclasses.replace(RZS, wave=1)
    job = Job(
        game,
        game.init(),
        claims=Claim(1),
        options=RunOptions(
            settings=Settings(method, Limits(nodes=1500), flights=1),
            evaluator=shared_evaluator(game, zones=False),
        ),
    )
    pool, lines, begun = Pool(job.evaluator, 1), [], []
    pool.submit(job)
    while pool.poll():
        paths: Paths = job.search.work.paths
        depth = int(paths.depth[0])
        lines.append(tuple(paths.edges[0, : depth + 1].tolist()))
        begun.append(int(paths.threshold_a[0, 0]))
        left = paths.threshold_a[0, : depth + 1]
        assert (left[:-1] >= left[1:]).all() and left[-1] >= 0
    job.finish()
    job.close()
    assert max(begun) > 3 and begun == sorted(begun)
    for budget in set(begun):
        iteration = [line for line, at in zip(lines, begun, strict=True) if at == budget]
        roots = [line[0] for line in iteration]
        assert roots == sorted(roots)  # no iteration returns to a move of the root


@pytest.mark.parametrize("max_nodes", [16, 64])
def test_tiny_tables_cost_work_and_no_answer(max_nodes, tmp_path):
    game = make("hex-4")
    oracle, asked = minimax.DepthFirst(game), itertools.cycle(claims(game))
    for number, text in enumerate(
        itertools.islice(minimax.random_positions(game, range(5, 9), max_nodes), 6)
    ):
        claim = next(asked)
        got = run(game, game.parse(text), claim, Setting("rzs", 4, max_nodes, number), tmp_path)
        assert got.verdict is minimax.expected(oracle.holds(text, claim)), (text, claim)


@pytest.mark.full
def test_a_long_descent_is_split_into_calls():
    """Limits and interrupts are checked between calls; the descent continues without a fallback."""
    game = make("hex-6")
    method = dataclasses.replace(RZS, wave=1)
    job = Job(
        game,
        game.init(),
        claims=Claim(1),
        options=RunOptions(settings=Settings(method, flights=1), evaluator=shared_evaluator(game)),
    )
    search = job.search
    while search.expanded < 8000:
        states, actions, count = search.advance(0)
        if count:
            search.absorb(0, job.evaluator(states, actions, 0))
    search.retreat()
    search.tree.extra[:] = 0  # everything is searched again, almost nothing is new
    budget = int(search.work.paths.threshold_a[0, 0])
    search.work.paths.threshold_a[0, 0] = 1
    stops = 0
    while search.work.paths.threshold_a[0, 0] < budget:
        states, actions, count = search.advance(0)
        if count:
            search.absorb(0, job.evaluator(states, actions, 0))
        elif search.work.paths.threshold_a[0, 0] < budget:
            assert search.work.paths.depth[0] > 0
            stops += 1
    job.close()
    assert stops > 1 and search.method is method and search.verdict is None


@pytest.mark.full
def test_unused_paths_do_not_block_the_others():
    """A call may need fewer leaves than there are paths; those below the root delay the next
    iteration.
    """
    game, rng = make("hex-4"), random.Random(3)
    for flights in (1, 2) if LONG else (2,):
        job = Job(
            game,
            game.init(),
            claims=Claim(1),
            options=RunOptions(
                settings=Settings(RZS, flights=flights),
                evaluator=shared_evaluator(game, zones=False),
            ),
        )
        search = job.search
        for _ in range(100_000):
            for flight in range(flights):
                states, actions, count = search.advance(flight, rng.choice((1, 8)))
                if count:
                    search.absorb(flight, job.evaluator(states, actions, 0))
            if search.verdict is not None:
                break
        job.close()
        assert search.verdict is Verdict.DISPROVED and search.method is RZS
