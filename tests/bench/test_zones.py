"""Benchmark ``zones``: variants of the search without one part each, and restarts over seeds."""

from __future__ import annotations

import json

import numpy as np
import pytest

from jaxsolve.bench import (
    positions,
    zone_variants,
    zones,
)
from jaxsolve.formats import problems
from jaxsolve.games import make
from jaxsolve.games.zones import LEAF, result_zone
from jaxsolve.search.run.job import Job
from jaxsolve.search.run.options import RunOptions
from jaxsolve.search.run.pool import run_jobs
from jaxsolve.search.settings import Limits, Settings
from jaxsolve.search.tree.patterns import LOOKUPS
from jaxsolve.search.tree.tree import ACTION, NODES, PLANNED_FLAG
from support.cli import bench


@pytest.mark.full
def test_zone_search_without_each_part(tmp_path):
    pytest.importorskip("matplotlib")
    plot = tmp_path / "cactus.png"
    result = bench(
        "zones", "--problems", "quickstart.json:go-life", "--seconds", 5, "--json", "--plot", plot
    )
    assert result.exit_code == 0 and result.stdout.count("\n") == 1
    rows = json.loads(result.stdout)["rows"]
    assert [row["variant"] for row in rows] == [variant.name for variant in zones.VARIANTS] and len(
        rows
    ) == 7
    for row in rows:
        (solved,) = row["results"]
        assert (
            solved["id"] == "go-life"
            and solved["verdict"] == "proved"
            and row["solved"] == row["shared"] == row["both"] == 1
        )
        assert (
            row["nodes"] == solved["nodes"]
            and row["certificate_positions"] == solved["certificate_positions"] > 0
        )
        assert (
            row["nodes_ratio"] == row["both_ratio"] == row["nodes"] / rows[0]["nodes"]
            and 0 < row["cpu_seconds"] < 6
        )
    assert rows[1]["certificate_positions"] > 5 * rows[0]["certificate_positions"]
    assert plot.read_bytes().startswith(b"\x89PNG") and [
        path.name for path in tmp_path.iterdir()
    ] == ["cactus.png"]


def test_only_existing_parts_are_left_out():
    result = bench("zones", "--games", "hex-3", "--seconds", 1)
    assert (
        result.exit_code == 0
        and "everything on" in result.stdout
        and "without zones" in result.stdout
        and "plans" not in result.stdout
    )


def _searched(name):
    """The search without a part after 1,000 nodes of a hard position."""
    variant = next(each for each in zones.VARIANTS if each.name == name)
    (problem,) = problems.load("quickstart.json", ids=["go-life"])
    game, state = problem.game, positions.hard_positions(problem.game)[0]
    settings = Settings(variant.settings.method, Limits(nodes=1000), zones=variant.settings.zones)
    job = Job(game, state, options=RunOptions(settings=settings, evaluator=variant.evaluator(game)))
    try:
        run_jobs([job])
        return job.search
    finally:
        job.close()


def test_a_variant_does_not_use_its_missing_part():
    def figures(name):
        search = _searched(name)
        tree = search.tree
        nodes = tree.nodes[: tree.counters[NODES]]
        null = search.game.num_actions - 1
        opposing = nodes[
            (nodes["mover"] != search.claim.player) & (nodes["visited"] > 0) & (nodes["moves"] > 1)
        ]
        passes = sum(
            int(tree.edges[record["edges"]]["action"]) & ACTION == null for record in opposing
        )
        planned = int((nodes["marks"] & PLANNED_FLAG > 0).sum())
        return (
            tree.zones.shape[1] > 0,
            passes / max(1, len(opposing)),
            int(tree.patterns.counters[LOOKUPS]) > 0,
            planned > 0,
        )

    zoned, passes, looked_up, planned = figures("everything on")
    assert zoned and passes > 0.5 and looked_up and planned
    zoned, _, looked_up, planned = figures("without zones")
    assert not (zoned or looked_up or planned)
    zoned, passes, looked_up, planned = figures("without smallest zones")
    assert zoned and passes > 0.5 and looked_up and planned
    zoned, passes, looked_up, planned = figures("without the null move first")
    assert zoned and passes < 0.1 and looked_up and planned
    zoned, passes, looked_up, planned = figures("without the pattern table")
    assert zoned and passes > 0.5 and not looked_up and planned
    zoned, passes, looked_up, planned = figures("without plans")
    assert zoned and passes > 0.5 and looked_up and not planned


