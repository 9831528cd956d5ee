"""The proof log: an append-only file of decided positions, in the order of decision.

A position is decided after the positions that it depends on, so children precede parents.

File format: a header line of JSON, then chunks. A chunk has a head (``CHUNK``) and records. The
CRC-32 of a chunk continues the CRC-32 of the previous chunk. Therefore a missing or changed chunk
is detected, at the latest at the next chunk. All records after a damaged chunk are dropped, because
they may depend on lost records. Their positions are searched again. If a run is killed, the file
has complete chunks and at most one truncated chunk.

A record has S words for the state, one word for the move, and Z words for the zone (Z = 0 in games
without zones; see ``games.abilities.HasZones``). The move word, read as int32, is one of

* the winning move of the side to move (0 or more);
* -1: every move of the side to move loses;
* a reference to an older position. This position covers the older position on the zone. The
  reference has the first bits of the older position's hash (``games.zones.COVER_FLAG``).

The sign of the move word gives the result: negative if the side to move loses.

A position that is decided again is logged again in two cases only:

* The zone of the earlier record is not a subset of the new zone.
* The earlier record has a reference and the new record has none. The root of a proof needs a record
  without a reference.

All records are kept until the root is decided. The search tree keeps the result of an edge after
the child was evicted from memory, so the first record of a position may be its only proof. A run
that resumes the search also uses all records.
"""

from __future__ import annotations

import io
import json
import os
import struct
import zlib
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import BinaryIO

import numpy as np

from jaxsolve.games.zones import is_cover
from jaxsolve.proof.duplicates import RecentPositions
from jaxsolve.proof.files import ProofLogError, locked, temporary_file, write_all

# Magic number, number of records, CRC-32 of the records (continues that of the previous chunk).
CHUNK = struct.Struct("<III")
MAGIC = 0x6A73_6C67
VERSION = 3
FLUSH_RECORDS = 4096
MAX_CHUNK = 1 << 24  # records; a chunk with a larger count in its head is damaged
HEADER_BYTES = 1 << 20


