"""Fixed memory: eviction neither loses nor falsifies an answer."""

from __future__ import annotations

import pytest

from jaxsolve.evaluate import shared_evaluator
from jaxsolve.search import Claim, Limits, Settings, Verdict, solve
from jaxsolve.search.run.job import Job
from jaxsolve.search.run.options import RunOptions
from jaxsolve.search.run.pool import run_jobs
from jaxsolve.search.tree.tree import DROPPED_FLAG, EVICTED, LIVE, NODES, NONE
from support import search as search_tools
from support.oracles import minimax
from support.plain_hex import make
from support.search import LONG, Setting, run


@pytest.mark.short(2)
@pytest.mark.parametrize("method", search_tools.NAMES)
def test_a_tiny_table_changes_no_answer(method, tmp_path):
    game = make("hex-4")
    oracle, evaluator = minimax.DepthFirst(game), shared_evaluator(game, zones=False)
    evicted = 0
    for number, text in zip(
        range(20 if LONG else 1), minimax.random_positions(game, range(3, 5), 9), strict=False
    ):
        setting = Setting(method, (1, 4, 32)[number % 3], 256, number)
        right = minimax.expected(oracle.holds(text, Claim(0)))
        got = run(game, game.parse(text), Claim(0), setting, tmp_path, 200_000, evaluator=evaluator)
        assert got.verdict is right, (text, setting)
        evicted += got.evicted
    assert evicted > 0


@pytest.mark.short("dfpn")
@pytest.mark.parametrize("method", search_tools.NAMES)
def test_zones_survive_eviction(method, tmp_path):
    """Positions evicted and decided again, perhaps on other zones, still make one proof."""
    game, evicted = make("hex-5"), 0
    for number, text in zip(
        range(12 if LONG else 1), minimax.random_positions(game, range(1, 4), 9), strict=False
    ):
        right = solve(game, game.parse(text), claim=Claim(0)).verdict
        assert right is not Verdict.UNKNOWN
        got = run(
            game,
            game.parse(text),
            Claim(0),
            Setting(method, (1, 4, 32)[number % 3], 128, number),
            tmp_path,
            100_000,
        )
        assert got.verdict is right, text
        evicted += got.evicted
    assert evicted > 0


@pytest.mark.parametrize("method", ["dfpn", "mcts"])
def test_the_table_stays_within_its_bound_and_its_counters_are_right(method):
    game = make("hex-6")
    job = Job(
        game,
        game.init(),
        claims=Claim(1),
        options=RunOptions(settings=Settings(method, Limits(nodes=3000), max_nodes=256)),
    )
    run_jobs([job])
    tree = job.search.tree
    assert len(tree.nodes) == 256 and tree.counters[EVICTED] > 0
    used = tree.nodes[: tree.counters[NODES]]
    live = used["marks"] & DROPPED_FLAG == 0
    assert live.sum() == tree.counters[LIVE]
    assert sorted(tree.slots[tree.slots != NONE]) == live.nonzero()[0].tolist()


@pytest.mark.short(2)
@pytest.mark.parametrize(
    ("method", "max_nodes"), search_tools.in_turn(search_tools.NAMES, [1, 4, 16, None])
)
def test_too_little_memory_ends_with_a_reason(method, max_nodes):
    """Down to a table of one entry and a memory limit of 0: an unknown answer with its reason, no
    crash.
    """
    game = make("hex-6")
    result = solve(
        game,
        game.init(),
        method=method,
        limits=Limits(nodes=1000),
        max_nodes=max_nodes,
        memory_mb=2048 if max_nodes else 0,
    )
    assert result.verdict is Verdict.UNKNOWN and result.reason.endswith(".")
    assert max_nodes != 1 or result.reason == "The table limit of 1 cannot hold the search."
