"""How a kernel written for words-first sets runs well both on one board and on a batch."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import jax
import jax.numpy as jnp
from jax.custom_batching import custom_vmap


def batch_last(kernel: Callable[..., Any]) -> Callable[..., Any]:
    """``kernel`` as a function of one board that ``jax.vmap`` runs with the batch as the LAST axis of every array.

    ``kernel`` must accept extra trailing dimensions in all its arguments (pytrees of arrays) and return them in all its
    results. Words of a set are few; with the batch last it is the batch that fills the vector lanes.
    """

    @custom_vmap
    def one(*args: Any) -> Any:
        return kernel(*args)

    @one.def_vmap
    def _(axis_size: int, batched: Any, *args: Any) -> tuple[Any, Any]:
        def to_back(x: jax.Array, is_batched: bool) -> jax.Array:
            return jnp.moveaxis(x, 0, -1) if is_batched else jnp.broadcast_to(x[..., None], (*jnp.shape(x), axis_size))

        out = kernel(*jax.tree.map(to_back, args, tuple(batched)))
        return jax.tree.map(lambda x: jnp.moveaxis(x, -1, 0), out), jax.tree.map(lambda _: True, out)

    return one
