"""Relevance zones of Go on the host: what a decided position's result rests on (the law is proven in ``proof/FORMAT.md``).

P is the side that wins, Q the other one. A *zone* is a set of points such that P also wins from every position with the same stones on it; as a bit set
over actions the pass stands for *the whole position*: then nothing may differ. A *group* is a connected set of one colour's stones inside the zone: what
joins it to others outside may be missing elsewhere. It is *closed* if all its neighbours lie in the zone.

Each function grows a zone, as little as it can, until the law's conditions hold (Shih et al. 2022, "A novel approach to solving goal-achieving
problems for board games", calls that dilation). They are made to hold for the zone alone, whichever smaller zones the positions below come with: so a
certificate may rest on other lines than the search did.
"""

from __future__ import annotations

import numpy as np

from jaxsolve.compiled import compiled, inner
from jaxsolve.games.game import Outcome
from jaxsolve.games.go.state import ANY_CHAIN, NO_KO_FOR_BLACK, NO_KO_FOR_WHITE, OPENING_OVER, WHITE_DEFENDS

SIZE, WORDS, ROWS_A_WORD, TSUMEGO, FILL_EYES, LIVING, CRUCIAL = range(7)
"""Places in ``facts`` int64[6 + C]: the board, whether a state holds a task, who lives (2: the task says), and the rule set's C crucial points."""

EMPTY, BLACK, WHITE, OUTSIDE = 0, 1, 2, 3
NO_KO = (NO_KO_FOR_BLACK, NO_KO_FOR_WHITE)

PLANE = 512
CELL, ZONE, SEEN, LIST, LABEL, MEMBER, FIRST, LIBERTY, SECOND, GROUPED = (PLANE * i for i in range(10))
REGION, SPOT, BOUND, BEGIN, ALIVE, KEPT, NEEDED, TAKEN, BEST = (PLANE * i for i in range(10, 19))
BORDER, VITAL, LAST = (PLANE * i for i in range(19, 25, 2))
SCRATCH = PLANE * 25
"""Planes of ``scratch`` int16[SCRATCH]. By point of a board with a rim, (N + 2)^2 <= 441 of them: what stands there (CELL), whether it is in the zone, marks (SEEN,
GROUPED), the numbers of its chain (LABEL) and of its region. Lists of points: LIST; the stones of all chains (MEMBER) and the points of all regions (SPOT).
By chain: where its stones begin (FIRST), two of its liberties (0 for none), whether it is alive, needed. By region: where its points (BOUND) and the chains
beside it (BEGIN) begin, whether it stands (KEPT), is taken. Two planes each, for up to 684 pairs of a region and a chain beside it: the chain (BORDER),
how many of the region's empty points touch it, then whether all do (VITAL), and the last of them (LAST)."""


