"""Problems of all games for tests of ``jaxsolve.cluster``; runs whose certificate is checked."""

from __future__ import annotations

import contextlib
import itertools
import random
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

import pytest

from jaxsolve.cluster import ClusterOptions, Run, solving
from jaxsolve.games import make
from jaxsolve.games.game import Game, State
from jaxsolve.search import Claim, Limits, Result, Settings, Verdict, solve
from support.inline_workers import InlineWorkers
from support.oracles import minimax
from support.search import accepted, claims

RANDOM = {  # rule set -> plies of random play
    "hex-6": range(2, 9),
    "awari": range(150, 220),
    "loa-4": range(4, 10),
    "knightthrough-5;rules=all": range(6, 14),
    "minishogi": range(40, 90),
    "gomoku-5;line=4;win=exact5;knowledge=4t": range(3, 9),
    "gomoku-5;line=4;win=five-or-more;knowledge=ndk": range(12, 18),
    "slither-3": range(0, 5),
    "go-2;ko=positional;komi=1": range(0, 6),
    "killallgo-7;ko=simple;passes=not-achieved;fill_eyes=false": range(50, 80),
    "killallgo-7;ko=situational;passes=stones;fill_eyes=true": range(50, 80),
}
FILLED = {  # rule set -> empty points; all other points have stones
    "tsumego-5;fill_eyes=true;goal=live;defender=white;crucial=C3;region=B2,B3,B4,C2,C4,D2,D3,D4"
    ";ko_black=allow;ko_white=forbid": 8,
}
RULE_SETS = (*RANDOM, *FILLED)
WITHOUT_REPETITION = ("hex", "gomoku", "slither")


class Question(NamedTuple):
    """A claim about a position, with the verdict of ``solve``."""

    game: Game
    state: State
    claim: Claim
    verdict: Verdict
    nodes: int  # positions that ``solve`` has expanded

    @property
    def name(self) -> str:
        return f"{self.game.rule_set}: {self.game.text(self.state)}, {self.claim}"


def positions(rule_set: str, seed: int) -> Iterator[str]:
    """Endless positions of a rule set, all with few moves until the end."""
    game = make(rule_set)
    if rule_set in RANDOM:
        yield from minimax.random_positions(game, RANDOM[rule_set], seed)
    rng, points = random.Random(f"{rule_set} {seed}"), game.size**2
    while True:
        cells = [rng.choice("XO") for _ in range(points)]
        for point in rng.sample(range(points), FILLED[rule_set]):
            cells[point] = "."
        cells[game.crucial_points[0]] = "XO"[game.defender == "white"]
        rows = ["".join(cells[at : at + game.size]) for at in range(0, points, game.size)]
        text = f"{'/'.join(rows)} {rng.choice('bw')}"
        try:
            state = game.parse(text)
        except ValueError:
            continue
        if int(game.kernel.outcome(state)) == 0:
            yield text


def questions(
    rule_set: str, count: int, least: int = 8, most: int = 4000, seed: int = 1
) -> list[Question]:
    """Questions that ``solve`` decides with ``least`` to ``most`` nodes, both verdicts in turn.

    Verdicts of games without repetition are compared with those of minimax.
    """
    game = make(rule_set)
    asked, found = itertools.cycle(claims(game)), list[Question]()
    most_steps = 1000 if game.name == "hex" else 20_000  # most of Hex 6x6 is too large
    oracle = minimax.DepthFirst(game, most_steps) if game.name in WITHOUT_REPETITION else None
    for text in itertools.islice(positions(rule_set, seed), 60 * count):
        state, claim = game.parse(text), next(asked)
        result = solve(game, state, claim=claim, limits=Limits(nodes=most), check=False)
        if result.verdict is Verdict.UNKNOWN or result.nodes < least:
            continue
        if found and len(found) < count and result.verdict is found[-1].verdict and len(found) % 2:
            continue
        if oracle is not None:
            with contextlib.suppress(minimax.TooLarge):
                assert result.verdict is minimax.expected(oracle.holds(text, claim)), text
        found.append(Question(game, state, claim, result.verdict, result.nodes))
        if len(found) == count:
            break
    return found


def inline(monkeypatch: pytest.MonkeyPatch, change: Any = None) -> list[InlineWorkers]:
    """Replaces the back-end by workers of this process. Returns the list of those that are made."""
    made: list[InlineWorkers] = []

    def backend(options: ClusterOptions, settings: Settings, folder: Path | None) -> InlineWorkers:
        made.append(InlineWorkers(options.workers, settings, change, folder))
        return made[-1]

    monkeypatch.setattr(solving, "_backend", backend)
    return made


class Answer(NamedTuple):
    """The answer of a run with workers, and its figures."""

    result: Result
    figures: dict[str, Any]


def answer(
    question: Question, out: Path, method: str = "pns", resume: bool = False, **options: Any
) -> Answer:
    """Solves a question with workers, and checks the certificate of a decided answer."""
    settings = Settings(method, Limits(nodes=200_000))
    with Run(ClusterOptions(**options), settings, out) as run:
        result = solve(
            question.game,
            question.state,
            claim=question.claim,
            settings=run.settings,
            make_pool=run.make_pool,
            out=out,
            resume=resume,
        )
    if result.verdict is not Verdict.UNKNOWN:
        accepted(question.game, question.state, question.claim, result)
    return Answer(result, run.figures())
