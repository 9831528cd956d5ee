"""A search's result in words for a person and as one JSON object for a program."""

from __future__ import annotations

from typing import Any

from rich.console import Console
from rich.markup import escape
from rich.table import Table

from jaxsolve.commands import failure
from jaxsolve.formats.problems import Problem
from jaxsolve.search.result import Result, Verdict

EXIT_CODES = {Verdict.PROVED: failure.PROVED, Verdict.DISPROVED: failure.DISPROVED, Verdict.UNKNOWN: failure.UNKNOWN}
_STYLES = {Verdict.PROVED: "bold green", Verdict.DISPROVED: "bold red", Verdict.UNKNOWN: "bold yellow"}


def exit_code(result: Result) -> int:
    """0 proved, 10 unknown, 20 disproved, 130 interrupted."""
    return failure.INTERRUPTED if result.interrupted else EXIT_CODES[result.verdict]


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
    console.print(f"[{_STYLES[result.verdict]}]{result.verdict.value}[/]: {claim}", highlight=False)
    table = Table.grid(padding=(0, 2))
    table.add_column(style="dim", no_wrap=True)
    table.add_column(overflow="fold")
    table.add_row("why", escape(result.reason))
    if result.best_move:
        table.add_row("move", f"[bold]{escape(result.best_move)}[/]")
    if result.line:
        table.add_row("line", escape(" ".join(result.line)))
    table.add_row("searched", f"{result.nodes:,} nodes, {result.evaluations:,} evaluations")
    table.add_row("time", f"{result.cpu_seconds:.2f} s CPU, {result.wall_seconds:.2f} s wall, compilation {result.compile_seconds:.2f} s apart")
    if result.certificate:
        table.add_row("proof", f"{escape(str(result.certificate))} ({result.certificate_nodes:,} nodes, {size(result.certificate_bytes)})")
    elif result.verdict is not Verdict.UNKNOWN:
        table.add_row("proof", "not written: give a folder with --out")
    console.print(table, highlight=False)