# ---- the board -----------------------------------------------------------------------------------------------------------
@inner
def _read(facts, state, zone, scratch):
    """Unpacks stones and zone, and numbers the chains; how many there are. The rim counts as inside the zone: nothing is ever missing there."""
    n, words, per = facts[SIZE], facts[WORDS], facts[ROWS_A_WORD]
    side = n + 2
    for i in range(side * side):
        scratch[CELL + i] = OUTSIDE
        scratch[ZONE + i] = 1
        scratch[SEEN + i] = 0
        scratch[LABEL + i] = -1
    for row in range(n):
        shift = np.uint32((row % per) * (n + 1))
        black, white = state[row // per] >> shift, state[words + row // per] >> shift
        at, action = side * (row + 1) + 1, row * n
        for column in range(n):
            bit = np.uint32(column)
            scratch[CELL + at + column] = (black >> bit & np.uint32(1)) + np.uint32(2) * (white >> bit & np.uint32(1))
            scratch[ZONE + at + column] = zone[(action + column) >> 5] >> np.uint32((action + column) & 31) & np.uint32(1)
    return _number_chains(scratch, side)


@inner
def _number_chains(scratch, side):
    chains, members = np.int64(0), np.int64(0)
    for start in range(side + 1, side * (side - 1) - 1):
        colour = scratch[CELL + start]
        if colour == EMPTY or colour == OUTSIDE or scratch[LABEL + start] >= 0:
            continue
        scratch[FIRST + chains] = members
        scratch[LABEL + start] = chains
        scratch[MEMBER + members] = start
        at = members
        members += 1
        first, second = 0, 0
        while at < members:
            point = np.int64(scratch[MEMBER + at])
            at += 1
            for k in range(4):
                near = point + _step(side, k)
                cell = scratch[CELL + near]
                if cell == colour:
                    if scratch[LABEL + near] < 0:
                        scratch[LABEL + near] = chains
                        scratch[MEMBER + members] = near
                        members += 1
                elif cell == EMPTY:
                    if first == 0:
                        first = near
                    elif second == 0 and near != first:
                        second = near
        scratch[LIBERTY + chains], scratch[SECOND + chains] = first, second
        chains += 1
    scratch[FIRST + chains] = members
    return chains


@inner
def _step(side, k):
    """The k-th of a point's neighbours: up, left, right, down, then the diagonals."""
    if k < 4:
        return -side if k == 0 else side if k == 3 else np.int64(-1) if k == 1 else np.int64(1)
    return (-side if k < 6 else side) + (np.int64(-1) if k & 1 == 0 else np.int64(1))


@inner
def _point(facts, action):
    """The place of an action's point in a plane."""
    n = facts[SIZE]
    return (action // n + 1) * (n + 2) + action % n + 1


@inner
def _has(zone, action):
    return (zone[action >> 5] >> np.uint32(action & 31)) & np.uint32(1) != 0


@inner
def _add(zone, action):
    zone[action >> 5] |= np.uint32(1) << np.uint32(action & 31)


@inner
def _make_whole(facts, zone):
    """Makes the zone the whole position."""
    for action in range(facts[SIZE] * facts[SIZE] + 1):
        _add(zone, np.int64(action))


@inner
def _write(facts, scratch, out):
    """Adds what plane ZONE holds to ``out``."""
    n = facts[SIZE]
    for row in range(n):
        at = (n + 2) * (row + 1) + 1
        for column in range(n):
            if scratch[ZONE + at + column]:
                _add(out, row * n + column)


@inner
def _mover(facts, state):
    """EMPTY + 1 or + 2: the colour to move."""
    return np.int64(BLACK + (state[2 * facts[WORDS]] & np.uint32(1)))


@inner
def _passes(facts, state):
    return np.int64(state[2 * facts[WORDS]] >> np.uint32(1) & np.uint32(3))


@inner
def _opening(facts, state):
    """Whether a forced opening goes on."""
    return np.int64(state[2 * facts[WORDS]] >> np.uint32(3) & np.uint32(3)) != OPENING_OVER


@inner
def _ko_forbidden(facts, state, colour):
    """Whether ``colour`` may not start or take a ko."""
    if facts[TSUMEGO] == 0:
        return False
    return state[4 * facts[WORDS] + 1] & np.uint32(NO_KO_FOR_BLACK if colour == BLACK else NO_KO_FOR_WHITE) != np.uint32(0)


# ---- growing ---------------------------------------------------------------------------------------------------------------
@inner
def _into(scratch, point):
    """Adds a point to the zone; True if it was missing."""
    missing = scratch[ZONE + point] == 0
    scratch[ZONE + point] = 1
    return missing


@inner
def _around(scratch, side, point):
    """Adds a point's neighbours to the zone; True if any was missing."""
    grown = False
    for k in range(4):
        grown = _into(scratch, point + _step(side, k)) or grown
    return grown


@inner
def _close_chain(scratch, side, chain):
    """Adds a chain and all its neighbours; True if any was missing."""
    grown = False
    for i in range(scratch[FIRST + chain], scratch[FIRST + chain + 1]):
        point = np.int64(scratch[MEMBER + i])
        grown = _into(scratch, point) or grown
        grown = _around(scratch, side, point) or grown
    return grown


@inner
def _taken(scratch, chain, move):
    """Whether a stone of the other side at ``move`` takes the chain."""
    return scratch[LIBERTY + chain] == move and scratch[SECOND + chain] == 0


@compiled
def _breathe(scratch, side, start, need, but, grow):
    """How many points it takes for the group of the stone at ``start`` to be closed or have ``need`` inner liberties other than ``but``.

    With ``grow`` they are added. Uses marks 1 of SEEN, which it takes back.
    """
    colour, count, at = scratch[CELL + start], np.int64(1), np.int64(0)
    scratch[LIST], scratch[SEEN + start] = start, 1
    liberties, closed = np.int64(0), True
    while at < count:  # the group, then behind it the inner liberties
        point = np.int64(scratch[LIST + at])
        at += 1
        if scratch[CELL + point] == EMPTY:
            continue
        for k in range(4):
            near = point + _step(side, k)
            if scratch[ZONE + near] == 0:
                closed = False
            elif scratch[SEEN + near] == 0 and (scratch[CELL + near] == colour or (scratch[CELL + near] == EMPTY and near != but)):
                scratch[SEEN + near] = 1
                scratch[LIST + count] = near
                count += 1
                if scratch[CELL + near] == EMPTY:
                    liberties += 1
    missing = np.int64(0)
    if liberties < need and not closed:
        for i in range(count):
            point = np.int64(scratch[LIST + i])
            if scratch[CELL + point] == colour:
                for k in range(4):
                    near = point + _step(side, k)
                    if liberties < need and scratch[CELL + near] == EMPTY and near != but and scratch[SEEN + near] == 0:
                        scratch[SEEN + near] = 1
                        scratch[LIST + count] = near
                        count += 1
                        liberties += 1
                        missing += 1
                        if grow:
                            scratch[ZONE + near] = 1
        if liberties < need:
            missing += 4
            if grow:
                _whole_chain(scratch, side, np.int64(scratch[LABEL + start]), need, but)
    for i in range(count):
        scratch[SEEN + scratch[LIST + i]] = 0
    return missing


@inner
def _whole_chain(scratch, side, chain, need, but):
    """Adds a chain with ``need`` of its liberties other than ``but``, or with all its neighbours where it has no more."""
    liberties = np.int64(0)
    for wanted in range(2):  # those that are inside already, then others
        for i in range(scratch[FIRST + chain], scratch[FIRST + chain + 1]):
            point = np.int64(scratch[MEMBER + i])
            scratch[ZONE + point] = 1
            for k in range(4):
                near = point + _step(side, k)
                if scratch[CELL + near] == EMPTY and near != but and scratch[SEEN + near] < 2 and liberties < need and (wanted or scratch[ZONE + near]):
                    scratch[SEEN + near] = 2
                    scratch[ZONE + near] = 1
                    liberties += 1
    for i in range(scratch[FIRST + chain], scratch[FIRST + chain + 1]):
        for k in range(4):
            scratch[SEEN + scratch[MEMBER + i] + _step(side, k)] = 0
    if liberties < need:
        _close_chain(scratch, side, chain)


# ---- facts about a move ------------------------------------------------------------------------------------------------
@inner
def _eye_shown(scratch, side, point, colour):
    """Whether the zone shows that ``point`` is a true eye of ``colour``."""
    for k in range(4):
        near = point + _step(side, k)
        if scratch[CELL + near] != OUTSIDE and (scratch[CELL + near] != colour or scratch[ZONE + near] == 0):
            return False
    own, on_board = 0, 0
    for k in range(4, 8):
        near = point + _step(side, k)
        if scratch[CELL + near] != OUTSIDE:
            on_board += 1
            own += scratch[CELL + near] == colour and scratch[ZONE + near] == 1
    return own >= min(on_board, 3)


@inner
def _show_no_eye(scratch, side, point, colour):
    """Adds what it takes to see that ``point`` is no true eye of ``colour``, which it is not; True if anything was missing."""
    for inside in range(2):
        for k in range(4):
            near = point + _step(side, k)
            if scratch[CELL + near] != colour and scratch[CELL + near] != OUTSIDE and (scratch[ZONE + near] or inside):
                return _into(scratch, near)
    on_board, shown = 0, 0
    for k in range(4, 8):
        near = point + _step(side, k)
        on_board += scratch[CELL + near] != OUTSIDE
        shown += scratch[CELL + near] != OUTSIDE and scratch[CELL + near] != colour and scratch[ZONE + near] == 1
    need, grown = 2 if on_board == 4 else 1, False
    for k in range(4, 8):
        near = point + _step(side, k)
        if shown < need and scratch[CELL + near] != colour and scratch[CELL + near] != OUTSIDE and _into(scratch, near):
            shown += 1
            grown = True
    return grown


@inner
def _show_eye(scratch, side, point):
    """Adds what it takes to see that ``point`` is a true eye, which it is; True if anything was missing."""
    grown = _around(scratch, side, point)
    for k in range(4, 8):
        grown = _into(scratch, point + _step(side, k)) or grown
    return grown


@inner
def _is_eye(scratch, side, point, colour):
    """Whether an empty point is a true eye of ``colour``."""
    own, on_board = 0, 0
    for k in range(8):
        cell = scratch[CELL + point + _step(side, k)]
        if k < 4:
            if cell != colour and cell != OUTSIDE:
                return False
        elif cell != OUTSIDE:
            on_board += 1
            own += cell == colour
    return own >= min(on_board, 3)


@inner
def _lone(scratch, side, point):
    """Whether the stone at a point is a chain of its own."""
    chain = scratch[LABEL + point]
    return scratch[FIRST + chain + 1] - scratch[FIRST + chain] == 1


@inner
def _ko_taken(scratch, side, move, colour):
    """The point of the one stone that ``colour`` takes at ``move`` so that a ko is set there; 0 for any other move."""
    taken = np.int64(0)
    for k in range(4):
        near = move + _step(side, k)
        cell = scratch[CELL + near]
        if cell == EMPTY or cell == colour:
            return np.int64(0)
        if cell != OUTSIDE and _taken(scratch, np.int64(scratch[LABEL + near]), move):
            if taken or not _lone(scratch, side, near):
                return np.int64(0)
            taken = near
    return taken


# ---- the end of the game ----------------------------------------------------------------------------------------------------
@compiled
def leaf(state, action, zone, out, facts, scratch):
    """Zone of a game that has ended: of a capture the crucial points, of unconditional life the smallest chains and regions found that show it."""
    for i in range(len(out)):
        out[i] = np.uint32(0)
    outcome = np.int64(state[2 * facts[WORDS]] >> np.uint32(5) & np.uint32(7))
    living, winner = facts[LIVING], outcome - Outcome.FIRST_WINS
    any_chain = True
    if facts[TSUMEGO]:
        flags = state[4 * facts[WORDS] + 1]
        living = 1 if flags & np.uint32(WHITE_DEFENDS) else 0
        any_chain = flags & np.uint32(ANY_CHAIN) != np.uint32(0)
    if winner != living:
        left_over = np.uint32(0)
        for i in range(facts[WORDS] if facts[TSUMEGO] else 0):
            left_over |= state[2 * facts[WORDS] + 1 + i]
        if facts[TSUMEGO] and not any_chain and left_over == 0:
            for i in range(CRUCIAL, len(facts)):
                _add(out, facts[i])
        else:
            _make_whole(facts, out)
        return np.int64(0)
    chains = _read(facts, state, out, scratch)
    if not _show_life(facts, state, scratch, chains, np.int64(BLACK + living), any_chain):
        _make_whole(facts, out)
        return np.int64(0)
    _write(facts, scratch, out)
    return np.int64(0)


@compiled
def _show_life(facts, state, scratch, chains, colour, any_chain):
    """Puts the smallest set found of chains of ``colour`` that lives by itself (Benson 1976), with its regions, into the zone; False if none lives."""
    side = facts[SIZE] + 2
    regions = _number_regions(scratch, side, colour)
    _remove_dead(scratch, chains, regions, colour)
    least = np.int64(1 << 14)
    for chain in range(chains):
        if scratch[ALIVE + chain] and (any_chain or _is_crucial(facts, state, scratch, chain)):
            size = _gather(scratch, chains, regions, chain)
            if size < least:
                least = size
                for i in range(max(chains, regions)):
                    scratch[BEST + i] = scratch[NEEDED + i] + 2 * scratch[TAKEN + i]
    if least == 1 << 14:
        return False
    for chain in range(chains):
        if scratch[BEST + chain] & 1:
            for i in range(scratch[FIRST + chain], scratch[FIRST + chain + 1]):
                scratch[ZONE + scratch[MEMBER + i]] = 1
    for region in range(regions):
        if scratch[BEST + region] & 2:
            for i in range(scratch[BOUND + region], scratch[BOUND + region + 1]):
                scratch[ZONE + scratch[SPOT + i]] = 1
    return True


@inner
def _is_crucial(facts, state, scratch, chain):
    """Whether the chain holds a crucial stone that is still there."""
    n, per = facts[SIZE], facts[ROWS_A_WORD]
    for i in range(scratch[FIRST + chain], scratch[FIRST + chain + 1]):
        point = np.int64(scratch[MEMBER + i])
        row, column = point // (n + 2) - 1, point % (n + 2) - 1
        word = state[2 * facts[WORDS] + 1 + row // per]
        if word >> np.uint32((row % per) * (n + 1) + column) & np.uint32(1):
            return True
    return False


@inner
def _number_regions(scratch, side, colour):
    """Numbers the connected parts of the points without ``colour``, with the chains beside each; how many there are."""
    for i in range(side * side):
        scratch[REGION + i] = -1
    regions, spots, borders = np.int64(0), np.int64(0), np.int64(0)
    for start in range(side + 1, side * (side - 1) - 1):
        if scratch[CELL + start] == colour or scratch[CELL + start] == OUTSIDE or scratch[REGION + start] >= 0:
            continue
        scratch[BOUND + regions], scratch[BEGIN + regions] = spots, borders
        at, empty = spots, np.int64(0)
        scratch[SPOT + spots], scratch[REGION + start] = start, regions
        spots += 1
        first_border = borders
        while at < spots:
            point = np.int64(scratch[SPOT + at])
            at += 1
            is_empty = scratch[CELL + point] == EMPTY
            empty += is_empty
            for k in range(4):
                near = point + _step(side, k)
                cell = scratch[CELL + near]
                if cell == colour:
                    entry = first_border
                    while entry < borders and scratch[BORDER + entry] != scratch[LABEL + near]:
                        entry += 1
                    if entry == borders:
                        scratch[BORDER + entry], scratch[VITAL + entry], scratch[LAST + entry] = scratch[LABEL + near], 0, -1
                        borders += 1
                    if is_empty and scratch[LAST + entry] != point:  # each empty point counts once for a chain
                        scratch[LAST + entry] = point
                        scratch[VITAL + entry] += 1
                elif cell != OUTSIDE and scratch[REGION + near] < 0:
                    scratch[REGION + near] = regions
                    scratch[SPOT + spots] = near
                    spots += 1
        for entry in range(first_border, borders):
            scratch[VITAL + entry] = scratch[VITAL + entry] == empty
        regions += 1
    scratch[BOUND + regions], scratch[BEGIN + regions] = spots, borders
    return regions


@inner
def _remove_dead(scratch, chains, regions, colour):
    """Benson's removal: fills ALIVE and KEPT."""
    for chain in range(chains):
        scratch[ALIVE + chain] = scratch[CELL + scratch[MEMBER + scratch[FIRST + chain]]] == colour
    for region in range(regions):
        scratch[KEPT + region] = 1
    again = True
    while again:
        again = False
        for chain in range(chains):
            scratch[NEEDED + chain] = 0
        for region in range(regions):
            if scratch[KEPT + region]:
                for entry in range(scratch[BEGIN + region], scratch[BEGIN + region + 1]):
                    scratch[NEEDED + scratch[BORDER + entry]] += scratch[VITAL + entry]
        for chain in range(chains):
            if scratch[ALIVE + chain] and scratch[NEEDED + chain] < 2:
                scratch[ALIVE + chain] = 0
                again = True
        for region in range(regions):
            for entry in range(scratch[BEGIN + region], scratch[BEGIN + region + 1]):
                if scratch[ALIVE + scratch[BORDER + entry]] == 0:
                    scratch[KEPT + region] = 0


@inner
def _gather(scratch, chains, regions, chain):
    """Marks in NEEDED and TAKEN a few chains and regions, ``chain`` among them, that live by themselves; how many points they have."""
    for i in range(max(chains, regions)):
        scratch[NEEDED + i] = scratch[TAKEN + i] = 0
    scratch[NEEDED + chain] = 1
    size = np.int64(scratch[FIRST + chain + 1] - scratch[FIRST + chain])
    again = True
    while again:
        again = False
        for one in range(chains):
            if scratch[NEEDED + one] and _eyes(scratch, regions, one) < 2:
                region = _cheapest(scratch, regions, one)
                scratch[TAKEN + region] = 1
                size += scratch[BOUND + region + 1] - scratch[BOUND + region]
                for entry in range(scratch[BEGIN + region], scratch[BEGIN + region + 1]):
                    beside = np.int64(scratch[BORDER + entry])
                    if scratch[NEEDED + beside] == 0:
                        scratch[NEEDED + beside] = 1
                        size += scratch[FIRST + beside + 1] - scratch[FIRST + beside]
                again = True
    return size


@inner
def _eyes(scratch, regions, chain):
    """Taken regions that are vital to the chain."""
    count = np.int64(0)
    for region in range(regions):
        if scratch[TAKEN + region]:
            for entry in range(scratch[BEGIN + region], scratch[BEGIN + region + 1]):
                if scratch[BORDER + entry] == chain:
                    count += scratch[VITAL + entry]
    return count


@inner
def _cheapest(scratch, regions, chain):
    """The region not yet taken, vital to the chain, that brings the fewest points."""
    best, least = np.int64(-1), np.int64(1 << 14)
    for region in range(regions):
        if scratch[KEPT + region] == 0 or scratch[TAKEN + region]:
            continue
        cost, vital = np.int64(scratch[BOUND + region + 1] - scratch[BOUND + region]), False
        for entry in range(scratch[BEGIN + region], scratch[BEGIN + region + 1]):
            beside = np.int64(scratch[BORDER + entry])
            vital = vital or (beside == chain and scratch[VITAL + entry] != 0)
            if scratch[NEEDED + beside] == 0:
                cost += scratch[FIRST + beside + 1] - scratch[FIRST + beside]
        if vital and cost < least:
            best, least = np.int64(region), cost
    return best


# ---- P moves ----------------------------------------------------------------------------------------------------------------
@compiled
def won(state, action, zone, out, facts, scratch):
    """Zone of a position that P wins by ``action``, after which the position's zone is ``zone``."""
    for i in range(len(out)):
        out[i] = zone[i]
    whole = facts[SIZE] * facts[SIZE]
    if action == whole or _has(zone, whole) or _opening(facts, state):
        _make_whole(facts, out)
        return np.int64(0)
    _add(out, action)
    _read(facts, state, out, scratch)
    side, move, colour = facts[SIZE] + 2, _point(facts, action), _mover(facts, state)
    grown = True
    while grown:
        grown = _stay_legal(facts, state, scratch, side, move, colour)
        grown = _same_captures(scratch, side, move, colour) or grown
    _write(facts, scratch, out)
    return np.int64(0)


@inner
def _stay_legal(facts, state, scratch, side, move, colour):
    """Sees to it that ``colour`` may play ``move`` wherever the zone looks like this, and to the same ko; True if the zone grew."""
    grown = _keep_liberty(scratch, side, move, colour)
    if facts[FILL_EYES] == 0 and not _no_eye_shown(scratch, side, move, colour):
        grown = _show_no_eye(scratch, side, move, colour) or grown
    ko = _ko_taken(scratch, side, move, colour)
    if ko:
        if scratch[ZONE + ko]:
            grown = _same_ko(scratch, side, move, ko) or grown
    elif _ko_forbidden(facts, state, colour) and not _no_ko_shown(scratch, side, move, colour):
        grown = _show_no_ko(scratch, side, move, colour) or grown
    return grown


@inner
def _keep_liberty(scratch, side, move, colour):
    """Sees to it that ``move`` is no suicide; True if the zone grew."""
    for k in range(4):
        near = move + _step(side, k)
        cell = scratch[CELL + near]
        if scratch[ZONE + near] == 0 or cell == OUTSIDE:
            continue
        if cell == EMPTY:
            return False
        if cell == colour:
            if _breathes(scratch, side, near, move):
                return False
        elif _taken(scratch, np.int64(scratch[LABEL + near]), move) and _breathe(scratch, side, near, 1, move, False) == 0:
            return False
    for k in range(4):
        near = move + _step(side, k)
        if scratch[CELL + near] == EMPTY:
            return _into(scratch, near)
    for k in range(4):
        near = move + _step(side, k)
        if scratch[CELL + near] != colour and scratch[CELL + near] != OUTSIDE:
            chain = np.int64(scratch[LABEL + near])
            if _taken(scratch, chain, move) and scratch[FIRST + chain + 1] - scratch[FIRST + chain] < 4:
                return _close_chain(scratch, side, chain)
    for k in range(4):
        near = move + _step(side, k)
        if scratch[CELL + near] == colour:
            chain = np.int64(scratch[LABEL + near])
            if scratch[SECOND + chain] or (scratch[LIBERTY + chain] != move):
                _into(scratch, near)
                _breathe(scratch, side, near, 1, move, True)
                return True
    for k in range(4):
        near = move + _step(side, k)
        if scratch[CELL + near] != colour and scratch[CELL + near] != OUTSIDE:
            chain = np.int64(scratch[LABEL + near])
            if _taken(scratch, chain, move):
                return _close_chain(scratch, side, chain)
    return False


@inner
def _breathes(scratch, side, start, but):
    """Whether the group of the stone at ``start`` has an inner liberty other than ``but``."""
    return _breathe(scratch, side, start, 1, but, False) == 0 and not _taken(scratch, np.int64(scratch[LABEL + start]), but)


@inner
def _no_eye_shown(scratch, side, move, colour):
    on_board, shown = 0, 0
    for k in range(8):
        near = move + _step(side, k)
        cell = scratch[CELL + near]
        other = cell != OUTSIDE and cell != colour and scratch[ZONE + near] == 1
        if k < 4:
            if other:
                return True
        else:
            on_board += cell != OUTSIDE
            shown += other
    return shown >= (2 if on_board == 4 else 1)


@inner
def _same_ko(scratch, side, move, ko):
    """The ko that ``move`` sets at ``ko`` is set wherever the zone looks like this; True if the zone grew."""
    grown = _around(scratch, side, move)
    grown = _around(scratch, side, ko) or grown
    for k in range(4):
        near = move + _step(side, k)
        if near != ko and scratch[CELL + near] != OUTSIDE and _breathe(scratch, side, near, 1, move, True) > 0:
            grown = True
    return grown


@inner
def _no_ko_shown(scratch, side, move, colour):
    """Whether the zone shows that ``move`` takes no ko: it has an empty or own neighbour, or takes two stones."""
    stones = np.int64(0)
    for k in range(4):
        near = move + _step(side, k)
        cell = scratch[CELL + near]
        if cell == OUTSIDE or scratch[ZONE + near] == 0:
            continue
        if cell == EMPTY or cell == colour:
            return True
        chain = np.int64(scratch[LABEL + near])
        if _taken(scratch, chain, move) and _breathe(scratch, side, near, 1, move, False) == 0:
            stones += scratch[FIRST + chain + 1] - scratch[FIRST + chain]
    return stones > 1


@inner
def _show_no_ko(scratch, side, move, colour):
    """Adds what it takes to see that ``move``, which takes no ko, takes none; True if the zone grew."""
    for k in range(4):
        near = move + _step(side, k)
        if scratch[CELL + near] == EMPTY or scratch[CELL + near] == colour:
            return _into(scratch, near)
    grown = False
    for k in range(4):
        near = move + _step(side, k)
        if scratch[CELL + near] != OUTSIDE and _taken(scratch, np.int64(scratch[LABEL + near]), move):
            grown = _close_chain(scratch, side, np.int64(scratch[LABEL + near])) or grown
    return grown


@inner
def _same_captures(scratch, side, move, colour):
    """Sees to it that ``move`` takes the same stones of the zone wherever it looks like this; True if the zone grew."""
    n = side - 2
    grown, outer, hard = False, np.int64(0), False
    for i in range(side + 1, side * (side - 1) - 1):
        scratch[GROUPED + i] = 0
    for row in range(n):
        for column in range(n):
            point = side * (row + 1) + column + 1
            cell = scratch[CELL + point]
            if cell == EMPTY or cell == colour or scratch[ZONE + point] == 0 or scratch[GROUPED + point]:
                continue
            if _taken(scratch, np.int64(scratch[LABEL + point]), move):
                grown = _close_chain(scratch, side, np.int64(scratch[LABEL + point])) or grown
                continue
            _mark_group(scratch, side, point)
            missing = _breathe(scratch, side, point, 1, move, False)
            outer += missing
    if grown or outer == 0:
        return grown
    near_cost = np.int64(0)
    for k in range(4):
        near = move + _step(side, k)
        cell = scratch[CELL + near]
        if cell == OUTSIDE:
            continue
        near_cost += 1 - scratch[ZONE + near]
        if cell != EMPTY and cell != colour and not _taken(scratch, np.int64(scratch[LABEL + near]), move):
            was = scratch[ZONE + near]
            scratch[ZONE + near] = 1
            near_cost += _breathe(scratch, side, near, 1, move, False)
            scratch[ZONE + near] = was
    if near_cost == 0:
        return False
    if near_cost <= outer:
        for k in range(4):
            near = move + _step(side, k)
            scratch[ZONE + near] = 1
            cell = scratch[CELL + near]
            if cell != EMPTY and cell != colour and cell != OUTSIDE:
                if _taken(scratch, np.int64(scratch[LABEL + near]), move):
                    _close_chain(scratch, side, np.int64(scratch[LABEL + near]))
                else:
                    _breathe(scratch, side, near, 1, move, True)
        return True
    for row in range(n):
        for column in range(n):
            point = side * (row + 1) + column + 1
            cell = scratch[CELL + point]
            if cell != EMPTY and cell != colour and scratch[ZONE + point] and not _taken(scratch, np.int64(scratch[LABEL + point]), move):
                _breathe(scratch, side, point, 1, move, True)
    return True


@inner
def _mark_group(scratch, side, start):
    """Marks the group of a stone in GROUPED."""
    colour, count, at = scratch[CELL + start], np.int64(1), np.int64(0)
    scratch[LIST], scratch[GROUPED + start] = start, 1
    while at < count:
        point = np.int64(scratch[LIST + at])
        at += 1
        for k in range(4):
            near = point + _step(side, k)
            if scratch[CELL + near] == colour and scratch[ZONE + near] and scratch[GROUPED + near] == 0:
                scratch[GROUPED + near] = 1
                scratch[LIST + count] = near
                count += 1


# ---- Q moves ----------------------------------------------------------------------------------------------------------------
@compiled
def lost(state, action, zone, out, facts, scratch):
    """Zone of a position that Q loses with every move, whose replies' zones together are ``zone``."""
    for i in range(len(out)):
        out[i] = zone[i]
    whole = facts[SIZE] * facts[SIZE]
    if _has(zone, whole) or _opening(facts, state) or _passes(facts, state) != 0:
        _make_whole(facts, out)
        return np.int64(0)
    _read(facts, state, out, scratch)
    side, mover = facts[SIZE] + 2, _mover(facts, state)
    ko = np.int64(state[2 * facts[WORDS]] >> np.uint32(8) & np.uint32(511))
    ko = _point(facts, ko - 1) if ko else np.int64(0)
    grown = True
    while grown:
        grown = _two_liberties(scratch, side, 3 - mover)
        for row in range(side - 2):
            for column in range(side - 2):
                point = side * (row + 1) + column + 1
                if scratch[CELL + point] == EMPTY and scratch[ZONE + point] and point != ko and _may_play(facts, state, row * (side - 2) + column):
                    grown = _same_reply(facts, state, scratch, side, point, mover) or grown
    _write(facts, scratch, out)
    return np.int64(0)


@inner
def _may_play(facts, state, action):
    """Whether a point lies in the task's region, where there is a task."""
    if facts[TSUMEGO] == 0:
        return True
    n, per = facts[SIZE], facts[ROWS_A_WORD]
    row, column = action // n, action % n
    return state[3 * facts[WORDS] + 1 + row // per] >> np.uint32((row % per) * (n + 1) + column) & np.uint32(1) != np.uint32(0)


@inner
def _two_liberties(scratch, side, colour):
    """Sees to it that every group of ``colour`` has two inner liberties or is closed; True if the zone grew."""
    n, grown = side - 2, False
    for i in range(side + 1, side * (side - 1) - 1):
        scratch[GROUPED + i] = 0
    for row in range(n):
        for column in range(n):
            point = side * (row + 1) + column + 1
            if scratch[CELL + point] == colour and scratch[ZONE + point] and scratch[GROUPED + point] == 0:
                if _breathe(scratch, side, point, 2, 0, True) > 0:
                    grown = True
                _mark_group(scratch, side, point)
    return grown


@inner
def _same_reply(facts, state, scratch, side, point, mover):
    """Sees to it that Q's stone at ``point``, if it is illegal, is so wherever the zone looks like this, and sets no ko that it does not set here.

    True if the zone grew.
    """
    if facts[FILL_EYES] == 0 and _is_eye(scratch, side, point, mover):
        return not _eye_shown(scratch, side, point, mover) and _show_eye(scratch, side, point)
    ko = _ko_taken(scratch, side, point, mover)
    if ko:
        if _ko_forbidden(facts, state, mover):
            return _same_ko(scratch, side, point, ko)
        return False
    free, single, shown, takes = False, np.int64(0), False, False
    for k in range(4):
        near = point + _step(side, k)
        cell = scratch[CELL + near]
        if cell == OUTSIDE:
            continue
        if cell == EMPTY or cell == mover:
            free = free or cell == EMPTY or not _taken(scratch, np.int64(scratch[LABEL + near]), point)
            shown = shown or scratch[ZONE + near] == 1
        elif _taken(scratch, np.int64(scratch[LABEL + near]), point):
            takes = True
            if _lone(scratch, side, near) and scratch[ZONE + near]:
                single = near
    if single:
        return not shown and _show_no_ko(scratch, side, point, mover)
    return not free and not takes and _stay_suicide(scratch, side, point, mover)


@inner
def _stay_suicide(scratch, side, point, mover):
    grown = _around(scratch, side, point)
    for k in range(4):
        near = point + _step(side, k)
        if scratch[CELL + near] == mover:
            grown = _close_chain(scratch, side, np.int64(scratch[LABEL + near])) or grown
    return grown


@compiled
def left(state, action, zone, out, facts, scratch):
    """The actions that are still to be answered once ``action`` of Q is refuted on ``zone``: all but those after which the position covers the one
    after ``action`` there."""
    whole = facts[SIZE] * facts[SIZE]
    for i in range(len(out)):
        out[i] = zone[i]
    if _has(zone, whole):
        return np.int64(0)
    if action != whole and _has(zone, action):
        _make_whole(facts, out)
        return np.int64(0)
    side, winner = facts[SIZE] + 2, 3 - _mover(facts, state)
    chains = _read(facts, state, zone, scratch)
    move = _point(facts, action) if action != whole else np.int64(-1)
    for chain in range(chains):
        if scratch[SECOND + chain] == 0 and scratch[CELL + scratch[MEMBER + scratch[FIRST + chain]]] == winner and _meets(scratch, chain):
            liberty = np.int64(scratch[LIBERTY + chain])
            if liberty == move:
                _make_whole(facts, out)
                return np.int64(0)
            _add(out, (liberty // side - 1) * facts[SIZE] + liberty % side - 1)
    if _passes(facts, state) != 0 or _opening(facts, state):
        _add(out, whole)  # a second pass ends the game
    return np.int64(0)


@inner
def _meets(scratch, chain):
    """Whether a stone of the chain lies in the zone."""
    for i in range(scratch[FIRST + chain], scratch[FIRST + chain + 1]):
        if scratch[ZONE + scratch[MEMBER + i]]:
            return True
    return False
