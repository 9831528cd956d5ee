"""``Workspace``: all arrays of one search, passed to compiled code as a single argument."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from jaxsolve.evaluate import Offsets
from jaxsolve.search.tree.claim_codes import ClaimCodes
from jaxsolve.search.tree.paths import Log, Paths
from jaxsolve.search.tree.tree import Tree


class Workspace(NamedTuple):
    """All arrays of one search.

    Selecting or absorbing a wave changes the contents of the arrays but replaces no array.
    """

    tree: Tree
    paths: Paths
    claim: ClaimCodes
    offsets: Offsets  # positions of the fields in an evaluator row
    order: np.ndarray  # int32[2, A]: for each mover, all actions in the order for new nodes
    log: Log  # decisions; the search empties it between calls of compiled code
    tallies: np.ndarray  # int64[2]: positions expanded and evaluated
