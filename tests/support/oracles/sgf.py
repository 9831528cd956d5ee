"""The problem of an SGF file as sgfmill reads it, independently of the package."""

from __future__ import annotations

import contextlib
import re
from collections.abc import Iterable, Iterator
from typing import Any, NamedTuple

from sgfmill import boards, sgf_properties
from sgfmill import sgf as peers

MARKS = ("TR", "MA", "SQ", "CR")
COLUMNS = "ABCDEFGHJKLMNOPQRSTUVWXYZ"
SWALLOWED = re.compile(
    rb"(?<![A-Za-z])(?:(?i:A[BW])|Add[BW][a-z]+|[A-Z]{1,2})\s*\["
)  # properties in a text
SIGNS = {None: ".", "b": "X", "w": "O"}
Point = tuple[int, int]  # row and column from the bottom left, from 0


class Unread(Exception):
    """sgfmill does not read the file, or the package is stricter."""


class Reading(NamedTuple):
    """A problem: what the package and sgfmill have to agree about."""

    size: int
    stones: dict[Point, str]  # "b" or "w"
    side: str | None  # to move first; None if the record does not say it, or sets up no stones
    moves: tuple[tuple[str, str], ...]  # side and name, up to the position of a played game
    marks: dict[str, frozenset[Point]]
    firsts: tuple[tuple[str, str], ...]  # the first moves that follow, sorted

    def board(self) -> str:
        """The board after the moves, as ``<board>``. Raises Unread if they are illegal."""
        return _played(self.size, self.stones, self.moves)


def _played(size: int, stones: dict[Point, str], moves: Iterable[tuple[str, str]]) -> str:
    """The board after moves, as ``<board>``. Raises Unread if they are illegal."""
    board = boards.Board(size)
    black, white = ([point for point, owner in stones.items() if owner == side] for side in "bw")
    if not board.apply_setup(black, white, []):
        raise Unread
    for side, move in moves:
        if move != "pass":
            try:
                board.play(int(move[1:]) - 1, COLUMNS.index(move[0]), side)
            except ValueError:
                raise Unread from None
    return "/".join(
        "".join(SIGNS[board.get(row, column)] for column in range(size))
        for row in reversed(range(size))
    )


def readings(data: bytes, encodings: Iterable[str]) -> list[Reading]:
    """The readings of a file in the encodings in which sgfmill reads it."""
    found = []
    for encoding in encodings:
        with contextlib.suppress(Unread):
            found.append(reading(data, encoding))
    return found


def reading(data: bytes, encoding: str) -> Reading:
    """The problem as sgfmill reads it in an encoding.

    Raises Unread for a file that sgfmill refuses, and for these, where the package differs from it
    on purpose:

    * Names of properties in lower-case letters alone, such as ``ab``: sgfmill drops the letters, so
      that nothing is left of the name. The package reads them as ``AB``.
    * A comment or a name that contains properties: in a wrong encoding, or without a bracket, they
      have become a part of the text. The package refuses the file or finds the encoding.
    * A point that one node sets up twice, and set-up stones after moves: the package refuses them,
      sgfmill keeps what comes last.

    Moves of a solution are compared without these: several moves in one node (sgfmill takes one),
    and blanks around a point (sgfmill refuses the point).
    """
    try:
        text = data.decode(encoding)
        game = peers.Sgf_game.from_bytes(text.encode(), override_encoding="UTF-8")
        line = game.get_main_sequence()
        for node in _all(game.get_root()):
            if "" in node.properties():
                raise Unread
            for name in {"C", "N", "GN"} & set(node.properties()):
                if SWALLOWED.search(b" ".join(node.get_raw_list(name))):
                    raise Unread
        return _problem(line, game.get_size())
    except (ValueError, LookupError):
        raise Unread from None


def after(data: bytes, encoding: str, count: int) -> str:
    """The board after ``count`` moves of the main line. Raises Unread, as for ``reading``."""
    reading(data, encoding)
    text = data.decode(encoding).encode()
    game = peers.Sgf_game.from_bytes(text, override_encoding="UTF-8")
    stones: dict[Point, str] = {}
    moves: list[tuple[str, str]] = []
    for node in game.get_main_sequence():
        if node.has_setup_stones():
            if moves:
                raise Unread
            _add(stones, node)
        if _mover(node):
            if len(moves) < count:
                moves.append(_move(node))
            if len(moves) == count:
                break
    return _played(game.get_size(), stones, moves)


