"""Winning by fours: sequences of fours that each force the reply, until one stone makes two (host side, compiled; ``jaxsolve.sequences``).

Known under four-threat rules only, where the rules themselves say that a four forces the reply and two win. A *line* is what such a win plays,
attacker and defender in turn: ``s1 d1 s2 d2 ... sk``. Its *zone* is every cell at which a further stone of the defender could change it:

* the cells of the line, and where ``sk`` leaves two completing cells and no more, these;
* after each ``di`` the two empty cells of every window that holds none of the attacker's stones and else only the defender's: a stone at one would
  have made ``di`` a four;
* the cells where the defender makes a four, or its winning line, of its own: the attacker would have to answer that.

A reply outside the zone changes none of it: each ``si`` still leaves ``di`` as the only completing cell, for its window is full but for that; each ``di``
still leaves the attacker free; at the end two completing cells are still there. ``proof/FORMAT.md`` has the argument in full.
(Allis 1994, dependency-based search; the zone is that of a null move, as in lambda search, Thomsen 2000.)

The windows of the board are counted, not their cells: ``counts[w]`` holds, for either side, how many of its stones lie in window w and, where only
exact lines win, how many lie at its two ends. A stone changes the windows through it and nothing else.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from jaxsolve.bitboard import LINES, Grid
from jaxsolve.compiled import compiled, inner
from jaxsolve.sequences import LONGEST

MOST = 60  # fours tried in one look
THREAT = 3
LEVELS = 24  # fours of the longest line
MEMO = 1 << 9  # positions of one look that are remembered as lost
CELLS, WORDS, LINE, WINDOWS, BUDGET, TABLE = range(6)  # what ``facts`` begins with; the tables follow
COUNT, ENDS, OTHER = 15, 48, 8  # bits of a count: stones, stones at the ends; the second player's stand OTHER bits higher


class _Tables(NamedTuple):
    """Parts of ``facts``."""

    word: np.ndarray  # int64[A]: where a cell lies in the packed state
    bit: np.ndarray  # int64[A]
    first: np.ndarray  # int64[A + 1]: where a cell's windows begin in ``window`` and ``adds``
    cells: np.ndarray  # int64[W * L]: the cells of each window
    window: np.ndarray  # int64[...]
    adds: np.ndarray  # int64[...]: what a stone of the first player on the cell adds to that window's count


class _Desk(NamedTuple):
    """Parts of the scratch."""

    stones: np.ndarray  # int64[A]: 0 empty, 1 the first player's, 2 the second's
    counts: np.ndarray  # int64[W]
    stamp: np.ndarray  # int64[A]: the last look at a list of windows that met the cell
    partner: np.ndarray  # int64[A]: the completing cell it would then leave
    active: np.ndarray  # int64[(LEVELS + 1) * W]: windows two stones short, level after level
    begin: np.ndarray  # int64[LEVELS + 2]: where each level's begin
    at: np.ndarray  # int64[LEVELS + 1]: what of them has been tried: window * 2 + which of the two cells first
    forced: np.ndarray  # int64[LEVELS + 1]: the only cell the attacker may play, -1 if it is free
    keys: np.ndarray  # int64[LEVELS + 1]
    memo: np.ndarray  # int64[MEMO]
    found: np.ndarray  # int64[A + 1]: cells still to be tried, and before them how many
    ticks: np.ndarray  # int64[4]: looks at lists so far; fours played so far; whether a line was cut off; length of the line


def facts_of(grid: Grid, line: int, exact: bool, budget: int) -> tuple[np.ndarray, int]:
    """``facts`` int64[...] for boards of this kind, and the int64s of scratch that go with them. ``budget``: fours tried in one look."""
    size, windows, ends = grid.width, [], []
    for dr, dc in LINES:
        for row, column in np.ndindex(size, size):
            cells = [(row + k * dr, column + k * dc) for k in range(-1, line + 1)]
            inside = [r * size + c if 0 <= r < size and 0 <= c < size else -1 for r, c in cells]
            if min(inside[1:-1]) >= 0:
                windows.append(inside[1:-1])
                ends.append([cell for cell in (inside[0], inside[-1]) if cell >= 0] if exact else [])
    through: list[list[tuple[int, int]]] = [[] for _ in range(grid.points)]
    for window, (cells, outside) in enumerate(zip(windows, ends, strict=True)):
        for cell in cells:
            through[cell].append((window, 1))
        for cell in outside:
            through[cell].append((window, COUNT + 1))
    first = np.cumsum([0] + [len(each) for each in through])
    flat = np.array([pair for each in through for pair in each])
    head = [grid.points, grid.words, line, len(windows), budget, int(first[-1])]
    tables = [head, grid.word_of, grid.bit_of, first, np.array(windows).reshape(-1), flat[:, 0], flat[:, 1]]
    scratch = 4 * grid.points + len(windows) * (LEVELS + 2) + 4 * (LEVELS + 2) + MEMO + 5
    return np.concatenate([np.asarray(table, np.int64) for table in tables]), scratch


@inner
def _tables(facts):
    cells, line, windows, entries = facts[CELLS], facts[LINE], facts[WINDOWS], facts[TABLE]
    a = np.int64(TABLE + 1)
    b = a + cells
    c = b + cells
    d = c + cells + 1
    e = d + windows * line
    f = e + entries
    return _Tables(facts[a:b], facts[b:c], facts[c:d], facts[d:e], facts[e:f], facts[f : f + entries])


@inner
def _desk(facts, scratch):
    cells, windows = facts[CELLS], facts[WINDOWS]
    a = cells
    b = a + windows
    c = b + cells
    d = c + cells
    e = d + windows * (LEVELS + 1)
    f = e + LEVELS + 2
    g = f + LEVELS + 2
    h = g + LEVELS + 2
    i = h + LEVELS + 2
    j = i + MEMO
    return _Desk(
        scratch[:a],
        scratch[a:b],
        scratch[b:c],
        scratch[c:d],
        scratch[d:e],
        scratch[e:f],
        scratch[f:g],
        scratch[g:h],
        scratch[h:i],
        scratch[i:j],
        scratch[j : j + cells + 1],
        scratch[j + cells + 1 : j + cells + 5],
    )


@inner
def _of(count, side):
    """A window's count as ``side`` sees it: its own stones, COUNT + 1 and more if any of its stones lies at an end or any of the other's inside."""
    if side == 0:
        return count & (COUNT | ENDS | COUNT << OTHER)
    return count >> OTHER & (COUNT | ENDS) | (count & COUNT) << OTHER


@inner
def _put(tables, desk, cell, side):
    desk.stones[cell] = 1 + side
    shift = side * OTHER
    for i in range(tables.first[cell], tables.first[cell + 1]):
        desk.counts[tables.window[i]] += tables.adds[i] << shift


@inner
def _take(tables, desk, cell, side):
    desk.stones[cell] = 0
    shift = side * OTHER
    for i in range(tables.first[cell], tables.first[cell + 1]):
        desk.counts[tables.window[i]] -= tables.adds[i] << shift


@inner
def _missing(tables, desk, window, line, other):
    """An empty cell of a window that is not ``other``."""
    for i in range(window * line, window * line + line):
        cell = tables.cells[i]
        if desk.stones[cell] == 0 and cell != other:
            return cell
    return np.int64(-1)


@inner
def _completing(tables, desk, cell, side, line):
    """(how many, one, another) of the cells that complete a window through a stone just put; how many is 0, 1 or 2 for more. -1 if it made a line."""
    many, one, another = np.int64(0), np.int64(-1), np.int64(-1)
    for i in range(tables.first[cell], tables.first[cell + 1]):
        if tables.adds[i] != 1:
            continue
        window = tables.window[i]
        count = _of(desk.counts[window], side)
        if count == line:
            return np.int64(-1), one, another
        if count == line - 1:
            found = _missing(tables, desk, window, line, np.int64(-1))
            if many == 0:
                many, one = np.int64(1), found
            elif many == 1 and found != one:
                many, another = np.int64(2), found
            elif many == 2 and found != one and found != another:
                many = np.int64(3)
    return many, one, another


@inner
def _mix(key, cell, side):
    """A key with a stone added; the order of stones makes no difference."""
    x = np.uint64(2 * cell + side + 1) * np.uint64(0x9E3779B97F4A7C15)
    x = (x ^ (x >> np.uint64(29))) * np.uint64(0xBF58476D1CE4E5B9)
    return key ^ np.int64((x ^ (x >> np.uint64(32))) & np.uint64(0x7FFFFFFFFFFFFFFF))


@inner
def _forget(desk):
    for i in range(MEMO):
        desk.memo[i] = 0


@inner
def _set_up(state, facts, tables, desk):
    """The board of a packed state; a key for it."""
    for window in range(facts[WINDOWS]):
        desk.counts[window] = 0
    for cell in range(facts[CELLS]):
        desk.stones[cell] = 0
        desk.stamp[cell] = 0
    _forget(desk)
    desk.ticks[0] = desk.found[0] = 0
    key, words = np.int64(1), facts[WORDS]
    for cell in range(facts[CELLS]):
        word, shift = tables.word[cell], np.uint32(tables.bit[cell])
        for side in range(2):
            if (state[side * words + word] >> shift) & np.uint32(1):
                _put(tables, desk, np.int64(cell), np.int64(side))
                key = _mix(key, np.int64(cell), np.int64(side))
    return key


@inner
def _entry(tables, desk, window, line):
    """A window two stones short with its two empty cells, in one number."""
    one = _missing(tables, desk, window, line, np.int64(-1))
    return window << 20 | one << 10 | _missing(tables, desk, window, line, one)


@inner
def _win_at(desk, level):
    """A cell of this level's windows at which two completing cells arise, -1 if there is none."""
    desk.ticks[0] += 1
    tick, only = desk.ticks[0], desk.forced[level]
    for i in range(desk.begin[level], desk.begin[level + 1]):
        one, other = desk.active[i] >> 10 & 1023, desk.active[i] & 1023
        for turn in range(2):
            if only < 0 or only == one:
                if desk.stamp[one] != tick:
                    desk.stamp[one], desk.partner[one] = tick, other
                elif desk.partner[one] != other:
                    return one
            one, other = other, one
    return np.int64(-1)


