"""The checker accepts proofs and refuses every mutant of them, with a one-sentence message."""

from __future__ import annotations

import gzip
import os
import random
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
    """Paths of certificates by case; claims that do not hold are omitted."""
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


def test_a_flipped_bit_never_gives_another_proof(files, tmp_path):
    rng = random.Random(5)
    target = tmp_path / "mutant.gz"
    for path in files.values():
        data = Path(path).read_bytes()
        for _ in range(10):
            mutated = bytearray(data)
            mutated[rng.randrange(len(data))] ^= 1 << rng.randrange(8)
            target.write_bytes(mutated)
            if check(target).accepted:
                assert gzip.decompress(bytes(mutated)) == gzip.decompress(data)


def test_frontier_stays_small_along_a_chain(tmp_path):
    """On a chain of single moves the checker holds one node, however long the file."""
    lines = (
        check_corpus.certificate(
            check_corpus.Case("hex", "hex-4", "XXX./OOO./XXX./.... b", "white", depth=9)
        )
        or []
    )
    report = check(proof_tools.write(tmp_path / "a.gz", lines))
    assert report.accepted and report.peak_frontier < report.nodes


def _replaced(lines, old, new):
    """The certificate with another rule-set id of the same form."""
    assert old in lines[0]["rules"]
    return [{**lines[0], "rules": lines[0]["rules"].replace(old, new)}, *lines[1:]]


MIAI = check_corpus.MIAI
KO = "OX.X/.OXX/XX../.... w"
OPTIONS = [
    # A proof in which true eyes are not filled is invalid if they may be, and conversely.
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
