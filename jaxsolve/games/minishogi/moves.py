"""Legal moves of MiniShogi by bit operations, for all eight directions at once.

A board is a word (``minishogi.pieces``). Arrays of boards are uint32[1, ...] with any trailing
dimensions, or uint32[8, ...] with one board for each direction. Legal moves are computed without
playing moves: checks, pins and the squares forbidden to the king are computed once, and exclude all
illegal moves.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from jaxsolve.core.lazy_import import jax, jnp
from jaxsolve.games.minishogi.pieces import (
    AHEAD,
    BOARD,
    DIAGONAL,
    DIRECTIONS,
    DOWN,
    FAR_ROW,
    GOLD_STEPS,
    HELD,
    KIND_BITS,
    KIND_MASK,
    ORTHOGONAL,
    PAWN,
    SILVER_STEPS,
    SIZE,
    STRIDE,
    lanes,
)

_STEPS = [rows * STRIDE + columns for rows, columns in DIRECTIONS]
UP_BITS = np.array([max(step, 0) for step in _STEPS], np.uint32)
DOWN_BITS = np.array([max(-step, 0) for step in _STEPS], np.uint32)
"""uint32[8] each: a step shifts to higher bits by ``UP_BITS``, to lower bits by ``DOWN_BITS``."""


class Pieces(NamedTuple):
    """A position from the mover's point of view, as boards uint32[1, ...].

    The board of a kind of piece has the pieces of both sides.
    """

    own: jax.Array
    enemy: jax.Array
    empty: jax.Array
    pawn: jax.Array  # unpromoted
    silver: jax.Array  # unpromoted
    bishop: jax.Array  # unpromoted
    rook: jax.Array  # unpromoted
    golden: jax.Array  # golds, and promoted pawns and silvers
    horse: jax.Array  # promoted bishops
    dragon: jax.Array  # promoted rooks
    king: jax.Array


def pieces_of(boards: jax.Array) -> Pieces:
    """Returns the ``Pieces`` of the boards uint32[5, ...] of a ``MiniShogiState``."""
    low, middle, high, promoted, own = boards[:, None]
    occupied = low | middle | high
    pawn, silver, gold = low & ~middle & ~high, ~low & middle & ~high, low & middle & ~high
    bishop, rook, king = ~low & ~middle & high, low & ~middle & high, middle & high
    plain = ~promoted
    return Pieces(
        own=own,
        enemy=occupied & ~own,
        empty=~occupied & BOARD,
        pawn=pawn & plain,
        silver=silver & plain,
        bishop=bishop & plain,
        rook=rook & plain,
        golden=gold | (pawn | silver) & promoted,
        horse=bishop & promoted,
        dragon=rook & promoted,
        king=king,
    )


def _lane(values: np.ndarray, like: jax.Array) -> np.ndarray:
    """Returns a constant for each direction in a shape that broadcasts against ``like``."""
    return values.reshape(-1, *(1,) * (like.ndim - 1))


def _step(boards: jax.Array) -> jax.Array:
    """Returns uint32[8, ...]: every board shifted by one step in its direction.

    The result can have guard bits (``minishogi.pieces``) and bits off the board.
    """
    return boards << _lane(UP_BITS, boards) >> _lane(DOWN_BITS, boards)


def _spread(board: jax.Array) -> jax.Array:
    """Returns uint32[8, ...]: the same board for every direction."""
    return jnp.broadcast_to(board, (len(DIRECTIONS), *board.shape[1:]))


def _steppers(pieces: Pieces) -> jax.Array:
    """Returns uint32[8, ...]: the pieces that step in each direction if the mover owns them.

    Pieces of the opponent step in the opposite direction.
    """
    parts = (
        (pieces.king, range(len(DIRECTIONS))),
        (pieces.golden, GOLD_STEPS),
        (pieces.silver, SILVER_STEPS),
        (pieces.pawn, AHEAD),
        (pieces.horse, ORTHOGONAL),
        (pieces.dragon, DIAGONAL),
    )
    found = jnp.zeros((), jnp.uint32)
    for board, directions in parts:
        found = found | board & _lane(lanes(directions), board)
    return found


def _sliders(diagonal: jax.Array, orthogonal: jax.Array) -> jax.Array:
    """Returns uint32[8, ...]: a board of sliding pieces for each direction.

    The board is ``diagonal`` for diagonal directions, ``orthogonal`` for the other directions.
    """
    return diagonal & _lane(lanes(DIAGONAL), diagonal) | orthogonal & _lane(
        lanes(ORTHOGONAL), orthogonal
    )


def _opposite(boards: jax.Array) -> jax.Array:
    """Returns uint32[8, ...]: the boards, with the boards of opposite directions exchanged."""
    return boards.reshape(-1, 2, *boards.shape[1:])[:, ::-1].reshape(boards.shape)


def _any_lane(boards: jax.Array) -> jax.Array:
    """Returns uint32[1, ...]: the union of the boards of all directions."""
    return jax.lax.reduce(boards, np.uint32(0), jax.lax.bitwise_or, (0,))[None]


def _run(sliders: jax.Array, empty: jax.Array) -> jax.Array:
    """Returns uint32[8, ...]: ``sliders`` and the empty squares over which they slide."""
    for _ in range(SIZE - 2):
        sliders = sliders | _step(sliders) & empty
    return sliders


def _visible(origins: jax.Array, empty: jax.Array) -> jax.Array:
    """Returns uint32[8, ...]: the squares visible from ``origins`` in each direction.

    Visible squares are the adjacent run of empty squares and the first piece behind it. ``origins``
    has at most one square for each direction.
    """
    return _step(_run(origins, empty)) & BOARD


class _Lines(NamedTuple):
    """Lines from a king in each direction, uint32[8, ...]."""

    visible: jax.Array  # the run of empty squares next to the king, and the first piece behind it
    checks: jax.Array  # the first piece, if it gives check
    pinned: jax.Array  # the first piece, if it is own and shields the king from an enemy


def _lines(pieces: Pieces, own: jax.Array, enemy: jax.Array, steppers: jax.Array) -> _Lines:
    """Returns the lines from the king of ``own``.

    ``steppers``, uint32[8, ...], has the enemy pieces that attack adjacent squares, by the
    direction from the king to the piece.
    """
    king, occupied = _spread(pieces.king & own), ~pieces.empty
    sliders = _sliders(pieces.bishop | pieces.horse, pieces.rook | pieces.dragon) & enemy
    visible = _visible(king, pieces.empty)
    first = visible & occupied
    checks = first & (sliders | _step(king) & steppers)
    second = _visible(first & own, pieces.empty) & sliders
    return _Lines(visible, checks, jnp.where(second != 0, first & own, jnp.uint32(0)))


def _attacked(steppers: jax.Array, sliders: jax.Array, empty: jax.Array) -> jax.Array:
    """Returns uint32[1, ...]: squares attacked by pieces that step or slide in each direction."""
    return _any_lane(_step(steppers | _run(sliders, empty))) & BOARD


class Moves(NamedTuple):
    """The target squares of legal moves."""

    plain: jax.Array  # uint32[8, ...]: by direction, without promotion
    promoting: jax.Array  # uint32[8, ...]: by direction, with promotion
    drops: jax.Array  # uint32[5, ...]: by kind of piece, in the order of ``HELD``


def legal_moves(boards: jax.Array, hand: jax.Array) -> Moves:
    """Returns the legal moves of the side to move.

    Args:
      boards: uint32[5, ...], the boards of ``MiniShogiState``.
      hand: uint32[...], the pieces in hand, with ``KIND_BITS`` bits for each kind of ``HELD``.
    """
    pieces = pieces_of(boards)
    own, enemy, empty = pieces.own, pieces.enemy, pieces.empty
    steps = _steppers(pieces)
    lines = _lines(pieces, own, enemy, steps & enemy)
    checks, pinned = lines.checks, lines.pinned
    checker = _any_lane(checks)
    checked, twice = checker != 0, (checker & (checker - 1)) != 0
    # A single check can be parried on its line or by a king move, a double check by a king move.
    parries = _any_lane(jnp.where(checks != 0, lines.visible, jnp.uint32(0)))
    parries = jnp.where(twice, jnp.uint32(0), jnp.where(checked, parries, BOARD))

    free = own & ~pieces.king & ~(_any_lane(pinned) & ~(pinned | _opposite(pinned)))
    target = parries & ~own
    # Pieces that can promote, split by origin: on the far row (``inside``) or not (``outside``).
    unpromoted = _sliders(pieces.bishop, pieces.rook) & free
    stepping, sliding = steps & free, _sliders(pieces.horse, pieces.dragon) & free
    promotable = pieces.silver | pieces.pawn
    inside = _step(stepping & promotable & FAR_ROW | _run(unpromoted & FAR_ROW, empty))
    outside = _step(stepping & promotable & ~FAR_ROW | _run(unpromoted & ~FAR_ROW, empty))
    others = _step(stepping & ~promotable | _run(sliding, empty))
    promoting = (inside | outside & FAR_ROW) & target
    forced = _step(stepping & pieces.pawn) & FAR_ROW

    king = pieces.king & own
    danger = _attacked(
        _opposite(steps) & enemy,
        _sliders(pieces.bishop | pieces.horse, pieces.rook | pieces.dragon) & enemy,
        empty | king,
    )
    king_moves = _step(_spread(king)) & BOARD & ~own & ~danger
    plain = (inside | outside | others) & target & ~forced | king_moves
    return Moves(plain, promoting, _drops(pieces, steps, hand[None], parries & empty))


def _drops(pieces: Pieces, steps: jax.Array, hand: jax.Array, target: jax.Array) -> jax.Array:
    """Returns uint32[5, ...]: the squares on which each kind in ``hand`` may be dropped.

    ``target`` are the squares on which the rules of check allow a drop.
    """
    pawns = pieces.own & pieces.pawn
    files = pawns
    # Three steps in each direction suffice, because an unpromoted pawn is on one of four rows.
    for rows in (1, 2):
        files = files | files << np.uint32(rows * STRIDE) | files >> np.uint32(rows * STRIDE)
    barred = files | FAR_ROW | _mating_drop(pieces, steps)
    parts = []
    for number, kind in enumerate(HELD):
        held = hand >> np.uint32(KIND_BITS * number) & np.uint32(KIND_MASK)
        parts.append(
            jnp.where(held != 0, target & ~barred if kind == PAWN else target, jnp.uint32(0))
        )
    return jnp.concatenate(parts)


def _mating_drop(pieces: Pieces, steps: jax.Array) -> jax.Array:
    """Returns uint32[1, ...]: the square in front of the enemy king, if a pawn dropped there mates.

    Only the king and unpinned pieces can capture the pawn, and no piece can be interposed. The
    dropped pawn itself can block lines of its own side.
    """
    own, enemy, king = pieces.own, pieces.enemy, pieces.king & pieces.enemy
    drop = king << np.uint32(STRIDE) & BOARD
    empty = pieces.empty & ~drop
    ours = _attacked(
        steps & own,
        _sliders(pieces.bishop | pieces.horse, pieces.rook | pieces.dragon) & own,
        empty | king,
    )
    king_moves = _any_lane(_step(_spread(king))) & BOARD & ~enemy & ~ours
    pinned = _lines(pieces, enemy, own, jnp.zeros_like(steps)).pinned & ~_lane(lanes([DOWN]), own)
    capturers = enemy & ~king & ~_any_lane(pinned)
    sliders = _sliders(pieces.bishop | pieces.horse, pieces.rook | pieces.dragon) & capturers
    captured = _attacked(_opposite(steps) & capturers, sliders, empty) & drop
    return jnp.where((king_moves | captured) == 0, drop, jnp.uint32(0))
