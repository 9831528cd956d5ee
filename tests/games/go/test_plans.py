"""Plans of life in Go: played out against passes they give life, and searches that use them make no
errors.
"""

from __future__ import annotations

import dataclasses
import random

import numpy as np
import pytest

from jaxsolve.formats import problems
from jaxsolve.games import make
from jaxsolve.games import zones as zoning
from jaxsolve.games.game import Outcome
from jaxsolve.games.zones import HINT_ONLY, PLAN, SEARCH_ALL
from jaxsolve.search import Claim, Limits, Settings, Verdict, solve
from jaxsolve.search.methods import METHODS, Configurations
from jaxsolve.search.run import restarts, steps
from jaxsolve.search.run.job import Job
from jaxsolve.search.run.options import RunOptions

RULES = (
    "tsumego-4;ko=simple;goal=live;defender=white",
    "tsumego-5;ko=simple;goal=kill;defender=black;fill_eyes=false",
    "tsumego-6;ko=simple;goal=live;defender=black;crucial=B2,C3",
    (
        "tsumego-9;ko=simple;goal=live;defender=white;region=A1,B1,C1,D1,E1,A2,B2,C2,D2,"
        "E2,A3,B3,C3,D3,E3,A4,B4,C4,D4,E4"
    ),
    (
        "tsumego-9;ko=simple;goal=live;defender=black;crucial=C3;region=A1,B1,C1,D1,A2,"
        "B2,C2,D2,A3,B3,C3,D3,A4,B4,C4,D4"
    ),
    (
        "tsumego-7;ko=simple;goal=kill;defender=white;crucial=G7;region=A1,B1,C1,D1,A2,"
        "B2,C2,D2,A3,B3,C3,D3,A4,B4,C4,D4"
    ),
    "killallgo-7;ko=simple",
    "killallgo-9;ko=simple",
    "tsumego-19;ko=simple;goal=live;defender=black",
)


def neighbours(point: int, size: int) -> list[int]:
    row, column = divmod(point, size)
    steps = ((row - 1, column), (row + 1, column), (row, column - 1), (row, column + 1))
    return [r * size + c for r, c in steps if 0 <= r < size and 0 <= c < size]


def chain_of(cells: list[int], start: int, size: int) -> tuple[set[int], bool]:
    """The chain of a stone, and whether it has a liberty."""
    chain, todo, free = {start}, [start], False
    while todo:
        for near in neighbours(todo.pop(), size):
            free = free or cells[near] == 0
            if cells[near] == cells[start] and near not in chain:
                chain.add(near)
                todo.append(near)
    return chain, free


def played_out(cells: list[int], plan: set[int], colour: int, size: int) -> list[int]:
    """The board after ``colour`` has played the whole plan, on empty points first and then on
    captured ones.
    """
    board = [colour if point in plan and cell == 0 else cell for point, cell in enumerate(cells)]
    taken = [
        point
        for point, cell in enumerate(board)
        if cell == 3 - colour and not chain_of(board, point, size)[1]
    ]
    for point in taken:
        board[point] = colour if point in plan else 0
    return board


def lives(cells: list[int], colour: int, size: int, counting: set[int]) -> bool:
    """Whether a chain with a stone of ``counting`` is unconditionally alive (Benson 1976), by the
    definition.
    """
    chains, regions, seen = [], [], set()
    for start in range(size * size):
        if start in seen:
            continue
        part, todo = {start}, [start]
        while todo:
            for near in neighbours(todo.pop(), size):
                if near not in part and (cells[near] == colour) == (cells[start] == colour):
                    part.add(near)
                    todo.append(near)
        seen |= part
        (chains if cells[start] == colour else regions).append(part)
    beside = [{near for point in chain for near in neighbours(point, size)} for chain in chains]
    alive = set(range(len(chains)))
    while True:
        kept = [
            region
            for region in regions
            if all(i in alive for i in range(len(chains)) if beside[i] & region)
        ]
        eyes = {
            i: sum(
                bool(beside[i] & r) and {p for p in r if cells[p] == 0} <= beside[i] for r in kept
            )
            for i in alive
        }
        if all(count > 1 for count in eyes.values()):
            return any(chains[i] & counting for i in alive)
        alive = {i for i in alive if eyes[i] > 1}


def ask(
    zones, state: np.ndarray, action: int, hint: set[int]
) -> tuple[int, int, set[int], set[int]]:
    """(number of moves, player, plan, points near it)."""
    words = zones.buffers.shape[1]
    given, out = np.zeros(words, np.uint32), np.zeros(2 * words, np.uint32)
    for point in hint:
        given[point >> 5] |= np.uint32(1 << (point & 31))
    said = int(zoning._call_on_host(zones, PLAN, np.ascontiguousarray(state), action, given, out))
    points = {
        point
        for point in range(64 * words)
        if out[point >> 5] >> np.uint32(point & 31) & np.uint32(1)
    }
    return (
        said >> 1,
        said & 1,
        {p for p in points if p < 32 * words},
        {p - 32 * words for p in points if p >= 32 * words},
    )


