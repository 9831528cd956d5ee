"""Rows computed on the host equal those of the device, word for word."""

from __future__ import annotations

import random

import numpy as np
import pytest

from jaxsolve.evaluate import Evaluator
from jaxsolve.games import make
from jaxsolve.games.host_rows import write_rows
from support.search import LONG
from support.tsumego_shapes import SHAPES

BOARDS, PLIES = 64, 120
PLAYED = (
    "killallgo-7",
    "killallgo-9",
    "killallgo-7;fill_eyes=false;passes=stones",
    "tsumego-2",
    "tsumego-3;ko_white=forbid",
    "tsumego-4;goal=kill;defender=white;ko_black=forbid;crucial=B2,B3",
    "tsumego-5;fill_eyes=false;crucial=C3",
    "tsumego-7;defender=white;region=A1,B1,C1,D1,A2,B2,C2,D2,A3,B3,C3,D3;crucial=A3,B3,C3",
    "tsumego-19;ko_black=forbid;ko_white=forbid",
    "tsumego-3;ko_white=threats-2",
    "tsumego-4;goal=kill;defender=white;ko_black=threats-3;crucial=B2,B3",
)


def actions_of(row: np.ndarray, layout) -> list[int]:
    return [
        action
        for action in range(layout.actions)
        if row[layout.masks + (action >> 5)] >> (action & 31) & 1
    ]


def on_host(host_rows, states: np.ndarray, actions: np.ndarray, like: np.ndarray) -> np.ndarray:
    rows = np.full_like(like, 0xABCDEF)  # every word must be written
    write_rows(host_rows, np.ascontiguousarray(states), actions.astype(np.int32), rows)
    return rows


def compare(game, start: np.ndarray, rng: random.Random, plies: int) -> int:
    """Plays random games from copies of ``start``; every row is computed both ways."""
    device = Evaluator(game, host=False)
    host_rows, layout = Evaluator(game).host_rows(), device.layout
    assert host_rows is not None and device.host_rows() is None
    states, compared = np.repeat(start[None], BOARDS, 0), 0
    for _ in range(plies):
        none = np.full(len(states), -1, np.int32)
        rows = device(states, none)
        np.testing.assert_array_equal(on_host(host_rows, states, none, rows), rows)
        moves = [actions_of(row, layout) for row in rows]
        going = [number for number, legal in enumerate(moves) if legal]
        if not going:
            break
        actions = []
        for number in going:
            placements = [action for action in moves[number] if action < layout.actions - 1]
            passes = not placements or (len(moves[number]) > len(placements) and rng.random() < 0.1)
            actions.append(layout.actions - 1 if passes else rng.choice(placements))
        states, played = states[going], np.array(actions, np.int32)
        rows = device(states, played)
        np.testing.assert_array_equal(on_host(host_rows, states, played, rows), rows)
        compared += len(rows)
        states = rows[:, : layout.state].copy()
        # Decided games make room for new ones.
        states[(rows[:, layout.info] & 7) != 0] = start
    return compared


@pytest.mark.parametrize("rule_set", PLAYED)
def test_rows_on_the_host_equal_those_of_the_device(rule_set):
    game, rng = make(rule_set), random.Random(rule_set)
    start = game.host_pack(game.init())
    if game.crucial_points:
        stones = [["."] * game.size for _ in range(game.size)]
        for point in game.crucial_points:
            row, column = divmod(point, game.size)
            stones[row][column] = "XO"[game.crucial_side]
        text = "/".join("".join(row) for row in stones)
        start = game.host_pack(game.parse(f"{text} b"))
    assert compare(game, start, rng, 10 * PLIES if LONG else PLIES) > 1000


@pytest.mark.parametrize("name", list(SHAPES)[:: 1 if LONG else 3])
def test_rows_of_textbook_shapes_are_equal(name):
    board, rng = SHAPES[name].board, random.Random(name)
    points = [f"{'ABCDEFG'[c]}{7 - r}" for r in range(7) for c in range(7)]
    rows = board.split("/")
    white = [p for p, (r, c) in zip(points, np.ndindex(7, 7), strict=True) if rows[r][c] == "O"]
    free = [p for p, (r, c) in zip(points, np.ndindex(7, 7), strict=True) if rows[r][c] != "X"]
    for goal, ko in (("live", "allow"), ("kill", "forbid")):
        game = make(
            f"tsumego-7;goal={goal};defender=white;crucial={','.join(white)};"
            f"region={','.join(free)};ko_black={ko};ko_white=allow"
        )
        for side in "bw":
            compare(game, game.host_pack(game.parse(f"{board} {side}")), rng, 40)


def test_only_rule_sets_with_zones_have_rows_on_the_host():
    for rule_set in ("go-5", "killallgo-7;ko=positional", "hex-12"):
        assert Evaluator(make(rule_set)).host_rows() is None
    game = make("killallgo-7")
    assert Evaluator(game, playouts=1).host_rows() is None
    assert Evaluator(game, canonical=True).host_rows() is None
