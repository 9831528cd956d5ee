"""``check --flatten``: rewrites a proof without zones, pairs and threats.

The plain rules accept the result. The file is written as a whole or not at all.
"""

from __future__ import annotations

import errno
import json
import os
import subprocess
import sys

import pytest

from jaxsolve.proof.check import check
from jaxsolve.proof.check.__main__ import main
from jaxsolve.proof.check.audit import flatten
from jaxsolve.proof.check.audit.certificate import Certificate
from jaxsolve.proof.check.checker import judge
from jaxsolve.proof.check.errors import Refused
from support import mutations
from support.proofs import corpus as check_corpus
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


def flattened(path, out, most: int = 20_000) -> list:
    """The lines of the plain certificate, after tests.

    The claim is the same, the nodes are plain, and each reply leads exactly to its child's
    position.
    """
    nodes = flatten.flatten(read(path), out, most)
    lines, before = mutations.load(out), mutations.load(path)
    assert lines[0] == {name: value for name, value in before[0].items() if name != "note"}
    assert check(out).accepted and check(out).nodes == nodes == len(lines) - 2
    rules, texts = (
        proof_tools.rules_of(lines[0]["game"], lines[0]["rules"]),
        {line["id"]: line["pos"] for line in lines[1:-1]},
    )
    for line in lines[1:-1]:
        assert len({"leaf", "or", "and"} & set(line)) == 1 and set(line) <= {
            "id",
            "n",
            "pos",
            "leaf",
            "or",
            "and",
        }
        if "and" in line:
            assert {move: texts[child] for move, child in line["and"]} == rules.replies(
                rules.position(line["pos"])
            )
        if "or" in line:
            assert texts[line["or"][1]] == rules.child(rules.position(line["pos"]), line["or"][0])
    return lines


@pytest.mark.short(2)
@pytest.mark.parametrize("name", [name for name in SEARCHED if name != "hex"])
def test_certificates_of_searches_can_be_flattened(name, tmp_path):
    lines = flattened(searched(SEARCHED[name], tmp_path / "solved"), tmp_path / "flat.gz")
    assert len(lines) > 3 and set(os.listdir(tmp_path)) == {"solved", "flat.gz"}


@pytest.mark.full
@pytest.mark.parametrize("size", [4, 5])
def test_certificates_of_small_problems_can_be_flattened(size, tmp_path):
    grown = 0
    for number, certificate in enumerate(problems_of_life(size, 15, tmp_path)):
        try:
            lines = flattened(certificate, tmp_path / f"{number}.gz", 5000)
        except flatten.NotWritten:
            continue
        grown += len(lines) > check(certificate).nodes + 2
    assert grown > 3


def test_zones_of_go_can_be_flattened(tmp_path):
    """Also zones written by hand, and minimal zones."""
    for number, lines in enumerate([*zoned(), *HAND.values()]):
        flattened(proof_tools.write(tmp_path / "a.gz", lines), tmp_path / f"{number}.gz")


def test_pairs_threats_and_must_plays_of_hex_can_be_flattened(tmp_path):
    seen = set()
    for number, root in enumerate(
        (".../.../... b", ".X./.../... w", "X../.../... w", "..../.X../..../.... w")
    ):
        rules = f"hex-{len(root.split('/'))}"
        path = searched(f"{rules} {root}", tmp_path / f"{number}")
        seen |= {field for line in mutations.load(path) for field in line}
        flattened(path, tmp_path / f"{number}.gz")
    assert {"pairs", "must-play", "threat"} <= seen


@pytest.mark.full
def test_plain_certificates_and_threats_can_be_flattened(tmp_path):
    """All games. A plain certificate may only shrink: each position occurs once."""
    games = set()
    for number, case in enumerate((*check_corpus.HAND, *check_corpus.drawn(6))):
        before = check_corpus.certificate(case)
        if before and len(before) < 2000:
            after = flattened(
                proof_tools.write(tmp_path / "a.gz", before), tmp_path / f"{number}.gz"
            )
            assert any("threat" in line for line in before) or len(after) <= len(before)
            games.add(case.game)
    assert games >= {"go", "gomoku", "hex", "awari"}


