"""``jaxsolve bench selfplay``: speed of self-play, and the shares of the network and mctx's tree.

Three workloads are timed:

* self-play: one move in each of B games (``--batch``), a few moves after their start, by an
  untrained network (``--network 3x256 --dtype bfloat16``);
* the network alone: the same number of evaluations;
* mctx's tree alone: a search with the same number of games, actions and simulations, on constant
  positions with random values.

The *rest* is the time of self-play minus the other two: rules, legal moves, observations, targets,
records and new games. On an accelerator the times do not add up, so no shares are shown.
"""

from __future__ import annotations

import dataclasses
import functools
import itertools
from typing import Any

import jax
import jax.numpy as jnp
import mctx

from jaxsolve.bench import measure
from jaxsolve.bench.measure import Device, Workload, repeated
from jaxsolve.bench.report import Report
from jaxsolve.bench.request import Request
from jaxsolve.bench.towers import bins, most_moves, tower
from jaxsolve.core.strict_json import shortened
from jaxsolve.games import make
from jaxsolve.train import build
from jaxsolve.train.config import NetworkSettings, Settings
from jaxsolve.train.search import TreeSearch
from jaxsolve.train.self_play import Games

GAMES = ("killallgo-7",)
BATCHES = (64,)
PLIES = 12  # moves played in each game before the measurement
TOWER = "3x32"
TARGETS = {
    "pcn": ("cost", False, True),
    "alphazero": ("value", True, False),
}  # the goal, whether the value head is learned, whether the cost head is learned

COLUMNS = {
    "game": "game",
    "targets": "targets",
    "network": "tower",
    "dtype": "dtype",
    "batch": "games at once",
    "simulations": "simulations",
    "per_cpu_second": "evaluations per CPU s",
    "per_wall_second": "per s",
    "evaluations_per_hour": "evaluations an hour",
    "moves_per_hour": "moves an hour",
    "move_ms": "ms a move of all",
    "network_ms": "network alone",
    "tree_ms": "tree alone",
    "network_share": "network",
    "tree_share": "mctx's tree",
    "rest_share": "rest",
}

# Type checkers do not know the fields of chex's dataclasses.
_root_output: Any = mctx.RootFnOutput
_recurrent_output: Any = mctx.RecurrentFnOutput


def run(request: Request) -> int:
    """Measures self-play by a new network, with cost targets and with value targets.

    Returns exit code 0. Raises ValueError for an unknown game, and if ``network`` is not of the
    form BLOCKSxCHANNELS.
    """
    request.refuse_vs()
    network = TOWER if request.network is None else request.network
    settings = tower(network)
    if settings is None:
        raise ValueError(
            f"--network {shortened(network)}: self-play is measured with a new network; "
            "give BLOCKSxCHANNELS, such as 3x256"
        )
    settings.dtype = request.dtype
    rule_sets = [make(name).rule_set for name in request.games or GAMES]
    report = Report("selfplay", COLUMNS, request.as_json)
    try:
        for rule_set, targets in itertools.product(rule_sets, TARGETS):
            for batch in request.batches or BATCHES:
                with report.measuring(f"{rule_set}, {targets}, {batch} games"):
                    run_settings = settings_of(rule_set, targets, settings)
                    measured = _measured(run_settings, batch, request.seconds or measure.SECONDS)
                    report.add(
                        {
                            "game": rule_set,
                            "targets": targets,
                            "network": network,
                            "dtype": request.dtype,
                            "batch": batch,
                            **measured,
                        }
                    )
    finally:
        report.show()
    return 0


def settings_of(rule_set: str, targets: str, network: NetworkSettings) -> Settings:
    """Returns the training settings for a network, with the default search.

    Args:
      rule_set: id of the rule set.
      targets: ``pcn`` (cost head) or ``alphazero`` (value head).
      network: size and number format of the network.
    """
    settings, game = Settings(network=dataclasses.replace(network)), make(rule_set)
    settings.game.rules, settings.game.most_moves = rule_set, most_moves(game)
    settings.network.cost_bins = bins(game, network)
    settings.targets.goal, settings.targets.value, settings.targets.cost = TARGETS[targets]
    settings.train.capacity = settings.train.games * settings.game.most_moves
    return settings


