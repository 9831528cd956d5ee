"""How far a side of Go is from unconditional life: the fewest stones found that make it alive if the opponent only passes.

A *plan* is a set of points. It is found by having every point taken but a pair of future eyes, which is nearly always alive once the opponent's
stones without liberties are off, and by taking stones away again, those far from the eyes first, as long as life remains (the relaxation of planning
by Hoffmann & Nebel 2001, "The FF planning system", sec. 4: what could be reached if nothing were ever undone). It estimates and orders; it decides
nothing, so the order of moves, ko and suicide on the way are left out.

Boards are rows of bits here, one word each, with an empty row above and below; a point is 32 * row + column.
"""

from __future__ import annotations

import numpy as np

from jaxsolve.compiled import compiled, inner
from jaxsolve.games.go.state import ANY_CHAIN, WHITE_DEFENDS
from jaxsolve.games.go.zone_board import LIVING, ROWS_A_WORD, SIZE, TSUMEGO, WORDS, add_action, has_action
from jaxsolve.games.go.zone_board import SCRATCH as BEFORE
from jaxsolve.zoning import HINT_ONLY, SEARCH_ALL

ROWS = 24  # words a board
MOST = 62  # chains, or regions
OWN, OTHER, CRUX, ADDED, BEST_PLAN, MINE, THEIRS, EMPTIES, REST, AROUND, REGION = (BEFORE + ROWS * i for i in range(11))
CHAINS = BEFORE + ROWS * 11
TOP, BOTTOM = CHAINS + ROWS * MOST, CHAINS + ROWS * MOST + MOST  # rows that a chain spans
LOW, HIGH, VITAL_LOW, VITAL_HIGH = (BOTTOM + MOST * i for i in range(1, 5))  # chains beside a region, and those it is vital to, 31 a word
FREE, ORDER, COST = (BOTTOM + MOST * 5 + 512 * i for i in range(3))
BUCKET = BOTTOM + MOST * 5 + 512 * 3
PAIRS = BUCKET + 128
SCRATCH = PAIRS + 256
MOST_PAIRS, FEW_PAIRS = 64, 16  # that are tried
ENOUGH, FEW = 12, 4  # of them that give life
NONE_FOUND, NOT_ALIVE = 1 << 14, 1 << 15


