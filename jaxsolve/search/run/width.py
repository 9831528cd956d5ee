"""Numbers of paths, and of leaves in a wave or a slice of a search."""

from __future__ import annotations

from typing import NamedTuple

from jaxsolve.games.game import Game
from jaxsolve.search.methods import Method
from jaxsolve.search.tree.tree import ACTION, MAX_MOVES

MAX_PATHS = 32_000  # most paths, since a node counts the paths through it in 16 bits
PLANNED_WAVE = 32
"""Largest wave if plans or threat odds initialise the numbers.

Selection follows these numbers more closely in small waves. Of the sizes from 8 to 128, 32 solved
most problems.
"""
HOST_WAVE = 64
"""Largest number of paths of a search on the host in games with plans.

Of 1, 4, 8, 16, 24, 32, 48, 64, 96 and 128 paths, 64 and 96 solve Killall-Go problems in the least
time; in life and death the number makes little difference.
"""
SLICE = 16, 512
"""Bounds on a *slice*: the leaves that a search on the host evaluates in one call of compiled code.

The slice is an eighth of the positions expanded so far, within these bounds.
"""


class Width(NamedTuple):
    """Paths of a search."""

    group: int  # paths of a flight
    flights: int  # waves in flight at a time


def own_wave(method: Method, guided: bool, hosted: bool) -> int:
    """Returns the wave of a search for which the user gives none.

    Args:
      method: search method.
      guided: whether plans or threat odds initialise the numbers.
      hosted: whether the search runs on the host.
    """
    return min(method.wave, HOST_WAVE if hosted else PLANNED_WAVE) if guided else method.wave


def width_of(wave: int, flights: int, nodes: int | None) -> Width:
    """Returns the ``Width`` of a search.

    Args:
      wave: leaves of all flights together.
      flights: waves in flight at a time.
      nodes: bound on table entries, or None.
    """
    wave = max(1, min(wave, (nodes or 1 << 30) // 32, MAX_PATHS))
    return Width(max(1, -(-wave // flights)), flights)


def slice_of(expanded: int) -> int:
    """Returns the number of leaves in the next slice of a search on the host."""
    return min(max(expanded // 8, SLICE[0]), SLICE[1])


def refuse_unsearchable(game: Game, method: Method, flights: int) -> None:
    """Raises ValueError if the game, the method or ``flights`` is invalid for ``Search``."""
    if method.fallback is None and not method.keeps_proof_numbers:
        raise ValueError(
            f"method {method.name!r} has no fallback, and keeps no proof numbers that could be read"
            " to the end"
        )
    if flights < 1:
        raise ValueError(f"{flights} waves at a time: give 1 or more")
    listed = min(MAX_MOVES, ACTION)
    if game.num_actions > listed:
        raise ValueError(
            f"{game.rule_set} has {game.num_actions} actions; a search can list {listed}"
        )
