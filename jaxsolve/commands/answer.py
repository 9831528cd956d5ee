"""The result of a search, as text and as one JSON object."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from rich.console import Console

from jaxsolve.commands import exit_codes
from jaxsolve.commands.terminal import Facts, counted
from jaxsolve.proof.check import knows
from jaxsolve.question import Problem, Verdict
from jaxsolve.search.result import Result

EXIT_CODES = {
    Verdict.PROVED: exit_codes.PROVED,
    Verdict.DISPROVED: exit_codes.DISPROVED,
    Verdict.UNKNOWN: exit_codes.UNKNOWN,
}
_STYLES = {
    Verdict.PROVED: "bold green",
    Verdict.DISPROVED: "bold red",
    Verdict.UNKNOWN: "bold yellow",
}


def exit_code(results: Sequence[Result]) -> int:
    """Returns the exit code for the results of one position.

    Args:
      results: one result for each claim about the same player, the strongest claim first.

    Returns:
      0 proved, 20 disproved, 10 unknown, 130 interrupted, or 1 if a decided result was not saved.
      The strongest claim counts. A disproved weaker claim disproves the strongest claim, too.
    """
    if any(result.interrupted for result in results):
        return exit_codes.INTERRUPTED
    code = (
        exit_codes.DISPROVED
        if results[-1].verdict is Verdict.DISPROVED
        else EXIT_CODES[results[0].verdict]
    )
    return (
        exit_codes.FAILED
        if code != exit_codes.UNKNOWN and any(result.unsaved for result in results)
        else code
    )


def winner(problem: Problem, result: Result) -> str | None:
    """Returns the name of the player who is proved to win, or None if no win is proved."""
    if result.verdict is Verdict.UNKNOWN:
        return None
    claim = (
        result.claim
        if result.verdict is Verdict.PROVED
        else result.claim.opposite(problem.game.may_draw)
    )
    return problem.game.players[claim.player] if claim.result == "wins" else None


def headline(problem: Problem, result: Result) -> tuple[str, str]:
    """Returns the result as one sentence, split where its style ends.

    Examples: ``("proved", ": white wins")``; of a claim that is false,
    ``("black wins", ' (proved: the claim "white wins" is false)')``. If a draw is possible, a false
    claim to win gives no winner: it then begins with ``white does not win``.
    """
    players = problem.game.players
    claim = result.claim.text(players)
    if result.verdict is Verdict.UNKNOWN:
        return result.verdict.value, f" whether {claim}"
    if result.verdict is Verdict.PROVED:
        return result.verdict.value, f": {claim}"
    opposite = result.claim.opposite(problem.game.may_draw)
    holds = (
        opposite.text(players)
        if opposite.result == "wins"
        else f"{players[result.claim.player]} does not win"
    )
    return holds, f' (proved: the claim "{claim}" is false)'


def fields(problem: Problem, result: Result) -> dict[str, Any]:
    """Returns a problem and its result as one JSON object, without the search settings.

    Times are in seconds, sizes in bytes. ``stopped_at`` is not rounded: a resumed run compares it
    with its own limit.
    """
    values = result.as_json(problem.game.players)
    del values["settings"]
    rounded = {
        name: round(value, 4)
        for name, value in values.items()
        if isinstance(value, float) and name != "stopped_at"
    }
    question = {
        "problem": problem.id,
        "rules": problem.game.rule_set,
        "position": problem.game.text(problem.state),
    }
    return question | {"winner": winner(problem, result)} | values | rounded


def size(number: int) -> str:
    """Formats a number of bytes with a unit, such as ``1.2 MB``."""
    amount, unit = float(number), "bytes"
    for unit in ("bytes", "kB", "MB", "GB"):
        if amount < 1000 or unit == "GB":
            break
        amount /= 1000
    return f"{amount:.0f} {unit}" if unit == "bytes" else f"{amount:.1f} {unit}"


def show(console: Console, problem: Problem, result: Result) -> None:
    """Prints verdict, winning move, principal variation, effort and certificate."""
    word, rest = headline(problem, result)
    console.print(f"[{_STYLES[result.verdict]}]{word}[/]{rest}")
    rows = {"why": result.reason} if result.verdict is Verdict.UNKNOWN else {}
    if result.verdict is not Verdict.UNKNOWN and result.best_move:
        rows["move"] = result.best_move
    if result.line:
        # The line of an undecided search is where it looked last, not best play.
        name = "searched so far" if result.verdict is Verdict.UNKNOWN else "line"
        rows[name] = " ".join(result.line)
    rows["searched"] = ", ".join(
        (counted(result.nodes, "node"), counted(result.evaluations, "evaluation"))
    )
    rows["time"] = (
        f"{result.cpu_seconds:.2f} s CPU, {result.wall_seconds:.2f} s wall; "
        f"plus compilation {result.compile_seconds:.2f} s"
    )
    nodes = counted(result.certificate_nodes, "node")
    if result.certificate:
        rows["proof"] = (
            f"{result.certificate} "
            f"({counted(result.certificate_nodes, 'node')}, {size(result.certificate_bytes)})"
        )
    elif result.verdict is not Verdict.UNKNOWN and not result.unsaved:
        rows["proof"] = f"{nodes}, not saved; --out DIR saves it"
    if result.verdict is not Verdict.UNKNOWN:
        rows["proof checked"] = (
            f"{nodes} accepted" if result.checked else _unchecked(problem, result)
        )
    if result.unsaved:
        rows["not saved"] = result.unsaved
    console.print(Facts(rows))


def _unchecked(problem: Problem, result: Result) -> str:
    if knows(problem.game.name):
        return "no"
    made = "written" if result.certificate else "collected"
    return (
        f"no; the proof was {made}, but cannot be checked here: "
        f"no checker for {problem.game.name!r} is installed"
    )
