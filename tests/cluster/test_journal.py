"""The journal: a resumed run knows what was tried; damaged lines cost time only."""

from __future__ import annotations

import errno
import json
import os
import random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from jaxsolve.cluster.journal import JOURNAL, NO_LIMIT, Journal
from jaxsolve.cluster.orders import Order, Report
from jaxsolve.search import Claim


def job(number: int, verdict: str = "unknown", nodes: int | None = 100) -> tuple[Order, Report]:
    order = Order(number, 1, 0, "hex-3", f"position {number} é\n", Claim(number % 2), nodes)
    return order, Report(number, 1, 0, verdict, nodes=90, cpu_seconds=0.5)


def filled(path, verdicts: list[str]) -> Journal:
    journal = Journal(path)
    for number, verdict in enumerate(verdicts):
        journal.add(*job(number, verdict), "a")
    return journal


def tried(journal: Journal, count: int) -> list[int]:
    return [journal.tried(job(number)[0]) for number in range(count)]


@settings(max_examples=30, deadline=None)
@given(verdicts=st.lists(st.sampled_from(["unknown", "proved", "disproved"]), max_size=12))
def test_a_resumed_run_knows_what_was_tried(tmp_path_factory, verdicts):
    path = tmp_path_factory.mktemp("run") / JOURNAL
    first = filled(path, verdicts)
    first.close()
    second, expected = Journal(path), [100 * (verdict == "unknown") for verdict in verdicts]
    for journal in (first, second):
        assert tried(journal, len(verdicts)) == expected
        assert (journal.jobs, journal.nodes) == (len(verdicts), 90 * len(verdicts))
        assert journal.solved == len(verdicts) - verdicts.count("unknown")
    assert (first.earlier_jobs, second.earlier_jobs) == (0, len(verdicts))
    assert second.earlier_nodes == 90 * len(verdicts)


def test_a_position_is_another_one_under_another_claim_or_other_rules(tmp_path):
    journal = filled(tmp_path / JOURNAL, ["unknown"])
    order = job(0)[0]
    assert journal.tried(order) == 100
    for change in (
        {"claim": Claim(1)},
        {"claim": Claim(0, "does-not-lose")},
        {"rules": "hex-4"},
        {"position": "position 0"},
    ):
        assert journal.tried(Order(**vars(order) | change)) == 0


def test_the_largest_limit_counts(tmp_path):
    journal = Journal(tmp_path / JOURNAL)
    for limit in (50, 200, 100):
        journal.add(*job(0, nodes=limit), "a")
    assert tried(journal, 1) == [200] == tried(Journal(journal.path), 1)
    journal.add(*job(0, nodes=None), "a")  # limited by time only
    assert tried(journal, 1) == [NO_LIMIT] == tried(Journal(journal.path), 1)


@pytest.mark.parametrize("cut", range(1, 60, 7))
def test_a_torn_last_line_is_left_out_and_the_next_one_stands(tmp_path, cut):
    path = tmp_path / JOURNAL
    filled(path, ["unknown"] * 3).close()
    path.write_bytes(path.read_bytes()[:-cut])
    second = Journal(path)
    count = 3 if cut == 1 else 2  # only the end of the line is missing
    assert second.jobs == count
    second.add(*job(7), "b")
    second.close()
    third = Journal(path)
    assert third.jobs == count + 1 and third.tried(job(7)[0]) == 100
    assert tried(third, 3) == [100] * count + [0] * (3 - count)


GARBAGE = (
    *(b"", b"{}", b"[]", b"null", b"\xff\xfe\x00", b"{" * 100_000, b"1", b'"x"', b'{"id": 1}'),
    *(b'{"verdict": ["unknown"]}', b'{"verdict": "unknown", "nodes": NaN}'),
)


def test_garbage_lines_are_left_out(tmp_path):
    path, rng = tmp_path / JOURNAL, random.Random(1)
    filled(path, ["unknown"] * 4).close()
    lines = path.read_bytes().splitlines()
    wrong = [
        json.dumps(json.loads(lines[0]) | change).encode()
        for change in (
            {"limit": "9"},
            {"limit": -1},
            {"limit": 1 << 80},
            {"nodes": -5},
            {"nodes": None},
            {"nodes": 1.5},  # a status with it could not be shown
            {"nodes": True},
            {"limit": 0.5},
            {"cpu_seconds": False},
            {"cpu_seconds": "x"},
            {"cpu_seconds": []},
            {"verdict": "won"},
            {"verdict": {}},
            {"claim": 3},
            {"claim": {}},
            {"claim": {"player": 0, "result": 1}},
            {"position": None},
            {"rules": 5},
        )
    ]
    mixed = [*lines, *wrong, *GARBAGE, *(rng.randbytes(30) for _ in range(20))]
    rng.shuffle(mixed)
    path.write_bytes(b"\n".join(mixed) + b"\n")
    found = Journal(path)
    assert (found.jobs, tried(found, 4)) == (4, [100] * 4)
    found.add(*job(9), "a")
    assert Journal(path).jobs == 5


def test_every_damaged_byte_costs_at_most_its_line(tmp_path):
    path, rng = tmp_path / JOURNAL, random.Random(2)
    filled(path, ["unknown"] * 4).close()
    whole = path.read_bytes()
    for _ in range(200):
        data = bytearray(whole)
        data[rng.randrange(len(data))] = rng.randrange(256)
        path.write_bytes(data)
        found = Journal(path)
        assert 2 <= found.jobs <= 4  # a newline that is damaged joins two lines
        assert sum(limit > 0 for limit in tried(found, 4)) >= 2


def test_a_journal_that_cannot_be_written_is_no_failure_of_the_run(tmp_path, monkeypatch):
    journal = Journal(tmp_path / "none" / JOURNAL)
    journal.add(*job(0), "a")
    assert isinstance(journal.failure, OSError) and tried(journal, 1) == [100]

    def full(*_):
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    journal = Journal(tmp_path / JOURNAL)
    with monkeypatch.context() as patch:
        patch.setattr("jaxsolve.cluster.journal.write_all", full)
        journal.add(*job(0), "a")
    assert journal.failure is not None and journal.failure.errno == errno.ENOSPC
    journal.add(*job(1), "a")
    journal.close()
    assert tried(Journal(journal.path), 2) == [0, 100]


def test_without_a_folder_nothing_is_written(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    journal = filled(None, ["unknown", "proved"])
    assert tried(journal, 2) == [100, 0] and journal.solved == 1
    journal.close()
    assert not list(tmp_path.iterdir())
