"""News: every worker receives the latest proofs of the others once, in bounded messages."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from jaxsolve.cluster.news import News, Newsletter


def news(number: int, size: int = 3) -> News:
    """News that differ in their number; random words, so that they do not compress."""
    rows = np.random.default_rng(number).integers(0, 1 << 32, (size, 4), np.uint32)
    return News({"rules": "hex-3", "number": number}, rows)


def number_of(message: bytes) -> int:
    return News.decode(message).question["number"]


@settings(max_examples=50, deadline=None)
@given(
    words=st.integers(1, 8),
    rows=st.lists(st.integers(0, (1 << 32) - 1), min_size=1, max_size=40),
    question=st.dictionaries(st.text(), st.text() | st.integers(-9, 9) | st.booleans(), max_size=4),
)
def test_news_are_the_same_after_a_message(words, rows, question):
    records = np.resize(np.array(rows, np.uint32), (len(rows), words))
    found = News.decode(News(question, records).encode())
    assert found.question == question
    assert found.records.dtype == np.uint32 and np.array_equal(found.records, records)


@pytest.mark.parametrize(
    "message", [b"", b"\n", b"{}\n", b'{"question": 1}', b"[]\nx", b"\xff\n", b'{"words": 2}\nx']
)
def test_other_bytes_are_no_news(message):
    with pytest.raises((ValueError, KeyError, TypeError)):
        News.decode(message)


def test_damaged_records_are_no_news():
    message = news(1).encode()
    for at in range(len(message) - 8, len(message)):
        with pytest.raises(ValueError):
            News.decode(message[:at])


@settings(max_examples=200, deadline=None)
@given(
    st.lists(
        st.tuples(st.sampled_from(["add", "take", "forget"]), st.sampled_from("abcd")), max_size=60
    )
)
def test_each_worker_receives_the_news_of_the_others_once_and_in_order(steps):
    letter, sent, received = Newsletter(), list[str](), {name: list[int]() for name in "abcd"}
    for what, worker in steps:
        if what == "add":
            letter.add(news(len(sent)), worker)
            sent.append(worker)
        elif what == "take":
            received[worker] += map(number_of, letter.take(worker))
            assert received[worker] == [n for n, source in enumerate(sent) if source != worker]
            assert letter.take(worker) == []
        else:  # another worker of that name knows nothing
            letter.forget(worker)
            received[worker] = []


@settings(max_examples=100, deadline=None)
@given(
    sizes=st.lists(st.integers(1, 60), min_size=1, max_size=40),
    most_bytes=st.integers(0, 8000),
    most_sent=st.integers(0, 3000),
)
def test_kept_and_sent_news_are_bounded(sizes, most_bytes, most_sent):
    letter, messages = Newsletter(most_bytes, most_sent), []
    for number, size in enumerate(sizes):
        letter.add(news(number, size), "a")
        messages.append(news(number, size).encode())
        assert sum(len(message) for *_, message in letter._kept) <= most_bytes
    found = letter.take("b")
    assert sum(map(len, found)) <= most_sent
    count = len(found)
    assert found == messages[len(messages) - count :]
    if count < len(messages):  # one more would be too much
        more = sum(map(len, messages[-count - 1 :]))
        assert more > most_sent or more > most_bytes
    assert letter.take("b") == []
