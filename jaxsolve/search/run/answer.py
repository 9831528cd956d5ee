"""Certificates of decided claims: collected, written and checked; else the answer is withheld."""

from __future__ import annotations

import functools
from collections.abc import Callable
from pathlib import Path
from typing import NamedTuple

import numpy as np

from jaxsolve.core.process import cpu_seconds
from jaxsolve.evaluate import Evaluator
from jaxsolve.games.game import Game
from jaxsolve.proof.builder import GraphBuilder
from jaxsolve.proof.certify import Certified, certify
from jaxsolve.proof.check import knows
from jaxsolve.proof.errors import ProofGap, ProofRefused, ProofRepeats, ProofUnfinished
from jaxsolve.proof.log import ProofLog
from jaxsolve.proof.writer import Original
from jaxsolve.question import Claim, Verdict
from jaxsolve.search.result import REFUSED, Result, unsaved
from jaxsolve.search.settings import Settings

LEAST_PROOF_MB = 16  # for collecting a proof: searches in less memory find larger ones
PROOF_SECONDS = 10.0  # allowed for collecting a proof, however short the limits


class Decided(NamedTuple):
    """A decided claim, and the sources of its proof."""

    game: Game
    evaluator: Evaluator
    root: np.ndarray  # uint32[S]
    claim: Claim
    log: ProofLog
    path: Path | None  # of the certificate; None: checked, but not kept
    original: Original | None = None  # the claim's own rules, where ``game`` is a relaxation
    accepted: Callable[[GraphBuilder], None] | None = None  # argument of ``certify``


def certify_answer(result: Result, found: Decided, settings: Settings, memory_mb: int) -> bool:
    """Completes a verdict by its certificate; True if Ctrl-C ended that.

    Without a certificate the verdict becomes unknown, and the reason states the cause.
    """
    game = found.game
    claim = found.claim if result.verdict is Verdict.PROVED else found.claim.opposite(game.may_draw)
    shown, again = (
        claim.text(game.players),
        "the same command" if found.path is None else "--resume",
    )
    try:
        proof = _certificate(result, found, claim, settings, memory_mb)
    except ProofGap as gap:
        found.log.forget(gap.record)  # positions that may depend on it are searched again
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
        then = "" if found.path is None else ": go on with --resume"
        _withhold(
            result,
            f"Decided ({shown}), but its proof was not collected"
            f" ({str(why) or 'interrupted'}){then}.",
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
        result.certificate_seconds, result.compile_seconds = (
            proof.cpu_seconds - proof.compile_seconds,
            proof.compile_seconds,
        )
    return False


def _certificate(
    result: Result, found: Decided, claim: Claim, settings: Settings, memory_mb: int
) -> Certified:
    """Collects, writes and checks the certificate of ``claim``. Raises as ``certify``.

    Where it cannot be written, it is only checked, and ``result.unsaved`` reports that.
    """
    game, start, limits = found.game, cpu_seconds(), settings.limits
    given = [limit for limit in (limits.cpu_seconds, limits.wall_seconds) if limit is not None]
    allowed = max(PROOF_SECONDS, given[0]) if given else float("inf")

    def stop() -> str | None:
        return (
            f"the limit of {allowed:g} CPU seconds was reached"
            if cpu_seconds() - start > allowed
            else None
        )

    collect = functools.partial(
        certify,
        game,
        found.evaluator,
        found.log,
        claim,
        found.root,
        memory_mb=max(memory_mb, LEAST_PROOF_MB),
        stop=stop,
        check_it=settings.check and knows(game.name),
        original=found.original,
        accepted=found.accepted,
    )
    try:
        return collect(path=found.path)
    except OSError as error:
        if found.path is None:
            raise
        result.unsaved = unsaved("proof", error)
        return collect(path=None)  # the answer is proved nevertheless


def _withhold(result: Result, reason: str) -> None:
    result.verdict, result.reason = Verdict.UNKNOWN, reason
