"""Certificates from proof logs: missing or wrong records never yield a wrong result.

Limits are respected, and decided positions are not lost.
"""

from __future__ import annotations

import gzip
import json
from pathlib import Path
from typing import NamedTuple

import numpy as np
import pytest

from jaxsolve.evaluate import Evaluator, shared_evaluator
from jaxsolve.games.game import Game
from jaxsolve.proof import certify as module
from jaxsolve.proof import log as logs
from jaxsolve.proof.certify import certify, checked, records_of
from jaxsolve.proof.check import Report, check
from jaxsolve.proof.decided import Decided
from jaxsolve.proof.errors import ProofGap, ProofRefused, ProofUnfinished
from jaxsolve.proof.graph import ProofGraph
from jaxsolve.proof.log import ProofLog
from jaxsolve.question import Claim, Verdict
from jaxsolve.search import solve
from jaxsolve.search.run.job import Job
from jaxsolve.search.run.options import RunOptions
from jaxsolve.search.run.pool import run_jobs
from support.plain_hex import make

HEX = ("hex-4", "X.../..../..../.... w")


class Case(NamedTuple):
    """A decided question with the records of its log."""

    game: Game
    evaluator: Evaluator
    claim: Claim
    root: np.ndarray
    records: np.ndarray
    zone_words: int

    def log(self, records: np.ndarray | None = None, path: Path | None = None) -> ProofLog:
        """A log of these records, or of all records."""
        log = ProofLog({}, self.game.state_words, path, self.zone_words)
        records = self.records if records is None else records
        for at in range(0, len(records), 50):
            log.append(*log.split(records[at : at + 50]))
            log.flush()
        return log

    def certify(self, log: ProofLog, path: Path | None = None, **options):
        return certify(
            Decided(self.game, self.evaluator, log, self.claim, self.root, path), **options
        )


def decided(rules: str, text: str, **options) -> Case:
    """Searches until the question is decided."""
    game = make(rules)
    evaluator, state = shared_evaluator(game, **options), game.parse(text)
    job = Job(game, state, options=RunOptions(evaluator=evaluator))
    run_jobs([job])
    verdict = job.search.verdict
    assert verdict in (Verdict.PROVED, Verdict.DISPROVED)
    claim = (
        job.records[0].claim
        if verdict is Verdict.PROVED
        else job.records[0].claim.opposite(game.may_draw)
    )
    records = np.concatenate(list(job.records[0].log.blocks()))
    return Case(game, evaluator, claim, job.root, records, evaluator.zone_words)


@pytest.fixture(scope="module", params=["zones", "plain", "canonical"])
def case(request) -> Case:
    return decided(
        *HEX,
        **{"plain": {"zones": False}, "canonical": {"canonical": True}, "zones": {}}[request.param],
    )


def test_a_certificate_is_checked_before_it_gets_its_name(case, tmp_path):
    path = tmp_path / "proof.jsonl.gz"
    proof = case.certify(case.log(), path)
    assert (
        proof.checked is not None
        and proof.checked.report.accepted
        and proof.checked.report == check(path)
    )
    assert proof.checked.report.nodes == proof.nodes > 10 and proof.bytes == path.stat().st_size
    assert [file.name for file in tmp_path.iterdir()] == ["proof.jsonl.gz"]
    unchecked, unkept = case.certify(case.log(), path, check_it=False), case.certify(case.log())
    assert (
        unchecked.checked is None
        and unkept.path is None
        and unkept.checked is not None
        and unkept.checked.report == proof.checked.report
    )
    assert checked(path).report == proof.checked.report


def test_the_records_of_a_proof_need_no_certificate(case):
    """They are those of an accepted certificate, and prove the claim alone."""
    builders = []
    found = Decided(case.game, case.evaluator, case.log(), case.claim, case.root)
    certify(found._replace(accepted=builders.append))
    records = records_of(found)
    assert np.array_equal(records, builders[0].records_used()[1])
    if case.zone_words or not case.evaluator.canonical:
        assert case.certify(case.log(records)).checked.report.accepted
    with pytest.raises(ProofGap):
        records_of(found._replace(log=case.log(records[:-1])))


def test_superfluous_records_change_nothing(case, tmp_path):
    rng = np.random.default_rng(1)
    noise = case.records[rng.integers(0, len(case.records), 5000)]
    noise[:, 0] = rng.integers(0, 1 << 32, 5000)
    at = np.sort(rng.integers(0, len(case.records) + 1, 5000))
    texts = []
    for number, records in enumerate((case.records, np.insert(case.records, at, noise, axis=0))):
        case.certify(
            case.log(records, tmp_path / f"{number}.log"), tmp_path / f"{number}.gz", memory_mb=16
        )
        texts.append(gzip.decompress((tmp_path / f"{number}.gz").read_bytes()))
    assert texts[0] == texts[1]


