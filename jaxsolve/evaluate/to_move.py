"""Computes the sides to move in packed positions, on the device."""

from __future__ import annotations

import functools
from collections.abc import Iterator
from typing import Any

import jax
import numpy as np

from jaxsolve.games.game import Game

BATCH = 4096  # positions in one call of the device


def sides_to_move(game: Game, states: np.ndarray) -> np.ndarray:
    """Returns the side to move (0 or 1), int32[n], in packed positions uint32[n, S]."""
    return np.concatenate([np.zeros(0, np.int32), *_sides_by_batch(game, states)])


def _sides_by_batch(game: Game, states: np.ndarray) -> Iterator[np.ndarray]:
    to_move = _to_move(game)
    for at in range(0, len(states), BATCH):
        part = states[at : at + BATCH]
        padding = np.zeros((BATCH - len(part), part.shape[1]), np.uint32)
        yield np.asarray(to_move(np.concatenate([part, padding])))[: len(part)]


@functools.lru_cache(maxsize=32)
def _to_move(game: Game) -> Any:
    return jax.jit(jax.vmap(lambda words: game.to_move(game.unpack(words))))