# ---- no file is written --------------------------------------------------------------------------
@pytest.mark.parametrize("name", ["shows_life", "move_inside", "child_inside"])
def test_a_wrong_zone_cannot_be_flattened(name, tmp_path, monkeypatch):
    path = proof_tools.write(tmp_path / "a.gz", wrong(*LIES[name], monkeypatch))
    with pytest.raises(Refused, match="written out as a plain proof it fails after"):
        flatten.flatten(read(path), tmp_path / "flat.gz")
    assert os.listdir(tmp_path) == ["a.gz"]
    assert main([path, "--flatten", str(tmp_path / "flat.gz")]) == 1


def test_a_plain_certificate_that_the_checker_refuses_is_not_published(tmp_path, monkeypatch):
    """A plain certificate that the checker refuses does not get its final name."""
    path, lines = proof_tools.write(tmp_path / "a.gz", HAND["wide"]), flatten.Flat.lines
    for kind, change in (
        ("and", lambda node: {**node, "and": node["and"][1:]}),
        ("leaf", lambda node: {**node, "leaf": "benson"}),
    ):
        monkeypatch.setattr(
            flatten.Flat,
            "lines",
            lambda self, kind=kind, change=change: iter(mutated(list(lines(self)), kind, change)),
        )
        with pytest.raises(Refused, match="written out as a plain proof it is refused: line"):
            flatten.flatten(read(path), tmp_path / "flat.gz")
        assert os.listdir(tmp_path) == ["a.gz"]


def test_the_plain_rules_refuse_zones_pairs_and_threats(tmp_path):
    hexes = mutations.load(searched(SEARCHED["hex"], tmp_path / "solved"))
    threats = next(
        lines
        for lines in map(check_corpus.certificate, check_corpus.HAND)
        if lines and any({"threat", "and"} <= set(line) for line in lines)
    )
    for lines in (*HAND.values(), hexes, threats):
        path = proof_tools.write(tmp_path / "a.gz", lines)
        assert judge(path, Certificate()).accepted and not judge(path, flatten.Plain()).accepted


def test_an_existing_file_is_not_overwritten(tmp_path):
    path, out = proof_tools.write(tmp_path / "a.gz", HAND["attack"]), tmp_path / "out.gz"
    out.write_bytes(b"mine")
    with pytest.raises(flatten.NotWritten, match="exists already"):
        flatten.flatten(read(path), out)
    with pytest.raises(flatten.NotWritten, match="exists already"):
        flatten.flatten(read(path), path)
    assert out.read_bytes() == b"mine" and check(path).accepted


def test_a_file_that_appears_during_the_run_is_not_overwritten(tmp_path, monkeypatch):
    path, out = proof_tools.write(tmp_path / "a.gz", HAND["attack"]), tmp_path / "out.gz"
    monkeypatch.setattr(flatten, "judge", lambda *given: out.write_bytes(b"mine") and judge(*given))
    with pytest.raises(flatten.NotWritten, match="exists already"):
        flatten.flatten(read(path), out)
    assert out.read_bytes() == b"mine" and set(os.listdir(tmp_path)) == {"a.gz", "out.gz"}


def test_a_failing_disk_leaves_no_file(tmp_path, monkeypatch):
    path = proof_tools.write(tmp_path / "a.gz", HAND["attack"])

    def full(_):
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr(os, "fsync", full)
    with pytest.raises(flatten.NotWritten, match="cannot be written: No space left on device"):
        flatten.flatten(read(path), tmp_path / "flat.gz")
    assert os.listdir(tmp_path) == ["a.gz"]


def test_a_file_system_without_links_is_enough(tmp_path, monkeypatch):
    def none(*_):
        raise OSError(errno.EPERM, "Operation not permitted")

    monkeypatch.setattr(os, "link", none)
    flattened(proof_tools.write(tmp_path / "a.gz", HAND["attack"]), tmp_path / "flat.gz")
    assert set(os.listdir(tmp_path)) == {"a.gz", "flat.gz"}


