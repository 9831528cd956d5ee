"""Plans of life: small sets of stones that make a side of Go alive if the opponent only passes.

A *plan* is a set of points. If the side has a stone on each of them, it is unconditionally alive.
The search for a plan chooses two points as future eyes and places stones on all other points. After
the removal of opponent's chains without liberties, the side is nearly always alive. The search then
removes added stones as long as the side lives, beginning with the stones far from the eyes. This is
the relaxation of Hoffmann & Nebel 2001, "The FF planning system", sec. 4: effects of actions are
never undone.

Plans order moves and initialise proof numbers. They do not decide positions. Therefore the order of
the stones, ko and suicide can be ignored.

Boards are rows of bits (``plan_life``). A point is the number 32 * row + column.
"""

from __future__ import annotations

import numpy as np

from jaxsolve.games.go.plan_life import (
    ADDED,
    BEST_PLAN,
    EMPTIES,
    OTHER,
    OWN,
    THEIRS,
    alive,
    has_point,
    read_boards,
    widen,
)
from jaxsolve.games.go.plan_life import SCRATCH as BEFORE
from jaxsolve.games.go.zone_board import (
    ROWS_A_WORD,
    SIZE,
    TSUMEGO,
    add_action,
    has_action,
    region_at,
)
from jaxsolve.games.zones import HINT_ONLY, SEARCH_ALL
from jaxsolve.jit.host import compiled, inner

FREE, ORDER, COST = (BEFORE + 512 * i for i in range(3))
BUCKET = BEFORE + 512 * 3
PAIRS = BUCKET + 128
CLOSE = PAIRS + 192
SCRATCH = CLOSE + 32
MAX_PAIRS, FEW_PAIRS = 64, 16  # most pairs of eyes tried: anywhere, and near the last move
ALL, ENOUGH, FEW = 64, 6, 4  # numbers of pairs of eyes with life after which the search stops
NONE_FOUND, NOT_ALIVE = 1 << 14, 1 << 15  # results other than the size of a plan


