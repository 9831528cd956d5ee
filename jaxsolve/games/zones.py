"""Interface for relevance zones: compiled callbacks of a game.

A *relevance zone* (zone) of a position that player P wins is a set of actions; an action stands for
its point. The result of the position depends only on the zone: P also wins every other position
that *covers* this position on the zone (``proof/FORMAT.md`` defines "covers" for each game). P's
opponent is Q.

All callbacks have one signature (``SIGNATURE``):

    f(state, action, zone, out, facts, scratch) -> int64

    state    uint32[S]   packed position
    action   int64
    zone     uint32[Z]   zone, as a bit set
    out      uint32[...] written by the callback
    facts    int64[...]  constants of the game
    scratch  int32[...]  work space of the game; its content is lost between calls

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
| `settled`    | a position without an outcome       | its zone, if it is decided                |

* `leaf`: if the game defines ``EvaluatesChildren`` but not ``DetectsWins``, ``state`` can also be a
  position whose mover P can win at once. The result is then the winning action.
* `pattern` is for games in which equal planes suffice for covering. Position q covers position p if
  both have the same side to move and equal planes on the zone of p. The result is negative for a
  position that covers no other position and is covered by none. Otherwise the result combines two
  flags and a number. FOR_MOVER: the position covers other positions, and is covered, only if P is
  to move. SECOND_MOVES: player 1 is to move. KIND times the *kind* of the position, below KINDS:
  only positions of the same kind cover each other.
* `plan` is optional. A plan is a small set of moves with which a side wins if the opponent only
  passes. The result is 2 * size + player, with the size of the plan and the player (0 or 1) who has
  the plan. It is -2 + player if no plan is found. HINT_ONLY searches only subsets of the given
  plan. Plans order moves and initialise proof numbers (``search.hints.plans``). They do not decide
  positions.
* `inside` is optional. The zone that `lost` writes is large enough for the variations of the
  search. In some games it can be too small for other variations, even if their zones lie in it. A
  proof can contain such variations. Their zones must then lie inside the set that `inside` writes.
  Without `inside` this set is the zone.
* `settled` is optional. It decides positions before the game is over, if a theorem about the board
  gives the winner. The result is the ``Outcome``, or 0. The certificate has a leaf for such a
  position.

The search calls the callbacks by their addresses. So the search is compiled once for all games.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

import numpy as np
from numba import types

from jaxsolve.jit.address_calls import calls_address
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
LEAF, WON, LOST, UNANSWERED, PATTERN, PLAN, INSIDE, SETTLED = range(8)
FOR_MOVER, SECOND_MOVES, KIND = 1, 2, 4
KINDS = 4  # most kinds of positions, numbered from 0
HINT_ONLY, SEARCH_ALL = -2, -1  # values of ``action`` for ``plan``, other than the last move

COVER_HASH_BITS = 30
COVER_FLAG = 1 << COVER_HASH_BITS
"""Flag of a record of a position that is decided because it covers an older decided position.

The move field of such a record in the proof log is ``COVER_FLAG | m`` if the mover wins, and
``~(COVER_FLAG | m)`` if the mover loses. Here ``m`` is the first COVER_HASH_BITS bits of the older
position's hash.
"""


def is_cover(moves: np.ndarray) -> np.ndarray:
    """Returns bool[n]: whether a record refers to a covered position (``COVER_FLAG``).

    ``moves``, int32[n], are the move fields of the records.
    """
    return (moves < -1) | (moves >= COVER_FLAG)


ZoneFunction = Callable[..., Any]


@by_pointer
class Zoning(NamedTuple):
    """A game's zone callbacks, by address, and the arrays that the callbacks use."""

    addresses: np.ndarray  # int64[8], indexed by LEAF ... SETTLED; 0 = the game lacks the callback
    facts: np.ndarray  # int64[...]
    scratch: np.ndarray  # int32[...]
    buffers: np.ndarray  # uint32[6, Z]: work space of the tree search, for zones and plans
    planes: np.ndarray  # int64[1]: K of ``pattern``; 0 = do not call ``pattern``
    # int64[1]: the action number of the pass, or -1. If a zone contains this action, the result
    # depends on the whole position.
    null: np.ndarray


