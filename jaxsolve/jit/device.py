"""``executable``: a JAX function compiled ahead of its call, and kept so that later processes neither trace nor lower it.

JAX's own cache on disk saves the compilation by XLA alone, and a process still traces and lowers every call before it may look there: 0.35 of
0.4 CPU seconds for one batch size of one game. Here the whole executable is kept under a digest of all that it was made from.
JAX's cache also writes its files in place: one that a killed process left half written stays so, and is compiled around for ever.
"""

from __future__ import annotations

import contextlib
import functools
import hashlib
import os
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import jax
import numpy as np
from jax.experimental import serialize_executable
from jax.experimental.compilation_cache import compilation_cache

from jaxsolve.core.process import cache_folder
from jaxsolve.jit import cache


def is_cacheable(game: object) -> bool:
    """Whether what is compiled for ``game`` now comes from this package's code alone, and for the device that ``executable`` is for."""
    return (
        type(game).__module__.startswith("jaxsolve.")
        and jax.config.jax_default_device is None
        and not jax.config.jax_disable_jit
    )


def executable(
    function: Callable[..., Any], arguments: tuple[Any, ...], name: str, result: Any = 0
) -> Callable[..., Any]:
    """The compiled call of a pure function of arrays, or pytrees of them, for arguments like these. It runs on the default device.

    Args:
      function: its code must lie in this package, whose sources are part of the digest, and all its settings in ``name``.
      arguments: examples; only their shapes and dtypes matter.
      name: says which function it is, with everything it closes over: the rule set, and each setting of the evaluator.
      result: a pytree of the structure that it returns; by default a single array.
    """
    leaves, structure = jax.tree.flatten(arguments)
    shapes = [(np.shape(x), np.asarray(x).dtype.str) for x in leaves]
    key = repr((name, structure, shapes, _surroundings())).encode()
    file = cache_folder() / "executables" / hashlib.sha256(key).hexdigest()[:32]
    payload = cache.read(file, key)
    if payload is not None:
        with contextlib.suppress(
            Exception
        ):  # an executable that does not load, for whatever reason of the device's, is made again
            return _load(payload, arguments, result)
    with _without_cache():
        call = jax.jit(function).lower(*arguments).compile()
    with contextlib.suppress(Exception):  # as above: not every device can tell its executables
        payload = serialize_executable.serialize(call)[0]
        cache.write(file, key, payload)
    return call


def _load(payload: bytes, arguments: tuple[Any, ...], result: Any) -> Callable[..., Any]:
    inputs, output = jax.tree.structure((arguments, {})), jax.tree.structure(result)
    return serialize_executable.deserialize_and_load(
        payload, inputs, output, execution_devices=jax.devices()[:1]
    )


@functools.cache
def _sources() -> str:
    package, digest = Path(__file__).parents[1], hashlib.sha256()
    for file in sorted(package.rglob("*.py")):
        digest.update(f"{file.relative_to(package)}\n".encode() + file.read_bytes())
    return digest.hexdigest()


def _surroundings() -> str:
    """All that an executable depends on besides its function: sources, versions, settings, device."""
    device = jax.devices()[0]
    settings = sorted(
        (key, str(value))
        for key, value in jax.config.values.items()
        if not any(word in key for word in ("cache", "log", "guard"))
    )
    flags = [os.environ.get(name, "") for name in ("XLA_FLAGS", "LIBTPU_INIT_ARGS")]
    version = device.client.platform_version
    return repr(
        (
            _sources(),
            jax.__version__,
            version,
            device.platform,
            device.device_kind,
            len(jax.devices()),
            settings,
            flags,
        )
    )


@contextlib.contextmanager
def _without_cache() -> Iterator[None]:
    """Compilation inside does not use JAX's cache: what comes from there cannot be serialised again (on CPUs it lacks its functions)."""
    before = jax.config.jax_enable_compilation_cache
    jax.config.update("jax_enable_compilation_cache", False)
    compilation_cache.reset_cache()  # JAX asks once whether it has a cache, and remembers
    try:
        yield
    finally:
        jax.config.update("jax_enable_compilation_cache", before)
        compilation_cache.reset_cache()
