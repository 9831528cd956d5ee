"""Searches that leave replies out by zones answer as retrograde analysis does, and every certificate is accepted."""

from __future__ import annotations

import gzip
import random
from collections import Counter

import minimax
import numpy as np
import pytest
from search_tools import LONG, claims, run, settings

from jaxsolve.evaluate import shared_evaluator
from jaxsolve.formats import problems
from jaxsolve.games import make
from jaxsolve.games.go.notation import points_text
from jaxsolve.search import Limits, Verdict, solve

KO = ("allow", "forbid")


def task(rng: random.Random, size: int, eyes: str):
    """A random question in which few points can be played."""
    region = blob(rng, size, rng.randrange(4, 8))
    crucial = "any" if rng.random() < 0.4 else points_text(size, rng.sample(range(size * size), rng.randrange(1, 4)))
    goal, defender = rng.choice(("live", "kill")), rng.choice(("black", "white"))
    ko = f"ko_black={rng.choice(KO)};ko_white={rng.choice(KO)}"
    return make(f"tsumego-{size};fill_eyes={eyes};goal={goal};defender={defender};crucial={crucial};region={points_text(size, region)};{ko}")


def blob(rng: random.Random, size: int, count: int) -> set[int]:
    points = {rng.randrange(size * size)}
    while len(points) < count:
        row, column = divmod(rng.choice(sorted(points)), size)
        row, column = row + rng.choice((-1, 0, 1)), column + rng.choice((-1, 0, 1))
        if 0 <= row < size and 0 <= column < size:
            points.add(row * size + column)
    return points


def position(rng: random.Random, game):
    """A board full of chains but for a few points, most of them in the region; None where that is none, or the game is over."""
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
    """Without end: (game, state, claim, the verdict of retrograde analysis) for random positions of the games that ``draw`` makes."""
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
            forced, prevented = bool(graph.forced(claim)[0]), bool(graph.forced(claim.opposite(False))[0])
            yield game, state, claim, Verdict.PROVED if forced else Verdict.DISPROVED if prevented else Verdict.UNKNOWN


@pytest.mark.parametrize(("size", "eyes"), [(4, "true"), (5, "false"), (5, "true")])
def test_answers_are_those_of_retrograde_analysis(size, eyes, tmp_path, monkeypatch):
    if (size, eyes) == (5, "false"):  # begun anew again and again
        monkeypatch.setattr("jaxsolve.search.search.FIRST_ATTEMPT", 6)
    rng, seen, zoned = random.Random(size), Counter(), 0
    turn = settings(nodes=(None, 96), waves=(1, 32))
    for game, state, claim, right in questions(rng, lambda: task(rng, size, eyes)):
        setting = next(turn)
        got = run(game, state, claim, setting, tmp_path, 200_000, evaluator=shared_evaluator(game))
        assert got.verdict is right, (game.rule_set, game.text(state), claim, setting)
        seen[right] += 1
        if got.result.certificate:
            zoned += b'"zone"' in gzip.decompress(got.result.certificate.read_bytes())
        if sum(seen.values()) >= (3000 if LONG else 48):
            break
    assert seen[Verdict.PROVED] > 12 and seen[Verdict.DISPROVED] > 12 and zoned > 8, (seen, zoned)


def test_a_zone_leaves_replies_out():
    """The quickstart's life problem: a tenth of the proof's positions, the same answer."""
    (problem,) = problems.load("quickstart.json", ids=["go-life"])
    settings = {"claim": problem.claim, "limits": Limits(nodes=300_000)}
    whole, zoned = (solve(problem.game, problem.state, zones=zones, **settings) for zones in (False, True))
    assert whole.verdict is zoned.verdict is Verdict.PROVED and zoned.checked
    assert 10 * zoned.certificate_nodes < whole.certificate_nodes


def test_superko_and_plain_go_have_no_zones():
    assert make("killallgo-7;ko=situational").zoning() is None
    assert make("go-5;ko=simple").zoning() is None
    assert make("killallgo-7;ko=simple").zoning() is not None
