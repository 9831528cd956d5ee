"""``Env`` has pgx's semantics at the ends of games, and options of its own."""

import functools
import re

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from jaxsolve.games import Env, Hex, auto_reset, make, random_legal_action
from jaxsolve.games.game import Outcome
from jaxsolve.view import sheet

PUBLIC = [
    "current_player",
    "observation",
    "rewards",
    "terminated",
    "truncated",
    "legal_action_mask",
]


@functools.cache
def jitted(rule_set, max_steps=None, cap="truncation"):
    env = Env(make(rule_set), max_steps=max_steps, cap=cap)
    return env, jax.jit(env.init), jax.jit(env.step)


def play(rule_set, *moves, max_steps=None, cap="truncation", seed=0):
    env, init, step = jitted(rule_set, max_steps, cap)
    state = init(jax.random.key(seed))
    for move in moves:
        state = step(state, env.game.parse_action(move, state._game))
    return state


def same(a, b, leave_out=()):
    for name in [*PUBLIC, "_game", "_history"]:
        if name not in leave_out:
            jax.tree.map(np.testing.assert_array_equal, getattr(a, name), getattr(b, name))


def test_public_fields_are_those_of_pgx():
    state = play("awari")
    assert [name for name in vars(state) if not name.startswith("_")] == PUBLIC
    env = jitted("awari")[0]
    assert state.observation.shape == env.observation_shape and state.legal_action_mask.shape == (
        env.num_actions,
    )
    assert state.rewards.dtype == jnp.float32 and state.current_player.dtype == jnp.int32


def test_the_key_draws_the_agent_that_moves_first():
    starts = {int(play("awari", seed=seed).current_player) for seed in range(20)}
    assert starts == {0, 1}
    for seed in range(4):
        assert int(play("awari", "A", seed=seed).current_player) == 1 - int(
            play("awari", seed=seed).current_player
        )


def test_an_illegal_action_ends_the_game_against_the_mover():
    before = play("awari", "F", "a")  # A..F hold 5,4,4,4,4,0: F is empty
    step = jitted("awari")[2]
    after = step(before, 5)
    assert bool(after.terminated) and not bool(after.truncated)
    assert float(after.rewards[before.current_player]) == -1 and float(after.rewards.sum()) == 0
    assert bool(after.legal_action_mask.all())
    same(after, before, leave_out=("rewards", "terminated", "legal_action_mask"))


OUT_OF_RANGE = (-1, -7, 999, 2**40, np.int64(2**32), np.uint32(2**32 - 1), jnp.int32(-1))


@pytest.mark.parametrize(
    "rule_set",
    ["awari", "go-3", "gomoku-3;line=3", "hex-2", "knightthrough-4", "loa-4", "minishogi"],
)
def test_a_number_that_is_no_action_is_an_illegal_action(rule_set):
    env, _, step = jitted(rule_set)
    before = play(rule_set)
    for action in (*OUT_OF_RANGE, env.num_actions, jnp.uint8(255)):
        # A call of a jitted function truncates numbers of 64 bits before ``Env`` sees them.
        after = (step if isinstance(action, jax.Array) else env.step)(before, action)
        if env.num_actions > 255 and int(action) == 255:
            continue
        assert bool(after.terminated) and not bool(after.truncated), action
        assert float(after.rewards[before.current_player]) == -1 == -float(after.rewards.max())
        same(after, before, leave_out=("rewards", "terminated", "legal_action_mask"))


@pytest.mark.parametrize("dtype", ["int64", "uint64", "uint32", "int8"])
def test_actions_of_every_integer_type_are_played(dtype):
    with jax.enable_x64(True):
        env = Env(make("hex-2"))
        before = env.init(jax.random.key(0))
        for step in (env.step, jax.jit(env.step)):
            assert not step(before, jnp.asarray(3, dtype)).terminated
            assert step(before, jnp.asarray(4, dtype)).terminated
            if np.dtype(dtype).itemsize == 8:
                assert step(before, jnp.asarray(2**32, dtype)).terminated


@pytest.mark.parametrize("seed", [0, 1, 2, 3])
def test_the_winner_gets_the_reward_and_a_finished_game_stays(seed):
    state = play("hex-2", "a1", "b1", "a2", seed=seed)
    black = int(play("hex-2", seed=seed).current_player)
    assert (
        bool(state.terminated)
        and float(state.rewards[black]) == 1
        and float(state.rewards[1 - black]) == -1
    )
    assert bool(state.legal_action_mask.all())
    step = jitted("hex-2")[2]
    for action in (0, 3):
        again = step(state, action)
        same(again, state, leave_out=("rewards",))
        assert not again.rewards.any()


