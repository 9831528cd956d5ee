"""Interface for evaluator rows computed on the host: one compiled callback of a game.

A game can compute the row of a position (``evaluate.layout``) in compiled host code, in addition to
the device. Searches without a network then need no device and no waves, and a position takes
microseconds. The callback must write the same words as ``evaluate.rows.Rows.rules_row`` for rows
without values, priors and zones of detected wins. The rows of a game that ``ShowsKnowledge`` hold
more, and the evaluator always takes them from the callback.

    f(state, action, host_rows) -> int64

    state      uint32[S]   packed position before the move
    action     int64       a legal move, or -1 for the row of the position itself
    host_rows  HostRows    ``row`` receives the row

The result is not used.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np
from numba import typeof, types

from jaxsolve.games.boards.mixing import key_salts
from jaxsolve.jit.address_calls import calls_address
from jaxsolve.jit.host import address_of, compiled, inner
from jaxsolve.jit.struct import by_pointer


@by_pointer
class HostRows(NamedTuple):
    """A game's row callback, by address, and the arrays that it uses."""

    address: np.ndarray  # int64[1]; 0 = the game has no callback
    facts: np.ndarray  # int64[...]: constants of the game
    salts: np.ndarray  # uint32[2, 2, S]: constants of the key (``games.boards.mixing``)
    scratch: np.ndarray  # int32[...]: work space of the game; its content is lost between calls
    row: np.ndarray  # uint32[W]: the row of one position
    row_view: np.ndarray  # uint32[W]: view of ``row``; read-only, like rows from the device


def make_host_rows(
    function: Callable[..., Any],
    tag: str,
    words: int,
    width: int,
    facts: np.ndarray,
    scratch: int,
) -> HostRows:
    """Returns the row interface of a game, with a new work space.

    Args:
      function: the ``compiled`` callback.
      tag: rule-set id from which ``Game.key`` derives its constants.
      words: S, number of words of a packed position.
      width: W, number of words of a row.
      facts: int64[...], constants of the game.
      scratch: number of int32s of the work space.
    """
    salts = np.ascontiguousarray(key_salts(words, tag)[:, :2])
    return _made(address_of(function, _signature()), facts, salts, scratch, width)


def _signature() -> Any:
    state = types.Array(types.uint32, 1, "C")
    return types.int64(state, types.int64, typeof(no_host_rows()))


def no_host_rows() -> HostRows:
    """Returns the interface of a game without the callback."""
    return _made(0, np.zeros(1), np.zeros((2, 2, 1), np.uint32), 1, 1)


def _made(address: int, facts: np.ndarray, salts: np.ndarray, scratch: int, width: int) -> HostRows:
    facts, row = np.array(facts, np.int64), np.zeros(width, np.uint32)
    row_view = row[:]
    facts.flags.writeable = salts.flags.writeable = row_view.flags.writeable = False
    return HostRows(
        np.array([address], np.int64), facts, salts, np.zeros(scratch, np.int32), row, row_view
    )


@inner
def _avalanche(x):
    """Computes ``mixing.avalanche``. The casts undo numba's widening of products to uint64."""
    x = np.uint32((x ^ x >> np.uint32(16)) * np.uint32(0x7FEB352D))
    x = np.uint32((x ^ x >> np.uint32(15)) * np.uint32(0x846CA68B))
    return np.uint32(x ^ x >> np.uint32(16))


@inner
def write_key(state, salts, row, at):
    """Writes the first two words of the key of ``state`` to ``row[at]`` and ``row[at + 1]``.

    The key is that of ``games.boards.mixing.mix``.
    """
    for half in range(2):
        total = np.uint32(0)
        for i in range(salts.shape[2]):
            mixed = _avalanche(np.uint32((state[i] ^ salts[0, half, i]) * salts[1, half, i]))
            total = np.uint32(total + mixed)
        row[at + half] = _avalanche(total)


@calls_address
def _call(address, state, action, host_rows):
    """Calls the row callback at an address from compiled code."""


@inner
def write_row(host_rows, state, action):
    """Writes the row after a legal ``action`` to ``host_rows.row``; -1: the row of ``state``."""
    _call(host_rows.address[0], state, action, host_rows)


@compiled
def write_rows(host_rows, states, actions, rows):
    """Writes the rows of a wave.

    Args:
      host_rows: ``HostRows``.
      states: uint32[B, S], packed positions.
      actions: int32[B], legal moves; -1 for the row of the position itself.
      rows: uint32[B, W]; receives the rows.
    """
    for i in range(len(actions)):
        write_row(host_rows, states[i], np.int64(actions[i]))
        for j in range(rows.shape[1]):
            rows[i, j] = host_rows.row[j]
