"""Games of other installed packages: the example package as if installed, and broken packages."""

from __future__ import annotations

import gzip
import json
import sys
import tomllib

import pytest
from typer.testing import CliRunner

from jaxsolve import cli
from jaxsolve.games import available, describe, make, plugins, registry
from jaxsolve.proof import check as checker
from support.paths import EXAMPLES

NIM = EXAMPLES / "nim"


def run(*arguments):
    return CliRunner().invoke(cli.app, [str(argument) for argument in arguments])


@pytest.fixture
def install(tmp_path, monkeypatch):
    """A function that installs a package with entry points and modules in a folder of the test."""
    site = tmp_path / "site"
    site.mkdir()
    monkeypatch.syspath_prepend(str(site))
    before = set(sys.modules)

    def add(name, entry_points, modules):
        for module, code in modules.items():
            (site / f"{module}.py").write_text(code)
        info = site / f"{name.replace('-', '_')}-0.1.0.dist-info"
        info.mkdir()
        (info / "METADATA").write_text(f"Metadata-Version: 2.1\nName: {name}\nVersion: 0.1.0\n")
        groups = (
            f"[{group}]\n" + "".join(f"{key} = {value}\n" for key, value in points.items())
            for group, points in entry_points.items()
        )
        (info / "entry_points.txt").write_text("\n".join(groups))
        plugins.announced.cache_clear()

    plugins.announced.cache_clear()
    yield add
    for module in set(sys.modules) - before:
        if str(site) in (getattr(sys.modules[module], "__file__", None) or ""):
            del sys.modules[module]
    monkeypatch.undo()
    plugins.announced.cache_clear()


@pytest.fixture
def install_nim(install):
    """The example package, with or without its checker."""

    def add(with_checker=True):
        points = tomllib.loads((NIM / "pyproject.toml").read_text())["project"]["entry-points"]
        if not with_checker:
            del points["jaxsolve.checkers"]
        install("jaxsolve-nim", points, {file.stem: file.read_text() for file in NIM.glob("*.py")})

    return add


def test_an_installed_game_is_solved_and_checked(install_nim, tmp_path):
    install_nim()
    assert (
        "nim-N" in available()
        and make("nim-4;heaps=3").rule_set == "nim-4;heaps=3"
        and registry.named("nim") == ("nim-N",)
    )
    assert (
        "take counters" in run("games").stdout
        and "The number of heaps" in run("games", "nim").stdout
    )
    solved = run("solve", "1,2,3 f", "--game", "nim-3", "--out", tmp_path / "run")
    assert solved.exit_code == 20 and "cannot be checked" not in solved.stdout
    proof = tmp_path / "run" / "proof.jsonl.gz"
    checked = run("check", proof)
    assert (
        checked.exit_code == 0
        and "second wins under nim-3;heaps=0" in checked.stdout
        and "the plug-in nim_checker" in checked.stdout
    )
    lines = [json.loads(line) for line in gzip.decompress(proof.read_bytes()).splitlines()]
    assert lines[0]["game"] == "nim" and {node["leaf"] for node in lines if "leaf" in node} == {
        "empty"
    }
    lines[0]["claim"]["player"] = "first"
    changed = tmp_path / "changed.gz"
    changed.write_bytes(gzip.compress("".join(json.dumps(line) + "\n" for line in lines).encode()))
    assert run("check", changed).exit_code == 1


def test_a_game_without_a_checker_is_solved_without_a_check(install_nim, tmp_path):
    install_nim(with_checker=False)
    solved = run("solve", "1,1 s", "--game", "nim-2", "--out", tmp_path / "run")
    assert (
        solved.exit_code == 20
        and "the proof was written, but cannot be checked here: no checker for 'nim' is installed"
        in " ".join(solved.stdout.split())
    )
    report = checker.check(tmp_path / "run" / "proof.jsonl.gz")
    assert report.exit_code == 1 and report.reason.startswith("the game 'nim' is not known")


BROKEN = {
    "odd-N": (
        "odd_missing:ENTRY",
        "",
        "the game 'odd-N' of the package odd cannot be loaded "
        "(ModuleNotFoundError: No module named 'odd_missing')",
    ),
    "even": (
        "even_raises:ENTRY",
        "raise RuntimeError('two\\nlines')",
        "the game 'even' of the package even cannot be loaded (RuntimeError: two lines)",
    ),
    "dull": (
        "dull_entry:ENTRY",
        "ENTRY = 7",
        "the game 'dull' of the package dull is a int, not a jaxsolve.games.options.Entry",
    ),
    "loud": (
        "loud_entry:ENTRY",
        "from jaxsolve.games import Entry\nENTRY = Entry('quiet', None)",
        "the game 'loud' of the package loud calls itself 'quiet': "
        "entry point and entry must have one name",
    ),
    "Shout": (
        "shout_entry:ENTRY",
        "from jaxsolve.games import Entry\nENTRY = Entry('Shout', None)",
        "the package Shout: game name 'Shout' must be lower-case letters, digits and dashes, "
        "ending in '-N' where sizes are given",
    ),
}


@pytest.mark.parametrize("base", BROKEN)
def test_a_broken_package_gives_one_sentence_and_other_games_still_work(install, base):
    target, code, sentence = BROKEN[base]
    install(
        base.removesuffix("-N"),
        {"jaxsolve.games": {base: target}},
        {target.partition(":")[0]: code} if code else {},
    )
    with pytest.raises(ValueError) as refusal:
        make(base.replace("N", "3"))
    assert str(refusal.value) == sentence
    assert make("hex-3").rule_set == "hex-3" and base in available()
    with pytest.raises(ValueError, match="unknown game 'hx'"):
        make("hx")
    listed = json.loads(run("games", "--json").stdout)
    assert listed[base] == {"error": sentence} and "hex-1..19" in listed
    assert run("games", base).exit_code == 2 and sentence in " ".join(run("games").stdout.split())


def test_a_package_cannot_replace_a_built_in_game(install):
    install(
        "thief",
        {"jaxsolve.games": {"hex-N": "nowhere:ENTRY"}, "jaxsolve.checkers": {"hex": "nowhere:Hex"}},
        {},
    )
    assert (
        make("hex-3").rule_set == "hex-3"
        and available().count("hex-N") == 1
        and describe("hex-N").summary.startswith("joining")
    )
    assert checker.knows("hex")
