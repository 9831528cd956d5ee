"""``jaxsolve bench zones``: what each part of the search with zones is worth, by searches that go without it.

Each line of the table leaves out one part and keeps the others; but plans, patterns, the null move first and new attempts all rest on zones, so that
without zones none of them is left (and waves are wider, as they are where no moves are planned). ``--problems FILE.json`` or ``FILE.json:ID,ID`` says
what is searched, ``--games`` the hard positions of other rule sets, ``--seconds`` for how many CPU seconds each (compilation and certificate not
counted). The line "without smallest zones" keeps zones, but life rests on all that lives then, not on the fewest chains that show it.

Problems are taken in turn, each by all variants before the next one, so that a run that Ctrl-C ends compares the same problems. Searches solve
different ones within their time: nodes, their ratio and certificates are therefore compared where every variant has an answer, and once more, two by
two, where that variant and the whole search have one. An answer counts only with a proof that the checker accepts. ``--plot`` draws how many problems
each variant has solved against the CPU seconds that it had for each (a cactus plot).

``--seeds N`` asks something else: what new attempts are worth whatever the order of moves. A seed shuffles the order in which a search that knows
nothing yet lists moves (0 leaves it as it is), and with it every tie between them; the rest of a search follows from that. The problems are searched
with seeds 0 to N - 1, with and without attempts.
"""

from __future__ import annotations

import dataclasses
import functools
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from jaxsolve.bench.large_zones import large_leaf, shows_life
from jaxsolve.bench.positions import zone_positions
from jaxsolve.bench.report import Report
from jaxsolve.evaluate import Evaluator, shared_evaluator
from jaxsolve.formats import problems as problem_sets
from jaxsolve.games import make
from jaxsolve.games.game import Game
from jaxsolve.games.zones import LEAF, PLAN, SIGNATURE, Zoning
from jaxsolve.jit.host import address_of
from jaxsolve.question import Problem, Verdict, default_claim
from jaxsolve.search.methods import METHODS, Method, ProofNumber, RelevanceZone, Workspace
from jaxsolve.search.run.job import Job
from jaxsolve.search.run.pool import run_jobs
from jaxsolve.search.settings import Limits, Settings
from jaxsolve.view import cactus, pictures

GAMES = ("killallgo-9;fill_eyes=false;ko=simple",)
SECONDS = 5.0

COLUMNS = {
    "seed": "seed",
    "variant": "search",
    "solved": "solved",
    "withheld": "withheld",
    "cpu_seconds": "CPU s",
    "searched": "nodes",
    "shared": "all solve",
    "nodes": "nodes there",
    "nodes_ratio": "ratio",
    "shared_cpu_seconds": "CPU s there",
    "certificate_positions": "certificates there",
    "both": "both solve",
    "both_ratio": "nodes ratio there",
}


# ---- variants ----------------------------------------------------------------------------------------------------------
class NullLast(Method):
    """A method that lists the null move last: only at the head of a list is it looked into before others."""

    def put_in_order(self, work: Workspace, first: np.ndarray) -> None:
        super().put_in_order(work, first)
        null = int(work.tree.zoning.null[0])
        for row in work.order:
            row[:] = np.concatenate([row[row != null], row[row == null]])


class _NullLast(NullLast, ProofNumber):
    """``dfpn`` like that, its attempts too."""

    def depth_first(self) -> Method:
        return _DepthFirstNullLast("rzs", step=self.step)


class _DepthFirstNullLast(NullLast, RelevanceZone):
    pass


class _Patternless(Evaluator):
    """An evaluator whose game shows no patterns, so that no table of them is kept."""

    def zoning(self) -> Zoning | None:
        zoning = super().zoning()
        return None if zoning is None else zoning._replace(planes=np.zeros(1, np.int64))


class _Large(Evaluator):
    """An evaluator in whose games life rests on all that lives."""

    def zoning(self) -> Zoning | None:
        zoning = super().zoning()
        if zoning is None or not shows_life(zoning):
            return zoning
        addresses = zoning.addresses.copy()
        addresses[LEAF] = address_of(large_leaf, SIGNATURE)
        return zoning._replace(addresses=addresses)


