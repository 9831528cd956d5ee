"""The proof log: every position, with its deciding move, the moment it is decided; children always before parents.

On disk it is a header line of JSON and then chunks of records, each chunk with its length and a CRC, so that a run killed at any moment leaves a
log whose whole chunks are good. A record is S state words, one word for the move (0xFFFFFFFF = every move loses) and Z words for the zone (Z = 0 in
games without; see ``games.game.Foresees``).
"""

from __future__ import annotations

import contextlib
import json
import os
import struct
import zlib
from pathlib import Path
from typing import BinaryIO

import numpy as np

CHUNK = struct.Struct("<III")  # magic, number of records, CRC-32 of the records
MAGIC = 0x6A73_6C67
FLUSH_RECORDS = 4096


class ProofLogError(ValueError):
    """A log that does not belong to this question, or is not a log at all."""


class ProofLog:
    """Records of decided positions, in memory or, with ``path``, on disk with only the last few in memory.

    Args:
      question: what the records are true of (rule set, claim, root, ...); a log with another question is refused.
      words: S, words of a packed state.
      zone_words: Z, words of a zone.
      path: file to append to; made with its header if missing. None keeps everything in memory.
    Raises:
      ProofLogError: the file exists and is not a log of this question.
    """

    def __init__(self, question: dict[str, object], words: int, path: Path | None = None, zone_words: int = 0):
        self.words, self.zone_words, self.path = words, zone_words, path
        self._chunks: list[np.ndarray] = []
        self._pending: list[np.ndarray] = []
        self._pending_count = 0
        self._file: BinaryIO | None = None
        self.failure: OSError | None = None  # why records are kept in memory instead of on disk, such as a full disk
        if path is not None:
            self._open(
                path, json.dumps({"format": "jaxsolve-log", "version": 2, "words": words, "zone_words": zone_words, **question}, sort_keys=True)
            )

    def _open(self, path: Path, header: str) -> None:
        line = header.encode() + b"\n"
        if path.exists() and path.stat().st_size > 0:
            with path.open("rb") as file:
                found = file.readline(1 << 20)
                if found != line and not (line.startswith(found) and len(found) < len(line)):
                    raise ProofLogError(f"{path} is the proof log of another question; choose another output folder")
                good = _read_chunks(file, self._record)[1] if found == line else 0
            os.truncate(path, good)  # a chunk cut short by a kill is dropped, whole ones stay
            self._file = path.open("ab")
            if good:
                return
        else:
            self._file = path.open("ab")
        self._file.write(line)
        self._file.flush()

    @property
    def _record(self) -> int:
        """Words of a record."""
        return self.words + 1 + self.zone_words

    def append(self, states: np.ndarray, moves: np.ndarray, zones: np.ndarray | None = None) -> None:
        """Adds records: uint32[n, S] states, int32[n] moves, uint32[n, Z] zones (None where Z = 0)."""
        zones = np.zeros((len(states), 0), np.uint32) if zones is None else zones
        records = np.concatenate([states, moves.astype(np.int32).view(np.uint32)[:, None], zones], axis=1)
        self._pending.append(records)
        self._pending_count += len(records)
        if self._pending_count >= FLUSH_RECORDS:
            self.flush()

    def flush(self) -> None:
        """Writes what is pending to disk as one chunk; where that fails, it stays in memory and ``failure`` says why."""
        if not self._pending:
            return
        records = np.ascontiguousarray(np.concatenate(self._pending))
        self._pending, self._pending_count = [], 0
        if self._file is None:
            self._chunks.append(records)
            return
        data = records.tobytes()
        try:
            self._file.write(CHUNK.pack(MAGIC, len(records), zlib.crc32(data)) + data)
            self._file.flush()
        except OSError as error:
            self.failure, broken, self._file = error, self._file, None
            self._chunks.append(records)  # the next reader drops the chunk cut short
            with contextlib.suppress(OSError):
                broken.close()

    def records(self) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """(states uint32[n, S], moves int32[n], zones uint32[n, Z]) of everything logged, oldest first."""
        self.flush()
        chunks: list[np.ndarray] = []
        if self.path is not None:
            with self.path.open("rb") as file:
                file.readline(1 << 20)
                chunks, _ = _read_chunks(file, self._record)
        whole = np.concatenate([np.zeros((0, self._record), np.uint32), *chunks, *self._chunks])
        return whole[:, : self.words], whole[:, self.words].view(np.int32), whole[:, self.words + 1 :]

    def close(self) -> None:
        """Flushes and lets go of the file."""
        self.flush()
        if self._file is not None:
            self._file.close()
            self._file = None


def _read_chunks(file: BinaryIO, record: int) -> tuple[list[np.ndarray], int]:
    """(whole chunks, offset of the first byte that is not part of one)."""
    chunks: list[np.ndarray] = []
    good = file.tell()
    while True:
        head = file.read(CHUNK.size)
        if len(head) < CHUNK.size:
            return chunks, good
        magic, count, crc = CHUNK.unpack(head)
        size = 4 * record * count
        data = file.read(size) if magic == MAGIC else b""
        if magic != MAGIC or len(data) < size or zlib.crc32(data) != crc:
            return chunks, good
        chunks.append(np.frombuffer(data, np.uint32).reshape(count, record))
        good = file.tell()
