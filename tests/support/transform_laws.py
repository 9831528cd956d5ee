"""Transformations of JAX that must not change a game's results, such as meshes of devices.

``python tests/support/transform_laws.py FILE`` checks the laws of several devices, whose number is
fixed when JAX starts, and prints the failures as JSON. FILE contains the results of one device
(``write``), so that they need not be compiled again.
"""

from __future__ import annotations

import functools
import json
import pickle
import sys
import traceback
from collections.abc import Callable
from pathlib import Path
from typing import Any, NamedTuple

import jax
import jax.numpy as jnp
import numpy as np
from jax.sharding import AxisType, NamedSharding
from jax.sharding import PartitionSpec as P

from jaxsolve.games import Game, make, random_legal_action

RULE_SETS = {  # and the start position of random games, "" for the game's own
    "awari": "3,0,1,2,0,5/1,2,0,4,0,1 s captured=15:14",
    "go-5": "",
    "go-3;ko=positional;komi=0": "",
    "gomoku-6;line=4;win=exact5;knowledge=4t": "",
    "gomoku-7;line=5;win=five-or-more;knowledge=ndk": "",
    "hex-4": "",
    "killallgo-7;ko=situational;passes=stones": "",
    "killallgo-9;ko=simple;fill_eyes=false": "",
    "loa-5": "",
    "knightthrough-5": "",
    "minishogi": "..k../...../..P../..p../..K.. b hands=RBGSrbgs",
    "slither-4": "",
    "tsumego-5;goal=live;defender=black;crucial=B2,C2;ko_white=forbid;"
    "region=A1,B1,C1,D1,A2,B2,C2,D2,A3,B3,C3,D3": "...../...../..O../.XXO./..... w",
}
BOARDS, DEVICES = 16, 8
RULES = ("step", "legal_mask", "children")
ABILITIES = ("children", "detect_win", "initial_numbers", "forced_reply")
COMPARED = ("step", "legal_mask", "transform", *ABILITIES)
# These tests compile much and run little.
QUICKLY = {"xla_backend_optimization_level": 0, "xla_llvm_disable_expensive_passes": True}


def functions(game: Game) -> dict[str, Callable]:
    """Functions of (state, action) by name: all functions of a game's states."""
    of_states = {
        name: getattr(game, name)
        for name in ("legal_mask", "outcome", "to_move", "observe", "key", "pack", *ABILITIES)
        if hasattr(game, name)
    }
    ignoring_actions = {
        name: functools.partial(_of_state, function) for name, function in of_states.items()
    }
    transform = functools.partial(_transformed, game)
    return {"step": game.step, "transform": transform, **ignoring_actions}


def _of_state(function: Callable, state: Any, action: jax.Array) -> Any:
    del action
    return function(state)


def _transformed(game: Game, state: Any, action: jax.Array) -> Any:
    return game.transform(state, action % game.num_symmetries)


def quickly(function: Callable, *args: Any) -> Any:
    """``function`` compiled for ``args`` without optimisation."""
    return jax.jit(function).lower(*args).compile(compiler_options=QUICKLY)


def _positions(game: Game, first: Any, keys: jax.Array) -> tuple[Any, jax.Array]:
    """Positions of random games, the n-th after n moves, and a legal action of each."""

    def ply(states: Any, number: jax.Array) -> Any:
        actions = jax.vmap(random_legal_action)(
            jax.vmap(jax.random.fold_in, (0, None))(keys, number), jax.vmap(game.legal_mask)(states)
        )
        moved = jax.vmap(game.step)(states, actions)
        going = (number < np.arange(BOARDS)) & (jax.vmap(game.outcome)(moved) == 0)
        return jax.tree.map(
            lambda new, old: jnp.where(going.reshape(-1, *(1,) * (old.ndim - 1)), new, old),
            moved,
            states,
        ), actions

    start = jax.tree.map(lambda x: jnp.broadcast_to(x, (BOARDS, *x.shape)), first)
    states, _ = jax.lax.scan(ply, start, jnp.arange(BOARDS))
    return states, jax.vmap(random_legal_action)(keys, jax.vmap(game.legal_mask)(states))


