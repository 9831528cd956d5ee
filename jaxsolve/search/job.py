"""A job: one question, or several of growing weakness about one position, put to one search, with limits, proof logs and output folders."""

from __future__ import annotations

import functools
import json
import time
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import jax
import numpy as np

from jaxsolve.evaluate import Evaluator, shared_evaluator
from jaxsolve.games.game import Game, State
from jaxsolve.proof.certify import certify
from jaxsolve.proof.errors import ProofGap, ProofRefused, ProofUnfinished
from jaxsolve.proof.log import ProofLog, ProofLogError
from jaxsolve.question import Claim, Verdict, default_claim
from jaxsolve.runtime import cpu_seconds
from jaxsolve.search.methods import Method, method_named
from jaxsolve.search.result import Progress, Result
from jaxsolve.search.search import MemoryFull, Search, warm_up
from jaxsolve.search.settings import Settings

CERTIFICATE, LOG, PROBLEM, RESULT = "proof.jsonl.gz", "proof.log", "problem.json", "result.json"
PROBLEM_PART = "problem.part"
FLUSH_SECONDS = 1.0  # a killed run loses at most what was decided since
ADOPTED = 1 << 16  # records taken up together
TREE_SHARE = 0.75  # of the memory; the rest is for the log


@dataclass
class _Asked:
    """One claim of a job: where its records go, and what came out."""

    claim: Claim
    out: Path | None
    log: ProofLog
    verdict: Verdict | None = None
    nodes: int = 0  # expansions up to here
    evaluations: int = 0
    cpu_seconds: float = 0.0


