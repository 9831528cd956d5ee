"""A batch of random games through ``Env``, which has pgx's interface: 256 boards on the device.

Run: python launch/examples/play_with_env.py [RULE_SET]
"""

import sys

import jax

from jaxsolve.games import Env, auto_reset, make, random_legal_action
from jaxsolve.view import text_board

BOARDS, STEPS = 256, 200


def main(rule_set: str = "go-9") -> None:
    env = Env(make(rule_set), max_steps=400)
    init, step = jax.vmap(env.init), jax.vmap(auto_reset(env.step, env.init))

    @jax.jit
    def play(key):
        def one_move(states, key):
            to_act, to_reset = jax.random.split(key)
            actions = jax.vmap(random_legal_action)(
                jax.random.split(to_act, BOARDS), states.legal_action_mask
            )
            states = step(states, actions, jax.random.split(to_reset, BOARDS))
            return states, (states.terminated | states.truncated, states.rewards)

        first, moves = jax.random.split(key)
        return jax.lax.scan(
            one_move, init(jax.random.split(first, BOARDS)), jax.random.split(moves, STEPS)
        )

    states, (over, rewards) = play(jax.random.key(0))
    print(f"{env.id}: {BOARDS} boards, {STEPS} moves each, {int(over.sum())} games finished")
    print(
        f"agent 0 won {int((rewards[..., 0] > 0).sum())}, "
        f"agent 1 won {int((rewards[..., 1] > 0).sum())}"
    )
    print(
        f"observation {states.observation.shape}, "
        f"legal moves on board 0: {int(states.legal_action_mask[0].sum())}"
    )
    print(text_board(env.game, jax.tree.map(lambda x: x[0], states._game)))


if __name__ == "__main__":
    main(*sys.argv[1:])
