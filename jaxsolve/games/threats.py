"""Interface for threat searches: two compiled callbacks that a game gives the search.

VCF (victory by continuous fours) and VCT (victory by continuous threats) are wins by a sequence of
moves, each of which forces the reply. A game with such wins finds them in a position by itself.

    search(state, facts, scratch, tree, out, trees) -> int64

    state    uint32[S]            packed position: not over, more than one legal move
    facts    int64[...]           constants of the game
    scratch  int64[...]           work space of the game; holds nothing between calls
    tree     int64[2 * CAPACITY]  the threat tree found (CAPACITY = TREE_CAPACITY)
    out      uint32[3 * M]        three sets of actions of M words each
    trees    int64                the player for whom branches are searched, NOBODY or BOTH

The result is

* the length of ``tree``, if the side to move wins by it;
* minus its length, if the opponent of the side to move would win by it if it were to move;
* 0, if nothing is found.

A *threat tree* is a line or a branch. In a *line* the players alternate; each move but the last
leaves one legal reply, the next move of the line; the last move wins. A *branch* is a move, its
relevant replies, and a threat tree against each of them. Every other reply loses to the branch's
line: the one by which its player wins if allowed to move again. Encoding, branches first:

    line:    n, its n moves                             (n is odd)
    branch:  0, move, n, the line's n moves (n = 0 where the rules leave one reply),
             number of replies, then (reply, tree) for each

Where the side to move does not win, ``out`` holds

* ZONE: where the opponent threatens, a superset of the moves that can change that: after every
  other legal move, the opponent wins by the same tree;
* UNREFUTED: the moves of ZONE after which a search with NOBODY finds no win of the opponent;
* THREATS: moves that threaten to win by a line; they only order moves.

    log_odds(state, facts, scratch, player) -> int64

estimates how likely ``player`` is to win: log odds in thousandths. It only gives heuristic proof
numbers (``search.hints.odds``).

Both depend on their arguments alone, so that the collection of a proof finds the same trees again.
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
ODDS_SIGNATURE = types.int64(_STATE, _FACTS, _NUMBERS, types.int64)
TREE_CAPACITY = 1024  # numbers of an encoded tree
ZONE, UNREFUTED, THREATS = range(3)
NOBODY, BOTH = -1, 2  # in place of a player


@by_pointer
class ThreatSearch(NamedTuple):
    """A game's threat callbacks, by address, and the arrays of one search."""

    addresses: np.ndarray  # int64[2]: threat search, log odds; 0 = the game lacks it
    facts: np.ndarray  # int64[...]
    scratch: np.ndarray  # int64[...]
    tree: np.ndarray  # int64[2 * TREE_CAPACITY]: the tree found, and space for intermediate trees
    out: np.ndarray  # uint32[3 * M]
    row: np.ndarray  # uint32[R]: a move row without refuted moves, threats listed first
    row_view: np.ndarray  # uint32[R]: the same memory, read-only as the device's rows are


class Branch(NamedTuple):
    """A threat tree that is not a line."""

    move: int
    line: list[int]  # the threatened line; empty where the rules leave one reply
    answers: list[tuple[int, ThreatTree]]  # (reply, tree against it)


ThreatTree = list[int] | Branch


class ThreatFound(NamedTuple):
    """Result of one threat search."""

    wins: bool  # True: the side to move wins by the tree; False: its opponent threatens to
    tree: ThreatTree
    zone: int  # bit set over actions: where the opponent threatens, moves that can change that
    unrefuted: int  # those of ``zone`` after which no win of the opponent is found


def decode_tree(code: Sequence[int]) -> ThreatTree:
    """The threat tree of an encoding."""
    return _decoded(code, 0)[0]


def _decoded(code: Sequence[int], at: int) -> tuple[ThreatTree, int]:
    """The tree whose encoding begins at ``at``, and the index after its end."""
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


def encode_tree(tree: ThreatTree) -> list[int]:
    """The encoding of a threat tree."""
    if not isinstance(tree, Branch):
        return [len(tree), *tree]
    code = [0, tree.move, len(tree.line), *tree.line, len(tree.answers)]
    for reply, answer in tree.answers:
        code += [reply, *encode_tree(answer)]
    return code


