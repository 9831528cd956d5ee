"""Interface for relevance zones: compiled callbacks that a game gives the search.

A *relevance zone* (zone) of a position that is decided for player P is a set of actions, and with
them of points, on which the result depends: P also wins every position that *covers* this one on
the zone (``proof/FORMAT.md`` defines "covers" for each game). P's opponent is Q.

All callbacks have one signature (``SIGNATURE``):

    f(state, action, zone, out, facts, scratch) -> int64

    state    uint32[S]   packed position
    action   int64
    zone     uint32[Z]   zone, as a bit set
    out      uint32[...] written by the callback
    facts    int64[...]  constants of the game
    scratch  int32[...]  work space of the game; holds nothing between calls

| callback     | position and arguments              | written to ``out``                        |
| ------------ | ----------------------------------- | ----------------------------------------- |
| `leaf`       | a finished game                     | its zone                                  |
| `won`        | P moves and wins by ``action``,     | the zone of the position                  |
|              | which leads to a position with      |                                           |
|              | ``zone``                            |                                           |
| `lost`       | Q moves and loses by every move;    | the zone of the position                  |
|              | ``zone`` joins the zones of the     |                                           |
|              | refuted moves                       |                                           |
| `unanswered` | Q moves; ``action`` is refuted on   | a superset of the actions that this       |
|              | ``zone``                            | refutation does not refute                |
| `pattern`    | any position                        | uint32[K * Z], K planes of points: stones |
|              |                                     | of player 0, of player 1, then all        |
|              |                                     | planes that must also be equal            |
| `plan`       | ``zone``: a plan of a nearby        | uint32[2 * Z]: a plan, then the moves     |
|              | position, or empty; ``action``: the | near it                                   |
|              | last move, HINT_ONLY or SEARCH_ALL  |                                           |
| `inside`     | Q moves and loses on ``zone``       | a set that contains the zone of every     |
|              |                                     | position after a move of Q                |

* `leaf`: in a game that ``EvaluatesChildren`` but does not ``DetectsWins``, it also serves a
  position whose mover P wins at once; the result is then the winning action.
* `pattern` exists only where a position covers every other one with the same side to move and
  equal planes on that one's zone. The result is negative for a position that covers no other and
  is covered by none. Otherwise it combines FOR_MOVER (the former holds unless P is the mover) and
  SECOND_MOVES (player 1 is to move).
* `plan` is optional. A plan is a set of moves with which a side wins if the opponent only passes;
  the game makes it as small as it can. The result is twice the plan's size plus the side's player,
  or negative where no plan is found. HINT_ONLY searches only parts of the given plan. Plans order
  moves and give heuristic proof numbers (``search.hints.plans``); they decide nothing.
* `inside` exists only where `lost` does not hold for every subset of its zone. A proof can
  contain other variations than the search examined.

The search calls them through their addresses, so one compiled search serves every game.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

import numpy as np
from llvmlite import ir
from numba import types
from numba.extending import intrinsic

from jaxsolve.jit.host import address_of, compiled
from jaxsolve.jit.struct import by_pointer

_WORDS = types.Array(types.uint32, 1, "C", readonly=True)
SIGNATURE = types.int64(
    _WORDS,
    types.int64,
    _WORDS,
    types.Array(types.uint32, 1, "C"),
    types.Array(types.int64, 1, "C", readonly=True),
    types.Array(types.int32, 1, "C"),
)
LEAF, WON, LOST, UNANSWERED, PATTERN, PLAN, INSIDE = range(7)
FOR_MOVER, SECOND_MOVES = 1, 2
HINT_ONLY, SEARCH_ALL = -2, -1  # given to ``plan`` instead of the last move

COVER_HASH_BITS = 30
COVER_FLAG = 1 << COVER_HASH_BITS
"""Marks a record of a position that is decided because it covers an older decided position.

