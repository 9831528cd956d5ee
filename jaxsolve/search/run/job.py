"""A job: one search for the claims about a position, with its limits, proof logs and folders."""

from __future__ import annotations

import dataclasses
import functools
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np

from jaxsolve.evaluate import sides_to_move
from jaxsolve.games.game import Game, State
from jaxsolve.jit import compile_clock
from jaxsolve.proof.builder import GraphBuilder
from jaxsolve.proof.decided import Decided, Original
from jaxsolve.question import NOTHING_LEFT, Claim, Verdict, default_claim
from jaxsolve.search.result import Progress, Result, Stop, unsaved
from jaxsolve.search.run import adoption, effort
from jaxsolve.search.run.allocator import Allocator
from jaxsolve.search.run.certification import answered, certify_result
from jaxsolve.search.run.effort import Effort, Stopwatch
from jaxsolve.search.run.exchange import Exchange
from jaxsolve.search.run.options import RunOptions
from jaxsolve.search.run.progress import best_line, snapshot
from jaxsolve.search.run.records import ClaimRecords, SearchedPosition, packed_root
from jaxsolve.search.run.relaxation import combined
from jaxsolve.search.run.search import Search
from jaxsolve.search.run.strategy import continues_with_next_claim
from jaxsolve.search.run.warm_up import warm_up_search
from jaxsolve.search.settings import Limits, Settings
from jaxsolve.search.tree.eviction import MemoryFull

FLUSH_SECONDS = 1.0  # time between two flushes of the log: a killed run loses later decisions
TREE_SHARE = 0.75  # share of the memory for the tree; the rest is for the log


