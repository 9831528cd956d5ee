"""Relaxation of superko positions to simple ko, on the host.

The functions read the canonical text of positions (``proof/FORMAT.md``).
"""

from __future__ import annotations

import dataclasses
from typing import TYPE_CHECKING, Any, cast

from jaxsolve.games.boards.board_text import gtp_point

if TYPE_CHECKING:
    from jaxsolve.games.go.game import GoRules
    from jaxsolve.games.go.state import GoState


def earlier_boards(text: str) -> list[str]:
    """Returns the boards in the history of a position's text, oldest first, without the sides."""
    return [entry.partition(":")[0] for entry in _history(text)]


def stones_of(text: str, player: int) -> int:
    """Returns a player's stones in the text of a board or position. Bit p is point p."""
    board = text.partition(" ")[0].replace("/", "")
    return sum(1 << point for point, stone in enumerate(board) if stone == "XO"[player])


def earlier_stones_of(text: str, player: int) -> list[int]:
    """Returns a player's stones (``stones_of``) on each board of a text's history."""
    return [stones_of(board, player) for board in earlier_boards(text)]


def by_simple_ko(game: GoRules, text: str) -> GoState:
    """Returns the position of a superko text under ``game``: the same rules with simple ko.

    The history is dropped. If the last move started a ko, the position has this ko point.
    """
    plain = text.partition(" history=")[0]
    point = _retake(game.size, text)
    if point < 0:
        return game.parse(plain)
    board, side, *rest = plain.split(" ")
    try:
        return game.parse(" ".join([board, side, f"ko={gtp_point(point, game.size)}", *rest]))
    except ValueError:  # the point cannot be a ko point
        return game.parse(plain)


def relaxed(game: GoRules, state: GoState) -> tuple[GoRules, GoState] | None:
    """Returns the rules with simple ko in place of superko, and ``state`` under these rules.

    Returns None if the rules already have simple ko, or have no goal of life or death.
    """
    if game.ko == "simple" or game._goal is None:
        return None
    other = dataclasses.replace(cast(Any, game), ko="simple", max_history=None)
    return other, by_simple_ko(other, game.text(state))


def _history(text: str) -> list[str]:
    history = text.partition(" history=")[2]
    return history.split(";") if history else []


def _retake(size: int, text: str) -> int:
    """Returns the point where a recapture would recreate the last board of the history, or -1.

    The last move must have captured a single stone, and the capturing stone must be a chain of one
    stone.
    """
    history = _history(text)
    side = text.split(" ")[1]
    # Situational superko, and the last move was a pass.
    if not history or history[-1].endswith(f":{side}"):
        return -1
    last, mover = history[-1].partition(":")[0], "bw".index(side)
    was, now = [
        [stones_of(board, player) for player in (mover, 1 - mover)] for board in (last, text)
    ]
    ko, taker = was[0] & ~now[0], now[1] & ~was[1]
    if (
        (was[0] ^ now[0], was[1] ^ now[1]) != (ko, taker)
        or ko.bit_count() != 1
        or taker.bit_count() != 1
    ):
        return -1
    place, other = ko.bit_length() - 1, taker.bit_length() - 1
    beside = [point for point in (other - size, other + size) if 0 <= point < size * size]
    beside += [point for point in (other - 1, other + 1) if point // size == other // size]
    alone = place in beside and all(now[0] >> point & 1 for point in beside if point != place)
    return place if alone else -1
