"""Zone of a threat tree whose player is not to move. Compiled, on the host; ``threes`` finds the
trees.

The side to move must disturb the other side's tree or make a four. A stone outside the tree's zone
does neither. The zone contains the zones of lines and replies. It also contains the windows in
which a stone of the side to move and a later reply outside the line's zone would together make a
four. Letters and numbers refer to the proof in ``proof/FORMAT.md``; the checker's test is in
``proof/check/games/gomoku``.
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
def _add_but(tables, buffers, window, line, answered, out):
    """Adds each empty cell of a window unless all its other empty cells are answered."""
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
    """Adds the zone of the line in ``frames.line``, threatened here, for positions with both a
    stone of the other side and a reply to the three.
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
            _add_but(tables, buffers, np.int64(window), line, frames.zone, out)  # Z8
    for i in range(length):
        cell = np.int64(frames.line[i])
        put(tables, buffers, cell, side if i % 2 == 0 else enemy)
        if i % 2 == 1:
            for j in range(tables.first[cell], tables.first[cell + 1]):
                if (
                    tables.adds[j] == 1
                    and seen_by(buffers.counts[tables.window[j]], enemy) == line - 3
                ):
                    _add_but(tables, buffers, tables.window[j], line, frames.zone, out)  # Z9
        elif i == length - 1:
            add_through(tables, buffers, cell, side, line, 1, out)  # Z6: all completing cells
    for i in range(length - 1, -1, -1):
        take(tables, buffers, np.int64(frames.line[i]), side if i % 2 == 0 else enemy)


@inner
def _read_line(frames, tree, at, length):
    for i in range(length):
        frames.line[i] = tree[at + i]


@inner
def _read_reply(board, frames, tree, f, side, out):
    """Plays the tree's next reply and adds its part of the zone."""
    facts, tables, buffers = board.facts, board.tables, board.buffers
    cell = tree[frames.now[END]]
    frames.now[END] += 1
    frames.replies[f * facts[CELLS]] = cell
    put(tables, buffers, cell, 1 - side)
    add_through(tables, buffers, cell, 1 - side, facts[LINE], 2, out)  # Z7


@compiled
def zone_of_tree(facts, scratch, side, tree, out):
    """Adds to ``out`` int64[A // 32 + 1] the zone of ``side``'s VCT tree ``tree``.

    It changes the board in the buffers and restores it.
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
