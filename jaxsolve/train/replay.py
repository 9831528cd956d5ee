"""Replay buffer: the latest examples, in a ring on the device."""

from __future__ import annotations

from typing import NamedTuple

import jax
import jax.numpy as jnp

from jaxsolve.train.self_play import Examples


class Replay(NamedTuple):
    """A buffer of C examples; new ones overwrite the oldest."""

    kept: Examples  # of C
    # int32[]: examples ever added, modulo a multiple of C: the next goes to ``added % C``
    added: jax.Array
    size: jax.Array  # int32[]: examples held

    @classmethod
    def empty(cls, like: Examples, capacity: int) -> Replay:
        """An empty buffer of ``capacity`` examples shaped like ``like``.

        Raises ValueError below 1.
        """
        if capacity < 1:
            raise ValueError(f"a replay of {capacity} examples is empty: give at least 1")
        kept = jax.tree.map(lambda x: jnp.zeros((capacity, *x.shape[1:]), x.dtype), like)
        return cls(kept, jnp.int32(0), jnp.int32(0))

    @property
    def capacity(self) -> int:
        return self.kept.mover.shape[0]

    def add(self, examples: Examples, wanted: jax.Array) -> Replay:
        """With those of N <= C examples that are ``wanted``, bool[N], added in order.

        Raises ValueError for more examples than the capacity.
        """
        count, capacity = wanted.shape[0], self.capacity
        if count > capacity:
            raise ValueError(f"{count} examples at a time do not fit into a replay of {capacity}")
        number = jnp.cumsum(wanted, dtype=jnp.int32)
        places = jnp.where(
            wanted, (self.added + number - 1) % capacity, capacity
        )  # one place too far: dropped
        kept = jax.tree.map(
            lambda old, new: old.at[places].set(new.astype(old.dtype), mode="drop"),
            self.kept,
            examples,
        )
        return Replay(
            kept,
            (self.added + number[-1]) % (capacity * (2**30 // capacity)),
            jnp.minimum(self.size + number[-1], capacity),
        )

    def sample(self, key: jax.Array, count: int) -> Examples:
        """``count`` examples, drawn uniformly with replacement; zeros from an empty buffer."""
        places = jax.random.randint(key, (count,), 0, jnp.maximum(self.size, 1), jnp.int32)
        return jax.tree.map(lambda x: x[places], self.kept)
