"""A search's result in words for a person and as one JSON object for a program."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from rich.console import Console

from jaxsolve.commands import failure
from jaxsolve.commands.paper import facts
from jaxsolve.question import Problem, Verdict
from jaxsolve.search.result import Result

EXIT_CODES = {Verdict.PROVED: failure.PROVED, Verdict.DISPROVED: failure.DISPROVED, Verdict.UNKNOWN: failure.UNKNOWN}
_STYLES = {Verdict.PROVED: "bold green", Verdict.DISPROVED: "bold red", Verdict.UNKNOWN: "bold yellow"}


def exit_code(results: Sequence[Result]) -> int:
    """0 proved, 10 unknown, 20 disproved, 130 interrupted; of several claims of the same side the first, the strongest, counts.

    Where a weaker claim is disproved, so is the first.
    """
    if any(result.interrupted for result in results):
        return failure.INTERRUPTED
    if results[-1].verdict is Verdict.DISPROVED:
        return failure.DISPROVED
    return EXIT_CODES[results[0].verdict]


def fields(problem: Problem, result: Result) -> dict[str, Any]:
    """The question and the result as a flat JSON object; times in seconds, sizes in bytes."""
    values = result.as_json(problem.game.players)
    rounded = {name: round(value, 4) for name, value in values.items() if isinstance(value, float)}
    return {"problem": problem.id, "rules": problem.game.rule_set, "position": problem.game.text(problem.state)} | values | rounded


def size(number: int) -> str:
    """Bytes as a person reads them."""
    amount, unit = float(number), "bytes"
    for unit in ("bytes", "kB", "MB", "GB"):
        if amount < 1000 or unit == "GB":
            break
        amount /= 1000
    return f"{amount:.0f} {unit}" if unit == "bytes" else f"{amount:.1f} {unit}"


def show(console: Console, problem: Problem, result: Result) -> None:
    """Prints verdict, winning move, principal variation, effort and certificate."""
    claim = result.claim.text(problem.game.players)
    console.print(f"[{_STYLES[result.verdict]}]{result.verdict.value}[/]: {claim}")
    rows = {} if result.verdict is Verdict.PROVED else {"why": result.reason}
    if result.best_move:
        rows["move"] = result.best_move
    if result.line:
        rows["line"] = " ".join(result.line)
    rows["searched"] = f"{result.nodes:,} nodes, {result.evaluations:,} evaluations"
    rows["time"] = f"{result.cpu_seconds:.2f} s CPU, {result.wall_seconds:.2f} s wall; compilation {result.compile_seconds:.2f} s apart"
    if result.certificate:
        rows["proof"] = f"{result.certificate} ({result.certificate_nodes:,} nodes, {size(result.certificate_bytes)})"
    elif result.verdict is not Verdict.UNKNOWN:
        rows["proof"] = "not written: give a folder with --out"
    console.print(facts(rows))
