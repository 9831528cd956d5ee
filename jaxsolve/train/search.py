"""The tree search of self-play: mctx on a game, guided by a network's value or by its proof costs.

By costs the or-player minimises and the other side maximises log10 of what a proof for the or-player costs: 0 where it has won, a network's ``most``
where it has not, and every move of the other side multiplies it by the number of moves it had (Wu et al. 2022, "Proof cost networks", Section 3.3).
For mctx that is a game of two sides with rewards: log10 of the number of moves to whoever makes the other side's move. From the root on nothing costs
more than ``most``: the other side gains nothing by putting off a win of its own.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Literal, NamedTuple

import jax
import jax.numpy as jnp
import mctx

from jaxsolve.games.env import Env, State
from jaxsolve.games.game import ForcesReplies, Game, Outcome
from jaxsolve.networks import Forward
from jaxsolve.networks.forward import expected_cost

_root_output: Callable[..., mctx.RootFnOutput] = mctx.RootFnOutput  # a type checker does not see the fields of chex's dataclasses
_recurrent_output: Callable[..., mctx.RecurrentFnOutput] = mctx.RecurrentFnOutput


class Node(NamedTuple):
    """What the tree keeps of a position: a batch of games, without observations."""

    state: State
    or_player: jax.Array  # int32[B]: the player whose proof costs count
    spent: jax.Array  # float32[B]: log10 of what the other side's moves from the root have multiplied costs by


@dataclass(frozen=True)
class TreeSearch:
    """A search with its settings; equal ones share what is compiled.

    Args:
      env: the game.
      forward: the network's function.
      goal: what the search goes by, ``value`` or ``cost``; the network must have that head.
      branching: how moves of the other side are counted: ``max`` all actions, ``legal`` the legal ones, ``heuristic`` those less moves into own eyes,
        and 1 where the reply is forced (b_max and b_heur of the paper).
      simulations: of one move.
      policy: ``gumbel`` (Danihelka et al. 2022) or ``puct`` (AlphaZero).
      considered: moves that the root of a Gumbel search tries at first.
      noise: share and concentration of the Dirichlet noise at the root of a PUCT search.
      temperature: with which a PUCT search draws its move from the visit counts.

    Raises ValueError for a setting out of range or a goal that the network has no head for.
    """

    env: Env
    forward: Forward
    goal: Literal["value", "cost"] = "value"
    branching: Literal["max", "legal", "heuristic"] = "heuristic"
    simulations: int = 32
    policy: Literal["gumbel", "puct"] = "gumbel"
    considered: int = 16
    noise: tuple[float, float] = (0.25, 0.2)
    temperature: float = 1.0

    def __post_init__(self) -> None:
        shape = self.forward.architecture
        shape.check(self.env.game)
        if self.goal not in ("value", "cost") or getattr(shape, self.goal) is None:
            raise ValueError(f"goal={self.goal!r}: the network has no such head")
        if self.branching not in ("max", "legal", "heuristic"):
            raise ValueError(f"branching={self.branching!r}: it may be 'max', 'legal' or 'heuristic'")
        if self.policy not in ("gumbel", "puct"):
            raise ValueError(f"policy={self.policy!r}: it may be 'gumbel' or 'puct'")
        if self.simulations < 1 or self.considered < 1:
            raise ValueError(f"simulations={self.simulations}, considered={self.considered}: a search needs at least one of each")

    def __call__(self, params: Any, keys: jax.Array, states: State, or_player: jax.Array, gumbel_scale: float = 1.0) -> mctx.PolicyOutput:
        """mctx's answer for a batch of games: ``action`` int32[B] and ``action_weights`` float32[B, A].

        ``keys``: one for each game, so that what happens in a game does not depend on those beside it.
        """
        search = jax.vmap(lambda key, state, player: self._single(params, key, state, player, gumbel_scale))
        return jax.tree.map(lambda x: x[:, 0], search(keys, *_alone((states, or_player))))

    def observe(self, states: State) -> jax.Array:
        """bool[B, H, W, C]: what the network is shown of a batch of games."""
        game, planes = self.env.game, self.forward.architecture.view.planes(self.env.game)
        if planes is None:
            return jax.vmap(game.observe)(states._game)
        assert states._history is not None
        boards = states._history[:, : planes.boards]
        return jax.vmap(lambda state, history: planes(game, state, history))(states._game, boards)

    def log_moves(self, states: State) -> jax.Array:
        """float32[B]: log10 of the number of moves that the side to move has, as costs count them."""
        return jax.vmap(lambda state: jnp.log10(jnp.maximum(moves_to_answer(self.env.game, state, self.branching), 1)))(states._game)

    # ---- inside ----------------------------------------------------------------------------------------------------
    def _single(self, params: Any, key: jax.Array, states: State, or_player: jax.Array, gumbel_scale: float) -> mctx.PolicyOutput:
        """The search of a batch of one."""
        node = Node(states.replace(observation=None), or_player, jnp.zeros(or_player.shape))
        logits, value = self._look(params, node)
        root = _root_output(prior_logits=logits, value=value, embedding=node)
        options: dict[str, Any] = {"num_simulations": self.simulations, "invalid_actions": ~states.legal_action_mask}
        if self.policy == "gumbel":
            if self.goal == "cost":
                options["qtransform"] = completed_by_extremes
            return mctx.gumbel_muzero_policy(
                params, key, root, self._step, max_num_considered_actions=self.considered, gumbel_scale=gumbel_scale, **options
            )
        share, alpha = self.noise
        if self.goal == "cost":
            options["qtransform"] = between_extremes
        return mctx.muzero_policy(
            params, key, root, self._step, dirichlet_fraction=share, dirichlet_alpha=alpha, temperature=self.temperature, **options
        )

    def _look(self, params: Any, node: Node) -> tuple[jax.Array, jax.Array]:
        """Logits and values for the side to move, of positions where the game goes on."""
        states, or_player, spent = node
        outputs = self.forward.outputs(params, self.observe(states))
        if self.goal == "value":
            assert outputs.value is not None
            value = outputs.value
        else:
            head = self.forward.architecture.cost
            assert head is not None and outputs.cost is not None
            costs = jnp.take_along_axis(expected_cost(head, outputs.cost), or_player[:, None], axis=1)[:, 0]
            value = sign(player_to_move(states), or_player) * jnp.clip(costs, 0.0, head.most - spent)
        logits = outputs.policy - jnp.max(outputs.policy, axis=-1, keepdims=True)
        return jnp.where(states.legal_action_mask, logits, jnp.finfo(logits.dtype).min), value

    def _step(self, params: Any, key: jax.Array, action: jax.Array, node: Node) -> tuple[mctx.RecurrentFnOutput, Node]:
        del key
        before, or_player, spent = node
        states = jax.vmap(self.env.step)(before, action)
        over = states.terminated | states.truncated
        same = player_to_move(states) == player_to_move(before)
        if self.goal == "value":
            reward = jnp.take_along_axis(states.rewards, before.current_player[:, None], axis=1)[:, 0]
        else:
            head, mover = self.forward.architecture.cost, player_to_move(before)
            assert head is not None
            multiplied = jnp.where(mover == or_player, 0.0, jnp.minimum(self.log_moves(before), head.most - spent))
            spent = spent + multiplied
            ends = jnp.where(over & (winner(self.env.game, states) != or_player), head.most - spent, 0.0)
            reward = sign(mover, or_player) * (multiplied + ends)
        child = Node(states.replace(observation=None), or_player, spent)
        logits, value = self._look(params, child)
        output = _recurrent_output(
            reward=reward,
            discount=jnp.where(over, 0.0, jnp.where(same, 1.0, -1.0)),
            prior_logits=logits,
            value=jnp.where(over, 0.0, value),
        )
        return output, child


def player_to_move(states: State) -> jax.Array:
    """int32[B]: 0 for the game's first player, 1 for its second (not the agent)."""
    return states._first_agent ^ states.current_player


