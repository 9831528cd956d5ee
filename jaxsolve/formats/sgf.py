"""Reads and writes SGF (FF[4]): one line of play with set-up stones, for Go, Gomoku and Hex.

sgfmill handles the grammar, escapes and encodings. This file converts its nodes to a ``Record`` and
refuses records that do not describe one position.
"""

from __future__ import annotations

import itertools
import re
from collections.abc import Sequence
from dataclasses import dataclass

from sgfmill import sgf, sgf_grammar, sgf_properties

from jaxsolve.core.strict_json import shortened
from jaxsolve.formats import record as records
from jaxsolve.formats.record import FormatError, Move, Record
from jaxsolve.games.boards.board_text import GTP_LETTERS, HEX_LETTERS
from jaxsolve.games.game import Game, State

GAME_NUMBERS = {1: "go", 4: "gomoku", 11: "hex"}  # GM property, FF[4]
_COLOURS = ("B", "W")


def point_text(family: str, size: int, column: int, row: int) -> str:
    """Returns the name of a point as players of a game write it (``proof/FORMAT.md``, Coordinates).

    Args:
      family: "hex", or another game; all others have GTP names.
      size: side length of the board.
      column: column from the left, from 0.
      row: row from the TOP, from 0.
    """
    return (
        f"{HEX_LETTERS[column]}{row + 1}"
        if family == "hex"
        else f"{GTP_LETTERS[column]}{size - row}"
    )


def _point(raw: bytes, size: int, family: str) -> tuple[int, int] | None:
    """Parses a raw SGF value; returns (column, row from the top), or None for a pass.

    In Hex, ``a1`` is allowed as well. Raises ValueError.
    """
    named = re.fullmatch(rb"([A-Za-z])([0-9]{1,2})", raw)
    if family == "hex" and named:
        column, row = named[1].lower()[0] - ord("a"), int(named[2]) - 1
        if not (0 <= column < size and 0 <= row < size):
            raise ValueError
        return column, row
    point = sgf_properties.interpret_go_point(raw, size)
    return None if point is None else (point[1], size - 1 - point[0])


def _text(raw: bytes) -> str:
    return raw.decode("utf-8", errors="replace")


def _stones(node: sgf.Tree_node, name: str, size: int, family: str) -> set[tuple[int, int]]:
    """Returns the points (column, row from the top) of the property ``name`` of a node.

    A rectangle such as ``aa:cc``, given by any two opposite corners, stands for all its points.
    Raises FormatError for a value that is not a point or a rectangle.
    """
    found: set[tuple[int, int]] = set()
    for raw in node.get_raw_list(name) if node.has_property(name) else []:
        corners = raw.split(b":")
        try:
            first, last = _point(corners[0], size, family), _point(corners[-1], size, family)
        except ValueError:
            first = last = None
        if first is None or last is None or len(corners) > 2:
            raise FormatError(f"{name}[{_text(raw)}] is not a point of a {size}x{size} board")
        columns, rows = ((min(pair), max(pair) + 1) for pair in zip(first, last, strict=True))
        found |= {(column, row) for column in range(*columns) for row in range(*rows)}
    return found


def _side(node: sgf.Tree_node) -> int | None:
    if not node.has_property("PL"):
        return None
    raw = _text(node.get_raw("PL"))
    side = {"b": 0, "w": 1}.get(raw[:1].lower())
    if side is None:
        raise FormatError(f"PL[{shortened(raw)}] names no side: write PL[B] or PL[W]")
    return side


def _parse(data: bytes) -> sgf.Sgf_game:
    try:
        trees = sgf_grammar.parse_sgf_collection(data)
        if len(trees) > 1:
            raise FormatError(f"the file holds {len(trees)} games; give one")
        return sgf.Sgf_game.from_coarse_game_tree(trees[0])
    except FormatError:
        raise
    except (ValueError, LookupError) as error:
        raise FormatError(f"not a readable SGF record: {shortened(str(error), 200)}") from None


def _family(root: sgf.Tree_node) -> str:
    raw = _text(root.get_raw("GM")) if root.has_property("GM") else "1"
    number = int(raw) if re.fullmatch(r"\s*[0-9]{1,4}\s*", raw) else None
    if number not in GAME_NUMBERS:
        known = ", ".join(f"{number} ({name})" for number, name in GAME_NUMBERS.items())
        raise FormatError(
            f"GM[{shortened(raw)}] is a game that jaxsolve does not read from SGF; it reads {known}"
        )
    return GAME_NUMBERS[number]


