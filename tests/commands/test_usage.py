"""Errors of the option parser: one sentence says what is wrong, and what would be right."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from pathlib import Path

import pytest

import jaxsolve
from support.cli import run

SOLVE = ("solve", "start", "--game", "hex-3")
LISTS, NEEDS = "'jaxsolve solve --help' lists them", "'jaxsolve solve --help' shows what is needed"


@pytest.mark.parametrize(
    ("words", "sentence"),
    [
        ((*SOLVE, "--fast"), f"there is no option --fast; {LISTS}"),
        ((*SOLVE, "--resum"), "there is no option --resum; did you mean --resume?"),
        (("solve", "start", "--game"), "--game needs a value"),
        ((*SOLVE, "--resume=yes"), "--resume takes no value"),
        (("solve",), f"POSITION is missing; {NEEDS}"),
        ((*SOLVE, "extra"), f"unexpected argument extra; {NEEDS}"),
        ((*SOLVE, "--seed", "x"), "--seed x: give a whole number"),
        ((*SOLVE, "--seed=-1"), "--seed -1: give 0 or more"),
        ((*SOLVE, "--seed", "1", "--seed", "-2"), "--seed is given twice; give it once"),
        ((*SOLVE, "-g", "hex-3"), "--game is given twice; give it once"),
        ((*SOLVE, "--json=1"), "--json takes no value"),
        (("check", "a", "--replay", "1", "--replay=1"), "--replay is given twice; give it once"),
        (("train", "--help=1"), "--help takes no value"),
        (("train", "-h=1"), "--help takes no value"),
        (("train", "--cfg=some"), "--cfg some: give job, hydra or all"),
        (("train", "--cfg"), "--cfg needs a value"),
        ((*SOLVE, "--time", "fast"), "--time fast: give a number"),
        ((*SOLVE, "--time", "0"), "--time 0: give a number of seconds above 0, at most 1e9"),
        (("tsumego", "a", "--first", "red"), "--first red: give black or white"),
        ((*SOLVE, "--seed", "1\n2"), r"--seed 1\n2: give a whole number"),
        ((*SOLVE, "--no\npe\x1b[31m"), rf"there is no option --no\npe\x1b[31m; {LISTS}"),
        (("sovle",), "there is no command sovle; did you mean solve?"),
        (("weather",), "there is no command weather; 'jaxsolve --help' lists them"),
        (("",), "the name of the command is empty; 'jaxsolve --help' lists them"),
        (
            ("tsumego",),
            "FILE.sgf|COLLECTION is missing; 'jaxsolve tsumego --help' shows what is needed",
        ),
        (
            ("evaluate",),
            "RUN|NETWORK... is missing; 'jaxsolve evaluate --help' shows what is needed",
        ),
        (("match", "x"), "A B: give 2 arguments; 'jaxsolve match --help' shows what is needed"),
        (
            ("bench", "weather"),
            "weather: give kernels, search, patterns, zones, selfplay, pnmcts or cluster",
        ),
    ],
)
def test_an_error_of_the_option_parser_is_this_sentence(words, sentence):
    result = run(*words)
    assert (result.exit_code, result.stdout) == (2, "")
    assert result.stderr == f"jaxsolve: {sentence}\n"


@pytest.mark.parametrize("command", ["tsumego", "check", "solve", "show", "suite", "plot", "games"])
def test_an_empty_argument_does_not_stand_for_the_current_folder(command, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "a.sgf").write_text("(;SZ[5]AB[aa]AW[ba])")
    result = run(command, "")
    assert (result.exit_code, result.stdout) == (2, "")
    more = f"'jaxsolve {command} --help' shows what is needed\n"
    assert result.stderr.endswith(f" is empty; {more}") and result.stderr.count("\n") == 1


@pytest.mark.parametrize(
    "words",
    [
        (*SOLVE, f"--{'x' * 5000}"),
        *((command, "x" * 5000) for command in ("tsumego", "check", "suite", "plot", "games")),
        ("solve", f"{'x' * 5000}.sgf", "--json"),
        (*SOLVE, "--out", "x" * 5000),
        (*SOLVE, "--rule", f"{'x' * 5000}=1"),
    ],
)
def test_a_long_word_is_shortened(words):
    result = run(*words)
    assert result.exit_code == 2 and 20 < len(result.stderr) < 300
    assert len(result.stdout) < 300


# ---- the form of all messages ------------------------------------------------------------------
RAISED = {"ValueError", "FormatError", "BadParameter", "PluginError", "refuse", "remark"}
NAMES = {"SGF", "PL", "SZ", "GM", "HA", "CA", "Env", "Killall", "Gomoku", "Hex", "Slither"}
NAMES |= {"Knightthrough", "Lines"}  # words that begin with a capital wherever they stand


def texts(node: ast.expr) -> Iterator[str]:
    """The texts of a message; a value in a text is the character 0."""
    if isinstance(node, ast.IfExp):
        yield from texts(node.body)
        yield from texts(node.orelse)
    elif isinstance(node, ast.BinOp):
        yield "".join((*texts(node.left), *texts(node.right)))
    elif isinstance(node, ast.JoinedStr):
        yield "".join(
            str(part.value) if isinstance(part, ast.Constant) else "0" for part in node.values
        )
    else:
        yield str(node.value) if isinstance(node, ast.Constant) else "0"


@pytest.mark.parametrize("folder", ["commands", "formats", "tsumego", "games", "view"])
def test_messages_begin_in_lower_case_and_have_no_final_period(folder):
    package = Path(jaxsolve.__file__).parent
    count = 0
    for file in sorted((package / folder).rglob("*.py")):
        if file.is_relative_to(package / "games" / "go"):
            continue
        for node in ast.walk(ast.parse(file.read_text())):
            if not isinstance(node, ast.Call) or not node.args:
                continue
            if getattr(node.func, "id", getattr(node.func, "attr", "")) not in RAISED:
                continue
            for text in filter(None, texts(node.args[0])):
                count += 1
                first = "".join(c if c.isalnum() else " " for c in text).split()[:1]
                assert first[0][0].lower() == first[0][0] or first[0] in NAMES, (file, text)
                assert text.rstrip()[-1] not in ".!", (file, text)
    assert count > 3


@pytest.mark.parametrize(
    ("words", "option"),
    [
        *((("tsumego", "a.sgf"), name) for name in ("--out", "--svg", "--sgf-out")),
        *((("show", "start", "-g", "hex-3"), name) for name in ("--svg", "--sgf")),
        *(((*words, "x"), "--out") for words in (("solve",), ("suite",), ("plot",), ("evaluate",))),
    ],
)
def test_an_output_whose_name_is_not_utf8_is_refused_before_the_search(words, option):
    result = run(*words, option, "r\udcff")
    assert (result.exit_code, result.stdout) == (2, "")
    assert result.stderr.startswith(f"jaxsolve: {option} ") and result.stderr.endswith(
        ": the name is not UTF-8; give another one\n"
    )
