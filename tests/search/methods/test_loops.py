"""Games with repetitions: only what endless repetition could decide is ``unknown``."""

from __future__ import annotations

import itertools
import random
from collections.abc import Iterator, Sequence
from pathlib import Path

import numpy as np
import pytest

from jaxsolve.games.game import Outcome
from jaxsolve.games.registry import make
from jaxsolve.search import Claim, Limits, Verdict, solve_value
from support import search as search_tools
from support.oracles import awari_endgames, minimax
from support.search import LONG, Setting, claims, run, settings


def endings(count: int, most: int, seed: int):
    """Awari positions (pits, side, captured) with at most ``most`` seeds left and a lead that may
    turn.
    """
    rng = random.Random(seed)
    for _ in range(count):
        seeds, pits = rng.randrange(1, most + 1), [0] * 12
        for _ in range(seeds):
            pits[rng.randrange(12)] += 1
        south = max(0, min(48 - seeds, (48 - seeds) // 2 + rng.randrange(-seeds, seeds + 1) // 2))
        yield pits, rng.randrange(2), (south, 48 - seeds - south)


def written(pits: list[int], side: int, captured: tuple[int, int]) -> str:
    south, north = (",".join(map(str, row)) for row in (pits[:6], pits[6:]))
    return f"{south}/{north} {'sn'[side]} captured={captured[0]}:{captured[1]}"


def worth(winner: int | None) -> str:
    return {0: "south wins", 1: "north wins", -1: "draw", None: "unknown"}[winner]


def test_two_oracles_agree_on_awari():
    game = make("awari")
    for pits, side, captured in endings(60 if LONG else 15, 6, 3):
        try:
            graph = minimax.Graph(
                game, [np.asarray(game.pack(game.parse(written(pits, side, captured))))], 30_000
            )
        except minimax.TooLarge:
            continue
        wins = [player for player in (0, 1) if graph.forced(Claim(player))[0]]
        drawn = all(graph.forced(Claim(player, "does-not-lose"))[0] for player in (0, 1))
        assert awari_endgames.value(pits, side, captured) == (
            wins[0] if wins else -1 if drawn else None
        )


@pytest.mark.parametrize("method", search_tools.NAMES)
def test_awari_values(method, tmp_path):
    """Every method finds what retrograde analysis finds, and no more; certificates are accepted."""
    game, nodes = make("awari"), 5_000_000 if LONG else 400_000
    for number, (pits, side, captured) in enumerate(
        endings(100 if LONG else 12, 9 if LONG else 7, 1)
    ):
        text = written(pits, side, captured)
        state, out = game.parse(text), tmp_path / str(number)
        value = solve_value(game, state, method=method, out=out, limits=Limits(nodes=nodes))
        assert value.text == worth(awari_endgames.value(pits, side, captured)), text
        for result in value.results:
            if result.verdict is not Verdict.UNKNOWN:
                search_tools.accepted(game, state, result.claim, result)


def decides_what_play_decides(
    graph: minimax.Graph, numbers: Sequence[int], tmp_path: Path, wanted: int
) -> None:
    """Searches positions of a graph by all methods in turn; verdicts equal those of retrograde
    analysis.
    """
    turn, asked, seen = settings(nodes=(None,)), itertools.cycle(claims(graph.game)), set()
    for number in numbers:
        claim = next(asked)
        for setting in itertools.islice(turn, wanted):
            got = run(graph.game, graph.state(number), claim, setting, tmp_path, limit=300_000)
            assert got.verdict is graph.answer(number, claim), (
                graph.game.text(graph.state(number)),
                claim,
                setting,
            )
            assert got.verdict is not Verdict.UNKNOWN or got.result.reason.startswith(
                "Nothing is left to try"
            )
            seen.add(got.verdict)
    assert len(seen) > 1


@pytest.mark.parametrize(
    "rule_set", ["go-2;ko=simple;komi=1", "go-2;ko=simple;komi=0.5", "go-3;ko=simple;komi=2.5"]
)
def test_simple_ko(rule_set, tmp_path):
    """A search answers exactly the claims that a side can force without endless repetition."""
    game = make(rule_set)
    if not LONG and rule_set != "go-2;ko=simple;komi=1":
        pytest.skip("more of the same, and all of 3x3: JAXSOLVE_LONG=1")
    graph = minimax.Graph(game, [np.asarray(game.pack(game.init()))], 2_000_000)
    ongoing = graph.ongoing()
    numbers = random.Random(1).sample(ongoing, min(60 if LONG else 25, len(ongoing)))
    decides_what_play_decides(graph, numbers, tmp_path, 4 if LONG else 1)


KILL = "tsumego-3;goal=kill;defender=white;crucial=B2"


@pytest.mark.parametrize(
    ("text", "method", "wave"),
    search_tools.in_turn(["XXO/.O./OOX b", "X.O/OOX/O.X b"], search_tools.NAMES, [1, 32]),
)
def test_long_lines_among_repetitions(text, method, wave, tmp_path):
    """Black's second win takes 29 plies; most moves on the way lead back."""
    game = make(KILL)
    got = run(
        game, game.parse(text), Claim(0), Setting(method, wave, None, 0), tmp_path, limit=20_000
    )
    assert got.verdict is Verdict.PROVED


@pytest.mark.short(1)
@pytest.mark.parametrize("goal", ["kill", "live"])
def test_cyclic_boards_of_three_rows(goal, tmp_path):
    """Life and death on full 3x3 boards, where almost every line repeats: equal to retrograde
    analysis.
    """
    rng, count = random.Random(7), 0
    game = make(f"tsumego-3;goal={goal};defender=white;crucial=B2")
    for text in boards_with_a_ko(rng):
        try:
            state = game.parse(text)
            graph = minimax.Graph(game, [np.asarray(game.pack(state))], 20_000)
        except (ValueError, minimax.TooLarge):
            continue
        if graph.outcomes[0] != Outcome.ONGOING:
            continue
        right = graph.answer(0, Claim(game.goal_player or 0))
        for setting in itertools.islice(
            settings(nodes=(None,)), count % 4, count % 4 + (12 if LONG else 1)
        ):
            got = run(game, state, Claim(game.goal_player or 0), setting, tmp_path, limit=100_000)
            assert got.verdict is right, (text, setting)
        count += 1
        if count >= (60 if LONG else 12):
            return


def boards_with_a_ko(rng: random.Random) -> Iterator[str]:
    """Random nearly full 3x3 boards with a white stone in the middle."""
    while True:
        cells = [rng.choice("XXOO.") for _ in range(9)]
        cells[4] = "O"
        board = "".join(cells)
        if 1 <= board.count(".") <= 3:
            yield f"{board[:3]}/{board[3:6]}/{board[6:]} {rng.choice('bw')}"


def test_endless_sowing_is_unknown(tmp_path):
    """If neither side can force or prevent the claim, no method gives an answer."""
    game, rng = make("awari"), random.Random(1)
    boards = awari_endgames.endless(8, -1)
    assert len(boards) > 1000
    for number in rng.sample(range(len(boards)), 1):
        own, enemy = (",".join(map(str, half)) for half in np.split(boards[number], 2))
        for method in search_tools.NAMES:
            state = game.parse(f"{own}/{enemy} s captured=21:19")
            whole = run(
                game,
                state,
                Claim(0),
                Setting(method, 64, None, number),
                tmp_path,
                limit=1_000_000 if LONG else 1500,
            )
            assert whole.verdict is Verdict.UNKNOWN
            # There are about 100,000 positions.
            assert whole.result.reason.startswith("Nothing is left to try" if LONG else "The limit")
            assert (
                run(
                    game,
                    state,
                    Claim(1, "does-not-lose"),
                    Setting(method, 4, 256, number),
                    tmp_path,
                    limit=1500,
                ).verdict
                is Verdict.UNKNOWN
            )
            state = game.parse(f"{enemy}/{own} n captured=19:21")
            assert (
                run(
                    game, state, Claim(1), Setting(method, 32, None, number), tmp_path, limit=1500
                ).verdict
                is Verdict.UNKNOWN
            )
