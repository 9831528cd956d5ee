"""Derivations of connections in Hex (FORMAT.md, "Connections in Hex").

H-search (V. V. Anshelevich, "A hierarchical approach to computer Hex", Artificial Intelligence 134,
2002) finds such connections. The checker repeats the steps that the certificate lists.
"""

from __future__ import annotations

from typing import Any, NamedTuple

from jaxsolve.proof.check.errors import Refused, show
from jaxsolve.proof.check.games.hex.groups import Groups


class Step(NamedTuple):
    """A connection of the claimant between two ends (``Groups``)."""

    ends: tuple[int, int]  # the smaller end first
    carrier: int  # mask of the cells in which the claimant plays
    full: bool  # it holds with the opponent to move; otherwise with the claimant to move


class Derivation:
    """The connections that a list of steps derives.

    Args:
      groups: the groups of the claimant.
      empty: mask of the empty cells.
      steps: the certificate's list.

    Raises Refused if a step does not hold.
    """

    def __init__(self, groups: Groups, empty: int, steps: Any):
        self.groups, self.empty = groups, empty
        self.steps: list[Step] = []
        if not isinstance(steps, list):
            raise Refused(f"the steps are {show(steps)}, not a list")
        for step in steps:
            self.add(step)

    def add(self, step: Any) -> None:
        """Adds the next step. Raises Refused if it does not hold."""
        if not isinstance(step, list) or len(step) < 2:
            raise Refused(f"the step {len(self.steps)} is {show(step)}, not a list of operands")
        self.steps.append(self._through(step) if isinstance(step[-1], str) else self._or(step))

    def edges(self, number: Any) -> Step:
        """Returns the step with a number. Raises Refused unless it joins the two edges."""
        step = self._step(number)
        if step.ends != (~1, ~0):
            raise Refused(f"the step {number} does not join the edges")
        return step

    def _step(self, number: Any) -> Step:
        if type(number) is not int or not 0 <= number < len(self.steps):
            raise Refused(f"{show(number)} is not the number of an earlier step")
        return self.steps[number]

    def _through(self, step: list[Any]) -> Step:
        """Returns the connection of two full connections that meet at the end ``step[2]``."""
        if len(step) != 3:
            raise Refused(f"the step {len(self.steps)} has {len(step)} parts, not two and a middle")
        middle = self.groups.end(step[2], self.empty)
        one, first = self._half(step[0], middle)
        other, second = self._half(step[1], middle)
        if first & second:
            raise Refused(f"the carriers of the step {len(self.steps)} have a common cell")
        key = max(middle, 0)
        return Step(_sorted(one, other), first | second | key, full=middle < 0)

    def _half(self, operand: Any, middle: int) -> tuple[int, int]:
        """Returns the other end and the carrier of a full connection with the end ``middle``."""
        if isinstance(operand, str):
            end = self.groups.end(operand, self.empty)
            if not self.groups.touch(end, middle):
                raise Refused(
                    f"{show(operand)} does not touch the middle of the step {len(self.steps)}"
                )
            return end, 0
        step = self._step(operand)
        if not step.full:
            raise Refused(f"the step {operand} needs the first move, so no other may rest on it")
        if middle not in step.ends:
            raise Refused(f"the step {operand} does not end at the middle of {len(self.steps)}")
        return step.ends[step.ends[0] == middle], step.carrier

    def _or(self, step: list[Any]) -> Step:
        """Returns the full connection by several of which no cell belongs to all."""
        parts = [self._step(number) for number in step]
        common, union = self.empty, 0
        for part in parts:
            if part.ends != parts[0].ends:
                raise Refused(f"the step {len(self.steps)} has operands with different ends")
            common &= part.carrier
            union |= part.carrier
        if common:
            raise Refused(f"a cell belongs to all operands of the step {len(self.steps)}")
        return Step(parts[0].ends, union, full=True)


def _sorted(one: int, other: int) -> tuple[int, int]:
    return (one, other) if one < other else (other, one)