@pytest.mark.parametrize("rules", RULES)
def test_a_plan_gives_life(rules):
    game, rng = make(rules), random.Random(rules)
    size, zones = game.size, game.zoning()
    colour = 2 if "white" in rules or rules.startswith("killallgo") else 1
    region = set(game.region_points) if hasattr(game, "region_points") else set(range(size * size))
    found = 0
    for _ in range(60 if size < 19 else 12):
        density = rng.uniform(0.3, 0.8)
        cells = [rng.choice((1, 2)) if rng.random() < density else 0 for _ in range(size * size)]
        counting = set(range(size * size))
        for point in game.crucial_points or ():
            cells[point] = colour
        if game.crucial_points:
            counting = set(game.crucial_points)
        if any(
            cell and not chain_of(cells, point, size)[1] for point, cell in enumerate(cells)
        ) or lives(cells, colour, size, counting):
            continue
        rows = [
            "".join(".XO"[cells[row * size + column]] for column in range(size))
            for row in range(size)
        ]
        try:
            state = game.parse("/".join(rows) + " b")
        except ValueError:
            continue
        packed = np.asarray(game.pack(state))
        if int(game.outcome(state)) != Outcome.ONGOING:
            continue
        cells = [int(cell) for cell in np.asarray(game.cells(state)).reshape(-1)]
        moves, player, plan, near = ask(zones, packed, SEARCH_ALL, set())
        assert player == colour - 1
        if moves < 0:
            continue
        found += 1
        assert (
            len(plan) == moves and plan <= region and all(cells[point] != colour for point in plan)
        )
        assert lives(played_out(cells, plan, colour, size), colour, size, counting)
        around = {there for point in plan for there in neighbours(point, size)}
        around |= {there for point in around for there in neighbours(point, size)}
        assert near == {point for point in around & region - plan if cells[point] != colour}
        larger = plan | {rng.choice(sorted(region)) for _ in range(5)}
        again, _, kept, _ = ask(zones, packed, HINT_ONLY, larger)
        assert again < 0 or (
            kept <= larger
            and len(kept) == again
            and lives(played_out(cells, kept, colour, size), colour, size, counting)
        )
        again, _, kept, _ = ask(zones, packed, HINT_ONLY, plan)
        assert 0 < again <= moves and kept <= plan
        assert ask(zones, packed, HINT_ONLY, set())[0] < 0
    assert found > (3 if size * size == len(region) else 0)


def test_restarts_keep_earlier_proofs(tmp_path, monkeypatch):
    """Restarts after a few positions each, over one log: the same verdict, and a certificate with
    lines from several of them.
    """
    (problem,) = problems.load("quickstart.json", ids=["go-life"])
    begun = []
    restart = steps.Restart.apply
    for name in ("PLANNED", "FEW"):
        monkeypatch.setattr(restarts, name, restarts.Budgets(20, 25, 1.25))
    monkeypatch.setattr(
        steps.Restart,
        "apply",
        lambda step, search: (begun.append(search.expanded), restart(step, search))[1],
    )
    result = solve(
        problem.game, problem.state, claim=problem.claim, limits=Limits(nodes=200_000), out=tmp_path
    )
    assert result.verdict is Verdict.PROVED and result.checked and len(begun) > 1, begun


def test_restarts_use_other_configurations_and_can_be_switched_off():
    method = METHODS["dfpn"]
    assert (
        len(set(method.configurations.plans)) >= 5
        and method.configurations.plans[0] == method
        and METHODS["rzs"] in method.configurations.plans
        and method.configurations.few_moves
        == (dataclasses.replace(method, step=0.0), METHODS["rzs"])
    )
    never = Configurations()
    assert all(METHODS[name].configurations == never for name in ("pns", "mcts", "rzs"))
    assert dataclasses.replace(method, restarts=False).configurations == never


@pytest.mark.parametrize(
    ("goal", "player", "planned"), [("live", 1, True), ("kill", 0, False), ("live", 0, False)]
)
@pytest.mark.parametrize("method", ["dfpn", "rzs"])
def test_only_searches_for_the_side_that_is_to_live_make_plans(goal, player, planned, method):
    game = make(f"tsumego-4;ko=simple;goal={goal};defender=white;crucial=B2")
    options = RunOptions(settings=Settings(METHODS[method]))
    job = Job(game, game.parse("..../..../.O../.... b"), claims=Claim(player), options=options)
    search = job.search
    assert search.method.weights.step == (METHODS[method].weights.step if planned else 0)
    later = search.method.configurations.few_moves
    assert not later or {each.weights.step for each in later} == ({0, 8} if planned else {0})
    job.close()
