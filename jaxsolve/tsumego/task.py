"""The task of a study: a position, its crucial stones and the region in which stones may be placed.

Crucial stones that are not given are proposed by ``tsumego/crucial.py``, a region by
``tsumego/regions.py``.

For a group that is not enclosed there are several tasks. Each assumes attacker's stones that close
the group in at another distance, the *assumed stones*.
"""

from __future__ import annotations

import functools
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from jaxsolve.formats.record import FormatError
from jaxsolve.games import registry
from jaxsolve.proof.check import grid as grids
from jaxsolve.tsumego import crucial as crucial_stones
from jaxsolve.tsumego import regions
from jaxsolve.tsumego.questions import THREATS, Ko, StatusQuestion
from jaxsolve.tsumego.regions import Board
from jaxsolve.tsumego.setup import SIDES, Given

DEFAULT_REGION = "auto"
# Distances of assumed stones, in steps from the group (``regions.closed_in``). One step is too
# near: every extension of the group is blocked at once, and many groups die that live in books.
DISTANCES = (2, 3)
ROOMY = 40  # an enclosed region with more empty points counts as open
SMALL_BOARD = 9  # up to this size, the whole board is the last region of an open group
# By ko setting and goal, what the attacker and the defender may do in kos (``go.tsumego``).
_MAY_KO = {
    **dict.fromkeys(((Ko.AGAINST, "live"), (Ko.AGAINST, "kill")), ("allow", "forbid")),
    **dict.fromkeys(((Ko.FOR, "live"), (Ko.FOR, "kill")), ("forbid", "allow")),
    (Ko.DESPITE, "live"): (f"threats-{THREATS}", "allow"),
    (Ko.DESPITE, "kill"): ("allow", f"threats-{THREATS}"),
    (Ko.WITH, "live"): ("allow", f"threats-{THREATS}"),
    (Ko.WITH, "kill"): (f"threats-{THREATS}", "allow"),
}
# Rule options taken from the user's input; ``Task.rules`` sets the others.
_KEPT = ("ko", "fill_eyes")


@dataclass(frozen=True)
class Task:
    """A life-and-death task: crucial stones, the region, and rule options.

    Sets of points are masks of ``grid``.
    """

    given: Given
    defender: int  # player of the crucial stones
    crucial: int  # 0: any stone of the defender (Killall-Go)
    region: int  # where stones may be placed
    options: Mapping[str, str]  # ``ko`` and ``fill_eyes``
    remarks: tuple[
        tuple[str, str], ...
    ]  # (topic, sentence for the user) about the choice of crucial stones and region
    assumed: int = 0  # attacker's stones that are assumed, at empty points of the given position
    distance: int | None = None  # of these stones from the group, in steps; None: there are none

    @property
    def choices(self) -> dict[str, str]:
        """The remarks without the command's options, for pictures and records."""
        return {topic: text.split("; choose others with")[0] for topic, text in self.remarks}

    @functools.cached_property
    def grid(self) -> grids.Grid:
        return grids.gtp(self.given.size)

    @functools.cached_property
    def stones(self) -> Board:
        """The board, with the assumed stones."""
        return regions.board_of(self.grid, self.board)

    @functools.cached_property
    def board(self) -> str:
        """The text of the board, with the assumed stones."""
        text = self.given.board
        for bit in grids.bits(self.assumed):
            text = self.grid.put(text, bit, grids.STONES[1 - self.defender])
        return text

    @property
    def place(self) -> tuple[int, int]:
        """Where the task is studied: the region and the assumed stones."""
        return self.region, self.assumed

    @property
    def whole(self) -> bool:
        """Whether stones may be placed anywhere."""
        return self.region == self.grid.full

    def rules(self, question: StatusQuestion) -> str:
        """Returns the rule-set id whose goal is that of ``question``.

        Killall-Go has the same id for all questions. Its goal is that White lives.
        """
        if self.given.killall is not None:
            return self.given.killall
        attacker_may, defender_may = _MAY_KO[question.ko, question.goal]
        chosen = {
            "goal": question.goal,
            "defender": SIDES[self.defender],
            "crucial": self.grid.list(self.crucial),
            "region": "all" if self.whole else self.grid.list(self.region),
            f"ko_{SIDES[self.defender]}": defender_may,
            f"ko_{SIDES[1 - self.defender]}": attacker_may,
        }
        return registry.make(f"tsumego-{self.given.size}", **chosen, **self.options).rule_set

    def has(self, question: StatusQuestion) -> bool:
        """Returns whether the question is asked.

        Ko threats exist with simple ko only. With a ko ban in the given position the answers
        with threats do not follow from the others, since a threat lifts the ban.
        """
        if not question.ko.threats:
            return True
        simple = self.options.get("ko", "simple") == "simple"
        return simple and self.given.killall is None and self.given.ko is None

    def answer(self, question: StatusQuestion, proved: bool) -> bool:
        """Returns the answer to ``question`` when the goal of its rules was proved or disproved.

        In Killall-Go the goal is always to live, so proving it answers ``kill`` in the negative.
        """
        return proved if self.given.killall is None or question.goal == "live" else not proved

    def name(self, question: StatusQuestion) -> str:
        """Returns the name of the question in files and tables."""
        return "live" if self.given.killall is not None else question.name

    @property
    def prefix(self) -> str:
        """What the ids of all questions of the task begin with; "" without assumed stones."""
        return "" if self.distance is None else f"walls-{self.distance}."

    @property
    def given_root(self) -> str:
        """The position without assumed stones, with the defender to move, as text."""
        return f"{self.given.board} {SIDES[self.defender][0]}"

    def root(self, side: int) -> str:
        """Returns the position, with the assumed stones and with ``side`` to move, as text.

        A ko ban of the given position applies only to the side that was given to move, and not to
        the point of an assumed stone.
        """
        banned = self.given.ko if side == self.given.side else None
        if banned is not None and self.grid.point(banned) & self.assumed:
            banned = None
        ko = "" if banned is None else f" ko={banned}"
        return f"{self.board} {SIDES[side][0]}{ko}"