def test_a_log_without_some_records_proves_the_claim_or_names_the_gap(case):
    """Any records may be missing.

    The result is a proof that the checker accepts, or a gap that says which records can be kept.
    """
    rng, gaps = np.random.default_rng(2), 0
    for _ in range(12):
        first = int(rng.integers(0, len(case.records)))
        left = np.delete(case.records, slice(first, first + int(rng.integers(1, 40))), axis=0)
        log = case.log(left)
        try:
            proof = case.certify(log)
        except ProofGap as gap:
            gaps += 1
            assert 0 <= gap.record < max(1, len(log))
            log.forget(gap.record)
            assert len(log) == gap.record
        else:
            assert proof.checked is not None and proof.checked.report.accepted
    assert gaps


@pytest.mark.parametrize("move", ["a taken cell", 1000, (1 << 31) - 1])
def test_an_illegal_logged_move_is_a_gap(case, move):
    """A log in which every winning move is off the board, or on an occupied cell."""
    words, mutated = case.game.state_words, case.records.copy()
    for record in mutated:
        if record[words : words + 1].view(np.int32) >= 0:
            taken = np.flatnonzero(case.game.cells(case.game.unpack(record[:words])).ravel())
            record[words] = taken[0] if isinstance(move, str) else move
    # With zones, a number as large as the last one refers to another record, which is missing.
    with pytest.raises(ProofGap, match=r"a move that is not legal|missing from the log"):
        case.certify(case.log(mutated))


def test_stopping_at_any_moment_leaves_the_log_and_no_file(case, tmp_path):
    log, asked = case.log(), []
    case.certify(log, tmp_path / "whole.gz", stop=lambda: asked.append(1))
    assert len(asked) > 8
    for last in sorted({0, 1, 2, len(asked) // 3, len(asked) // 2, len(asked) - 2, len(asked) - 1}):
        left = iter(range(last))
        with pytest.raises(ProofUnfinished, match=r"^a limit was reached$"):
            case.certify(
                log,
                tmp_path / "other.gz",
                stop=lambda left=left: (
                    None if next(left, None) is not None else "a limit was reached"
                ),
            )
        assert [file.name for file in tmp_path.iterdir()] == ["whole.gz"]
    assert case.certify(log).nodes == case.certify(case.log()).nodes


def test_a_graph_respects_its_memory_limit_and_reports_when_it_is_full():
    """Nodes are identified by all their words, and keep their numbers while the arrays grow.

    The bound holds at every step.
    """
    graph, rng, known = ProofGraph(3, memory_mb=2), np.random.default_rng(3), {}
    with pytest.raises(ProofUnfinished, match="positions and more do not fit into 2 MB"):
        while True:
            keys = rng.integers(0, 40, (500, 3), dtype=np.uint32)
            numbers = graph.enter(keys, np.zeros(500, np.int64), np.full(500, -1))
            for key, number in zip(keys.tolist(), numbers.tolist(), strict=True):
                assert known.setdefault(tuple(key), number) == number
            graph.set_children(numbers[:1], np.array([500]), np.arange(500) % 7, numbers)
            assert graph.bytes <= 2 << 20 and len(known) == len(graph) == len(set(known.values()))
    assert len(graph) > 5000


def test_a_refused_certificate_is_kept_aside(case, tmp_path, monkeypatch):
    monkeypatch.setattr(
        module, "check", lambda file: Report(False, reason="the leaf does not hold", line=7)
    )
    with pytest.raises(ProofRefused, match=r"^refused: line 7: the leaf does not hold"):
        case.certify(case.log(), tmp_path / "proof.jsonl.gz")
    assert [file.name for file in tmp_path.iterdir()] == ["refused-proof.jsonl.gz"]
    assert check(tmp_path / "refused-proof.jsonl.gz").accepted


def test_an_accepted_certificate_of_something_else_is_refused(case, tmp_path, monkeypatch):
    monkeypatch.setattr(
        module,
        "check",
        lambda file: Report(True, rules=case.game.rule_set, root="elsewhere", claim="black wins"),
    )
    with pytest.raises(ProofRefused, match="another claim"):
        case.certify(case.log())


def test_a_log_that_lost_a_chunk_is_searched_again(tmp_path, monkeypatch):
    """The records of the chunk are searched again, and those that may depend on it.

    The result has a proof.
    """
    monkeypatch.setattr(logs, "FLUSH_RECORDS", 4)
    game, folder = make(HEX[0]), tmp_path / "run"
    state = game.parse(HEX[1])
    whole = solve(
        game, state, out=folder, wave=2
    )  # small waves decide, and flush, little at a time
    assert whole.verdict is not Verdict.UNKNOWN
    data, starts = (folder / "proof.log").read_bytes(), []
    at = data.index(b"\n") + 1
    words = json.loads(data[:at])["words"] + 1 + json.loads(data[:at])["zone_words"]
    while at < len(data):
        starts.append(at)
        at += logs.CHUNK.size + 4 * words * logs.CHUNK.unpack_from(data, at)[1]
    assert len(starts) > 3
    for missing in (0, len(starts) // 2):
        (folder / "proof.log").write_bytes(data[: starts[missing]] + data[starts[missing + 1] :])
        (folder / "proof.jsonl.gz").unlink()
        again = solve(game, state, out=folder, resume=True, wave=2)
        assert again.verdict is whole.verdict and again.nodes > 1
        assert check(folder / "proof.jsonl.gz").accepted
