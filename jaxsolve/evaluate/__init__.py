"""Batched evaluation of positions: the interface between the search on the host and the device."""

from __future__ import annotations

from jaxsolve.evaluate.calls import BATCH_SIZES, ESTIMATE_SIZES, Estimates
from jaxsolve.evaluate.evaluator import Evaluator, zoning_of
from jaxsolve.evaluate.layout import NONE, Layout, Offsets
from jaxsolve.evaluate.rows import canonical_image
from jaxsolve.evaluate.shared import shared_evaluator
from jaxsolve.evaluate.to_move import sides_to_move
from jaxsolve.networks.heads import GamePlanes, HeadOutputs, Heads, History, Planes

__all__ = [
    "BATCH_SIZES",
    "ESTIMATE_SIZES",
    "NONE",
    "Estimates",
    "Evaluator",
    "GamePlanes",
    "HeadOutputs",
    "Heads",
    "History",
    "Layout",
    "Offsets",
    "Planes",
    "canonical_image",
    "shared_evaluator",
    "sides_to_move",
    "zoning_of",
]
