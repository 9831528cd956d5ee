"""Regions of life-and-death fights: the region that stones enclose, its scope, and the likely
group.

Sets of points are masks of ``jaxsolve.proof.check.grid.Grid``, plain integers.

A *region* restricts both sides: moves outside it do not exist. In general, a verdict inside it
therefore holds for the region only: outside, the defender may capture a surrounding stone and the
attacker may take away a liberty. Two cases are provable. A region is *closed* if

* (1) it contains the crucial stones;
* (2) with a point without an attacker's stone, it contains all such neighbours of that point;
* (3) it contains each attacker's chain wholly or not at all, and with a chain all its liberties and
  the defender's stones beside it;
* (4) every other attacker's chain beside it, a *wall*, has a liberty outside it.

``enclosed`` returns the least closed region. Two laws hold for a closed region:

* What the DEFENDER can force inside without ever making a ko move (life, or no capture), it can
  force on any larger region. It plays as inside and treats moves outside as passes. Its chains have
  all their liberties inside, so no move outside takes one away. Inside, no wall can be captured.
  Outside, the attacker may fill a wall's own liberties; then more of the attacker's stones can be
  captured than inside. This only empties points of the attacker: the defender's stones are the same
  at every step, and none of its chains has fewer liberties. An eye holds no stone of a wall,
  because the wall's liberty outside would be a point of the eye with no defender's stone beside it.
  A ko that the attacker takes has only the defender's stones as neighbours, so it is a ko inside
  too.
* What the ATTACKER can force inside (a capture, or no life), it can force on any larger region if
  the walls are unconditionally alive by vital regions wholly outside (Benson 1976). Then no wall is
  ever captured and each keeps a liberty, whatever the defender plays outside; the attacker treats
  those moves as passes. The defender runs out of them, because the attacker captures nothing there.

Where such a strategy would answer a pass by a pass, which ends the game inside, the side passes and
then plays as before that pass. The position is the same unless it bans a ko recapture, which the
passes lift. Both laws are for ``ko=simple``, ``fill_eyes=true`` and a position without such a ban:
otherwise a move outside can change the legal moves inside.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from jaxsolve.proof.check.games.go import life
from jaxsolve.proof.check.grid import Grid

SUBSTANTIAL = 3  # a group with as many stones is proposed before smaller ones
SMALL = 20  # most empty points of a part that is cut off; larger parts use the nearest points
REACH = 2  # steps from a group that is not enclosed to points of its next stones
ROOMY = 10  # points of an eye, without stones of the other side, that make a group safe
NEAR = 3  # steps within which stones of the other side count as surrounding


class Board(NamedTuple):
    """A board; stones as masks, by player."""

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
        """The points beside ``points``, without those."""
        return self.grid.near(points) & self.grid.full & ~points


def board_of(grid: Grid, text: str) -> Board:
    """The board of ``<board>`` text (``proof/FORMAT.md``)."""
    return Board(grid, grid.stones(text))


# ---- regions -------------------------------------------------------------------------------------
def enclosed(board: Board, defender: int, crucial: int, within: int | None = None) -> int:
    """The least closed region: all points reachable from ``crucial`` without crossing an attacker's
    stone, and the attacker's chains within.

    ``within`` is a mask that bounds the region; a bounded region need not be closed.
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
    """Whether ``region`` is closed (module docstring); the whole board is."""
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
    """Whether every wall of a closed ``region`` is unconditionally alive by vital regions outside
    it.
    """
    walls = sum(board.chains(1 - defender, board.around(region)))
    return not walls & ~life.alive(
        board.grid, board.stones[1 - defender], board.empty, board.grid.full & ~region
    )


class Scope(NamedTuple):
    """Scope of a verdict inside a region: which results hold on the whole board."""

    defender: bool  # results that the defender forces without ko moves
    attacker: bool  # results that the attacker forces


def scope(board: Board, defender: int, crucial: int, region: int) -> Scope:
    """The provable scope of a verdict inside ``region``."""
    if region == board.grid.full:
        return Scope(True, True)
    closed = is_closed(board, defender, crucial, region)
    return Scope(closed, closed and walls_are_alive(board, defender, region))


def is_open(board: Board, region: int) -> bool:
    """Whether a region of ``enclosed`` covers over half of the board: nothing encloses the
    stones.
    """
    return 2 * region.bit_count() > board.grid.full.bit_count()


def box(board: Board, defender: int, crucial: int) -> int:
    """A region for stones that nothing encloses: the points reachable inside a rectangle. It need
    not be closed.

    The rectangle contains the crucial chains, the points that they reach in ``REACH`` steps without
    crossing an attacker's stone, and the attacker's stones within ``NEAR`` steps of them. Within
    ``REACH`` lines of an edge it extends to the edge. The region also contains the liberties that a
    defender's stone on one of those points would have; without them the attacker could not stop a
    group that crawls along the edge.
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


# ---- crucial stones ------------------------------------------------------------------------------
class Group(NamedTuple):
    """Stones of one side that live or die together."""

    player: int
    stones: int
    area: int  # points reachable without crossing the other side's stones, or nearer to the group


def proposed(board: Board) -> Group | None:
    """The weakest substantial group enclosed by the other side; None if there is none.

    A group is either the stones of one side in a part of the board that the other side cuts off and
    that is small (at most ``SMALL`` empty points and half the board), or, elsewhere, stones joined
    by points that are nearer to them (``_nearest``). Groups that are unconditionally alive or have
    an eye of ``ROOMY`` points are excluded; so are groups inside the region of a cut-off group of
    the other side. Order: groups of at least ``SUBSTANTIAL`` stones first, then fewest empty
    points, then most stones.
    """
    cut_off = [group for player in (0, 1) for group in _cut_off(board, player)]
    regions = {group: enclosed(board, group.player, group.stones) for group in cut_off}

    def is_inside(group: Group) -> bool:
        """Whether ``group`` lies in the region of another group. If both lie in each other's, as in
        a capturing race, neither is inside.
        """
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
    """The stones of ``player`` that are clearly safe."""
    grid, own, other = board.grid, board.stones[player], board.stones[1 - player]
    safe = life.alive(grid, own, board.empty)
    for part in grid.components(grid.full & ~own):
        if not part & other and part.bit_count() >= ROOMY:
            for chain in board.chains(player, board.around(part)):
                safe |= chain
    return safe


def _nearest(board: Board) -> Iterator[Group]:
    """Groups of stones joined by the empty points that are nearer to them than to the other side's
    stones. Only groups with stones of the other side near them.
    """
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
