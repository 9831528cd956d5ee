"""``compiled``: the one decorator of all host loops, and the cache that keeps their machine code between processes.

It stands for ``numba.njit(nogil=True)`` with a cache of our own in place of numba's, which cannot be trusted by programs whose processes share it:

* Numba tells functions of one name and argument types apart by a count of what this process has compiled so far, and that count is part of the
  symbol's name in the machine code. Objects from two processes therefore give one symbol to two functions, and whichever is loaded first serves
  both: a closure that sorts in ascending order, say, runs in place of one that sorts indices. Here the count starts at a random 62-bit number in
  every process (and in every fork), so that objects from any number of processes mix safely.
* Numba looks at the source file of the function alone, so an edit of a function that it calls, or of a constant, is overlooked. Here the folder
  carries a digest of all sources named in ``SOURCES`` and of every version and setting that the machine code depends on.
* Numba keeps an index beside the objects, and two processes that write both at once leave an index that names the wrong object. Here one file
  holds one function for one list of argument types, says which, carries a checksum, and appears whole or not at all (``os.replace``).
* On a cold cache every process compiles everything. Here one compiles a function while the others wait for the file; the lock only saves work,
  so one that cannot be had, or is held for more than ``PATIENCE`` seconds, costs time and nothing else.

A finished file is never written again, a damaged one counts as missing, and a folder that cannot be written costs one warning.

Compiled functions make no arrays: they work on those they are handed. Only so can numba leave out its counting of references, two atomic
operations for every mention of an array, which took four fifths of the search's time.
"""

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
from numba.core.runtime import rtsys
from numba.core.serialize import dumps

from jaxsolve.core.process import cache_folder, warn_once
from jaxsolve.jit import cache
from jaxsolve.jit.inlining import Part, PartCompiler, rebuilt

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
    "games/gomoku/fours.py",
    "games/gomoku/threats.py",
    "games/gomoku/threes.py",
    "games/gomoku/tree_zone.py",
    "games/gomoku/windows.py",
    "games/slither/zone_board.py",
    "games/slither/zone_replies.py",
    "games/slither/zones.py",
    "proof/graph.py",
    "evaluate/layout.py",
)  # of this package: whatever compiled functions, and the constants in them, are written in
PATIENCE = 300.0  # seconds to wait for another process that compiles the same folder's functions
SILENCE = 5.0  # seconds of waiting before a person is told
HARMLESS = (
    "NUMBA_CACHE_DIR",
    "NUMBA_NUM_THREADS",
    "NUMBA_DEBUG_CACHE",
)  # settings that do not change machine code

_OPTIONS: dict[str, Any] = {
    "nogil": True,
    "_nrt": False,
}  # no interpreter's lock, no reference counts

Function = TypeVar("Function", bound=Callable[..., Any])


def compiled(function: Function) -> Function:
    """Compiles a host loop when first called; its machine code is kept for later processes. It runs without the interpreter's lock.

    A function outside this package is compiled anew whenever its own file has changed; what it takes from other files is its author's care.

    Raises:
      ValueError: the function is a closure, which its kept machine code would not tell from others of the same name.
    """
    return _kept(njit(**_OPTIONS)(function))


def inlined(function: Function) -> Function:
    """As ``compiled``, for a small function that others call often: its code becomes part of theirs.

    A call hands every array of a tree over by value, which costs more than most such functions do.
    """
    return _kept(njit(forceinline=True, **_OPTIONS)(function))


def inner(function: Function) -> Function:
    """As ``inlined``, for a function that only compiled ones call: it becomes part of them and nothing else (``parts``)."""
    return _kept(
        njit(
            forceinline=True,
            no_cpython_wrapper=True,
            no_cfunc_wrapper=True,
            pipeline_class=PartCompiler,
            **_OPTIONS,
        )(function)
    )


def address_of(function: Any, signature: Any) -> int:
    """Address of a ``compiled`` function for one signature, for calls from other compiled code that does not know the function.

    It takes its arguments as numba's C callbacks do (arrays by value, as structures), and stays valid as long as the process runs.
    """
    function.compile(signature.args)
    result = function.overloads[tuple(signature.args)]
    return result.library.get_pointer_to_function(result.fndesc.llvm_cfunc_wrapper_name)


def _kept(dispatcher: Any) -> Any:
    if dispatcher.py_func.__closure__:
        raise ValueError(
            f"{dispatcher.py_func.__qualname__} is a closure; hand what it closes over as an argument"
        )
    if not config.DISABLE_JIT:
        dispatcher._cache = _Kept(dispatcher)
    return dispatcher


