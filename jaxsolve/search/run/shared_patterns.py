"""Decided positions shared between searches: of one run and, through a file, of later runs.

The pattern of a position that one search has decided is valid in every search with the same rule
set and claim (``tree.patterns``). A certificate must also prove the patterns that it uses.
Therefore searches share *records* of the proof log (``jaxsolve.proof.log``), children before
parents, instead of pattern tables. A search begins with the records of earlier searches in its log
and with their patterns in its table. Its certificate is collected and checked like any other.

The shared records of a question are closed: they contain the proofs of all of them, even after some
are dropped. The *age* of a record is the number of the latest collected proof that contains it. In
a full store, all records that belong to no proof are dropped first, then those with the lowest
ages.
"""

from __future__ import annotations

import contextlib
import hashlib
import io
import json
import os
import time
from collections.abc import Mapping
from pathlib import Path
from types import TracebackType
from typing import Any, NamedTuple

import numpy as np

from jaxsolve.core.run_folder import locked, write_atomically
from jaxsolve.games.game import Game
from jaxsolve.games.registry import make
from jaxsolve.proof.log import ProofLog
from jaxsolve.search.run.question_patterns import (
    PatternsError,
    Proof,
    QuestionPatterns,
    new_records,
    read_arrays,
)

__all__ = ["PatternsError", "Proof", "SharedPatterns", "Taken"]

FORMAT, VERSION = "jaxsolve-patterns", 2
CAPACITY_MB = 32  # bound on the records of a question; a search needs half a second to read them
# Bound on the records of all questions, in multiples of the capacity of one question. The question
# that has received no records for the longest time is dropped first.
QUESTIONS = 8
LATEST = 1 << 62  # largest age in a file
SAVE_SECONDS = 60.0  # time between two saves: a killed run loses at most the records of this time


class Taken(NamedTuple):
    """Shared records with which a search begins."""

    records: np.ndarray  # uint32[n, S + 1 + Z], children before parents
    serials: np.ndarray  # int64[n]: identifying numbers of the records in ``SharedPatterns``


