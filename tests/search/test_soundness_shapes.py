"""No search proves a false claim about an enclosed eye space, whatever the ko options."""

from __future__ import annotations

import itertools
import random
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

import numpy as np
import pytest

from jaxsolve.evaluate import shared_evaluator
from jaxsolve.games import make
from jaxsolve.games.game import State
from jaxsolve.games.go.tsumego import Tsumego
from jaxsolve.search import Claim, Verdict
from support import enclosed_shapes
from support.enclosed_shapes import Enclosed
from support.oracles import minimax
from support.search import LONG, NAMES, claims, run, settings

SHAPES = 400 if LONG else 8
AT_ONCE = 10  # shapes whose positions are expanded together
MAX_POSITIONS = (
    20_000 if LONG else 8_000
)  # of all questions about a shape, on average over those expanded together
KO = {
    "against": ("allow", "forbid"),
    "for": ("forbid", "allow"),
    "both": ("allow", "allow"),
    "none": ("forbid", "forbid"),
}  # attacker, defender

PAIRS = (("against", "for"), ("both", "none"))  # asked together
OPPOSITE = {
    Verdict.PROVED: Verdict.DISPROVED,
    Verdict.DISPROVED: Verdict.PROVED,
    Verdict.UNKNOWN: Verdict.UNKNOWN,
}
KINDS = (
    tuple((size, eyes) for size in range(4, 8) for eyes in ("true", "false"))
    if LONG
    else ((5, "true"), (6, "false"))
)  # board size, fill_eyes

BOOKS = (  # position, defender, crucial, region
    ("...../XXXXX/OOOOX/...OX/...O. b", "white", "A3", "A1,B1,C1,E1,A2,B2,C2"),
    ("X..XO/X..XO/XXXXO/OO.OO/OO.O. b", "black", "D5", "C2,B4,C4,A5,B5,C5"),
)


class Question(NamedTuple):
    """One goal of a shape under one pair of ko options."""

    shape: int
    goal: str
    ko: str
    game: Tsumego
    state: State


class Known(NamedTuple):
    """A question with its truth: the verdict of a search that claims the goal."""

    question: Question
    truth: Verdict


def tsumego(size: int, **options: str) -> Tsumego:
    game = make(f"tsumego-{size}", **options)
    assert isinstance(game, Tsumego)
    return game


def questions(rng: random.Random, shape: Enclosed, number: int, eyes: str) -> list[Question]:
    """Both goals under two pairs of ko options, the same side to move; none if the game is over."""
    pairs, crucial = rng.choice(PAIRS), rng.choice(("wall", "wall", "stone", "stone", "any"))
    named = {
        "wall": shape.points(shape.wall),
        "stone": shape.points(frozenset([min(shape.wall)])),
        "any": "any",
    }[crucial]
    other, side = {"black": "white", "white": "black"}[shape.defender], rng.choice("bw")
    found = []
    for goal in ("live", "kill"):
        for pair in pairs:
            ko = {f"ko_{other}": KO[pair][0], f"ko_{shape.defender}": KO[pair][1]}
            region = shape.points(shape.region)
            game = tsumego(
                shape.size,
                fill_eyes=eyes,
                goal=goal,
                defender=shape.defender,
                crucial=named,
                region=region,
                **ko,
            )
            found.append(Question(number, goal, pair, game, game.parse(f"{shape.board} {side}")))
    return found if int(found[0].game.kernel.outcome(found[0].state)) == 0 else []


def known(asked: list[list[Question]]) -> Iterator[Known]:
    """Truth about one kernel's questions, by retrograde analysis; large shapes are left out."""
    flat = [question for of_shape in asked for question in of_shape]
    if not flat:
        return
    try:
        graph = minimax.Graph(
            flat[0].game.kernel,
            [np.asarray(question.game.pack(question.state)) for question in flat],
            MAX_POSITIONS * len(asked),
        )
    except minimax.TooLarge:
        half = len(asked) // 2
        if half:
            yield from known(asked[:half])
            yield from known(asked[half:])
        return
    for question in flat:
        claim = Claim(question.game.goal_player)
        yield Known(question, graph.answer(graph.find(question.state), claim))


