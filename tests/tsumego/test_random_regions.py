"""Random fights in random regions: no search and no status contradicts exhaustion.

Nothing that is said to hold outside the region changes in a wider region.
"""

from __future__ import annotations

import json
import random
from collections import Counter
from collections.abc import Iterator

from jaxsolve.games import make
from jaxsolve.search import Limits, Verdict, solve
from jaxsolve.search.run.shared_patterns import SharedPatterns
from jaxsolve.tsumego import where_it_holds
from jaxsolve.tsumego.questions import Ko, StatusQuestion
from jaxsolve.tsumego.setup import SIDES
from jaxsolve.tsumego.status import Bounded, Bounds, Value, possible
from support import ko_problems
from support.oracles import ko_truth
from support.oracles.life_and_death import BOTH, NEITHER, Exhaustive, Options
from support.random_regions import Fight, draw_region, fights, widen
from support.search import LONG
from support.tsumego_command import study_json

QUESTIONS = 2_700 if LONG else 96
STUDIES = 250 if LONG else 8
PAIRS = 800 if LONG else 24  # regions with a wider one
SIZES = (4, 5, 6, 7) if LONG else (5,)
BOARDS = 3_000 if LONG else 1_200  # most boards of a region
KINDS = ("enclosed", "walled", "open", "ko")
KOS = (Ko.AGAINST, Ko.FOR, Ko.DESPITE, Ko.WITH)
LETTERS = {Value.DIES: "d", Value.SEKI: "s", Value.LIVES: "l"}


def shapes(seed: int) -> Iterator[tuple[Fight, int, Exhaustive]]:
    """Endless (fight, region, truth inside the region)."""
    rng = random.Random(seed)
    for fight in fights(rng, SIZES):
        region = draw_region(rng, fight)
        found = None if region is None else fight.solved(region, BOARDS)
        if region is not None and found is not None:
            yield fight, region, found


def ruled(fight: Fight, region: int, goal: str, options: Options | None, ko: Ko):
    """The game of a question under any pair of ko options; None: those of ``ko``."""
    if options is None:
        return make(fight.task(region).rules(StatusQuestion(goal, ko)))
    rules = fight.task(region).rules(StatusQuestion(goal, Ko.FOR))
    game = make(rules)
    may = {fight.defender: options.defender, 1 - fight.defender: options.attacker}
    for player, side in enumerate(SIDES):
        other = "forbid" if may[player] else "allow"
        rules = rules.replace(
            f"ko_{side}={other}", f"ko_{side}={'allow' if may[player] else 'forbid'}"
        )
    return make(rules) if rules != game.rule_set else game


def test_no_answer_and_no_status_contradicts_exhaustion():
    rng, counted, asked = random.Random(1), Counter(), 0
    for fight, region, found in shapes(20261128):
        if asked >= QUESTIONS:
            break
        pair = ko_truth.OPTIONS if rng.random() < 0.7 else (BOTH, NEITHER)
        patterns = SharedPatterns()  # as the command shares them
        for side, name in enumerate(SIDES):
            answers = {}
            for options, ko in zip((*pair, None, None), KOS, strict=True):
                for goal in ("live", "kill"):
                    about = (fight, fight.stones.grid.list(region), options or ko, goal, name)
                    game = ruled(fight, region, goal, options, ko)
                    state = game.parse(f"{fight.board} {name[0]}")
                    limits = Limits(nodes=30_000)
                    got = solve(game, state, limits=limits, memory_mb=64, patterns=patterns)
                    if options is None:
                        oracle = found.despite if ko is Ko.DESPITE else found.helped
                        true = oracle(goal, side)
                        counted[ko, true] += 1
                    else:
                        true = found.answer(goal, options, side)
                    asked += 1
                    counted[fight.kind, got.verdict.value] += 1
                    if got.verdict is Verdict.UNKNOWN:
                        counted["left open"] += true is not None and options is not None
                        assert options is not None or not true, about
                        continue
                    assert got.checked, about
                    answers[StatusQuestion(goal, ko)] = got.verdict is Verdict.PROVED
                    assert true is answers[StatusQuestion(goal, ko)], about
            values = ko_truth.pair(found, side)
            if pair == ko_truth.OPTIONS and ko_truth.UNKNOWN not in values:
                defender_first = side == fight.defender
                sure = ko_truth.settled(found, side)
                status = ko_truth.status(values, defender_first, sure)
                assert status in possible(answers, defender_first), (fight, region, name)
                counted[status] += 1
    print(asked, dict(counted))
    assert counted["left open"] <= QUESTIONS // 50
    assert min(sum(counted[kind, end] for kind in KINDS) for end in ("proved", "disproved")) > 4
    assert min(counted[ko, true] for ko in Ko if ko.threats for true in (True, False)) > 2
    if LONG:
        assert counted["dies in ko"] + counted["lives in ko"] + counted["seki in ko"] >= 20


