"""Goals of self-play searches: the result, the cost of a proof, or a win within d moves.

A goal defines rewards and values for mctx. It also gives every position in a search tree a number,
its *budget*. ``Goal.begin`` gives the budget of the root. ``Goal.step`` gives the part of it that
is left after a move.

Cost: the goal is log10 of the cost of a proof for one player, the or-player. The or-player
minimises the cost, the other side maximises it. Every move of the other side multiplies the cost by
a number of moves (``moves_to_answer``). The reward of the move is log10 of that number (Wu et al.
2022, "Proof cost networks", Section 3.3), and the budget falls by it. The root's budget is the
network's ``most``, and a reward never exceeds the budget. A finished game that the or-player has
won adds no further cost. If the game ends in any other way, the last reward also contains the rest
of the budget, so the rewards from the root on add up to ``most``. Therefore the other side gains
nothing by delaying its own win.

Within d moves (Shih et al. 2022, "Faster to life", Section on FTL): the player of the network's
``within`` head must win with at most d moves of its own, counted from the root. The root's budget
is d, and each move of the player reduces it by 1. At every root d is the number for which the
predicted win rate is nearest to one half. A winning player therefore prefers a short game, and a
losing player a long game.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, Protocol

import jax
import jax.numpy as jnp

from jaxsolve.games.env import Env, State
from jaxsolve.games.game import Game, HasEyeFilter, HasForcedReply, Outcome
from jaxsolve.games.game import State as GameState
from jaxsolve.networks import Architecture, Cost, Interface, Within
from jaxsolve.networks.forward import Outputs, remaining_cost, win_rates

Branching = Literal["max", "legal", "heuristic"]


class Goal(Protocol):
    """Interface of goals. The leading axis B of all arrays is the batch.

    ``player``, int32[B], is the or-player. Only the goal ``cost`` uses it.
    """

    def begin(self, outputs: Outputs) -> jax.Array:
        """Returns float32[B]: the budget of a root with the network's ``outputs``."""
        ...

    def value(
        self, outputs: Outputs, states: State, player: jax.Array, budget: jax.Array
    ) -> jax.Array:
        """Returns float32[B]: the network's estimate for the side to move.

        The result is unspecified for positions where the game is over.
        """
        ...

    def step(
        self, before: State, after: State, player: jax.Array, budget: jax.Array
    ) -> tuple[jax.Array, jax.Array]:
        """Returns the reward of a move and the remaining budget after it, float32[B] each.

        ``before`` and ``after`` are the states before and after the move. The reward is from the
        mover's point of view. ``budget`` is the budget before the move.
        """
        ...


def goal_of(kind: str, env: Env, shape: Architecture | Interface, branching: Branching) -> Goal:
    """Returns the goal with the name ``kind``: ``value``, ``cost`` or ``within``.

    Raises ValueError for an unknown name, or if the network has no head of that name.
    """
    if kind not in ("value", "cost", "within") or not getattr(shape, kind):
        raise ValueError(f"goal={kind!r}: the network has no such head")
    if kind == "cost":
        assert shape.cost is not None
        return ByCost(env.game, shape.cost, branching)
    if kind == "within":
        assert shape.within is not None
        return ByWithin(env.game, shape.within)
    return ByValue()


@dataclass(frozen=True)
class ByValue:
    """Goal: the result of the game, 1 for a win and -1 for a loss (Silver et al. 2018)."""

    def begin(self, outputs: Outputs) -> jax.Array:
        return jnp.zeros(len(outputs.policy), jnp.float32)

    def value(
        self, outputs: Outputs, states: State, player: jax.Array, budget: jax.Array
    ) -> jax.Array:
        assert outputs.value is not None
        return outputs.value

    def step(
        self, before: State, after: State, player: jax.Array, budget: jax.Array
    ) -> tuple[jax.Array, jax.Array]:
        return jnp.take_along_axis(after.rewards, before.current_player[:, None], axis=1)[
            :, 0
        ], budget