def _problem(line: list[Any], size: int) -> Reading:
    number = next((n for n, node in enumerate(line) if any(node.get_setup_stones()[:2])), None)
    if number is None or (number == 0 and _is_handicap(line[0])):
        return _game(line, size)
    if any(_mover(node) for node in line[:number]):
        raise Unread
    first = number
    stones: dict[Point, str] = {}
    while True:
        _add(stones, line[number])
        if number + 1 == len(line) or len(line[number]) > 1 or _mover(line[number]):
            break
        black, white, empty = line[number + 1].get_setup_stones()
        if _mover(line[number + 1]) or empty or stones.keys() & (black | white):
            break
        number += 1
    sides = [node.get("PL") for node in line[: number + 1] if node.has_property("PL")]
    # Without PL it is the side of the first move, unless its node has moves of both sides.
    later = [node for node in line[number:] if _mover(node)][:1]
    sides = sides[-1:] or [_mover(node) for node in later if not _moves_of_both(node)]
    firsts = [line[number]] if _mover(line[number]) else _first_nodes(line[number])
    return Reading(
        size,
        stones,
        sides[0] if sides else None,
        (),
        _marks(line[first : number + 1]),
        _named(firsts),
    )


def _is_handicap(root: Any) -> bool:
    stated = root.get_raw("HA").strip() if root.has_property("HA") else b""
    return bool(stated) and int(stated) >= 2 and not root.get_setup_stones()[1]


def _game(line: list[Any], size: int) -> Reading:
    """A played game: its position with marks, else before the variations, else the last one."""
    played = line
    for holds in (
        lambda node: any(node.has_property(mark) for mark in MARKS),
        lambda node: len(node) > 1,
    ):
        if any(holds(node) for node in line):
            played = line[: next(n for n, node in enumerate(line) if holds(node)) + 1]
            break
    stones: dict[Point, str] = {}
    side: str | None = None
    moves: list[Any] = []
    for node in played:
        if node.has_setup_stones():
            if moves:
                raise Unread
            _add(stones, node)
        if node.has_property("PL") and not moves:
            side = node.get("PL")
        if _mover(node):
            moves.append(node)
    if side is None and not moves:
        later = [node for node in line if _mover(node)][:1]
        side = next((_mover(node) for node in later if not _moves_of_both(node)), None)
    return Reading(
        size,
        stones,
        side if stones else None,
        tuple(_move(node) for node in moves),
        _marks(played[-1:]),
        _named(_first_nodes(played[-1])),
    )


def _add(stones: dict[Point, str], node: Any) -> None:
    black, white, empty = node.get_setup_stones()
    if (black & white) | (black | white) & empty:
        raise Unread
    stones |= dict.fromkeys(black, "b") | dict.fromkeys(white, "w")
    for point in empty:
        stones.pop(point, None)


def _all(root: Any) -> Iterator[Any]:
    """The node and all nodes below it."""
    waiting = [root]
    while waiting:
        node = waiting.pop()
        yield node
        waiting += list(node)


def _mover(node: Any) -> str | None:
    return node.get_raw_move()[0]


def _moves_of_both(node: Any) -> bool:
    return node.has_property("B") and node.has_property("W")


def _marks(nodes: list[Any]) -> dict[str, frozenset[Point]]:
    for node in nodes:
        if any(node.has_property(mark) for mark in MARKS):
            found = {mark: node.get(mark) for mark in MARKS if node.has_property(mark)}
            return {mark: frozenset(points) for mark, points in found.items() if points}
    return {}


def _first_nodes(node: Any) -> Iterator[Any]:
    for child in node:
        if _mover(child):
            yield child
        else:
            yield from _first_nodes(child)


def _named(nodes: Iterable[Any]) -> tuple[tuple[str, str], ...]:
    """The moves of the nodes, without those that are no points, and of nodes with several moves."""
    found = set()
    for node in nodes:
        with contextlib.suppress(ValueError):
            found.add(_move(node))
    return tuple(sorted(found))


def _move(node: Any) -> tuple[str, str]:
    """Side and name of the move in a node. Raises ValueError if it has several, or no point."""
    side = _mover(node)
    if _moves_of_both(node) or len(node.get_raw_list(side.upper())) > 1:
        raise ValueError
    size = node.get_size()
    point = sgf_properties.interpret_go_point(node.get_raw(side.upper()).strip(), size)
    return side, "pass" if point is None else f"{COLUMNS[point[1]]}{point[0] + 1}"
