"""Proposes the groups of a board whose life is in question.

Sets of points are bit masks of ``jaxsolve.proof.check.grid.Grid``, plain integers.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from jaxsolve.proof.check.games.go import life
from jaxsolve.tsumego.regions import Board, covers_half_of_board, enclosed

SUBSTANTIAL = 3  # groups of at least so many stones are proposed before smaller groups
SMALL = 20  # most empty points of a part of the board that counts as cut off
ROOMY = 10  # least size of an eye, without stones of the other side, that makes a group safe


class Group(NamedTuple):
    """Stones of one side that are assumed to live or die together."""

    player: int
    stones: int  # mask
    # Mask. Of a cut-off group: the part of the board that the other side cuts off. Of another
    # group: its stones and the empty points nearer to its side.
    area: int
    cut_off: bool


def proposals(board: Board) -> list[Group]:
    """Returns the groups that may be in question, the most probable first.

    There are two kinds of groups. A *cut-off* group consists of the stones of one side in a small
    part of the board that the other side cuts off (at most ``SMALL`` empty points and half of the
    board). Elsewhere, a group consists of stones that are joined by points nearer to them than to
    the other side (``_nearest``).

    Groups that are unconditionally alive are excluded, and groups that have an eye of ``ROOMY``
    points, unless there are no others. So are groups inside the region of a larger cut-off group of
    the other side. Of the remaining groups, those with at least ``SUBSTANTIAL`` stones come first,
    then those with the fewest empty points, then those with the most stones.
    """
    return _proposals(board, ROOMY) or _proposals(board, board.grid.full.bit_count())


def _proposals(board: Board, roomy: int) -> list[Group]:
    """As ``proposals``; an eye of ``roomy`` points makes a group safe."""
    cut_off = [group for player in (0, 1) for group in _cut_off(board, player, roomy)]
    regions = {group: enclosed(board, group.player, group.stones) for group in cut_off}

    def is_inside(group: Group) -> bool:
        """Returns whether ``group`` lies inside the region of a larger group of the other side.

        If each lies in the region of the other, as in a capturing race, neither counts as inside.
        Groups with equally many stones count as larger, too.
        """
        mine = regions.get(group, group.area)
        return any(
            group.player != each.player
            and each.stones.bit_count() >= group.stones.bit_count()
            and not group.area & ~region
            and each.area & ~mine
            for each, region in regions.items()
        )

    taken = sum(group.stones for group in cut_off)  # each stone is in one group of its side
    others = [group for group in _nearest(board, roomy) if not group.stones & taken]
    outer = [group for group in cut_off + others if not is_inside(group)]
    return sorted(outer, key=lambda group: _weakness(board, group))


def _weakness(board: Board, group: Group) -> tuple[bool, int, int, int]:
    count = group.stones.bit_count()
    return count < SUBSTANTIAL, (group.area & board.empty).bit_count(), -count, group.player


def _cut_off(board: Board, player: int, roomy: int) -> Iterator[Group]:
    grid, safe = board.grid, _safe(board, player, roomy)
    for part in grid.components(grid.full & ~board.stones[1 - player]):
        stones = part & board.stones[player]
        if (
            stones
            and not stones & safe
            and (part & board.empty).bit_count() <= SMALL
            and not covers_half_of_board(board, part)
        ):
            yield Group(player, stones, part, True)


def _safe(board: Board, player: int, roomy: int) -> int:
    """Returns the stones of ``player`` that are alive or have an eye of ``roomy`` points."""
    grid, own, other = board.grid, board.stones[player], board.stones[1 - player]
    safe = life.alive(grid, own, board.empty)
    for part in grid.components(grid.full & ~own):
        if not part & other and part.bit_count() >= roomy:
            for chain in board.chains(player, board.around(part)):
                safe |= chain
    return safe


def _nearest(board: Board, roomy: int) -> Iterator[Group]:
    """Yields groups of stones joined by empty points nearer to them than to the other side.

    Safe groups are left out, and groups without stones of the other side near them.
    """
    grid, areas = board.grid, list(board.stones)
    while True:
        fresh = [board.around(area) & board.empty & ~(areas[0] | areas[1]) for area in areas]
        both = fresh[0] & fresh[1]
        if not (fresh[0] | fresh[1]) & ~both:
            break
        areas = [area | new & ~both for area, new in zip(areas, fresh, strict=True)]
    for player in (0, 1):
        safe = _safe(board, player, roomy)
        for part in grid.components(areas[player]):
            stones, near = part & board.stones[player], part
            for _ in range(2):
                near |= board.around(near)
            if stones and not stones & safe and near & board.stones[1 - player]:
                yield Group(player, stones, part, False)
