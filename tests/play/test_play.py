"""Tree search of many games: counts are consistent, proofs are true, games are independent."""

from __future__ import annotations

import time

import jax
import numpy as np
import pytest

from jaxsolve.games.game import Outcome
from jaxsolve.games.registry import make
from jaxsolve.play.players import named_search
from jaxsolve.play.proof_numbers import BIG, INF
from jaxsolve.play.tree_search import PlayoutSearch, search
from support.play_positions import positions

RESULTS = {Outcome.DRAW: 0.0, Outcome.FIRST_WINS: 1.0, Outcome.SECOND_WINS: -1.0}
VARIANTS = {
    "single": {"final": True, "solver": True, "ranks": True},
    "double": {"final": True, "solver": True, "ranks": True, "layers": "double", "contempt": 0.0},
    "players": {"solver": True, "ranks": True, "layers": "players", "by_children": True},
    "wave": {"final": True, "solver": True, "ranks": True, "wave": 4},
    "one": {
        "final": True,
        "solver": True,
        "ranks": True,
        "layers": "double",
        "mobility": False,
        "wave": 2,
    },
}


def summed(numbers, untried, is_or):
    """Proof and disproof number of a node from its edges [n, 2] and the number of untried moves."""
    least, total = (0, 1) if is_or else (1, 0)
    every = [tuple(map(int, pair)) for pair in numbers] + [(1, 1)] * untried
    smallest = min((pair[least] for pair in every), default=INF)
    decided = any(pair[total] == INF for pair in every)
    whole = INF if decided else min(sum(pair[total] for pair in every), BIG)
    return (smallest, whole) if is_or else (whole, smallest)


def mover_at_root(forest, node):
    """Whether the side to move at a node is the one that moves at its root."""
    mover = forest.nodes[node]["mover"]
    while forest.nodes[node]["parent"] >= 0:
        node = forest.nodes[node]["parent"]
    return mover == forest.nodes[node]["mover"]


def claims_known(numbers):
    """Claims that numbers [K, 2] prove: the root's player wins, not loses, not wins, loses."""
    return numbers[0, 0] == 0, numbers[-1, 0] == 0, numbers[0, 1] == 0, numbers[-1, 1] == 0


@pytest.mark.short(2)
@pytest.mark.parametrize(
    ("name", "variant"), [*(("loa-4", variant) for variant in VARIANTS), ("awari", "double")]
)
def test_the_move_follows_from_the_edges_of_the_root(name, variant):
    """A proved win, else a proved draw within contempt, else the most visited move not pruned."""
    settings, drawn = PlayoutSearch(simulations=150, **VARIANTS[variant]), 0
    words = positions(make(name), 64, 10 if name == "loa-4" else 40)
    found = search([settings] * 64, make(name), words, range(64))
    for tree, action in enumerate(found.actions):
        forest, root = found.forest, found.forest.nodes[found.forest.trees["root"][tree]]
        edges = forest.edges[root["edges"] : root["edges"] + root["tried"]]
        known = [
            claims_known(each)
            for each in forest.known[root["edges"] : root["edges"] + root["tried"]]
        ]
        mean, contempt = (
            edges["total"].sum() / edges["visits"].sum(),
            -2.0 if settings.contempt is None else settings.contempt,
        )
        worth = [1] * len(edges)
        if settings.final:
            own = settings.layers == "players"
            worth = [
                3 if wins else 2 if safe and mean <= contempt else 0 if own and loses else 1
                for wins, safe, _, loses in known
            ]
        drawn += max(worth) == 2
        best = max(zip(worth, edges["visits"], strict=True))
        assert (
            action
            in edges["action"][
                [(w, v) == best for w, v in zip(worth, edges["visits"], strict=True)]
            ]
        )
    assert drawn or settings.contempt is None or name == "awari"


@pytest.mark.short(1)
@pytest.mark.parametrize("name", ["awari", "loa-4", "minishogi"])
def test_every_node_has_the_position_after_its_move_and_one_game(name):
    """Position, edges and results of a node agree with its move, children and random game."""
    game = make(name)
    found = search(
        [PlayoutSearch(simulations=200, ranks=True)] * 2, game, positions(game, 2, 8), range(2)
    )
    forest, count = found.forest, int(found.forest.counters[0])
    nodes = forest.nodes[:count]
    inner = np.flatnonzero(nodes["parent"] >= 0)
    ways = forest.edges[nodes["at"][inner]]
    after = jax.vmap(lambda words, action: game.pack(game.step(game.unpack(words), action)))(
        forest.states[nodes["parent"][inner]], ways["action"]
    )
    assert (np.asarray(after) == forest.states[inner]).all()
    sign = np.where(nodes["mover"] == 0, 1.0, -1.0)  # of what its edges count, for the first player
    for node, way in zip(inner, ways, strict=True):
        record = nodes[node]
        arrived = way["total"] * sign[record["parent"]]
        if record["outcome"]:
            assert arrived == way["visits"] * RESULTS[Outcome(record["outcome"])]
            continue
        left = (
            forest.edges[record["edges"] : record["edges"] + record["moves"]]
            if record["edges"] >= 0
            else forest.edges[:0]
        )
        assert arrived - left["total"].sum() * sign[node] in (-1.0, 0.0, 1.0)
        if len(left):
            bits = np.unpackbits(forest.legal[node].view(np.uint8), bitorder="little")
            assert sorted(left["action"]) == np.flatnonzero(bits).tolist()


