"""The proof log returns the flushed records after a kill or a damaged end of the file.

A log of another question is refused.
"""

from __future__ import annotations

import errno
import random

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from jaxsolve.games.zones import COVER_FLAG
from jaxsolve.proof import duplicates, index
from jaxsolve.proof.log import ProofLog, ProofLogError

QUESTION = {"rules": "hex-3", "claim": "black wins", "canonical": False}


def records(count: int, words: int, seed: int) -> tuple[np.ndarray, np.ndarray]:
    rng = np.random.default_rng(seed)
    return rng.integers(0, 1 << 32, (count, words), dtype=np.uint32), rng.integers(
        -1, 300, count
    ).astype(np.int32)


def write(path, sizes: list[int], words: int = 3) -> tuple[np.ndarray, np.ndarray]:
    """A log with chunks of these sizes, and all its records."""
    states, moves = records(sum(sizes), words, 1)
    log, at = ProofLog(QUESTION, words, path), 0
    for size in sizes:
        log.append(states[at : at + size], moves[at : at + size])
        log.flush()
        at += size
    log.close()
    return states, moves


def everything(log: ProofLog) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """(states, moves, zones) of all records, collected from the stream."""
    parts = list(log.chunks(most=1000))
    if not parts:
        return (
            np.zeros((0, log.words), np.uint32),
            np.zeros(0, np.int32),
            np.zeros((0, log.zone_words), np.uint32),
        )
    return tuple(np.concatenate(part) for part in zip(*parts, strict=True))


def same(found, states, moves, count: int) -> bool:
    return np.array_equal(found[0], states[:count]) and np.array_equal(found[1], moves[:count])


@pytest.mark.parametrize("on_disk", [False, True])
def test_records_come_back_in_order(on_disk, tmp_path):
    path = tmp_path / "log" if on_disk else None
    states, moves = records(9000, 2, 0)
    zones = records(9000, 3, 1)[0]
    log = ProofLog(QUESTION, 2, path, zone_words=3)
    for at in range(0, 9000, 7):
        log.append(states[at : at + 7], moves[at : at + 7], zones[at : at + 7])
    assert same(everything(log), states, moves, 9000) and np.array_equal(everything(log)[2], zones)
    log.close()
    if path:
        again = ProofLog(QUESTION, 2, path, zone_words=3)
        assert same(everything(again), states, moves, 9000)
        again.append(states[:5] + np.uint32(1), moves[:5], zones[:5])
        again.close()
        found = everything(ProofLog(QUESTION, 2, path, zone_words=3))
        assert (
            len(found[0]) == 9005
            and np.array_equal(found[0][9000:], states[:5] + np.uint32(1))
            and np.array_equal(found[2][9000:], zones[:5])
        )
        with pytest.raises(ProofLogError, match="another question"):
            ProofLog(QUESTION, 2, path, zone_words=2)


def test_an_empty_log_has_no_records(tmp_path):
    for path in (None, tmp_path / "log"):
        states, moves, zones = everything(ProofLog(QUESTION, 4, path))
        assert states.shape == (0, 4) and moves.shape == (0,) and zones.shape == (0, 0)


@settings(max_examples=150, deadline=None)
@given(st.lists(st.integers(1, 20), min_size=1, max_size=5), st.data())
def test_a_log_cut_anywhere_keeps_its_whole_chunks_and_continues(tmp_path_factory, sizes, data):
    path = tmp_path_factory.mktemp("log") / "log"
    states, moves = write(path, sizes)
    whole = path.read_bytes()
    header = whole.index(b"\n") + 1
    cut = data.draw(st.integers(0, len(whole)))
    path.write_bytes(whole[:cut])
    kept, at = 0, header
    for size in sizes:
        at += 12 + 16 * size
        kept += size if at <= cut else 0
    log = ProofLog(QUESTION, 3, path)
    assert same(everything(log), states, moves, kept)
    log.append(states[kept:], moves[kept:])
    log.close()
    assert same(everything(ProofLog(QUESTION, 3, path)), states, moves, len(states))


def test_a_changed_byte_never_brings_a_wrong_record(tmp_path):
    path, rng = tmp_path / "log", random.Random(1)
    states, moves = write(path, [5, 9, 2])
    whole = path.read_bytes()
    for _ in range(300):
        mutated = bytearray(whole)
        mutated[rng.randrange(len(whole))] ^= 1 << rng.randrange(8)
        path.write_bytes(mutated)
        try:
            log = ProofLog(QUESTION, 3, path)
        except ProofLogError:
            continue
        found = everything(log)
        assert (
            len(found[0]) in (0, 5, 14)
            and same(found, states, moves, len(found[0]))
            and log.dropped_bytes > 0
        )
        log.close()


