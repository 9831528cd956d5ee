"""Positions of random play, packed."""

from __future__ import annotations

import jax
import numpy as np


def positions(game, count, plies, seed=0):
    """Packed positions after ``plies`` random moves, in which the game is not over."""
    rng, found = np.random.default_rng(seed), []
    step, legal, pack = jax.jit(game.step), jax.jit(game.legal_mask), jax.jit(game.pack)
    while len(found) < count:
        state = game.init()
        for _ in range(plies):
            moves = np.flatnonzero(np.asarray(legal(state)))
            if not len(moves):
                break
            state = step(state, np.int32(rng.choice(moves)))
        if np.asarray(legal(state)).any():
            found.append(np.asarray(pack(state)))
    return np.stack(found)