@inner
def _list_again(tables, desk, level, side, line, stone):
    """The windows of the next level: those of this one that are still two stones short, behind the new ones through ``stone``."""
    top = desk.begin[level + 1]
    for i in range(tables.first[stone], tables.first[stone + 1]):
        window = tables.window[i]
        if tables.adds[i] == 1 and _of(desk.counts[window], side) == line - 2:
            desk.active[top] = _entry(tables, desk, window, line)
            top += 1
    for i in range(desk.begin[level], desk.begin[level + 1]):
        if _of(desk.counts[desk.active[i] >> 20], side) == line - 2:
            desk.active[top] = desk.active[i]
            top += 1
    desk.begin[level + 2] = top


@inner
def _known(desk, level, left):
    """Whether this position was met before with as many fours left; remembered from now on."""
    key = desk.keys[level] + left * np.int64(0x2545F4914F6CDD1D)
    at = (key ^ key >> 31) & (MEMO - 1)
    if desk.memo[at] == key:
        return True
    desk.memo[at] = key
    return False


@inner
def _step(tables, desk, level, side, line, moves):
    """Plays the next four of a level that has not been tried, with its reply. True if there was one."""
    while desk.at[level] < 2 * (desk.begin[level + 1] - desk.begin[level]):
        number = desk.at[level]
        desk.at[level] += 1
        entry = desk.active[desk.begin[level] + (number >> 1)]
        stone, reply = entry >> 10 & 1023, entry & 1023
        if number & 1:
            stone, reply = reply, stone
        if desk.forced[level] >= 0 and desk.forced[level] != stone:
            continue
        _put(tables, desk, stone, side)
        many, _, _ = _completing(tables, desk, stone, side, line)
        if many == 1:
            _put(tables, desk, reply, 1 - side)
            answers, cell, _ = _completing(tables, desk, reply, 1 - side, line)
            if answers == 0 or answers == 1:
                moves[2 * level], moves[2 * level + 1] = stone, reply
                desk.forced[level + 1] = cell if answers == 1 else np.int64(-1)
                desk.keys[level + 1] = _mix(_mix(desk.keys[level], stone, side), reply, 1 - side)
                _list_again(tables, desk, level, side, line, stone)
                desk.at[level + 1] = 0
                return True
            _take(tables, desk, reply, 1 - side)
        _take(tables, desk, stone, side)
    return False


