"""Evaluator rows of Killall-Go and ``tsumego-N`` on the host (``games.host_rows``).

The rules are those of ``go.game``, ``go.killall`` and ``go.tsumego``, on boards of bytes instead of
bit sets. Simple ko only.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from jaxsolve.games import row_words
from jaxsolve.games.game import Outcome
from jaxsolve.games.go.state import (
    ANY_CHAIN,
    BOARDS,
    KILL,
    KO,
    OPENING_OVER,
    OUTCOME,
    PASSES,
    PLY,
    SIDE,
    WHITE_DEFENDS,
)
from jaxsolve.games.go.zone_board import (
    ALIVE,
    BLACK,
    CELL,
    EMPTY,
    FILL_EYES,
    FIRST,
    LABEL,
    LIST,
    MEMBER,
    OUTSIDE,
    ROWS_A_WORD,
    SCRATCH,
    SECOND,
    SEEN,
    SIZE,
    TSUMEGO,
    WHITE,
    WORDS,
    board_facts,
    colour_to_move,
    crucial_at,
    has_threat,
    has_threats,
    may_not_take_ko,
    meta_field,
    number_chains,
    passes_made,
    region_at,
    step,
    task_flags,
)
from jaxsolve.games.go.zone_eyes import is_eye, ko_taken
from jaxsolve.games.go.zone_life import number_regions, remove_dead
from jaxsolve.games.host_rows import HostRows, make_host_rows, write_key
from jaxsolve.jit.host import compiled, inner

if TYPE_CHECKING:
    from jaxsolve.games.go.game import GoRules

STONES = FILL_EYES + 1
"""Last index of ``facts`` int64[6]: whether White wins after two passes if it has a stone.

