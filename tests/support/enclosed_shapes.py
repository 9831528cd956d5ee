"""Random enclosed shapes for tests of life and death.

A shape is an eye space inside one chain of the defender, surrounded by attackers.
"""

from __future__ import annotations

import random
from typing import NamedTuple

from jaxsolve.games.boards.board_text import gtp_point

LARGEST = 7
PLACES = ("corner", "side", "middle")


class Enclosed(NamedTuple):
    """A shape on the smallest board that holds it; points are row-major from the top left."""

    place: str
    size: int
    board: str  # ``<board>`` of the certificate format
    defender: str
    wall: frozenset[int]  # the defender's chain
    region: frozenset[int]  # eye space with its stones, and outside liberties
    eyes: int  # points of the eye space

    def points(self, which: frozenset[int]) -> str:
        """A list of points as rule sets write it."""
        return ",".join(gtp_point(point, self.size) for point in which)


def draw(rng: random.Random) -> Enclosed:
    """A random shape of 2 to 8 points.

    It has up to two stones of either colour inside, and up to two outside liberties.
    """
    while True:
        if rng.random() < 0.4:  # corners allow kos
            place, cells = "corner", _cells(rng, rng.randrange(5, 8), 3)
        else:
            place, cells = rng.choice(PLACES), _cells(rng, rng.randrange(2, 9))
        placed = _placed(rng, cells, place)
        if placed is not None:
            found = _walled(rng, place, *placed)
            if found is not None:
                return found


def _cells(rng: random.Random, count: int, most: int = LARGEST) -> set[tuple[int, int]]:
    """A random connected set of cells within ``most`` rows and columns."""
    cells = {(0, 0)}
    while len(cells) < count:
        row, column = rng.choice(sorted(cells))
        down, right = rng.choice(((0, 1), (1, 0), (0, -1), (-1, 0)))
        new = (row + down, column + right)
        if all(max(abs(cell[axis] - new[axis]) for cell in cells) < most for axis in (0, 1)):
            cells.add(new)
    return cells


def _placed(
    rng: random.Random, cells: set[tuple[int, int]], place: str
) -> tuple[int, set[int]] | None:
    """(board size, points) of the cells, with space for a wall and attackers.

    None if the board would be larger than ``LARGEST``.
    """
    top, left = (min(cell[axis] for cell in cells) for axis in (0, 1))
    high, wide = (
        1 + max(cell[axis] for cell in cells) - low for axis, low in ((0, top), (1, left))
    )
    above, before = (0 if place != "middle" else 2), (0 if place == "corner" else 2)
    size = max(high + above + 2, wide + before + 2)
    if size > LARGEST:
        return None
    if place != "corner":  # anywhere with enough space
        before = rng.randrange(2, size - wide - 1)
    if place == "middle":
        above = rng.randrange(2, size - high - 1)
    return size, {(row - top + above) * size + column - left + before for row, column in cells}


def _beside(size: int, points: set[int] | frozenset[int], diagonals: bool = False) -> set[int]:
    """The points orthogonally, or also diagonally, beside ``points`` and not among them."""
    found = set()
    for point in points:
        row, column = divmod(point, size)
        for down in (-1, 0, 1):
            for right in (-1, 0, 1):
                if (
                    (diagonals or not down or not right)
                    and 0 <= row + down < size
                    and 0 <= column + right < size
                ):
                    found.add((row + down) * size + column + right)
    return found - points


def _connected(size: int, points: set[int]) -> bool:
    reached = {min(points)}
    while grown := _beside(size, reached) & points:
        reached |= grown
    return reached == points


def _walled(rng: random.Random, place: str, size: int, eye_space: set[int]) -> Enclosed | None:
    """The shape with wall, attackers and inner stones.

    None if the wall is not one chain or a chain has no liberty.
    """
    wall = _beside(size, eye_space, diagonals=True)
    if not _connected(size, wall):
        return None
    # Textbook walls lack some corners.
    for point in sorted(wall - _beside(size, eye_space)):
        if rng.random() < 0.4 and _connected(size, wall - {point}):
            wall.discard(point)
    outside = set(range(size * size)) - wall - eye_space
    near = sorted(outside & _beside(size, wall))
    liberties = set(rng.sample(near, min(len(near), rng.randrange(3))))
    far = sorted(outside - set(near))
    air = set(rng.sample(far, rng.randint(1, min(2, len(far))))) if far else set()
    attackers = outside - liberties - air
    inside = rng.sample(sorted(eye_space), min(len(eye_space) - 1, rng.randrange(5)))
    own = set(inside[: rng.randrange(3)])
    theirs = set(inside) - own if len(set(inside) - own) < 3 else set(inside[-2:]) - own
    stones = {
        **dict.fromkeys(wall | own, "defender"),
        **dict.fromkeys(attackers | theirs, "attacker"),
    }
    if not _all_breathe(size, stones):
        return None
    defender = rng.choice(("black", "white"))
    signs = dict(zip(("defender", "attacker"), "XO" if defender == "black" else "OX", strict=True))
    cells = "".join(
        signs[stones[point]] if point in stones else "." for point in range(size * size)
    )
    board = "/".join(cells[row * size : (row + 1) * size] for row in range(size))
    return Enclosed(
        place,
        size,
        board,
        defender,
        frozenset(wall),
        frozenset(eye_space | liberties),
        len(eye_space),
    )


def _all_breathe(size: int, stones: dict[int, str]) -> bool:
    """Whether every chain has a liberty."""
    for side in ("defender", "attacker"):
        breathing = {
            point
            for point, owner in stones.items()
            if owner == side and _beside(size, {point}) - stones.keys()
        }
        own = {point for point, owner in stones.items() if owner == side}
        while grown := _beside(size, breathing) & own:
            breathing |= grown
        if breathing != own:
            return False
    return True
