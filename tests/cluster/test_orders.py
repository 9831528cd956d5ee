"""Orders and reports: equal after a message; other bytes are refused with a sentence."""

from __future__ import annotations

import json

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from jaxsolve.cluster import orders
from jaxsolve.cluster.orders import Order, Report, packed, unpacked
from jaxsolve.search import Claim

COUNTS = st.integers(0, (1 << 62) - 1)
TEXTS = st.text(st.characters(codec="utf-8"), max_size=40)  # no surrogates
CLAIMS = st.builds(Claim, st.integers(0, 1), st.sampled_from(["wins", "does-not-lose"]))
ORDERS = st.builds(
    Order,
    id=COUNTS,
    attempt=COUNTS,
    version=COUNTS,
    rules=TEXTS,
    position=TEXTS,
    claim=CLAIMS,
    nodes=st.none() | COUNTS,
    cpu_seconds=st.none() | st.floats(0, 1e9),
    root=TEXTS,
    line=st.lists(st.integers(0, 400), max_size=9).map(tuple),
)
NUMBER = st.integers(0, (1 << 31) - 1)
REPORTS = st.builds(
    Report,
    id=COUNTS,
    attempt=COUNTS,
    version=COUNTS,
    verdict=st.sampled_from(["proved", "disproved", "unknown"]),
    reason=TEXTS,
    nodes=COUNTS,
    evaluations=COUNTS,
    cpu_seconds=st.floats(0, 1e9) | COUNTS,
    depth=st.integers(-1, 500),
    numbers=st.lists(st.tuples(NUMBER, NUMBER, NUMBER), max_size=5).map(tuple),
    words=COUNTS,
    records=st.binary(max_size=50),
)
ORDINARY = Report(1, 2, 3, "proved", words=2, records=packed(np.ones((3, 2), np.uint32)))
JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | TEXTS,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(TEXTS, inner, max_size=3),
    max_leaves=8,
)


@given(ORDERS)
def test_orders_are_the_same_after_a_message(order):
    message = order.encode()
    assert Order.decode(message) == order and b"\n" not in message
    again = order.next_attempt()
    assert (again.id, again.attempt) == (order.id, order.attempt + 1)


@given(REPORTS)
def test_reports_are_the_same_after_a_message(report):
    assert Report.decode(report.encode()) == report


@settings(max_examples=300)
@given(st.sampled_from([*json.loads(ORDINARY.encode().partition(b"\n")[0])]), JSON)
def test_reports_with_another_value_are_refused_or_of_the_right_types(name, value):
    head = json.loads(ORDINARY.encode().partition(b"\n")[0]) | {name: value}
    try:
        found = Report.decode(json.dumps(head).encode() + b"\n")
    except ValueError as error:
        assert str(error) and "\n" not in str(error) and len(str(error)) < 1000
        return
    assert type(found.id) is type(found.nodes) is type(found.depth) is type(found.words) is int
    assert type(found.reason) is str and type(found.cpu_seconds) in (int, float)
    assert 0 <= found.cpu_seconds < 1 << 62 and found.nodes >= 0 and found.depth >= -1
    assert all(type(each) is int for row in found.numbers for each in row)


@settings(max_examples=300)
@given(st.binary(max_size=80))
def test_other_bytes_are_no_message(data):
    for kind in (Order, Report):
        with pytest.raises(ValueError):
            kind.decode(data)


@pytest.mark.parametrize(
    "value", ["NaN", "Infinity", "-Infinity", "1e999", "9" * 5000, "-1", "true"]
)
def test_numbers_that_are_none_are_refused(value):
    message = ORDINARY.encode().replace(b'"nodes": 0', b'"nodes": ' + value.encode())
    with pytest.raises(ValueError):
        Report.decode(message)
    message = ORDINARY.encode().replace(b'"cpu_seconds": 0.0', b'"cpu_seconds": ' + value.encode())
    with pytest.raises(ValueError):
        Report.decode(message)


def test_too_many_numbers_are_refused():
    many = ((1, 2, 3),) * (orders.MOST_NUMBERS + 1)
    with pytest.raises(ValueError, match="too many"):
        Report.decode(Report(1, 1, 0, "unknown", numbers=many).encode())


def test_orders_with_other_fields_are_refused():
    order = Order(1, 1, 0, "hex-3", ".../.../... b", Claim(0))
    head = json.loads(order.encode())
    for wrong in ({"claim": None}, {"line": 3}, {"more": 1}, {"claim": {"player": 0, "x": 1}}):
        with pytest.raises(ValueError):
            Order.decode(json.dumps(head | wrong).encode())


@given(st.integers(1, 9), st.lists(st.integers(0, (1 << 32) - 1), min_size=1, max_size=60))
def test_records_are_the_same_after_packing(words, values):
    records = np.resize(np.array(values, np.uint32), (len(values), words))
    found = unpacked(packed(records), words)
    assert found.dtype == np.uint32 and np.array_equal(found, records)


def test_damaged_records_are_refused():
    data = packed(np.arange(300, dtype=np.uint32).reshape(50, 6))
    for wrong in (data[:-1], data + b"x", data[1:], b""):
        with pytest.raises(ValueError):
            unpacked(wrong, 6)
    for words in (0, -1, 7, 1 << 16):
        with pytest.raises(ValueError):
            unpacked(data, words)


def test_a_proof_may_need_no_record():
    assert unpacked(packed(np.zeros((0, 6), np.uint32)), 6).shape == (0, 6)


def test_records_beyond_the_bound_are_refused(monkeypatch):
    """A small message cannot fill the memory."""
    monkeypatch.setattr(orders, "MOST_RECORDS", 100)
    assert len(unpacked(packed(np.zeros((99, 6), np.uint32)), 6)) == 99
    for count in (101, 100_000):
        with pytest.raises(ValueError, match="too many"):
            unpacked(packed(np.zeros((count, 6), np.uint32)), 6)