@functools.cache
def sample(rule_set: str) -> tuple[Game, Any, jax.Array]:
    """(game, BOARDS states, a legal action of each)."""
    game = make(rule_set)
    first = game.parse(RULE_SETS[rule_set]) if RULE_SETS[rule_set] else game.init()
    keys = jax.random.split(jax.random.key(3), BOARDS)
    return (game, *quickly(functools.partial(_positions, game), first, keys)(first, keys))


@functools.cache
def results_of(rule_set: str) -> Any:
    """numpy: results of the game's functions for its sample, by ``vmap`` on one device."""
    game, states, actions = sample(rule_set)
    look = jax.vmap(
        lambda state, action: {
            name: function(state, action)
            for name, function in functions(game).items()
            if name in COMPARED
        }
    )
    return jax.tree.map(np.asarray, quickly(look, states, actions)(states, actions))


def equal(one: Any, other: Any) -> None:
    """Raises AssertionError that names the array."""
    for (path, x), (_, y) in zip(
        jax.tree.leaves_with_path(one), jax.tree.leaves_with_path(other), strict=True
    ):
        np.testing.assert_array_equal(x, y, err_msg=str(path))


# ---- laws of several devices -------------------------------------------------------------------
class Sample(NamedTuple):
    """BOARDS states, a legal action of each, and the results of one device, as numpy arrays."""

    states: Any
    actions: np.ndarray
    results: Any


def write(file: Path, rule_sets: list[str]) -> Path:
    """A file for ``failures``."""
    samples = {
        rule_set: Sample(*jax.tree.map(np.asarray, sample(rule_set)[1:]), results_of(rule_set))
        for rule_set in rule_sets
    }
    file.write_bytes(pickle.dumps(samples))
    return file


def under_shard_map(game: Game, expected: Sample) -> None:
    """Each device's rows equal those of one device, and devices do not communicate."""
    mesh = jax.make_mesh((DEVICES,), ("d",), axis_types=(AxisType.Auto,))

    def spread(function: Callable) -> Callable:
        return jax.shard_map(jax.vmap(function), mesh=mesh, in_specs=P("d"), out_specs=P("d"))

    _assert_law(game, expected, spread, mesh)


def under_an_explicit_mesh(game: Game, expected: Sample) -> None:
    """``vmap`` over a batch whose type spreads it over the devices."""
    mesh = jax.make_mesh((DEVICES,), ("d",), axis_types=(AxisType.Explicit,))
    with jax.set_mesh(mesh):
        _assert_law(game, expected, jax.vmap, mesh)


def _assert_law(game: Game, expected: Sample, spread: Callable, mesh: jax.sharding.Mesh) -> None:
    """Compares ``RULES``; the other functions are only traced, since they compile slowly.

    If JAX refuses a function, it does so when tracing.
    """
    states, actions = jax.device_put(
        (expected.states, expected.actions), NamedSharding(mesh, P("d"))
    )
    rules = {}
    for name, function in functions(game).items():
        if name in RULES:
            rules[name] = function
        else:
            jax.eval_shape(spread(function), states, actions)
    call = quickly(
        spread(
            lambda state, action: {
                name: function(state, action) for name, function in rules.items()
            }
        ),
        states,
        actions,
    )
    equal(call(states, actions), {name: expected.results[name] for name in rules})
    for operation in ("all-reduce", "all-gather", "all-to-all", "collective-permute"):
        assert operation not in call.as_text(), f"devices communicate: {operation}"


def failures(file: Path) -> dict[str, str]:
    """Traceback of each law and rule set of the file that failed."""
    found = {}
    for rule_set, expected in pickle.loads(file.read_bytes()).items():
        for law in (under_shard_map, under_an_explicit_mesh):
            try:
                law(make(rule_set), expected)
            except Exception:
                found[f"{law.__name__} {rule_set}"] = traceback.format_exc(limit=-6)
    return found


if __name__ == "__main__":
    if jax.device_count() != DEVICES:
        sys.exit(f"{jax.device_count()} devices, not {DEVICES}")
    print(json.dumps(failures(Path(sys.argv[1]))))
