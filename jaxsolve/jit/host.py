"""``compiled``: the decorator of all host loops, and the cache of their machine code on disk.

It replaces ``numba.njit(nogil=True, cache=True)``. Numba's own cache is unsafe where several
processes share it:

* Numba distinguishes functions of one name and argument types by a count of the functions compiled
  in this process, and the count is part of the symbol's name. Objects from two processes can then
  give one symbol to two functions, and the first one loaded serves both: a closure that sorts in
  ascending order can run in place of one that sorts indices. Here the count starts at a random
  62-bit number in each process and each fork, so objects of all processes can be mixed.
* Numba checks the source file of the function only. It overlooks edits of the functions that it
  calls, and of constants. Here the folder's name contains a digest of all files in ``SOURCES`` and
  of every version and setting that the machine code depends on.
* Numba keeps an index beside the objects. Two processes that write both at once can leave an index
  that names the wrong object. Here a file holds one function for one list of argument types, with
  its key and a checksum, and is written atomically (``os.replace``).
* With a cold cache every process compiles everything. Here one process compiles a function while
  the others wait for the file. The lock only saves work: without it, or after ``PATIENCE`` seconds,
  a process compiles for itself.

A finished file is never rewritten, a damaged one counts as missing, and a folder that cannot be
written, or that others may write to, costs one warning (``jit.cache_files``).

Compiled functions allocate no arrays. So numba can omit its reference counts, two atomic operations
for each use of an array, which took four fifths of the search's time.

Numba's internals used here are listed in ``tests/jit/test_internals.py``.
"""

# numba has no types for its internals:
# pyright: reportAttributeAccessIssue=false, reportIncompatibleMethodOverride=false
# pyright: reportPrivateImportUsage=false, reportCallIssue=false

from __future__ import annotations

import contextlib
import fcntl
import functools
import hashlib
import importlib.metadata
import inspect
import itertools
import os
import pickle
import platform
import secrets
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any, TypeVar

from numba import njit
from numba.core import config
from numba.core.bytecode import FunctionIdentity
from numba.core.caching import _Cache
from numba.core.compiler import CompileResult
from numba.core.compiler_lock import global_compiler_lock
from numba.core.runtime import rtsys
from numba.core.serialize import dumps

from jaxsolve.core.process import cache_folder, warn_once
from jaxsolve.jit import cache_files, compile_clock
from jaxsolve.jit.inlining import InlinedCompiler, InlinedLibrary, rebuilt

SOURCES = (
    "jit",
    "search",
    "play",
    "core/bitboard.py",
    "core/board_layout.py",
    "games/zones.py",
    "games/threats.py",
    "games/game.py",
    "games/go/state.py",
    "games/go/plan_life.py",
    "games/go/plans.py",
    "games/go/zone_board.py",
    "games/go/zone_eyes.py",
    "games/go/zone_life.py",
    "games/go/zone_replies.py",
    "games/go/zones.py",
    "games/hex/zones.py",
    "games/gomoku/odds.py",
    "games/gomoku/vcf.py",
    "games/gomoku/threats.py",
    "games/gomoku/vct.py",
    "games/gomoku/tree_zone.py",
    "games/gomoku/windows.py",
    "games/slither/zone_board.py",
    "games/slither/zone_replies.py",
    "games/slither/zones.py",
    "proof/graph.py",
    "evaluate/layout.py",
)
"""Files and folders of this package with compiled functions, or constants that these use."""
PATIENCE = 300.0  # seconds to wait for another process that compiles
SILENCE = 5.0  # seconds of waiting before a message
# Settings that do not change machine code.
HARMLESS = ("NUMBA_CACHE_DIR", "NUMBA_NUM_THREADS", "NUMBA_DEBUG_CACHE")

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
    """The dispatcher of a function, with ``_CodeCache`` in place of numba's cache."""
    if dispatcher.py_func.__closure__:
        raise ValueError(
            f"{dispatcher.py_func.__qualname__} is a closure; pass its variables as arguments"
        )
    if not config.DISABLE_JIT:
        dispatcher._cache = _CodeCache(dispatcher)
        dispatcher.compile = functools.partial(_compile, dispatcher.compile)
    return dispatcher


def _compile(compile: Callable[[Any], Any], signature: Any) -> Any:
    """Compiles a function, or reads its code from the cache; the time counts as compilation."""
    with compile_clock.measured(global_compiler_lock):
        return compile(signature)


@functools.cache
def code_folder() -> Path:
    """Folder for machine code of these sources with this numba and its settings."""
    return cache_folder() / f"numba-{_digest()}"


def _digest() -> str:
    package = Path(__file__).parents[1]
    files = sorted(
        file
        for source in SOURCES
        for file in (
            [package / source] if source.endswith(".py") else (package / source).rglob("*.py")
        )
    )
    digest = hashlib.sha256()
    for file in files:
        digest.update(f"{file.relative_to(package)}\n".encode() + file.read_bytes())
    versions = [
        platform.python_version(),
        *(importlib.metadata.version(name) for name in ("numba", "llvmlite", "numpy")),
    ]
    settings = sorted(
        f"{name}={value}"
        for name, value in os.environ.items()
        if name.startswith("NUMBA_") and name not in HARMLESS
    )
    digest.update(repr((versions, settings, config.BOUNDSCHECK, config.OPT)).encode())
    return digest.hexdigest()[:16]


