"""The nodes of a proof graph in flat arrays: each a row of words, numbered in the order it came, found again by its words."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numba import njit

from jaxsolve.proof.errors import ProofTooLarge
from jaxsolve.proof.recent import hashed

FIRST_SLOTS = 1 << 10


class Lists(NamedTuple):
    """Lists of different lengths, one for each node, written once: ``values[first[node] : first[node] + count[node]]``."""

    first: np.ndarray  # int64[N]
    count: np.ndarray  # int32[N]
    values: list[np.ndarray]  # of equal length
