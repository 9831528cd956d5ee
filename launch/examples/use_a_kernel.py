"""The kernels alone: rules are pure functions of a small state, for ``jit`` and ``vmap``.

Run: python launch/examples/use_a_kernel.py
"""

import jax
import jax.numpy as jnp
import numpy as np

from jaxsolve.games import EvaluatesChildren, Outcome, make
from jaxsolve.view import text_board


def main() -> None:
    go = make("go-9;ko=positional")
    state = go.init()
    step, legal = jax.jit(go.step), jax.jit(go.legal_mask)
    for move in ("E5", "D5", "D6", "E6", "C5", "F5", "D4", "E4", "J1", "D5"):
        state = step(state, go.parse_action(move, state))
    print(
        f"{go.rule_set}: a state of {4 * go.state_words} bytes, "
        f"{int(legal(state).sum())} legal moves"
    )
    print(text_board(go, state), "\n")
    retaking = (
        "legal"
        if legal(state)[go.parse_action("E5", state)]
        else "illegal, because it would repeat the board"
    )
    print(f"Black retaking the ko at E5: {retaking}")
    print("key:", " ".join(f"{int(word):08x}" for word in go.key(state)), "\n")

    gomoku = make("gomoku-15;knowledge=4t")
    position = gomoku.parse("/".join(["." * 15] * 7 + ["....XXX......OO"] + ["." * 15] * 7) + " b")
    assert isinstance(gomoku, EvaluatesChildren)
    children = jax.jit(gomoku.children)(position)
    actions = np.arange(gomoku.num_actions)
    wins = actions[np.asarray(children.wins)[actions // 32] >> (actions % 32) & 1 == 1]
    print(
        f"{gomoku.rule_set}: all children at once, "
        f"Black wins at {', '.join(gomoku.action_text(int(a)) for a in wins)}"
    )

    batch = jax.tree.map(lambda x: jnp.stack([x] * gomoku.num_actions), position)
    outcomes = jax.jit(jax.vmap(gomoku.outcome))(
        jax.jit(jax.vmap(gomoku.step))(batch, jnp.asarray(actions))
    )
    legal_wins = np.asarray(gomoku.legal_mask(position)) & (
        np.asarray(outcomes) == Outcome.FIRST_WINS
    )
    print(
        "stepping every child:",
        ", ".join(gomoku.action_text(int(a)) for a in np.flatnonzero(legal_wins)),
    )


if __name__ == "__main__":
    main()
