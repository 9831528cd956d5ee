"""Adoption: adds positions that other searches have decided to the tree of a search."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from jaxsolve.games.zones import is_cover
from jaxsolve.search.tree.expansion import enter_decided
from jaxsolve.search.tree.pattern_use import enter_patterns
from jaxsolve.search.tree.tree import FULL, KEEP

if TYPE_CHECKING:
    from jaxsolve.search.run.search import Search

BATCH = 256  # positions in one call of the evaluator
MAX_NODES = 1 << 14  # most nodes that ``adopt_patterns`` adds


def adopt(
    search: Search,
    states: np.ndarray,
    moves: np.ndarray,
    zones: np.ndarray,
    *,
    known: bool,
    propagate: bool = True,
    most: int | None = None,
) -> None:
    """Adds decided positions to the tree of a search, at any time while it runs.

    Does nothing if the search has a verdict.

    Args:
      search: search that receives the positions.
      states: uint32[n, S], packed positions, children before parents.
      moves: int32[n], deciding moves (``tree.paths.Log.moves``).
      zones: uint32[n, Z], zones of the results.
      known: whether the search's sink has the records already. If not, they are sent to it.
      propagate: whether to propagate the decisions at once. If not, call ``Search.propagate``
        afterwards.
      most: most positions that enter the tree, the last ones; None: all.

    Raises:
      MemoryFull: the memory cannot hold even the paths in progress.
    """
    if search.verdict is not None or not len(states):
        return
    if not known:
        search.sink(states, moves, zones)
    if most is not None:
        states, moves, zones = states[-most:], moves[-most:], zones[-most:]
    if not search.tree.counters[FULL] or search.eviction.helped(search.expanded):
        # Memory is freed only once. A position that does not fit is left out, and its record stays
        # in the log.
        search.make_space()
    # Positions are not counted: the search that has decided them has counted them.
    tallies = np.zeros_like(search.work.tallies)
    for at in range(0, len(states), BATCH):
        part = slice(at, at + BATCH)
        search.grow_table(BATCH)
        rows = _rows(search, np.ascontiguousarray(states[part]))
        # Copies, since arrays of a log may be read-only, and the code is not compiled for those.
        decided = np.array(moves[part]), np.array(zones[part])
        enter_decided(search.work._replace(tallies=tallies), rows, *decided)
    if propagate:
        search.propagate()


def adopt_patterns(
    search: Search, states: np.ndarray, moves: np.ndarray, zones: np.ndarray
) -> None:
    """Adds decided positions to the pattern table of a search, before its first wave.

    The search's sink must have the records already. Positions that give no pattern are added as
    nodes instead; if there are too many, only the latest. The arguments are those of ``adopt``.
    """
    if not len(states) or search.verdict is not None:
        return
    # Copies, since the code is not compiled for read-only arrays or views of rows.
    states, moves, zones = (np.array(each) for each in (states, moves, zones))
    left = ~is_cover(moves)
    if search.tree.zoning.planes[0]:  # else the game has no patterns, and no callback for them
        left[:] = False
        enter_patterns(search.tree, states, moves, zones, left)
    newest = np.flatnonzero(left)[-min(MAX_NODES, search.capacity // 2) :]
    adopt(search, states[newest], moves[newest], zones[newest], known=True)


def _rows(search: Search, states: np.ndarray) -> np.ndarray:
    """Returns the evaluator's rows of packed positions, uint32[n, width].

    The network evaluates them only if a later claim may make them undecided again.
    """
    actions, evaluator = np.full(len(states), -1, np.int32), search.evaluator
    if search.tree.counters[KEEP]:
        return evaluator(states, actions, search.seed)
    return evaluator.collect(evaluator.submit(states, actions, search.seed), len(states))
