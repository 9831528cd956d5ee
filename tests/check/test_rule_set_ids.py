"""The solver and the checker accept the same rule-set ids, with the same bounds on histories."""

from __future__ import annotations

import dataclasses
import os
import random

import pytest

from jaxsolve.games import make
from support.proofs import corpus as check_corpus
from support.proofs.solver import refused, rules_of

LONG = os.environ.get("JAXSOLVE_LONG") == "1"
FIVE = "gomoku-{};line={};win={};knowledge={}"


def random_id(rng: random.Random) -> tuple[str, str]:
    """A game and a full rule-set id, often with a value out of its range."""

    def pick(*values: str) -> str:
        return (
            rng.choice(values)
            if rng.random() < 0.95
            else rng.choice(("", "any", "0", "true", "7", "A1", "-", "white"))
        )

    ko, flag, size = (
        pick("simple", "positional", "situational"),
        pick("true", "false"),
        rng.choice(("1", "2", "3", "5", "7", "9", "15", "19", "20", "03")),
    )
    points = ",".join(rng.sample(["A1", "B1", "C1", "A2", "B3", "T19", "I1"], rng.randrange(1, 4)))
    komi = rng.choice(
        [
            "0",
            "7.5",
            "-0.5",
            "999.5",
            "1000",
            "-1000",
            "1000.5",
            "-999",
            "7.25",
            "007",
            "1e2",
            "nan",
            "100000",
            ".5",
            "+1",
            "12",
            "7.0",
            "-0",
        ]
    )
    which = rng.randrange(9)
    if which == 0:
        return "go", f"go-{size};ko={ko};komi={komi}"
    if which == 1:
        return (
            "go",
            f"killallgo-{size};ko={ko};passes={pick('stones', 'not-achieved')};fill_eyes={flag}",
        )
    if which == 2:
        return "hex", f"hex-{size}" + pick("", "", "", ";swap=true")
    if which == 3:
        line = rng.choice(("2", "3", "5", "6", "15", "16", "19", "x"))
        return (
            "gomoku",
            f"gomoku-{size};line={line};win={pick('exact5', 'five-or-more')};"
            f"knowledge={pick('ndk', '4t')}",
        )
    if which == 5:
        return "slither", f"slither-{size}" + pick("", "", "", ";size=5")
    if which == 7:
        return (
            "loa",
            f"loa-{rng.choice('345789')};simultaneous={pick('draw', 'mover')};"
            f"no_moves={pick('pass', 'loss')}" + pick("", "", ";size=8"),
        )
    if which == 8:
        return "knightthrough", f"knightthrough-{rng.choice('345789')}" + pick(
            "", ";rules=forward", ";rules=all"
        )
    if which == 4:
        return "awari", rng.choice(
            ("awari", "awari;rules=ludii", "awari;rules=abapa", "awari;rules=ludii;more=1")
        )
    crucial, region = pick("any", points), pick("all", points)
    options = {
        "ko": ko,
        "fill_eyes": flag,
        "ko_black": pick("allow", "forbid"),
        "ko_white": pick("allow", "forbid"),
    }
    return "go", check_corpus.tsumego(
        size, pick("live", "kill"), pick("black", "white"), crucial, region, **options
    )


def test_solver_and_checker_accept_the_same_rule_sets():
    rng, known = random.Random(4), 0
    for _ in range(20_000 if LONG else 2000):
        name, rule_set = random_id(rng)
        game = refused(make, rule_set)
        canonical = game is not None and game.rule_set == rule_set
        assert (refused(rules_of, name, rule_set) is not None) == canonical, rule_set
        known += canonical
    assert known > 200


def test_solver_and_checker_have_the_same_bound_on_histories():
    for size, most in ((2, 256), (9, 324)):
        rule_set = f"go-{size};ko=positional;komi=0"
        boards = ["/".join(["." * size] * size)] * (most + 1)
        stone = "X" + boards[0][1:]
        game, rules = (
            dataclasses.replace(make(rule_set), max_history=most),
            rules_of("go", rule_set),
        )
        fits, over = (f"{stone} w history={';'.join(boards[:n])}" for n in (most, most + 1))
        assert (
            game.text(game.parse(fits)) == fits and rules.root(fits) and len(fits) <= rules.longest
        )
        assert refused(game.parse, over) is None and refused(rules.root, over) is None
        with pytest.raises(ValueError, match="max_history"):
            dataclasses.replace(game, max_history=most + 1)
