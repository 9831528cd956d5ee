"""Replay buffer: the latest examples, in a ring buffer on the device."""

from __future__ import annotations

from typing import NamedTuple

import jax
import jax.numpy as jnp

from jaxsolve.train.self_play import Examples


class Replay(NamedTuple):
    """A ring buffer of C examples. New examples overwrite the oldest."""

    kept: Examples  # C examples
    # int32[]: total number of added examples, modulo a multiple of C. The next example is stored at
    # index ``added % C``.
    added: jax.Array
    size: jax.Array  # int32[]: number of examples in the buffer

    @classmethod
    def empty(cls, like: Examples, capacity: int) -> Replay:
        """Returns an empty buffer for ``capacity`` examples with the shapes and dtypes of ``like``.

        Raises ValueError if ``capacity`` is below 1.
        """
        if capacity < 1:
            raise ValueError(f"a replay of {capacity} examples is empty: give at least 1")
        kept = jax.tree.map(lambda x: jnp.zeros((capacity, *x.shape[1:]), x.dtype), like)
        return cls(kept, jnp.int32(0), jnp.int32(0))

    @property
    def capacity(self) -> int:
        return self.kept.mover.shape[0]

    def add(self, examples: Examples, wanted: jax.Array) -> Replay:
        """Returns the buffer with the examples added, in order, where ``wanted`` is True.

        ``wanted`` is bool[N] for N examples. Raises ValueError if N exceeds the capacity.
        """
        count, capacity = wanted.shape[0], self.capacity
        if count > capacity:
            raise ValueError(f"{count} examples at a time do not fit into a replay of {capacity}")
        number = jnp.cumsum(wanted, dtype=jnp.int32)
        places = jnp.where(
            wanted, (self.added + number - 1) % capacity, capacity
        )  # an unwanted example gets the index ``capacity``, out of bounds, so it is dropped
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
        """Returns ``count`` examples, drawn uniformly with replacement.

        For an empty buffer the result is zeros.
        """
        places = jax.random.randint(key, (count,), 0, jnp.maximum(self.size, 1), jnp.int32)
        return jax.tree.map(lambda x: x[places], self.kept)

    def replace_last(self, key: jax.Array, batch: Examples, count: int) -> Examples:
        """Returns a batch with its last ``count`` examples replaced by samples of this buffer.

        If the buffer is empty, the batch is returned unchanged.
        """
        found, filled = self.sample(key, count), self.size > 0
        return jax.tree.map(
            lambda old, new: old.at[-count:].set(jnp.where(filled, new, old[-count:])),
            batch,
            found,
        )
