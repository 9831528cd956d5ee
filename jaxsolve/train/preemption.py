"""Preemption notices of a run of several processes.

A notice is a SIGTERM that one of the processes receives, or the first Ctrl-C. All processes then
stop after the same step.
"""

from __future__ import annotations

import signal
from types import FrameType

import jax
from jax.experimental import multihost_utils

from jaxsolve.core import process


def preempted(step: int) -> bool:
    """Returns whether the run must stop after ``step``. The result is equal in all processes.

    If a process has received SIGTERM, JAX chooses a step that all processes will reach. The result
    is True at this step. Every process must call this function once for each step. Without
    ``devices.join`` the result is always False, because a single process handles its signals
    itself.
    """
    return jax.distributed.is_initialized() and multihost_utils.reached_preemption_sync_point(step)


def request_stop() -> None:
    """Sends this process SIGTERM, a preemption notice that stops all processes (``preempted``)."""
    signal.raise_signal(signal.SIGTERM)


def on_interrupt(number: int, frame: FrameType | None) -> None:
    """Handles Ctrl-C in one of several processes.

    The first Ctrl-C requests a stop of the whole run. The second one interrupts this process.
    """
    del number, frame
    signal.signal(signal.SIGINT, process.interrupt)
    request_stop()
