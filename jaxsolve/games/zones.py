"""What a game whose wins rest on zones supplies to the search's compiled loops: a few compiled functions and the facts they need.

A *zone* of a position that is decided for P is a set of actions (and with them points) that the result rests on: P also wins from every position that
*covers* it there (``proof/FORMAT.md``: what that means in each game). The functions have one signature,

    f(state, action, zone, out, facts, scratch)

with the packed position uint32[S], int64 action, zones uint32[Z] in and out, ``facts`` int64[...] and ``scratch`` int32[...] of the game's own:

* ``leaf``: of a finished game, ``out`` = its zone; where the game tells of winning moves and cannot detect_win more (``EvaluatesChildren``), also of a
  position whose mover P wins at once, the result the action by which it does;
* ``won``: P moves and wins by ``action``, after which the position has ``zone``; ``out`` = the zone of this position;
* ``lost``: P's opponent moves and loses whatever it does; ``zone`` joins the zones of the refuted moves, ``out`` = the zone of this position;
* ``left``: P's opponent moves, and ``action`` is refuted on ``zone``; ``out`` = the actions that this leaves to be answered, at least;
* ``shown``, only where a position covers another one with the same side to move if it looks the same on the other's zone: ``out`` uint32[K * Z] = K
  planes of points, the first player's stones, the second player's, and what else must be equal. The result is negative for a position that covers no
  other and is covered by none; else FOR_MOVER is set where that is so unless its mover is P, and SECOND_MOVES where the second player is to move.
* ``plan``, only where it is worth something: ``out`` uint32[2 * Z] = moves with which a side would win if the other only passed, as few as it finds,
  and then moves near them; the result twice the number of the first plus the side's player, negative where none were found. ``zone`` is a plan of a
  position nearby, or empty; ``action`` the last move, or ``HINT_ONLY`` (nothing but parts of that plan) or ``SEARCH_ALL``. It orders moves and
  estimates (``search.plans``), and decides nothing.
* ``inside``, only where ``lost`` holds for fewer zones than those that lie in it: P's opponent moves and loses on ``zone``; ``out`` = what the zones
  of the positions after its moves must lie in. A proof may rest on other lines than the search did.

They are called through their addresses, so that one compiled search serves every game.
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
LEAF, WON, LOST, LEFT, SHOWN, PLAN, INSIDE = range(7)
FOR_MOVER, SECOND_MOVES = 1, 2
HINT_ONLY, SEARCH_ALL = -2, -1  # in the place of the last move, for ``plan``

LIKE_BITS = 30
LIKE = 1 << LIKE_BITS
"""A position can be decided because it covers another one that was decided before. In the place of a deciding move its record in the proof log then
has ``LIKE | m`` where its mover wins and ``~(LIKE | m)`` where it loses; ``m`` is the first LIKE_BITS bits of the other one's hash."""


def covers(moves: np.ndarray) -> np.ndarray:
    """bool[n]: which of these words int32[n] in the place of deciding moves say that the position covers another one."""
    return (moves < -1) | (moves >= LIKE)


ZoneFunction = Callable[..., Any]


@by_pointer
class Zoning(NamedTuple):
    """The functions by their addresses, and what they work on."""

    addresses: (
        np.ndarray
    )  # int64[7]: LEAF, WON, LOST, LEFT, SHOWN, PLAN, INSIDE; 0 for one that the game does not have
    facts: np.ndarray  # int64[...]
    scratch: np.ndarray  # int32[...]: holds nothing from one call to the next
    room: np.ndarray  # uint32[6, Z]: for zones that have no place in the tree (rows 0 and 1) and for two plans (``search.plans``)
    planes: np.ndarray  # int64[1]: K, 0 where ``shown`` is not to be asked
    null: np.ndarray  # int64[1]: the action that changes nothing on the board (a pass), in a zone the whole position; -1 where there is none


def zoning(
    functions: Sequence[ZoneFunction | None],
    words: int,
    facts: np.ndarray,
    scratch: int = 1,
    null: int = -1,
    planes: int = 0,
) -> Zoning:
    """A game's zones of ``words`` words. ``functions`` are those above in their order, each ``compiled``; ``scratch`` int32s."""
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
    """For games without zones: never called."""
    return np.int64(0)


def look(zoning: Zoning, state: np.ndarray) -> tuple[int, np.ndarray]:
    """What ``shown`` says of a packed position uint32[S]: (its result, uint32[K, Z])."""
    words, planes = zoning.room.shape[1], int(zoning.planes[0])
    out = np.zeros(planes * words, np.uint32)
    said = _call(zoning, SHOWN, np.ascontiguousarray(state), -1, np.zeros(words, np.uint32), out)
    return int(said), out.reshape(planes, words)


def makes_plans(zoning: Zoning | None) -> bool:
    """Whether a search with these zones has moves planned (``search.plans``)."""
    return zoning is not None and bool(zoning.addresses[PLAN])


def no_zoning() -> Zoning:
    """For games without zones."""
    return zoning((_nothing,) * 4, 0, np.zeros(1))


@compiled
def _call(zoning, which, state, action, zone, out):
    return ask(zoning.addresses[which], state, action, zone, out, zoning.facts, zoning.scratch)


def call(zoning: Zoning, which: int, state: np.ndarray, action: int, zone: int) -> int:
    """One of the functions on a packed position uint32[S], from the host; zones are ints here, action ``a`` being bit ``a``."""
    return answer(zoning, which, state, action, zone)[1]


def answer(
    zoning: Zoning, which: int, state: np.ndarray, action: int, zone: int
) -> tuple[int, int]:
    """As ``call``: (the function's result, the zone that it writes)."""
    words = zoning.room.shape[1]
    mask = (1 << 32 * words) - 1
    out = np.zeros(words, np.uint32)
    result = _call(
        zoning,
        which,
        np.ascontiguousarray(state),
        action,
        np.frombuffer((zone & mask).to_bytes(4 * words, "little"), np.uint32),
        out,
    )
    return int(result), int.from_bytes(out.tobytes(), "little")


@intrinsic
def ask(typing_context, address, state, action, zone, out, facts, scratch):
    """Calls a zone function at its address, from compiled code."""
    result = types.int64(address, state, action, zone, out, facts, scratch)

    def code(context, builder, signature, arguments):
        kinds = [context.get_value_type(kind) for kind in signature.args[1:]]
        function = ir.FunctionType(context.get_value_type(signature.return_type), kinds)
        return builder.call(builder.inttoptr(arguments[0], function.as_pointer()), arguments[1:])

    return result, code
