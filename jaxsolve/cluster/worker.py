"""A worker: searches one order after the other, and reports them with their proofs."""

from __future__ import annotations

import contextlib
import dataclasses
import hashlib
import json
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from jaxsolve.cluster.line_job import LineAnswer, LineJob
from jaxsolve.cluster.news import News
from jaxsolve.cluster.orders import Order, Report, packed
from jaxsolve.cluster.weights import Weights
from jaxsolve.evaluate import Evaluator, shared_evaluator
from jaxsolve.games.game import Game
from jaxsolve.proof.builder import GraphBuilder
from jaxsolve.question import Verdict
from jaxsolve.search.run.job import Job
from jaxsolve.search.run.options import RunOptions
from jaxsolve.search.run.pool import Pool
from jaxsolve.search.run.shared_patterns import SharedPatterns
from jaxsolve.search.settings import Limits, Settings

POLL_SECONDS = 0.1  # between two looks whether the order is cancelled


class Worker:
    """Searches orders.

    The tree of a question is kept from order to order. If the method cannot search below lines in
    it (``run.lines``), it is kept only while the orders are about the question itself. Decided
    positions and patterns are kept in any case.

    Args:
      settings: options of every search; an order sets the limits. The manager checks the proofs,
        so ``Settings.check`` may be off.
      folder: holds the proof logs of searches of whole questions, which a later worker continues;
        None: they are in memory only.
    """

    def __init__(self, settings: Settings, folder: Path | None = None):
        self._folder = folder
        self._settings, self._patterns = settings, SharedPatterns(positions=True)
        self._kept: LineJob | None = None
        self._question: tuple[object, ...] = ()  # of the kept job
        self._weights: Weights | None = None  # the latest ones that were received
        self._evaluator: Evaluator | None = None  # with a network, of the latest game

    def renew(self, message: bytes) -> None:
        """Takes over new weights (``Weights.encode``). A kept tree stays; nothing compiles.

        Raises ValueError for a message that is none, or that does not fit the network.
        """
        self._weights, _ = Weights.decode(message)
        if self._evaluator is not None:
            self._set_weights(self._evaluator)

    def _set_weights(self, evaluator: Evaluator) -> None:
        """Sets the latest weights, if they are those of the evaluator's game."""
        weights, heads = self._weights, evaluator.heads
        if weights is not None and heads is not None and weights.rules == evaluator.game.rule_set:
            evaluator.heads = heads.with_params(weights.params(heads.params))

    def _options(self, game: Game, **more: Any) -> RunOptions:
        """Returns the options of a search, with the evaluator that has the latest weights."""
        if self._evaluator is None or self._evaluator.game != game:
            heads = self._settings.heads_for(game)
            self._evaluator = None
            if heads is not None:
                self._evaluator = shared_evaluator(game, heads, zones=self._settings.zones)
                self._set_weights(self._evaluator)
        settings = more.pop("settings", self._settings)
        return RunOptions(
            settings=settings, patterns=self._patterns, evaluator=self._evaluator, **more
        )

    def _version(self, order: Order) -> int:
        """Returns the version of the weights that an order was searched with.

        Without a network it is that of the order.
        """
        if self._settings.heads is None:
            return order.version
        weights = self._weights
        return weights.version if weights is not None and weights.rules == order.rules else 0

    def run(
        self,
        order: bytes,
        news: Sequence[bytes] = (),
        cancelled: Callable[[], bool] = lambda: False,
    ) -> bytes:
        """Searches an order up to its limits, and returns its report (``Report.encode``).

        Args:
          order: ``Order.encode``.
          news: proofs of other workers (``News.encode``).
          cancelled: whether to end the search early; called often.

        Raises ValueError if the order's rules or position do not exist.
        """
        for message in news:
            self._learn(News.decode(message))
        return self._report(Order.decode(order), cancelled).encode()

    def _learn(self, news: News) -> None:
        """Adds a proof of another worker to what is known."""
        self._patterns.add_proof(news.question, news.records)
        kept = self._kept
        if kept is not None and kept.current.question == news.question:
            log = kept.current.log
            kept.adopt(kept.current.claim, *log.split(news.records), propagate=False)

    def _report(self, order: Order, cancelled: Callable[[], bool]) -> Report:
        game = order.game()
        found = self._search_line(game, order, cancelled) or self._search(game, order, cancelled)
        result, depth, records, numbers = found
        decided = result.verdict is not Verdict.UNKNOWN and records is not None
        return Report(
            order.id,
            order.attempt,
            self._version(order),
            str(result.verdict if decided else Verdict.UNKNOWN),
            result.reason,
            result.nodes,
            result.evaluations,
            result.cpu_seconds + result.certificate_seconds,
            depth if decided and depth < len(order.line) else -1,
            tuple((int(a), int(b), int(c)) for a, b, c in numbers.tolist()),
            records.shape[1] if decided and records is not None else 0,
            packed(records) if decided and records is not None else b"",
        )

    def _limits(self, order: Order) -> Limits:
        return Limits(nodes=order.nodes, cpu_seconds=order.cpu_seconds)

    # ---- the tree of the question ----------------------------------------------------------------
    def _search_line(
        self, game: Game, order: Order, cancelled: Callable[[], bool]
    ) -> LineAnswer | None:
        """Searches below the order's line, in the tree of earlier orders; None if it cannot."""
        if not order.root:
            return None
        job = self._job_of(game, order)
        if job is None:
            return None
        if job.begin(order.line, self._limits(order)):
            _run(job, cancelled)
        elif not job.leads:
            return None
        answer = job.end_line()
        if not job.usable:
            self.close()
        return answer

    def _job_of(self, game: Game, order: Order) -> LineJob | None:
        question = (order.rules, order.root, order.claim)
        if question != self._question or (self._kept is None and not order.line):
            self.close()
            self._question = question
            job = self._new_job(game, order)
            if job.usable:
                self._kept = job
            else:
                job.close()
        if self._kept is not None and not self._kept.follows(order.line):
            self.close()
        return self._kept

    def _new_job(self, game: Game, order: Order) -> LineJob:
        """Returns a job with a new tree. If it is to search the whole question, it has a folder."""
        state, options = game.parse(order.root), self._options(game)
        if self._folder is not None and self._folder.parent.is_dir() and not order.line:
            text = json.dumps([order.rules, order.root, vars(order.claim)])
            out = self._folder / hashlib.sha256(text.encode()).hexdigest()[:16]
            logged = dataclasses.replace(options, out=out, resume=out.exists())
            # In use by a worker that hangs, of another search, or no room: then without it.
            with contextlib.suppress(ValueError, OSError):
                return LineJob(game, state, order.claim, logged)
        return LineJob(game, state, order.claim, options)

    def close(self) -> None:
        """Releases the kept tree."""
        if self._kept is not None:
            self._kept.close()
        self._kept = None

    # ---- a tree of its own -----------------------------------------------------------------------
    def _search(self, game: Game, order: Order, cancelled: Callable[[], bool]) -> LineAnswer:
        """Searches the order's position in a new tree."""
        proofs: list[np.ndarray] = []

        def accepted(builder: GraphBuilder) -> None:
            proofs.append(builder.records_used()[1])

        settings = dataclasses.replace(self._settings, limits=self._limits(order))
        options = self._options(game, settings=settings, accepted=accepted)
        job = Job(game, game.parse(order.position), claims=order.claim, options=options)
        with contextlib.closing(job):
            _run(job, cancelled)
            (result,) = job.finish()
        nothing = np.zeros((0, 3), np.int64)
        return LineAnswer(result, len(order.line), proofs[0] if proofs else None, nothing)


def _run(job: Job, cancelled: Callable[[], bool]) -> None:
    """Runs a job to its end, or until ``cancelled``."""
    looked = time.perf_counter()

    def stop() -> bool:
        nonlocal looked
        if time.perf_counter() - looked < POLL_SECONDS:
            return False
        looked = time.perf_counter()
        return cancelled()

    pool = Pool(job.evaluator, job.settings.flights)
    pool.submit(job)
    if not pool.run(stop=stop):
        pool.withdraw(job)
    pool.drain()