def winner(game: Game, states: State) -> jax.Array:
    """int32[B]: 0 or 1, or -1 where nobody has won."""
    outcome = jax.vmap(game.outcome)(states._game)
    return jnp.where(outcome == Outcome.FIRST_WINS, 0, jnp.where(outcome == Outcome.SECOND_WINS, 1, -1))


def sign(mover: jax.Array, or_player: jax.Array) -> jax.Array:
    """float32[B]: +1 where the mover wants costs high, -1 for the or-player."""
    return jnp.where(mover == or_player, -1.0, 1.0)


def moves_to_answer(game: Game, state: Any, branching: str) -> jax.Array:
    """int32[]: b of one position, b_max or b_heur of the paper (Section 3.2)."""
    if branching == "max":
        return jnp.int32(game.num_actions)
    if branching == "heuristic" and any(field.name == "fill_eyes" for field in dataclasses.fields(game)):  # pyright: ignore[reportArgumentType]
        game = dataclasses.replace(game, fill_eyes=False)  # pyright: ignore[reportArgumentType, reportCallIssue]
    count = jnp.sum(game.legal_mask(state), dtype=jnp.int32)
    if branching == "heuristic" and isinstance(game, ForcesReplies):
        return jnp.where(game.forced_reply(state) >= 0, 1, count)
    return count


