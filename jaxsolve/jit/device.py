"""``executable``: a JAX function compiled ahead of time and cached as a whole executable.

JAX's own cache on disk saves only XLA's compilation: a process still traces and lowers every
function before it can look it up, 0.35 of 0.4 CPU seconds for one batch size of one game. Here the
executable is cached under a digest of all that it depends on. JAX's cache also writes in place, so
a file that a killed process left half written stays so.
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
from jaxsolve.jit import cache_files


def is_cacheable(game: object) -> bool:
    """Whether ``executable`` may cache code for ``game``.

    The game must be one of the package, and the default device and ``jax.jit`` in use.
    """
    config: Any = jax.config
    return (
        type(game).__module__.startswith("jaxsolve.")
        and config.jax_default_device is None
        and not config.jax_disable_jit
    )


def executable(
    function: Callable[..., Any], arguments: tuple[Any, ...], name: str, result: Any = 0
) -> Callable[..., Any]:
    """A pure function of pytrees of arrays, compiled for these arguments and the default device.

    Args:
      function: code of this package, whose sources are part of the digest.
      arguments: examples; only their shapes and dtypes matter.
      name: identifies the function and all that it closes over, such as rule set and settings.
      result: a pytree with the structure of its result; by default a single array.
    """
    leaves, structure = jax.tree.flatten(arguments)
    shapes = [(np.shape(x), np.asarray(x).dtype.str) for x in leaves]
    key = repr((name, structure, shapes, _surroundings())).encode()
    file = cache_folder() / "executables" / hashlib.sha256(key).hexdigest()[:32]
    payload = cache_files.read(file, key)
    if payload is not None:
        # If the device cannot load it, for whatever reason, it is compiled again.
        with contextlib.suppress(Exception):
            return _load(payload, arguments, result)
    with _without_cache():
        call = jax.jit(function).lower(*arguments).compile()
    with contextlib.suppress(Exception):  # not every device can serialise its executables
        payload = serialize_executable.serialize(call)[0]
        cache_files.write(file, key, payload)
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
    """All else that an executable depends on: sources, versions, settings, device."""
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
    """Compiles without JAX's cache.

    An executable from that cache cannot be serialised again (on CPUs it lacks its functions).
    """
    config: Any = jax.config
    before = config.jax_enable_compilation_cache
    jax.config.update("jax_enable_compilation_cache", False)
    compilation_cache.reset_cache()  # JAX looks for its cache only once
    try:
        yield
    finally:
        jax.config.update("jax_enable_compilation_cache", before)
        compilation_cache.reset_cache()
