"""The task of a study: a position, its crucial stones and the region in which stones may be placed.

Crucial stones that are not given are proposed by ``tsumego/crucial.py``, a region by
``tsumego/regions.py``.
"""

from __future__ import annotations

import functools
from collections.abc import Mapping
from dataclasses import dataclass

from jaxsolve.formats.record import FormatError
from jaxsolve.games import registry
from jaxsolve.proof.check import grid as grids
from jaxsolve.tsumego import crucial as crucial_stones
from jaxsolve.tsumego import regions
from jaxsolve.tsumego.questions import Ko, StatusQuestion
from jaxsolve.tsumego.regions import Board
from jaxsolve.tsumego.setup import SIDES, Given

DEFAULT_REGION = "auto"
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

    @property
    def choices(self) -> dict[str, str]:
        """The remarks without the command's options, for pictures and records."""
        return {topic: text.split("; choose others with")[0] for topic, text in self.remarks}

    @functools.cached_property
    def grid(self) -> grids.Grid:
        return grids.gtp(self.given.size)

    @functools.cached_property
    def stones(self) -> Board:
        return regions.board_of(self.grid, self.given.board)

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
        attacker_may, defender_may = (
            ("allow", "forbid") if question.ko is Ko.AGAINST else ("forbid", "allow")
        )
        chosen = {
            "goal": question.goal,
            "defender": SIDES[self.defender],
            "crucial": self.grid.list(self.crucial),
            "region": "all" if self.whole else self.grid.list(self.region),
            f"ko_{SIDES[self.defender]}": defender_may,
            f"ko_{SIDES[1 - self.defender]}": attacker_may,
        }
        return registry.make(f"tsumego-{self.given.size}", **chosen, **self.options).rule_set

    def answer(self, question: StatusQuestion, proved: bool) -> bool:
        """Returns the answer to ``question`` when the goal of its rules was proved or disproved.

        In Killall-Go the goal is always to live, so proving it answers ``kill`` in the negative.
        """
        return proved if self.given.killall is None or question.goal == "live" else not proved

    def name(self, question: StatusQuestion) -> str:
        """Returns the name of the question in files and tables."""
        return "live" if self.given.killall is not None else question.name

    def root(self, side: int) -> str:
        """Returns the position with ``side`` to move, as text.

        A ko ban of the given position applies only to the side that was given to move.
        """
        ko = f" ko={self.given.ko}" if self.given.ko is not None and side == self.given.side else ""
        return f"{self.given.board} {SIDES[side][0]}{ko}"


# ---- making a task -------------------------------------------------------------------------------
def make_task(
    given: Given,
    crucial: str | None = None,
    region: str | None = None,
    group: int | None = None,
) -> Task:
    """Builds the task, and proposes crucial stones and region if they are not given.

    Args:
      given: the position.
      crucial: points of the crucial stones, such as ``P2,Q3`` (``crucial.choose``).
      region: ``auto``, ``all``, or points such as ``A1-D3,E1``. None: the region of the rule set,
        or ``auto``.
      group: number of the proposed group, from 1 (``crucial.choose``).

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
        return Task(
            given, 1, 0, grid.full, kept, (("question", "can White live anywhere? (Killall-Go)"),)
        )
    mask, phrase = crucial_stones.choose(given, stones, crucial, group)
    defender = 0 if mask & stones.stones[0] else 1
    area, about = _region(given, stones, defender, mask, region)
    return Task(given, defender, mask, area, kept, (("crucial", phrase), ("region", about)))


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
        mask = crucial_stones.points(given, text, "--region")
        near = (
            ""
            if not crucial or mask & (crucial | stones.liberties(crucial))
            else "; it has no liberty of the crucial stones"
        )
        return mask, f"{_count(mask)}, {source}{near}"
    mask = regions.enclosed(stones, defender, crucial)
    if not regions.covers_half_of_board(stones, mask):
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
    what = "the stones are not enclosed, so the points near them in a rectangle"
    return mask, (f"{_count(mask)}, proposed: {what}; choose others with --region all or POINTS")


def _count(mask: int) -> str:
    return f"{mask.bit_count()} point{'s' if mask.bit_count() != 1 else ''}"
