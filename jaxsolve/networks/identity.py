"""The identity of a network in the description of a run."""

from __future__ import annotations

import dataclasses
import hashlib
from typing import TYPE_CHECKING, Any

import jax
import numpy as np

from jaxsolve.networks import shipped
from jaxsolve.networks.network import Guide

if TYPE_CHECKING:
    from jaxsolve.networks.heads import Heads


def identity(heads: Heads | Guide | shipped.AutoGuide | None) -> dict[str, Any] | None:
    """Returns plain JSON values that identify a network.

    The values describe the function, the digest of the parameters, and the evaluation settings.
    Returns None if ``heads`` is None.
    """
    if heads is None:
        return None
    if isinstance(heads, shipped.AutoGuide):
        files = {
            name: hashlib.sha256(file.read_bytes()).hexdigest()
            for name, file in shipped.shipped().items()
        }
        return {
            "network": shipped.AUTO,
            "files": files,
            "averaged": heads.averaged,
            "dtype": heads.dtype,
        }
    params = digest_of(heads.network.params if isinstance(heads, Guide) else heads.params)
    if isinstance(heads, Guide):
        network, how = heads.network, {"averaged": heads.averaged, "dtype": heads.dtype}
        return {
            "network": network.name,
            "architecture": network.architecture.to_json(),
            "params": params,
            **how,
        }
    # ``repr`` is not used here: it can contain an address, which differs between runs.
    apply = heads.apply if hasattr(heads.apply, "__qualname__") else type(heads.apply)
    planes = (
        None
        if heads.planes is None
        else repr(heads.planes)
        if dataclasses.is_dataclass(heads.planes)
        else type(heads.planes).__qualname__
    )
    return {"apply": f"{apply.__module__}.{apply.__qualname__}", "params": params, "planes": planes}


def digest_of(params: Any) -> str:
    """Returns the SHA-256 of parameters: of their structure, types, shapes and values."""
    leaves, structure = jax.tree.flatten(params)
    digest = hashlib.sha256(str(structure).encode())
    for leaf in map(np.asarray, jax.device_get(leaves)):
        digest.update(f"{leaf.dtype}{leaf.shape}".encode() + leaf.tobytes())
    return digest.hexdigest()