# ---- comparing moves by costs ------------------------------------------------------------------------------------------
def between_extremes(tree: mctx.Tree, node_index: jax.Array) -> jax.Array:
    """float32[A]: values of a node's moves in [0, 1] between the extremes of all moves in the tree; unvisited moves count as the node itself.

    Minus infinity for illegal ones: mctx knows them at the root only, and an illegal move, which ends a game that nobody wins, would pay one side.
    """
    values = jnp.where(tree.children_visits[node_index] > 0, tree.qvalues(node_index), tree.node_values[node_index])
    legal = tree.embeddings.state.legal_action_mask[node_index]
    return jnp.where(legal, _stretched(tree, node_index, values), -jnp.inf)


def completed_by_extremes(tree: mctx.Tree, node_index: jax.Array, *, value_scale: float = 0.1, maxvisit_init: float = 50.0) -> jax.Array:
    """float32[A]: mctx's completed values (Danihelka et al. 2022, Appendix D), between the extremes of all moves in the tree."""
    visits, values = tree.children_visits[node_index], tree.qvalues(node_index)
    priors = jnp.where(visits > 0, jnp.maximum(jax.nn.softmax(tree.children_prior_logits[node_index]), jnp.finfo(jnp.float32).tiny), 0.0)
    seen = jnp.sum(visits)
    mean = jnp.sum(priors * values) / jnp.where(seen > 0, jnp.sum(priors), 1.0)
    mixed = (tree.raw_values[node_index] + seen * mean) / (seen + 1)
    stretched = _stretched(tree, node_index, jnp.where(visits > 0, values, mixed))
    return (maxvisit_init + jnp.max(visits)) * value_scale * stretched


def _stretched(tree: mctx.Tree, node_index: jax.Array, values: jax.Array) -> jax.Array:
    """Values for the mover of a node in [0, 1], 1 being what it likes best in the tree (Wu et al. 2022, eq. 3)."""
    states = tree.embeddings.state
    side = sign(player_to_move(states), tree.embeddings.or_player)
    costs = side[:, None] * (tree.children_rewards + tree.children_discounts * tree.children_values)
    seen = (tree.children_visits > 0) & ~(states.terminated | states.truncated)[:, None]
    least, most = jnp.min(jnp.where(seen, costs, jnp.inf)), jnp.max(jnp.where(seen, costs, -jnp.inf))
    share = jnp.clip((side[node_index] * values - least) / jnp.maximum(most - least, 1e-6), 0.0, 1.0)
    return jnp.where(jnp.any(seen), jnp.where(side[node_index] > 0, share, 1.0 - share), 0.0)


def _alone(batch: Any) -> Any:
    """Each entry of a batch as a batch of one."""
    return jax.tree.map(lambda x: x[:, None], batch)
