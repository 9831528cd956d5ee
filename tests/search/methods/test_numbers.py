"""A node's numbers follow from its edges, or the node is marked stale, for ``propagate``."""

from __future__ import annotations

import random

import numpy as np
import pytest

from jaxsolve import games
from jaxsolve.jit.host import compiled
from jaxsolve.search import METHODS, Claim, Limits, Settings
from jaxsolve.search.methods.pns.numbers import rank
from jaxsolve.search.methods.pns.weights import Weights
from jaxsolve.search.run.job import Job
from jaxsolve.search.run.options import RunOptions
from jaxsolve.search.run.pool import Pool, run_jobs
from jaxsolve.search.tree.eviction import compact, evict
from jaxsolve.search.tree.tree import (
    DROPPED_FLAG,
    LIVE,
    NODES,
    RANKED,
    SOLVED_FLAG,
    STALE_FLAG,
)
from support.plain_hex import make

QUESTIONS = [
    ("tsumego-3;goal=kill;defender=white;crucial=B2", "XXO/.O./OOX b", Claim(0)),
    ("go-3;komi=1", ".../.../... b", Claim(0)),
    ("hex-5", "...../...../...../...../..... b", Claim(1)),
    ("hex-7", "......./......./......./......./......X/......./....... w", Claim(1)),
    ("gomoku-5;line=4;win=five-or-more;knowledge=4t", "...../...../...../...../..... b", Claim(0)),
]


@compiled
def ranked(tree, node, weights: Weights):
    """(phi, delta) of a node recomputed from its edges."""
    phi, delta, _, _, _ = rank(tree, node, weights)
    return phi, delta


@pytest.mark.short(6)
@pytest.mark.parametrize("method", ["pns", "dfpn", "fdfpn", "rzs"])
@pytest.mark.parametrize(("rule_set", "text", "claim"), QUESTIONS)
def test_numbers_follow_from_edges_or_are_marked(rule_set, text, claim, method):
    # 7x7 is played with connections: its rows list the best moves.
    game = games.make(rule_set) if rule_set == "hex-7" else make(rule_set)
    rng, checked = random.Random(method), 0
    for wave, max_nodes in ((1, None), (16, 128)):
        settings = Settings(
            METHODS[method], Limits(nodes=1200), wave=wave, max_nodes=max_nodes, flights=2
        )
        job = Job(game, game.parse(text), claims=claim, options=RunOptions(settings=settings))
        first = job.search.method
        paths, depth = job.search.work.paths.nodes.shape
        # As short as possible: descents then stop half-way, for the log to be emptied.
        log = job.search.work.log
        job.search.work = job.search.work._replace(
            log=log._replace(moves=log.moves[: depth + paths + 4])
        )
        pool = Pool(job.evaluator, 2)
        pool.submit(job)
        while pool.poll():
            if job.search.method is not first:
                break  # edges then hold numbers of two methods
            if rng.random() < 0.9 or job.search.verdict is not None:
                continue
            tree, weights = job.search.tree, job.search.method.weights
            if rng.random() < 0.1:
                evict(tree, max(1, int(tree.counters[LIVE]) * 3 // 4))
                compact(tree)
            used = tree.nodes[: tree.counters[NODES]]
            for node in np.flatnonzero(used["marks"] & (DROPPED_FLAG | SOLVED_FLAG) == 0):
                if used["marks"][node] & STALE_FLAG:
                    continue
                kept = used["pn"][node], used["dn"][node]
                assert ranked(tree, int(node), weights) == (
                    kept if used["mover"][node] == claim.player else kept[::-1]
                )
                checked += 1
        job.close()
    assert checked > 500


@pytest.mark.short(2)
def test_branching_counts_where_rows_list_the_best_moves():
    """Delta counts the undecided moves but one; moves that follow many visited ones are harder."""
    game = games.make("hex-7")
    settings = Settings(METHODS["dfpn"], Limits(nodes=1500), wave=1)
    text = "......./......./......./......./......X/......./....... w"
    job = Job(game, game.parse(text), claims=Claim(1), options=RunOptions(settings=settings))
    run_jobs([job])
    tree, sizes, later = job.search.tree, set(), 0
    assert tree.counters[RANKED] == 1
    for node in tree.nodes[: tree.counters[NODES]]:
        if node["marks"] & (DROPPED_FLAG | SOLVED_FLAG | STALE_FLAG):
            continue
        edges = tree.edges[node["edges"] : node["edges"] + node["visited"]]
        edges = edges[(edges["a"] != 0) & (edges["b"] != 0)]
        untried = int(node["moves"] - node["visited"])
        a, b = edges["a"].tolist(), edges["b"].tolist() + [int(node["first_b"])] * untried
        if untried:
            a.append(int(node["first_a"]) + int(node["visited"]) // 2)
            later += node["visited"] > 1
        numbers = min(a), sum(b) + len(b) - 1
        assert (node["pn"], node["dn"]) == (numbers if node["mover"] == 1 else numbers[::-1])
        sizes.add(len(b))
    assert len(sizes) > 10 and later > 20
