"""``executable``: a JAX function compiled ahead of time and cached as a whole executable.

JAX's own cache on disk saves only the compilation by XLA. Its key is the lowered function, so every
process must trace and lower a function before it can look it up. For one game and one batch size,
this takes 0.35 of 0.4 CPU seconds. This module caches the executable under a digest of everything
that the executable depends on, so nothing is traced. JAX's cache also writes its files in place. A
killed process can therefore leave an incomplete file there.
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

    The game must belong to this package. JAX must use its own default device, and ``jax.jit`` must
    not be disabled.
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
    """Compiles a function for given arguments and the default device, or reads it from the cache.

    Args:
      function: pure function of pytrees of arrays. All its code must be in this package, because
        the digest covers only the sources of this package.
      arguments: example arguments, of which only the shapes and dtypes matter.
      name: text that identifies the function and everything that it closes over, such as rule set
        and settings.
      result: a pytree with the structure of the function's result; by default a single array.
    """
    leaves, structure = jax.tree.flatten(arguments)
    shapes = [(np.shape(x), np.asarray(x).dtype.str) for x in leaves]
    key = repr((name, structure, shapes, _surroundings())).encode()
    file = cache_folder() / "executables" / hashlib.sha256(key).hexdigest()[:32]
    payload = cache_files.read(file, key)
    if payload is not None:
        # If the device cannot load the executable, the function is compiled again.
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
    """Returns, as text, the sources, versions, settings and device that executables depend on."""
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
    """Disables JAX's compilation cache within the ``with`` block.

    An executable from JAX's cache cannot be serialised again: on CPUs the second file would lack
    the compiled functions.
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