@inner
def _deepen(tables, desk, side, line, most, budget, moves):
    """Looks for a win with at most ``most`` fours before the last move; stones it put stay only where it wins. True if it does."""
    level = np.int64(0)
    desk.at[0] = 0
    entering = True
    while True:
        if entering:
            stone = _win_at(desk, level)
            if stone >= 0:
                moves[2 * level] = stone
                desk.ticks[3] = 2 * level + 1
                return True
            if level == most:
                desk.ticks[2] |= desk.begin[level + 1] > desk.begin[level]
                desk.at[level] = np.int64(1) << 40
            elif level > 0 and _known(desk, level, most - level):
                desk.at[level] = np.int64(1) << 40
        if desk.ticks[1] < budget and _step(tables, desk, level, side, line, moves):
            desk.ticks[1] += 1
            level += 1
            entering = True
            continue
        if level == 0:
            return False
        level -= 1
        _take(tables, desk, np.int64(moves[2 * level + 1]), 1 - side)
        _take(tables, desk, np.int64(moves[2 * level]), side)
        entering = False


@inner
def _list(facts, tables, desk, side):
    """Lists the windows of ``side`` that are two stones short as the first level's."""
    line, top = facts[LINE], np.int64(0)
    for window in range(facts[WINDOWS]):
        if _of(desk.counts[window], side) == line - 2:
            desk.active[top] = _entry(tables, desk, window, line)
            top += 1
    desk.begin[0], desk.begin[1] = 0, top


