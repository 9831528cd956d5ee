"""``jaxsolve bench patterns``: the cost of the pattern table in a search, by table size.

A pattern is a decided position restricted to its relevance zone (``search/README.md``). The table
is filled with patterns of two kinds, which have separate rows in the report:

* *Random games*: positions of random games in which the next move won. The zone is the zone of
  that move. The games start from hard positions.
* *Searches*: positions that searches of ``--seconds`` CPU seconds decide, with the zones of their
  logs. The searches start from the zone positions and hard positions of ``bench/positions.py``.

Each pattern is inserted ``COPIES`` times, each time with random points around its zone added,
because longer proofs have larger zones. This is sound: a pattern that holds on a zone holds on
every larger zone. A search does not insert a pattern that another pattern covers, but this
benchmark does. Look-ups therefore compare more patterns than usual.

``--batch`` gives the table sizes (default 10,000, 100,000 and 1,000,000). A search of ``--seconds``
CPU seconds from a hard position uses the filled table. Afterwards all nodes of the search are
looked up once more and timed. The reported share is the time of one look-up, times the number of
look-ups in the search, divided by the CPU time of the search. The number includes the look-ups
before insertions.
"""

from __future__ import annotations

import time
from collections.abc import Iterator
from typing import Any

import jax
import numpy as np

from jaxsolve.bench.positions import hard_positions, zone_positions
from jaxsolve.bench.report import Report
from jaxsolve.bench.request import Request
from jaxsolve.evaluate import shared_evaluator
from jaxsolve.games import make, random_legal_action
from jaxsolve.games.game import Game, Outcome
from jaxsolve.games.go.zone_board import SIZE
from jaxsolve.games.zones import FOR_MOVER, LEAF, PATTERN, SECOND_MOVES, WON, call_zone_function
from jaxsolve.jit.host import compiled
from jaxsolve.search.run.job import Job
from jaxsolve.search.run.options import RunOptions
from jaxsolve.search.run.pool import run_jobs
from jaxsolve.search.settings import Limits, Settings
from jaxsolve.search.tree.pattern_insertion import insert
from jaxsolve.search.tree.pattern_use import is_whole_position, turn_of, winner_by_pattern
from jaxsolve.search.tree.patterns import (
    COMPARED,
    FOUND,
    HELD,
    LOOKUPS,
    VISITED,
    mark_of,
)
from jaxsolve.search.tree.tree import NODES, Tree

GAMES = ("killallgo-9;fill_eyes=false;ko=simple",)
COUNTS = (10_000, 100_000, 1_000_000)
SECONDS = 10.0
BOARDS = 2048  # random games at a time
PLIES = 512  # plies of random play for one block of patterns
COPIES = 16

COLUMNS = {
    "game": "game",
    "kind": "patterns of",
    "patterns": "patterns",
    "bytes_per_pattern": "bytes/pattern",
    "entering_ns": "ns to enter",
    "look_up_ns": "ns a look-up",
    "visited": "nodes visited",
    "compared": "compared",
    "found": "found",
    "positions": "positions",
    "cpu_seconds": "CPU s",
    "look_up_share": "of CPU",
}


def run(request: Request) -> int:
    """Measures the named games with pattern tables of the sizes ``batches``. Returns exit code 0.

    Raises ValueError for a rule set without patterns.
    """
    request.refuse_vs()
    chosen = [make(name) for name in request.games or GAMES]
    for game in chosen:
        zoning = shared_evaluator(game).zoning()
        if zoning is None or not zoning.planes[0]:
            raise ValueError(
                f"{game.rule_set} has no patterns: "
                "give a rule set of killallgo-N or tsumego-N with ko=simple"
            )
    report = Report("patterns", COLUMNS, request.as_json)
    try:
        for game in chosen:
            kinds = {
                "random games": _decided(game),
                "searches": _searched(game, request.seconds or SECONDS),
            }
            for kind, source in kinds.items():
                for count in request.batches or COUNTS:
                    with report.measuring(f"{game.rule_set}, {count:,} patterns of {kind}"):
                        report.add(
                            {
                                "game": game.rule_set,
                                "kind": kind,
                                **_measured(game, source, count, request.seconds or SECONDS),
                            }
                        )
    finally:
        report.show()
    return 0


