"""News: proofs that one worker has found, passed on to the others.

The manager has checked them. A worker begins its next searches with their positions and patterns
(``search.run.shared_patterns``).
"""

from __future__ import annotations

import itertools
from collections import deque
from dataclasses import dataclass

import numpy as np

from jaxsolve.cluster.messages import joined, split
from jaxsolve.cluster.orders import packed, unpacked

MOST_BYTES = 64 << 20  # of all news that the manager keeps
MOST_SENT = 1 << 20
"""Bytes of the news sent with one order; older news is left out.

8,000 workers with jobs of 30 s receive 270 MB/s in all.
"""


@dataclass(frozen=True)
class News:
    """The records of a checked proof."""

    question: dict[str, object]  # header of the proof log (``search.run.records.question_of``)
    records: np.ndarray  # uint32[n, words], children before parents
    data: bytes = b""  # ``orders.packed(records)``, if that is known

    def encode(self) -> bytes:
        """Returns a line of JSON and the records."""
        head = {"question": self.question, "words": self.records.shape[1]}
        return joined(head, self.data or packed(self.records))

    @classmethod
    def decode(cls, message: bytes) -> News:
        """Returns the news of a message. Raises ValueError if it is none."""
        head, records = split(message)
        return cls(head["question"], unpacked(records, head["words"]))


class Newsletter:
    """The latest news, and how much of it each worker has received."""

    def __init__(self, most_bytes: int = MOST_BYTES, most_sent: int = MOST_SENT):
        self._most, self._most_sent = most_bytes, most_sent
        self._kept: deque[tuple[str, bytes]] = deque()  # (its worker, message), latest last
        self._bytes, self._number = 0, 0
        self._received: dict[str, int] = {}  # worker -> number of the next news for it

    def add(self, news: News, worker: str) -> None:
        """Adds the news of a worker."""
        message = news.encode()
        self._kept.append((worker, message))
        self._number += 1
        self._bytes += len(message)
        while self._bytes > self._most:
            self._bytes -= len(self._kept.popleft()[1])

    def take(self, worker: str) -> list[bytes]:
        """Returns the news that a worker has not received, oldest first, without its own.

        At most ``most_sent`` bytes are returned, those of the latest news.
        """
        new, found, size = self._number - self._received.get(worker, 0), [], 0
        self._received[worker] = self._number
        for source, message in itertools.islice(reversed(self._kept), new):
            size += len(message)
            if size > self._most_sent:
                break
            if source != worker:
                found.append(message)
        return found[::-1]

    def forget(self, worker: str) -> None:
        """Drops what is known of a worker that has ended."""
        self._received.pop(worker, None)
