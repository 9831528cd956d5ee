"""The benchmarks run through the command line, answer with one JSON object, and refuse what they do not know."""

from __future__ import annotations

import json

import jax
import numpy as np
import pytest
from typer.testing import CliRunner

from jaxsolve import cli
from jaxsolve.bench import lone_tree, measure, patterns, play, positions
from jaxsolve.games import make
from jaxsolve.games.env import Env
from jaxsolve.games.game import Outcome


def bench(*words):
    return CliRunner().invoke(cli.app, ["bench", *map(str, words)])


@pytest.fixture(autouse=True)
def short_repeats(monkeypatch):
    """Repeats too short to say anything about speed."""
    monkeypatch.setattr(measure.rates, "__defaults__", (0.01,))


def test_kernels_of_one_game():
    result = bench("kernels", "--games", "hex-3", "--batch", "2,3", "--json")
    assert result.exit_code == 0 and result.stdout.count("\n") == 1
    answer = json.loads(result.stdout)
    assert answer["benchmark"] == "kernels" and answer["platform"] == jax.default_backend()
    seen = {(row["what"], row["batch"]) for row in answer["rows"]}
    assert seen == {(what, batch) for what in ("whole step", "rules and legal mask", "evaluator", "answers for all children") for batch in (2, 3)}
    for row in answer["rows"]:
        assert row["game"] == "hex-3" and row["unit"] and row["per_cpu_second"] > 0 and row["per_wall_second"] > 0
        assert row["state_bytes"] == 4 * make("hex-3").state_words and row["compile_cpu_seconds"] >= 0


def test_a_game_that_pgx_has_not_is_measured_alone():
    pytest.importorskip("pgx")
    result = bench("kernels", "--games", "awari", "--batch", 1, "--vs", "pgx")
    assert result.exit_code == 0 and "whole step" in result.stdout and "ratio" not in result.stdout


def test_kernels_as_a_table_beside_pgx():
    pytest.importorskip("pgx")
    result = bench("kernels", "--games", "hex-11", "--batch", 1, "--vs", "pgx")
    assert result.exit_code == 0
    for part in ("hex-11", "whole step", "per CPU s", "ratio", "pgx per CPU s"):
        assert part in result.stdout


def test_whole_searches_of_one_game():
    result = bench("search", "--games", "hex-5", "--batch", 4, "--seconds", 0.05, "--json")
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
    assert [row["patterns"] for row in rows] == [3, 50]
    for row in rows:
        assert row["look_up_ns"] > 0 and row["entering_ns"] > 0 and row["look_up_share"] > 0 and 40 < row["bytes_per_pattern"] < 200


@pytest.mark.parametrize("method", ["dfpn", "pns"])
def test_the_lone_tree_is_as_large_as_asked(method):
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
        (("search", "--vs", "pgx"), "kernels"),
        (("kernels", "--seconds", "1"), "bench search --seconds 1"),
        (("kernels", "--vs", "other"), "other"),
        (("search", "--games", "hex-3", "--batch", "65536"), "65536"),
        (("patterns", "--games", "hex-5"), "hex-5"),
        (("patterns", "--games", "killallgo-7;ko=situational"), "ko=simple"),
        (("patterns", "--vs", "pgx"), "kernels"),
    ],
)
def test_refusals_are_one_sentence(words, part):
    result = bench(*words)
    assert result.exit_code == 2
    assert result.stderr.count("\n") == 1 and part in result.stderr


def test_play_is_legal_and_begins_anew():
    game = make("awari")
    boards = play.Play(Env(game), 5, 20)
    boards.advance(200)
    assert not np.asarray(boards.states.terminated | boards.states.truncated).any()
    assert np.asarray(boards.states.legal_action_mask).any(axis=1).all()
    counts = np.asarray(boards.states._step_count)
    assert len(set(counts.tolist())) > 1 and (counts <= 220).all()


@pytest.mark.parametrize("rules", ["gomoku-15;knowledge=4t", "killallgo-9;fill_eyes=false", "hex-5", "go-9", "awari"])
def test_hard_positions_are_undecided(rules):
    game = make(rules)
    for state in positions.hard_positions(game):
        assert int(game.outcome(state)) == Outcome.ONGOING
        assert game.text(game.parse(game.text(state))) == game.text(state)
