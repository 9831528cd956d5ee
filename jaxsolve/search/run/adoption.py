"""Adoption: positions decided elsewhere enter the tree of a search."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from jaxsolve.search.tree.expansion import enter_decided
from jaxsolve.search.tree.tree import FULL, KEEP
from jaxsolve.search.tree.zones import enter_patterns

if TYPE_CHECKING:
    from jaxsolve.search.run.search import Search

BATCH = 256  # positions in one call of the evaluator
MAX_NODES = 1 << 14  # nodes made of initial records; the others enter as patterns only


def adopt(
    search: Search,
    states: np.ndarray,
    moves: np.ndarray,
    zones: np.ndarray,
    *,
    known: bool,
    propagate: bool = True,
) -> None:
    """Enters decided positions, at any time.

    Args:
      states: uint32[n, S], children before parents.
      moves: int32[n], as a proof log holds them.
      zones: uint32[n, Z].
      known: whether the search's sink has the records already; else they are sent to it.
      propagate: whether to propagate the decisions at once (else ``Search.propagate``).

    Raises:
      MemoryFull: not even the paths in progress fit.
    """
    if search.verdict is not None or not len(states):
        return
    if not known:
        search.sink(states, moves, zones)
    if not search.tree.counters[FULL] or search.eviction.helped(search.expanded):
        # Only once: a position that does not fit is left out, and its record stays in the log.
        search.make_space()
    tallies = np.zeros_like(search.work.tallies)  # the search that decided them has counted them
    for at in range(0, len(states), BATCH):
        part = slice(at, at + BATCH)
        search.grow_table(BATCH)
        rows = _rows(search, np.ascontiguousarray(states[part]))
        # Copies: arrays of a log may be read-only, a type for which nothing is compiled.
        decided = np.array(moves[part]), np.array(zones[part])
        enter_decided(search.work._replace(tallies=tallies), rows, *decided)
    if propagate:
        search.propagate()


def adopt_patterns(
    search: Search, states: np.ndarray, moves: np.ndarray, zones: np.ndarray
) -> None:
    """As ``adopt``, before the first wave, for records that the sink has already.

    They become patterns. Only those that cannot be patterns get nodes of their own.
    """
    if not len(states) or search.verdict is not None:
        return
    # Copies: neither read-only nor views of rows.
    states, moves, zones = (np.array(each) for each in (states, moves, zones))
    left = np.zeros(len(states), np.bool_)
    enter_patterns(search.tree, states, moves, zones, left)
    newest = np.flatnonzero(left)[-min(MAX_NODES, search.capacity // 2) :]
    adopt(search, states[newest], moves[newest], zones[newest], known=True)


def _rows(search: Search, states: np.ndarray) -> np.ndarray:
    """Evaluator rows of the states.

    The network's estimates are included only if a later claim may reopen the positions.
    """
    actions, evaluator = np.full(len(states), -1, np.int32), search.evaluator
    if search.tree.counters[KEEP]:
        return evaluator(states, actions, search.seed)
    return evaluator.collect(evaluator.submit(states, actions, search.seed), len(states))
