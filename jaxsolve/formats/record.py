"""Game records, with set-up stones and moves, and their replay by the rules of a game."""

from __future__ import annotations

import functools
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from jaxsolve.core.lazy_import import jax, jnp
from jaxsolve.games.game import Game, Outcome, State

RESIGNED = ("resign", "forfeit")  # possible last entries of a record that are not moves
SWAPS = ("swap-pieces", "swap-sides")  # Hex: possible replies to the first stone
# Black's first four stones in a killallgo-9 record; White passes between them.
KILLALL_OPENING = ("C7", "G7", "C3", "G3")


class FormatError(ValueError):
    """Invalid input from the user or a file. The message is one sentence that names the place."""


@dataclass(frozen=True)
class Move:
    """One entry of a record."""

    text: str  # as ``Game.parse_action`` reads it
    player: int | None = None  # 0 or 1; None if the record does not name the player


@dataclass(frozen=True)
class Record:
    """Set-up stones and moves of a file, not yet checked against the rules of a game.

    A stone is given as (column from the left, row from the TOP), both from 0.
    """

    size: int  # the board is size x size
    black: frozenset[tuple[int, int]] = frozenset()
    white: frozenset[tuple[int, int]] = frozenset()
    to_move: int | None = None  # side to move at the start, if the record states it
    moves: tuple[Move, ...] = ()
    # Other properties of the file. Possible keys: family, komi, rules, title.
    properties: dict[str, str] = field(default_factory=dict)

    @property
    def has_setup(self) -> bool:
        return bool(self.black or self.white)

    def format_board(self) -> str:
        """Returns the set-up stones in the form ``<board>`` of ``proof/FORMAT.md``."""
        stones = dict.fromkeys(self.black, "X") | dict.fromkeys(self.white, "O")
        return "/".join(
            "".join(stones.get((column, row), ".") for column in range(self.size))
            for row in range(self.size)
        )


@functools.lru_cache(maxsize=32)
def _advance(game: Game) -> Any:
    """Compiles the function ``(state, action) -> (state, legal mask, outcome, side to move)``.

    The results describe the state after the action. Action -1 leaves the state as it is.
    """

    from jaxsolve.jit import device  # imported here, because the module imports JAX

    def advance(state: State, action: jax.Array) -> tuple[State, jax.Array, jax.Array, jax.Array]:
        moved = game.step(state, jnp.maximum(action, 0))
        state = jax.tree.map(lambda new, old: jnp.where(action >= 0, new, old), moved, state)
        return state, game.legal_mask(state), game.outcome(state), game.to_move(state)

    if not device.is_cacheable(game):
        return jax.jit(advance)
    start = start_position(game)
    return device.executable(
        advance,
        (start, np.int32(-1)),
        repr(("advance", type(game), game.rule_set, game)),
        (start, 0, 0, 0),
    )


@functools.lru_cache(maxsize=32)
def start_position(game: Game) -> State:
    """Returns ``game.init()`` as host arrays. It is computed once for each game."""
    return jax.device_get(game.init())


def board_size(game: Game) -> int:
    """Returns the side length of the game's board. Raises FormatError if it is not square."""
    size = getattr(game, "size", None)
    if size is None:
        raise FormatError(f"{game.name} has no square board, so it has no records with points")
    return size


def _ended(game: Game, outcome: int) -> str:
    if outcome == Outcome.DRAW:
        return "the game is already drawn"
    if outcome == Outcome.UNKNOWN:
        return "the game was already cut off by its length cap"
    return f"{game.players[outcome - Outcome.FIRST_WINS]} has already won"


def replay(game: Game, state: State, moves: Sequence[Move], *, first_number: int = 1) -> State:
    """Plays ``moves`` from ``state`` by the rules of a game.

    The last entry may be a resignation (``RESIGNED``). It does not change the position. In Hex the
    reply to the first stone may be a swap. ``swap-pieces`` gives the stone to the second player and
    mirrors it at the long diagonal. ``swap-sides`` exchanges the players, and the position remains
    the same. The rules of Hex have no pass, but records have: ``pass`` gives the turn to the other
    side.

    Args:
      game: the rules.
      state: position before the first move.
      moves: the moves; each must be legal and by the side to move.
      first_number: number of the first move, for error messages.

    Returns:
      The position after the last move, as host arrays.

    Raises:
      FormatError: a move is malformed, illegal, by the wrong side or after the end of the game;
        the message names the first one.
    """
    advance = _advance(game.kernel)
    state, legal, outcome, side = jax.device_get(advance(state, np.int32(-1)))
    has_swapped = False
    for number, move in enumerate(moves, start=first_number):
        if move.text.lower() in RESIGNED:
            if number < first_number + len(moves) - 1:
                raise FormatError(
                    f"move {number} ({move.text}) ends the game, but more moves follow"
                )
            break
        mover = game.players[int(side)]
        if outcome != Outcome.ONGOING:
            raise FormatError(f"move {number} ({move.text}): {_ended(game, int(outcome))}")
        if move.player is not None and move.player != side:
            raise FormatError(
                f"move {number} ({move.text}): it is {mover}'s turn, "
                f"but the record gives the move to {game.players[move.player]}"
            )
        if has_swapped and move.text.lower() in SWAPS:
            raise FormatError(f"move {number}: {move.text} is the second swap of the record")
        if (special := _special(game, state, move.text, number)) is not None:
            has_swapped = has_swapped or move.text.lower() in SWAPS
            state, legal, outcome, side = jax.device_get(advance(special, np.int32(-1)))
            continue
        try:
            action = game.parse_action(move.text, state)
        except ValueError as error:
            raise FormatError(f"move {number}: {error}") from None
        if not legal[action]:
            only = (
                f"; its only move is {game.action_text(int(np.argmax(legal)), state)}"
                if np.sum(legal) == 1
                else ""
            )
            raise FormatError(
                f"move {number}: {mover} may not play {move.text} here "
                f"(rules {_short(game.rule_set)}){only}"
            )
        state, legal, outcome, side = jax.device_get(advance(state, np.int32(action)))
    return state


