"""``check --replay``: the strategy of a true certificate wins every game.

A certificate that only a weaker checker accepts loses a game.
"""

from __future__ import annotations

import json
import random
from collections import Counter

import pytest

from jaxsolve.proof.check import register, unregister
from jaxsolve.proof.check.__main__ import main
from jaxsolve.proof.check.audit import replay, strategy
from jaxsolve.proof.check.audit.certificate import Certificate
from jaxsolve.proof.check.checker import judge
from jaxsolve.proof.check.games.go import rules as go
from jaxsolve.proof.check.games.go.zones import GoZones
from jaxsolve.proof.check.games.hex.rules import Hex
from jaxsolve.proof.check.games.hex.zones import HexZones
from jaxsolve.proof.check.rules import Verdict
from jaxsolve.proof.check.walk import Walk
from support import mutations
from support.proofs import corpus as check_corpus
from support.proofs import go_zone_steps as steps
from support.proofs import solver as proof_tools
from support.proofs.audited import (
    LIES,
    SEARCHED,
    mutated,
    problems_of_life,
    read,
    run,
    searched,
    wrong,
    zoned,
)
from support.proofs.go_zone_hand import HAND


def played(lines, tmp_path, games: int = 60, seed: int = 0):
    return replay.replay(read(proof_tools.write(tmp_path / "a.gz", lines)), games, seed)


@pytest.fixture(scope="session")
def folder(tmp_path_factory):
    return tmp_path_factory.mktemp("searched")


@pytest.mark.short(1)
@pytest.mark.parametrize("name", SEARCHED)
def test_certificates_of_searches_win_every_game(name, folder):
    proof = read(searched(SEARCHED[name], folder / name))
    found = replay.replay(proof, 150, seed=1)
    assert found.reason == "" and found.root_games == 150 and found.longest > 0
    assert found.node_games == (150 if proof.zones else 0) and bool(proof.zones) == (
        name not in ("gomoku", "minishogi", "awari")
    )
    if not proof.zones:
        assert found.longest <= proof.heights[proof.top] + 1  # the moves of a threat are played


@pytest.mark.short(1)
@pytest.mark.parametrize("size", [4, 5])
def test_certificates_of_small_problems_win_every_game(size, tmp_path):
    inside = 0
    for certificate in problems_of_life(size, 15, tmp_path):
        found = replay.replay(read(certificate), 60, seed=2)
        assert found.reason == "" and found.root_games == 60
        inside += found.node_games
    assert inside == 15 * 60


@pytest.mark.parametrize(
    "case",
    [case for case in check_corpus.HAND if check_corpus.certificate(case)],
    ids=lambda case: case.rules[:20],
)
def test_plain_certificates_win_every_game(case, tmp_path):
    found = played(check_corpus.certificate(case), tmp_path)
    assert found.reason == "" and found.root_games == 60


@pytest.mark.full
def test_drawn_claims_win_every_game(tmp_path):
    """All games, both results, threats. Those of Hex also start inside the proof."""
    seen = Counter()
    for case in check_corpus.drawn(5):
        lines = check_corpus.certificate(case)
        if lines:
            found = played(lines, tmp_path, 20)
            assert found.reason == "", (case, found.reason)
            seen[case.game, case.result] += found.root_games
            seen[case.game, "inside"] += found.node_games
    assert (
        {game for game, _ in seen} >= {"go", "gomoku", "hex", "awari"}
        and seen["hex", "inside"]
        and seen["awari", "does-not-lose"]
    )


@pytest.mark.parametrize("name", HAND)
def test_certificates_written_by_hand_win_every_game(name, tmp_path):
    found = played(HAND[name], tmp_path, 300)
    assert found.reason == "" and found.node_games == 300


def test_minimal_zones_win_every_game(tmp_path):
    for lines in zoned():
        found = played(lines, tmp_path, 150)
        assert found.reason == "" and found.node_games == 150


# ---- coverage of the games -----------------------------------------------------------------------
def test_every_kind_of_reply_is_played(tmp_path, monkeypatch):
    seen, kind_of = Counter(), replay._Games._kind_of
    reply = replay._Games._reply

    def watched(self, place, replies, taste):
        move = reply(self, place, replies, taste)
        seen[kind_of(self, place)(move)] += 1
        return move

    monkeypatch.setattr(replay._Games, "_reply", watched)
    for lines in (*zoned(), *HAND.values()):
        played(lines, tmp_path, 200)
    assert set(seen) == set(replay._KINDS) and min(seen.values()) > 5, seen


