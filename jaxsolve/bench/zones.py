"""``jaxsolve bench zones``: the value of each part of the search with relevance zones.

Each row of the table is a variant of the search without one part. ``search/README.md``, Relevance
zones, explains the parts. Plans, patterns, the null move first and restarts all depend on zones, so
the variant without zones lacks all of them. It also has wider waves, like all searches without
plans. The variant "without smallest zones" uses zones, but a zone of life has all living chains
instead of the fewest that prove life.

``--problems FILE.json`` or ``FILE.json:ID,ID`` selects problems. ``--games`` selects the benchmark
positions of other rule sets. ``--seconds`` limits the CPU seconds of each search, without
compilation and certificate. ``--plot`` draws a cactus plot.

Every problem is searched by all variants before the next problem. An interrupted run therefore
compares the same problems. The variants can solve different problems, so nodes and certificates are
compared on the problems that all variants solve. A second ratio of nodes uses the problems that
both the variant and the complete search solve. A result counts only if the checker accepts its
proof.

``--seeds N`` measures the effect of restarts for several move orders. Each problem is searched with
and without restarts, with seeds 0 to N - 1. A seed shuffles the move order of a new search, and
thereby decides ties. Seed 0 does not shuffle.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from jaxsolve.bench.positions import chosen_problems, zone_positions
from jaxsolve.bench.report import Report
from jaxsolve.bench.request import Request
from jaxsolve.bench.zone_variants import RESTARTS, VARIANTS, Solved, Variant, solve
from jaxsolve.evaluate import shared_evaluator
from jaxsolve.games import make
from jaxsolve.question import Problem, default_claim
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


def run(request: Request) -> int:
    """Measures all parts that exist in the games of the problems. Returns exit code 0.

    With ``seeds``, measures restarts instead.

    Raises:
      ValueError: options exclude each other, or a game has no zones or no restarts.
      RuntimeError: two accepted proofs contradict each other.
    """
    _refuse_misfits(request)
    if request.problems is None:
        chosen = _positions(request.games or GAMES)
    else:
        chosen = chosen_problems(request.problems)
    variants, seconds = _that_apply(chosen), request.seconds or SECONDS
    if request.seeds is None:
        searches = [(variant, 0) for variant in variants]
    elif RESTARTS[1] in variants:
        searches = [(variant, seed) for seed in range(request.seeds) for variant in RESTARTS]
    else:
        raise ValueError(
            "--seeds compares searches with and without restarts, and games without plans have "
            "none: give killallgo-N or tsumego-N"
        )
    report = Report("zones", COLUMNS, request.as_json)
    outcomes: list[list[Solved]] = [[] for _ in searches]
    try:
        for problem in chosen:
            results = []
            for variant, seed in searches:
                order = "" if request.seeds is None else f", seed {seed}"
                with report.measuring(f"{problem.id}, {variant.name}{order}"):
                    results.append(solve(problem, variant, seconds, seed))
            _refuse_contradiction(results)
            for solved, result in zip(outcomes, results, strict=True):
                solved.append(result)
    finally:
        if outcomes[0] and request.seeds is None:
            _report_parts(report, variants, outcomes, request.plot, seconds)
        elif outcomes[0]:
            _report_seeds(report, searches, outcomes)
    return 0


def _refuse_misfits(request: Request) -> None:
    """Raises ValueError for options that exclude each other or that this benchmark lacks."""
    request.refuse_vs()
    if request.batches:
        raise ValueError("bench zones takes no --batch: every search has its method's own wave")
    if request.problems is not None and request.games:
        raise ValueError(
            "give either --games, for hard positions of these rule sets, or --problems, not both"
        )
    if request.plot is not None:
        if request.seeds is not None:
            raise ValueError("--plot draws the searches without --seeds: leave one of the two out")
        pictures.check(request.plot)


def _report_parts(
    report: Report,
    variants: Sequence[Variant],
    outcomes: Sequence[Sequence[Solved]],
    plot: Path | None,
    seconds: float,
) -> None:
    """Prints the table and, if ``plot`` is given, writes the cactus plot."""
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


def _report_seeds(
    report: Report, searches: Sequence[tuple[Variant, int]], outcomes: Sequence[Sequence[Solved]]
) -> None:
    """Prints a row for both searches with each seed, and counts of problems over all seeds.

    The counts are: problems solved with at least one seed, and problems solved with all seeds.
    """
    for seed in range(len(searches) // len(RESTARTS)):
        pair = outcomes[len(RESTARTS) * seed : len(RESTARTS) * (seed + 1)]
        for variant, solved in zip(RESTARTS, pair, strict=True):
            # "both" is left out: with two searches it equals "shared".
            row = {
                field: value
                for field, value in _row(solved, pair).items()
                if not field.startswith("both")
            }
            searched = sum(each.nodes for each in solved)
            results = [dataclasses.asdict(each) for each in solved]
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
        for k, variant in enumerate(RESTARTS):
            columns = zip(*outcomes[k :: len(RESTARTS)], strict=True)
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
    """Returns the variants that change the search in at least one game of the problems.

    Raises ValueError for a game without zones.
    """
    zonings = []
    for game in {problem.game: None for problem in chosen}:
        zoning = shared_evaluator(game).zoning()
        if zoning is None:
            raise ValueError(
                f"{game.rule_set} has no zones: "
                "give a rule set of killallgo-N or tsumego-N with ko=simple, or hex-N"
            )
        zonings.append(zoning)
    return [variant for variant in VARIANTS if any(variant.has(zoning) for zoning in zonings)]


def _refuse_contradiction(outcomes: Sequence[Solved]) -> None:
    if len({outcome.verdict for outcome in outcomes if outcome.known}) > 1:
        answers = ", ".join(
            f"{outcome.verdict} in {outcome.nodes} nodes" for outcome in outcomes if outcome.known
        )
        raise RuntimeError(
            f"problem {outcomes[0].id}: two searches gave opposite answers, both with accepted "
            f"proofs ({answers}): please report this"
        )


def _row(solved: Sequence[Solved], outcomes: Sequence[Sequence[Solved]]) -> dict[str, Any]:
    """Returns a row of the report.

    Args:
      solved: results of one variant, in the order of the problems.
      outcomes: results of all variants; the first is the complete search.
    """
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
    """Returns the nodes of a variant divided by those of the complete search.

    Args:
      solved: results of the variant.
      whole: results of the complete search.
      where: indices of the problems to compare; None is returned if there are none.
    """
    return (
        sum(solved[i].nodes for i in where) / max(1, sum(whole[i].nodes for i in where))
        if where
        else None
    )