class _Reader:
    """Collects set-up stones, the side to move and the moves of a record, node by node."""

    def __init__(self, size: int, family: str):
        self.size, self.family = size, family
        self.stones: dict[tuple[int, int], int] = {}
        self.to_move: int | None = None
        self.moves: list[Move] = []

    def read(self, node: sgf.Tree_node) -> None:
        self._set_up(node)
        side = _side(node)
        if side is not None and self.moves and side == self.moves[-1].player:
            raise FormatError(
                f"PL after move {len(self.moves)} gives the same side two moves in a row; "
                "write a pass instead"
            )
        if side is not None and not self.moves:
            self.to_move = side
        self._move(node)

    def _set_up(self, node: sgf.Tree_node) -> None:
        black, white, empty = (
            _stones(node, name, self.size, self.family) for name in ("AB", "AW", "AE")
        )
        if (black or white or empty) and self.moves:
            raise FormatError(
                f"stones are set up after move {len(self.moves)}; "
                "set-up is read only before the first move"
            )
        for point in (black & white) | ((black | white) & empty):
            raise FormatError(
                f"{point_text(self.family, self.size, *point)} is set up twice in one node"
            )
        self.stones |= dict.fromkeys(black, 0) | dict.fromkeys(white, 1)
        self.stones = {point: colour for point, colour in self.stones.items() if point not in empty}

    def _move(self, node: sgf.Tree_node) -> None:
        colours = [colour for colour in _COLOURS if node.has_property(colour)]
        if not colours:
            return
        number = len(self.moves) + 1
        if len(colours) == 2 or len(node.get_raw_list(colours[0])) > 1:
            raise FormatError(f"move {number}: one node holds more than one move")
        raw = node.get_raw(colours[0])
        word = _text(raw).strip().lower()
        if word in records.RESIGNED or word.startswith("swap"):
            self.moves.append(
                Move(word, None if word in records.RESIGNED else _COLOURS.index(colours[0]))
            )
            return
        try:
            point = _point(raw, self.size, self.family)
        except ValueError:
            raise FormatError(
                f"move {number}: {colours[0]}[{_text(raw)}] is not a point "
                f"of a {self.size}x{self.size} board"
            ) from None
        text = "pass" if point is None else point_text(self.family, self.size, *point)
        self.moves.append(Move(text, _COLOURS.index(colours[0])))


def read(data: bytes | str, *, family: str | None = None) -> Record:
    """Reads an SGF file with one game and one line of play.

    Args:
      data: bytes or text of the file.
      family: "go", "gomoku" or "hex", the game by whose coordinates points are read. None: the
        game in the property GM (1, 4 or 11), or Go if there is no GM.

    Raises:
      FormatError: the data is not SGF, has variations or a second game, a point outside the board,
        set-up stones after a move, an unknown encoding or game, a game other than ``family``, or a
        handicap without its stones.
    """
    game = _parse(data.encode() if isinstance(data, str) else data)
    family = _checked_family(game.get_root(), family)
    reader = _Reader(game.get_size(), family)
    node = game.get_root()
    while True:
        reader.read(node)
        if len(node) > 1:
            raise FormatError(
                f"the record branches into {len(node)} variations after move "
                f"{len(reader.moves)}; give one line of play"
            )
        if not len(node):
            break
        node = node[0]
    return _record(game.get_root(), reader)


def _checked_family(root: sgf.Tree_node, family: str | None) -> str:
    """Returns the game of a record: its property GM, or ``family`` if it has none.

    Raises FormatError if GM and ``family`` contradict each other.
    """
    if family is not None and not root.has_property("GM"):
        return family
    stated = _family(root)
    if stated != (family or stated):
        raise FormatError(
            f"the record is a game of {stated.capitalize()} (GM[{_text(root.get_raw('GM'))}]), "
            f"not of {str(family).capitalize()}"
        )
    return stated


