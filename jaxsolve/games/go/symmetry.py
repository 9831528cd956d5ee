"""The eight symmetries of a square board."""

from __future__ import annotations

from collections.abc import Iterable

import jax
import jax.numpy as jnp
import numpy as np

from jaxsolve.games.go.layout import Layout


def kept_actions(size: int, kept_sets: Iterable[frozenset[int]] = ()) -> np.ndarray:
    """int32[G, N * N + 1]: images of points and pass under the symmetries that map each of ``kept_sets`` onto itself; row 0 is the identity."""
    points = np.arange(size * size).reshape(size, size)
    rows = []
    for flipped in (points, points.T):
        for turns in range(4):
            # turned[r, c] is the point that comes to (r, c), so the image is the inverse permutation.
            images = np.argsort(np.rot90(flipped, turns).reshape(-1))
            if all({int(images[point]) for point in points_kept} == set(points_kept) for points_kept in kept_sets):
                rows.append([*images, size * size])
    return np.array(rows, np.int32)


def moved(layout: Layout, boards: jax.Array, images: jax.Array) -> jax.Array:
    """uint32[..., W]: packed boards with each point p at int32[A] ``images[p]``."""
    source = jnp.zeros(layout.points, jnp.int32).at[images[: layout.points]].set(np.arange(layout.points, dtype=np.int32))
    return layout.from_bits(layout.to_bits(boards)[..., source])
