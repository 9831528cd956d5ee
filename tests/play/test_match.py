"""Matches: games are legal and replayable, openings are played from both sides."""

from __future__ import annotations

import dataclasses
import json

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from jaxsolve.commands import progress
from jaxsolve.games.env import Env
from jaxsolve.games.game import Outcome
from jaxsolve.games.registry import make
from jaxsolve.play import match, records
from jaxsolve.play.player import RandomPlayer
from jaxsolve.train import players as training
from support.cli import one_object, run
from support.networks import random_network

GAME = make("hex-3")
ENV = Env(GAME, max_steps=18)


class KnowingPlayer(RandomPlayer):
    """Takes the centre of 3x3 Hex where it is free, which wins, else any point."""

    def choose(self, seeds, states, players):
        drawn, counts = super().choose(seeds, states, players)
        return np.where(np.asarray(states.legal_action_mask)[:, 4], 4, drawn), counts


def played(env, pair, count, opening_moves, seed):
    """The games of a match of ``2 * count`` games, and how many were unfinished at each move."""
    matches, counts = match.Matches(env, [pair], starts(count), opening_moves, seed), []
    while matches.left:
        counts.append(matches.left)
        matches.play_on()
    return matches.records()[0], counts


def starts(count):
    return jax.tree.map(lambda x: jnp.stack([x] * count), GAME.init())


def test_games_are_legal_and_openings_are_shared():
    games, counts = played(ENV, (KnowingPlayer(), RandomPlayer()), 20, 2, 7)
    assert counts[0] == 40 and counts == sorted(counts, reverse=True)
    step, outcome = jax.jit(GAME.step), jax.jit(GAME.outcome)
    for number, game in enumerate(games):
        assert (
            game.opening == games[(number + 20) % 40].opening
            and len(game.opening) == 2
            and game.first == number // 20
        )
        state = GAME.init()
        for action in (*game.opening, *game.moves):
            assert bool(GAME.legal_mask(state)[action]) and int(outcome(state)) == Outcome.ONGOING
            state = step(state, np.int32(action))
        assert game.winner == (0 if int(outcome(state)) == Outcome.FIRST_WINS else 1) ^ game.first
    assert played(ENV, (KnowingPlayer(), RandomPlayer()), 20, 2, 7)[0] == games


@pytest.mark.full
def test_the_stronger_player_wins():
    games = played(ENV, (KnowingPlayer(), RandomPlayer()), 1000, 0, 3)[0]
    assert records.interval(sum(game.winner == 0 for game in games) / 2000, 0.0, 2000)[0] > 0.5


def test_the_standing_of_a_match_agrees_with_its_records():
    matches, seen = (
        match.Matches(ENV, [(KnowingPlayer(), RandomPlayer())] * 2, starts(6), 2, 7),
        set(),
    )
    while matches.left:
        matches.play_on()
        for pair, games in enumerate(matches.records()):
            over = [game for game in games if not game.cut]
            points, count = matches.standing(pair)
            assert count == len(over) and points == sum(game.winner == 0 for game in over)
            seen.add(count)
    assert len(seen) > 2


def test_a_match_reports_its_progress(monkeypatch):
    """Where there is no terminal, too, now and then: here at every move."""
    monkeypatch.setattr(progress, "SECONDS", 0.0)
    said = run("match", "random", "random", "--game", "hex-3", "--games", 4).stderr.splitlines()
    assert said[0] == "jaxsolve: move 1: 4 of 4 games in progress"
    assert "games in progress; random has" in said[-1]