def _record(root: sgf.Tree_node, reader: _Reader) -> Record:
    """Returns the record of the stones and moves in ``reader`` and of the root's properties."""
    _refuse_lost_handicap(root, sum(colour == 0 for colour in reader.stones.values()))
    names = {"KM": "komi", "RU": "rules", "GN": "title"}
    properties = {
        word: _text(root.get_raw(name)) for name, word in names.items() if root.has_property(name)
    } | {"family": reader.family}
    if root.has_property("GN"):
        properties["title"] = _title(root)
    black, white = (
        frozenset(point for point, colour in reader.stones.items() if colour == side)
        for side in (0, 1)
    )
    return Record(reader.size, black, white, reader.to_move, tuple(reader.moves), properties)


def _title(root: sgf.Tree_node) -> str:
    """Returns the property GN (name of the game), decoded if possible."""
    try:
        return str(root.get("GN"))
    except (ValueError, LookupError):
        return _text(root.get_raw("GN"))


MARKS = ("TR", "MA", "SQ", "CR")
"""Properties that mark stones: triangle, cross, square, circle."""


@dataclass(frozen=True)
class Marked:
    """A position of an SGF record, with the marks on its points."""

    record: Record  # the record up to the position
    # Marked points (column, row from the TOP), from 0, by property of ``MARKS``. Properties without
    # points are absent.
    marks: dict[str, frozenset[tuple[int, int]]]
    where: str  # where the position is in the record, in words


def read_marked(data: bytes | str) -> Marked:
    """Reads the position of a problem from a Go record, which may also contain the solution.

    The problem's position is the first position on the main line that has marks (``MARKS``). In a
    record without marks it is

    * the set-up position, if there are set-up stones and variations: the moves are the solution;
    * the position before the first branch, if there are variations only;
    * the last position, if there are no variations.

    Raises:
      FormatError: the record cannot be read (see ``read``; variations are allowed).
    """
    game = _parse(data.encode() if isinstance(data, str) else data)
    root = node = game.get_root()
    reader = _Reader(game.get_size(), _checked_family(root, "go"))
    line = [root]
    while len(line[-1]):
        line.append(line[-1][0])
    marked = next((node for node in line if any(node.has_property(name) for name in MARKS)), None)
    last = _before_variations(line) if marked is None else marked
    for node in line:
        reader.read(node)
        if node is last:
            break
    found = {
        name: frozenset(_stones(node, name, reader.size, "go"))
        for name in MARKS
        if node.has_property(name)
    }
    why = (
        "with marks"
        if marked is not None
        else "before the variations"
        if len(last)
        else "at the end of the record"
    )
    where = f"the position {why}" + (f", after move {len(reader.moves)}" if reader.moves else "")
    return Marked(_record(root, reader), found, where)


def _before_variations(line: Sequence[sgf.Tree_node]) -> sgf.Tree_node:
    """Returns the node with the problem's position in a record without marks (``read_marked``).

    ``line`` holds the nodes of the main line.
    """
    branch = next((node for node in line if len(node) > 1), None)
    if branch is None:
        return line[-1]
    before = list(
        itertools.takewhile(
            lambda node: not any(node.has_property(name) for name in _COLOURS), line
        )
    )
    is_set_up = any(node.has_property(name) for node in before for name in ("AB", "AW"))
    return min(before[-1], branch, key=line.index) if is_set_up else branch


def _refuse_lost_handicap(root: sgf.Tree_node, black: int) -> None:
    """Raises FormatError if property HA states more stones than were set up."""
    raw = _text(root.get_raw("HA")).strip() if root.has_property("HA") else "0"
    if not re.fullmatch(r"[0-9]{1,3}", raw):
        raise FormatError(f"HA[{shortened(raw)}] is not a number of handicap stones")
    if int(raw) >= 2 and black < int(raw):
        raise FormatError(
            f"the record has a handicap of {int(raw)} stones (HA) but sets up {black}: "
            "set them up with AB"
        )


def load(data: bytes | str, game: Game) -> State:
    """Returns the position at the end of an SGF file, by the rules of ``game``.

    Play begins with the set-up stones, or at the game's start position if there are none.

    Raises:
      FormatError: the file cannot be read (see ``read``), the board has another size, or a move is
        illegal or by the wrong side.
    """
    return position(read(data, family=game.name), game)


def position(record: Record, game: Game) -> State:
    """Returns the position at the end of a record, by the rules of ``game``.

    Raises FormatError if the board has another size, or a move is illegal or by the wrong side.
    """
    state, moves, number = records.start(game, record)
    return records.replay(game, state, moves, first_number=number)
