"""Order of the moves and initial numbers of Hex rows: distances, potentials, lists, tree."""

from __future__ import annotations

import heapq
import itertools
import random

import numpy as np
import pytest

from jaxsolve.evaluate import Evaluator
from jaxsolve.games.hex import Hex
from jaxsolve.games.hex.connections import CELLS, ENDPOINTS, FIRST_CELL
from jaxsolve.games.hex.host_rows import make_analyst
from jaxsolve.games.hex.knowledge import analysis_of
from jaxsolve.games.hex.move_order import FAR, rank_moves
from jaxsolve.games.row_words import MOVES_A_WORD, outcome_of, winner_of
from jaxsolve.jit.host import compiled
from jaxsolve.search import Settings, solve
from jaxsolve.search.settings import Limits
from support.oracles.hex_connections import board_sets, random_board


@compiled
def ranked(potentials, own, other):
    return rank_moves(potentials, own, other)


def distances(found, edge):
    """Distances from an edge by Dijkstra's algorithm over the pairs that a full joins."""
    ends, cells = int(found.counts[ENDPOINTS]), int(found.counts[FIRST_CELL])
    joined = {end: set[int]() for end in range(ends)}
    for end in range(2, ends):
        for part in range(2):
            for i in range(found.entry_count[end, part]):
                joined[int(found.entry_end[end, part, i])].add(end)
    known, todo = {}, [(0, edge)]
    while todo:
        steps, end = heapq.heappop(todo)
        if end in known:
            continue
        known[end] = steps
        for other in joined[end]:
            if other >= 2:
                heapq.heappush(todo, (steps + (other >= cells), other))
    numbers = found.number[: found.facts[CELLS]].tolist()
    return np.array([known.get(end, FAR) if end >= 0 else FAR for end in numbers])


def fulls_of(found):
    """The number of fulls at the endpoint of each cell; 0 for endpoints that belong to an edge."""
    ends = found.number[: found.facts[CELLS]]
    return np.where(ends >= 2, found.entry_count[ends].sum(axis=1), 0)


@pytest.mark.parametrize("size", [6, 7, 9])
def test_potentials_are_sums_of_least_distances(size):
    analyst, draw, undecided = make_analyst(Hex(size)), random.Random(size), 0
    knowledge, potentials = analyst.knowledge, analyst.potentials
    for number in range(60):
        board = random_board(size, draw.randrange(0, size * size // 3), draw)
        if analysis_of(size)(knowledge, board_sets(board), number % 2) >= 0:
            continue
        undecided += 1
        least = ranked(potentials, knowledge.own, knowledge.other)
        for which, found in enumerate((knowledge.own, knowledge.other)):
            expected = distances(found, 0) + distances(found, 1)
            assert potentials.potential[which].tolist() == expected.tolist()
            assert least[which] == expected.min()
        links = fulls_of(knowledge.own) + fulls_of(knowledge.other)
        mine, theirs = potentials.potential
        for one, other in draw.sample(list(itertools.permutations(range(size * size), 2)), 200):
            # Missing stones count first, those of the mover twice, and then links.
            key = [2 * mine[x] + theirs[x] for x in (one, other)]
            if key[0] < key[1] and links[one] >= links[other] - 40:
                assert potentials.rank[one] < potentials.rank[other]
            if key[0] == key[1] and links[one] > links[other]:
                assert potentials.rank[one] < potentials.rank[other]
    assert undecided > 5


def listed(row, layout):
    """The moves that a row lists first."""
    words = row[layout.best : layout.best + layout.mask]
    entries = np.ascontiguousarray(words).view(np.uint8).tolist()
    count = entries.index(0) if 0 in entries else len(entries)
    assert not any(entries[count:])
    return [entry - 1 for entry in entries[:count]]


@pytest.mark.parametrize("size", [5, 6, 9])
def test_rows_list_the_best_moves_in_order(size):
    game, draw, kinds = Hex(size), random.Random(size), set()
    evaluator, analyst = Evaluator(game), make_analyst(game)
    layout = evaluator.layout
    for number in range(80):
        board = random_board(size, draw.randrange(0, size * size // 2), draw)
        cells = "".join("." if x is None else "XO"[x] for x in board)
        rows = "/".join(cells[i : i + size] for i in range(0, size * size, size))
        words = game.host_pack(game.read(f"{rows} {'bw'[number % 2]}"))[None]
        (row,) = evaluator(words, np.array([-1], np.int32))
        info, best = int(row[layout.info]), listed(row, layout)
        if outcome_of(info) or winner_of(info):
            assert not best
            kinds.add("decided")
            continue
        legal = np.unpackbits(
            row[layout.masks : layout.masks + layout.mask].view(np.uint8), bitorder="little"
        )
        moves = set(np.flatnonzero(legal).tolist())
        assert len(best) == len(set(best)) == min(len(moves), MOVES_A_WORD * layout.mask)
        assert set(best) <= moves
        analysis_of(size)(analyst.knowledge, board_sets(board), number % 2)
        mine, theirs = ranked(analyst.potentials, analyst.knowledge.own, analyst.knowledge.other)
        rank = analyst.potentials.rank
        assert [(rank[move], move) for move in best] == sorted((rank[x], x) for x in moves)[
            : len(best)
        ]
        a, b = int(row[layout.first]) & 0xFFFF, int(row[layout.first]) >> 16
        assert a == int(1.5 ** min(mine - 1, 10) + 0.5) and b == max(
            (2 ** min(theirs - 1, 10) + len(moves) // 2) // len(moves), 1
        )
        kinds.add("open")
    assert kinds == {"decided", "open"}


def test_a_node_lists_its_best_moves_first():
    """The first move searched is the one that the row lists first."""
    game, layout = Hex(7), Evaluator(Hex(7)).layout
    state = game.init()
    words = game.host_pack(state)[None]
    (row,) = Evaluator(game)(words, np.array([-1], np.int32))
    result = solve(game, state, settings=Settings(limits=Limits(nodes=2)))
    assert result.line[0] == game.action_text(listed(row, layout)[0])
