"""Reads the position of a life-and-death problem from a Go record that may contain the solution."""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from dataclasses import dataclass

from jaxsolve.formats import sgf, sgf_encoding, sgf_solution
from jaxsolve.formats.record import FormatError, Record
from jaxsolve.formats.sgf_solution import FirstMove
from jaxsolve.formats.sgf_tree import Node, main_line

MARKS = ("TR", "MA", "SQ", "CR")
"""Properties that mark points: triangle, cross, square, circle."""


@dataclass(frozen=True)
class Marked:
    """A position of an SGF record, with the marks on its points."""

    record: Record  # the record up to the position
    # Marked points (column, row from the TOP), from 0, by property of ``MARKS``. Properties without
    # points are absent.
    marks: dict[str, frozenset[tuple[int, int]]]
    where: str  # where the position is in the record, in words
    solution: tuple[FirstMove, ...]  # the moves of the variations that follow the position


@dataclass(frozen=True)
class _Place:
    """The place of a position on the main line of a record."""

    played: Sequence[Node]  # nodes whose stones and moves lead to the position
    set_up: Sequence[Node]  # the nodes that follow; their set-up stones belong to it, not moves
    marked: Sequence[Node]  # nodes that can have its marks; the first node with marks is used
    where: str  # the place in words


def read_marked(data: bytes | str, *, number: int | None = None, at: int | None = None) -> Marked:
    """Reads the position of a problem from a Go record, which may also contain the solution.

    The problem is the first position on the main line with set-up stones (AB, AW). Later nodes
    belong to it as long as they have no moves and only add stones. All moves after it are the
    solution. Handicap stones (HA, and no AW) do not count as set-up stones. Without set-up stones
    the problem's position is

    * the first one on the main line that has marks (``MARKS``);
    * else the position before the first branch;
    * else the last one.

    Args:
      data: bytes or text of the file.
      number: which record of the file, from 1; None: the only one.
      at: if given, the result is the position after this number of moves of the main line.

    Raises:
      FormatError: the record cannot be read (see ``sgf.read``; variations are allowed), the file
        has several records and ``number`` is None, or ``number`` or ``at`` is out of range.
    """
    root = _chosen(sgf_encoding.trees(data), number)
    sgf.refuse_late(root)
    reader = sgf.Reader(sgf.size_of(root), sgf.checked_family(root, "go"))
    line = main_line(root)
    place = _after(line, at) if at is not None else (_set_up(line, reader.size) or _of_game(line))
    for node in place.played:
        reader.read(node)
    for node in place.set_up:
        reader.set_up(node)
    following = next((node for node in line[len(place.played) :] if sgf.has_move(node)), None)
    if following is not None and reader.stones and not reader.moves and reader.to_move is None:
        reader.to_move = sgf.mover(following)
    marked = next((node for node in place.marked if node.has(*MARKS)), Node())
    points = {
        name: frozenset(sgf.points_of(marked, name, reader.size, "go"))
        for name in MARKS
        if marked.has(name)
    }
    found = {name: places for name, places in points.items() if places}
    last = [*place.played, *place.set_up][-1] if place.played or place.set_up else None
    solution = () if last is None else sgf_solution.read(last, last in place.set_up, reader)
    return Marked(sgf.record_of(root, reader), found, place.where, solution)


def holds_problem(data: bytes | str) -> bool:
    """Returns whether a file holds a Go record that begins with a set-up position."""
    try:
        return any(
            sgf.checked_family(root, None) == "go"
            and _set_up(main_line(root), sgf.size_of(root)) is not None
            for root in sgf_encoding.trees(data)
        )
    except FormatError:
        return False


def _chosen(found: Sequence[Node], number: int | None) -> Node:
    """Returns the root of the record ``number`` of a file, from 1; None: the only one."""
    if number is None and len(found) > 1:
        raise FormatError(
            f"the file holds {len(found)} records; choose one with --record K, from 1 to "
            f"{len(found)}"
        )
    number = 1 if number is None else number
    if not 1 <= number <= len(found):
        held = "1 record" if len(found) == 1 else f"{len(found)} records"
        raise FormatError(f"--record {number}: the file holds {held}; K is from 1 to {len(found)}")
    return found[number - 1]


