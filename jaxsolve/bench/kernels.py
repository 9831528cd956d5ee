"""``jaxsolve bench kernels``: speed of the game kernels on the device.

Rates are items per CPU second and per wall second. Each row of the report states the unit of its
items and the batch size. Compilation is timed separately, without the cache on disk. On an
accelerator use the rate per wall second, and batch sizes that fill the device: ``--batch
4096,16384,65536``.
"""

from __future__ import annotations

import functools
from collections.abc import Callable
from dataclasses import dataclass

import jax
import jax.numpy as jnp
import numpy as np

from jaxsolve.bench.measure import Rate, Workload, compiled, from_nothing, rates, repeated
from jaxsolve.bench.pgx_games import pgx_game
from jaxsolve.bench.play import Play, RulesOnly, positions, step_compile_seconds
from jaxsolve.bench.report import Report, Row
from jaxsolve.bench.request import Request
from jaxsolve.evaluate import BATCH_SIZES, Evaluator
from jaxsolve.games import Env, make
from jaxsolve.games.game import EvaluatesChildren, Game
from jaxsolve.games.go import GoRules
from jaxsolve.games.go.benson import benson

COLUMNS = {
    "what": "what",
    "game": "game",
    "batch": "batch",
    "per_cpu_second": "per CPU s",
    "unit": "of",
    "per_wall_second": "per wall s",
    "compile_cpu_seconds": "compile CPU s",
    "state_bytes": "state bytes",
    "vs_per_cpu_second": "pgx per CPU s",
    "ratio": "ratio",
    "vs_rules": "pgx's rules",
}


@dataclass(frozen=True)
class Task:
    """One measurement of one game, at several batch sizes."""

    rule_set: str
    # (game, batch, whether to measure pgx too) -> fields of a report row
    measure: Callable[[Game, int, bool], Row]
    batches: tuple[int, ...]


def run(request: Request) -> int:
    """Measures the default kernels, or all kernels of the named games. Returns exit code 0.

    Raises ValueError for an unknown game, for a comparison with pgx if pgx is not installed, and
    for ``seconds``, which is not an option of this benchmark.
    """
    if request.seconds is not None:
        raise ValueError(
            f"--seconds {request.seconds:g} is for whole searches only: "
            f"use 'jaxsolve bench search --seconds {request.seconds:g}'"
        )
    tasks = [task for name in request.games for task in _tasks_of(name)] or _default_tasks()
    report = Report("kernels", COLUMNS, request.as_json)
    try:
        for task in tasks:
            game = make(task.rule_set)
            for batch in request.batches or task.batches:
                with report.measuring(f"{task.rule_set}, batch {batch:,}"):
                    row = task.measure(game, batch, request.vs == "pgx")
                report.add(
                    {
                        "game": task.rule_set,
                        "batch": batch,
                        "state_bytes": 4 * game.state_words,
                        **row,
                    }
                )
    finally:
        report.show()
    return 0


def _default_tasks() -> list[Task]:
    return [
        Task("go-9", whole_step, (64, 1024)),
        Task("go-9;ko=positional", whole_step, (64, 1024)),  # the rule that pgx plays
        Task("go-9", rules_step, (64, 1024)),
        Task("go-19", whole_step, (64, 1024)),
        Task("hex-11", whole_step, (64, 1024)),
        Task("slither-8", whole_step, (64, 1024)),
        Task("loa-8", whole_step, (64, 1024)),
        Task("knightthrough-8", whole_step, (64, 1024)),
        Task("minishogi", whole_step, (64, 1024)),
        Task("go-7", life, (1024,)),
        Task("go-19", life, (1024,)),
        Task("gomoku-15;knowledge=4t", children, (1, 256, 1024, 4096)),
        Task("awari", whole_step, (64, 1024)),
        Task("awari", rules_step, (1024,)),
        *(
            Task(name, evaluator_rows, (16, 32, 64, 256))
            for name in ("killallgo-9;fill_eyes=false", "gomoku-15;knowledge=4t", "hex-5", "hex-7")
        ),
    ]


def _tasks_of(rule_set: str) -> list[Task]:
    game = make(rule_set)
    tasks = [
        Task(rule_set, whole_step, (64, 1024)),
        Task(rule_set, rules_step, (64, 1024)),
        Task(rule_set, evaluator_rows, (16, 64, 256)),
    ]
    if isinstance(game, EvaluatesChildren):
        tasks.append(Task(rule_set, children, (1, 256, 1024)))
    if isinstance(game, GoRules):
        tasks.append(Task(rule_set, life, (1024,)))
    return tasks


