"""Interface for threat searches: two compiled callbacks of a game.

VCF (victory by continuous fours) and VCT (victory by continuous threats) are wins by a sequence of
forcing moves: each move forces the reply. A game with such wins provides two callbacks. The first
one searches for these wins:

    search(state, facts, scratch, tree, out, trees) -> int64

    state    uint32[S]            packed position: not over, more than one legal move
    facts    int64[...]           constants of the game
    scratch  int64[...]           work space of the game; its content is lost between calls
    tree     int64[2 * CAPACITY]  the threat tree found (CAPACITY = TREE_CAPACITY)
    out      uint32[3 * M]        three sets of actions of M words each
    trees    int64                the player (0, 1, NOBODY or BOTH) for whom branches are searched

The result is

* the length of ``tree``, if the side to move wins by this tree;
* minus the length of ``tree``, if the opponent threatens this tree: the opponent would win by it
  after a pass;
* 0, if nothing is found.

A *threat tree* is a line or a branch. A *line* is a sequence of moves in which the players
alternate. Every move of the player who wins, except the last one, leaves one legal reply: the next
move of the line. The last move wins. A *branch* is a move, its relevant replies, and a threat tree
against each of these replies. A branch also has a line. The player of the branch wins by this line
after every other reply. The encoding:

    line:    n, the n moves of the line                 (n is odd)
    branch:  0, move, n, the line's n moves (n = 0 if the rules leave one reply),
             number of replies, then (reply, tree) for each reply

If the side to move does not win, ``out`` contains

* ZONE: if the opponent threatens, a superset of the moves that can stop the threat. After every
  other legal move the opponent wins by the same tree;
* UNREFUTED: the moves of ZONE after which a search with ``trees`` = NOBODY finds no win of the
  opponent;
* THREATS: moves that threaten to win by a line. They are used only to order moves.

The second callback estimates the log odds, in thousandths, that ``player`` wins:

    log_odds(state, facts, scratch, player) -> int64

The odds are used only to initialise proof numbers (``search.hints.odds``).

The results of both callbacks depend only on their arguments. Therefore the same trees are found
again when a proof is collected.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

import numpy as np
from numba import types

from jaxsolve.jit.address_calls import calls_address
from jaxsolve.jit.host import address_of, compiled
from jaxsolve.jit.struct import by_pointer

_NUMBERS = types.Array(types.int64, 1, "C")
_FACTS = types.Array(types.int64, 1, "C", readonly=True)
_STATE = types.Array(types.uint32, 1, "C", readonly=True)
SIGNATURE = types.int64(
    _STATE, _FACTS, _NUMBERS, _NUMBERS, types.Array(types.uint32, 1, "C"), types.int64
)
ODDS_SIGNATURE = types.int64(_STATE, _FACTS, _NUMBERS, types.int64)
TREE_CAPACITY = 1024  # most numbers in an encoded tree
ZONE, UNREFUTED, THREATS = range(3)
NOBODY, BOTH = -1, 2  # values of ``trees`` other than a player


@by_pointer
class ThreatSearch(NamedTuple):
    """A game's threat callbacks, by address, and the arrays of one search."""

    addresses: np.ndarray  # int64[2]: threat search, log odds; 0 = the game lacks it
    facts: np.ndarray  # int64[...]
    scratch: np.ndarray  # int64[...]
    tree: np.ndarray  # int64[2 * TREE_CAPACITY]: the tree found, and space for intermediate trees
    out: np.ndarray  # uint32[3 * M]
    # uint32[R]: a position's row (``evaluate.layout``), without refuted moves, threats first
    row: np.ndarray
    row_view: np.ndarray  # uint32[R]: view of ``row``; read-only, like rows from the device


class Branch(NamedTuple):
    """A threat tree that is not a line (see the module's docstring)."""

    move: int
    line: list[int]  # the line that the move threatens; empty if the rules leave one reply
    answers: list[tuple[int, ThreatTree]]  # (reply, tree against it)


ThreatTree = list[int] | Branch


class ThreatFound(NamedTuple):
    """Result of one threat search."""

    wins: bool  # True: the side to move wins by the tree; False: the opponent threatens the tree
    tree: ThreatTree
    zone: int  # bit set over actions: ZONE, the moves that can stop a threat of the opponent
    unrefuted: int  # UNREFUTED, the moves of ``zone`` after which no win of the opponent is found


def decode_tree(code: Sequence[int]) -> ThreatTree:
    """Returns the threat tree of an encoding."""
    return _decoded(code, 0)[0]


def _decoded(code: Sequence[int], at: int) -> tuple[ThreatTree, int]:
    """Returns the tree whose encoding begins at index ``at``, and the index after its end."""
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
    """Returns the encoding of a threat tree."""
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
    """Returns the threat search of a game.

    Args:
      search: the ``compiled`` callback that searches threats.
      odds: the ``compiled`` callback that estimates log odds.
      facts: int64[...], constants of the game.
      scratch: number of int64s of the work space.
      actions: number of actions.
    """
    facts = np.array(facts, np.int64)
    facts.flags.writeable = False
    addresses = [address_of(search, SIGNATURE), address_of(odds, ODDS_SIGNATURE)]
    return _made(np.array(addresses, np.int64), facts, scratch, -(-actions // 32))


def no_threat_search() -> ThreatSearch:
    """Returns the ``ThreatSearch`` of games without a threat search."""
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
    """Returns ``threat_search`` with new arrays ``row`` and ``row_view`` of ``width`` words."""
    row = np.zeros(width, np.uint32)
    row_view = row[:]
    row_view.flags.writeable = False
    return threat_search._replace(row=row, row_view=row_view)


@calls_address
def call_threat_search(address, state, facts, scratch, tree, out, trees):
    """Calls the threat search at an address from compiled code."""


@calls_address
def call_log_odds(address, state, facts, scratch, player):
    """Calls the log odds at an address from compiled code."""


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
    """Runs the threat search of a packed position uint32[S] from Python.

    Returns None if nothing is found. ``trees`` is the player for whom branches are searched, NOBODY
    or BOTH.
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
    """Returns the log odds, in thousandths, that ``player`` wins a packed position uint32[S]."""
    state = np.array(state, np.uint32)
    state.flags.writeable = False
    return int(_log_odds_on_host(threat_search, state, player))
