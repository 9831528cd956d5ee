"""Reads SGF: one line of play with set-up stones, for Go, Gomoku and Hex.

``sgf_encoding`` finds the encoding of a file, and ``sgf_tree`` parses the text to nodes. This
module converts the nodes to a ``Record``. It refuses records that do not describe exactly one
position.
``sgf_problem`` reads records with variations.
"""

from __future__ import annotations

import functools
import re
from collections.abc import Callable

from jaxsolve.formats import hex_records, sgf_encoding
from jaxsolve.formats import record as records
from jaxsolve.formats.record import FormatError, Move, Record
from jaxsolve.formats.sgf_tree import Node, shown, text_of
from jaxsolve.games.boards.board_text import GTP_LETTERS, HEX_LETTERS
from jaxsolve.games.game import Game, State

GAME_NUMBERS = {1: "go", 4: "gomoku", 11: "hex"}  # GM property, FF[4]
_COLOURS = ("B", "W")


def point_text(family: str, size: int, column: int, row: int) -> str:
    """Returns the name of a point in the notation of a game (``proof/FORMAT.md``, Coordinates).

    Args:
      family: the game. Hex has names such as ``a1``, all other games have GTP names.
      size: side length of the board.
      column: column from the left, from 0.
      row: row from the TOP, from 0.
    """
    return (
        f"{HEX_LETTERS[column]}{row + 1}"
        if family == "hex"
        else f"{GTP_LETTERS[column]}{size - row}"
    )


def _point(raw: str, size: int, family: str) -> tuple[int, int] | None:
    """Parses a raw SGF value; returns (column, row from the top), or None for a pass.

    In Hex, ``a1`` is allowed as well, and a pass is the word ``pass``. Raises ValueError.
    """
    raw = raw.strip(" \t\n\r")
    if family == "hex":
        if raw.lower() == "pass":
            return None
    elif raw == "" or (raw == "tt" and size <= 19):
        return None
    named = re.fullmatch(r"([A-Za-z])([0-9]{1,2})", raw) if family == "hex" else None
    if named:
        column, row = ord(named[1].lower()) - ord("a"), int(named[2]) - 1
    elif re.fullmatch(r"[a-z]{2}", raw):
        column, row = (ord(letter) - ord("a") for letter in raw)
    else:
        raise ValueError
    if not (0 <= column < size and 0 <= row < size):
        raise ValueError
    return column, row


def points_of(node: Node, name: str, size: int, family: str) -> set[tuple[int, int]]:
    """Returns the points (column, row from the top) of the property ``name`` of a node.

    A rectangle such as ``aa:cc``, given by any two opposite corners, means all its points. An empty
    value means no point.

    Raises:
      FormatError: a value is not a point or a rectangle.
    """
    found: set[tuple[int, int]] = set()
    for raw in node.values(name):
        if not raw.strip():
            continue
        corners = raw.split(":")
        try:
            first, last = _point(corners[0], size, family), _point(corners[-1], size, family)
        except ValueError:
            first = last = None
        if first is None or last is None or len(corners) > 2:
            raise FormatError(f"{name}[{shown(raw)}] is not a point of a {size}x{size} board")
        columns, rows = ((min(pair), max(pair) + 1) for pair in zip(first, last, strict=True))
        found |= {(column, row) for column in range(*columns) for row in range(*rows)}
    return found


def side_of(node: Node) -> int | None:
    """Returns the side to move in property PL of a node; None if there is no PL.

    Raises:
      FormatError: the value of PL is not a side.
    """
    raw = node.single("PL")
    if raw is None:
        return None
    side = {"b": 0, "black": 0, "1": 0, "w": 1, "white": 1, "2": 1}.get(raw.lower())
    if side is None:
        raise FormatError(f"PL[{shown(raw)}] names no side: write PL[B] or PL[W]")
    return side


