"""For any file, the checker reports one sentence and the right exit code in bounded time."""

from __future__ import annotations

import gzip
import io
import json
import os
import random
import subprocess
import sys

import pytest
from typer.testing import CliRunner

from jaxsolve.cli import app
from jaxsolve.proof.check import check
from jaxsolve.proof.check.gzip_members import CHUNK
from support import mutations
from support.proofs import corpus as check_corpus
from support.proofs import solver as proof_tools

LONG = os.environ.get("JAXSOLVE_LONG") == "1"


@pytest.fixture
def proof(tmp_path):
    """An accepted Hex certificate of some length."""
    case = check_corpus.Case("hex", "hex-4", "XXX./OOO./XXX./.... b", "white", depth=9)
    lines = check_corpus.certificate(case)
    assert lines is not None and len(lines) > 20
    path = tmp_path / "accepted.gz"
    proof_tools.write(path, lines)
    return path


def assert_sentence(report):
    assert not report.accepted and report.exit_code in (1, 2)
    assert (
        report.sentence.isascii()
        and "\n" not in report.sentence
        and 10 < len(report.sentence) < 1500
    )
    assert report.sentence.endswith(".")


def _random_json(rng, depth=0):
    kinds = ["int", "text", "odd", "list", "object"] if depth < 4 else ["int", "text", "odd"]
    kind = rng.choice(kinds)
    if kind == "int":
        return rng.choice([0, 1, 2, -1, 10**18, 10**400, -(2**63), True])
    if kind == "text":
        return rng.choice(
            [
                "",
                "pass",
                "C3",
                "five",
                "\ud800",
                "\u0663",
                "\x00",
                "wins",
                "hex-2",
                "../.. b",
                "A" * 5000,
                "٣",
            ]
        )
    if kind == "odd":
        return rng.choice([None, True, False, 1.5, float("nan"), float("inf")])
    if kind == "list":
        return [_random_json(rng, depth + 1) for _ in range(rng.randrange(4))]
    names = [
        "id",
        "n",
        "pos",
        "leaf",
        "or",
        "and",
        "threat",
        "end",
        "nodes",
        "root",
        "format",
        "version",
        "claim",
        "rules",
        "game",
        "zone",
    ]
    return {rng.choice(names): _random_json(rng, depth + 1) for _ in range(rng.randrange(5))}


def test_random_bytes_and_random_json_get_a_sentence(proof, tmp_path):
    rng = random.Random(11)
    target = tmp_path / "junk.gz"
    lines = mutations.load(proof)
    for turn in range(3000 if LONG else 300):
        choice = turn % 4
        if choice == 0:
            target.write_bytes(rng.randbytes(rng.randrange(200)))
        elif choice == 1:
            target.write_bytes(
                gzip.compress(rng.randbytes(rng.randrange(200)) + b"\n" + rng.randbytes(50))
            )
        elif choice == 2:
            target.write_bytes(mutations.dump([lines[0], *(_random_json(rng) for _ in range(3))]))
        else:
            mutated = [dict(line) for line in lines]
            line = rng.choice(mutated)
            name = rng.choice(list(line))
            before, line[name] = line[name], _random_json(rng)
            if json.dumps(before) == json.dumps(line[name]):
                continue
            target.write_bytes(mutations.dump(mutated))
        assert_sentence(check(target))


@pytest.mark.parametrize(
    "line",
    [
        b"[" * 100_000 + b"]" * 100_000,
        b'{"id": ' + b"9" * 100_000 + b', "n": 0, "pos": ""}',
        b'{"id": 1, "id": 2, "n": 0, "pos": ".. b", "leaf": "five"}',
        b'{"id": 1e3, "n": 0, "pos": "", "leaf": ""}',
        b'{"id": NaN}',
        b'{"id": -Infinity}',
        b'\xef\xbb\xbf{"id": 1}',
        b'{"pos": "\\ud800", "id": 1, "n": 1, "leaf": "five"}',
        b'{"id": 1, "n": 1, "pos": "\xed\xa0\x80"}',
        '{"id": \u0661}'.encode(),
        b"null",
        b"",
        b" " * ((1 << 22) + 5),
        b"{}" * 10,
    ],
    ids=range(14),
)
def test_hostile_lines_get_a_sentence(line, tmp_path):
    header = {
        "format": "jaxsolve-proof",
        "version": 1,
        "game": "hex",
        "rules": "hex-2",
        "root": "../.. b",
        "claim": {"player": "black", "result": "wins"},
    }
    for number, lines in enumerate(([header, line + b"\n"], [line + b"\n", header], [line])):
        report = check(_write(tmp_path / f"{number}.gz", lines))
        assert_sentence(report)
        assert report.readable == (number == 0)


def _write(path, lines):
    path.write_bytes(mutations.dump(lines))
    return path


@pytest.mark.parametrize(
    "rules",
    [
        "",
        ";",
        "hex",
        "hex-0",
        "hex-20",
        "hex-03",
        "hex-3;",
        "hex-3;swap=true",
        "Hex-3",
        "hex- 3",
        "hex-٣",
        "hex-3\n",
        "hex--3",
        "go-3",
        "hex-" + "9" * 5000,
    ],
)
def test_unknown_rule_sets_are_refused(rules, tmp_path):
    header = {
        "format": "jaxsolve-proof",
        "version": 1,
        "game": "hex",
        "rules": rules,
        "root": "../.. b",
        "claim": {"player": "black", "result": "wins"},
    }
    report = check(_write(tmp_path / "a.gz", [header]))
    assert_sentence(report)
    assert report.exit_code == 1 and report.line == 1


