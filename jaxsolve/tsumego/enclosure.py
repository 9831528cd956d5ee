"""Where a life-and-death fight takes place: the region that stones enclose, what can be said beyond it, and which group is likely meant.

Sets of points are masks of ``jaxsolve.proof.check.grid.Grid``, plain integers.

What a region means. A region restricts both sides: neither the attacker's moves outside it nor the defender's exist. So in general a verdict inside
it says nothing about the whole board: outside it the defender may capture a surrounding stone, and the attacker may take away a liberty. Two cases
can be shown. Call a region *closed* if (1) it holds the crucial stones; (2) with a point that holds no attacker's stone it holds every neighbour of
that kind; (3) of an attacker's chain it holds all or nothing, and with a chain all its liberties and the defender's stones beside it; (4) every
other attacker's chain beside it, a *wall*, has a liberty outside it. ``enclosed`` gives the least such region.

* What the DEFENDER can force inside a closed region without ever making a ko move (it lives, or is not captured), it can force on any larger
  region. It plays on as inside and takes moves outside for passes. Its chains have all their liberties inside, so nothing outside takes them away.
  Inside, no wall can be captured. Outside the attacker may fill a wall's own liberties; then more of the attacker's stones may come off than
  inside, which only leaves points where the attacker's stones stood: the defender's stones are the same at every step, no chain of theirs has fewer
  liberties, an eye holds no stone of a wall (its liberty outside would be a point of the eye that no stone of the defender is beside), and a ko
  that the attacker takes has neighbours of the defender's only, so it is a ko inside too.
* What the ATTACKER can force inside a closed region (it captures, or prevents life), it can force on any larger region if the walls are
  unconditionally alive by vital regions that lie wholly outside (Benson 1976): then no wall is ever captured and each keeps a liberty, whatever the
  defender plays outside, and that the attacker takes for passes. The defender runs out of such moves, since the attacker captures nothing there.

Where such a strategy would answer a pass by a pass, which ends the game inside, the side passes and plays on as before that pass: the position is the
same, unless it is one in which a ko may not be retaken, a ban that the passes lift. Both laws are for ``ko=simple``, ``fill_eyes=true`` and a
position without such a ban: elsewhere a move outside can change what may be played inside.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from jaxsolve.proof.check.games.go import life
from jaxsolve.proof.check.grid import Grid

SUBSTANTIAL = 3  # stones of a group that is proposed before smaller ones
SMALL = 20  # empty points of a part that is cut off, at most: in a larger one it is the nearest points that make a group
REACH = 2  # steps from a group that is not closed in to points where its next stones may stand
ROOMY = 10  # points of an eye, without stones of the other side, that a group is safe with
NEAR = 3  # steps from it within which the other side's stones count as those around it


class Board(NamedTuple):
    """Stones as masks, by player."""

    grid: Grid
    stones: tuple[int, int]

    @property
    def empty(self) -> int:
        return self.grid.full & ~(self.stones[0] | self.stones[1])

    def chains(self, player: int, touching: int) -> Iterator[int]:
        """The chains of ``player`` that have a stone in ``touching``."""
        left = self.stones[player] & touching
        while left:
            chain = self.grid.flood(left & -left, self.stones[player])
            left &= ~chain
            yield chain

    def liberties(self, chain: int) -> int:
        return self.grid.near(chain) & self.empty

    def around(self, points: int) -> int:
        """The points beside ``points``."""
        return self.grid.near(points) & self.grid.full & ~points


def board_of(grid: Grid, text: str) -> Board:
    """The board of ``<board>`` text."""
    return Board(grid, grid.stones(text))


# ---- regions -------------------------------------------------------------------------------------------------------
def enclosed(board: Board, defender: int, crucial: int, within: int | None = None) -> int:
    """The least closed region: what can be reached from ``crucial`` without crossing an attacker's stone, and the attacker's chains that lie in it.

    With ``within`` nothing outside that mask is entered; then the region need not be closed.
    """
    grid, attacker = board.grid, board.stones[1 - defender]
    within = grid.full if within is None else within
    region = grid.flood(crucial, grid.full & ~attacker & within | crucial)
    while True:
        inner = 0
        for chain in board.chains(1 - defender, board.around(region)):
            if not board.liberties(chain) & ~region and not chain & ~within:
                inner |= chain
        if not inner:
            return region
        region |= inner
        region = grid.flood(region, (grid.full & ~attacker & within) | region)


def is_closed(board: Board, defender: int, crucial: int, region: int) -> bool:
    """Whether ``region`` is closed as the top of this file says; the whole board is, since no stone is outside."""
    attacker = board.stones[1 - defender]
    if crucial & ~region or board.around(region) & ~attacker:
        return False
    if any(chain & ~region for chain in board.chains(1 - defender, region)):
        return False
    return all(
        board.liberties(chain) & ~region
        for chain in board.chains(1 - defender, board.around(region))
    )


def walls_are_alive(board: Board, defender: int, region: int) -> bool:
    """Whether every wall of a closed ``region`` is unconditionally alive by vital regions that have no point in ``region``."""
    walls = sum(board.chains(1 - defender, board.around(region)))
    return not walls & ~life.alive(
        board.grid, board.stones[1 - defender], board.empty, board.grid.full & ~region
    )


class Scope(NamedTuple):
    """What a verdict inside a region says about the whole board."""

    defender: bool  # what the defender can force without ko moves holds whatever is played outside
    attacker: bool  # what the attacker can force holds whatever is played outside


def scope(board: Board, defender: int, crucial: int, region: int) -> Scope:
    """As far as it can be shown."""
    if region == board.grid.full:
        return Scope(True, True)
    closed = is_closed(board, defender, crucial, region)
    return Scope(closed, closed and walls_are_alive(board, defender, region))


def is_open(board: Board, region: int) -> bool:
    """Whether a region of ``enclosed`` covers more than half of the board: then nothing encloses the stones."""
    return 2 * region.bit_count() > board.grid.full.bit_count()


def box(board: Board, defender: int, crucial: int) -> int:
    """Where nothing closes the stones in: what they reach inside a rectangle, which need not be closed.

    The rectangle holds the crucial chains, the points that they reach in ``REACH`` steps without crossing an attacker's stone, and the attacker's
    stones within ``NEAR`` steps of them; where it comes within ``REACH`` lines of an edge it goes to the edge. The liberties that a defender's stone
    would have at one of those points are taken in too, or the attacker could not stop a group that crawls out along the edge.
    """
    grid, attacker = board.grid, board.stones[1 - defender]
    near = reached = sum(board.chains(defender, crucial)) | crucial
    for _ in range(REACH):
        reached |= board.around(reached) & ~attacker
    for _ in range(NEAR):
        near |= board.around(near)
    corners = reached | near & attacker
    inside = grid.full
    for line in (grid.row, grid.column):
        taken = [number for number in range(grid.size) if line(number) & corners]
        first, last = taken[0], taken[-1]
        first, last = (
            0 if first <= REACH else first,
            grid.size - 1 if last >= grid.size - 1 - REACH else last,
        )
        inside &= sum(line(number) for number in range(first, last + 1))
    return enclosed(board, defender, crucial, inside | board.around(reached) & ~attacker)


# ---- which stones --------------------------------------------------------------------------------------------------
class Group(NamedTuple):
    """Stones of one side that stand or fall together."""

    player: int
    stones: int
    area: int  # points that they reach without crossing the other side's stones, or that are nearer to them


def proposed(board: Board) -> Group | None:
    """The weakest substantial group enclosed by the other side; None where there is none.

    Groups are the stones of one side in a part of the board that the other side's stones cut off and that is small (``SMALL``, and half the board);
    and, where nothing cuts them off, stones joined by points that are nearer to them (``_nearest``). Left out is what is unconditionally alive or
    has an eye of ``ROOMY`` points, and what lies inside the region of a group of the other side that is cut off. Groups of ``SUBSTANTIAL`` stones
    come first, then those with the fewest empty points, then those with the most stones.
    """
    cut_off = [group for player in (0, 1) for group in _cut_off(board, player)]
    regions = {group: enclosed(board, group.player, group.stones) for group in cut_off}

    def is_inside(group: Group) -> bool:
        """Whether it lies in the region of another group; where each lies in the other's, as in a race, neither counts as inside."""
        mine = regions.get(group, group.area)
        return any(
            group.player != each.player and not group.area & ~region and each.area & ~mine
            for each, region in regions.items()
        )

    taken = sum(group.stones for group in cut_off)  # each stone is in one group of its side
    others = [group for group in _nearest(board) if not group.stones & taken]
    outer = [group for group in cut_off + others if not is_inside(group)]
    return min(outer, key=lambda group: _weakness(board, group), default=None)