def make_threat_search(
    search: Callable[..., Any],
    odds: Callable[..., Any],
    facts: np.ndarray,
    scratch: int,
    actions: int,
) -> ThreatSearch:
    """The threat search of a game from its two ``compiled`` callbacks.

    ``scratch`` is a number of int64s, ``actions`` the number of actions.
    """
    facts = np.array(facts, np.int64)
    facts.flags.writeable = False
    addresses = [address_of(search, SIGNATURE), address_of(odds, ODDS_SIGNATURE)]
    return _made(np.array(addresses, np.int64), facts, scratch, -(-actions // 32))


def no_threat_search() -> ThreatSearch:
    """For games without a threat search."""
    facts = np.zeros(1, np.int64)
    facts.flags.writeable = False
    return _made(np.zeros(2, np.int64), facts, 1, 0)


def _made(addresses: np.ndarray, facts: np.ndarray, scratch: int, words: int) -> ThreatSearch:
    no_row = np.zeros(0, np.uint32)
    made = ThreatSearch(
        addresses,
        facts,
        np.zeros(scratch, np.int64),
        np.zeros(2 * TREE_CAPACITY, np.int64),
        np.zeros(3 * words, np.uint32),
        no_row,
        no_row,
    )
    return with_row_buffer(made, 0)


def with_row_buffer(threat_search: ThreatSearch, width: int) -> ThreatSearch:
    """The same with a buffer for move rows of ``width`` words."""
    row = np.zeros(width, np.uint32)
    row_view = row[:]
    row_view.flags.writeable = False
    return threat_search._replace(row=row, row_view=row_view)


@compiled
def _search_on_host(threat_search, state, trees):
    return call_threat_search(
        threat_search.addresses[0],
        state,
        threat_search.facts,
        threat_search.scratch,
        threat_search.tree,
        threat_search.out,
        trees,
    )


def search_threats(
    threat_search: ThreatSearch, state: np.ndarray, trees: int = BOTH
) -> ThreatFound | None:
    """Threat search of a packed position uint32[S], called from Python; None if nothing is found.

    ``trees``: the player for whom branches are searched, NOBODY or BOTH.
    """
    state = np.array(state, np.uint32)
    state.flags.writeable = False
    length = int(_search_on_host(threat_search, state, trees))
    if not length:
        return None
    out, words = threat_search.out, len(threat_search.out) // 3
    sets = [
        int.from_bytes(out[words * which : words * (which + 1)].tobytes(), "little")
        if length < 0
        else 0
        for which in (ZONE, UNREFUTED)
    ]
    tree = decode_tree(threat_search.tree[: abs(length)].tolist())
    return ThreatFound(length > 0, tree, *sets)


@compiled
def _log_odds_on_host(threat_search, state, player):
    return call_log_odds(
        threat_search.addresses[1], state, threat_search.facts, threat_search.scratch, player
    )


def log_odds(threat_search: ThreatSearch, state: np.ndarray, player: int) -> int:
    """Log odds, in thousandths, that ``player`` wins a packed position uint32[S]."""
    state = np.array(state, np.uint32)
    state.flags.writeable = False
    return int(_log_odds_on_host(threat_search, state, player))


def _search_call(typing_context, address, state, facts, scratch, tree, out, trees):
    return types.int64(address, state, facts, scratch, tree, out, trees), _call


def _log_odds_call(typing_context, address, state, facts, scratch, player):
    return types.int64(address, state, facts, scratch, player), _call


def _call(context, builder, signature, arguments):
    kinds = [context.get_value_type(kind) for kind in signature.args[1:]]
    function = ir.FunctionType(context.get_value_type(signature.return_type), kinds)
    return builder.call(builder.inttoptr(arguments[0], function.as_pointer()), arguments[1:])


call_threat_search: Callable[..., Any] = intrinsic(_search_call)
"""Calls the threat search at an address from compiled code: (address, state, ..., trees)."""

call_log_odds: Callable[..., Any] = intrinsic(_log_odds_call)
"""Calls the log odds at an address from compiled code: (address, state, ..., player)."""
