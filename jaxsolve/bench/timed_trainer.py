"""A trainer in simulated time, for the real manager with workers in simulated time."""

from __future__ import annotations

from jaxsolve.bench.simulated_workers import SimulatedClock, spent
from jaxsolve.cluster.trainer_loop import Start, TrainerLoop

START_SECONDS = 2.0
"""Simulated seconds until the process has started; the first iteration loads compiled code."""


class TimedTrainer:
    """``TrainerBackend`` in this process.

    An iteration is computed when it begins, with the positions that have arrived by then. Its
    answer arrives after as many simulated seconds as it has taken CPU seconds. The first one waits
    for positions.

    Args:
      start: what the trainer begins with. Its ``seconds`` must be 0.
      clock: simulated time.
      speed: how many times as fast as a core the trainer is.
    """

    def __init__(self, start: Start, clock: SimulatedClock, speed: float = 1.0):
        self._clock, self._speed = clock, speed
        with clock.stopped():
            self._loop = TrainerLoop(start)
        self._begins = clock() + START_SECONDS
        self._received = False
        self._answer: tuple[float, bytes] | None = None  # when it arrives

    def ready(self) -> bool:
        return True

    def send(self, positions: bytes) -> None:
        self._received = True
        with self._clock.stopped():
            self._loop.add(positions)

    def receive(self) -> list[bytes]:
        arrived = list[bytes]()
        with self._clock.stopped():
            now = self._clock()
            if self._answer is not None and self._answer[0] <= now:
                arrived, self._answer = [self._answer[1]], None
            if self._answer is None and self._received and now >= self._begins:
                before = spent()
                answer = self._loop.update()
                seconds = spent() - before
                self._answer = now + seconds / self._speed, answer
        return arrived

    def close(self) -> None:
        self._loop.close()
