"""Searches with patterns: answers do not depend on the table's size and can be proven."""

from __future__ import annotations

import functools
import random
from collections import Counter

import numpy as np
import pytest

import jaxsolve.search.tree.tree as tree_module
from jaxsolve.evaluate import shared_evaluator
from jaxsolve.formats import problems
from jaxsolve.games.zones import COVER_FLAG, COVER_HASH_BITS
from jaxsolve.proof.certify import certify
from jaxsolve.proof.decided import Decided
from jaxsolve.proof.duplicates import hashed
from jaxsolve.proof.errors import ProofGap
from jaxsolve.proof.log import ProofLog
from jaxsolve.proof.zoned import ZonedGraphBuilder
from jaxsolve.search import Claim, Limits, Settings, Verdict, solve
from jaxsolve.search.run.job import Job
from jaxsolve.search.run.options import RunOptions
from jaxsolve.search.run.pool import Pool, run_jobs
from jaxsolve.search.run.records import LOG
from jaxsolve.search.tree.patterns import FOUND, HELD, REPLACED, Patterns, new_patterns
from support.go_questions import questions, task
from support.plain_hex import make
from support.proofs.solver import rules_of
from support.search import LONG, NAMES, Setting, accepted, run


@pytest.fixture
def tables(monkeypatch):
    """Sets the size of pattern tables and keeps all that searches make."""
    made: list[Patterns] = []

    def resize(most: int | None) -> list[Patterns]:
        def new(zoning, budget, _):
            made.append(new_patterns(zoning, budget, most))
            return made[-1]

        monkeypatch.setattr(tree_module, "new_patterns", new)
        return made

    return resize


@pytest.mark.short(1)
@pytest.mark.parametrize("most", [1, 2, 7, None] if LONG else [1, 7])
def test_answers_are_those_of_retrograde_analysis_whatever_the_table_s_size(
    most, tables, tmp_path, monkeypatch
):
    elsewhere = []
    build = ZonedGraphBuilder.build
    monkeypatch.setattr(
        ZonedGraphBuilder,
        "build",
        lambda self, root: (build(self, root), elsewhere.append(self.leads_elsewhere))[0],
    )
    # The same questions for all: their rule sets are compiled once.
    made, rng, seen = (
        tables(most),
        random.Random("patterns 1"),
        Counter(),
    )
    drawn = questions(
        rng, lambda: task(rng, 4 if rng.random() < 0.7 else 5, rng.choice(("true", "false")))
    )
    for rounds, (game, state, claim, right) in enumerate(drawn, 1):
        setting = Setting(
            NAMES[rounds % len(NAMES)], rng.choice((1, 32)), rng.choice((None, 96)), rounds
        )
        got = run(game, state, claim, setting, tmp_path, 200_000, evaluator=shared_evaluator(game))
        assert got.verdict is right, (game.rule_set, game.text(state), claim, setting)
        seen[right] += 1
        if rounds >= (1500 if LONG else 26):
            break
    assert min(seen[Verdict.PROVED], seen[Verdict.DISPROVED]) > 8
    assert sum(int(table.counters[FOUND]) for table in made) > 5 and (
        any(elsewhere) or most in (1, 2)
    ), seen
    assert most is None or sum(int(table.counters[REPLACED]) for table in made) > 10


def life():
    (problem,) = problems.load("quickstart.json", ids=["go-life"])
    return problem


@functools.cache
def decided():
    """(problem, records) of a search in which patterns decided positions."""
    problem = life()
    job = Job(
        problem.game,
        problem.state,
        claims=problem.claim,
        options=RunOptions(settings=Settings("dfpn", Limits(nodes=300_000))),
    )
    run_jobs([job])
    records = np.concatenate(list(job.records[0].log.blocks()))
    assert job.search.verdict is Verdict.PROVED
    job.close()
    return problem, records


def alike(game, records: np.ndarray) -> np.ndarray:
    """bool[n]: the records of positions that cover another one."""
    moves = records[:, game.state_words].view(np.int32)
    return (moves >= COVER_FLAG) | (moves < -1)


def log_of(game, records: np.ndarray) -> ProofLog:
    log = ProofLog({}, game.state_words, None, shared_evaluator(game).zone_words)
    log.append(*log.split(records))
    log.flush()
    return log


def proof(problem, records: np.ndarray):
    game = problem.game
    root = np.asarray(game.pack(problem.state))
    log = log_of(game, records)
    return certify(Decided(game, shared_evaluator(game), log, problem.claim, root))


def needed(problem, records: np.ndarray) -> list[int]:
    """The records of covering positions without which there is no proof."""
    found = []
    for at in np.flatnonzero(alike(problem.game, records)).tolist():
        try:
            proof(problem, np.delete(records, at, axis=0))
        except ProofGap:
            found.append(at)
    return found


def test_a_proof_may_lead_to_covered_positions():
    problem, records = decided()
    assert alike(problem.game, records).sum() > 5
    found = proof(problem, records)
    assert found.checked and found.checked.report.accepted
    rules, text = rules_of("go", problem.game.rule_set), problem.game.text(problem.state)
    for move in found.line:  # the displayed line can be played
        text = rules.child(rules.position(text), move)
    assert found.line


