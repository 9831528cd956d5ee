"""Arrays are never overrun, memory is bounded, and a search frees it at its end."""

from __future__ import annotations

import gc
import types
import weakref

import numpy as np
import pytest

import jaxsolve.search.tree.tree as tree_module
from jaxsolve.evaluate import shared_evaluator
from jaxsolve.evaluate.layout import Layout
from jaxsolve.games.game import Outcome
from jaxsolve.question import Problem
from jaxsolve.search import METHODS, Claim, Limits, Settings, Verdict, solve_pool
from jaxsolve.search.run.allocator import Allocator
from jaxsolve.search.run.job import Job
from jaxsolve.search.run.options import RunOptions
from jaxsolve.search.run.pool import Pool, run_jobs
from jaxsolve.search.run.search import Search
from jaxsolve.search.tree.tree import BUDGET, EDGES, EVICTED, LISTS, LIVE, NODES, USED, new_tree
from support.plain_hex import make
from support.search import NAMES, in_turn

# ---- the log -------------------------------------------------------------------------------------
CHAINS, DEEP, LAST = 64, 80, 200


class Chains:
    """A made-up game and its evaluator: one long line of single moves, or a fork of 64 of them.

    The second player chooses between the line and the fork, where the first player chooses a line
    of 80 moves. The first player wins at the end of every line. A state is (line, moves made on
    it).
    """

    rule_set, num_actions, state_words, may_repeat = "chains", CHAINS, 2, False
    layout = Layout(state=2, actions=CHAINS, prior=False, value=False)
    zone_words = 0
    FORK, LONG_LINE = CHAINS, CHAINS + 1

    def threat_search(self) -> None:
        return None

    def zoning(self) -> None:
        return None

    def __call__(self, states: np.ndarray, actions: np.ndarray, seed: int = 0) -> np.ndarray:
        return np.stack(
            [
                self._row(*map(int, state), int(action))
                for state, action in zip(states, actions, strict=True)
            ]
        )

    def _row(self, line: int, made: int, action: int) -> np.ndarray:
        if action >= 0:
            if (line, made) == (0, 0):
                line, made = (self.FORK, 1) if action == 0 else (self.LONG_LINE, 1)
            else:
                line, made = (action if line == self.FORK else line), made + 1
        row = np.zeros(self.layout.width, np.uint32)
        row[:2] = line, made
        row[self.layout.key] = (line * 1000 + made) * 2654435761 & 0xFFFFFFFF
        over = made == (LAST if line == self.LONG_LINE else DEEP)
        mover = 1 if made == 0 else (made + 1) % 2
        row[self.layout.info] = Outcome.FIRST_WINS if over else mover << 3
        row[self.layout.first] = 1 | 1 << 16
        moves = 0 if over else 3 if made == 0 else 2**CHAINS - 1 if line == self.FORK else 1
        row[self.layout.masks : self.layout.masks + 2] = moves & 0xFFFFFFFF, moves >> 32
        return row


@pytest.mark.short(2)
@pytest.mark.parametrize(("method", "flights"), in_turn(NAMES, [1, 2]))
def test_many_paths_below_a_decided_position_do_not_overrun_the_log(method, flights):
    """All lines end in one wave: the first path to go up decides the fork, 80 positions above the
    others.
    """
    records: list[tuple[bytes, int]] = []
    chains = Chains()

    def sink(states, moves, zones):
        records.extend(zip((state.tobytes() for state in states), moves.tolist(), strict=True))

    search = Search(
        Allocator(chains, chains, np.zeros(2, np.uint32), (Claim(0),), 1 << 26),
        METHODS[method],
        sink=sink,
        width=CHAINS * flights,
        flights=flights,
    )
    for _ in range(2000):
        waves = [search.advance(flight)[:2] for flight in range(flights)]
        for flight, (states, actions) in enumerate(waves):
            if len(states):
                search.absorb(flight, chains(states, actions))
        if search.verdict is not None:
            break
    assert search.verdict is Verdict.PROVED
    assert len({state for state, _ in records}) == len(records) > LAST  # no record is written twice
    assert {move for _, move in records if move < 0} == {-1}