class SharedPatterns:
    """The records that searches share. A context manager, which saves the records at its end.

    Records are held separately for each question, that is, for each header of a proof log (rule
    set, claim and settings that the records depend on).

    Args:
      path: file with the records of earlier runs, which ``save`` replaces; made if missing. None:
        the records are not kept after the process ends.
      capacity_mb: bound on the records of each question. One search adds at most a quarter of this
        for its proof, and another quarter for other records. All questions together hold at most
        ``QUESTIONS`` times as much.
      positions: whether records are also shared in games without patterns. A search then begins
        with the decided positions of earlier searches in its table.

    Raises:
      PatternsError: ``path`` holds something else, is damaged, or is in use by another run. The
        file is left unchanged.
      OSError: the file cannot be read or written.
    """

    def __init__(
        self,
        path: Path | None = None,
        capacity_mb: int = CAPACITY_MB,
        *,
        positions: bool = False,
    ):
        self.path, self._capacity, self.positions = path, capacity_mb << 20, positions
        self._questions: dict[str, QuestionPatterns] = {}
        self._age = 0  # number of the latest proof
        self._changed = False
        self._saved = time.perf_counter()  # when the file was last written
        self._lock: int | None = None
        if path is None:
            return
        if path.is_dir():
            raise PatternsError(f"{path} is a folder; give a file for patterns")
        try:
            path.parent.mkdir(parents=True, exist_ok=True)
            self._lock = locked(path.with_name(f".{path.name}.lock"))
        except BlockingIOError:
            raise PatternsError(
                f"{path} is in use by another run; wait for its end, "
                "or give another file for patterns"
            ) from None
        try:
            if path.exists():
                self._load(path)
        except BaseException:
            self._unlock()
            raise

    def __len__(self) -> int:
        """Number of records of all questions together."""
        return sum(len(held.records) for held in self._questions.values())

    def __bool__(self) -> bool:
        """True, also without records."""
        return True

    def __enter__(self) -> SharedPatterns:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.close()

    # ---- searches --------------------------------------------------------------------------------
    def take(self, question: Mapping[str, object], words: int, game: Game | None = None) -> Taken:
        """Returns the shared records of a question.

        Args:
          question: description of the question, as in the header of its proof log.
          words: number of words of a record, S + 1 + Z.
          game: rules of the question. They validate the records of a file if
            ``games.registry.make`` does not know the rule set.

        Raises PatternsError for records that are invalid for ``game``.
        """
        held = self._questions.get(_key(question))
        if held is None or held.records.shape[1] != words:
            return Taken(np.zeros((0, words), np.uint32), np.zeros(0, np.int64))
        if game is not None and not held.checked:
            held.check(self.path, game)
        return Taken(held.records, held.serials)

    def add(
        self, question: Mapping[str, object], taken: np.ndarray, log: ProofLog, proof: Proof | None
    ) -> None:
        """Adds the records of a search's proof, and other new records of its log, earliest first.

        A proof of more than a quarter of the capacity is not added. The other records take at most
        another quarter. If records that the search began with have been dropped in the meantime,
        only the proof is added. At most once in ``SAVE_SECONDS`` the file is saved as well. An
        error of this is left to ``close``.

        Args:
          question: description of the question, as in the header of its proof log.
          taken: int64[m], serials of the first m records of ``log``, which the search began with.
          log: proof log of the search.
          proof: records of the collected proof, or None if there is no proof.
        """
        words = log.record_words
        held = self._held(question, words)
        capacity = self._capacity // (4 * words)
        if proof is not None and len(proof.numbers) > capacity // 4:
            proof = None
        known = len(taken)
        if not np.isin(taken, held.serials).all():
            if proof is None:
                return  # the new records may depend on records that were dropped in the meantime
            known = 0  # add the whole proof, with the records that were taken
        self._age += proof is not None
        others = capacity // 4 if known == len(taken) else 0
        records, ages = new_records(log, known, others, proof, self._age)
        if proof is not None and known:
            used = taken[proof.numbers[proof.numbers < known]]
            held.ages[np.searchsorted(held.serials, used)] = self._age
        held.add(records, ages, capacity)
        while self._bytes() > QUESTIONS * self._capacity:
            del self._questions[next(iter(self._questions))]
        self._changed = True
        if time.perf_counter() - self._saved > SAVE_SECONDS:
            with contextlib.suppress(OSError):  # ``close`` reports it
                self.save()

    def add_proof(self, question: Mapping[str, object], records: np.ndarray) -> None:
        """Adds the records of a proof of another process, uint32[n, S + 1 + Z], children first.

        The proof must have been checked. One of more than a quarter of the capacity is not added.
        """
        capacity = self._capacity // (4 * records.shape[1])
        if len(records) > capacity // 4:
            return
        self._age += 1
        ages = np.full(len(records), self._age, np.int64)
        self._held(question, records.shape[1]).add(records, ages, capacity)
        self._changed = True

    def _held(self, question: Mapping[str, object], words: int) -> QuestionPatterns:
        """Returns the records of a question, which is now the most recently extended one."""
        held = self._questions.pop(_key(question), None)
        if held is None or held.records.shape[1] != words:
            held = QuestionPatterns(np.zeros((0, words), np.uint32), np.zeros(0, np.int64))
        self._questions[_key(question)] = held
        return held

    def _bytes(self) -> int:
        return sum(held.records.nbytes for held in self._questions.values())

    def drop(self, question: Mapping[str, object]) -> None:
        """Drops the shared records of a question.

        To be called if a proof that uses these records could not be collected or was refused.
        """
        self._changed = self._questions.pop(_key(question), None) is not None or self._changed

    # ---- the file --------------------------------------------------------------------------------
    def save(self) -> None:
        """Writes the file if the records have changed since it was last written.

        Raises OSError if it cannot be written; an existing file is then unchanged.
        """
        if self.path is None or not self._changed:
            return
        packed = io.BytesIO()
        about = {
            "format": FORMAT,
            "version": VERSION,
            "age": self._age,
            "questions": list(self._questions),
            "digest": self._digest(),
        }
        arrays: dict[str, Any] = {"about": np.frombuffer(json.dumps(about).encode(), np.uint8)}
        for number, held in enumerate(self._questions.values()):
            arrays |= {f"records{number}": held.records, f"ages{number}": held.ages}
        np.savez_compressed(packed, **arrays)
        write_atomically(self.path, packed.getvalue())
        self._changed, self._saved = False, time.perf_counter()

    def close(self) -> None:
        """Saves the records and releases the lock of the file. Raises OSError as ``save`` does."""
        try:
            self.save()
        finally:
            self._unlock()

    def _unlock(self) -> None:
        if self._lock is not None:
            os.close(self._lock)
            self._lock = None

    def __del__(self) -> None:
        # At interpreter shutdown modules may be None.
        if getattr(self, "_lock", None) is not None and os is not None:
            self._unlock()

    def _digest(self) -> str:
        """Returns a digest of all records, which ``_load`` compares to detect damage.

        A search uses the records without verification until its own proof is collected.
        """
        digest = hashlib.sha256(str(self._age).encode())
        for key, held in self._questions.items():
            shape = str(held.records.shape).encode()
            for part in (key.encode(), shape, held.records.tobytes(), held.ages.tobytes()):
                digest.update(part)
        return digest.hexdigest()

    def _load(self, path: Path) -> None:
        try:
            with contextlib.closing(np.load(path, allow_pickle=False)) as file:
                about = json.loads(file["about"].tobytes())
                if about["format"] != FORMAT:
                    raise ValueError
                if about["version"] != VERSION:
                    raise PatternsError(
                        f"{path} holds patterns of another version of jaxsolve; "
                        "give another file, or remove it"
                    )
                self._age = about["age"]
                if type(self._age) is not int or not 0 <= self._age <= LATEST:
                    raise ValueError
                for number, key in enumerate(about["questions"]):
                    records, ages = file[f"records{number}"], file[f"ages{number}"]
                    self._questions[str(key)] = read_arrays(records, ages, self._age)
                if about["digest"] != self._digest():
                    raise ValueError
                for key, held in self._questions.items():
                    held.check(path, _game(json.loads(key)["rules"]))
        except PatternsError:
            raise
        # Damage to a compressed file raises errors of zipfile, zlib, numpy, tokenize and others.
        except Exception as error:
            if isinstance(error, OSError) and error.errno is not None:
                raise
            raise PatternsError(
                f"{path} is no file of patterns, or is damaged; give another file, or remove it"
            ) from error


def _game(rule_set: str) -> Game | None:
    """Returns the game of a rule set, or None if ``make`` cannot make it."""
    try:
        return make(rule_set)
    except ValueError:
        return None


def _key(question: Mapping[str, object]) -> str:
    return json.dumps(question, sort_keys=True)
