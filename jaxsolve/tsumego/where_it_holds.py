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
  so on any larger region, provided that the walls are unconditionally alive by vital regions wholly
  outside (Benson 1976). Then no wall is ever captured, and each keeps a liberty, whatever the
  defender plays outside. The attacker treats moves outside as passes. The defender runs out of
  moves outside, because the attacker captures nothing outside.

Inside, a strategy may answer a pass by a pass, which ends the game. On a larger region the side
also passes, and then plays as if the two passes had not been made. The position is the same, except
that passes lift the ban on retaking a ko.

Both laws hold for ``ko=simple``, ``fill_eyes=true`` and a position without a banned ko point.
Otherwise a move outside can change the legal moves inside.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from jaxsolve.proof.check.games.go import life
from jaxsolve.tsumego import regions
from jaxsolve.tsumego.regions import Board
from jaxsolve.tsumego.setup import SIDES
from jaxsolve.tsumego.status import Status
from jaxsolve.tsumego.task import Task

INSIDE = "inside the region"
OUTSIDE = "whatever is played outside the region"


class Validity(NamedTuple):
    """Which results inside a region provably hold on the whole board."""

    defender: bool  # results that the defender forces without ko moves
    attacker: bool  # results that the attacker forces


# ---- by the laws ---------------------------------------------------------------------------------
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
        return Validity(True, True)
    closed = regions.is_closed(board, defender, crucial, region)
    return Validity(closed, closed and walls_are_alive(board, defender, region))


def of_task(task: Task) -> Validity:
    """Returns which results of a task provably hold on the whole board.

    For a region smaller than the board, no result does if a move outside can change the legal moves
    inside. This is so under superko, with a ko ban in the position, and if eyes may not be filled
    (the capture of a wall can make a point an eye or not).
    """
    banned = (
        task.options.get("ko", "simple") != "simple"
        or task.options.get("fill_eyes", "true") != "true"
        or task.given.ko is not None
    )
    if banned and not task.whole:
        return Validity(False, False)
    return of_region(task.stones, task.defender, task.crucial, task.region)


# ---- of a status ---------------------------------------------------------------------------------
def on_whole_board(task: Task, status: Status) -> bool:
    """Returns whether a status provably holds on the whole board, ko threats apart."""
    if status is Status.UNKNOWN:
        return task.whole
    laws = of_task(task)
    need = {Status.LIVES: laws.defender, Status.DIES: laws.attacker}
    return task.whole or need.get(status, laws.defender and laws.attacker)


def why_inside(task: Task) -> str:
    """Returns why a result inside the region may not hold on the whole board."""
    if not regions.is_closed(task.stones, task.defender, task.crucial, task.region):
        return "it is open, and a wider region may change the result"
    if not of_task(task).defender:
        return "under these rules, moves outside may change the result"
    return f"the {SIDES[1 - task.defender]} stones around it are not proved alive"


def in_words(task: Task, status: Status) -> str:
    """Returns where a status holds, in words. UNKNOWN stands for its bounds."""
    if task.whole:
        return "on the whole board"
    if not on_whole_board(task, status):
        return f"{INSIDE}: {why_inside(task)}"
    threats = " (ko threats apart)" if "in ko" in status.value else ""
    return f"{OUTSIDE}{threats}"


def together(task: Task, statuses: Sequence[Status]) -> str:
    """Returns where all these statuses hold, as one line; "" if on the whole board.

    Some of them may hold on the whole board although the others hold inside the region only.
    """
    if task.whole or not statuses:
        return ""
    inside = [status for status in statuses if not on_whole_board(task, status)]
    if not inside:
        return in_words(task, max(statuses, key=lambda status: "in ko" in status.value))
    return in_words(task, inside[0])
