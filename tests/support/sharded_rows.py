"""Program that compares an evaluator on several devices with one on a single device.

``python sharded_rows.py DEVICES RULE_SET:KIND ...`` prints each rule set and kind whose rows are
equal. ``tests/evaluate/test_devices.py`` runs it with eight virtual devices.
"""

from __future__ import annotations

import sys

import jax
import jax.numpy as jnp
import numpy as np

from jaxsolve.core.process import setup
from jaxsolve.evaluate import Evaluator, HeadOutputs, Heads, History
from jaxsolve.games import make
from jaxsolve.games.go.colour_planes import ColourPlanes

PARAMS = {"bias": np.float32(3), "weight": np.arange(4, dtype=np.float32)}


def network(params, planes, legal):
    """A function with a loop and constants, as in networks.

    It computes whole numbers, since rounding may depend on the batch size.
    """

    def layer(i, x):
        return 2 * x + params["bias"] + i

    total = (
        jax.lax.fori_loop(0, 3, layer, jnp.zeros(()))
        + planes.sum((1, 2, 3)) * params["weight"].sum()
    )
    return HeadOutputs(legal / 4, total, jnp.stack([total + 1, -total], 1))


def positions(game, count):
    """Packed positions of successive random games, and a legal action of each."""
    rng, states, actions = np.random.default_rng(0), [], []

    @jax.jit
    def after(words, action):
        state = game.step(game.unpack(words), action)
        return game.pack(state), game.legal_mask(state)

    start = np.asarray(game.pack(game.init())), np.asarray(game.legal_mask(game.init()))
    words, legal = start
    while len(states) < count:
        if not legal.any():
            words, legal = start
        states.append(words)
        actions.append(rng.choice(np.flatnonzero(legal)))
        words, legal = (np.asarray(x) for x in after(words, jnp.int32(actions[-1])))
    return np.stack(states), np.array(actions, np.int32)


def same_rows(rule_set: str, kind: str, devices: int) -> None:
    game, history = make(rule_set), None
    states, actions = positions(game, 20)
    options = {
        "plain": {},
        "canonical": {"canonical": True},
        "playouts": {"playouts": 2},
        "network": {"heads": Heads(network, PARAMS)},
    }[kind]
    if kind == "network" and rule_set.startswith("killallgo"):
        options["heads"] = Heads(network, PARAMS, ColourPlanes(3))
        history = History(
            np.stack([states, np.roll(states, 1, 0)], 1), np.arange(20, dtype=np.int32) % 3
        )
    one, several = (
        Evaluator(game, devices=jax.local_devices()[:n], **options) for n in (1, devices)
    )
    for count in (1, 20) if rule_set == "awari" else (20,):
        part = None if history is None else History(history.states[:count], history.counts[:count])
        rows, spread = (
            evaluator(states[:count], actions[:count], 7, part) for evaluator in (one, several)
        )
        assert spread.shape == (count, one.layout.width) and np.array_equal(rows, spread), (
            rule_set,
            kind,
            count,
        )
    assert len(several.submit(states, actions, 7).sharding.device_set) == devices
    if kind == "network":
        doubled = jax.tree.map(lambda x: 2 * x, PARAMS)
        changed = several.with_params(doubled)
        assert np.array_equal(
            changed(states, actions, 7, history),
            one.with_params(doubled)(states, actions, 7, history),
        )
        assert all(
            len(x.sharding.device_set) == devices for x in jax.tree.leaves(changed.heads.params)
        )


if __name__ == "__main__":
    setup()
    assert jax.local_device_count() == 8
    awari = make("awari")
    assert len(Evaluator(awari).submit(*positions(awari, 5)).sharding.device_set) == 8, (
        "all devices are the default"
    )
    for case in sys.argv[2:]:
        same_rows(*case.rsplit(":", 1), int(sys.argv[1]))
        print("same", case, flush=True)
