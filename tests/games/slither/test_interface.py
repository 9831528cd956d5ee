"""Slither's interface: agents, facts and names, heuristic initialisation, refusals of bad input."""

from __future__ import annotations

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from jaxsolve.games import Env, make, mctx_adapter
from jaxsolve.games.game import EvaluatesChildren, InitialisesNumbers
from jaxsolve.games.slither import Slither


def test_an_agent_moves_twice_when_it_relocates():
    env = Env(make("slither-3"))
    state = env.init(jax.random.key(0))
    step = jax.jit(env.step)
    for move in ("B2", "C3"):
        state = step(state, env.game.parse_action(move))
    again = step(state, env.game.parse_action("B2-A2"))
    assert int(again.current_player) == int(state.current_player) and not bool(again.terminated)
    assert bool(again.observation[..., 3].all()) and not bool(state.observation[..., 3].any())
    done = step(again, env.game.parse_action("A1"))
    assert int(done.current_player) == 1 - int(state.current_player)
    recurrent = jax.jit(mctx_adapter.recurrent_fn(env, mctx_adapter.uniform))
    discounts = []
    for before, move in ((state, "B2-A2"), (again, "A1"), (done, "B3"), (again, "B2")):
        batch = jax.tree.map(lambda x: x[None], before)
        discounts.append(
            float(
                recurrent(None, jax.random.key(0), jnp.array([env.game.parse_action(move)]), batch)[
                    0
                ].discount[0]
            )
        )
    assert discounts == [1, -1, -1, -1]


def test_facts_and_names():
    game = Slither(5)
    assert (
        game.rule_set == "slither-5"
        and game.num_actions == 9 * 25 + 1
        and not game.may_draw
        and not game.may_repeat
    )
    assert isinstance(game, EvaluatesChildren) and isinstance(game, InitialisesNumbers)
    assert (
        game.action_text(0) == "A5"
        and game.parse_action("c3-d4") == 25 * (1 + oracle_direction((-1, 1))) + 12
    )
    assert (
        game.place(game.parse_action("C3-D4"), game.init(), 0)
        == (3, 1)
        == game.place(game.parse_action("D4"), game.init(), 0)
    )
    assert game.drawing(game.init()).edges == (1, 2)
    legal = game.num_actions - 1
    on_board = [a for a in range(legal) if game.place(a, game.init(), 0) is not None]
    assert [game.parse_action(game.action_text(a)) for a in on_board] == on_board and len(
        on_board
    ) == 25 + 2 * (2 * 20 + 2 * 16)
    for action in (-1, legal + 1, 25 + 25 * oracle_direction((-1, 0))):
        with pytest.raises(ValueError, match="no move"):
            game.action_text(action)
    for size in (0, 20):
        with pytest.raises(ValueError, match=f"size={size}"):
            Slither(size)


def oracle_direction(step: tuple[int, int]) -> int:
    """The number of a direction, found by moving a stone."""
    game = make("slither-3")
    state = game.parse(".../.X./... b")
    for direction in range(8):
        cells = game.cells(game.step(state, 9 * (1 + direction) + 4))
        if cells[1 + step[0], 1 + step[1]]:
            return direction
    raise AssertionError(step)


def test_stones_that_are_still_needed():
    game = make("slither-5")
    wanted = {
        "...../...../...../...../..... b": (5, 5),
        "..X../..X../...../..X../..X.. w": (1, 5),
        "..X../..X../OO.../..X../..X.. b": (1, 3),
        "X..../XO..X/.OO../....X/...XX w": (2, 3),
        "..X../..X../..X../..X../..X.. w": (0, 6),
    }
    for text, needs in wanted.items():
        state = game.parse(text)
        assert tuple(np.asarray(game._count_needs(state)).tolist()) == needs, text
        own, other = needs if int(game.to_move(state)) == 0 else needs[::-1]
        assert [int(x) for x in game.initial_numbers(state)] == [
            min(1 << max(4 * n - 4, 0), 1 << 14) for n in (own, other)
        ]


@pytest.mark.parametrize(
    ("text", "word"),
    [
        ("../.. b", "2 rows"),
        (".../.../... x", "'x'"),
        (".../.../... b moved", "unknown field 'moved'"),
        (".../.../... b relocated relocated", "position is"),
        ("X../.X./... b", "black breaks the diagonal rule in the four cells around A3 and B2"),
        (".../..O/.O. b", "white breaks"),
        (".../..O/.O. b relocated", "white breaks"),
        ("X../X../X.. b", "already joined"),
        ("OOO/.../X.. b relocated", "white has already won"),
        ("O../... /... b relocated", "position is"),
        ("O../.../... b relocated", "no stone that can have been relocated"),
        ("X../.X./..X b relocated", "no placement keeps"),
    ],
)
def test_bad_positions_are_refused(text, word):
    with pytest.raises(ValueError, match=word):
        Slither(3).parse(text)


@pytest.mark.parametrize(
    "text", ["B2-B4", "B2-B2", "B2-", "-B2", "B2-B3-B4", "D1", "pas", "A1 -A2x"]
)
def test_bad_moves_are_refused(text):
    with pytest.raises(ValueError, match=r"relocation|point"):
        Slither(3).parse_action(text)