def test_a_draw_gives_no_reward():
    env, init, step = jitted("awari")
    # F captures 2. North still has seeds, and no pit holds more than 2.
    position = env.game.parse("0,0,0,0,0,1/1,0,0,0,0,2 s captured=20:22")
    state = init(jax.random.key(0)).replace(
        _game=position, legal_action_mask=env.game.legal_mask(position)
    )
    after = step(state, 5)
    assert env.game.text(after._game) == "0,0,0,0,0,0/0,0,0,0,0,2 n captured=22:22"
    assert int(env.game.outcome(after._game)) == Outcome.ONGOING
    last = step(after, 5)
    assert env.game.text(last._game) == "1,1,0,0,0,0/0,0,0,0,0,0 s captured=22:22"
    assert int(env.game.outcome(last._game)) == Outcome.DRAW
    assert bool(last.terminated) and not last.rewards.any()


@pytest.mark.parametrize("wrong", [None, "hex-3", 3, make])
def test_only_games_have_environments(wrong):
    with pytest.raises(ValueError, match="Env takes a game"):
        Env(wrong)


@pytest.mark.parametrize("wrong", [0, -1, 1.5, "5", True])
def test_max_steps_is_a_whole_number(wrong):
    with pytest.raises(ValueError, match="max_steps must be"):
        Env(make("hex-3"), wrong)
    assert Env(make("hex-3"), np.int64(5)).max_steps == 5


def test_max_steps_truncates_without_reward():
    state = play("awari", "A", "b", max_steps=2)
    assert (
        bool(state.truncated)
        and not bool(state.terminated)
        and not state.rewards.any()
        and bool(state.legal_action_mask.all())
    )
    again = jitted("awari", 2)[2](state, 0)
    same(again, state)
    state = play("hex-2", "a1", "b1", "a2", max_steps=3)  # a win on the last step counts
    assert bool(state.terminated) and not bool(state.truncated)
    with pytest.raises(ValueError, match="a game, not a name"):
        Env("hex-2")
    with pytest.raises(ValueError, match="max_steps"):
        Env(make("awari"), max_steps=0)


def test_a_cap_may_count_as_termination():
    state = play("awari", "A", "b", max_steps=2, cap="termination")
    assert (
        bool(state.terminated)
        and not bool(state.truncated)
        and not state.rewards.any()
        and bool(state.legal_action_mask.all())
    )
    same(jitted("awari", 2, "termination")[2](state, 0), state)
    state = play("hex-2", "a1", "b1", "a2", max_steps=3, cap="termination")
    assert bool(state.terminated) and float(jnp.abs(state.rewards).sum()) == 2
    with pytest.raises(ValueError, match="cap='end'"):
        Env(make("awari"), cap="end")


def test_games_begin_at_the_given_starts():
    texts = ["X../O../... b", "X../.../... w", ".O./.X./... b"]
    env = Env(make("hex-3"), starts=texts)
    states = jax.jit(jax.vmap(env.init))(jax.random.split(jax.random.key(0), 64))
    boards = [env.game.text(jax.tree.map(lambda x, i=i: x[i], states._game)) for i in range(64)]
    assert set(boards) == set(texts) and {int(agent) for agent in states._first_agent} == {0, 1}
    sides = np.array([text[-1] == "w" for text in boards])
    np.testing.assert_array_equal(states.current_player, np.asarray(states._first_agent) ^ sides)
    np.testing.assert_array_equal(
        states.legal_action_mask.sum(axis=1), [text.count(".") for text in boards]
    )
    batch = jax.tree.map(lambda *leaves: jnp.stack(leaves), *map(env.game.parse, texts))
    given = Env(make("hex-3"), starts=batch)
    same(given.init(jax.random.key(5)), env.init(jax.random.key(5)))
    assert env == Env(make("hex-3"), starts=env.starts) and hash(env) == hash(
        Env(make("hex-3"), starts=env.starts)
    )
    assert env != given and env != Env(make("hex-3"))