def _measured(settings: Settings, batch: int, seconds: float) -> dict[str, Any]:
    """Times self-play of ``batch`` games and its parts; returns the fields of a report row."""
    loop = build.loop(settings)
    play, search = loop.play, loop.play.search
    params = loop.learner.params(loop.learner.begin(0))
    step = jax.jit(play.step)
    games = jax.jit(play.begin, static_argnums=1)(jax.random.key(0), batch)
    for _ in range(PLIES):
        games, _ = step(params, games)
    evaluations = batch * (search.simulations + 1)
    network, tree = (
        jax.jit(functools.partial(_network_alone, search)),
        jax.jit(functools.partial(_tree_alone, search)),
    )
    planes = search.observe(games.states)
    whole, by_network, by_tree = measure.rates(
        [
            Workload(repeated(lambda: step(params, games)), evaluations),
            Workload(repeated(lambda: network(params, planes)), evaluations),
            Workload(repeated(lambda: tree(games)), evaluations),
        ],
        seconds,
    )
    times: dict[str, Any] = {
        f"{name}_ms": 1000 * evaluations / rate.per_wall_second
        for name, rate in (("move", whole), ("network", by_network), ("tree", by_tree))
    }
    if Device.here().platform == "cpu":
        network_share, tree_share = (
            whole.per_cpu_second / by_network.per_cpu_second,
            whole.per_cpu_second / by_tree.per_cpu_second,
        )
        times |= {
            "network_share": network_share,
            "tree_share": tree_share,
            "rest_share": 1.0 - network_share - tree_share,
        }
    return {
        "simulations": search.simulations,
        "per_cpu_second": whole.per_cpu_second,
        "per_wall_second": whole.per_wall_second,
        "evaluations_per_hour": 3600 * whole.per_wall_second,
        "moves_per_hour": 3600 * whole.per_wall_second / (search.simulations + 1),
        **times,
    }


def _network_alone(search: TreeSearch, params: Any, planes: jax.Array) -> jax.Array:
    """Calls the network as often as one search does, one call after the other.

    Each call depends on the result of the previous call, so that the compiler removes none.
    """

    def call(carried: jax.Array, _: None) -> tuple[jax.Array, None]:
        outputs = search.forward.outputs(params, planes.astype(jnp.float32) + carried)
        return 1e-30 * sum(map(jnp.sum, jax.tree.leaves(outputs)), jnp.float32(0.0)), None

    return jax.lax.scan(call, jnp.float32(0.0), None, length=search.simulations + 1)[0]


def _tree_alone(search: TreeSearch, games: Games) -> Any:
    """Runs mctx's search without rules or network: moves change nothing, values are random."""
    legal = games.states.legal_action_mask
    logits = jnp.where(legal, 0.0, jnp.finfo(jnp.float32).min)

    def single(key: jax.Array, state: Any, logits: jax.Array) -> Any:
        def step(params: Any, key: Any, action: Any, state: Any) -> tuple[Any, Any]:
            del params, action
            value = jax.random.uniform(key, (1,), minval=-1.0)
            output = _recurrent_output(
                reward=jnp.zeros(1), discount=-jnp.ones(1), prior_logits=logits[None], value=value
            )
            return output, state

        root = _root_output(prior_logits=logits[None], value=jnp.zeros(1), embedding=state)
        return search.policy_of(None, key, root, step, logits[None] < 0.0).action_weights

    alone = jax.tree.map(lambda leaf: leaf[:, None], games.states.replace(observation=None))
    return jax.vmap(single)(games.keys, alone, logits)
