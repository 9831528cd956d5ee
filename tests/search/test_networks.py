"""Searches with networks: outputs guide and never decide; numbers and costs as in the papers."""

from __future__ import annotations

import dataclasses
import itertools
import math

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from jaxsolve.evaluate import Evaluator, HeadOutputs, Heads
from jaxsolve.games.game import HasThreatSearch
from jaxsolve.games.registry import make
from jaxsolve.networks import Architecture, Guide, Network, Value, View, Within
from jaxsolve.question import Problem
from jaxsolve.search import METHODS, Claim, Limits, Settings, Verdict, solve, solve_pool
from jaxsolve.search.run.job import Job
from jaxsolve.search.run.options import RunOptions
from jaxsolve.search.run.pool import run_jobs
from jaxsolve.search.tree.expansion import COST_UNIT
from jaxsolve.search.tree.tree import DROPPED_FLAG, FORCED_BIT, LOOKED_FLAG, NODES, SOLVED_FLAG
from support.networks import random_network
from support.oracles import minimax
from support.search import LONG, NAMES, claims, in_turn, run, settings

CORNER = (
    "tsumego-4;ko=situational;passes=not-achieved;fill_eyes=true;goal=live;"
    "defender=white;crucial=D1;"
    "region=A1,B1,C1,A2,B2,C2,A3;ko_black=allow;ko_white=allow"
)
# rule set, plies of random play, start, what is shown; positions in short and in long runs
CASES = {
    "hex": ("hex-4", range(6, 13), None, View(), 12, 150),
    "lines": ("gomoku-4;line=3;win=five-or-more;knowledge=ndk", range(2, 8), None, View(), 6, 40),
    "four threats": (
        "gomoku-5;line=4;win=five-or-more;knowledge=4t",
        range(12, 19),
        None,
        View(),
        6,
        40,
    ),
    "go with draws": ("go-2;ko=positional;komi=1", range(0, 8), None, View("history", 8), 5, 40),
    "corner": (CORNER, range(0, 4), "XXXX/.XXX/...O/...O w", View("colours", 4), 5, 40),
}


@pytest.mark.short(2)
@pytest.mark.parametrize(("heads", "name"), in_turn(["value", "cost"], CASES))
def test_verdicts_equal_minimax_with_any_network(name, heads, tmp_path):
    rule_set, plies, start, view, few, many = CASES[name]
    game = make(rule_set)
    oracle, turn, asked = minimax.DepthFirst(game), settings(), itertools.cycle(claims(game))
    evaluators = [
        Evaluator(game, heads=random_network(game, heads, seed, view).heads(game), zones=zones)
        for seed, zones in ((0, True), (1, False))
    ]
    seen = set()
    for number, text in enumerate(
        itertools.islice(minimax.random_positions(game, plies, 3, start), many if LONG else few)
    ):
        claim = next(asked)
        right = minimax.expected(oracle.holds(text, claim))
        for setting in itertools.islice(turn, len(NAMES) if LONG else 2):
            got = run(
                game, game.parse(text), claim, setting, tmp_path, evaluator=evaluators[number % 2]
            )
            evicts = setting.max_nodes is not None and isinstance(game, HasThreatSearch)
            if got.result.nodes >= 50_000 and (setting.method == "rzs" or evicts):
                continue  # depth first, or most nodes evicted, in an order as bad as the network
            assert got.verdict is right, (text, claim, setting)
            seen.add(got.verdict)
    assert len(seen) == 2


def constant(value=0.0, costs=None):
    """A network that says the same of every position."""

    def apply(params, planes, legal):
        prior = legal / jnp.maximum(legal.sum(1, keepdims=True), 1)
        return HeadOutputs(
            prior,
            jnp.full(len(legal), value),
            jnp.tile(jnp.array(costs or [0.0, 0.0]), (len(legal), 1)),
        )

    return Heads(apply, {}, most_cost=9.0 if costs else 0.0)


