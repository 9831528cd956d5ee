"""The report of ``jaxsolve tsumego``: on the terminal, as JSON and as a picture."""

from __future__ import annotations

import functools
import re
from collections.abc import Mapping, Sequence
from typing import Any

from rich.console import Console
from rich.markup import escape
from rich.table import Table

from jaxsolve import view
from jaxsolve.commands import streams
from jaxsolve.commands.answer import size
from jaxsolve.commands.terminal import Facts, counted, head
from jaxsolve.games import make
from jaxsolve.search.run.effort import Effort
from jaxsolve.tsumego import solution, wording
from jaxsolve.tsumego import status as statuses
from jaxsolve.tsumego.questions import THREATS
from jaxsolve.tsumego.report import NOT_SEARCHED, repeats
from jaxsolve.tsumego.setup import SIDES
from jaxsolve.tsumego.status import Status
from jaxsolve.tsumego.task import Task
from jaxsolve.tsumego.verdicts import FirstReport, MoveReport, Report
from jaxsolve.tsumego.wording import after_wrong_move, verb

# The limit of a search is that of its turn, which means nothing to the user.
_TURN = re.compile(r"The limit of [0-9.e+-]+ CPU seconds was reached\.")
_STYLES = {
    Status.LIVES: "bold green",
    Status.LIVES_IN_KO: "bold yellow",
    Status.SEKI: "bold cyan",
    Status.SEKI_IN_KO: "bold yellow",
    Status.DIES_IN_KO: "bold yellow",
    Status.DIES: "bold red",
    Status.UNKNOWN: "bold yellow",
}


# ---- the board ---------------------------------------------------------------------------------
def board(task: Task, places: bool = True) -> str:
    """Returns the drawn board with marked crucial and assumed stones and region, and a legend.

    Without ``places``, assumed stones and region are left out. Of a large board the part with the
    stones and the region is drawn. All characters can be encoded by standard output.
    """
    game = make(f"go-{task.given.size}")
    state = game.read(task.given_root)
    names = task.grid.list
    marks = dict.fromkeys(names(task.crucial).split(","), "triangle") if task.crucial else {}
    region = [] if task.whole or not places else names(task.region).split(",")
    assumed = names(task.assumed).split(",") if task.assumed and places else []
    marks |= dict.fromkeys(assumed, "square")
    around = [*names(sum(task.stones.stones)).split(","), *region, *marks] if task.crucial else []
    draw = functools.partial(
        view.text_board, game, state, marks=marks, outlined=region, around=around
    )
    drawn = draw()
    plain = not streams.carries(drawn)
    if plain:
        drawn = draw(ascii_only=True)
    signs = ("BW" if plain else "◆◇")[task.defender]
    legend = [f"{signs} crucial stones"] if task.crucial else []
    if region:
        legend.append(f"{':' if plain else '∘'} empty points of the region")
    if assumed:
        legend.append(f"# assumed {SIDES[1 - task.defender]} stones")
    return drawn + (f"\n   {', '.join(legend)}" if legend else "")


def picture(report: Report) -> str:
    """Draws the position of a report as an SVG document.

    Crucial stones are marked with triangles, assumed stones with squares. Right first moves are
    marked with B or W for the side that plays them, or BW. The region is outlined, and the
    relevance zones of the proofs of right moves are shaded. A legend below the board says so. The
    caption has the words of the printed report. Of a large board the part with the stones and the
    region is drawn.
    """
    task = report.task
    game = make(f"go-{task.given.size}")
    marks = (
        dict.fromkeys(task.grid.list(task.crucial).split(","), "triangle") if task.crucial else {}
    )
    legend = {"triangle": "crucial stones"} if marks else {}
    if task.assumed:
        marks |= dict.fromkeys(task.grid.list(task.assumed).split(","), "square")
        legend["square"] = f"assumed {SIDES[1 - task.defender]} stones"
    for each in sorted(report.firsts, key=lambda each: each.first.side):
        for move in each.right:
            sign = marks.get(move, "")
            letter = each.side[0].upper()
            marks[move] = letter if sign == "square" else sign + letter
    for sign, side in (("B", "black"), ("W", "white"), ("BW", "either side")):
        if sign in marks.values():
            legend[sign] = f"right first moves of {side}"
    zones = [
        move.zone
        for each in report.firsts
        for move in each.moves
        if move.move in each.right and move.zone
    ]
    shaded = sorted({point for zone in zones for point in zone.split(",")})
    outlined = [] if task.whole else task.grid.list(task.region).split(",")
    if outlined:
        legend[view.OUTLINED] = "region, where stones may be placed"
    if shaded:
        legend[view.SHADED] = "zone of the proofs of right moves"
    stones = task.grid.list(sum(task.stones.stones)).split(",")
    caption = [] if task.given.side is None else [f"{SIDES[task.given.side]} to move"]
    return view.svg(
        game,
        game.read(task.root(task.defender)),
        marks=marks,
        shaded=shaded,
        outlined=outlined,
        around=[*stones, *outlined],
        caption="\n".join([*caption, *report.lines]),
        legend=legend,
    )


