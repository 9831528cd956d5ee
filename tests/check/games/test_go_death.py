"""Static death by brute force: the leaf reasons ``no-eyes`` and ``sealed`` never err.

Every position that can arise from small shapes is solved exhaustively. Where the checker accepts a
leaf, the attacker wins, also in every position that covers it on its zone. The search decides the
same positions as the checker.
"""

from __future__ import annotations

import os
import random
from collections import Counter
from collections.abc import Callable, Iterator

import numpy as np
import pytest

from jaxsolve.games import make
from jaxsolve.games.boards.board_text import gtp_point
from jaxsolve.games.game import Outcome
from jaxsolve.games.go.tsumego import Tsumego
from jaxsolve.games.zones import settled
from jaxsolve.proof.check import check
from jaxsolve.proof.check import registry as checkers
from jaxsolve.proof.check.games.go import death
from jaxsolve.proof.check.grid import bits
from jaxsolve.search import Claim
from support import enclosed_shapes
from support.oracles import minimax
from support.proofs import solver

LONG = os.environ.get("JAXSOLVE_LONG") == "1"
SIZES = (5, 6, 7) if LONG else (5,)
SHAPES, MOST = (400, 60_000) if LONG else (11, 4_000)
DENSE = 600 if LONG else 14
SAMPLE = 500  # positions of a graph that are compared with positions that may cover them
REASON = {"live": "no-eyes", "kill": "sealed"}
Draw = Callable[[random.Random], Iterator[tuple[Tsumego, str]]]


