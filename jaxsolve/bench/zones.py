"""``jaxsolve bench zones``: what each part of the search with zones is worth, by searches that go without it.

Each line of the table leaves out one part and keeps the others; but plans, patterns, the null move first and new attempts all rest on zones, so that
without zones none of them is left (and waves are wider, as they are where no moves are planned). ``--problems FILE.json`` or ``FILE.json:ID,ID`` says
what is searched, ``--games`` the hard positions of other rule sets, ``--seconds`` for how many CPU seconds each (compilation and certificate not
counted).

Problems are taken in turn, each by all variants before the next one, so that a run that Ctrl-C ends compares the same problems. Searches solve
different ones within their time: nodes, their ratio and certificates are therefore compared where every variant has an answer, and once more, two by
two, where that variant and the whole search have one. An answer counts only with a proof that the checker accepts. ``--plot`` draws how many problems
each variant has solved against the CPU seconds that it had for each (a cactus plot).
"""

from __future__ import annotations

import dataclasses
import functools
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from jaxsolve.bench import cactus
from jaxsolve.bench.positions import zone_positions
from jaxsolve.bench.report import Report
from jaxsolve.evaluate import Evaluator, shared_evaluator
from jaxsolve.formats import problems as problem_sets
from jaxsolve.games import make
from jaxsolve.games.game import Game
from jaxsolve.question import Problem, Verdict, default_claim
from jaxsolve.search.driver import drive
from jaxsolve.search.job import Job
from jaxsolve.search.methods import METHODS, ProofNumber, Workspace
from jaxsolve.search.settings import Limits, Settings
from jaxsolve.zoning import PLAN, Zoning

GAMES = ("killallgo-9;fill_eyes=false;ko=simple",)
SECONDS = 5.0

COLUMNS = {
    "variant": "search",
    "solved": "solved",
    "withheld": "withheld",
    "cpu_seconds": "CPU s",
    "shared": "all solve",
    "nodes": "nodes there",
    "nodes_ratio": "ratio",
    "shared_cpu_seconds": "CPU s there",
    "certificate_positions": "certificates there",
    "both": "both solve",
    "both_ratio": "nodes ratio there",
}


# ---- variants ----------------------------------------------------------------------------------------------------------
@dataclass(frozen=True)
class Reduced(ProofNumber):
    """``dfpn`` that goes without the null move first, or, with ``step`` 0, without plans in its later attempts too.

    None of these is depth-first search, which would have neither setting.
    """

    null_first: bool = True

    def put_in_order(self, work: Workspace, first: np.ndarray) -> None:
        """As ``Method.put_in_order``, but for the null move, which comes last where it is not to come first: only there is it looked into early."""
        super().put_in_order(work, first)
        null = int(work.tree.zoning.null[0])
        if not self.null_first:
            for row in work.order:
                row[:] = np.concatenate([row[row != null], row[row == null]])


class _Patternless(Evaluator):
    """An evaluator whose game shows no patterns, so that no table of them is kept."""

    def zoning(self) -> Zoning | None:
        zoning = super().zoning()
        return None if zoning is None else zoning._replace(planes=np.zeros(1, np.int64))


@functools.cache
def _patternless(game: Game) -> Evaluator:
    return _Patternless(game)


@dataclass(frozen=True)
class Variant:
    """The search without one of its parts."""

    name: str
    has: Callable[[Zoning], bool]  # whether there is such a part where the game's zones are these
    settings: Settings = dataclasses.field(default_factory=Settings)
    patterns: bool = True

    def evaluator(self, game: Game) -> Evaluator:
        """The evaluator for the searches of a game, one for all."""
        return shared_evaluator(game, zones=self.settings.zones) if self.patterns else _patternless(game)


def _reduced(**changes: Any) -> Settings:
    return Settings(Reduced(**vars(METHODS["dfpn"]) | changes))


VARIANTS = (
    Variant("everything on", lambda zoning: True),
    Variant("without zones", lambda zoning: True, Settings(zones=False)),
    Variant("without the null move first", lambda zoning: zoning.null[0] >= 0, _reduced(null_first=False)),
    Variant("without the pattern table", lambda zoning: zoning.planes[0] > 0, patterns=False),
    Variant("without plans", lambda zoning: zoning.addresses[PLAN] != 0, _reduced(step=0.0)),
    Variant("without new attempts", lambda zoning: zoning.addresses[PLAN] != 0, _reduced(anew=False)),
)
"""The first is what the others are compared with."""


# ---- searches ----------------------------------------------------------------------------------------------------------
@dataclass(frozen=True)
class Solved:
    """How one search ended."""

    id: str
    rules: str
    verdict: str
    reason: str
    nodes: int
    cpu_seconds: float  # of the search
    compile_cpu_seconds: float
    certificate_positions: int
    withheld: bool  # the search had an answer whose proof was not collected, or refused

    @property
    def known(self) -> bool:
        """Whether there is an answer."""
        return self.verdict != Verdict.UNKNOWN.value


def solve(problem: Problem, variant: Variant, seconds: float) -> Solved:
    """Searches a problem for ``seconds`` CPU seconds; certificate and check included. Raises KeyboardInterrupt."""
    settings = dataclasses.replace(variant.settings, limits=Limits(cpu_seconds=seconds))
    job = Job(problem.game, problem.state, claims=problem.claim, settings=settings, evaluator=variant.evaluator(problem.game))
    try:
        drive([job])
        decided = job.search.verdict in (Verdict.PROVED, Verdict.DISPROVED)
        result = job.finish()[0]
        if result.interrupted:
            raise KeyboardInterrupt
    finally:
        job.close()
    return Solved(
        problem.id,
        problem.game.rule_set,
        result.verdict.value,
        result.reason,
        result.nodes,
        result.cpu_seconds,
        result.compile_seconds,
        result.certificate_nodes,
        decided and result.verdict is Verdict.UNKNOWN,
    )


