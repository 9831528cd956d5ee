"""Chooses the crucial stones of a task: named by the user, marked in the record, or proposed."""

from __future__ import annotations

import functools
import operator

from jaxsolve.core.strict_json import shortened
from jaxsolve.formats import sgf
from jaxsolve.formats.record import FormatError
from jaxsolve.games.go.text import parse_points, points_text
from jaxsolve.proof.check import grid as grids
from jaxsolve.tsumego import groups
from jaxsolve.tsumego.regions import Board
from jaxsolve.tsumego.setup import SIDES, Given

OTHERS = "choose others with --crucial P2,Q3"


def choose(
    given: Given, stones: Board, named: str | None = None, group: int | None = None
) -> tuple[int, str]:
    """Returns the mask of the crucial stones, and a phrase about them and their source.

    Args:
      given: the position.
      stones: its board.
      named: points of the crucial stones, such as ``P2,Q3``. None: the marked stones of the record,
        or those of its rule set, or a proposed group.
      group: number of the proposed group, from 1; it takes precedence over marks and the rule set.

    Raises:
      FormatError: stones of both colours, a named point without a stone, several kinds of marks on
        stones, no group to propose, no group of this number, or a point off the board.
    """
    if named is not None and group is not None:
        raise FormatError("--crucial and --group both name the stones in question: give one")
    if group is not None:
        return _proposed(stones, group)
    if named is not None:
        mask, source = points(given, named, "--crucial"), "named with --crucial"
    elif given.marks:
        mask, source = _marked(given, stones)
        if not mask:
            return _proposed(stones, about=source)
    elif given.options.get("crucial", "any") != "any":
        mask, source = points(given, given.options["crucial"], "crucial"), "named by the rule set"
    else:
        return _proposed(stones)
    _refuse_others(stones, mask, "crucial" if named is None else "--crucial")
    return mask, f"{_described(stones, mask)}, {source}"


def _refuse_others(stones: Board, mask: int, what: str) -> None:
    """Raises FormatError unless all points of ``mask`` hold stones of one colour."""
    if empty := mask & stones.empty:
        raise FormatError(
            f"{what} names {_some(stones, empty)}, where there is no stone: crucial points are"
            f" stones of the defender; {OTHERS}"
        )
    if all(mask & side for side in stones.stones):
        black, white = (_some(stones, mask & side) for side in stones.stones)
        raise FormatError(
            f"{what} names stones of both colours, black at {black} and white at {white}: crucial"
            f" are stones of one side; {OTHERS}"
        )


def _marked(given: Given, stones: Board) -> tuple[int, str]:
    """Returns the mask of the marked stones, and a phrase about marks that count and do not.

    The mask is 0 if no stone is marked. Marks on empty points show vital points, not crucial
    stones. If several kinds of marks are on stones, the one that is on stones of one colour counts.

    Raises FormatError unless one kind of mark names stones of one colour.
    """
    masks = {name: _mask(stones, points, given.size) for name, points in given.marks.items()}
    empty = functools.reduce(operator.or_, masks.values()) & stones.empty
    ignored = f"; marks on empty points ({_some(stones, empty)}) do not count" if empty else ""
    on_stones = {name: mask & ~stones.empty for name, mask in masks.items() if mask & ~stones.empty}
    if not on_stones:
        return 0, ignored
    mixed = [name for name, mask in on_stones.items() if all(mask & side for side in stones.stones)]
    taken = [name for name in on_stones if name not in mixed] or mixed
    if len(taken) > 1:
        raise FormatError(
            f"{given.name}: {' and '.join(taken)} mark stones, and only one kind of mark can mean"
            f" the crucial ones; {OTHERS}"
        )
    _refuse_others(stones, on_stones[taken[0]], taken[0])
    if mixed:
        ignored += f"; marks on stones of both colours ({', '.join(mixed)}) do not count"
    return on_stones[taken[0]], f"marked in the record by {taken[0]}{ignored}"


def _mask(stones: Board, places: frozenset[tuple[int, int]], size: int) -> int:
    return sum(stones.grid.point(sgf.point_text("go", size, *place)) for place in places)


def _proposed(stones: Board, number: int | None = None, about: str = "") -> tuple[int, str]:
    """Returns the mask of a proposed group, and a phrase that names all groups.

    ``number`` is the number of the group, from 1; None: the first. ``about`` is put before the
    options that choose others. Raises FormatError if there is no such group.
    """
    found = groups.proposals(stones)
    if not any(stones.stones):
        raise FormatError("there are no stones on the board, so no group is in question")
    if not found:
        raise FormatError(
            "no group is enclosed or near the other side's stones: name the stones in question with"
            " --crucial, such as --crucial P2,Q3"
        )
    names = [f"{at} {_described(stones, group.stones, 3)}" for at, group in enumerate(found, 1)]
    if number is not None and not 1 <= number <= len(found):
        raise FormatError(
            f"--group {number}: K is from 1 to {len(found)}; the groups are {'; '.join(names)}"
        )
    group = found[(number or 1) - 1]
    kind = (
        "the weakest enclosed group" if group.cut_off else "the group with the fewest free points"
    )
    why = f"proposed: {kind}" if number is None else f"--group {number}"
    others = [
        f"--group {at} ({_described(stones, each.stones, 3)})"
        for at, each in enumerate(found, 1)
        if each is not group
    ]
    choices = " or ".join([OTHERS, *others])
    return group.stones, f"{_described(stones, group.stones)}, {why}{about}; {choices}"


def _described(stones: Board, mask: int, most: int = 12) -> str:
    side = SIDES[0 if mask & stones.stones[0] else 1]
    return f"{side} {_some(stones, mask, most)}"


def _some(stones: Board, mask: int, most: int = 6) -> str:
    names = stones.grid.list(mask).split(",")
    return ", ".join(names[:most]) + (f" ... ({len(names)} in all)" if len(names) > most else "")


def points(given: Given, text: str, what: str) -> int:
    """Parses a comma-separated list of points and rectangles to a mask.

    A rectangle is written as two opposite corners, ``A1-C3``. ``what`` names the list in error
    messages. Raises FormatError.
    """
    size, grid = given.size, grids.gtp(given.size)
    mask = 0
    try:
        for part in text.split(","):
            corners = [parse_points(size, corner, what)[0] for corner in part.split("-", 1)]
            (top, bottom), (left, right) = (
                sorted((corners[0] // size, corners[-1] // size)),
                sorted((corners[0] % size, corners[-1] % size)),
            )
            points = [
                row * size + column
                for row in range(top, bottom + 1)
                for column in range(left, right + 1)
            ]
            added = sum(grid.point(name) for name in points_text(size, points).split(","))
            if mask & added:
                raise ValueError(f"{what} names {shortened(part)} twice")
            mask |= added
    except ValueError as error:
        raise FormatError(f"{what}: {error}") from None
    return mask
