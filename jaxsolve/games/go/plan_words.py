"""Fast test for unconditional life on a small part of a Go board, for the search of ``plans``.

A board is a pair of uint64 words in registers. The result of the test equals ``plan_life.alive``.
The test takes a fraction of the time, because a step of a flood fill takes a few instructions for
the whole board. The box around the examined points (FIELD) must fit into two words.

A row of the box takes ``stride`` bits: one for each column, and an empty bit. The first ``rows``
rows lie in the low word, the others in the high word.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from jaxsolve.jit.host import compiled, inner

FIELD, WALL, OWN, OTHER, CRUX = range(0, 10, 2)  # indices of boards in ``words``
WORDS = 10  # uint64 words that hold the boards of a position
NOTHING, ONE = np.uint64(0), np.uint64(1)


class Board(NamedTuple):
    """A set of points of the box."""

    low: np.uint64
    high: np.uint64


class Box(NamedTuple):
    """The part of the board that is examined, and its place in a pair of words."""

    top: int  # first row
    bottom: int  # last row
    left: int  # first column
    rows: Any  # int64: rows in a word; 0 if the box does not fit
    stride: np.uint64  # bits of a row
    edge: np.uint64  # bits from the first to the last row of a word


@inner
def box_of(top, bottom, left, right):
    """Returns the ``Box`` of the rows ``top`` to ``bottom`` and the columns ``left`` to ``right``.

    ``rows`` is 0 if the box does not fit into two words.
    """
    stride = right - left + 2
    rows = 63 // stride
    if bottom - top + 1 > 2 * rows:
        rows = np.int64(0)
    return Box(top, bottom, left, rows, np.uint64(stride), np.uint64(stride * max(rows - 1, 0)))


@inner
def pack(scratch, board, box: Box):
    """Returns the ``Board`` of a board of rows, given by the index of its first word."""
    low = high = NOTHING
    shift = NOTHING
    for i in range(min(box.rows, box.bottom - box.top + 1)):
        low |= np.uint64(scratch[board + box.top + i] >> box.left) << shift
        shift += box.stride
    shift = NOTHING
    for i in range(box.top + box.rows, box.bottom + 1):
        high |= np.uint64(scratch[board + i] >> box.left) << shift
        shift += box.stride
    return Board(low, high)


@inner
def _beside(x: Board, box: Box):
    """Returns the points of ``x`` and their neighbours, which can include bits outside the box."""
    s, edge = box.stride, box.edge
    low = x.low | x.low << ONE | x.low >> ONE | x.low << s | x.low >> s | x.high << edge
    high = x.high | x.high << ONE | x.high >> ONE | x.high << s | x.high >> s | x.low >> edge
    return Board(low, high)


@inner
def _flood(x: Board, within: Board, box: Box):
    """Returns the connected components of ``within`` that contain points of ``x``."""
    low, high = x.low & within.low, x.high & within.high
    while True:
        wide = _beside(Board(low, high), box)
        more_low, more_high = wide.low & within.low, wide.high & within.high
        if more_low == low and more_high == high:
            return Board(low, high)
        low, high = more_low, more_high


@inner
def _first(x: Board):
    """Returns the set of the first point of a set; the empty set for the empty set."""
    if x.low:
        return Board(x.low & (~x.low + ONE), NOTHING)
    return Board(NOTHING, x.high & (~x.high + ONE))


@inner
def _is_empty(x: Board):
    return x.low | x.high == NOTHING


@inner
def _both(x: Board, y: Board):
    return Board(x.low & y.low, x.high & y.high)


@inner
def _either(x: Board, y: Board):
    return Board(x.low | y.low, x.high | y.high)


@inner
def _without(x: Board, y: Board):
    return Board(x.low & ~y.low, x.high & ~y.high)


@inner
def _board(words, which):
    return Board(words[which], words[which + 1])


@compiled
def lives(words, added: Board, box: Box, any_chain):
    """Whether the side lives unconditionally after the stones ``added`` are placed.

    ``words`` uint64[WORDS] has the boards FIELD to CRUX, which are those of ``plan_life``. Here
    CRUX has own stones only. ``any_chain`` is as in ``plan_life.alive``.
    """
    field, wall = _board(words, FIELD), _board(words, WALL)
    own, other = _board(words, OWN), _board(words, OTHER)
    mine = _either(own, _without(added, other))
    empties = _without(field, _either(mine, other))
    free = _both(_either(_beside(empties, box), wall), other)
    taken = _without(other, _flood(free, other, box))
    mine = _either(mine, _both(taken, added))
    empties = _either(empties, _without(taken, added))
    # Benson's algorithm as in ``go.benson``. A region is vital to no chain if it has a point of
    # WALL, or an empty point without an own neighbour.
    others = _without(field, mine)
    hopeless = _either(_without(empties, _beside(mine, box)), _both(others, wall))
    regions = _without(others, _flood(hopeless, others, box))
    if _is_empty(regions):
        return False
    chains = _flood(_both(mine, _beside(regions, box)), mine, box)
    unsure = chains
    while not _is_empty(unsure):
        chain = _flood(_first(unsure), chains, box)
        unsure = _without(unsure, chain)
        near = _beside(chain, box)
        spoilt = _flood(_without(_both(regions, empties), near), regions, box)
        vital = _both(_without(regions, spoilt), near)
        one_region = _flood(_first(vital), regions, box)
        if _is_empty(_without(vital, one_region)):  # fewer than two eyes
            gone = _flood(_both(regions, near), regions, box)
            regions, chains = _without(regions, gone), _without(chains, chain)
            unsure = _both(_either(unsure, _beside(gone, box)), chains)
            if not any_chain and _is_empty(_both(chains, _board(words, CRUX))):
                return False
    return not _is_empty(chains if any_chain else _both(chains, _board(words, CRUX)))
