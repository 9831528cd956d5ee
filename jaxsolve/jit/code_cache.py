"""Cache of the machine code of compiled functions on disk, shared by all processes.

Numba's own cache is unsafe if several processes share it. This cache differs in three points:

* Numba checks only the source file of the function itself. It overlooks edits of constants and of
  called functions in other files. In this cache the name of the folder contains a digest of all
  files in ``SOURCES``, and of every version and setting that the machine code depends on.
* Numba writes an index beside the object files. Two processes that write both at once can leave an
  index that names the wrong object. In this cache a file holds the code of one function for one
  list of argument types, with its key and a checksum, and is written atomically (``os.replace``).
* With an empty cache, every process that uses numba's cache compiles everything. With this cache
  one process compiles a function while it holds the function's lock, and other processes that need
  the function wait for its file. Different functions can be compiled at the same time. The lock
  only saves work: without a lock, or after ``PATIENCE`` seconds, a process compiles the function
  itself.

A finished file is never rewritten. A damaged file counts as missing. If a folder cannot be written,
or others may write to it, one warning is given (``jit.cache_files``).
"""

# numba has no types for its internals:
# pyright: reportAttributeAccessIssue=false, reportIncompatibleMethodOverride=false
# pyright: reportPrivateImportUsage=false

from __future__ import annotations

import contextlib
import fcntl
import functools
import hashlib
import importlib.metadata
import inspect
import os
import pickle
import platform
import time
from pathlib import Path
from typing import Any

from numba.core import config
from numba.core.caching import _Cache
from numba.core.compiler import CompileResult
from numba.core.runtime import rtsys
from numba.core.serialize import dumps

from jaxsolve.core.process import cache_folder, warn_once
from jaxsolve.jit import cache_files
from jaxsolve.jit.inlining import InlinedLibrary, rebuilt

SOURCES = (
    "jit",
    "search",
    "play",
    "core/bitboard.py",
    "core/board_layout.py",
    "games/zones.py",
    "games/threats.py",
    "games/game.py",
    "games/host_rows.py",
    "games/row_words.py",
    "games/go/state.py",
    "games/go/host_rows.py",
    "games/go/plan_life.py",
    "games/go/plan_words.py",
    "games/go/plans.py",
    "games/go/zone_board.py",
    "games/go/zone_eyes.py",
    "games/go/zone_death.py",
    "games/go/zone_life.py",
    "games/go/zone_replies.py",
    "games/go/zone_walls.py",
    "games/go/zones.py",
    "games/hex/connection_steps.py",
    "games/hex/connections.py",
    "games/hex/domination.py",
    "games/hex/fill_in.py",
    "games/hex/h_search.py",
    "games/hex/host_rows.py",
    "games/hex/inferior.py",
    "games/hex/knowledge.py",
    "games/hex/local_order.py",
    "games/hex/mine_patterns.py",
    "games/hex/patterns.py",
    "games/hex/shapes.py",
    "games/hex/zones.py",
    "games/gomoku/odds.py",
    "games/gomoku/vcf.py",
    "games/gomoku/threats.py",
    "games/gomoku/vct.py",
    "games/gomoku/tree_zone.py",
    "games/gomoku/windows.py",
    "games/slither/zone_board.py",
    "games/slither/zone_chains.py",
    "games/slither/zone_replies.py",
    "games/slither/zones.py",
    "proof/duplicates.py",
    "proof/graph.py",
    "evaluate/layout.py",
)
"""Files and folders of this package that hold compiled functions, or constants that these use."""
PATIENCE = 300.0  # most seconds to wait for another process that compiles a function
SILENCE = 5.0  # seconds of waiting before a message
# Environment variables of numba that do not change the machine code.
HARMLESS = ("NUMBA_CACHE_DIR", "NUMBA_NUM_THREADS", "NUMBA_DEBUG_CACHE")


# File descriptors of the lock files that this process holds open.
_locks: set[int] = set()


@functools.cache
def code_folder() -> Path:
    """Returns the folder for machine code of the present sources, versions and numba settings."""
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


def close_locks() -> None:
    """Closes all lock files. Forked children call this, because they inherit the descriptors."""
    while _locks:
        os.close(_locks.pop())


