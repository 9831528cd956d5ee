"""Chooses the crucial stones and the region of a task, or proposes them."""

from __future__ import annotations

import functools
import operator

from jaxsolve.core.strict_json import shortened
from jaxsolve.formats import sgf
from jaxsolve.formats.record import FormatError
from jaxsolve.games.go.text import parse_points, points_text
from jaxsolve.proof.check import grid as grids
from jaxsolve.tsumego import groups, regions
from jaxsolve.tsumego.regions import Board
from jaxsolve.tsumego.setup import SIDES, Given, Task

DEFAULT_REGION = "auto"
CHOOSE = "choose others with --crucial P2,Q3"
_KEPT = (
    "ko",
    "fill_eyes",
)  # rule options taken from the user's input; ``Task.rules`` sets the others


# ---- choosing ------------------------------------------------------------------------------------
def choose(given: Given, crucial: str | None, region: str | None, group: int | None = None) -> Task:
    """Builds the task, and proposes crucial stones and region if they are not given.

    Args:
      given: the position.
      crucial: points of the crucial stones, such as ``P2,Q3``. None: the marked stones of the
        record, or those of its rule set, or a proposed group.
      group: number of the proposed group, from 1; it takes precedence over marks and the rule set.
      region: ``auto``, ``all``, or points such as ``A1-D3,E1``. None: the region of the rule set,
        or ``auto``.

    Raises:
      FormatError: stones of both colours, an empty point with ``--crucial``, several kinds of marks
        on stones, no group to propose, no group of this number, or a point off the board.
    """
    grid = grids.gtp(given.size)
    stones = regions.board_of(grid, given.board)
    kept = {name: given.options[name] for name in _KEPT if name in given.options}
    if given.killall is not None:
        if (crucial, group) != (None, None) or region not in (None, "auto", "all"):
            raise FormatError(
                "Killall-Go asks whether White lives anywhere: leave out --crucial, --group and "
                "--region"
            )
        return Task(
            given, 1, 0, grid.full, kept, (("question", "can White live anywhere? (Killall-Go)"),)
        )
    if crucial is not None and group is not None:
        raise FormatError("--crucial and --group both name the stones in question: give one")
    mask, phrase = _crucial(given, stones, crucial) if group is None else _proposed(stones, group)
    defender = 0 if mask & stones.stones[0] else 1
    area, about = _region(given, stones, defender, mask, region)
    return Task(given, defender, mask, area, kept, (("crucial", phrase), ("region", about)))


def _points(given: Given, text: str, what: str) -> int:
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
                raise ValueError(f"{what} names {shortened(part)} twice.")
            mask |= added
    except ValueError as error:
        raise FormatError(f"{what}: {error}") from None
    return mask


def _crucial(given: Given, stones: Board, text: str | None) -> tuple[int, str]:
    """Returns the mask of the crucial stones, and a phrase about them and their source."""
    if text is not None:
        mask, source = _points(given, text, "--crucial"), "named with --crucial"
    elif given.marks:
        mask, source = _marked(given, stones)
        if not mask:
            group, phrase = _proposed(stones)
            return group, f"{phrase}{source}"
    elif given.options.get("crucial", "any") != "any":
        mask, source = _points(given, given.options["crucial"], "crucial"), "named by the rule set"
    else:
        return _proposed(stones)
    _one_colour(stones, mask, "--crucial" if text is not None else "crucial")
    return mask, f"{_described(stones, mask)}, {source}"


def _one_colour(stones: Board, mask: int, what: str) -> None:
    """Raises FormatError unless all points of ``mask`` hold stones of one colour."""
    if empty := mask & stones.empty:
        raise FormatError(
            f"{what} names {_some(stones, empty)}, where there is no stone: crucial points are"
            f" stones of the defender; {CHOOSE}"
        )
    if all(mask & side for side in stones.stones):
        black, white = (_some(stones, mask & side) for side in stones.stones)
        raise FormatError(
            f"{what} names stones of both colours, black at {black} and white at {white}: crucial"
            f" are stones of one side; {CHOOSE}"
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
            f" the crucial ones; {CHOOSE}"
        )
    _one_colour(stones, on_stones[taken[0]], taken[0])
    if mixed:
        ignored += f"; marks on stones of both colours ({', '.join(mixed)}) do not count"
    return on_stones[taken[0]], f"marked in the record by {taken[0]}{ignored}"


def _mask(stones: Board, places: frozenset[tuple[int, int]], size: int) -> int:
    return sum(stones.grid.point(sgf.point_text("go", size, *place)) for place in places)


def _proposed(stones: Board, number: int | None = None) -> tuple[int, str]:
    """Returns the mask of a proposed group, and a phrase that names all groups.

    ``number`` is the number of the group, from 1; None: the first. Raises FormatError if there is
    no such group.
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
    choices = CHOOSE + (f" or --group K: {'; '.join(names)}" if len(found) > 1 else "")
    return group.stones, f"{_described(stones, group.stones)}, {why}; {choices}"


def _described(stones: Board, mask: int, most: int = 12) -> str:
    side = SIDES[0 if mask & stones.stones[0] else 1]
    return f"{side} {_some(stones, mask, most)}"


def _some(stones: Board, mask: int, most: int = 6) -> str:
    names = stones.grid.list(mask).split(",")
    return ", ".join(names[:most]) + (f" ... ({len(names)} in all)" if len(names) > most else "")


def _region(
    given: Given, stones: Board, defender: int, crucial: int, text: str | None
) -> tuple[int, str]:
    """Returns the mask of the region, and a sentence about the choice of the region."""
    full, source = stones.grid.full, "named with --region"
    if text is None and given.options.get("region", "all") != "all":
        text, source = given.options["region"], "named by the rule set"
    text = DEFAULT_REGION if text is None else text.strip()
    if text.lower() == "all":
        return full, "the whole board"
    if text.lower() != "auto":
        mask = _points(given, text, "--region")
        near = (
            ""
            if not crucial or mask & (crucial | stones.liberties(crucial))
            else "; it has no liberty of the crucial stones"
        )
        return mask, f"{_count(mask)}, {source}{near}"
    mask = regions.enclosed(stones, defender, crucial)
    if not regions.is_open(stones, mask):
        wider = regions.with_weak_walls(stones, defender, mask)
        if wider != mask:
            return (
                wider,
                f"{_count(wider)}, proposed: what {SIDES[1 - defender]} stones enclose, and the"
                " liberties outside of those that can be captured; choose others with --region all"
                " or POINTS",
            )
        return (
            mask,
            f"{_count(mask)}, proposed: what {SIDES[1 - defender]} stones enclose; choose others"
            " with --region all or POINTS",
        )
    mask = regions.box(stones, defender, crucial)
    if mask == full:
        return full, "the whole board: nothing closes the stones in"
    what = f"{_count(mask)}, proposed: not enclosed, so what the stones reach in a rectangle"
    return mask, f"{what}; others with --region all or POINTS"


def _count(mask: int) -> str:
    return f"{mask.bit_count()} point{'s' if mask.bit_count() != 1 else ''}"
