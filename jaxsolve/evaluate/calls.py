"""Compiled calls: each setting is compiled once a process and batch size, spread over the devices, and holds no weights.

On a lone device those of the package's own games are compiled once for all processes: see ``jaxsolve.jit.device``.
"""

from __future__ import annotations

import bisect
import dataclasses
import functools
import threading
from collections.abc import Callable
from typing import Any

import jax
import numpy as np
from jax.sharding import Mesh, NamedSharding, Sharding, SingleDeviceSharding
from jax.sharding import PartitionSpec as P

from jaxsolve.core.process import cpu_seconds
from jaxsolve.evaluate.rows import Rows
from jaxsolve.jit import device

BATCH_SIZES = (16, 64, 256, 1024, 4096)
"""Each is compiled when first met, for seconds; a wave of one costs little less than one of 16."""
ESTIMATE_SIZES = (
    1,
    2,
    4,
    8,
    16,
    24,
    32,
    48,
    64,
    96,
    128,
    192,
    256,
    384,
    512,
    768,
    1024,
    2048,
    4096,
)
"""Closer together: most of a network's time goes by rows, padding among them."""
IMAGE_SIZES = (256,)

AXIS = "boards"

_compiling, _making = threading.Lock(), threading.Lock()


Function = Callable[..., Any]


class Call:
    """A function of batches of a few sizes, compiled for each when first met. Safe to share between threads.

    ``compile`` gives, from example arguments, a function for such as they are.
    """

    def __init__(self, compile: Callable[..., Function], sizes: tuple[int, ...]):
        self._compile, self.sizes = compile, sizes
        self.compiled: dict[int, Function] = {}  # by size

    def size(self, count: int) -> int:
        """The smallest batch that holds ``count`` positions. Raises ValueError where none does."""
        at = bisect.bisect_left(self.sizes, count)
        if at == len(self.sizes):
            raise ValueError(f"a wave holds {count} positions, at most {self.sizes[-1]} fit")
        return self.sizes[at]

    def first(self, size: int, *arguments: Any) -> tuple[Any, float]:
        """(result, CPU seconds of this process that it took to compile) of a call in a new size.

        One thread compiles at a time, so that no CPU second is booked twice; those that wait are not charged.
        """
        with _compiling:
            if size in self.compiled:
                return self.compiled[size](*arguments), 0.0
            start = cpu_seconds()
            function = self._compile(*arguments)
            out = jax.block_until_ready(function(*arguments))
            self.compiled[size] = function
            return out, cpu_seconds() - start


class Calls:
    """The calls for one kind of rows on given devices.

    A batch is split evenly over the devices, so its size is raised to a multiple of their number; every other argument is there on all.
    """

    def __init__(self, rows: Rows, devices: tuple[jax.Device, ...]):
        self.rows, self.devices = rows, devices
        self.mesh = Mesh(np.array(devices), (AXIS,)) if len(devices) > 1 else None
        self.sends_home = (
            self.mesh is not None or devices[0].platform != "cpu"
        )  # else results lie in the host's memory anyway
        history = 2 if rows.planes is not None and rows.planes.boards > 1 else 0
        self._look = self._spread(rows.look, P(AXIS), P(AXIS), P())
        self.look = Call(self._kept_look, self._raised(BATCH_SIZES))
        self.image = Call(_as_it_is(jax.jit(jax.vmap(rows.image))), IMAGE_SIZES)
        self.estimate: Call | None = None
        if rows.apply is not None:
            self.estimate = Call(
                _as_it_is(self._spread(rows.estimate, P(), *[P(AXIS)] * (1 + history))),
                self._raised(ESTIMATE_SIZES),
            )

    @property
    def whole(self) -> Sharding:
        """Where arrays lie that every device needs whole."""
        return (
            NamedSharding(self.mesh, P())
            if self.mesh is not None
            else SingleDeviceSharding(self.devices[0])
        )

    def _raised(self, sizes: tuple[int, ...]) -> tuple[int, ...]:
        n = len(self.devices)
        return tuple(sorted({-(-size // n) * n for size in sizes}))

    def _spread(self, function: Callable[..., jax.Array], *specs: P) -> Callable[..., jax.Array]:
        if self.mesh is None:
            default = (
                self.devices[0] == jax.local_devices()[0]
            )  # where arguments from host memory go anyway
            return jax.jit(function) if default else jax.jit(function, in_shardings=self.whole)
        # Nothing crosses devices. Networks may well hold loops that the check of varying axes does not accept, so it is off.
        sharded: Any = jax.shard_map(
            function, mesh=self.mesh, in_specs=specs, out_specs=P(AXIS), check_vma=False
        )
        return jax.jit(
            sharded, in_shardings=tuple(NamedSharding(self.mesh, spec) for spec in specs)
        )

    def _kept_look(self, *arguments: np.ndarray | np.generic) -> Function:
        """``rows.look`` as an executable that other processes find on disk, where its code is the package's alone and runs on the one device."""
        game = self.rows.game
        if self.devices != tuple(jax.devices()[:1]) or not device.is_cacheable(game):
            return self._look
        asked = dataclasses.replace(
            self.rows, apply=None, planes=None, costly=False
        )  # ``look`` is the same for all networks
        return device.executable(
            self.rows.look,
            arguments,
            repr(("look", type(game), game.rule_set, asked, self.rows.apply is not None)),
        )


def _as_it_is(function: Function) -> Callable[..., Function]:
    """``Call.compile`` of a jitted function, which compiles itself."""
    return lambda *_: function


def calls_of(rows: Rows, devices: tuple[jax.Device, ...]) -> Calls:
    """The calls of a setting, made once a process."""
    with _making:
        return _calls(rows, devices)


@functools.lru_cache(maxsize=64)
def _calls(rows: Rows, devices: tuple[jax.Device, ...]) -> Calls:
    return Calls(rows, devices)
