"""Neural networks: architectures, forward passes and files.

Importing this package does not need flax. A network for use is a pytree of plain arrays, with its
normalisation folded in.
"""

from __future__ import annotations

from jaxsolve.networks.architecture import Architecture, Cost, Policy, Value, View, Within
from jaxsolve.networks.forward import Forward, Outputs
from jaxsolve.networks.heads import GamePlanes, HeadOutputs, Heads, History, Planes
from jaxsolve.networks.model import Interface, Model
from jaxsolve.networks.network import Guide, Network
from jaxsolve.networks.rotated import Rotated

__all__ = [
    "Architecture",
    "Cost",
    "Forward",
    "GamePlanes",
    "Guide",
    "HeadOutputs",
    "Heads",
    "History",
    "Interface",
    "Model",
    "Network",
    "Outputs",
    "Planes",
    "Policy",
    "Rotated",
    "Value",
    "View",
    "Within",
]
