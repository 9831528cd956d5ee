"""The parts of the report of a study: verdicts, first moves, and the lines to be shown."""

from __future__ import annotations

from dataclasses import dataclass, field

from jaxsolve.tsumego import regions, wording
from jaxsolve.tsumego.asking import QuestionResult
from jaxsolve.tsumego.findings import First
from jaxsolve.tsumego.questions import StatusQuestion
from jaxsolve.tsumego.setup import SIDES
from jaxsolve.tsumego.status import Status, Value
from jaxsolve.tsumego.task import Task
from jaxsolve.tsumego.variations import Variation


@dataclass
class MoveReport:
    """Report of a first move: the status after it, and variations that show the status."""

    move: str
    right: bool | None
    status: Status
    question: StatusQuestion | None  # the question whose proof gives the variations
    # The result of ``question``, searched after the move or at the root.
    result: QuestionResult | None
    own: bool  # whether ``question`` was searched after this move; False: at the root
    # Variations that begin with the move; None: unknown, or not in the proof at the root.
    play: Variation | None
    why: str = ""  # why there are no variations, or no status
    shows: str = ""  # what the proof shows, in one or two words

    @property
    def zone(self) -> str | None:
        return None if self.play is None else self.play.zone

    @property
    def line(self) -> list[str]:
        """The moves of the main line, beginning with this move."""
        return [self.move] if self.play is None else [step.move for step in self.play.line()]

    @property
    def end(self) -> str:
        """How the game ends in the main line, in words; "" if the line is cut before the end."""
        return "" if self.play is None else wording.ENDS.get(self.play.line()[-1].end, "")


@dataclass
class FirstReport:
    """Report of the given position with one side to move first."""

    task: Task
    first: First
    verdict: str  # such as "white lives with B1"
    inside: bool  # whether the verdict, or a bound in it, is proved inside the region only
    reach: str  # where the verdict holds, in words; "" if nothing is known
    note: str = ""  # a note that belongs to the verdict (``wording.note``)
    ranked: bool = True  # whether first moves are right or wrong (``wording.ranks_moves``)
    moves: list[MoveReport] = field(default_factory=list)

    @property
    def side(self) -> str:
        return SIDES[self.first.side]

    @property
    def prefix(self) -> str:
        """What the ids of the questions with this side first begin with."""
        return f"{self.task.prefix}{self.side}-first"

    @property
    def stated(self) -> str:
        """The verdict, with the distance of the assumed stones if there are some."""
        if self.task.distance is None or not self.first.has_bounds:
            return self.verdict
        return f"{self.verdict} (with the assumed stones, {self.task.distance} steps away)"

    @property
    def sentence(self) -> str:
        """The verdict as a sentence, such as "black first: white dies by B1, inside the region"."""
        where = wording.INSIDE if self.inside else self.reach
        return f"{self.side} first: {self.verdict}" + (
            f", {where}" if where not in ("", wording.WHOLE) else ""
        )

    @property
    def right(self) -> list[str]:
        """The moves that are known to be right; [] if moves are not ranked."""
        return [move.move for move in self.moves if move.right and self.ranked]


@dataclass
class Report:
    """Report of a task, for either side moving first."""

    task: Task  # of the first of ``firsts``
    firsts: list[FirstReport]
    other: First | None = None  # the side whose first moves are not asked about
    # The statuses with other assumed stones, in words; "" if there is one region only.
    other_assumptions: str = ""

    @property
    def where(self) -> str:
        """Where the verdicts hold, as one line; "" if on the whole board or nothing is known.

        If only one of two verdicts is limited to the region, the line is about each of them.
        """
        known = [each for each in self.firsts if each.first.has_bounds]
        if all(each.task.whole and not each.task.assumed for each in known):
            return ""
        conditions = {
            (each.inside, each.task.place, each.reach if each.task.assumed else "")
            for each in known
        }
        if len(conditions) == 2:
            known.sort(key=lambda each: each.inside)
            return "; ".join(f"with {each.side} first, {each.reach}" for each in known)
        reach = min(known, key=lambda each: not each.first.status.in_ko).reach
        no_status = all(each.first.status is Status.UNKNOWN for each in known)
        return f"what is known, {reach}" if no_status else reach

    @property
    def above(self) -> dict[str, str]:
        """What belongs to all verdicts, by topic: where they hold, and other assumptions."""
        found = {"holds": self.where, "others": self.other_assumptions}
        return {topic: text for topic, text in found.items() if text}

    @property
    def common_note(self) -> str:
        """The note of both verdicts, to be shown once; "" if they have none or different ones."""
        notes = {each.note for each in self.firsts}
        return notes.pop() if len(notes) == 1 and len(self.firsts) > 1 else ""

    def below(self, each: FirstReport) -> dict[str, str]:
        """Returns what belongs to the verdict of ``each``, by topic: the ko, and a note."""
        found = {"the ko": wording.the_ko(each.task, each.first)}
        found["note"] = "" if self.common_note else each.note
        return {topic: text for topic, text in found.items() if text}

    @property
    def lines(self) -> list[str]:
        """The verdicts with all that belongs to them, as picture and SGF record show them."""
        found = [f"{topic}: {text}" for topic, text in self.above.items()]
        for each in self.firsts:
            found.append(f"{each.side} first: {each.stated}")
            found += [f"{topic}: {text}" for topic, text in self.below(each).items()]
        found += [f"note: {self.common_note}"] if self.common_note else []
        found += [self.after_pass] if self.after_pass else []
        return [*found, self.advice] if self.advice else found

    @property
    def after_pass(self) -> str:
        """The status with the side first that is not reported, as a sentence; "" if unknown."""
        other = self.other
        if other is None or other.status is Status.UNKNOWN:
            return ""
        status = f"{SIDES[self.task.defender]} {wording.phrase(self.task, other.status)}"
        reach = wording.reach(self.task, other)
        where = "" if reach in (wording.WHOLE, self.where) else f", {reach}"
        return f"after a pass ({SIDES[other.side]} first): {status}{where}"

    @property
    def wider(self) -> str:
        """A wider region to try, as an argument of ``--region``; "" if there is no need.

        It is named if the stones are neither alive nor captured inside a region that is open.
        """
        task = self.task
        neither = any(
            first.status is not Status.UNKNOWN and (Value.SEKI, Value.SEKI) in first.bounds.both
            for first in (each.first for each in self.firsts)
        )
        place = (task.stones, task.defender, task.crucial, task.region)
        if not neither or task.whole or regions.is_closed(*place):
            return ""
        return regions.rectangles(task.stones, regions.wider(*place))

    @property
    def advice(self) -> str:
        """A sentence about ``wider``; "" if there is no need."""
        wider = self.wider
        return f"the region is open; try a wider one: --region {wider}" if wider else ""

    @property
    def known(self) -> bool:
        """Whether the status is known for each side of the report."""
        return all(report.first.status is not Status.UNKNOWN for report in self.firsts)
