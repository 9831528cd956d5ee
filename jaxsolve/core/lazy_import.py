"""Deferred imports. Importing JAX takes most of a second, and listing games does not need JAX.

Modules that contain both rules and text use ``from jaxsolve.core.lazy_import import jax, jnp``.
These names behave like the modules themselves.

``sys.modules`` is not changed. ``importlib.util.LazyLoader`` and ``lazy_loader.load`` would insert
an unfinished JAX module into ``sys.modules``, and other libraries would import that module.
"""

from __future__ import annotations

import functools
import importlib
import sys
from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, TypeVar

__all__ = ["attach", "chex", "exportable", "jax", "jit", "jnp"]

NamedTupleType = TypeVar("NamedTupleType", bound=type)

_waiting: list[type] = []  # classes of ``exportable`` that are not registered with JAX yet


class _Module:
    """Proxy of a module. Each attribute is looked up once and then stored in the proxy."""

    def __init__(self, name: str):
        self.__name__ = name

    def __getattr__(self, attribute: str) -> Any:
        found = getattr(importlib.import_module(self.__name__), attribute)
        setattr(self, attribute, found)
        _register_waiting()
        return found


class _Jitted:
    """A function or method that is passed to ``jax.jit`` at its first call or attribute access."""

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
        if attribute.startswith("__"):  # Python looks some of these up when it creates a class
            raise AttributeError(attribute)
        return getattr(self._function, attribute)


if TYPE_CHECKING:
    import chex
    import jax
    import jax.numpy as jnp
else:
    chex, jax, jnp = _Module("chex"), _Module("jax"), _Module("jax.numpy")


def jit(**options: Any) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
    """Returns a decorator like ``jax.jit`` with ``options`` that does not import JAX.

    JAX is imported when the decorated function is first called, when an attribute of ``jax.jit``'s
    function such as ``lower`` is read, or when a decorated method is looked up on an object.
    """
    return lambda function: _Jitted(function, options)


def exportable(named_tuple: NamedTupleType) -> NamedTupleType:
    """Class decorator: registers a named tuple with ``jax.export`` for serialisation.

    Functions that take or return the named tuple can then be serialised. The registered name is
    ``jaxsolve.<class name>``. If JAX is not imported yet, the class is registered at the first use
    of JAX in this package.
    """
    _waiting.append(named_tuple)
    if "jax" in sys.modules:
        _register_waiting()
    return named_tuple


def _register_waiting() -> None:
    if not _waiting:
        return
    from jax.export import register_namedtuple_serialization

    while _waiting:
        named_tuple = _waiting.pop()
        register_namedtuple_serialization(
            named_tuple, serialized_name=f"jaxsolve.{named_tuple.__name__}"
        )


def attach(
    package: str, modules: Mapping[str, Sequence[str]], *others: str
) -> tuple[Callable[[str], Any], Callable[[], list[str]]]:
    """Returns ``__getattr__`` and ``__dir__`` (PEP 562) that import a package's names on first use.

    Args:
      package: the package's ``__name__``.
      modules: for each module of the package, the names that it provides.
      others: further public names, which the package's ``__init__`` defines.
    """
    module_of = {name: module for module, names in modules.items() for name in names}

    def get(name: str) -> Any:
        if name not in module_of:
            raise AttributeError(f"module {package!r} has no attribute {name!r}")
        return getattr(importlib.import_module(f"{package}.{module_of[name]}"), name)

    return get, lambda: sorted({*module_of, *others})
