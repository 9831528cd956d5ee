"""Process-wide set-up: the cache of compiled code, interrupts, memory mappings and CPU time."""

from __future__ import annotations

import contextlib
import ctypes
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
    """Returns the folder for compiled kernels of this jaxlib version and type of processor.

    The name of the folder contains the version and a digest of the processor's features, because
    code compiled for one processor may not run on another one. The environment variable
    JAXSOLVE_CACHE sets the parent folder. The folder should be on a local disk: on a network drive
    concurrent processes can damage a cache.
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
    """Whether a user other than the current one and root owns ``path`` or may write to it.

    ``path`` is a path or the descriptor of an open file. Raises OSError.
    """
    status = os.stat(path)
    return status.st_uid not in (0, os.getuid()) or bool(status.st_mode & 0o022)


@functools.cache
def warn_once(sentence: str) -> None:
    """Prints ``sentence`` to standard error, unless it has been printed before."""
    print(f"jaxsolve: {sentence}", file=sys.stderr)


class NoDevice(ValueError):
    """JAX cannot run on the requested platform."""


def setup() -> None:
    """Imports JAX and enables its cache of compiled code on disk (``cache_folder``).

    If the user has set a cache folder for JAX, that folder is used instead. A folder that other
    users may write to is not used, because its files are machine code. Later calls change nothing.

    Raises:
      NoDevice: the platform that JAX is set to use is unknown or absent.
    """
    import_jax()
    import jax

    config: Any = jax.config
    platforms = config.jax_platforms
    # Only an explicit choice of platform can fail, so only that is checked here. Without a choice,
    # JAX is initialised at the first use of a device.
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
    """Whether no other user may write to ``folder``. Creates a missing folder.

    Prints a warning if another user may write to it.
    """
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

    An interrupt during the initialisation of JAX's C++ modules would end the process or raise
    another error.
    """
    with defer_interrupts():
        import jax  # noqa: F401


# ``release_compiled_code`` acts above this number of mappings. Linux allows 65,530 for a process.
MAX_MAPPINGS = 20_000


def mappings() -> int:
    """Returns the number of memory mappings of this process, or 0 if it is unknown.

    XLA needs several mappings for each function that it compiles.
    """
    try:
        with Path("/proc/self/maps").open("rb") as file:
            return sum(1 for _ in file)
    except OSError:
        return 0


def resident_bytes() -> int:
    """Returns the memory that this process uses, in bytes, or 0 if it is unknown."""
    try:
        pages = Path("/proc/self/statm").read_text(encoding="ascii").split()[1]
    except OSError:
        return 0
    return int(pages) * resource.getpagesize()


def release_compiled_code(most_bytes: int | None = None) -> None:
    """Drops all functions that JAX has compiled if they use much memory.

    That is, if the process has more than MAX_MAPPINGS mappings, or uses more than ``most_bytes`` of
    memory. XLA aborts a process that has no mappings left, and training functions take up to a
    gigabyte each. Call this function in loops over runs, games or tests if each of them compiles
    many functions. A dropped function is compiled again, or read from the cache on disk, when it is
    called again.
    """
    if mappings() <= MAX_MAPPINGS and (most_bytes is None or resident_bytes() <= most_bytes):
        return
    import jax

    gc.unfreeze()  # a caller may have frozen what refers to them

    jax.clear_caches()
    gc.collect()
    # glibc keeps freed memory for later, which was two thirds of the memory of the tests.
    with contextlib.suppress(OSError, AttributeError):
        ctypes.CDLL(None).malloc_trim(0)


def cpu_seconds() -> float:
    """Returns the CPU seconds that all threads of this process have used so far."""
    usage = resource.getrusage(resource.RUSAGE_SELF)
    return usage.ru_utime + usage.ru_stime


# Signals for which ``interrupt`` raised a KeyboardInterrupt that may have been lost.
_raised: list[int] = []


def interrupt(number: int, frame: FrameType | None) -> NoReturn:
    """Signal handler that raises KeyboardInterrupt and records the signal.

    JAX can lose an exception that is raised while it traces a function (1 of 60 was lost in a
    measurement). ``raise_lost_interrupt`` raises a lost KeyboardInterrupt again.
    """
    del frame
    _raised.append(number)
    raise KeyboardInterrupt


def raise_lost_interrupt() -> None:
    """Raises KeyboardInterrupt if an earlier one, raised by ``interrupt``, has been lost.

    Long loops call this function in every iteration.
    """
    if _raised:
        _raised.clear()
        raise KeyboardInterrupt


def clear_interrupts() -> None:
    """Marks all interrupts that ``interrupt`` recorded as caught, so that none is raised again."""
    _raised.clear()


_left_to_libraries: set[int] = set()  # signals that a library handles in C


def leave_to_library(number: int) -> None:
    """Declares that a library handles the signal ``number`` in C.

    ``defer_interrupts`` then does not defer this signal.
    """
    _left_to_libraries.add(number)


@contextlib.contextmanager
def defer_interrupts() -> Iterator[None]:
    """Context manager that defers Ctrl-C and SIGTERM until the end of the block.

    It does nothing outside the main thread. It replaces the signal handlers, because blocking the
    signals would have no effect: another thread would receive them, and Python would still run the
    handlers in the main thread.
    """
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    came: list[int] = []
    before = {number: signal.getsignal(number) for number in (signal.SIGINT, signal.SIGTERM)}
    # Skips a handler that Python did not install (None), and a signal that is ignored (SIG_IGN).
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


@contextlib.contextmanager
def children_without_interrupts() -> Iterator[None]:
    """Context manager in which new processes start with Ctrl-C blocked, until they ignore it.

    The terminal sends Ctrl-C to them, too.
    """
    from multiprocessing import resource_tracker

    resource_tracker.ensure_running()  # its start, by the first process, would unblock the signal
    before = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)