@functools.cache
def _source_digest(file: str) -> str:
    return hashlib.sha256(Path(file).read_bytes()).hexdigest() if os.path.exists(file) else ""


def _randomise_symbol_count() -> None:
    """Makes this process's symbols differ from those of every other process."""
    FunctionIdentity._unique_ids = itertools.count(secrets.randbits(62))


class _Lock:
    """Lock of the one process that compiles.

    Numba calls the cache under its own compiler lock, so threads do not compete here.
    """

    def __init__(self) -> None:
        # The locked file, and the dispatcher of the outermost function in compilation. One field
        # for both: an exception at any point leaves the lock either held by a function or free.
        self._held: tuple[int, Any] | None = None

    def acquire(self, dispatcher: Any, entry: Path) -> None:
        """Returns when this process may compile, has waited too long, or ``entry`` exists."""
        if self._held is not None:
            file, holder = self._held
            if not holder.is_compiling:  # its compilation failed
                self._held = file, dispatcher
            return
        with contextlib.suppress(OSError):
            cache_files.make_folder(entry.parent)
            if not cache_files.usable(entry.parent):
                return
            file = os.open(entry.parent / "lock", os.O_RDWR | os.O_CREAT, 0o666)
            try:
                if self._wait(file, entry):
                    self._held = file, dispatcher
            finally:
                if self._held is None:
                    os.close(file)

    @staticmethod
    def _wait(file: int, entry: Path) -> bool:
        """Whether ``file`` was locked before ``entry`` existed or ``PATIENCE`` ended."""
        start, warned = time.monotonic(), False
        while time.monotonic() - start < PATIENCE:
            with contextlib.suppress(BlockingIOError):
                fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
                return True
            if entry.exists():
                return False
            if not warned and time.monotonic() - start > SILENCE:
                warned = True
                warn_once("waiting for another process that compiles the search for the first time")
            time.sleep(0.05)
        return False

    def release(self, dispatcher: Any) -> None:
        """Releases the lock if ``dispatcher`` is the outermost."""
        if self._held is not None and self._held[1] is dispatcher:
            self.forget()

    def forget(self) -> None:
        """Closes the file; the last copy of it releases the lock."""
        held, self._held = self._held, None
        if held is not None:
            os.close(held[0])


class _CodeCache(_Cache):
    """Cache of one compiled function; numba calls it before and after compilation."""

    def __init__(self, dispatcher: Any):
        function = dispatcher.py_func
        self._dispatcher = dispatcher
        self._name = f"{function.__module__}.{function.__qualname__}".replace("<", "").replace(
            ">", ""
        )
        self._source = _source_digest(inspect.getfile(function))
        self._enabled = True

    @property
    def cache_path(self) -> str:
        """Folder of the entries."""
        return str(code_folder())

    def enable(self) -> None:
        """Reads and writes entries from now on (the default)."""
        self._enabled = True

    def disable(self) -> None:
        """Neither reads nor writes entries from now on."""
        self._enabled = False

    def flush(self) -> None:
        """Does nothing: an entry is never stale."""

    def load_overload(self, sig: Any, target_context: Any) -> CompileResult | None:
        """The cached code for these argument types; None if this process must compile it."""
        if not self._enabled:
            return None
        # A full refresh of the context, which only compilation needs, would import scipy.
        rtsys.initialize(target_context)
        key = self._key(sig, target_context.codegen())
        entry = self._entry(key)
        code = cache_files.read(entry, key)
        if code is None:
            _lock.acquire(self._dispatcher, entry)
            # Another process may have written it while this one waited.
            code = cache_files.read(entry, key)
            if code is not None:
                _lock.release(self._dispatcher)
        return None if code is None else rebuilt(target_context, pickle.loads(code))

    def save_overload(self, sig: Any, data: CompileResult) -> None:
        """Stores compiled code, if it can be stored."""
        try:
            # Inlined functions that call Python (``print`` does) use environments of their own.
            if not isinstance(data.library, InlinedLibrary):
                for environment in data._find_referenced_environments():
                    data.codegen.set_env(environment.env_name, environment)
            if self._enabled and not data.lifted and not data.library.has_dynamic_globals:
                key = self._key(sig, data.codegen)
                cache_files.write(self._entry(key), key, dumps(data._reduce()))
        except RuntimeError:
            # Ctrl-C was lost while LLVM returned its code (``process.raise_lost_interrupt``). The
            # code runs, but it cannot be stored.
            pass
        finally:
            _lock.release(self._dispatcher)

    def _key(self, sig: Any, codegen: Any) -> bytes:
        return dumps((self._name, self._source, str(sig), codegen.magic_tuple()))

    def _entry(self, key: bytes) -> Path:
        return code_folder() / f"{self._name}-{hashlib.sha256(key).hexdigest()[:16]}"


def _separate_fork() -> None:
    _randomise_symbol_count()
    _lock.forget()


_lock = _Lock()
_randomise_symbol_count()
# The digest is computed now: sources may be edited before anything is compiled.
code_folder()
os.register_at_fork(after_in_child=_separate_fork)
