"""``SharedPatterns``: verdicts do not change, proofs are complete, damaged files are refused."""

from __future__ import annotations

import functools
import io
import json
import random
from collections import Counter
from pathlib import Path

import numpy as np
import pytest

from jaxsolve.games import make
from jaxsolve.games.zones import COVER_FLAG, is_cover
from jaxsolve.proof.check import registry as checkers
from jaxsolve.question import Problem, default_claim
from jaxsolve.search import (
    Limits,
    PatternsError,
    Result,
    SharedPatterns,
    Verdict,
    solve,
    solve_pool,
)
from support.cli import run
from support.search import LONG, NAMES, accepted

RULES = {
    "live": "tsumego-4;goal=live;defender=white;ko_white=forbid",
    "kill": "tsumego-5;goal=kill;defender=white;crucial=B2;ko_black=forbid",
    "superko": "tsumego-4;ko=positional;goal=live;defender=white",
    "Slither": "slither-4",
}
LIMITS = Limits(nodes=3_000 if LONG else 1_000)


@functools.cache
def positions(name: str, count: int) -> tuple[Problem, ...]:
    """Positions of random play in which something is left to be found."""
    game, rng, found = make(RULES[name]), random.Random(name), []
    rules = checkers.find(game.name).rules(game.rule_set)
    start = "...../...../.O.../.OO../..... b" if name == "kill" else game.text(game.init())
    while len(found) < count:
        text = start
        for _ in range(rng.randrange(7, 13) if name == "Slither" else rng.randrange(3, 9)):
            replies = [
                after for move, after in rules.replies(rules.root(text)).items() if move != "pass"
            ]
            text = (
                rng.choice(replies) if replies and rules.verdict(rules.root(text)) is None else text
            )
        if rules.verdict(rules.root(text)) is None:
            state = game.parse(text)
            found.append(Problem(str(len(found)), game, state, default_claim(game, state)))
    return tuple(found)


@functools.cache
def alone(name: str, count: int, method: str) -> dict[str, Verdict]:
    return {
        problem.id: result.verdict
        for problem, result in solve_pool(
            positions(name, count), pool=1, method=method, limits=LIMITS
        )
    }


def solved(
    problems: tuple[Problem, ...],
    patterns: SharedPatterns,
    out: Path,
    pool: int = 1,
    method: str = "dfpn",
) -> dict[str, Result]:
    """Results by id; every answer has a certificate that the checker accepts."""
    results = {}
    for problem, result in solve_pool(
        problems, pool=pool, method=method, limits=LIMITS, patterns=patterns, out=out
    ):
        assert "incomplete" not in result.reason and "refused" not in result.reason, result.reason
        if result.verdict is not Verdict.UNKNOWN:
            accepted(problem.game, problem.state, problem.claim, result)
        results[problem.id] = result
    return results


@pytest.mark.short("Slither")
@pytest.mark.parametrize("name", RULES if LONG else ["live", "Slither"])
def test_shared_patterns_change_no_verdict_and_every_proof_is_complete(name, tmp_path):
    count, rng, counted = 40 if LONG else 12, random.Random(name), Counter()
    for method in NAMES if LONG else [rng.choice(NAMES)]:
        expected = alone(name, count, method)
        file, shared = tmp_path / method / "patterns.npz", 0
        for turn in range(3 if LONG else 2):
            problems = list(positions(name, count))
            rng.shuffle(problems)
            with SharedPatterns(file, capacity_mb=1) as patterns:
                patterns._capacity = rng.choice(
                    [1 << 20, 1 << 14, 1 << 12]
                )  # bytes: what is there must go again and again
                results = solved(
                    tuple(problems),
                    patterns,
                    tmp_path / method / str(turn),
                    rng.choice([1, 1, 3]),
                    method,
                )
                shared += len(patterns)
            for identifier, result in results.items():
                assert (
                    Verdict.UNKNOWN in (result.verdict, expected[identifier])
                    or result.verdict is expected[identifier]
                )
            counted.update(result.verdict for result in results.values())
        assert shared > 0
    assert counted[Verdict.PROVED] + counted[Verdict.DISPROVED] >= 2, counted


