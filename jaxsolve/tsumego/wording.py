"""Verdicts in words, such as "white lives with B1"."""

from __future__ import annotations

from collections.abc import Sequence

from jaxsolve.tsumego import status as statuses
from jaxsolve.tsumego import where_it_holds
from jaxsolve.tsumego.findings import First
from jaxsolve.tsumego.questions import THREATS
from jaxsolve.tsumego.setup import SIDES
from jaxsolve.tsumego.status import Bounds, Status, Value
from jaxsolve.tsumego.task import Task
from jaxsolve.tsumego.where_it_holds import Gap

INSIDE = "inside the region"
WHOLE = "on the whole board"
OUTSIDE = "whatever is played outside the region"
ENDS = {
    "benson": "alive",
    "captured": "captured",
    "no-eyes": "no two eyes",
    "sealed": "dead",
    "passes": "both pass",
}


def reach(task: Task, first: First) -> str:
    """Returns where the verdict on the root holds; "" if nothing is known.

    The verdict of an unknown status states its bounds.
    """
    if not first.has_bounds:
        return ""
    if task.assumed:
        return assumption(task) + _standing_walls(task, first)
    if task.whole:
        return WHOLE
    validity = where_it_holds.of_task(task)
    if validity.gap is None or validity.covers(first.bounds):
        by_ko = first.status.in_ko or first.despite_threats
        return OUTSIDE + (" (ko threats apart)" if by_ko else "")
    reasons = {
        Gap.OPEN: "it is open, and a wider region may change the result",
        Gap.RULES: "under these rules, moves outside may change the result",
        Gap.WALLS: f"the {SIDES[1 - task.defender]} stones around it are not proved alive",
    }
    return f"{INSIDE}: {reasons[validity.gap]}"


def _standing_walls(task: Task, first: First) -> str:
    """Returns what else a verdict with assumed stones depends on; "" if nothing."""
    if where_it_holds.of_task(task).gap is Gap.RULES:
        return "; under these rules, moves outside the region may change the result"
    place = (task.stones, task.defender, task.crucial, task.region)
    if where_it_holds.of_region(*place).covers(first.bounds):
        return ""
    return f", and that no {SIDES[1 - task.defender]} stone around the region is captured"


def assumption(task: Task) -> str:
    """Returns the assumed stones of a task as a condition of its verdicts; "" if it has none."""
    if not task.assumed:
        return ""
    names, side = task.grid.list(task.assumed).split(","), SIDES[1 - task.defender]
    what = f"{side} stones" if len(names) > 1 else f"a {side} stone"
    return f"assuming {what} at {', '.join(names)}"


def verb(task: Task, status: Status) -> str:
    """Returns a status as a short verb, such as "lives".

    In Killall-Go *dies* becomes "does not live". A *seki* that is not proved (``proves_seki``)
    becomes "neither alive nor captured".
    """
    if task.given.killall is not None and status is Status.DIES:
        return "does not live"
    if status in (Status.SEKI, Status.SEKI_IN_KO) and not proves_seki(task):
        return status.value.replace("seki", "neither alive nor captured")
    return status.value


def proves_seki(task: Task) -> bool:
    """Returns whether stones that are neither alive nor captured are called a seki.

    In a region that is not closed, stones at the edge may be safe from capture only because of
    liberties outside. Then *seki* is worded as what is proved.
    """
    found = where_it_holds.of_task(task)
    return found.defender or found.gap is Gap.ASSUMED


def phrase(task: Task, status: Status) -> str:
    """Returns a status as the predicate of a sentence, such as "lives" or "has a seki"."""
    if status not in (Status.SEKI, Status.SEKI_IN_KO):
        return verb(task, status)
    if proves_seki(task):
        return f"has a {status.value}"
    return "is neither alive nor captured" + (" in ko" if status.in_ko else "")


def ranks_moves(task: Task, status: Status) -> bool:
    """Returns whether first moves are right or wrong by ``status``.

    In an open region, stones that are neither alive nor captured are undecided: a wider region can
    make them live or die. Then moves that keep them so are not right.
    """
    neither = status in (Status.SEKI, Status.SEKI_IN_KO)
    return not (neither and where_it_holds.of_task(task).gap is Gap.OPEN)


def note(task: Task, first: First) -> str:
    """Returns a note that belongs to the verdict on the root wherever it is shown; "" if none."""
    status, defender = first.status, SIDES[task.defender]
    if status is Status.UNKNOWN:
        return ""
    if not ranks_moves(task, status):
        return (
            f"{defender} avoids capture in this region, but gets no two eyes; that decides nothing"
            " about the whole board, so no first move is called right or wrong"
        )
    against, for_ = first.bounds.both
    # Only what the answers state: they do not tell a ko that leads to a seki from one that the
    # defender can never end, as at a false eye (``tsumego/status.py``).
    only_survives = for_ == (Value.SEKI, Value.SEKI) and against.most == Value.DIES
    if status.in_ko and only_survives and proves_seki(task):
        return (
            f"{defender} gets no two eyes even by winning the ko; if {defender} cannot end the ko"
            " by connecting, as at a false eye or in bent four in the corner, the stones are dead"
            " under Japanese rules (unless it always takes a second ko in exchange, a double ko)"
        )
    return ""


