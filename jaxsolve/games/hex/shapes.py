"""Connected sets of cells of the hexagonal lattice, their boundaries and symmetries.

A cell is a pair (row, column), its neighbours are one of ``STEPS`` away. The lattice has no edges.

A *box* is the 7x7 block around a cell. A set of cells of a box is a 49-bit mask: the cell that is
``r`` rows below and ``c`` columns right of the middle cell has bit ``7 * (r + 3) + c + 3``. Boxes
only hold cells at a distance of at most ``RADIUS`` from the middle.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable

import numpy as np

from jaxsolve.games.hex.bridges import STEPS

Cell = tuple[int, int]
Shape = tuple[Cell, ...]  # sorted

RADIUS = 3
BOX = 2 * RADIUS + 1
MIDDLE: Cell = (0, 0)
BOX_CELLS = [
    (r, c)
    for r in range(-RADIUS, RADIUS + 1)
    for c in range(-RADIUS, RADIUS + 1)
    if abs(r + c) <= RADIUS
]
"""The 37 cells of a box."""


def neighbours(cell: Cell) -> list[Cell]:
    """Returns the six neighbours of a cell, in circular order."""
    return [(cell[0] + r, cell[1] + c) for r, c in STEPS]


def distance(one: Cell, other: Cell) -> int:
    """Returns the number of steps between two cells."""
    r, c = other[0] - one[0], other[1] - one[1]
    return max(abs(r), abs(c), abs(r + c))


def boundary(shape: Iterable[Cell]) -> Shape:
    """Returns the cells next to a shape, outside it."""
    inside = set(shape)
    return tuple(sorted({near for cell in inside for near in neighbours(cell)} - inside))


def connected(shape: Shape) -> bool:
    """Whether a shape has cells, and steps inside it join any two of them."""
    left, todo = set(shape[1:]), list(shape[:1])
    while todo:
        for near in neighbours(todo.pop()):
            if near in left:
                left.remove(near)
                todo.append(near)
    return bool(shape) and not left


def _symmetry(turns: int, mirrored: bool) -> Callable[[Cell], Cell]:
    def image(cell: Cell) -> Cell:
        r, c = cell[::-1] if mirrored else cell
        for _ in range(turns):
            r, c = r + c, -r
        return r, c

    return image


SYMMETRIES = [_symmetry(turns, mirrored) for mirrored in (False, True) for turns in range(6)]
"""The 12 rotations and reflections of the lattice that keep the cell (0, 0)."""


def placed(shape: Iterable[Cell]) -> Shape:
    """Returns a shape, sorted and moved such that its first cell is (0, 0)."""
    cells = sorted(shape)
    r, c = cells[0]
    return tuple((row - r, column - c) for row, column in cells)


def canonical(shape: Shape) -> tuple[Shape, int]:
    """Returns the least image of a shape and the number of a symmetry that leads to it."""
    return min((placed(map(image, shape)), at) for at, image in enumerate(SYMMETRIES))


def free_shapes(count: int) -> list[Shape]:
    """Returns the connected shapes of ``count`` cells, one of each class of images."""
    found: set[Shape] = {((0, 0),)}
    for _ in range(count - 1):
        found = {canonical((*shape, near))[0] for shape in found for near in boundary(shape)}
    return sorted(found)


def mask_of(cells: Iterable[Cell], middle: Cell = MIDDLE) -> int:
    """Returns the mask of cells in the box around ``middle``.

    Raises:
      ValueError: a cell is more than ``RADIUS`` steps from ``middle``.
    """
    mask = 0
    for cell in cells:
        if distance(middle, cell) > RADIUS:
            raise ValueError(f"{cell} is more than {RADIUS} steps from {middle}")
        mask |= 1 << BOX * (cell[0] - middle[0] + RADIUS) + cell[1] - middle[1] + RADIUS
    return mask


def image_masks(masks: np.ndarray) -> np.ndarray:
    """Returns uint64[12, ...]: the images of box masks uint64[...] under each symmetry."""
    images = np.zeros((len(SYMMETRIES), *masks.shape), np.uint64)
    for at, image in enumerate(SYMMETRIES):
        for cell in BOX_CELLS:
            bit, moved = (np.uint64(mask_of([x]).bit_length() - 1) for x in (cell, image(cell)))
            images[at] |= (masks >> bit & np.uint64(1)) << moved
    return images
