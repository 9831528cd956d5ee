"""The proof log: what was flushed comes back, whatever a kill or a stray byte did to the end of the file; a log of another question is refused."""

from __future__ import annotations

import random

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from jaxsolve.proof.log import ProofLog, ProofLogError

QUESTION = {"rules": "hex-3", "claim": "black wins", "canonical": False}


def records(count: int, words: int, seed: int) -> tuple[np.ndarray, np.ndarray]:
    rng = np.random.default_rng(seed)
    return rng.integers(0, 1 << 32, (count, words), dtype=np.uint32), rng.integers(-1, 300, count).astype(np.int32)


def write(path, sizes: list[int], words: int = 3) -> tuple[np.ndarray, np.ndarray]:
    """A log of chunks of these sizes; everything in it."""
    states, moves = records(sum(sizes), words, 1)
    log, at = ProofLog(QUESTION, words, path), 0
    for size in sizes:
        log.append(states[at : at + size], moves[at : at + size])
        log.flush()
        at += size
    log.close()
    return states, moves


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
    assert same(log.records(), states, moves, 9000) and np.array_equal(log.records()[2], zones)
    log.close()
    if path:
        again = ProofLog(QUESTION, 2, path, zone_words=3)
        assert same(again.records(), states, moves, 9000)
        again.append(states[:5], moves[:5], zones[:5])
        again.close()
        found = ProofLog(QUESTION, 2, path, zone_words=3).records()
        assert len(found[0]) == 9005 and np.array_equal(found[0][9000:], states[:5]) and np.array_equal(found[2][9000:], zones[:5])
        with pytest.raises(ProofLogError, match="another question"):
            ProofLog(QUESTION, 2, path, zone_words=2)


def test_an_empty_log_has_no_records(tmp_path):
    for path in (None, tmp_path / "log"):
        states, moves, zones = ProofLog(QUESTION, 4, path).records()
        assert states.shape == (0, 4) and moves.shape == (0,) and zones.shape == (0, 0)


@settings(max_examples=150, deadline=None)
@given(st.lists(st.integers(1, 20), min_size=1, max_size=5), st.data())
def test_a_log_cut_anywhere_keeps_its_whole_chunks_and_goes_on(tmp_path_factory, sizes, data):
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
    assert same(log.records(), states, moves, kept)
    log.append(states[kept:], moves[kept:])
    log.close()
    assert same(ProofLog(QUESTION, 3, path).records(), states, moves, len(states))


def test_a_changed_byte_never_brings_a_wrong_record(tmp_path):
    path, rng = tmp_path / "log", random.Random(1)
    states, moves = write(path, [5, 9, 2])
    whole = path.read_bytes()
    for _ in range(300):
        spoilt = bytearray(whole)
        spoilt[rng.randrange(len(whole))] ^= 1 << rng.randrange(8)
        path.write_bytes(spoilt)
        try:
            log = ProofLog(QUESTION, 3, path)
        except ProofLogError:
            continue
        found = log.records()
        assert len(found[0]) in (0, 5, 14) and same(found, states, moves, len(found[0]))
        log.close()


@pytest.mark.parametrize("other", [{"rules": "hex-4"}, {"claim": "white wins"}, {"canonical": True}, {"more": 1}])
def test_a_log_of_another_question_is_refused(other, tmp_path):
    path = tmp_path / "log"
    write(path, [3])
    before = path.read_bytes()
    with pytest.raises(ProofLogError, match="another question"):
        ProofLog({**QUESTION, **other}, 3, path)
    with pytest.raises(ProofLogError, match="another question"):
        ProofLog(QUESTION, 4, path)
    assert path.read_bytes() == before


def test_a_file_that_is_no_log_is_refused_and_left_alone(tmp_path):
    path = tmp_path / "log"
    for content in (b"a letter\n", b"\x00" * 100, b'{"format": "jaxsolve-log"}\n'):
        path.write_bytes(content)
        with pytest.raises(ProofLogError):
            ProofLog(QUESTION, 3, path)
        assert path.read_bytes() == content