# ---- making a task -------------------------------------------------------------------------------
class _Place(NamedTuple):
    """A region, and the assumed stones that close it."""

    region: int
    assumed: int = 0
    distance: int | None = None


def make_task(
    given: Given,
    crucial: str | None = None,
    region: str | None = None,
    group: int | None = None,
) -> Task:
    """Builds the task with the narrowest region of ``make_tasks``."""
    return make_tasks(given, crucial, region, group)[0]


def make_tasks(
    given: Given,
    crucial: str | None = None,
    region: str | None = None,
    group: int | None = None,
) -> list[Task]:
    """Builds a task, and proposes crucial stones and region if they are not given.

    Args:
      given: the position.
      crucial: points of the crucial stones, such as ``P2,Q3`` (``crucial.choose``).
      region: ``auto``, ``all``, or points such as ``A1-D3,E1``. None: the region of the rule set,
        or ``auto``.
      group: number of the proposed group, from 1 (``crucial.choose``).

    Returns:
      One task; with the region ``auto``, for a group that is not enclosed, several tasks with wider
      and wider regions.

    Raises:
      FormatError: the crucial stones or the region cannot be chosen.
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
        remark = ("question", "can White live anywhere? (Killall-Go)")
        return [Task(given, 1, 0, grid.full, kept, (remark,))]
    mask, phrase = crucial_stones.choose(given, stones, crucial, group)
    defender = 0 if mask & stones.stones[0] else 1
    places, about = _places(given, stones, defender, mask, region)
    remarks = (("crucial", phrase), ("region", about))
    return [
        Task(given, defender, mask, place.region, kept, remarks, place.assumed, place.distance)
        for place in places
    ]


def _places(
    given: Given, stones: Board, defender: int, crucial: int, text: str | None
) -> tuple[list[_Place], str]:
    """Returns the regions, the narrowest first, and a sentence about their choice."""
    full, source = stones.grid.full, "named with --region"
    if text is None and given.options.get("region", "all") != "all":
        text, source = given.options["region"], "named by the rule set"
    text = DEFAULT_REGION if text is None else text.strip()
    if text.lower() == "all":
        return [_Place(full)], "the whole board"
    if text.lower() != "auto":
        mask = crucial_stones.points(given, text, "--region")
        near = (
            ""
            if not crucial or mask & (crucial | stones.liberties(crucial))
            else "; it has no liberty of the crucial stones"
        )
        return [_Place(mask)], f"{_count(mask)}, {source}{near}"
    mask = regions.enclosed(stones, defender, crucial)
    others = "choose others with --region all or POINTS"
    enclosed = not regions.covers_half_of_board(stones, mask)
    side = SIDES[1 - defender]
    if not enclosed or (mask & stones.empty).bit_count() > ROOMY:
        places = _closed_in(stones, defender, crucial)
        if enclosed:
            places.append(_Place(mask))
        elif stones.grid.size <= SMALL_BOARD or not places:
            places.append(_Place(full))
        about = _about_assumed(places, "the stones are not enclosed", side)
        return places, f"proposed: {about}; {others}"
    wider = regions.with_weak_walls(stones, defender, mask)
    weak = ", and the liberties outside of those that can be captured" if wider != mask else ""
    about = f"{_count(wider)}, proposed: what {side} stones enclose{weak}"
    places = [_Place(wider), *_closed_in(stones, defender, mask)]
    if len(places) > 1:
        why = f"some {side} stones may be captured from outside"
        about += f"; {_about_assumed(places, why, side)}"
    return places, f"{about}; {others}"


def _closed_in(stones: Board, defender: int, inside: int) -> list[_Place]:
    """Returns regions around ``inside`` that assumed stones close, the narrowest first."""
    places: list[_Place] = []
    reached = 0
    for distance in DISTANCES:
        inside, assumed = regions.closed_in(stones, defender, inside, distance - reached)
        reached = distance
        if assumed:
            places.append(_Place(inside, assumed, distance))
    return places


def _about_assumed(places: Sequence[_Place], why: str, side: str) -> str:
    """Returns a sentence about regions that assumed stones of ``side`` close."""
    distances = [str(place.distance) for place in places if place.distance is not None]
    if not distances:
        return "the whole board: nothing closes the stones in"
    far = " or ".join(filter(None, (", ".join(distances[:-1]), distances[-1])))
    last = places[-1]
    also = (
        ""
        if last.distance is not None
        else f"; the last region has {_count(last.region)}, without such stones"
    )
    return (
        f"{why}, so {side} stones are assumed around them, {far}"
        f" step{'s' * (distances != ['1'])} away{also}"
    )


def _count(mask: int) -> str:
    return f"{mask.bit_count()} point{'s' if mask.bit_count() != 1 else ''}"
