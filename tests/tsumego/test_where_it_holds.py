"""Where results of ``jaxsolve tsumego`` hold: inside the region only, or on the whole board."""

from __future__ import annotations

import itertools
import random
from collections import Counter

import pytest

from jaxsolve.games import make
from jaxsolve.proof.check import grid as grids
from jaxsolve.proof.check.grid import bits
from jaxsolve.search import Limits, Verdict, solve
from jaxsolve.tsumego import regions, setup, where_it_holds
from jaxsolve.tsumego.regions import Board
from jaxsolve.tsumego.status import Bounded, Bounds, Value
from jaxsolve.tsumego.task import make_task
from jaxsolve.tsumego.where_it_holds import Gap, Validity
from support.search import LONG


def board(text: str) -> Board:
    return regions.board_of(grids.gtp(text.count("/") + 1), text)


@pytest.mark.parametrize(
    ("text", "crucial", "valid"),
    [
        # White's walls have a liberty outside but no two eyes there; then they have two.
        (
            "......./......./......./......./XXXXX../OOOOX../...OX..",
            "A2",
            Validity(True, False, Gap.WALLS),
        ),
        (
            ".X.X./XXXXX/OOOOX/...OX/OOOOX",
            "A3",
            Validity(True, True, None),
        ),
        # All liberties of the black stone are White's: it lies inside, with the points beside it.
        (
            "...../XXXXX/OOOOX/.X.OX/OOOOX",
            "A3",
            Validity(True, False, Gap.WALLS),
        ),
    ],
)
def test_which_results_in_the_least_closed_region_hold_on_the_whole_board(text, crucial, valid):
    stones = board(text)
    mask = stones.grid.points(crucial)
    region = regions.enclosed(stones, 1, mask)
    assert where_it_holds.of_region(stones, 1, mask, region) == valid
    assert where_it_holds.of_region(stones, 1, mask, stones.grid.full) == Validity(True, True, None)
    for point in bits(region):  # a smaller region is not closed
        smaller = where_it_holds.of_region(stones, 1, mask, region & ~point)
        assert smaller == Validity(False, False, Gap.OPEN)


def test_no_result_holds_outside_where_passes_or_captures_lift_a_ban():
    """Black may not retake at A5. Inside the corner that makes a seki; on the whole board any move
    is a threat and kills.
    """
    fight = "O.OXX./.OOXXX/OXXX.X/XXXXXX/.X..XX/XXXXXX b"
    for text, options, beyond in (
        (f"{fight} ko=A5", {}, False),
        (fight, {}, True),
        (fight, {"fill_eyes": "false"}, False),
    ):
        task = make_task(setup.read(text, "tsumego-6", options), "C5", None)
        found = where_it_holds.of_task(task)
        assert not task.whole and found.defender is beyond, (text, options)
        assert (found.gap is Gap.RULES) is not beyond, (text, options)


NO_LAW, DEFENDERS, BOTH = (
    Validity(False, False, Gap.OPEN),
    Validity(True, False, Gap.WALLS),
    Validity(True, True, None),
)


@pytest.mark.parametrize(
    ("against", "for_", "least"),
    [  # the two values of each known status, and the weakest laws by which it holds
        (Value.LIVES, Value.LIVES, DEFENDERS),
        (Value.SEKI, Value.SEKI, BOTH),
        (Value.DIES, Value.DIES, BOTH),
        (Value.DIES, Value.LIVES, BOTH),
        (Value.SEKI, Value.LIVES, BOTH),
        (Value.DIES, Value.SEKI, BOTH),
    ],
)
def test_a_known_status_holds_by_the_laws_of_the_sides_that_force_it(against, for_, least):
    bounds = Bounded(Bounds(against, against), Bounds(for_, for_))
    for laws in (NO_LAW, DEFENDERS, BOTH):
        assert laws.covers(bounds) is (laws.attacker or laws is least), laws
    assert Validity(False, True, None).covers(bounds) is (for_ is Value.DIES)


def test_bounds_hold_by_the_laws_of_the_sides_that_force_them():
    """All bounds of an unknown status, and of a known one."""
    ranges = [Bounds(low, high) for low in Value for high in Value if low <= high]
    for against, for_ in itertools.product(ranges, ranges):
        bounds = Bounded(against, for_)
        if for_.least < against.least or against.most > for_.most:
            continue  # the value under AGAINST is never above the value under FOR
        lower, upper = for_.least > Value.DIES, against.most < Value.LIVES
        ko = for_.least > against.least  # the defender forces this by winning kos
        assert NO_LAW.covers(bounds) is (not lower and not upper) is bounds.vacuous, bounds
        assert DEFENDERS.covers(bounds) is (not upper and not ko), bounds
        assert BOTH.covers(bounds), bounds


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
    """Both laws: known answers inside the region equal known answers on the whole
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
        valid = where_it_holds.of_region(stones, defender, crucial, region)
        assert valid.defender
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
        if inside is None or not (valid.defender if inside == defender else valid.attacker):
            continue
        if (whole := winner(rules, position)) is not None:
            assert whole == inside, (rules, position)
            compared["defender" if inside == defender else "attacker"] += 1
    assert min(compared["defender"], compared["attacker"]) >= 10


def row_of(grid: grids.Grid, row: int) -> list[int]:
    return sorted(bits(grid.row(row)), reverse=True)
