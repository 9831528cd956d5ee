"""``Workspace``: all arrays of one search, passed to compiled code as one argument."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from jaxsolve.evaluate import Offsets
from jaxsolve.search.tree.claim_codes import ClaimCodes
from jaxsolve.search.tree.paths import Log, Paths
from jaxsolve.search.tree.tree import Tree


class Workspace(NamedTuple):
    """The arrays of one search. While a wave is selected or absorbed only their contents change."""

    tree: Tree
    paths: Paths
    claim: ClaimCodes
    offsets: Offsets  # of the fields of an evaluator row
    order: np.ndarray  # int32[2, A]: for either mover, actions in the order of a node's list
    log: Log  # decisions; the search empties it between calls
    tallies: np.ndarray  # int64[2]: positions expanded and evaluated