Decided = tuple[np.ndarray, np.ndarray, np.ndarray]
"""Decided positions: packed positions uint32[n, S], winning moves int64[n] (negative: the mover
loses), and zones uint32[n, Z] as bit sets."""


def _measured(game: Game, source: Iterator[Decided], count: int, seconds: float) -> dict[str, Any]:
    """Fills a table with ``count`` patterns, searches with it, and returns a report row."""
    job = Job(
        game,
        hard_positions(game)[0],
        options=RunOptions(settings=Settings("dfpn", Limits(cpu_seconds=seconds))),
    )
    try:
        search = job.search
        entering = _fill(search.tree, source, count)
        patterns = search.tree.patterns
        held, before = int(patterns.counters[HELD]), patterns.counters.copy()
        run_jobs([job])
        tree = search.tree
        counts = tree.patterns.counters - before
        new = int(tree.counters[NODES])
        _look_up_all(tree, 0)  # compiles
        before = tree.patterns.counters.copy()
        start = time.thread_time()
        _look_up_all(tree, new)
        spent = (time.thread_time() - start) / max(
            1, int((tree.patterns.counters - before)[LOOKUPS])
        )
        bytes_each = sum(array.nbytes for array in patterns) / len(patterns.rows)
        look_ups = max(1, int(counts[LOOKUPS]))
        return {
            "patterns": held,
            "bytes_per_pattern": bytes_each,
            "entering_ns": 1e9 * entering / max(1, held),
            "look_up_ns": 1e9 * spent,
            "look_ups": look_ups,
            "visited": int(counts[VISITED]) / look_ups,
            "compared": int(counts[COMPARED]) / look_ups,
            "found": int(counts[FOUND]),
            "positions": search.expanded,
            "cpu_seconds": job.cpu_seconds,
            "look_up_share": spent * look_ups / job.cpu_seconds,
        }
    finally:
        job.close()


def _fill(tree: Tree, source: Iterator[Decided], count: int) -> float:
    """Inserts patterns until the table holds ``count`` of them or is full.

    Returns the CPU seconds of the insertions, without the time that ``source`` takes.
    """
    spent, rng = 0.0, np.random.default_rng(0)
    count = min(count, len(tree.patterns.rows))
    while tree.patterns.counters[HELD] < count:
        states, moves, zones = next(source)
        more = rng.integers(
            0, 1 << 32, (COPIES * len(states), tree.zones.shape[1]), dtype=np.uint32
        )
        near = np.zeros(tree.zones.shape[1], np.uint32)
        _enter(tree, states[:0], moves, zones, more, near, count)  # compiles
        start = time.thread_time()
        _enter(tree, states, moves, zones, more, near, count)
        spent += time.thread_time() - start
    return spent


def _searched(game: Game, seconds: float) -> Iterator[Decided]:
    """Yields positions that searches of ``seconds`` CPU seconds decide, in an endless cycle.

    Raises ValueError if the searches decide nothing.
    """
    roots, found = [*zone_positions(game), *hard_positions(game)], []
    for root in {game.text(root): root for root in roots}.values():
        job = Job(
            game, root, options=RunOptions(settings=Settings("dfpn", Limits(cpu_seconds=seconds)))
        )
        try:
            run_jobs([job])
            found += [
                (states.copy(), moves.astype(np.int64), zones.copy())
                for states, moves, zones in job.records[0].log.chunks()
            ]
        finally:
            job.close()
    if not found:
        raise ValueError(
            f"searches of {seconds:g} CPU seconds decide nothing in {game.rule_set}: "
            "give more --seconds"
        )
    while True:
        yield from found