class Job:
    """Runs one search. A ``Driver`` calls ``select``, ``check_limits`` and ``goes_on``; ``finish`` writes certificates and results.

    Args:
      claims: one claim, or several, the strongest first, that are searched over one tree until one is proved; default: the game's goal, else that
        the side to move wins.
      settings: default: the standard ones.
      out: folder; with several claims each has a folder of its own below it, called after its result.
      resume: go on from the logs in ``out``.
      evaluator: default: the rules with the settings' network.
      share: part of the settings' memory that this job may use.

    Raises:
      ValueError: unknown method, or ``out`` holds something else (``ProofLogError``).
    """

    def __init__(
        self,
        game: Game,
        state: State,
        *,
        claims: Claim | Sequence[Claim] | None = None,
        settings: Settings | None = None,
        out: Path | None = None,
        resume: bool = False,
        evaluator: Evaluator | None = None,
        share: float = 1.0,
    ):
        self.game, self.settings, self.out = game, settings or Settings(), out
        self.method: Method = method_named(self.settings.method) if isinstance(self.settings.method, str) else self.settings.method
        asked = [claims] if isinstance(claims, Claim) else list(claims or [default_claim(game, state)])
        self.root = np.asarray(game.pack(state))
        self.evaluator = evaluator or shared_evaluator(game, self.settings.heads, self.method.playouts)
        self.reason: str | None = None
        self.interrupted = False
        self._cpu, self._compile, self._start = 0.0, 0.0, time.perf_counter()
        self._waited = 0.0  # wall seconds of compilation
        self._flushed = self._start
        self._memory = max(1, int(self.settings.memory_mb * share))
        self.parts: list[_Asked] = []
        for claim in asked:
            folder = None if out is None else (out if len(asked) == 1 else out / claim.result)
            self.parts.append(self._ask(claim, state, folder, resume and folder is not None and folder.exists()))
        start, compiled = cpu_seconds(), self.evaluator.compile_seconds
        zoned = self.evaluator.layout.zoned
        warm_up(self.method, game.may_repeat, zoned)
        self._compile += cpu_seconds() - start
        start = cpu_seconds()
        self._search = self._new_search(asked)
        if resume and self._search is not None:
            self._take_up()
        self._compile += self.evaluator.compile_seconds - compiled
        self._waited = time.perf_counter() - self._start
        self._cpu += max(0.0, cpu_seconds() - start - (self.evaluator.compile_seconds - compiled))

    def _ask(self, claim: Claim, state: State, out: Path | None, resume: bool) -> _Asked:
        game, layout = self.game, self.evaluator.layout
        question: dict[str, object] = {"rules": game.rule_set, "claim": claim.text(game.players), "canonical": self.evaluator.canonical}
        if out is not None:
            _claim_folder(out, {**question, "root": game.text(state)}, resume)
        zone_words = layout.mask if layout.zoned else 0
        log = ProofLog(question, game.state_words, None if out is None else out / LOG, zone_words, memory_mb=self._memory)
        return _Asked(claim, out, log)

    def _new_search(self, claims: Sequence[Claim]) -> Search | None:
        try:
            return Search(
                self.game,
                self.evaluator.images(self.root[None])[0][0],
                claims,
                self.method,
                self.evaluator,
                sink=self.parts[0].log.append,
                budget=int(self._memory * TREE_SHARE) << 20,
                max_nodes=self.settings.max_nodes,
                seed=self.settings.seed,
                width=self.settings.wave,
                flights=self.settings.flights,
            )
        except MemoryFull:
            self.reason = self._full()
            return None

    def _full(self) -> str:
        return f"The memory limit of {self.settings.memory_mb} MB cannot hold the search."

    def _take_up(self) -> None:
        """Enters what an earlier run decided, as much as half of the tree can hold, the last first known."""
        assert self._search is not None
        try:
            for records in self._part.log.chunks(max(1, self._search.room // 2), ADOPTED):
                self._search.adopt(*records, known=True)
        except MemoryFull:
            self.reason = self._full()

    # ---- running ---------------------------------------------------------------------------------------------------
    @property
    def search(self) -> Search:
        """The search while the job runs. Raises RuntimeError after its end."""
        if self._search is None:
            raise RuntimeError("the job has ended")
        return self._search

    @property
    def _part(self) -> _Asked:
        return self.parts[0 if self._search is None else self._search.asked]

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
        if self.reason is not None or search.verdict is not Verdict.DISPROVED or search.asked + 1 == len(self.parts):
            return False
        following = self.parts[search.asked + 1]
        _carry_over(self.game, part, following.log)
        search.sink = following.log.append
        start = cpu_seconds()
        search.ask_next()
        self._cpu += cpu_seconds() - start
        return True

    def _book_answer(self, search: Search) -> _Asked:
        part = self.parts[search.asked]
        part.verdict = search.verdict
        part.nodes, part.evaluations, part.cpu_seconds = search.expanded, search.evaluated, self._cpu
        return part

    def select(self, flight: int, most: int) -> tuple[np.ndarray, np.ndarray, int]:
        """As ``Search.select``; a full memory ends the job."""
        limits = self.settings.limits
        if limits.nodes is not None:
            most = min(most, limits.nodes - self.search.expanded - self.search.in_flight)
        if limits.evaluations is not None:
            most = min(most, limits.evaluations - self.search.evaluated - self.search.in_flight)
        try:
            return self.search.select(flight, most)
        except MemoryFull:
            self.reason = self._full()
            return np.zeros((0, self.game.state_words), np.uint32), np.zeros(0, np.int32), 0

    def check_limits(self) -> None:
        """Ends the job when a limit is passed; brings the log to disk every second."""
        if self.done:
            return
        if time.perf_counter() - self._flushed > FLUSH_SECONDS:
            self._part.log.flush()
            self._flushed = time.perf_counter()
        limits, search = self.settings.limits, self.search
        if limits.nodes is not None and search.expanded >= limits.nodes:
            self.reason = f"The limit of {limits.nodes} nodes was reached."
        elif limits.evaluations is not None and search.evaluated >= limits.evaluations:
            self.reason = f"The limit of {limits.evaluations} evaluations was reached."
        elif limits.cpu_seconds is not None and self.cpu_seconds >= limits.cpu_seconds:
            self.reason = f"The limit of {limits.cpu_seconds:g} CPU seconds was reached."
        elif limits.wall_seconds is not None and self.wall_seconds >= limits.wall_seconds:
            self.reason = f"The limit of {limits.wall_seconds:g} seconds was reached."

    def interrupt(self) -> None:
        """Ends the job because the person asked; everything decided so far stays in the log."""
        if not self.done:
            self.interrupted, self.reason = True, "Interrupted; what was decided so far is saved."

    def progress(self) -> Progress:
        """A snapshot for the progress line."""
        return self.search.progress(self.wall_seconds) if self._search is not None else Progress()

    # ---- ending ----------------------------------------------------------------------------------------------------
    def finish(self) -> list[Result]:
        """Collects the proofs, writes certificates and result files, and says how it went, for every claim that was searched."""
        search, line = self._search, []
        count = 1
        if search is not None:
            self._book_answer(search)
            count = search.asked + 1
            if search.verdict is None or search.verdict is Verdict.UNKNOWN:
                line = search.best_line()
        self._search = None  # its memory is free for the certificates
        wall = self.wall_seconds
        results = [self._result(part, before) for part, before in zip(self.parts[:count], [None, *self.parts], strict=False)]
        results[-1].line = results[-1].line or line
        results[-1].interrupted, results[-1].wall_seconds = self.interrupted, wall
        results[0].compile_seconds += self._compile
        for part, result in zip(self.parts, results, strict=False):
            if part.out is not None:
                temporary = part.out / (RESULT + ".part")
                temporary.write_text(json.dumps(result.as_json(self.game.players), indent=1) + "\n")
                temporary.replace(part.out / RESULT)
        for part in self.parts:
            part.log.close()
        return results

    def _result(self, part: _Asked, before: _Asked | None) -> Result:
        verdict = part.verdict or Verdict.UNKNOWN
        result = Result(verdict, part.claim, self._reason(part.claim, verdict))
        result.nodes = part.nodes - (before.nodes if before else 0)
        result.evaluations = part.evaluations - (before.evaluations if before else 0)
        result.cpu_seconds = part.cpu_seconds - (before.cpu_seconds if before else 0.0)
        start, compiled = cpu_seconds(), 0.0
        if verdict is not Verdict.UNKNOWN:
            compiled = self._certify(part, result)
        result.certificate_seconds = max(0.0, cpu_seconds() - start - compiled)
        result.compile_seconds = compiled
        return result

    def _reason(self, claim: Claim, verdict: Verdict) -> str:
        if verdict is Verdict.PROVED:
            return f"Proved: {claim.text(self.game.players)}."
        if verdict is Verdict.DISPROVED:
            return f"Disproved: {claim.opposite(self.game.may_draw).text(self.game.players)}."
        return self.reason or "Nothing is left to try: whatever is played, it can go on without an end or meets a length cap."

    def _certify(self, part: _Asked, result: Result) -> float:
        """Writes the certificate; CPU seconds of compilation. A gap in the log withdraws the answer."""
        claim = part.claim if result.verdict is Verdict.PROVED else part.claim.opposite(self.game.may_draw)
        path = None if part.out is None else part.out / CERTIFICATE
        try:
            proof = certify(self.game, self.evaluator, part.log, claim, self.root, path=path, memory_mb=self._memory, check_it=self.settings.check)
        except ProofGap as gap:
            part.log.forget(gap.record)  # what may rest on it will be searched again
            result.verdict, result.reason = Verdict.UNKNOWN, f"The proof is incomplete ({gap}); the answer is withheld."
        except ProofRefused as refusal:
            result.verdict = Verdict.UNKNOWN
            result.reason = f"The checker refused the proof ({refusal}); the answer is withheld. Please report this."
        except (ProofUnfinished, KeyboardInterrupt) as why:
            self.interrupted = self.interrupted or isinstance(why, KeyboardInterrupt)
            result.verdict, shown = Verdict.UNKNOWN, claim.text(self.game.players)
            result.reason = f"Decided ({shown}), but the proof was not collected ({str(why) or 'interrupted'}): go on with --resume."
        else:
            result.line, result.best_move, result.certificate_nodes = proof.line, proof.first_move, proof.nodes
            result.certificate, result.certificate_bytes = proof.path, 0 if proof.path is None else proof.bytes
            return proof.compile_seconds
        return 0.0


def _claim_folder(out: Path, problem: dict[str, Any], resume: bool) -> None:
    """Makes the folder ours, or refuses one that holds anything else."""
    out.mkdir(parents=True, exist_ok=True)
    marker = out / PROBLEM
    if marker.exists():
        try:
            same = json.loads(marker.read_text()) == problem
        except ValueError:
            same = False
        if not same:
            raise ProofLogError(f"{out} holds the run of another problem; choose another output folder")
        if not resume:
            raise ProofLogError(f"{out} holds an earlier run of this problem; resume it or choose another output folder")
    elif any(file.name != PROBLEM_PART for file in out.iterdir()):  # that one is left by a run that was killed, or had no room, as it began
        raise ProofLogError(f"{out} is not empty and not a folder of jaxsolve; choose another output folder")
    else:
        temporary = out / PROBLEM_PART
        temporary.write_text(json.dumps(problem, indent=1) + "\n")
        temporary.replace(marker)


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
