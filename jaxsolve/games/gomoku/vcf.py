"""VCF of Gomoku (victory by continuous fours): each four forces its reply until one stone makes two
fours. Compiled, on the host; interface: ``jaxsolve.games.threats``.

Only under four-threat rules, in which a four forces the reply and two fours win. A *line* lists the
moves of such a win, attacker and defender in turn: ``s1 d1 s2 d2 ... sk``. Its *zone* contains
every cell at which a further stone of the defender could change it:

* the cells of the line and, if ``sk`` leaves exactly two completing cells, these;
* after each ``di`` the two empty cells of every window without the attacker's stones and with only
  the defender's otherwise: a stone at one would have made ``di`` a four;
* the cells where the defender makes a four or its winning line, which the attacker would have to
  answer.

A reply outside the zone changes nothing: each ``si`` still leaves ``di`` as the only completing
cell, each ``di`` still leaves the attacker free, and two completing cells remain at the end (proof:
``proof/FORMAT.md``; test: ``proof/check/games/gomoku``). Sources: threat-space search (Allis 1994);
the zone is that of a null move, as in lambda search (Thomsen 2000).
"""

from __future__ import annotations

import numpy as np

from jaxsolve.games.gomoku.windows import (
    LEVELS,
    LINE,
    MEMO,
    WINDOWS,
    completing,
    missing,
    mix,
    put,
    seen_by,
    slot_of,
    take,
)
from jaxsolve.jit.host import inner

THREAT = 3  # also for the threats of a single stone, which only order moves
DONE = 1 << 40  # above every index of a level's list


@inner
def _entry(tables, buffers, window, line):
    """A window two stones short, with its two empty cells, as one number."""
    one = missing(tables, buffers, window, line, np.int64(-1))
    return window << 20 | one << 10 | missing(tables, buffers, window, line, one)


@inner
def _win_at(buffers, level):
    """A cell where this level's windows give two completing cells; -1 if there is none."""
    buffers.ticks[0] += 1
    tick, only = buffers.ticks[0], buffers.forced[level]
    for i in range(buffers.begin[level], buffers.begin[level + 1]):
        one, other = buffers.active[i] >> 10 & 1023, buffers.active[i] & 1023
        for _ in range(2):
            if only < 0 or only == one:
                if buffers.stamp[one] != tick:
                    buffers.stamp[one], buffers.partner[one] = tick, other
                elif buffers.partner[one] != other:
                    return one
            one, other = other, one
    return np.int64(-1)


@inner
def _list_again(tables, buffers, level, side, line, stone):
    """Lists the next level's windows: the new ones through ``stone``, then those of this level
    still two stones short.
    """
    top = buffers.begin[level + 1]
    for i in range(tables.first[stone], tables.first[stone + 1]):
        window = tables.window[i]
        if tables.adds[i] == 1 and seen_by(buffers.counts[window], side) == line - 2:
            buffers.active[top] = _entry(tables, buffers, window, line)
            top += 1
    for i in range(buffers.begin[level], buffers.begin[level + 1]):
        if seen_by(buffers.counts[buffers.active[i] >> 20], side) == line - 2:
            buffers.active[top] = buffers.active[i]
            top += 1
    buffers.begin[level + 2] = top


@inner
def _known(buffers, level, left):
    """Whether the position has been searched with as many fours left; stores it."""
    at, key = slot_of(buffers.keys[level], left, np.int64(MEMO))
    if buffers.memo[at] == key:
        return True
    buffers.memo[at] = key
    return False


@inner
def _step(tables, buffers, level, side, line, moves):
    """Plays the next untried four of a level, with its reply. True if there was one."""
    while buffers.at[level] < 2 * (buffers.begin[level + 1] - buffers.begin[level]):
        number = buffers.at[level]
        buffers.at[level] += 1
        entry = buffers.active[buffers.begin[level] + (number >> 1)]
        stone, reply = entry >> 10 & 1023, entry & 1023
        if number & 1:
            stone, reply = reply, stone
        if buffers.forced[level] >= 0 and buffers.forced[level] != stone:
            continue
        put(tables, buffers, stone, side)
        many, _, _ = completing(tables, buffers, stone, side, line)
        if many == 1:
            put(tables, buffers, reply, 1 - side)
            answers, cell, _ = completing(tables, buffers, reply, 1 - side, line)
            if answers == 0 or answers == 1:
                moves[2 * level], moves[2 * level + 1] = stone, reply
                buffers.forced[level + 1] = cell if answers == 1 else np.int64(-1)
                buffers.keys[level + 1] = mix(
                    mix(buffers.keys[level], stone, side), reply, 1 - side
                )
                _list_again(tables, buffers, level, side, line, stone)
                buffers.at[level + 1] = 0
                return True
            take(tables, buffers, reply, 1 - side)
        take(tables, buffers, stone, side)
    return False


@inner
def _deepen(tables, buffers, side, line, most, budget, moves):
    """Searches for a win with at most ``most`` fours before the last move. True if found; its
    stones then stay on the board.
    """
    level = np.int64(0)
    buffers.at[0] = 0
    entering = True
    while True:
        if entering:
            stone = _win_at(buffers, level)
            if stone >= 0:
                moves[2 * level] = stone
                buffers.ticks[3] = 2 * level + 1
                return True
            if level == most:
                buffers.ticks[2] |= buffers.begin[level + 1] > buffers.begin[level]
                buffers.at[level] = DONE
            elif level > 0 and _known(buffers, level, most - level):
                buffers.at[level] = DONE
        if buffers.ticks[1] < budget and _step(tables, buffers, level, side, line, moves):
            buffers.ticks[1] += 1
            level += 1
            entering = True
            continue
        if level == 0:
            return False
        level -= 1
        take(tables, buffers, np.int64(moves[2 * level + 1]), 1 - side)
        take(tables, buffers, np.int64(moves[2 * level]), side)
        entering = False


