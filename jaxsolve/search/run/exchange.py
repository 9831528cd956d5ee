"""Exchange of proof-log records between a job and the records that other searches share."""

from __future__ import annotations

import contextlib
from collections.abc import Sequence

from jaxsolve.proof.builder import GraphBuilder
from jaxsolve.search.result import REFUSED, Result
from jaxsolve.search.run import adoption
from jaxsolve.search.run.records import ClaimRecords
from jaxsolve.search.run.search import Search
from jaxsolve.search.run.shared_patterns import Proof, SharedPatterns


class Exchange:
    """Access of one job to ``SharedPatterns``.

    All methods do nothing if ``patterns`` is None, or if the game has no patterns and ``patterns``
    does not share positions.
    """

    def __init__(self, patterns: SharedPatterns | None):
        self._patterns = patterns
        self._active = False

    def start(self, records: ClaimRecords, search: Search) -> None:
        """Appends the shared records of the question to the log and adds them to the search.

        Raises OSError if the log cannot be written.
        """
        patterned = bool(search.tree.zoning.planes[0])
        if self._patterns is None or not (patterned or self._patterns.positions):
            return
        self._active = True
        shared, serials = self._patterns.take(
            records.question, records.log.record_words, search.game
        )
        decided = records.log.split(shared)
        fresh = not len(records.log)
        records.append(*decided)
        records.flush()
        if records.failure is not None:
            raise records.failure
        if fresh and len(records.log) == len(shared):
            records.taken = serials
        adoption.adopt_patterns(search, *decided)

    def add(self, records: ClaimRecords, builders: Sequence[GraphBuilder] = ()) -> None:
        """Adds the records of the job's log to the shared records.

        ``builders`` holds the builder of the accepted proof, or nothing. The records of this proof
        are kept longest (``SharedPatterns.add``).
        """
        if self._patterns is None or not self._active:
            return
        with contextlib.suppress(OSError):  # the log is unreadable, which the result reports
            proof = next((Proof(*builder.records_used()) for builder in builders), None)
            self._patterns.add(records.question, records.taken, records.log, proof)

    def add_proof(
        self, records: ClaimRecords, builders: Sequence[GraphBuilder], result: Result
    ) -> None:
        """Adds the records of the job's log to the shared records, after a decision.

        ``builders`` holds the builder of the accepted proof. If there is none because shared
        records were invalid, the shared records of the question are dropped.
        """
        if builders:
            self.add(records, builders)
        elif (
            self._active
            and self._patterns is not None
            and (len(records.log) < len(records.taken) or result.reason.startswith(REFUSED))
        ):
            self._patterns.drop(records.question)