def job_of(heads, method, claim, *, evaluations=1, rules="hex-4", wave=1):
    """A search of the start position, as it stands when its limit has ended it."""
    game = make(rules)
    asked = Settings(
        method, Limits(evaluations=evaluations), heads=heads, zones=False, wave=wave, flights=1
    )
    job = Job(game, game.init(), claims=claim, options=RunOptions(settings=asked))
    run_jobs([job])
    return job


@pytest.mark.parametrize("or_player", [0, 1])
@pytest.mark.parametrize("method", ["pns", "dfpn"])
def test_a_new_node_has_the_numbers_of_the_network(method, or_player):
    """(3, 5) for (first, second player): the mover's for its moves, the other's divided among them.

    Wu et al. 2022, Section 3.4.
    """
    job = job_of(constant(costs=[3.0, 5.0]), method, Claim(or_player))
    numbers = (3 * COST_UNIT, 5 * COST_UNIT) if or_player == 0 else (5 * COST_UNIT, 3 * COST_UNIT)
    assert job.search.method.numbers(job.search.tree) == numbers


@pytest.mark.parametrize(("value", "considered"), [(-1.0, 1), (-0.97, 2), (-0.5, 3), (1.0, 3)])
def test_a_value_head_narrows_the_search(value, considered):
    """1 + ceil(min(0.1, 1 + v) x moves), of 16 moves (Gao, Mueller & Hayward 2017)."""
    job = job_of(constant(value), "fdfpn", Claim(0))
    pn, dn = job.search.method.numbers(job.search.tree)
    assert dn / pn == considered  # either number of a move is the same in Hex
    wide = job_of(constant(value), "dfpn", Claim(0))
    assert wide.search.method.numbers(wide.search.tree) == (pn, 16 * pn)


@pytest.mark.parametrize(("or_player", "cost"), [(0, 3.0), (1, 5.0 + math.log10(16))])
def test_mean_costs_come_from_the_network_and_multiply_over_opponent_moves(or_player, cost):
    job = job_of(constant(costs=[3.0, 5.0]), "mcts", Claim(or_player), evaluations=2)
    visits, mean = job.search.method.numbers(job.search.tree)
    assert visits == 1 and mean == pytest.approx(cost, abs=1e-6)
    deeper = job_of(constant(costs=[3.0, 5.0]), "mcts", Claim(or_player), evaluations=40)
    visits, mean = deeper.search.method.numbers(deeper.search.tree)
    assert visits == 39 and cost < mean <= 9.0


@pytest.mark.parametrize("rules", ["hex-5", "killallgo-7"])
def test_no_mean_cost_is_below_that_of_every_leaf(rules):
    """Positions already in the table count with the network's estimate."""
    job = job_of(constant(costs=[3.0, 5.0]), "mcts", Claim(0), evaluations=800, rules=rules, wave=8)
    tree = job.search.tree
    nodes = [node for node in tree.nodes[: tree.counters[0]] if node["visited"]]
    edges = np.concatenate(
        [tree.visits[node["edges"] : node["edges"] + node["visited"]] for node in nodes]
    )
    reached = edges["child"][edges["child"] >= 0]
    assert len(reached) > len(np.unique(reached))  # some by several ways
    finite = edges["value"][np.isfinite(edges["value"]) & (edges["visits"] > 0)]
    assert (
        finite.min() >= 3.0 - 1e-5
        and tree.extremes[0] >= 3.0 - 1e-5
        and np.isfinite(tree.extremes).all()
    )


@pytest.mark.short(2)
@pytest.mark.parametrize("said", [math.nan, math.inf, -math.inf])
@pytest.mark.parametrize("method", ["mcts", "fdfpn"])
def test_a_network_with_extreme_outputs_decides_nothing(said, method):
    game = make("hex-3")
    for heads in (constant(said), constant(said, [said, said])):
        result = solve(game, game.init(), claim=Claim(0), method=method, heads=heads, zones=False)
        assert result.verdict is Verdict.PROVED and result.checked