def drawn(rng: random.Random) -> Iterator[tuple[Tsumego, str]]:
    """Endless tasks with a root: enclosed shapes, some with a broken wall or open sides."""
    while True:
        shape = enclosed_shapes.draw(rng)
        if shape.size not in SIZES:
            continue
        wall, board = sorted(shape.wall), list(shape.board)
        region = set(shape.region | shape.wall)
        for _ in range(rng.randrange(3)):  # cut the wall: false eyes and several chains
            point = rng.choice(wall)
            board[point + point // shape.size] = rng.choice(".OX")
        crucial = [p for p in wall if board[p + p // shape.size] == "XO"[shape.defender == "white"]]
        goal, kos = rng.choice(("live", "kill")), rng.choices(("allow", "forbid"), k=2)
        yield from task(rng, shape.size, "".join(board), shape.defender, crucial, region, goal, kos)


def dense(rng: random.Random) -> Iterator[tuple[Tsumego, str]]:
    """Endless tasks to kill White in a full corner, where Black may win all kos.

    Black's chains live inside, or White's eyes are false: the cases of W2 and D4 in FORMAT.md.
    """
    while True:
        size = rng.choice(SIZES[:2])
        wide, high = rng.randint(3, size - 1), rng.randint(3, 4)
        board = [["."] * size for _ in range(size)]
        region = set()
        for row in range(high + 1):
            for column in range(wide + (wide < size)):
                inside = row < high and column < wide
                board[row][column] = rng.choices("OX.", (5, 3, 3))[0] if inside else "X"
                if inside:
                    region.add(row * size + column)
        crucial = [p for p in region if board[p // size][p % size] == "O"]
        kos = ["allow", "forbid"] if rng.random() < 0.8 else ["allow", "allow"]
        text = "/".join(map("".join, board))
        yield from task(rng, size, text, "white", crucial, region, "kill", kos)


def task(
    rng: random.Random,
    size: int,
    board: str,
    defender: str,
    crucial: list[int],
    region: set[int],
    goal: str,
    kos: list[str],
) -> Iterator[tuple[Tsumego, str]]:
    """The task and its root, unless a chain has no liberty. ``kos`` of attacker and defender."""
    if not crucial:
        return
    chosen = frozenset(rng.sample(crucial, min(len(crucial), rng.randint(1, 3))))
    other = {"black": "white", "white": "black"}[defender]
    game = make(
        f"tsumego-{size}",
        goal=goal,
        defender=defender,
        crucial=",".join(gtp_point(point, size) for point in chosen),
        region=",".join(gtp_point(point, size) for point in sorted(region)),
        **{f"ko_{side}": ko for side, ko in zip((other, defender), kos, strict=True)},
    )
    assert isinstance(game, Tsumego)
    text = f"{board} {rng.choice('bw')}"
    try:
        checkers.find("go").rules(game.rule_set).root(text)
    except ValueError:
        return
    yield game, text


def graphs(seed: int, draw: Draw, count: int) -> Iterator[tuple[Tsumego, minimax.Graph]]:
    rng, done = random.Random(seed), 0
    for game, text in draw(rng):
        state = game.parse(text)
        try:
            graph = minimax.Graph(game, [np.asarray(game.pack(state))], MOST)
        except minimax.TooLarge:
            continue
        if len(graph) < 50:
            continue
        yield game, graph
        done += 1
        if done == count:
            return


def kinds(rules, position, reason: str) -> Iterator[str]:
    """Names the laws on which an accepted leaf depends."""
    inside = death.inside_of(rules, position)
    living = rules.options.living
    attacker = position.stones[1 - living]
    kept = rules.grid.near(rules.empty(position) & ~rules.options.region)
    walls = rules.grid.flood(attacker & kept, attacker)
    if rules.grid.near(inside) & attacker & ~walls:
        yield "living wall"
    spots = inside & ~position.stones[living] & ~rules.grid.near(attacker & ~inside)
    for part in rules.grid.components(inside):
        if reason == "sealed" and any(
            part & spots & ~(one | rules.grid.near(one)) for one in bits(part & spots)
        ):
            yield "pocket"


@pytest.mark.parametrize("draw", [drawn, dense])
def test_an_accepted_leaf_is_won_by_the_attacker(draw):
    seen = Counter()
    for game, graph in graphs(7, draw, SHAPES if draw is drawn else DENSE):
        rules = checkers.find("go").rules(game.rule_set)
        attacker, reason = 1 - game.crucial_side, REASON[game.goal]
        won = graph.forced(Claim(attacker))
        zoning = game.zoning()
        assert zoning is not None
        positions = [
            (number, rules.position(game.text(graph.state(number)))) for number in graph.ongoing()
        ]
        held = []
        for number, position in positions:
            winner, actions = settled(zoning, np.asarray(graph.states[number]))
            holds = death.holds(rules, position, reason)
            about = (game.rule_set, game.text(graph.state(number)))
            assert holds == bool(winner), about
            if not holds:
                seen["goes on"] += 1
                continue
            assert winner == Outcome.FIRST_WINS + attacker, about
            assert won[number], about
            zone = sum(
                bit
                for name, bit in rules.grid.bit_of.items()
                if actions >> game.parse_action(name, graph.state(number)) & 1
            )
            assert death.holds(rules, position, reason, zone), about
            held.append((number, position, zone))
            seen[reason] += 1
            seen.update(kinds(rules, position, reason))
        rng = random.Random(len(graph))
        for number, position, zone in rng.sample(held, min(len(held), 12)):
            for other, covering in rng.sample(positions, min(len(positions), SAMPLE)):
                if other != number and rules.written.covers(attacker, covering, position, zone):
                    assert won[other], (game.rule_set, game.text(graph.state(other)), reason)
                    seen["covered"] += 1
    print(dict(seen))
    wanted = REASON.values() if draw is drawn else ("sealed", "living wall", "pocket")
    assert min(seen[name] for name in wanted) > (100 if LONG else 20), seen
    assert seen["goes on"] > 100 and seen["covered"] > (20 if LONG else 5), seen


@pytest.mark.parametrize(
    "text, goal, holds",
    [
        (".OX../OOX../XXX../...../..... w", "kill", True),
        (".OX../OOX../XXX../...../..... b", "live", True),
        (".OX../.OX../OOX../XXX../..... w", "kill", True),  # two points make one eye
        (".OX../.OX../.OX../OOX../XXX.. w", "kill", False),  # three points make two
        (".OX../OOX../XXX../...../..... w passes=1", "kill", False),  # White would end the game
        (".OX../OOX../XXX../...../..... b passes=1", "kill", True),
        (".OX../XOX../OOX../XXX../..... w", "kill", False),  # a black stone is inside
        (".OX../XOX../OOX../XXX../..... w", "live", True),
    ],
)
def test_positions_by_hand(text, goal, holds):
    rules = checkers.find("go").rules(
        f"tsumego-5;ko=simple;passes=not-achieved;fill_eyes=true;goal={goal};defender=white;"
        "crucial=B5;region=A1,B1,A2,B2,A3,B3,A4,B4,A5,B5;ko_black=allow;ko_white=allow"
    )
    assert death.holds(rules, rules.position(text), REASON[goal]) == holds


TALL = [  # board, defender, crucial, region: shapes whose outlines turn back
    (
        "X.OOOOO/XOXO.O./XOXOOOO/XOX..../XOX..../XXX..../....... w",
        "B3,B4,B5,B6",
        "B3,B4,B5,B6,B7",
    ),
    (
        "XX...XX/XO.O.OX/XOX.XOX/XOXXXOX/XOX.XOX/XXX.XXX/....... b",
        "B3,B4,B5,B6,D6,F3,F4,F5,F6",
        "B3,F3,B4,F4,B5,D5,F5,B6,C6,D6,E6,F6,C7,D7,E7",
    ),
]


@pytest.mark.parametrize("goal", REASON)
@pytest.mark.parametrize("text, crucial, region", TALL)
def test_the_search_agrees_with_the_checker_on_tall_shapes(text, crucial, region, goal):
    game = make(
        "tsumego-7", goal=goal, defender="white", crucial=crucial, region=region, ko="simple"
    )
    assert isinstance(game, Tsumego)
    rules = checkers.find("go").rules(game.rule_set)
    zoning = game.zoning()
    assert zoning is not None
    for place in [text, *rules.replies(rules.root(text)).values()]:
        position = rules.position(place)
        if rules.verdict(position) is None:
            found, actions = settled(zoning, np.asarray(game.pack(game.parse(place))))
            assert bool(found) == death.holds(rules, position, REASON[goal])
            zone = sum(
                bit
                for name, bit in rules.grid.bit_of.items()
                if actions >> game.parse_action(name, game.init()) & 1
            )
            assert not found or death.holds(rules, position, REASON[goal], zone)


KILL = (
    "fill_eyes=true;goal=kill;defender=white;crucial={crucial};region={region};"
    "ko_black=allow;ko_white=allow"
)


def refused(path, header, nodes) -> str:
    """The checker's sentence about a certificate, which it must refuse."""
    claim = {"player": "black", "result": "wins"}
    lines = [
        {"format": "jaxsolve-proof", "version": 1, "game": "go", "claim": claim, **header},
        *nodes,
        {"end": True, "nodes": len(nodes), "root": nodes[-1]["id"]},
    ]
    report = check(solver.write(path, lines))
    assert not report.accepted
    return report.sentence


def test_an_earlier_board_may_forbid_the_killing_move(tmp_path):
    """Black's only move A3 repeats the board of the history."""
    kill = KILL.format(crucial="B2", region="A1,B1,A2,B2,C2,A3,B3,C3")
    rules = f"tsumego-3;ko=positional;passes=not-achieved;{kill}"
    root = ".OX/OOX/XX. b history=X.X/..X/XX."
    leaf = {"id": 1, "n": 0, "pos": root, "leaf": "sealed"}
    sentence = refused(tmp_path / "a.gz", {"rules": rules, "root": root}, [leaf])
    assert "'sealed' is not so" in sentence


@pytest.mark.parametrize("again", [{}, {"again": "A4"}])
def test_plays_after_a_sealed_leaf_may_repeat_a_board(again, tmp_path):
    """The history has a board with Black's stone at A4, which the leaf may play."""
    kill = KILL.format(crucial="B3", region="D2,A3,B3,A4,B4")
    rules = [f"tsumego-4;ko={ko};passes=not-achieved;{kill}" for ko in ("positional", "simple")]
    board = ".OX./OOX./XXX./...."
    root = f"{board} w history=X.X./..X./XXX./....;X.X./..X./XXXX/...."
    nodes = [
        {"id": 1, "n": 1, "pos": f"{board} b passes=1", "leaf": "sealed"},
        {"id": 2, "n": 1, "pos": "X.X./..X./XXXO/.... w crucial=-", "leaf": "captured"},
        {"id": 3, "n": 1, "pos": ".OX./OOX./XXXO/.... b", "or": ["A4", 2]},
        {"id": 4, "n": 0, "pos": f"{board} w", "and": [["pass", 1], ["D2", 3]]},
    ]
    header = {"rules": rules[0], "root": root, "by": rules[1], **again}
    assert "superko" in refused(tmp_path / "a.gz", header, nodes)
