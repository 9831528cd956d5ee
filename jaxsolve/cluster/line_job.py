"""A job that keeps its tree: it searches one position after the other, all below one root."""

from __future__ import annotations

import dataclasses
from typing import Any, NamedTuple

import numpy as np

from jaxsolve.core.process import cpu_seconds
from jaxsolve.games.game import Game, State
from jaxsolve.proof.certify import records_of
from jaxsolve.proof.decided import Decided
from jaxsolve.proof.errors import ProofGap, ProofUnfinished
from jaxsolve.question import NOTHING_LEFT, Claim, Verdict
from jaxsolve.search.result import Result, Stop
from jaxsolve.search.run.certification import LEAST_PROOF_MB
from jaxsolve.search.run.effort import Effort, Stopwatch
from jaxsolve.search.run.job import Job
from jaxsolve.search.run.lines import Line, keeps_lines
from jaxsolve.search.run.options import RunOptions
from jaxsolve.search.settings import Limits

FRUITLESS = 64  # calls in a row that find no leaf, until an order ends


class LineAnswer(NamedTuple):
    """What a search below a line has found."""

    result: Result
    depth: int  # moves of the line before the decided position; its length without a decision
    records: np.ndarray | None  # of the proof, uint32[n, words]; None without one
    numbers: np.ndarray  # int64[k, 3] of the moves at the end of the line (``Line.numbers``)


class LineJob(Job):
    """A job for one claim that searches below lines of moves from its root (``run.lines``).

    ``begin`` sets a line; a ``Pool`` then runs the job until the line's position is decided or a
    limit is reached; ``end_line`` returns the answer. Then another line can begin. A search that
    cannot follow lines (``follows``) takes only the empty one, which is the search of the root.
    """

    _follows = False  # whether the search can follow lines

    def __init__(self, game: Game, state: State, claim: Claim, options: RunOptions):
        super().__init__(game, state, claims=claim, options=options)
        self._line: Line | None = None
        self._follows = self._search is not None and keeps_lines(self._search)
        self._fruitless = 0
        self._whole = True  # whether the search is below the whole line
        # Whether memory could not hold the search, or its records do not prove what it has decided.
        self._broken = False

    @property
    def usable(self) -> bool:
        """Whether another line can begin."""
        return not self._broken and self._search is not None and self._search.verdict is None

    def follows(self, line: tuple[int, ...]) -> bool:
        """Whether the search can follow the line."""
        return not line or self._follows

    def begin(self, line: tuple[int, ...], limits: Limits) -> bool:
        """Begins to search below a line. No leaf may be in flight.

        If this search has closed a move of the line, it searches below the position before that
        move instead. What has closed the move decides more there than a search after it.

        Returns whether something is to be searched: else a position of the line is decided already
        (``end_line``), or the line cannot be followed (``leads``).
        """
        search = self.search
        self.settings = dataclasses.replace(self.settings, limits=limits)
        self._again, self._stopwatch = Effort(search.expanded, search.evaluated), Stopwatch()
        self._fruitless = 0
        if line:  # without one the paths continue from their present nodes
            search.retreat()
        paths, self._whole = len(search.work.paths.depth), True
        self._line = Line(search, line)
        if not line or self._line.enter(0, paths):
            return True
        if self.leads:
            return False
        self._line, self._whole = Line(search, line[: len(self._line.nodes) - 1]), False
        return self._line.enter(0, paths)

    @property
    def leads(self) -> bool:
        """Whether the line was followed to its end, or to a decided position."""
        assert self._line is not None
        return self._line.complete or self._line.decided() is not None

    @property
    def done(self) -> bool:
        if super().done:
            return True
        return self._line is not None and self._line.decided() is not None

    def next_claim(self) -> bool:
        return False

    def advance(self, flight: int, most: int) -> tuple[np.ndarray, np.ndarray, int]:
        """As ``Job.advance``, below the line."""
        search, line = self.search, self._line
        nothing = np.zeros((0, self.game.state_words), np.uint32), np.zeros(0, np.int32), 0
        if line is None or not line.actions:  # a search of the root ends by itself
            return super().advance(flight, most)
        if not self.done:
            first = flight * search.group
            if not line.enter(first, min(first + search.group, len(search.work.paths.depth))):
                self.stop = self.stop or Stop(NOTHING_LEFT)
                return nothing
        before = search.evaluated
        found = super().advance(flight, most)
        fruitless = found[2] == 0 and search.evaluated == before and not search.in_flight
        self._fruitless = self._fruitless + 1 if fruitless else 0
        if self._fruitless > FRUITLESS and self.stop is None:
            self.stop = Stop(NOTHING_LEFT)
        return found

    def end_line(self) -> LineAnswer:
        """Returns the answer, with the proof of a decision. No leaf may be in flight."""
        search, line = self.search, self._line
        assert line is not None
        if line.actions:
            search.retreat()
        else:
            search.finish_if_decided()
        depth = line.decided()
        effort = self._effort(search)
        result = Result(Verdict.UNKNOWN, self.current.claim, "")
        result.set_stop(self.stop or Stop(NOTHING_LEFT))
        for name in ("nodes", "evaluations", "cpu_seconds"):
            setattr(result, name, getattr(effort, name))
        records = None if depth is None else self._prove(result, line.nodes[depth])
        known = self._whole and line.complete and depth is None and self._follows
        numbers = line.numbers() if known else np.zeros((0, 3), np.int64)
        full = self.stop is not None and self.stop.by in ("memory_mb", "max_nodes")
        self._broken = self._broken or full
        self.stop, self._line = None, None
        return LineAnswer(result, len(line.nodes) - 1 if depth is None else depth, records, numbers)

    def _prove(self, result: Result, node: int) -> np.ndarray | None:
        """Completes the result for a decided node. Returns the records of its proof, or None."""
        tree: Any = self.search.tree
        proved = int(tree.nodes[node]["pn"]) == 0
        claim = self.current.claim
        if self.current.searched != claim:
            proved = not proved
        result.verdict = Verdict.PROVED if proved else Verdict.DISPROVED
        self.current.flush()
        decided = Decided(
            self.game,
            self.evaluator,
            self.current.log,
            claim if proved else claim.opposite(self.game.may_draw),
            np.asarray(tree.states[node], np.uint32).copy(),
        )
        start = cpu_seconds()
        try:
            return records_of(decided, max(self._memory, LEAST_PROOF_MB))
        except ProofGap as gap:
            self.current.log.forget(gap.record)
            self._broken = True  # positions of the tree may depend on the record
        except ProofUnfinished:
            pass
        finally:
            result.certificate_seconds = cpu_seconds() - start
        result.verdict = Verdict.UNKNOWN
        return None

    def close(self) -> None:
        """As ``Job.close``. Shares the records if other searches follow, which have no lines."""
        if self._search is not None and not self._follows:
            self._exchange.add(self.current)
        super().close()