This is an option of Killall-Go. The other indices, SIZE to FILL_EYES, are those of ``zone_board``.
"""


@compiled
def row(state, action, host_rows):
    """Writes the row of the position after ``action``, or of ``state`` itself if it is negative.

    ``jaxsolve.games.host_rows`` defines the arguments and the result.
    """
    out, facts, scratch = host_rows.row, host_rows.facts, host_rows.scratch
    n, size = facts[SIZE], len(state)
    for i in range(size):
        out[i] = state[i]
    side = n + 2
    _unpack(facts, out, scratch)
    if action >= 0:
        _step(facts, action, out, scratch)
    chains = number_chains(scratch, side)
    if action >= 0:
        _judge(facts, action == n * n, out, scratch, chains)
    write_key(out, host_rows.salts, out, size + row_words.KEY)
    out[size + row_words.INFO] = np.uint32(
        meta_field(facts, out, OUTCOME) | meta_field(facts, out, SIDE) << row_words.INFO_MOVER
    )
    out[size + row_words.THREAT] = np.uint32(0)
    out[size + row_words.FIRST] = np.uint32(1 | 1 << 16)
    masks = size + row_words.MASKS
    for i in range(masks, masks + 3 * ((n * n + 32) // 32)):
        out[i] = np.uint32(0)
    _write_legal(facts, out, scratch, masks)
    return np.int64(0)


@inner
def _unpack(facts, state, scratch):
    """Writes the stones of a state to CELL, and clears SEEN and LABEL."""
    n, words, per = facts[SIZE], facts[WORDS], facts[ROWS_A_WORD]
    side = n + 2
    for i in range(side * side):
        scratch[CELL + i] = OUTSIDE
        scratch[SEEN + i] = 0
        scratch[LABEL + i] = -1
    for line in range(n):
        shift = np.uint32((line % per) * (n + 1))
        black, white = state[line // per] >> shift, state[words + line // per] >> shift
        at = side * (line + 1) + 1
        for column in range(n):
            bit = np.uint32(column)
            scratch[CELL + at + column] = (black >> bit & np.uint32(1)) + np.uint32(2) * (
                white >> bit & np.uint32(1)
            )


@inner
def _bit(facts, point):
    """Returns (word of a packed board, mask of the bit in the word) of a point of a plane."""
    side = facts[SIZE] + 2
    line, column = point // side - 1, point % side - 1
    per = facts[ROWS_A_WORD]
    return line // per, np.uint32(1) << np.uint32((line % per) * (facts[SIZE] + 1) + column)


# ---- the move ------------------------------------------------------------------------------------
@inner
def _step(facts, action, state, scratch):
    """Plays a legal move on CELL and on the packed state; the outcome becomes 0."""
    n, words = facts[SIZE], facts[WORDS]
    mover, ply = meta_field(facts, state, SIDE), meta_field(facts, state, PLY)
    passes, ko, threats = np.int64(0), np.int64(0), meta_field(facts, state, BOARDS)
    if action == meta_field(facts, state, KO) - 1:
        threats = max(threats - 1, np.int64(0))
    if action == n * n:
        if ply == OPENING_OVER and not (has_threats(facts, state) and meta_field(facts, state, KO)):
            passes = min(passes_made(facts, state) + 1, np.int64(2))
    else:
        ko = _place(facts, action, BLACK + mover, state, scratch)
    state[2 * words] = np.uint32(
        (1 - mover) << SIDE[0]
        | passes << PASSES[0]
        | min(ply + 1, np.int64(OPENING_OVER)) << PLY[0]
        | ko << KO[0]
        | threats << BOARDS[0]
    )


@inner
def _place(facts, action, colour, state, scratch):
    """Places a stone, removes what it captures, and returns 1 + the ko point, or 0 without ko."""
    n, words = facts[SIZE], facts[WORDS]
    side = n + 2
    move = (action // n + 1) * side + action % n + 1
    enemy = BLACK + WHITE - colour
    word, bit = _bit(facts, move)
    state[(colour - BLACK) * words + word] |= bit
    scratch[CELL + move] = colour
    captured, single = np.int64(0), np.int64(0)
    for k in range(4):
        near = move + step(side, k)
        if scratch[CELL + near] != enemy:
            continue
        count = _enclosed(scratch, side, near, enemy)
        for i in range(count):
            point = np.int64(scratch[LIST + i])
            scratch[CELL + point] = EMPTY
            word, bit = _bit(facts, point)
            state[(enemy - BLACK) * words + word] &= ~bit
            single = point
        captured += count
    if captured != 1:
        return np.int64(0)
    for k in range(4):
        near = move + step(side, k)
        if near != single and scratch[CELL + near] in (EMPTY, colour):
            return np.int64(0)
    return (single // side - 1) * n + single % side


@inner
def _enclosed(scratch, side, start, colour):
    """Lists the stones of a chain in LIST. Returns their number; 0 if the chain has a liberty."""
    scratch[LIST], scratch[SEEN + start] = start, 1
    count, at, free = np.int64(1), np.int64(0), False
    while at < count and not free:
        point = np.int64(scratch[LIST + at])
        at += 1
        for k in range(4):
            near = point + step(side, k)
            cell = scratch[CELL + near]
            if cell == EMPTY:
                free = True
            elif cell == colour and scratch[SEEN + near] == 0:
                scratch[SEEN + near] = 1
                scratch[LIST + count] = near
                count += 1
    for i in range(count):
        scratch[SEEN + scratch[LIST + i]] = 0
    return np.int64(0) if free else count


# ---- the outcome ---------------------------------------------------------------------------------
@inner
def _judge(facts, passed, state, scratch, chains):
    """Writes the outcome of the position after a move to its meta word (``GoRules._decide``)."""
    words, tsumego = facts[WORDS], facts[TSUMEGO]
    defender, any_chain, kill = np.int64(WHITE), True, False
    if tsumego:
        flags = task_flags(facts, state)
        defender = np.int64(WHITE if flags & np.uint32(WHITE_DEFENDS) else BLACK)
        for i in range(words):
            state[crucial_at(facts) + i] &= state[(defender - BLACK) * words + i]
        any_chain = flags & np.uint32(ANY_CHAIN) != np.uint32(0)
        kill = flags & np.uint32(KILL) != np.uint32(0)
    lives = not passed and _lives(facts, state, scratch, chains, defender, any_chain)
    outcome = np.int64(0)
    if lives:
        outcome = _win_of(defender)
    elif not any_chain and _is_empty(state, crucial_at(facts), words):
        outcome = _win_of(BLACK + WHITE - defender)
    elif passes_made(facts, state) == 2:
        stands = facts[STONES] and not _is_empty(state, words, words)
        outcome = _win_of(defender if kill or stands else BLACK + WHITE - defender)
    state[2 * words] |= np.uint32(outcome) << np.uint32(OUTCOME[0])


@inner
def _win_of(colour):
    """The ``Outcome`` of a win of a colour."""
    return np.int64(Outcome.FIRST_WINS) + colour - BLACK


@inner
def _is_empty(state, first, words):
    """Whether the packed board that begins at ``state[first]`` holds no point."""
    for i in range(first, first + words):
        if state[i]:
            return False
    return True


@inner
def _lives(facts, state, scratch, chains, colour, any_chain):
    """Whether a chain of ``colour`` is unconditionally alive (Benson 1976).

    Without ``any_chain``, whether one with a crucial stone is.
    """
    side = facts[SIZE] + 2
    possible = False
    for chain in range(chains):
        possible = possible or (
            _is_asked(facts, state, scratch, chain, colour, any_chain)
            and _has_two_eyes(scratch, side, chain, colour)
        )
    if not possible:
        return False
    regions = number_regions(scratch, side, colour)
    remove_dead(scratch, chains, regions, colour)
    for chain in range(chains):
        if scratch[ALIVE + chain] and _is_asked(facts, state, scratch, chain, colour, any_chain):
            return True
    return False


@inner
def _is_asked(facts, state, scratch, chain, colour, any_chain):
    """Whether the life of a chain would decide the game for ``colour``."""
    if scratch[CELL + scratch[MEMBER + scratch[FIRST + chain]]] != colour:
        return False
    if any_chain:
        return True
    for i in range(scratch[FIRST + chain], scratch[FIRST + chain + 1]):
        word, bit = _bit(facts, np.int64(scratch[MEMBER + i]))
        if state[crucial_at(facts) + word] & bit:
            return True
    return False


@inner
def _has_two_eyes(scratch, side, chain, colour):
    """Whether at least two regions are vital to the chain.

    A chain without them is not alive. Most chains have none, and the first empty point that is no
    liberty of the chain shows it: this test saves the numbering of all regions.
    """
    eyes, marked = np.int64(0), np.int64(0)
    for i in range(scratch[FIRST + chain], scratch[FIRST + chain + 1]):
        for k in range(4):
            start = np.int64(scratch[MEMBER + i]) + step(side, k)
            cell = scratch[CELL + start]
            if cell in (colour, OUTSIDE) or scratch[SEEN + start]:
                continue
            first, vital = marked, True
            scratch[LIST + marked], scratch[SEEN + start] = start, 1
            marked += 1
            while first < marked and vital:
                point = np.int64(scratch[LIST + first])
                first += 1
                vital = scratch[CELL + point] != EMPTY or _touches(scratch, side, point, chain)
                for j in range(4):
                    near = point + step(side, j)
                    if scratch[CELL + near] in (colour, OUTSIDE):
                        continue
                    if scratch[SEEN + near] == 0:
                        scratch[LIST + marked], scratch[SEEN + near] = near, 1
                        marked += 1
                    elif scratch[SEEN + near] == 2:  # a region that is not vital
                        vital = False
            if vital:
                eyes += 1
            else:
                for j in range(marked):
                    if scratch[SEEN + scratch[LIST + j]] == 1:
                        scratch[SEEN + scratch[LIST + j]] = 2
    for i in range(marked):
        scratch[SEEN + scratch[LIST + i]] = 0
    return eyes >= 2


@inner
def _touches(scratch, side, point, chain):
    """Whether a point is next to a stone of a chain."""
    for k in range(4):
        if scratch[LABEL + point + step(side, k)] == chain:
            return True
    return False


# ---- legal moves ---------------------------------------------------------------------------------
@inner
def _write_legal(facts, state, scratch, at):
    """Adds the legal actions to the bit set that begins at ``state[at]``."""
    n, per = facts[SIZE], facts[ROWS_A_WORD]
    side, ply = n + 2, meta_field(facts, state, PLY)
    if meta_field(facts, state, OUTCOME):
        return
    if ply in (1, OPENING_OVER):
        state[at + (n * n >> 5)] |= np.uint32(1) << np.uint32(n * n & 31)
    if ply == 1:
        return
    colour = colour_to_move(facts, state)
    barred = np.int64(-1) if has_threat(facts, state, colour) else meta_field(facts, state, KO) - 1
    no_ko = may_not_take_ko(facts, state, colour)
    for line in range(n):
        region = np.uint32(0xFFFFFFFF)
        if facts[TSUMEGO]:
            region = state[region_at(facts) + line // per] >> np.uint32((line % per) * (n + 1))
        for column in range(n):
            point, action = side * (line + 1) + column + 1, line * n + column
            if (
                region >> np.uint32(column) & np.uint32(1)
                and scratch[CELL + point] == EMPTY
                and action != barred
                and _is_legal(facts, scratch, side, point, colour, no_ko)
            ):
                state[at + (action >> 5)] |= np.uint32(1) << np.uint32(action & 31)


@inner
def _is_legal(facts, scratch, side, point, colour, no_ko):
    """Whether ``colour`` may play at an empty point, if no ko bars it."""
    breathes = False
    for k in range(4):
        near = point + step(side, k)
        cell = scratch[CELL + near]
        if cell == EMPTY:
            return True  # neither suicide, nor an eye, nor the start of a ko
        if cell != OUTSIDE:
            in_atari = scratch[SECOND + scratch[LABEL + near]] == 0
            breathes = breathes or (in_atari != (cell == colour))
    if not breathes:
        return False
    if facts[FILL_EYES] == 0 and is_eye(scratch, side, point, colour):
        return False
    return not (no_ko and ko_taken(scratch, side, point, colour))


# ---- interface -----------------------------------------------------------------------------------
def host_rows_of(game: GoRules, width: int) -> HostRows | None:
    """The row interface of Killall-Go or ``tsumego-N`` with simple ko; None for other rule sets."""
    if game._goal is None or game.ko != "simple":
        return None
    facts = [*board_facts(game), game.__dict__.get("passes") == "stones"]
    return make_host_rows(
        row, game.kernel.rule_set, game.state_words, width, np.array(facts), SCRATCH
    )
