"""Random small fights, enclosed and open, with regions drawn around them, and their truth."""

from __future__ import annotations

import random
from collections.abc import Iterator
from typing import NamedTuple

from jaxsolve.games.boards.board_text import gtp_point
from jaxsolve.proof.check import grid as grids
from jaxsolve.tsumego import regions, setup
from jaxsolve.tsumego.regions import Board
from jaxsolve.tsumego.task import Task, make_task
from support import enclosed_shapes, ko_problems
from support.go_questions import blob
from support.oracles.life_and_death import Exhaustive, TooLarge

MOST_EMPTY = 9  # points of a region
MORE_EMPTY = 3  # empty points that a wider region may add
EDGES = {5: (".X.X.", "X.X.X"), 6: (".X.X..", "X.XX.X")}  # outermost row behind a wall


class Fight(NamedTuple):
    """A board and the crucial stones."""

    kind: str
    board: str
    crucial: str

    @property
    def size(self) -> int:
        return self.board.count("/") + 1

    @property
    def stones(self) -> Board:
        return regions.board_of(grids.gtp(self.size), self.board)

    @property
    def mask(self) -> int:
        """The crucial stones."""
        return self.stones.grid.points(self.crucial)

    @property
    def defender(self) -> int:
        return 0 if self.mask & self.stones.stones[0] else 1

    def task(self, region: int) -> Task:
        given = setup.read(f"{self.board} b", f"tsumego-{self.size}", {})
        return make_task(given, self.crucial, names(self.stones, region))

    def solved(self, region: int, limit: int) -> Exhaustive | None:
        """The truth inside a region; None if it is too large, or the game is over."""
        inside = names(self.stones, region).split(",")
        try:
            found = Exhaustive(self.board, self.crucial.split(","), inside, limit)
        except TooLarge:
            return None
        return None if found.over else found


def names(stones: Board, mask: int) -> str:
    return stones.grid.list(mask)


# ---- boards --------------------------------------------------------------------------------------
def fights(rng: random.Random, sizes: tuple[int, ...]) -> Iterator[Fight]:
    """Endless fights of four kinds on boards of these sizes."""
    while True:
        kind = rng.choice((_enclosed, _walled, _open, _ko))
        found = kind(rng, sizes)
        if found is not None:
            yield found


def _enclosed(rng: random.Random, sizes: tuple[int, ...]) -> Fight | None:
    """An eye space in one chain, surrounded by attackers."""
    shape = enclosed_shapes.draw(rng)
    if shape.size not in sizes:
        return None
    board = shape.board
    if rng.random() < 0.4:  # the attackers have gaps
        cells = list(board)
        mine = "X" if shape.defender == "white" else "O"
        places = [at for at, cell in enumerate(cells) if cell == mine]
        for at in rng.sample(places, min(len(places), rng.randrange(1, 4))):
            cells[at] = rng.choice("." + ".XO".replace(mine, ""))
        board = "".join(cells)
    return _checked("enclosed", board, gtp_point(min(shape.wall), shape.size))


def _walled(rng: random.Random, sizes: tuple[int, ...]) -> Fight | None:
    """Random stones below a wall of the attacker that has eyes, or nearly, on the other side."""
    size = rng.choice([size for size in sizes if size in EDGES] or [5])
    edge = rng.choice(EDGES[size])
    if rng.random() < 0.6:
        edge = "".join(rng.choice("O.") if cell == "." else cell for cell in edge)
    wall = "".join("X" if rng.random() < 0.95 else rng.choice(".O") for _ in range(size))
    weights = rng.choice(((4, 4, 2), (3, 5, 3), (5, 4, 3)))
    below = ["".join(rng.choices(".OX", weights, k=size)) for _ in range(size - 2)]
    if size == 6:
        below[-1] = "".join("X" if cell == "." else cell for cell in below[-1])
    board = "/".join([edge, wall, *below])
    if rng.random() < 0.5:
        board = board.translate(str.maketrans("XO", "OX"))
        return _with_chain(rng, "walled", board, 0)
    return _with_chain(rng, "walled", board, 1)


def _open(rng: random.Random, sizes: tuple[int, ...]) -> Fight | None:
    """Stones at random."""
    size = rng.choice(sizes)
    empty = rng.uniform(0.15, 0.4)
    rows = [
        "".join("." if rng.random() < empty else rng.choice("XO") for _ in range(size))
        for _ in range(size)
    ]
    return _with_chain(rng, "open", "/".join(rows), rng.randrange(2))


def _ko(rng: random.Random, sizes: tuple[int, ...]) -> Fight | None:
    """A ko problem with up to two other points."""
    problem = rng.choice(ko_problems.problems())
    cells = list(problem.board)
    places = [at for at, cell in enumerate(cells) if cell != "/"]
    for at in rng.sample(places, rng.randrange(3)):
        cells[at] = rng.choice(".XO")
    size, board = problem.board.count("/") + 1, "".join(cells)
    stones = regions.board_of(grids.gtp(size), board)
    if size not in sizes or not stones.grid.point(problem.crucial) & ~stones.empty:
        return None
    return _checked("ko", board, problem.crucial)


def _with_chain(rng: random.Random, kind: str, board: str, defender: int) -> Fight | None:
    places = [at for at, cell in enumerate(board.replace("/", "")) if cell == "XO"[defender]]
    if not places:
        return None
    return _checked(kind, board, gtp_point(rng.choice(places), board.count("/") + 1))


def _checked(kind: str, board: str, crucial: str) -> Fight | None:
    """The fight, unless a chain has no liberty."""
    found = Fight(kind, board, crucial)
    stones = found.stones
    chains = [chain for player in (0, 1) for chain in stones.chains(player, stones.grid.full)]
    return found if all(stones.liberties(chain) for chain in chains) else None


# ---- regions -------------------------------------------------------------------------------------
def draw_region(rng: random.Random, fight: Fight) -> int | None:
    """A region around the crucial stones; None if it is too large, or has no empty point."""
    stones, grid = fight.stones, fight.stones.grid
    closed = regions.enclosed(stones, fight.defender, fight.mask)
    how = rng.random()
    if how < 0.55:
        found = closed
    elif how < 0.75:
        found = closed ^ sum(rng.sample(_points(closed), min(2, closed.bit_count())))
    else:
        chain = sum(stones.chains(fight.defender, fight.mask))
        found = chain | stones.liberties(chain) | _blob(rng, fight)
    empty = found & stones.empty
    if how < 0.55 and rng.random() < 0.2:
        found |= _blob(rng, fight)
    return found if 0 < empty.bit_count() <= MOST_EMPTY and found & grid.full else None


def widen(rng: random.Random, fight: Fight, region: int) -> int | None:
    """A region with further points, at random up to the whole board; None if it is too large."""
    how, full, empty = rng.random(), fight.stones.grid.full, fight.stones.empty
    outside = _points(empty & ~region)
    wide = region | sum(rng.sample(outside, min(len(outside), rng.randrange(1, 4))))
    if how < 0.4:
        wide |= _blob(rng, fight)
    elif how < 0.5:
        wide = full
    added = wide & ~region & empty
    return wide if 0 < added.bit_count() <= MORE_EMPTY else None


def _blob(rng: random.Random, fight: Fight) -> int:
    grid, size = fight.stones.grid, fight.size
    return sum(grid.point(gtp_point(p, size)) for p in blob(rng, size, rng.randrange(1, 6)))


def _points(mask: int) -> list[int]:
    return list(grids.bits(mask))
