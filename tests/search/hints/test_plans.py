"""Monte-Carlo searches with plans: initial numbers, values, null move first, no random games."""

from __future__ import annotations

import dataclasses

import numba
import numpy as np
import pytest

from jaxsolve.evaluate.layout import NONE as ABSENT
from jaxsolve.formats import problems
from jaxsolve.games import make
from jaxsolve.proof.check import check
from jaxsolve.search import METHODS, Claim, Limits, Settings, Verdict, solve
from jaxsolve.search.methods.mcts import selection
from jaxsolve.search.methods.mcts.ranks import RANK, A, B, begin_edge, update_edge
from jaxsolve.search.methods.pns.numbers import HARDER
from jaxsolve.search.run.job import Job
from jaxsolve.search.run.options import RunOptions
from jaxsolve.search.run.pool import run_jobs
from jaxsolve.search.tree.tree import (
    ACTION,
    BIG,
    DROPPED_FLAG,
    FORCED_BIT,
    INF,
    NODES,
    NONE,
    PLANNED_FLAG,
    SOLVED_FLAG,
)
from support.networks import random_network


@numba.njit
def choose(tree, node, question, exploring):
    return selection.choose(tree, node, question, exploring)


@numba.njit
def begin(tree, node):
    """Makes a node's next move an edge; returns its numbers until it is evaluated."""
    at = begin_edge(tree, node)
    at += np.int64(tree.nodes[node].edges)
    return tree.extra[at, A], tree.extra[at, B]


@numba.njit
def take(tree, node, number, question):
    return update_edge(tree, node, np.int64(number), question)


@pytest.fixture(scope="module")
def life():
    (problem,) = problems.load("quickstart.json", ids=["go-life"])
    return problem


def grown(problem, method, nodes=250, **changes):
    """A search in progress."""
    job = Job(
        problem.game,
        problem.state,
        claims=problem.claim,
        options=RunOptions(settings=Settings(method, Limits(nodes=nodes), check=False, **changes)),
    )
    run_jobs([job])
    assert job.search.verdict is None
    return job.search


def test_the_root_has_a_plan(life):
    for name in ("mcts", "pnmcts"):
        tree = grown(life, name, nodes=40).tree
        assert tree.nodes[0]["marks"] & PLANNED_FLAG and tree.plans[0].any()
        assert int(tree.lists[tree.nodes[0]["list"]]) & FORCED_BIT  # a move of the plan


def undecided(tree):
    return [
        i
        for i, node in enumerate(tree.nodes[: tree.counters[NODES]])
        if not node["marks"] & (SOLVED_FLAG | DROPPED_FLAG)
    ]


def initial_numbers(node, entry):
    if entry & FORCED_BIT:
        return int(node["forced_a"]), int(node["forced_b"])
    return int(node["first_a"]) * (HARDER + int(node["visited"])) // HARDER, int(node["first_b"])


@pytest.mark.parametrize("wave", [1, 8])
def test_numbers_of_untried_moves_are_those_of_the_plan(life, wave):
    tree, looked_at, apart = grown(life, "pnmcts", wave=wave).tree, 0, 0
    for at in undecided(tree):
        node = tree.nodes[at]
        edges = slice(node["edges"], node["edges"] + node["visited"])
        visits, a, b = (
            tree.visits[edges],
            tree.extra[edges, A].astype(np.int64),
            tree.extra[edges, B].astype(np.int64),
        )
        assert tree.extra[edges, RANK].tolist() == [1 + int((a < one).sum()) for one in a]
        if not node["marks"] & PLANNED_FLAG or (visits["child"] == NONE).any():
            continue
        open_moves = np.isfinite(visits["value"])
        untried = [
            initial_numbers(node, entry)
            for entry in tree.lists[node["list"] + node["visited"] : node["list"] + node["moves"]]
        ]
        phi = min([int(x) for x in a[open_moves]] + [one[0] for one in untried[:1]])
        delta = min(int(b[open_moves].sum()) + sum(one[1] for one in untried), BIG)
        assert (node["pn"], node["dn"]) == (
            (phi, delta) if node["mover"] == life.claim.player else (delta, phi)
        )
        assert set(a[~open_moves].tolist()) <= {0, INF}
        looked_at += 1
        apart += len({one[0] for one in untried}) > 1 or phi > 1
    assert looked_at > 50 and apart > 20


def test_numbers_are_recomputed_wherever_untried_moves_get_harder(life):
    """Also if the child's numbers are unchanged; a move in flight keeps its initial numbers."""
    search = grown(life, "pnmcts", wave=1)
    tree, begun, summed = search.tree, 0, 0
    for at in undecided(tree):
        node = tree.nodes[at]
        edges = tree.visits[node["edges"] : node["edges"] + node["visited"]]
        known = np.flatnonzero(np.isfinite(edges["value"]) & (edges["child"] >= 0))
        if (
            not node["marks"] & PLANNED_FLAG
            or node["visited"] >= node["moves"] - 1
            or not len(known)
        ):
            continue
        take(tree, at, known[0], search.work.claim)
        delta = "dn" if node["mover"] == life.claim.player else "pn"
        before, untried = int(node[delta]), int(node["moves"] - node["visited"] - node["forced"])
        node["first_b"] += 1
        take(tree, at, known[0], search.work.claim)
        assert int(node[delta]) == min(before + untried, BIG)
        summed += untried > 0
        edge = node["edges"] + known[0]
        kept = (
            int(tree.nodes[tree.visits[edge]["child"]]["pn"]),
            int(tree.nodes[tree.visits[edge]["child"]]["dn"]),
        )
        child = tree.nodes[tree.visits[edge]["child"]]
        child["pn"] = child["dn"] = BIG
        take(tree, at, known[0], search.work.claim)
        assert int(node[delta]) == BIG  # sums are capped
        child["pn"], child["dn"] = kept
        expected = initial_numbers(node, tree.lists[node["list"] + node["visited"]])
        assert begin(tree, at) == expected
        begun += expected[1] > 1
    assert summed > 10 and begun > 0


