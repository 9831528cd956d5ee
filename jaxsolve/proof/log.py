"""The proof log: every position, with its deciding move, the moment it is decided; children always before parents.

A header line of JSON, then chunks of records, each with their number and a CRC-32 that goes on from that of the chunk before. So a run killed at
any moment leaves whole chunks and at most one that is cut short, and a chunk that is missing or changed shows at the next one: what lies behind it
may rest on what it held, is dropped, and is searched again. A record is S state words, one word for the move (0xFFFFFFFF = every move
loses) and Z words for the zone (Z = 0 in games without; see ``games.game.HasZones``). Where a position was decided because it covers an older one on
that zone, the move's word says so and names that one by its hash (``zoning.LIKE``); it loses or wins by the word's sign, as ever.

The log shrinks as it grows: a position decided again, on no smaller zone, is not kept, unless it only covered another one until now: what is asked
about must stand for itself. Nothing else can go before the root is decided: an edge of the
tree keeps its number after the position behind it was evicted, so any first record may still be the only proof of one, and a later run adopts
all of them.
"""

from __future__ import annotations

import errno
import io
import json
import os
import struct
import tempfile
import zlib
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import BinaryIO

import numpy as np

from jaxsolve.games.zones import covers
from jaxsolve.proof.duplicates import Recent

try:
    import fcntl
except ImportError:  # no such locks on this system
    fcntl = None  # type: ignore[assignment]

CHUNK = struct.Struct(
    "<III"
)  # magic, number of records, CRC-32 of the records, begun with that of the chunk before
MAGIC = 0x6A73_6C67
VERSION = 3
FLUSH_RECORDS = 4096
MAX_CHUNK = 1 << 24  # records; a larger number in a chunk's head is damage
HEADER_BYTES = 1 << 20


class ProofLogError(ValueError):
    """A log that does not belong to this question, is in use, or is not a log at all."""