def value(task: Task, bounds: Bounds, name: str = "it") -> str:
    """Returns the possible values under one ko setting in words, such as "it dies".

    ``name`` stands for the stones.
    """
    words = {
        Value.DIES: "dies",
        Value.SEKI: "has a seki" if proves_seki(task) else "is neither alive nor captured",
        Value.LIVES: "lives",
    }
    values = [words[value] for value in Value if bounds.least <= value <= bounds.most]
    return f"{name} {' or '.join(values)}"


def the_ko(task: Task, first: First) -> str:
    """Returns what each winner of the ko gets; "" if the status is not in ko."""
    if not first.status.in_ko:
        return ""
    defender, attacker = SIDES[task.defender], SIDES[1 - task.defender]
    against, for_ = first.bounds.both
    return (
        f"if {defender} wins the ko, {value(task, for_, defender)}; if {attacker} wins it,"
        f" {value(task, against, defender)}"
    )


def after_wrong_move(task: Task, first: First, name: str) -> str:
    """Returns in words what is known of the stones after a wrong first move, as a verb.

    A status in ko that is also the status of the position says for which winner of the ko the move
    is worse. Of an unknown status the best possible one for the moving side is named.
    """
    move = next((move for move in first.moves if move.move == name), None)
    if move is None:
        return Status.UNKNOWN.value
    status = first.status_after(move)
    if status is Status.UNKNOWN:
        found = statuses.possible(first.answers_after(move), first.defender_first)
        best = found[0 if first.defender_first else -1]
        if len(found) == len(statuses.possible({}, first.defender_first)):
            return status.value
        return verb(task, best) + (f" at best for {SIDES[first.side]}" if len(found) > 1 else "")
    if not status.in_ko or status is not first.status:
        return verb(task, status)
    sides = (SIDES[1 - task.defender], SIDES[task.defender])
    worse = [
        f"{value(task, after, SIDES[task.defender])} if {side} wins the ko"
        for side, after, before in zip(
            sides, statuses.bounded(first.answers_after(move)).both, first.bounds.both, strict=True
        )
        if after.known and before.known and after != before
    ]
    return verb(task, status) + (f": {' and '.join(worse)}" if worse else "")


def verdict(
    task: Task, first: First, right: Sequence[tuple[str, Status]], either_first: bool
) -> str:
    """Returns the verdict on the root with one side to move first.

    Args:
      task: the task.
      first: what is known.
      right: the right first moves, with the status after each.
      either_first: whether the status is the same for either side moving first.
    """
    defender, status, condition = SIDES[task.defender], first.status, _condition(first)
    if status is Status.UNKNOWN:
        return f"{status.value}{_bounds(task, first)}"
    text = f"{defender} {phrase(task, status)}"
    if first.over:
        return f"{text}, as the position stands ({ENDS.get(first.over, first.over)} already)"
    if either_first:
        return f"{text}{_in_brackets(condition)}, also with {SIDES[1 - first.side]} first"
    if not ranks_moves(task, status):
        return text
    by = "with" if first.defender_first else "by"
    if not right and first.pass_right:
        elsewhere = "" if task.whole else "a move elsewhere"
        return f"{text} {by} pass{_in_brackets(elsewhere, condition)}"
    if not right:
        known = first.complete or first.aim is None
        which = "" if known else "by which move or pass is open"
        return f"{text}{_in_brackets(which, condition)}"
    names: dict[Status, list[str]] = {status: []}
    for move, after in right:
        # Right moves can differ in status: one gives a ko for life, another a seki without ko.
        names.setdefault(status if after is Status.UNKNOWN else after, []).append(move)
    parts = [
        f"{defender} {phrase(task, after)} {by} {' or '.join(moves)}"
        for after, moves in names.items()
        if moves
    ]
    others = "" if first.complete else "perhaps others"
    return "; ".join(parts) + _in_brackets(others, condition)


def _condition(first: First) -> str:
    """Returns the condition of a verdict that is shown with ko threats; "" if there is none."""
    if not first.despite_threats:
        return ""
    loser = first.side if first.defender_first is (first.status is Status.DIES) else 1 - first.side
    return f"even if {SIDES[loser]} has {THREATS} ko threats"


def _in_brackets(*words: str) -> str:
    """Returns the texts that are not empty in brackets, after a space; "" if there are none."""
    found = "; ".join(filter(None, words))
    return f" ({found})" if found else ""


def _bounds(task: Task, first: First) -> str:
    """Returns the known bounds of an unknown status in words, in parentheses; "" if none."""
    if task.given.killall is not None or not first.has_bounds:
        return ""
    least = {Value.DIES: "", Value.SEKI: "it is not captured", Value.LIVES: "it lives"}
    most = {Value.DIES: "it dies", Value.SEKI: "it does not live", Value.LIVES: ""}
    parts = []
    for bounds, condition in zip(first.bounds.both, ("loses", "wins"), strict=True):
        known = value(task, bounds) if bounds.known else ""
        if words := known or least[bounds.least] or most[bounds.most]:
            parts.append(f"if {SIDES[task.defender]} {condition} all kos, {words}")
    return f" ({'; '.join(parts)})"