@compiled
def plan(state, action, zone, out, facts, scratch):
    """Callback ``plan`` of ``jaxsolve.games.zones``: writes the stones that a side needs for life.

    ``zone`` is a hint: the plan of a nearby position. If the hint still gives life, it becomes the
    plan, without its unnecessary stones. If in addition the side that is to live made the last move
    at a point outside the hint, pairs of eyes near this move are also tried. If the hint does not
    give life, or with ``SEARCH_ALL``, pairs on the whole board are tried. With ``HINT_ONLY`` no
    pairs are tried.
    """
    for i in range(len(out)):
        out[i] = np.uint32(0)
    n, (white, any_chain) = facts[SIZE], read_boards(facts, state, scratch)
    free = _list_free(facts, state, scratch)
    hinted = np.int64(0)
    for row in range(n + 2):
        scratch[ADDED + row] = 0
    for i in range(free):
        point = np.int64(scratch[FREE + i])
        if has_action(zone, _action(n, point)):
            scratch[ADDED + (point >> 5)] |= 1 << (point & 31)
            scratch[ORDER + hinted] = point
            hinted += 1
    best, here = np.int64(NONE_FOUND), np.int64(-1)
    if hinted and alive(scratch, n, any_chain):
        best = _thin(scratch, n, any_chain, hinted, best)
        _keep(scratch, n)
        if 0 <= action < n * n and not has_action(zone, action):
            here = 32 * (action // n + 1) + action % n
            if not has_point(scratch, OWN, here):
                here = np.int64(-1)
    if action != HINT_ONLY and (here >= 0 or best == NONE_FOUND or action == SEARCH_ALL):
        found, wanted = 0, FEW if here >= 0 else ENOUGH if hinted else ALL
        for number in range(_choose_pairs(scratch, n, free, zone, here)):
            size = _try_pair(scratch, n, any_chain, free, number, best)
            found += size != NOT_ALIVE
            if size < best:
                best = size
                _keep(scratch, n)
            if found == wanted:
                break
    if best == NONE_FOUND:
        return np.int64(-2) + white
    widen(scratch, BEST_PLAN, THEIRS, n)
    widen(scratch, THEIRS, EMPTIES, n)
    half = len(out) // 2
    for i in range(free):
        point = np.int64(scratch[FREE + i])
        if has_point(scratch, BEST_PLAN, point):
            add_action(out[:half], _action(n, point))
        elif has_point(scratch, EMPTIES, point):
            add_action(out[half:], _action(n, point))
    return 2 * best + white


@inner
def _action(n, point):
    return ((point >> 5) - 1) * n + (point & 31)


@inner
def _list_free(facts, state, scratch):
    """Lists in FREE the points of the region without an own stone. Returns their number.

    Points with an opponent's stone are included, because the stone can be captured.
    """
    n, per = facts[SIZE], facts[ROWS_A_WORD]
    free = np.int64(0)
    for row in range(n):
        open_row = (1 << n) - 1 & ~scratch[OWN + row + 1]
        if facts[TSUMEGO]:
            open_row &= np.int64(state[region_at(facts) + row // per]) >> np.int64(
                (row % per) * (n + 1)
            )
        for column in range(n):
            if open_row >> column & 1:
                scratch[FREE + free] = 32 * (row + 1) + column
                free += 1
    return free


@inner
def _keep(scratch, n):
    for row in range(n + 2):
        scratch[BEST_PLAN + row] = scratch[ADDED + row]


@inner
def _toggle(scratch, first, last):
    for i in range(first, last):
        point = scratch[ORDER + i]
        scratch[ADDED + (point >> 5)] ^= 1 << (point & 31)


@compiled
def _thin(scratch, n, any_chain, count, best):
    """Removes unnecessary stones from ADDED and returns the number of remaining stones.

    ADDED has the first ``count`` points of ORDER. They are tested in this order. A stone is removed
    if the side still lives without it. Returns NONE_FOUND as soon as ``best`` stones are necessary.
    """
    needed, at, block = np.int64(0), np.int64(0), max(np.int64(1), count // 2)
    while at < count:
        block = min(block, count - at)
        _toggle(scratch, at, at + block)
        if alive(scratch, n, any_chain):
            at += block
            block *= 2
            continue
        _toggle(scratch, at, at + block)
        if block > 1:
            block = block // 2
            continue
        needed += 1
        at += 1
        if needed >= best:
            return np.int64(NONE_FOUND)
    return needed


@inner
def _distance(one, other):
    return abs((one >> 5) - (other >> 5)) + abs((one & 31) - (other & 31))


@inner
def _cost(scratch, n, zone, point):
    """Returns the estimated cost of making a point an eye, in half stones.

    The cost of a point in or next to the plan ``zone`` is lower.
    """
    cost, close = np.int64(0), has_action(zone, _action(n, point))
    for k in range(4):
        near = point + (-32 if k == 0 else 32 if k == 1 else -1 if k == 2 else 1)
        if near >> 5 < 1 or near >> 5 > n or (k > 1 and (near & 31) >= n):
            continue
        if has_point(scratch, OTHER, near):
            cost += 4
        elif not has_point(scratch, OWN, near):
            cost += 2
            close = close or has_action(zone, _action(n, near))
    return cost - 2 * close + 2 * has_point(scratch, OTHER, point)


@compiled
def _choose_pairs(scratch, n, free, zone, here):
    """Lists in PAIRS the cheapest pairs of points for two eyes. Returns the number of pairs.

    If ``here`` is a point, at least one eye of each pair is near this point. -1 allows all pairs.
    """
    least, close = np.int64(99), np.int64(0)
    for i in range(free):
        point = np.int64(scratch[FREE + i])
        scratch[COST + i] = _cost(scratch, n, zone, point)
        least = min(least, np.int64(scratch[COST + i]))
        if here >= 0 and _distance(point, here) <= 2:
            scratch[CLOSE + close] = i
            close += 1
    count = np.int64(0)
    for i in range(free):
        one = np.int64(scratch[FREE + i])
        if here < 0:
            count = _rank_pairs(scratch, i, i, free, count, MAX_PAIRS, least)
            continue
        for k in range(close):
            j = np.int64(scratch[CLOSE + k])
            if i <= j or _distance(one, here) > 2:
                count = _rank_pairs(scratch, i, j, j + 1, count, FEW_PAIRS, least)
    return count


@inner
def _rank_pairs(scratch, i, first, last, count, most, least):
    """Inserts pairs of points into PAIRS, cheapest first, and returns the new length of the list.

    Each pair consists of entry ``i`` of FREE and one of the entries ``first`` to ``last - 1``.
    ``count`` is the old length of the list, and ``most`` is its largest length. ``least`` is the
    lowest cost of a point.
    """
    one = np.int64(scratch[FREE + i])
    for j in range(first, last):
        other = np.int64(scratch[FREE + j])
        if (
            count == most
            and scratch[COST + i] + least + (other >> 5) - (one >> 5)
            >= scratch[PAIRS + 3 * (most - 1)]
        ):
            break  # the points are listed row by row
        score = scratch[COST + i] + scratch[COST + j] + _distance(one, other)
        if count == most and score >= scratch[PAIRS + 3 * (most - 1)]:
            continue
        at = min(count, most - 1)
        while at > 0 and scratch[PAIRS + 3 * (at - 1)] > score:
            for k in range(3):
                scratch[PAIRS + 3 * at + k] = scratch[PAIRS + 3 * (at - 1) + k]
            at -= 1
        scratch[PAIRS + 3 * at], scratch[PAIRS + 3 * at + 1], scratch[PAIRS + 3 * at + 2] = (
            score,
            one,
            other,
        )
        count = min(count + 1, most)
    return count


@compiled
def _try_pair(scratch, n, any_chain, free, number, best):
    """Searches for a plan with the eyes of pair ``number`` of PAIRS. Returns the size of the plan.

    Writes the plan to ADDED. Returns NONE_FOUND if the plan is not smaller than ``best``, and
    NOT_ALIVE if the side does not live with these eyes.
    """
    one, other = (
        np.int64(scratch[PAIRS + 3 * number + 1]),
        np.int64(scratch[PAIRS + 3 * number + 2]),
    )
    furthest = 4 * n
    for row in range(n + 2):
        scratch[ADDED + row] = 0
    for i in range(furthest + 2):
        scratch[BUCKET + i] = 0
    for i in range(free):
        point = np.int64(scratch[FREE + i])
        if point != one and point != other:
            scratch[ADDED + (point >> 5)] |= 1 << (point & 31)
            scratch[BUCKET + 1 + furthest - _distance(point, one) - _distance(point, other)] += 1
    if not alive(scratch, n, any_chain):
        return np.int64(NOT_ALIVE)
    for i in range(furthest):
        scratch[BUCKET + i + 1] += scratch[BUCKET + i]
    count = np.int64(0)
    for i in range(free):
        point = np.int64(scratch[FREE + i])
        if point != one and point != other:
            bucket = BUCKET + furthest - _distance(point, one) - _distance(point, other)
            scratch[ORDER + scratch[bucket]] = point
            scratch[bucket] += 1
            count += 1
    return _thin(scratch, n, any_chain, count, best)
