"""Tuples passed by pointer: compiled code reads and writes the arrays of the tuple's fields."""

from __future__ import annotations

import pickle
from typing import Any, NamedTuple

import numpy as np
import pytest
from numba import typeof

from jaxsolve.jit.host import compiled, inner
from jaxsolve.jit.struct import by_pointer

ROW = np.dtype([("key", "u8"), ("small", "i2"), ("share", "f4")])


@by_pointer
class Inside(NamedTuple):
    """A nested ``by_pointer`` tuple."""

    bits: np.ndarray  # uint8[B]


class Pair(NamedTuple):
    """A plain named tuple, stored among its owner's fields."""

    left: np.ndarray  # int64[L]
    right: np.ndarray  # float32[M, N, K]


@by_pointer
class Held(NamedTuple):
    """Arrays of several kinds."""

    rows: np.ndarray  # ROW[R]
    table: np.ndarray  # uint32[H, W]
    constants: np.ndarray  # int64[C], not to be written
    pair: Pair
    inside: Inside


@inner
def _total(pair):
    total = 0.0
    for at in np.ndindex(pair.right.shape):
        total += pair.right[at]
    return total + pair.left.sum()


@compiled
def read(held, out):
    out[0] = len(held.rows)
    out[1], out[2] = held.table.shape
    out[3] = held.constants[-1]
    out[4] = _total(held.pair)
    out[5] = held.inside.bits[2]
    out[6] = held.rows[1].small
    out[7] = held.rows[1].share


@compiled
def write(held, more):
    for _ in range(more):
        held.rows[0].key += np.uint64(1)
        held.table[-1, -1] += np.uint32(held.rows[0].key)  # reads the word just written
        held.inside.bits[0] ^= 1


def held(rows=3, width=4):
    constants = np.arange(5, dtype=np.int64)
    constants.flags.writeable = False
    table = np.arange(2 * width, dtype=np.uint32).reshape(2, width)
    pair = Pair(np.arange(3, dtype=np.int64), np.ones((2, 3, 4), np.float32))
    made = Held(np.zeros(rows, ROW), table, constants, pair, Inside(np.array([0, 5, 9], np.uint8)))
    made.rows[1] = (7, -3, 0.5)
    return made


@pytest.mark.parametrize(("rows", "width"), [(3, 4), (2, 1), (40, 9)])
def test_compiled_code_reads_the_fields_of_any_shape(rows, width):
    out = np.zeros(8)
    read(held(rows, width), out)
    assert out.tolist() == [rows, 2, width, 4, 27.0, 9, -3, 0.5]
    assert len(read.signatures) == 1  # for all sizes


def test_compiled_code_and_python_see_each_others_writes():
    made = held()
    made.rows[0]["key"] = 10
    write(made, 3)
    assert (
        made.rows[0]["key"] == 13
        and made.table[-1, -1] == 7 + 11 + 12 + 13
        and made.inside.bits[0] == 1
    )
    made.rows[0]["key"] = 0
    write(made, 1)
    assert made.rows[0]["key"] == 1


def test_a_replaced_field_gives_another_block():
    made = held()
    other = made._replace(table=np.zeros((5, 6), np.uint32))
    out = np.zeros(8)
    read(other, out)
    assert out[1:3].tolist() == [5, 6] and isinstance(other, Held)
    read(made, out)
    assert out[1:3].tolist() == [2, 4]


def test_a_copy_has_a_block_of_its_own():
    made, out = held(), np.zeros(8)
    read(made, out)
    copied = pickle.loads(pickle.dumps(made))
    made.inside.bits[2] = 0
    read(copied, out)
    assert out[5] == 9


def test_types_of_the_fields_identify_the_type_of_the_tuple():
    made = held()
    kinds = {
        typeof(made),
        typeof(held(9, 2)),
        typeof(made._replace(table=np.zeros((2, 2), np.int32))),
    }
    assert len(kinds) == 2
    again = pickle.loads(pickle.dumps(typeof(made)))
    assert again == typeof(made) and again.fields == typeof(made).fields


def test_fields_without_arrays_are_refused():
    number: Any = 3
    with pytest.raises(TypeError, match="neither an array nor made of arrays"):
        read(held()._replace(inside=Inside(number)), np.zeros(8))
