"""Compares the right first moves of a study with those that an SGF record calls right."""

from __future__ import annotations

from typing import NamedTuple

from jaxsolve.tsumego.setup import SIDES, Given
from jaxsolve.tsumego.verdicts import FirstReport, Report


class Comparison(NamedTuple):
    """What a record calls right for one side, and whether the study agrees."""

    side: int
    right: tuple[str, ...]  # first moves that the record calls right
    # True: one of these moves is right. False: all of them are wrong, or another move is right and
    # all right moves are known. None: not known, or the status ranks no moves.
    agrees: bool | None

    @property
    def sentence(self) -> str:
        """The comparison in words, such as "black B2: agrees"."""
        word = {True: "agrees", False: "differs", None: "open"}[self.agrees]
        return f"{SIDES[self.side]} {' or '.join(self.right)}: {word}"


def stated(given: Given) -> dict[int, tuple[str, ...]]:
    """Returns the first moves that the record calls right, by player."""
    moves = [each for each in given.solution if each.right]
    return {
        side: tuple(each.move for each in moves if each.player == side)
        for side in (0, 1)
        if any(each.player == side for each in moves)
    }


def compare(report: Report) -> list[Comparison]:
    """Returns the comparison for each side that the study covers and the record has moves of."""
    right = stated(report.task.given)
    return [
        Comparison(each.first.side, right[each.first.side], _agrees(each, right[each.first.side]))
        for each in report.firsts
        if each.first.side in right
    ]


def _agrees(each: FirstReport, right: tuple[str, ...]) -> bool | None:
    if not each.ranked:
        return None
    if set(right) & set(each.right):
        return True
    wrong = {move.move for move in each.moves if move.right is False}
    if set(right) <= wrong:
        return False
    known = each.first.complete and not each.first.brief and bool(each.moves)
    return False if known else None
