"""``Env`` passes pgx's API test and works with its ``auto_reset``; Go and Hex equal pgx's games."""

import functools
import typing

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from jaxsolve.games import Env, available, describe, make
from jaxsolve.games import auto_reset as our_auto_reset
from support.search import LONG

pytest.importorskip("pgx")
from pgx._src import api_test as pgx_api_test
from pgx.experimental import auto_reset

RULE_SETS = {  # rule set: the positions that games begin at, if not the game's own
    "awari": None,
    "go-3;ko=positional;komi=0": None,
    "gomoku-5;line=4;win=exact5;knowledge=4t": None,
    "hex-3": None,
    "killallgo-7;ko=situational;passes=stones": None,
    "killallgo-9;ko=simple;fill_eyes=false": None,
    "knightthrough-5": None,
    "loa-4": None,
    "minishogi": [
        "k..../...../P..../...../.R..K b hands=RBBGGSSP",
        "k..../...../P..../...../....K b hands=RRBBGGSSP",
    ],
    "slither-3": None,
    "tsumego-3;goal=kill;defender=white;crucial=B2": ["X.O/OOX/O.X b", "XXO/.O./OOX b"],
}
BOARDS = 4


def env_of(rule_set, **settings):
    return Env(make(rule_set), starts=RULE_SETS[rule_set], **settings)


# In the quick form each rule set is in one of the two lists.
STEPPED, RESET = (list(RULE_SETS)[at :: 1 if LONG else 2] for at in (0, 0 if LONG else 1))


@pytest.fixture
def on_any_jax(monkeypatch):
    """Makes pgx's test accept our environments.

    pgx 2.6 uses axis 1 of one board's mask, which JAX 0.10 refuses, and accepts only the ids of its
    own games.
    """

    def act_randomly(rng, mask):
        return jax.random.categorical(rng, jnp.log(mask.astype(jnp.float32)), axis=-1)

    def allow(env):
        monkeypatch.setattr(pgx_api_test, "EnvId", typing.Literal[env.id])

    monkeypatch.setattr(pgx_api_test, "act_randomly", jax.jit(act_randomly))
    return allow


def test_every_registered_game_has_an_entry():
    here = [make(rule_set).rule_set for rule_set in RULE_SETS]
    for base in available():
        assert any(rules.startswith(describe(base).stem) for rules in here), base


@pytest.mark.short(2)
@pytest.mark.parametrize("rule_set", STEPPED)
def test_passes_the_api_test_of_pgx(rule_set, on_any_jax):
    """The cap counts as termination, because pgx's test plays until a game terminates."""
    env = env_of(rule_set, max_steps=30, cap="termination")
    on_any_jax(env)
    pgx_api_test.api_test(env, num=1)


@pytest.mark.short(2)
@pytest.mark.parametrize("rule_set", RESET)
def test_auto_reset_of_pgx_starts_new_games(rule_set):
    """New games begin as with our ``auto_reset``; unfinished boards equal those of plain steps."""
    env = env_of(rule_set, max_steps=5)
    theirs = jax.jit(jax.vmap(auto_reset(env.step, env.init)))
    plain, init = jax.jit(jax.vmap(env.step)), jax.jit(jax.vmap(env.init))
    states, ended = init(jax.random.split(jax.random.key(0), BOARDS)), 0
    for ply in range(7):
        keys = jax.random.split(jax.random.key(1 + ply), BOARDS)
        actions = jax.vmap(
            lambda key, mask: jax.random.categorical(key, jnp.where(mask, 0.0, -jnp.inf))
        )(keys, states.legal_action_mask)
        going_on = states.replace(
            terminated=jnp.zeros(BOARDS, bool), truncated=jnp.zeros(BOARDS, bool)
        )
        after, states = plain(going_on, actions), theirs(states, actions, keys)
        over = np.asarray(after.terminated | after.truncated)
        ended += over.sum()
        for name in ("rewards", "terminated", "truncated"):
            np.testing.assert_array_equal(getattr(states, name), getattr(after, name))
        fresh = init(jax.vmap(lambda key: jax.random.split(key)[1])(keys))
        for ours, new, old in zip(
            *(jax.tree.leaves(state._game) for state in (states, fresh, after)), strict=True
        ):
            for board in range(BOARDS):
                np.testing.assert_array_equal(ours[board], (new if over[board] else old)[board])
    assert ended >= BOARDS


def test_our_auto_reset_draws_from_the_starts():
    env = Env(make("hex-2"), starts=["X./.. w", "../.O b"])
    step = jax.jit(our_auto_reset(env.step, env.init))
    state, seen = env.init(jax.random.key(0)), set()
    for ply in range(40):
        seen.add(env.game.text(state._game)) if int(state._step_count) == 0 else None
        state = step(state, int(np.argmax(state.legal_action_mask)), jax.random.key(ply))
    assert seen == {"X./.. w", "../.O b"}


@functools.partial(jax.jit, static_argnums=(0, 1, 2))
def side_by_side(ours, theirs, plies, key):
    """Plays both environments with the same random legal actions.

    Returns int32[plies, 5], the number of games that differ by field, and bool[plies, 16], the
    games that are over. Games are no longer compared once a position repeats: pgx ends them, and
    simple ko does not. In Hex, pgx's last plane (swap possible) is not compared.
    """
    rules = ours.game.name
    key, start = jax.random.split(key)
    keys = jax.random.split(start, 16)
    a, b = jax.vmap(ours.init)(keys), jax.vmap(theirs.init)(keys)

    def ply(carry, key):
        a, b, compared = carry
        action = jax.random.categorical(key, jnp.where(a.legal_action_mask, 0.0, -jnp.inf))
        a, b = jax.vmap(ours.step)(a, action), jax.vmap(theirs.step)(b, action)
        compared &= ~getattr(b._x, "is_psk", jnp.zeros((), bool))
        pairs = [
            (getattr(a, name), getattr(b, name))
            for name in ("current_player", "rewards", "terminated")
        ]
        pairs.append((a.legal_action_mask, b.legal_action_mask[:, : ours.num_actions]))
        planes = 17 if rules.startswith("go") else 3
        pairs.append((a.observation[..., :planes], b.observation[..., :planes]))
        wrong = [jnp.sum(compared & jnp.any((x != y).reshape(16, -1), axis=1)) for x, y in pairs]
        return (a, b, compared), (jnp.stack(wrong), compared & a.terminated)

    return jax.lax.scan(ply, (a, b, jnp.ones(16, bool)), jax.random.split(key, plies))[1]


@pytest.mark.short(1)
@pytest.mark.parametrize(
    ("rule_set", "plies"),
    [("go-9;ko=simple;komi=7.5", 160), ("hex-11", 121), ("go-5;ko=simple;komi=7.5", 49)],
)
def test_play_equals_pgx(rule_set, plies):
    pgx_go, pgx_hex = pytest.importorskip("pgx.go"), pytest.importorskip("pgx.hex")
    ours = Env(make(rule_set))
    theirs = pgx_hex.Hex() if rule_set.startswith("hex") else pgx_go.Go(size=ours.game.size)
    wrong, over = side_by_side(ours, theirs, plies, jax.random.key(1))
    assert not np.asarray(wrong).any(), np.asarray(wrong).sum(axis=0)
    assert np.asarray(over)[-1].any()
