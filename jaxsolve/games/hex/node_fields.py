"""The fields of a Hex certificate node that show connections and inferior cells (host side).

``proof/FORMAT.md`` defines the fields ``fill``, ``steps``, ``threats`` and ``instead``.
"""

from __future__ import annotations

import functools
from typing import TYPE_CHECKING, Any

import numpy as np

from jaxsolve.games.boards.board_text import hex_point
from jaxsolve.games.hex.connections import set_of
from jaxsolve.games.hex.derivation import FIRST_EDGE, SECOND_EDGE, Line, cells_of
from jaxsolve.games.hex.host_rows import LARGEST
from jaxsolve.games.hex.knowledge import (
    FILLS,
    KEY,
    REMOVED,
    WINNER,
    Knowledge,
    analysis_of,
    make_knowledge,
    verdict,
)

if TYPE_CHECKING:
    from jaxsolve.games.hex.game import Hex, HexState

STONES = "XO"
EDGES = (("top", "bottom"), ("left", "right"))


def node_fields(game: Hex, state: HexState, kind: str, player: int) -> dict[str, Any]:
    """Returns the fields of a node (``games.abilities.ShowsKnowledge``).

    Raises ValueError if the node is ``known`` but ``player`` is not found to win.
    """
    knowledge, cells = _knowledge_of(game.size), game.cells(state)
    analysis_of(game.size)(knowledge, _stones(cells), int(state.meta) & 1)
    names = [hex_point(cell, game.size) for cell in range(game.num_actions)]
    fields = _fills(knowledge, player, names)
    if kind == "or":
        return fields
    found = verdict(knowledge)
    steps, numbers = _steps(found.lines, player, names)
    if kind == "known":
        if found.winner != player:
            raise ValueError(f"the winner of {game.text(state)!r} is not known to be the claimant")
        return fields | ({"leaf": "vc", "steps": steps} if steps else {"leaf": "connection"})
    if found.threats:
        fields |= {"threats": [numbers[line] for line in found.threats], "steps": steps}
    return fields | _instead(knowledge, names)


def winning_move(game: Hex, state: HexState, move: int | None) -> int | None:
    """Returns a move after which the side to move wins (``games.abilities.ShowsKnowledge``).

    The proof plays ``move`` in X, the position with the fills. The move also wins in the position
    itself if it lies outside the regions of the winner's fills: they stay fills after it. Otherwise
    moves are tried until the position after one is known to be won.
    """
    knowledge, cells = _knowledge_of(game.size), game.cells(state)
    side, stones = int(state.meta) & 1, _stones(cells)
    analyse = analysis_of(game.size)
    analyse(knowledge, stones, side)
    empty = np.flatnonzero(cells.ravel() == 0).tolist()
    if move is None:
        move = int(knowledge.result[KEY])
        if move < 0:  # a full: the winner needs no first move, and a stone more does no harm
            return empty[0] if empty else None
    near = set()
    for i in range(int(knowledge.result[FILLS])):
        if knowledge.inferior.fill_colours[i] == side:
            near |= set(cells_of(knowledge.inferior.fill_regions[i]))
    if move not in near:
        return move
    for tried in sorted(empty, key=lambda cell: (cell != move, cell not in near)):
        after = cells.copy()
        after.flat[tried] = side + 1
        analyse(knowledge, _stones(after), 1 - side)
        if knowledge.result[WINNER] == side:
            return tried
    return None


def _stones(cells: np.ndarray) -> np.ndarray:
    return np.stack([set_of(cells == colour + 1) for colour in (0, 1)])


@functools.cache
def _knowledge_of(size: int) -> Knowledge:
    assert size <= LARGEST
    return make_knowledge(size)


def _joined(cells: list[int], names: list[str]) -> str:
    return ",".join(names[cell] for cell in cells)


def _fills(knowledge: Knowledge, player: int, names: list[str]) -> dict[str, Any]:
    """Returns the field ``fill``; empty without fills."""
    fills, inferior = [], knowledge.inferior
    for i in range(int(knowledge.result[FILLS])):
        colour, filled = int(inferior.fill_colours[i]), cells_of(inferior.fill_cells[i])
        entry = [STONES[colour], _joined(filled, names)]
        if colour == player:
            others = [c for c in cells_of(inferior.fill_regions[i]) if c not in filled]
            entry.append(_joined(others, names))
        fills.append(entry)
    return {"fill": fills} if fills else {}


def _instead(knowledge: Knowledge, names: list[str]) -> dict[str, Any]:
    """Returns the field ``instead``: each entry after that of its better reply, if it has one."""
    inferior, count = knowledge.inferior, int(knowledge.result[REMOVED])
    index = {int(inferior.removed[i]): i for i in range(count)}
    entries: dict[int, list[str]] = {}
    for start in index:
        chain = [start]
        while (better := int(inferior.better[index[chain[-1]]])) in index:
            chain.append(better)
        for cell in reversed(chain):
            if cell not in entries:
                i = index[cell]
                better = int(inferior.better[i])
                others = [
                    c for c in cells_of(inferior.removed_regions[i]) if c not in (cell, better)
                ]
                entries[cell] = [names[cell], names[better], _joined(others, names)]
    return {"instead": list(entries.values())} if entries else {}


def _steps(lines: list[Line], player: int, names: list[str]) -> tuple[list[list[Any]], list[int]]:
    """Returns the steps of a derivation, and the number of the step of each line (-1: base)."""
    steps: list[list[Any]] = []
    numbers: list[int] = []

    def named(end: int) -> str:
        if end in (FIRST_EDGE, SECOND_EDGE):
            return EDGES[player][0 if end == FIRST_EDGE else 1]
        return names[end]

    for line in lines:
        if line.rule == "base":
            numbers.append(-1)
            continue
        if line.rule == "or":
            step: list[Any] = [numbers[part] for part in line.parts]
        else:
            assert line.key is not None
            step = [
                numbers[part] if numbers[part] >= 0 else named(_other(lines[part].ends, line.key))
                for part in line.parts
            ]
            step.append(named(line.key))
        numbers.append(len(steps))
        steps.append(step)
    return steps, numbers


def _other(ends: tuple[int, int], key: int) -> int:
    """Returns the endpoint that is not ``key``."""
    return ends[0] if ends[1] == key else ends[1]