# ---- memory --------------------------------------------------------------------------------------
def test_a_table_refilled_many_times_holds_as_much_as_at_first():
    """Free blocks serve only lists, or edges, of their size; they must not use up the budget."""
    game = make("hex-6")
    job = Job(
        game,
        game.init(),
        claims=Claim(1),
        options=RunOptions(
            settings=Settings("dfpn", Limits(nodes=30_000), memory_mb=1),
            evaluator=shared_evaluator(game, zones=False),
        ),
    )
    pool = Pool(job.evaluator, 2)
    pool.submit(job)
    held: list[int] = []
    while pool.poll():
        held.append(int(job.search.tree.counters[LIVE]))
    job.close()
    assert max(held[len(held) // 2 :]) > 0.5 * max(held) and min(
        held[len(held) // 2 :]
    ) > 0.1 * max(held)


@pytest.mark.short(2)
@pytest.mark.parametrize("method", NAMES)
def test_memory_written_never_exceeds_the_budget(method):
    """Lists, edges, nodes and table stay within the budget over many evictions and compactions."""
    game = make("hex-6")
    job = Job(
        game,
        game.init(),
        claims=Claim(1),
        options=RunOptions(settings=Settings(method, Limits(nodes=6000), memory_mb=1)),
    )
    pool = Pool(job.evaluator, 2)
    pool.submit(job)
    most, evicted = 0.0, 0
    while pool.poll():
        tree = job.search.tree
        table, counters = 4 * len(tree.slots), tree.counters
        a_node = tree.nodes.itemsize + 4 * (tree.states.shape[1] + tree.zones.shape[1] + 1)
        written = (
            a_node * counters[NODES]
            + 4 * counters[LISTS]
            + (16 + 4 * tree.extra.shape[1]) * counters[EDGES]
            + table
        )
        # USED counts all that is written except the stack of free slots.
        assert written <= counters[USED] + 16 * counters[NODES]
        assert counters[USED] <= counters[BUDGET] + table
        most, evicted = (
            max(most, counters[USED] / counters[BUDGET]),
            max(evicted, int(counters[EVICTED])),
        )
    assert most > 0.9 and evicted > 0
    job.finish()
    job.close()


def fake_numpy() -> types.SimpleNamespace:
    """Numpy whose empty arrays repeat one element, however long they are."""

    def empty(shape, dtype=float):
        shape = shape if isinstance(shape, tuple) else (shape,)
        return np.ndarray(
            shape, dtype, bytearray(np.dtype(dtype).itemsize), strides=(0,) * len(shape)
        )

    names = ("full", "zeros", "array", "inf", "uint32", "int32", "int64", "uint64", "dtype")
    return types.SimpleNamespace(empty=empty, **{name: getattr(np, name) for name in names})


@pytest.mark.parametrize("budget", [1 << shift for shift in (10, 16, 31, 33, 36, 40, 50)])
@pytest.mark.parametrize("extra", [0, 1, 6])
def test_offsets_fit_their_types_whatever_the_budget(budget, extra, monkeypatch):
    """Every offset below the array lengths fits its field, beside the value for none."""
    monkeypatch.setattr(tree_module, "np", fake_numpy())
    tree = new_tree(budget, 4, make("hex-5").zoning(), extra)
    node, edge = tree_module.NODE, tree_module.EDGE
    # The largest value ends a chain of free blocks.
    assert len(tree.lists) - 1 < np.iinfo(node["list"]).max == 0xFFFFFFFF
    assert len(tree.edges) - 1 <= min(np.iinfo(node["edges"]).max, np.iinfo(edge["child"]).max)
    assert len(tree.nodes) - 1 <= min(
        np.iinfo(tree.slots.dtype).max, np.iinfo(edge["child"]).max, np.iinfo(tree.free.dtype).max
    )
    assert len(tree.nodes) == len(tree.states) == len(tree.free) and len(tree.edges) == len(
        tree.extra
    ) == len(tree.visits)
    allowed = max(budget, 1 << 16)
    assert (
        4 * len(tree.lists) <= allowed
        and (16 + 4 * extra) * len(tree.edges) <= allowed
        and tree.nodes.itemsize * len(tree.nodes) <= allowed
    )


@pytest.fixture
def without_collector():
    gc.collect()
    gc.disable()
    yield
    gc.enable()


def traces(job: Job) -> list[weakref.ref]:
    tree = job.search.tree
    return [
        weakref.ref(thing)
        for thing in (
            job.search,
            tree.nodes,
            tree.edges,
            tree.lists,
            tree.slots,
            job.search.work.paths.nodes,
        )
    ]


@pytest.mark.short(2)
@pytest.mark.parametrize("method", NAMES)
def test_a_finished_search_frees_its_memory(method, without_collector):
    """By reference counts alone: a search holds no reference cycle."""
    game = make("hex-4")
    for limits in (Limits(), Limits(nodes=20)):  # with an answer and without
        job = Job(
            game,
            game.init(),
            claims=Claim(0),
            options=RunOptions(settings=Settings(method, limits)),
        )
        known = traces(job)
        run_jobs([job])
        known += traces(job)
        job.finish()
        assert [trace() for trace in known] == [None] * len(known)
        job.close()


def test_searches_free_their_memory_however_they_end(without_collector, tmp_path):
    """Closed early, interrupted, out of memory, or in a pool."""
    game = make("hex-4")
    job = Job(game, game.init(), claims=Claim(1))
    known = traces(job)
    job.close()
    assert [trace() for trace in known] == [None] * len(known)
    job = Job(game, game.init(), claims=Claim(1))
    pool, known = Pool(job.evaluator, 2), traces(job)
    pool.submit(job)
    pool.poll()
    pool.withdraw(job)
    while pool.poll():
        pass
    assert pool.collect() == [job]
    job.finish()
    assert [trace() for trace in known] == [None] * len(known)
    made: list[weakref.ref] = []
    start = Job._start

    def remembered(self, *arguments):
        start(self, *arguments)
        made.extend(traces(self) if self._search is not None else [])

    with pytest.MonkeyPatch.context() as changed:
        changed.setattr(Job, "_start", remembered)
        problems = [Problem(str(i), game, game.init(), Claim(i % 2)) for i in range(6)]
        for number, (_, result) in enumerate(
            solve_pool(problems, pool=2, limits=Limits(nodes=60), max_nodes=16)
        ):
            assert result.reason.endswith(".")
            alive = sum(trace() is not None for trace in made[::6])  # the searches themselves
            assert alive <= 2 and len(made) >= 6 * number
    assert sum(trace() is not None for trace in made) == 0