@functools.cache
def code_folder() -> Path:
    """Folder for the machine code of this version of the sources under these versions and settings of numba."""
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


def _number_symbols_apart() -> None:
    """Makes the symbols that this process compiles differ from those of every other process."""
    FunctionIdentity._unique_ids = itertools.count(secrets.randbits(62))


class _Lock:
    """Held by the one process that compiles. Numba calls us under its own compiler lock, so threads never meet here."""

    def __init__(self) -> None:
        self._file: int | None = None
        self._holder: Any = None  # dispatcher of the outermost function that is being compiled

    def acquire(self, dispatcher: Any, entry: Path) -> None:
        """Returns once this process may compile (or has waited too long), or once another one has brought ``entry``."""
        if self._file is not None:
            if not self._holder.is_compiling:  # its compilation failed
                self._holder = dispatcher
            return
        with contextlib.suppress(OSError):
            cache.make_folder(entry.parent)
            if not cache.usable(entry.parent):
                return
            self._file = os.open(entry.parent / "lock", os.O_RDWR | os.O_CREAT, 0o666)
            if self._wait(entry):
                self._holder = dispatcher
            else:
                self.forget()

    def _wait(self, entry: Path) -> bool:
        assert self._file is not None
        start, told = time.monotonic(), False
        while time.monotonic() - start < PATIENCE:
            with contextlib.suppress(BlockingIOError):
                fcntl.flock(self._file, fcntl.LOCK_EX | fcntl.LOCK_NB)
                return True
            if entry.exists():
                return False
            if not told and time.monotonic() - start > SILENCE:
                told = True
                warn_once("waiting for another process that compiles the search for the first time")
            time.sleep(0.05)
        return False

    def release(self, dispatcher: Any) -> None:
        """Lets others compile, if ``dispatcher`` is the outermost."""
        if self._holder is dispatcher:
            self.forget()

    def forget(self) -> None:
        """Closes the file, and with its last copy the lock."""
        if self._file is not None:
            os.close(self._file)
        self._file = self._holder = None


class _Kept(_Cache):
    """The cache of one compiled function: numba asks it before it compiles, and hands it what it has compiled."""

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
        """Entries are read and written from now on, as they are to begin with."""
        self._enabled = True

    def disable(self) -> None:
        """Entries are neither read nor written from now on."""
        self._enabled = False

    def flush(self) -> None:
        """Nothing to do: an entry is never stale."""

    def load_overload(self, sig: Any, target_context: Any) -> CompileResult | None:
        """The kept machine code for these argument types; None if this process is to compile it."""
        if not self._enabled:
            return None
        rtsys.initialize(
            target_context
        )  # its full refresh, which only compilation needs, would import scipy and much else of numba
        key = self._key(sig, target_context.codegen())
        entry = self._entry(key)
        code = cache.read(entry, key)
        if code is None:
            _lock.acquire(self._dispatcher, entry)
            code = cache.read(
                entry, key
            )  # another process may have brought it while this one waited
            if code is not None:
                _lock.release(self._dispatcher)
        return None if code is None else rebuilt(target_context, pickle.loads(code))

    def save_overload(self, sig: Any, data: CompileResult) -> None:
        """Keeps what was compiled, where it can be kept."""
        try:
            if not isinstance(
                data.library, Part
            ):  # what its parts ask of Python (print does) they ask of their own environments, now in its code
                for environment in data._find_referenced_environments():
                    data.codegen.set_env(environment.env_name, environment)
            if self._enabled and not data.lifted and not data.library.has_dynamic_globals:
                key = self._key(sig, data.codegen)
                cache.write(self._entry(key), key, dumps(data._reduce()))
        except RuntimeError:
            pass  # Ctrl-C got lost in the call by which LLVM hands over what it has made: that runs, and only cannot be kept (runtime.raise_lost_interrupt)
        finally:
            _lock.release(self._dispatcher)

    def _key(self, sig: Any, codegen: Any) -> bytes:
        return dumps((self._name, self._source, str(sig), codegen.magic_tuple()))

    def _entry(self, key: bytes) -> Path:
        return code_folder() / f"{self._name}-{hashlib.sha256(key).hexdigest()[:16]}"


def _start_apart_in_fork() -> None:
    _number_symbols_apart()
    _lock.forget()


_lock = _Lock()
_number_symbols_apart()
code_folder()  # now: what is imported next is what these sources say, even if they are edited before anything is compiled
os.register_at_fork(after_in_child=_start_apart_in_fork)
