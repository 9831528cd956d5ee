"""Regions of life-and-death problems: closed regions, and regions to propose.

Sets of points are bit masks of ``jaxsolve.proof.check.grid.Grid``, plain integers.

A *region* is the set of points on which both sides may place stones. It is *closed* if

* (1) it contains the crucial stones;
* (2) every point outside that is adjacent to the region holds an attacker's stone;
* (3) no attacker's chain lies partly inside and partly outside;
* (4) every attacker's chain adjacent to the region, a *wall*, has a liberty outside.

``enclosed`` returns the smallest closed region. ``tsumego/where_it_holds.py`` has the laws by which
results in closed regions hold on the whole board.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import NamedTuple

from jaxsolve.proof.check.games.go import life
from jaxsolve.proof.check.grid import Grid

WEAK = 2  # most liberties outside a region of a wall that can be captured (``with_weak_walls``)
SIDE_PART = 6  # most points of a part of the board outside a region that counts as a side part
POCKET = 20  # most points of a part of the board that belongs to the inside (``closed_in``)


class Board(NamedTuple):
    """A board, with the stones of each player as a mask."""

    grid: Grid
    stones: tuple[int, int]

    @property
    def empty(self) -> int:
        return self.grid.full & ~(self.stones[0] | self.stones[1])

    def chains(self, player: int, touching: int) -> Iterator[int]:
        """Yields the chains of ``player`` that have a stone in the mask ``touching``."""
        left = self.stones[player] & touching
        while left:
            chain = self.grid.flood(left & -left, self.stones[player])
            left &= ~chain
            yield chain

    def liberties(self, chain: int) -> int:
        return self.grid.near(chain) & self.empty

    def with_stones(self, player: int, points: int) -> Board:
        """Returns the board with stones of ``player`` added at the empty points ``points``."""
        stones = list(self.stones)
        stones[player] |= points
        return Board(self.grid, (stones[0], stones[1]))

    def without_liberties(self) -> int:
        """Returns the stones without a liberty, as a mask; a legal position has none."""
        return sum(
            chain
            for player in (0, 1)
            for chain in self.chains(player, self.stones[player])
            if not self.liberties(chain)
        )

    def around(self, points: int) -> int:
        """Returns the points adjacent to the mask ``points``, without the points themselves."""
        return self.grid.near(points) & self.grid.full & ~points


def board_of(grid: Grid, text: str) -> Board:
    """Reads a board from ``<board>`` text (``proof/FORMAT.md``)."""
    return Board(grid, grid.stones(text))


# ---- regions -------------------------------------------------------------------------------------
def enclosed(board: Board, defender: int, crucial: int, within: int | None = None) -> int:
    """Returns the smallest closed region (module docstring), as a mask.

    It consists of all points reachable from ``crucial`` without crossing an attacker's stone, and
    of the attacker's chains that can be captured from there: those whose liberties are inside or in
    side parts next to them. A *side part* is a part of the board outside that the attacker's stones
    cut off, of at most ``SIDE_PART`` points; the largest part outside is no side part. Such a chain
    is in the region together with its side parts, unless it is unconditionally alive.

    Args:
      board: the board.
      defender: the player to whom the crucial stones belong.
      crucial: mask of the crucial stones.
      within: mask that bounds the region; a bounded region need not be closed.
    """
    grid, attacker = board.grid, board.stones[1 - defender]
    within = grid.full if within is None else within
    region = grid.flood(crucial, grid.full & ~attacker & within | crucial)
    outside = sorted(grid.components(grid.full & ~attacker & ~region), key=int.bit_count)
    side_parts = sum(part for part in outside[:-1] if part.bit_count() <= SIDE_PART)
    safe = life.alive(grid, attacker, board.empty)
    while True:
        inner = 0
        for chain in board.chains(1 - defender, board.around(region)):
            free = board.liberties(chain) & ~region
            if not free & ~side_parts and not chain & (~within | (safe if free else 0)):
                inner |= chain
        if not inner:
            return region
        region |= inner
        region = grid.flood(region, (grid.full & ~attacker & within) | region)


def with_weak_walls(board: Board, defender: int, region: int) -> int:
    """Adds the walls of a region that the defender may capture from outside, with their liberties.

    Such a wall is not unconditionally alive and has at most ``WEAK`` liberties outside. Each of
    these liberties is adjacent to a stone of the defender outside the region. They are the outside
    liberties of the attacker's stones in a capturing race. The result need not be closed.
    """
    attacker = board.stones[1 - defender]
    safe = life.alive(board.grid, attacker, board.empty)
    while True:
        added = 0
        for chain in board.chains(1 - defender, board.around(region) & ~region):
            free = board.liberties(chain) & ~region
            reached = board.around(board.stones[defender] & ~region)
            if not chain & safe and free.bit_count() <= WEAK and not free & ~reached:
                added |= chain | free
        if not added & ~region:
            return region
        region |= added


def is_closed(board: Board, defender: int, crucial: int, region: int) -> bool:
    """Returns whether ``region`` is closed (module docstring). The whole board is closed."""
    attacker = board.stones[1 - defender]
    if crucial & ~region or board.around(region) & ~attacker:
        return False
    if any(chain & ~region for chain in board.chains(1 - defender, region)):
        return False
    return all(
        board.liberties(chain) & ~region
        for chain in board.chains(1 - defender, board.around(region))
    )


def covers_half_of_board(board: Board, region: int) -> bool:
    """Returns whether a region of ``enclosed`` covers more than half of the board.

    Then the crucial stones do not count as enclosed.
    """
    return 2 * region.bit_count() > board.grid.full.bit_count()


class ClosedIn(NamedTuple):
    """A region, and the points of the assumed stones that close it."""

    region: int
    assumed: int


def closed_in(board: Board, defender: int, inside: int, steps: int) -> ClosedIn:
    """Returns a region that further stones of the attacker, the *assumed stones*, would close.

    The inside grows by ``steps`` steps. A step adds the empty points next to it, the attacker's
    chains with at most one liberty elsewhere, unless they are unconditionally alive, and the
    defender's chains that it then touches; both with their liberties. The defender may capture such
    chains of the attacker. Parts of the board that the inside and the attacker cut off, of at most
    ``POCKET`` points, belong to the inside, except the largest part. The assumed stones are at the
    empty points around the inside. Other stones of the defender next to one belong to the inside,
    too. None is assumed if the attacker's stones enclose the inside already.

    Args:
      board: the board.
      defender: the player to whom the crucial stones belong.
      inside: mask of the crucial stones, or of a region that contains them.
      steps: how far the group may extend, at least 1.
    """
    grid, own, attacker = board.grid, board.stones[defender], board.stones[1 - defender]
    safe = life.alive(grid, attacker, board.empty)
    inside = grid.flood(inside, inside | own)
    for _ in range(steps):
        inside |= board.around(inside) & ~attacker
        for chain in board.chains(1 - defender, board.around(inside) & ~inside):
            free = board.liberties(chain) & ~inside
            if free.bit_count() <= 1 and not chain & safe:
                inside |= chain | free
        inside = grid.flood(inside, inside | own)
        inside |= board.liberties(inside & own)
    while True:
        parts = sorted(grid.components(grid.full & ~attacker & ~inside), key=int.bit_count)
        inside |= sum(part for part in parts[:-1] if part.bit_count() <= POCKET)
        assumed = board.around(inside) & board.empty
        closed = board.with_stones(1 - defender, assumed)
        # None is next to other stones of the defender, and none can be captured from inside.
        added = sum(board.chains(defender, board.around(inside | assumed) & ~inside))
        for chain in closed.chains(1 - defender, board.around(inside) & ~inside):
            if not closed.liberties(chain) & ~inside:
                added |= chain
        added |= closed.without_liberties()
        if not added:
            return ClosedIn(inside, assumed)
        inside = grid.flood(inside | added, inside | added | own)
        inside |= board.liberties(inside & own)


def _extent(board: Board, points: int, line: Callable[[int], int]) -> tuple[int, int]:
    """Returns the first and the last line that hold a point of ``points``.

    ``line`` returns the mask of a row or a column (``Grid.row``, ``Grid.column``).
    """
    taken = [number for number in range(board.grid.size) if line(number) & points]
    return taken[0], taken[-1]


def wider(board: Board, defender: int, crucial: int, region: int) -> int:
    """Returns a wider region to try in place of a ``region`` that is not closed.

    The rectangle around the region is extended by one line, on the side that the crucial stones
    reach in the fewest steps; of several such sides on the one that adds the fewest points. The
    result is ``region`` with the points that they can reach in the extended rectangle. It is the
    whole board if no side adds a point.

    Args:
      board: the board.
      defender: the player to whom the crucial stones belong.
      crucial: mask of the crucial stones.
      region: mask of the region.
    """
    grid, attacker = board.grid, board.stones[1 - defender]
    (top, bottom), (left, right) = (
        _extent(board, region, line) for line in (grid.row, grid.column)
    )
    chains = sum(board.chains(defender, crucial)) | crucial
    found = []
    for up, down, west, east in ((1, 0, 0, 0), (0, 1, 0, 0), (0, 0, 1, 0), (0, 0, 0, 1)):
        rows = range(max(top - up, 0), min(bottom + down, grid.size - 1) + 1)
        columns = range(max(left - west, 0), min(right + east, grid.size - 1) + 1)
        inside = sum(map(grid.row, rows)) & sum(map(grid.column, columns))
        added = enclosed(board, defender, crucial, inside) & ~region
        reached, steps = chains, 0
        while added and not reached & added:
            step = board.around(reached) & ~attacker & (region | added)
            if not step:
                break
            reached, steps = reached | step, steps + 1
        if reached & added & board.empty:
            found.append((steps, added.bit_count(), region | added))
    return min(found)[2] if found else grid.full


def rectangles(board: Board, region: int) -> str:
    """Returns a region as an argument of ``--region``, such as ``A1-H2,C3``; ``all`` for the board.

    The rectangles are disjoint. They may contain stones that are not in ``region``, which makes
    them fewer.
    """
    grid = board.grid
    if region == grid.full:
        return "all"
    free, parts, left = region | ~board.empty & grid.full, [], region
    while left:
        corner = grid.list(left).split(",")[0]
        area = grid.point(corner)
        for shift in (lambda mask: mask >> 1, lambda mask: mask << grid.stride):  # right, then up
            side = area
            while (side := shift(side)) & ~free == 0 and side & left:
                area |= side
        names = grid.list(area).split(",")
        parts.append(names[0] if len(names) == 1 else f"{names[0]}-{names[-1]}")
        left &= ~area
        free &= ~area
    return ",".join(parts)
