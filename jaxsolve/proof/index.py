"""Index of a proof log: finds the records of a position in bounded memory, for logs of any size.

A key is a 64-bit word: the upper bits of a position's hash, then the number of its record. In a
sorted array of keys the records of a position are adjacent, oldest first. The leading bits of a
key select its partition, and each partition is sorted separately. If the keys exceed the memory
bound, the partitions are temporary files. Then only every 512th key is in memory, and a lookup
reads a block of keys from the file. Hashes may collide. Therefore a lookup also compares the
positions of the records that it finds.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import NamedTuple

import numpy as np

from jaxsolve.games.zones import COVER_FLAG, COVER_HASH_BITS
from jaxsolve.proof.duplicates import hashed
from jaxsolve.proof.files import temporary_file
from jaxsolve.proof.log import ProofLog

BLOCK = 512  # keys that one lookup reads from a file
PARTITION_KEYS = 1 << 21  # most keys sorted at once, so that ``stop`` is called in time
BATCH_KEYS = 1 << 16  # keys distributed together
LEAST_BYTES = 1 << 16  # lower limit of the memory bound


class Found(NamedTuple):
    """Result of ``LogIndex.find``: all m records of n positions.

    The records are ordered by position, and the records of one position by number, oldest first.
    """

    owners: np.ndarray  # int64[m]: index of the position in the lookup, 0 to n - 1
    numbers: np.ndarray  # int64[m]: the record's number
    records: np.ndarray  # uint32[m, S + 1 + Z]


class LogIndex:
    """Finds records of a proof log by position.

    Args:
      log: the log; it must not change while the index is in use.
      memory_mb: memory bound for the keys, which take 8 bytes a record. Temporary files are used
        if the keys exceed the bound.
      stop: called at least every 0.2 s while the index is built; may raise.
    """

    def __init__(
        self, log: ProofLog, *, memory_mb: int = 512, stop: Callable[[], None] = lambda: None
    ):
        log.flush()
        self._log = log
        self._number_bits = np.uint64(max(1, len(log).bit_length()))
        capacity, parts = max(memory_mb << 20, LEAST_BYTES), 1
        while len(log) > parts * PARTITION_KEYS or 16 * len(log) > parts * capacity:
            parts *= 2
        self._partition_bits = parts.bit_length() - 1
        fits = 12 * len(log) <= capacity
        self._partitions: list[_InMemory | _OnDisk] = [
            _InMemory() if fits else _OnDisk() for _ in range(parts)
        ]
        for keys in self._keys(stop):
            numbers = self._partition_of(keys)
            for number in range(parts) if parts > 1 else ():
                self._partitions[number].add(keys[numbers == number])
            if parts == 1:
                self._partitions[0].add(keys)
        for part in self._partitions:
            stop()
            part.sort()

    def beginning(self, bits: int, count: int) -> np.ndarray:
        """Returns int64[n]: sorted numbers of the records whose hash begins with ``bits``.

        The records may belong to several positions.

        Args:
          bits: the first bits of a hash (``duplicates.hashed``), as a number.
          count: the number of these bits, at most 30.
        """
        low = bits << 64 - count
        high = low | (1 << 64 - count) - 1
        keys = self._partitions[int(self._partition_of(np.array([low], np.uint64))[0])].between(
            np.uint64(low), np.uint64(high)
        )
        return np.sort((keys & np.uint64((1 << int(self._number_bits)) - 1)).astype(np.int64))

    def find(self, states: np.ndarray) -> Found:
        """Returns the records of positions uint32[n, S]."""
        heads = self._heads(states)
        least = np.uint64((1 << int(self._number_bits)) - 1)
        owners: list[int] = []
        numbers: list[int] = []
        for owner, (head, part) in enumerate(
            zip(heads, self._partition_of(heads).tolist(), strict=True)
        ):
            keys = self._partitions[part].between(head, head | least)
            owners += [owner] * len(keys)
            numbers += (keys & least).tolist()
        records = self._log.read(np.array(numbers, np.int64))
        found = Found(np.array(owners, np.int64), np.array(numbers, np.int64), records)
        same = (records[:, : states.shape[1]] == states[found.owners]).all(axis=1)
        return found if same.all() else Found(*(part[same] for part in found))

    def covered_by(self, record: int, move: int) -> Iterator[tuple[int, np.ndarray, np.ndarray]]:
        """Yields the records to which the reference of a record may lead.

        These records are older, have the same winner, and have a hash that begins with the bits in
        ``move``. If such a record has a reference itself, this reference is followed. Only records
        without a reference are yielded. The caller must test whether their positions are covered.

        Args:
          record: number of the record with the reference.
          move: its move field (``games.zones.COVER_FLAG``).

        Yields:
          (number, position uint32[S], zone uint32[Z]) of a record.
        """
        todo, seen = [(record, move)], {record}
        while todo:
            number, move = todo.pop()
            older = self.beginning((move if move >= 0 else ~move) & COVER_FLAG - 1, COVER_HASH_BITS)
            older = np.array(
                [each for each in older.tolist() if each < number and each not in seen], np.int64
            )
            seen.update(older.tolist())
            for each, state, its_move, zone in zip(
                older.tolist(), *self._log.split(self._log.read(older)), strict=True
            ):
                if (int(its_move) >= 0) != (move >= 0):
                    continue
                if -1 <= its_move < COVER_FLAG:
                    yield each, state, zone
                else:
                    todo.append((each, int(its_move)))

    def _keys(self, stop: Callable[[], None]) -> Iterator[np.ndarray]:
        """Iterates over the keys of all records, uint64[n], in batches of about BATCH_KEYS."""
        number, gathered = 0, []
        for records in self._log.blocks(stop=stop):
            numbers = np.arange(number, number + len(records), dtype=np.uint64)
            gathered.append(self._heads(records[:, : self._log.words]) | numbers)
            number += len(records)
            if sum(map(len, gathered)) >= BATCH_KEYS:
                yield np.concatenate(gathered)
                gathered = []
        if gathered:
            yield np.concatenate(gathered)

    def _heads(self, states: np.ndarray) -> np.ndarray:
        """Returns uint64[n]: the key of each position uint32[n, S], with record number 0."""
        return hashed(states) >> self._number_bits << self._number_bits

    def _partition_of(self, keys: np.ndarray) -> np.ndarray:
        return (keys >> np.uint64(1) >> np.uint64(63 - self._partition_bits)).astype(np.int64)


class _InMemory:
    """A partition of the keys that is held in memory."""

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
        """Returns the keys from ``low`` to ``high``, both included. Call ``sort`` first."""
        return _between(self._keys, low, high)


class _OnDisk:
    """A partition of the keys that is held in a temporary file."""

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
        """Returns the keys from ``low`` to ``high``, both included. Call ``sort`` first."""
        first = max(0, int(np.searchsorted(self._fences, low)) - 1)
        last = int(np.searchsorted(self._fences, high, "right"))
        self._file.seek(8 * BLOCK * first)
        return _between(
            np.frombuffer(self._file.read(8 * BLOCK * (last - first)), np.uint64), low, high
        )


def _between(keys: np.ndarray, low: np.uint64, high: np.uint64) -> np.ndarray:
    first = np.searchsorted(keys, low)
    last = first
    while last < len(keys) and keys[last] <= high:  # most positions have one record
        last += 1
    return keys[first:last]
