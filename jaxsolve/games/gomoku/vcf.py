"""Search for a VCF of Gomoku (victory by continuous fours), compiled, on the host.

A *four* is a move that leaves one completing cell. Under four-threat rules it forces the reply, and
a move that leaves two completing cells wins. In a VCF the attacker plays fours until one of its
moves leaves two completing cells. ``jaxsolve.games.threats`` defines the interface.

A *line* has the moves of a VCF, alternating between attacker and defender: ``s1 d1 s2 d2 ... sk``.
The *zone* of a line contains every cell where an additional stone of the defender could disturb the
line:

* the cells of the line;
* the completing cells that ``sk`` leaves, if there are exactly two;
* after each ``di``, the two empty cells of every window through ``di`` whose other cells have the
  defender's stones, because a stone on one of the two cells would make a four of ``di``;
* the cells where the defender, moving first, makes a four or a winning line, because the attacker
  would have to answer.

After a reply outside the zone the line still wins: each ``si`` leaves ``di`` as the only completing
cell, no ``di`` makes a four that the attacker must answer, and ``sk`` leaves two completing cells.
``proof/FORMAT.md`` has the proof. ``proof/check/games/gomoku`` has the checker's test.

Sources: threat-space search (Allis 1994). The zone is the zone of a null move, as in lambda search
(Thomsen 2000).
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

THREAT = 3  # budget of fours for each cell that ``threats`` tests
DONE = 1 << 40  # larger than every index of a level's list


@inner
def _entry(tables, buffers, window, line):
    """Encodes a window that lacks two stones, with its empty cells, as an entry of ``active``."""
    one = missing(tables, buffers, window, line, np.int64(-1))
    return window << 20 | one << 10 | missing(tables, buffers, window, line, one)


@inner
def _win_at(buffers, level):
    """Returns a cell where an attacker's stone leaves two completing cells, or -1.

    The cell lies in two of the level's windows that lack two stones. If the level has a forced
    cell, only this cell is considered.
    """
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
    """Lists the windows of level ``level + 1`` that lack two stones for ``side``.

    These are the windows through ``stone``, which was just placed, and those of level ``level``
    that still lack two stones.
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
    """Whether the level's position was searched before with ``left`` more fours.

    If not, the position is stored as searched.
    """
    at, key = slot_of(buffers.keys[level], left, np.int64(MEMO))
    if buffers.memo[at] == key:
        return True
    buffers.memo[at] = key
    return False


@inner
def _step(tables, buffers, level, side, line, moves):
    """Plays the next untried four of a level and its forced reply. Returns False if none is left.

    A four is skipped if the forced reply wins or makes two fours.
    """
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
            count, cell, _ = completing(tables, buffers, reply, 1 - side, line)
            if count == 0 or count == 1:
                moves[2 * level], moves[2 * level + 1] = stone, reply
                buffers.forced[level + 1] = cell if count == 1 else np.int64(-1)
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
    """Searches for a line of ``side`` with at most ``most`` fours before its last move.

    Returns whether a line is found. ``moves`` then has its moves, and all its stones except the
    last one stay on the board. ``budget`` limits the number of played fours (``Budgets.fours``).
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
    """Lists the windows that lack two stones for ``side``, as level 0 of a search for a line."""
    facts, tables, buffers = board.facts, board.tables, board.buffers
    line, top = facts[LINE], np.int64(0)
    for window in range(facts[WINDOWS]):
        if seen_by(buffers.counts[window], side) == line - 2:
            buffers.active[top] = _entry(tables, buffers, window, line)
            top += 1
    buffers.begin[0], buffers.begin[1] = 0, top


@inner
def wins(board, side, key, budget, moves, forced):
    """Searches for a line by which ``side`` wins if ``side`` is to move. Restores the board.

    The windows of ``side`` must be listed (``list_windows``).

    Args:
      board: the ``Board``.
      side: the attacker.
      key: the key of the position.
      budget: most fours played.
      moves: int64[...], receives the line.
      forced: the only first move allowed, or -1.
    Returns:
      The length of the line, or 0 if none is found.
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
    """Adds a cell to the set ``out`` int64[M], which holds 32 cells per word."""
    out[cell >> 5] |= np.int64(1) << (cell & 31)


@inner
def holds(cells, cell):
    """Whether the set ``cells`` int64[M], with 32 cells per word, contains a cell."""
    return cells[cell >> 5] >> (cell & 31) & 1 != 0


@inner
def add_empty(tables, buffers, window, line, out):
    """Adds the empty cells of a window to the set ``out``."""
    for i in range(window * line, window * line + line):
        if buffers.stones[tables.cells[i]] == 0:
            add(out, tables.cells[i])


@inner
def add_through(tables, buffers, cell, side, line, lacking, out):
    """Adds to ``out`` the empty cells of certain windows through ``cell``.

    These are the windows that lack exactly ``lacking`` stones for ``side`` (``windows``).
    """
    for j in range(tables.first[cell], tables.first[cell + 1]):
        window = tables.window[j]
        if tables.adds[j] == 1 and seen_by(buffers.counts[window], side) == line - lacking:
            add_empty(tables, buffers, window, line, out)


@inner
def own_fours(board, side, out):
    """Adds to ``out`` the cells where a stone of ``side`` makes a four or a winning line.

    These are the empty cells of all windows that lack one or two stones for ``side``.
    """
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
    """Adds to ``out`` the zone of the line ``moves`` int64[length] of ``side``.

    One part of the zone is not added: the cells where the other side, moving first, makes a four or
    a winning line (``own_fours``). Restores the board.
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
    """Adds to ``out`` the cells where a stone of ``side`` threatens a VCF. They order moves.

    Cells where the stone makes a four are left out. The windows of ``side`` must be listed
    (``list_windows``). ``moves`` is work space for a line. Restores the board.
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