@functools.cache
def _made(kind: type[Evaluator], game: Game) -> Evaluator:
    return kind(game)


@dataclass(frozen=True)
class Variant:
    """The search without one of its parts."""

    name: str
    has: Callable[[Zoning], bool]  # whether there is such a part where the game's zones are these
    settings: Settings = dataclasses.field(default_factory=Settings)
    kind: type[Evaluator] = Evaluator

    def evaluator(self, game: Game) -> Evaluator:
        """The evaluator for the searches of a game, one for all."""
        return (
            shared_evaluator(game, zones=self.settings.zones)
            if self.kind is Evaluator
            else _made(self.kind, game)
        )


def _reduced(kind: type[ProofNumber] = ProofNumber, **changes: Any) -> Settings:
    return Settings(kind(**vars(METHODS["dfpn"]) | changes))


VARIANTS = (
    Variant("everything on", lambda zoning: True),
    Variant("without zones", lambda zoning: True, Settings(zones=False)),
    Variant("without smallest zones", shows_life, kind=_Large),
    Variant("without the null move first", lambda zoning: zoning.null[0] >= 0, _reduced(_NullLast)),
    Variant("without the pattern table", lambda zoning: zoning.planes[0] > 0, kind=_Patternless),
    Variant("without plans", lambda zoning: zoning.addresses[PLAN] != 0, _reduced(step=0.0)),
    Variant(
        "without new attempts", lambda zoning: zoning.addresses[PLAN] != 0, _reduced(restarts=False)
    ),
)
"""The first is what the others are compared with."""

ATTEMPTS = (VARIANTS[0], VARIANTS[-1])
"""What ``--seeds`` compares."""


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


def solve(problem: Problem, variant: Variant, seconds: float, seed: int = 0) -> Solved:
    """Searches a problem for ``seconds`` CPU seconds; certificate and check included. Raises KeyboardInterrupt."""
    settings = dataclasses.replace(variant.settings, limits=Limits(cpu_seconds=seconds), seed=seed)
    job = Job(
        problem.game,
        problem.state,
        claims=problem.claim,
        settings=settings,
        evaluator=variant.evaluator(problem.game),
    )
    try:
        run_jobs([job])
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
    seeds: int | None = None,
) -> int:
    """Measures every part that the problems' games have, or attempts with ``seeds`` seeds (2 or more); 0.

    Raises ValueError with one sentence, RuntimeError where two answers disagree.
    """
    if vs is not None:
        raise ValueError(f"--vs {vs} compares kernels only: use 'jaxsolve bench kernels --vs {vs}'")
    if batches:
        raise ValueError(
            "bench zones takes no --batch: every search has the wave of its own method"
        )
    if problems is not None and games:
        raise ValueError(
            "give either --games, for hard positions of these rule sets, or --problems, not both"
        )
    if seeds is not None and plot is not None:
        raise ValueError("--plot draws the searches without --seeds: leave one of the two out")
    if plot is not None:
        pictures.check(plot)
    chosen = _positions(games or GAMES) if problems is None else _named(problems)
    variants = _that_apply(chosen)
    if seeds is not None and ATTEMPTS[1] not in variants:
        raise ValueError(
            "--seeds compares searches with and without new attempts, and games without plans have none: give killallgo-N or tsumego-N"
        )
    searches = (
        [(variant, 0) for variant in variants]
        if seeds is None
        else [(variant, seed) for seed in range(seeds) for variant in ATTEMPTS]
    )
    report, outcomes = Report("zones", COLUMNS, as_json), [[] for _ in searches]
    try:
        for problem in chosen:
            here = []
            for variant, seed in searches:
                with report.measuring(
                    f"{problem.id}, {variant.name}"
                    + (f", seed {seed}" if seeds is not None else "")
                ):
                    here.append(solve(problem, variant, seconds or SECONDS, seed))
            _refuse_contradiction(here)
            for solved, outcome in zip(outcomes, here, strict=True):
                solved.append(outcome)
    finally:
        if outcomes[0]:
            if seeds is None:
                _tell(report, variants, outcomes, plot, seconds or SECONDS)
            else:
                _tell_seeds(report, searches, outcomes)
    return 0


