"""Compiled calls: each setting is compiled once a process and batch size, spread over the devices, and holds no weights."""

from __future__ import annotations

import functools
import threading
from collections.abc import Callable
from typing import Any

import jax
import numpy as np
from jax.sharding import Mesh, NamedSharding, Sharding, SingleDeviceSharding
from jax.sharding import PartitionSpec as P

from jaxsolve.evaluate.rows import Rows
from jaxsolve.runtime import cpu_seconds

AXIS = "boards"


class Calls:
    """The jitted functions of one kind of rows on given devices. Safe to share between threads.

    A batch is split evenly over the devices; every other argument is there on all of them.
    """

    def __init__(self, rows: Rows, devices: tuple[jax.Device, ...]):
        self.rows, self.devices = rows, devices
        self.mesh = Mesh(np.array(devices), (AXIS,)) if len(devices) > 1 else None
        history = 2 if rows.planes is not None and rows.planes.boards > 1 else 0
        self.look = self._spread(rows.look, P(AXIS), P(AXIS), P())
        self.estimate = self._spread(rows.estimate, P(), *[P(AXIS)] * (1 + history)) if rows.apply is not None else None
        self.image = jax.jit(jax.vmap(rows.image))
        self._lock = threading.Lock()
        self._compiled: set[tuple[str, int]] = set()

    @property
    def whole(self) -> Sharding:
        """Where arrays lie that every device needs whole."""
        return NamedSharding(self.mesh, P()) if self.mesh is not None else SingleDeviceSharding(self.devices[0])

    def padded(self, count: int, sizes: tuple[int, ...]) -> int:
        """The smallest of ``sizes``, raised to a multiple of the number of devices, that holds ``count``; 0 if none does."""
        n = len(self.devices)
        return next((-(-size // n) * n for size in sizes if -(-size // n) * n >= count), 0)

    def ready(self, kind: str, size: int) -> bool:
        """Whether a call of this kind was made in this size, and so is compiled."""
        return (kind, size) in self._compiled

    def first(self, kind: str, size: int, call: Callable[[], jax.Array]) -> tuple[jax.Array, float]:
        """(result, CPU seconds it took to compile) of a call not seen before. Threads that need the same one wait for it, at no charge."""
        with self._lock:
            start = cpu_seconds()
            new = not self.ready(kind, size)
            out = call()
            if new:
                jax.block_until_ready(out)
                self._compiled.add((kind, size))
            return out, cpu_seconds() - start if new else 0.0

    def _spread(self, function: Callable[..., jax.Array], *specs: P) -> Callable[..., jax.Array]:
        if self.mesh is None:
            default = self.devices[0] == jax.local_devices()[0]  # where arguments from host memory go anyway
            return jax.jit(function) if default else jax.jit(function, in_shardings=self.whole)
        # Nothing crosses devices. Networks may well hold loops that the check of varying axes does not accept, so it is off.
        sharded: Any = jax.shard_map(function, mesh=self.mesh, in_specs=specs, out_specs=P(AXIS), check_vma=False)
        return jax.jit(sharded, in_shardings=tuple(NamedSharding(self.mesh, spec) for spec in specs))


_making = threading.Lock()


def calls_of(rows: Rows, devices: tuple[jax.Device, ...]) -> Calls:
    """The calls of a setting, made once a process."""
    with _making:
        return _calls(rows, devices)


@functools.lru_cache(maxsize=64)
def _calls(rows: Rows, devices: tuple[jax.Device, ...]) -> Calls:
    return Calls(rows, devices)
