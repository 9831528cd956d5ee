"""Process-wide set-up: where compiled code is kept between runs, and how CPU time is read."""

from __future__ import annotations

import contextlib
import gc
import hashlib
import os
import platform
import resource
import signal
import threading
from collections.abc import Iterator
from importlib import metadata
from pathlib import Path
from types import FrameType
from typing import NoReturn


def cache_folder() -> Path:
    """Folder for compiled kernels, one for each jaxlib version and kind of processor.

    Code compiled for another processor may not run here, and caches race on network drives: the folder's name carries both the
    version and the processor's features, and ``JAXSOLVE_CACHE`` moves it to a local disk where the home folder is not one.
    """
    base = Path(
        os.environ.get("JAXSOLVE_CACHE")
        or Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "jaxsolve"
    )
    try:
        features = next(
            (
                line
                for line in Path("/proc/cpuinfo").read_text().splitlines()
                if line.startswith(("flags", "Features"))
            ),
            "",
        )
    except OSError:
        features = platform.processor()
    host = hashlib.sha256(f"{platform.machine()} {features}".encode()).hexdigest()[:10]
    return base / f"jaxlib-{metadata.version('jaxlib')}-{host}"


class NoDevice(ValueError):
    """JAX cannot run on the platform that was asked for."""


def setup() -> None:
    """Keeps compiled JAX code between processes, as ``jaxsolve.jit.host`` does numba's. Safe to call more than once; changes nothing a user set.

    Raises:
      NoDevice: the platform that JAX was told to use is unknown or absent here.
    """
    folder = cache_folder()
    import_jax()
    import jax

    platforms = jax.config.jax_platforms
    if (
        platforms and platforms != "cpu"
    ):  # only then can it fail; otherwise the devices are left to whoever configures them first
        try:
            jax.devices()
        except (
            RuntimeError,
            AssertionError,
        ) as error:  # JAX asserts where the platform is known but nothing for it is installed
            reason = (
                str(error).splitlines()[0]
                if str(error)
                else "no such device, or no JAX plugin for it, is installed"
            )
            raise NoDevice(
                f"JAX cannot run on {platforms!r}, which JAX_PLATFORMS asks for: {reason}"
            ) from None
    if jax.config.jax_compilation_cache_dir is None:
        jax.config.update("jax_compilation_cache_dir", str(folder / "xla"))
        jax.config.update("jax_persistent_cache_min_compile_time_secs", 0.1)


def import_jax() -> None:
    """Imports JAX. Its modules in C++ end the process, or say something else, where an interruption comes while they start: it waits."""
    with defer_interrupts():
        import jax  # noqa: F401


MAX_MAPPINGS = (
    20_000  # of memory, above which ``release_compiled_code`` acts; Linux allows a process 65,530
)


def mappings() -> int:
    """How many mappings of memory this process holds, of which XLA takes several for every function that it compiles; 0 where that cannot be seen."""
    try:
        with Path("/proc/self/maps").open("rb") as file:
            return sum(1 for _ in file)
    except OSError:
        return 0


def release_compiled_code() -> None:
    """Lets go of what JAX has compiled where there is much of it: XLA ends the process when it can have no more mappings of memory.

    For loops over runs, games or tests that each compile much of their own. What is used again is compiled, or read from disk, again.
    """
    if mappings() > MAX_MAPPINGS:
        import jax

        jax.clear_caches()
        gc.collect()


def cpu_seconds() -> float:
    """CPU seconds this process has used so far, all its threads together."""
    usage = resource.getrusage(resource.RUSAGE_SELF)
    return usage.ru_utime + usage.ru_stime


_noted: list[
    int
] = []  # signals that ``interrupt`` has raised KeyboardInterrupt for, and nobody is known to have caught


def interrupt(number: int, frame: FrameType | None) -> NoReturn:
    """A signal's handler that raises KeyboardInterrupt, and notes it: what is raised while JAX traces can be lost on the way (1 in 60 was)."""
    del frame
    _noted.append(number)
    raise KeyboardInterrupt


def raise_lost_interrupt() -> None:
    """Raises KeyboardInterrupt once more if one that ``interrupt`` has raised did not come out: for loops that it would have ended."""
    if _noted:
        _noted.clear()
        raise KeyboardInterrupt


def clear_interrupts() -> None:
    """What was noted has come out."""
    _noted.clear()


@contextlib.contextmanager
def defer_interrupts() -> Iterator[None]:
    """Ctrl-C and SIGTERM that come within the block take effect behind it: for what must not stop half-way. Only in the main thread, where they come.

    Blocking the signals would not do: another thread would take them, and Python's handlers run in the main one.
    """
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    came: list[int] = []
    before = {number: signal.getsignal(number) for number in (signal.SIGINT, signal.SIGTERM)}
    before = {
        number: handler
        for number, handler in before.items()
        if handler not in (None, signal.SIG_IGN)
    }  # not Python's, or ignored anyway
    for number in before:
        signal.signal(number, lambda number, _: came.append(number))
    try:
        yield
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)
        for number in dict.fromkeys(came):
            signal.raise_signal(number)
