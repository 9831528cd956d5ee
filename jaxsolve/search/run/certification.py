"""Certificates of decided claims. An answer without an accepted certificate is withheld."""

from __future__ import annotations

import functools

from jaxsolve.core.process import cpu_seconds
from jaxsolve.games.game import Game
from jaxsolve.proof.certify import Certified, certify
from jaxsolve.proof.check import knows
from jaxsolve.proof.decided import Decided
from jaxsolve.proof.errors import ProofGap, ProofRefused, ProofRepeats, ProofUnfinished
from jaxsolve.question import Claim, Verdict
from jaxsolve.search.result import PROOF_SECONDS, REFUSED, Result, Stop, unsaved
from jaxsolve.search.settings import Settings, proof_seconds

LEAST_PROOF_MB = 16  # least memory for collecting a proof, however little the search had


def answered(game: Game, claim: Claim, verdict: Verdict) -> Stop | None:
    """Returns the sentence of an answer to ``claim``; None if the verdict is unknown."""
    if verdict is Verdict.UNKNOWN:
        return None
    if verdict is Verdict.PROVED:
        return Stop(f"Proved: {claim.text(game.players)}.")
    opposite = claim.opposite(game.may_draw).text(game.players)
    return Stop(f"Disproved that {claim.text(game.players)}: {opposite}.")


def certify_result(result: Result, found: Decided, settings: Settings, memory_mb: int) -> bool:
    """Collects, writes and checks the certificate of a decided claim, and completes its result.

    If any of this fails, the verdict of ``result`` becomes unknown and its reason states the cause.

    Args:
      result: result with a verdict; updated.
      found: the decided claim and the proof log.
      settings: options of the search.
      memory_mb: memory for collecting the proof; at least ``LEAST_PROOF_MB`` is used.

    Returns whether Ctrl-C interrupted the certification.
    """
    shown = found.claim.text(found.game.players)
    again = "the same command" if found.path is None else "--resume"
    try:
        proof = _certificate(result, found, settings, memory_mb)
    except ProofGap as gap:
        # Positions that may depend on the record are searched again.
        found.log.forget(gap.record)
        _withhold(
            result,
            f"The proof is incomplete ({gap}); the answer is withheld, and {again} searches again.",
        )
    except ProofRefused as refusal:
        _withhold(result, f"{REFUSED} ({refusal}); the answer is withheld. Please report this.")
    except ProofRepeats:
        _withhold(
            result,
            f"Decided by simple ko ({shown}), but under superko a board may come back in that"
            " proof.",
        )
    except OSError as error:
        result.unsaved = unsaved("proof", error)
        _withhold(
            result,
            f"Decided ({shown}), but the proof could not be written"
            f" ({error.strerror or error}): make room and resume.",
        )
    except (ProofUnfinished, KeyboardInterrupt) as why:
        then = "" if found.path is None else ": continue with --resume"
        _withhold(
            result,
            f"Decided ({shown}), but its proof was not collected"
            f" ({str(why) or 'interrupted'}){then}.",
        )
        if isinstance(why, ProofUnfinished):
            result.stopped_by, result.stopped_at = (
                ("memory_mb", settings.memory_mb)
                if why.memory
                else (PROOF_SECONDS, proof_seconds(settings.limits))
            )
        return isinstance(why, KeyboardInterrupt)
    else:
        result.line, result.best_move = proof.line, proof.first_move
        result.certificate_nodes, result.certificate, result.checked = (
            proof.nodes,
            proof.path,
            proof.checked is not None,
        )
        result.certificate_bytes = proof.bytes if proof.path else 0
        result.certificate_seconds = proof.cpu_seconds - proof.compile_seconds
        result.compile_seconds += proof.compile_seconds
    return False


def _certificate(result: Result, found: Decided, settings: Settings, memory_mb: int) -> Certified:
    """Collects, writes and checks the certificate. Raises the exceptions of ``certify``.

    If the certificate cannot be written, it is only checked, and ``result.unsaved`` reports the
    error.
    """
    start, allowed = cpu_seconds(), proof_seconds(settings.limits)

    def stop() -> str | None:
        return (
            f"the limit of {allowed:g} CPU seconds was reached"
            if allowed is not None and cpu_seconds() - start > allowed
            else None
        )

    collect = functools.partial(
        certify,
        memory_mb=max(memory_mb, LEAST_PROOF_MB),
        stop=stop,
        check_it=settings.check and knows(found.game.name),
    )
    try:
        return collect(found)
    except OSError as error:
        if found.path is None:
            raise
        result.unsaved = unsaved("proof", error)
        return collect(found._replace(path=None))  # the answer is proved nevertheless


def _withhold(result: Result, reason: str) -> None:
    result.verdict = Verdict.UNKNOWN
    result.set_stop(Stop(reason))