def test_random_positions_for_a_node_are_legal_cover_it_and_vary(tmp_path):
    """Random positions for a node, compared with the oracle's covering.

    They are legal, cover the node, and vary in stones, kos, passes and crucial points.
    """
    seen = Counter()
    for lines in (*zoned(), *HAND.values()):
        proof = read(proof_tools.write(tmp_path / "a.gz", lines))
        twin, rng = steps.twin_of(proof.rule_set), random.Random(3)
        games = replay._Games(proof, 3)
        for _ in range(100):
            place = games._elsewhere()
            q, p = twin.parse(place.text), twin.parse(proof.texts[place.node])
            zone = twin.points(proof.rules.grid.list(proof.zones[place.node]))
            assert twin.sound(q.board) and twin.covers(q, p, zone, proof.claimant)
            fields = {
                "stones": q.board != p.board,
                "ko": q.ko not in (None, p.ko),
                "passes": q.passes != p.passes,
                "crucial": q.crucial != p.crucial,
            }
            seen.update(field for field, other in fields.items() if other)
        node = rng.choice(list(proof.zones))
        texts = {
            games.sampler.draw(
                rng, proof.claimant, games.strategy.position(proof.texts[node]), proof.zones[node]
            )
            for _ in range(50)
        }
        assert len(texts) > 1
    assert all(seen[field] > 5 for field in ("stones", "ko", "passes", "crucial")), seen


def test_the_seed_determines_the_games(folder):
    path = searched(SEARCHED["hex"], folder / "hex")
    found = [replay.replay(read(path), 40, seed) for seed in (1, 1, 2)]
    lengths = []
    for seed in (1, 2):
        games = replay._Games(read(path), seed)
        lengths.append(
            [
                games._reply(
                    games.strategy.start(), ["a1", "b2", "c3"], dict.fromkeys(replay._KINDS, 1.0)
                )
                for _ in range(30)
            ]
        )
    assert found[0] == found[1] and lengths[0] != lengths[1]


# ---- wrong zones ---------------------------------------------------------------------------------
"""Omitted condition -> the weaker zones, and a problem whose certificate then has a wrong zone."""


@pytest.mark.parametrize("name", LIES)
def test_a_wrong_zone_loses_a_game(name, tmp_path, monkeypatch):
    path = proof_tools.write(tmp_path / "a.gz", wrong(*LIES[name], monkeypatch))
    found = replay.replay(read(path), 3000)
    assert "of the replay with seed 0" in found.reason and found.sentence.startswith(
        "refused: game "
    ), found
    monkeypatch.setattr(go, "GoZones", GoZones)
    assert not judge(path, Walk()).accepted


class Careless(HexZones):
    """A node where the opponent moves has an empty zone, so it may omit all replies but one."""

    def and_node(self, claimant, position, replies, null):
        return 0

    def or_node(self, claimant, position, move, child):
        return child

    def paired(self, player, position, pairs):
        return super().paired(player, position, pairs) & 0


def test_a_wrong_zone_of_hex_loses_a_game(folder, tmp_path, monkeypatch):
    monkeypatch.setattr("jaxsolve.proof.check.games.hex.rules.HexZones", Careless)
    lines = mutations.load(searched(SEARCHED["hex"], folder / "hex"))
    short = [
        {**line, "must-play": line["must-play"][:1]} if "must-play" in line else line
        for line in lines
    ]
    found = played(mutations.tidy(short), tmp_path, 400)
    assert "of the replay" in found.reason


class Trusting(Certificate):
    """Accepts every node whose children exist."""

    def _leaf(self, rules, position, reason, zone):
        return zone

    def _or(self, rules, position, entry, zone):
        self._use(*entry)
        return zone

    def _and(self, rules, position, entries, fields):
        for entry in entries:
            self._use(*entry)
        return 0


def _other(node: dict) -> str:
    """A legal move that the node does not play."""
    replies = proof_tools.rules_of(ROW.game, ROW.rules).replies
    return next(
        move
        for move in replies(proof_tools.rules_of(ROW.game, ROW.rules).position(node["pos"]))
        if move != node["or"][0]
    )


ROW = check_corpus.Case(
    "gomoku",
    "gomoku-3;line=3;win=five-or-more;knowledge=ndk",
    ".../.../... b",
    "white",
    "does-not-lose",
)
HEX = check_corpus.Case("hex", "hex-3", ".../.../... b", "black")
MUTATED = {
    "and": (
        lambda node: {**node, "and": node["and"][1:]},
        "which neither is nor covers a child of the node",
    ),
    "or": (
        lambda node: {**node, "or": [_other(node), node["or"][1]]},
        "which neither is nor covers the node",
    ),
}


