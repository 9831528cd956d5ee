"""Benchmarks run from the command line, print one JSON object, and refuse unknown options."""

from __future__ import annotations

import json

import jax
import numpy as np
import pytest

from jaxsolve.bench import (
    lone_tree,
    patterns,
    play,
    positions,
    search,
)
from jaxsolve.evaluate import Evaluator
from jaxsolve.games import make
from jaxsolve.games.env import Env
from jaxsolve.games.game import Outcome
from jaxsolve.networks import shipped
from support.cli import bench


@pytest.mark.full
def test_kernels_of_one_game():
    result = bench("kernels", "--games", "hex-3", "--batch", "2,3", "--json")
    assert result.exit_code == 0 and result.stdout.count("\n") == 1
    answer = json.loads(result.stdout)
    assert answer["benchmark"] == "kernels" and answer["platform"] == jax.default_backend()
    seen = {(row["what"], row["batch"]) for row in answer["rows"]}
    assert seen == {
        (what, batch)
        for what in ("whole step", "rules and legal mask", "evaluator", "answers for all children")
        for batch in (2, 3)
    }
    for row in answer["rows"]:
        assert (
            row["game"] == "hex-3"
            and row["unit"]
            and row["per_cpu_second"] > 0
            and row["per_wall_second"] > 0
        )
        assert (
            row["state_bytes"] == 4 * make("hex-3").state_words and row["compile_cpu_seconds"] >= 0
        )


@pytest.mark.full
def test_a_game_without_pgx_environment_is_measured_alone():
    pytest.importorskip("pgx")
    result = bench("kernels", "--games", "awari", "--batch", 1, "--vs", "pgx")
    assert result.exit_code == 0 and "whole step" in result.stdout and "ratio" not in result.stdout


@pytest.mark.full
def test_kernels_as_a_table_beside_pgx():
    pytest.importorskip("pgx")
    result = bench("kernels", "--games", "hex-11", "--batch", 1, "--vs", "pgx")
    assert result.exit_code == 0
    for part in ("hex-11", "whole step", "per CPU s", "ratio", "pgx per CPU s"):
        assert part in result.stdout


def test_whole_searches_of_one_game():
    result = bench("search", "--games", "hex-7", "--batch", 4, "--seconds", 0.05, "--json")
    assert result.exit_code == 0 and result.stdout.count("\n") == 1
    rows = json.loads(result.stdout)["rows"]
    pooled = [(method, pool) for method in ("dfpn", "pns") for pool in (1, 4, 8)]
    assert [(row["method"], row["problems"]) for row in rows] == [*pooled, ("mcts", 1)]
    for row in rows:
        shares = [row[f"{name}_share"] for name in ("select", "absorb", "dispatch", "wait")]
        assert row["per_cpu_second"] > 0 and min(shares) >= 0 and sum(shares) == pytest.approx(1)


def test_a_table_of_patterns(monkeypatch):
    monkeypatch.setattr(patterns, "BOARDS", 64)
    monkeypatch.setattr(patterns, "PLIES", 64)
    result = bench("patterns", "--batch", "3,50", "--seconds", 0.05, "--json")
    assert result.exit_code == 0 and result.stdout.count("\n") == 1
    rows = json.loads(result.stdout)["rows"]
    assert [(row["kind"], row["patterns"]) for row in rows] == [
        ("random games", 3),
        ("random games", 50),
        ("searches", 3),
        ("searches", 50),
    ]
    for row in rows:
        assert row["look_ups"] >= row["positions"] > 0 and row["look_up_share"] < 1
        assert (
            row["look_up_ns"] > 0
            and row["entering_ns"] > 0
            and row["look_up_share"] > 0
            and 40 < row["bytes_per_pattern"] < 200
        )


@pytest.mark.parametrize("method", ["dfpn", "pns"])
def test_the_lone_tree_has_the_requested_size(method):
    numbers = lone_tree.lone_tree(method, 16, 2000)
    assert 2000 <= numbers["nodes"] < 2100
    assert numbers["children"] == lone_tree.MOVES * numbers["nodes"]
    assert numbers["mean_depth"] > 3 and numbers["per_cpu_second"] > 0