@dataclass(frozen=True)
class ByCost:
    """Goal: the cost of a proof for ``player`` (see the module's docstring).

    The budget is log10 of the remaining cost.
    """

    game: Game
    head: Cost
    branching: Branching

    def begin(self, outputs: Outputs) -> jax.Array:
        return jnp.full(len(outputs.policy), self.head.most, jnp.float32)

    def value(
        self, outputs: Outputs, states: State, player: jax.Array, budget: jax.Array
    ) -> jax.Array:
        assert outputs.cost is not None
        bins = jnp.take_along_axis(outputs.cost, player[:, None, None], axis=1)[:, 0]
        return raises_costs(states, player) * remaining_cost(self.head, bins, budget)

    def step(
        self, before: State, after: State, player: jax.Array, budget: jax.Array
    ) -> tuple[jax.Array, jax.Array]:
        multiplied = jnp.where(
            player_to_move(before) == player,
            0.0,
            jnp.minimum(log_moves(self.game, before, self.branching), budget),
        )
        left = budget - multiplied
        lost = after.terminated & (winner(self.game, after) != player)
        return raises_costs(before, player) * (multiplied + jnp.where(lost, left, 0.0)), left


@dataclass(frozen=True)
class ByWithin:
    """Goal: the head's player wins within d of its own moves.

    The value for that player is 1 if it does, else -1. The budget is the player's remaining number
    of moves.
    """

    game: Game
    head: Within

    def begin(self, outputs: Outputs) -> jax.Array:
        assert outputs.within is not None
        nearest = jnp.argmin(jnp.abs(win_rates(outputs.within) - 0.5), axis=-1)
        return 1.0 + nearest.astype(jnp.float32)

    def value(
        self, outputs: Outputs, states: State, player: jax.Array, budget: jax.Array
    ) -> jax.Array:
        assert outputs.within is not None
        last = jnp.maximum(budget.astype(jnp.int32) - 1, 0)
        rate = jnp.where(
            budget < 1.0,
            0.0,
            jnp.take_along_axis(win_rates(outputs.within), last[:, None], axis=1)[:, 0],
        )
        return self._for_mover(states, 2.0 * rate - 1.0)

    def step(
        self, before: State, after: State, player: jax.Array, budget: jax.Array
    ) -> tuple[jax.Array, jax.Array]:
        left = budget - (player_to_move(before) == self.head.player).astype(jnp.float32)
        soon = (winner(self.game, after) == self.head.player) & (left >= 0.0)
        return jnp.where(
            after.terminated,
            self._for_mover(before, jnp.where(soon, 1.0, -1.0).astype(jnp.float32)),
            0.0,
        ), left

    def _for_mover(self, states: State, value: jax.Array) -> jax.Array:
        return jnp.where(player_to_move(states) == self.head.player, value, -value)


# ---- positions -----------------------------------------------------------------------------------
def player_to_move(states: State) -> jax.Array:
    """Returns int32[B]: the game's player to move, 0 for the first and 1 for the second.

    This is not the agent's number, ``State.current_player``.
    """
    return states._first_agent ^ states.current_player


def winner(game: Game, states: State) -> jax.Array:
    """Returns int32[B]: the player who has won, 0 or 1; -1 if there is no winner."""
    outcome = jax.vmap(game.outcome)(states._game)
    return jnp.where(
        outcome == Outcome.FIRST_WINS, 0, jnp.where(outcome == Outcome.SECOND_WINS, 1, -1)
    )


def raises_costs(states: State, player: jax.Array) -> jax.Array:
    """Returns float32[B]: +1 where the side to move maximises the cost, else -1.

    ``player``, int32[B], minimises the cost; its opponent maximises it.
    """
    return jnp.where(player_to_move(states) == player, -1.0, 1.0).astype(jnp.float32)


def log_moves(game: Game, states: State, branching: Branching) -> jax.Array:
    """Returns float32[B]: log10 of ``moves_to_answer`` for each position."""
    return jax.vmap(
        lambda state: jnp.log10(
            jnp.maximum(moves_to_answer(game, state, branching), 1).astype(jnp.float32)
        )
    )(states._game)


def moves_to_answer(game: Game, state: GameState, branching: Branching) -> jax.Array:
    """Returns int32[]: the number of moves b of one position, for proof costs.

    ``branching="max"`` counts all actions (b_max of Wu et al. 2022, Section 3.2). ``"legal"``
    counts the legal actions. ``"heuristic"`` (b_heur) counts the legal actions that do not fill own
    eyes, and is 1 if the reply is forced.
    """
    if branching == "max":
        return jnp.int32(game.num_actions)
    if branching == "heuristic" and isinstance(game, HasEyeFilter):
        legal = game.legal_outside_eyes(state)
    else:
        legal = game.legal_mask(state)
    count = jnp.sum(legal, dtype=jnp.int32)
    if branching == "heuristic" and isinstance(game, HasForcedReply):
        return jnp.where(game.forced_reply(state) >= 0, 1, count)
    return count