def _tell(
    report: Report,
    variants: Sequence[Variant],
    outcomes: Sequence[Sequence[Solved]],
    plot: Path | None,
    seconds: float,
) -> None:
    """Prints the table and writes the plot, where one is asked for."""
    for variant, solved in zip(variants, outcomes, strict=True):
        report.add(
            {
                "variant": variant.name,
                **_row(solved, outcomes),
                "results": [dataclasses.asdict(each) for each in solved],
            }
        )
    try:
        report.show()
    finally:
        if plot is not None:
            lines = {
                variant.name: [each.cpu_seconds for each in solved if each.known]
                for variant, solved in zip(variants, outcomes, strict=True)
            }
            cactus.draw(plot, lines, seconds, len(outcomes[0]))


def _tell_seeds(
    report: Report, searches: Sequence[tuple[Variant, int]], outcomes: Sequence[Sequence[Solved]]
) -> None:
    """Prints for every seed the two searches, compared with each other, and for each search what any of the seeds and what all of them solve."""
    for seed in range(len(searches) // len(ATTEMPTS)):
        pair = outcomes[len(ATTEMPTS) * seed : len(ATTEMPTS) * (seed + 1)]
        for variant, solved in zip(ATTEMPTS, pair, strict=True):
            row = {
                field: value
                for field, value in _row(solved, pair).items()
                if not field.startswith("both")
            }  # the pair's are those that all solve
            searched, results = (
                sum(each.nodes for each in solved),
                [dataclasses.asdict(each) for each in solved],
            )
            report.add(
                {
                    "seed": str(seed),
                    "variant": variant.name,
                    "searched": searched,
                    **row,
                    "results": results,
                }
            )
    for name, enough in {"any": any, "all": all}.items():
        for k, variant in enumerate(ATTEMPTS):
            columns = zip(*outcomes[k :: len(ATTEMPTS)], strict=True)
            count = sum(enough(each.known for each in column) for column in columns)
            report.add(
                {
                    "seed": name,
                    "variant": variant.name,
                    "problems": len(outcomes[k]),
                    "solved": count,
                }
            )
    report.show()


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
            chosen.append(
                Problem(
                    f"{game.rule_set.split(';')[0]} {number}",
                    game,
                    state,
                    default_claim(game, state),
                )
            )
    return chosen


def _that_apply(chosen: Sequence[Problem]) -> list[Variant]:
    """Variants that lack what a game of the problems has. Raises ValueError for a game without zones."""
    zonings = []
    for game in {problem.game: None for problem in chosen}:
        zoning = shared_evaluator(game).zoning()
        if zoning is None:
            raise ValueError(
                f"{game.rule_set} has no zones: give a rule set of killallgo-N or tsumego-N with ko=simple, or hex-N"
            )
        zonings.append(zoning)
    return [variant for variant in VARIANTS if any(variant.has(zoning) for zoning in zonings)]


def _refuse_contradiction(outcomes: Sequence[Solved]) -> None:
    if len({outcome.verdict for outcome in outcomes if outcome.known}) > 1:
        told = ", ".join(
            f"{outcome.verdict} in {outcome.nodes} nodes" for outcome in outcomes if outcome.known
        )
        raise RuntimeError(
            f"problem {outcomes[0].id}: two searches gave opposite answers, both with accepted proofs ({told}): please report this"
        )


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
        "certificate_positions": sum(solved[i].certificate_positions for i in shared)
        if shared
        else None,
        "both": len(both),
        "both_ratio": _ratio(solved, whole, both),
        "compile_cpu_seconds": sum(each.compile_cpu_seconds for each in solved),
    }


def _ratio(solved: Sequence[Solved], whole: Sequence[Solved], where: Sequence[int]) -> float | None:
    """Nodes beside those of the whole search; None where there are no problems to compare."""
    return (
        sum(solved[i].nodes for i in where) / max(1, sum(whole[i].nodes for i in where))
        if where
        else None
    )