@inner
def _wins(facts, tables, desk, side, key, budget, moves):
    """Length of a winning line of ``side``, were it to move with its windows ``_list``ed, written to ``moves``; 0 where none is found.

    The board is as before.
    """
    line = facts[LINE]
    if desk.begin[1] == 0:
        return np.int64(0)
    desk.forced[0], desk.keys[0] = -1, key
    desk.ticks[1] = 0
    most = np.int64(0)
    while most < LEVELS:
        desk.ticks[2] = 0
        if _deepen(tables, desk, side, line, most, budget, moves):
            length = desk.ticks[3]
            for i in range(length - 2, -1, -1):
                _take(tables, desk, np.int64(moves[i]), side if i % 2 == 0 else 1 - side)
            return length
        if desk.ticks[2] == 0 or desk.ticks[1] >= budget:
            return np.int64(0)
        most += 1 if most < 4 else 4
    return np.int64(0)


@inner
def _add(out, cell):
    out[cell >> 5] |= np.uint32(1) << np.uint32(cell & 31)


@inner
def _zone(facts, tables, desk, side, length, moves, out):
    """Adds the zone of a winning line of ``side`` to ``out``. The board is as before."""
    line, enemy = facts[LINE], 1 - side
    for window in range(facts[WINDOWS]):
        if _of(desk.counts[window], enemy) == line - 2 or _of(desk.counts[window], enemy) == line - 1:
            for i in range(window * line, window * line + line):
                if desk.stones[tables.cells[i]] == 0:
                    _add(out, tables.cells[i])
    for i in range(length):
        cell = np.int64(moves[i])
        _add(out, cell)
        _put(tables, desk, cell, side if i % 2 == 0 else enemy)
        if i % 2 == 1:
            for j in range(tables.first[cell], tables.first[cell + 1]):
                window = tables.window[j]
                if tables.adds[j] == 1 and _of(desk.counts[window], enemy) == line - 2:
                    one = _missing(tables, desk, window, line, np.int64(-1))
                    _add(out, one)
                    _add(out, _missing(tables, desk, window, line, one))
        elif i == length - 1:
            many, one, another = _completing(tables, desk, cell, side, line)
            if many == 2:
                _add(out, one)
                _add(out, another)
    for i in range(length - 1, -1, -1):
        _take(tables, desk, np.int64(moves[i]), side if i % 2 == 0 else enemy)


