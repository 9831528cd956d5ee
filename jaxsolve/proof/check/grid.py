"""Sets of points of a square board as bits of an int (*masks*), in the order of the board's text.

The text of a board is its rows from the top, joined by ``/``. Character i of the text is bit
``length - 1 - i`` of a mask. The bits of the ``/`` are always 0. Therefore a shift by one bit never
leads from one row to the next, and one call of ``int`` reads a mask from a text.
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
    """Yields the bits of ``mask``, each as a mask of one point, lowest first."""
    while mask:
        low = mask & -mask
        yield low
        mask ^= low


class Grid:
    """An N x N board: names of its points, operations on masks, and reading and writing of text.

    ``names`` gives the name of a bit, ``bit_of`` the bit of a name, and ``full`` is the mask of all
    points.
    """

    def __init__(self, size: int, name: Callable[[int, int], str]):
        """Makes a board of ``size`` x ``size`` points.

        ``name(column, row)`` is the name of a point. Columns count from the left, rows from the
        top, both from 0.
        """
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
        """Returns the mask of a row; rows count from the top, from 0."""
        return sum(self._bit(row, column) for column in range(self.size))

    def column(self, column: int) -> int:
        """Returns the mask of a column; columns count from the left, from 0."""
        return sum(self._bit(row, column) for row in range(self.size))

    def stones(self, board: str) -> tuple[int, int]:
        """Returns the masks of both players' stones; ``board`` is a well-formed text."""
        return int(board.translate(_BLACK), 2), int(board.translate(_WHITE), 2)

    def put(self, board: str, bit: int, stone: str) -> str:
        """Returns the text of the board with the character at ``bit`` replaced by ``stone``."""
        index = self.length - bit.bit_length()
        return board[:index] + stone + board[index + 1 :]

    def point(self, text: str) -> int:
        """Returns the bit of the point with the name ``text``. Raises Refused if there is none."""
        try:
            return self.bit_of[text]
        except KeyError:
            raise Refused(f"{show(text)} is not a point of the board") from None

    def points(self, text: str) -> int:
        """Returns the mask of a comma-separated list of points.

        The points must be in order: by row from the bottom, then by column from the left.
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
        """Returns the points of a mask as a comma-separated list, the inverse of ``points``."""
        return ",".join(sorted(map(self.names.__getitem__, bits(mask)), key=self._rank.__getitem__))

    def near(self, mask: int) -> int:
        """Returns the mask of the orthogonal neighbours of the points in ``mask``.

        The result may have bits that are no points of the board.
        """
        stride = self.stride
        return mask << 1 | mask >> 1 | mask << stride | mask >> stride

    def flood(self, seed: int, within: int) -> int:
        """Returns the points of ``within`` that are connected to ``seed`` inside ``within``.

        Connections are orthogonal. ``seed`` must be a subset of ``within``.
        """
        stride = self.stride
        grown = (seed | seed << 1 | seed >> 1 | seed << stride | seed >> stride) & within
        while grown != seed:
            seed = grown
            grown = (seed | seed << 1 | seed >> 1 | seed << stride | seed >> stride) & within
        return seed

    def components(self, mask: int) -> Iterator[int]:
        """Yields the orthogonally connected components of ``mask``."""
        while mask:
            part = self.flood(mask & -mask, mask)
            yield part
            mask ^= part


def gtp(size: int) -> Grid:
    """Returns a board with GTP's names of points: columns A..T without I, row 1 at the bottom."""
    return Grid(size, lambda column, row: f"{GTP_COLUMNS[column]}{size - row}")
