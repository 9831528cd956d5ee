"""Regions of ``jaxsolve tsumego``: closed regions, and where their verdicts hold."""

from __future__ import annotations

import random
from collections import Counter

import pytest

from jaxsolve.games import make
from jaxsolve.proof.check import grid as grids
from jaxsolve.proof.check.grid import bits
from jaxsolve.search import Limits, Verdict, solve
from jaxsolve.tsumego import regions
from jaxsolve.tsumego.regions import Board, Validity
from support.search import LONG
from support.tsumego_shapes import SHAPES


def board(text: str) -> Board:
    return regions.board_of(grids.gtp(text.count("/") + 1), text)


@pytest.mark.parametrize(
    ("text", "crucial", "region", "scope"),
    [
        # White's walls have a liberty outside but no two eyes there; then they have two.
        (
            "......./......./......./......./XXXXX../OOOOX../...OX..",
            "A2",
            "A1,B1,C1,D1,A2,B2,C2,D2",
            Validity(True, False),
        ),
        (
            ".X.X./XXXXX/OOOOX/...OX/OOOOX",
            "A3",
            "A1,B1,C1,D1,A2,B2,C2,D2,A3,B3,C3,D3",
            Validity(True, True),
        ),
        # All liberties of the black stone are White's: it lies inside, with the points beside it.
        (
            "...../XXXXX/OOOOX/.X.OX/OOOOX",
            "A3",
            "A1,B1,C1,D1,A2,B2,C2,D2,A3,B3,C3,D3",
            Validity(True, False),
        ),
    ],
)
def test_the_least_closed_region_and_what_it_is_worth(text, crucial, region, scope):
    stones = board(text)
    mask = stones.grid.points(crucial)
    found = regions.enclosed(stones, 1, mask)
    assert stones.grid.list(found) == region and regions.is_closed(stones, 1, mask, found)
    assert regions.validity(stones, 1, mask, found) == scope
    assert regions.validity(stones, 1, mask, stones.grid.full) == Validity(True, True)
    for point in bits(found):  # no smaller set is closed
        assert not regions.is_closed(stones, 1, mask, found & ~point)


@pytest.mark.parametrize(
    "text, crucial, pocket",
    [
        # Black's C7, B6 and C6 have a liberty at B7, which White reaches by capturing only.
        ("X.X.OX./OXX.OX./OOOOOX./XXXXXX./......./......./.......", "A5", "B7"),
        # The black stone D5 has its last liberty at C5.
        (
            "........./.XXXXX.../.XOOOX.../.X.OXX.../XX.XOX.../XXOOOX.../.XXXXX..."
            "/........./.........",
            "D4",
            "C5",
        ),
    ],
)
def test_a_wall_that_can_be_captured_from_a_pocket_belongs_to_the_region(text, crucial, pocket):
    stones = board(text)
    mask = stones.grid.points(crucial)
    found = regions.enclosed(stones, 1, mask)
    assert stones.grid.points(pocket) & found
    assert not regions.is_open(stones, found) and regions.is_closed(stones, 1, mask, found)


def test_stones_that_nothing_closes_in_get_a_part_of_the_board():
    text = "/".join(["." * 9] * 5 + ["OOOOO....", "XXX.O....", "...X.....", "....O...."])
    stones = board(text)
    crucial = stones.grid.points("A3")
    assert regions.is_open(stones, regions.enclosed(stones, 0, crucial))
    region = regions.box(stones, 0, crucial)
    assert (
        crucial & region == crucial
        and stones.grid.points("A1,B1,C1") & ~region == 0
        and not regions.is_open(stones, region)
    )
    assert regions.validity(stones, 0, crucial, region) == Validity(False, False)


# ---- the two laws of closed regions, tried out ---------------------------------------------------
def random_fight(rng: random.Random) -> tuple[Board, int, int] | None:
    """(board, defender, crucial chain) of a 4x4 fight around a few empty points, or None."""
    grid = grids.gtp(4)
    core = rng.choice(list(bits(grid.full)))
    for _ in range(rng.randrange(1, 4)):
        core |= rng.choice(list(bits(grid.near(core) & grid.full & ~core)))
    defender = rng.randrange(2)
    stones = [0, 0]
    for point in bits(grid.near(core) & grid.full & ~core):
        stones[defender] |= point if rng.random() < 0.9 else 0
    for point in bits(grid.near(core | stones[defender]) & grid.full & ~core & ~stones[defender]):
        stones[1 - defender] |= point if rng.random() < 0.95 else 0
    for point in bits(grid.full & ~core & ~stones[0] & ~stones[1]):
        stones[1 - defender] |= point if rng.random() < 0.3 else 0
    found = Board(grid, (stones[0], stones[1]))
    chains = [chain for player in (0, 1) for chain in found.chains(player, grid.full)]
    if not all(found.liberties(chain) for chain in chains):
        return None
    mine = list(found.chains(defender, grid.near(core) & grid.full))
    return (found, defender, rng.choice(mine)) if mine else None


