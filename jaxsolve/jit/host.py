"""``compiled``, ``inlined`` and ``inner``: the decorators of all host loops.

They replace ``numba.njit(nogil=True, cache=True)``, for three reasons:

* Numba's cache is unsafe if several processes share it (``jit.code_cache``).
* The names of numba's symbols can collide. A symbol contains the function's name, its argument
  types, and a count of the functions compiled in the process. Objects from two processes can give
  the same symbol to two functions. The object that is loaded first is then used for both. For
  example, a closure that sorts in ascending order can run in place of one that sorts indices. In
  this package the count starts at a random 62-bit number in each process and each fork, so objects
  of all processes can be mixed.
* Compiled functions allocate no arrays, so numba's reference counts are left out. Each use of an
  array would need two atomic operations. These took four fifths of the search's time.

``tests/jit/test_internals.py`` lists the internals of numba that this module uses.
"""

# numba has no types for its internals:
# pyright: reportAttributeAccessIssue=false, reportIncompatibleMethodOverride=false
# pyright: reportPrivateImportUsage=false, reportCallIssue=false

from __future__ import annotations

import functools
import itertools
import os
import secrets
from collections.abc import Callable
from typing import Any, TypeVar

from numba import njit
from numba.core import config
from numba.core.bytecode import FunctionIdentity
from numba.core.compiler_lock import global_compiler_lock

from jaxsolve.jit import compile_clock
from jaxsolve.jit.code_cache import CodeCache, close_locks, code_folder
from jaxsolve.jit.inlining import InlinedCompiler

# Compiled functions run without the interpreter's lock (GIL) and without reference counts.
_OPTIONS: dict[str, Any] = {"nogil": True, "_nrt": False}

Function = TypeVar("Function", bound=Callable[..., Any])


def compiled(function: Function) -> Function:
    """Decorator: compiles a host loop at its first call, and caches its machine code on disk.

    The loop runs without the interpreter's lock (GIL). A function outside this package is compiled
    again when its own file changes; changes in other files that it uses are not detected.

    Raises:
      ValueError: the function is a closure. Its cache entry could not be distinguished from that of
        another closure with the same name.
    """
    return _cached(njit(**_OPTIONS)(function))


def inlined(function: Function) -> Function:
    """Decorator: compiles a small function, like ``compiled``, and inlines it into its callers.

    The function can also be called from Python. Inlining avoids passing arrays by value, which
    would take more time than most such functions do.
    """
    return _cached(njit(forceinline=True, **_OPTIONS)(function))


def inner(function: Function) -> Function:
    """Decorator: makes a function that can only be inlined into compiled functions.

    The function cannot be called from Python. It compiles faster than with ``inlined``
    (``jit.inlining``).
    """
    return _cached(
        njit(
            forceinline=True,
            no_cpython_wrapper=True,
            no_cfunc_wrapper=True,
            pipeline_class=InlinedCompiler,
            **_OPTIONS,
        )(function)
    )


@functools.cache  # a look-up by numba takes 0.7 ms, and each search has several of 8 callbacks
def address_of(function: Any, signature: Any) -> int:
    """Compiles a ``compiled`` function for a numba signature and returns its address.

    Compiled code can call the function at this address. Arguments are passed by the convention of
    numba's C callbacks: arrays by value, as structures. The address is valid until the process
    ends.
    """
    function.compile(signature.args)
    result = function.overloads[tuple(signature.args)]
    return result.library.get_pointer_to_function(result.fndesc.llvm_cfunc_wrapper_name)


def _cached(dispatcher: Any) -> Any:
    """Replaces the cache of numba's dispatcher of a function by a ``CodeCache``.

    Returns the dispatcher. Raises ValueError for a closure.
    """
    if dispatcher.py_func.__closure__:
        raise ValueError(
            f"{dispatcher.py_func.__qualname__} is a closure; pass its variables as arguments"
        )
    if not config.DISABLE_JIT:
        dispatcher._cache = cache = CodeCache(dispatcher)
        dispatcher.compile = functools.partial(_compile, dispatcher.compile, cache)
    return dispatcher


def _compile(compile: Callable[[Any], Any], cache: CodeCache, signature: Any) -> Any:
    """Compiles a function for a signature, or reads its machine code from the cache.

    ``compile_clock`` counts the time as compilation.
    """
    with compile_clock.measured(global_compiler_lock):
        try:
            return compile(signature)
        finally:
            cache.release()


def _randomise_symbol_count() -> None:
    """Makes the symbols of this process differ from those of every other process."""
    FunctionIdentity._unique_ids = itertools.count(secrets.randbits(62))


def _separate_fork() -> None:
    _randomise_symbol_count()
    close_locks()


_randomise_symbol_count()
# Computes the digest of the sources at import, since they may be edited before the first
# compilation.
code_folder()
os.register_at_fork(after_in_child=_separate_fork)
