"""Process-wide set-up: the cache of compiled code, interrupts, memory mappings and CPU time."""

from __future__ import annotations

import contextlib
import functools
import gc
import hashlib
import os
import platform
import resource
import signal
import sys
import threading
from collections.abc import Iterator
from importlib import metadata
from pathlib import Path
from types import FrameType
from typing import Any, NoReturn


def cache_folder() -> Path:
    """Folder for compiled kernels, one for each jaxlib version and processor type.

    Code compiled for one processor may not run on another, so the name contains the version and a
    digest of the processor's features. Caches race on network drives: ``JAXSOLVE_CACHE`` names a
    folder on a local disk.
    """
    base = Path(
        os.environ.get("JAXSOLVE_CACHE")
        or Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "jaxsolve"
    )
    try:
        lines = Path("/proc/cpuinfo").read_text().splitlines()
        features = next((line for line in lines if line.startswith(("flags", "Features"))), "")
    except OSError:
        features = platform.processor()
    host = hashlib.sha256(f"{platform.machine()} {features}".encode()).hexdigest()[:10]
    return base / f"jaxlib-{metadata.version('jaxlib')}-{host}"


def writable_by_others(path: Path | int) -> bool:
    """Whether another user than this one and root owns ``path`` or may write to it.

    ``path`` is a path or the descriptor of an open file. Raises OSError.
    """
    status = os.stat(path)
    return status.st_uid not in (0, os.getuid()) or bool(status.st_mode & 0o022)


@functools.cache
def warn_once(sentence: str) -> None:
    """Prints ``sentence`` to standard error, the first time only."""
    print(f"jaxsolve: {sentence}", file=sys.stderr)


class NoDevice(ValueError):
    """JAX cannot run on the requested platform."""


def setup() -> None:
    """Enables JAX's cache on disk for compiled code, as ``jaxsolve.jit.host`` does for numba's.

    Calls after the first change nothing, and no setting of the user is changed. A folder that
    others may write to is not used: its files are machine code.

    Raises:
      NoDevice: the platform that JAX is set to use is unknown or absent.
    """
    import_jax()
    import jax

    config: Any = jax.config
    platforms = config.jax_platforms
    # Only an explicit platform can fail. Otherwise the first user of a device configures it.
    if platforms and platforms != "cpu":
        try:
            jax.devices()
        except (RuntimeError, AssertionError) as error:
            # JAX asserts if it knows the platform but no plugin for it is installed.
            absent = "no such device, or no JAX plugin for it, is installed"
            reason = str(error).splitlines()[0] if str(error) else absent
            raise NoDevice(
                f"JAX cannot run on {platforms!r}, which JAX_PLATFORMS asks for: {reason}"
            ) from None
    if config.jax_compilation_cache_dir is None and _private(folder := cache_folder() / "xla"):
        jax.config.update("jax_compilation_cache_dir", str(folder))
        jax.config.update("jax_persistent_cache_min_compile_time_secs", 0.1)


def _private(folder: Path) -> bool:
    """Whether nobody else may write to ``folder``, which is made if it is missing."""
    with contextlib.suppress(OSError):
        folder.mkdir(mode=0o755, parents=True, exist_ok=True)
        if writable_by_others(folder):
            warn_once(
                f"compiled code in {folder} is not used: another user owns it or may write to it; "
                "take that right away (chmod go-w), or set JAXSOLVE_CACHE to another folder"
            )
            return False
    return True


def import_jax() -> None:
    """Imports JAX with interrupts deferred.

    An interrupt while JAX's C++ modules initialise ends the process, or raises another error.
    """
    with defer_interrupts():
        import jax  # noqa: F401


# Memory mappings above which ``release_compiled_code`` acts; Linux allows a process 65,530.
MAX_MAPPINGS = 20_000


def mappings() -> int:
    """Number of memory mappings of this process; 0 if it is unknown.

    XLA takes several for each function that it compiles.
    """
    try:
        with Path("/proc/self/maps").open("rb") as file:
            return sum(1 for _ in file)
    except OSError:
        return 0


def release_compiled_code() -> None:
    """Drops JAX's compiled functions if there are many: XLA ends a process without mappings left.

    For loops over runs, games or tests that each compile much. Functions that are called again are
    compiled again, or read from disk.
    """
    if mappings() > MAX_MAPPINGS:
        import jax

        jax.clear_caches()
        gc.collect()


def cpu_seconds() -> float:
    """CPU seconds of this process so far, over all threads."""
    usage = resource.getrusage(resource.RUSAGE_SELF)
    return usage.ru_utime + usage.ru_stime


# Signals for which ``interrupt`` raised KeyboardInterrupt and that nothing is known to have caught.
_raised: list[int] = []


def interrupt(number: int, frame: FrameType | None) -> NoReturn:
    """Signal handler that raises KeyboardInterrupt and records it.

    An exception raised while JAX traces can be lost (1 in 60 was); ``raise_lost_interrupt`` raises
    it again.
    """
    del frame
    _raised.append(number)
    raise KeyboardInterrupt


def raise_lost_interrupt() -> None:
    """Raises KeyboardInterrupt again if one of ``interrupt`` was lost; loops call it each turn."""
    if _raised:
        _raised.clear()
        raise KeyboardInterrupt


def clear_interrupts() -> None:
    """Marks recorded interrupts as caught."""
    _raised.clear()


_left_to_libraries: set[int] = set()  # signals that a library handles, unknown to Python


def leave_to_library(number: int) -> None:
    """Declares that a library handles a signal in C: ``defer_interrupts`` leaves it alone."""
    _left_to_libraries.add(number)


@contextlib.contextmanager
def defer_interrupts() -> Iterator[None]:
    """Ctrl-C and SIGTERM within the block take effect after it; only in the main thread.

    Blocking the signals would not do: another thread would receive them, and Python's handlers run
    in the main thread.
    """
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    came: list[int] = []
    before = {number: signal.getsignal(number) for number in (signal.SIGINT, signal.SIGTERM)}
    # None: a handler not of Python; SIG_IGN: ignored anyway.
    before = {
        number: handler
        for number, handler in before.items()
        if handler not in (None, signal.SIG_IGN) and number not in _left_to_libraries
    }
    for number in before:
        signal.signal(number, lambda number, _: came.append(number))
    try:
        yield
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)
        for number in dict.fromkeys(came):
            signal.raise_signal(number)
