"""The checker accepts proofs, refuses every mutant of them, and answers in one sentence whatever it is given."""

from __future__ import annotations

import gzip
import json
import os
import random
import subprocess
import sys
from pathlib import Path

import pytest

from jaxsolve.proof.check import check
from support import mutations
from support.proofs import corpus as check_corpus
from support.proofs import solver as proof_tools

LONG = os.environ.get("JAXSOLVE_LONG") == "1"
SEEDS = range(20 if LONG else 3)


@pytest.fixture(scope="module")
def files(tmp_path_factory):
    """Paths of certificates by case; claims that do not hold are left out."""
    folder = tmp_path_factory.mktemp("certificates")
    cases = [*check_corpus.HAND, *(case for seed in SEEDS for case in check_corpus.drawn(seed))]
    found = {}
    for number, case in enumerate(cases):
        lines = check_corpus.certificate(case)
        assert lines is not None or case not in check_corpus.HAND, case
        if lines is not None and case not in found:
            found[case] = proof_tools.write(folder / f"{number}.gz", lines)
    return found


def test_certificates_are_accepted(files):
    assert len(files) >= 50
    for case, path in files.items():
        report = check(path)
        assert report.accepted and report.exit_code == 0, (case, report.sentence)
        assert (
            report.claim == f"{case.player} {case.result.replace('does-not-lose', 'does not lose')}"
        )
        assert (report.game, report.rules, report.root) == (case.game, case.rules, case.root)
        assert report.nodes == len(mutations.load(path)) - 2


def test_opposite_claims_are_never_both_proven(files):
    for case in files:
        other = (
            "black"
            if case.player == "white"
            else "white"
            if case.player == "black"
            else "south"
            if case.player == "north"
            else "north"
        )
        if case.result == "wins":
            assert all(
                (found.rules, found.root, found.player) != (case.rules, case.root, other)
                for found in files
            )


def test_every_mutant_is_refused(files, tmp_path):
    target = tmp_path / "mutant.gz"
    seen = set()
    for case, path in files.items():
        for seed in range(5 if LONG else 1):
            for name, data in mutations.mutants(path, seed):
                target.write_bytes(data)
                report = check(target)
                assert not report.accepted, (name, seed, case)
                assert report.exit_code in (1, 2)
                seen.add(name)
    assert (
        seen >= set(mutations.MUTATIONS) - mutations.ZONED - mutations.WRITTEN and len(seen) >= 30
    )


def test_a_changed_bit_of_the_file_never_gives_another_proof(files, tmp_path):
    rng = random.Random(5)
    target = tmp_path / "mutant.gz"
    for path in files.values():
        data = Path(path).read_bytes()
        for _ in range(10):
            spoilt = bytearray(data)
            spoilt[rng.randrange(len(data))] ^= 1 << rng.randrange(8)
            target.write_bytes(spoilt)
            if check(target).accepted:
                assert gzip.decompress(bytes(spoilt)) == gzip.decompress(data)


def test_frontier_stays_small_along_a_chain(tmp_path):
    """A board of one-way play: every node is named once by the next, so the checker holds one node, however long the file."""
    lines = (
        check_corpus.certificate(
            check_corpus.Case("hex", "hex-4", "XXX./OOO./XXX./.... b", "white", depth=9)
        )
        or []
    )
    report = check(proof_tools.write(tmp_path / "a.gz", lines))
    assert report.accepted and report.peak_frontier < report.nodes


def _replaced(lines, old, new):
    """The certificate with another rule-set id of the same shape."""
    assert old in lines[0]["rules"]
    return [{**lines[0], "rules": lines[0]["rules"].replace(old, new)}, *lines[1:]]


