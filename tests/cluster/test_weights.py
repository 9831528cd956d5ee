"""Messages of weights and of the trainer: unchanged by a message; anything else is refused."""

from __future__ import annotations

import json

import jax
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from jaxsolve.cluster.trainer_messages import (
    MOST_BYTES,
    Answer,
    Positions,
    SolvedPosition,
    TrainerFigures,
    limited,
)
from jaxsolve.cluster.weights import Weights, WorkerWeights

SHAPES = st.lists(st.lists(st.integers(1, 4), max_size=3).map(tuple), min_size=1, max_size=5)


def params(shapes, seed=0):
    rng = np.random.default_rng(seed)
    leaves = [rng.normal(size=shape).astype(np.float32) for shape in shapes]
    return {"blocks": leaves[1:], "stem": leaves[0]}


ONE = Weights.of(3, "hex-3", params([(2, 3), (), (4,)]))
FIGURES = TrainerFigures(3, 40, 12, 7, 2, 1, 1.5, "", {"loss_total": 0.25, "length": 8.0})


@settings(max_examples=50, deadline=None)
@given(shapes=SHAPES, version=st.integers(1, (1 << 31) - 1), rules=st.text())
def test_weights_are_the_same_after_a_message(shapes, version, rules):
    sent = params(shapes, version)
    found, head = Weights.decode(Weights.of(version, rules, sent).encode(more=[1]))
    assert (found.version, found.rules, head["more"]) == (version, rules, [1])
    got = found.params(sent)
    assert jax.tree.structure(got) == jax.tree.structure(sent)
    for one, other in zip(jax.tree.leaves(got), jax.tree.leaves(sent), strict=True):
        assert one.dtype == np.float32 and np.array_equal(one, other)


def test_a_changed_byte_of_the_numbers_is_found():
    message = bytearray(ONE.encode())
    begin = message.index(b"\n") + 1
    for at in range(begin, len(message)):
        changed = bytearray(message)
        changed[at] ^= 1 << at % 8
        with pytest.raises(ValueError, match="damaged"):
            Weights.decode(bytes(changed))
    for end in range(len(message)):
        with pytest.raises(ValueError):
            Weights.decode(bytes(message[:end]))


@pytest.mark.parametrize(
    "change",
    [
        *({"version": value} for value in (0, -1, True, 1.0, "1", None, 1 << 31)),
        *({"rules": value} for value in (None, 3, ["hex-3"])),
        *({"sha256": value} for value in ("", None, 0)),
    ],
)
def test_other_fields_are_refused(change):
    head, _, data = ONE.encode().partition(b"\n")
    with pytest.raises(ValueError):
        Weights.decode(json.dumps(json.loads(head) | change).encode() + b"\n" + data)


@pytest.mark.parametrize("message", [b"", b"\n", b"[]\n", b"\xff\n", b"[" * 100_000, b"{}\nxxxx"])
def test_other_bytes_are_refused(message):
    for kind in (Weights, Answer, Positions):
        with pytest.raises(ValueError):
            kind.decode(message)


def test_weights_of_another_network_and_infinite_ones_are_refused():
    for shapes in ([(2, 3), (), (5,)], [(2, 3), ()]):
        with pytest.raises(ValueError, match="bytes of weights"):
            ONE.params(params(shapes))
    for value in (np.nan, np.inf):
        with pytest.raises(ValueError, match="not finite"):
            Weights.of(1, "hex-3", {"a": np.float32([1.0, value])}).params({"a": np.zeros(2)})


@settings(max_examples=100, deadline=None)
@given(
    st.lists(
        st.tuples(st.sampled_from(["renew", "take", "forget"]), st.sampled_from("abc")), max_size=40
    )
)
def test_each_worker_receives_the_latest_version_once(steps):
    latest, have = WorkerWeights(), dict.fromkeys("abc", 0)
    for what, worker in steps:
        if what == "renew":
            latest.renew(Weights(latest.version + 1, "hex-3", b""))
        elif what == "forget":  # another worker of that name has none
            latest.forget(worker)
            have[worker] = 0
        else:
            message = latest.take(worker)
            assert (message is None) == (have[worker] == latest.version)
            have[worker] = latest.version
            assert message is None or Weights.decode(message)[0].version == latest.version


# ---- positions and answers -----------------------------------------------------------------------
def test_positions_and_answers_are_the_same_after_a_message():
    positions = Positions(
        ["a", "b"], [SolvedPosition("c", 1, True, 3), SolvedPosition("d", 0, False)]
    )
    assert Positions.decode(positions.encode()) == positions
    for answer in (Answer(FIGURES, ONE), Answer(FIGURES, None)):
        assert Answer.decode(answer.encode()) == answer


@pytest.mark.parametrize(
    "change",
    [
        {"critical": "abc"},
        {"critical": [1]},
        {"solved": None},
        {"solved": [["a", 0, True]]},
        {"solved": [["a", True, True, None]]},
        {"solved": [["a", 0, 1, None]]},
        {"solved": [["a", 0, True, 1.0]]},
        {"solved": [["a", 0, True, True]]},
        {"more": []},
    ],
)
def test_other_positions_are_refused(change):
    head = {"critical": ["a"], "solved": [["a", 0, True, None]]}
    Positions.decode(json.dumps(head).encode())
    with pytest.raises(ValueError):
        Positions.decode(json.dumps(head | change).encode())


@pytest.mark.parametrize(
    "change",
    [
        *({"iterations": value} for value in (-1, 1.0, True, None, "1", 1 << 62)),
        *({"cpu_seconds": value} for value in (-1.0, None, True, 1e300)),
        *({"failure": value} for value in (None, 1)),
        *({"measured": value} for value in (None, [], {"loss": "1"}, {"loss": None})),
        {"more": 1},
    ],
)
def test_other_figures_are_refused(change):
    head, _, data = Answer(FIGURES, ONE).encode().partition(b"\n")
    found = json.loads(head)
    found["figures"] |= change
    with pytest.raises(ValueError):
        Answer.decode(json.dumps(found).encode() + b"\n" + data)


@settings(max_examples=50, deadline=None)
@given(texts=st.lists(st.text(max_size=30) | st.none(), max_size=20), most=st.integers(0, 1500))
def test_a_message_of_limited_texts_is_bounded(texts, most):
    count = limited(texts, most)
    solved = [SolvedPosition(text or "", 1, False, 1 << 20) for text in texts[:count]]
    assert len(json.dumps(solved)) <= most + 2
    assert count == len(texts) or len(json.dumps(texts[: count + 1])) + 42 * (count + 1) > most
    assert MOST_BYTES < 1 << 16