def _row(what: str, unit: str, rate: Rate, compile_seconds: float) -> Row:
    return {
        "what": what,
        "unit": unit,
        "per_cpu_second": rate.per_cpu_second,
        "per_wall_second": rate.per_wall_second,
        "compile_cpu_seconds": compile_seconds,
    }


def _plies(game: Game) -> int:
    """Returns the approximate length of a random game, at most 120 to bound the set-up time."""
    return min(120, game.num_actions + 20)


# ---- the benchmarks ----------------------------------------------------------------------
def whole_step(game: Game, batch: int, with_pgx: bool) -> Row:
    """Measures random legal play through ``Env``: step, legal mask, observation and rewards.

    With ``with_pgx``, the same loop is also measured with pgx's environment. The repeats of both
    alternate.
    """
    play = Play(Env(game, terminal_observation=False), batch, _plies(game))
    other = pgx_game(game) if with_pgx else None
    if other is None:
        return _row(
            "whole step", "moves", rates([play.workload()])[0], step_compile_seconds(play.env)
        )
    environment, their_rules = other
    theirs = Play(environment, batch, _plies(game))
    ours, vs = rates([play.workload(), theirs.workload()])
    row = _row("whole step", "moves", ours, step_compile_seconds(play.env))
    return {
        **row,
        "vs": "pgx",
        "vs_per_cpu_second": vs.per_cpu_second,
        "vs_per_wall_second": vs.per_wall_second,
        "ratio": ours.per_cpu_second / vs.per_cpu_second,
        "vs_rules": their_rules,
    }


def rules_step(game: Game, batch: int, with_pgx: bool) -> Row:
    """Measures random legal play with step, outcome and legal mask only."""
    del with_pgx
    play = Play(RulesOnly(game), batch, _plies(game))
    return _row(
        "rules and legal mask", "moves", rates([play.workload()])[0], step_compile_seconds(play.env)
    )


def life(game: Game, batch: int, with_pgx: bool) -> Row:
    """Measures Benson's algorithm, which finds White's living chains, on boards of random play."""
    del with_pgx
    assert isinstance(game, GoRules)
    stones = positions(game, batch, _plies(game)).stones
    own, enemy = jnp.copy(stones[:, 1]), jnp.copy(stones[:, 0])
    kernel = compiled(jax.vmap(functools.partial(benson, game.size)), own, enemy)
    rate = rates([Workload(repeated(lambda: kernel.call(own, enemy)), batch)])[0]
    return _row("Benson life", "boards", rate, kernel.seconds)


def children(game: Game, batch: int, with_pgx: bool) -> Row:
    """Measures ``game.children``: legal, winning and forced moves of a position in one pass.

    The positions are from random play.
    """
    del with_pgx
    assert isinstance(game, EvaluatesChildren)
    states = positions(game, batch, _plies(game))
    kernel = compiled(jax.vmap(game.children), states)
    rate = rates([Workload(repeated(lambda: kernel.call(states)), batch * game.num_actions)])[0]
    return _row("answers for all children", "children", rate, kernel.seconds)


def evaluator_rows(game: Game, batch: int, with_pgx: bool) -> Row:
    """Measures the evaluator: packed positions and actions to rows (``evaluate/README.md``).

    Input and output are in host memory, so transfers are included.
    """
    del with_pgx
    evaluator = Evaluator(game)
    largest = min(batch, BATCH_SIZES[-1])
    states = positions(game, largest, _plies(game))
    words = np.asarray(jax.jit(jax.vmap(game.pack))(states))
    actions = np.asarray(jnp.argmax(jax.vmap(game.legal_mask)(states), axis=1), np.int32)
    with from_nothing():
        evaluator(words, actions)
    waves = [min(largest, batch - at) for at in range(0, batch, largest)]

    def wave() -> None:
        submitted = [(evaluator.submit(words[:n], actions[:n]), n) for n in waves]
        for device_rows, n in submitted:
            evaluator.collect(device_rows, n)

    compile_seconds = evaluator.compile_seconds
    return _row("evaluator", "rows", rates([Workload(repeated(wave), batch)])[0], compile_seconds)
