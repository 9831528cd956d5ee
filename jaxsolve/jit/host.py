"""``compiled``: the decorator of all host loops.

It replaces ``numba.njit(nogil=True, cache=True)``, whose cache is unsafe where several processes
share it (``jit.code_cache``). Numba also distinguishes functions of one name and argument types by
a count of the functions compiled in this process, and the count is part of the symbol's name.
Objects from two processes can then give one symbol to two functions, and the first one loaded
serves both: a closure that sorts in ascending order can run in place of one that sorts indices.
Here the count starts at a random 62-bit number in each process and each fork, so objects of all
processes can be mixed.

Compiled functions allocate no arrays. So numba can omit its reference counts, two atomic operations
for each use of an array, which took four fifths of the search's time.

Numba's internals used here are listed in ``tests/jit/test_internals.py``.
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

# Without the interpreter's lock and without reference counts.
_OPTIONS: dict[str, Any] = {"nogil": True, "_nrt": False}

Function = TypeVar("Function", bound=Callable[..., Any])


def compiled(function: Function) -> Function:
    """Compiles a host loop at its first call, and caches its machine code on disk.

    The loop runs without the interpreter's lock. A function outside this package is compiled again
    when its own file changes; changes of other files that it uses are not detected.

    Raises:
      ValueError: the function is a closure; its cache entry would not differ from that of another
        closure of the same name.
    """
    return _cached(njit(**_OPTIONS)(function))


def inlined(function: Function) -> Function:
    """As ``compiled``, for a small function that is inlined into its callers.

    A call would pass every array of a tree by value, which costs more than most such functions.
    """
    return _cached(njit(forceinline=True, **_OPTIONS)(function))


def inner(function: Function) -> Function:
    """As ``inlined``, for a function that only compiled functions call (``jit.inlining``)."""
    return _cached(
        njit(
            forceinline=True,
            no_cpython_wrapper=True,
            no_cfunc_wrapper=True,
            pipeline_class=InlinedCompiler,
            **_OPTIONS,
        )(function)
    )


def address_of(function: Any, signature: Any) -> int:
    """Address of a ``compiled`` function for one signature, for indirect calls by compiled code.

    The function takes arguments as numba's C callbacks do (arrays by value, as structures). The
    address is valid until the process ends.
    """
    function.compile(signature.args)
    result = function.overloads[tuple(signature.args)]
    return result.library.get_pointer_to_function(result.fndesc.llvm_cfunc_wrapper_name)


def _cached(dispatcher: Any) -> Any:
    """The dispatcher of a function, with ``CodeCache`` in place of numba's cache."""
    if dispatcher.py_func.__closure__:
        raise ValueError(
            f"{dispatcher.py_func.__qualname__} is a closure; pass its variables as arguments"
        )
    if not config.DISABLE_JIT:
        dispatcher._cache = cache = CodeCache(dispatcher)
        dispatcher.compile = functools.partial(_compile, dispatcher.compile, cache)
    return dispatcher


def _compile(compile: Callable[[Any], Any], cache: CodeCache, signature: Any) -> Any:
    """Compiles a function, or reads its code from the cache; the time counts as compilation."""
    with compile_clock.measured(global_compiler_lock):
        try:
            return compile(signature)
        finally:
            cache.release()


def _randomise_symbol_count() -> None:
    """Makes this process's symbols differ from those of every other process."""
    FunctionIdentity._unique_ids = itertools.count(secrets.randbits(62))


def _separate_fork() -> None:
    _randomise_symbol_count()
    close_locks()


_randomise_symbol_count()
# The digest is computed now: sources may be edited before anything is compiled.
code_folder()
os.register_at_fork(after_in_child=_separate_fork)