In place of a deciding move, its record in the proof log holds ``COVER_FLAG | m`` if the mover wins
and ``~(COVER_FLAG | m)`` if the mover loses; ``m`` is the first COVER_HASH_BITS bits of the older
position's hash.
"""


def is_cover(moves: np.ndarray) -> np.ndarray:
    """bool[n]: whether each move field int32[n] of a record refers to a covered position."""
    return (moves < -1) | (moves >= COVER_FLAG)


ZoneFunction = Callable[..., Any]


@by_pointer
class Zoning(NamedTuple):
    """A game's zone callbacks, by address, and the arrays that they use."""

    addresses: np.ndarray  # int64[7], indexed by LEAF ... INSIDE; 0 = the game lacks the callback
    facts: np.ndarray  # int64[...]
    scratch: np.ndarray  # int32[...]
    buffers: np.ndarray  # uint32[6, Z]: rows 0, 1: zones outside the tree; 2 to 5: two plans
    planes: np.ndarray  # int64[1]: K; 0 = do not call ``pattern``
    null: np.ndarray  # int64[1]: a pass, which stands for the whole position in a zone; -1 = none


def make_zoning(
    functions: Sequence[ZoneFunction | None],
    words: int,
    facts: np.ndarray,
    scratch: int = 1,
    null: int = -1,
    planes: int = 0,
) -> Zoning:
    """The zone interface of a game.

    Args:
      functions: the ``compiled`` callbacks in the order LEAF ... INSIDE; None for a missing one.
      words: Z.
      facts: int64[...].
      scratch: number of int32s.
      null: action number of the pass, or -1.
      planes: K.
    """
    addresses = np.zeros(INSIDE + 1, np.int64)
    addresses[: len(functions)] = [
        0 if function is None else address_of(function, SIGNATURE) for function in functions
    ]
    facts = np.array(facts, np.int64)
    facts.flags.writeable = False
    return Zoning(
        addresses,
        facts,
        np.zeros(scratch, np.int32),
        np.zeros((6, words), np.uint32),
        np.array([planes], np.int64),
        np.array([null], np.int64),
    )


@compiled
def _nothing(state, action, zone, out, facts, scratch):
    """Placeholder for games without zones; never called."""
    return np.int64(0)


def no_zones() -> Zoning:
    """The interface of a game without zones."""
    return make_zoning((_nothing,) * 4, 0, np.zeros(1))


def has_plans(zoning: Zoning | None) -> bool:
    """Whether the game has a ``plan`` callback."""
    return zoning is not None and bool(zoning.addresses[PLAN])


@compiled
def _call_on_host(zoning, which, state, action, zone, out):
    return call_zone_function(
        zoning.addresses[which], state, action, zone, out, zoning.facts, zoning.scratch
    )


def pattern_planes(zoning: Zoning, state: np.ndarray) -> tuple[int, np.ndarray]:
    """Result and planes uint32[K, Z] of ``pattern`` for a packed position uint32[S]."""
    words, planes = zoning.buffers.shape[1], int(zoning.planes[0])
    out = np.zeros(planes * words, np.uint32)
    none = np.zeros(words, np.uint32)
    result = _call_on_host(zoning, PATTERN, np.ascontiguousarray(state), -1, none, out)
    return int(result), out.reshape(planes, words)


def result_zone(zoning: Zoning, which: int, state: np.ndarray, action: int, zone: int) -> int:
    """The zone that a callback writes for a packed position uint32[S], called from Python.

    Zones are ints here; action ``a`` is bit ``a``.
    """
    return result_and_zone(zoning, which, state, action, zone)[1]


def result_and_zone(
    zoning: Zoning, which: int, state: np.ndarray, action: int, zone: int
) -> tuple[int, int]:
    """As ``result_zone``, with the callback's result first."""
    words = zoning.buffers.shape[1]
    mask = (1 << 32 * words) - 1
    given = np.frombuffer((zone & mask).to_bytes(4 * words, "little"), np.uint32)
    out = np.zeros(words, np.uint32)
    result = _call_on_host(zoning, which, np.ascontiguousarray(state), action, given, out)
    return int(result), int.from_bytes(out.tobytes(), "little")


def _zone_call(typing_context, address, state, action, zone, out, facts, scratch):
    result = types.int64(address, state, action, zone, out, facts, scratch)

    def code(context, builder, signature, arguments):
        kinds = [context.get_value_type(kind) for kind in signature.args[1:]]
        function = ir.FunctionType(context.get_value_type(signature.return_type), kinds)
        return builder.call(builder.inttoptr(arguments[0], function.as_pointer()), arguments[1:])

    return result, code


call_zone_function: Callable[..., Any] = intrinsic(_zone_call)
"""Calls the callback at an address from compiled code: (address, state, ..., scratch)."""