class ProofLog:
    """Records of decided positions, numbered from 0 in the order of decision.

    Records that are dropped as duplicates get no number.

    Args:
      question: JSON values that identify the search (rule set, claim, root, ...). They are stored
        in the header.
      words: S, words of a packed state.
      path: file to append to, created if missing. None: the records are kept in memory, and are
        moved to a temporary file when they need too much memory.
      zone_words: Z, words of a zone.
      memory_mb: memory bound. One eighth of it limits the records that are kept in memory, another
        eighth limits the table that finds duplicates.
      are_records: predicate on uint32[n, S + 1 + Z]: whether every row can be a record. It is
        applied to the records of an existing file.

    Raises:
      ProofLogError: the file exists and is not a log of ``question``, it has a row that cannot be a
        record, or another run has it open.
    """

    def __init__(
        self,
        question: dict[str, object],
        words: int,
        path: Path | None = None,
        zone_words: int = 0,
        memory_mb: int = 2048,
        are_records: Callable[[np.ndarray], bool] | None = None,
    ):
        self._are_records = are_records
        self.words, self.zone_words, self.path = words, zone_words, path
        # The error of writing to ``path``. After it, records go to a temporary file.
        self.failure: OSError | None = None
        self.dropped_bytes = 0  # bytes of the file from the first damaged chunk on
        self._share = max(1 << 20, (memory_mb << 20) // 8)
        self._recent = RecentPositions(self._share)
        # For each chunk: the number of its first record, the offset of its records, its CRC.
        self._firsts: list[int] = []
        self._offsets: list[int] = []
        self._crcs: list[int] = []
        self._count = 0  # records written
        self._pending: list[np.ndarray] = []
        self._pending_count = 0
        self._file: BinaryIO = io.BytesIO() if path is None else locked(path)
        try:
            self._open(question)
        except BaseException:
            self._file.close()
            raise

    def __len__(self) -> int:
        """Returns the number of written records, without the pending ones."""
        return self._count

    @property
    def record_words(self) -> int:
        """Words per record, S + 1 + Z."""
        return self.words + 1 + self.zone_words

    # ---- opening ---------------------------------------------------------------------------------
    def _open(self, question: dict[str, object]) -> None:
        about = {
            "format": "jaxsolve-log",
            "version": VERSION,
            "words": self.words,
            "zone_words": self.zone_words,
            **question,
        }
        header = json.dumps(about, sort_keys=True).encode() + b"\n"
        size = self._file.seek(0, os.SEEK_END)
        self._file.seek(0)
        found = self._file.read(min(size, HEADER_BYTES)).split(b"\n", 1)
        line = found[0] + b"\n" if len(found) == 2 else found[0]
        cut_short = len(line) < len(header) and header.startswith(line)
        if line != header and not cut_short:
            raise ProofLogError(
                f"{self.path} is the proof log of another question; choose another output folder"
            )
        if cut_short:
            self._end = 0
            self._cut(0)
            self._put(header)
        self._end = len(header)
        if cut_short:
            return
        self._scan(size)
        self.dropped_bytes = size - self._end
        self._cut(self._end)

    def _scan(self, size: int) -> None:
        """Reads the chunks of an existing file up to the first invalid chunk.

        A chunk is invalid if it is truncated, damaged or out of order.

        ``size`` is the file's number of bytes.
        """
        while self._end + CHUNK.size <= size:
            magic, count, crc = CHUNK.unpack(self._bytes(self._end, CHUNK.size))
            length = 4 * self.record_words * count
            if (
                magic != MAGIC
                or not 0 < count <= MAX_CHUNK
                or self._end + CHUNK.size + length > size
            ):
                return
            data = self._bytes(self._end + CHUNK.size, length)
            if zlib.crc32(data, self._crcs[-1] if self._crcs else 0) != crc:
                return
            if self._are_records is not None and not self._are_records(
                _records(data, self.record_words)
            ):
                raise ProofLogError(
                    f"{self.path} holds a record that no search of this question writes; "
                    "choose another output folder, or remove the file"
                )
            self._recent.insert(_records(data, self.record_words)[:, : self.words], self._count)
            self._list_chunk(count, crc)

    def _list_chunk(self, count: int, crc: int) -> None:
        self._firsts.append(self._count)
        self._offsets.append(self._end + CHUNK.size)
        self._crcs.append(crc)
        self._count += count
        self._end += CHUNK.size + 4 * self.record_words * count

    def _cut(self, at: int) -> None:
        self._file.truncate(at)
        self._file.seek(at)

    # ---- writing ---------------------------------------------------------------------------------
    def append(
        self, states: np.ndarray, moves: np.ndarray, zones: np.ndarray | None = None
    ) -> None:
        """Adds records: states uint32[n, S], moves int32[n], zones uint32[n, Z] (None: Z = 0).

        The module's docstring defines the move of a record. Records are pending until ``flush``.
        This method calls ``flush`` after every FLUSH_RECORDS records.
        """
        zones = np.zeros((len(states), 0), np.uint32) if zones is None else zones
        self._pending.append(
            np.concatenate([states, moves.astype(np.int32).view(np.uint32)[:, None], zones], axis=1)
        )
        self._pending_count += len(states)
        if self._pending_count >= FLUSH_RECORDS:
            self.flush()

    def flush(self) -> None:
        """Writes the pending records as one chunk.

        If the file cannot be written (the disk is full), it keeps its complete chunks, and
        ``failure`` is set to the error. Logging then continues in a temporary file, so that the
        proof can still be collected.

        Raises:
          OSError: the temporary file cannot be written either; the records stay pending.
        """
        if not self._pending:
            return
        records = np.concatenate(self._pending)
        self._pending = [records]
        fresh = self._fresh(records)
        if len(fresh):
            self._write(np.ascontiguousarray(fresh))
        self._pending, self._pending_count = [], 0

    def _write(self, records: np.ndarray) -> None:
        data = records.tobytes()
        crc = zlib.crc32(data, self._crcs[-1] if self._crcs else 0)
        whole = CHUNK.pack(MAGIC, len(records), crc) + data
        if isinstance(self._file, io.BytesIO) and self._end + len(whole) > self._share:
            self._spill()
        try:
            self._put(whole)
        except OSError as error:
            if self.path is None or self.failure is not None:
                raise
            self.failure = error
            self._spill()
            self._put(whole)
        self._recent.insert(records[:, : self.words], self._count)
        self._list_chunk(len(records), crc)

    def _put(self, data: bytes) -> None:
        """Writes ``data`` at the end of the log.

        If the write fails, truncates the file to its previous length and raises OSError.
        """
        try:
            self._file.seek(self._end)
            write_all(self._file, data)
        except OSError:
            self._cut(self._end)
            raise

    def _spill(self) -> None:
        """Copies the log to a temporary file and continues in that file.

        The temporary file is removed when the process ends.
        """
        file = temporary_file()
        for at in range(0, self._end, 1 << 20):
            write_all(file, self._bytes(at, min(1 << 20, self._end - at)))
        self._file.close()
        self._file = file

    def _fresh(self, records: np.ndarray) -> np.ndarray:
        """Returns the rows of uint32[n, S + 1 + Z] ``records`` that are not duplicates.

        A new record is a duplicate if some earlier record meets three conditions:

        * The earlier record has the same position and result.
        * The zone of the earlier record is a subset of the new record's zone.
        * The earlier record has no reference to a covered position, or the new record has one too.
        """
        numbers = self._recent.find(records[:, : self.words])
        seen = np.flatnonzero(numbers >= 0)
        if not len(seen):
            return records
        old, new, s = self.read(numbers[seen]), records[seen], self.words
        known = (old[:, :s] == new[:, :s]).all(axis=1) & (
            (old[:, s].view(np.int32) < 0) == (new[:, s].view(np.int32) < 0)
        )
        known &= (old[:, s + 1 :] & ~new[:, s + 1 :] == 0).all(axis=1)
        known &= ~is_cover(old[:, s].view(np.int32)) | is_cover(new[:, s].view(np.int32))
        keep = np.ones(len(records), bool)
        keep[seen[known]] = False
        return records[keep]

    # ---- reading ---------------------------------------------------------------------------------
    def read(self, numbers: np.ndarray) -> np.ndarray:
        """Returns uint32[n, S + 1 + Z]: the records ``numbers``, int64[n] below ``len(self)``."""
        out, size = np.empty((len(numbers), self.record_words), np.uint32), 4 * self.record_words
        chunks = np.searchsorted(self._firsts, numbers, "right") - 1
        for i, (number, chunk) in enumerate(zip(numbers.tolist(), chunks.tolist(), strict=True)):
            out[i] = np.frombuffer(
                self._bytes(self._offsets[chunk] + size * (number - self._firsts[chunk]), size),
                np.uint32,
            )
        return out

    def blocks(
        self,
        first: int = 0,
        most: int = FLUSH_RECORDS,
        stop: Callable[[], None] | None = None,
        *,
        stop_at: int | None = None,
    ) -> Iterator[np.ndarray]:
        """Iterates over blocks of consecutive records, oldest first.

        Args:
          first: index of the first record.
          most: most records of a block.
          stop: called before each block. It may raise to end the iteration. None: no call.
          stop_at: index after that of the last record; None: all records from ``first`` on.

        Yields uint32[n, S + 1 + Z] with n at most ``most``.
        """
        self.flush()
        end = self._count if stop_at is None else min(stop_at, self._count)
        for chunk in range(len(self._firsts)):
            last = self._firsts[chunk + 1] if chunk + 1 < len(self._firsts) else self._count
            for at in range(max(first, self._firsts[chunk]), min(last, end), most):
                if stop is not None:
                    stop()
                count = min(most, min(last, end) - at)
                start = self._offsets[chunk] + 4 * self.record_words * (at - self._firsts[chunk])
                yield _records(self._bytes(start, 4 * self.record_words * count), self.record_words)

    def chunks(
        self, newest: int | None = None, most: int = FLUSH_RECORDS
    ) -> Iterator[tuple[np.ndarray, np.ndarray, np.ndarray]]:
        """Iterates over the last ``newest`` records (None: over all records), oldest first.

        Yields (states uint32[n, S], moves int32[n], zones uint32[n, Z]) with n at most ``most``.
        """
        self.flush()
        for records in self.blocks(0 if newest is None else max(0, self._count - newest), most):
            yield self.split(records)

    def split(self, records: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """Splits records uint32[n, S + 1 + Z] into their fields.

        Returns states uint32[n, S], moves int32[n] and zones uint32[n, Z].
        """
        return (
            records[:, : self.words],
            records[:, self.words].view(np.int32),
            records[:, self.words + 1 :],
        )

    def _bytes(self, offset: int, size: int) -> bytes:
        self._file.seek(offset)
        data = self._file.read(size)
        while len(data) < size:  # an unbuffered read can return less than requested
            more = self._file.read(size - len(data))
            if not more:
                raise ProofLogError(
                    f"{self.path or 'the proof log'} became shorter while it was in use"
                )
            data += more
        return data

    # ---- forgetting ------------------------------------------------------------------------------
    def forget(self, number: int) -> None:
        """Drops the records with a number of ``number`` or more.

        The other records stay valid, because a record depends only on earlier records.
        """
        self.flush()
        while self._firsts and self._firsts[-1] >= number:
            self._pop()
        if self._count > number:
            first, offset = self._firsts[-1], self._offsets[-1]
            kept = _records(
                self._bytes(offset, 4 * self.record_words * (number - first)), self.record_words
            )
            self._pop()
            self._cut(self._end)
            self._recent.forget(self._count)
            self._write(kept)
        else:
            self._cut(self._end)
            self._recent.forget(self._count)

    def _pop(self) -> None:
        self._count = self._firsts.pop()
        self._end = self._offsets.pop() - CHUNK.size
        self._crcs.pop()

    def close(self) -> None:
        """Flushes and closes the file. A second call does nothing."""
        if not self._file.closed:
            try:
                self.flush()
            finally:
                self._file.close()


def _records(data: bytes, words: int) -> np.ndarray:
    return np.frombuffer(data, np.uint32).reshape(-1, words)