# ---- the terminal ------------------------------------------------------------------------------
def introduce(console: Console, tasks: Sequence[Task], limits: str, side: int | None) -> None:
    """Prints the board, the crucial stones, the region and the limits, before the search.

    Of several regions none is drawn: ``show`` draws the one that the verdicts are about.

    Args:
      console: the console.
      tasks: the tasks of the position.
      limits: the limits in words.
      side: the side whose first moves are asked about; None: either side.
    """
    task = tasks[0]
    given = task.given
    head(console, given.title or given.name)
    if given.where:
        console.print(given.where, style="dim", markup=False)
    print(board(task, places=len(tasks) == 1))
    rows = dict(task.remarks)
    if given.solver is not None:
        named, solver = SIDES[1 - given.solver], SIDES[given.solver]
        rows["to move"] = f"{given.contradiction}: " + (
            f"--first names {SIDES[side]}"
            if side is not None
            else f"either side is asked about, {named} is reported first; --first {solver} asks"
            f" about {solver} alone"
        )
    console.print(Facts({**rows, "limits": limits}))


def show(console: Console, report: Report) -> None:
    """Prints the verdict for either side moving first, and a table of the first moves.

    Where the verdicts hold is one line before them. The board comes first if it has assumed
    stones, which were not known before the search.
    """
    if report.task.distance is not None:
        console.print()
        print(board(report.task))
    if report.above:
        console.print()
        console.print(Facts(report.above))
    for each in report.firsts:
        if each.task.place != report.task.place:
            console.print()
            print(board(each.task))
        style = _STYLES[each.first.status]
        console.print(f"\n[bold]{each.side} first:[/] [{style}]{escape(each.stated)}[/]")
        console.print(Facts(_why(report, each)))
        unanswered = _unanswered(each)
        if len(each.moves) > sum(map(len, unanswered.values())):
            console.print(_table(each))
        for why, moves in unanswered.items():
            text = "not searched" if why == NOT_SEARCHED else f"not answered, as {why}"
            console.print(f"{text}: {_listed(moves)}", style="dim", markup=False)
        complete = each.first.complete or each.first.brief
        if each.first.aim is not None and not complete and not unanswered:
            console.print("some first moves are not answered", style="dim")
    if report.common_note:
        console.print()
        console.print(Facts({"note": report.common_note}))
    for line in filter(None, (report.after_pass, report.advice)):
        console.print(f"\n{line}", markup=False)
    comparisons = solution.compare(report)
    if comparisons:
        text = "; ".join(each.sentence for each in comparisons)
        console.print(f"\nthe record calls right: {text}", markup=False)
    if report.task.options.get("ko", "simple") == "simple" and repeats(report):
        console.print(
            "\nPlay can repeat without end: --rule ko=situational (superko) decides such play.",
            style="dim",
        )


def _why(report: Report, each: FirstReport) -> dict[str, str]:
    if each.first.status is Status.UNKNOWN:
        reasons = {
            _TURN.sub("The limit of CPU seconds was reached (--time, --total).", result.reason)
            for result in each.first.results.values()
            if result.verdict == "unknown"
        }
        return {"why": " ".join(sorted(reasons)) or "some questions were not searched"}
    return report.below(each)


def _unanswered(each: FirstReport) -> dict[str, list[str]]:
    """Returns the first moves about which nothing is known, by the reason."""
    found: dict[str, list[str]] = {}
    for move in each.moves:
        if move.right is None and move.status is Status.UNKNOWN:
            found.setdefault(move.why, []).append(move.move)
    return found


def _listed(moves: Sequence[str], most: int = 12) -> str:
    """Returns at most ``most`` moves as text, and how many there are."""
    shown = [*moves[:most], *(["..."] if len(moves) > most else [])]
    return f"{' '.join(shown)} ({counted(len(moves), 'move')})"


def _table(each: FirstReport) -> Table:
    table = Table(box=None, pad_edge=True, padding=(0, 2, 0, 0), header_style="bold")
    sides = [""] if each.ranked else []
    for name in ("move", *sides, SIDES[each.task.defender], "play", "which shows", "proof"):
        table.add_column(name, no_wrap=name in ("move", ""), overflow="fold")
    unanswered = {name for names in _unanswered(each).values() for name in names}
    moves = [move for move in each.moves if move.move not in unanswered]
    for move in sorted(moves, key=lambda move: move.right is not True):
        sign, style = {True: ("right", "green"), False: ("wrong", "red"), None: ("?", "yellow")}[
            move.right
        ]
        table.add_row(
            move.move,
            *([f"[{style}]{sign}[/]"] if each.ranked else []),
            known(each, move),
            _play(move),
            move.shows,
            _proof(move),
        )
    return table


def known(each: FirstReport, move: MoveReport) -> str:
    """Returns the status of the crucial stones after a first move, as a verb such as "lives".

    If no status after a right move is known, this is the status of the position before the move,
    which a right move keeps. A wrong move has the words of ``wording.after_wrong_move``. A move
    that is neither right nor wrong has its status, or "".
    """
    task = each.task
    if move.right is False and each.ranked:
        return after_wrong_move(task, each.first, move.move)
    if move.status is not Status.UNKNOWN:
        return verb(task, move.status)
    return (
        verb(task, each.first.status)
        if move.right and each.first.status is not Status.UNKNOWN
        else ""
        if move.right is None
        else after_wrong_move(task, each.first, move.move)
    )


