"""Where a result holds: inside the region only, or on the whole board.

A result inside a region need not hold on the whole board: outside, the defender may capture a
surrounding stone, and the attacker may take away a liberty. Two laws extend results in *closed*
regions, whose conditions (1) to (4) are in ``tsumego/regions.py``:

* If the DEFENDER can force life, or prevent capture, inside a closed region without a ko move, the
  defender can do so on any larger region. The defender plays as inside and treats moves outside as
  passes. All liberties of the defender's chains are inside, so no move outside takes one away.
  Inside the region alone, no wall can be captured. On a larger region, the attacker may fill the
  liberties that a wall has outside; then moves inside may capture the wall. Such a capture only
  removes attacker's stones: at every step the defender's stones are the same, and none of the
  defender's chains has fewer liberties. No eye of the defender contains a stone of a wall: the eye
  would also contain the wall's liberty outside, which has no defender's stone beside it. A ko that
  the attacker takes has only defender's stones as neighbours, so it is also a ko inside the region
  alone.
* If the ATTACKER can force a capture, or prevent life, inside a closed region, the attacker can do
  so on any larger region. The condition is that the walls are unconditionally alive by vital
  regions wholly outside (Benson 1976). Then no wall is ever captured, and each keeps a liberty,
  whatever the defender plays outside. The attacker treats moves outside as passes. The defender
  runs out of moves outside, because the attacker captures nothing outside.

Inside, a strategy may answer a pass by a pass, which ends the game. On a larger region the side
also passes, and then plays as if the two passes had not been made. The position is the same, except
that passes lift the ban on retaking a ko.

Both laws hold for ``ko=simple``, ``fill_eyes=true`` and a position without a banned ko point.
Otherwise a move outside can change the legal moves inside.
"""

from __future__ import annotations

import enum
from typing import NamedTuple

from jaxsolve.proof.check.games.go import life
from jaxsolve.tsumego import regions
from jaxsolve.tsumego.regions import Board
from jaxsolve.tsumego.status import Bounded, Value
from jaxsolve.tsumego.task import Task


class Gap(enum.Enum):
    """Which condition of the laws is missing."""

    OPEN = enum.auto()  # the region is not closed
    RULES = enum.auto()  # a move outside may change which moves are legal inside
    WALLS = enum.auto()  # the walls are not proved alive
    ASSUMED = enum.auto()  # the position has stones that the given position lacks


class Validity(NamedTuple):
    """Which results inside a region provably hold on the whole board."""

    defender: bool  # results that the defender forces without ko moves
    attacker: bool  # results that the attacker forces
    gap: Gap | None  # why some results may not hold on the whole board; None: all results hold

    def covers(self, bounds: Bounded) -> bool:
        """Returns whether all that ``bounds`` state holds on the whole board, ko threats apart.

        The defender forces a lower bound, the attacker forces an upper bound. A lower bound that
        the defender reaches by winning kos, or perhaps by ko moves, needs both laws, as does a
        status in ko.
        """
        lower = max(bounds.against.least, bounds.for_.least) > Value.DIES
        upper = min(bounds.against.most, bounds.for_.most) < Value.LIVES
        by_ko = bounds.for_.least > bounds.against.least or bounds.despite_threats
        return (self.defender or not lower) and (self.attacker or not (upper or by_ko))


def walls_are_alive(board: Board, defender: int, region: int) -> bool:
    """Returns whether all walls of a closed ``region`` are alive by what they have outside.

    Alive means unconditionally alive by vital regions wholly outside ``region`` (Benson 1976).
    """
    walls = sum(board.chains(1 - defender, board.around(region)))
    return not walls & ~life.alive(
        board.grid, board.stones[1 - defender], board.empty, board.grid.full & ~region
    )


def of_region(board: Board, defender: int, crucial: int, region: int) -> Validity:
    """Returns which results inside ``region`` hold on the whole board by the laws.

    The rules are assumed to be those for which the laws hold.

    Args:
      board: the board.
      defender: the player to whom the crucial stones belong.
      crucial: mask of the crucial stones.
      region: mask of the region.
    """
    if region == board.grid.full:
        return Validity(True, True, None)
    if not regions.is_closed(board, defender, crucial, region):
        return Validity(False, False, Gap.OPEN)
    if not walls_are_alive(board, defender, region):
        return Validity(True, False, Gap.WALLS)
    return Validity(True, True, None)


def of_task(task: Task) -> Validity:
    """Returns which results of a task provably hold on the whole board.

    For a region smaller than the board, no result does if a move outside can change the legal moves
    inside. This is so under superko and with a ko ban in the position. It is also so if eyes may
    not be filled: the capture of a wall can make a point an eye, or an eye a plain point. With
    assumed stones no result holds for the given position.
    """
    found = of_region(task.stones, task.defender, task.crucial, task.region)
    banned = (
        task.options.get("ko", "simple") != "simple"
        or task.options.get("fill_eyes", "true") != "true"
        or task.given.ko is not None
    )
    if banned and not task.whole and found.gap is not Gap.OPEN:
        return Validity(False, False, Gap.RULES)
    if task.assumed and found.gap is not Gap.OPEN:
        return Validity(False, False, Gap.ASSUMED)
    return found