def test_too_many_nodes_stop_the_flattening(tmp_path):
    path = proof_tools.write(tmp_path / "a.gz", HAND["attack"])
    nodes = len(flattened(path, tmp_path / "flat.gz")) - 2
    with pytest.raises(flatten.NotWritten, match="would have more than 4 nodes"):
        flatten.flatten(read(path), tmp_path / "other.gz", 4)
    assert set(os.listdir(tmp_path)) == {"a.gz", "flat.gz"} and nodes > 4
    with pytest.raises(flatten.NotWritten):
        flatten.flatten(read(path), tmp_path / "other.gz", nodes - 1)
    assert flatten.flatten(read(path), tmp_path / "other.gz", nodes) == nodes


# ---- the commands --------------------------------------------------------------------------------
def test_commands_write_the_plain_certificate(tmp_path, capsys):
    path, out = proof_tools.write(tmp_path / "a.gz", HAND["attack"]), tmp_path / "flat.gz"
    assert main([path, "--flatten", str(out)]) == 0
    output = capsys.readouterr().out.splitlines()
    assert (
        len(output) == 2
        and f"written as a plain proof: '{out}', {check(out).nodes} nodes,"
        " accepted by the plain rules."
        in output[1]
    )
    found = run(path, "--flatten", tmp_path / "more.gz", "--replay", 5, "--json")
    assert found.exit_code == 0
    assert json.loads(found.stdout)["flatten"] == {
        "file": str(tmp_path / "more.gz"),
        "nodes": check(out).nodes,
    }
    assert (tmp_path / "more.gz").read_bytes() == out.read_bytes()


@pytest.mark.parametrize(
    "where, words",
    [
        ("a.gz", "exists already"),
        ("absent/flat.gz", "cannot be written"),
        ("flat.gz", "more than 3 nodes"),
    ],
)
def test_commands_report_why_no_file_is_written(where, words, tmp_path, capsys):
    path = proof_tools.write(tmp_path / "a.gz", HAND["attack"])
    assert main([path, "--flatten", str(tmp_path / where), "--most", "3"]) == 2
    output = capsys.readouterr()
    assert (
        output.err.count("\n") == 1
        and "not written: " in output.err
        and words in output.err
        and ": accepted: " in output.out
    )
    found = run(path, "--flatten", tmp_path / where, "--most", 3, "--json")
    assert (
        found.exit_code == 2
        and json.loads(found.stdout)["accepted"]
        and words in json.loads(found.stdout)["flatten"]["error"]
    )
    assert os.listdir(tmp_path) == ["a.gz"]


def test_a_refused_certificate_is_not_flattened(tmp_path):
    path = proof_tools.write(tmp_path / "a.gz", HAND["attack"][:-1])
    assert run(path, "--flatten", tmp_path / "flat.gz").exit_code == 1 and os.listdir(tmp_path) == [
        "a.gz"
    ]


def test_a_file_without_a_name_is_not_written(tmp_path, capsys, monkeypatch):
    monkeypatch.chdir(tmp_path)
    path = proof_tools.write(tmp_path / "a.gz", HAND["attack"])
    assert main([path, "--flatten", ""]) == 2
    assert "no name" in capsys.readouterr().err and os.listdir(tmp_path) == ["a.gz"]


@pytest.mark.skipif(not os.path.exists("/dev/full"), reason="there is no full device here")
def test_a_failure_to_print_the_result_is_not_a_refusal(tmp_path):
    path = proof_tools.write(tmp_path / "a.gz", HAND["attack"])
    with open("/dev/full", "w") as full:
        done = subprocess.run(
            [sys.executable, "-m", "jaxsolve.proof.check", path, "--replay", "3"],
            stdout=full,
            stderr=subprocess.PIPE,
            text=True,
        )
    assert (
        done.returncode == 2 and done.stderr.count("\n") == 1 and "cannot be printed" in done.stderr
    )
