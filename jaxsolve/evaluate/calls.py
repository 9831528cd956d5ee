"""Compiled calls of the evaluator, spread over the devices.

A call is compiled once for each setting, batch size and process. It holds no weights. On a single
device, calls for the package's own games are compiled once for all processes
(``jaxsolve.jit.device``).
"""

from __future__ import annotations

import bisect
import dataclasses
import functools
import threading
from collections.abc import Callable
from typing import TYPE_CHECKING, Any, NamedTuple

import jax
import numpy as np
from jax.sharding import Mesh, NamedSharding, Sharding, SingleDeviceSharding
from jax.sharding import PartitionSpec as P

from jaxsolve.core.process import cpu_seconds
from jaxsolve.evaluate.rows import Rows
from jaxsolve.jit import compile_clock, device

if TYPE_CHECKING:
    from typing import Any as Device  # ``jax.Device`` is a variable to type checkers

BATCH_SIZES = (16, 64, 256, 1024, 4096)
"""Sizes to which waves are padded for the rules.

Each size takes seconds to compile on first use. A wave of 1 costs little less than a wave of 16.
"""
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
"""Sizes to which batches are padded for the network.

They are closer together than ``BATCH_SIZES``, since a network's time is proportional to the number
of rows, padding included.
"""
IMAGE_SIZES = (256,)

AXIS = "boards"

_compiling, _making = threading.Lock(), threading.Lock()


class Estimates(NamedTuple):
    """The output of the network for k rows of a wave, possibly not yet computed."""

    which: np.ndarray  # int64[k]: indices of the rows
    # uint32[K, width - values]: last words of these rows, padded to a batch size K.
    words: jax.Array | np.ndarray


Function = Callable[..., Any]


class Call:
    """A function that takes batches of a few sizes, compiled at the first use of a size.

    Thread-safe.

    Args:
      compile: called with the arguments of the first call of a size; returns the function compiled
        for their shapes and dtypes.
      sizes: batch sizes in ascending order.
    """

    def __init__(self, compile: Callable[..., Function], sizes: tuple[int, ...]):
        self._compile, self.sizes = compile, sizes
        self.compiled: dict[int, Function] = {}  # by size

    def size(self, count: int) -> int:
        """Returns the smallest batch size that holds ``count`` positions.

        Raises ValueError if ``count`` exceeds the largest size.
        """
        at = bisect.bisect_left(self.sizes, count)
        if at == len(self.sizes):
            raise ValueError(f"a wave holds {count} positions, at most {self.sizes[-1]} fit")
        return self.sizes[at]

    def first(self, size: int, *arguments: Any) -> tuple[Any, float]:
        """Compiles the function for a batch size and calls it.

        One thread compiles at a time, so that no CPU second is counted twice. The wait for another
        thread is not counted.

        Returns (result of the call, CPU seconds of compilation in this process).
        """
        with compile_clock.measured(_compiling):
            if size in self.compiled:
                return self.compiled[size](*arguments), 0.0
            start = cpu_seconds()
            function = self._compile(*arguments)
            out = jax.block_until_ready(function(*arguments))
            self.compiled[size] = function
            return out, cpu_seconds() - start


class Calls:
    """The compiled calls for one setting (``Rows``) on given devices.

    A batch is split evenly over the devices, so batch sizes are rounded up to multiples of the
    number of devices. All other arguments are replicated.
    """

    def __init__(self, rows: Rows, devices: tuple[Device, ...]):
        self.rows, self.devices, first = rows, devices, devices[0]
        self.mesh = Mesh(np.array(devices), (AXIS,)) if len(devices) > 1 else None
        # With a single CPU device, results are in the host's memory already.
        self.sends_home = self.mesh is not None or first.platform != "cpu"
        history = 2 if rows.planes is not None and rows.planes.boards > 1 else 0
        self._rules_rows = self._spread(rows.rules_rows, P(AXIS), P(AXIS), P())
        self.rules_rows = Call(self._cached_rules_rows, self._raised(BATCH_SIZES))
        self.image = Call(_as_it_is(jax.jit(jax.vmap(rows.image))), IMAGE_SIZES)
        self.estimate: Call | None = None
        if rows.apply is not None:
            self.estimate = Call(
                _as_it_is(self._spread(rows.estimate, P(), *[P(AXIS)] * (1 + history))),
                self._raised(ESTIMATE_SIZES),
            )

    @property
    def whole(self) -> Sharding:
        """The sharding that replicates an array on every device."""
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
            # The default device needs no sharding, since arguments go there anyway.
            default = self.devices[0] == jax.local_devices()[0]
            return jax.jit(function) if default else jax.jit(function, in_shardings=self.whole)
        # Devices do not communicate. The check of varying axes is off, since it rejects loops that
        # networks may contain.
        sharded: Any = jax.shard_map(
            function, mesh=self.mesh, in_specs=specs, out_specs=P(AXIS), check_vma=False
        )
        return jax.jit(
            sharded, in_shardings=tuple(NamedSharding(self.mesh, spec) for spec in specs)
        )

    def _cached_rules_rows(self, *arguments: np.ndarray | np.generic) -> Function:
        """Returns ``rows.rules_rows``, as an executable cached on disk if possible.

        This is possible if all its code belongs to this package and it runs on a single device.
        """
        game = self.rows.game
        if self.devices != tuple(jax.devices()[:1]) or not device.is_cacheable(game):
            return self._rules_rows
        # The rows by the rules do not depend on the network's function.
        plain = dataclasses.replace(self.rows, apply=None, planes=None, costly=False)
        return device.executable(
            self.rows.rules_rows,
            arguments,
            repr(("rules_rows", type(game), game.rule_set, plain, self.rows.apply is not None)),
        )


def _as_it_is(function: Function) -> Callable[..., Function]:
    """Returns the argument ``compile`` of ``Call`` for a function that ``jax.jit`` compiles."""
    return lambda *_: function


def calls_of(rows: Rows, devices: tuple[Device, ...]) -> Calls:
    """Returns the compiled calls of a setting, which are shared in this process."""
    with _making:
        return _calls(rows, devices)


@functools.lru_cache(maxsize=64)
def _calls(rows: Rows, devices: tuple[Device, ...]) -> Calls:
    return Calls(rows, devices)
