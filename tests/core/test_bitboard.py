"""Bitboards: every operation equals the plain set operation on boolean arrays."""

import functools
import itertools
import os

import jax
import numpy as np
import pytest

from jaxsolve.core import action_sets
from jaxsolve.core.bitboard import LINES, NEIGHBOURS, Grid

LONG = os.environ.get("JAXSOLVE_LONG") == "1"
SQUARES = [(n, n) for n in range(1, 20)]
SHAPES = [*SQUARES, (1, 9), (19, 2), (5, 8), (7, 16), (16, 7), (3, 31)]
FEW = [(1, 1), (3, 5), (6, 4), (9, 9), (15, 15), (19, 19), (4, 31)]
# Every number of rows per word: 1, 2, 3, 4, 5, 6, 16.
SOME = SHAPES if LONG else [*FEW, (7, 7), (10, 10), (11, 11), (16, 7)]


def mixed(shapes: list, values: list) -> list:
    """Every shape with every value in the long run, else every shape once with the next value.

    Compilation takes most of the time of these tests.
    """
    return (
        list(itertools.product(shapes, values))
        if LONG
        else list(zip(shapes, itertools.cycle(values), strict=False))
    )


def boards(height: int, width: int, count: int = 6, seed: int = 0) -> np.ndarray:
    """bool[count, height, width] with densities from empty to full."""
    rng = np.random.default_rng((seed, height, width))
    density = np.linspace(0, 1, count)[:, None, None]
    return rng.random((count, height, width)) < density


def moved(member: np.ndarray, rows: int, columns: int) -> np.ndarray:
    """The points shifted one by one."""
    out = np.zeros_like(member)
    for r, c in np.argwhere(member):
        if 0 <= r + rows < member.shape[0] and 0 <= c + columns < member.shape[1]:
            out[r + rows, c + columns] = True
    return out


def flooded(seeds: np.ndarray, mask: np.ndarray, neighbours: int) -> np.ndarray:
    """The points of ``mask`` connected to a seed, by depth-first search."""
    out, stack = np.zeros_like(mask), [tuple(p) for p in np.argwhere(seeds & mask)]
    while stack:
        r, c = stack.pop()
        if 0 <= r < mask.shape[0] and 0 <= c < mask.shape[1] and mask[r, c] and not out[r, c]:
            out[r, c] = True
            stack += [(r + dr, c + dc) for dr, dc in NEIGHBOURS[neighbours]]
    return out


def plain(grid: Grid, packed) -> np.ndarray:
    """bool[..., height, width] of packed sets (words last), without the code under test."""
    bits = np.asarray(packed)[..., grid.word_of] >> grid.bit_of.astype(np.uint32) & 1
    return bits.astype(bool).reshape(*bits.shape[:-1], grid.height, grid.width)


def first_point(mask: np.ndarray) -> np.ndarray:
    out = np.zeros_like(mask)
    if mask.any():
        out.flat[np.argmax(mask)] = True
    return out


def in_both_layouts(grid: Grid, member: np.ndarray):
    """(grid, packed boards, function that moves words last), with words last, then first."""
    packed = np.stack([grid.constant(m) for m in member])
    yield grid, packed, lambda x: np.asarray(x)
    yield (
        Grid(grid.height, grid.width, axis=0),
        packed.T,
        lambda x: np.moveaxis(np.asarray(x), 0, -1),
    )


@pytest.mark.short(4)
@pytest.mark.parametrize("shape", SOME)
def test_forms_convert_into_each_other(shape):
    grid, member = Grid(*shape), boards(*shape)
    packed = jax.jit(grid.from_bool)(member)
    assert packed.shape == (6, grid.words) and packed.dtype == np.uint32
    np.testing.assert_array_equal(jax.jit(grid.to_bool)(packed), member)
    for g, x, back in in_both_layouts(grid, member):
        actions, again = jax.jit(lambda x, g=g: (g.to_actions(x), g.from_actions(g.to_actions(x))))(
            x
        )
        np.testing.assert_array_equal(back(again), packed)
        np.testing.assert_array_equal(
            back(actions), action_sets.bool_to_actions(member.reshape(6, -1))
        )
        np.testing.assert_array_equal(
            action_sets.actions_to_bool(back(actions), grid.points), member.reshape(6, -1)
        )
    np.testing.assert_array_equal(grid.constant(member[2]), packed[2])
    np.testing.assert_array_equal(np.asarray(packed) & ~grid.board, 0)


