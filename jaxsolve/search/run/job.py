"""A job: one question, or several of growing weakness about one position, put to one search, with limits, proof logs and output folders."""

from __future__ import annotations

import contextlib
import functools
import time
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import jax
import numpy as np

from jaxsolve.core.process import cpu_seconds
from jaxsolve.core.run_folder import RunFolder
from jaxsolve.evaluate import Evaluator, shared_evaluator
from jaxsolve.games.game import Game, HasRelaxation, State
from jaxsolve.proof.builder import GraphBuilder
from jaxsolve.proof.check import check, knows
from jaxsolve.proof.log import ProofLog
from jaxsolve.proof.records import are_records
from jaxsolve.proof.writer import Original
from jaxsolve.proof.zoned import ZonedGraphBuilder
from jaxsolve.question import Claim, Verdict, default_claim
from jaxsolve.search.methods import Method, method_for
from jaxsolve.search.result import REFUSED, Progress, Result, unsaved
from jaxsolve.search.run.answer import Decided, announce
from jaxsolve.search.run.records import CERTIFICATE, LOG, PROBLEM, RELAXATION_LOG, RESULT
from jaxsolve.search.run.relaxation import together, with_spent
from jaxsolve.search.run.search import Search
from jaxsolve.search.run.shared_patterns import Proof, SharedPatterns
from jaxsolve.search.run.warm_up import warm_up_search
from jaxsolve.search.settings import Settings, changed
from jaxsolve.search.tree.eviction import MemoryFull

FLUSH_SECONDS = 1.0  # a killed run loses at most what was decided since
TREE_SHARE = 0.75  # of the memory; the rest is for the log


@dataclass
class _Asked:
    """One claim of a job: where its records go, and what came out."""

    claim: Claim
    searched: Claim  # the claim or its opposite: a proof of one is a disproof of the other
    folder: RunFolder | None
    log: ProofLog
    question: dict[str, object]  # what the log's records are true of
    taken: np.ndarray = field(
        default_factory=lambda: np.zeros(0, np.int64)
    )  # serials of the shared records that the log begins with
    verdict: Verdict | None = None
    nodes: int = 0  # expansions up to here
    evaluations: int = 0
    cpu_seconds: float = 0.0
    wall_seconds: float = 0.0