def test_other_files_are_unreadable(tmp_path):
    plain = tmp_path / "plain"
    plain.write_text("{}")
    empty = tmp_path / "empty"
    empty.write_bytes(b"")
    other = _write(tmp_path / "other.gz", [{"format": "something"}])
    newer = _write(tmp_path / "newer.gz", [{"format": "jaxsolve-proof", "version": 2}])
    for path in (plain, empty, other, newer, tmp_path, tmp_path / "none", "a\0b"):
        report = check(path)
        assert_sentence(report)
        assert report.exit_code == 2, path


def _run(*arguments):
    return subprocess.run([sys.executable, *arguments], capture_output=True, text=True, timeout=60)


def test_command_line_exit_codes(proof, tmp_path):
    mutated = tmp_path / "mutated.gz"
    mutated.write_bytes(mutations.dump(mutations.load(proof)[:-1]))
    for arguments, code in (
        ([str(proof)], 0),
        ([str(mutated)], 1),
        ([str(tmp_path / "none")], 2),
        ([], 2),
        (["a", "b"], 2),
    ):
        done = _run("-m", "jaxsolve.proof.check", *arguments)
        assert done.returncode == code
        assert len((done.stdout + done.stderr).strip().splitlines()) == 1


# ---- gzip members --------------------------------------------------------------------------------
def test_a_certificate_may_have_any_number_of_members(proof, tmp_path):
    data, rng = gzip.decompress(proof.read_bytes()), random.Random(3)
    path = tmp_path / "members.gz"
    for _ in range(20):
        cuts = sorted(rng.randrange(len(data) + 1) for _ in range(rng.randrange(9)))
        parts = [data[a:b] for a, b in zip([0, *cuts], [*cuts, len(data)], strict=True)]
        path.write_bytes(b"".join(gzip.compress(part) for part in parts))
        assert check(path) == check(proof)


@pytest.mark.parametrize(
    "tail", [b"\0", bytes(20_000_000), b"x", b"\x1f", b"\x1f\x8b", b"\x1fx", b"\n", b"{}"]
)
def test_bytes_after_the_last_member_are_refused_at_the_first(tail, proof):
    data = proof.read_bytes()
    file = io.BytesIO(data + tail)
    report = check(file)
    assert_sentence(report)
    assert report.exit_code == 1
    assert file.tell() <= len(data) + CHUNK


def test_a_truncated_certificate_is_refused(proof, tmp_path):
    data, path = proof.read_bytes(), tmp_path / "cut.gz"
    for end in range(0, len(data), 7):
        path.write_bytes(data[:end])
        report = check(path)
        assert_sentence(report)
        assert not report.accepted


# ---- files that are no regular files -------------------------------------------------------------
@pytest.fixture
def folder(proof, tmp_path):
    """A folder with an accepted certificate, in ``good``."""
    folder = tmp_path / "runs"
    (folder / "good").mkdir(parents=True)
    proof.rename(folder / "good" / "proof.jsonl.gz")
    return folder


def test_a_pipe_is_unreadable(tmp_path):
    os.mkfifo(tmp_path / "pipe.gz")
    report = check(tmp_path / "pipe.gz")
    assert report.sentence == "unreadable: the file cannot be read: it is not a regular file."
    assert report.exit_code == 2
    assert _run("-m", "jaxsolve.proof.check", str(tmp_path / "pipe.gz")).returncode == 2


def test_a_pipe_in_a_folder_is_reported(folder):
    (folder / "pipe").mkdir()
    os.mkfifo(folder / "pipe" / "proof.jsonl.gz")
    printed = CliRunner().invoke(app, ["check", str(folder)])
    assert printed.exit_code == 2
    assert f"{folder}/pipe/proof.jsonl.gz: unreadable: " in printed.stderr.replace("'", "")
    assert "not a regular file" in printed.stderr and "1 of 2 proofs accepted" in printed.stdout


def test_a_folder_with_the_name_of_a_proof_is_reported(folder):
    (folder / "other" / "proof.jsonl.gz" / "below").mkdir(parents=True)
    good = (folder / "good" / "proof.jsonl.gz").read_bytes()
    (folder / "other" / "proof.jsonl.gz" / "below" / "proof.jsonl.gz").write_bytes(good)
    printed = CliRunner().invoke(app, ["check", str(folder)])
    assert printed.exit_code == 2
    assert "Is a directory" in printed.stderr and "2 of 3 proofs accepted" in printed.stdout


def test_linked_files_are_regular_files(folder):
    (folder / "link").mkdir()
    (folder / "link" / "proof.jsonl.gz").symlink_to(folder / "good" / "proof.jsonl.gz")
    (folder / "broken").mkdir()
    (folder / "broken" / "proof.jsonl.gz").symlink_to(folder / "nothing")
    printed = CliRunner().invoke(app, ["check", str(folder)])
    assert printed.exit_code == 2
    assert "No such file" in printed.stderr and "2 of 3 proofs accepted" in printed.stdout