@pytest.mark.parametrize("method", ["dfpn", "mcts"])
def test_a_position_decided_by_a_pattern_is_solved_with_a_proof(method, tmp_path):
    """Its record says that it covers another one; the answer must stand for itself."""
    asked = 0
    for problem in positions("live", 12):
        patterns = SharedPatterns()
        solved((problem,), patterns, tmp_path / problem.id, method=method)
        for held in list(patterns._questions.values()):
            words = problem.game.state_words
            for record in held.records[is_cover(held.records[:, words].view(np.int32))][:4]:
                state = problem.game.unpack(np.array(record[:words]))
                result = solve(
                    problem.game,
                    state,
                    claim=problem.claim,
                    limits=LIMITS,
                    patterns=patterns,
                    method=method,
                )
                assert "incomplete" not in result.reason, result.reason
                asked += result.verdict is not Verdict.UNKNOWN
    assert asked >= 5


def test_a_second_run_with_the_same_patterns_searches_nothing(tmp_path):
    problems, file = positions("live", 6), tmp_path / "patterns.npz"
    with SharedPatterns(file) as patterns:
        first = solved(problems, patterns, tmp_path / "1")
    with SharedPatterns(file) as patterns:
        second = solved(problems, patterns, tmp_path / "2")
    decided = [
        identifier for identifier, result in first.items() if result.verdict is not Verdict.UNKNOWN
    ]
    assert sum(first[identifier].nodes for identifier in decided) > 200
    for identifier in decided:
        assert (
            second[identifier].verdict is first[identifier].verdict
            and second[identifier].nodes <= 64
        )  # a wave


def test_patterns_are_not_shared_between_questions(tmp_path):
    (problem, *_), patterns = positions("live", 6), SharedPatterns()
    solved((problem,), patterns, tmp_path / "1")
    (question,) = patterns._questions
    other = json.loads(question) | {"rules": RULES["kill"]}
    assert len(patterns) and not len(patterns.take(other, 3).records)
    same = json.loads(question)
    words = patterns._questions[question].records.shape[1]
    assert len(patterns.take(same, words).records) == len(patterns) and not len(
        patterns.take(same, words + 1).records
    )


def test_false_records_give_no_answer_and_are_dropped(tmp_path):
    """The file states that the other side wins every position: no proof can be collected."""
    problems, counted = (
        [
            p
            for p in positions("live", 12)
            if alone("live", 12, "dfpn")[p.id] is not Verdict.UNKNOWN
        ],
        Counter(),
    )
    for problem in problems:
        for lie in (
            lambda moves: np.where(moves >= 0, -1, 0),
            lambda moves: np.where(moves >= 0, COVER_FLAG | 7, ~(COVER_FLAG | 7)),
        ):
            patterns = SharedPatterns()
            solve(
                problem.game, problem.state, claim=problem.claim, limits=LIMITS, patterns=patterns
            )
            (held,) = patterns._questions.values()
            moves = held.records[:, problem.game.state_words].view(np.int32)
            moves[:] = lie(moves)
            result = solve(
                problem.game, problem.state, claim=problem.claim, limits=LIMITS, patterns=patterns
            )
            truth = alone("live", 12, "dfpn")[problem.id]
            assert result.verdict in (truth, Verdict.UNKNOWN)
            withheld = "incomplete" in result.reason
            assert not withheld or not len(patterns)
            again = solve(
                problem.game, problem.state, claim=problem.claim, limits=LIMITS, patterns=patterns
            )
            assert again.verdict in ((truth,) if withheld else (truth, Verdict.UNKNOWN))
            counted["withheld"] += withheld
            counted["answered"] += again.verdict is truth
    assert counted["withheld"] > 1 and counted["answered"] > 2, counted


def test_capacity_is_respected_and_the_latest_proofs_stay(tmp_path):
    problems = positions("live", 12)
    patterns = SharedPatterns(capacity_mb=1)
    patterns._capacity = 1 << 14
    for number, problem in enumerate(problems):
        solved((problem,), patterns, tmp_path / str(number))
        for held in patterns._questions.values():
            assert held.records.nbytes <= 1 << 14
            assert len(held.records) == len(held.ages) == len(held.serials) == len(held.hashes)
            assert (np.diff(held.serials) > 0).all()


