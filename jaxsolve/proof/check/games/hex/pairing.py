"""Pairs of cells that join the edges (FORMAT.md, "Zones in Hex")."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from jaxsolve.proof.check.errors import Refused, show
from jaxsolve.proof.check.games.hex.groups import Groups

if TYPE_CHECKING:
    from jaxsolve.proof.check.games.hex.rules import Hex, HexPosition


def paired(rules: Hex, position: HexPosition, player: int, pairs: Any) -> int:
    """Tests that ``player`` joins its edges if it gets one cell of each pair.

    All groups that touch both cells of a pair become connected, because ``player`` gets one of the
    two cells. Raises Refused if this does not join the edges, or if the pairs are not disjoint
    pairs of empty cells.

    Returns the mask of all cells of the pairs.
    """
    cells = _pairs(rules, pairs, rules.empty(position))
    groups = Groups(rules, position.stones[player], player)
    # For each group the cells that touch it, and a bit set of the edges in it (3: both).
    parts = [[near, (1, 2, 0)[min(i, 2)]] for i, near in enumerate(groups.near)]
    if groups.bodies[0] & groups.bodies[1]:
        parts[0][1] = 3
    merged = True
    while merged and all(edges != 3 for _, edges in parts):
        merged = False
        for one, other in cells:
            hang = [part for part in parts if part[0] & one and part[0] & other]
            for part in hang[1:]:
                merged = True
                hang[0][0] |= part[0]
                hang[0][1] |= part[1]
                parts.remove(part)
    if all(edges != 3 for _, edges in parts):
        raise Refused(f"the pairs do not join the edges of {rules.players[player]}")
    return sum(one | other for one, other in cells)


def _pairs(rules: Hex, pairs: Any, empty: int) -> list[tuple[int, int]]:
    """Parses the pairs. Raises Refused unless all cells are distinct and lie in ``empty``."""
    if not isinstance(pairs, list):
        raise Refused(f"the pairs are {show(pairs)}, not a list")
    found = []
    for pair in pairs:
        if not (
            isinstance(pair, list)
            and len(pair) == 2
            and all(isinstance(name, str) for name in pair)
        ):
            raise Refused(f"the pair {show(pair)} is not two cells")
        cells = [rules.grid.point(name) for name in pair]
        for name, bit in zip(pair, cells, strict=True):
            if not bit & empty:
                raise Refused(f"the cell {name} of a pair is taken, or stands in two pairs")
            empty ^= bit
        found.append((cells[0], cells[1]))
    return found
