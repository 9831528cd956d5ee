"""SIGTERM and SIGINT: both end a command as Ctrl-C does, with everything saved."""

from __future__ import annotations

import contextlib
import os
import signal
import sys
import threading
from collections.abc import Callable

from jaxsolve.core import process


def stop_on_terminate() -> None:
    """Makes SIGTERM end a run like Ctrl-C, with everything saved, and ensures that none is lost."""
    # ValueError: not in the main thread. The caller then handles signals.
    with contextlib.suppress(ValueError):
        signal.signal(signal.SIGTERM, process.interrupt)
        # SIGINT may be ignored, for example in the background of a shell.
        if signal.getsignal(signal.SIGINT) is signal.default_int_handler:
            signal.signal(signal.SIGINT, process.interrupt)
        if not isinstance(sys.unraisablehook, _RaiseAgain):
            sys.unraisablehook = _RaiseAgain(sys.unraisablehook)


class _RaiseAgain:
    """Interrupts again if an interruption was swallowed.

    Exceptions do not leave finalizers, weak-reference callbacks and garbage-collector callbacks
    (JAX has one). The interpreter reports them to ``sys.unraisablehook`` and continues.
    """

    def __init__(self, otherwise: Callable[[sys.UnraisableHookArgs], object]):
        self._otherwise = otherwise

    def __call__(self, unraisable: sys.UnraisableHookArgs) -> None:
        if unraisable.exc_type is not KeyboardInterrupt:
            self._otherwise(unraisable)
            return
        # Later, because now the interruption would come at the same place. By SIGTERM, because
        # SIGINT may be ignored, for example in the background of a shell.
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
