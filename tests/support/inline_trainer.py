"""Trainers for tests: one in this process, which draws weights; a process that hangs."""

from __future__ import annotations

import os
import signal
import socket
from collections.abc import Callable

import jax
import numpy as np

from jaxsolve.cluster.backend import TrainerLost
from jaxsolve.cluster.channel import _HEAD
from jaxsolve.cluster.trainer_loop import Start
from jaxsolve.cluster.trainer_messages import Answer, Positions, TrainerFigures
from jaxsolve.cluster.weights import Weights


def drawn(start: Start, version: int) -> Weights:
    """The weights of a version: those of the start, each changed by up to a tenth."""
    rng = np.random.default_rng(version)
    params = jax.tree.map(
        lambda leaf: np.float32(leaf * rng.uniform(0.9, 1.1, np.shape(leaf))), start.network.params
    )
    return Weights.of(version, start.rules, params)


class InlineTrainer:
    """``TrainerBackend`` with new weights at every second look.

    Args:
      start: what it begins with.
      change: changes an answer before the manager receives it. Function of its number, from 0 on,
        and of the answer. None in place of an answer: the trainer is lost.
    """

    def __init__(self, start: Start, change: Callable[[int, bytes], bytes | None] | None = None):
        self.start, self._change = start, change
        self.received: list[Positions] = []
        self.closed = False
        self._looks = self._made = 0

    def ready(self) -> bool:
        return True

    def send(self, positions: bytes) -> None:
        self.received.append(Positions.decode(positions))

    def receive(self) -> list[bytes]:
        self._looks += 1
        if self._looks % 2:
            return []
        self._made += 1
        version = self.start.version + self._made
        figures = TrainerFigures(self._made, measured={"loss_total": 1.0 / self._made})
        answer: bytes | None = Answer(figures, drawn(self.start, version)).encode()
        if self._change is not None:
            assert answer is not None
            answer = self._change(self._made - 1, answer)
        if answer is None:
            raise TrainerLost("it ended (exit -9)")
        return [answer]

    def close(self) -> None:
        self.closed = True


def stops_within_a_message(end: socket.socket, *_: object) -> None:
    """In place of ``trainer_process._train``: sends a part of a message and stops."""
    end.sendall(_HEAD.pack(1 << 20) + bytes(1000))
    os.kill(os.getpid(), signal.SIGSTOP)