def test_unused_proof_numbers_change_no_search():
    """The paper's variant without a flag is UCT."""
    game = make("awari")
    words = positions(game, 4, 6)
    found = [
        search([named_search(text, 150, None)] * 4, game, words, range(4))
        for text in ("uct", "pnmcts:flags=xxx")
    ]
    assert (found[0].actions == found[1].actions).all() and len(
        {each.forest.counters.tobytes() for each in found}
    ) == 1
    ours, theirs = (each.forest.edges["visits"][: each.forest.counters[1]] for each in found)
    assert (ours == theirs).all()


@pytest.mark.short(4)
@pytest.mark.parametrize("variant", VARIANTS)
@pytest.mark.parametrize("name", ["awari", "hex-3"])
def test_visits_and_totals_of_trees_are_consistent(name, variant):
    """Visits, results, proof numbers and ranks of every node follow from its edges."""
    game, settings = make(name), PlayoutSearch(simulations=120, **VARIANTS[variant])
    found = search([settings] * 3, game, positions(game, 3, 2), range(3))
    forest, ends = found.forest, found.forest.trees
    assert (found.simulations <= 120).all() and (settings.final or (found.simulations == 120).all())
    claims = forest.numbers.shape[1]
    assert claims == (2 if game.may_draw and settings.layers != "single" else 1)
    for node in range(int(forest.counters[0])):
        record = forest.nodes[node]
        if record["parent"] >= 0:
            edge = forest.edges[record["at"]]
            assert (
                edge["child"] == node
                and edge["visits"] == record["visits"]
                and abs(edge["total"]) <= edge["visits"]
                and edge["busy"] == 0
            )
            assert (forest.known[record["at"]] == forest.numbers[node]).all()
            if not record["outcome"] and record["tried"] == 0:
                new = (1, record["moves"] if settings.mobility else 1)
                by_mover = (
                    forest.numbers[node]
                    if mover_at_root(forest, node)
                    else forest.numbers[node][:, ::-1]
                ).tolist()
                assert by_mover == [list(new)] * claims
        if record["edges"] < 0 or record["outcome"]:
            continue
        first, tried = record["edges"], record["tried"]
        edges, is_or = forest.edges[first : first + tried], mover_at_root(forest, node)
        assert sorted(forest.edges[first : first + record["moves"]]["action"]) == sorted(
            set(forest.edges[first : first + record["moves"]]["action"])
        )
        assert edges["visits"].sum() == record["visits"] - (record["parent"] >= 0)
        for claim in range(claims):
            assert tuple(forest.numbers[node, claim]) == summed(
                forest.known[first : first + tried, claim], record["moves"] - tried, is_or
            )
        order = [1 + sum(other < each for other in edges["order"]) for each in edges["order"]]
        assert edges["rank"].tolist() == order and (
            not order or record["highest_rank"] == max(order)
        )
    assert (ends["begun"] == ends["ended"]).all()


def test_proofs_agree_with_exhaustive_search():
    """3x3 Hex after one move: roots agree with exhaustive search, and proved wins are played."""
    game = make("hex-3")
    step, legal, outcome = jax.jit(game.step), jax.jit(game.legal_mask), jax.jit(game.outcome)
    known = {}

    def wins(state):
        """Whether the side to move wins."""
        text = game.text(state)
        if text not in known:
            moves = np.flatnonzero(np.asarray(legal(state)))
            known[text] = len(moves) > 0 and any(
                not wins(step(state, np.int32(move))) for move in moves
            )
        return known[text]

    states = [step(game.init(), np.int32(move)) for move in range(9)]
    assert all(int(outcome(state)) == 0 for state in states)
    words = np.stack([np.asarray(game.pack(state)) for state in states])
    found = search(
        [PlayoutSearch(simulations=4000, final=True, solver=True, ranks=True)] * 9,
        game,
        words,
        range(9),
    )
    roots = found.forest.numbers[found.forest.trees["root"], 0]
    for state, action, (pn, dn) in zip(states, found.actions, roots.tolist(), strict=True):
        assert (pn == 0) == wins(state) and (dn == 0) == (not wins(state)) and pn != dn
        if pn == 0:
            assert not wins(step(state, np.int32(action)))


@pytest.mark.short(1)
@pytest.mark.parametrize(("variant", "most"), [("single", 2000), ("double", 2000), ("single", 25)])
def test_a_search_is_independent_of_the_others(variant, most):
    """Searches with other settings, claims and lengths beside it change none of its numbers."""
    game = make("awari")
    words, settings = (
        positions(game, 5, 6),
        PlayoutSearch(simulations=60, most_moves=most, **VARIANTS[variant]),
    )
    plain, players = (
        PlayoutSearch(simulations=90, most_moves=most),
        PlayoutSearch(simulations=20, most_moves=most, **VARIANTS["players"]),
    )
    together = search([settings, settings, plain, settings, players], game, words, range(5))
    for count in (1, 3):
        fewer = search([settings, settings, plain][:count], game, words[:count], range(count))
        assert (fewer.actions == together.actions[:count]).all()
        for name in ("visits", "total"):
            for tree in range(count):
                roots = [
                    each.forest.nodes[each.forest.trees["root"][tree]] for each in (fewer, together)
                ]
                ours, theirs = (
                    each.forest.edges[root["edges"] : root["edges"] + root["moves"]][name]
                    for each, root in zip((fewer, together), roots, strict=True)
                )
                assert (ours == theirs).all()


@pytest.mark.smoke
def test_a_time_limit_ends_a_search():
    game = make("hex-3")
    timed, words = PlayoutSearch(simulations=None, seconds=0.2), positions(game, 2, 1)
    before = time.process_time()
    found = search([timed], game, words[:1], [3])
    assert (
        found.simulations[0] > 0 and found.actions[0] >= 0 and time.process_time() - before >= 0.2
    )
    with pytest.raises(ValueError, match="one at a time"):  # they would take each other's time
        search([timed] * 2, game, words, (3, 4))