def winner(rules: str, text: str) -> int | None:
    game = make(rules)
    result = solve(game, game.parse(text), limits=Limits(nodes=3000), memory_mb=64, check=False)
    return (
        None
        if result.verdict is Verdict.UNKNOWN
        else game.goal_player
        if result.verdict is Verdict.PROVED
        else 1 - game.goal_player
    )


def walled_fight(rng: random.Random) -> tuple[Board, int, int] | None:
    """The same below an attacker's wall that lives outside by two eyes on the edge of a 5x5
    board.
    """
    attacker = rng.randrange(2)
    below = [
        "".join(rng.choices(f".{'OX'[attacker]}{'XO'[attacker]}", (4, 4, 2), k=5)) for _ in range(3)
    ]
    mine = "XO"[attacker]
    found = board("/".join([f".{mine}.{mine}.", 5 * mine, *below]))
    chains = [chain for player in (0, 1) for chain in found.chains(player, found.grid.full)]
    theirs = list(found.chains(1 - attacker, found.grid.full))
    return (
        (found, 1 - attacker, rng.choice(theirs))
        if theirs and all(found.liberties(chain) for chain in chains)
        else None
    )


@pytest.mark.full
def test_what_is_forced_in_a_closed_region_is_forced_on_the_whole_board():
    """Both laws of ``enclosure``: known answers inside the region equal known answers on the whole
    board.
    """
    rng, compared = random.Random(20241121), Counter()
    for attempt in range(4000):
        if min(compared["defender"], compared["attacker"]) >= (60 if LONG else 10):
            break
        fight = random_fight(rng) if attempt % 2 else walled_fight(rng)
        if fight is None:
            continue
        stones, defender, crucial = fight
        region = regions.enclosed(stones, defender, crucial)
        if region == stones.grid.full:
            continue
        scope = regions.validity(stones, defender, crucial, region)
        assert scope.defender
        size = stones.grid.size
        rows = [
            "".join(
                "X" if stones.stones[0] & p else "O" if stones.stones[1] & p else "."
                for p in row_of(stones.grid, row)
            )
            for row in range(size)
        ]
        position = f"{'/'.join(rows)} {rng.choice('bw')}"
        ko = {0: "forbid", 1: "allow"} if defender == 0 else {0: "allow", 1: "forbid"}
        names = {
            "defender": ("black", "white")[defender],
            "crucial": stones.grid.list(crucial),
            "goal": rng.choice(["live", "kill"]),
        }
        rules = (
            f"tsumego-{size};"
            + ";".join(f"{name}={value}" for name, value in names.items())
            + f";ko_black={ko[0]};ko_white={ko[1]}"
        )
        inside = winner(f"{rules};region={stones.grid.list(region)}", position)
        if inside is None or not (scope.defender if inside == defender else scope.attacker):
            continue
        if (whole := winner(rules, position)) is not None:
            assert whole == inside, (rules, position)
            compared["defender" if inside == defender else "attacker"] += 1
    assert min(compared["defender"], compared["attacker"]) >= 10


def row_of(grid: grids.Grid, row: int) -> list[int]:
    return sorted(bits(grid.row(row)), reverse=True)


def test_the_region_of_a_race_has_the_outside_liberties_of_both_sides():
    """White's four stones can be captured by E1, outside of what White encloses."""
    stones = board(
        "........./........./........./........./........./OOOOOOO../OXXXXXO../OX.OOOXXX/OX.O.XX.."
    )
    inner = regions.enclosed(stones, 0, stones.grid.point("B3"))
    region = regions.with_weak_walls(stones, 0, inner)
    assert not inner & stones.grid.point("E1") and region & stones.grid.point("E1")
    assert region & stones.grid.point("D1")


def test_a_wall_with_room_outside_does_not_join_the_region():
    stones = board(SHAPES["bent three"].board)
    inner = regions.enclosed(stones, 1, stones.stones[1])
    assert regions.with_weak_walls(stones, 1, inner) == inner
