"""What a game supplies to the search's compiled loops where sequences of forcing moves can be seen from the board: two compiled functions.

    f(state, facts, scratch, moves, out) -> int64

looks at the packed position uint32[S], in which the game goes on and more than one move is legal, with ``facts`` int64[...] and ``scratch``
int64[...] of the game's own. It writes a *line* to ``moves`` int64[2 * LONGEST], players in turn, and returns

* its length, if the side to move wins by it: each of its moves but the last leaves the opponent one legal reply, the next of the line;
* minus its length, if the opponent of the side to move would win by it so, were it to move here;
* 0 if it sees neither.

Where the side to move does not win, ``out`` uint32[3 * M] holds three sets of actions, each M words:

* ZONE: where the opponent threatens, the moves that may change that, at least: every other legal move loses to the same line, played after it;
* LEFT: those of them after which a look at the position does not see the opponent win;
* THREATS: moves by which the side to move would threaten to win so itself; only the order of moves rests on them.

    g(state, facts, scratch, player) -> int64

says how likely ``player`` is to win a position that goes on, as log odds in thousandths; only first numbers rest on it (``search.estimates``).

The answers depend on the position alone: what the search has seen, whoever collects its proof sees again.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np
from llvmlite import ir
from numba import types
from numba.extending import intrinsic

from jaxsolve.compiled import address_of, compiled

_NUMBERS = types.Array(types.int64, 1, "C")
_FACTS = types.Array(types.int64, 1, "C", readonly=True)
_STATE = types.Array(types.uint32, 1, "C", readonly=True)
SIGNATURE = types.int64(_STATE, _FACTS, _NUMBERS, _NUMBERS, types.Array(types.uint32, 1, "C"), types.int64)
CHANCES_SIGNATURE = types.int64(_STATE, _FACTS, _NUMBERS, types.int64)
LONGEST = 1024  # numbers of a tree
ZONE, LEFT, THREATS = range(3)
NOBODY, BOTH = -1, 2


class Sequences(NamedTuple):
    """The functions by their addresses, and what they work on; room for one search."""

    address: np.ndarray  # int64[2]: what looks and what says chances; 0 where the game sees none
    facts: np.ndarray  # int64[...]
    scratch: np.ndarray  # int64[...]: holds nothing from one call to the next
    moves: np.ndarray  # int64[2 * LONGEST]: a line, and room for those of other looks
    out: np.ndarray  # uint32[3 * M]
    row: np.ndarray  # uint32[R]: a row less the moves that lose so, threats among those listed first
    shown: np.ndarray  # uint32[R]: the same memory, read-only as the device's rows are


class Sight(NamedTuple):
    """What one look has seen."""

    wins: bool  # the side to move wins by the line, else its opponent threatens to
    line: list[int]
    zone: int  # bit set over actions: where the opponent threatens, the moves that may change it
    left: int  # those of them after which the opponent is not seen to win


def sequences(looks: Callable[..., Any], chances: Callable[..., Any], facts: np.ndarray, scratch: int, actions: int) -> Sequences:
    """A game's sequences: its two functions; ``scratch`` int64s."""
    facts = np.array(facts, np.int64)
    facts.flags.writeable = False
    address = np.array([address_of(looks, SIGNATURE), address_of(chances, CHANCES_SIGNATURE)], np.int64)
    return _made(address, facts, scratch, -(-actions // 32))


def no_sequences() -> Sequences:
    """For games that see none."""
    facts = np.zeros(1, np.int64)
    facts.flags.writeable = False
    return _made(np.zeros(2, np.int64), facts, 1, 0)


def _made(address: np.ndarray, facts: np.ndarray, scratch: int, words: int) -> Sequences:
    none, numbers = np.zeros(0, np.uint32), np.zeros(scratch, np.int64)
    return with_rows(Sequences(address, facts, numbers, np.zeros(2 * LONGEST, np.int64), np.zeros(3 * words, np.uint32), none, none), 0)


def with_rows(seen: Sequences, width: int) -> Sequences:
    """The same with room for rows of ``width`` words."""
    row = np.zeros(width, np.uint32)
    shown = row[:]
    shown.flags.writeable = False
    return seen._replace(row=row, shown=shown)


@compiled
def _look(seen, state, trees):
    return ask(seen.address[0], state, seen.facts, seen.scratch, seen.moves, seen.out, trees)


def look(seen: Sequences, state: np.ndarray, trees: int = BOTH) -> Sight | None:
    """What there is to see at a packed position uint32[S], from the host; None if nothing."""
    state = np.array(state, np.uint32)
    state.flags.writeable = False
    length = int(_look(seen, state, trees))
    if not length:
        return None
    words = len(seen.out) // 3
    sets = [int.from_bytes(seen.out[words * which : words * (which + 1)].tobytes(), "little") if length < 0 else 0 for which in (ZONE, LEFT)]
    return Sight(length > 0, seen.moves[: abs(length)].tolist(), *sets)


@compiled
def _chances(seen, state, player):
    return ask_chances(seen.address[1], state, seen.facts, seen.scratch, player)


def chances(seen: Sequences, state: np.ndarray, player: int) -> int:
    """Log odds in thousandths that ``player`` wins a packed position uint32[S], from the host."""
    state = np.array(state, np.uint32)
    state.flags.writeable = False
    return int(_chances(seen, state, player))


@intrinsic
def ask(typing_context, address, state, facts, scratch, moves, out, trees):
    """Calls the function at its address, from compiled code."""
    return types.int64(address, state, facts, scratch, moves, out, trees), _call


@intrinsic
def ask_chances(typing_context, address, state, facts, scratch, player):
    """The same for what says chances."""
    return types.int64(address, state, facts, scratch, player), _call


def _call(context, builder, signature, arguments):
    kinds = [context.get_value_type(kind) for kind in signature.args[1:]]
    function = ir.FunctionType(context.get_value_type(signature.return_type), kinds)
    return builder.call(builder.inttoptr(arguments[0], function.as_pointer()), arguments[1:])