def test_a_side_that_expects_to_win_tries_one_new_move_at_a_time():
    """Where phi <= delta, one move is evaluated at a time; a side expected to lose tries many."""
    most = {}
    for or_player in (0, 1):
        for costs in ([1.0, 9.0], [9.0, 1.0]):
            game = make("hex-4")
            heads = constant(costs=costs)
            job = Job(
                game,
                game.init(),
                claims=Claim(or_player),
                options=RunOptions(
                    settings=Settings("dfpn", heads=heads, zones=False, wave=16, flights=1)
                ),
            )
            states, actions, count = job.advance(0, 64)
            assert len(states) == len(actions) == count
            most[or_player, costs[0]] = count
            job.close()
    assert most[0, 1.0] == most[1, 1.0] == 1 and most[0, 9.0] > 4 and most[1, 9.0] > 4


@pytest.mark.full
@pytest.mark.parametrize("player", [0, 1])
def test_the_cost_head_gives_the_length_of_a_win(player):
    """A win's moves are answered by any of 16 replies; a side not expected to win pays for all."""
    game, head = make("hex-4"), Within(moves=3, player=player)
    rates = np.array([0.1, 0.5, 0.4])  # a win within two moves is one within three
    shape = Architecture.of(game, blocks=0, channels=1, value=Value(hidden=1), within=head)
    zeros = jax.tree.map(lambda leaf: np.zeros(leaf.shape, leaf.dtype), shape.shapes())
    zeros["within"]["out"]["bias"] = np.log(rates / (1.0 - rates)).astype(np.float32)
    heads = Network("soon", shape, zeros, game.rule_set).heads(game)
    own, other = (0.9 + 0.5 + 0.5) * math.log10(16), 3 * 0.5 * math.log10(16)
    assert heads.most_cost == pytest.approx(3 * math.log10(16))
    said = heads.apply(
        heads.params, game.observe(game.init())[None], game.legal_mask(game.init())[None]
    )
    assert np.allclose(said.cost[0], [own, other] if player == 0 else [other, own], atol=1e-5)
    for method in ("fdfpn", "mcts"):
        result = solve(
            make("hex-3"),
            make("hex-3").init(),
            claim=Claim(0),
            method=method,
            heads=_soon_on_three(player),
            zones=False,
        )
        assert result.verdict is Verdict.PROVED and result.checked


def _soon_on_three(player):
    game = make("hex-3")
    shape = Architecture.of(
        game, blocks=0, channels=1, value=Value(hidden=1), within=Within(moves=3, player=player)
    )
    rng = np.random.default_rng(0)
    params = jax.tree.map(
        lambda leaf: rng.normal(size=leaf.shape).astype(leaf.dtype), shape.shapes()
    )
    return Network("soon", shape, params, game.rule_set).heads(game)


def test_threat_search_stays_active_with_a_network():
    """A network of Gomoku is used besides the threat search, not in its place."""
    game = make("gomoku-15;knowledge=4t")
    method = Job(
        game,
        game.init(),
        claims=Claim(0),
        options=RunOptions(
            settings=Settings("fdfpn", heads=random_network(game, "value").heads(game))
        ),
    ).method
    assert method.trust > 0.0 and method.configurations.threats