def test_a_record_that_refers_to_a_wrong_position_proves_nothing():
    """A missing, younger or uncovered position, or another winner: a gap here or before."""
    problem, records = decided()
    game, rng, which = problem.game, random.Random(3), needed(*decided())
    assert which
    words, names = (
        game.state_words,
        [int(word) >> 64 - COVER_HASH_BITS for word in hashed(records[:, : game.state_words])],
    )
    for at in which:
        move = int(records[at, words].view(np.int32))
        own = (move if move >= 0 else ~move) & COVER_FLAG - 1
        others = [name for name in rng.sample(names, min(len(names), 12)) if name != own]
        for name in [own ^ 1, *others, names[-1]]:
            lie = records.copy()
            lie[at, words] = np.array(
                [COVER_FLAG | name if move >= 0 else ~(COVER_FLAG | name)], np.int32
            ).view(np.uint32)[0]
            try:
                found = proof(problem, lie)
            except ProofGap as gap:
                assert gap.record <= at
                continue
            # The other one is covered as well.
            assert found.checked and found.checked.report.accepted and name != own ^ 1
        turned = records.copy()
        turned[at, words] = np.array([~move], np.int32).view(np.uint32)[0]
        with pytest.raises(ProofGap):
            proof(problem, turned)


def test_a_missing_source_is_a_gap_and_is_searched_again(tmp_path):
    """As after the loss of a worker: no answer, dependent records are dropped, and a new run proves
    it.
    """
    problem, records = decided()
    game, words = problem.game, problem.game.state_words
    names = hashed(records[:, :words]) >> np.uint64(64 - COVER_HASH_BITS)
    tried = 0
    for at in needed(problem, records):
        move = int(records[at, words].view(np.int32))
        sources = np.flatnonzero(
            names == np.uint64((move if move >= 0 else ~move) & COVER_FLAG - 1)
        )
        with pytest.raises(ProofGap) as gap:
            proof(problem, np.delete(records, sources, axis=0))
        moves = records[:, words].view(np.int32)
        resting = alike(game, records) & (
            np.where(moves < 0, ~moves, moves) == (move if move >= 0 else ~move)
        )
        # The first dependent record that is reached, unless a reply is missing as well.
        if "reply" not in str(gap.value):
            assert gap.value.record <= np.flatnonzero(resting).max()
        out = tmp_path / str(at)
        job = Job(
            game,
            problem.state,
            claims=problem.claim,
            options=RunOptions(settings=Settings("dfpn", Limits(nodes=300_000)), out=out),
        )
        pool = Pool(job.evaluator, 2)
        pool.submit(job)
        pool.adopt(
            job, problem.claim, *job.records[0].log.split(np.delete(records, sources, axis=0))
        )
        while pool.poll():
            pass
        (result,) = job.finish()
        job.close()
        tried += result.verdict is Verdict.UNKNOWN
        for _ in range(20):  # each time unsupported records are dropped
            if result.verdict is Verdict.PROVED:
                break
            assert result.verdict is Verdict.UNKNOWN and "incomplete" in result.reason
            result = solve(
                game,
                problem.state,
                claim=problem.claim,
                out=out,
                resume=True,
                limits=Limits(nodes=300_000),
            )
        assert result.verdict is Verdict.PROVED
        accepted(game, problem.state, problem.claim, result)
    assert tried


@pytest.mark.parametrize("method", NAMES)
def test_a_resumed_run_goes_on_with_what_was_covered(method, tmp_path):
    """The log of a stopped run holds covering records; they and the patterns serve the next run."""
    problem, _ = decided()
    game, resumed = problem.game, 0
    # Random games take nearly all of the time.
    most = 30_000 if LONG or method not in ("mcts", "pnmcts") else 3_000
    for nodes in (100, 125, 150, 175, 200) if LONG else (150, 200):
        out = tmp_path / f"{nodes}"
        first = solve(
            game,
            problem.state,
            claim=problem.claim,
            method="dfpn",
            out=out,
            limits=Limits(nodes=nodes),
        )
        if first.verdict is not Verdict.UNKNOWN:
            continue
        job = Job(
            game,
            problem.state,
            claims=problem.claim,
            options=RunOptions(settings=Settings(method, Limits(nodes=most)), out=out, resume=True),
        )
        records = np.concatenate(
            list(job.records[0].log.blocks())
            or [np.zeros((0, job.records[0].log.record_words), np.uint32)]
        )
        like = alike(game, records)
        resumed += bool(like.any())
        assert job.search.tree.patterns.counters[HELD] > 0 or not (~like).any()
        run_jobs([job])
        (result,) = job.finish()
        job.close()
        assert result.verdict is Verdict.PROVED or method != "dfpn", result.reason
        if result.verdict is not Verdict.UNKNOWN:
            accepted(game, problem.state, problem.claim, result)
        assert (out / LOG).exists()
    assert resumed


def test_searches_of_several_claims_and_of_hex_have_no_patterns(tmp_path):
    game = make("hex-4")
    job = Job(game, game.init())
    run_jobs([job])
    records = np.concatenate(list(job.records[0].log.blocks()))
    assert not alike(game, records).any() and not job.search.tree.patterns.counters.any()
    job.close()
    problem = life()
    both = [problem.claim, Claim(problem.claim.player, "does-not-lose")]
    job = Job(
        problem.game,
        problem.state,
        claims=both,
        options=RunOptions(settings=Settings(limits=Limits(nodes=3_000))),
    )
    run_jobs([job])
    assert not job.search.tree.patterns.counters.any()
    job.close()
