"""Why a proof could not be collected."""

from __future__ import annotations


class ProofGap(RuntimeError):
    """The log does not carry the claim: a position it needs is missing, or what it says of one is not so. The answer is withheld.

    ``record``: everything in the log from this number on may rest on what is missing; what stands before can be kept (``ProofLog.forget``).
    """

    def __init__(self, message: str, record: int = 0):
        super().__init__(message)
        self.record = record


class ProofUnfinished(RuntimeError):
    """Collecting the proof was given up, at a limit or for want of memory; the log still holds it. The message says why, without a full stop."""


class ProofRefused(RuntimeError):
    """The independent checker refused the certificate. The message is its sentence."""


class ProofRepeats(RuntimeError):
    """A proof by other rules does not carry over to those of the claim: a board may come back. The message is the checker's sentence."""