def _play(move: MoveReport, most: int = 12) -> str:
    if move.why or move.play is None:
        return move.why
    line = move.line
    if len(line) == 1:
        return f"{move.end} at once" if move.end else ""
    return " ".join(line[1:most]) + (
        " ..." if len(line) > most else f" ({move.end})" if move.end else ""
    )


def _proof(move: MoveReport) -> str:
    if move.result is None or move.result.verdict == "unknown":
        return ""
    nodes = move.result.certificate_nodes
    count = (
        f"{nodes:,} node{'s' if nodes != 1 else ''}" if move.own else "part of the position's proof"
    )
    return count + ("" if move.result.checked else ", not checked")


def total(
    console: Console, rows: Sequence[Mapping[str, Any]], kept: str | None, unneeded: Effort
) -> None:
    """Prints the last line: the total effort, and where the proofs are saved.

    Args:
      console: the console.
      rows: the results of all questions.
      kept: the folder of the run; None: nothing is saved.
      unneeded: effort of further questions, which the total includes.
    """
    nodes = sum(row["nodes"] for row in rows) + unneeded.nodes
    seconds = sum(row["cpu_seconds"] for row in rows) + unneeded.cpu_seconds
    proofs = [row for row in rows if row["verdict"] != "unknown"]
    accepted = sum(bool(row["checked"]) for row in proofs)
    text = (
        f"\n{len(rows)} question{'s' * (len(rows) != 1)}, {nodes:,} nodes, {seconds:.2f} s CPU; "
        f"{accepted} of {len(proofs)} proofs accepted by the checker"
    )
    where = (
        f"; {size(sum(row['certificate_bytes'] for row in proofs))} in {kept}"
        if kept
        else ", not saved; --out DIR saves them"
    ) * bool(proofs)
    console.print(text + where, style="bold", markup=False)


# ---- JSON --------------------------------------------------------------------------------------
def as_json(report: Report, rows: Sequence[Mapping[str, Any]], keep: bool) -> dict[str, Any]:
    """Returns the report as JSON values.

    Args:
      report: the report.
      rows: the results of all questions.
      keep: whether the certificates are kept. Otherwise they are left out of the rows.
    """
    task = report.task
    return {
        "name": task.given.name,
        "size": task.given.size,
        "position": task.given.board,
        "where": task.given.where or None,
        "contradiction": task.given.contradiction or None,
        "rules": task.given.killall or f"tsumego-{task.given.size}",
        "defender": SIDES[task.defender],
        "crucial": task.grid.list(task.crucial).split(",") if task.crucial else None,
        "region": None if task.whole else task.grid.list(task.region).split(","),
        "assumed": task.grid.list(task.assumed).split(",") if task.assumed else [],
        "chosen": dict(task.remarks),
        "other_assumptions": report.other_assumptions or None,
        "holds": report.where or None,
        "wider_region": report.wider or None,
        "advice": report.advice or None,
        "record": [
            {"first": SIDES[each.side], "right": list(each.right), "agrees": each.agrees}
            for each in solution.compare(report)
        ],
        **{f"{each.side}_first": _first_json(each) for each in report.firsts},
        "questions": [
            dict(row) | ({} if keep else {"certificate": None, "certificate_bytes": 0})
            for row in rows
        ],
    }


def _first_json(each: FirstReport) -> dict[str, Any]:
    against, for_ = (
        [bounds.least.name.lower(), bounds.most.name.lower()]
        for bounds in statuses.by_setting(each.first.answers).both
    )
    return {
        "status": each.first.status.value,
        "sentence": each.sentence,
        "region": None if each.task.whole else each.task.grid.list(each.task.region).split(","),
        "assumed": each.task.grid.list(each.task.assumed).split(",") if each.task.assumed else [],
        "holds": each.reach or None,
        "despite_ko_threats": THREATS if each.first.despite_threats else None,
        "the_ko": wording.the_ko(each.task, each.first) or None,
        "note": each.note or None,
        "if_the_defender_loses_kos": against,
        "if_the_defender_wins_kos": for_,
        "answers": {question.name: answer for question, answer in each.first.answers.items()},
        "over": each.first.over or None,
        "complete": each.first.complete,
        "right": each.right,
        "pass_right": each.first.pass_right if each.ranked else None,
        "ranked": each.ranked,
        "moves": [_move_json(move, each.ranked) for move in each.moves],
    }


def _move_json(move: MoveReport, ranked: bool) -> dict[str, Any]:
    return {
        "move": move.move,
        "right": move.right if ranked else None,
        "status": None if move.right is None else move.status.value,
        "line": move.line,
        "end": move.end or None,
        "shows": move.shows or None,
        "zone": move.zone.split(",") if move.zone else None,
        "question": None if move.result is None else move.result.id,
    }
