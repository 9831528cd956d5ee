"""Errors of collecting and checking a proof."""

from __future__ import annotations


class ProofGap(RuntimeError):
    """The log does not prove the claim: a record is missing or wrong. The answer is withheld.

    ``record``: records from this number on may depend on the missing one. Earlier records can be
    kept (``ProofLog.forget``).
    """

    def __init__(self, message: str, record: int = 0):
        super().__init__(message)
        self.record = record


class ProofUnfinished(RuntimeError):
    """Collecting the proof stopped at a limit; the log still holds the proof.

    The message gives the reason, without a full stop.
    """


class ProofRefused(RuntimeError):
    """The independent checker refused the certificate. The message is the checker's sentence."""


class ProofRepeats(RuntimeError):
    """A proof under simple ko does not carry over to superko, since a board may repeat.

    The message is the checker's sentence.
    """
