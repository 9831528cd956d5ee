"""What JAX may do to the rules of a game without changing what they say: batched branches, meshes of devices, strict types.

``python tests/transform_laws.py`` checks the laws of several devices, which must be made before JAX starts, and prints what failed as JSON.
"""

from __future__ import annotations

import functools
import json
import sys
import traceback
from collections.abc import Callable
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
from jax.sharding import AxisType, NamedSharding
from jax.sharding import PartitionSpec as P

from jaxsolve.games import Game, make, random_legal_action

TSUMEGO = "tsumego-5;goal=live;defender=black;crucial=B2,C2;region=A1,B1,C1,D1,A2,B2,C2,D2,A3,B3,C3,D3;ko_white=forbid"
RULE_SETS = {  # and the position that random games start from, where it is not the game's own
    "awari": "3,0,1,2,0,5/1,2,0,4,0,1 s captured=15:14",
    "go-5": "",
    "go-3;ko=positional;komi=0": "",
    "gomoku-6;line=4;win=exact5;knowledge=4t": "",
    "gomoku-7;line=5;win=five-or-more;knowledge=ndk": "",
    "hex-4": "",
    "killallgo-7;ko=situational;passes=stones": "",
    "killallgo-9;ko=simple;fill_eyes=false": "",
    TSUMEGO: "...../...../..O../.XXO./..... w",
}
BOARDS, DEVICES = 16, 8
ABILITIES = ("children", "foresee", "first_numbers", "forced_reply")


def functions(game: Game) -> dict[str, Callable]:
    """Everything a game says of (state, action)."""
    told = {name: getattr(game, name) for name in ("legal_mask", "outcome", "to_move", "observe", "key", "pack", *ABILITIES) if hasattr(game, name)}
    said = {name: lambda state, action, tell=tell: tell(state) for name, tell in told.items()}
    turn = lambda state, action: game.transform(state, action % game.num_symmetries)  # noqa: E731
    return {"step": game.step, "transform": turn, **said}


def everything(game: Game) -> Callable:
    """(state, action) -> what every function of the game says."""
    return lambda state, action: {name: function(state, action) for name, function in functions(game).items()}


@functools.partial(jax.jit, static_argnums=0)
def positions(game: Game, first: Any) -> tuple[Any, jax.Array]:
    """BOARDS positions of random games, one after so many moves as its number, and a legal action of each."""

    def ply(carry: Any, key: jax.Array) -> Any:
        states, number = carry
        keys = jax.random.split(key, BOARDS)
        actions = jax.vmap(random_legal_action)(keys, jax.vmap(game.legal_mask)(states))
        moved = jax.vmap(game.step)(states, actions)
        going = (number < np.arange(BOARDS)) & (jax.vmap(game.outcome)(moved) == 0)
        keep = lambda new, old: jnp.where(going.reshape(-1, *(1,) * (old.ndim - 1)), new, old)  # noqa: E731
        return (jax.tree.map(keep, moved, states), number + 1), None

    start = jax.tree.map(lambda x: jnp.broadcast_to(x, (BOARDS, *x.shape)), first)
    states = jax.lax.scan(ply, (start, 0), jax.random.split(jax.random.key(3), BOARDS))[0][0]
    return states, jax.vmap(random_legal_action)(jax.random.split(jax.random.key(4), BOARDS), jax.vmap(game.legal_mask)(states))


@functools.cache
def sample(rule_set: str) -> tuple[Game, Any, jax.Array]:
    game = make(rule_set)
    first = game.parse(RULE_SETS[rule_set]) if RULE_SETS[rule_set] else game.init()
    return (game, *positions(game, first))


@functools.cache
def said(rule_set: str) -> Any:
    """numpy: what the game says of its sample, by ``vmap`` on one device."""
    game, states, actions = sample(rule_set)
    return jax.tree.map(np.asarray, jax.jit(jax.vmap(everything(game)))(states, actions))


def equal(one: Any, other: Any) -> None:
    for (path, x), (_, y) in zip(jax.tree.leaves_with_path(one), jax.tree.leaves_with_path(other), strict=True):
        np.testing.assert_array_equal(x, y, err_msg=str(path))


def under_shard_map(rule_set: str) -> None:
    game, states, actions = sample(rule_set)
    mesh = jax.make_mesh((DEVICES,), ("d",), axis_types=(AxisType.Auto,))
    sharded = jax.jit(jax.shard_map(jax.vmap(everything(game)), mesh=mesh, in_specs=P("d"), out_specs=P("d")))
    equal(sharded(states, actions), said(rule_set))
    hlo = sharded.lower(states, actions).compile().as_text()
    assert "all-reduce" not in hlo and "all-gather" not in hlo


def under_an_explicit_mesh(rule_set: str) -> None:
    game, states, actions = sample(rule_set)
    mesh = jax.make_mesh((DEVICES,), ("d",), axis_types=(AxisType.Explicit,))
    states, actions = jax.device_put(jax.tree.map(np.asarray, (states, actions)), NamedSharding(mesh, P("d")))
    for name, function in functions(game).items():
        with jax.set_mesh(mesh):
            equal(jax.jit(jax.vmap(function))(states, actions), said(rule_set)[name])


def failures() -> dict[str, str]:
    found = {}
    for rule_set in sys.argv[1:] or RULE_SETS:
        for law in (under_shard_map, under_an_explicit_mesh):
            try:
                law(rule_set)
            except Exception:
                found[f"{law.__name__} {rule_set}"] = traceback.format_exc(limit=-4)
    return found


if __name__ == "__main__":
    assert jax.device_count() == DEVICES
    print(json.dumps(failures()))