class ProofLog:
    """Records of decided positions, numbered from 0 in the order they were decided; those dropped have no number.

    Args:
      question: what the records are true of (rule set, claim, root, ...); a log with another question is refused.
      words: S, words of a packed state.
      path: file to append to; made with its header if missing. None keeps the records in memory, in a temporary file once they are too many.
      zone_words: Z, words of a zone.
      memory_mb: bound on what the log holds in memory; it takes an eighth for records without a path and as much to find repeated ones.
    Raises:
      ProofLogError: the file exists and is not a log of this question, or another run has it open.
    """

    def __init__(
        self,
        question: dict[str, object],
        words: int,
        path: Path | None = None,
        zone_words: int = 0,
        memory_mb: int = 2048,
    ):
        self.words, self.zone_words, self.path = words, zone_words, path
        self.failure: OSError | None = (
            None  # why the records go to a temporary file and no longer to ``path``
        )
        self.dropped_bytes = (
            0  # bytes of the file that were damaged, or lay behind damage, when it was opened
        )
        self._share = max(1 << 20, (memory_mb << 20) // 8)
        self._recent = Recent(self._share)
        self._firsts: list[int] = []  # of each chunk: the number of its first record
        self._offsets: list[int] = []  # and where its records begin
        self._crcs: list[int] = []  # and its CRC
        self._count = 0  # records written
        self._pending: list[np.ndarray] = []
        self._pending_count = 0
        self._file: BinaryIO = io.BytesIO() if path is None else _locked(path)
        try:
            self._open(question)
        except BaseException:
            self._file.close()
            raise

    def __len__(self) -> int:
        """Records written."""
        return self._count

    @property
    def record_words(self) -> int:
        """Words of a record."""
        return self.words + 1 + self.zone_words

    # ---- opening -------------------------------------------------------------------------------------------------
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
        """Lists the whole chunks, and stops at the first that is cut short, changed, or does not follow the one before."""
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
            self._recent.enter(_records(data, self.record_words)[:, : self.words], self._count)
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

    # ---- writing -------------------------------------------------------------------------------------------------
    def append(
        self, states: np.ndarray, moves: np.ndarray, zones: np.ndarray | None = None
    ) -> None:
        """Adds records: uint32[n, S] states, int32[n] moves, uint32[n, Z] zones (None where Z = 0)."""
        zones = np.zeros((len(states), 0), np.uint32) if zones is None else zones
        self._pending.append(
            np.concatenate([states, moves.astype(np.int32).view(np.uint32)[:, None], zones], axis=1)
        )
        self._pending_count += len(states)
        if self._pending_count >= FLUSH_RECORDS:
            self.flush()

    def flush(self) -> None:
        """Writes what is pending to disk as one chunk. Where the disk is full the file ends with the last whole chunk, ``failure`` says why, and the
        log goes on in a temporary file, so that what is decided can still be proven.

        Raises:
          OSError: that cannot be written either; what was pending stays so.
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
        self._recent.enter(records[:, : self.words], self._count)
        self._list_chunk(len(records), crc)

    def _put(self, data: bytes) -> None:
        """Writes ``data`` at the end, or nothing. Raises OSError."""
        try:
            self._file.seek(self._end)
            _write_all(self._file, data)
        except OSError:
            self._cut(self._end)
            raise

    def _spill(self) -> None:
        """Goes on in a temporary file, which disappears with the process."""
        file = temporary_file()
        for at in range(0, self._end, 1 << 20):
            _write_all(file, self._bytes(at, min(1 << 20, self._end - at)))
        self._file.close()
        self._file = file

    def _fresh(self, records: np.ndarray) -> np.ndarray:
        """The records less those that tell nothing new.

        The position of such a one is there already, decided the same way, on a zone that lies inside its, and by a move if it has one.
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
        known &= ~covers(old[:, s].view(np.int32)) | covers(new[:, s].view(np.int32))
        keep = np.ones(len(records), bool)
        keep[seen[known]] = False
        return records[keep]

    # ---- reading -------------------------------------------------------------------------------------------------
    def read(self, numbers: np.ndarray) -> np.ndarray:
        """uint32[n, S + 1 + Z]: the records of these numbers, int64[n] below ``len``."""
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
        """uint32[n, S + 1 + Z], n at most ``most``: records ``first`` to ``stop_at`` - 1, or all, oldest first. Calls ``stop`` before each."""
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
        """(states uint32[n, S], moves int32[n], zones uint32[n, Z]), n at most ``most``, of the ``newest`` records or all, oldest first."""
        self.flush()
        for records in self.blocks(0 if newest is None else max(0, self._count - newest), most):
            yield self.split(records)

    def split(self, records: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """(states, moves, zones) of records."""
        return (
            records[:, : self.words],
            records[:, self.words].view(np.int32),
            records[:, self.words + 1 :],
        )

    def _bytes(self, offset: int, size: int) -> bytes:
        self._file.seek(offset)
        data = self._file.read(size)
        while len(data) < size:  # an unbuffered file may give less than is there
            more = self._file.read(size - len(data))
            if not more:
                raise ProofLogError(
                    f"{self.path or 'the proof log'} has become shorter while it was in use"
                )
            data += more
        return data

    # ---- forgetting ----------------------------------------------------------------------------------------------
    def forget(self, number: int) -> None:
        """Drops the records from ``number`` on: what was decided before it rests on none of them."""
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
        """Flushes and lets go of the file. Calling it again does nothing."""
        if not self._file.closed:
            try:
                self.flush()
            finally:
                self._file.close()


def _locked(path: Path) -> BinaryIO:
    """The file, made if missing, open for reading and writing and locked until it is closed or the process ends."""
    file = os.fdopen(os.open(path, os.O_RDWR | os.O_CREAT, 0o666), "r+b", buffering=0)
    if fcntl is not None:
        try:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            file.close()
            raise ProofLogError(
                f"{path} is in use by another run; wait for it or choose another output folder"
            ) from None
        except OSError:
            pass  # a file system without locks
    return file  # type: ignore[return-value]


def _write_all(file: BinaryIO, data: bytes) -> None:
    """As ``write``, which may take only a part where the disk becomes full. Raises OSError."""
    rest = memoryview(data)
    while len(rest):
        written = file.write(rest)
        if not written:
            raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
        rest = rest[written:]


def temporary_file() -> BinaryIO:
    """A file without a name, which disappears when it is closed or the process ends."""
    return tempfile.TemporaryFile(buffering=0)  # type: ignore[return-value]


def _records(data: bytes, words: int) -> np.ndarray:
    return np.frombuffer(data, np.uint32).reshape(-1, words)