def test_no_record_after_a_missing_chunk_is_used(tmp_path):
    """Later records may depend on the missing ones.

    They are searched again, and the log continues from the gap.
    """
    path = tmp_path / "log"
    states, moves = write(path, [5, 9, 2, 4])
    whole, ends = path.read_bytes(), [path.read_bytes().index(b"\n") + 1]
    for size in (5, 9, 2, 4):
        ends.append(ends[-1] + 12 + 16 * size)
    for missing in range(3):
        path.write_bytes(whole[: ends[missing]] + whole[ends[missing + 1] :])
        log, kept = ProofLog(QUESTION, 3, path), sum([5, 9, 2, 4][:missing])
        assert (
            same(everything(log), states, moves, kept)
            and log.dropped_bytes == ends[4] - ends[missing + 1]
        )
        log.append(states[kept:], moves[kept:])
        log.close()
        assert same(everything(ProofLog(QUESTION, 3, path)), states, moves, 20)


@pytest.mark.parametrize("on_disk", [False, True])
def test_forgetting_keeps_earlier_decided_positions(on_disk, tmp_path):
    path = tmp_path / "log" if on_disk else None
    states, moves = records(60, 2, 0)
    for number in (60, 59, 40, 33, 20, 1, 0):
        log = ProofLog(QUESTION, 2, path)
        log.forget(0)
        for at in range(0, 60, 20):
            log.append(states[at : at + 20], moves[at : at + 20])
            log.flush()
        log.forget(number)
        assert len(log) == number and same(everything(log), states, moves, number)
        log.append(states[number:], moves[number:])  # it does not count as known
        assert same(everything(log), states, moves, 60) and np.array_equal(
            log.read(np.array([59, 3]))[:, :2], states[[59, 3]]
        )
        log.close()
        if path:
            again = ProofLog(QUESTION, 2, path)
            assert same(everything(again), states, moves, 60)
            again.close()


@pytest.mark.parametrize("on_disk", [False, True])
def test_a_position_decided_again_is_kept_only_on_a_smaller_zone(on_disk, tmp_path):
    rng = np.random.default_rng(2)
    log = ProofLog(QUESTION, 2, tmp_path / "log" if on_disk else None, zone_words=1, memory_mb=8)
    kept: dict[bytes, list[int]] = {}
    total = 0
    for _ in range(40):
        states = rng.integers(0, 40, (500, 1), dtype=np.uint32) * np.array([[1, 7]], np.uint32)
        zones = rng.integers(0, 256, (500, 1), dtype=np.uint32)
        log.append(states, np.zeros(500, np.int32), zones)
        log.flush()
        total += 500
    for state, zone in zip(everything(log)[0], everything(log)[2][:, 0].tolist(), strict=True):
        kept.setdefault(state.tobytes(), []).append(zone)
    assert len(kept) == 40 and len(log) < total
    first = ProofLog(QUESTION, 2)
    for _ in range(5):  # without zones only the first record of a position is ever used
        first.append(np.arange(1000, dtype=np.uint32).reshape(500, 2), np.zeros(500, np.int32))
        first.flush()
    once = len(first)
    assert 500 <= once < 900  # a later position may replace an entry of the table
    # A different verdict is never dropped.
    first.append(np.arange(2, dtype=np.uint32)[None], np.full(1, -1, np.int32))
    first.flush()
    assert len(first) == once + 1


def test_a_position_that_covered_another_is_kept_when_decided_itself():
    log, state = ProofLog(QUESTION, 1, zone_words=1), np.ones((1, 1), np.uint32)
    for mover_wins, like, own in ((True, COVER_FLAG | 5, 3), (False, ~(COVER_FLAG | 5), -1)):
        state = state + 1
        kept = []
        for move, zone in (
            (like, 7),
            (like, 7),
            (own, 7),
            (like, 7),
            (own, 7),
            (own, 15),
            (own, 3),
        ):
            before = len(log)
            log.append(state, np.array([move], np.int32), np.array([[zone]], np.uint32))
            log.flush()
            kept.append(len(log) > before)
        assert kept == [True, False, True, False, False, False, True], mover_wins


def test_a_log_without_a_path_continues_in_a_file_and_in_blocks():
    states, moves = records(300_000, 3, 4)
    log = ProofLog(QUESTION, 3, memory_mb=8)
    for at in range(0, 300_000, 10_000):
        log.append(states[at : at + 10_000], moves[at : at + 10_000])
    assert same(everything(log), states, moves, 300_000) and hasattr(log._file, "fileno")
    newest = list(log.chunks(newest=12_345, most=1000))
    assert max(len(part[0]) for part in newest) <= 1000
    assert np.array_equal(np.concatenate([part[0] for part in newest]), states[-12_345:])
    log.close()


