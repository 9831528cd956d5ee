"""PN-MCTS: ranks and numbers follow their definitions; without its term it is MCTS-solver."""

from __future__ import annotations

import dataclasses

import numba
import numpy as np
import pytest

from jaxsolve.evaluate import Evaluator
from jaxsolve.games.registry import make
from jaxsolve.search import METHODS, Claim, Limits, Settings, Verdict
from jaxsolve.search.methods.mcts import selection
from jaxsolve.search.methods.mcts.ranks import RANK, A, B
from jaxsolve.search.run.job import Job
from jaxsolve.search.run.options import RunOptions
from jaxsolve.search.run.pool import run_jobs
from jaxsolve.search.tree.tree import BIG, DROPPED_FLAG, INF, NODES, NONE, SOLVED_FLAG
from support.oracles import minimax
from support.search import run, settings

PNMCTS = METHODS["pnmcts"]
STARTS = {
    "hex-5": (1, 10),
    "hex-6": (1, 18),
    "hex-7": (1, 12),
    "awari": (0, 30),
}  # or-player, and random plies before the position


@numba.njit
def choose(tree, node, question, exploring):
    return selection.choose(tree, node, question, exploring)


def grown(rule_set, method, nodes=700, zones=False, **changes):
    """A search of a position with wins and losses in reach."""
    game, (player, plies) = make(rule_set), STARTS[rule_set]
    texts = minimax.random_positions(game, range(plies, plies + 1), 1, None)
    start = game.parse(next(texts))
    evaluator = Evaluator(game, playouts=1, zones=zones)
    job = Job(
        game,
        start,
        claims=Claim(player),
        options=RunOptions(
            settings=Settings(method, Limits(nodes=nodes), check=False, **changes),
            evaluator=evaluator,
        ),
    )
    run_jobs([job])
    return job.search


@pytest.mark.short(2)
@pytest.mark.parametrize(
    ("rule_set", "changes"),
    [
        ("hex-5", {"wave": 1}),
        ("hex-6", {"wave": 16}),
        ("awari", {"wave": 4}),
        ("hex-7", {"zones": True, "wave": 4}),
        ("awari", {"max_nodes": 200}),
    ],
)
def test_numbers_and_ranks_follow_from_the_edges(rule_set, changes):
    search = grown(rule_set, PNMCTS, **changes)
    tree, looked_at, apart = search.tree, 0, 0
    for node in tree.nodes[: tree.counters[NODES]]:
        if node["marks"] & (SOLVED_FLAG | DROPPED_FLAG):
            continue
        at = slice(node["edges"], node["edges"] + node["visited"])
        edges, a, b = (
            tree.visits[at],
            tree.extra[at, A].astype(np.int64),
            tree.extra[at, B].astype(np.int64),
        )
        assert tree.extra[at, RANK].tolist() == [1 + int((a < one).sum()) for one in a]
        open_moves, untried = np.isfinite(edges["value"]), int(node["moves"] - node["visited"])
        phi = min([int(x) for x in a[open_moves]] + [1] * (untried > 0))
        delta = min(int(b[open_moves].sum()) + untried, BIG)
        mine = node["mover"] == STARTS[rule_set][0]
        assert (node["pn"], node["dn"]) == ((phi, delta) if mine else (delta, phi))
        assert set(a[~open_moves].tolist()) <= {0, INF}
        looked_at += len(a) > 1
        apart += len(set(a.tolist())) > 1
    least = 20 if "max_nodes" in changes else 10 if "zones" in changes else 50
    assert looked_at > least and apart > (5 if "zones" in changes else 10)


