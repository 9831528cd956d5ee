"""What JAX may do to the rules of a game without changing what they say: batched branches, meshes of devices, strict types.

``python tests/transform_laws.py FILE`` checks the laws of several devices, which must be made before JAX starts, and prints what failed as JSON. FILE
holds what one device says (``write``), so that it need not be compiled again.
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

RULE_SETS = {  # and the position that random games start from, where it is not the game's own
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
    "tsumego-5;goal=live;defender=black;crucial=B2,C2;region=A1,B1,C1,D1,A2,B2,C2,D2,A3,B3,C3,D3;ko_white=forbid": "...../...../..O../.XXO./..... w",
}
BOARDS, DEVICES = 16, 8
RULES = ("step", "legal_mask", "children")
ABILITIES = ("children", "detect_win", "initial_numbers", "forced_reply")
COMPARED = ("step", "legal_mask", "transform", *ABILITIES)
QUICKLY = {
    "xla_backend_optimization_level": 0,
    "xla_llvm_disable_expensive_passes": True,
}  # what is computed is the question, not how fast


def functions(game: Game) -> dict[str, Callable]:
    """Everything that a game says of (state, action)."""
    told = {
        name: getattr(game, name)
        for name in ("legal_mask", "outcome", "to_move", "observe", "key", "pack", *ABILITIES)
        if hasattr(game, name)
    }
    said = {name: functools.partial(_told, tell) for name, tell in told.items()}
    turn = functools.partial(_turned, game)
    return {"step": game.step, "transform": turn, **said}


def _told(tell: Callable, state: Any, action: jax.Array) -> Any:
    del action
    return tell(state)


def _turned(game: Game, state: Any, action: jax.Array) -> Any:
    return game.transform(state, action % game.num_symmetries)


def quickly(function: Callable, *args: Any) -> Any:
    """``function`` compiled for ``args``, in little time."""
    return jax.jit(function).lower(*args).compile(compiler_options=QUICKLY)


def _positions(game: Game, first: Any, keys: jax.Array) -> tuple[Any, jax.Array]:
    """Positions of random games, each after one more move than the one before, and a legal action of each."""

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
    first, keys = (
        game.parse(RULE_SETS[rule_set]) if RULE_SETS[rule_set] else game.init(),
        jax.random.split(jax.random.key(3), BOARDS),
    )
    return (game, *quickly(functools.partial(_positions, game), first, keys)(first, keys))


@functools.cache
def said(rule_set: str) -> Any:
    """numpy: what the game says of its sample, by ``vmap`` on one device."""
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
class Told(NamedTuple):
    """numpy: BOARDS states, a legal action of each, and what the game says of them on one device."""

    states: Any
    actions: np.ndarray
    said: Any


def write(file: Path, rule_sets: list[str]) -> Path:
    """A file for ``failures``."""
    told = {
        rule_set: Told(*jax.tree.map(np.asarray, sample(rule_set)[1:]), said(rule_set))
        for rule_set in rule_sets
    }
    file.write_bytes(pickle.dumps(told))
    return file


def under_shard_map(game: Game, told: Told) -> None:
    """Each device's rows are those of one device, and devices have nothing to tell each other."""
    mesh = jax.make_mesh((DEVICES,), ("d",), axis_types=(AxisType.Auto,))

    def spread(function: Callable) -> Callable:
        return jax.shard_map(jax.vmap(function), mesh=mesh, in_specs=P("d"), out_specs=P("d"))

    _hold(game, told, spread, mesh)


def under_an_explicit_mesh(game: Game, told: Told) -> None:
    """``vmap`` over a batch that is spread by its type."""
    mesh = jax.make_mesh((DEVICES,), ("d",), axis_types=(AxisType.Explicit,))
    with jax.set_mesh(mesh):
        _hold(game, told, jax.vmap, mesh)


def _hold(game: Game, told: Told, spread: Callable, mesh: jax.sharding.Mesh) -> None:
    """What takes long to compile beside ``RULES`` is only traced: what JAX refuses, it refuses then."""
    states, actions = jax.device_put((told.states, told.actions), NamedSharding(mesh, P("d")))
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
    equal(call(states, actions), {name: told.said[name] for name in rules})
    for word in ("all-reduce", "all-gather", "all-to-all", "collective-permute"):
        assert word not in call.as_text(), f"devices wait for each other: {word}"


def failures(file: Path) -> dict[str, str]:
    """Of each law and rule set of the file that failed, why."""
    found = {}
    for rule_set, told in pickle.loads(file.read_bytes()).items():
        for law in (under_shard_map, under_an_explicit_mesh):
            try:
                law(make(rule_set), told)
            except Exception:
                found[f"{law.__name__} {rule_set}"] = traceback.format_exc(limit=-6)
    return found


if __name__ == "__main__":
    if jax.device_count() != DEVICES:
        sys.exit(f"{jax.device_count()} devices, not {DEVICES}")
    print(json.dumps(failures(Path(sys.argv[1]))))
