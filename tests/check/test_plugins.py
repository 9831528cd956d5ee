"""Rules of further games, registered by a call or found as a plug-in; the verdict names them."""

from __future__ import annotations

import subprocess
import sys
from typing import ClassVar

import pytest

from jaxsolve.proof.check import check, register, unregister
from jaxsolve.proof.check.errors import Refused
from jaxsolve.proof.check.rules import Rules, Verdict
from support import mutations
from support.proofs import solver as proof_tools

RULES = '''
from jaxsolve.proof.check.errors import Refused
from jaxsolve.proof.check.rules import Rules, Verdict


class Nim(Rules):
    """``nim``: one heap of at most 99; a move takes one to three; who takes the last has won.

    Text: ``<heap> <side>``.
    """

    players = ("south", "north")
    longest = 4

    def __init__(self, rules):
        if rules != "nim":
            raise Refused(f"the rule set {rules!r} is not nim")

    def position(self, text):
        heap, _, side = text.partition(" ")
        if heap not in map(str, range(100)) or side not in ("s", "n"):
            raise Refused("no position of nim")
        return int(heap), "sn".index(side)

    root = position

    def side(self, position):
        return position[1]

    def verdict(self, position):
        heap, side = position
        return None if heap else Verdict(1 - side, "last")

    def replies(self, position):
        heap, side = position
        return {str(k): f"{heap - k} {'ns'[side]}" for k in (1, 2, 3) if k <= heap}

    def child(self, position, move):
        try:
            return self.replies(position)[move]
        except KeyError:
            raise Refused("no move of nim") from None
'''
space: dict = {"__name__": "nim_rules"}
exec(RULES, space)
Nim: type[Rules] = space["Nim"]


@pytest.fixture
def nim():
    register("nim", Nim)
    yield
    unregister("nim")


def certificate(tmp_path, root: str = "9 s", player: str = "south") -> str:
    lines = proof_tools.prove(
        Nim("nim"), ("nim", "nim", root, player, "wins"), proof_tools.reachable(Nim("nim"), root)
    )
    return proof_tools.write(tmp_path / "nim.gz", lines)


def test_registered_rules_judge_their_certificates(nim, tmp_path):
    path = certificate(tmp_path)
    report = check(path)
    assert report.accepted and report.claim == "south wins" and report.plugin == "nim_rules"
    assert "by the rules of the plug-in nim_rules" in report.sentence
    for seed in range(20):
        for name, data in mutations.mutants(path, seed):
            (tmp_path / "mutant.gz").write_bytes(data)
            assert not check(tmp_path / "mutant.gz").accepted, name
    assert (
        proof_tools.prove(
            Nim("nim"),
            ("nim", "nim", "8 s", "south", "wins"),
            proof_tools.reachable(Nim("nim"), "8 s"),
        )
        is None
    )


def test_an_unknown_game_is_refused(tmp_path):
    report = check(certificate(tmp_path))
    known = (
        "known are awari, go, gomoku, hex, knightthrough, loa, minishogi, slither;"
        " others need a plug-in"
    )
    assert report.exit_code == 1 and report.line == 1 and known in report.reason


@pytest.mark.parametrize("name", ["hex", "go", "", 5, "nim"])
def test_taken_and_invalid_names_are_not_registered(nim, name):
    with pytest.raises(ValueError):
        register(name, Nim)
    with pytest.raises(ValueError):
        unregister("oware")


class Odd(Nim):
    """Rules with a fault."""

    faults: ClassVar[tuple[str, ...]] = ()

    def replies(self, position):
        return 1 / 0 if "move" in self.faults else super().replies(position)


def _odd(fault):
    rules = Odd("nim")
    rules.faults = (fault,)
    if fault == "length":
        rules.longest = None
    return rules


FAULTS = {
    "raises for the rule set": (lambda rules: {}[rules], "broke down: KeyError"),
    "gives no rules": (lambda rules: 5, "gives 'int' for a rule set"),
    "has no bound on texts": (lambda rules: _odd("length"), "does not say how long"),
    "raises at a move": (lambda rules: _odd("move"), "broke down: ZeroDivisionError"),
}


@pytest.mark.parametrize("fault", FAULTS)
def test_failing_rules_are_a_refusal(fault, tmp_path):
    parse_rules, reason = FAULTS[fault]
    register("nim", parse_rules)
    try:
        report = check(certificate(tmp_path))
    finally:
        unregister("nim")
    assert report.exit_code == 1 and reason in report.reason and "\n" not in report.sentence


def _installed(folder, entries: str, module: str = RULES) -> None:
    """A package with entry points, as an installer writes it."""
    (folder / "nim_rules.py").write_text(module)
    info = folder / "nim_rules-1.0.dist-info"
    info.mkdir(parents=True)
    (info / "METADATA").write_text("Metadata-Version: 2.1\nName: nim-rules\nVersion: 1.0\n")
    (info / "entry_points.txt").write_text(f"[jaxsolve.checkers]\n{entries}\n")


PLUGINS = {
    "found": ("nim = nim_rules:Nim", RULES, 0, "south wins under nim"),
    "of another name": ("other = nim_rules:Nim", RULES, 1, "is not known"),
    "without its rules": ("nim = nim_rules:None_such", RULES, 1, "cannot be loaded"),
    "that does not import": ("nim = nim_rules:Nim", "import none_such", 1, "cannot be loaded"),
    "twice": ("nim = nim_rules:Nim\n[more]\n", RULES, 0, "south wins"),
    "registered twice": ("nim = nim_rules:Nim", RULES, 1, "more than one plug-in"),
}


@pytest.mark.parametrize("name", PLUGINS)
def test_plugins_are_found_by_their_entry_points(name, tmp_path):
    entries, module, code, words = PLUGINS[name]
    (tmp_path / "site").mkdir()
    _installed(tmp_path / "site", entries, module)
    if name == "registered twice":
        info = tmp_path / "site" / "other-1.0.dist-info"
        info.mkdir()
        (info / "METADATA").write_text("Metadata-Version: 2.1\nName: other\nVersion: 1.0\n")
        (info / "entry_points.txt").write_text("[jaxsolve.checkers]\nnim = other.rules:Nim\n")
    program = (
        f"import sys; sys.path.insert(0, {str(tmp_path / 'site')!r});"
        "from jaxsolve.proof.check.__main__ import main; sys.exit(main(sys.argv[1:]))"
    )
    done = subprocess.run(
        [sys.executable, "-c", program, certificate(tmp_path)],
        capture_output=True,
        text=True,
        timeout=60,
    )
    assert done.returncode == code and words in done.stdout + done.stderr, done
    assert len((done.stdout + done.stderr).strip().splitlines()) == 1


def test_a_plugin_cannot_replace_rules_of_the_checker(tmp_path):
    """A plug-in named ``hex`` has no effect: the checker's own rules judge Hex."""
    (tmp_path / "site").mkdir()
    _installed(tmp_path / "site", "hex = nim_rules:Nim")
    program = (
        f"import sys; sys.path.insert(0, {str(tmp_path / 'site')!r});"
        "from jaxsolve.proof.check.registry import find; print(find('hex'))"
    )
    done = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, timeout=60
    )
    assert "check.games.hex.rules.Hex" in done.stdout and "plugin=''" in done.stdout


def test_the_rules_of_this_test_implement_the_interface():
    with pytest.raises(Refused):
        Nim("nim-2")
    assert Nim("nim").verdict((0, 1)) == Verdict(0, "last")
