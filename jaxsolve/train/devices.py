"""Training on several devices: games are dealt out to them, all else is the same on each.

What is computed does not depend on how many there are: games know nothing of each other, the replay and the network are whole on each device, and a
step of learning takes its sums over the batch of all.
"""

from __future__ import annotations

import os
from typing import Any

import jax
import numpy as np
from jax.experimental import multihost_utils
from jax.sharding import Mesh, NamedSharding, PartitionSpec

GAMES = "games"  # the one axis


def join() -> None:
    """Joins the processes of a run, before any device is used; once.

    Who they are: JAX_COORDINATOR_ADDRESS (host:port), JAX_NUM_PROCESSES and JAX_PROCESS_ID, or what JAX finds by itself on Slurm, Kubernetes and TPU
    pods. Raises ValueError for numbers that are none, RuntimeError as ``jax.distributed.initialize``.
    """
    if jax.distributed.is_initialized():
        return
    names = ("JAX_NUM_PROCESSES", "JAX_PROCESS_ID")
    given = [os.environ.get(name) for name in names]
    for name, value in zip(names, given, strict=True):
        if value is not None and not value.isdecimal():
            raise ValueError(f"{name}={value!r} is not a whole number")
    count, number = (None if value is None else int(value) for value in given)
    jax.distributed.initialize(num_processes=count, process_id=number)


def mesh() -> Mesh | None:
    """All devices of all processes; None for a single one."""
    devices = jax.devices()
    return Mesh(np.asarray(devices), (GAMES,)) if len(devices) > 1 else None


def whole(mesh: Mesh) -> NamedSharding:
    """The same on every device."""
    return NamedSharding(mesh, PartitionSpec())


def dealt(mesh: Mesh, axis: int = 0) -> NamedSharding:
    """A part on every device, along an axis."""
    return NamedSharding(mesh, PartitionSpec(*[None] * axis, GAMES))


def place(tree: Any, sharding: NamedSharding | None) -> Any:
    """Arrays that every process has whole, as arrays on the devices of all."""
    return tree if sharding is None else jax.tree.map(lambda leaf: _placed(leaf, sharding), tree)


def lying(tree: Any, sharding: NamedSharding) -> Any:
    """Shapes (``jax.ShapeDtypeStruct``) of arrays that lie so."""
    return jax.tree.map(
        lambda leaf: jax.ShapeDtypeStruct(leaf.shape, leaf.dtype, sharding=sharding), tree
    )


def fetch(leaf: Any) -> np.ndarray:
    """An array as every process has it whole; all of them must ask for it."""
    if (
        isinstance(leaf, jax.Array)
        and not leaf.is_fully_addressable
        and not leaf.is_fully_replicated
    ):
        return np.asarray(multihost_utils.process_allgather(leaf, tiled=True))
    return np.asarray(leaf)


def first() -> bool:
    """Whether this process writes what the run leaves behind."""
    return jax.process_index() == 0


def agreed(value: int) -> int:
    """What the first process says; all of them must ask."""
    return (
        value
        if jax.process_count() == 1
        else int(multihost_utils.broadcast_one_to_all(np.int32(value)))
    )


def is_key(leaf: Any) -> bool:
    """Whether an array holds random keys."""
    return jax.numpy.issubdtype(leaf.dtype, jax.dtypes.prng_key)


def _placed(leaf: Any, sharding: NamedSharding) -> jax.Array:
    if is_key(leaf):
        return jax.random.wrap_key_data(_placed(jax.random.key_data(leaf), sharding))
    return jax.device_put(np.asarray(leaf), sharding)
