"""Adds the steps of an H-search to its memory (``connections``), if they are worth keeping.

A pair keeps a full or a semi only if its carrier contains no other one of the pair. It replaces
those that contain it.
"""

from __future__ import annotations

import numpy as np

from jaxsolve.games.hex.connections import (
    CUT,
    DEAD,
    FIRST_CELL,
    MOST_ENTRIES,
    MOST_FULLS,
    MOST_SEMIS,
    MOST_STEPS,
    QUEUED,
    SEMI,
    STEPS,
    load,
    pair_of,
    store,
)
from jaxsolve.jit.host import inner


@inner
def _add_step(found, kind, x, y, low, high, words):
    """Appends a step without parts. Returns its number, or -1 if the memory is full.

    The last place is left for a full between the edges: semis without a common cell must give one.
    """
    step = found.counts[STEPS]
    if step + (1 if x + y > 1 or kind == SEMI else 0) >= found.facts[MOST_STEPS]:
        found.counts[CUT] = 1
        return np.int64(-1)
    found.counts[STEPS] = step + 1
    found.kind[step] = kind
    found.ends[step, 0], found.ends[step, 1] = min(x, y), max(x, y)
    store(found.carrier, step, low, high, words)
    return step


@inner
def add_entry(found, step, x, y, words):
    """Lists a full at its endpoint ``x``, for the AND rule."""
    part = np.int64(1) if y >= found.counts[FIRST_CELL] else np.int64(0)
    at = found.entry_count[x, part]
    if at >= found.facts[MOST_ENTRIES]:
        found.counts[CUT] = 1
        return
    found.entry_count[x, part] = at + 1
    found.entry_end[x, part, at], found.entry_step[x, part, at] = y, step
    found.entry_cells[x, part, at, 0] = found.carrier[step, 0] | found.bits[y, 0]
    if words == 2:
        found.entry_cells[x, part, at, 1] = found.carrier[step, 1] | found.bits[y, 1]


@inner
def _list_full(found, pair, step, low, high, words):
    """Adds a full to the list of its pair."""
    found.later[step], found.full_head[pair] = found.full_head[pair], step
    found.full_count[pair] += 1
    meet = load(found.full_meet, pair, words)
    store(found.full_meet, pair, meet[0] & low, meet[1] & high, words)


@inner
def _replace(found, head, count, pair, low, high, words):
    """Removes the steps of a pair whose carriers contain a new one, and returns how many.

    Returns -1 if the new carrier contains that of a step. ``head`` and ``count`` are the lists of
    the fulls or of the semis.
    """
    step, before, replaced = np.int64(head[pair]), np.int64(-1), np.int64(0)
    while step >= 0:
        old = load(found.carrier, step, words)
        after = np.int64(found.later[step])
        if (old[0] & ~low) | (old[1] & ~high) == np.uint64(0):
            return np.int64(-1)
        if (low & ~old[0]) | (high & ~old[1]) == np.uint64(0):
            replaced += 1
            found.kind[step] |= np.uint8(DEAD)
            count[pair] -= 1
            if before < 0:
                head[pair] = after
            else:
                found.later[before] = after
        else:
            before = step
        step = after
    return replaced


@inner
def _admit_full(found, pair, low, high, words):
    """Whether a pair has use for a full with this carrier. Removes the fulls that it replaces."""
    meet = load(found.full_meet, pair, words)
    if found.full_count[pair] == 0:
        return True
    shrinks = (meet[0] & ~low) | (meet[1] & ~high) != np.uint64(0)
    if not shrinks and found.full_count[pair] == 1:
        return False  # it contains the only one
    replaced = _replace(found, found.full_head, found.full_count, pair, low, high, words)
    return replaced >= 0 and (shrinks or replaced > 0)


@inner
def add_full(found, kind, x, y, low, high, words):
    """Adds a full of the endpoints x, y if the pair has use for it. Returns its step or -1."""
    pair = pair_of(x, y)
    if not _admit_full(found, pair, low, high, words):
        return np.int64(-1)
    if found.full_count[pair] >= found.facts[MOST_FULLS]:
        meet = load(found.full_meet, pair, words)
        if (meet[0] & ~low) | (meet[1] & ~high) == np.uint64(0):
            return np.int64(-1)
    step = _add_step(found, kind, x, y, low, high, words)
    if step >= 0:
        _list_full(found, pair, step, low, high, words)
    return step


@inner
def _admit_semi(found, pair, low, high, words):
    """Whether a pair has use for a semi with this carrier. Removes the semis that it replaces."""
    if _replace(found, found.semi_head, found.semi_count, pair, low, high, words) < 0:
        return False
    if found.semi_count[pair] >= found.facts[MOST_SEMIS]:
        meet = load(found.semi_meet, pair, words)
        return (meet[0] & ~low) | (meet[1] & ~high) != np.uint64(0)
    return True


@inner
def add_semi(found, x, y, low, high, words):
    """Adds a semi if its pair has use for it. Returns its step or -1.

    The pair waits for the OR rule once its semis have no common cell.
    """
    pair = pair_of(x, y)
    useful = load(found.full_meet, pair, words)
    if (useful[0] & ~low) | (useful[1] & ~high) == np.uint64(0):
        return np.int64(-1)  # no OR of this semi makes the intersection of the fulls smaller
    if not _admit_semi(found, pair, low, high, words):
        return np.int64(-1)
    step = _add_step(found, SEMI, x, y, low, high, words)
    if step < 0:
        return step
    found.later[step], found.semi_head[pair] = found.semi_head[pair], step
    found.semi_count[pair] += 1
    meet = load(found.semi_meet, pair, words)
    meet = (meet[0] & low, meet[1] & high)
    store(found.semi_meet, pair, meet[0], meet[1], words)
    if meet[0] | meet[1] == np.uint64(0) and found.waits[pair] == 0:
        found.waits[pair] = 1
        ring = found.counts[QUEUED] % len(found.queue)
        found.queue[ring] = pair
        found.counts[QUEUED] += 1
    return step
