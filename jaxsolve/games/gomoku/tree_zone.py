"""Zone of a threat tree whose player is not to move, compiled, on the host.

``vct`` finds the trees. The side to move must make a four or disturb the tree of its opponent. A
stone outside the zone of the tree does neither. The zone contains the zones of all lines of the
tree, and the cells that can affect the play after each reply. It also contains cells of windows in
which two stones of the side to move would make a four: a stone that is played now, and a later
reply outside the zone of a line.

Z1 to Z9 and B2 are conditions of ``proof/FORMAT.md``, "Threats of several moves in Gomoku". The
checker's test is in ``proof/check/games/gomoku``.
"""

from __future__ import annotations

import numpy as np

from jaxsolve.games.gomoku.vcf import add, add_through, holds, own_fours, zone_of_line
from jaxsolve.games.gomoku.vct import END, FIELDS, REPLIES, STONE, frames_of
from jaxsolve.games.gomoku.windows import (
    CELLS,
    LINE,
    WINDOWS,
    board_of,
    put,
    seen_by,
    take,
)
from jaxsolve.jit.host import compiled, inner


@inner
def _add_unless_answered(tables, buffers, window, line, answered, out):
    """Adds to ``out`` the empty cells of the window for which another is not in ``answered``.

    ``answered`` is the set of replies that the tree answers (Z8, Z9).
    """
    open_cells, last = np.int64(0), np.int64(-1)
    for i in range(window * line, window * line + line):
        cell = tables.cells[i]
        if buffers.stones[cell] == 0 and not holds(answered, cell):
            open_cells += 1
            last = cell
    for i in range(window * line, window * line + line):
        cell = tables.cells[i]
        if buffers.stones[cell] == 0 and (open_cells > 1 or (open_cells == 1 and cell != last)):
            add(out, cell)


@inner
def _zone_of_branch(board, frames, side, length, out):
    """Adds to ``out`` the cells of Z6, Z8 and Z9 for the branch of a three.

    ``frames.line`` int64[length] is the line that the three threatens. It must still win if the
    other side has two more stones: one outside the zone, and a reply that the branch does not
    answer. The stone of the three is on the board.
    """
    facts, tables, buffers = board.facts, board.tables, board.buffers
    line, enemy = facts[LINE], 1 - side
    zone_of_line(board, side, length, frames.line, out)  # Z6
    for i in range(len(frames.zone)):
        frames.zone[i] = 0
    own_fours(board, enemy, frames.zone)
    zone_of_line(board, side, length, frames.line, frames.zone)  # the replies of B2
    for window in range(facts[WINDOWS]):
        if seen_by(buffers.counts[window], enemy) == line - 3:
            _add_unless_answered(tables, buffers, np.int64(window), line, frames.zone, out)  # Z8
    for i in range(length):
        cell = np.int64(frames.line[i])
        put(tables, buffers, cell, side if i % 2 == 0 else enemy)
        if i % 2 == 1:
            for j in range(tables.first[cell], tables.first[cell + 1]):
                if (
                    tables.adds[j] == 1
                    and seen_by(buffers.counts[tables.window[j]], enemy) == line - 3
                ):
                    _add_unless_answered(
                        tables, buffers, tables.window[j], line, frames.zone, out
                    )  # Z9
        elif i == length - 1:
            add_through(tables, buffers, cell, side, line, 1, out)  # Z6: all completing cells
    for i in range(length - 1, -1, -1):
        take(tables, buffers, np.int64(frames.line[i]), side if i % 2 == 0 else enemy)


@inner
def _read_line(frames, tree, at, length):
    """Copies the line that begins at ``tree[at]`` to ``frames.line``."""
    for i in range(length):
        frames.line[i] = tree[at + i]


@inner
def _read_reply(board, frames, tree, f, side, out):
    """Reads the next reply of the encoded tree, plays it, and adds the cells of Z7 to ``out``."""
    facts, tables, buffers = board.facts, board.tables, board.buffers
    cell = tree[frames.now[END]]
    frames.now[END] += 1
    frames.replies[f * facts[CELLS]] = cell
    put(tables, buffers, cell, 1 - side)
    add_through(tables, buffers, cell, 1 - side, facts[LINE], 2, out)  # Z7


@compiled
def zone_of_tree(facts, scratch, side, tree, out):
    """Adds to ``out`` int64[A // 32 + 1] the zone of an encoded tree of ``side``.

    The other side is to move. The function changes the board in ``scratch`` and restores it.
    """
    board, frames = board_of(facts, scratch), frames_of(facts, scratch)
    tables, buffers = board.tables, board.buffers
    own_fours(board, 1 - side, out)  # Z4
    f = np.int64(0)
    frames.now[END] = 0
    while True:
        at = frames.now[END]
        length = tree[at]
        if length == 0:
            stone, length = tree[at + 1], tree[at + 2]
            add(out, stone)  # Z5
            put(tables, buffers, stone, side)
            _read_line(frames, tree, at + 3, length)
            if length > 0:
                _zone_of_branch(board, frames, side, length, out)
            else:
                add(out, tree[at + 4])  # Z5: the completing cell
            frames.at[f * FIELDS + STONE], frames.at[f * FIELDS + REPLIES] = (
                stone,
                tree[at + 3 + length],
            )
            frames.now[END] = at + 4 + length
        else:
            _read_line(frames, tree, at + 1, length)
            zone_of_line(board, side, length, frames.line, out)  # Z1 to Z3
            frames.now[END] = at + 1 + length
            f -= 1
            while f >= 0:
                take(tables, buffers, frames.replies[f * facts[CELLS]], 1 - side)
                frames.at[f * FIELDS + REPLIES] -= 1
                if frames.at[f * FIELDS + REPLIES] > 0:
                    break
                take(tables, buffers, frames.at[f * FIELDS + STONE], side)
                f -= 1
            if f < 0:
                return
        _read_reply(board, frames, tree, f, side, out)
        f += 1
