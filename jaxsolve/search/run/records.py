"""Output folder, proof log and outcome of one claim of a job."""

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
from jaxsolve.search.run.effort import EarlierRun, Effort
from jaxsolve.search.run.options import RunOptions
from jaxsolve.search.run.relaxation import relaxation

CERTIFICATE, LOG, PROBLEM, RESULT = "proof.jsonl.gz", "proof.log", "problem.json", "result.json"
RELAXATION_LOG = "simple-ko.log"


class SearchedPosition(NamedTuple):
    """The position that a job searches, and the question's own position if they differ."""

    game: Game
    state: State
    # The question's own rules and position, if ``game`` is a relaxation of the rules.
    original: Original | None = None


class ClaimRecords:
    """The folder, the proof log and the outcome of one claim.

    If writing the log's file fails, the error is stored in ``failure`` and the records stay in
    memory.

    Args:
      claim: claim of the question. The search may be for its opposite (``searched``).
      position: position in which the claim is searched.
      evaluator: evaluator of the search.
      out: folder of this claim, or None.
      options: options of the run.
      memory_mb: bound on the log in memory, if it has no file.
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
        self.effort = Effort()  # effort of this claim and of the claims before it
        self.earlier = EarlierRun()  # figures of the run that this one resumes
        # Serials of the shared records with which the log begins (``SharedPatterns``).
        self.taken = np.zeros(0, np.int64)
        self.failure: OSError | None = None
        # Header of the log. Its records are valid for all searches with an equal header.
        self.question = question_of(game, claim, evaluator)
        self._game, self._state = (game, state) if original is None else original
        self.folder: RunFolder | None = None
        if out is not None:
            about = dict(self.question)
            # The search under the relaxation and the search under the question's own rules use the
            # same folder, so both must write the same description.
            if original is not None:
                about["rules"] = original.game.rule_set
            elif relaxation(game, state, options.settings) is not None:
                about["zones"] = True
            about["root"] = self._game.text(self._state)
            self.folder = RunFolder(out, PROBLEM, about, resume=options.resume)
            if options.count_earlier and self.folder.resumed:
                self.earlier = EarlierRun.read(out / RESULT)
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
        """Appends decided positions to the log. An error is stored in ``failure``.

        Args:
          states: uint32[n, S], packed positions, children before parents.
          moves: int32[n], deciding moves (``jaxsolve.proof.log``).
          zones: uint32[n, Z], zones of the results.
        """
        try:
            self.log.append(states, moves, zones)
        except OSError as error:
            self.failure = error

    def flush(self) -> None:
        """Writes the log to its file. An error is stored in ``failure``."""
        try:
            self.log.flush()
        except OSError as error:
            self.failure = error

    @property
    def log_failure(self) -> OSError | None:
        """The error that kept records out of the log's file, or None."""
        return self.failure or self.log.failure

    def carry_over(self, stronger: ClaimRecords, game: Game) -> None:
        """Appends the positions that are proved for a stronger claim, which implies this claim."""
        for states, moves, zones in stronger.log.chunks():
            proved = (moves >= 0) == (sides_to_move(game, states) == stronger.claim.player)
            self.append(states[proved], moves[proved], zones[proved])

    # ---- folder ----------------------------------------------------------------------------------
    @property
    def certificate_path(self) -> Path | None:
        """Path at which the certificate is written; None without a folder."""
        return None if self.folder is None else self.folder.path / CERTIFICATE

    def write_result(self, result: Result, players: tuple[str, str]) -> None:
        """Closes the log and writes ``result.json``.

        ``result.unsaved`` reports files that could not be written. An unknown result does not
        replace the result of an earlier run whose accepted proof is in the folder.
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
        """Whether the folder holds a proof of an earlier run that decides the claim.

        The proof must be accepted by the checker.
        """
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


def question_of(game: Game, claim: Claim, evaluator: Evaluator) -> dict[str, object]:
    """Returns the header of a proof log: what the validity of its records depends on."""
    about: dict[str, object] = {
        "rules": game.rule_set,
        "claim": claim.text(game.players),
        "canonical": evaluator.canonical,
        "zones": bool(evaluator.zone_words) or evaluator.threat_search() is not None,
    }
    return about | ({"knowledge": True} if evaluator.has_knowledge else {})


def _searched(claim: Claim, game: Game, evaluator: Evaluator) -> Claim:
    """Returns the claim that is searched to decide ``claim``: the claim itself or its opposite.

    Threat search finds only threats of the player who is claimed to win. With threat search, "does
    not lose" is therefore replaced by its opposite, a win of the opponent.
    """
    if claim.result == "does-not-lose" and evaluator.threat_search() is not None:
        return claim.opposite(game.may_draw)
    return claim


def packed_root(game: Game, state: State) -> np.ndarray:
    """Returns the packed position, uint32[S].

    Raises ValueError if the position has stones outside the board, or differs from the position
    that its text describes. A state of another board size is not detected if its arrays are those
    of a position of ``game``.
    """
    root = game.host_pack(state)
    if not np.array_equal(root, game.host_pack(game.parse(game.text(state)))):
        raise ValueError(
            f"the position is none of {game.rule_set}: made by another game, or by hand; parse"
            " makes one from text"
        )
    return root
