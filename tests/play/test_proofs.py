"""Proofs in trees of play agree with exhaustive answers, draws included, and decide the move."""

from __future__ import annotations

import numpy as np
import pytest

from jaxsolve.games.registry import make
from jaxsolve.play.forest import new_forest, with_capacity
from jaxsolve.play.simulations import choose_moves
from jaxsolve.play.tree_search import PlayoutSearch, search
from jaxsolve.search import Claim, Verdict
from support.oracles import awari_endgames, minimax
from support.play_positions import positions

VARIANTS = {
    "single": {"final": True, "solver": True, "ranks": True, "threshold": 0},
    "double": {"final": True, "solver": True, "ranks": True, "layers": "double", "contempt": 0.0},
    "players": {"solver": True, "ranks": True, "layers": "players", "threshold": 0},
}


def proved(numbers):
    """Claims about a root's player that numbers [K, 2] decide: {needs a win: whether it holds}."""
    claims = {True: numbers[0]} | ({False: numbers[-1]} if len(numbers) > 1 else {})
    return {needs_win: pn == 0 for needs_win, (pn, dn) in claims.items() if 0 in (pn, dn)}


def decided(found):
    """(position, player, needs a win, whether it holds) of every decided node of all trees."""
    forest, seen = found.forest, []
    for root in forest.trees["root"]:
        player, todo = int(forest.nodes["mover"][root]), [int(root)]
        while todo:
            node = todo.pop()
            record = forest.nodes[node]
            seen += [
                (forest.states[node], player, needs_win, so)
                for needs_win, so in proved(forest.numbers[node]).items()
                if not record["outcome"]
            ]
            todo += forest.edges["child"][
                record["edges"] : record["edges"] + record["tried"]
            ].tolist()
    return seen


def few_seeds(game, count, seed):
    """Awari with four to six seeds left, captures about even, and several moves."""
    rng, found = np.random.default_rng(seed), []
    while len(found) < count:
        seeds = int(rng.integers(4, 7))
        pits, rest = np.bincount(rng.integers(0, 12, seeds), minlength=12), 48 - seeds
        south = rest // 2 + int(rng.integers(-1, 2))
        rows = "/".join(",".join(map(str, row)) for row in (pits[:6], pits[6:]))
        try:
            state = game.parse(
                f"{rows} {'sn'[int(rng.integers(2))]} captured={south}:{rest - south}"
            )
        except ValueError:
            continue
        if not int(game.outcome(state)) and np.asarray(game.legal_mask(state)).sum() > 1:
            found.append(np.asarray(game.pack(state)))
    return np.stack(found)


@pytest.mark.parametrize("variant", VARIANTS)
def test_awari_endings_agree_with_retrograde_analysis(variant):
    game = make("awari")
    found = search(
        [PlayoutSearch(simulations=200, **VARIANTS[variant])] * 24,
        game,
        few_seeds(game, 24, 3),
        range(24),
    )
    seen = decided(found)
    for words, player, needs_win, so in seen:
        rows, side, captured = game.text(game.unpack(words)).split()
        pits = [int(pit) for pit in rows.replace("/", ",").split(",")]
        south, north = map(int, captured.removeprefix("captured=").split(":"))
        assert (
            awari_endgames.forces(pits, "sn".index(side), (south, north), player, needs_win) == so
        )
    kinds = {(needs_win, so) for _, _, needs_win, so in seen}
    assert kinds >= (
        {(True, True), (True, False)}
        | (set() if variant == "single" else {(False, True), (False, False)})
    )


@pytest.mark.smoke
@pytest.mark.parametrize("variant", VARIANTS)
def test_lines_of_action_agrees_with_exhaustive_search(variant):
    game = make("loa-4")
    found = search(
        [PlayoutSearch(simulations=200, **VARIANTS[variant])] * 16,
        game,
        positions(game, 16, 6, seed=5),
        range(16),
    )
    oracle, checked = minimax.Bounded(game, 2000), 0
    for words, player, needs_win, so in decided(found)[::3]:
        try:
            right = oracle.answer(
                game.text(game.unpack(words)),
                Claim(player, "wins" if needs_win else "does-not-lose"),
                5,
            )
        except minimax.TooLarge:
            continue
        if right is not None:
            checked += 1
            assert (right[0] is Verdict.PROVED) == so
    assert checked > 20


@pytest.mark.parametrize(
    ("settings", "edges", "played"),
    [
        # Each edge: visits, mean, then (proof, disproof) of "it wins" and "it does not lose".
        ({}, [(5, 0.0, (1, 1), (1, 1)), (9, 0.0, (1, 1), (1, 1))], {1}),
        (
            {},
            [(9, 0.0, (1, 1), (1, 1)), (9, 0.0, (1, 1), (1, 1)), (2, 1.0, (0, 7), (0, 7))],
            {0, 1},
        ),
        ({"final": True}, [(9, 0.0, (1, 1), (1, 1)), (2, 1.0, (0, 7), (0, 7))], {1}),
        (
            {"final": True},
            [(2, 1.0, (0, 7), (0, 7)), (3, 1.0, (0, 7), (0, 7)), (9, 0.0, (1, 1), (1, 1))],
            {1},
        ),
        (
            {"final": True, "layers": "double"},
            [(5, 0.0, (7, 0), (0, 7)), (9, 0.2, (1, 1), (1, 1))],
            {1},
        ),
        (
            {"final": True, "layers": "double", "contempt": 0.1},
            [(5, 0.0, (7, 0), (0, 7)), (9, 0.2, (1, 1), (1, 1))],
            {1},
        ),
        (
            {"final": True, "layers": "double", "contempt": 0.15},
            [(5, 0.0, (7, 0), (0, 7)), (9, 0.2, (1, 1), (1, 1))],
            {0},
        ),
        (
            {"final": True, "layers": "double", "contempt": 0.0},
            [(5, 0.0, (7, 0), (0, 7)), (5, 0.0, (1, 1), (1, 1))],
            {0},
        ),
        (
            {"final": True, "layers": "double"},
            [(9, -1.0, (7, 0), (7, 0)), (2, -0.5, (1, 1), (1, 1))],
            {0},
        ),
        (
            {"final": True, "layers": "players"},
            [(9, -1.0, (7, 0), (7, 0)), (2, -0.5, (1, 1), (1, 1))],
            {1},
        ),
        (
            {"final": True, "layers": "players"},
            [(9, -1.0, (7, 0), (7, 0)), (2, -1.0, (7, 0), (7, 0))],
            {0},
        ),
    ],
)
def test_the_chosen_move_follows_from_visits_and_proofs(settings, edges, played):
    """Most visits; with F first a proved win or accepted draw; with players no proved loss."""
    forest = with_capacity(new_forest(1, 1, 1, 2), 1, len(edges))
    PlayoutSearch(**settings).write(forest.trees)
    forest.trees["root"], forest.trees["random"] = 0, 1
    forest.nodes[0]["edges"], forest.nodes[0]["moves"], forest.nodes[0]["tried"] = (
        0,
        len(edges),
        len(edges),
    )
    for number, (visits, mean, wins, safe) in enumerate(edges):
        forest.known[number] = wins, safe
        for name, value in {"visits": visits, "total": visits * mean, "action": number}.items():
            forest.edges[name][number] = value
    seen, actions = set(), np.zeros(1, np.int32)
    for _ in range(16):  # ties are drawn
        choose_moves(forest, actions)
        seen.add(int(actions[0]))
    assert seen == played
