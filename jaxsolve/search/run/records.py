"""Output folder and proof log of one claim of a job, with the claim's outcome."""

from __future__ import annotations

import functools
from pathlib import Path
from typing import NamedTuple

import numpy as np

from jaxsolve.core.run_folder import RunFolder
from jaxsolve.evaluate import Evaluator, sides_to_move
from jaxsolve.games.game import Game, State
from jaxsolve.proof.check import check, knows
from jaxsolve.proof.decided import Original
from jaxsolve.proof.log import ProofLog
from jaxsolve.proof.record_checks import are_records
from jaxsolve.question import Claim, Verdict
from jaxsolve.search.result import Result, unsaved
from jaxsolve.search.run.effort import Effort
from jaxsolve.search.run.options import RunOptions
from jaxsolve.search.run.relaxation import relaxation

CERTIFICATE, LOG, PROBLEM, RESULT = "proof.jsonl.gz", "proof.log", "problem.json", "result.json"
RELAXATION_LOG = "simple-ko.log"


class SearchedPosition(NamedTuple):
    """A position, and the question's own rules and position if ``game`` is a relaxation."""

    game: Game
    state: State
    original: Original | None = None


class ClaimRecords:
    """The folder, the proof log and the outcome of one claim.

    An error of the log's file is kept in ``failure``; the records stay in memory.

    Args:
      claim: the claim, as the result names it.
      position: where it is searched.
      evaluator: the search's.
      out: the claim's own folder, or None.
      options: those of the run.
      memory_mb: bound on the log in memory, where it has no file.
      alone: whether the job has no other claim.

    Raises:
      ValueError: ``out`` is in use or holds something else (``FolderError``, ``ProofLogError``).
      OSError: ``out`` cannot be written.
    """

    def __init__(
        self,
        claim: Claim,
        position: SearchedPosition,
        evaluator: Evaluator,
        *,
        out: Path | None,
        options: RunOptions,
        memory_mb: int,
        alone: bool,
    ):
        game, state, original = position
        self.claim = claim
        self.searched = _searched(claim, game, evaluator) if alone else claim
        self.verdict: Verdict | None = None
        self.effort = Effort()  # of this claim and those before
        self.taken = np.zeros(0, np.int64)  # serials of shared records that begin the log
        self.failure: OSError | None = None
        self.question: dict[str, object] = {  # which the log's records are true of
            "rules": game.rule_set,
            "claim": claim.text(game.players),
            "canonical": evaluator.canonical,
            "zones": bool(evaluator.zone_words) or evaluator.threat_search() is not None,
        }
        self._game, self._state = (game, state) if original is None else original
        self.folder: RunFolder | None = None
        if out is not None:
            about = dict(self.question)
            # Equal under the relaxation and the own rules: both searches share the folder.
            if original is not None:
                about["rules"] = original.game.rule_set
            elif relaxation(game, state, options.settings) is not None:
                about["zones"] = True
            about["root"] = self._game.text(self._state)
            self.folder = RunFolder(out, PROBLEM, about, resume=options.resume)
        try:
            name = LOG if original is None else RELAXATION_LOG
            path = None if out is None else out / name
            self.log = ProofLog(
                self.question,
                game.state_words,
                path,
                evaluator.zone_words,
                memory_mb,
                functools.partial(are_records, game, evaluator.zone_words),
            )
        except BaseException:
            if self.folder is not None:
                self.folder.release()
            raise

    # ---- log -------------------------------------------------------------------------------------
    def append(self, states: np.ndarray, moves: np.ndarray, zones: np.ndarray) -> None:
        """Appends decided positions; an error is kept in ``failure``."""
        try:
            self.log.append(states, moves, zones)
        except OSError as error:
            self.failure = error

    def flush(self) -> None:
        """Writes the log to its file; an error is kept in ``failure``."""
        try:
            self.log.flush()
        except OSError as error:
            self.failure = error

    @property
    def log_failure(self) -> OSError | None:
        """The error that kept a record out of the log's file, if any."""
        return self.failure or self.log.failure

    def carry_over(self, stronger: ClaimRecords, game: Game) -> None:
        """Appends the positions proved for a stronger claim; their proofs imply this claim."""
        for states, moves, zones in stronger.log.chunks():
            proved = (moves >= 0) == (sides_to_move(game, states) == stronger.claim.player)
            self.append(states[proved], moves[proved], zones[proved])

    # ---- folder ----------------------------------------------------------------------------------
    @property
    def certificate_path(self) -> Path | None:
        """Where the certificate belongs; None without a folder."""
        return None if self.folder is None else self.folder.path / CERTIFICATE

    def write_result(self, result: Result, players: tuple[str, str]) -> None:
        """Closes the log and writes ``result.json``; ``result.unsaved`` names what was not saved.

        An unknown result does not replace that of an earlier proof that still stands.
        """
        try:
            self.log.close()
        except OSError as error:
            self.failure = error
        if self.log_failure is not None:
            result.unsaved = result.unsaved or unsaved("proof log", self.log_failure)
        if self.folder is None:
            return
        if result.verdict is Verdict.UNKNOWN and self._proof_stands():
            result.reason += f" The proof of an earlier run stands in {self.certificate_path}."
            return
        try:
            self.folder.write_json(RESULT, result.as_json(players))
        except OSError as error:
            result.unsaved = result.unsaved or unsaved("result file", error)

    def _proof_stands(self) -> bool:
        """Whether the folder holds an accepted proof about the claim, from an earlier run."""
        path, game = self.certificate_path, self._game
        if path is None or not path.exists() or not knows(game.name):
            return False
        report = check(path)
        claims = [
            claim.text(game.players) for claim in (self.claim, self.claim.opposite(game.may_draw))
        ]
        return (
            report.accepted
            and (report.rules, report.root) == (game.rule_set, game.text(self._state))
            and report.claim in claims
        )

    def close(self) -> None:
        """Closes the log and releases the folder for other runs."""
        try:
            self.log.close()
        except OSError as error:
            self.failure = error
        if self.folder is not None:
            self.folder.release()


def _searched(claim: Claim, game: Game, evaluator: Evaluator) -> Claim:
    """The claim to search: a proof of its opposite disproves it.

    Threat search finds threats of the or-player only. So "does not lose" is searched as the
    opponent's win.
    """
    if claim.result == "does-not-lose" and evaluator.threat_search() is not None:
        return claim.opposite(game.may_draw)
    return claim


def packed_root(game: Game, state: State) -> np.ndarray:
    """uint32[S] of the position. Raises ValueError for a position of another game."""
    root = game.host_pack(state)
    if not np.array_equal(root, game.host_pack(game.parse(game.text(state)))):
        raise ValueError(
            f"the position is none of {game.rule_set}: made by another game, or by hand; parse"
            " makes one from text"
        )
    return root