def _wait(descriptor: int, entry: Path) -> None:
    """Locks an open file; returns without the lock once ``entry`` exists or ``PATIENCE`` ended.

    A process that holds the lock of a function also locks the functions that this function calls.
    No deadlock can occur, because no two functions call each other.

    Raises:
      OSError: the file cannot be locked.
    """
    start, warned = time.monotonic(), False
    while time.monotonic() - start < PATIENCE:
        with contextlib.suppress(BlockingIOError):
            fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
            return
        if entry.exists():
            return
        if not warned and time.monotonic() - start > SILENCE:
            warned = True
            warn_once("waiting for another process that compiles the search for the first time")
        time.sleep(0.05)


def _unlock(descriptor: int) -> None:
    """Closes a locked file. Does nothing if its descriptor has been closed before."""
    if descriptor in _locks:
        try:
            os.close(descriptor)
        finally:
            _locks.discard(descriptor)


class CodeCache(_Cache):
    """Cache of one compiled function. Numba calls its methods before and after compilation."""

    def __init__(self, dispatcher: Any):
        function = dispatcher.py_func
        self._locked: list[int] = []
        self._name = f"{function.__module__}.{function.__qualname__}".replace("<", "").replace(
            ">", ""
        )
        self._source = _source_digest(inspect.getfile(function))
        self._enabled = True

    @property
    def cache_path(self) -> str:
        """Folder of the cache files."""
        return str(code_folder())

    def enable(self) -> None:
        """Makes the cache read and write entries from now on (the default)."""
        self._enabled = True

    def disable(self) -> None:
        """Makes the cache neither read nor write entries from now on."""
        self._enabled = False

    def flush(self) -> None:
        """Does nothing, since an entry is never out of date."""

    def load_overload(self, sig: Any, target_context: Any) -> CompileResult | None:
        """Returns the cached code for the argument types ``sig``, or None if there is none.

        If the result is None, the caller must compile the function. This process then holds the
        function's lock, if it could get it (``lock``).
        """
        if not self._enabled:
            return None
        # A full refresh of the context, which only compilation needs, would import scipy.
        rtsys.initialize(target_context)
        key = self._key(sig, target_context.codegen())
        entry = self._entry(key)
        code = cache_files.read(entry, key)
        if code is None:
            self.lock(entry)
            # Another process may have written the entry while this process waited for the lock.
            code = cache_files.read(entry, key)
        return None if code is None else rebuilt(target_context, pickle.loads(code))

    def save_overload(self, sig: Any, data: CompileResult) -> None:
        """Stores the compiled code ``data`` for the argument types ``sig``, if it can be stored."""
        try:
            # Inlined functions that call Python (such as ``print``) have environments of their own.
            if not isinstance(data.library, InlinedLibrary):
                for environment in data._find_referenced_environments():
                    data.codegen.set_env(environment.env_name, environment)
            if self._enabled and not data.lifted and not data.library.has_dynamic_globals:
                key = self._key(sig, data.codegen)
                cache_files.write(self._entry(key), key, dumps(data._reduce()))
        except RuntimeError:
            # Ctrl-C while LLVM returned its code, and the exception was lost
            # (``process.raise_lost_interrupt``). The code runs, but it cannot be stored.
            pass

    def lock(self, entry: Path) -> None:
        """Locks a function for compilation, if possible.

        Returns once this process holds the lock, ``entry`` exists, or ``PATIENCE`` seconds have
        passed. ``release`` must be called afterwards, also after an exception.
        """
        locks = entry.parent / "locks"
        with contextlib.suppress(OSError):
            cache_files.make_folder(locks)
            if cache_files.usable(entry.parent) and cache_files.usable(locks):
                descriptor = os.open(locks / entry.name, os.O_RDWR | os.O_CREAT, 0o666)
                _locks.add(descriptor)
                # Recorded before it is locked, so that ``release`` closes it after an exception.
                self._locked.append(descriptor)
                _wait(descriptor, entry)

    def release(self) -> None:
        """Releases the locks that ``lock`` took. Called when a compilation has ended or failed."""
        while self._locked:
            _unlock(self._locked[-1])
            self._locked.pop()

    def _key(self, sig: Any, codegen: Any) -> bytes:
        return dumps((self._name, self._source, str(sig), codegen.magic_tuple()))

    def _entry(self, key: bytes) -> Path:
        return code_folder() / f"{self._name}-{hashlib.sha256(key).hexdigest()[:16]}"
