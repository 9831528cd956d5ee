"""Images of Go positions under the symmetries of the board."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from jaxsolve.core.bitboard import square
from jaxsolve.core.lazy_import import jax, jnp
from jaxsolve.games.boards.square import SQUARE_SYMMETRIES, image_of, square_permutations, turned
from jaxsolve.games.go import superko
from jaxsolve.games.go.state import GoState, meta_word, read_meta

if TYPE_CHECKING:
    from jaxsolve.games.go.game import GoRules


def kept_symmetries(size: int, sets: tuple[frozenset[int], ...]) -> np.ndarray:
    """Returns int32[G]: the symmetries that map each of the given sets of points onto itself.

    Symmetries are numbered as in ``boards.square.square_permutations``.
    """
    images = square_permutations(size)
    keeps = [all({int(image[p]) for p in points} == points for points in sets) for image in images]
    return np.flatnonzero(keeps).astype(np.int32)


def transform_state(game: GoRules, state: GoState, symmetry: jax.Array) -> GoState:
    """Returns the image of a state under a symmetry of its rule set.

    ``symmetry`` int32[] is an index into the symmetries that keep the rules
    (``game.num_symmetries``).
    """
    if game.num_symmetries < SQUARE_SYMMETRIES:
        of_square = jnp.where(
            np.arange(game.num_symmetries, dtype=np.int32) == symmetry, game._symmetries, 0
        )
        symmetry = jnp.sum(of_square, dtype=jnp.int32)
    return _transformed(game, state, symmetry)


def _transformed(game: GoRules, state: GoState, symmetry: jax.Array) -> GoState:
    """Returns the image of a state under ``symmetry`` int32[] (``square_permutations``)."""
    grid, meta = square(game.size), read_meta(state.meta)
    ko = image_of(game.size, jnp.maximum(meta.ko - 1, 0), symmetry) + 1
    after = state._replace(
        stones=turned(grid, state.stones, symmetry),
        meta=meta_word(meta._replace(ko=jnp.where(meta.ko > 0, ko, 0))),
    )
    if state.task is not None:
        crucial, region = turned(grid, jnp.stack([state.task.crucial, state.task.region]), symmetry)
        after = after._replace(task=state.task._replace(crucial=crucial, region=region))
    if state.history is None:
        return after
    boards = state.history.T.reshape(-1, 2, grid.words)
    marks = state.history[0] & np.uint32(1 << grid.width)
    history = turned(grid, boards, symmetry).reshape(-1, 2 * grid.words).T
    history = history.at[0].set(history[0] | marks)
    key = superko.history_key(history, meta.boards)
    return after._replace(history=history, history_key=key)
