"""The lists of moves of new nodes, from the bit sets and priors of an evaluator's row."""

from __future__ import annotations

import numpy as np

from jaxsolve.evaluate import Offsets
from jaxsolve.games.row_words import MOVES_A_WORD
from jaxsolve.games.threats import THREATS
from jaxsolve.jit.host import inner
from jaxsolve.search.tree.tree import (
    FORCED_BIT,
    NONE,
)


@inner
def bit(row, at, action):
    """Returns 1 if ``action`` is in the bit set that begins at word ``at`` of ``row``, else 0."""
    return np.int64(row[at + (action >> 5)]) >> (action & 31) & 1


@inner
def has(row, at, action):
    """Whether ``action`` is in the bit set that begins at word ``at`` of ``row``."""
    return bit(row, at, action) != 0


@inner
def _ones(word):
    """Returns the number of bits set in an int64 below 2^32."""
    word -= word >> 1 & 0x55555555
    word = (word & 0x33333333) + (word >> 2 & 0x33333333)
    return ((word + (word >> 4) & 0x0F0F0F0F) * 0x01010101 & 0xFFFFFFFF) >> 24


@inner
def _count(row, at, words):
    """Returns the number of actions in the bit set of ``words`` words from word ``at`` of a row."""
    count = np.int64(0)
    for i in range(at, at + words):
        count += _ones(np.int64(row[i]))
    return count


@inner
def count_moves(row, offsets: Offsets):
    """Returns the number of moves in a row, forcing moves included."""
    count = np.int64(0)
    for i in range(offsets.mask):
        count += _ones(np.int64(row[offsets.legal + i] | row[offsets.forcing + i]))
    return count


@inner
def list_moves(tree, node, row, threat, moves, offsets: Offsets, order):
    """Writes the list of a new node's moves: first the forcing moves, then the other moves.

    Within each group the order is ``order`` for the mover. The row's best moves (``Layout.best``)
    come before all others. If a network gives priors, the whole
    list is sorted by them instead. If the opponent has a threat, ``threat`` is the only move that
    meets it and becomes the only entry; else ``threat`` is negative.
    """
    record = tree.nodes[node]
    top = np.int64(record.list)
    if threat >= 0:  # any other move loses at once
        forces = has(row, offsets.forcing, threat)
        tree.lists[top] = (
            np.uint32(threat)
            | (np.uint32(FORCED_BIT) if forces else np.uint32(0))
            | np.uint32(0xFFFF0000)
        )
        record.forced = 1 if forces else 0
        top += 1
    else:
        record.forced = _count(row, offsets.forcing, offsets.mask)
        following, plain, end = top, top + record.forced, top + moves
        at = np.int64(0)
        # The loop has no data-dependent branch, since half of them would be mispredicted.
        while plain < end:
            action = np.int64(order[record.mover, at])
            forces, legal = bit(row, offsets.forcing, action), bit(row, offsets.legal, action)
            tree.lists[following if forces else plain] = np.uint32(action | forces << 15)
            following += forces
            plain += legal & ~forces
            at += 1
        end = np.int64(record.list) + record.forced
        while following < end:
            action = np.int64(order[record.mover, at])
            tree.lists[following] = np.uint32(action | FORCED_BIT)
            following += bit(row, offsets.forcing, action)
            at += 1
        if offsets.best != NONE:
            _best_first(tree, np.int64(record.list), moves, row, offsets)
        top += moves
        if offsets.priors != NONE:
            _order_by_prior(tree, np.int64(record.list), top, row, offsets)
    record.moves = top - record.list
    threatened = offsets.zone != NONE and row[offsets.threat] != 0
    for i in range(tree.zones.shape[1]):
        tree.open_moves[node, i] = row[offsets.legal + i]
        tree.zones[node, i] = row[offsets.zone + i] if threatened else np.uint32(0)


@inner
def _best_first(tree, first, moves, row, offsets: Offsets):
    """Puts the best moves of a row without forcing moves in front of the entries from ``first``."""
    kept = np.int64(0)
    for i in range(MOVES_A_WORD * offsets.mask):
        word = np.int64(row[offsets.best + i // MOVES_A_WORD])
        action = (word >> 8 * (i % MOVES_A_WORD) & 255) - 1
        if action < 0:
            return
        at = kept
        while at < moves and tree.lists[first + at] & np.uint32(FORCED_BIT - 1) != action:
            at += 1
        if at == moves:
            continue
        entry = tree.lists[first + at]
        while at > kept:
            tree.lists[first + at] = tree.lists[first + at - 1]
            at -= 1
        tree.lists[first + kept] = entry
        kept += 1


@inner
def threats_first(tree, node, words):
    """Moves threats to the front of the group of forcing moves of a new node.

    Threats keep their order, and so do the other forcing moves.
    """
    record = tree.nodes[node]
    first, kept, others = np.int64(record.list), np.int64(0), np.int64(0)
    for i in range(record.forced):
        entry = tree.lists[first + i]
        if has(
            tree.threat_search.out, THREATS * words, np.int64(entry & np.uint32(FORCED_BIT - 1))
        ):
            tree.lists[first + kept] = entry
            kept += 1
        else:
            tree.scratch[others] = entry
            others += 1
    for i in range(others):
        tree.lists[first + kept + i] = np.uint32(tree.scratch[i])


@inner
def _order_by_prior(tree, first, last, row, offsets: Offsets):
    """Sorts list entries ``first..last-1`` stably by decreasing prior.

    The prior of a move is written into the upper half of its entry. This is a radix sort with one
    pass for each byte of the prior. (Numba generates the code of its own sort, which cannot be
    cached, see ``jaxsolve.jit.host``.)
    """
    count = last - first
    for i in range(first, last):
        entry = tree.lists[i]
        action = np.int64(entry & np.uint32(FORCED_BIT - 1))
        fraction = (
            row[offsets.priors + (action >> 1)] >> np.uint32(16 * (action & 1))
        ) & np.uint32(0xFFFF)
        tree.lists[i] = (entry & np.uint32(0xFFFF)) | (fraction << np.uint32(16))
    starts, taken = tree.scratch[:257], tree.scratch[257:]
    for byte in range(2):
        shift = np.uint32(16 + 8 * byte)
        starts[:] = 0
        for i in range(count):
            starts[1 + 255 - ((tree.lists[first + i] >> shift) & np.uint32(255))] += 1
        for value in range(256):
            starts[value + 1] += starts[value]
        for i in range(count):
            value = np.int64(255 - ((tree.lists[first + i] >> shift) & np.uint32(255)))
            taken[starts[value]] = tree.lists[first + i]
            starts[value] += 1
        for i in range(count):
            tree.lists[first + i] = np.uint32(taken[i])
