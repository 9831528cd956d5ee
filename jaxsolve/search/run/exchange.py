"""Exchange of records between a job and the patterns that searches of one question share."""

from __future__ import annotations

import contextlib
from collections.abc import Sequence

from jaxsolve.proof.builder import GraphBuilder
from jaxsolve.proof.zoned import ZonedGraphBuilder
from jaxsolve.search.result import REFUSED, Result
from jaxsolve.search.run import adoption
from jaxsolve.search.run.records import ClaimRecords
from jaxsolve.search.run.search import Search
from jaxsolve.search.run.shared_patterns import Proof, SharedPatterns


class Exchange:
    """One job's access to shared patterns. Without any, or without zones, it does nothing."""

    def __init__(self, patterns: SharedPatterns | None):
        self._patterns = patterns
        self._active = False

    def start(self, records: ClaimRecords, search: Search) -> None:
        """Enters the shared records of the question; a new log begins with them.

        Raises OSError if the log cannot hold them.
        """
        if self._patterns is None or not search.tree.zoning.planes[0]:
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
        """Shares the job's records, those of its collected proof first."""
        if self._patterns is None or not self._active:
            return
        with contextlib.suppress(OSError):  # an unreadable log, which the result reports
            proofs = [
                Proof(*builder.records_used())
                for builder in builders
                if isinstance(builder, ZonedGraphBuilder)
            ]
            proof = proofs[0] if proofs else None
            self._patterns.add(records.question, records.taken, records.log, proof)

    def add_proof(
        self, records: ClaimRecords, builders: Sequence[GraphBuilder], result: Result
    ) -> None:
        """As ``add``, after a decision. Without a proof, shared records that failed are dropped."""
        if builders:
            self.add(records, builders)
        elif (
            self._active
            and self._patterns is not None
            and (len(records.log) < len(records.taken) or result.reason.startswith(REFUSED))
        ):
            self._patterns.drop(records.question)