def count(data: bytes | str) -> int:
    """Returns the number of records in an SGF file. Raises FormatError if it cannot be read."""
    return len(sgf_encoding.trees(data))


# ---- the position --------------------------------------------------------------------------------
def _holds(node: Node, *names: str) -> bool:
    """Whether one of the properties has a value other than the empty one."""
    return any(raw.strip() for name in names for raw in node.values(name))


def _set_up(line: Sequence[Node], size: int) -> _Place | None:
    """Returns the place of the set-up position of a main line; None for a played game.

    Raises FormatError if a set-up stone is off the board of this ``size``.
    """
    handicap = sgf.handicap(line[0]) >= 2 and not _holds(line[0], "AW")
    start = next((at for at, node in enumerate(line) if _holds(node, "AB", "AW")), None)
    if start is None or (handicap and start == 0):
        return None
    end = start + 1
    stones = _stones(line[start], size)
    while (
        end < len(line)
        and len(line[end - 1].children) == 1
        and not any(sgf.has_move(node) for node in line[end - 1 : end + 1])
        and not _holds(line[end], "AE")
        and stones.isdisjoint(_stones(line[end], size))
    ):
        stones |= _stones(line[end], size)
        end += 1
    same = line[start:end]
    count = sum(sgf.has_move(node) for node in line[end - 1 :])
    branch = next((node for node in line[:start] if len(node.children) > 1), None)
    where = "the set-up position"
    if branch is not None:
        where += f" in the first of {len(branch.children)} variations"
    if _is_changed(line, end):
        where += " before its stones are changed (--at 0: after the changes)"
    if count:
        where += f", before the {_count(count)} of the solution (--at N: after N moves)"
    return _Place(line[:start], same, same, where)


def _is_changed(line: Sequence[Node], end: int) -> bool:
    """Returns whether the only way on from ``line[:end]`` sets up stones before the next move."""
    if sgf.has_move(line[end - 1]) or len(line[end - 1].children) > 1:
        return False
    following = itertools.takewhile(lambda node: not sgf.has_move(node), line[end:])
    return any(_holds(node, "AB", "AW", "AE") for node in following)


def _count(moves: int) -> str:
    return "1 move" if moves == 1 else f"{moves} moves"


def _stones(node: Node, size: int) -> set[tuple[int, int]]:
    """Returns the points of the set-up stones of a node. Raises FormatError."""
    return sgf.points_of(node, "AB", size, "go") | sgf.points_of(node, "AW", size, "go")


def _of_game(line: Sequence[Node]) -> _Place:
    """Chooses the position of a record without set-up stones.

    It is the first one with marks, else the one before the first branch, else the last one.
    """
    marked = next((node for node in line if node.has(*MARKS)), None)
    branch = next((node for node in line if len(node.children) > 1), None)
    if marked is not None:
        last, why = marked, "with marks"
    elif branch is not None:
        last, why = branch, "before the variations"
    else:
        last, why = line[-1], "at the end of the record"
    played = line[: line.index(last) + 1]
    moves = sum(sgf.has_move(node) for node in played)
    return _Place(
        played, (), [last], f"the position {why}" + (f", after move {moves}" if moves else "")
    )


def _after(line: Sequence[Node], moves: int) -> _Place:
    """Returns the place of the position after ``moves`` moves of a main line.

    Raises FormatError if the line has fewer moves.
    """
    played = [at for at, node in enumerate(line) if sgf.has_move(node)]
    if not 0 <= moves <= len(played):
        numbers = f"from 0 to {len(played)}" if played else "0 only"
        raise FormatError(f"--at {moves}: the main line has {_count(len(played))}; N is {numbers}")
    where = f"the position after move {moves} (--at {moves})"
    if moves == 0:
        end = played[0] if played else len(line)
        first = [node for node in line[end : end + 1] if _holds(node, "AB", "AW", "AE")]
        same = [*line[:end], *first]
        last = max(
            (at for at, node in enumerate(same) if _holds(node, "AB", "AW", "AE")), default=0
        )
        return _Place(line[:end], first, same[last:], "the position before move 1 (--at 0)")
    index = played[moves - 1]
    following = itertools.takewhile(
        lambda node: not sgf.has_move(node) and not node.has("AB", "AW", "AE"), line[index + 1 :]
    )
    return _Place(line[: index + 1], (), [line[index], *following], where)