def make_zoning(
    functions: Sequence[ZoneFunction | None],
    words: int,
    facts: np.ndarray,
    scratch: int = 1,
    null: int = -1,
    planes: int = 0,
) -> Zoning:
    """Returns the zone interface of a game.

    Args:
      functions: the ``compiled`` callbacks in the order LEAF ... SETTLED; None for a missing one.
      words: Z, number of words of a zone.
      facts: int64[...], constants of the game.
      scratch: number of int32s of the work space.
      null: action number of the pass, or -1.
      planes: K, number of planes that ``pattern`` writes; 0 without ``pattern``.
    """
    addresses = np.zeros(SETTLED + 1, np.int64)
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
    """Returns the interface of a game without zones."""
    return make_zoning((_nothing,) * 4, 0, np.zeros(1))


def has_plans(zoning: Zoning | None) -> bool:
    """Returns whether the game has a ``plan`` callback."""
    return zoning is not None and bool(zoning.addresses[PLAN])


def planner(zoning: Zoning, state: np.ndarray) -> int:
    """Returns the player whose plans ``plan`` finds in a packed position uint32[S]: 0 or 1."""
    words = zoning.buffers.shape[1]
    out, none = np.zeros(2 * words, np.uint32), np.zeros(words, np.uint32)
    result = _call_on_host(zoning, PLAN, np.ascontiguousarray(state), HINT_ONLY, none, out)
    return int(result) & 1


@calls_address
def call_zone_function(address, state, action, zone, out, facts, scratch):
    """Calls the callback at an address from compiled code."""


@compiled
def _call_on_host(zoning, which, state, action, zone, out):
    return call_zone_function(
        zoning.addresses[which], state, action, zone, out, zoning.facts, zoning.scratch
    )


def pattern_planes(zoning: Zoning, state: np.ndarray) -> tuple[int, np.ndarray]:
    """Calls ``pattern`` for a packed position uint32[S] from Python.

    Returns its result, and the planes uint32[K, Z].
    """
    words, planes = zoning.buffers.shape[1], int(zoning.planes[0])
    out = np.zeros(planes * words, np.uint32)
    none = np.zeros(words, np.uint32)
    result = _call_on_host(zoning, PATTERN, np.ascontiguousarray(state), -1, none, out)
    return int(result), out.reshape(planes, words)


def covers(
    zoning: Zoning, state: np.ndarray, other: np.ndarray, zone: np.ndarray, mover_wins: bool
) -> bool:
    """Returns whether a position covers another one on a zone, both uint32[S].

    Always False if the zone, uint32[Z], stands for the whole position (``Zoning.null``).
    ``mover_wins`` states whether the side to move wins in ``other``.
    """
    null = int(zoning.null[0])
    if null >= 0 and zone[null // 32] >> np.uint32(null % 32) & 1:
        return False
    (flags, planes), (other_flags, other_planes) = (
        pattern_planes(zoning, state),
        pattern_planes(zoning, other),
    )
    if min(flags, other_flags) < 0 or ((flags | other_flags) & FOR_MOVER and not mover_wins):
        return False
    return (flags ^ other_flags) & ~FOR_MOVER == 0 and not ((planes ^ other_planes) & zone).any()


def result_zone(zoning: Zoning, which: int, state: np.ndarray, action: int, zone: int) -> int:
    """Calls a callback from Python, and returns the zone that it writes.

    ``which`` is the callback's number, such as WON; ``state`` is a packed position uint32[S]. The
    zones given and returned are ints in which action ``a`` is bit ``a``.
    """
    return result_and_zone(zoning, which, state, action, zone)[1]


def result_and_zone(
    zoning: Zoning, which: int, state: np.ndarray, action: int, zone: int
) -> tuple[int, int]:
    """Calls a callback like ``result_zone``. Returns the callback's result and the zone."""
    words = zoning.buffers.shape[1]
    mask = (1 << 32 * words) - 1
    given = np.frombuffer((zone & mask).to_bytes(4 * words, "little"), np.uint32)
    out = np.zeros(words, np.uint32)
    result = _call_on_host(zoning, which, np.ascontiguousarray(state), action, given, out)
    return int(result), int.from_bytes(out.tobytes(), "little")


def settled(zoning: Zoning, state: np.ndarray) -> tuple[int, int]:
    """Calls ``settled`` for a position without an outcome. Returns the outcome and the zone.

    The outcome is 0 if the position is not decided, or if the game has no such callback.
    """
    return result_and_zone(zoning, SETTLED, state, -1, 0) if zoning.addresses[SETTLED] else (0, 0)
