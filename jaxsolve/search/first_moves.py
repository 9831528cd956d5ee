"""The legal moves of a position, the positions after them, and moves that symmetries exchange."""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any, NamedTuple

import jax
import jax.numpy as jnp
import numpy as np

from jaxsolve.games.game import Game, Outcome, State
from jaxsolve.jit import device


class FirstMove(NamedTuple):
    """A legal move of a position."""

    action: int
    text: str
    state: State  # the position after the move, as host arrays
    same_as: int  # least action that a symmetry of the position maps this move to, or ``action``


def first_moves(game: Game, state: State) -> list[FirstMove]:
    """Returns all legal moves of a position, by the rules, in the order of their actions.

    A symmetry of the game that leaves the position unchanged maps each move to a move of equal
    value.

    Raises ValueError if the game is over.
    """
    packed = game.host_pack(state)
    legal, outcome, after, images = (np.asarray(each) for each in _compiled(game)(packed))
    actions = np.flatnonzero(legal)
    if int(outcome) != Outcome.ONGOING or not len(actions):
        raise ValueError(f"the game is over{_ended(game, int(outcome))}: it has no first moves")
    symmetries = game.symmetry_actions()[(images == packed).all(axis=1)]
    found = []
    for action, words in zip(actions.tolist(), after[actions], strict=True):
        child = jax.tree.map(lambda leaf: leaf[0], game.host_unpack(words[None]))
        same_as = int(symmetries[:, action].min())
        found.append(FirstMove(action, game.action_text(action, state), child, same_as))
    return found


def _ended(game: Game, outcome: int) -> str:
    if outcome in (Outcome.FIRST_WINS, Outcome.SECOND_WINS):
        return f" ({game.players[outcome - Outcome.FIRST_WINS]} has won)"
    return " (drawn)" if outcome == Outcome.DRAW else ""


@functools.lru_cache(maxsize=8)
def _compiled(game: Game) -> Callable[[np.ndarray], Any]:
    """Compiles the rules of one position, uint32[S].

    The results are legal actions bool[A], the outcome int32[], the packed positions after all
    actions uint32[A, S], and the packed symmetric images uint32[G, S].
    """

    def moves(words: jax.Array) -> tuple[jax.Array, ...]:
        state = game.unpack(words)
        after = jax.vmap(lambda action: game.pack(game.step(state, action)))
        image = jax.vmap(lambda symmetry: game.pack(game.transform(state, symmetry)))
        return (
            game.legal_mask(state),
            game.outcome(state),
            after(jnp.arange(game.num_actions, dtype=jnp.int32)),
            image(jnp.arange(game.num_symmetries, dtype=jnp.int32)),
        )

    if not device.is_cacheable(game):
        return jax.jit(moves)
    words = np.zeros(game.state_words, np.uint32)
    name = repr(("first moves", type(game), game.rule_set, game))
    return device.executable(moves, (words,), name, (0, 0, 0, 0))
