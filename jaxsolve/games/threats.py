"""What a game supplies to the search's compiled loops where sequences of forcing moves can be seen from the board: two compiled functions.

    f(state, facts, scratch, tree, out, trees) -> int64

looks at the packed position uint32[S], in which the game goes on and more than one move is legal, with ``facts`` int64[...] and ``scratch``
int64[...] of the game's own. ``trees``: the player whose trees are looked for, NOBODY or BOTH. It writes a *tree* to ``tree`` int64[2 * LONGEST] and
returns

* its length, if the side to move wins by it;
* minus its length, if the opponent of the side to move would win by it, were it to move here;
* 0 if it sees neither.

A tree is a *line* or a *branch*. A line's moves, players in turn, each leave the opponent one legal reply, the next of the line, but the last, which
wins. A branch is a move with the replies to it and a tree that answers each of them; any other reply loses to the branch's line, by which its player
would win after that move, were it to move again. They are coded in numbers, branches before what follows them:

    line:    n, its n moves                             (n is odd)
    branch:  0, the move, n, the n moves of its line (none where the rules leave one reply), number of replies, (reply, tree) for each

Where the side to move does not win, ``out`` uint32[3 * M] holds three sets of actions, each M words:

* ZONE: where the opponent threatens, the moves that may change that, at least: every other legal move loses to the same tree, played after it;
* LEFT: those of them after which a look at the position, for nobody's trees, does not see the opponent win;
* THREATS: moves by which the side to move would threaten to win by a line; only the order of moves rests on them.

    g(state, facts, scratch, player) -> int64

says how likely ``player`` is to win a position that goes on, as log odds in thousandths; only first numbers rest on it (``search.estimates``).

The answers depend on the position and on ``trees`` alone: what the search has seen, whoever collects its proof sees again.
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

_NUMBERS = types.Array(types.int64, 1, "C")
_FACTS = types.Array(types.int64, 1, "C", readonly=True)
_STATE = types.Array(types.uint32, 1, "C", readonly=True)
SIGNATURE = types.int64(
    _STATE, _FACTS, _NUMBERS, _NUMBERS, types.Array(types.uint32, 1, "C"), types.int64
)
CHANCES_SIGNATURE = types.int64(_STATE, _FACTS, _NUMBERS, types.int64)
LONGEST = 1024  # numbers of a tree
ZONE, LEFT, THREATS = range(3)
NOBODY, BOTH = -1, 2  # in the place of a player


@by_pointer
class ThreatSearch(NamedTuple):
    """The functions by their addresses, and what they work on; room for one search."""

    address: np.ndarray  # int64[2]: what looks and what says chances; 0 where the game sees none
    facts: np.ndarray  # int64[...]
    scratch: np.ndarray  # int64[...]: holds nothing from one call to the next
    tree: np.ndarray  # int64[2 * LONGEST]: a tree, and room for those of other looks
    out: np.ndarray  # uint32[3 * M]
    row: (
        np.ndarray
    )  # uint32[R]: a row less the moves that lose so, threats among those listed first
    shown: np.ndarray  # uint32[R]: the same memory, read-only as the device's rows are


class Branch(NamedTuple):
    """A tree that is no line."""

    move: int
    line: list[int]  # that it threatens; empty where the rules leave one reply
    answers: list[tuple[int, Tree]]  # each reply, and what answers it


Tree = list[int] | Branch


class ThreatFound(NamedTuple):
    """What one look has seen."""

    wins: bool  # the side to move wins by the tree, else its opponent threatens to
    tree: Tree
    zone: int  # bit set over actions: where the opponent threatens, the moves that may change it
    left: int  # those of them after which the opponent is not seen to win


def decoded(code: Sequence[int]) -> Tree:
    """The tree of a code."""
    return _decoded(code, 0)[0]


def _decoded(code: Sequence[int], at: int) -> tuple[Tree, int]:
    """A tree that begins there, and where its code ends."""
    length = code[at]
    if length:
        return list(code[at + 1 : at + 1 + length]), at + 1 + length
    move, length = code[at + 1], code[at + 2]
    count, end, answers = code[at + 3 + length], at + 4 + length, []
    for _ in range(count):
        reply = code[end]
        answer, end = _decoded(code, end + 1)
        answers.append((reply, answer))
    return Branch(move, list(code[at + 3 : at + 3 + length]), answers), end


def coded(tree: Tree) -> list[int]:
    """The code of a tree."""
    if not isinstance(tree, Branch):
        return [len(tree), *tree]
    code = [0, tree.move, len(tree.line), *tree.line, len(tree.answers)]
    for reply, answer in tree.answers:
        code += [reply, *coded(answer)]
    return code


def threat_search(
    looks: Callable[..., Any],
    chances: Callable[..., Any],
    facts: np.ndarray,
    scratch: int,
    actions: int,
) -> ThreatSearch:
    """A game's sequences: its two functions; ``scratch`` int64s."""
    facts = np.array(facts, np.int64)
    facts.flags.writeable = False
    address = np.array(
        [address_of(looks, SIGNATURE), address_of(chances, CHANCES_SIGNATURE)], np.int64
    )
    return _made(address, facts, scratch, -(-actions // 32))


def no_threat_search() -> ThreatSearch:
    """For games that see none."""
    facts = np.zeros(1, np.int64)
    facts.flags.writeable = False
    return _made(np.zeros(2, np.int64), facts, 1, 0)


def _made(address: np.ndarray, facts: np.ndarray, scratch: int, words: int) -> ThreatSearch:
    none, numbers = np.zeros(0, np.uint32), np.zeros(scratch, np.int64)
    return with_rows(
        ThreatSearch(
            address,
            facts,
            numbers,
            np.zeros(2 * LONGEST, np.int64),
            np.zeros(3 * words, np.uint32),
            none,
            none,
        ),
        0,
    )


def with_rows(seen: ThreatSearch, width: int) -> ThreatSearch:
    """The same with room for rows of ``width`` words."""
    row = np.zeros(width, np.uint32)
    shown = row[:]
    shown.flags.writeable = False
    return seen._replace(row=row, shown=shown)


@compiled
def _look(seen, state, trees):
    return ask(seen.address[0], state, seen.facts, seen.scratch, seen.tree, seen.out, trees)


def look(seen: ThreatSearch, state: np.ndarray, trees: int = BOTH) -> ThreatFound | None:
    """What there is to see at a packed position uint32[S], from the host, with the ``trees`` of a player, of NOBODY or BOTH; None if nothing."""
    state = np.array(state, np.uint32)
    state.flags.writeable = False
    length = int(_look(seen, state, trees))
    if not length:
        return None
    words = len(seen.out) // 3
    sets = [
        int.from_bytes(seen.out[words * which : words * (which + 1)].tobytes(), "little")
        if length < 0
        else 0
        for which in (ZONE, LEFT)
    ]
    return ThreatFound(length > 0, decoded(seen.tree[: abs(length)].tolist()), *sets)


@compiled
def _chances(seen, state, player):
    return ask_chances(seen.address[1], state, seen.facts, seen.scratch, player)


def chances(seen: ThreatSearch, state: np.ndarray, player: int) -> int:
    """Log odds in thousandths that ``player`` wins a packed position uint32[S], from the host."""
    state = np.array(state, np.uint32)
    state.flags.writeable = False
    return int(_chances(seen, state, player))


@intrinsic
def ask(typing_context, address, state, facts, scratch, tree, out, trees):
    """Calls the function at its address, from compiled code."""
    return types.int64(address, state, facts, scratch, tree, out, trees), _call


@intrinsic
def ask_chances(typing_context, address, state, facts, scratch, player):
    """The same for what says chances."""
    return types.int64(address, state, facts, scratch, player), _call


def _call(context, builder, signature, arguments):
    kinds = [context.get_value_type(kind) for kind in signature.args[1:]]
    function = ir.FunctionType(context.get_value_type(signature.return_type), kinds)
    return builder.call(builder.inttoptr(arguments[0], function.as_pointer()), arguments[1:])
