"""Knowledge about one Hex position: its winner, or the moves that its mover must choose from.

``analyse`` first fills inferior cells (``fill_in``); all else is about X, the position with the
fills. Then it searches for connections of both colours. The mover wins with a semi or a full
between its edges. The opponent wins with a full. Otherwise the mover must play into every semi of
the opponent between its edges: the intersection of their carriers is the *must-play region*
(Hayward et al. 2003). A few semis with the same intersection are listed as *threats*. Moves that
another move dominates are left out of the region.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np

from jaxsolve.games.hex.connections import (
    BOARD,
    JOINED,
    SEMI,
    Connections,
    Limits,
    load,
    make_connections,
    words_of,
)
from jaxsolve.games.hex.derivation import Line, cells_of, derivation, derivations
from jaxsolve.games.hex.domination import dominated
from jaxsolve.games.hex.fill_in import fill_in
from jaxsolve.games.hex.h_search import FIND_FULL, FIND_SEMI, best_part, search
from jaxsolve.games.hex.inferior import Inferior, everywhere, make_inferior, near_cell
from jaxsolve.jit.host import compiled, inner
from jaxsolve.jit.struct import by_pointer

# Items of ``result``.
SIDE, WINNER, STEP, KEY, THREATS, FILLS, REMOVED, RESULT = range(8)
MOST_THREATS = 128  # each threat removes a cell from the must-play region


@by_pointer
class Knowledge(NamedTuple):
    """Memory and result of ``analyse``. The result stays until the next call."""

    own: Connections  # connections of the mover
    other: Connections  # connections of the opponent; searched only if ``own`` does not decide
    inferior: Inferior  # the fills, and the moves left out
    stones: np.ndarray  # uint64[2, W]: the stones of each colour in X
    # int64[RESULT]. SIDE: the mover. WINNER: the colour that wins, or -1. STEP: the winner's step
    # between its edges, or -1 if its stones join them. KEY: the cell that the mover plays first if
    # it wins by a semi, or -1. THREATS: number of threats. FILLS: number of fills (``fill_in``).
    # REMOVED: number of moves left out (``dominated``).
    result: np.ndarray
    # uint64[W]: the must-play region without the moves left out if WINNER is -1, else empty
    must_play: np.ndarray
    threats: np.ndarray  # int32[MOST_THREATS]: semis of ``other`` that bound the must-play region


def make_knowledge(size: int, limits: Limits | None = None) -> Knowledge:
    """Returns the memory for boards of ``size``; raises ValueError for a size above 11."""
    words = words_of(size)
    return Knowledge(
        make_connections(size, limits),
        make_connections(size, limits),
        make_inferior(size),
        np.zeros((2, words), np.uint64),
        np.zeros(RESULT, np.int64),
        np.zeros(words, np.uint64),
        np.zeros(MOST_THREATS, np.int32),
    )


@inner
def _decide(knowledge, winner, step, found):
    """Writes the winner and its step between the edges, or -1."""
    result = knowledge.result
    result[WINNER], result[STEP] = winner, step
    # A full wins without a first move.
    if step >= 0 and found.kind[step] == SEMI:
        result[KEY] = found.cell[np.int64(found.key[step])]


@inner
def _list_threats(knowledge, words):
    """Writes the must-play region, and semis of the opponent that have it as intersection."""
    found, result = knowledge.other, knowledge.result
    board = load(found.masks, BOARD, words)
    taken = (
        knowledge.stones[0, 0] | knowledge.stones[1, 0],
        knowledge.stones[0, words - 1] | knowledge.stones[1, words - 1],
    )
    meet = (board[0] & ~taken[0], board[1] & ~taken[1])
    union = (np.uint64(0), np.uint64(0))
    step = best_part(found, np.int64(0), meet, union, words)
    while step >= 0 and result[THREATS] < MOST_THREATS:
        knowledge.threats[result[THREATS]] = step
        result[THREATS] += 1
        cells = load(found.carrier, step, words)
        meet = (meet[0] & cells[0], meet[1] & cells[1])
        union = (union[0] | cells[0], union[1] | cells[1])
        step = best_part(found, np.int64(0), meet, union, words)
    knowledge.must_play[0] = meet[0]
    if words == 2:
        knowledge.must_play[words - 1] = meet[1]
    result[REMOVED] = dominated(
        knowledge.inferior, knowledge.stones, result[SIDE], knowledge.must_play
    )
    left = knowledge.must_play[0] | knowledge.must_play[words - 1]
    if left == np.uint64(0):
        # All moves lose, since the better ones lie outside the region. Rows must list some.
        result[REMOVED] = 0
        knowledge.must_play[0] = meet[0]
        if words == 2:
            knowledge.must_play[words - 1] = meet[1]


@compiled
def fill(knowledge, stones, cell):
    """Writes X, the position ``stones`` uint64[2, W] with its inferior cells filled.

    If ``cell`` is not -1, nothing was left to fill before the stone on it was placed. X and the
    list of the fills are the same as with -1: elsewhere no pattern matches, so the first one that
    does is the same.
    """
    for colour in range(2):
        for i in range(stones.shape[1]):
            knowledge.stones[colour, i] = stones[colour, i]
    todo = knowledge.must_play  # work space here
    for i in range(len(todo)):
        todo[i] = np.uint64(0)
    if cell < 0:
        everywhere(knowledge.inferior, todo)
    else:
        near_cell(knowledge.inferior, cell, todo)
    knowledge.result[FILLS] = fill_in(knowledge.inferior, knowledge.stones, todo)


@inner
def analyse_in(knowledge, stones, side, cell, words):
    """``analyse`` within compiled code; ``cell`` as in ``fill``, ``words`` is W as a constant."""
    result = knowledge.result
    result[SIDE], result[WINNER], result[STEP], result[KEY], result[THREATS] = side, -1, -1, -1, 0
    fill(knowledge, stones, cell)
    result[REMOVED] = 0
    for i in range(words):
        knowledge.must_play[i] = np.uint64(0)
    step = search(knowledge.own, knowledge.stones, side, FIND_SEMI, words)
    if step >= 0 or knowledge.own.counts[JOINED] != 0:
        _decide(knowledge, side, step, knowledge.own)
        return side
    step = search(knowledge.other, knowledge.stones, 1 - side, FIND_FULL, words)
    if step >= 0 or knowledge.other.counts[JOINED] != 0:
        _decide(knowledge, 1 - side, step, knowledge.other)
        return 1 - side
    _list_threats(knowledge, words)
    return np.int64(-1)


@compiled
def analyse(knowledge, stones, side):
    """Analyses a position of at most 64 cells (W = 1) with ``side`` to move.

    Args:
      knowledge: the ``Knowledge`` that receives the result.
      stones: uint64[2, W], the stones of each colour.
      side: the colour to move, int64.
    Returns:
      The winner, or -1.
    """
    return analyse_in(knowledge, stones, side, np.int64(-1), np.int64(1))


@compiled
def analyse_wide(knowledge, stones, side):
    """Like ``analyse``, on a board of 65 to 128 cells (W = 2)."""
    return analyse_in(knowledge, stones, side, np.int64(-1), np.int64(2))


def analysis_of(size: int) -> Callable[[Knowledge, np.ndarray, int], Any]:
    """Returns ``analyse`` or ``analyse_wide``, whichever is for boards of ``size``."""
    return analyse if words_of(size) == 1 else analyse_wide


class Verdict(NamedTuple):
    """What ``analyse`` found, for a certificate."""

    side: int  # the mover
    winner: int | None
    move: int | None  # the first move of a winning semi
    lines: list[Line]  # derivation of the winner's connection; empty if its stones join the edges
    must_play: list[int]  # cells, if there is no winner
    # The semis that bound the must-play region, in ``lines``: index of each semi's line.
    threats: list[int]


def verdict(knowledge: Knowledge) -> Verdict:
    """Returns the last result of ``analyse``."""
    side, winner, step, key, threats = knowledge.result[: THREATS + 1].tolist()
    if winner >= 0:
        found = knowledge.own if winner == side else knowledge.other
        lines = derivation(found, step) if step >= 0 else []
        return Verdict(side, winner, key if key >= 0 else None, lines, [], [])
    lines, indices = derivations(knowledge.other, knowledge.threats[:threats].tolist())
    return Verdict(side, None, None, lines, cells_of(knowledge.must_play), indices)