@compiled
def plan(state, action, zone, out, facts, scratch):
    """The stones still missing for life (``jaxsolve.zoning``). A hint that gives life is kept, but for stones it can do without, and where it does
    not hold the last move, pairs of eyes near that are tried as well; without such a hint, or with ``SEARCH_ALL``, pairs anywhere."""
    for i in range(len(out)):
        out[i] = np.uint32(0)
    n, (white, any_chain) = facts[SIZE], _read(facts, state, scratch)
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
    if hinted and _alive(scratch, n, any_chain):
        best = _thin(scratch, n, any_chain, hinted, best)
        _keep(scratch, n)
        if 0 <= action < n * n and not has_action(zone, action):
            here = 32 * (action // n + 1) + action % n
            if not _has(scratch, OWN, here):
                here = np.int64(-1)
    if action != HINT_ONLY and (here >= 0 or best == NONE_FOUND or action == SEARCH_ALL):
        found, wanted = 0, ENOUGH if here < 0 else FEW
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
    for i in range(free):
        point = np.int64(scratch[FREE + i])
        if _has(scratch, BEST_PLAN, point):
            add_action(out, _action(n, point))
    return 2 * best + white


@inner
def _action(n, point):
    return ((point >> 5) - 1) * n + (point & 31)


@inner
def _has(scratch, board, point):
    return scratch[board + (point >> 5)] >> (point & 31) & 1 != 0


@inner
def _read(facts, state, scratch):
    """Unpacks the stones of the side that wants to live and of the other, and the crucial ones; (whether it is White, whether any chain counts)."""
    n, words, per = facts[SIZE], facts[WORDS], facts[ROWS_A_WORD]
    white, any_chain = facts[LIVING] == 1, True
    if facts[TSUMEGO]:
        flags = state[4 * words + 1]
        white, any_chain = flags & np.uint32(WHITE_DEFENDS) != np.uint32(0), flags & np.uint32(ANY_CHAIN) != np.uint32(0)
    own, other = (words, np.int64(0)) if white else (np.int64(0), words)
    for board in (OWN, OTHER, CRUX, MINE, THEIRS, EMPTIES, REST, AROUND):
        scratch[board] = scratch[board + n + 1] = 0
    for row in range(n):
        word, shift = row // per, np.int64((row % per) * (n + 1))
        full = (1 << n) - 1
        scratch[OWN + row + 1] = np.int64(state[own + word]) >> shift & full
        scratch[OTHER + row + 1] = np.int64(state[other + word]) >> shift & full
        scratch[CRUX + row + 1] = np.int64(state[2 * words + 1 + word]) >> shift & full if facts[TSUMEGO] else 0
    return white, any_chain


@inner
def _list_free(facts, state, scratch):
    """Lists the points where own stones may stand one day; how many."""
    n, words, per = facts[SIZE], facts[WORDS], facts[ROWS_A_WORD]
    free = np.int64(0)
    for row in range(n):
        open_row = (1 << n) - 1 & ~scratch[OWN + row + 1]
        if facts[TSUMEGO]:
            open_row &= np.int64(state[3 * words + 1 + row // per]) >> np.int64((row % per) * (n + 1))
        for column in range(n):
            if open_row >> column & 1:
                scratch[FREE + free] = 32 * (row + 1) + column
                free += 1
    return free


# ---- life ---------------------------------------------------------------------------------------------------------------------
@inner
def _flood(scratch, board, within, top, bottom, n):
    """Spreads the bits of rows ``top`` to ``bottom`` of ``board`` over connected bits of ``within``; the rows that it then spans."""
    row, down, still = top, True, 0
    height = bottom - top + 1
    while still <= height:
        bits = np.int64(scratch[board + row])
        limit = np.int64(scratch[within + row])
        more = (bits | scratch[board + row - 1] | scratch[board + row + 1]) & limit
        spread = (more | more << 1 | more >> 1) & limit
        while spread != more:
            more = spread
            spread = (more | more << 1 | more >> 1) & limit
        if more != bits:
            scratch[board + row] = more
            still = 0
            if row == bottom and bottom < n and more & scratch[within + row + 1]:
                bottom += 1
            if row == top and top > 1 and more & scratch[within + row - 1]:
                top -= 1
            height = bottom - top + 1
        else:
            still += 1
            if row == bottom and bottom < n and more & scratch[within + row + 1]:
                bottom += 1
                height += 1
                still = 0
            if row == top and top > 1 and more & scratch[within + row - 1]:
                top -= 1
                height += 1
                still = 0
        if down:
            if row >= bottom:
                down = False
                row = max(row - 1, top)
            else:
                row += 1
        elif row <= top:
            down = True
            row = min(row + 1, bottom)
        else:
            row -= 1
    return top, bottom


@inner
def _beside(scratch, board, row):
    """The neighbours of a board's stones in a row."""
    bits = np.int64(scratch[board + row])
    return bits << 1 | bits >> 1 | scratch[board + row - 1] | scratch[board + row + 1]


@compiled
def _alive(scratch, n, any_chain):
    """Whether a chain that counts lives (Benson 1976) once the stones of ADDED stand and the opponent's without liberties are off."""
    full = np.int64((1 << n) - 1)
    top, bottom = np.int64(n + 1), np.int64(0)
    for row in range(1, n + 1):
        scratch[MINE + row] = scratch[OWN + row] | (scratch[ADDED + row] & ~scratch[OTHER + row])
        scratch[EMPTIES + row] = full & ~(scratch[MINE + row] | scratch[OTHER + row])
    for row in range(1, n + 1):
        scratch[THEIRS + row] = _beside(scratch, EMPTIES, row) & scratch[OTHER + row]
        if scratch[THEIRS + row]:
            top, bottom = min(top, np.int64(row)), np.int64(row)
    if bottom:
        _flood(scratch, THEIRS, OTHER, top, bottom, n)
    for row in range(1, n + 1):
        taken = scratch[OTHER + row] & ~scratch[THEIRS + row]
        scratch[MINE + row] |= taken & scratch[ADDED + row]
        scratch[EMPTIES + row] |= taken & ~scratch[ADDED + row]
        scratch[REST + row] = scratch[MINE + row]
    chains = _list_chains(scratch, n)
    for row in range(1, n + 1):
        scratch[AROUND + row] = full & ~scratch[MINE + row]
        scratch[REST + row] = scratch[AROUND + row]
    if chains > MOST:
        return False
    return _two_eyes(scratch, n, chains, any_chain)


@inner
def _next_part(scratch, board, within, row, n):
    """Moves the part of ``within`` that holds the first point left in a row of REST to ``board``; the rows that it spans."""
    for i in range(n + 2):
        scratch[board + i] = 0
    bits = np.int64(scratch[REST + row])
    scratch[board + row] = bits & -bits
    top, bottom = _flood(scratch, board, within, np.int64(row), np.int64(row), n)
    for i in range(top, bottom + 1):
        scratch[REST + i] &= ~scratch[board + i]
    return top, bottom


@inner
def _list_chains(scratch, n):
    """Lists the chains of MINE, of which REST is a copy; how many, MOST + 1 where they are too many."""
    count = np.int64(0)
    for row in range(1, n + 1):
        while scratch[REST + row]:
            if count == MOST:
                return count + 1
            scratch[TOP + count], scratch[BOTTOM + count] = _next_part(scratch, CHAINS + ROWS * count, MINE, row, n)
            count += 1
    return count


@inner
def _two_eyes(scratch, n, chains, any_chain):
    """Benson's removal, with the regions of AROUND, of which REST is a copy; whether a chain that counts is left."""
    regions = np.int64(0)
    for row in range(1, n + 1):
        while scratch[REST + row]:
            top, bottom = _next_part(scratch, REGION, AROUND, row, n)
            low = high = vital_low = vital_high = np.int64(0)
            for chain in range(chains):
                mine = CHAINS + ROWS * chain
                if scratch[BOTTOM + chain] + 1 < top or scratch[TOP + chain] - 1 > bottom:
                    continue
                touches, vital = False, True
                for i in range(top, bottom + 1):
                    beside = _beside(scratch, mine, np.int64(i)) & scratch[REGION + i]
                    touches = touches or beside != 0
                    if scratch[REGION + i] & scratch[EMPTIES + i] & ~beside:
                        vital = False
                if touches and chain < 31:
                    low |= 1 << chain
                    vital_low |= np.int64(vital) << chain
                elif touches:
                    high |= 1 << (chain - 31)
                    vital_high |= np.int64(vital) << (chain - 31)
            if (vital_low or vital_high) and regions < MOST:
                scratch[LOW + regions], scratch[HIGH + regions] = low, high
                scratch[VITAL_LOW + regions], scratch[VITAL_HIGH + regions] = vital_low, vital_high
                regions += 1
    low, high = np.int64((1 << min(chains, 31)) - 1), np.int64((1 << max(chains - 31, 0)) - 1)
    again = regions > 1
    if not again:
        return False
    while again:
        once_low = once_high = twice_low = twice_high = np.int64(0)
        for region in range(regions):
            if scratch[LOW + region] & ~low == 0 and scratch[HIGH + region] & ~high == 0:
                twice_low |= once_low & scratch[VITAL_LOW + region]
                once_low |= scratch[VITAL_LOW + region]
                twice_high |= once_high & scratch[VITAL_HIGH + region]
                once_high |= scratch[VITAL_HIGH + region]
        again = (low & ~twice_low) != 0 or (high & ~twice_high) != 0
        low &= twice_low
        high &= twice_high
    if any_chain:
        return low != 0 or high != 0
    for chain in range(chains):
        if (low >> chain & 1) if chain < 31 else (high >> (chain - 31) & 1):
            for row in range(scratch[TOP + chain], scratch[BOTTOM + chain] + 1):
                if scratch[CHAINS + ROWS * chain + row] & scratch[CRUX + row] & scratch[OWN + row]:
                    return True
    return False


# ---- plans --------------------------------------------------------------------------------------------------------------------
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
    """Takes stones of ADDED away again, in the order of the first ``count`` of ORDER, as long as life remains; how many are left.

    Stops with NONE_FOUND as soon as ``best`` of them are known to be needed.
    """
    needed, at, block = np.int64(0), np.int64(0), max(np.int64(1), count // 2)
    while at < count:
        block = min(block, count - at)
        _toggle(scratch, at, at + block)
        if _alive(scratch, n, any_chain):
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
    """How much it takes to surround a point, in half stones; points beside a plan known are cheap."""
    cost, close = np.int64(0), has_action(zone, _action(n, point))
    for k in range(4):
        near = point + (-32 if k == 0 else 32 if k == 1 else -1 if k == 2 else 1)
        if near >> 5 < 1 or near >> 5 > n or (k > 1 and (near & 31) >= n):
            continue
        if _has(scratch, OTHER, near):
            cost += 4
        elif not _has(scratch, OWN, near):
            cost += 2
            close = close or has_action(zone, _action(n, near))
    return cost - 2 * close + 2 * _has(scratch, OTHER, point)


@compiled
def _choose_pairs(scratch, n, free, zone, here):
    """Lists the pairs of points that look cheapest as eyes, those near ``here`` where it is a point; how many."""
    for i in range(free):
        scratch[COST + i] = _cost(scratch, n, zone, np.int64(scratch[FREE + i]))
    count, most = np.int64(0), np.int64(MOST_PAIRS if here < 0 else FEW_PAIRS)
    for i in range(free):
        one = np.int64(scratch[FREE + i])
        close = here < 0 or _distance(one, here) <= 2
        for j in range(i, free):
            other = np.int64(scratch[FREE + j])
            score = scratch[COST + i] + scratch[COST + j] + _distance(one, other)
            if count == most and score >= scratch[PAIRS + 3 * (most - 1)]:
                continue
            if not close and _distance(other, here) > 2:
                continue
            at = min(count, most - 1)
            while at > 0 and scratch[PAIRS + 3 * (at - 1)] > score:
                for k in range(3):
                    scratch[PAIRS + 3 * at + k] = scratch[PAIRS + 3 * (at - 1) + k]
                at -= 1
            scratch[PAIRS + 3 * at], scratch[PAIRS + 3 * at + 1], scratch[PAIRS + 3 * at + 2] = score, one, other
            count = min(count + 1, most)
    return count


@compiled
def _try_pair(scratch, n, any_chain, free, number, best):
    """Size of the plan that leaves a pair of eyes, in ADDED; NONE_FOUND where it is not smaller than ``best``, NOT_ALIVE where there is none."""
    one, other = np.int64(scratch[PAIRS + 3 * number + 1]), np.int64(scratch[PAIRS + 3 * number + 2])
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
    if not _alive(scratch, n, any_chain):
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
