"""Trains a user-defined network, a flax module, by self-play, and solves with it.

Run: python launch/examples/train_your_own_network.py [RULE_SET [ITERATIONS]]
"""

import sys

import jax
import jax.numpy as jnp
import optax
from flax import nnx

from jaxsolve.games import Env, make
from jaxsolve.networks import Interface, Model, Outputs
from jaxsolve.search import Claim, Settings, solve
from jaxsolve.train import Learner, Loop, SelfPlay, TreeSearch


class Mixer(nnx.Module):
    """Layers that mix cells, then channels; all of its state is trained."""

    def __init__(self, interface: Interface, rngs: nnx.Rngs, width: int = 32):
        cells = interface.height * interface.width
        self.stem = nnx.Linear(interface.planes, width, rngs=rngs)
        self.norm = nnx.LayerNorm(width, rngs=rngs)
        self.cells = nnx.Linear(cells, cells, rngs=rngs)
        self.channels = nnx.Linear(width, width, rngs=rngs)
        self.policy = nnx.Linear(cells * width, interface.actions, rngs=rngs)
        self.value = nnx.Linear(cells * width, 1, rngs=rngs)

    def __call__(self, planes: jax.Array) -> Outputs:
        x = self.stem(planes.reshape(len(planes), -1, planes.shape[-1]).astype(jnp.float32))
        x = x + jnp.swapaxes(nnx.relu(self.cells(jnp.swapaxes(self.norm(x), 1, 2))), 1, 2)
        x = nnx.relu(self.channels(x)).reshape(len(planes), -1)
        return Outputs(
            policy=self.policy(x), value=jnp.tanh(self.value(x)[:, 0]), cost=None, within=None
        )


def main(rule_set: str = "hex-4", iterations: int = 20) -> None:
    game = make(rule_set)
    env = Env(game, max_steps=2 * game.num_actions)
    interface = Interface.of(game, value=True)
    model = Model.of_flax(lambda rngs: Mixer(interface, rngs), interface)

    search = TreeSearch(env=env, forward=model, goal="value", simulations=16)
    learner = Learner(game, model, lambda: optax.adamw(1e-3))
    play = SelfPlay(search, steps=env.max_steps)
    loop = Loop(play, learner, games=16, capacity=4000, batch=64, updates=16)

    state = loop.begin(seed=0)
    for number in range(1, iterations + 1):
        state, measured = loop.iterate(state)
        if number % 5 == 0:
            print(f"iteration {number}: loss {float(measured['loss_total']):.2f}", flush=True)

    heads = model.heads(loop.params(state), game)
    for method in ("mcts", "dfpn"):
        settings = Settings(method=method, heads=heads if method == "mcts" else None)
        result = solve(game, game.init(), claim=Claim(0), settings=settings)
        print(f"{method}: {result.verdict.value} after {result.nodes:,} nodes")


if __name__ == "__main__":
    main(*sys.argv[1:2], *map(int, sys.argv[2:3]))