@pytest.mark.parametrize(
    ("words", "part"),
    [
        (("kernels", "--games", "chess-9"), "chess-9"),
        (("search", "--games", "chess-9"), "chess-9"),
        (("kernels", "--batch", "0"), "0"),
        (("kernels", "--batch", "٣"), "--batch ٣: give numbers from 1"),
        (("patterns", "--batch", "3,٤"), "not '٤'"),
        (("search", "--vs", "pgx"), "kernels"),
        (("kernels", "--seconds", "1"), "bench search --seconds 1"),
        (("kernels", "--vs", "other"), "other"),
        (("search", "--games", "hex-3", "--batch", "65536"), "65536"),
        (("patterns", "--games", "hex-5"), "hex-5"),
        (("patterns", "--games", "killallgo-7;ko=situational"), "ko=simple"),
        (("patterns", "--vs", "pgx"), "kernels"),
        (("zones", "--vs", "pgx"), "kernels"),
        (("zones", "--batch", "3"), "--batch"),
        (("zones", "--games", "awari"), "no zones"),
        (("zones", "--games", "hex-3", "--problems", "quickstart.json"), "not both"),
        (("zones", "--problems", "quickstart.json"), "no zones"),
        (("zones", "--problems", "quickstart.json:nine"), "nine"),
        (("zones", "--problems", "nowhere.json"), "nowhere.json"),
        (("zones", "--plot", "cactus.pdf"), ".png or .svg"),
        (("zones", "--plot", "nowhere/cactus.png"), "no folder nowhere"),
        (("search", "--plot", "cactus.png"), "bench zones"),
        (("kernels", "--problems", "quickstart.json"), "bench zones"),
        (("kernels", "--seeds", "5"), "bench zones"),
        (("kernels", "--network", "3x32"), "bench search' and 'selfplay'"),
        (("zones", "--dtype", "bfloat16"), "--dtype is an option of"),
        (("search", "--dtype", "bfloat16"), "needs --network"),
        (("search", "--games", "tree", "--network", "1x4"), "uses no network"),
        (("search", "--network", "killallgo7_pcn"), "there is killallgo7-pcn"),
        (("search", "--games", "hex-3", "--network", "hex6"), "does not fit hex-3"),
        (("selfplay", "--network", "hex6"), "BLOCKSxCHANNELS"),
        (("selfplay", "--network", ""), "BLOCKSxCHANNELS"),
        (("search", "--network", ""), "names no network"),
        (
            ("search", "--network", "auto", "--games", "hex-2"),
            "no network for this question of hex-2",
        ),
        (("selfplay", "--network", "3x9999"), "at most 1000 blocks of 4096 channels"),
        (("search", "--network", "99999999x1"), "at most 1000 blocks of 4096 channels"),
        (("zones", "--seeds", "1"), "--seeds 1: give a number of seeds from 2"),
        (("zones", "--seeds", "five"), "five"),
        (("zones", "--seeds", "-3"), "-3"),
        (("zones", "--seeds", "٣"), "--seeds ٣: give a number of seeds from 2"),
        (("zones", "--seeds", "99999"), "99999"),
        (("zones", "--seeds", "2", "--games", "hex-3"), "without plans"),
        (("zones", "--seeds", "2", "--plot", "cactus.png"), "--plot"),
    ],
)
def test_refusals_are_one_sentence(words, part):
    result = bench(*words)
    assert result.exit_code == 2
    assert result.stderr.count("\n") == 1 and part in result.stderr


def test_play_is_legal_and_restarts_finished_games():
    game = make("awari")
    boards = play.Play(Env(game), 5, 20)
    boards.advance(200)
    assert not np.asarray(boards.states.terminated | boards.states.truncated).any()
    assert np.asarray(boards.states.legal_action_mask).any(axis=1).all()
    counts = np.asarray(boards.states._step_count)
    assert len(set(counts.tolist())) > 1 and (counts <= 220).all()


@pytest.mark.parametrize(
    "rules", ["gomoku-15;knowledge=4t", "killallgo-9;fill_eyes=false", "hex-5", "go-9", "awari"]
)
def test_hard_positions_are_undecided(rules):
    game = make(rules)
    for state in positions.hard_positions(game):
        assert int(game.outcome(state)) == Outcome.ONGOING
        assert game.text(game.parse(game.text(state))) == game.text(state)


