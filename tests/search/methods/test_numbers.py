"""A node's numbers follow from its edges, or the node is marked stale, for ``propagate``."""

from __future__ import annotations

import random

import numpy as np
import pytest

from jaxsolve.jit.host import compiled
from jaxsolve.search import METHODS, Claim, Limits, Settings
from jaxsolve.search.methods.pns.numbers import rank
from jaxsolve.search.methods.pns.weights import Weights
from jaxsolve.search.run.job import Job
from jaxsolve.search.run.options import RunOptions
from jaxsolve.search.run.pool import Pool
from jaxsolve.search.tree.eviction import compact, evict
from jaxsolve.search.tree.tree import DROPPED_FLAG, LIVE, NODES, SOLVED_FLAG, STALE_FLAG
from support.plain_hex import make

QUESTIONS = [
    ("tsumego-3;goal=kill;defender=white;crucial=B2", "XXO/.O./OOX b", Claim(0)),
    ("go-3;komi=1", ".../.../... b", Claim(0)),
    ("hex-5", "...../...../...../...../..... b", Claim(1)),
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
    game, rng, checked = make(rule_set), random.Random(method), 0
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
