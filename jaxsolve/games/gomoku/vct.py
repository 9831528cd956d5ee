"""Search for a VCT of Gomoku (victory by continuous threats), compiled, on the host.

A *three* is a move that threatens a VCF, a line of fours (``vcf``): the player would win by the
line if it moved again at once. The opponent must disturb the line, and only moves in the zone of
the line can do so. A *tree* of the attacker is a VCF, or begins with a four or a three. After a
four or a three it has a tree against each relevant reply of the opponent.
``jaxsolve.games.threats`` defines the encoding of trees.

The search is depth-first with iterative deepening. A *frame* is a position with the attacker to
move on the current path.

Sources: threat-space search (Allis 1994); threats of the second order in lambda search (Thomsen
2000).
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from jaxsolve.games.gomoku.vcf import holds, list_windows, own_fours, wins, zone_of_line
from jaxsolve.games.gomoku.windows import (
    BUFFERS,
    CELLS,
    LEVELS,
    LINE,
    WINDOWS,
    board_of,
    completing,
    forget,
    mix,
    put,
    seen_by,
    slot_of,
    take,
)
from jaxsolve.jit.host import compiled, inner

FRAMES = 12  # most frames on a path
SMALL = 20  # budget of fours of each search for a line
TREE_MEMO = 1 << 12  # positions without a win that one search for a tree stores
ROOM = 4 * LEVELS + 8  # most numbers in the encoding of a branch and a line
LINE_ROOM = 2 * LEVELS + 2
FORCED, CANDIDATES, TRIED, STONE, REPLIES, REPLY, TOP, KEY, FIELDS = range(9)  # fields of a frame
POSITIONS, CUT, FRAME, END, NOW = range(5)  # indices of ``Frames.now``
OPEN, WON, LOST, DOWN = range(4)  # status: moves are left, won, lost, continue in the next frame


class Frames(NamedTuple):
    """The frames of a search for a tree: views of the part of the scratch after ``Buffers``.

    A is the number of cells.
    """

    at: np.ndarray  # int64[FRAMES * FIELDS]: the fields of each frame, FORCED to KEY
    cells: np.ndarray  # int64[FRAMES * A]: moves to try in each frame, most promising first
    replies: np.ndarray  # int64[FRAMES * A]: replies to the move that each frame tries
    score: np.ndarray  # int64[A]: scores that order the moves of one frame
    line: np.ndarray  # int64[LINE_ROOM]: the line found last
    zone: np.ndarray  # int64[A // 32 + 1]: work space for the zone of a line, 32 cells per word
    memo: np.ndarray  # int64[TREE_MEMO]: positions without a win (``windows.slot_of``)
    # int64[NOW]: POSITIONS, positions searched; CUT, whether the depth limit cut off a path; FRAME,
    # unused; END, the end of the encoded tree.
    now: np.ndarray


def scratch_size(cells: int) -> int:
    """Returns the number of int64s that the ``Frames`` of a board of ``cells`` cells need."""
    return (
        FRAMES * FIELDS + (2 * FRAMES + 1) * cells + LINE_ROOM + cells // 32 + 1 + TREE_MEMO + NOW
    )


@inner
def frames_of(facts, scratch):
    """Returns the ``Frames`` in ``scratch``, as views."""
    cells = facts[CELLS]
    a = facts[BUFFERS]
    b = a + FRAMES * FIELDS
    c = b + FRAMES * cells
    d = c + FRAMES * cells
    e = d + cells
    f = e + LINE_ROOM
    g = f + cells // 32 + 1
    h = g + TREE_MEMO
    return Frames(
        scratch[a:b],
        scratch[b:c],
        scratch[c:d],
        scratch[d:e],
        scratch[e:f],
        scratch[f:g],
        scratch[g:h],
        scratch[h : h + NOW],
    )


# ---- one position of the attacker ----------------------------------------------------------------
@inner
def _memo_at(frames, f, most):
    """Returns (index, value) of the memo entry of frame ``f`` for the depth limit ``most``."""
    return slot_of(frames.at[f * FIELDS + KEY], most - f, np.int64(TREE_MEMO))


@inner
def _list_cells(board, frames, f, side):
    """Lists the moves to try in frame ``f``. Returns their number.

    These are the empty cells of windows that lack two or three stones for ``side``. Cells in many
    such windows come first. If a move is forced, it is the only one in the list.
    """
    facts, tables, buffers = board.facts, board.tables, board.buffers
    line, cells, first = facts[LINE], facts[CELLS], f * facts[CELLS]
    if frames.at[f * FIELDS + FORCED] >= 0:
        frames.cells[first] = frames.at[f * FIELDS + FORCED]
        return np.int64(1)
    for cell in range(cells):
        frames.score[cell] = 0
    for window in range(facts[WINDOWS]):
        lacking = line - seen_by(buffers.counts[window], side)
        if lacking == 2 or lacking == 3:
            for i in range(window * line, window * line + line):
                frames.score[tables.cells[i]] += 5 - lacking
    count = np.int64(0)
    for cell in range(cells):
        if buffers.stones[cell] == 0 and frames.score[cell] > 0:
            at = first + count
            while at > first and frames.score[frames.cells[at - 1]] < frames.score[cell]:
                frames.cells[at] = frames.cells[at - 1]
                at -= 1
            frames.cells[at] = cell
            count += 1
    return count


@inner
def _open_frame(board, frames, tree, f, side, most, budget):
    """Opens frame ``f`` and returns its status.

    * WON: a line wins, and is appended to the tree.
    * LOST: the depth limit ``most``, the budget or the space for the tree is exhausted, or the memo
      has the position.
    * OPEN: the list of moves to try is ready.
    """
    row = f * FIELDS
    frames.now[POSITIONS] += 1
    if frames.now[POSITIONS] > budget or frames.now[END] + ROOM > len(tree):
        return LOST
    list_windows(board, side)
    length = wins(
        board,
        side,
        frames.at[row + KEY],
        np.int64(SMALL),
        frames.line,
        frames.at[row + FORCED],
    )
    if length > 0:
        top = frames.now[END]
        tree[top] = length
        for i in range(length):
            tree[top + 1 + i] = frames.line[i]
        frames.now[END] = top + 1 + length
        return WON
    if f == most:
        frames.now[CUT] = 1
        return LOST
    slot, key = _memo_at(frames, f, most)
    if frames.memo[slot] == key:
        return LOST
    frames.memo[slot] = (
        key  # removed if the frame is won; no later position is equal, since stones are only added
    )
    frames.at[row + CANDIDATES] = _list_cells(board, frames, f, side)
    frames.at[row + TRIED], frames.at[row + TOP] = 0, frames.now[END]
    return OPEN


@inner
def _list_replies(board, frames, f, side, length):
    """Lists the replies to a three in frame ``f``. Returns their number.

    These are the cells in the zone of the threatened line ``frames.line`` int64[length]. The cells
    of the line come first.
    """
    facts = board.facts
    first, count = f * facts[CELLS], np.int64(length)
    for i in range(len(frames.zone)):
        frames.zone[i] = 0
    own_fours(board, 1 - side, frames.zone)
    zone_of_line(board, side, length, frames.line, frames.zone)
    for i in range(length):
        cell = frames.line[i]
        frames.replies[first + i] = cell
        frames.zone[cell >> 5] &= ~(np.int64(1) << (cell & 31))
    for cell in range(facts[CELLS]):
        if holds(frames.zone, cell):
            frames.replies[first + count] = cell
            count += 1
    return count


@inner
def _write_branch(frames, tree, stone, length, replies):
    """Appends the head of a branch to the encoded tree: move, line and number of replies."""
    top = frames.now[END]
    tree[top], tree[top + 1], tree[top + 2] = 0, stone, length
    for i in range(length):
        tree[top + 3 + i] = frames.line[i]
    tree[top + 3 + length] = replies
    frames.now[END] = top + 4 + length


@inner
def _play_next(board, frames, tree, f, side, budget):
    """Plays the next move of frame ``f`` that is a four or a three, and lists the replies to it.

    Also appends the head of the branch to the tree. Returns False if no such move is left, or if
    the budget is exhausted.
    """
    facts, tables, buffers = board.facts, board.tables, board.buffers
    row, line = f * FIELDS, facts[LINE]
    while frames.at[row + TRIED] < frames.at[row + CANDIDATES] and frames.now[POSITIONS] < budget:
        stone = frames.cells[f * facts[CELLS] + frames.at[row + TRIED]]
        frames.at[row + TRIED] += 1
        frames.at[row + STONE], frames.at[row + REPLY], frames.now[END] = (
            stone,
            -1,
            frames.at[row + TOP],
        )
        put(tables, buffers, stone, side)
        many, reply, _ = completing(tables, buffers, stone, side, line)
        if many == 1:
            frames.replies[f * facts[CELLS]] = reply
            frames.at[row + REPLIES] = 1
            _write_branch(frames, tree, stone, np.int64(0), np.int64(1))
            return True
        if many == 0:
            list_windows(board, side)
            key = mix(frames.at[row + KEY], stone, side)
            length = wins(board, side, key, np.int64(SMALL), frames.line, np.int64(-1))
            if length > 0:
                frames.at[row + REPLIES] = _list_replies(board, frames, f, side, length)
                _write_branch(frames, tree, stone, length, frames.at[row + REPLIES])
                return True
        take(tables, buffers, stone, side)
    return False


@inner
def _play_reply(board, frames, tree, f, side):
    """Plays the opponent's next reply in frame ``f`` and returns the new status.

    * DOWN: the reply is played, and must be answered in the next frame.
    * WON: every reply has been answered. The frame's move is undone.
    * OPEN: the reply wins or makes two fours, so the frame's move fails. The move is undone.
    """
    facts, tables, buffers = board.facts, board.tables, board.buffers
    row, line, enemy = f * FIELDS, facts[LINE], 1 - side
    stone = frames.at[row + STONE]
    frames.at[row + REPLY] += 1
    if frames.at[row + REPLY] == frames.at[row + REPLIES]:
        take(tables, buffers, stone, side)
        return WON
    reply = frames.replies[f * facts[CELLS] + frames.at[row + REPLY]]
    put(tables, buffers, reply, enemy)
    count, cell, _ = completing(tables, buffers, reply, enemy, line)
    if count != 0 and count != 1:
        take(tables, buffers, reply, enemy)
        take(tables, buffers, stone, side)
        return OPEN
    tree[frames.now[END]] = reply
    frames.now[END] += 1
    below = row + FIELDS
    frames.at[below + FORCED] = cell if count == 1 else np.int64(-1)
    frames.at[below + KEY] = mix(mix(frames.at[row + KEY], stone, side), reply, enemy)
    return DOWN


@inner
def _take_reply(board, frames, f, side):
    """Removes the stone of the reply that was played in frame ``f``."""
    facts, tables, buffers = board.facts, board.tables, board.buffers
    take(
        tables, buffers, frames.replies[f * facts[CELLS] + frames.at[f * FIELDS + REPLY]], 1 - side
    )


@inner
def _deepen(board, frames, tree, side, most, budget):
    """Searches for a tree of ``side`` with at most ``most`` threes and fours before each last line.

    Returns whether a tree is found. If so, writes it to ``tree``. Restores the board.
    """
    tables, buffers = board.tables, board.buffers
    f = np.int64(0)
    frames.now[END] = 0
    status = _open_frame(board, frames, tree, f, side, most, budget)
    while True:
        if status in (WON, LOST):
            if f == 0:
                return status == WON
            f -= 1
            _take_reply(board, frames, f, side)
            if status == WON:
                status = _play_reply(board, frames, tree, f, side)
                if status == WON:
                    slot, _ = _memo_at(frames, f, most)
                    frames.memo[slot] = 0
            else:
                take(tables, buffers, frames.at[f * FIELDS + STONE], side)
                status = OPEN
        elif status == OPEN:
            tried = _play_next(board, frames, tree, f, side, budget)
            status = _play_reply(board, frames, tree, f, side) if tried else LOST
        else:
            f += 1
            status = _open_frame(board, frames, tree, f, side, most, budget)


@compiled
def find_tree(facts, scratch, side, key, budget, tree):
    """Searches for a tree by which ``side`` wins if ``side`` is to move. Restores the board.

    Args:
      facts: int64[...], as made by ``windows.facts_of``.
      scratch: int64[...], with the board set up (``windows.set_up``).
      side: the attacker.
      key: the key of the position.
      budget: most positions searched.
      tree: int64[...], receives the encoded tree.
    Returns:
      The length of the encoding, or 0 if no tree is found.
    """
    board, frames = board_of(facts, scratch), frames_of(facts, scratch)
    buffers = board.buffers
    forget(buffers)
    for i in range(TREE_MEMO):
        frames.memo[i] = 0
    frames.at[FORCED], frames.at[KEY] = -1, key
    frames.now[POSITIONS] = 0
    for most in range(1, FRAMES):
        frames.now[CUT] = 0
        if _deepen(board, frames, tree, side, np.int64(most), budget):
            return frames.now[END]
        if frames.now[CUT] == 0 or frames.now[POSITIONS] > budget:
            break
    return np.int64(0)