@pytest.mark.full
def test_self_play_and_the_shares_of_its_time():
    pytest.importorskip("flax")
    result = bench("selfplay", "--games", "hex-3", "--batch", 2, "--seconds", 0.01, "--json")
    assert result.exit_code == 0, result.output
    rows = json.loads(result.stdout)["rows"]
    assert [row["targets"] for row in rows] == ["pcn", "alphazero"]
    for row in rows:
        assert (row["game"], row["batch"], row["simulations"]) == ("hex-3", 2, 32) and row[
            "per_cpu_second"
        ] > 0
        assert (
            row["network_share"] + row["tree_share"] + row["rest_share"] == pytest.approx(1.0)
            and row["network_share"] > 0 < row["tree_share"]
        )
        assert (row["network"], row["dtype"]) == ("3x32", "float32") and row["per_wall_second"] > 0
    assert bench("selfplay", "--vs", "pgx").exit_code == 2


def test_self_play_by_a_tower_of_another_size(monkeypatch):
    pytest.importorskip("flax")
    from jaxsolve.bench import selfplay  # needs flax

    built = []
    monkeypatch.setattr(
        selfplay,
        "_measured",
        lambda settings, *_: built.append(settings.network) or {"network_share": 1.0},
    )
    result = bench("selfplay", "--network", "5x8", "--dtype", "bfloat16", "--json")
    assert result.exit_code == 0, result.output
    assert [(row["network"], row["dtype"]) for row in json.loads(result.stdout)["rows"]] == [
        ("5x8", "bfloat16")
    ] * 2
    assert {(network.blocks, network.channels, network.dtype) for network in built} == {
        (5, 8, "bfloat16")
    }


@pytest.mark.full
def test_searches_with_a_network(monkeypatch):
    pytest.importorskip("flax")
    booked = []
    for name in ("estimate", "fill"):  # the time that the network takes is booked around them
        whole = getattr(Evaluator, name)
        monkeypatch.setattr(
            Evaluator,
            name,
            lambda *args, whole=whole, name=name: (booked.append(name), whole(*args))[1],
        )
    result = bench(
        "search",
        "--games",
        "hex-7",
        "--network",
        "1x4",
        "--dtype",
        "bfloat16",
        "--batch",
        4,
        "--seconds",
        0.05,
        "--json",
    )
    assert result.exit_code == 0, result.output
    rows = json.loads(result.stdout)["rows"]
    assert [(row["method"], row["problems"]) for row in rows] == [
        ("fdfpn", 1),
        ("fdfpn", 4),
        ("fdfpn", 8),
        ("mcts", 1),
    ]
    for row in rows:
        assert (row["network"], row["dtype"], row["unit"]) == (
            "1x4",
            "bfloat16",
            "expansions",
        ) and row["per_wall_second"] > 0
        assert all(
            0.0 <= row[f"{part}_share"] <= 1.0 for part in ("select", "absorb", "dispatch", "wait")
        )
    assert {"estimate", "fill"} == {*booked}


def test_a_named_network_is_measured_on_its_own_game(monkeypatch):
    pytest.importorskip("flax")
    monkeypatch.setattr(
        search,
        "timed_search",
        lambda game, method, width, pool, seconds, guide: {"cpu_seconds": 1.0},
    )
    asked = {
        ("hex6",): ("hex-6", "hex6"),
        ("auto",): ("killallgo-7;", shipped.fitting(make("killallgo-7")).name),
    }
    for words, (game, network) in asked.items():
        rows = json.loads(bench("search", "--network", *words, "--batch", 4, "--json").stdout)[
            "rows"
        ]
        assert {row["network"] for row in rows} == {network} and all(
            row["game"].startswith(game) for row in rows
        )


@pytest.mark.full
def test_pnmcts_rows_have_both_searches_and_their_ratio():
    result = bench("pnmcts", "--games", "hex-3", "--batch", 2, "--seconds", 0.01, "--json")
    assert result.exit_code == 0, result.output
    (row,) = json.loads(result.stdout)["rows"]
    assert row["game"] == "hex-3" and row["positions"] == 2 and row["simulations"] == 1000
    assert row["ratio"] > 0 and abs(row["pnmcts"] / row["uct"] - row["ratio"]) < 0.01 * row["ratio"]
    assert bench("pnmcts", "--vs", "pgx").exit_code == 2
    assert bench("pnmcts", "--games", "chess").exit_code == 2
    won = bench("pnmcts", "--games", "hex-1", "--batch", 2)  # its one position, at once
    assert won.exit_code == 2 and "hex-1: 0 of 256 positions" in won.output
