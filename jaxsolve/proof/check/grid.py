"""Square boards as bit sets in the order of their text.

The text of a board is its rows from the top, joined by ``/``. Character i is bit
``length - 1 - i``. The bits of the ``/`` are always clear, so a shift by one never wraps from row
to row, and a board is read by one ``int(text, 2)``.
"""

from __future__ import annotations

import operator
from collections.abc import Callable, Iterator

from jaxsolve.proof.check.errors import Refused, show

GTP_COLUMNS = "ABCDEFGHJKLMNOPQRST"
STONES = "XO"

_BLACK = str.maketrans("XO./", "1000")
_WHITE = str.maketrans("XO./", "0100")


def bits(mask: int) -> Iterator[int]:
    """The bits of ``mask`` one by one, lowest first."""
    while mask:
        low = mask & -mask
        yield low
        mask ^= low


class Grid:
    """Geometry of an N x N board: names, bits and neighbours."""

    def __init__(self, size: int, name: Callable[[int, int], str]):
        """``name(column, row)`` names a point: column from the left, row from the top, from 0."""
        self.size = size
        self.stride = size + 1
        self.length = size * self.stride - 1
        self.names = {
            self._bit(row, column): name(column, row)
            for row in range(size)
            for column in range(size)
        }
        self.bit_of = {text: bit for bit, text in self.names.items()}
        self.full = sum(self.names)
        self._rank = {
            self.names[self._bit(row, column)]: (size - row) * size + column
            for row in range(size)
            for column in range(size)
        }
        self.pattern = rf"(?:[.XO]{{{size}}}/){{{size - 1}}}[.XO]{{{size}}}"

    def _bit(self, row: int, column: int) -> int:
        return 1 << (self.length - 1 - row * self.stride - column)

    def row(self, row: int) -> int:
        """Mask of a row from the top."""
        return sum(self._bit(row, column) for column in range(self.size))

    def column(self, column: int) -> int:
        """Mask of a column from the left."""
        return sum(self._bit(row, column) for row in range(self.size))

    def stones(self, board: str) -> tuple[int, int]:
        """Masks of the first and the second player's stones on a board of well-formed text."""
        return int(board.translate(_BLACK), 2), int(board.translate(_WHITE), 2)

    def put(self, board: str, bit: int, stone: str) -> str:
        """``board`` with the character of one point replaced."""
        index = self.length - bit.bit_length()
        return board[:index] + stone + board[index + 1 :]

    def point(self, text: str) -> int:
        """The bit of a point's canonical name."""
        try:
            return self.bit_of[text]
        except KeyError:
            raise Refused(f"{show(text)} is not a point of the board") from None

    def points(self, text: str) -> int:
        """Mask of a comma-separated list of points.

        They must be in order: by row from the bottom, then by column from the left.
        """
        names = text.split(",")
        try:
            ranks = [self._rank[name] for name in names]
        except KeyError as error:
            raise Refused(f"{show(error.args[0])} is not a point of the board") from None
        if not all(map(operator.lt, ranks, ranks[1:])):
            raise Refused(
                f"the points {show(text)} are not in order,"
                " by row from the bottom and then by column, each once"
            )
        return sum(map(self.bit_of.__getitem__, names))

    def list(self, mask: int) -> str:
        """The list of the points of a mask, the inverse of ``points``."""
        rows = (mask & self.row(row) for row in reversed(range(self.size)))
        return ",".join(self.names[bit] for row in rows for bit in reversed(tuple(bits(row))))

    def near(self, mask: int) -> int:
        """Orthogonal neighbours of a mask. May contain bits off the board."""
        stride = self.stride
        return mask << 1 | mask >> 1 | mask << stride | mask >> stride

    def flood(self, seed: int, within: int) -> int:
        """The points of ``within`` connected orthogonally to ``seed``, a subset of ``within``."""
        stride = self.stride
        grown = (seed | seed << 1 | seed >> 1 | seed << stride | seed >> stride) & within
        while grown != seed:
            seed = grown
            grown = (seed | seed << 1 | seed >> 1 | seed << stride | seed >> stride) & within
        return seed

    def components(self, mask: int) -> Iterator[int]:
        """The orthogonally connected components of ``mask``."""
        while mask:
            part = self.flood(mask & -mask, mask)
            yield part
            mask ^= part


def gtp(size: int) -> Grid:
    """A board with the names of GTP: columns A..T without I, row 1 at the bottom."""
    return Grid(size, lambda column, row: f"{GTP_COLUMNS[column]}{size - row}")
