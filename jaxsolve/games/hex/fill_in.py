"""``fill_in``: fills dead, captured and permanently inferior cells of a Hex position."""

from __future__ import annotations

import numpy as np

from jaxsolve.games.hex.inferior import (
    SIZE,
    WORDS,
    box_of,
    lowest_bit,
    near_cell,
    read_rows,
    ring_of,
    write_set,
)
from jaxsolve.games.hex.patterns import OTHER, OWN, REGION, TARGET
from jaxsolve.jit.host import compiled

_ONE, _ZERO = np.uint64(1), np.uint64(0)


@compiled
def _matching(inferior, own, other):
    """Returns the number of a fill pattern that matches boxes of stones, or -1."""
    ring = np.int64(ring_of(own) | ring_of(other) << np.uint64(6))
    for at in range(inferior.fill_starts[ring], inferior.fill_starts[ring + 1]):
        number = inferior.fill_numbers[at]
        if (
            inferior.fill_patterns[number, OWN] & ~own == _ZERO
            and inferior.fill_patterns[number, OTHER] & ~other == _ZERO
            and inferior.fill_patterns[number, REGION] & (own | other) == _ZERO
        ):
            return np.int64(number)
    return np.int64(-1)


@compiled
def fill_in(inferior, stones, todo):
    """Fills cells until no pattern matches around the cells of ``todo``, and returns how many.

    The stones p become X. X has the winner of p, with either side to move: a stone of a colour c
    changes nothing for c by the local order, and it cannot help the opponent of c. Each fill is
    made before the next pattern is tested, since two fills may not hold together.

    Fill i is in ``fill_colours[i]``, ``fill_cells[i]`` and ``fill_regions[i]``. All cells of the
    region were empty just before it. The region proves the fill with the stones of that time.

    Args:
      inferior: memory of ``make_inferior``.
      stones: uint64[2, W], Black's and White's stones; changed.
      todo: uint64[W], the cells to look at; empty afterwards. ``everywhere`` gives all cells. If
        nothing was left to fill before some stones were placed, ``near_cell`` of these suffices.
    """
    size, words = inferior.facts[SIZE], inferior.facts[WORDS]
    read_rows(inferior, stones)
    count = np.int64(0)
    word = np.int64(0)
    while word < words:
        left = todo[word] & ~(stones[0, word] | stones[1, word])
        if left == _ZERO:
            todo[word] = _ZERO
            word += 1
            continue
        cell = 64 * word + lowest_bit(left)
        todo[word] = left & (left - _ONE)
        row, column = cell // size, cell % size
        black = box_of(inferior, 0, row, column)
        white = box_of(inferior, 1, row, column)
        colour = np.int64(0)
        number = _matching(inferior, black, white)
        if number < 0:
            colour = np.int64(1)
            number = _matching(inferior, white, black)
        if number < 0:
            continue
        target = inferior.fill_patterns[number, TARGET]
        inferior.fill_colours[count] = colour
        write_set(inferior, target, cell, inferior.fill_cells, count)
        write_set(
            inferior, inferior.fill_patterns[number, REGION], cell, inferior.fill_regions, count
        )
        for at in range(words):
            filled = inferior.fill_cells[count, at]
            stones[colour, at] |= filled
            while filled != _ZERO:
                near_cell(inferior, 64 * at + lowest_bit(filled), todo)
                filled &= filled - _ONE
        read_rows(inferior, stones)
        count += 1
        word = np.int64(0)
    return count
