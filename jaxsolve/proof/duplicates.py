"""Finds duplicates in the proof log: a hash table of recent positions, of bounded size."""

from __future__ import annotations

import numpy as np

_SHIFT = np.uint64(29)
_FACTOR = np.uint64(0xBF58_476D_1CE4_E5B9)


def hashed(states: np.ndarray) -> np.ndarray:
    """uint64[n]: a mixed hash of each row of uint32[n, S].

    One multiply-xorshift step per word, as in splitmix64.
    """
    found = np.full(len(states), 0x9E37_79B9_7F4A_7C15, np.uint64)
    for column in range(states.shape[1]):
        found ^= states[:, column]
        found *= _FACTOR
        found ^= found >> _SHIFT
    found *= np.uint64(0x94D0_49BB_1331_11EB)
    found ^= found >> np.uint64(32)
    return found


class RecentPositions:
    """Lossy hash table from position to record number; each slot keeps its latest entry.

    Args:
      most_bytes: memory bound. The table grows up to it; then new entries overwrite old ones.
    """

    def __init__(self, most_bytes: int):
        # Growing needs the old and the new table at once.
        self._most = 1 << max(10, (most_bytes // 24).bit_length() - 1)
        self._hashes = np.zeros(1 << 10, np.uint64)
        self._numbers = np.full(1 << 10, -1, np.int64)
        self._inserted = 0

    def find(self, states: np.ndarray) -> np.ndarray:
        """int64[n]: a record with the hash of each row of uint32[n, S], or -1."""
        hashes = hashed(states)
        slots = self._slots(hashes)
        return np.where(self._hashes[slots] == hashes, self._numbers[slots], -1)

    def insert(self, states: np.ndarray, first: int) -> None:
        """Inserts positions uint32[n, S] with record numbers ``first``, ``first + 1``, ..."""
        self._inserted += len(states)
        while self._inserted > len(self._hashes) // 2 and len(self._hashes) < self._most:
            self._grow()
        self._put(hashed(states), np.arange(first, first + len(states), dtype=np.int64))

    def forget(self, first: int) -> None:
        """Removes the records from ``first`` on."""
        self._numbers[self._numbers >= first] = -1

    def _slots(self, hashes: np.ndarray) -> np.ndarray:
        return (hashes & np.uint64(len(self._hashes) - 1)).astype(np.int64)

    def _put(self, hashes: np.ndarray, numbers: np.ndarray) -> None:
        slots = self._slots(hashes)
        self._hashes[slots], self._numbers[slots] = hashes, numbers

    def _grow(self) -> None:
        held = self._numbers >= 0
        hashes, numbers = self._hashes[held], self._numbers[held]
        self._hashes = np.zeros(2 * len(self._hashes), np.uint64)
        self._numbers = np.full(len(self._hashes), -1, np.int64)
        self._put(hashes, numbers)
