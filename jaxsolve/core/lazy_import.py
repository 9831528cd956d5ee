"""Imports on first use. JAX takes most of a second to import, and to list the games or to show a position nothing need be computed.

``from jaxsolve.core.lazy_import import jax, jnp`` is for modules that hold rules and text alike. The two are the modules themselves to all who use them;
``sys.modules`` is left alone (``importlib.util.LazyLoader`` would put an unfinished JAX there, for every other library in the process to find).
"""

from __future__ import annotations

import functools
import importlib
from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

__all__ = ["chex", "jax", "jit", "jnp", "names"]


class _Module:
    """Stands for a module. Each attribute is looked up once and then lies here, so that it costs what a module's own would."""

    def __init__(self, name: str):
        self.__name__ = name

    def __getattr__(self, attribute: str) -> Any:
        found = getattr(importlib.import_module(self.__name__), attribute)
        setattr(self, attribute, found)
        return found


class _Jitted:
    """A function, or a method, that ``jax.jit`` has not seen before it is first called or asked for anything that jitted functions have."""

    def __init__(self, function: Callable[..., Any], options: Mapping[str, Any]):
        functools.update_wrapper(self, function)
        self._options = options

    @functools.cached_property
    def _function(self) -> Callable[..., Any]:
        return importlib.import_module("jax").jit(self.__wrapped__, **self._options)

    def __call__(self, *arguments: Any) -> Any:
        return self._function(*arguments)

    def __get__(self, instance: Any, owner: type | None = None) -> Any:
        return self if instance is None else functools.partial(self._function, instance)

    def __getattr__(self, attribute: str) -> Any:
        if attribute.startswith("__"):  # the making of a class looks for some
            raise AttributeError(attribute)
        return getattr(self._function, attribute)


if TYPE_CHECKING:
    import chex
    import jax
    import jax.numpy as jnp
else:
    chex, jax, jnp = _Module("chex"), _Module("jax"), _Module("jax.numpy")


def jit(**options: Any) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
    """``jax.jit`` with ``options`` as a decorator that does not import JAX."""
    return lambda function: _Jitted(function, options)


def names(package: str, homes: Mapping[str, Sequence[str]]) -> Callable[[str], Any]:
    """A module ``__getattr__`` (PEP 562) for ``package``: ``homes`` says which names each of its modules holds."""
    where = {name: module for module, held in homes.items() for name in held}

    def get(name: str) -> Any:
        if name not in where:
            raise AttributeError(f"module {package!r} has no attribute {name!r}")
        return getattr(importlib.import_module(f"{package}.{where[name]}"), name)

    return get
