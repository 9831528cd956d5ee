"""Searches and matches of the play package: refusals of bad settings, and interrupted matches."""

from __future__ import annotations

import json

import jax
import numpy as np
import pytest

from jaxsolve.games.env import Env
from jaxsolve.games.registry import make
from jaxsolve.play import Matches, RandomPlayer
from jaxsolve.play.players import named_search
from jaxsolve.play.playouts import _play
from jaxsolve.play.simulations import advance
from jaxsolve.play.tree_search import PlayoutSearch, search
from support.cli import one_object, process, run
from support.play_positions import positions


def test_arguments_that_are_no_batch_of_positions_are_refused():
    game = make("hex-3")
    words = positions(game, 2, 1)
    for settings, given in ((PlayoutSearch(), words), ([PlayoutSearch()], words[0])):
        with pytest.raises(ValueError, match="one for each position"):
            search(settings, game, given, [0])
    with pytest.raises(ValueError, match="max_steps"):
        Matches(
            Env(game),
            [(RandomPlayer(), RandomPlayer())],
            jax.tree.map(lambda x: np.asarray(x)[None], game.init()),
            0,
            0,
        )


def test_device_calls_of_a_search_compile_once():
    """A later compilation would count as thinking time of some player."""
    game = make("hex-3")
    before = _play._cache_size()
    found = search([PlayoutSearch(simulations=40)] * 2, game, positions(game, 2, 1), (3, 4))
    assert found.playouts > 40 and _play._cache_size() <= before + 1
    assert len(advance.signatures) == len({str(signature) for signature in advance.signatures}) == 1


def test_searches_that_cannot_run_together_are_refused():
    game = make("hex-3")
    with pytest.raises(ValueError, match="cannot be run together"):
        search([PlayoutSearch(), PlayoutSearch(wave=2)], game, positions(game, 2, 1), (3, 4))
    with pytest.raises(ValueError, match="as many of each"):
        search([PlayoutSearch()], game, positions(game, 2, 1), (3, 4))
    awari = make("awari")
    words = np.stack(
        [
            awari.pack(awari.parse(f"{pits}/{pits} s captured=20:20"))
            for pits in ("0,0,0,0,0,2", "0,0,0,0,0,1")
        ]
    )
    with pytest.raises(ValueError, match="position 1: the game is over"):
        search([PlayoutSearch()] * 2, awari, words, (3, 4))


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("uct:c_pn=1", "would have no effect"),
        ("pnmcts:flags=FX,c_pn=1", "without the flag U"),
        ("pnmcts:flags=F,rank=children", "without the flag U"),
        ("pnmcts:flags=FU,threshold=9", "without the flag S"),
        ("pnmcts:flags=xxx,layers=double", "without a flag"),
        ("pnmcts:flags=Q", "cannot be read"),
        ("pnmcts:cpn=1", "is no setting"),
        ("pnmcts:c=1,c=2", "given twice"),
        ("pnmcts:c=-1", "give 0 to 1e9"),
        ("pnmcts:c=nan", "give 0 to 1e9"),
        ("pnmcts:contempt=0", "contempt needs the flag F"),
        ("pnmcts:layers=three", "cannot be read"),
        ("pnmcts:sims=0", "simulations=0"),
        ("uct:time=0", "seconds=0.0"),
        ("pnmcts:flags=", "flags='' cannot be read"),
        ("uct:sims=1_0", "sims='1_0'"),
        ("uct:c=\uff11", "c='\uff11'"),
        ("uct:wave=0", "wave=0"),
    ],
)
def test_settings_without_effect_or_range_are_refused(text, message):
    with pytest.raises(ValueError, match=message.replace("(", r"\(")):
        named_search(text, 10, None)


def test_an_interrupted_match_continues_to_the_same_games(tmp_path):
    words = (
        "match",
        "pnmcts",
        "uct:c=1",
        "--game",
        "hex-3",
        "--games",
        6,
        "--sims",
        20,
        "--out",
        tmp_path / "o",
    )
    assert run(*words).exit_code == 0
    whole, games = (
        (tmp_path / "o" / "games.csv").read_text(),
        (tmp_path / "o" / "plies.jsonl").read_bytes().splitlines(keepends=True),
    )
    assert whole.startswith("game,opening,first,second,winner,") and whole.count("\n") == 7
    (tmp_path / "o" / "result.json").unlink()
    (tmp_path / "o" / "plies.jsonl").write_bytes(
        b"".join(games[:3]) + games[3][:10]
    )  # as kill -9 leaves it
    assert run(*words).exit_code == 0
    assert (tmp_path / "o" / "games.csv").read_text() == whole
    (tmp_path / "o" / "result.json").unlink()
    head, first, second = games[:3]
    said = json.loads(second)
    wrong = [
        np.where(np.arange(6) == 0, action, said["actions"]).tolist()
        for action in (9, -2, said["actions"][1])
    ]
    kept = said["spent"]
    spent_wrongly = [
        [[{**kept[0][0], name: value}, kept[0][1]]]
        for name in kept[0][0]
        for value in (None, -1, "a", [1])
    ]
    spent_wrongly += [
        [[{"moves": 0, "simulations": 5, "seconds": 0}, kept[0][1]]],
        [[{**kept[0][0], "simulations": 10**400}, kept[0][1]]],
    ]
    lines = [
        *((each, kept) for each in wrong),
        ([9], kept),
        *((said["actions"], each) for each in ([], *spent_wrongly)),
    ]
    for actions, spent in (*lines, ([each + 0.5 for each in said["actions"]], kept)):
        damaged = head + first + json.dumps({"actions": actions, "spent": spent}).encode() + b"\n"
        (tmp_path / "o" / "plies.jsonl").write_bytes(damaged)
        refused = run(*words)
        assert refused.exit_code == 2 and "plies.jsonl, line 3, is damaged" in refused.output
        assert (tmp_path / "o" / "plies.jsonl").read_bytes() == damaged
    (tmp_path / "o" / "plies.jsonl").write_bytes(
        first
    )  # without a first line that says whose moves they are
    assert "an earlier version" in run(*words).output
    (tmp_path / "o" / "plies.jsonl").write_bytes(b"".join(games))
    other = [*words[:-1], tmp_path / "other", "--seed", 1]
    assert run(*other).exit_code == 0
    (tmp_path / "other" / "plies.jsonl").write_bytes(b"".join(games))
    refused = run(*other)
    assert refused.exit_code == 2 and "holds the moves of other games" in refused.output


@pytest.mark.full
def test_the_result_is_on_standard_error_where_standard_output_is_full():
    for words in ((), ("--json",)):
        match = ("match", "random", "random", "--game", "hex-3", "--games", "2")
        with open("/dev/full", "w") as full:
            said = process(*match, *words, stdout=full)
        assert said.returncode == 1 and "Traceback" not in said.stderr
        assert "% of the points" in said.stderr and "No space left on device" in said.stderr


def test_a_match_by_time_reports_the_work_of_each_player():
    found = one_object(
        run("match", "pnmcts", "uct", "--game", "hex-3", "--games", 2, "--time", 0.05, "--json")
    )
    assert all(
        spent["simulations"] > spent["moves"] > 0 and spent["seconds"] > 0
        for spent in found["spent"]
    )
    refused = run("match", "random", "rollouts", "--game", "hex-3", "--games", 2, "--time", 0.05)
    assert refused.exit_code == 2 and "not by time" in refused.output