def test_problems_of_several_tasks_make_one_environment():
    """The state of a life-and-death problem holds its goal: one move wins one problem only."""
    tasks = [f"tsumego-4;goal=kill;defender=white;crucial={point}" for point in ("B2", "D4")]
    problems = [make(rules).parse("...O/.X../XO../.X.. b") for rules in tasks]
    env = Env(
        make("tsumego-4").kernel, starts=jax.tree.map(lambda *leaves: jnp.stack(leaves), *problems)
    )
    states = jax.vmap(env.init)(jax.random.split(jax.random.key(0), 16))
    captures = env.game.parse_action("C2")  # takes B2
    after = jax.jit(jax.vmap(env.step, in_axes=(0, None)))(states, captures)
    captured = np.asarray(jax.vmap(env.game.grid.to_bool)(states._game.task.crucial))[:, 2, 1]
    assert set(captured.tolist()) == {True, False}
    np.testing.assert_array_equal(after.terminated, captured)
    mover = np.asarray(states.current_player)
    np.testing.assert_array_equal(
        np.asarray(after.rewards)[np.arange(16), mover], np.where(captured, 1.0, 0.0)
    )


def test_a_game_may_begin_at_any_state():
    env, init, step = jitted("go-5")
    game_state = env.game.parse("...../.XO../XO.O./.XO../..... b ko=C3")
    state = jax.jit(env.init_from)(game_state, jax.random.key(3))
    assert (
        env.game.text(state._game) == "...../.XO../XO.O./.XO../..... b ko=C3"
        and int(state._step_count) == 0
    )
    assert not bool(state.legal_action_mask[12])
    assert not state.observation[..., 2:16].any()  # the history holds this position only
    same(jax.jit(env.init_from)(env.game.init(), jax.random.key(3)), init(jax.random.key(3)))
    over = jax.jit(env.init_from)(
        env.game.parse("X..../...../...../...../..... b passes=2"), jax.random.key(0)
    )
    assert bool(over.terminated) and bool(over.legal_action_mask.all()) and not over.rewards.any()
    same(step(over, 3), over)


@pytest.mark.parametrize(
    ("rule_set", "starts", "says"),
    [
        ("hex-2", ["X./.. w", "XX/.. w", "X./X. w"], "start 3 of 3, 'X./X. w'"),
        ("hex-2", ["X./.. w", "X../... w"], "cells"),
        ("hex-2", [], "neither positions as text nor a batch"),
        ("hex-2", make("hex-3").init(), "neither positions as text nor a batch"),
        ("hex-2", make("hex-2").init(), "neither positions as text nor a batch"),
        (
            "hex-2",
            jax.tree.map(lambda x: x[None][:0], make("hex-2").init()),
            "at least one state of hex-2",
        ),
        (
            "hex-2",
            jax.tree.map(lambda x: x[None], make("awari").init()),
            "neither positions as text nor a batch",
        ),
        (
            "awari",
            jax.tree.map(lambda x: x[None].astype(jnp.int32), make("awari").init()),
            "neither positions as text nor a batch",
        ),
    ],
)
def test_invalid_starts_are_refused(rule_set, starts, says):
    with pytest.raises(ValueError, match=re.escape(says)):
        Env(make(rule_set), starts=starts)


@pytest.mark.parametrize(
    ("rule_set", "move"),
    [("awari", "A"), ("hex-3", "a1"), ("go-5", "C3"), ("gomoku-5;line=4", "C3")],
)
def test_either_agent_can_observe_the_board(rule_set, move):
    """The agent not to move observes the board as if it were its turn."""
    env = jitted(rule_set)[0]
    state = play(rule_set, move, seed=1)
    mover = state.current_player
    observe = jax.jit(env.observe)
    np.testing.assert_array_equal(env.observe(state), state.observation)
    np.testing.assert_array_equal(observe(state, mover), state.observation)
    other = observe(state, 1 - mover)
    assert (
        other.shape == state.observation.shape
        and (np.asarray(other) != np.asarray(state.observation)).any()
    )
    sides = {"awari": ("n", "s")}.get(rule_set, ("w", "b"))
    fields = env.game.text(state._game).split(" ")
    assert fields[1] == sides[0]
    turned = env.game.parse(" ".join([fields[0], sides[1], *fields[2:]]))
    if state._history is None:
        expected = env.init_from(turned, jax.random.key(0)).observation
    else:  # Go also shows earlier boards: own and opponent's planes change places
        seen = np.asarray(state.observation)
        stones = seen[..., :16].reshape(5, 5, 8, 2)[..., ::-1].reshape(5, 5, 16)
        expected = np.concatenate([stones, ~seen[..., 16:]], axis=-1)
    np.testing.assert_array_equal(other, expected)


