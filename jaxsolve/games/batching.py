"""How a kernel written for words-first sets runs well both on one board and on a batch."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import jax
import jax.numpy as jnp
from jax.custom_batching import custom_vmap


def batch_last(kernel: Callable[..., Any]) -> Callable[..., Any]:
    """``kernel`` as a function of one board that ``jax.vmap`` runs with the batch as the LAST axis of every array.

    ``kernel`` must accept extra trailing dimensions in all its arguments (pytrees of arrays) and return them in all its
    results. Words of a set are few; with the batch last it is the batch that fills the vector lanes. A batch of one board is
    run as one board.
    """

    @custom_vmap
    def one(*args: Any) -> Any:
        return kernel(*args)

    @one.def_vmap
    def _(axis_size: int, batched: Any, *args: Any) -> tuple[Any, Any]:
        if axis_size == 1:
            out = kernel(*jax.tree.map(lambda x, is_batched: x[0] if is_batched else x, args, tuple(batched)))
            return jax.tree.map(lambda x: x[None], out), jax.tree.map(lambda _: True, out)

        def to_back(x: jax.Array, is_batched: bool) -> jax.Array:
            return jnp.moveaxis(x, 0, -1) if is_batched else jnp.broadcast_to(x[..., None], (*jnp.shape(x), axis_size))

        out = kernel(*jax.tree.map(to_back, args, tuple(batched)))
        return jax.tree.map(lambda x: jnp.moveaxis(x, -1, 0), out), jax.tree.map(lambda _: True, out)

    return one


def held(planes: Sequence[jax.Array]) -> list[jax.Array]:
    """The same arrays, of one shape: for one board as rows of a single array in memory, for a batch untouched.

    On one board an array is a handful of words. XLA would recompute it for every element that reads it, and start a kernel for every
    array it does keep; as one array all of them take one kernel. On a batch the values are better off in registers.
    """
    if planes[0].ndim > 1:
        return list(planes)
    return list(jax.lax.optimization_barrier(jnp.stack(planes)))
