"""A job: one question put to one search, with its limits, its proof log and its output folder."""

from __future__ import annotations

import functools
import time
from pathlib import Path

import numpy as np

from jaxsolve.evaluate import Evaluator, shared_evaluator
from jaxsolve.games.game import Game, State
from jaxsolve.proof.certify import Certified, certify
from jaxsolve.proof.errors import ProofGap, ProofRefused, ProofUnfinished
from jaxsolve.proof.log import ProofLog
from jaxsolve.question import Claim, Verdict, default_claim
from jaxsolve.runfolder import RunFolder
from jaxsolve.runtime import cpu_seconds
from jaxsolve.search.methods import MonteCarlo, method_named
from jaxsolve.search.result import Progress, Result
from jaxsolve.search.search import MemoryFull, Search, warm_up
from jaxsolve.search.settings import Settings

CERTIFICATE, LOG, PROBLEM, RESULT = "proof.jsonl.gz", "proof.log", "problem.json", "result.json"
FLUSH_SECONDS = 1.0  # a killed run loses at most what was decided since


class Job:
    """Runs one search to a ``Result``. ``step`` methods come from ``drive``; ``finish`` writes certificate and result."""

    def __init__(
        self,
        game: Game,
        state: State,
        *,
        claim: Claim | None = None,
        settings: Settings | None = None,
        out: Path | None = None,
        resume: bool = False,
        evaluator: Evaluator | None = None,
    ):
        self.game, self.settings, self.out = game, settings or Settings(), out
        self.limits = self.settings.limits
        self.method = method_named(self.settings.method) if isinstance(self.settings.method, str) else self.settings.method
        self.claim = claim or default_claim(game, state)
        self.root = np.asarray(game.pack(state))
        playouts = self.method.playouts if isinstance(self.method, MonteCarlo) else 0
        self.evaluator = evaluator or shared_evaluator(game, self.settings.heads, playouts)
        self.reason: str | None = None
        self.interrupted = False
        self._cpu, self._wall = 0.0, time.perf_counter()
        self._flushed = self._wall
        start = cpu_seconds()
        warm_up(isinstance(self.method, MonteCarlo))
        self._compile = cpu_seconds() - start
        self._compiled_before = self.evaluator.compile_seconds
        question: dict[str, object] = {"rules": game.rule_set, "claim": self.claim.text(game.players), "canonical": self.evaluator.canonical}
        self.folder = None if out is None else RunFolder(out, PROBLEM, {**question, "root": game.text(state)}, resume=resume)
        try:
            self._begin(question, resume)
        except BaseException:
            self.close()
            raise

    def _begin(self, question: dict[str, object], resume: bool) -> None:
        """Opens the log and the search over it."""
        layout = self.evaluator.layout
        zone_words, path = layout.mask if layout.zoned else 0, None if self.out is None else self.out / LOG
        self.log = ProofLog(question, self.game.state_words, path, zone_words, self.settings.memory_mb)
        start = cpu_seconds()
        self.search = Search(
            self.game,
            self.evaluator.images(self.root[None])[0][0],
            self.claim,
            self.method,
            self.evaluator,
            sink=self.log.append,
            memory_mb=self.settings.memory_mb,
            max_nodes=self.settings.max_nodes,
            seed=self.settings.seed,
            width=self.settings.wave,
        )
        if resume:
            for records in self.log.chunks(self.search.room):
                self.search.adopt(*records)
        self.charge(start)

    # ---- running ---------------------------------------------------------------------------------------------------
    def charge(self, start: float) -> None:
        """Books the CPU seconds since ``start`` to this job."""
        self._cpu += cpu_seconds() - start

    @property
    def cpu_seconds(self) -> float:
        """CPU seconds of the search so far, compilation not counted."""
        return max(0.0, self._cpu - (self.evaluator.compile_seconds - self._compiled_before))

    @property
    def wall_seconds(self) -> float:
        """Seconds since the job began, compilation not counted."""
        return max(0.0, time.perf_counter() - self._wall - (self.evaluator.compile_seconds - self._compiled_before))

    @property
    def done(self) -> bool:
        """Whether the search has ended, by an answer or at a limit."""
        return self.search.verdict is not None or self.reason is not None

    def select(self, group: int) -> tuple[np.ndarray, np.ndarray, int]:
        """As ``Search.select``; a full memory ends the job."""
        try:
            return self.search.select(group)
        except MemoryFull:
            self.reason = f"The memory limit of {self.settings.memory_mb} MB cannot hold the search."
            return np.zeros((0, self.game.state_words), np.uint32), np.zeros(0, np.int32), 0

    def check_limits(self) -> None:
        """Ends the job when a limit is passed; brings the log to disk every second."""
        if self.done:
            return
        if time.perf_counter() - self._flushed > FLUSH_SECONDS:
            self.log.flush()
            self._flushed = time.perf_counter()
        if self.log.failure is not None:
            self.reason = f"{_unsaved('proof log', self.log.failure)} What was decided before is saved: make room and resume."
        elif self.limits.nodes is not None and self.search.expanded >= self.limits.nodes:
            self.reason = f"The limit of {self.limits.nodes} nodes was reached."
        elif self.limits.evaluations is not None and self.search.evaluated >= self.limits.evaluations:
            self.reason = f"The limit of {self.limits.evaluations} evaluations was reached."
        elif self.limits.cpu_seconds is not None and self.cpu_seconds >= self.limits.cpu_seconds:
            self.reason = f"The limit of {self.limits.cpu_seconds:g} CPU seconds was reached."
        elif self.limits.wall_seconds is not None and self.wall_seconds >= self.limits.wall_seconds:
            self.reason = f"The limit of {self.limits.wall_seconds:g} seconds was reached."

    def interrupt(self) -> None:
        """Ends the job because the person asked; everything decided so far stays in the log."""
        if not self.done:
            self.interrupted, self.reason = True, "Interrupted; what was decided so far is saved." if self.out else "Interrupted."

    def progress(self) -> Progress:
        """A snapshot for the progress line."""
        return self.search.progress(time.perf_counter() - self._wall)

    # ---- ending ----------------------------------------------------------------------------------------------------
    def finish(self) -> Result:
        """Collects the proof, writes certificate and result file, and says how it went."""
        search = self.search
        verdict = search.verdict or Verdict.UNKNOWN
        result = Result(verdict, self.claim, self._reason(verdict), nodes=search.expanded, evaluations=search.evaluated)
        result.interrupted = self.interrupted
        result.cpu_seconds, result.wall_seconds = self.cpu_seconds, time.perf_counter() - self._wall
        start, compiled = cpu_seconds(), 0.0
        if verdict is not Verdict.UNKNOWN:
            compiled = self._certify(result)
        result.certificate_seconds = max(0.0, cpu_seconds() - start - compiled)
        result.compile_seconds = self._compile + compiled + self.evaluator.compile_seconds - self._compiled_before
        if result.verdict is Verdict.UNKNOWN:
            result.line = search.best_line() if search.tree.counters[0] else []
        try:
            self.log.close()
        except OSError as error:
            self.log.failure = error
        if self.log.failure is not None:
            result.unsaved = result.unsaved or _unsaved("proof log", self.log.failure)
        if self.folder is not None:
            try:
                self.folder.write_json(RESULT, result.as_json(self.game.players))
            except OSError as error:
                result.unsaved = result.unsaved or _unsaved("result file", error)
        return result

    def close(self) -> None:
        """Lets another run into the folder."""
        if self.folder is not None:
            self.folder.release()

    def _reason(self, verdict: Verdict) -> str:
        if verdict is Verdict.PROVED:
            return f"Proved: {self.claim.text(self.game.players)}."
        if verdict is Verdict.DISPROVED:
            return f"Disproved that {self.claim.text(self.game.players)}: {self.claim.opposite(self.game.may_draw).text(self.game.players)}."
        return self.reason or "Nothing is left to try: what remains only repeats positions or meets a length cap."

    def _certify(self, result: Result) -> float:
        """Writes the certificate; CPU seconds of compilation. A gap in the log withdraws the answer."""
        claim = self.claim if result.verdict is Verdict.PROVED else self.claim.opposite(self.game.may_draw)
        try:
            proof = self._proof(claim, result)
        except ProofGap as gap:
            self.log.forget(gap.record)  # what may rest on it will be searched again
            result.verdict, result.reason = Verdict.UNKNOWN, f"The proof is incomplete ({gap}); the answer is withheld, --resume searches again."
            return 0.0
        except ProofRefused as refusal:
            result.verdict = Verdict.UNKNOWN
            result.reason = f"The checker refused the proof ({refusal}); the answer is withheld. Please report this."
            return 0.0
        except (ProofUnfinished, OSError, KeyboardInterrupt) as why:
            result.verdict, result.interrupted = Verdict.UNKNOWN, isinstance(why, KeyboardInterrupt)
            shown, reason = claim.text(self.game.players), getattr(why, "strerror", None) or str(why) or "interrupted"
            result.reason = f"Decided ({shown}), but its proof was not collected ({reason}){': go on with --resume' if self.out else ''}."
            return 0.0
        result.line, result.best_move, result.checked = proof.line, proof.first_move, proof.checked is not None
        result.certificate_nodes, result.certificate, result.certificate_bytes = proof.nodes, proof.path, proof.bytes if proof.path else 0
        return proof.compile_seconds

    def _proof(self, claim: Claim, result: Result) -> Certified:
        """The certificate, checked; where the folder does not take it, it is made and checked elsewhere, so that the answer is not lost."""
        make = functools.partial(certify, self.game, self.evaluator, self.log, claim, self.root)
        make = functools.partial(make, memory_mb=self.settings.memory_mb, check_it=self.settings.check)
        if self.out is None:
            return make()
        try:
            return make(path=self.out / CERTIFICATE)
        except OSError as error:
            result.unsaved = _unsaved("proof", error)
            return make()


def _unsaved(what: str, error: OSError) -> str:
    return f"The {what} could not be written ({error.strerror or error})."