def test_large_zones_hold_the_smallest_ones_and_all_living_chains():
    # Black lives by two of three eyes.
    two = ".X.X.X./XXXXXXX/......./......./......./OO.OO../.O..O.. b"
    game = make("killallgo-7;ko=simple")
    board = two.translate(str.maketrans("XO", "OX"))
    state = np.asarray(game.pack(game.parse(board)))
    small, large = (
        result_zone(variant.evaluator(game).zoning(), LEAF, state, -1, 0)
        for variant in (zones.VARIANTS[0], zones.VARIANTS[2])
    )
    assert zones.VARIANTS[2].name == "without smallest zones"
    rows = [sum(1 << game.size * row + column for column in range(7)) for row in range(7)]
    assert small & ~large == 0 and small != large and large == rows[0] | rows[1]


def test_seeds_compare_searches_with_and_without_restarts(monkeypatch):
    asked = []

    def solve(problem, variant, seconds, seed):
        asked.append((problem.id, variant.name, seed))
        known = variant.name == "everything on" or seed == 1
        return _solved("proved" if known else "unknown", 10 + seed, problem.id)

    monkeypatch.setattr(zones, "solve", solve)
    result = bench("zones", "--seeds", 3, "--json")
    assert result.exit_code == 0, result.output
    rows, names = json.loads(result.stdout)["rows"], ["everything on", "without restarts"]
    problems_asked = list(dict.fromkeys(each[0] for each in asked))
    assert asked == [
        (one, name, seed) for one in problems_asked for seed in range(3) for name in names
    ]
    assert [(row["seed"], row["variant"]) for row in rows] == [
        (seed, name) for seed in ("0", "1", "2", "any", "all") for name in names
    ]
    every = len(problems_asked)
    assert [row["solved"] for row in rows] == [
        every,
        0,
        every,
        every,
        every,
        0,
        every,
        every,
        every,
        0,
    ]
    assert (
        rows[3]["nodes"] == 11 * every
        and rows[1]["nodes"] is None
        and rows[1]["searched"] == 10 * every
    )


def test_a_seed_determines_the_search():
    (problem,) = problems.load("quickstart.json", ids=["go-life"])
    nodes = [zones.solve(problem, zones.VARIANTS[0], 5.0, seed).nodes for seed in (0, 1, 2, 3, 1)]
    assert nodes[1] == nodes[4] and len(set(nodes)) > 1


def test_restarts_leave_the_same_part_out():
    methods = {variant.name: variant.settings.method for variant in zones.VARIANTS}
    assert not methods["without restarts"].configurations.plans
    assert all(form.step == 0.0 for form in methods["without plans"].configurations.plans)
    assert all(
        isinstance(form, zone_variants.NullLast)
        for form in methods["without the null move first"].configurations.plans
    )


def _solved(verdict, nodes, identifier="one"):
    return zones.Solved(identifier, "hex-3", verdict, "", nodes, 0.1, 0.0, 7, False)


def test_only_problems_that_all_variants_solve_are_compared():
    whole = [_solved("proved", 10), _solved("disproved", 20), _solved("unknown", 400)]
    less = [_solved("proved", 30), _solved("disproved", 30), _solved("proved", 50)]
    least = [_solved("unknown", 500), _solved("disproved", 80), _solved("unknown", 500)]
    row = zones._row(less, [whole, less, least])
    assert (row["solved"], row["problems"], row["shared"], row["both"]) == (3, 3, 1, 2)
    assert (row["nodes"], row["nodes_ratio"], row["both_ratio"], row["certificate_positions"]) == (
        30,
        1.5,
        2.0,
        7,
    )
    assert zones._row(least, [whole, least])["both_ratio"] == 4.0
    nothing = zones._row(whole[2:], [whole[2:]])
    assert (
        nothing["nodes"]
        is nothing["nodes_ratio"]
        is nothing["certificate_positions"]
        is nothing["both_ratio"]
        is None
    )


def test_an_interrupted_run_reports_the_problems_that_all_variants_searched(monkeypatch):
    calls = []

    def solve(problem, variant, seconds, seed):
        calls.append(problem)
        if len(calls) == len(zones.VARIANTS) + 3:
            raise KeyboardInterrupt
        return _solved("proved", 10, problem.id)

    monkeypatch.setattr(zones, "solve", solve)
    result = bench("zones", "--json")
    assert result.exit_code == 130
    assert [len(row["results"]) for row in json.loads(result.stdout)["rows"]] == [1] * len(
        zones.VARIANTS
    )


def test_opposite_answers_end_the_run(monkeypatch):
    monkeypatch.setattr(
        zones,
        "solve",
        lambda problem, variant, seconds, seed: _solved(
            "proved" if variant.settings.zones else "disproved", 10
        ),
    )
    result = bench("zones")
    assert (
        result.exit_code == 2
        and result.stderr.count("\n") == 1
        and "opposite answers" in result.stderr
    )
