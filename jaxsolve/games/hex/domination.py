"""``dominated``: leaves out moves of a Hex position that are no better than another move."""

from __future__ import annotations

import numpy as np

from jaxsolve.games.hex.inferior import (
    SIZE,
    WORDS,
    box_of,
    cell_in_box,
    lowest_bit,
    read_rows,
    ring_of,
    write_set,
)
from jaxsolve.games.hex.patterns import OTHER, OWN, REGION, TARGET
from jaxsolve.jit.host import compiled

_ONE, _ZERO = np.uint64(1), np.uint64(0)


@compiled
def _leaves_out(inferior, cell, side, at):
    """Whether a pattern leaves out the move ``cell``; the result is then entry ``at``."""
    row, column = cell // inferior.facts[SIZE], cell % inferior.facts[SIZE]
    own = box_of(inferior, side, row, column)
    other = box_of(inferior, 1 - side, row, column)
    ring = np.int64(ring_of(own) | ring_of(other) << np.uint64(6))
    for place in range(inferior.domination_starts[ring], inferior.domination_starts[ring + 1]):
        number = inferior.domination_numbers[place]
        if (
            inferior.domination_patterns[number, OWN] & ~own != _ZERO
            or inferior.domination_patterns[number, OTHER] & ~other != _ZERO
            or inferior.domination_patterns[number, REGION] & (own | other) != _ZERO
        ):
            continue
        target = lowest_bit(inferior.domination_patterns[number, TARGET])
        better = cell_in_box(inferior, target, row, column)
        last = better
        while inferior.better_than[last] >= 0:
            last = inferior.better_than[last]
        if last == cell:  # the moves dominate each other: one of them must stay
            continue
        inferior.better_than[cell] = inferior.better[at] = better
        inferior.removed[at] = cell
        region = inferior.domination_patterns[number, REGION]
        write_set(inferior, region, cell, inferior.removed_regions, at)
        return True
    return False


@compiled
def dominated(inferior, stones, side, moves):
    """Removes dominated moves from ``moves`` and returns how many.

    Entry i of ``removed``, ``better`` and ``removed_regions`` gives a removed move, a move that is
    at least as good for the side to move, and the region that proves it. Both cells are in the
    region, and all its cells are empty. The better move may be removed too. No move dominates
    itself by a chain of entries, so the last move of each chain stays, or was not in ``moves``.
    If all moves outside ``moves`` lose, then the removed move of such a chain loses too.

    Args:
      inferior: memory of ``make_inferior``.
      stones: uint64[2, W], Black's and White's stones.
      side: int64, the side to move: 0 Black, 1 White.
      moves: uint64[W], the moves considered, all on empty cells; changed.
    """
    read_rows(inferior, stones)
    for cell in range(len(inferior.better_than)):
        inferior.better_than[cell] = -1
    count = np.int64(0)
    for word in range(inferior.facts[WORDS]):
        left = moves[word] & ~(stones[0, word] | stones[1, word])
        while left != _ZERO:
            bit = lowest_bit(left)
            left &= left - _ONE
            if _leaves_out(inferior, 64 * word + bit, np.int64(side), count):
                moves[word] &= ~(_ONE << np.uint64(bit))
                count += 1
    return count
