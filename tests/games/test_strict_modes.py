"""Rules, ``Env`` and ``solve`` pass JAX's strict modes, with the dtypes of the default mode.

``python tests/games/test_strict_modes.py`` runs the checks in a process with
``jax_enable_x64``, which must not be switched on where arrays exist already, and prints what failed
as JSON.
"""

from __future__ import annotations

import contextlib
import json
import os
import subprocess
import sys
import traceback
from collections.abc import Callable, Iterator
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from jaxsolve.games import Env, auto_reset, make
from jaxsolve.games.game import HasEyeFilter, HasPlayerView, ObservesHistory
from support.paths import ROOT
from support.transform_laws import RULE_SETS, functions, quickly, sample

TINY = {  # rule set: a position that a few nodes solve
    "awari": "0,0,0,1,2,0/1,0,0,0,2,0 s captured=21:21",
    "hex-4": "XXX./..../OO../.... b",
    "loa-4": "X..O/..../..../O..X b",
}


@contextlib.contextmanager
def strict() -> Iterator[None]:
    """No implicit promotion of dtypes or ranks."""
    with jax.numpy_dtype_promotion("strict"), jax.numpy_rank_promotion("raise"):
        yield


def kernels(rule_set: str) -> dict[str, Callable[[Any, jax.Array], Any]]:
    """Every kernel method of a game as a function of (state, action)."""
    game = make(rule_set)
    more: dict[str, Callable[[Any, jax.Array], Any]] = {
        "init": lambda state, action: game.init(),
        "legal_and_outcome": lambda state, action: game.legal_and_outcome(state),
        "unpack": lambda state, action: game.unpack(game.pack(state)),
    }
    if isinstance(game, HasPlayerView):
        more["player_view"] = lambda state, action: game.observe(
            game.player_view(state, action % 2)
        )
    if isinstance(game, HasEyeFilter):
        more["legal_outside_eyes"] = lambda state, action: game.legal_outside_eyes(state)
    if isinstance(game, ObservesHistory):
        more["board_words"] = lambda state, action: game.board_words(state)
    return functions(game) | more


def environment(rule_set: str) -> dict[str, Callable[[jax.Array], Any]]:
    """Functions of ``Env`` as functions of a key."""
    env = Env(make(rule_set), max_steps=5)
    reset = auto_reset(env.step, env.init)
    found: dict[str, Callable[[jax.Array], Any]] = {
        "init": env.init,
        "step": lambda key: env.step(env.init(key), 0),
        "auto_reset": lambda key: reset(env.init(key), jnp.int32(0), key),
        "observe": lambda key: env.observe(env.init(key)),
    }
    if isinstance(env.game, HasPlayerView):
        found["observe_other"] = lambda key: env.observe(env.init(key), 1)
    return found


def wide(result: Any) -> list[str]:
    """Paths of the leaves of 64 bits."""
    return [
        jax.tree_util.keystr(path)
        for path, leaf in jax.tree.leaves_with_path(result)
        if np.dtype(leaf.dtype).itemsize > 4
    ]


def trace_all(rule_set: str) -> None:
    """Traces everything, on one board and on a batch. Raises AssertionError for wide results."""
    game = make(rule_set)
    state = game.parse(RULE_SETS[rule_set]) if RULE_SETS[rule_set] else game.init()
    states = jax.tree.map(lambda x: jnp.stack([x, x]), state)
    for name, function in kernels(rule_set).items():
        one = jax.eval_shape(function, state, jnp.int32(0))
        several = jax.eval_shape(jax.vmap(function), states, jnp.zeros(2, jnp.int32))
        assert not wide((one, several)), f"{name}: {wide((one, several))}"
    for name, function in environment(rule_set).items():
        found = jax.eval_shape(function, jax.random.key(0))
        assert not wide(found), f"Env.{name}: {wide(found)}"


@pytest.mark.parametrize("rule_set", RULE_SETS)
def test_rules_and_env_pass_strict_promotion_of_dtypes_and_ranks(rule_set):
    with strict():
        trace_all(rule_set)


@pytest.mark.parametrize("rule_set", RULE_SETS)
def test_rules_leak_no_tracers(rule_set):
    """The check makes JAX retrace every function."""
    game, states, actions = sample(rule_set)
    with jax.checking_leaks():
        jax.eval_shape(jax.vmap(game.step), states, actions)
        jax.eval_shape(jax.vmap(game.legal_and_outcome), states)
        jax.eval_shape(jax.vmap(game.observe), states)


@pytest.mark.parametrize("rule_set", RULE_SETS)
def test_compiled_rules_move_nothing_between_host_and_device(rule_set):
    game, states, actions = sample(rule_set)
    step = quickly(jax.vmap(game.step), states, actions)
    with jax.transfer_guard("disallow"), jax.debug_nans(True):
        step(states, actions)


@pytest.fixture(scope="module")
def with_x64() -> dict[str, str]:
    """Failures in a process with ``jax_enable_x64``."""
    done = subprocess.run(
        [sys.executable, __file__],
        env={
            **os.environ,
            "JAX_ENABLE_X64": "1",
            "PYTHONPATH": os.pathsep.join([str(ROOT), str(ROOT / "tests"), *sys.path]),
        },
        capture_output=True,
        text=True,
        check=True,
    )
    return json.loads(done.stdout)


@pytest.mark.parametrize("rule_set", RULE_SETS)
def test_rules_and_env_have_the_same_dtypes_with_x64(rule_set, with_x64):
    assert with_x64.get(rule_set) is None, with_x64[rule_set]


@pytest.mark.parametrize("rule_set", TINY)
def test_a_position_is_solved_with_x64_and_strict_promotion(rule_set, with_x64):
    assert with_x64.get(f"solve {rule_set}") is None, with_x64[f"solve {rule_set}"]


def failures() -> dict[str, str]:
    """Tracebacks by rule set, and by ``solve`` and rule set."""
    from jaxsolve.search import Limits, Verdict, solve

    def solved(rule_set: str) -> None:
        game = make(rule_set)
        result = solve(game, game.parse(TINY[rule_set]), limits=Limits(nodes=200))
        assert result.verdict in (Verdict.PROVED, Verdict.DISPROVED), result.verdict

    found: dict[str, str] = {}
    cases = [(rule_set, trace_all, rule_set) for rule_set in RULE_SETS]
    cases += [(f"solve {rule_set}", solved, rule_set) for rule_set in TINY]
    for name, check, rule_set in cases:
        try:
            with strict():
                check(rule_set)
        except Exception:
            found[name] = traceback.format_exc(limit=-6)
    return found


if __name__ == "__main__":
    assert jax.config.jax_enable_x64
    print(json.dumps(failures()))