def test_damaged_pattern_files_are_refused(tmp_path):
    file = tmp_path / "deep" / "patterns.npz"
    with SharedPatterns(file) as patterns:
        solved(positions("live", 2), patterns, tmp_path / "1")
        with pytest.raises(PatternsError, match="in use by another run"):
            SharedPatterns(file)
    whole = file.read_bytes()
    assert len(SharedPatterns(file)) == len(patterns) > 0
    for damaged in (
        b"",
        b"no file of ours",
        whole[:-30],
        whole[: len(whole) // 2],
        whole[:200] + b"\0\1\2\3" + whole[204:],
    ):
        file.write_bytes(damaged)
        with pytest.raises(PatternsError, match="is no file of patterns, or is damaged"):
            SharedPatterns(file)
        assert file.read_bytes() == damaged
    with np.load(io.BytesIO(whole)) as arrays:
        parts = dict(arrays)
    about = json.loads(parts["about"].tobytes())
    changed = [
        {"records0": parts["records0"] ^ np.uint32(1 << 30)},
        {"records0": parts["records0"][:, :0]},
        {"ages0": parts["ages0"] - 5},
    ]
    for said in (
        {"age": 1 << 70},
        {"age": float("inf")},
        {"questions": "".join(about["questions"])},
        {"questions": about["questions"] * 2},
    ):
        changed.append({"about": np.frombuffer(json.dumps(about | said).encode(), np.uint8)})
    for number, change in enumerate(changed):
        np.savez_compressed(file, **parts | change)
        with pytest.raises(PatternsError, match="or is damaged"):
            SharedPatterns(file)
            pytest.fail(str(number))
    for at in range(
        0, len(whole), 101 if LONG else 2003
    ):  # errors of zipfile, zlib, numpy's reader and tokenize, or nothing that matters
        flipped = bytearray(whole)
        flipped[at] ^= 0xFF
        file.write_bytes(flipped)
        try:
            assert len(SharedPatterns(file)) == len(patterns)
        except PatternsError as error:
            assert "or is damaged" in str(error)
    np.savez(
        file,
        about=np.frombuffer(
            json.dumps({"format": "jaxsolve-patterns", "version": 99}).encode(), np.uint8
        ),
    )
    with pytest.raises(PatternsError, match="another version"):
        SharedPatterns(file)
    with pytest.raises(PatternsError, match="is a folder"):
        SharedPatterns(tmp_path)


def test_the_command_line_shares_patterns_between_runs(tmp_path):
    file, out, problems = tmp_path / "patterns.npz", tmp_path / "out", tmp_path / "problems.json"
    chosen = [
        p for p in positions("live", 6) if alone("live", 6, "dfpn")[p.id] is not Verdict.UNKNOWN
    ][:2]
    texts = [problem.game.text(problem.state) for problem in chosen]
    asked = ["solve", texts[0], "--game", RULES["live"], "--patterns", file, "--json"]
    first, second = (json.loads(run(*asked).stdout) for _ in range(2))
    assert first["verdict"] == second["verdict"] != "unknown" and second["nodes"] <= first["nodes"]
    assert file.exists()
    entries = [{"id": str(number), "position": text} for number, text in enumerate(texts)]
    problems.write_text(
        json.dumps(
            {
                "format": "jaxsolve-problems",
                "version": 1,
                "rules": RULES["live"],
                "problems": entries,
            }
        )
    )
    suite = ["suite", problems, "--nodes", "2000", "--out", out]
    assert run(*suite, "--patterns", file).exit_code == 0
    refused = run(*suite)
    assert refused.exit_code == 2 and "holds another run" in refused.stderr
    file.write_bytes(b"nothing")
    refused = run(*asked)
    assert refused.exit_code == 2 and "is no file of patterns" in refused.stderr
    assert file.read_bytes() == b"nothing"