def test_networks_play_a_match(tmp_path):
    for name in ("value", "cost"):
        random_network(GAME, name).save(tmp_path / f"{name}.npz")
    words = (
        tmp_path / "value.npz",
        tmp_path / "cost.npz",
        "--game",
        "hex-3",
        "--games",
        2,
        "--simulations",
        4,
        "--out",
        tmp_path / "o",
    )
    result = run("match", *words, "--json")
    found = one_object(result)
    assert (
        result.exit_code == 0
        and found["wins"] + found["losses"] == found["games"] == 2
        and found["draws"] == 0
    )
    assert found["interval"][0] <= found["score"] <= found["interval"][1]
    games = [json.loads(line) for line in (tmp_path / "o" / "games.jsonl").read_text().splitlines()]
    assert (
        len(games) == 2 and sum(game["winner"] == str(words[0]) for game in games) == found["wins"]
    )
    assert {game["first"] for game in games} == {str(words[0]), str(words[1])} and all(
        game["opening_moves"] == 2 for game in games
    )
    again = run("match", *words, "--json")
    assert (
        again.exit_code == 0 and one_object(again) == found and "already complete" in again.stderr
    )
    kept = {
        name: (tmp_path / "o" / name).read_text()
        for name in ("result.json", "games.csv", "games.jsonl")
    }
    (tmp_path / "o" / "result.json").write_text(
        kept["result.json"].replace('"wins": ', '"wins": 4')
    )  # it is for others to read, not for us
    (tmp_path / "o" / "games.csv").unlink()
    assert one_object(run("match", *words, "--json")) == found
    assert kept == {name: (tmp_path / "o" / name).read_text() for name in kept}
    (tmp_path / "o" / "plies.jsonl").rename(tmp_path / "moves")
    assert "but not its moves" in run("match", *words).output
    (tmp_path / "moves").rename(tmp_path / "o" / "plies.jsonl")
    (tmp_path / "o" / "result.json").unlink()  # as an interruption leaves it
    assert run("match", *words).exit_code == 0 and (tmp_path / "o" / "result.json").exists()
    (tmp_path / "o" / "result.json").unlink()
    words[0].unlink()
    random_network(GAME, "value", seed=1).save(words[0])
    refused = run("match", *words)
    assert (
        refused.exit_code == 2
        and "with weights" in refused.output
        and not (tmp_path / "o" / "result.json").exists()
    )


def test_a_folder_of_other_openings_is_refused(tmp_path):
    words = (
        "match",
        "random",
        "random",
        "--game",
        "hex-3",
        "--games",
        2,
        "--openings",
        tmp_path / "starts.json",
        "--out",
        tmp_path / "o",
    )
    for position, code in (("X../.../... w", 0), (".X./.../... w", 2)):
        problem = {
            "id": "a",
            "rules": "hex-3",
            "position": position,
            "claim": {"player": "black", "result": "wins"},
        }
        (tmp_path / "starts.json").write_text(
            json.dumps({"format": "jaxsolve-problems", "version": 1, "problems": [problem]})
        )
        result = run(*words)
        assert result.exit_code == code, result.output
        assert '"opening_moves": 0' in (tmp_path / "o" / "match.json").read_text()
        (tmp_path / "o" / "result.json").unlink(missing_ok=True)
    assert "with openings_sha256" in result.output


@pytest.mark.full
def test_cut_off_games_are_counted_apart_from_drawn_ones(tmp_path):
    """No game of Awari is cut off after twice as many moves as there are pits."""
    result = run("match", "random", "random", "--game", "awari", "--games", 8, "--json")
    assert (
        one_object(result)["cut_off"] == 0
        and one_object(result)["wins"] + one_object(result)["losses"] > 0
    )
    short = Env(GAME, max_steps=4)
    games = played(short, (RandomPlayer(),) * 2, 2, 0, 0)[0]
    assert all(
        game.cut and game.winner == records.NOBODY and len(game.moves) == 4 for game in games
    )


@pytest.mark.parametrize(
    ("words", "says"),
    [
        (("random", "random", "--game", "hex-3", "--games", 3), "even number"),
        (("random", "absent", "--game", "hex-3"), "no network 'absent'"),
        (("random", "random", "--game", "hexx-3"), "hexx-3"),
        (("random", "killallgo7-az:cost", "--game", "killallgo-7"), "it has heads for value"),
        (
            ("random", "killallgo7-az:costs", "--game", "killallgo-7"),
            "no network 'killallgo7-az:costs'",
        ),
        (
            ("random", "killallgo7-az", "--game", "hex-3"),
            "was trained on killallgo-7, and does not fit hex-3",
        ),
        (
            ("random", "random", "--game", "hex-3", "--openings", "quickstart.json"),
            "the match is of hex-3",
        ),
    ],
)
def test_bad_matches_are_refused(words, says, tmp_path):
    result = run("match", *words, "--out", tmp_path / "o")
    assert result.exit_code == 2 and says in result.output and result.output.count("\n") == 1, (
        result.output
    )
    assert not (tmp_path / "o").exists()