@pytest.mark.short(3)
@pytest.mark.parametrize("shape", SOME)
def test_single_points(shape):
    grid, member = Grid(*shape), boards(*shape)
    packed = np.stack([grid.constant(m) for m in member])
    every = np.arange(grid.points)
    outside = np.array([-1, grid.points, grid.points + 7, 10**6, -(10**6)])
    points, none, inside = jax.jit(
        lambda a: (
            grid.to_bool(grid.point(a)),
            grid.point(outside),
            jax.vmap(lambda p: grid.contains(packed[2], p))(a),
        )
    )(every)
    np.testing.assert_array_equal(points.reshape(grid.points, -1), np.eye(grid.points, dtype=bool))
    assert not np.any(none)
    np.testing.assert_array_equal(inside, member[2].ravel())
    least = [int(np.argmax(m)) if m.any() else -1 for m in member]
    for g, x, back in in_both_layouts(grid, member):
        lowest_action, count, some, lowest, inverse = jax.jit(
            lambda x, g=g: (
                g.lowest_action(x),
                g.count(x),
                g.any(x),
                g.to_bool(g.lowest(x)),
                g.to_bool(g.invert(x)),
            )
        )(x)
        np.testing.assert_array_equal(lowest_action, least)
        np.testing.assert_array_equal(count, member.sum((1, 2)))
        np.testing.assert_array_equal(some, member.any((1, 2)))
        np.testing.assert_array_equal(
            back(lowest) if g.axis == -1 else np.moveaxis(lowest, -1, 0),
            [first_point(m) for m in member],
        )
        np.testing.assert_array_equal(
            back(inverse) if g.axis == -1 else np.moveaxis(inverse, -1, 0), ~member
        )
    np.testing.assert_array_equal(
        jax.jit(lambda x: action_sets.lowest_action(grid.to_actions(x)))(packed), least
    )


@pytest.mark.parametrize("shape", SOME)
def test_dilate_equals_brute_force(shape):
    grid, member = Grid(*shape), boards(*shape)
    expected = {
        k: member | np.any([[moved(m, *s) for m in member] for s in steps], axis=0)
        for k, steps in NEIGHBOURS.items()
    }
    for g, x, back in in_both_layouts(grid, member):
        got = jax.jit(lambda x, g=g: {k: (g.dilate(x, k), g.adjacent(x, k)) for k in NEIGHBOURS})(x)
        for k, (grown, around) in got.items():
            np.testing.assert_array_equal(plain(grid, back(grown)), expected[k])
            np.testing.assert_array_equal(plain(grid, back(around)), expected[k] & ~member)


@pytest.mark.short(3)
@pytest.mark.parametrize("shape", FEW)
def test_shift_equals_brute_force(shape):
    grid, member = Grid(*shape), boards(*shape)
    sides = [sorted({0, 1, min(2, n - 1), min(4, n), n - 1, n}) for n in shape]
    moves = {(a * r, b * c) for r, c in itertools.product(*sides) for a in (1, -1) for b in (1, -1)}
    for g, x, back in in_both_layouts(grid, member):
        shifted = jax.jit(lambda x, g=g: [g.shift(x, *move) for move in sorted(moves)])(x)
        for move, got in zip(sorted(moves), shifted, strict=True):
            np.testing.assert_array_equal(plain(grid, back(got)), [moved(m, *move) for m in member])


