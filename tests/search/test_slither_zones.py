"""Slither searches with zones: answers equal exhaustive search, also by the plain rules."""

from __future__ import annotations

import gzip
import json
import random
from typing import Any

import pytest

from jaxsolve.games import make
from jaxsolve.proof.check import registry as checkers
from jaxsolve.proof.check.audit.report import Audits, audit
from jaxsolve.search import Limits, Result, Verdict, solve
from support.proofs.slither_zone_steps import Truth
from support.proofs.solver import write
from support.search import LONG, NAMES, Setting, claims, run, settings


@pytest.fixture(scope="module")
def truth() -> Truth:
    return Truth(3)


def three(truth: Truth, rng: random.Random) -> tuple[str, int]:
    """A random position of 3x3 in play, and who wins it."""
    while True:
        side, relocated = rng.randrange(2), rng.random() < 0.3
        table = truth.tables[side, relocated]
        black, white, winner = table[rng.randrange(len(table))].tolist()
        text = truth.text(black, white, side, relocated)
        if truth.winner(black, white, side, relocated) is None:
            try:
                truth.rules.root(text)
            except ValueError:
                continue
            return text, winner


def four(rng: random.Random, turns: int) -> str:
    """A position of 4x4 after random turns."""
    rules = checkers.find("slither").rules("slither-4")
    while True:
        text = "..../..../..../.... b"
        for _ in range(2 * turns):
            position = rules.position(text)
            if rules.verdict(position) is not None:
                break
            replies = rules.replies(position)
            still = [move for move in replies if "-" not in move]
            text = replies[rng.choice(still if still and rng.random() < 0.8 else list(replies))]
        if rules.verdict(rules.position(text)) is None:
            return text


def lines_of(result: Result) -> list[dict[str, Any]]:
    """The lines of an answer's certificate."""
    assert result.certificate is not None
    return [
        json.loads(line) for line in gzip.decompress(result.certificate.read_bytes()).splitlines()
    ]


def test_answers_on_three_by_three_equal_exhaustive_search(truth, tmp_path):
    game, rng, turn, zoned = (
        make("slither-3"),
        random.Random(3),
        settings(nodes=(None, 96), waves=(None, 4)),
        0,
    )
    for number in range(2000 if LONG else 60):
        text, winner = three(truth, rng)
        claim = claims(game)[number % 2]
        got = run(game, game.parse(text), claim, next(turn), tmp_path)
        assert got.verdict is (Verdict.PROVED if claim.player == winner else Verdict.DISPROVED), (
            text
        )
        zoned += any("zone" in line for line in lines_of(got.result))
    assert zoned > 40


@pytest.mark.parametrize("method", NAMES)
def test_zones_change_no_answer_on_four_by_four(method, tmp_path):
    game, rng = make("slither-4"), random.Random(method)
    for number in range(40 if LONG else 2):
        text, claim = four(rng, 4), claims(game)[number % 2]
        got = run(
            game, game.parse(text), claim, Setting(method, 8, None, number), tmp_path, 200_000
        )
        plain = solve(
            game,
            game.parse(text),
            claim=claim,
            method="dfpn",
            limits=Limits(nodes=400_000),
            zones=False,
        )
        assert got.verdict is plain.verdict is not Verdict.UNKNOWN, text


def test_proofs_hold_in_random_games_and_by_the_plain_rules(truth, tmp_path):
    rng = random.Random(5)
    for number in range(60 if LONG else 8):
        size = 3 + number % 2
        text = three(truth, rng)[0] if size == 3 else four(rng, 5)
        game = make(f"slither-{size}")
        got = run(
            game,
            game.parse(text),
            claims(game)[0],
            Setting("dfpn", 8, None, number),
            tmp_path,
            200_000,
        )
        said = audit(
            str(got.result.certificate),
            Audits(replay=200, seed=number, flatten=str(tmp_path / f"{number}.plain")),
        )
        assert said.exit_code == 0, (text, said.sentences)


def test_certificates_with_smaller_zones_are_refused_or_sound(truth, tmp_path):
    """A cell taken out of a zone: what the checker still accepts, the plain rules accept too."""
    rng, refused, accepted = random.Random(6), 0, 0
    for number in range(40 if LONG else 6):
        game, text = make("slither-3"), three(truth, rng)[0]
        got = run(
            game, game.parse(text), claims(game)[0], Setting("dfpn", 1, None, number), tmp_path
        )
        lines = lines_of(got.result)
        zoned = [line for line in lines if "zone" in line]
        for line in rng.sample(zoned, min(12, len(zoned))):
            lists, whole = (
                [part.split(",") if part else [] for part in line["zone"].split(";")],
                line["zone"],
            )
            side = rng.choice([i for i in range(2) if lists[i]])
            lists[side].remove(rng.choice(lists[side]))
            line["zone"] = ";".join(",".join(part) for part in lists)
            said = audit(write(tmp_path / "smaller.gz", lines), Audits())
            line_was, line["zone"] = line["zone"], whole
            refused += said.exit_code == 1
            if said.exit_code == 0:
                accepted += 1
                plain = audit(
                    str(tmp_path / "smaller.gz"),
                    Audits(replay=50, flatten=str(tmp_path / f"{number}.{accepted}.plain")),
                )
                assert plain.exit_code == 0, (text, line["id"], line_was, plain.sentences)
    assert refused > 10


def test_zones_prune_replies():
    game = make("slither-5")
    state = game.parse(".X.../OO.XX/O...X/...../..O.. b")
    limits = Limits(nodes=400_000)
    whole, zoned = (
        solve(game, state, method="dfpn", limits=limits, zones=zones) for zones in (False, True)
    )
    assert whole.verdict is zoned.verdict is Verdict.PROVED and zoned.checked
    assert 5 * zoned.certificate_nodes < whole.certificate_nodes
