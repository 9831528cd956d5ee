"""Patterns that serve other searches too: those of a run's other problems, and, in a file, those of later runs.

A position decided in one search decides whatever covers it in another, if both ask the same: same rules, same claim. But a certificate must carry
the proof of everything that it uses. So what is shared is not the pattern table of a search: it is its *records* (``jaxsolve.proof.log``), children
before parents. A search begins with those of the others in its own log and with what they show in its own table, and its proof is collected and
checked as any other.

Whatever is here must carry itself, also when room is short. So each record knows the latest collected proof that it was part of. First those go that
were part of none, all of them; then those of the longest unused proofs. What is left is what the later proofs consist of.
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
from jaxsolve.proof.duplicates import hashed
from jaxsolve.proof.log import ProofLog
from jaxsolve.proof.records import are_records, zone_words_of

FORMAT, VERSION = "jaxsolve-patterns", 2
ROOM_MB = 32  # of records, for each question: about half a second of a search's beginning
QUESTIONS = 8  # so many times ``ROOM_MB`` are held in all; beyond that the questions go to which nothing was added for the longest time
LATEST = 1 << 62  # largest age that a file may hold
SAVE_SECONDS = 60.0  # a killed run loses at most what was proved since


class PatternsError(ValueError):
    """A file that holds no patterns, is damaged, or is in use."""


class Taken(NamedTuple):
    """Records that a search begins with."""

    records: np.ndarray  # uint32[n, S + 1 + Z], children before parents
    serials: np.ndarray  # int64[n]: their numbers in ``SharedPatterns``


class Proof(NamedTuple):
    """What a collected proof consists of, oldest first (``ZonedGraphBuilder.records_used``)."""

    numbers: np.ndarray  # int64[n]: of records of its search's log
    records: np.ndarray  # uint32[n, S + 1 + Z]


class _Shelf:
    """The records of one question."""

    def __init__(self, records: np.ndarray, ages: np.ndarray):
        self.records = records  # uint32[n, S + 1 + Z], children before parents
        self.ages = ages  # int64[n]: the latest proof that each was part of, 0 for none
        self.hashes = hashed(records)
        self.serials = np.arange(len(records), dtype=np.int64)
        self.following = len(records)  # the serial of the next record
        self.checked = True  # whether the records can be records of their question

    def add(self, records: np.ndarray, ages: np.ndarray, most: int) -> None:
        """Adds records. One that is here already and belongs to no proof is left out: whatever rests on it goes no later than it does."""
        hashes = hashed(records)
        new = (ages > 0) | ~np.isin(hashes, self.hashes)
        records, ages, hashes = records[new], ages[new], hashes[new]
        self.records, self.ages, self.hashes = (
            np.concatenate(pair)
            for pair in ((self.records, records), (self.ages, ages), (self.hashes, hashes))
        )
        self.serials = np.concatenate(
            [self.serials, np.arange(self.following, self.following + len(records))]
        )
        self.following += len(records)
        if len(self.records) > most:
            self._leave(self.ages > 0)
        if len(self.records) > most:
            ages, counts = np.unique(self.ages, return_counts=True)
            kept = (
                np.cumsum(counts[::-1]) <= most - most // 8
            )  # and then some, so that this is not done each time
            self._leave(self.ages >= (ages[::-1][kept][-1] if kept.any() else ages[-1] + 1))

    def _leave(self, kept: np.ndarray) -> None:
        self.records, self.ages, self.hashes, self.serials = (
            self.records[kept],
            self.ages[kept],
            self.hashes[kept],
            self.serials[kept],
        )


class SharedPatterns:
    """What the searches of a run know of each other; a context manager, which saves.

    Args:
      path: a file with what earlier runs have found, written again by ``save``; made if missing. None: nothing outlives the run.
      room_mb: bound on the records of each question, one search adding no more than a quarter of that; eight times as much is held in all.

    Raises:
      PatternsError: ``path`` holds something else, is damaged, or another run has it in use; it stays as it is.
      OSError: it cannot be read, or not be written.
    """

    def __init__(self, path: Path | None = None, room_mb: int = ROOM_MB):
        self.path, self._room = path, room_mb << 20
        self._shelves: dict[str, _Shelf] = {}
        self._age = 0  # of the latest proof
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
                f"{path} is in use by another run; wait for its end, or give another file for patterns"
            ) from None
        try:
            if path.exists():
                self._load(path)
        except BaseException:
            self._unlock()
            raise

    def __len__(self) -> int:
        """Records of all questions."""
        return sum(len(shelf.records) for shelf in self._shelves.values())

    def __bool__(self) -> bool:
        return True  # empty ones are some, too

    def __enter__(self) -> SharedPatterns:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.close()

    # ---- searches --------------------------------------------------------------------------------------------------
    def take(self, question: Mapping[str, object], words: int, game: Game | None = None) -> Taken:
        """The records known for a question, the header of its proof log, of ``words`` words each.

        ``game`` is needed for a rule set that no name stands for. Raises PatternsError for records
        that are none of this game.
        """
        shelf = self._shelves.get(_key(question))
        if shelf is None or shelf.records.shape[1] != words:
            return Taken(np.zeros((0, words), np.uint32), np.zeros(0, np.int64))
        if game is not None and not shelf.checked:
            _check(self.path, game, shelf)
        return Taken(shelf.records, shelf.serials)

    def add(
        self, question: Mapping[str, object], taken: np.ndarray, log: ProofLog, proof: Proof | None
    ) -> None:
        """Adds what a search has decided: its proof, if that is not too large, and else what it decided first.

        Args:
          taken: int64[m]: the serials of the log's first records, which the search took from here.
          proof: those of the log's records that its collected proof consists of; None where there is none.
        """
        words = log.record_words
        shelf = self._shelves.pop(_key(question), None)
        if shelf is None or shelf.records.shape[1] != words:
            shelf = _Shelf(np.zeros((0, words), np.uint32), np.zeros(0, np.int64))
        self._shelves[_key(question)] = shelf  # the last one now
        room = self._room // (4 * words)
        if proof is not None and len(proof.numbers) > room // 4:
            proof = None
        known = len(taken)
        if not np.isin(taken, shelf.serials).all():
            if proof is None:
                return  # it may rest on what has gone meanwhile
            known = 0  # all of the proof once more
        self._age += proof is not None
        records, ages = _decided(
            log, known, room // 4 if known == len(taken) else 0, proof, self._age
        )
        if proof is not None and known:
            shelf.ages[
                np.searchsorted(shelf.serials, taken[proof.numbers[proof.numbers < known]])
            ] = self._age
        shelf.add(records, ages, room)
        while sum(each.records.nbytes for each in self._shelves.values()) > QUESTIONS * self._room:
            del self._shelves[next(iter(self._shelves))]
        self._changed = True
        if time.perf_counter() - self._saved > SAVE_SECONDS:
            with contextlib.suppress(OSError):  # ``close`` will say so
                self.save()

    def drop(self, question: Mapping[str, object]) -> None:
        """Drops what is known for a question: a proof that it should have carried could not be collected."""
        self._changed = self._shelves.pop(_key(question), None) is not None or self._changed

    # ---- the file --------------------------------------------------------------------------------------------------
    def save(self) -> None:
        """Writes what has been added since the last time. Raises OSError, and leaves the file as it was."""
        if self.path is None or not self._changed:
            return
        packed = io.BytesIO()
        about = {
            "format": FORMAT,
            "version": VERSION,
            "age": self._age,
            "questions": list(self._shelves),
            "digest": self._digest(),
        }
        arrays: dict[str, Any] = {"about": np.frombuffer(json.dumps(about).encode(), np.uint8)}
        for number, shelf in enumerate(self._shelves.values()):
            arrays |= {f"records{number}": shelf.records, f"ages{number}": shelf.ages}
        np.savez_compressed(packed, **arrays)
        write_atomically(self.path, packed.getvalue())
        self._changed, self._saved = False, time.perf_counter()

    def close(self) -> None:
        """Saves, and lets other runs at the file."""
        try:
            self.save()
        finally:
            self._unlock()

    def _unlock(self) -> None:
        if self._lock is not None:
            os.close(self._lock)
            self._lock = None

    def __del__(self) -> None:
        if (
            getattr(self, "_lock", None) is not None and os is not None
        ):  # modules may be gone when the interpreter goes down
            self._unlock()

    def _digest(self) -> str:
        """Of all that is here. A search takes records at their word until its proof is collected, and may never end on a board that is none."""
        digest = hashlib.sha256(str(self._age).encode())
        for key, shelf in self._shelves.items():
            for part in (
                key.encode(),
                str(shelf.records.shape).encode(),
                shelf.records.tobytes(),
                shelf.ages.tobytes(),
            ):
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
                        f"{path} holds patterns of another version of jaxsolve; give another file, or remove it"
                    )
                self._age = about["age"]
                if type(self._age) is not int or not 0 <= self._age <= LATEST:
                    raise ValueError
                for number, key in enumerate(about["questions"]):
                    self._shelves[str(key)] = _shelf(
                        file[f"records{number}"], file[f"ages{number}"], self._age
                    )
                if about["digest"] != self._digest():
                    raise ValueError
                for key, shelf in self._shelves.items():
                    _check(path, _game(json.loads(key)["rules"]), shelf)
        except PatternsError:
            raise
        except Exception as error:  # what damage does to a compressed file: errors of zipfile, zlib, numpy, tokenize and whatever else reads it
            if isinstance(error, OSError) and error.errno is not None:
                raise
            raise _damaged(path) from error


def _decided(
    log: ProofLog, known: int, most: int, proof: Proof | None, age: int
) -> tuple[np.ndarray, np.ndarray]:
    """(records, ages) of a log from number ``known`` on, in their order: those of the proof, and the first ``most`` of the others."""
    first = np.concatenate(
        [np.zeros((0, log.record_words), np.uint32), *log.blocks(known, stop_at=known + most)]
    )
    numbers, ages = np.arange(known, known + len(first)), np.zeros(len(first), np.int64)
    if proof is None:
        return first, ages
    others = ~np.isin(numbers, proof.numbers)
    new = proof.numbers >= known
    numbers = np.concatenate([numbers[others], proof.numbers[new]])
    order = np.argsort(numbers, kind="stable")
    ages = np.concatenate([ages[others], np.full(int(new.sum()), age, np.int64)])
    return np.concatenate([first[others], proof.records[new]])[order], ages[order]


def _damaged(path: Path) -> PatternsError:
    return PatternsError(
        f"{path} is no file of patterns, or is damaged; give another file, or remove it"
    )


def _game(rule_set: str) -> Game | None:
    """The game of a rule set; None for one that this process does not know."""
    try:
        return make(rule_set)
    except ValueError:
        return None


def _check(path: Path | None, game: Game | None, shelf: _Shelf) -> None:
    """Raises PatternsError unless the records can be records of ``game``; None checks nothing."""
    shelf.checked = game is not None
    if game is None:
        return
    words = zone_words_of(game)
    if shelf.records.shape[1] != game.state_words + 1 + words or not are_records(
        game, words, shelf.records
    ):
        raise PatternsError(
            f"{path} holds a record that no search of {game.rule_set} writes; "
            "give another file, or remove it"
        )


def _shelf(records: np.ndarray, ages: np.ndarray, latest: int) -> _Shelf:
    if (
        records.dtype != np.uint32
        or records.ndim != 2
        or ages.dtype != np.int64
        or ages.shape != records.shape[:1]
        or not ((ages >= 0) & (ages <= latest)).all()
    ):
        raise ValueError
    return _Shelf(records, ages)


def _key(question: Mapping[str, object]) -> str:
    return json.dumps(question, sort_keys=True)