@pytest.mark.short(8)
@pytest.mark.parametrize(("shape", "neighbours"), mixed(SHAPES, [4, 6, 8]))
def test_flood_equals_brute_force(shape, neighbours):
    grid = Grid(*shape)
    mask, seeds = boards(*shape, count=8, seed=1), boards(*shape, count=8, seed=2)[::-1]
    seeds = seeds & (np.random.default_rng(3).random(seeds.shape) < 0.2)
    expected = [flooded(s, m, neighbours) for s, m in zip(seeds, mask, strict=True)]
    seeds, mask = (np.stack([grid.constant(m) for m in sets]) for sets in (seeds, mask))
    flood = functools.partial(grid.flood, neighbours=neighbours)
    got, one_by_one = jax.jit(lambda s, m: (flood(s, m), jax.vmap(flood)(s, m)))(seeds, mask)
    np.testing.assert_array_equal(plain(grid, got), expected)
    np.testing.assert_array_equal(one_by_one, got)


def test_flood_fills_a_spiral():
    rows = [
        "#########",
        "........#",
        "#######.#",
        "#.....#.#",
        "#.###.#.#",
        "#.#...#.#",
        "#.#####.#",
        "#.......#",
        "#########",
    ]
    mask = np.array([[c == "#" for c in row] for row in rows])
    grid, seeds = Grid(9, 9), np.zeros((9, 9), bool)
    seeds[0, 0] = True
    got = grid.to_bool(grid.flood(grid.from_bool(seeds), grid.from_bool(mask)))
    np.testing.assert_array_equal(got, mask)


@pytest.mark.parametrize(("shape", "neighbours"), mixed(FEW, [4, 6, 8]))
def test_components_partition_the_set(shape, neighbours):
    grid, member = Grid(*shape), boards(*shape, count=4, seed=4)
    mask, limit = np.stack([grid.constant(m) for m in member]), 12
    parts = np.asarray(jax.jit(lambda m: grid.components(m, limit, neighbours))(mask))
    labels = np.asarray(jax.jit(lambda m: grid.labels(m, neighbours))(mask))
    for b, rest in enumerate(member.copy()):
        expected = np.full(shape, -1)
        for k in itertools.count():
            part = flooded(first_point(rest), rest, neighbours)
            if k < limit:
                np.testing.assert_array_equal(plain(grid, parts[k, b]), part)
            if not part.any():
                break
            expected[part], rest = np.argmax(part), rest & ~part
        np.testing.assert_array_equal(labels[b], expected)


@pytest.mark.parametrize(("shape", "length"), mixed(FEW, [1, 2, 3, 5, 6]))
def test_windows_equal_brute_force(shape, length):
    grid, member = Grid(*shape), boards(*shape)
    member[4:] |= boards(*shape, seed=9)[4:]
    expected = np.ones((4, *member.shape), bool)
    for d, (rows, columns) in enumerate(LINES):
        for step in range(length):
            expected[d] &= [moved(m, -rows * step, -columns * step) for m in member]
    for g, x, back in in_both_layouts(grid, member):
        got = np.asarray(jax.jit(lambda x, g=g: g.lines(x, length))(x))
        np.testing.assert_array_equal([plain(grid, back(line)) for line in got], expected)


def test_bad_shapes_are_refused():
    for height, width in ((0, 5), (5, 32), (-1, 5)):
        with pytest.raises(ValueError, match="outside"):
            Grid(height, width)
    with pytest.raises(AssertionError):
        Grid(9, 9).dilate(np.zeros((2, 4), np.uint32))
    with pytest.raises(AssertionError):
        Grid(9, 9).flood(np.zeros(3, np.int32), np.zeros(3, np.uint32))
    with pytest.raises(ValueError, match="neighbours"):
        Grid(9, 9).dilate(np.zeros(3, np.uint32), 5)
    with pytest.raises(ValueError, match="direction"):
        Grid(9, 9).windows(np.zeros(3, np.uint32), 5, (2, 1))


def test_grid_is_a_static_argument_that_does_not_retrace():
    import chex

    @jax.jit
    @chex.assert_max_traces(n=1)
    def grown(x):
        return Grid(9, 9).dilate(x)

    for seed in range(3):
        grown(Grid(9, 9).from_bool(boards(9, 9, seed=seed)))
    assert hash(Grid(9, 9)) == hash(Grid(9, 9)) and Grid(9, 9) != Grid(9, 10)