class Job:
    """Runs one search for a ``Pool``.

    The pool calls ``advance``, ``check_limits`` and ``next_claim``; ``finish`` writes certificates
    and results.

    Args:
      claims: one claim, or several claims, strongest first. Several are searched one after the
        other over one tree, until one is proved. Default: the game's goal, or that the side to
        move wins.
      options: options of the run. The folder ``out`` is this job's own. With several claims each
        has a folder below it, named after its result. Only jobs of one claim use ``patterns``.
      share: part of the settings' memory that this job may use.
      original: the question's own rules and position, if ``game`` is a relaxation of them.
      relaxed: result of the earlier search under the relaxation. Its effort is added to the result.

    Raises:
      ValueError: unknown method, or one that cannot be hashed; a position or an evaluator of
        another game; ``out`` is in use or holds something else (``FolderError``,
        ``ProofLogError``).
      OSError: ``out`` cannot be written.
    """

    def __init__(
        self,
        game: Game,
        state: State,
        *,
        claims: Claim | Sequence[Claim] | None = None,
        options: RunOptions | None = None,
        share: float = 1.0,
        original: Original | None = None,
        relaxed: Result | None = None,
    ):
        options = options or RunOptions()
        self.game, self.settings, self.original = game, options.settings, original
        self._accepted = options.accepted
        self._relaxed, self._exchange = relaxed, Exchange(options.patterns)
        self.root = packed_root(game, state)
        self._stopwatch = Stopwatch()
        with self._stopwatch.compiling():
            self.method, self.evaluator = options.method_and_evaluator(game)
        self.stop: Stop | None = None  # why the job ended, if not by an answer
        self.interrupted = False
        self._flushed = time.perf_counter()
        self._memory = max(1, int(self.settings.memory_mb * share))
        self.helpers = Effort()  # effort of other processes that search parts of this job
        self._search: Search | None = None
        self.records: list[ClaimRecords] = []
        wanted = [claims] if isinstance(claims, Claim) else list(claims or [])
        wanted = wanted or [default_claim(game, state)]
        position, alone = SearchedPosition(game, state, original), len(wanted) == 1
        try:
            with self._stopwatch.searching(), self._stopwatch.reading():
                for claim in wanted:
                    out: Path | None = options.out
                    self.records.append(
                        ClaimRecords(
                            claim,
                            position,
                            self.evaluator,
                            out=out if out is None or alone else out / claim.result,
                            options=options,
                            memory_mb=self._memory,
                            alone=alone,
                        )
                    )
            self._again = self.records[0].earlier.root
            self._start(options.resume)
        except BaseException:
            self.close()
            raise

    def _start(self, resume: bool) -> None:
        with self._stopwatch.compiling():
            warm_up_search(self.method, self.game, self.evaluator, self.settings.wave)
        with self._stopwatch.searching():
            try:
                allocate = Allocator(
                    self.game,
                    self.evaluator,
                    np.asarray(self.evaluator.images(self.root[None])[0][0], np.uint32),
                    tuple(records.searched for records in self.records),
                    int(self._memory * TREE_SHARE * (1 << 20)),
                    self.settings.max_nodes,
                )
                self._search = Search(
                    allocate,
                    self.method,
                    sink=self._keep,
                    seed=self.settings.seed,
                    width=self.settings.wave,
                    flights=self.settings.flights,
                )
                if resume:
                    with self._stopwatch.reading():
                        self._adopt_log()
                if len(self.records) == 1:
                    self._exchange.start(self.records[0], self._search)
            except MemoryFull:
                self.stop = effort.memory_full(self.settings)
        self._stopwatch.exclude_start()

    def _keep(self, states: np.ndarray, moves: np.ndarray, zones: np.ndarray) -> None:
        self.current.append(states, moves, zones)

    # ---- running ---------------------------------------------------------------------------------
    @property
    def search(self) -> Search:
        """The search. Raises RuntimeError after the job has ended."""
        if self._search is None:
            raise RuntimeError("the job has ended")
        return self._search

    @property
    def current(self) -> ClaimRecords:
        """The records of the claim that is searched now."""
        return self.records[0 if self._search is None else self._search.claim_index]

    def add_seconds(
        self, seconds: float, compilation: float = 0.0, wall_seconds: float = 0.0
    ) -> None:
        """Adds CPU seconds of search, and CPU and wall seconds of compilation, to the effort."""
        self._stopwatch.add(seconds, compilation, wall_seconds)

    @property
    def cpu_seconds(self) -> float:
        """CPU seconds of the search so far, without compilation."""
        return self._stopwatch.cpu_seconds

    @property
    def done(self) -> bool:
        """Whether the search for the present claim has ended, with an answer or at a limit."""
        return self.stop is not None or self._search is None or self._search.verdict is not None

    def next_claim(self) -> bool:
        """Stores the answer to the present claim, and continues with the next claim if necessary.

        No wave may be in flight. Returns whether the job continues with another claim.
        """
        search = self._search
        if search is None:
            return False
        records = self._take_verdict(search)
        if not self._has_next_claim():
            return False
        with self._stopwatch.compiling():
            sides_to_move(self.game, self.root[None])
        with self._stopwatch.searching():
            search.retreat()
            following = self.records[search.claim_index + 1]
            known = len(following.log)  # records of an earlier run, if this run resumes it
            following.carry_over(records, self.game)
            try:
                search.next_claim()
                if known:
                    with self._stopwatch.reading():
                        self._adopt_log()
            except MemoryFull:
                self.stop = effort.memory_full(self.settings)
        return True

    def _has_next_claim(self) -> bool:
        return (
            self.stop is None
            and self._search is not None
            and continues_with_next_claim(self._search)
        )

    def _take_verdict(self, search: Search) -> ClaimRecords:
        records, verdict = self.current, search.verdict
        if verdict is not None and records.searched != records.claim:
            verdict = verdict.opposite
        records.verdict, records.effort = verdict, self._effort(search)
        if verdict is Verdict.UNKNOWN and search.cut:
            self.stop = Stop(
                f"Lines of more than {search.longest} moves were not followed, and nothing else is"
                " left to try."
            )
        return records

    def _effort(self, search: Search) -> Effort:
        """Effort of this run, without the root if an earlier run has expanded it."""
        again, watch = self._again, self._stopwatch
        return Effort(
            search.expanded - again.nodes,
            search.evaluated - again.evaluations,
            watch.cpu_seconds,
            watch.wall_seconds,
        ).plus(self.helpers)

    def _used(self, search: Search) -> Effort:
        """Effort that counts toward the limits: that of this run and of the runs it resumes."""
        return functools.reduce(
            Effort.plus, (records.earlier.effort for records in self.records), self._effort(search)
        )

    def remaining(self) -> Limits:
        """Returns what is left of the limits."""
        return effort.remaining(self.settings.limits, self._used(self.search))

    def advance(self, flight: int, most: int) -> tuple[np.ndarray, np.ndarray, int]:
        """As ``Search.advance``, within the limits. If memory is full, the job ends."""
        limits, search = self.settings.limits, self.search
        used = self._used(search)
        if limits.nodes is not None:
            most = min(most, limits.nodes - used.nodes - search.in_flight)
        if limits.evaluations is not None:
            most = min(most, limits.evaluations - used.evaluations - search.in_flight)
        try:
            # If ``most`` is 0, the leaves in flight may reach the limit. Then the search must not
            # advance, since a step such as a restart could exceed the limit.
            if most > 0:
                return search.advance(flight, most)
        except MemoryFull:
            self.stop = effort.memory_full(self.settings)
        return np.zeros((0, self.game.state_words), np.uint32), np.zeros(0, np.int32), 0

    def check_limits(self) -> None:
        """Ends the job if a limit is reached, and flushes the log every second."""
        if self.done:
            return
        if time.perf_counter() - self._flushed > FLUSH_SECONDS:
            self.current.flush()
            self._flushed = time.perf_counter()
        failure = self.current.log_failure
        if failure is not None:
            self.stop = Stop(
                f"{unsaved('proof log', failure)} What was decided before is saved: make room and"
                " resume."
            )
            return
        for name, used in self._used(self.search)._asdict().items():
            limit = getattr(self.settings.limits, name)
            if limit is not None and used >= limit:
                self.stop = Stop.at_limit(self._whole_settings().limits, name)
                break

    def _whole_settings(self) -> Settings:
        """The settings with the limits of this search and of the relaxation's together."""
        if self._relaxed is None:
            return self.settings
        limits = effort.whole(self.settings.limits, self._relaxed)
        return dataclasses.replace(self.settings, limits=limits)

    def interrupt(self) -> None:
        """Ends the job because the user interrupts it. All decisions so far stay in the log."""
        if not self.done or self._has_next_claim():
            saved = self.records[0].folder is not None
            self.interrupted = True
            self.stop = Stop(
                "Interrupted; what was decided so far is saved." if saved else "Interrupted."
            )

    def progress(self) -> Progress:
        """Returns a snapshot of the search for the progress line."""
        if self._search is None:
            return Progress()
        return snapshot(self._search, self._stopwatch.wall_seconds)

    # ---- records of other searches ---------------------------------------------------------------
    def adopt(
        self,
        claim: Claim,
        states: np.ndarray,
        moves: np.ndarray,
        zones: np.ndarray,
        **how: Any,
    ) -> None:
        """Adds positions that another search has decided for ``claim`` (``adoption.adopt``).

        ``how`` has its options. Does nothing unless ``claim`` is asked or searched now
        (``ClaimRecords.searched``).
        """
        if self.done or claim not in (self.current.claim, self.current.searched):
            return
        start, before = time.thread_time(), compile_clock.read()
        try:
            adoption.adopt(self.search, states, moves, zones, known=False, **how)
        except MemoryFull:
            self.stop = effort.memory_full(self.settings)
        compilation = compile_clock.read().since(before)
        seconds = max(0.0, time.thread_time() - start - compilation.cpu_seconds)
        self.add_seconds(seconds, *compilation)

    def _adopt_log(self) -> None:
        """Adds the positions in the present claim's log to the search."""
        search = self.search
        for records in self.current.log.chunks(search.capacity // 2):
            adoption.adopt(search, *records, known=True, propagate=False)
        search.propagate()

    # ---- ending ----------------------------------------------------------------------------------
    def finish(self) -> list[Result]:
        """Writes certificates and result files. Returns one result for each claim searched."""
        search, line, count = self._search, [], 1
        if search is not None:
            self._take_verdict(search)
            count = search.claim_index + 1
            if search.verdict in (None, Verdict.UNKNOWN):
                line = best_line(search)
        self._search = search = None  # frees the memory of the search for the certificates
        results, before = [], Effort()
        for records in self.records[:count]:
            results.append(self._result(records, before))
            before = records.effort
        results[-1].line = results[-1].line or line
        results[-1].interrupted = self.interrupted
        results[0].compile_seconds += self._stopwatch.compile_seconds
        if self._relaxed is not None:
            results[0] = combined(self._relaxed, results[0])
        for records, result in zip(self.records, results, strict=False):
            records.write_result(result, self.game.players)
        return results

    def _result(self, records: ClaimRecords, before: Effort) -> Result:
        verdict = records.verdict or Verdict.UNKNOWN
        result = Result(
            verdict,
            records.claim,
            "",
            settings=self._whole_settings(),
        )
        stop = answered(self.game, records.claim, verdict) or self.stop or Stop(NOTHING_LEFT)
        result.set_stop(stop)
        records.earlier.add_to(result, records.effort.since(before))
        if verdict is Verdict.UNKNOWN:
            self._exchange.add(records)
        else:
            self._certify(records, result)
        return result

    def _certify(self, records: ClaimRecords, result: Result) -> None:
        """Completes a decided result with its certificate, or withholds the answer."""
        accepted: list[GraphBuilder] = []
        claim = records.claim
        if result.verdict is Verdict.DISPROVED:
            claim = claim.opposite(self.game.may_draw)
        found = Decided(
            self.game,
            self.evaluator,
            records.log,
            claim,
            self.root,
            records.certificate_path,
            self.original,
            accepted.append,
        )
        if certify_result(result, found, self.settings, self._memory):
            self.interrupted = True
        if self._accepted is not None:
            for builder in accepted:
                self._accepted(builder)
        self._exchange.add_proof(records, accepted, result)

    def close(self) -> None:
        """Releases the folders and the memory of the search."""
        self._search = None
        for records in self.records:
            records.close()
