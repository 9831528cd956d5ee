"""Plain Go equals pgx and open-spiel where the rules coincide: simple ko, until pgx's superko or
move cap ends a game.
"""

from __future__ import annotations

import chex
import jax
import jax.numpy as jnp
import numpy as np
import pytest

from jaxsolve.core.bitboard import square
from jaxsolve.games import Outcome, make
from support.oracles import go as oracle

pgx = pytest.importorskip("pgx")


@pytest.mark.full
def test_nine_by_nine_equals_pgx() -> None:
    """Masks, boards, observations and scores over 10,000 random plies (100,000 with
    JAXSOLVE_LONG).
    """
    game, env, batch = make("go-9"), pgx.make("go_9x9"), 200
    chex.clear_trace_counter()

    @jax.jit
    @chex.assert_max_traces(n=1)
    def advance(theirs, ours, history, key):
        mask = theirs.legal_action_mask
        score = jnp.where(mask, jax.random.uniform(key, mask.shape), -1.0).at[:, -1].multiply(0.6)
        action = jnp.argmax(score, axis=1).astype(jnp.int32)
        theirs, ours = jax.vmap(env.step)(theirs, action), jax.vmap(game.step)(ours, action)
        history = jnp.concatenate(
            [jax.vmap(game.board_words)(ours)[:, None], history[:, :-1]], axis=1
        )
        return (
            theirs,
            ours,
            history,
            jax.vmap(game.legal_mask)(ours),
            jax.vmap(game.outcome)(ours),
            jax.vmap(game.observe_history)(ours, history),
        )

    def start(key):
        theirs = jax.jit(jax.vmap(env.init))(jax.random.split(key, batch))
        ours = jax.tree.map(lambda x: jnp.broadcast_to(x, (batch, *x.shape)), game.init())
        return theirs, ours, jnp.zeros((batch, 8, 2, game.grid.words), jnp.uint32)

    compared, ended = 0, 0
    for episode in range(10 if oracle.LONG else 1):
        state, over = start(jax.random.key(episode)), np.zeros(batch, bool)
        for ply in range(160):
            *state, mask, outcome, planes = advance(*state, jax.random.key(1000 * episode + ply))
            theirs, ours = state[:2]
            pgx_over, outcome, going = np.asarray(theirs.terminated), np.asarray(outcome), ~over
            live = going & ~pgx_over
            np.testing.assert_array_equal(
                np.asarray(mask)[live], np.asarray(theirs.legal_action_mask)[live]
            )
            assert np.all(outcome[live] == Outcome.ONGOING)
            seen = np.asarray(square(game.size).to_bool(ours.stones)).reshape(batch, 2, -1)
            board = np.sign(np.asarray(theirs._x.board))
            np.testing.assert_array_equal(seen[going, 0], board[going] > 0)
            np.testing.assert_array_equal(seen[going, 1], board[going] < 0)
            np.testing.assert_array_equal(
                np.asarray(planes)[live], np.asarray(theirs.observation)[live]
            )
            passed_out = (
                going
                & (np.asarray(theirs._x.consecutive_pass_count) == 2)
                & ~np.asarray(theirs._x.is_psk)
            )
            scored = passed_out & (board != 0).any(axis=1)
            rewards = np.asarray(theirs.rewards)[
                np.arange(batch), np.asarray(theirs._player_order)[:, 0]
            ]
            np.testing.assert_array_equal(
                rewards[scored] > 0, outcome[scored] == Outcome.FIRST_WINS
            )
            compared, ended, over = (
                compared + int(live.sum()),
                ended + int(scored.sum()),
                over | pgx_over,
            )
            if over.all():
                break
    assert compared >= (100_000 if oracle.LONG else 10_000)
    assert ended > 0


def test_five_by_five_equals_open_spiel() -> None:
    """Legal placements and results. open-spiel forbids simple ko and ends a game as a draw when a
    board repeats.
    """
    pyspiel = pytest.importorskip("pyspiel")
    size = 5
    theirs_game = pyspiel.load_game("go", {"board_size": size, "komi": 0.5, "max_game_length": 400})
    ours_game, rng = make("go-5;ko=simple;komi=0.5"), np.random.default_rng(3)
    step, mask_of = jax.jit(ours_game.step), jax.jit(ours_game.legal_mask)
    flipped = (
        np.arange(size * size).reshape(size, size)[::-1].reshape(-1)
    )  # open-spiel numbers rows from the bottom
    for _ in range(20 if oracle.LONG else 3):
        theirs, ours = theirs_game.new_initial_state(), ours_game.init()
        while not theirs.is_terminal():
            mask = np.asarray(mask_of(ours))
            expected = np.zeros(size * size + 1, bool)
            expected[[flipped[a] if a < size * size else a for a in theirs.legal_actions()]] = True
            np.testing.assert_array_equal(mask, expected)
            legal = [a for a in theirs.legal_actions() if a < size * size]
            action = size * size if not legal or rng.random() < 0.02 else int(rng.choice(legal))
            theirs.apply_action(action)
            ours = step(ours, int(flipped[action]) if action < size * size else action)
        if int(ours_game.outcome(ours)) != Outcome.ONGOING:
            assert (theirs.returns()[0] > 0) == (int(ours_game.outcome(ours)) == Outcome.FIRST_WINS)