MIAI = check_corpus.MIAI
KO = "OX.X/.OXX/XX../.... w"
OPTIONS = [
    # A proof that leaves out fillings of true eyes says nothing where they may be filled, and the other way round.
    (
        check_corpus.Case(
            "go", "killallgo-9;ko=simple;passes=stones;fill_eyes=false", MIAI, "white", depth=2
        ),
        "fill_eyes=false",
        "fill_eyes=true",
    ),
    (
        check_corpus.Case(
            "go", "killallgo-9;ko=simple;passes=stones;fill_eyes=true", MIAI, "white", depth=2
        ),
        "fill_eyes=true",
        "fill_eyes=false",
    ),
    (
        check_corpus.Case(
            "go", "killallgo-9;ko=simple;passes=stones;fill_eyes=true", MIAI, "white", depth=2
        ),
        "ko=simple",
        "ko=situational",
    ),
    (
        check_corpus.Case(
            "go", "killallgo-9;ko=simple;passes=stones;fill_eyes=true", MIAI, "white", depth=2
        ),
        "killallgo-9",
        "go-9",
    ),
    (
        check_corpus.Case(
            "go",
            "killallgo-7;ko=simple;passes=stones;fill_eyes=true",
            "/".join(["......."] * 6 + ["...O..."]) + " w passes=1",
            "white",
            depth=1,
        ),
        "passes=stones",
        "passes=not-achieved",
    ),
    (
        check_corpus.Case(
            "gomoku",
            "gomoku-4;line=3;win=five-or-more;knowledge=ndk",
            "XX.X/OO.O/..../.... b",
            "black",
            depth=1,
        ),
        "five-or-more",
        "exact5",
    ),
    (
        check_corpus.Case(
            "gomoku",
            "gomoku-4;line=3;win=five-or-more;knowledge=ndk",
            "XX../OO../..../.... b",
            "black",
            depth=1,
        ),
        "line=3",
        "line=4",
    ),
    (
        check_corpus.Case(
            "gomoku",
            "gomoku-4;line=3;win=five-or-more;knowledge=4t",
            "..../.X../..../O..O b",
            "black",
            depth=2,
        ),
        "knowledge=4t",
        "knowledge=ndk",
    ),
    (
        check_corpus.Case("go", "go-2;ko=simple;komi=0.5", "X./.X w passes=1", "black", depth=2),
        "komi=0.5",
        "komi=4.5",
    ),
    (
        check_corpus.Case(
            "go",
            check_corpus.tsumego(5, "kill", "white", "A3", "B2,C2,D2,A5"),
            "..XXX/XXXXX/OOOOO/O...O/OOOOO b",
            "black",
            depth=8,
        ),
        "region=B2,C2,D2,A5",
        "region=all",
    ),
    (
        # White can save its stones only by taking the ko at C4.
        check_corpus.Case(
            "go",
            check_corpus.tsumego(4, "kill", "white", "A4", "A3,B4,C4", ko_white="forbid"),
            KO,
            "black",
            depth=1,
        ),
        "ko_white=forbid",
        "ko_white=allow",
    ),
]


@pytest.mark.parametrize(
    "case, old, new", OPTIONS, ids=[f"{old}->{new}" for _, old, new in OPTIONS]
)
def test_a_proof_under_another_option_is_refused(case, old, new, tmp_path):
    lines = check_corpus.certificate(case)
    assert check(proof_tools.write(tmp_path / "a.gz", lines)).accepted
    assert not check(proof_tools.write(tmp_path / "b.gz", _replaced(lines, old, new))).accepted


# ---- any bytes at all -----------------------------------------------------------------------------------------------
def _sentence(report):
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


def test_random_bytes_and_random_json_get_a_sentence(files, tmp_path):
    rng = random.Random(11)
    target = tmp_path / "junk.gz"
    path = next(
        path for case, path in files.items() if case.game == "hex" and check(path).nodes > 20
    )
    lines = mutations.load(path)
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
            spoilt = [dict(line) for line in lines]
            line = rng.choice(spoilt)
            name = rng.choice(list(line))
            before, line[name] = line[name], _random_json(rng)
            if json.dumps(before) == json.dumps(line[name]):
                continue
            target.write_bytes(mutations.dump(spoilt))
        _sentence(check(target))


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
        _sentence(report)
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
    _sentence(report)
    assert report.exit_code == 1 and report.line == 1


def test_what_is_no_certificate_is_unreadable(tmp_path):
    plain = tmp_path / "plain"
    plain.write_text("{}")
    empty = tmp_path / "empty"
    empty.write_bytes(b"")
    other = _write(tmp_path / "other.gz", [{"format": "something"}])
    newer = _write(tmp_path / "newer.gz", [{"format": "jaxsolve-proof", "version": 2}])
    for path in (plain, empty, other, newer, tmp_path, tmp_path / "none", "a\0b"):
        report = check(path)
        _sentence(report)
        assert report.exit_code == 2, path


def _run(*arguments):
    return subprocess.run([sys.executable, *arguments], capture_output=True, text=True, timeout=60)


def test_command_line_exit_codes(files, tmp_path):
    path = next(iter(files.values()))
    spoilt = tmp_path / "spoilt.gz"
    spoilt.write_bytes(mutations.dump(mutations.load(path)[:-1]))
    for arguments, code in (
        ([path], 0),
        ([str(spoilt)], 1),
        ([str(tmp_path / "none")], 2),
        ([], 2),
        (["a", "b"], 2),
    ):
        done = _run("-m", "jaxsolve.proof.check", *arguments)
        assert done.returncode == code
        assert len((done.stdout + done.stderr).strip().splitlines()) == 1


def test_the_checker_needs_the_standard_library_only():
    code = (
        "import sys, jaxsolve.proof.check, jaxsolve.proof.check.__main__;"
        "own = {n for n in sys.modules if n.startswith('jaxsolve')};"
        "assert own <= {'jaxsolve', 'jaxsolve.proof'} | {n for n in own if n.startswith('jaxsolve.proof.check')}, own;"
        "assert not {'jax', 'numpy', 'flax', 'numba'} & set(sys.modules)"
    )
    assert _run("-c", code).returncode == 0
