"""The windows of a Gomoku board, counted, for compiled loops that put stones and take them back (host side).

``counts[w]`` holds, for either side, how many of its stones lie in window w and, where only exact lines win, how many lie at its two ends. A stone
changes the counts of the windows through it, and of those that it lies at the end of, and nothing else.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from jaxsolve.core.bitboard import LINES, Grid
from jaxsolve.jit.host import inner

LEVELS = 24  # fours of the longest line
MEMO = 1 << 9  # positions of one look for a line that are remembered as lost
CELLS, WORDS, LINE, WINDOWS, FOURS, TREES, NULLS, DESK, TABLE = range(
    9
)  # what ``facts`` begins with; the tables follow
COUNT, ENDS, OTHER = (
    15,
    48,
    8,
)  # bits of a count: stones, stones at the ends; the second player's stand OTHER bits higher


class Budgets(NamedTuple):
    """What one look may cost."""

    fours: int  # tried in a look for a line
    trees: int  # positions in a look for a tree of the side to move
    nulls: int  # and in one for a tree of its opponent


class Tables(NamedTuple):
    """Parts of ``facts``."""

    word: np.ndarray  # int64[A]: where a cell lies in the packed state
    bit: np.ndarray  # int64[A]
    first: np.ndarray  # int64[A + 1]: where a cell's windows begin in ``window`` and ``adds``
    cells: np.ndarray  # int64[W * L]: the cells of each window
    window: np.ndarray  # int64[...]
    adds: (
        np.ndarray
    )  # int64[...]: what a stone of the first player on the cell adds to that window's count


class Desk(NamedTuple):
    """Parts of the scratch."""

    stones: np.ndarray  # int64[A]: 0 empty, 1 the first player's, 2 the second's
    counts: np.ndarray  # int64[W]
    stamp: np.ndarray  # int64[A]: the last look at a list of windows that met the cell
    partner: np.ndarray  # int64[A]: the completing cell it would then leave
    active: np.ndarray  # int64[(LEVELS + 1) * W]: windows two stones short, level after level
    begin: np.ndarray  # int64[LEVELS + 2]: where each level's begin
    at: (
        np.ndarray
    )  # int64[LEVELS + 1]: what of them has been tried: window * 2 + which of the two cells first
    forced: np.ndarray  # int64[LEVELS + 1]: the only cell the attacker may play, -1 if it is free
    keys: np.ndarray  # int64[LEVELS + 1]
    memo: np.ndarray  # int64[MEMO]
    found: np.ndarray  # int64[A + 1]: cells still to be tried, and before them how many
    sets: np.ndarray  # int64[3 * (A // 32 + 1)]: sets of cells, 32 a word
    ticks: np.ndarray  # int64[4]: looks at lists so far; fours played so far; whether a line was cut off; length of the line


def facts_of(grid: Grid, line: int, exact: bool, budgets: Budgets) -> tuple[np.ndarray, int]:
    """``facts`` int64[...] for boards of this kind, and the int64s of scratch that the desk takes."""
    size, windows, ends = grid.width, [], []
    for dr, dc in LINES:
        for row, column in np.ndindex(size, size):
            cells = [(row + k * dr, column + k * dc) for k in range(-1, line + 1)]
            inside = [r * size + c if 0 <= r < size and 0 <= c < size else -1 for r, c in cells]
            if min(inside[1:-1]) >= 0:
                windows.append(inside[1:-1])
                ends.append(
                    [cell for cell in (inside[0], inside[-1]) if cell >= 0] if exact else []
                )
    through: list[list[tuple[int, int]]] = [[] for _ in range(grid.points)]
    for window, (cells, outside) in enumerate(zip(windows, ends, strict=True)):
        for cell in cells:
            through[cell].append((window, 1))
        for cell in outside:
            through[cell].append((window, COUNT + 1))
    first = np.cumsum([0] + [len(each) for each in through])
    flat = np.array([pair for each in through for pair in each])
    scratch = (
        4 * grid.points
        + len(windows) * (LEVELS + 2)
        + 4 * (LEVELS + 2)
        + MEMO
        + 3 * (grid.points // 32 + 1)
        + 5
    )
    head = [grid.points, grid.words, line, len(windows), *budgets, scratch, int(first[-1])]
    tables = [
        head,
        grid.word_of,
        grid.bit_of,
        first,
        np.array(windows).reshape(-1),
        flat[:, 0],
        flat[:, 1],
    ]
    return np.concatenate([np.asarray(table, np.int64) for table in tables]), scratch


@inner
def tables_of(facts):
    cells, line, windows, entries = facts[CELLS], facts[LINE], facts[WINDOWS], facts[TABLE]
    a = np.int64(TABLE + 1)
    b = a + cells
    c = b + cells
    d = c + cells + 1
    e = d + windows * line
    f = e + entries
    return Tables(
        facts[a:b], facts[b:c], facts[c:d], facts[d:e], facts[e:f], facts[f : f + entries]
    )


@inner
def desk_of(facts, scratch):
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
    k = j + cells + 1
    l = k + 3 * (cells // 32 + 1)
    return Desk(
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
        scratch[j:k],
        scratch[k:l],
        scratch[l : l + 4],
    )


@inner
def seen_by(count, side):
    """A window's count as ``side`` sees it: its own stones, COUNT + 1 and more if any of its stones lies at an end or any of the other's inside."""
    if side == 0:
        return count & (COUNT | ENDS | COUNT << OTHER)
    return count >> OTHER & (COUNT | ENDS) | (count & COUNT) << OTHER


@inner
def put(tables, desk, cell, side):
    desk.stones[cell] = 1 + side
    shift = side * OTHER
    for i in range(tables.first[cell], tables.first[cell + 1]):
        desk.counts[tables.window[i]] += tables.adds[i] << shift


@inner
def take(tables, desk, cell, side):
    desk.stones[cell] = 0
    shift = side * OTHER
    for i in range(tables.first[cell], tables.first[cell + 1]):
        desk.counts[tables.window[i]] -= tables.adds[i] << shift


@inner
def missing(tables, desk, window, line, other):
    """An empty cell of a window that is not ``other``."""
    for i in range(window * line, window * line + line):
        cell = tables.cells[i]
        if desk.stones[cell] == 0 and cell != other:
            return cell
    return np.int64(-1)


@inner
def completing(tables, desk, cell, side, line):
    """(how many, one, another) of the cells that complete a window through a stone just put; how many is 0, 1 or 2 for more. -1 if it made a line."""
    many, one, another = np.int64(0), np.int64(-1), np.int64(-1)
    for i in range(tables.first[cell], tables.first[cell + 1]):
        if tables.adds[i] != 1:
            continue
        window = tables.window[i]
        count = seen_by(desk.counts[window], side)
        if count == line:
            return np.int64(-1), one, another
        if count == line - 1:
            found = missing(tables, desk, window, line, np.int64(-1))
            if many == 0:
                many, one = np.int64(1), found
            elif many == 1 and found != one:
                many, another = np.int64(2), found
            elif many == 2 and found != one and found != another:
                many = np.int64(3)
    return many, one, another


@inner
def mix(key, cell, side):
    """A key with a stone added; the order of stones makes no difference."""
    x = np.uint64(2 * cell + side + 1) * np.uint64(0x9E3779B97F4A7C15)
    x = (x ^ (x >> np.uint64(29))) * np.uint64(0xBF58476D1CE4E5B9)
    return key ^ np.int64((x ^ (x >> np.uint64(32))) & np.uint64(0x7FFFFFFFFFFFFFFF))


@inner
def slot_of(key, left, size):
    """Where a memo of ``size`` numbers (a power of two) keeps a position with ``left`` moves left, and as what."""
    mixed = key + left * np.int64(0x2545F4914F6CDD1D)
    return (mixed ^ mixed >> 31) & (size - 1), mixed


@inner
def forget(desk):
    for i in range(MEMO):
        desk.memo[i] = 0


@inner
def set_up(state, facts, tables, desk):
    """The board of a packed state; a key for it."""
    for window in range(facts[WINDOWS]):
        desk.counts[window] = 0
    for cell in range(facts[CELLS]):
        desk.stones[cell] = 0
        desk.stamp[cell] = 0
    forget(desk)
    desk.ticks[0] = desk.found[0] = 0
    key, words = np.int64(1), facts[WORDS]
    for cell in range(facts[CELLS]):
        word, shift = tables.word[cell], np.uint32(tables.bit[cell])
        for side in range(2):
            if (state[side * words + word] >> shift) & np.uint32(1):
                put(tables, desk, np.int64(cell), np.int64(side))
                key = mix(key, np.int64(cell), np.int64(side))
    return key
