"""Tree search of self-play: mctx on a game, guided by a network and a goal (``train.goals``)."""

from __future__ import annotations

import functools
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Literal, NamedTuple, TypeAlias

import jax
import jax.numpy as jnp
import mctx

from jaxsolve.games.env import Env, State
from jaxsolve.networks import Forward, Model
from jaxsolve.train.goals import Branching, Goal, goal_of, log_moves, player_to_move, raises_costs

# Type checkers do not know the fields and methods of chex's dataclasses.
PolicyOutput: TypeAlias = Any  # mctx.PolicyOutput
RootOutput: TypeAlias = Any  # mctx.RootFnOutput
_root_output: Callable[..., RootOutput] = mctx.RootFnOutput
_recurrent_output: Callable[..., mctx.RecurrentFnOutput] = mctx.RecurrentFnOutput


def _promoting(search: Callable[..., PolicyOutput]) -> Callable[..., PolicyOutput]:
    """Wraps a search of mctx so that it also works with jax_numpy_dtype_promotion=strict.

    mctx itself needs standard promotion. The user's ``step`` still runs with the user's setting.
    """

    def searched(
        params: Any,
        key: jax.Array,
        root: RootOutput,
        step: Callable[..., Any],
        *rest: Any,
        **more: Any,
    ) -> PolicyOutput:
        mode: Any = getattr(jax.config, "jax_numpy_dtype_promotion")  # noqa: B009

        def own_step(*arguments: Any) -> Any:
            with jax.numpy_dtype_promotion(mode):
                return step(*arguments)

        with jax.numpy_dtype_promotion("standard"):
            return search(params, key, root, own_step, *rest, **more)

    return searched


gumbel_policy = _promoting(mctx.gumbel_muzero_policy)
_muzero_policy = _promoting(mctx.muzero_policy)


# Least spread of values when they are rescaled. Smaller differences are rounding errors, and must
# not be magnified.
LEAST_SPREAD = 1e-4
CONCENTRATIONS, TEMPERATURES = (1e-4, 1e4), (1e-3, 1e3)  # outside these ranges float32 gives NaN
MAX_SCALE = 1e6  # largest weight of values against priors; far larger weights overflow float32


class Node(NamedTuple):
    """The embedding of mctx's tree for a batch of B positions. Observations are not stored."""

    state: State
    player: jax.Array  # int32[B]: the or-player (``train.goals``)
    budget: jax.Array  # float32[B]: budget of the goal (``train.goals``)


