"""Progress of a search: number of positions, numbers of the root, and the best line."""

from __future__ import annotations

from typing import TYPE_CHECKING

from jaxsolve.search.result import Progress
from jaxsolve.search.tree.tree import ACTION, NODES

if TYPE_CHECKING:
    from jaxsolve.search.run.search import Search

SHOWN_MOVES = 12  # moves of the best line in a progress report


def snapshot(search: Search, wall_seconds: float) -> Progress:
    """Returns the progress of ``search``, which has run for ``wall_seconds``."""
    report = Progress(search.expanded, search.evaluated, line=[], wall_seconds=wall_seconds)
    if search.tree.counters[NODES]:
        report.proof_number, report.disproof_number = search.method.numbers(search.tree)
        report.line = best_line(search, SHOWN_MOVES)
    return report


def best_line(search: Search, most: int = 64) -> list[str]:
    """Returns the first moves of the best line from the root as texts, at most ``most``."""
    line: list[str] = []
    tree, node = search.tree, 0
    while tree.counters[NODES] and len(line) < most and node >= 0 and tree.nodes[node]["visited"]:
        edge = tree.edges[tree.nodes[node]["edges"] + search.method.best_edge(tree, node)]
        state = search.game.unpack(tree.states[node])
        line.append(search.game.action_text(int(edge["action"]) & ACTION, state))
        node = int(edge["child"])
    return line
