"""Weights of the network as messages: a line of JSON, then the numbers. Nothing is unpickled.

The numbers are float32, little-endian: all arrays of the parameters one after the other, in the
order of ``jax.tree.leaves``. Shapes are those of the receiver's own network. So a message of
another network, or a damaged one, is refused.
"""

from __future__ import annotations

import hashlib
from dataclasses import dataclass
from typing import Any

import jax
import numpy as np

from jaxsolve.cluster.messages import joined, split
from jaxsolve.core.strict_json import shortened

MOST_VERSIONS = 1 << 31  # versions have lower numbers


@dataclass(frozen=True)
class Weights:
    """The weights of a version."""

    version: int  # from 1 on
    rules: str  # rule-set id of the positions that they evaluate
    data: bytes  # float32, little-endian, as the module describes

    @classmethod
    def of(cls, version: int, rules: str, params: Any) -> Weights:
        """Returns the message of parameters, a pytree of float32 arrays."""
        arrays = (np.ascontiguousarray(leaf, "<f4") for leaf in jax.tree.leaves(params))
        return cls(version, rules, b"".join(each.tobytes() for each in arrays))

    def encode(self, **more: Any) -> bytes:
        """Returns a line of JSON, with the JSON values ``more``, and the numbers."""
        digest = hashlib.sha256(self.data).hexdigest()
        head = {"version": self.version, "rules": self.rules, "sha256": digest, **more}
        return joined(head, self.data)

    @classmethod
    def decode(cls, message: bytes) -> tuple[Weights, dict[str, Any]]:
        """Returns the weights of a message, and the line of JSON.

        Raises ValueError if it is no message of weights, or if its numbers are damaged.
        """
        head, data = split(message)
        version, rules = head.get("version"), head.get("rules")
        if type(version) is not int or not 1 <= version < MOST_VERSIONS:
            raise ValueError(f"version of the weights is {shortened(repr(version))}")
        if not isinstance(rules, str):
            raise ValueError("the weights are of no game")
        if head.get("sha256") != hashlib.sha256(data).hexdigest():
            raise ValueError(f"the weights of version {version} are damaged")
        return cls(version, rules, data), head

    def params(self, like: Any) -> Any:
        """Returns the weights as a pytree of float32 arrays with the shapes of ``like``.

        Raises ValueError for another number of weights, and for numbers that are not finite.
        """
        leaves, structure = jax.tree.flatten(like)
        sizes = [int(np.prod(np.shape(leaf))) for leaf in leaves]
        if len(self.data) != 4 * sum(sizes):
            raise ValueError(f"{len(self.data)} bytes of weights; the network has {4 * sum(sizes)}")
        numbers = np.frombuffer(self.data, "<f4").astype(np.float32)
        if not np.isfinite(numbers).all():
            raise ValueError(f"weights of version {self.version} are not finite")
        parts = np.split(numbers, np.cumsum(sizes)[:-1])
        arrays = [part.reshape(np.shape(leaf)) for part, leaf in zip(parts, leaves, strict=True)]
        return jax.tree.unflatten(structure, arrays)


class WorkerWeights:
    """The latest weights for workers, and which workers have them."""

    def __init__(self) -> None:
        self.version = 0  # 0: workers use the weights that they began with
        self._message = b""
        self._received: dict[str, int] = {}  # worker -> version

    def renew(self, weights: Weights) -> None:
        """Replaces the weights by a later version."""
        self.version, self._message = weights.version, weights.encode()

    def take(self, worker: str) -> bytes | None:
        """Returns the latest weights (``Weights.encode``) if a worker lacks them, else None."""
        if self._received.get(worker, 0) == self.version:
            return None
        self._received[worker] = self.version
        return self._message

    def forget(self, worker: str) -> None:
        """Drops what is known of a worker that has ended."""
        self._received.pop(worker, None)
