"""Bad input at the command line: one sentence, exit code 2, one object with ``--json``."""

from __future__ import annotations

import subprocess
import sys
from types import SimpleNamespace

import pytest

from jaxsolve import search
from jaxsolve.formats import position
from jaxsolve.formats.record import FormatError
from support.cli import LOSS, WIN, one_object, run

BAD = {
    "no game": ("solve", "start"),
    "unknown game": ("solve", "start", "--game", "chess"),
    "unknown option": ("solve", "start", "--game", "hex-3", "--rule", "ko=simple"),
    "rule without value": ("solve", "start", "--game", "hex-3", "--rule", "ko"),
    "rule given twice": ("solve", "start", "--game", "go-5", "--rule", "ko=simple;ko=positional"),
    "rules of an unknown game": ("show", "start", "--game", "go-5", "--rule", "chess;ko=simple"),
    "no position": ("solve", "nonsense", "--game", "hex-3"),
    "illegal move": ("solve", "moves:a1 a1", "--game", "hex-3"),
    "no file": ("show", "absent.sgf", "--game", "go-9"),
    "method": ("solve", "start", "--game", "hex-3", "--method", "guess"),
    "time": ("solve", "start", "--game", "hex-3", "--time", "0"),
    "resume without folder": ("solve", "start", "--game", "hex-3", "--resume"),
    "no set": ("suite", "absent.json"),
    "no proof": ("check", "absent.gz"),
    "benchmark": ("bench", "weather"),
    "batch": ("bench", "kernels", "--batch", "many"),
    "huge batch": ("bench", "kernels", "--batch", "99999999999"),
    "endless batch": ("bench", "kernels", "--batch", "9" * 5000),
    "negative seed": ("solve", "start", "--game", "hex-3", "--seed", "-1"),
    "no position at all": ("solve",),
    "unknown option of the program": ("solve", "start", "--game", "hex-3", "--fast"),
    "endless time": ("solve", "start", "--game", "hex-3", "--time", "inf"),
    "no time": ("solve", "start", "--game", "hex-3", "--time", "nan"),
    "game option twice": ("show", "start", "--game", "go-5;ko=positional;ko=simple"),
    "empty folder": ("solve", "start", "--game", "hex-3", "--out", ""),
    "empty folder of a suite": ("suite", "quickstart.json", "--out", ""),
    "letters": ("show", "moves:H8", "--game", "gomoku-15", "--letters", "welsh"),
}


@pytest.mark.parametrize("name", BAD)
def test_bad_input_is_one_sentence_and_exit_code_2(name):
    result = run(*BAD[name])
    assert result.exit_code == 2
    assert result.stdout == "" and "Traceback" not in result.stderr
    assert result.stderr.strip() and result.stderr.count("\n") == 1


def test_bad_input_is_an_object_with_json():
    assert "Hex" in one_object(run("solve", "nonsense", "--game", "hex-3", "--json"))["error"]


@pytest.mark.parametrize("name", BAD)
def test_bad_input_with_json_is_one_object(name):
    result = run(*BAD[name], *([] if name == "no proof" else ["--json"]))
    assert result.exit_code == 2
    assert name == "no proof" or (one_object(result)["error"] and "Traceback" not in result.stderr)


def test_moves_with_commas_get_a_hint():
    said = run("show", "moves:a1,b2", "--game", "hex-3").stderr
    assert said.startswith("jaxsolve: move 1: 'a1,b2' is not a point") and said.endswith(
        "moves are separated by blanks\n"
    )


@pytest.mark.parametrize(
    ("words", "sentence"),
    [
        (BAD["method"], "--method guess: give pns, dfpn, fdfpn, mcts, pnmcts or rzs"),
        (
            BAD["benchmark"],
            "weather: give kernels, search, patterns, zones, selfplay, pnmcts or cluster",
        ),
        (BAD["letters"], "--letters welsh: give gtp or renju"),
    ],
    ids=["method", "benchmark", "letters"],
)
def test_an_unknown_value_is_refused_with_the_known_ones(words, sentence):
    said = one_object(run(*words, "--json"))["error"]
    assert said == sentence


@pytest.mark.parametrize(
    ("words", "sentence"),
    [
        (("solve", "start", "--fast"), "there is no option --fast; 'jaxsolve solve --help' lists"),
        (("tsumego", "x.sgf", "--frist", "w"), "there is no option --frist; did you mean --first?"),
        (("tsumego", "x", "--first", "w"), "--first w: give black or white"),
        (("tsumego", "x", "--pool", "0"), "--pool 0: give 1 or more"),
        (("tsumego", "x", "--at=-1"), "--at -1: give 0 or more"),
        (("solve", "start", "--time", "soon"), "--time soon: give a number"),
        (("solve", "start", "--nodes", "many"), "--nodes many: give a whole number"),
        (("solve", "start", "-m", "guess"), "--method guess: give pns,"),
        (("solve", "start", "--time"), "--time needs a value"),
        (("solve", "start", "--resume=x"), "--resume takes no value"),
        (("solve", "start", "--resume"), "--resume: needs --out DIR, the folder to resume"),
        (("solve",), "POSITION is missing; 'jaxsolve solve --help' shows what is needed"),
        (("suite", "a.json", "b"), "unexpected argument b; 'jaxsolve suite --help' shows what"),
        (("solv", "start"), "there is no command solv; did you mean solve?"),
        (("foo",), "there is no command foo; 'jaxsolve --help' lists them"),
    ],
)
def test_an_error_of_the_option_parser_is_one_sentence_with_what_is_right(words, sentence):
    result = run(*words)
    assert result.exit_code == 2 and result.stdout == ""
    assert result.stderr.startswith(f"jaxsolve: {sentence}"), result.stderr
    assert result.stderr.count("\n") == 1


