"""Derivations: the steps that a connection of an H-search follows from, for a certificate.

A derivation is a list of ``Line``. Each line names earlier lines by their index. The last line is
the connection itself.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from jaxsolve.games.hex.connections import (
    AND,
    BASE,
    BRIDGE,
    DEAD,
    JOINED,
    OR,
    SEMI,
    Connections,
)

FIRST_EDGE, SECOND_EDGE = -1, -2  # in place of a cell: row 0 or column 0, and the opposite edge


class Line(NamedTuple):
    """One step of a derivation.

    The rules: ``base`` (the endpoints touch), ``and`` (two fulls that meet in a chain), ``semi``
    (two fulls that meet in an empty cell), ``or`` (semis without a common cell).
    """

    rule: str  # base, and, semi or or
    # The endpoints: an empty cell, any cell of a chain, FIRST_EDGE or SECOND_EDGE. A chain that
    # touches an edge is the edge.
    ends: tuple[int, int]
    key: int | None  # where the two parts meet: an empty cell or a cell of a chain
    parts: tuple[int, ...]  # earlier lines


def cells_of(words: np.ndarray) -> list[int]:
    """Returns the cells of a set uint64[W], in order."""
    return [64 * i + j for i, word in enumerate(words.tolist()) for j in range(64) if word >> j & 1]


def carrier_of(found: Connections, step: int) -> list[int]:
    """Returns the cells of the carrier of a step."""
    return cells_of(found.carrier[step])


def kind_of(found: Connections, step: int) -> int:
    """Returns the kind of a step, whether a smaller carrier has replaced it or not."""
    return int(found.kind[step]) & (DEAD - 1)


def endpoint_of(found: Connections, end: int) -> int:
    """Returns the cell of an endpoint, FIRST_EDGE or SECOND_EDGE."""
    return -1 - end if end < 2 else int(found.cell[end])


def derivation(found: Connections, step: int) -> list[Line]:
    """Returns the lines from which a step follows; the last line is the step."""
    writer = _Writer(found)
    return writer.written(writer.line_of(step))


def derivations(found: Connections, steps: list[int]) -> tuple[list[Line], list[int]]:
    """Returns one list of lines for several steps, and the index of the line of each step."""
    writer = _Writer(found)
    indices = [writer.line_of(step) for step in steps]
    return writer.lines, indices


class _Writer:
    """Collects the lines of a derivation, each once."""

    def __init__(self, found: Connections):
        self.found = found
        self.lines: list[Line] = []
        self._index: dict[Line, int] = {}
        self._line_of: dict[int, int] = {}

    def written(self, last: int) -> list[Line]:
        """Returns the lines, the last of which must be the line ``last``."""
        return self.lines[: last + 1]

    def line_of(self, step: int) -> int:
        """Returns the index of the line of a step, after adding the lines that it needs."""
        left = [step]
        while left:
            missing = [part for part in self._parts(left[-1]) if part not in self._line_of]
            if missing:
                left += missing
                continue
            last = left.pop()
            if last not in self._line_of:
                self._line_of[last] = self._write(last)
        return self._line_of[step]

    def _parts(self, step: int) -> list[int]:
        found, kind = self.found, kind_of(self.found, step)
        first, second = int(found.first[step]), int(found.second[step])
        if kind == OR:
            return found.parts[first : first + second].tolist()
        return [first, second] if kind in (AND, SEMI) else []

    def _write(self, step: int) -> int:
        found, kind = self.found, kind_of(self.found, step)
        one, two = (endpoint_of(found, end) for end in found.ends[step].tolist())
        if kind == BASE:
            return self._add(Line("base", (one, two), None, ()))
        if kind == BRIDGE:
            semis = [self._bridge_half(one, two, key) for key in carrier_of(found, step)]
            return self._add(Line("or", (one, two), None, tuple(semis)))
        parts = tuple(self._line_of[part] for part in self._parts(step))
        if kind == OR:
            return self._add(Line("or", (one, two), None, parts))
        key = endpoint_of(found, int(found.key[step]))
        return self._add(Line("and" if kind == AND else "semi", (one, two), key, parts))

    def _bridge_half(self, one: int, two: int, key: int) -> int:
        """Adds the semi of two endpoints that both touch the empty cell ``key``."""
        parts = [self._add(Line("base", (end, key), None, ())) for end in (one, two)]
        return self._add(Line("semi", (one, two), key, tuple(parts)))

    def _add(self, line: Line) -> int:
        if line not in self._index:
            self._index[line] = len(self.lines)
            self.lines.append(line)
        return self._index[line]


def connects(found: Connections) -> bool:
    """Whether the stones of the last search joined the edges by themselves."""
    return bool(found.counts[JOINED])


def steps_between(found: Connections, one: int, two: int) -> tuple[list[int], list[int]]:
    """Returns the fulls and the semis of two endpoints that no smaller carrier has replaced."""
    low, high = min(one, two), max(one, two)
    pair = high * (high - 1) // 2 + low
    both: tuple[list[int], list[int]] = ([], [])
    for steps, head in zip(both, (found.full_head, found.semi_head), strict=True):
        step = int(head[pair])
        while step >= 0:
            steps.append(step)
            step = int(found.later[step])
    return both
