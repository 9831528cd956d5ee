"""Finds the records of a position in a proof log of any length, in a fixed room.

A key is the upper bits of a position's hash and the number of its record, in one 64-bit word; sorted, the records of a position stand
together, oldest first. Keys are dealt out by their first bits into parts, each sorted by itself. Parts that outgrow the room lie in temporary
files: then only every 512th key stays in memory, and a look-up reads one block. Positions are compared in full, with the log.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import NamedTuple

import numpy as np

from jaxsolve.proof.duplicates import hashed
from jaxsolve.proof.log import ProofLog, temporary_file

BLOCK = 512  # keys that one look-up reads from a file
PART_KEYS = 1 << 21  # most keys sorted in one piece, so that ``stop`` is heard in time
DEAL_KEYS = 1 << 16  # keys dealt out together
LEAST_BYTES = 1 << 16  # of memory, whatever the bound


class Found(NamedTuple):
    """Records of some positions, ordered by position, then by age, the oldest first."""

    owners: np.ndarray  # int64[m]: which of the positions
    numbers: np.ndarray  # int64[m]: the record's number
    records: np.ndarray  # uint32[m, S + 1 + Z]


class LogIndex:
    """Look-ups in what a log holds when the index is made.

    Args:
      log: must not be changed while the index is in use.
      memory_mb: bound on the memory for keys, 8 bytes a record; beyond it they go to temporary files.
      stop: called at least every 0.2 s while the index is made; may raise.
    """

    def __init__(
        self, log: ProofLog, *, memory_mb: int = 512, stop: Callable[[], None] = lambda: None
    ):
        log.flush()
        self._log = log
        self._number_bits = np.uint64(max(1, len(log).bit_length()))
        room, parts = max(memory_mb << 20, LEAST_BYTES), 1
        while len(log) > parts * PART_KEYS or 16 * len(log) > parts * room:
            parts *= 2
        self._part_bits = parts.bit_length() - 1
        held = 12 * len(log) <= room
        self._parts: list[_Held | _Spilt] = [_Held() if held else _Spilt() for _ in range(parts)]
        for keys in self._keys(stop):
            numbers = self._part_of(keys)
            for number in range(parts) if parts > 1 else ():
                self._parts[number].add(keys[numbers == number])
            if parts == 1:
                self._parts[0].add(keys)
        for part in self._parts:
            stop()
            part.sort()

    def beginning(self, bits: int, count: int) -> np.ndarray:
        """int64[n]: the records, by number, whose positions' hashes begin with these ``count`` bits, at most 30: not all need be of one position."""
        low = bits << 64 - count
        high = low | (1 << 64 - count) - 1
        keys = self._parts[int(self._part_of(np.array([low], np.uint64))[0])].between(
            np.uint64(low), np.uint64(high)
        )
        return np.sort((keys & np.uint64((1 << int(self._number_bits)) - 1)).astype(np.int64))

    def find(self, states: np.ndarray) -> Found:
        """The records of positions uint32[n, S]."""
        heads = self._heads(states)
        least = np.uint64((1 << int(self._number_bits)) - 1)
        owners: list[int] = []
        numbers: list[int] = []
        for owner, (head, part) in enumerate(
            zip(heads, self._part_of(heads).tolist(), strict=True)
        ):
            keys = self._parts[part].between(head, head | least)
            owners += [owner] * len(keys)
            numbers += (keys & least).tolist()
        records = self._log.read(np.array(numbers, np.int64))
        found = Found(np.array(owners, np.int64), np.array(numbers, np.int64), records)
        same = (records[:, : states.shape[1]] == states[found.owners]).all(axis=1)
        return found if same.all() else Found(*(part[same] for part in found))

    def _keys(self, stop: Callable[[], None]) -> Iterator[np.ndarray]:
        """uint64[n]: the keys of all records, some ten thousand at a time."""
        number, gathered = 0, []
        for records in self._log.blocks(stop=stop):
            numbers = np.arange(number, number + len(records), dtype=np.uint64)
            gathered.append(self._heads(records[:, : self._log.words]) | numbers)
            number += len(records)
            if sum(map(len, gathered)) >= DEAL_KEYS:
                yield np.concatenate(gathered)
                gathered = []
        if gathered:
            yield np.concatenate(gathered)

    def _heads(self, states: np.ndarray) -> np.ndarray:
        """uint64[n]: keys of the positions, less the number of a record."""
        return hashed(states) >> self._number_bits << self._number_bits

    def _part_of(self, keys: np.ndarray) -> np.ndarray:
        return (keys >> np.uint64(1) >> np.uint64(63 - self._part_bits)).astype(np.int64)


class _Held:
    """A part in memory."""

    def __init__(self) -> None:
        self._gathered: list[np.ndarray] = []
        self._keys = np.zeros(0, np.uint64)

    def add(self, keys: np.ndarray) -> None:
        self._gathered.append(keys)

    def sort(self) -> None:
        if self._gathered:
            self._keys = np.concatenate(self._gathered)
        self._gathered = []
        self._keys.sort()

    def between(self, low: np.uint64, high: np.uint64) -> np.ndarray:
        """The keys from ``low`` to ``high``."""
        return _between(self._keys, low, high)


class _Spilt:
    """A part in a temporary file."""

    def __init__(self) -> None:
        self._file = temporary_file()
        self._fences = np.zeros(0, np.uint64)  # the first key of each block

    def add(self, keys: np.ndarray) -> None:
        self._file.write(keys.tobytes())

    def sort(self) -> None:
        self._file.seek(0)
        keys = np.frombuffer(bytearray(self._file.read()), np.uint64)
        keys.sort()
        self._file.seek(0)
        self._file.write(keys.tobytes())
        self._fences = keys[::BLOCK].copy()

    def between(self, low: np.uint64, high: np.uint64) -> np.ndarray:
        """The keys from ``low`` to ``high``."""
        first = max(0, int(np.searchsorted(self._fences, low)) - 1)
        last = int(np.searchsorted(self._fences, high, "right"))
        self._file.seek(8 * BLOCK * first)
        return _between(
            np.frombuffer(self._file.read(8 * BLOCK * (last - first)), np.uint64), low, high
        )


def _between(keys: np.ndarray, low: np.uint64, high: np.uint64) -> np.ndarray:
    first = np.searchsorted(keys, low)
    last = first
    while last < len(keys) and keys[last] <= high:  # one record a position, mostly
        last += 1
    return keys[first:last]