@dataclass(frozen=True, kw_only=True)
class TreeSearch:
    """A tree search and its settings. Equal objects share compiled code.

    Args:
      env: the game.
      forward: the network's function: ``Forward``, or a user-defined ``Model``.
      goal: the goal of the search: ``value``, ``cost`` or ``within`` (``train.goals``). The network
        needs a head of that name.
      branching: the count of the other side's moves in costs: ``max``, ``legal`` or ``heuristic``
        (``goals.moves_to_answer``).
      simulations: number of simulations for one move.
      policy: ``gumbel`` (Danihelka et al. 2022) or ``puct`` (AlphaZero).
      considered: number of actions that a Gumbel search samples at its root
        (``max_num_considered_actions`` of mctx).
      value_scale: weight of values against priors in a Gumbel search (c_scale of Danihelka et al.).
      stretched: whether the values of a node's moves are first rescaled so that the extremes become
        0 and 1, as in mctx by default. Values then decide even between moves that hardly differ. If
        False (``value`` and ``within`` only), values are mapped linearly from [-1, 1] to [0, 1], as
        in the paper.
      noise: share and concentration of the Dirichlet noise at the root of a PUCT search.
      temperature: a PUCT search draws its move with probability proportional to visits ^ (1 /
        temperature).

    Raises ValueError for a setting out of range, or for a goal whose head the network lacks.
    """

    env: Env
    forward: Forward | Model
    goal: Literal["value", "cost", "within"] = "value"
    branching: Branching = "heuristic"
    simulations: int = 32
    policy: Literal["gumbel", "puct"] = "gumbel"
    considered: int = 16
    value_scale: float = 1.0
    stretched: bool = True
    noise: tuple[float, float] = (0.25, 0.2)
    temperature: float = 1.0

    def __post_init__(self) -> None:
        self.forward.architecture.check(self.env.game)
        self.aim  # noqa: B018  raises for a goal without a head
        if self.branching not in ("max", "legal", "heuristic"):
            raise ValueError(
                f"branching={self.branching!r}: it may be 'max', 'legal' or 'heuristic'"
            )
        if self.policy not in ("gumbel", "puct"):
            raise ValueError(f"policy={self.policy!r}: it may be 'gumbel' or 'puct'")
        if self.simulations < 1 or self.considered < 1:
            raise ValueError(
                f"simulations={self.simulations}, considered={self.considered}: give at least "
                "one of each"
            )
        share, concentration = self.noise
        least, most = CONCENTRATIONS
        if not (0.0 <= share <= 1.0 and least <= concentration <= most):
            raise ValueError(
                f"noise={self.noise}: give a share from 0 to 1 and a concentration from {least:g} "
                f"to {most:g}"
            )
        least, most = TEMPERATURES
        if not (self.temperature == 0.0 or least <= self.temperature <= most):
            raise ValueError(
                f"temperature={self.temperature}: give 0, or a number from {least:g} to {most:g}"
            )
        if not self.stretched and self.goal == "cost":
            raise ValueError(
                "stretched=False: costs have no scale of their own; give goal=value or goal=within"
            )
        if not 0.0 < self.value_scale <= MAX_SCALE:
            raise ValueError(
                f"value_scale={self.value_scale}: give a number above 0, at most {MAX_SCALE:g}"
            )

    @property
    def aim(self) -> Goal:
        """The goal as an object (``goals.Goal``)."""
        return goal_of(self.goal, self.env, self.forward.architecture, self.branching)

    def __call__(
        self,
        params: Any,
        keys: jax.Array,
        states: State,
        player: jax.Array,
        gumbel_scale: float = 1.0,
    ) -> PolicyOutput:
        """Searches a move for each game of a batch.

        Returns mctx's output, with ``action`` int32[B] and ``action_weights`` float32[B, A].

        Args:
          params: the network's parameters.
          keys: random keys, one for each game, so that games do not influence each other.
          states: the states of the B games.
          player: int32[B], the or-player of each game (``train.goals``).
          gumbel_scale: scale of the Gumbel noise of a Gumbel search; 0 for none.
        """
        search = jax.vmap(
            lambda key, state, player: self._single(params, key, state, player, gumbel_scale)
        )
        return jax.tree.map(lambda x: x[:, 0], search(keys, *_alone((states, player))))

    def observe(self, states: State) -> jax.Array:
        """Returns bool[B, H, W, C]: the network's input for a batch of games."""
        game, planes = self.env.game, self.forward.architecture.view.planes(self.env.game)
        if planes is None:
            return jax.vmap(game.observe)(states._game)
        assert states._history is not None
        boards = states._history[:, : planes.boards]
        return jax.vmap(lambda state, history: planes(game, state, history))(states._game, boards)

    def log_moves(self, states: State) -> jax.Array:
        """Returns float32[B]: log10 of the number of moves of the side to move.

        Proof costs are multiplied by this number; see ``goals.moves_to_answer``.
        """
        return log_moves(self.env.game, states, self.branching)

    # ---- inside ----------------------------------------------------------------------------------
    def _single(
        self, params: Any, key: jax.Array, states: State, player: jax.Array, gumbel_scale: float
    ) -> PolicyOutput:
        """Searches a batch of one game."""
        outputs = self.forward.outputs(params, self.observe(states))
        node = Node(states.replace(observation=None), player, self.aim.begin(outputs))
        root = _root_output(
            prior_logits=_logits(outputs.policy, states),
            value=self.aim.value(outputs, *node),
            embedding=node,
        )
        if self.policy == "gumbel":
            return self.policy_of(
                params, key, root, self._step, ~states.legal_action_mask, gumbel_scale
            )
        noising, searching, drawing = jax.random.split(key, 3)
        root = root.replace(
            prior_logits=_with_noise(
                noising, root.prior_logits, states.legal_action_mask, *self.noise
            )
        )
        found = self.policy_of(params, searching, root, self._step, ~states.legal_action_mask)
        return found.replace(action=_drawn(drawing, found.action_weights, self.temperature))

    def policy_of(
        self,
        params: Any,
        key: jax.Array,
        root: RootOutput,
        step: Callable[..., Any],
        invalid: jax.Array,
        gumbel_scale: float = 1.0,
    ) -> PolicyOutput:
        """Runs mctx's search from a root with these settings, without root noise and temperature.

        Args:
          params: passed to ``step``.
          key: random key.
          root: mctx's root of B positions.
          step: mctx's recurrent function.
          invalid: bool[B, A], the root's illegal actions.
          gumbel_scale: scale of the Gumbel noise of a Gumbel search; 0 for none.
        """
        if self.policy == "gumbel":
            scale = self.value_scale if self.stretched else self.value_scale / 2
            return gumbel_policy(
                params,
                key,
                root,
                step,
                self.simulations,
                invalid_actions=invalid,
                qtransform=functools.partial(
                    mctx.qtransform_completed_by_mix_value,
                    value_scale=scale,
                    rescale_values=self.stretched,
                    epsilon=LEAST_SPREAD,
                ),
                max_num_considered_actions=min(self.considered, self.env.num_actions),
                gumbel_scale=gumbel_scale,
            )
        options = {"qtransform": between_extremes} if self.goal == "cost" else {}
        return _muzero_policy(
            params,
            key,
            root,
            step,
            self.simulations,
            invalid_actions=invalid,
            dirichlet_fraction=0.0,
            **options,
        )

    def _step(
        self, params: Any, key: jax.Array, action: jax.Array, node: Node
    ) -> tuple[mctx.RecurrentFnOutput, Node]:
        del key
        states = jax.vmap(self.env.step)(node.state, action)
        reward, budget = self.aim.step(node.state, states, node.player, node.budget)
        child = Node(states.replace(observation=None), node.player, budget)
        outputs = self.forward.outputs(params, self.observe(states))
        value = jnp.where(states.terminated, 0.0, self.aim.value(outputs, *child))
        same = player_to_move(states) == player_to_move(node.state)
        turn = jnp.where(same, 1.0, -1.0).astype(jnp.float32)
        # The result of a game that was cut off is unknown, so the network's value is used.
        cut = states.truncated & ~states.terminated
        output = _recurrent_output(
            reward=reward + jnp.where(cut, turn * value, 0.0),
            discount=jnp.where(states.terminated | cut, 0.0, turn),
            prior_logits=_logits(outputs.policy, states),
            value=jnp.where(cut, 0.0, value),
        )
        return output, child


