"""Handlers of SIGTERM and SIGINT: both interrupt a command, which then saves its progress."""

from __future__ import annotations

import contextlib
import os
import signal
import sys
import threading
from collections.abc import Callable

from jaxsolve.commands import exit_codes
from jaxsolve.core import process


def stop_on_terminate() -> None:
    """Makes SIGTERM interrupt a run like Ctrl-C, and repeats interrupts that Python swallows.

    Does nothing outside the main thread.
    """
    # ``signal.signal`` raises ValueError outside the main thread. There the program that calls this
    # package handles signals.
    with contextlib.suppress(ValueError):
        signal.signal(signal.SIGTERM, process.interrupt)
        # SIGINT may be ignored, for example in the background of a shell.
        if signal.getsignal(signal.SIGINT) is signal.default_int_handler:
            signal.signal(signal.SIGINT, process.interrupt)
        if not isinstance(sys.unraisablehook, _RaiseAgain):
            sys.unraisablehook = _RaiseAgain(sys.unraisablehook)


def leave_on_interrupt() -> None:
    """Makes Ctrl-C end the program at once, with exit code 130. Called when all output is written.

    A KeyboardInterrupt in Python's cleanup would be a traceback.
    """
    with contextlib.suppress(ValueError):  # not the main thread
        if signal.getsignal(signal.SIGINT) not in (None, signal.SIG_IGN):
            signal.signal(signal.SIGINT, lambda *_: os._exit(exit_codes.INTERRUPTED))


class _RaiseAgain:
    """A ``sys.unraisablehook`` that repeats a KeyboardInterrupt that Python swallowed.

    Python does not propagate exceptions out of finalizers, weak-reference callbacks and
    garbage-collector callbacks (JAX has one). It calls ``sys.unraisablehook`` and continues. This
    hook then sends SIGTERM to the process. Other exceptions go to the hook ``otherwise``.
    """

    def __init__(self, otherwise: Callable[[sys.UnraisableHookArgs], object]):
        self._otherwise = otherwise

    def __call__(self, unraisable: sys.UnraisableHookArgs) -> None:
        if unraisable.exc_type is not KeyboardInterrupt:
            self._otherwise(unraisable)
            return
        # The signal is delayed: at once, it would be swallowed at the same place. It is SIGTERM,
        # because SIGINT may be ignored, for example in the background of a shell.
        for _ in range(3):  # a second Ctrl-C may interrupt this code, too
            try:
                again = threading.Timer(0.05, os.kill, (os.getpid(), signal.SIGTERM))
                again.daemon = True
                again.start()
            except KeyboardInterrupt:
                continue
            except RuntimeError:  # the interpreter is shutting down and starts no threads
                pass
            return
