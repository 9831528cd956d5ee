"""Inferior cells of Hex: fills and replies left out, each proved by the local order (FORMAT.md)."""

from __future__ import annotations

from collections.abc import Collection
from typing import TYPE_CHECKING, Any

from jaxsolve.proof.check.errors import Refused, show
from jaxsolve.proof.check.games.hex.groups import Groups
from jaxsolve.proof.check.games.hex.local_order import (
    MOST_CELLS,
    Content,
    Side,
    Work,
    at_most,
)
from jaxsolve.proof.check.grid import STONES, bits

if TYPE_CHECKING:
    from jaxsolve.proof.check.games.hex.rules import Hex, HexPosition


def filled(
    rules: Hex, position: HexPosition, claimant: int, fills: Any, work: Work
) -> tuple[HexPosition, int]:
    """Returns the position after the ``fills`` of a node, and the mask of all their regions.

    Raises Refused if a fill does not hold, or if the comparisons take too much ``work``.
    """
    if not isinstance(fills, list) or not fills:
        raise Refused(f"the fills are {show(fills)}, not a list of one or more")
    work.begin_list()
    zone = 0
    for fill in fills:
        stone, names, *others = _texts("fill", fill, (2, 3))
        if stone not in STONES or len(stone) != 1:
            raise Refused(f"a fill has the stone {show(stone)}, not X or O")
        player, empty = STONES.index(stone), rules.empty(position)
        if (player == claimant) != bool(others):
            raise Refused("a fill has a region if and only if its stone is the claimant's")
        cells = _cells(rules, names, empty)
        if not cells:
            raise Refused("a fill has no cell")
        if others:
            region = cells | _cells(rules, others[0], empty & ~cells)
            _compare(rules, position, claimant, region, ((cells, 0), (0, 0)), work)
            zone |= region
        position = rules.filled(position, player, cells)
    return position, zone


def left_out(
    rules: Hex,
    position: HexPosition,
    claimant: int,
    entries: Any,
    left: Collection[str],
    work: Work,
) -> tuple[set[str], int]:
    """Returns the replies of ``left`` that ``entries`` do not leave out, and their regions' mask.

    ``left`` are the replies without an answer. Raises Refused if an entry does not hold, or if the
    comparisons take too much ``work``.
    """
    if not isinstance(entries, list):
        raise Refused(f"the replies left out are {show(entries)}, not a list")
    work.begin_list()
    still, zone, seen, empty = set(left), 0, set(), rules.empty(position)
    for entry in entries:
        reply, instead, others = _texts("reply left out", entry, (3,))
        if reply in seen:
            raise Refused(f"the reply {show(reply)} is left out twice")
        seen.add(reply)
        bit = _cells(rules, reply, empty)
        other = _cells(rules, instead, empty & ~bit)
        if bit.bit_count() != 1 or other.bit_count() != 1:
            raise Refused(f"{show(reply)} and {show(instead)} are not two replies")
        if instead in still:
            raise Refused(f"{reply} is left out because of {instead}, which has no answer yet")
        region = bit | other | _cells(rules, others, empty & ~(bit | other))
        _compare(rules, position, claimant, region, ((0, other), (0, bit)), work)
        still.discard(reply)
        zone |= region
    return still, zone


def _compare(
    rules: Hex,
    position: HexPosition,
    claimant: int,
    region: int,
    contents: tuple[tuple[int, int], tuple[int, int]],
    work: Work,
) -> None:
    """Tests that the first content of the region is at most as good as the second.

    Raises Refused if the local order does not prove it, or if the comparisons of the file take too
    much ``work``. A content is the masks of the stones of the claimant and of the opponent in the
    region.
    """
    cells = list(bits(region))
    if len(cells) > MOST_CELLS:
        raise Refused(f"a region has {len(cells)} cells, and at most {MOST_CELLS} are compared")
    near = tuple(_numbers(cells, rules.near(cell)) for cell in cells)
    sides = [
        _side(rules, Groups(rules, position.stones[player], player), cells, position)
        for player in (claimant, 1 - claimant)
    ]
    worse, better = (Content(_numbers(cells, a), _numbers(cells, b)) for a, b in contents)
    found, pairs = at_most(near, *sides, worse, better)
    if not work.take(pairs):
        raise Refused("the local order takes more pairs of contents than FORMAT.md allows a file")
    if not found:
        names = ",".join(rules.grid.names[cell] for cell in cells)
        why = "takes too much work" if found is None else "does not prove it"
        raise Refused(f"the local order on the region {names} {why}")


def _side(rules: Hex, groups: Groups, cells: list[int], position: HexPosition) -> Side:
    """Returns the surroundings of a region for the side with ``groups``."""
    unknown = rules.empty(position) & ~sum(cells)
    numbers: dict[int, int] = {}  # end -> number of its terminal; a group's end is negative

    def terminals(cell: int) -> int:
        ends = [~i for i, near in enumerate(groups.near) if near & cell]
        ends += bits(rules.near(cell) & unknown)
        return sum(1 << numbers.setdefault(end, len(numbers)) for end in ends)

    found = tuple(terminals(cell) for cell in cells)
    touching = sum(
        1 << i * len(numbers) + j
        for one, i in numbers.items()
        for other, j in numbers.items()
        if groups.touch(one, other)
    )
    known = sum(1 << number for end, number in numbers.items() if end < 0)
    return Side(found, known, touching)


def _numbers(cells: list[int], mask: int) -> int:
    """Returns the mask of the numbers of those ``cells`` that ``mask`` contains."""
    return sum(1 << i for i, cell in enumerate(cells) if cell & mask)


def _texts(what: str, entry: Any, lengths: tuple[int, ...]) -> list[str]:
    if (
        isinstance(entry, list)
        and len(entry) in lengths
        and all(isinstance(text, str) for text in entry)
    ):
        return entry
    raise Refused(f"a {what} is {show(entry)}, not {' or '.join(map(str, lengths))} texts")


def _cells(rules: Hex, names: str, empty: int) -> int:
    """Returns the mask of a list of different cells of ``empty``, joined by commas."""
    mask = 0
    for name in names.split(",") if names else ():
        bit = rules.grid.point(name)
        if not bit & empty & ~mask:
            raise Refused(f"the cell {name} is taken, or named twice")
        mask |= bit
    return mask
