"""Errors that are raised while a proof is collected and checked."""

from __future__ import annotations


class ProofGap(RuntimeError):
    """The log does not prove the claim, because a record is missing or wrong.

    The caller must withhold the answer. Records with the number ``record`` or more may depend on
    the missing or wrong record. ``ProofLog.forget(record)`` drops them and keeps earlier records.
    """

    def __init__(self, message: str, record: int = 0):
        super().__init__(message)
        self.record = record


class ProofUnfinished(RuntimeError):
    """The collection of the proof was stopped by a limit. The log still holds the proof.

    The message gives the reason, without a full stop. ``memory`` is True if memory ran out, False
    if the caller stopped the collection.
    """

    def __init__(self, message: str, memory: bool = False):
        super().__init__(message)
        self.memory = memory


class ProofRefused(RuntimeError):
    """The independent checker refused the certificate.

    The message is the sentence of the checker's report (``Report.sentence``).
    """


class ProofRepeats(RuntimeError):
    """A proof under simple ko does not carry over to superko, because a board may repeat.

    The message is the sentence of the checker's report (``Report.sentence``).
    """
