"""Evaluator rows of Hex in compiled host code: what ``knowledge`` finds out about a position.

A state in the table is a position p. All else in its row speaks of X, the position p with its
inferior cells filled: moves are played in X, so the states after them hold the fills as stones.

* A position with a known winner: INFO_WINNER, and the zone of its connection.
* Otherwise the legal moves are those of the must-play region that no other move dominates. THREAT
  is 1, so that the zone of the row joins that of a refutation of all moves (``expansion``). FIRST
  and the moves to list first come from ``move_order``.

The zone of a row holds the carriers of the connections that it uses, and the regions of the fills
and of the moves left out that the winner's proof rests on. The other player's fills need no zone:
they only help the one who loses (``proof/FORMAT.md``, fills).
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from jaxsolve.games.boards.mixing import key_salts
from jaxsolve.games.game import Outcome
from jaxsolve.games.hex.connections import count_word, words_of
from jaxsolve.games.hex.knowledge import (
    FILLS,
    KEY,
    REMOVED,
    STEP,
    THREATS,
    WINNER,
    Knowledge,
    analyse_in,
    fill,
    make_knowledge,
)
from jaxsolve.games.hex.move_order import (
    Potentials,
    initial_numbers,
    make_potentials,
    rank_moves,
    take_best,
)
from jaxsolve.games.host_rows import HostRows, make_host_rows, write_key
from jaxsolve.games.row_words import (
    FIRST,
    INFO,
    INFO_MOVER,
    INFO_OUTCOME,
    INFO_WINNER,
    MASKS,
    MOVES_A_WORD,
    THREAT,
)
from jaxsolve.games.row_words import (
    KEY as KEY_AT,
)
from jaxsolve.jit.host import compiled, inner
from jaxsolve.jit.struct import address_of_block, by_pointer, keep_with, pointer_reader

if TYPE_CHECKING:
    from jaxsolve.games.hex.game import Hex

SIZE, STATE_WORDS, ROWS_A_WORD, ADDRESS = range(4)
"""Indices of ``facts`` int64[4]: N, words of a set in a state, rows in such a word, ``Analyst``."""

LARGEST = 11
"""The largest board that ``knowledge`` has sets of cells for."""

_ONE, _ZERO = np.uint64(1), np.uint64(0)
_FIRST_WINS = np.int64(Outcome.FIRST_WINS)


@by_pointer
class Analyst(NamedTuple):
    """Memory for the rows of one search. V is the number of words of a set in a state."""

    knowledge: Knowledge
    stones: np.ndarray  # uint64[2, W]: the stones of p
    zone: np.ndarray  # uint64[W]
    keyed: np.ndarray  # uint32[2 V + 1]: the words of a state that its key depends on
    salts: np.ndarray  # uint32[2, 2, 2 V + 1]: constants of the key
    # The rows of a node's children are computed in turn, so the last parent's fills are kept.
    parent: np.ndarray  # uint32[2 V]: the stones of that parent, in the words of a state
    filled: np.ndarray  # uint64[2, W]: its X
    potentials: Potentials


def make_analyst(game: Hex) -> Analyst:
    """Returns the memory for boards of ``game``; raises ValueError for a size above ``LARGEST``."""
    words, keyed = words_of(game.size), 2 * game.grid.words + 1
    return Analyst(
        make_knowledge(game.size),
        np.zeros((2, words), np.uint64),
        np.zeros(words, np.uint64),
        np.zeros(keyed, np.uint32),
        np.ascontiguousarray(key_salts(keyed, game.rule_set)[:, :2]),
        np.full(keyed - 1, 0xFFFFFFFF, np.uint32),  # no position: both players have each cell
        np.zeros((2, words), np.uint64),
        make_potentials(game.size**2),
    )


analyst_at = pointer_reader(
    Analyst(
        make_knowledge(1),
        np.zeros((2, 1), np.uint64),
        np.zeros(1, np.uint64),
        np.zeros(3, np.uint32),
        np.zeros((2, 2, 3), np.uint32),
        np.zeros(2, np.uint32),
        np.zeros((2, 1), np.uint64),
        make_potentials(1),
    )
)


def facts_of(game: Hex, analyst: Analyst) -> np.ndarray:
    """Returns ``facts`` int64[4]; ``analyst`` must outlive every use of its address."""
    grid = game.grid
    return np.array(
        [game.size, grid.words, grid.rows_per_word, address_of_block(analyst)], np.int64
    )


@inner
def read_stones(facts, state, stones):
    """Writes the stones of a packed state to ``stones`` uint64[2, W]."""
    size, per = facts[SIZE], facts[ROWS_A_WORD]
    whole = (_ONE << np.uint64(size)) - _ONE
    for colour in range(2):
        for i in range(stones.shape[1]):
            stones[colour, i] = _ZERO
        for row in range(size):
            word = np.uint64(state[colour * facts[STATE_WORDS] + row // per])
            bits = (word >> np.uint64(row % per * (size + 1))) & whole
            at = row * size
            stones[colour, at >> 6] |= bits << np.uint64(at & 63)
            if (at & 63) + size > 64:
                stones[colour, (at >> 6) + 1] |= bits >> np.uint64(64 - (at & 63))


@inner
def _cell_is_in(cells, cell):
    return cells[cell >> 6] >> np.uint64(cell & 63) & _ONE != _ZERO


@inner
def _write_cells(facts, cells, out, at):
    """Writes a set uint64[W] to ``out[at:]`` in the words of a state."""
    size, per = facts[SIZE], facts[ROWS_A_WORD]
    for i in range(facts[STATE_WORDS]):
        out[at + i] = np.uint32(0)
    for row in range(size):
        for column in range(size):
            if _cell_is_in(cells, row * size + column):
                bit = np.uint32(row % per * (size + 1) + column)
                out[at + row // per] |= np.uint32(1) << bit


@inner
def _write_actions(cells, out, at, count):
    """Writes a set uint64[W] to the action set ``out[at:at + count]``."""
    for i in range(count):
        half = cells[i >> 1] >> np.uint64(32 * (i & 1))
        out[at + i] = np.uint32(half & np.uint64(0xFFFFFFFF))


@compiled
def flood(size, seed, within, out):
    """Writes the cells of ``within`` that are connected in it to ``seed``; sets are uint64[W]."""
    words = len(out)
    for i in range(words):
        out[i] = seed[i] & within[i]
    grown = True
    while grown:
        grown = False
        for cell in range(size * size):
            if not _cell_is_in(within, cell) or _cell_is_in(out, cell):
                continue
            row, column = cell // size, cell % size
            if (
                (column > 0 and _cell_is_in(out, cell - 1))
                or (column < size - 1 and _cell_is_in(out, cell + 1))
                or (row > 0 and _cell_is_in(out, cell - size))
                or (row < size - 1 and _cell_is_in(out, cell + size))
                or (row > 0 and column < size - 1 and _cell_is_in(out, cell - size + 1))
                or (row < size - 1 and column > 0 and _cell_is_in(out, cell + size - 1))
            ):
                out[cell >> 6] |= _ONE << np.uint64(cell & 63)
                grown = True


@inner
def _write_state(facts, analyst, side, row):
    """Writes the state of p with ``side`` to move to ``row``, and returns its outcome."""
    size, per_set = facts[SIZE], facts[STATE_WORDS]
    masks, outcome = analyst.knowledge.own.masks, np.int64(0)
    for colour in range(2):
        _write_cells(facts, analyst.stones[colour], row, colour * per_set)
        for edge in range(2):
            flood(size, masks[3 + 2 * colour + edge], analyst.stones[colour], analyst.zone)
            _write_cells(facts, analyst.zone, row, (2 + 2 * colour + edge) * per_set)
        for i in range(len(analyst.zone)):
            if analyst.zone[i] & masks[3 + 2 * colour, i] != _ZERO:
                outcome = _FIRST_WINS + colour
    if outcome != 0:
        for i in range(4 * per_set):
            row[2 * per_set + i] = np.uint32(0)
    row[6 * per_set] = np.uint32(side | outcome << 1)
    return outcome


@inner
def add_fills(knowledge, colour, zone):
    """Adds the regions of the fills of a colour to ``zone`` uint64[W]."""
    inferior = knowledge.inferior
    for i in range(knowledge.result[FILLS]):
        if inferior.fill_colours[i] == colour:
            for j in range(len(zone)):
                zone[j] |= inferior.fill_regions[i, j]


@inner
def _write_zone(analyst, side):
    """Writes the zone of the row (see above) to ``analyst.zone``."""
    knowledge, zone = analyst.knowledge, analyst.zone
    result = knowledge.result
    for i in range(len(zone)):
        zone[i] = _ZERO
    winner, step = result[WINNER], result[STEP]
    if winner >= 0:
        if step >= 0:
            for i in range(len(zone)):
                zone[i] |= (
                    knowledge.own.carrier[step, i]
                    if winner == side
                    else knowledge.other.carrier[step, i]
                )
        add_fills(knowledge, winner, zone)
        return
    for k in range(result[THREATS]):
        for i in range(len(zone)):
            zone[i] |= knowledge.other.carrier[knowledge.threats[k], i]
    for k in range(result[REMOVED]):
        for i in range(len(zone)):
            zone[i] |= knowledge.inferior.removed_regions[k, i]
    add_fills(knowledge, 1 - side, zone)


@inner
def _write_filled(facts, analyst, state):
    """Writes X of a packed state to ``analyst.filled``, unless it is there already."""
    parent, known = analyst.parent, True
    for i in range(len(parent)):
        known &= parent[i] == state[i]
    if known:
        return
    read_stones(facts, state, analyst.stones)
    fill(analyst.knowledge, analyst.stones, np.int64(-1))
    for i in range(len(parent)):
        parent[i] = state[i]
    for colour in range(2):
        for i in range(analyst.filled.shape[1]):
            analyst.filled[colour, i] = analyst.knowledge.stones[colour, i]


@inner
def _prepare(analyst, state, action, host_rows):
    """Writes the state after ``action`` to the row, and its stones to ``analyst.stones``.

    Returns (side to move, outcome).
    """
    facts, row = host_rows.facts, host_rows.row
    meta = np.int64(state[6 * facts[STATE_WORDS]])
    side = meta & 1
    if action < 0 or meta >> 1 != 0:
        read_stones(facts, state, analyst.stones)
        for i in range(6 * facts[STATE_WORDS] + 1):
            row[i] = state[i]
        return side, meta >> 1
    _write_filled(facts, analyst, state)
    for colour in range(2):
        for i in range(analyst.stones.shape[1]):
            analyst.stones[colour, i] = analyst.filled[colour, i]
    analyst.stones[side, action >> 6] |= _ONE << np.uint64(action & 63)
    return 1 - side, _write_state(facts, analyst, 1 - side, row)


@inner
def _write_order(analyst, row, first, count):
    """Writes the initial numbers, and the moves to list first (``Layout.best``).

    ``count`` is the number of words of an action bit set. Uses ``analyst.zone`` as work space.
    """
    knowledge, left, moves = analyst.knowledge, analyst.zone, np.int64(0)
    for i in range(len(left)):
        left[i] = knowledge.must_play[i]
        moves += count_word(left[i])
    mine, theirs = rank_moves(analyst.potentials, knowledge.own, knowledge.other)
    a, b = initial_numbers(mine, theirs, moves)
    row[first + FIRST] = np.uint32(a | b << 16)
    at = first + MASKS + count
    for i in range(min(MOVES_A_WORD * count, moves)):
        entry = np.uint32(take_best(analyst.potentials.rank, left) + 1)
        row[at + i // MOVES_A_WORD] |= entry << np.uint32(8 * (i % MOVES_A_WORD))


@inner
def _finish(analyst, side, outcome, host_rows):
    """Writes all of the row but the state; ``knowledge`` has analysed an ongoing position."""
    facts, row, knowledge = host_rows.facts, host_rows.row, analyst.knowledge
    words = facts[STATE_WORDS]
    first = 6 * words + 1
    for i in range(first, len(row)):
        row[i] = np.uint32(0)
    for i in range(2 * words):
        analyst.keyed[i] = row[i]
    analyst.keyed[2 * words] = row[6 * words]
    write_key(analyst.keyed, analyst.salts, row, first + KEY_AT)
    row[first + INFO] = np.uint32(outcome << INFO_OUTCOME | side << INFO_MOVER)
    row[first + FIRST] = np.uint32(1 | 1 << 16)
    if outcome != 0:
        return
    masks, count = first + MASKS, (facts[SIZE] * facts[SIZE] + 31) // 32
    _write_zone(analyst, side)
    _write_actions(analyst.zone, row, masks + 3 * count, count)
    winner = knowledge.result[WINNER]
    if winner >= 0:
        row[first + INFO] |= np.uint32((winner + 1) << INFO_WINNER)
        row[first + THREAT] = np.uint32(max(knowledge.result[KEY], np.int64(-1)) + 1)
    else:
        row[first + THREAT] = np.uint32(1)
        _write_actions(knowledge.must_play, row, masks, count)
        _write_order(analyst, row, first, count)


@inner
def _row(state, action, host_rows, words):
    """Writes a row; ``words`` is W as a constant."""
    analyst = analyst_at(host_rows.facts[ADDRESS])
    side, outcome = _prepare(analyst, state, action, host_rows)
    if outcome == 0:
        analyse_in(analyst.knowledge, analyst.stones, side, action, words)
    _finish(analyst, side, outcome, host_rows)
    return np.int64(0)


@compiled
def row(state, action, host_rows):
    """Writes a row of a board of at most 64 cells (``games.host_rows``)."""
    return _row(state, action, host_rows, np.int64(1))


@compiled
def row_wide(state, action, host_rows):
    """Like ``row``, on a board of 65 to 121 cells."""
    return _row(state, action, host_rows, np.int64(2))


def host_rows_of(game: Hex, width: int) -> HostRows | None:
    """Returns the row interface; None without knowledge, or for rows without zones.

    ``width`` tells whether the rows have zones.
    """
    zoned = game.state_words + MASKS + 4 * (-(-game.num_actions // 32))
    if not game.shows_knowledge or width != zoned:
        return None
    analyst = make_analyst(game)
    wide = words_of(game.size) == 2
    facts = facts_of(game, analyst)
    host_rows = make_host_rows(
        row_wide if wide else row, game.rule_set, game.state_words, width, facts, 1
    )
    keep_with(host_rows.facts, analyst)
    return host_rows
