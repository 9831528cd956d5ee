"""Hash table of bounded size that finds duplicates among recent positions of the proof log."""

from __future__ import annotations

import numpy as np

from jaxsolve.jit.host import compiled

_START, _FACTOR, _LAST = (
    np.uint64(word)
    for word in (0x9E37_79B9_7F4A_7C15, 0xBF58_476D_1CE4_E5B9, 0x94D0_49BB_1331_11EB)
)


def hashed(states: np.ndarray) -> np.ndarray:
    """Returns uint64[n]: a hash of each packed position uint32[n, S].

    Each word is mixed into the hash by one multiply-xorshift step, as in splitmix64.
    """
    found = np.empty(len(states), np.uint64)
    _hash(np.ascontiguousarray(states), found)
    return found


@compiled
def _hash(states, found):
    for row in range(len(states)):
        value = _START
        for column in range(states.shape[1]):
            value = (value ^ np.uint64(states[row, column])) * _FACTOR
            value ^= value >> np.uint64(29)
        value *= _LAST
        found[row] = value ^ value >> np.uint64(32)


class RecentPositions:
    """Lossy hash table from a packed position to the number of its record in the proof log.

    Each slot keeps its latest entry. Only hashes are stored. Therefore the caller must compare the
    position of a found record with its own.

    Args:
      most_bytes: memory bound. The table grows up to this size and then overwrites old entries.
    """

    def __init__(self, most_bytes: int):
        # While the table grows, the old and the new table are in memory.
        self._most = 1 << max(10, (most_bytes // 24).bit_length() - 1)
        self._hashes = np.zeros(1 << 10, np.uint64)
        self._numbers = np.full(1 << 10, -1, np.int64)
        self._inserted = 0

    def find(self, states: np.ndarray) -> np.ndarray:
        """Returns int64[n]: for each position uint32[n, S] a record with the same hash, or -1."""
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
        """Removes the entries of all records with a number of ``first`` or more."""
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