@pytest.mark.full
@pytest.mark.parametrize("method", ["dfpn", "fdfpn"])
def test_the_count_of_forcing_moves_stays_exact_with_priors(method):
    """With priors, forcing moves need not come first. A count below 0 once ended a search."""
    game = make("gomoku-15;knowledge=4t")
    rows = (
        ".....O..X.XO...",
        "......XOOO.X...",
        ".....XOXXXO....",
        "....X...OO.....",
        "...O...X.......",
    )
    start = game.parse("/".join(["." * 15] * 5 + [*rows] + ["." * 15] * 5) + " b")
    heads = random_network(game, "value").heads(game)
    job = Job(
        game,
        start,
        claims=Claim(0),
        options=RunOptions(settings=Settings(method, Limits(nodes=1500), heads=heads, check=False)),
    )
    run_jobs([job])
    tree, left_out = job.search.tree, 0
    for node in tree.nodes[: tree.counters[NODES]]:
        if node["marks"] & (SOLVED_FLAG | DROPPED_FLAG):
            continue
        entries = tree.lists[node["list"] + node["visited"] : node["list"] + node["moves"]]
        assert node["forced"] == np.count_nonzero(entries & FORCED_BIT)
        left_out += bool(node["marks"] & LOOKED_FLAG and node["moves"] < node["reserved"] // 2)
    assert job.search.expanded >= 1000 and left_out > 5


def test_the_fallback_of_a_guided_method_is_guided():
    game = make("hex-3")
    method = Job(
        game,
        game.init(),
        options=RunOptions(
            settings=Settings("mcts", heads=random_network(game, "cost").heads(game))
        ),
    ).method
    assert method.fallback.one_by_one


def test_extremes_bound_all_mean_costs_of_the_tree():
    game = make("hex-4")
    job = job_of(
        random_network(game, "cost").heads(game), "mcts", Claim(0), evaluations=300, wave=8
    )
    tree = job.search.tree
    nodes = tree.nodes[: tree.counters[0]]
    means = np.concatenate(
        [
            tree.visits["value"][node["edges"] : node["edges"] + node["visited"]]
            for node in nodes
            if node["visited"]
        ]
    )
    visits = np.concatenate(
        [
            tree.visits["visits"][node["edges"] : node["edges"] + node["visited"]]
            for node in nodes
            if node["visited"]
        ]
    )
    means = means[np.isfinite(means) & (visits > 0)]
    assert len(means) > 100 and means.min() < means.max()
    assert tree.extremes[0] <= means.min() and means.max() <= tree.extremes[1] <= 5.5


def test_methods_given_by_name_are_guided_and_objects_are_unchanged():
    game = make("hex-3")
    heads = random_network(game, "cost").heads(game)
    named = Job(
        game, game.init(), options=RunOptions(settings=Settings("mcts", heads=heads))
    ).method
    assert (named.selection, named.most_cost, named.playouts) == ("puct", 5.5, 0)
    assert Job(
        game, game.init(), options=RunOptions(settings=Settings("fdfpn", heads=heads))
    ).method.one_by_one
    own = dataclasses.replace(METHODS["mcts"], exploration=0.7)
    assert (
        Job(game, game.init(), options=RunOptions(settings=Settings(own, heads=heads))).method
        is own
    )
    assert (
        Job(game, game.init(), options=RunOptions(settings=Settings("mcts"))).method
        is METHODS["mcts"]
    )


@pytest.mark.full
def test_one_network_file_serves_several_rule_sets():
    games = [
        make("go-3;ko=positional;komi=0.5"),
        make("go-3;ko=situational;komi=8.5"),
        make("go-3;ko=situational;komi=8.5"),
    ]
    network = random_network(games[0], "both", view=View("colours", 4))
    for averaged in (False, True):
        problems = [
            Problem(str(i), game, game.init(), Claim(i % 2)) for i, game in enumerate(games)
        ]
        settings = Settings("fdfpn", Limits(nodes=40), heads=Guide(network, averaged))
        answers = [
            (problem.id, result.nodes)
            for problem, result in solve_pool(problems, pool=2, settings=settings)
        ]
        assert sorted(name for name, _ in answers) == ["0", "1", "2"] and all(
            nodes > 1 for _, nodes in answers
        )
    with pytest.raises(ValueError, match="random-both was trained on go-3"):
        solve(make("go-4"), make("go-4").init(), heads=Guide(network))