def size_of(root: Node) -> int:
    """Returns the side length of the board. Without property SZ it is 19, and 11 in Hex (GM[11]).

    Raises:
      FormatError: SZ is not a number from 1 to 26, or the board is a rectangle.
    """
    raw = root.single("SZ")
    if raw is None:
        return 11 if root.single("GM") == "11" else 19
    sides = re.fullmatch(r"([0-9]{1,2})(?::([0-9]{1,2}))?", raw)
    if sides and sides[2] and int(sides[1]) != int(sides[2]):
        raise FormatError(f"SZ[{shown(raw)}] is a rectangle; jaxsolve reads square boards only")
    if not (sides and 1 <= int(sides[1]) <= 26):
        raise FormatError(f"bad SZ[{shown(raw)}]: the size of a board is a number from 1 to 26")
    return int(sides[1])


def _family(root: Node) -> str:
    raw = root.single("GM")
    raw = "1" if raw is None else raw
    number = int(raw) if re.fullmatch(r"[0-9]{1,4}", raw) else None
    if number not in GAME_NUMBERS:
        known = ", ".join(f"{number} ({name})" for number, name in GAME_NUMBERS.items())
        raise FormatError(
            f"GM[{shown(raw)}] is a game that jaxsolve does not read from SGF; it reads {known}"
        )
    return GAME_NUMBERS[number]


def refuse_late(root: Node, *names: str) -> None:
    """Refuses a record whose board is described after its first node.

    Args:
      root: the first node.
      names: properties that later nodes may not change, in addition to GM, SZ and HA.

    Raises:
      FormatError: a later node has another value of such a property than ``root``.
    """
    read: dict[str, Callable[[Node], object]] = {"GM": _family, "SZ": size_of, "HA": handicap}
    read |= {name: functools.partial(Node.single, name=name) for name in names}
    waiting = root.children[::-1]
    while waiting:
        node = waiting.pop()
        for name, value in read.items():
            if node.has(name) and value(node) != value(root):
                raise FormatError(
                    f"{name}[{shown(node.values(name)[0])}] is in a later node than the first one, "
                    "where it belongs"
                )
        waiting += node.children[::-1]


def has_move(node: Node) -> bool:
    """Returns whether a node has a move, which may be malformed."""
    return node.has(*_COLOURS)


def mover(node: Node) -> int | None:
    """Returns the side of the move in a node; None if there is no move, or moves of both sides."""
    sides = [side for side, colour in enumerate(_COLOURS) if node.has(colour)]
    return sides[0] if len(sides) == 1 else None