# ---- the report --------------------------------------------------------------------------------------------------------
def run(
    games: Sequence[str],
    batches: Sequence[int],
    vs: str | None,
    as_json: bool,
    seconds: float | None = None,
    problems: str | None = None,
    plot: Path | None = None,
) -> int:
    """Measures every part that the problems' games have; 0. Raises ValueError with one sentence, RuntimeError where two answers disagree."""
    if vs is not None:
        raise ValueError(f"--vs {vs} compares kernels only: use 'jaxsolve bench kernels --vs {vs}'")
    if batches:
        raise ValueError("bench zones takes no --batch: every search has the wave of its own method")
    if problems is not None and games:
        raise ValueError("give either --games, for hard positions of these rule sets, or --problems, not both")
    if plot is not None:
        cactus.check(plot)
    chosen = _positions(games or GAMES) if problems is None else _named(problems)
    variants = _that_apply(chosen)
    report, outcomes = Report("zones", COLUMNS, as_json), [[] for _ in variants]
    try:
        for problem in chosen:
            here = []
            for variant in variants:
                with report.measuring(f"{problem.id}, {variant.name}"):
                    here.append(solve(problem, variant, seconds or SECONDS))
            _refuse_contradiction(here)
            for solved, outcome in zip(outcomes, here, strict=True):
                solved.append(outcome)
    finally:
        if outcomes[0]:
            _tell(report, variants, outcomes, plot, seconds or SECONDS)
    return 0


def _tell(report: Report, variants: Sequence[Variant], outcomes: Sequence[Sequence[Solved]], plot: Path | None, seconds: float) -> None:
    """Prints the table and writes the plot, where one is asked for."""
    for variant, solved in zip(variants, outcomes, strict=True):
        report.add({"variant": variant.name, **_row(solved, outcomes), "results": [dataclasses.asdict(each) for each in solved]})
    try:
        report.show()
    finally:
        if plot is not None:
            lines = {variant.name: [each.cpu_seconds for each in solved if each.known] for variant, solved in zip(variants, outcomes, strict=True)}
            cactus.draw(plot, lines, seconds, len(outcomes[0]))


def _named(text: str) -> list[Problem]:
    """The problems of ``FILE.json``, or of ``FILE.json:ID,ID``."""
    file, colon, ids = text.rpartition(":")
    if not (colon and file.endswith(".json")):
        return problem_sets.load(text)
    return problem_sets.load(file, ids=[word.strip() for word in ids.split(",") if word.strip()])


def _positions(games: Sequence[str]) -> list[Problem]:
    chosen = []
    for game in map(make, games):
        for number, state in enumerate(zone_positions(game), 1):
            chosen.append(Problem(f"{game.rule_set.split(';')[0]} {number}", game, state, default_claim(game, state)))
    return chosen


def _that_apply(chosen: Sequence[Problem]) -> list[Variant]:
    """Variants that lack what a game of the problems has. Raises ValueError for a game without zones."""
    zonings = []
    for game in {problem.game: None for problem in chosen}:
        zoning = shared_evaluator(game).zoning()
        if zoning is None:
            raise ValueError(f"{game.rule_set} has no zones: give a rule set of killallgo-N or tsumego-N with ko=simple, or hex-N")
        zonings.append(zoning)
    return [variant for variant in VARIANTS if any(variant.has(zoning) for zoning in zonings)]


def _refuse_contradiction(outcomes: Sequence[Solved]) -> None:
    if len({outcome.verdict for outcome in outcomes if outcome.known}) > 1:
        told = ", ".join(f"{outcome.verdict} in {outcome.nodes} nodes" for outcome in outcomes if outcome.known)
        raise RuntimeError(f"problem {outcomes[0].id}: two searches gave opposite answers, both with accepted proofs ({told}): please report this")


def _row(solved: Sequence[Solved], outcomes: Sequence[Sequence[Solved]]) -> dict[str, Any]:
    """A line of the report: ``solved`` beside all ``outcomes``, of which the first are those of the whole search."""
    whole = outcomes[0]
    shared = [i for i in range(len(whole)) if all(each[i].known for each in outcomes)]
    both = [i for i in range(len(whole)) if solved[i].known and whole[i].known]
    return {
        "problems": len(solved),
        "solved": sum(each.known for each in solved),
        "withheld": sum(each.withheld for each in solved) or None,
        "cpu_seconds": sum(each.cpu_seconds for each in solved),
        "shared": len(shared),
        "nodes": sum(solved[i].nodes for i in shared) if shared else None,
        "nodes_ratio": _ratio(solved, whole, shared),
        "shared_cpu_seconds": sum(solved[i].cpu_seconds for i in shared) if shared else None,
        "certificate_positions": sum(solved[i].certificate_positions for i in shared) if shared else None,
        "both": len(both),
        "both_ratio": _ratio(solved, whole, both),
        "compile_cpu_seconds": sum(each.compile_cpu_seconds for each in solved),
    }


def _ratio(solved: Sequence[Solved], whole: Sequence[Solved], where: Sequence[int]) -> float | None:
    """Nodes beside those of the whole search; None where there are no problems to compare."""
    return sum(solved[i].nodes for i in where) / max(1, sum(whole[i].nodes for i in where)) if where else None