def _with_noise(
    key: jax.Array, logits: jax.Array, legal: jax.Array, share: float, concentration: float
) -> jax.Array:
    """Returns the logits of the priors mixed with Dirichlet noise over the legal moves.

    mctx's own noise also includes illegal actions.
    """
    # The noise is drawn as logarithms, because small shares would underflow.
    amounts = jax.random.loggamma(key, concentration, legal.shape, jnp.float32)
    noise = jax.nn.softmax(jnp.where(legal, amounts, -jnp.inf), axis=-1)
    mixed = (1.0 - share) * jax.nn.softmax(logits, axis=-1) + share * noise
    return jnp.where(
        legal, jnp.log(jnp.maximum(mixed, jnp.finfo(jnp.float32).tiny)), jnp.finfo(jnp.float32).min
    )


def _drawn(key: jax.Array, weights: jax.Array, temperature: float) -> jax.Array:
    """Returns int32[B]: actions drawn with probability proportional to visits^(1 / temperature).

    With temperature 0 the most visited action is returned. Unvisited actions are never drawn,
    unlike in mctx, which draws them at high temperatures.
    """
    logits = jnp.where(
        weights > 0.0, jnp.log(jnp.maximum(weights, jnp.finfo(jnp.float32).tiny)), -jnp.inf
    )
    if temperature == 0.0:
        return jnp.argmax(logits, axis=-1).astype(jnp.int32)
    return jax.random.categorical(key, logits / temperature, axis=-1).astype(jnp.int32)


def _logits(policy: jax.Array, states: State) -> jax.Array:
    logits = policy - jnp.max(policy, axis=-1, keepdims=True)
    return jnp.where(states.legal_action_mask, logits, jnp.finfo(logits.dtype).min)


# ---- comparing moves by costs --------------------------------------------------------------------
def between_extremes(tree: Any, node_index: jax.Array) -> jax.Array:
    """Returns float32[A]: values of a node's moves, scaled to [0, 1].

    The extremes of the whole tree are scaled to 0 and 1. An unvisited move has the value of the
    node itself. An illegal move has minus infinity, because mctx masks illegal moves at the root
    only. An illegal move would end the game without a winner, which would favour one side.

    Args:
      tree: mctx's tree.
      node_index: int32[], index of the node.
    """
    values = jnp.where(
        tree.children_visits[node_index] > 0, tree.qvalues(node_index), tree.node_values[node_index]
    )
    legal = tree.embeddings.state.legal_action_mask[node_index]
    return jnp.where(legal, _stretched(tree, node_index, values), -jnp.inf)


def _stretched(tree: Any, node_index: jax.Array, values: jax.Array) -> jax.Array:
    """Returns a node's ``values`` scaled to [0, 1] for its mover (Wu et al. 2022, eq. 3).

    The mover's best value in the tree becomes 1.
    """
    node = tree.embeddings
    side = raises_costs(node.state, node.player)
    costs = side[:, None] * (tree.children_rewards + tree.children_discounts * tree.children_values)
    seen = (tree.children_visits > 0) & ~(node.state.terminated | node.state.truncated)[:, None]
    least, most = (
        jnp.min(jnp.where(seen, costs, jnp.inf)),
        jnp.max(jnp.where(seen, costs, -jnp.inf)),
    )
    share = jnp.clip(
        (side[node_index] * values - least) / jnp.maximum(most - least, 1e-6), 0.0, 1.0
    )
    return jnp.where(jnp.any(seen), jnp.where(side[node_index] > 0, share, 1.0 - share), 0.0)


def _alone(batch: Any) -> Any:
    """Adds a second axis of length 1 to all arrays, so that each entry becomes a batch of one."""
    return jax.tree.map(lambda x: x[:, None], batch)
