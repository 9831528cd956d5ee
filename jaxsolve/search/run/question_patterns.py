"""The records that searches of one question share, with their ages (``shared_patterns``)."""

from __future__ import annotations

from pathlib import Path
from typing import NamedTuple

import numpy as np

from jaxsolve.games.game import Game
from jaxsolve.proof.duplicates import hashed
from jaxsolve.proof.log import ProofLog
from jaxsolve.proof.record_checks import are_records, zone_words_of


class PatternsError(ValueError):
    """Raised for a patterns file that holds something else, is damaged, or is in use."""


class Proof(NamedTuple):
    """The records of a collected proof, oldest first (``ZonedGraphBuilder.records_used``)."""

    numbers: np.ndarray  # int64[n]: indices of the records in the log of their search
    records: np.ndarray  # uint32[n, S + 1 + Z]


class QuestionPatterns:
    """The records of one question (a rule set and a claim).

    Args:
      records: uint32[n, S + 1 + Z], children before parents.
      ages: int64[n], number of the latest collected proof that contains the record; 0 for none.
    """

    def __init__(self, records: np.ndarray, ages: np.ndarray):
        self.records = records
        self.ages = ages
        self.hashes = hashed(records)
        self.serials = np.arange(len(records), dtype=np.int64)
        self.next_serial = len(records)
        self.checked = True  # whether the records are known to be valid for their question

    def add(self, records: np.ndarray, ages: np.ndarray, most: int) -> None:
        """Adds records. If there are then more than ``most``, drops records.

        First all records that belong to no proof are dropped, then those of the oldest proofs.

        A new record that belongs to no proof is left out if an equal record is held already. This
        is safe, since no record is dropped before the records that depend on it.

        Args:
          records: uint32[m, S + 1 + Z].
          ages: int64[m], as in the constructor.
          most: bound on the number of records.
        """
        hashes = hashed(records)
        new = (ages > 0) | ~np.isin(hashes, self.hashes)
        records, ages, hashes = records[new], ages[new], hashes[new]
        self.records, self.ages, self.hashes = (
            np.concatenate(pair)
            for pair in ((self.records, records), (self.ages, ages), (self.hashes, hashes))
        )
        added = np.arange(self.next_serial, self.next_serial + len(records))
        self.serials = np.concatenate([self.serials, added])
        self.next_serial += len(records)
        if len(self.records) > most:
            self._keep(self.ages > 0)
        if len(self.records) > most:
            ages, counts = np.unique(self.ages, return_counts=True)
            # An eighth of the capacity is left free, so that not every call drops records.
            fits = np.cumsum(counts[::-1]) <= most - most // 8
            self._keep(self.ages >= (ages[::-1][fits][-1] if fits.any() else ages[-1] + 1))

    def _keep(self, kept: np.ndarray) -> None:
        self.records, self.ages = self.records[kept], self.ages[kept]
        self.hashes, self.serials = self.hashes[kept], self.serials[kept]

    def check(self, path: Path | None, game: Game | None) -> None:
        """Raises PatternsError if the records are not valid for ``game``.

        Checks nothing if ``game`` is None. ``path`` is the file that the message names.
        """
        self.checked = game is not None
        if game is None:
            return
        words = zone_words_of(game)
        width = game.state_words + 1 + words
        if self.records.shape[1] != width or not are_records(game, words, self.records):
            raise PatternsError(
                f"{path} holds a record that no search of {game.rule_set} writes; "
                "give another file, or remove it"
            )


def read_arrays(records: np.ndarray, ages: np.ndarray, latest: int) -> QuestionPatterns:
    """Makes the records of a question from the arrays of a file.

    ``latest`` is the largest valid age. Raises ValueError for wrong types, shapes or ages.
    """
    if (
        records.dtype != np.uint32
        or records.ndim != 2
        or ages.dtype != np.int64
        or ages.shape != records.shape[:1]
        or not ((ages >= 0) & (ages <= latest)).all()
    ):
        raise ValueError
    return QuestionPatterns(records, ages)


def new_records(
    log: ProofLog, known: int, most: int, proof: Proof | None, age: int
) -> tuple[np.ndarray, np.ndarray]:
    """Selects records of a log to share with other searches.

    The records from index ``known`` on are new. Two kinds of new records are selected: all records
    of the proof, with the age ``age``, and the other records among the first ``most`` new ones,
    with the age 0.

    Args:
      log: the log.
      known: number of records at the beginning of the log that are shared already.
      most: number of new records that are examined besides the proof.
      proof: the records of the proof; None without a proof.
      age: age of the records of the proof.

    Returns:
      uint32[n, S + 1 + Z] records and int64[n] ages, in the order of the log.
    """
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
