"""Writes the report of a study as an SGF record.

The record has the position, and each first move with a comment (right or wrong) and variations.
"""

from __future__ import annotations

from jaxsolve.formats import sgf_writer
from jaxsolve.formats.sgf_writer import Node
from jaxsolve.tsumego.setup import SIDES
from jaxsolve.tsumego.status import Status
from jaxsolve.tsumego.variations import Variation
from jaxsolve.tsumego.verdicts import FirstReport, MoveReport, Report
from jaxsolve.tsumego.wording import phrase

ZONE = "SQ"
"""SGF property that marks the points of a zone with squares, which every viewer shows. Crucial
stones are left out: they have triangles, and a point has at most one mark.
"""


def record(report: Report, application: str) -> bytes:
    """Returns the SGF record of a report. The first moves of both sides follow the root node.

    ``application`` is the value of the property AP.
    """
    task = report.task
    root = Node(
        {
            "FF": ["4"],
            "CA": ["UTF-8"],
            "GM": ["1"],
            "SZ": [str(task.given.size)],
            "AP": [application],
        }
    )
    if task.given.title:
        root.properties["GN"] = [sgf_writer.simple_text(task.given.title)]
    for name, stones in zip(("AB", "AW"), task.stones.stones, strict=True):
        if stones:
            root.properties[name] = _points(report, stones)
    if task.crucial:
        root.properties["TR"] = _points(report, task.crucial)
    words = [f"{what}: {text}." for what, text in task.choices.items()]
    words += [f"{line}." for line in report.lines]
    root.properties["C"] = [sgf_writer.text("\n".join(words))]
    for each in report.firsts:
        root.children += [_first_move(report, each, move) for move in _right_first(each)]
    return sgf_writer.dump(root)


def _right_first(each: FirstReport) -> list[MoveReport]:
    return sorted(each.moves, key=lambda move: (move.right is not True, move.right is None))


def _points(report: Report, mask: int) -> list[str]:
    return sgf_writer.points(report.task.grid.list(mask).split(","), report.task.given.size)


def _first_move(report: Report, each: FirstReport, move: MoveReport) -> Node:
    node = _node(report, Variation(move.move, each.first.side) if move.play is None else move.play)
    if move.right is not None and each.ranked:
        node.properties["TE" if move.right else "BM"] = ["1"]
    node.properties["C"] = [sgf_writer.text(comment(report, each, move))]
    if move.zone:
        free = [
            point
            for point in move.zone.split(",")
            if not report.task.crucial & report.task.grid.point(point)
        ]
        if free:
            node.properties[ZONE] = sgf_writer.points(free, report.task.given.size)
    if report.task.crucial:
        node.properties["TR"] = _points(report, report.task.crucial)
    return node


def comment(report: Report, each: FirstReport, move: MoveReport) -> str:
    """Returns the SGF comment on a first move."""
    if move.right is None:
        return f"Unknown: {move.why}."
    if each.ranked:
        words = [f"{'Right' if move.right else 'Wrong'}{_standing(report, move)}."]
    else:
        words = [f"{_standing(report, move).removeprefix(': ').capitalize() or 'Unknown'}."]
    if move.shows:
        words.append(f"The play shows: {move.shows}.")
    if not (move.right and each.ranked) and len(move.line) > 1:
        words.append(f"{SIDES[1 - each.first.side].capitalize()} answers {move.line[1]}.")
    if move.why:
        words.append(f"{move.why.capitalize()}.")
    if move.zone:
        words.append("The squares are the zone of the proof.")
    if move.result is not None:
        checked = ", accepted by the checker" if move.result.checked else ""
        nodes, whose = (
            move.result.certificate_nodes,
            "" if move.own else " of the position" if move.right else " for all first moves",
        )
        words.append(f"Proof: {nodes:,} node{'s' if nodes != 1 else ''}{whose}{checked}.")
    return " ".join(words)


def _standing(report: Report, move: MoveReport) -> str:
    """Returns the status after a move, such as ": white lives"; "" if it is unknown."""
    return (
        ""
        if move.status is Status.UNKNOWN
        else f": {SIDES[report.task.defender]} {phrase(report.task, move.status)}"
    )


_ENDS = {
    "benson": "{} is alive: whatever follows, it keeps two eyes.",
    "captured": "The stones are captured.",
    "no-eyes": "{} cannot get two eyes, even if the other side passes from now on.",
    "sealed": "{} is dead: there is room for one eye at most, and no way out.",
    "passes": "Both have passed: nothing more can be done.",
}


def _node(report: Report, start: Variation) -> Node:
    """Converts a variation to SGF nodes. It is iterative, because variations can be long."""
    top = Node()
    todo = [(start, top)]
    while todo:
        step, node = todo.pop()
        node.properties["BW"[step.player]] = [sgf_writer.point(step.move, report.task.given.size)]
        if step.end in _ENDS:
            node.properties["C"] = [
                sgf_writer.text(_ENDS[step.end].format(SIDES[report.task.defender].capitalize()))
            ]
        node.children = [Node() for _ in step.after]
        todo += zip(step.after, node.children, strict=True)
    return top