@pytest.mark.full
def test_a_search_without_a_network_beats_random_play():
    """On a board that White, who moves second, cannot hold."""
    games = played(ENV, (training.rollout_player(ENV, 32), RandomPlayer()), 40, 1, 5)[0]
    assert records.interval(sum(game.winner == 0 for game in games) / 80, 0.0, 80)[0] > 0.6


@pytest.mark.full
def test_a_network_plays_by_the_named_head(tmp_path):
    """Moves are those of the head's own search; the record tells players of one name apart."""
    network = random_network(GAME, "both")
    network.save(tmp_path / "both.npz")
    assert training.goals_of(network) == ["value", "cost"]
    states = jax.vmap(ENV.init)(jax.random.split(jax.random.key(0), 8))
    states = jax.vmap(ENV.step)(states, jnp.arange(8))
    seeds = np.arange(8, dtype=np.uint32)
    chosen = {
        goal: training.searching_player(network, ENV, 8, goal).choose(seeds, states, ())[0].tolist()
        for goal in (None, "value", "cost")
    }
    assert chosen[None] == chosen["value"] != chosen["cost"]
    name = str(tmp_path / "both.npz")
    result = run(
        "match",
        f"{name}:value",
        f"{name}:cost",
        "--game",
        "hex-3",
        "--games",
        2,
        "--simulations",
        4,
        "--out",
        tmp_path / "o",
    )
    assert result.exit_code == 0, result.output
    games = [json.loads(line) for line in (tmp_path / "o" / "games.jsonl").read_text().splitlines()]
    assert {game["first"] for game in games} == {f"{name}:value", f"{name}:cost"}
    result = run(
        "match", "random", "random", "--game", "hex-3", "--games", 2, "--out", tmp_path / "same"
    )
    games = [
        json.loads(line) for line in (tmp_path / "same" / "games.jsonl").read_text().splitlines()
    ]
    assert result.exit_code == 0 and {game["winner"] for game in games} <= {
        "random (A)",
        "random (B)",
    }


@pytest.mark.full
def test_repeated_games_do_not_narrow_the_interval(tmp_path):
    """Players without chance, from one position: pairs of the same two games."""
    random_network(GAME, "value").save(tmp_path / "value.npz")
    name = tmp_path / "value.npz"
    words = ("match", name, f"{name}:value", "--game", "hex-3", "--simulations", 4, "--games", 8)
    found = one_object(run(*words, "--opening-moves", 0, "--json"))
    assert (
        found["games"] == 8
        and found["distinct"] <= 2
        and found["interval"][1] - found["interval"][0] > 0.5
    )
    assert "different games" in run(*words, "--opening-moves", 0).output
    assert one_object(run(*words, "--opening-moves", 3, "--json"))["distinct"] > 4


def test_two_random_players_are_even():
    result = run(
        "match", "random", "random", "--game", "hex-3", "--games", 400, "--opening-moves", 0
    )
    assert (
        result.exit_code == 0
        and "% of the points" in result.output
        and "400 games" in result.output
    )
    games = played(ENV, (RandomPlayer(),) * 2, 200, 0, 1)[0]
    low, high = records.interval(sum(game.winner == 0 for game in games) / 400, 0.0, 400)
    assert low < 0.5 < high


def test_a_network_plays_with_the_settings_of_its_training():
    """A player takes ``targets.branching`` and the weight of values from its training."""
    network = random_network(GAME, "both")

    def learned(**settings):
        return dataclasses.replace(network, about={"settings": settings})

    assert (
        training.as_learned(network, "cost")
        == {}
        == training.as_learned(learned(targets=None), "cost")
    )
    made = learned(
        targets={"branching": "max", "goal": "value"},
        search={"stretched": False, "value_scale": 0.5, "simulations": 99},
    )
    assert training.as_learned(made, "value") == {
        "branching": "max",
        "stretched": False,
        "value_scale": 0.5,
    }
    assert training.as_learned(made, "cost") == {"branching": "max"}
    with pytest.raises(ValueError, match="it may be 'max', 'legal' or 'heuristic'"):
        training.searching_player(learned(targets={"branching": "some"}), ENV, 4)
