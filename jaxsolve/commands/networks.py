"""``jaxsolve import-weights``, and the network that ``--network`` names."""

from __future__ import annotations

import dataclasses
import hashlib
from pathlib import Path
from typing import TYPE_CHECKING, Any

from jaxsolve.commands import failure, streams

if TYPE_CHECKING:
    from jaxsolve.networks import Guide, Heads


def guide(file: Path, rotations: int) -> Guide:
    """What searches take for ``--network`` and ``--rotations``. Raises ValueError or OSError for a file that holds no network."""
    from jaxsolve.networks import Guide, Network  # with JAX, which the words that need no network do without

    return Guide(Network.load(file), averaged=rotations > 1)


def import_weights(weights: Path, like: str, out: Path, as_json: bool) -> int:
    """Writes the network that the weights make; 0."""
    from jaxsolve.formats import weights as published

    with failure.sentences(as_json):
        network = published.import_weights(weights, like)
        network.save(out)
    shape = network.architecture
    heads = " and ".join(name for name in ("value", "cost", "within") if getattr(shape, name) is not None)
    if as_json:
        streams.say_json({"network": str(out), "name": network.name, "game": network.game, "architecture": shape.to_json()})
    else:
        print(f"{out}: {network.name}, for {network.game}, {shape.blocks} blocks of {shape.channels} channels, policy and {heads}")
    return 0


def identity(heads: Heads | Guide | None) -> dict[str, Any] | None:
    """What tells networks apart in a run's folder: what they compute, a digest of the parameters, and how they are asked."""
    if heads is None:
        return None
    import jax
    import numpy as np

    from jaxsolve.networks import Guide

    leaves, structure = jax.tree.flatten(heads.network.params if isinstance(heads, Guide) else heads.params)
    digest = hashlib.sha256(str(structure).encode())
    for leaf in map(np.asarray, jax.device_get(leaves)):
        digest.update(f"{leaf.dtype}{leaf.shape}".encode() + leaf.tobytes())
    if isinstance(heads, Guide):
        network, how = heads.network, {"averaged": heads.averaged, "dtype": heads.dtype}
        return {"network": network.name, "architecture": network.architecture.to_json(), "params": digest.hexdigest(), **how}
    apply = heads.apply if hasattr(heads.apply, "__qualname__") else type(heads.apply)  # a repr may hold an address, which no other run has
    planes = None if heads.planes is None else repr(heads.planes) if dataclasses.is_dataclass(heads.planes) else type(heads.planes).__qualname__
    return {"apply": f"{apply.__module__}.{apply.__qualname__}", "params": digest.hexdigest(), "planes": planes}
