"""Warm-up: compiles the host loops that every search needs, or reads them from the cache.

Host loops that few searches need are compiled at their first use: eviction, records of other
searches, and the frontier search (``pns.graph``). Together they take a fifth of the compilation
time of the other loops. No compilation counts as search time.
"""

from __future__ import annotations

import functools

import numpy as np

from jaxsolve.evaluate import Evaluator, Layout
from jaxsolve.games.game import Game
from jaxsolve.games.host_rows import HostRows, no_host_rows
from jaxsolve.search.methods import Method, Workspace
from jaxsolve.search.methods.pns.graph import level_order
from jaxsolve.search.tree import expansion
from jaxsolve.search.tree.claim_codes import ClaimCodes
from jaxsolve.search.tree.paths import new_log, new_paths
from jaxsolve.search.tree.tree import new_tree, roomier


def host_rows_for(method: Method, evaluator: Evaluator, wave: int | None) -> HostRows | None:
    """Returns the row callback for a search on the host, or None for a search with waves.

    ``wave`` is the wave size that the user has chosen, or None. Such a choice implies a search with
    waves.
    """
    return evaluator.host_rows() if wave is None and method.runs_on_host else None


def warm_up_search(
    method: Method, game: Game, evaluator: Evaluator, wave: int | None = None
) -> None:
    """Compiles a method's host loops and the game's zone and threat functions."""
    hosted = host_rows_for(method, evaluator, wave) is not None
    warm_up(method, game.may_repeat, evaluator.layout.zoned, hosted)
    evaluator.threat_search()
    evaluator.zoning()
    if evaluator.has_knowledge or evaluator.host_rows() is not None:
        evaluator.submit(game.host_pack(game.init())[None], np.full(1, -1, np.int32))


@functools.cache
def warm_up(
    method: Method, may_repeat: bool = True, zoned: bool = True, hosted: bool = False
) -> None:
    """Compiles a method's host loops by running them on an empty tree.

    Args:
      method: method to compile.
      may_repeat: whether positions can repeat in the game.
      zoned: whether the evaluator's rows hold the zones of detected wins (``evaluate.layout``).
      hosted: whether the method will ``run`` on the host.
    """
    tree, paths, log = (
        new_tree(1 << 16, 1, None, method.extra_words, nodes=8, stamped=method.stamps_nodes),
        new_paths(1, 4),
        new_log(16, 1, 0, 1),
    )
    offsets = Layout(1, 1, False, False, zoned).offsets
    claim = ClaimCodes(0, np.zeros(5, np.int8), may_repeat, False)
    order, row = np.zeros((2, 1), np.int32), np.zeros((1, offsets.width), np.uint32)
    row.flags.writeable = False
    work = Workspace(tree, paths, claim, offsets, order, log, np.zeros(2, np.int64))
    expansion.place(tree, row[0], 0, offsets, order, work.tallies)
    tree.nodes[0]["pins"] = 1
    method.warm_up(work, no_host_rows() if hosted else None)
    found = np.zeros(1, np.int64)
    expansion.fresh_rows(tree, row, 0, offsets, found)
    level_order(tree, may_repeat)
    roomier(tree, 1 << 10)
