"""Text of Go positions and lists of points (``proof/FORMAT.md``), on the host."""

from __future__ import annotations

import functools
from collections.abc import Iterable
from typing import TYPE_CHECKING

import numpy as np

from jaxsolve.games.boards.board_text import format_board, gtp_point, parse_board, parse_gtp_point
from jaxsolve.games.game import Outcome
from jaxsolve.games.go.judge import judge
from jaxsolve.games.go.state import OPENING_OVER, GoState, Meta, host_meta, host_word

if TYPE_CHECKING:
    from jaxsolve.games.go.game import GoRules
    from jaxsolve.games.zones import Zoning

_SIDES = "bw"


# ---- points --------------------------------------------------------------------------------------
def points_text(size: int, points: Iterable[int]) -> str:
    """Returns the points as a comma-separated list, by row from the bottom, then by column."""
    return ",".join(
        gtp_point(point, size) for point in sorted(points, key=lambda p: (-(p // size), p % size))
    )


def parse_points(size: int, text: str, what: str) -> tuple[int, ...]:
    """Returns the point numbers of a comma-separated list, in ascending order.

    Raises ValueError for an unknown point or one that occurs twice. ``what`` is the name of the
    list in the message.
    """
    points = [parse_gtp_point(name, size) for name in text.split(",")]
    for name, point in zip(text.split(","), points, strict=True):
        if points.count(point) > 1:
            raise ValueError(f"{what} names {name} twice.")
    return tuple(sorted(points))


# ---- boards --------------------------------------------------------------------------------------
Point = tuple[int, int]


def _beside(size: int, point: Point) -> list[Point]:
    row, column = point
    around = ((row - 1, column), (row + 1, column), (row, column - 1), (row, column + 1))
    return [(r, c) for r, c in around if 0 <= r < size and 0 <= c < size]


def _chain(cells: np.ndarray, start: Point) -> tuple[set[Point], set[Point]]:
    """Returns the chain of the stone at ``start``, and the chain's liberties."""
    chain, liberties, todo = {start}, set(), [start]
    while todo:
        for point in _beside(len(cells), todo.pop()):
            if cells[point] == 0:
                liberties.add(point)
            elif cells[point] == cells[start] and point not in chain:
                chain.add(point)
                todo.append(point)
    return chain, liberties


def _chain_without_liberty(cells: np.ndarray) -> Point | None:
    """Returns a point of a chain without liberties; None if every chain has a liberty."""
    seen: set[Point] = set()
    for row, column in np.argwhere(cells).tolist():
        if (row, column) not in seen:
            chain, liberties = _chain(cells, (row, column))
            if not liberties:
                return row, column
            seen |= chain
    return None


# ---- positions -----------------------------------------------------------------------------------
def position_text(game: GoRules, state: GoState) -> str:
    """Returns the canonical text of a state, as ``proof/FORMAT.md`` defines it."""
    grid, meta = game.grid, host_meta(state.meta)
    parts = [format_board(grid.cells_of(np.asarray(state.stones))), _SIDES[meta.side]]
    if meta.ko:
        parts.append(f"ko={gtp_point(meta.ko - 1, game.size)}")
    if meta.passes:
        parts.append(f"passes={meta.passes}")
    if meta.ply != OPENING_OVER:
        parts.append(f"ply={meta.ply}")
    if state.task is not None:
        left = _crucial_text(game, np.asarray(state.task.crucial).tobytes())
        if left is not None:
            parts.append(f"crucial={left or '-'}")
    if game.ko == "simple":
        if meta.boards != game.threats:
            parts.append(f"threats={meta.boards}")
    elif meta.boards:
        boards = np.asarray(state.history)
        parts.append(
            "history=" + ";".join(_entry_text(game, boards[:, i]) for i in range(meta.boards))
        )
    return " ".join(parts)


@functools.lru_cache(maxsize=1 << 12)
def _crucial_text(game: GoRules, crucial: bytes) -> str | None:
    """Returns the crucial points uint32[W] that are left as text; None if all are left."""
    words = np.frombuffer(crucial, np.uint32)
    left = np.flatnonzero(game.grid.cells_of(np.stack([words] * 2))).tolist()
    return None if len(left) == len(game.crucial_points) else points_text(game.size, left)


def _entry_text(game: GoRules, words: np.ndarray) -> str:
    mark = int(words[0] >> np.uint32(game.size)) & 1
    text = format_board(game.grid.cells_of(words.reshape(2, -1)))
    return f"{text}:{_SIDES[mark]}" if game.ko == "situational" else text


def parse_position(game: GoRules, text: str) -> GoState:
    """Returns the state of a text, as host arrays; inverse of ``position_text``.

    The outcome is not set. Fields with default values may be left out. Raises ValueError with one
    sentence.
    """
    board, side, fields = _split(text)
    cells = parse_board(board, game.size)
    dead = _chain_without_liberty(cells)
    if dead is not None:
        raise ValueError(
            f"The chain at {gtp_point(dead[0] * game.size + dead[1], game.size)} has no liberty."
        )
    passes = _parse_number(fields.pop("passes", "0"), "passes", (0, 1, 2))
    ko = _parse_ko(game, fields.pop("ko", None), cells, side, passes)
    ply = _parse_ply(game, fields.pop("ply", None), cells, side, passes or ko)
    crucial = _parse_crucial(game, fields, cells)
    history, boards = _parse_history(
        game,
        fields.pop("history", None),
        board if game.ko == "positional" else f"{board}:{_SIDES[side]}",
        passes,
    )
    if game.threats:
        boards = game.threats
        if "threats" in fields:  # left out if none was used
            boards = _parse_number(fields.pop("threats"), "threats", tuple(range(game.threats)))
    if fields:
        raise ValueError(
            f"Field {next(iter(fields))!r} does not belong to a position of"
            f" {game.rule_set.split(';')[0]}."
        )
    meta = Meta(side=side, passes=passes, ply=ply, outcome=0, ko=ko, boards=boards)
    return game._placed(game.grid.stones_of(cells), meta, crucial, history)


def _split(text: str) -> tuple[str, int, dict[str, str]]:
    """Returns the board, the side to move and the ``key=value`` fields of a position's text."""
    parts = text.split()
    if len(parts) < 2:
        raise ValueError(f"Position {text!r} must be a board and the side to move, 'b' or 'w'.")
    if parts[1] not in ("b", "w"):
        raise ValueError(f"Side to move {parts[1]!r} is neither 'b' nor 'w'.")
    fields: dict[str, str] = {}
    for part in parts[2:]:
        key, equals, value = part.partition("=")
        if not equals or key in fields:
            raise ValueError(
                f"Field {part!r} {'is given twice' if equals else 'is not of the form key=value'}."
            )
        fields[key] = value
    return parts[0], _SIDES.index(parts[1]), fields


def _parse_number(text: str, what: str, allowed: tuple[int, ...]) -> int:
    if text not in {str(number) for number in allowed}:
        raise ValueError(f"{what}={text} must be one of {', '.join(map(str, allowed))}.")
    return int(text)


def _parse_ko(game: GoRules, text: str | None, cells: np.ndarray, side: int, passes: int) -> int:
    """Returns the ``ko`` field of ``Meta``: 1 + the ko point, or 0 without a ko.

    Raises ValueError if the last move cannot have started this ko.
    """
    if text is None:
        return 0
    if game.ko != "simple":
        raise ValueError(f"ko={text} has no meaning under ko={game.ko} rules.")
    point = parse_gtp_point(text, game.size)
    place = divmod(point, game.size)
    if cells[place]:
        raise ValueError(f"ko={text} names a point with a stone on it.")
    beside = _beside(game.size, place)
    chains = [_chain(cells, stone) for stone in beside if cells[stone] == 2 - side]
    tight = [chain for chain, liberties in chains if liberties == {place}]
    # The only liberty of the capturing stone is the ko point. The other chains next to the ko point
    # had another liberty before the capture, and still have it.
    if passes or len(chains) < len(beside) or len(tight) != 1 or len(tight[0]) != 1:
        raise ValueError(
            f"ko={text} cannot have arisen: no single stone was just captured there by a single"
            " stone."
        )
    return point + 1


def _parse_ply(game: GoRules, text: str | None, cells: np.ndarray, side: int, more: int) -> int:
    """Returns the ``ply`` field of ``Meta``.

    ``more`` is nonzero if the position has passes or a ko. Raises ValueError if the position cannot
    arise in the forced opening.
    """
    if text is None:
        return OPENING_OVER
    if not game.opening_moves:
        raise ValueError(f"ply={text} belongs to killallgo-7 only.")
    ply = _parse_number(text, "ply", tuple(range(game.opening_moves)))
    if more or side != ply % 2 or np.count_nonzero(cells) != (ply > 0) or np.any(cells == 2):
        raise ValueError(f"ply={text} does not fit the rest of the position.")
    return ply


def _parse_crucial(game: GoRules, fields: dict[str, str], cells: np.ndarray) -> np.ndarray | None:
    """Returns uint32[W]: the crucial stones on the board; None without crucial points."""
    points = game.crucial_points
    if not points:
        return None
    text = fields.pop("crucial", None)
    if text is not None:
        points = () if text == "-" else parse_points(game.size, text, "crucial")
    for point in points:
        if point not in game.crucial_points:
            raise ValueError(
                f"crucial={text} names {gtp_point(point, game.size)}, which is not crucial in this"
                " rule set."
            )
        if cells.reshape(-1)[point] != 1 + game.crucial_side:
            raise ValueError(
                f"The crucial point {gtp_point(point, game.size)} holds no stone of the defender."
            )
    return game.grid.constant_of(points)


def _parse_history(
    game: GoRules, text: str | None, present: str, passes: int
) -> tuple[np.ndarray | None, int]:
    """Returns the history uint32[2 * W, H] and its number of boards; (None, 0) without a history.

    ``present`` is the text of the present position as a history entry. Raises ValueError if the
    history contains ``present`` although the last move cannot have been a pass.
    """
    if text is None:
        return None, 0
    if game.ko == "simple":
        raise ValueError("A history has no meaning under ko=simple rules.")
    entries = text.split(";")
    if len(entries) > game.history_capacity:
        raise ValueError(
            f"The history holds {len(entries)} boards; max_history allows {game.history_capacity}."
        )
    # Only a pass can repeat a board with the same side to move. Under positional superko a pass
    # adds no entry.
    if present in entries and not (game.ko == "situational" and passes):
        raise ValueError(
            f"The position stands in its own history, as entry {1 + entries.index(present)}:"
            " superko forbids the move that led to it."
        )
    history = np.zeros((2 * game.grid.words, game.history_capacity), np.uint32)
    for i, entry in enumerate(entries):
        board, colon, side = entry.partition(":")
        if bool(colon) != (game.ko == "situational") or (colon and side not in ("b", "w")):
            raise ValueError(
                f"History entry {i + 1}, {entry!r}, must be a"
                f" board{' and :b or :w' if game.ko == 'situational' else ' alone'}."
            )
        history[:, i] = game.grid.stones_of(parse_board(board, game.size)).reshape(-1)
        history[0, i] |= np.uint32((side == "w") << game.size)
    return history, len(entries)


def leaf_reason(game: GoRules, state: GoState) -> str:
    """Returns the leaf reason: ``captured``, ``benson``, ``passes``, ``no-eyes`` or ``sealed``.

    The reason is ``passes`` only if the board does not decide the game. ``no-eyes`` and ``sealed``
    are for games that are not over (``go.zone_death``).
    """
    if game.crucial_points and state.task is not None and not np.any(state.task.crucial):
        return "captured"
    meta = host_meta(state.meta)
    if meta.outcome == Outcome.ONGOING:
        return "sealed" if game.goal_player != game.crucial_side else "no-eyes"
    if meta.passes < 2:
        return "benson"
    living = game.crucial_side if game.crucial_points else game.goal_player
    if living is None or meta.outcome != Outcome.FIRST_WINS + living:  # None: area is counted
        return "passes"
    return "benson" if _lives(game, state) else "passes"


def _lives(game: GoRules, state: GoState) -> bool:
    """Whether the chains that decide are alive in a finished game won by their side.

    The board can decide before the two passes only in a position that was set up by hand.
    """
    zoning = _zoning(game)
    if zoning is not None:
        from jaxsolve.games.zones import LEAF, result_zone  # imports numba

        zone = result_zone(zoning, LEAF, game.host_pack(state), -1, 0)
        return not zone >> int(zoning.null[0]) & 1  # the zone of other wins is the whole position
    meta = host_meta(state.meta)
    before = judge(game.kernel, state._replace(meta=host_word(meta._replace(passes=0))))
    return host_meta(before.meta).outcome not in (Outcome.ONGOING, Outcome.UNKNOWN)


@functools.lru_cache(maxsize=1 << 6)
def _zoning(game: GoRules) -> Zoning | None:
    """Returns ``game.zoning()``, which takes 3 ms to make."""
    return game.zoning()
