"""Descriptions of pictures of positions: games make them, ``jaxsolve.view`` renders them."""

from __future__ import annotations

import dataclasses
import enum
from collections.abc import Mapping, Sequence

import numpy as np

Place = tuple[int, int]
"""(column from the left, row from the top) of a cell, from 0."""


SIDES = "black connects top and bottom, white left and right"
"""The note of a board with ``edges=(1, 2)``."""


class Shape(enum.StrEnum):
    """Layout of a board's cells."""

    POINTS = "points"  # where lines cross, as in Go
    SQUARES = "squares"
    HEXAGONS = "hexagons"  # each row begins half a cell further right than the row above it


@dataclasses.dataclass(frozen=True, eq=False)
class Stones:
    """A board of stones, or of pieces with names.

    Raises ValueError if its fields do not match each other.
    """

    shape: Shape
    # int8[H, W], top row first: 0 empty, 1 stone of the first player, 2 stone of the second player.
    cells: np.ndarray
    columns: Sequence[str]  # W labels, from the left
    rows: Sequence[str]  # H labels, from the top
    # Marks that belong to the position, such as a ko point; ``jaxsolve.view`` defines their names.
    signs: Mapping[Place, str] = dataclasses.field(default_factory=dict)
    # Owner (1 or 2) of the top and bottom edges, and owner of the left and right edges; None if
    # edges have no owners.
    edges: tuple[int, int] | None = None
    # Names of pieces of several kinds, one or two characters each; on squares only.
    names: Mapping[Place, str] = dataclasses.field(default_factory=dict)
    # Names of the pieces in hand of the first and the second player, in order; None if the game has
    # no pieces in hand.
    hands: tuple[Sequence[str], Sequence[str]] | None = None
    # If only a part of a board is drawn: the place of its upper left cell, and the size of the
    # board.
    part: tuple[Place, Place] | None = None
    note: str = ""  # what the rules say about winning, for text below the board

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
        """The numbers of columns and rows."""
        return len(self.columns), len(self.rows)

    def cut(self, corner: Place, end: Place) -> Stones:
        """Returns the part of the board from ``corner`` up to, not including, ``end``."""
        (left, top), (right, bottom) = corner, end
        return dataclasses.replace(
            self,
            cells=self.cells[top:bottom, left:right],
            columns=self.columns[left:right],
            rows=self.rows[top:bottom],
            signs={
                (x - left, y - top): sign
                for (x, y), sign in self.signs.items()
                if left <= x < right and top <= y < bottom
            },
            part=(corner, self.size),
        )


@dataclasses.dataclass(frozen=True)
class Row:
    """One row of pits or heaps."""

    counters: Sequence[int]  # from the left
    names: Sequence[str]  # of the pits, from the left
    player: int = 0  # owner of the row: 1 or 2; 0 for no owner
    owner: str = ""  # the owner's name in the picture
    stored: int | None = None  # counters that the owner has captured; None if the game has no store

    def __post_init__(self) -> None:
        if len(self.counters) != len(self.names):
            raise ValueError(f"a row of {len(self.counters)} pits has {len(self.names)} names")


@dataclasses.dataclass(frozen=True)
class Counters:
    """Rows of pits or heaps with counters, from the top. All rows have one length."""

    rows: Sequence[Row]

    def __post_init__(self) -> None:
        if len({len(row.names) for row in self.rows}) != 1:
            raise ValueError("a board of counters has rows of one length, and at least one")

    @property
    def size(self) -> Place:
        """The numbers of columns and rows."""
        return len(self.rows[0].names), len(self.rows)


Drawing = Stones | Counters