class Job:
    """Runs one search. A ``Pool`` calls ``select``, ``check_limits`` and ``goes_on``; ``finish`` writes certificates and results.

    Args:
      claims: one claim, or several, the strongest first, that are searched over one tree until one is proved; default: the game's goal, else that
        the side to move wins.
      settings: default: the standard ones.
      out: folder; with several claims each has a folder of its own below it, called after its result.
      resume: go on from the logs in ``out``.
      evaluator: default: the rules with the settings' network.
      share: part of the settings' memory that this job may use.
      patterns: what other searches have proved, and what they shall know of this one's proof; for one claim.
      original: the question's own rules and position, where ``game`` and ``state`` stand in for them (``HasRelaxation``).
      spent: the result of the search under those, before this one; its effort is counted.

    Raises:
      ValueError: unknown method, or one that cannot be hashed; a position or an evaluator of another game; ``out`` is in use or holds something else
        (``FolderError``, ``ProofLogError``).
      OSError: ``out`` cannot be written.
    """

    def __init__(
        self,
        game: Game,
        state: State,
        *,
        claims: Claim | Sequence[Claim] | None = None,
        settings: Settings | None = None,
        out: str | Path | None = None,
        resume: bool = False,
        evaluator: Evaluator | None = None,
        share: float = 1.0,
        patterns: SharedPatterns | None = None,
        original: Original | None = None,
        spent: Result | None = None,
    ):
        self.original, self._spent, self._patterns = original, spent, patterns
        self.game, self.settings = game, settings or Settings()
        heads = self.settings.heads_for(game) if evaluator is None else evaluator.heads
        zones = self.settings.zones if evaluator is None else evaluator.zones
        self.method: Method = method_for(self.settings.method, game, heads, zones=zones)
        try:
            hash(self.method)
        except TypeError as error:
            raise ValueError(
                f"method {self.method.name!r} has a field that cannot be hashed ({error}): a tuple can"
            ) from None
        if evaluator is not None and evaluator.game != game:
            raise ValueError(
                f"the evaluator is of {evaluator.game.rule_set}, the position of {game.rule_set}"
            )
        out = None if out is None else Path(out)
        wanted = (
            [claims] if isinstance(claims, Claim) else list(claims or [default_claim(game, state)])
        )
        self.root = game.host_pack(state)
        if not np.array_equal(self.root, game.host_pack(game.parse(game.text(state)))):
            raise ValueError(
                f"the position is none of {game.rule_set}: made by another game, or by hand; parse makes one from text"
            )
        self.evaluator = evaluator or shared_evaluator(
            game, heads, self.method.playouts, zones=self.settings.zones
        )
        self.reason: str | None = None
        self.interrupted = False
        self._failure: OSError | None = None  # why the log could not be written
        self._cpu, self._compile, self._start = 0.0, 0.0, time.perf_counter()
        self._waited = 0.0  # wall seconds of compilation
        self._flushed = self._start
        self._memory = max(1, int(self.settings.memory_mb * share))
        self._search: Search | None = None
        self._sharing = (
            False  # whether there are ``patterns``, and the search has some that others can use
        )
        self.records: list[_Asked] = []
        try:
            for claim in wanted:
                folder = None if out is None else (out if len(wanted) == 1 else out / claim.result)
                self.records.append(self._ask(claim, state, folder, resume, alone=len(wanted) == 1))
            self._begin([part.searched for part in self.records], resume)
        except BaseException:
            self.close()
            raise

    def _ask(
        self, claim: Claim, state: State, out: Path | None, resume: bool, *, alone: bool
    ) -> _Asked:
        """Opens the folder and the log of one claim.

        Where sequences are seen, the search looks for those of its or-player: that a side does not lose is searched as the other's win.
        """
        game, searched = self.game, claim
        if alone and claim.result == "does-not-lose" and self.evaluator.threat_search() is not None:
            searched = claim.opposite(game.may_draw)
        question: dict[str, object] = {
            "rules": game.rule_set,
            "claim": claim.text(game.players),
            "canonical": self.evaluator.canonical,
            "zones": bool(self.evaluator.zone_words) or self.evaluator.threat_search() is not None,
        }
        folder = (
            None
            if out is None
            else RunFolder(
                out, PROBLEM, self._folders_question(question, game.text(state)), resume=resume
            )
        )
        try:
            zone_words, name = (
                self.evaluator.zone_words,
                LOG if self.original is None else RELAXATION_LOG,
            )
            log = ProofLog(
                question,
                game.state_words,
                None if out is None else out / name,
                zone_words,
                self._memory,
                functools.partial(are_records, game, zone_words),
            )
            return _Asked(claim, searched, folder, log, question)
        except BaseException:
            if folder is not None:
                folder.release()
            raise

    def _folders_question(self, question: dict[str, object], root: str) -> dict[str, object]:
        """What the folder is about: the same whichever rules are searched."""
        if self.original is not None:
            return {
                **question,
                "rules": self.original.game.rule_set,
                "root": self.original.game.text(self.original.state),
            }
        if (
            self.settings.zones
            and isinstance(self.game, HasRelaxation)
            and self.game.relaxation(self.game.parse(root)) is not None
        ):
            question = {**question, "zones": True}
        return {**question, "root": root}

    def _begin(self, claims: Sequence[Claim], resume: bool) -> None:
        start, compiled = cpu_seconds(), self.evaluator.compile_seconds
        warm_up_search(self.method, self.game, self.evaluator)
        self._compile += cpu_seconds() - start
        start = cpu_seconds()
        try:
            self._search = Search(
                self.game,
                self.evaluator.images(self.root[None])[0][0],
                claims,
                self.method,
                self.evaluator,
                sink=self._keep,
                budget=int(self._memory * TREE_SHARE * (1 << 20)),
                max_nodes=self.settings.max_nodes,
                seed=self.settings.seed,
                width=self.settings.wave,
                flights=self.settings.flights,
            )
            if resume:
                self._adopt_log()
            self._begin_with_patterns()
        except MemoryFull:
            self.reason = self._full()
        compiled = self.evaluator.compile_seconds - compiled
        self._compile += compiled
        self._waited = time.perf_counter() - self._start
        self._cpu += max(0.0, cpu_seconds() - start - compiled)

    def _keep(self, states: np.ndarray, moves: np.ndarray, zones: np.ndarray) -> None:
        try:
            self._part.log.append(states, moves, zones)
        except OSError as error:
            self._failure = error

    def _full(self) -> str:
        most = self.settings.max_nodes
        limit = (
            f"memory limit of {self.settings.memory_mb} MB"
            if most is None
            else f"table limit of {most}"
        )
        return f"The {limit} cannot hold the search."

    # ---- running ---------------------------------------------------------------------------------------------------
    @property
    def search(self) -> Search:
        """The search while the job runs. Raises RuntimeError after its end."""
        if self._search is None:
            raise RuntimeError("the job has ended")
        return self._search

    @property
    def _part(self) -> _Asked:
        return self.records[0 if self._search is None else self._search.asked]

    def charge(self, seconds: float, compilation: float = 0.0) -> None:
        """Books CPU seconds of search and of compilation to this job."""
        self._cpu += seconds
        self._compile += compilation
        self._waited += compilation

    @property
    def cpu_seconds(self) -> float:
        """CPU seconds of the search so far, compilation not counted."""
        return self._cpu

    @property
    def wall_seconds(self) -> float:
        """Seconds since the search began, compilation not counted."""
        return max(0.0, time.perf_counter() - self._start - self._waited)

    @property
    def done(self) -> bool:
        """Whether the search has ended the present claim, by an answer or at a limit."""
        return self.reason is not None or self._search is None or self._search.verdict is not None

    def goes_on(self) -> bool:
        """Books the answer to the present claim; goes on with the next one, no wave being in flight, if there is one and it is needed."""
        search = self._search
        if search is None:
            return False
        part = self._book_answer(search)
        if not self._has_more_to_ask():
            return False
        start = cpu_seconds()
        _movers(self.game, self.root[None])  # compiles
        self.charge(0.0, cpu_seconds() - start)
        start, compiled = cpu_seconds(), self.evaluator.compile_seconds
        search.retreat()
        following = self.records[search.asked + 1].log
        known = len(following)  # of a run that is resumed
        _carry_over(self.game, part, following)
        try:
            search.ask_next()
            if known:
                self._adopt_log()
        except MemoryFull:
            self.reason = self._full()
        compiled = self.evaluator.compile_seconds - compiled
        self.charge(max(0.0, cpu_seconds() - start - compiled), compiled)
        return True

    def _has_more_to_ask(self) -> bool:
        search = self._search
        return (
            self.reason is None
            and search is not None
            and search.verdict is Verdict.DISPROVED
            and search.asked + 1 < len(self.records)
        )

    def _adopt_log(self) -> None:
        """Goes on from what the log of the present claim holds."""
        for records in self._part.log.chunks(self.search.room // 2):
            self.search.adopt(*records, known=True, spread=False)
        self.search.spread()

    def _begin_with_patterns(self) -> None:
        """Begins with what others have proved of the same question; where the log is new, its first records are those."""
        part = self._part
        self._sharing = (
            self._patterns is not None
            and len(self.records) == 1
            and bool(self.search.tree.zoning.planes[0])
        )
        if self._patterns is None or not self._sharing:
            return
        records, serials = self._patterns.take(part.question, part.log.record_words, self.game)
        decided = part.log.split(records)
        fresh = not len(part.log)
        part.log.append(*decided)
        self._flush()
        if fresh and len(part.log) == len(records):
            part.taken = serials
        self.search.begin_with(*decided)

    def _share(self, part: _Asked, builders: Sequence[GraphBuilder]) -> None:
        """Tells other searches what this one has decided, and which of that its proof consists of, if there is one."""
        if self._patterns is None or not self._sharing:
            return
        with contextlib.suppress(OSError):  # a log that cannot be read, which the result tells of
            proofs = [
                Proof(*builder.records_used())
                for builder in builders
                if isinstance(builder, ZonedGraphBuilder)
            ]
            self._patterns.add(part.question, part.taken, part.log, proofs[0] if proofs else None)

    def adopt(self, claim: Claim, states: np.ndarray, moves: np.ndarray, zones: np.ndarray) -> None:
        """Takes up positions decided elsewhere for ``claim`` (``Search.adopt``); nothing if that is not, or no longer, what is being searched."""
        if self.done or claim != self._part.claim:
            return
        start = time.thread_time()
        try:
            self.search.adopt(states, moves, zones, known=False)
        except MemoryFull:
            self.reason = self._full()
        self.charge(time.thread_time() - start)

    def _book_answer(self, search: Search) -> _Asked:
        part = self.records[search.asked]
        part.verdict = (
            search.verdict
            if search.verdict is None or part.searched == part.claim
            else search.verdict.opposite
        )
        part.nodes, part.evaluations, part.cpu_seconds, part.wall_seconds = (
            search.expanded,
            search.evaluated,
            self._cpu,
            self.wall_seconds,
        )
        if search.verdict is Verdict.UNKNOWN and search.cut:
            self.reason = f"Lines of more than {search.longest} moves were not followed, and nothing else is left to try."
        return part

    def select(self, flight: int, most: int) -> tuple[np.ndarray, np.ndarray, int]:
        """As ``Search.select``; a full memory ends the job."""
        limits = self.settings.limits
        if limits.nodes is not None:
            most = min(most, limits.nodes - self.search.expanded - self.search.in_flight)
        if limits.evaluations is not None:
            most = min(most, limits.evaluations - self.search.evaluated - self.search.in_flight)
        try:
            if (
                most > 0
            ):  # else leaves in flight may use up the limit: even starting again would pass it
                return self.search.select(flight, most)
        except MemoryFull:
            self.reason = self._full()
        return np.zeros((0, self.game.state_words), np.uint32), np.zeros(0, np.int32), 0

    def check_limits(self) -> None:
        """Ends the job when a limit is passed; brings the log to disk every second."""
        if self.done:
            return
        if time.perf_counter() - self._flushed > FLUSH_SECONDS:
            self._flush()
            self._flushed = time.perf_counter()
        failure = self._failure or self._part.log.failure
        if failure is not None:
            self.reason = f"{unsaved('proof log', failure)} What was decided before is saved: make room and resume."
            return
        limits, search = self.settings.limits, self.search
        used = {
            "nodes": search.expanded,
            "evaluations": search.evaluated,
            "cpu_seconds": self.cpu_seconds,
            "wall_seconds": self.wall_seconds,
        }
        for name, amount in used.items():
            limit = getattr(limits, name)
            if limit is not None and amount >= limit:
                self.reason = self._whole_settings().limits.reached(name)
                break

    def _whole_settings(self) -> Settings:
        """The settings as they were before another search spent part of their limits."""
        return (
            self.settings
            if self._spent is None
            else changed(self.settings, limits=with_spent(self.settings.limits, self._spent))
        )

    def _flush(self) -> None:
        try:
            self._part.log.flush()
        except OSError as error:
            self._failure = error

    def interrupt(self) -> None:
        """Ends the job because the person asked; everything decided so far stays in the log."""
        if not self.done or self._has_more_to_ask():
            kept = self.records[0].folder is not None
            self.interrupted, self.reason = (
                True,
                "Interrupted; what was decided so far is saved." if kept else "Interrupted.",
            )

    def progress(self) -> Progress:
        """A snapshot for the progress line."""
        return self.search.progress(self.wall_seconds) if self._search is not None else Progress()

    # ---- ending ----------------------------------------------------------------------------------------------------
    def finish(self) -> list[Result]:
        """Collects the proofs, writes certificates and result files, and says how it went, for every claim that was searched."""
        search, line, count = self._search, [], 1
        if search is not None:
            self._book_answer(search)
            count = search.asked + 1
            line = search.best_line() if search.verdict in (None, Verdict.UNKNOWN) else []
        self._search = search = None  # its memory is free for the certificates
        results = [
            self._result(part, before)
            for part, before in zip(self.records[:count], [None, *self.records], strict=False)
        ]
        results[-1].line = results[-1].line or line
        results[-1].interrupted = self.interrupted
        results[0].compile_seconds += self._compile
        if self._spent is not None:
            together(self._spent, results[0])
        for part, result in zip(self.records, results, strict=False):
            self._write_result(part, result)
        return results

    def _write_result(self, part: _Asked, result: Result) -> None:
        try:
            part.log.close()
        except OSError as error:
            self._failure = error
        failure = part.log.failure or (self._failure if part is self.records[-1] else None)
        if failure is not None:
            result.unsaved = result.unsaved or unsaved("proof log", failure)
        if part.folder is not None and result.verdict is Verdict.UNKNOWN and self._stands(part):
            result.reason += (
                f" The proof of an earlier run stands in {part.folder.path / CERTIFICATE}."
            )
        elif part.folder is not None:
            try:
                part.folder.write_json(RESULT, result.as_json(self.game.players))
            except OSError as error:
                result.unsaved = result.unsaved or unsaved("result file", error)

    def _stands(self, part: _Asked) -> bool:
        """Whether the folder holds an accepted proof about the claim, whose result no unknown one replaces: of a run whose log was lost, say."""
        assert part.folder is not None
        path = part.folder.path / CERTIFICATE
        if not path.exists() or not knows(self.game.name):
            return False
        report, players = check(path), self.game.players
        root = (
            self.game.text(self.game.unpack(self.root))
            if self.original is None
            else self.original.game.text(self.original.state)
        )
        rules = (self.game if self.original is None else self.original.game).rule_set
        claims = (part.claim.text(players), part.claim.opposite(self.game.may_draw).text(players))
        return (
            report.accepted
            and (report.rules, report.root) == (rules, root)
            and report.claim in claims
        )

    def close(self) -> None:
        """Lets other runs into the folders, and the search's memory go."""
        self._search = None
        for part in self.records:
            try:
                part.log.close()
            except OSError as error:
                self._failure = error
            if part.folder is not None:
                part.folder.release()

    def _result(self, part: _Asked, before: _Asked | None) -> Result:
        verdict = part.verdict or Verdict.UNKNOWN
        result = Result(
            verdict, part.claim, self._reason(part.claim, verdict), settings=self._whole_settings()
        )
        result.nodes = part.nodes - (before.nodes if before else 0)
        result.evaluations = part.evaluations - (before.evaluations if before else 0)
        result.cpu_seconds = part.cpu_seconds - (before.cpu_seconds if before else 0.0)
        result.wall_seconds = part.wall_seconds - (before.wall_seconds if before else 0.0)
        if verdict is not Verdict.UNKNOWN:
            path = None if part.folder is None else part.folder.path / CERTIFICATE
            accepted: list[GraphBuilder] = []
            found = Decided(
                self.game,
                self.evaluator,
                self.root,
                part.claim,
                part.log,
                path,
                self.original,
                accepted.append,
            )
            self.interrupted = (
                announce(result, found, self.settings, self._memory) or self.interrupted
            )
            if accepted or not self._sharing:
                self._share(part, accepted)
            elif self._patterns is not None and (
                len(part.log) < len(part.taken) or result.reason.startswith(REFUSED)
            ):
                self._patterns.drop(part.question)  # what they said did not hold
        else:
            self._share(part, ())
        return result

    def _reason(self, claim: Claim, verdict: Verdict) -> str:
        if verdict is Verdict.PROVED:
            return f"Proved: {claim.text(self.game.players)}."
        if verdict is Verdict.DISPROVED:
            return f"Disproved that {claim.text(self.game.players)}: {claim.opposite(self.game.may_draw).text(self.game.players)}."
        return (
            self.reason
            or "Nothing is left to try: whatever is played, it can go on without an end or meets a length cap."
        )


def _carry_over(game: Game, part: _Asked, following: ProofLog) -> None:
    """What is proved of the stronger claim is proved of the weaker one: its records, in their order, begin the other log."""
    for states, moves, zones in part.log.chunks():
        proved = (moves >= 0) == (_movers(game, states) == part.claim.player)
        following.append(states[proved], moves[proved], zones[proved])


def _movers(game: Game, states: np.ndarray, batch: int = 4096) -> np.ndarray:
    """int32[n]: the side to move in packed positions uint32[n, S]."""
    look = _to_move(game)
    parts = [np.zeros(0, np.int32)]
    for at in range(0, len(states), batch):
        part = states[at : at + batch]
        padded = np.concatenate([part, np.zeros((batch - len(part), part.shape[1]), np.uint32)])
        parts.append(np.asarray(look(padded))[: len(part)])
    return np.concatenate(parts)


@functools.lru_cache(maxsize=32)
def _to_move(game: Game) -> Any:
    return jax.jit(jax.vmap(lambda words: game.to_move(game.unpack(words))))
