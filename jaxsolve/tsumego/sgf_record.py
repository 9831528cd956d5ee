"""Writes the report of a study as an SGF record.

The record has the position, and each first move with a comment (right or wrong) and variations.
"""

from __future__ import annotations

from jaxsolve.formats import sgf_writer
from jaxsolve.formats.sgf_writer import Node
from jaxsolve.tsumego.setup import SIDES
from jaxsolve.tsumego.status import Status
from jaxsolve.tsumego.task import Task
from jaxsolve.tsumego.variations import Variation
from jaxsolve.tsumego.verdicts import FirstReport, MoveReport, Report
from jaxsolve.tsumego.wording import assumption, phrase

ZONE = "SQ"
"""SGF property that marks the points of a zone with squares, which every viewer shows. Crucial
stones are left out: they have triangles, and a point has at most one mark.
"""


ASSUMED = "#"
"""Label of an assumed stone. A label is no mark, so that the record can be read as a problem."""


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
            root.properties[name] = _points(task, stones)
    if task.crucial:
        root.properties["TR"] = _points(task, task.crucial)
    _label_assumed(root, task)
    words = [f"{what}: {text}." for what, text in task.choices.items()]
    words += [f"{line}." for line in report.lines]
    root.properties["C"] = [sgf_writer.text("\n".join(words))]
    for each in report.firsts:
        node = root if each.task.place == task.place else _other_assumption(root, task, each.task)
        node.children += [_first_move(each, move) for move in _right_first(each)]
    return sgf_writer.dump(root)


def _other_assumption(root: Node, task: Task, other: Task) -> Node:
    """Returns a child of ``root`` with the assumed stones of ``other``, not of ``task``."""
    node = Node(
        {"C": [sgf_writer.text(f"{assumption(other).capitalize()}.")]} if other.assumed else {}
    )
    for name, points in (
        ("AE", task.assumed & ~other.assumed),
        (("AB", "AW")[1 - other.defender], other.assumed & ~task.assumed),
    ):
        if points:
            node.properties[name] = _points(other, points)
    _label_assumed(node, other)
    root.children.append(node)
    return node


def _label_assumed(node: Node, task: Task) -> None:
    if task.assumed:
        node.properties["LB"] = [f"{point}:{ASSUMED}" for point in _points(task, task.assumed)]


def _right_first(each: FirstReport) -> list[MoveReport]:
    return sorted(each.moves, key=lambda move: (move.right is not True, move.right is None))


def _points(task: Task, mask: int) -> list[str]:
    return sgf_writer.points(task.grid.list(mask).split(","), task.given.size)


def _first_move(each: FirstReport, move: MoveReport) -> Node:
    task = each.task
    node = _node(task, Variation(move.move, each.first.side) if move.play is None else move.play)
    if move.right is not None and each.ranked:
        node.properties["TE" if move.right else "BM"] = ["1"]
    node.properties["C"] = [sgf_writer.text(comment(each, move))]
    if move.zone:
        free = [
            point for point in move.zone.split(",") if not task.crucial & task.grid.point(point)
        ]
        if free:
            node.properties[ZONE] = sgf_writer.points(free, task.given.size)
    if task.crucial:
        node.properties["TR"] = _points(task, task.crucial)
    return node


def comment(each: FirstReport, move: MoveReport) -> str:
    """Returns the SGF comment on a first move."""
    if move.right is None:
        return f"Unknown: {move.why}."
    if each.ranked:
        words = [f"{'Right' if move.right else 'Wrong'}{_standing(each.task, move)}."]
    else:
        words = [f"{_standing(each.task, move).removeprefix(': ').capitalize() or 'Unknown'}."]
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


def _standing(task: Task, move: MoveReport) -> str:
    """Returns the status after a move, such as ": white lives"; "" if it is unknown."""
    return (
        ""
        if move.status is Status.UNKNOWN
        else f": {SIDES[task.defender]} {phrase(task, move.status)}"
    )


_ENDS = {
    "benson": "{} is alive: whatever follows, it keeps two eyes.",
    "captured": "The stones are captured.",
    "no-eyes": "{} cannot get two eyes, even if the other side passes from now on.",
    "sealed": "{} is dead: there is room for one eye at most, and no way out.",
    "passes": "Both have passed: nothing more can be done.",
}


def _node(task: Task, start: Variation) -> Node:
    """Converts a variation to SGF nodes. It is iterative, because variations can be long."""
    top = Node()
    todo = [(start, top)]
    while todo:
        step, node = todo.pop()
        node.properties["BW"[step.player]] = [sgf_writer.point(step.move, task.given.size)]
        if step.end in _ENDS:
            node.properties["C"] = [
                sgf_writer.text(_ENDS[step.end].format(SIDES[task.defender].capitalize()))
            ]
        node.children = [Node() for _ in step.after]
        todo += zip(step.after, node.children, strict=True)
    return top