def _decided(game: Game) -> Iterator[Decided]:
    """Yields positions of random games in which the next move won the game, without end."""
    roots, zoning = hard_positions(game), shared_evaluator(game).zoning()
    assert zoning is not None
    start = jax.tree.map(
        lambda *leaves: np.stack([leaves[i % len(leaves)] for i in range(BOARDS)]), *roots
    )
    pack, move = jax.vmap(game.pack), jax.vmap(game.to_move)

    def ply(carry, key):
        states, origin = carry
        actions = jax.vmap(random_legal_action)(
            jax.random.split(key, BOARDS), jax.vmap(game.legal_mask)(states)
        )
        after = jax.vmap(game.step)(states, actions)
        outcomes = jax.vmap(game.outcome)(after)
        over = outcomes != Outcome.ONGOING
        following = jax.tree.map(
            lambda old, new: jax.numpy.where(over.reshape((-1,) + (1,) * (new.ndim - 1)), old, new),
            origin,
            after,
        )
        return (following, origin), (pack(states), actions, pack(after), move(states), outcomes)

    play = jax.jit(
        lambda states, origin, key: jax.lax.scan(ply, (states, origin), jax.random.split(key, 8))
    )
    states, key = start, jax.random.key(0)
    while True:
        found = []
        for _ in range(PLIES // 8):
            key, use = jax.random.split(key)
            (states, _), played = play(states, start, use)
            before, actions, after, movers, outcomes = (
                np.asarray(each).reshape(-1, *each.shape[2:]) for each in played
            )
            won = outcomes == 1 + movers
            found.append((before[won], actions[won].astype(np.int64), after[won]))
        before, actions, after = (np.concatenate(parts) for parts in zip(*found, strict=True))
        zones = np.zeros((len(before), zoning.buffers.shape[1]), np.uint32)
        _won_on(zoning, before, actions, after, zones)
        yield before, actions, zones


@compiled
def _around(size, zone, near):
    """Writes the points of ``zone`` and their neighbours to ``near``; both are bit sets."""
    for j in range(len(near)):
        near[j] = zone[j]
    for point in range(size * size):
        if zone[point >> 5] >> np.uint32(point & 31) & np.uint32(1):
            row, column = point // size, point % size
            for k in range(4):
                other = row + (k == 0) - (k == 1), column + (k == 2) - (k == 3)
                if 0 <= other[0] < size and 0 <= other[1] < size:
                    at = other[0] * size + other[1]
                    near[at >> 5] |= np.uint32(1) << np.uint32(at & 31)


@compiled
def _won_on(zoning, before, actions, after, zones):
    """Writes the zone of each winning move to ``zones``, computed by the game's callbacks."""
    leaf = zoning.buffers[0]
    for i in range(len(before)):
        call_zone_function(
            zoning.addresses[LEAF], after[i], np.int64(-1), leaf, leaf, zoning.facts, zoning.scratch
        )
        call_zone_function(
            zoning.addresses[WON],
            before[i],
            actions[i],
            leaf,
            zones[i],
            zoning.facts,
            zoning.scratch,
        )


@compiled
def _enter(tree, states, moves, zones, more, near, most):
    """Inserts each decided position several times. Stops once the table holds ``most`` patterns.

    The zone of an insertion is the position's zone with a random half of the points around it.
    """
    zoning = tree.zoning
    zone = zoning.buffers[0]
    for i in range(len(states)):
        _around(zoning.facts[SIZE], zones[i], near)
        copies = len(more) // len(states)
        for k in range(copies):
            for j in range(len(zone)):
                zone[j] = zones[i, j] | near[j] & more[i * copies + k, j]
            shown = call_zone_function(
                zoning.addresses[PATTERN],
                states[i],
                np.int64(-1),
                zone,
                tree.patterns.seen,
                zoning.facts,
                zoning.scratch,
            )
            mover = np.int64(shown & SECOND_MOVES != 0)
            winner = mover if moves[i] >= 0 else 1 - mover
            serves = (
                shown >= 0
                and (shown & FOR_MOVER == 0 or winner == mover)
                and not is_whole_position(tree, zone)
            )
            if serves and tree.patterns.counters[HELD] < most:
                insert(tree.patterns, winner, turn_of(shown), zone, mark_of(states[i]))


@compiled
def _look_up_all(tree, count):
    """Looks up the first ``count`` nodes of ``tree`` in its pattern table."""
    for node in range(count):
        winner_by_pattern(tree, node)