@inner
def list_windows(board, side):
    """Lists the windows of ``side`` that are two stones short, as the first level."""
    facts, tables, buffers = board.facts, board.tables, board.buffers
    line, top = facts[LINE], np.int64(0)
    for window in range(facts[WINDOWS]):
        if seen_by(buffers.counts[window], side) == line - 2:
            buffers.active[top] = _entry(tables, buffers, window, line)
            top += 1
    buffers.begin[0], buffers.begin[1] = 0, top


@inner
def wins(board, side, key, budget, moves, forced):
    """Length of a winning line of ``side``, if it were to move, written to ``moves``; 0 if none is
    found.

    Its windows must be listed (``list_windows``). ``forced``: the only first move allowed, -1 for
    any. The board is restored.
    """
    facts, tables, buffers = board.facts, board.tables, board.buffers
    line = facts[LINE]
    if buffers.begin[1] == 0:
        return np.int64(0)
    buffers.forced[0], buffers.keys[0] = forced, key
    buffers.ticks[1] = 0
    most = np.int64(0)
    while most < LEVELS:
        buffers.ticks[2] = 0
        if _deepen(tables, buffers, side, line, most, budget, moves):
            length = buffers.ticks[3]
            for i in range(length - 2, -1, -1):
                take(tables, buffers, np.int64(moves[i]), side if i % 2 == 0 else 1 - side)
            return length
        if buffers.ticks[2] == 0 or buffers.ticks[1] >= budget:
            return np.int64(0)
        most += 1 if most < 4 else 4
    return np.int64(0)


@inner
def add(out, cell):
    """Adds a cell to a set int64[M] of 32-bit words."""
    out[cell >> 5] |= np.int64(1) << (cell & 31)


@inner
def holds(cells, cell):
    return cells[cell >> 5] >> (cell & 31) & 1 != 0


@inner
def add_empty(tables, buffers, window, line, out):
    """Adds the empty cells of a window."""
    for i in range(window * line, window * line + line):
        if buffers.stones[tables.cells[i]] == 0:
            add(out, tables.cells[i])


@inner
def add_through(tables, buffers, cell, side, line, lacking, out):
    """Adds the empty cells of each window through a stone of ``side`` that has no stone of the
    other side and lacks ``lacking`` stones.
    """
    for j in range(tables.first[cell], tables.first[cell + 1]):
        window = tables.window[j]
        if tables.adds[j] == 1 and seen_by(buffers.counts[window], side) == line - lacking:
            add_empty(tables, buffers, window, line, out)


@inner
def own_fours(board, side, out):
    """Adds the cells where ``side``, moving here, makes a four or a winning line."""
    facts, tables, buffers = board.facts, board.tables, board.buffers
    line = facts[LINE]
    for window in range(facts[WINDOWS]):
        if (
            seen_by(buffers.counts[window], side) == line - 2
            or seen_by(buffers.counts[window], side) == line - 1
        ):
            add_empty(tables, buffers, window, line, out)


@inner
def zone_of_line(board, side, length, moves, out):
    """Adds the zone of the winning line ``moves`` of ``side``, without the other side's own fours.
    The board is restored.
    """
    facts, tables, buffers = board.facts, board.tables, board.buffers
    line, enemy = facts[LINE], 1 - side
    for i in range(length):
        cell = np.int64(moves[i])
        add(out, cell)
        put(tables, buffers, cell, side if i % 2 == 0 else enemy)
        if i % 2 == 1:
            add_through(tables, buffers, cell, enemy, line, 2, out)
        elif i == length - 1:
            many, one, another = completing(tables, buffers, cell, side, line)
            if many == 2:
                add(out, one)
                add(out, another)
    for i in range(length - 1, -1, -1):
        take(tables, buffers, np.int64(moves[i]), side if i % 2 == 0 else enemy)


@inner
def threats(board, side, key, moves, out):
    """Adds cells to ``out`` where a stone of ``side``, whose windows are listed, threatens a win by
    fours. They only order moves.

    Stones that make a four are excluded.
    """
    facts, tables, buffers = board.facts, board.tables, board.buffers
    line = facts[LINE]
    buffers.ticks[0] += 1
    tick, least = buffers.ticks[0], buffers.begin[1]
    for i in range(least):
        buffers.stamp[buffers.active[i] >> 10 & 1023] = tick
        buffers.stamp[buffers.active[i] & 1023] = tick
    for window in range(facts[WINDOWS]):
        if seen_by(buffers.counts[window], side) != line - 3:
            continue
        for i in range(window * line, window * line + line):
            cell = tables.cells[i]
            if buffers.stones[cell] == 0 and buffers.stamp[cell] < tick:
                buffers.stamp[cell] = DONE  # already listed
                buffers.found[0] += 1
                buffers.found[buffers.found[0]] = cell
    while buffers.found[0] > 0:
        cell = buffers.found[buffers.found[0]]
        buffers.found[0] -= 1
        buffers.stamp[cell] = 0
        put(tables, buffers, cell, side)
        top = least
        for i in range(tables.first[cell], tables.first[cell + 1]):
            window = tables.window[i]
            if tables.adds[i] == 1 and seen_by(buffers.counts[window], side) == line - 2:
                buffers.active[top] = _entry(tables, buffers, window, line)
                top += 1
        buffers.begin[1] = top
        if (
            top > least
            and wins(
                board,
                side,
                mix(key, cell, side),
                np.int64(THREAT),
                moves,
                np.int64(-1),
            )
            > 0
        ):
            add(out, cell)
        take(tables, buffers, cell, side)
    buffers.begin[1] = least
