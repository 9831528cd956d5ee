"""VCT of Gomoku (victory by continuous threats): trees of threes and fours. Compiled, on the host;
encoding: ``jaxsolve.games.threats``.

A *three* is a move after which its player would win by a VCF, a line of fours (``vcf``), if it were
to move again. The opponent must disturb that line, which only moves in the line's zone do. A *tree*
answers each of these moves by a four, by another three, or by a VCF that ends it.
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

FRAMES = 12  # most threes and fours before the last line of a tree
SMALL = 20  # fours tried in one search for a line
TREE_MEMO = 1 << 12  # lost positions stored in one search for a tree
ROOM = 4 * LEVELS + 8  # most numbers of an encoded branch and line
LINE_ROOM = 2 * LEVELS + 2
FORCED, CANDIDATES, TRIED, STONE, REPLIES, REPLY, TOP, KEY, FIELDS = range(9)  # fields of a frame
POSITIONS, CUT, FRAME, END, NOW = range(5)  # indices of ``Frames.now``
OPEN, WON, LOST, DOWN = range(4)


class Frames(NamedTuple):
    """The attacker's positions on the path to the current one; parts of the scratch behind the
    buffers.
    """

    at: np.ndarray  # int64[FRAMES * FIELDS]
    cells: np.ndarray  # int64[FRAMES * A]: moves to try, most promising first
    replies: np.ndarray  # int64[FRAMES * A]: replies to the move being tried
    score: np.ndarray  # int64[A]
    line: np.ndarray  # int64[LINE_ROOM]
    zone: np.ndarray  # int64[A // 32 + 1]
    memo: np.ndarray  # int64[TREE_MEMO]
    # int64[NOW]: positions searched; whether FRAMES was too few; the deepest frame; the end of the
    # tree
    now: np.ndarray


def scratch_size(cells: int) -> int:
    """int64s of scratch for boards of ``cells`` cells."""
    return (
        FRAMES * FIELDS + (2 * FRAMES + 1) * cells + LINE_ROOM + cells // 32 + 1 + TREE_MEMO + NOW
    )


@inner
def frames_of(facts, scratch):
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
    """Index and value of the memo entry for a position with as many frames left."""
    return slot_of(frames.at[f * FIELDS + KEY], most - f, np.int64(TREE_MEMO))


@inner
def _list_cells(board, frames, f, side):
    """Lists the moves of a frame: those in windows that lack two or three stones, those in most
    such windows first.
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
    """Opens a new frame: WON by a line, which is added to the tree; LOST if nothing can be tried;
    else OPEN.
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
        key  # unless it turns out won; stones are only added, so it cannot recur below itself
    )
    frames.at[row + CANDIDATES] = _list_cells(board, frames, f, side)
    frames.at[row + TRIED], frames.at[row + TOP] = 0, frames.now[END]
    return OPEN


@inner
def _list_replies(board, frames, f, side, length):
    """Lists the zone of the line in ``frames.line``, the line's own cells first. Returns the number
    of cells.
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
    top = frames.now[END]
    tree[top], tree[top + 1], tree[top + 2] = 0, stone, length
    for i in range(length):
        tree[top + 3 + i] = frames.line[i]
    tree[top + 3 + length] = replies
    frames.now[END] = top + 4 + length


@inner
def _play_next(board, frames, tree, f, side, budget):
    """Plays the frame's next move that is a four or a three, and lists its replies. False if there
    is none or no frame is left.
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
    """Plays the next reply: DOWN to the next frame, WON if no reply is left, OPEN if the move fails
    and is undone.
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
    answers, cell, _ = completing(tables, buffers, reply, enemy, line)
    if answers != 0 and answers != 1:
        take(tables, buffers, reply, enemy)
        take(tables, buffers, stone, side)
        return OPEN
    tree[frames.now[END]] = reply
    frames.now[END] += 1
    below = row + FIELDS
    frames.at[below + FORCED] = cell if answers == 1 else np.int64(-1)
    frames.at[below + KEY] = mix(mix(frames.at[row + KEY], stone, side), reply, enemy)
    return DOWN


@inner
def _take_reply(board, frames, f, side):
    facts, tables, buffers = board.facts, board.tables, board.buffers
    take(
        tables, buffers, frames.replies[f * facts[CELLS] + frames.at[f * FIELDS + REPLY]], 1 - side
    )


@inner
def _deepen(board, frames, tree, side, most, budget):
    """Whether ``side`` wins with at most ``most`` moves before the last line on every path; writes
    the tree. The board is restored.
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
    """Length of a tree of ``side``, if it were to move, written to ``tree`` int64[...]; 0 if none
    is found. The board is restored.
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