def _special(game: Game, state: State, word: str, number: int) -> State | None:
    """Returns the position after a swap or a pass of a Hex record, or None for another move.

    Raises FormatError if a swap is not possible at ``state``. ``number`` is the number of the move.
    """
    if game.name == "hex" and word.lower() == "pass":
        board, side = game.text(state).split()
        other = game.players[1] if side == game.players[0][0] else game.players[0]
        return game.parse(f"{board} {other[0]}")
    return _swapped(game, state, word, number) if word.lower().startswith("swap") else None


def _swapped(game: Game, state: State, word: str, number: int) -> State:
    """Returns the position after ``word``, a swap as the second move of a Hex record.

    Raises FormatError if a swap is not possible at ``state``. ``number`` is the number of the move.
    """
    if game.name != "hex":
        raise FormatError(f"move {number}: {word} is a move of Hex, not of {_short(game.rule_set)}")
    cells, side = np.asarray(game.cells(state)), int(game.to_move(state))
    if (cells == 2 - side).sum() != 1 or (cells == 1 + side).any():
        raise FormatError(f"move {number}: {word} can only answer the first stone")
    if word.lower() == "swap-sides":
        return state
    if word.lower() != "swap-pieces":
        raise FormatError(
            f"move {number}: write {word} as swap-pieces (the stone changes colour and is "
            "mirrored) or swap-sides (it stays)"
        )
    stones = (".", "XO"[side])
    board = "/".join("".join(stones[int(cell) > 0] for cell in row) for row in cells.T)
    return game.parse(f"{board} {game.players[1 - side][0]}")


def _short(rule_set: str, width: int = 80) -> str:
    return rule_set if len(rule_set) <= width else rule_set[: width - 3] + "..."


def start(game: Game, record: Record) -> tuple[State, Sequence[Move], int]:
    """Prepares the replay of a record by the rules of ``game``.

    A ``killallgo-9`` record may begin on the empty board with ``KILLALL_OPENING``. The start
    position of the game already contains these stones. The first seven entries of such a record are
    therefore checked and skipped.

    Returns:
      The position before the first move, the moves to replay, and the number of the first of these
      moves: 8 after the opening, otherwise 1.

    Raises:
      FormatError: the board has another size, the side to move is unknown, the set-up stones are
        not a position of this game, or the opening is wrong.
    """
    size = board_size(game)
    if size != record.size:
        raise FormatError(
            f"the record has a board of size {record.size}, "
            f"but {_short(game.rule_set)} is played on {size}x{size}"
        )
    if record.has_setup:
        side = (
            record.to_move
            if record.to_move is not None
            else (record.moves[0].player if record.moves else None)
        )
        if side is None:
            raise FormatError(
                "the record sets up stones but does not name the side to move: add PL[B] or PL[W]"
            )
        try:
            return game.parse(f"{record.format_board()} {game.players[side][0]}"), record.moves, 1
        except ValueError as error:
            raise FormatError(f"set-up stones: {error}") from None
    initial = start_position(game)
    moves, number = without_opening(game, record.moves)
    if record.to_move is not None and number == 1 and record.to_move != int(game.to_move(initial)):
        if game.name == "hex":  # either side may move first in a position of Hex
            first = game.players[record.to_move][0]
            return game.parse(f"{record.format_board()} {first}"), moves, 1
        raise FormatError(
            f"the record has {game.players[record.to_move]} to move first, "
            f"but the game begins with {game.players[1 - record.to_move]}"
        )
    return initial, moves, number


def without_opening(game: Game, moves: Sequence[Move]) -> tuple[Sequence[Move], int]:
    """Removes the opening stones from the moves of a ``killallgo-9`` record.

    Returns the remaining moves and the number of the first one: 8 if the opening was removed,
    otherwise 1. Moves of other games, and moves that begin after the opening, are returned
    unchanged.

    Raises:
      FormatError: the record begins with Black, but not with the opening stones.
    """
    opening = [move.text.upper() for move in moves[:7]]
    from_empty = moves and (
        moves[0].player == 0 or (moves[0].player is None and opening[0] in KILLALL_OPENING)
    )
    if not (game.rule_set.startswith("killallgo-9") and from_empty):
        return moves, 1
    players = [move.player for move in moves[:7]]
    sides_fit = all(player in (None, number % 2) for number, player in enumerate(players))
    if (
        sorted(opening[::2]) != sorted(KILLALL_OPENING)
        or opening[1::2] != ["PASS"] * 3
        or not sides_fit
    ):
        raise FormatError(
            "move 1 to 7: a killallgo-9 record begins with the Black stones C7 G7 C3 G3 "
            "and White passes between them"
        )
    return moves[7:], 8
