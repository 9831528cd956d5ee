"""Results of searches, and progress reports."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, NamedTuple

from jaxsolve.question import Claim, Verdict
from jaxsolve.search.settings import LIMIT_NAMES, Limits, Settings

REFUSED = "The checker refused the proof"
"""First words of ``Result.reason`` if the checker refuses a proof, a fault of this package.

Later results of the same question repeat the reason.
"""


@dataclass
class Progress:
    """A snapshot of a running search, for the progress line."""

    nodes: int = 0  # positions expanded
    evaluations: int = 0  # positions sent to the evaluator
    proof_number: float = 1.0  # of the root; in MCTS its visit count
    disproof_number: float = 1.0  # of the root; in MCTS its mean value in [-1, 1] or log10 cost
    line: list[str] = field(default_factory=list)  # best line from the root, as moves
    wall_seconds: float = 0.0


PROOF_SECONDS = "proof_seconds"
"""``Stop.by`` if the collection of the proof takes too long (``settings.proof_seconds``)."""


class Stop(NamedTuple):
    """Why a search has no answer."""

    reason: str  # one full sentence
    # The limit that was reached: a field of ``Limits``, "memory_mb" or "max_nodes" (fields of
    # ``Settings``), or PROOF_SECONDS. None: another cause.
    by: str | None = None
    at: float | None = None  # the value of the limit

    @classmethod
    def at_limit(cls, limits: Limits, name: str) -> Stop:
        """Returns the stop of a search that has reached the field ``name`` of ``limits``."""
        return cls(limits.reached(name), name, getattr(limits, name))


@dataclass
class Result:
    """Result of one search for one claim."""

    verdict: Verdict
    claim: Claim
    reason: str  # one full sentence
    best_move: str | None = None  # a first move that proves the verdict, if there is one
    line: list[str] = field(default_factory=list)  # principal variation
    nodes: int = 0  # expansions
    evaluations: int = 0
    # Of the search. Compilation, reading an earlier log and the certificate are not counted.
    cpu_seconds: float = 0.0
    wall_seconds: float = 0.0
    compile_seconds: float = 0.0  # CPU seconds
    certificate_seconds: float = 0.0  # CPU seconds for collecting and writing the proof
    certificate: Path | None = None  # None if nothing was decided or no folder was given
    certificate_nodes: int = 0
    certificate_bytes: int = 0
    checked: bool = False  # the independent checker has accepted the proof
    interrupted: bool = False
    unsaved: str = ""  # sentence about a certificate, log or result file that was not written
    stopped_by: str | None = None  # of an unknown verdict: the limit that was reached (``Stop.by``)
    stopped_at: float | None = None  # the value of this limit
    settings: Settings | None = field(default=None, repr=False, compare=False)

    @property
    def stopped_by_limits(self) -> bool:
        """Whether a limit of ``Limits`` was reached."""
        return self.stopped_by in LIMIT_NAMES

    def set_stop(self, stop: Stop) -> None:
        """Sets the reason and the limit."""
        self.reason, self.stopped_by, self.stopped_at = stop

    def rename_limit(self, whole: Limits, how: str = "") -> None:
        """Reports the limit of ``whole`` in place of the part of it that stopped this search.

        Nothing changes if no limit of ``Limits`` stopped the search. ``how`` is added to the
        sentence: it says how the limit was divided.
        """
        name = self.stopped_by
        if name is None or name not in LIMIT_NAMES:
            return
        value: Any = self.stopped_at
        part, stop = Limits(**{name: value}).reached(name), Stop.at_limit(whole, name)
        sentence = f"{stop.reason[:-1]}{how}."
        self.set_stop(stop._replace(reason=self.reason.replace(part, sentence, 1)))

    def as_json(self, players: tuple[str, str]) -> dict[str, object]:
        """Returns the fields as plain values for a JSON object.

        ``players`` are the names of players 0 and 1.
        """
        values: dict[str, object] = {
            each.name: getattr(self, each.name) for each in dataclasses.fields(self)
        }
        values["verdict"], values["claim"] = self.verdict.value, self.claim.text(players)
        values["settings"] = None if self.settings is None else self.settings.as_json()
        values["certificate"] = None if self.certificate is None else str(self.certificate)
        return values


def unsaved(what: str, error: OSError) -> str:
    """Returns the sentence for a file that was not written. ``what`` names it ("proof log")."""
    return f"The {what} could not be written ({error.strerror or error})."


ProgressCallback = Callable[[Progress], None]
