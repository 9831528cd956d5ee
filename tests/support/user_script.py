"""A user's script for the type checker: public functions have the types that users rely on."""

from __future__ import annotations

from pathlib import Path
from typing import Any, assert_type

import jax

from jaxsolve.formats import problems
from jaxsolve.games import Env, make
from jaxsolve.games.game import Game
from jaxsolve.question import Problem, Verdict
from jaxsolve.search import Claim, Limits, Result, Settings, solve, solve_pool, solve_value


def solves() -> None:
    game = make("hex-3")
    assert_type(game, Game)
    settings = Settings(method="dfpn", limits=Limits(cpu_seconds=10.0, nodes=1000), memory_mb=64)
    result = solve(game, game.init(), claim=Claim(0), settings=settings, out=Path("runs"))
    assert_type(result, Result)
    assert_type(result.verdict, Verdict)
    assert_type(result.best_move, str | None)
    assert_type(result.cpu_seconds, float)
    for problem, answer in solve_pool(problems.load("quickstart.json"), pool=2, settings=settings):
        assert_type(problem, Problem)
        assert_type(answer, Result)
    outcome: Any = solve_value(game, game.init(), settings=settings)
    del outcome


def plays() -> None:
    env = Env(make("go-9"))
    state = env.init(jax.random.key(0))
    state = env.step(state, jax.numpy.int32(3))
    assert_type(state.legal_action_mask, jax.Array)
    assert_type(state.terminated, jax.Array)


if __name__ == "__main__":
    solves()
    plays()
