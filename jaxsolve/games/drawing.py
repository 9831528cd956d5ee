"""Descriptions of a position's picture: games make them, ``jaxsolve.view`` renders them."""

from __future__ import annotations

import dataclasses
import enum
from collections.abc import Mapping, Sequence

import numpy as np

Place = tuple[int, int]
"""(column from the left, row from the top) of a cell, from 0."""


class Shape(enum.StrEnum):
    """How the cells of a board of stones lie."""

    POINTS = "points"  # where lines cross, as in Go
    SQUARES = "squares"
    HEXAGONS = "hexagons"  # every row begins half a cell further right than the one above it


@dataclasses.dataclass(frozen=True, eq=False)
class Stones:
    """A board of stones, or of pieces with names. Raises ValueError if its fields do not match."""

    shape: Shape
    cells: (
        np.ndarray
    )  # int8[H, W], top row first: 0 empty, 1 a stone of the first player, 2 of the second
    columns: Sequence[str]  # W labels, from the left
    rows: Sequence[str]  # H labels, from the top
    signs: Mapping[Place, str] = dataclasses.field(
        default_factory=dict
    )  # what the position itself marks, as ``svg`` names signs: a ko point
    edges: tuple[int, int] | None = (
        None  # the players (1 or 2) who own top and bottom, and left and right, where the sides have owners
    )
    names: Mapping[Place, str] = dataclasses.field(
        default_factory=dict
    )  # of pieces that are not all alike, one or two characters each: on squares
    hands: tuple[Sequence[str], Sequence[str]] | None = (
        None  # names of the pieces the first and the second player hold, in order; None: no hands
    )

    def __post_init__(self) -> None:
        height, width = np.shape(self.cells)
        if (len(self.rows), len(self.columns)) != (height, width):
            raise ValueError(
                f"a board of {height} rows and {width} columns has {len(self.rows)} row and "
                f"{len(self.columns)} column labels"
            )
        if not np.isin(self.cells, (0, 1, 2)).all():
            raise ValueError(
                f"a board of stones has cells 0, 1 and 2, not {int(np.max(self.cells))}; "
                "counters are drawn as Counters"
            )
        if self.names and {
            (column, row) for row, column in np.argwhere(self.cells).tolist()
        } != set(self.names):
            raise ValueError(
                "a board of pieces with names has one for every piece, and none elsewhere"
            )

    @property
    def size(self) -> Place:
        """(columns, rows)."""
        return len(self.columns), len(self.rows)


@dataclasses.dataclass(frozen=True)
class Row:
    """One row of pits or heaps."""

    counters: Sequence[int]  # from the left
    names: Sequence[str]  # of the pits, from the left
    player: int = 0  # whose row it is: 1 or 2; 0 nobody's
    owner: str = ""  # that player's name as shown
    stored: int | None = (
        None  # counters that player has put aside; None where the game has no such store
    )

    def __post_init__(self) -> None:
        if len(self.counters) != len(self.names):
            raise ValueError(f"a row of {len(self.counters)} pits has {len(self.names)} names")


@dataclasses.dataclass(frozen=True)
class Counters:
    """Rows of pits or heaps with counters, from the top, all of one length."""

    rows: Sequence[Row]

    def __post_init__(self) -> None:
        if len({len(row.names) for row in self.rows}) != 1:
            raise ValueError("a board of counters has rows of one length, and at least one")

    @property
    def size(self) -> Place:
        """(columns, rows)."""
        return len(self.rows[0].names), len(self.rows)


Drawing = Stones | Counters
