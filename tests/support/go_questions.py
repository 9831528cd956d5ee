"""Random small questions of life and death, small enough for retrograde analysis."""

from __future__ import annotations

import random

import numpy as np

from jaxsolve.games import make
from jaxsolve.games.go.text import points_text
from jaxsolve.search import Verdict
from support.oracles import minimax
from support.search import claims

KO = ("allow", "forbid")


def task(rng: random.Random, size: int, eyes: str):
    """A random question with few playable points."""
    region = blob(rng, size, rng.randrange(4, 8))
    crucial = (
        "any"
        if rng.random() < 0.4
        else points_text(size, rng.sample(range(size * size), rng.randrange(1, 4)))
    )
    goal, defender = rng.choice(("live", "kill")), rng.choice(("black", "white"))
    ko = f"ko_black={rng.choice(KO)};ko_white={rng.choice(KO)}"
    return make(
        f"tsumego-{size};fill_eyes={eyes};goal={goal};defender={defender};crucial={crucial};"
        f"region={points_text(size, region)};{ko}"
    )


def blob(rng: random.Random, size: int, count: int) -> set[int]:
    """A random connected set of points."""
    points = {rng.randrange(size * size)}
    while len(points) < count:
        row, column = divmod(rng.choice(sorted(points)), size)
        row, column = row + rng.choice((-1, 0, 1)), column + rng.choice((-1, 0, 1))
        if 0 <= row < size and 0 <= column < size:
            points.add(row * size + column)
    return points


def position(rng: random.Random, game):
    """A board full of stones except for a few points, most of them in the region.

    None if it is not a position, or the game is over.
    """
    owner, inside = "X" if game.defender == "black" else "O", set(game.region_points)
    cells = [rng.choice("XO") for _ in range(game.size**2)]
    for point in range(game.size**2):
        if point in game.crucial_points:
            cells[point] = owner
        elif rng.random() < (0.7 if point in inside else 0.12):
            cells[point] = "."
    rows = ["".join(cells[row * game.size : (row + 1) * game.size]) for row in range(game.size)]
    try:
        state = game.parse(f"{'/'.join(rows)} {rng.choice('bw')}")
    except ValueError:
        return None
    return state if int(game.kernel.outcome(state)) == 0 else None


def questions(rng: random.Random, draw):
    """Endless random questions of the games that ``draw`` returns.

    Yields (game, state, claim, verdict of retrograde analysis).
    """
    while True:
        game = draw()
        state = position(rng, game)
        if state is None:
            continue
        try:
            graph = minimax.Graph(game, [np.asarray(game.pack(state))], 6_000)
        except minimax.TooLarge:
            continue
        for claim in claims(game):
            verdict = Verdict.UNKNOWN
            if graph.forced(claim)[0]:
                verdict = Verdict.PROVED
            elif graph.forced(claim.opposite(False))[0]:
                verdict = Verdict.DISPROVED
            yield game, state, claim, verdict