class OneSided(Hex):
    """A game without ``HasPlayerView``."""

    player_view = None


def test_a_game_without_player_views_refuses_other_observers():
    env = Env(OneSided(2))
    state = env.init(jax.random.key(0))
    np.testing.assert_array_equal(env.observe(state), state.observation)
    with pytest.raises(ValueError, match="hex-2 can be observed by the agent to move only"):
        env.observe(state, 0)


@pytest.mark.parametrize("rule_set", ["awari", "go-5;ko=positional", "hex-3"])
def test_states_are_serialised_by_flax(rule_set):
    serialization = pytest.importorskip("flax.serialization")
    _, init, step = jitted(rule_set)
    state = step(init(jax.random.key(1)), 0)
    saved = serialization.to_bytes(state)
    again = serialization.from_bytes(init(jax.random.key(0)), saved)
    same(again, state)
    same(step(again, 1), step(state, 1))
    with pytest.raises(ValueError, match="belongs to"):
        serialization.from_bytes(jitted("hex-2")[1](jax.random.key(0)), saved)


def test_states_draw_their_boards(tmp_path):
    env, init, _ = jitted("hex-3")
    state = play("hex-3", "a1", "b2")
    assert state.env_id == env.id == "hex-3" and env.version == "v2"
    assert state.to_svg() == sheet(env.game, [state._game]) == state._repr_html_()
    assert (
        'width="' in state.to_svg(scale=2.0) and state.to_svg(color_theme="dark") != state.to_svg()
    )
    batch = jax.vmap(init)(jax.random.split(jax.random.key(0), 6))
    batch.save_svg(tmp_path / "boards.svg")
    assert (tmp_path / "boards.svg").read_text().count("<g ") == 6
    with pytest.raises(ValueError, match=r"must end in '\.svg'"):
        state.save_svg(tmp_path / "board.png")
    with pytest.raises(ValueError, match="color_theme='blue'"):
        state.to_svg(color_theme="blue")


def test_auto_reset_starts_a_new_game_and_keeps_the_result():
    env = Env(make("hex-2"))
    step = jax.jit(auto_reset(env.step, env.init))
    state = env.init(jax.random.key(0))
    for count, move in enumerate(("a1", "b1", "a2")):
        state = step(state, env.game.parse_action(move), jax.random.key(count))
    assert bool(state.terminated) and float(jnp.abs(state.rewards).sum()) == 2
    fresh = env.init(jax.random.key(2))
    same(state, fresh, leave_out=("rewards", "terminated"))
    end = play("hex-2", "a1", "b1", "a2")
    np.testing.assert_array_equal(state._terminal_observation, end.observation)
    assert not fresh._terminal_observation.any()
    state = step(state, 0, jax.random.key(9))
    assert (
        not bool(state.terminated)
        and not state.rewards.any()
        and int(state.legal_action_mask.sum()) == 3
    )
    np.testing.assert_array_equal(state._terminal_observation, end.observation)


def test_terminal_observations_are_optional():
    env = Env(make("hex-2"), terminal_observation=False)
    assert env != Env(make("hex-2"))
    step = jax.jit(auto_reset(env.step, env.init))
    state = env.init(jax.random.key(0))
    structure = jax.tree.structure(state)
    for count in range(4):
        state = step(state, int(np.argmax(state.legal_action_mask)), jax.random.key(count))
        assert jax.tree.structure(state) == structure and state._terminal_observation is None


@pytest.mark.short(2)
@pytest.mark.parametrize("actions", [1, 6, 82, 362])
def test_random_legal_actions_are_legal_and_equally_likely(actions):
    """A chi-squared statistic of 8,000 draws stays within six standard deviations of its mean."""
    mask = np.random.default_rng(actions).random(actions) < 0.4
    mask[-1] = True
    keys = jax.random.split(jax.random.key(actions), 8_000)
    drawn = np.bincount(
        jax.vmap(random_legal_action, in_axes=(0, None))(keys, jnp.asarray(mask)), minlength=actions
    )
    legal, expected = int(mask.sum()), 8_000 / mask.sum()
    assert drawn[~mask].sum() == 0
    assert ((drawn[mask] - expected) ** 2 / expected).sum() <= legal - 1 + 6 * np.sqrt(2 * legal)
    assert int(random_legal_action(keys[0], jnp.zeros(actions, bool))) == 0
