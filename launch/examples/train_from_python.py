"""A training loop from Python, a search with the trained network, and one with a plain function.

Run: python launch/examples/train_from_python.py [RULE_SET [ITERATIONS]]
"""

import sys
import tempfile
from pathlib import Path

import jax.numpy as jnp
import optax

from jaxsolve.games import Env, make
from jaxsolve.networks import Architecture, Cost, Forward, Guide, HeadOutputs, Heads, Network
from jaxsolve.search import Claim, Settings, solve
from jaxsolve.train import Learner, Loop, SelfPlay, TreeSearch


def main(rule_set: str = "hex-4", iterations: int = 20) -> None:
    game = make(rule_set)
    # Longer games are cut off and give no training targets.
    env = Env(game, max_steps=2 * game.num_actions)
    shape = Architecture.of(game, blocks=1, channels=16, cost=Cost(bins=40))

    search = TreeSearch(env=env, forward=Forward(shape), goal="cost", simulations=16)
    play = SelfPlay(search, steps=env.max_steps)  # moves of each game per call
    learner = Learner(game, shape, lambda: optax.adamw(1e-3))
    loop = Loop(play, learner, games=16, capacity=4000, batch=64, updates=16)

    state = loop.begin(seed=0)
    for number in range(1, iterations + 1):
        state, measured = loop.iterate(state)
        if number % 5 == 0:
            print(
                f"iteration {number}: loss {float(measured['loss_total']):.2f}, "
                f"{int(measured['games'])} games",
                flush=True,
            )

    file = Path(tempfile.mkdtemp()) / "network.npz"
    Network("example", shape, learner.params(state.learner), game.rule_set).save(file)

    def uniform(params, observation, legal):
        """A pure function in place of a network: equal priors, equal costs of all proofs."""
        count = len(legal)
        return HeadOutputs(
            prior=legal / legal.sum(1, keepdims=True),
            value=jnp.zeros(count),
            cost=jnp.full((count, 2), params["cost"]),
        )

    constant = Heads(uniform, {"cost": jnp.float32(3.0)}, most_cost=10.0)
    for name, heads in {
        "no network": None,
        "the network": Guide(Network.load(file)),
        "a function": constant,
    }.items():
        result = solve(game, game.init(), claim=Claim(0), settings=Settings(heads=heads))
        print(f"{name}: {result.verdict.value} after {result.nodes:,} nodes")


if __name__ == "__main__":
    main(*sys.argv[1:2], *map(int, sys.argv[2:3]))