def shapes_known(rng: random.Random, count: int) -> Iterator[list[Known]]:
    """The questions of ``count`` shapes with their truth, a shape at a time."""
    waiting: dict[tuple[int, str], list[list[Question]]] = {kind: [] for kind in KINDS}
    done = number = 0
    while done < count:
        shape, eyes = enclosed_shapes.draw(rng), rng.choice(("true", "false"))
        group = waiting.get((shape.size, eyes))
        if group is None or not (asked := questions(rng, shape, number, eyes)):
            continue
        number += 1
        group.append(asked)
        if len(group) < AT_ONCE:
            continue
        found: dict[int, list[Known]] = {}
        for one in known(group):
            found.setdefault(one.question.shape, []).append(one)
        group.clear()
        for of_shape in list(found.values())[: count - done]:
            done += 1
            yield of_shape


def shapes_of_books() -> Iterator[list[Known]]:
    """A ko and a seki for every sample: six corner points, with and without a liberty."""
    for number, (board, defender, crucial, region) in enumerate(BOOKS):
        asked = []
        for goal, ko in itertools.product(("live", "kill"), PAIRS[0]):
            sides = dict(
                zip(
                    ("ko_black", "ko_white"),
                    KO[ko] if defender == "white" else KO[ko][::-1],
                    strict=True,
                )
            )
            game = tsumego(
                5,
                fill_eyes="true",
                goal=goal,
                defender=defender,
                crucial=crucial,
                region=region,
                **sides,
            )
            asked.append(Question(-1 - number, goal, ko, game, game.parse(board)))
        graph = minimax.Graph(
            asked[0].game.kernel, [np.asarray(one.game.pack(one.state)) for one in asked]
        )
        yield [
            Known(one, graph.answer(graph.find(one.state), Claim(one.game.goal_player)))
            for one in asked
        ]


def kinds_of(of_shape: list[Known]) -> Iterator[str]:
    """The kind of a shape: a ko, a seki, or stones whose fate does not depend on kos."""
    truth = {(one.question.goal, one.question.ko): one.truth for one in of_shape}
    if any(
        truth[goal, first] is not truth[goal, second]
        for goal in ("live", "kill")
        for first, second in PAIRS
        if (goal, first) in truth
    ):
        yield "ko"
    if of_shape[0].question.game.crucial_points and any(
        truth["live", ko] is truth["kill", ko] is Verdict.DISPROVED
        for goal, ko in truth
        if goal == "live"
    ):
        yield "seki"
    yield from sorted({f"{goal} {verdict.value}" for (goal, _), verdict in truth.items()})


@pytest.mark.full
def test_no_method_proves_a_false_claim_about_an_enclosed_shape(tmp_path: Path):
    rng, turn = random.Random(20241122), settings(nodes=(None, 128), waves=(None, 4))
    seen, verdicts, methods = Counter(), Counter(), Counter()
    for of_shape in itertools.chain(shapes_of_books(), shapes_known(rng, SHAPES)):
        seen.update(kinds_of(of_shape))
        for (_, goal, ko, game, state), truth in of_shape:
            setting = next(turn)
            claim = rng.choice(claims(game))
            right = truth if claim.player == game.goal_player else OPPOSITE[truth]
            got = run(
                game, state, claim, setting, tmp_path, 200_000, evaluator=shared_evaluator(game)
            )
            about = (game.rule_set, game.text(state), claim, setting, got.result.reason)
            assert got.verdict in (right, Verdict.UNKNOWN), about
            assert got.verdict is right or setting.max_nodes is not None, (
                about
            )  # with room enough nothing that can be forced is left open
            verdicts[goal, ko, truth] += 1
            methods[setting.method] += got.verdict is not Verdict.UNKNOWN
    print(
        dict(seen),
        {
            " ".join((goal, ko, truth.value)): count
            for (goal, ko, truth), count in sorted(verdicts.items(), key=str)
        },
        dict(methods),
    )
    assert min(seen["ko"], seen["seki"]) >= max(1, SHAPES // 250), (
        seen
    )  # about one shape in a hundred each
    assert {(goal, ko) for goal, ko, _ in verdicts} == {
        (goal, ko) for goal in ("live", "kill") for ko in KO
    }
    assert min(methods[name] for name in NAMES) > SHAPES // 4, methods
