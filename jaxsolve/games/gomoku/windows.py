"""Stone counts of all windows of a Gomoku board, for compiled searches on the host.

L stones in a row win. A *window* is a row of L cells in one direction. Its *ends* are the cells
just before and just after it. ``counts[w]`` has the number of stones of each side in window w. If
only exact lines win, it also has the numbers of stones at the ends of w. Placing or removing a
stone updates only the windows that have the stone inside or at an end.

Cells are action numbers. Sides are 0 (Black) and 1 (White). A window *lacks k stones* for a side if
it has L - k stones of the side and none of the other side. If only exact lines win, the side must
also have no stone at the ends.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from jaxsolve.core.bitboard import LINES, Grid
from jaxsolve.jit.host import inner

LEVELS = 24  # most fours of a line
MEMO = 1 << 9  # positions without a win that one search for a line stores
CELLS, WORDS, LINE, WINDOWS, FOURS, TREES, NULLS, BUFFERS, TABLE = range(
    9
)  # first entries of ``facts``: sizes, L, number of windows, budgets; ``Tables`` follow
COUNT, ENDS, OTHER = (
    15,
    48,
    8,
)  # masks in a count: stones inside, stones at ends; OTHER: shift of the second player's masks


class Budgets(NamedTuple):
    """Budgets of one threat search."""

    fours: int  # most fours played in a search for a line
    trees: int  # most positions in a search for a tree of the side to move
    nulls: int  # most positions in a search for a tree of the other side


class Tables(NamedTuple):
    """Views of parts of ``facts``, for A cells and W windows of L cells."""

    word: np.ndarray  # int64[A]: word of a cell in the packed state
    bit: np.ndarray  # int64[A]: bit of a cell in its word
    first: np.ndarray  # int64[A + 1]: start of a cell's windows in ``window`` and ``adds``
    cells: np.ndarray  # int64[W * L]: the cells of each window
    window: np.ndarray  # int64[...]: the windows that have a cell inside or at an end, by cell
    # int64[...]: the increment of the window's count for a stone of the first player on the cell: 1
    # inside the window, COUNT + 1 at an end.
    adds: np.ndarray


class Buffers(NamedTuple):
    """Views of parts of the scratch, for A cells and W windows.

    Level i of a search for a line is the position after i fours and their replies.
    """

    stones: np.ndarray  # int64[A]: 0 empty, 1 the first player's stone, 2 the second player's
    counts: np.ndarray  # int64[W]: the counts of each window (see the module's docstring)
    stamp: np.ndarray  # int64[A]: number of the last pass over a list of windows that had the cell
    partner: np.ndarray  # int64[A]: the completing cell that a stone on the cell leaves
    # int64[(LEVELS + 1) * W]: the windows that lack two stones, level after level. A number encodes
    # a window and its two empty cells.
    active: np.ndarray
    begin: np.ndarray  # int64[LEVELS + 2]: start of each level's windows in ``active``
    # int64[LEVELS + 1]: the next four of each level: 2 * (index of its window in the level) + index
    # of the empty cell (0 or 1) for the attacker's stone.
    at: np.ndarray
    forced: np.ndarray  # int64[LEVELS + 1]: the only cell where the attacker may play, or -1
    keys: np.ndarray  # int64[LEVELS + 1]: key of each level's position
    memo: np.ndarray  # int64[MEMO]: positions without a win (``slot_of``)
    found: np.ndarray  # int64[A + 1]: number of cells still to be tried, then these cells
    sets: np.ndarray  # int64[3 * (A // 32 + 1)]: three sets of cells, 32 cells per word
    # int64[4]: number of passes over lists of windows; number of played fours; whether the depth
    # limit cut off a line; length of the found line.
    ticks: np.ndarray


def facts_of(grid: Grid, line: int, exact: bool, budgets: Budgets) -> tuple[np.ndarray, int]:
    """Returns ``facts`` int64[...] of a rule set, and the number of int64s of its ``Buffers``.

    Args:
      grid: the board.
      line: L, the number of stones in a row that win.
      exact: whether only exactly L stones in a row win.
      budgets: the limits of one threat search.
    """
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
    """A board for compiled loops."""

    facts: np.ndarray  # int64[...]: the rules, as made by ``facts_of``
    tables: Tables  # views of ``facts``
    buffers: Buffers  # the stones, the counts and work space


@inner
def board_of(facts, scratch):
    """Returns the ``Board`` of ``facts`` int64[...] and ``scratch`` int64[...], without a copy."""
    return Board(facts, tables_of(facts), buffers_of(facts, scratch))


@inner
def tables_of(facts):
    """Returns the ``Tables`` in ``facts``, as views."""
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
    """Returns the ``Buffers`` in ``scratch``, as views."""
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
    """Returns the number of stones of ``side`` in a window that can still become its line.

    ``count`` is an entry of ``counts``. If the window cannot become a line of ``side``, the result
    is greater than COUNT: the window has a stone of the other side or, if only exact lines win,
    ``side`` has a stone at an end.
    """
    if side == 0:
        return count & (COUNT | ENDS | COUNT << OTHER)
    return count >> OTHER & (COUNT | ENDS) | (count & COUNT) << OTHER


@inner
def put(tables, buffers, cell, side):
    """Places a stone of ``side`` on an empty cell and updates the counts."""
    buffers.stones[cell] = 1 + side
    shift = side * OTHER
    for i in range(tables.first[cell], tables.first[cell + 1]):
        buffers.counts[tables.window[i]] += tables.adds[i] << shift


@inner
def take(tables, buffers, cell, side):
    """Removes a stone of ``side`` from a cell and updates the counts."""
    buffers.stones[cell] = 0
    shift = side * OTHER
    for i in range(tables.first[cell], tables.first[cell + 1]):
        buffers.counts[tables.window[i]] -= tables.adds[i] << shift


@inner
def missing(tables, buffers, window, line, other):
    """Returns the first empty cell of a window other than the cell ``other``; -1 if none."""
    for i in range(window * line, window * line + line):
        cell = tables.cells[i]
        if buffers.stones[cell] == 0 and cell != other:
            return cell
    return np.int64(-1)


@inner
def completing(tables, buffers, cell, side, line):
    """Finds the completing cells of the windows through a stone of ``side`` placed on ``cell``.

    Returns (number, one, another): the number of different completing cells, and two of these cells
    (-1 if there are fewer). The number is 3 if there are more than two, and -1 if the stone made a
    winning line.
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
    """Returns the key of a position after a stone is added to it (Zobrist hashing).

    The key does not depend on the order in which stones are added.
    """
    x = np.uint64(2 * cell + side + 1) * np.uint64(0x9E3779B97F4A7C15)
    x = (x ^ (x >> np.uint64(29))) * np.uint64(0xBF58476D1CE4E5B9)
    return key ^ np.int64((x ^ (x >> np.uint64(32))) & np.uint64(0x7FFFFFFFFFFFFFFF))


@inner
def slot_of(key, left, size):
    """Returns (index, value) of a memo entry: the position has no win within ``left`` more moves.

    The memo has ``size`` entries, a power of two.
    """
    mixed = key + left * np.int64(0x2545F4914F6CDD1D)
    return (mixed ^ mixed >> 31) & (size - 1), mixed


@inner
def forget(buffers):
    """Clears the memo of the search for a line."""
    for i in range(MEMO):
        buffers.memo[i] = 0


@inner
def set_up(state, board):
    """Sets up ``board`` with the stones of a packed state uint32[S]. Returns the position's key."""
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