class Reader:
    """Collects set-up stones, the side to move and the moves of a record, node by node.

    Attributes:
      size: side length of the board.
      family: the game whose coordinates the points have.
      stones: player of each set-up stone, by its point.
      to_move: the side to move first, None if not stated.
      moves: the moves so far.
    """

    def __init__(self, size: int, family: str):
        self.size, self.family = size, family
        self.stones: dict[tuple[int, int], int] = {}
        self.to_move: int | None = None
        self.moves: list[Move] = []

    def read(self, node: Node) -> None:
        """Adds the stones, the side and the move of a node.

        Raises:
          FormatError: as in ``set_up`` and ``move``.
        """
        self.set_up(node)
        self.move(node)

    def set_up(self, node: Node) -> None:
        """Adds the set-up stones of a node and the side to move.

        After a move, a PL that names the opponent of the last mover is ignored.

        Raises:
          FormatError: a value is wrong, or a point is set up twice in the node; or, after a move,
            the node sets up stones, or its PL names the side that has just moved.
        """
        self._stones(node)
        side = side_of(node)
        if side is not None and self.moves and side == self.moves[-1].player:
            raise FormatError(
                f"PL after move {len(self.moves)} gives the same side two moves in a row; "
                "write a pass instead"
            )
        if side is not None and not self.moves:
            self.to_move = side

    def _stones(self, node: Node) -> None:
        black, white, empty = (
            points_of(node, name, self.size, self.family) for name in ("AB", "AW", "AE")
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

    def move(self, node: Node) -> None:
        """Adds the move of a node, if it has one.

        Raises:
          FormatError: the node has several moves, or the move is not a point.
        """
        colours = [colour for colour in _COLOURS if node.has(colour)]
        if not colours:
            return
        number = len(self.moves) + 1
        if len(colours) == 2 or len(node.values(colours[0])) > 1:
            raise FormatError(f"move {number}: one node holds more than one move")
        raw = node.values(colours[0])[0]
        word = " ".join(raw.split()).lower()
        if word in records.RESIGNED or word in records.SWAPS or word == "swap":
            self.moves.append(
                Move(word, None if word in records.RESIGNED else _COLOURS.index(colours[0]))
            )
            return
        try:
            point = _point(raw, self.size, self.family)
        except ValueError:
            raise FormatError(
                f"move {number}: {colours[0]}[{shown(raw)}] is not a point "
                f"of a {self.size}x{self.size} board"
            ) from None
        text = "pass" if point is None else point_text(self.family, self.size, *point)
        self.moves.append(Move(text, _COLOURS.index(colours[0])))


def read(data: bytes | str, *, family: str | None = None) -> Record:
    """Reads an SGF file with one game and one line of play.

    Args:
      data: bytes or text of the file.
      family: "go", "gomoku" or "hex": the game whose coordinates the points have. None: the game in
        the property GM (1, 4 or 11), or Go if there is no GM.

    Raises:
      FormatError: the data is not SGF; its encoding or game is unknown; its game is not ``family``;
        or it has variations, a second game, a point outside the board, several moves in a node,
        set-up stones after a move, a PL that gives one side two moves in a row, or a handicap
        without its stones.
    """
    found = sgf_encoding.trees(data)
    if len(found) > 1:
        raise FormatError(f"the file holds {len(found)} games; give one")
    root = node = found[0]
    refuse_late(root, "KM", "RU")
    reader = Reader(size_of(root), checked_family(root, family))
    while True:
        reader.read(node)
        if len(node.children) > 1:
            raise FormatError(
                f"the record branches into {len(node.children)} variations after move "
                f"{len(reader.moves)}; give one line of play"
            )
        if not node.children:
            break
        node = node.children[0]
    record = record_of(root, reader)
    return hex_records.standard(root, record) if reader.family == "hex" else record


def checked_family(root: Node, family: str | None) -> str:
    """Returns the game of a record: its property GM, or ``family`` if it has none.

    A record of a Hex tournament at Little Golem states its game without GM.

    Raises:
      FormatError: the stated game and ``family`` contradict each other, or GM is unknown.
    """
    if hex_records.states_hex(root):
        if family not in (None, "hex"):
            raise FormatError(
                f"the record is a game of Hex (EV[{shown(root.values('EV')[0])}]), "
                f"not of {str(family).capitalize()}"
            )
        return "hex"
    if family is not None and not root.has("GM"):
        return family
    stated, number = _family(root), shown(root.single("GM") or "")
    if stated != (family or stated):
        raise FormatError(
            f"the record is a game of {stated.capitalize()} (GM[{number}]), "
            f"not of {str(family).capitalize()}"
        )
    return stated


def record_of(root: Node, reader: Reader) -> Record:
    """Returns the record of the stones and moves in ``reader``, and of the properties of the root.

    Raises:
      FormatError: the record has a handicap without its stones.
    """
    _refuse_lost_handicap(root, sum(colour == 0 for colour in reader.stones.values()))
    names = {"KM": "komi", "RU": "rules", "GN": "title"}
    properties = {
        word: " ".join(text_of(root.values(name)[0]).split())
        for name, word in names.items()
        if root.has(name)
    } | {"family": reader.family}
    black, white = (
        frozenset(point for point, colour in reader.stones.items() if colour == side)
        for side in (0, 1)
    )
    return Record(reader.size, black, white, reader.to_move, tuple(reader.moves), properties)


def handicap(root: Node) -> int:
    """Returns the number of handicap stones in property HA; 0 without HA, or if it is empty.

    Raises:
      FormatError: HA is not a number.
    """
    raw = root.single("HA")
    if not raw:  # programs write HA[] for a game without handicap
        return 0
    if not re.fullmatch(r"[0-9]{1,3}", raw):
        raise FormatError(f"HA[{shown(raw)}] is not a number of handicap stones")
    return int(raw)


def _refuse_lost_handicap(root: Node, black: int) -> None:
    """Raises FormatError if property HA states more stones than were set up."""
    stones = handicap(root)
    if stones >= 2 and black < stones:
        raise FormatError(
            f"the record has a handicap of {stones} stones (HA) but sets up {black}: "
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