def test_the_command_agrees_about_status_and_first_moves():
    """Also about moves that take a ko which decides nothing."""
    rng, asked, kos = random.Random(3), 0, Counter()
    for fight, region, found in shapes(20261130):
        if asked >= STUDIES:
            break
        if fight.kind != "ko" and rng.random() < 0.8:
            continue
        truth = ko_truth.truth(found)
        if ko_truth.UNKNOWN in json.dumps(truth):
            continue
        inside = fight.stones.grid.list(region)
        study = study_json(fight.board, "--crucial", fight.crucial, "--region", inside)
        about = (fight, inside)
        try:
            ko_problems.agree(study, truth, SIDES[fight.defender])
        except AssertionError as error:
            raise AssertionError(about) from error
        asked += 1
        for side in SIDES:
            kos["ko"] += len(set(truth[side]["pair"])) == 2
            kos["ko moves"] += any(ko_truth.BARRED in after for after in truth[side]["after"])
    print(asked, dict(kos))
    assert kos["ko moves"] >= STUDIES // 10


def test_nothing_that_holds_outside_the_region_changes_in_a_wider_one():
    """By the values of exhaustion in both regions. Each law bounds them from its side."""
    rng, counted, compared = random.Random(2), Counter(), 0
    for fight in fights(rng, SIZES):
        if compared >= PAIRS:
            break
        region = draw_region(rng, fight)
        wide = None if region is None else widen(rng, fight, region)
        if region is None or wide is None:
            continue
        task = fight.task(region)
        laws = where_it_holds.of_task(task)
        if task.whole or not (laws.defender or laws.attacker):
            continue
        inside = fight.solved(region, BOARDS)
        outside = None if inside is None else fight.solved(wide, 3 * BOARDS)
        if inside is None or outside is None:
            counted["too large"] += 1
            continue
        compared += 1
        for side in (0, 1):
            near, far = ko_truth.pair(inside, side), ko_truth.pair(outside, side)
            about = (fight, task.grid.list(region), task.grid.list(wide), SIDES[side], near, far)
            counted[near == far] += 1
            if ko_truth.UNKNOWN in near + far:
                continue
            low, high = (bounds_of(values) for values in near)
            if laws.covers(Bounded(low, high)):
                counted["holds"] += 1
                counted["differs in ko"] += near[0] != near[1]
                assert near == far, about
            order = "dsl".index
            if laws.defender:
                assert order(far[0]) >= order(near[0]), about
            if laws.attacker:
                assert order(far[1]) <= order(near[1]), about
                assert order(far[0]) <= order(near[0]), about
    print(compared, dict(counted))
    assert counted["holds"] >= compared // 4
    if LONG:  # both kinds of pairs occur, and results in ko are among those that hold
        assert counted[False] >= 100 and counted["differs in ko"] >= 10


def bounds_of(value: str) -> Bounds:
    (found,) = (each for each, letter in LETTERS.items() if letter == value)
    return Bounds(found, found)