@inner
def _threats(facts, tables, desk, side, key, moves, out):
    """Adds cells at which a stone of ``side``, whose windows are listed, threatens to win by fours to ``out``; only the order of moves rests on it.

    A stone that makes a four is none of them.
    """
    line = facts[LINE]
    desk.ticks[0] += 1
    tick, least = desk.ticks[0], desk.begin[1]
    for i in range(least):
        desk.stamp[desk.active[i] >> 10 & 1023] = tick
        desk.stamp[desk.active[i] & 1023] = tick
    for window in range(facts[WINDOWS]):
        if _of(desk.counts[window], side) != line - 3:
            continue
        for i in range(window * line, window * line + line):
            cell = tables.cells[i]
            if desk.stones[cell] == 0 and desk.stamp[cell] < tick:
                desk.stamp[cell] = np.int64(1) << 40
                desk.found[0] += 1
                desk.found[desk.found[0]] = cell
    while desk.found[0] > 0:
        cell = desk.found[desk.found[0]]
        desk.found[0] -= 1
        desk.stamp[cell] = 0
        _put(tables, desk, cell, side)
        top = least
        for i in range(tables.first[cell], tables.first[cell + 1]):
            window = tables.window[i]
            if tables.adds[i] == 1 and _of(desk.counts[window], side) == line - 2:
                desk.active[top] = _entry(tables, desk, window, line)
                top += 1
        desk.begin[1] = top
        if top > least and _wins(facts, tables, desk, side, _mix(key, cell, side), np.int64(THREAT), moves) > 0:
            _add(out, cell)
        _take(tables, desk, cell, side)
    desk.begin[1] = least


@inner
def _answered(facts, tables, desk, mover, key, moves, zone, left):
    """Writes to ``left`` the replies of a zone after which a look would not see the opponent of ``mover`` win at once."""
    line = facts[LINE]
    for cell in range(facts[CELLS]):
        if (zone[cell >> 5] >> np.uint32(cell & 31)) & np.uint32(1) == 0:
            continue
        _put(tables, desk, np.int64(cell), mover)
        many, _, _ = _completing(tables, desk, np.int64(cell), mover, line)
        if many == 0:
            _forget(desk)
            _list(facts, tables, desk, 1 - mover)
            if _wins(facts, tables, desk, 1 - mover, _mix(key, np.int64(cell), mover), facts[BUDGET], moves) > 0:
                many = np.int64(-2)
        if many != -2:
            _add(left, np.int64(cell))
        _take(tables, desk, np.int64(cell), mover)


@compiled
def look(state, facts, scratch, moves, out):
    """What fours decide in a position that goes on, in which no reply is forced; see ``jaxsolve.sequences``."""
    tables, desk = _tables(facts), _desk(facts, scratch)
    mover = np.int64(state[2 * facts[WORDS]] & np.uint32(1))
    key = _set_up(state, facts, tables, desk)
    _list(facts, tables, desk, mover)
    length = _wins(facts, tables, desk, mover, key, facts[BUDGET], moves)
    if length > 0:
        return length
    third = len(out) // 3
    for i in range(len(out)):
        out[i] = np.uint32(0)
    _threats(facts, tables, desk, mover, key, moves, out[2 * third :])
    _list(facts, tables, desk, 1 - mover)
    length = _wins(facts, tables, desk, 1 - mover, ~key, facts[BUDGET], moves)
    if length > 0:
        _zone(facts, tables, desk, 1 - mover, length, moves, out[:third])
        _answered(facts, tables, desk, mover, key, moves[LONGEST:], out[:third], out[third : 2 * third])
    return -length
