"""Results of searches, and progress reports."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path

from jaxsolve.question import Claim, Verdict
from jaxsolve.search.settings import Settings

REFUSED = "The checker refused the proof"
"""The beginning of a reason that reports a fault of this package, which must not be lost."""


@dataclass
class Progress:
    """A snapshot for the progress line."""

    nodes: int = 0  # positions expanded
    evaluations: int = 0  # positions sent to the evaluator
    proof_number: float = 1.0  # of the root (for MCTS: visits)
    disproof_number: float = 1.0  # of the root (for MCTS: mean value in [-1, 1] or log10 cost)
    line: list[str] = field(default_factory=list)  # best line from the root, as moves
    wall_seconds: float = 0.0


@dataclass
class Result:
    """Outcome of one search for one claim."""

    verdict: Verdict
    claim: Claim
    reason: str  # one full sentence
    best_move: str | None = None  # a first move that proves the verdict, if it has one
    line: list[str] = field(default_factory=list)  # principal variation
    nodes: int = 0  # expansions
    evaluations: int = 0
    cpu_seconds: float = 0.0  # of the search; compilation and the certificate are not counted
    wall_seconds: float = 0.0
    compile_seconds: float = 0.0  # CPU seconds
    certificate_seconds: float = 0.0  # CPU seconds for collecting and writing the proof
    certificate: Path | None = None  # None where nothing was decided or no folder was given
    certificate_nodes: int = 0
    certificate_bytes: int = 0
    checked: bool = False  # the independent checker has accepted the proof
    interrupted: bool = False
    unsaved: str = ""  # a sentence where certificate, log or result file could not be written
    settings: Settings | None = field(default=None, repr=False, compare=False)

    def as_json(self, players: tuple[str, str]) -> dict[str, object]:
        """Plain values for a JSON object."""
        values: dict[str, object] = {
            each.name: getattr(self, each.name) for each in dataclasses.fields(self)
        }
        values["verdict"], values["claim"] = self.verdict.value, self.claim.text(players)
        values["settings"] = None if self.settings is None else self.settings.as_json()
        values["certificate"] = None if self.certificate is None else str(self.certificate)
        return values


def unsaved(what: str, error: OSError) -> str:
    """The sentence for something that could not be written."""
    return f"The {what} could not be written ({error.strerror or error})."


ProgressCallback = Callable[[Progress], None]