def test_a_full_disk_leaves_whole_chunks(tmp_path, monkeypatch):
    path = tmp_path / "log"
    states, moves = records(30, 2, 0)
    log = ProofLog(QUESTION, 2, path)
    log.append(states[:10], moves[:10])
    log.flush()
    file = log._file

    class Full:
        def __getattr__(self, name):
            return getattr(file, name)

        def write(self, data):
            return file.write(data[: len(data) // 2])

    log._file = Full()
    log.append(states[10:], moves[10:])
    log.flush()
    assert log.failure is not None and log.failure.errno == errno.ENOSPC
    # The rest is in a temporary file, so that it can still be used for a proof.
    assert same(everything(log), states, moves, 30)
    log.close()
    assert same(everything(ProofLog(QUESTION, 2, path)), states, moves, 10)


def test_one_run_at_a_time(tmp_path):
    log = ProofLog(QUESTION, 2, tmp_path / "log")
    with pytest.raises(ProofLogError, match="in use"):
        ProofLog(QUESTION, 2, tmp_path / "log")
    log.close()
    log.close()
    ProofLog(QUESTION, 2, tmp_path / "log").close()


@pytest.mark.parametrize(
    ("memory_mb", "partition_keys"), [(512, 1 << 21), (512, 5000), (0, 1 << 21), (0, 700)]
)
def test_the_index_equals_a_dictionary(memory_mb, partition_keys, monkeypatch):
    """All records of a position, oldest first.

    In memory and in files, with one partition and with many.
    """
    monkeypatch.setattr(index, "PARTITION_KEYS", partition_keys)
    monkeypatch.setattr(index, "BATCH_KEYS", 3000)
    rng = np.random.default_rng(6)
    states = rng.integers(0, 9000, (20_000, 1), dtype=np.uint32) * np.array([[1, 3, 0]], np.uint32)
    # Decreasing numbers are not always smaller sets.
    zones = np.arange(20_000, dtype=np.uint32)[::-1, None].copy()
    log = ProofLog(QUESTION, 3, zone_words=1)
    for at in range(0, 20_000, 1000):
        log.append(states[at : at + 1000], np.zeros(1000, np.int32), zones[at : at + 1000])
        log.flush()
    kept, numbers = everything(log)[0], {}
    for number, state in enumerate(kept):
        numbers.setdefault(state.tobytes(), []).append(number)
    calls = []
    lookup = index.LogIndex(log, memory_mb=memory_mb, stop=lambda: calls.append(1))
    assert len(calls) > 5
    wanted = np.concatenate(
        [kept[rng.integers(0, len(kept), 3000)], states[:50] + np.uint32(1 << 20)]
    )
    found = lookup.find(wanted)
    for owner, state in enumerate(wanted):
        mine = found.owners == owner
        assert found.numbers[mine].tolist() == numbers.get(state.tobytes(), [])
        assert (found.records[mine][:, :3] == state).all()


def test_different_positions_with_equal_hashes_are_distinguished(monkeypatch):
    for module in (index, duplicates):
        monkeypatch.setattr(
            module, "hashed", lambda states: states[:, 0].astype(np.uint64) << np.uint64(60)
        )
    states = np.stack(
        [np.arange(400, dtype=np.uint32) % 3, np.arange(400, dtype=np.uint32)], axis=1
    )
    log = ProofLog(QUESTION, 2)
    for at in range(0, 400, 50):
        log.append(states[at : at + 50], np.arange(at, at + 50))
        log.flush()
    assert len(log) == 400
    found = index.LogIndex(log).find(states)
    assert found.numbers.tolist() == list(range(400)) and found.owners.tolist() == list(range(400))


@pytest.mark.parametrize(
    "other", [{"rules": "hex-4"}, {"claim": "white wins"}, {"canonical": True}, {"more": 1}]
)
def test_a_log_of_another_question_is_refused(other, tmp_path):
    path = tmp_path / "log"
    write(path, [3])
    before = path.read_bytes()
    with pytest.raises(ProofLogError, match="another question"):
        ProofLog({**QUESTION, **other}, 3, path)
    with pytest.raises(ProofLogError, match="another question"):
        ProofLog(QUESTION, 4, path)
    assert path.read_bytes() == before


def test_another_file_is_refused_and_not_changed(tmp_path):
    path = tmp_path / "log"
    for content in (b"a letter\n", b"\x00" * 100, b'{"format": "jaxsolve-log"}\n'):
        path.write_bytes(content)
        with pytest.raises(ProofLogError):
            ProofLog(QUESTION, 3, path)
        assert path.read_bytes() == content