@pytest.mark.parametrize("name", ["mcts", "pnmcts"])
def test_the_opponents_moves_wait_for_its_pass(life, name):
    method = dataclasses.replace(METHODS[name], patience=20, playouts=0)
    search = grown(life, method, wave=1)
    tree, null, waiting, patient, in_flight, at_the_edge = (
        search.tree,
        int(search.tree.zoning.null[0]),
        0,
        0,
        0,
        0,
    )
    for at in undecided(tree):
        node = tree.nodes[at]
        headed = (
            node["marks"] & PLANNED_FLAG
            and int(tree.lists[node["list"]]) & 0xFFFF == null | FORCED_BIT
        )
        edge = tree.visits[node["edges"]] if node["visited"] else None
        if not headed:
            continue
        assert node["mover"] != life.claim.player
        if edge is None or (np.isfinite(edge["value"]) and edge["visits"] < method.patience):
            assert node["visited"] <= 1
            assert int(choose(tree, at, search.work.claim, method._exploring)) == 0
            waiting += 1
            if edge is not None:
                assert edge["action"] & ACTION == null
                child = int(edge["child"])
                # While it is in flight no other move is taken.
                edge["child"], edge["busy"] = (
                    NONE,
                    1,
                )
                assert int(choose(tree, at, search.work.claim, method._exploring)) == NONE
                edge["child"], edge["busy"] = child, 0
                in_flight += 1
        elif np.isfinite(edge["value"]):
            patient += 1
        if edge is not None and np.isfinite(edge["value"]) and node["moves"] > node["visited"]:
            kept = int(edge["visits"]), int(edge["busy"])
            for visits, busy, waits in (
                (19, 0, True),
                (20, 0, False),
                (10, 9, True),
                (10, 10, False),
            ):
                edge["visits"], edge["busy"] = visits, busy
                assert (int(choose(tree, at, search.work.claim, method._exploring)) == 0) is waits
            edge["visits"], edge["busy"] = kept
            at_the_edge += 1
    assert waiting > 10 and patient > 0 and in_flight > 5 and at_the_edge > 5


def test_a_plan_is_the_value_of_a_position(life):
    """The fewer moves to the goal the higher, between 1 and -1 for the or-player."""
    tree, seen = grown(life, "mcts").tree, {}
    for at in undecided(tree)[1:]:  # except the root
        node = tree.nodes[at]
        if node["marks"] & PLANNED_FLAG:
            moves = sum(int(word).bit_count() for word in tree.plans[at]) or 9
            seen.setdefault(moves, set()).add(float(node["estimate"]))
        else:
            assert node["estimate"] == 0.0
    assert len(seen) > 3
    assert seen == {moves: {float(np.float32(1 - 2 * min(moves, 9) / 9))} for moves in seen}


def test_random_games_are_played_only_without_plans(life):
    def job(method, **changes):
        return Job(
            life.game,
            life.state,
            claims=life.claim,
            options=RunOptions(settings=Settings(method, Limits(nodes=1), check=False, **changes)),
        )

    planned, plain, own = job("mcts"), job("mcts", zones=False), job(METHODS["mcts"])
    assert planned.method.playouts == 0 and planned.evaluator.layout.offsets.value == ABSENT
    # A method given as an object is unchanged.
    assert (
        plain.method.playouts == own.method.playouts == 1
        and plain.evaluator.layout.offsets.value != ABSENT
    )
    game = make("hex-4")
    assert (
        Job(
            game,
            game.init(),
            options=RunOptions(settings=Settings("mcts", Limits(nodes=1), check=False)),
        ).method.playouts
        == 1
    )


@pytest.mark.short("pnmcts")
@pytest.mark.parametrize("name", ["mcts", "pnmcts"])
def test_plans_make_proofs_short_and_change_no_answer(life, name, tmp_path):
    nodes = []
    for step in (8.0, 0.0):
        method = dataclasses.replace(METHODS[name], step=step, playouts=0)
        found = solve(
            life.game,
            life.state,
            claim=life.claim,
            settings=Settings(method, Limits(nodes=400_000)),
            out=tmp_path / str(step),
        )
        assert found.verdict is Verdict.PROVED and found.checked
        assert check(found.certificate).accepted
        nodes.append(found.nodes)
    assert 10 * nodes[0] < nodes[1]


@pytest.mark.parametrize("name", ["mcts", "pnmcts"])
def test_with_a_network_nothing_is_planned(name):
    """The network's values and order stay, also in games with plans."""
    game = make("killallgo-7;ko=simple")
    heads = random_network(game, "cost").heads(game)
    job = Job(
        game,
        game.init(),
        claims=Claim(1),
        options=RunOptions(
            settings=Settings(name, Limits(nodes=40), heads=heads, check=False, wave=1)
        ),
    )
    assert job.method == METHODS[name].guided(heads) and job.method.selection == "puct"
    run_jobs([job])
    tree = job.search.tree
    assert len(undecided(tree)) > 20
    for node in tree.nodes[undecided(tree)]:
        assert not node["marks"] & PLANNED_FLAG
        assert not (
            tree.lists[node["list"] : node["list"] + node["moves"]] & FORCED_BIT
        ).any()  # and no null move is listed first
