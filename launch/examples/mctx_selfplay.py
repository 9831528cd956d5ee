"""Self-play with mctx's Gumbel MuZero search, without a network.

Priors are uniform; values come from random rollouts.

Run: python launch/examples/mctx_selfplay.py [RULE_SET]
"""

import sys

import jax
import mctx

from jaxsolve.games import Env, make, mctx_adapter
from jaxsolve.view import text_board

BOARDS, SIMULATIONS = 8, 32


def main(rule_set: str = "hex-5") -> None:
    env = Env(make(rule_set), max_steps=2 * make(rule_set).num_actions)
    evaluate = mctx_adapter.random_rollout(env, max_steps=2 * env.num_actions)
    root_fn, recurrent_fn = mctx_adapter.root_fn(evaluate), mctx_adapter.recurrent_fn(env, evaluate)

    @jax.jit
    def search_and_move(states, key):
        at_root, in_tree = jax.random.split(key)
        policy = mctx.gumbel_muzero_policy(
            params=None,
            rng_key=in_tree,
            root=root_fn(None, at_root, states),
            recurrent_fn=recurrent_fn,
            num_simulations=SIMULATIONS,
            invalid_actions=mctx_adapter.invalid_actions(states),
        )
        return jax.vmap(env.step)(states, policy.action), policy.action

    key, start = jax.random.split(jax.random.key(1))
    states = jax.vmap(env.init)(jax.random.split(start, BOARDS))
    moves, first_agent, total = [], int(states.current_player[0]), states.rewards
    while not bool((states.terminated | states.truncated).all()):
        key, draw = jax.random.split(key)
        if not bool(states.terminated[0] | states.truncated[0]):
            before = jax.tree.map(lambda x: x[0], states._game)
            states, actions = search_and_move(states, draw)
            moves.append(env.game.action_text(int(actions[0]), before))
        else:
            states, _ = search_and_move(states, draw)
        total = total + states.rewards
    wins = int((total[:, 0] * (1 - 2 * states._first_agent) > 0).sum())
    print(f"{env.id}: {BOARDS} self-play games, {wins} won by {env.game.players[0]} (moves first)")
    print(f"game 0, agent {first_agent} first: {' '.join(moves)}")
    print(text_board(env.game, jax.tree.map(lambda x: x[0], states._game)))


if __name__ == "__main__":
    main(*sys.argv[1:])