@pytest.mark.parametrize("changes", [{"by_rank": 1.0}, {"by_rank": 0.3, "by_children": True}])
def test_descents_follow_the_formula(changes):
    """Kowalski et al. 2024, equation 2, with virtual losses."""
    method = dataclasses.replace(PNMCTS, **changes)
    search = grown("hex-6", method, wave=1)
    tree, rng, seen = search.tree, np.random.default_rng(0), []
    for number, node in enumerate(tree.nodes[: tree.counters[NODES]]):
        if node["marks"] & (SOLVED_FLAG | DROPPED_FLAG) or node["visited"] != node["moves"]:
            continue
        at = slice(node["edges"], node["edges"] + node["visited"])
        edges, ranks = tree.visits[at], tree.extra[at, RANK].astype(float)
        edges["busy"] = rng.integers(0, 3, len(edges))
        count = edges["visits"] + edges["busy"]
        worth = (
            np.where(np.isfinite(edges["value"]), edges["value"], 0) * edges["visits"]
            - edges["busy"]
        ) / np.maximum(1, count)
        selection = worth + method.exploration * np.sqrt(
            np.log(1 + count.sum()) / np.maximum(1, count)
        )
        score = selection + changes["by_rank"] * (
            1 - ranks / (len(edges) if method.by_children else ranks.max())
        )
        score[
            ~np.isfinite(edges["value"]) | ((edges["child"] == NONE) & (edges["busy"] > 0))
        ] = -np.inf
        chosen = int(choose(tree, number, search.work.claim, method._exploring))
        edges["busy"] = 0
        assert score[chosen] == pytest.approx(score.max(), abs=1e-6)
        seen.append(score[chosen] > score[selection == selection.max()].max() + 1e-6)
    assert len(seen) > 20 and any(seen)  # at some nodes ranks decide


def test_an_edge_holds_the_numbers_of_its_child():
    """Except for children that another path has reached since."""
    search = grown("hex-6", PNMCTS, nodes=500, wave=1)
    tree, same = search.tree, []
    for node in tree.nodes[: tree.counters[NODES]]:
        if node["marks"] & (SOLVED_FLAG | DROPPED_FLAG):
            continue
        for at in range(node["edges"], node["edges"] + node["visited"]):
            if tree.visits[at]["child"] >= 0 and np.isfinite(tree.visits[at]["value"]):
                child = tree.nodes[tree.visits[at]["child"]]
                of_mover = (
                    (child["pn"], child["dn"]) if node["mover"] == 1 else (child["dn"], child["pn"])
                )
                same.append(tuple(tree.extra[at, [A, B]]) == of_mover)
    assert len(same) > 100 and np.mean(same) > 0.9


def test_without_its_term_it_descends_as_mcts():
    """With a weight that rounds to nothing, the same positions are visited as often."""
    seen = []
    for method in (METHODS["mcts"], dataclasses.replace(PNMCTS, by_rank=1e-300), PNMCTS):
        search = grown("hex-6", method, nodes=500, wave=1)
        root = search.tree.nodes[0]
        visits = search.tree.visits[root["edges"] : root["edges"] + root["visited"]]
        seen.append(visits["visits"].tolist())
    assert seen[0] == seen[1] != seen[2]


@pytest.mark.parametrize("by_rank", [0.0, -1.0, float("nan"), float("inf")])
def test_a_weight_of_0_is_refused(by_rank):
    with pytest.raises(ValueError, match="above 0"):
        dataclasses.replace(PNMCTS, by_rank=by_rank)


@pytest.mark.parametrize("name", METHODS)
@pytest.mark.parametrize("value", [-1, float("nan"), float("inf"), "10", None, True, 1 << 70])
def test_settings_out_of_range_are_refused_by_name(name, value):
    method, refused = METHODS[name], 0
    for field in dataclasses.fields(method):
        if isinstance(field.default, int | float) and not isinstance(field.default, bool):
            with pytest.raises(ValueError, match=field.name):
                dataclasses.replace(method, **{field.name: value})
            refused += 1
    assert refused >= 2
    if value is not None and hasattr(method, "epsilon"):
        with pytest.raises(ValueError, match="epsilon"):
            dataclasses.replace(method, epsilon=value)


@pytest.mark.parametrize(
    "changes", [{"by_rank": 1e6}, {"by_children": True}, {"by_rank": 0.1, "selection": "puct"}]
)
def test_however_ranks_weigh_the_verdict_is_right(changes, tmp_path):
    game = make("hex-3")
    evaluator = Evaluator(game, playouts=1)
    for player, right in ((0, Verdict.PROVED), (1, Verdict.DISPROVED)):
        setting = next(settings())._replace(method=dataclasses.replace(PNMCTS, **changes))
        assert (
            run(game, game.init(), Claim(player), setting, tmp_path, evaluator=evaluator).verdict
            is right
        )