def test_moves_without_the_word_moves_get_a_hint():
    for words in (
        ("show", "a2 b3", "--game", "hex-4"),
        ("solve", "D4 C3", "--game", "go-5"),
        ("tsumego", "D4 C3", "--game", "tsumego-5"),
    ):
        result = run(*words)
        assert result.exit_code == 2 and result.stderr.count("\n") == 1
        assert result.stderr.endswith(f"write 'moves:{words[1]}'\n"), result.stderr
    assert "moves:" in run("show", "nonsense", "--game", "hex-3").stderr


@pytest.mark.parametrize("seed", [1, 4294967294, 4294967296, (1 << 64) - 1])
def test_every_seed_below_the_bound_is_accepted(seed):
    for method in ("dfpn", "mcts"):
        assert (
            one_object(
                run("solve", LOSS, "--game", "hex-3", "--method", method, "--seed", seed, "--json")
            )["winner"]
            == "black"
        )


def test_a_seed_above_the_bound_is_refused_with_the_bound():
    assert "18446744073709551615" in run("solve", LOSS, "--game", "hex-3", "--seed", 1 << 64).stderr


@pytest.mark.parametrize(
    "error",
    [
        RuntimeError("Unable to initialize backend 'foo'\n\nmore"),
        RecursionError("too deep"),
        MemoryError("all of it"),
        OSError(28, "No space left"),
    ],
)
@pytest.mark.parametrize(
    "words",
    [
        ("solve", WIN, "--game", "hex-3"),
        ("show", "moves:a1", "--game", "hex-3"),
        ("bench", "search"),
        ("suite",),
    ],
    ids=lambda w: w[0],
)
def test_failures_of_the_machine_are_one_sentence(monkeypatch, problem_file, words, error):
    def fail():
        raise error

    monkeypatch.setattr("jaxsolve.core.process.setup", fail)
    result = run(*words, *([problem_file] if words == ("suite",) else []), "--json")
    assert result.exit_code == 2 and one_object(result)["error"]
    assert result.stderr.strip() and result.stderr.count("\n") == 1


def test_remarks_on_letters_go_to_standard_error():
    result = run("show", "moves:H8 J9", "--game", "gomoku-15", "--json")
    assert one_object(result)["position"] and "--letters renju" in result.stderr
    for letters in ("gtp", "renju"):
        assert run("show", "moves:H8 J9", "--game", "gomoku-15", "--letters", letters).stderr == ""


@pytest.mark.parametrize(
    ("words", "sentence"),
    [
        (("train", "train.hours=abc"), "train.hours=abc: give a number"),
        (("train", "train.iterations=1.5"), "train.iterations=1.5: give a whole number"),
        (("train", "targets.value=maybe"), "targets.value=maybe: give true or false"),
        (
            ("match", "random", "uct:foo=1", "--game", "hex-3", "--games", "2"),
            "'uct:foo=1': 'foo=1' is no setting; there are c=, wave=, most=, sims=, time=",
        ),
    ],
)
def test_a_wrong_setting_is_one_sentence_of_this_program(words, sentence):
    result = run(*words)
    assert (result.exit_code, result.stderr) == (2, f"jaxsolve: {sentence}\n")


def test_a_network_of_another_board_is_named_once():
    said = run("match", "random", "hex6", "--game", "hex-5", "--games", "2").stderr
    assert said.count("hex6") == 1 and "was trained on hex-6, and does not fit hex-5" in said


def test_an_empty_record_is_refused_and_a_named_empty_board_is_announced(tmp_path):
    record = tmp_path / "a.sgf"
    record.write_text("(;)")
    result = run("solve", record)
    assert result.exit_code == 2 and "no stones, no moves" in result.stderr
    assert result.stderr.count("\n") == 1 and "--game" in result.stderr
    assert run("show", record).exit_code == 0
    record.write_text("(;GM[11]SZ[3])")
    assert run("solve", record).exit_code == 0


@pytest.mark.parametrize(
    ("game", "words", "announced"),
    [("go-19", (), True), ("go-19", ("--nodes", 1), False), ("hex-3", (), False)],
)
def test_the_start_of_a_large_game_without_a_limit_is_announced(
    monkeypatch, game, words, announced
):
    monkeypatch.setattr(search, "solve_value", stopped)
    monkeypatch.setattr(search, "solve", stopped)
    said = run("solve", "start", "--game", game, *words).stderr
    sentence = f"solving the start position of {game}"
    assert (sentence in said and "the empty board, without a limit" in said) is announced
    assert ("--time S" in said) is announced


def stopped(*_, **__):
    raise ValueError("no search in this test")


@pytest.mark.parametrize(
    "words", [("tsumego", "-"), ("solve", "-", "--game", "go-5"), ("show", "-")], ids=" ".join
)
def test_a_closed_standard_input_is_one_sentence(words, monkeypatch):
    monkeypatch.setattr(position, "sys", SimpleNamespace(stdin=None))  # as Python sets it
    with pytest.raises(FormatError, match="standard input is closed; give a file"):
        position.standard_input()
    done = subprocess.run(
        ["bash", "-c", 'exec "$@" <&-', "-", sys.executable, "-m", "jaxsolve", *words],
        capture_output=True,
        text=True,
    )
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr == "jaxsolve: standard input is closed; give a file, or a pipe for '-'\n"
