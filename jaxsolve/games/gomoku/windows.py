"""Window counts of a Gomoku board for compiled loops that place and remove stones, on the host.

``counts[w]`` holds, for each side, the number of its stones in window w and, if only exact lines
win, at the window's two ends. A stone changes only the counts of the windows through it and of
those with it at an end.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from jaxsolve.core.bitboard import LINES, Grid
from jaxsolve.jit.host import inner

LEVELS = 24  # most fours of a line
MEMO = 1 << 9  # lost positions stored in one search for a line
CELLS, WORDS, LINE, WINDOWS, FOURS, TREES, NULLS, BUFFERS, TABLE = range(
    9
)  # first entries of ``facts``; the tables follow
COUNT, ENDS, OTHER = (
    15,
    48,
    8,
)  # bits of a count: stones, stones at the ends; the second player's are OTHER bits higher


class Budgets(NamedTuple):
    """Budgets of one threat search."""

    fours: int  # tried in a search for a line
    trees: int  # positions in a search for a tree of the side to move
    nulls: int  # positions in a search for a tree of its opponent


class Tables(NamedTuple):
    """Parts of ``facts``."""

    word: np.ndarray  # int64[A]: word of a cell in the packed state
    bit: np.ndarray  # int64[A]
    first: np.ndarray  # int64[A + 1]: start of a cell's windows in ``window`` and ``adds``
    cells: np.ndarray  # int64[W * L]: the cells of each window
    window: np.ndarray  # int64[...]
    # int64[...]: increment of that window's count by a first player's stone on the cell
    adds: np.ndarray


class Buffers(NamedTuple):
    """Parts of the scratch."""

    stones: np.ndarray  # int64[A]: 0 empty, 1 the first player's, 2 the second's
    counts: np.ndarray  # int64[W]
    stamp: np.ndarray  # int64[A]: number of the last list pass that met the cell
    partner: np.ndarray  # int64[A]: the completing cell that a stone there leaves
    active: np.ndarray  # int64[(LEVELS + 1) * W]: windows two stones short, level after level
    begin: np.ndarray  # int64[LEVELS + 2]: start of each level's windows
    # int64[LEVELS + 1]: progress in each level: window * 2 + which of the two cells comes first
    at: np.ndarray
    forced: np.ndarray  # int64[LEVELS + 1]: the only cell the attacker may play, -1 if it is free
    keys: np.ndarray  # int64[LEVELS + 1]
    memo: np.ndarray  # int64[MEMO]
    found: np.ndarray  # int64[A + 1]: their number, then cells still to be tried
    sets: np.ndarray  # int64[3 * (A // 32 + 1)]: sets of cells, 32 per word
    # int64[4]: list passes so far; fours played so far; whether a line was cut off; length of the
    # line
    ticks: np.ndarray


def facts_of(grid: Grid, line: int, exact: bool, budgets: Budgets) -> tuple[np.ndarray, int]:
    """``facts`` int64[...] for boards of this kind, and the number of int64s in their buffers."""
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


class Board(NamedTuple):
    """A board for compiled loops: the facts of the rules, tables into them, and the counts."""

    facts: np.ndarray  # int64[...]
    tables: Tables
    buffers: Buffers


@inner
def board_of(facts, scratch):
    """The ``Board`` of a rule set's facts and one search's scratch."""
    return Board(facts, tables_of(facts), buffers_of(facts, scratch))


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
def buffers_of(facts, scratch):
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
    return Buffers(
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
    """A window's count for ``side``: its own stones; more than COUNT if one of its stones lies at
    an end or a stone of the other side inside.
    """
    if side == 0:
        return count & (COUNT | ENDS | COUNT << OTHER)
    return count >> OTHER & (COUNT | ENDS) | (count & COUNT) << OTHER


@inner
def put(tables, buffers, cell, side):
    buffers.stones[cell] = 1 + side
    shift = side * OTHER
    for i in range(tables.first[cell], tables.first[cell + 1]):
        buffers.counts[tables.window[i]] += tables.adds[i] << shift


@inner
def take(tables, buffers, cell, side):
    buffers.stones[cell] = 0
    shift = side * OTHER
    for i in range(tables.first[cell], tables.first[cell + 1]):
        buffers.counts[tables.window[i]] -= tables.adds[i] << shift


@inner
def missing(tables, buffers, window, line, other):
    """An empty cell of a window that is not ``other``."""
    for i in range(window * line, window * line + line):
        cell = tables.cells[i]
        if buffers.stones[cell] == 0 and cell != other:
            return cell
    return np.int64(-1)


@inner
def completing(tables, buffers, cell, side, line):
    """(number, one, another) of the cells that complete a window through a stone just placed; the
    number is 0, 1, or 2 for more, and -1 if the stone made a line.
    """
    many, one, another = np.int64(0), np.int64(-1), np.int64(-1)
    for i in range(tables.first[cell], tables.first[cell + 1]):
        if tables.adds[i] != 1:
            continue
        window = tables.window[i]
        count = seen_by(buffers.counts[window], side)
        if count == line:
            return np.int64(-1), one, another
        if count == line - 1:
            found = missing(tables, buffers, window, line, np.int64(-1))
            if many == 0:
                many, one = np.int64(1), found
            elif many == 1 and found != one:
                many, another = np.int64(2), found
            elif many == 2 and found != one and found != another:
                many = np.int64(3)
    return many, one, another


@inner
def mix(key, cell, side):
    """A key with a stone added; independent of the order of stones."""
    x = np.uint64(2 * cell + side + 1) * np.uint64(0x9E3779B97F4A7C15)
    x = (x ^ (x >> np.uint64(29))) * np.uint64(0xBF58476D1CE4E5B9)
    return key ^ np.int64((x ^ (x >> np.uint64(32))) & np.uint64(0x7FFFFFFFFFFFFFFF))


@inner
def slot_of(key, left, size):
    """Index and value of the entry of a position with ``left`` moves left, in a memo of ``size``
    numbers (a power of two).
    """
    mixed = key + left * np.int64(0x2545F4914F6CDD1D)
    return (mixed ^ mixed >> 31) & (size - 1), mixed


@inner
def forget(buffers):
    for i in range(MEMO):
        buffers.memo[i] = 0


@inner
def set_up(state, board):
    """Sets up the board of a packed state. Returns a key for it."""
    facts, tables, buffers = board.facts, board.tables, board.buffers
    for window in range(facts[WINDOWS]):
        buffers.counts[window] = 0
    for cell in range(facts[CELLS]):
        buffers.stones[cell] = 0
        buffers.stamp[cell] = 0
    forget(buffers)
    buffers.ticks[0] = buffers.found[0] = 0
    key, words = np.int64(1), facts[WORDS]
    for cell in range(facts[CELLS]):
        word, shift = tables.word[cell], np.uint32(tables.bit[cell])
        for side in range(2):
            if (state[side * words + word] >> shift) & np.uint32(1):
                put(tables, buffers, np.int64(cell), np.int64(side))
                key = mix(key, np.int64(cell), np.int64(side))
    return key
