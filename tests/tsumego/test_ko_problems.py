"""Problems in which kos decide: ``jaxsolve tsumego`` reports what exhaustion finds.

The oracle shares no code with the package (``support/oracles/life_and_death.py``).
"""

from __future__ import annotations

import random
from collections import Counter

import pytest

from support import ko_problems
from support.oracles import go, ko_truth, life_and_death
from support.oracles.life_and_death import SIDES
from support.tsumego_command import study_json

PROBLEMS = ko_problems.problems()
DIRECT = ("direct", "race", "connection")


@pytest.mark.parametrize("problem", PROBLEMS, ids=[f"{p.kind}: {p.name}" for p in PROBLEMS])
def test_status_first_moves_and_ko_are_those_of_exhaustion(problem):
    assert problem.solved() == problem.truth
    found = study_json(problem.board, "--crucial", problem.crucial, "--region", problem.region)
    ko_problems.agree(found, problem.truth, problem.defender)
    for side in SIDES:
        first, root = found[f"{side}_first"], problem.truth[side]["pair"]
        values = [first["if_the_defender_loses_kos"], first["if_the_defender_wins_kos"]]
        words = [*ko_truth.WORDS.values()]
        for (least, most), value in zip(values, root, strict=True):
            assert words.index(least) <= words.index(ko_truth.WORDS[value]) <= words.index(most)
            assert least == most or first["despite_ko_threats"]


def test_the_problems_cover_the_kinds_of_ko():
    """The fewest threats of either side show what a ko is like."""
    kinds = Counter(problem.kind for problem in PROBLEMS)
    assert kinds.total() >= 50 and len(kinds) >= 15
    assert len({problem.board for problem in PROBLEMS}) == len(PROBLEMS)
    for problem in PROBLEMS:
        for side in SIDES:
            threats = problem.truth[side]["threats"]
            if threats is None:
                continue
            kills, _, lives, saves = threats
            if problem.kind in DIRECT:  # the side that may not take first needs one threat
                assert {kills, lives} == {0, 1}, problem.name
            if problem.kind == "ten thousand years":  # neither side begins without a threat
                assert kills == lives == 1, problem.name
            if problem.kind == "picnic" and "White" in problem.name:  # no ko can cost it the stones
                assert kills is None and problem.truth[side]["pair"] == "sl", problem.name
            if problem.name in ("life by a double ko", "seki by a double ko"):
                assert kills is None and saves == 0, problem.name  # whatever the threats
    assert {kinds[kind] > 0 for kind in ("approach", "stages", "double ko", "moonshine")} == {True}


def test_an_approach_move_gives_the_other_side_one_more_threat():
    """With each outside liberty, Black needs a threat more, or White gets a threat less."""
    boards = {
        problem.name: problem.truth["black"]
        for problem in PROBLEMS
        if problem.kind in ("race", "approach")
    }
    none, one, two = (
        next(truth for name, truth in boards.items() if name.startswith(start))
        for start in ("a race with a ko in the corner, Black", "one approach", "two approach")
    )
    assert none["pair"] == "dd" and one["pair"] == two["pair"] == "dl"
    assert (one["threats"][0], one["threats"][2]) == (0, 1)
    assert (two["threats"][0], two["threats"][2]) == (1, 0)


def test_the_oracle_plays_by_the_rules():
    """Against the plain oracle of the rules: every placement, and unconditional life."""
    rng, alive = random.Random(3), 0
    for _ in range(150):
        size = rng.choice((3, 4, 5))
        grid = life_and_death.Grid(size)
        share = rng.choice((0.3, 0.5, 0.75))
        board = [
            rng.choice((0, 1, 1, 2) if rng.random() < share else (0, 1, 1, 1))
            for _ in range(size**2)
        ]
        masks = [
            sum(grid.bit(point_name(p, size)) for p in range(size**2) if board[p] == colour)
            for colour in (1, 2)
        ]
        if any(cell and not go.liberties(size, board, p) for p, cell in enumerate(board)):
            continue
        for colour in (1, 2):
            own, enemy = masks[colour - 1], masks[2 - colour]
            living = {point_name(p, size) for p in go.benson(size, board, colour)}
            alive += bool(living)
            assert set(grid.names(life_and_death.alive(grid, own, enemy))) == living
            for point in (p for p in range(size**2) if not board[p]):
                mine = life_and_death.play(grid, own, enemy, grid.bit(point_name(point, size)))
                rule = go.play(size, tuple(board), colour - 1, point)
                assert (mine is None) is (rule is None)
                if mine is not None:
                    after = (mine.own, mine.enemy) if colour == 1 else (mine.enemy, mine.own)
                    cells = "".join(".XO"[cell] for cell in rule.board)
                    rows = [cells[row * size : (row + 1) * size] for row in range(size)]
                    assert grid.text(after) == "/".join(rows)
                    ko = None if rule.ko is None else point_name(rule.ko, size)
                    assert (grid.name(mine.ko) if mine.ko else None) == ko
    assert alive >= 20


def point_name(point: int, size: int) -> str:
    row, column = divmod(point, size)
    return f"{life_and_death.COLUMNS[column]}{size - row}"