def _weakness(board: Board, group: Group) -> tuple[bool, int, int, int]:
    count = group.stones.bit_count()
    return count < SUBSTANTIAL, (group.area & board.empty).bit_count(), -count, group.player


def _cut_off(board: Board, player: int) -> Iterator[Group]:
    grid, safe = board.grid, _safe(board, player)
    for part in grid.components(grid.full & ~board.stones[1 - player]):
        stones = part & board.stones[player]
        if (
            stones
            and not stones & safe
            and (part & board.empty).bit_count() <= SMALL
            and not is_open(board, part)
        ):
            yield Group(player, stones, part)


def _safe(board: Board, player: int) -> int:
    """The stones of ``player`` that nobody would ask about."""
    grid, own, other = board.grid, board.stones[player], board.stones[1 - player]
    safe = life.alive(grid, own, board.empty)
    for part in grid.components(grid.full & ~own):
        if not part & other and part.bit_count() >= ROOMY:
            for chain in board.chains(player, board.around(part)):
                safe |= chain
    return safe


def _nearest(board: Board) -> Iterator[Group]:
    """Stones joined by the empty points that are nearer to them than to the other side's; only groups that have the other side's stones near them."""
    grid, areas = board.grid, list(board.stones)
    while True:
        fresh = [board.around(area) & board.empty & ~(areas[0] | areas[1]) for area in areas]
        both = fresh[0] & fresh[1]
        if not (fresh[0] | fresh[1]) & ~both:
            break
        areas = [area | new & ~both for area, new in zip(areas, fresh, strict=True)]
    for player in (0, 1):
        safe = _safe(board, player)
        for part in grid.components(areas[player]):
            stones, near = part & board.stones[player], part
            for _ in range(2):
                near |= board.around(near)
            if stones and not stones & safe and near & board.stones[1 - player]:
                yield Group(player, stones, part)
