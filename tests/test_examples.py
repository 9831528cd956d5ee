"""The examples of ``launch/examples`` and of docstrings run and print the expected output."""

import doctest
import importlib
import runpy

import pytest

from jaxsolve.games import registry
from jaxsolve.proof import check as checker
from support.paths import EXAMPLES


def run(name, *arguments):
    return runpy.run_path(str(EXAMPLES / f"{name}.py"))["main"](*arguments)


def test_play_with_env(capsys):
    run("play_with_env", "go-5")
    output = capsys.readouterr().out
    assert (
        "256 boards" in output and "observation (256, 5, 5, 17)" in output and "A B C D E" in output
    )


def test_mctx_selfplay(capsys):
    run("mctx_selfplay", "hex-3")
    assert "8 self-play games" in capsys.readouterr().out


@pytest.mark.full
def test_train_from_python(capsys):
    pytest.importorskip("flax")
    run("train_from_python", "hex-3", 5)
    output = capsys.readouterr().out
    assert "iteration 5: loss" in output and all(
        f"{name}: proved after" in output for name in ("no network", "the network", "a function")
    )


def test_use_a_kernel(capsys):
    run("use_a_kernel")
    output = capsys.readouterr().out
    assert "Black wins at D8, H8" in output and "stepping every child: D8, H8" in output
    assert "E5: illegal" in output


def test_register_a_game(capsys):
    try:
        run("register_a_game")
    finally:
        registry.unregister("nim-N")
        checker.unregister("nim")
    output = capsys.readouterr().out
    assert "nim-4;heaps=0, first to move" in output and "Proved: first wins. 4:4" in output
    assert "accepted: first wins under nim-4;heaps=0" in output


def test_register_a_game_refuses_a_bad_position_and_shows_a_good_one(capsys):
    try:
        with pytest.raises(SystemExit) as end:
            run("register_a_game", "1,2,3 f")
        game = registry.make("nim-4")
        assert game.text(game.parse("1,2,3,4 f")) == "1,2,3,4 f"
    finally:
        registry.unregister("nim-N")
        checker.unregister("nim")
    output = capsys.readouterr().err
    assert (
        end.value.code == 2 and output.count("\n") == 1 and output.endswith("as in '1,2,3,4 f'.\n")
    )


@pytest.mark.parametrize("module", ["registry", "env"])
def test_docstrings(module):
    assert doctest.testmod(importlib.import_module(f"jaxsolve.games.{module}")).failed == 0