@pytest.mark.parametrize("kind", MUTATED)
def test_a_wrong_node_loses_a_game(kind, tmp_path):
    change, reason = MUTATED[kind]
    path = proof_tools.write(
        tmp_path / "a.gz", mutated(check_corpus.certificate(ROW), kind, change)
    )
    found = replay.replay(read(path, Trusting), 300)
    assert (
        reason in found.reason
        and f"game {found.root_games + found.node_games} of the replay" in found.reason
    )


ENDS = [
    (None, "the game goes on, and the leaf"),
    (Verdict(1, "connection"), "the game is over by 'connection', won by white"),
]


@pytest.mark.parametrize("verdict, reason", ENDS)
def test_a_game_that_does_not_end_as_claimed_is_detected(verdict, reason, tmp_path, monkeypatch):
    proof = read(proof_tools.write(tmp_path / "a.gz", check_corpus.certificate(HEX)))
    whose, rules = proof.rules.verdict, proof.rules
    monkeypatch.setattr(rules, "verdict", lambda position: verdict if whose(position) else None)
    monkeypatch.setattr(
        rules, "replies", lambda position, replies=rules.replies: replies(position) or {"a1": "..."}
    )
    assert reason in replay.replay(proof, 5).reason


# ---- the commands --------------------------------------------------------------------------------


def test_commands_report_the_games(tmp_path, capsys):
    path = proof_tools.write(tmp_path / "a.gz", HAND["attack"])
    assert main([path, "--replay", "7", "--seed", "3"]) == 0
    accepted, games = capsys.readouterr().out.splitlines()
    assert (
        ": accepted: " in accepted
        and ": replayed: 7 games from the root and 7 from other positions that cover a node,"
        " all as claimed"
        in games
    )
    assert run(path, "--replay", 7, "--seed", 3).stdout.splitlines() == [accepted, games]
    report = json.loads(run(path, "--replay", 7, "--seed", 3, "--json").stdout)
    assert report["accepted"] and report["replay"] == {
        "root_games": 7,
        "node_games": 7,
        "longest": report["replay"]["longest"],
        "seed": 3,
    }


def test_commands_refuse_a_certificate_that_loses_a_game(tmp_path, monkeypatch, capsys):
    path = proof_tools.write(tmp_path / "a.gz", wrong(*LIES["child_inside"], monkeypatch))
    assert main([path]) == 0
    capsys.readouterr()
    assert main([path, "--replay", "1000"]) == 1
    report = capsys.readouterr()
    assert report.out == "" and ": refused: game " in report.err and report.err.count("\n") == 1
    found = run(path, "--replay", 1000, "--json")
    assert found.exit_code == 1 and not json.loads(found.stdout)["accepted"]


def test_a_refused_certificate_is_not_replayed(tmp_path):
    path = proof_tools.write(tmp_path / "a.gz", HAND["attack"][:-1])
    assert run(path, "--replay", 5).exit_code == 1 and "replay" not in json.loads(
        run(path, "--replay", 5, "--json").stdout
    )
    assert run(tmp_path / "none", "--replay", 5).exit_code == 2


@pytest.mark.parametrize(
    "words",
    [("--replay", "0"), ("--replay", "x"), ("--seed", "-1", "--replay", "1"), ("--most", "0")],
)
def test_bad_numbers_are_one_line_and_exit_code_2(words, tmp_path, capsys):
    path = proof_tools.write(tmp_path / "a.gz", HAND["attack"])
    assert main([path, *words]) == 2 and run(path, *words).exit_code == 2
    report = capsys.readouterr()
    assert report.out == "" and report.err.count("\n") == 1


def test_failing_rules_of_a_plugin_are_a_refusal(tmp_path, monkeypatch, capsys):
    """They may pass the check and fail at a position that only a replay reaches."""
    lines = check_corpus.certificate(HEX)
    path = proof_tools.write(tmp_path / "a.gz", [{**lines[0], "game": "hexes"}, *lines[1:]])
    register("hexes", Hex)
    try:
        assert main([path, "--replay", "3"]) == 0
        monkeypatch.setattr(strategy.Strategy, "follow", lambda *_: [][0])
        capsys.readouterr()
        assert (
            main([path, "--replay", "3"]) == 1
            and "broke down: IndexError" in capsys.readouterr().err
        )
        assert (
            main([path, "--flatten", str(tmp_path / "flat.gz")]) == 1
            and "broke down: IndexError" in capsys.readouterr().err
        )
    finally:
        unregister("hexes")
