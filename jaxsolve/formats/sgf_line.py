"""Writes an SGF file with one line of play."""

from __future__ import annotations

from collections.abc import Sequence

from sgfmill import sgf

from jaxsolve.core.lazy_import import jax
from jaxsolve.formats.record import FormatError
from jaxsolve.formats.sgf import GAME_NUMBERS, point_text
from jaxsolve.games.boards.board_text import GTP_LETTERS
from jaxsolve.games.game import Game, State

_COLOURS = ("B", "W")


def dump(
    game: Game, moves: Sequence[str], *, start: State | None = None, comment: str = ""
) -> bytes:
    """Returns an SGF file with ``moves`` from the position ``start``.

    The property RU holds the rule-set id. Readers of this package then use the same rules.

    Args:
      game: the rules.
      moves: the moves, in the form of ``Game.action_text``.
      start: position before the first move; None for the start position of the game.
      comment: comment at the root node.

    Raises:
      FormatError: the game has no SGF coordinates, or ``start`` has a ko, passes or a history. SGF
        set-up stones cannot express these.
    """
    number = next((number for number, name in GAME_NUMBERS.items() if name == game.name), None)
    if number is None:
        raise FormatError(f"SGF has no coordinates for {game.name}")
    state = game.init() if start is None else start
    cells, side = game.cells(state), int(game.to_move(state))
    size = cells.shape[0]
    sheet = sgf.Sgf_game(size)
    root = sheet.get_root()
    root.set_raw("GM", str(number).encode())
    root.set("RU", game.rule_set)
    if comment:
        root.set("C", comment)
    if cells.any():
        _set_up(root, game, state)
    player = side
    for text in moves:
        node = sheet.extend_main_sequence()
        node.set_raw(_COLOURS[player], _raw(game.name, size, text))
        player = 1 - player
    return sheet.serialise()


def _set_up(root: sgf.Tree_node, game: Game, state: State) -> None:
    cells, side = game.cells(state), int(game.to_move(state))
    board = "/".join("".join(".XO"[cell] for cell in row) for row in cells)
    plain = f"{board} {game.players[side][0]}"
    if game.text(jax.device_get(game.parse(plain))) != game.text(state):
        raise FormatError(
            "the position has a ko, passes, forced moves or a history, which SGF set-up stones "
            "cannot express; write its moves instead"
        )
    size = cells.shape[0]
    for name, colour in (("AB", 1), ("AW", 2)):
        points = [
            _raw(game.name, size, point_text(game.name, size, x, y))
            for y in range(size)
            for x in range(size)
            if cells[y, x] == colour
        ]
        if points:
            root.set_raw_list(name, points)
    root.set_raw("PL", _COLOURS[side].encode())


def _raw(family: str, size: int, text: str) -> bytes:
    """Converts the text of a move to a raw SGF value.

    The value is a name such as ``a1`` in Hex, otherwise two letters for the column from the left
    and the row from the top. A pass is "".
    """
    if text.lower() == "pass":
        return b""
    if family == "hex":
        return text.lower().encode()
    column, row = GTP_LETTERS.index(text[0].upper()), size - int(text[1:])
    return bytes((ord("a") + column, ord("a") + row))
