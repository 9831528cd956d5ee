"""Timing of whole searches: expansions per second and the parts of the wall time."""

from __future__ import annotations

import functools
import time
from typing import Any

import jax
import numpy as np

from jaxsolve.bench.measure import Clock
from jaxsolve.bench.positions import hard_positions
from jaxsolve.evaluate import BATCH_SIZES, Estimates, Evaluator
from jaxsolve.games.game import Game
from jaxsolve.jit import compile_clock
from jaxsolve.networks import Guide, History
from jaxsolve.search.methods import method_for
from jaxsolve.search.run.job import Job
from jaxsolve.search.run.options import RunOptions
from jaxsolve.search.run.pool import run_jobs
from jaxsolve.search.run.width import MAX_PATHS
from jaxsolve.search.settings import Limits, Settings, changed


class _TimedEvaluator(Evaluator):
    """An evaluator that measures wall seconds of dispatch (with transfer) and of waiting."""

    dispatch_seconds = 0.0
    wait_seconds = 0.0

    def submit(
        self, states: np.ndarray, actions: np.ndarray, seed: int = 0
    ) -> jax.Array | np.ndarray:
        start = time.perf_counter()
        rows = super().submit(states, actions, seed)
        self.dispatch_seconds += time.perf_counter() - start
        return rows

    def collect(self, rows: jax.Array | np.ndarray, count: int) -> np.ndarray:
        start = time.perf_counter()
        out = super().collect(rows, count)
        self.wait_seconds += time.perf_counter() - start
        return out

    def estimate(
        self, rows: np.ndarray, which: np.ndarray, history: History | None = None
    ) -> Estimates:
        start = time.perf_counter()
        estimates = super().estimate(rows, which, history)
        self.dispatch_seconds += time.perf_counter() - start
        return estimates

    def fill(self, rows: np.ndarray, estimates: Estimates) -> np.ndarray:
        start = time.perf_counter()
        out = super().fill(rows, estimates)
        self.wait_seconds += time.perf_counter() - start
        return out


class _TimedJob(Job):
    """A job (one search, ``search/README.md``) that measures the wall seconds of selection."""

    select_seconds = 0.0

    def advance(self, flight: int, most: int) -> tuple[np.ndarray, np.ndarray, int]:
        start = time.perf_counter()
        leaves = super().advance(flight, most)
        self.select_seconds += time.perf_counter() - start
        return leaves


def timed_search(
    game: Game, method: str, width: int, pool: int, seconds: float, guide: Guide | None = None
) -> dict[str, Any]:
    """Runs ``pool`` searches over one evaluator, and returns the fields of a report row.

    The searches start from the game's hard positions (``bench/positions.py``) in turn. Searches
    from the same position have different seeds.

    Args:
      game: the game.
      method: name of a search method.
      width: wave width of each search.
      pool: number of searches.
      seconds: CPU seconds of all searches together.
      guide: a network that guides the searches.

    Raises ValueError if ``width`` is larger than a search can have.
    """
    if width > MAX_PATHS:
        raise ValueError(f"a search has at most {MAX_PATHS} paths, fewer than the wave of {width}")
    settings = Settings(method, Limits(cpu_seconds=seconds / pool), wave=width)
    wave = min(-(-width // settings.flights) * pool, BATCH_SIZES[-1])
    heads = None if guide is None else guide.heads(game)
    evaluator = _evaluator(game, method_for(method, game, heads, zones=True).playouts, guide)
    compiled_before = compile_clock.read()
    states = hard_positions(game)
    # All smaller sizes are compiled too, because the first waves of a search are small.
    evaluator.compile([size for size in BATCH_SIZES if size <= wave] + [wave])
    jobs = [
        _TimedJob(
            game,
            states[i % len(states)],
            options=RunOptions(
                settings=changed(settings, seed=i // len(states)), evaluator=evaluator
            ),
        )
        for i in range(pool)
    ]
    before = sum(job.search.evaluated for job in jobs)
    evaluator.dispatch_seconds = evaluator.wait_seconds = 0.0
    clock = Clock()
    run_jobs(jobs)
    cpu, elapsed = clock.read()
    count = sum(job.search.evaluated for job in jobs) - before
    select = sum(job.select_seconds for job in jobs)
    parts = {
        "select": select,
        "dispatch": evaluator.dispatch_seconds,
        "wait": evaluator.wait_seconds,
    }
    parts["absorb"] = elapsed - sum(parts.values())  # back up, and a little overhead of the pool
    return {
        "per_cpu_second": count / cpu,
        "per_wall_second": count / elapsed,
        "cpu_seconds": cpu,
        "compile_cpu_seconds": compile_clock.read().since(compiled_before).cpu_seconds,
        **{f"{name}_share": part / elapsed for name, part in parts.items()},
    }


@functools.cache
def _evaluator(game: Game, playouts: int, guide: Guide | None) -> _TimedEvaluator:
    """Returns the evaluator that all searches of a game share. Each batch size compiles once."""
    return _TimedEvaluator(
        game, playouts=playouts, heads=None if guide is None else guide.heads(game)
    )
