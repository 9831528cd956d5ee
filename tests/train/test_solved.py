"""Solved positions as examples: what they teach, and what they leave open."""

from __future__ import annotations

import jax
import jax.numpy as jnp
import numpy as np
import pytest

pytest.importorskip("flax")

from jaxsolve.games.env import Env
from jaxsolve.games.registry import make
from jaxsolve.networks import Architecture, Cost, Forward, Value, View, Within
from jaxsolve.train.learner import head_losses
from jaxsolve.train.search import TreeSearch
from jaxsolve.train.self_play import unpacked
from jaxsolve.train.solved import SolvedRows, solved_examples
from jaxsolve.train.targets import result, two_hot, within

CASES = {"hex": ("hex-3", View()), "go": ("go-2;ko=positional;komi=1", View("colours", 2))}


def searching(case):
    game = make(CASES[case][0])
    shape = Architecture.of(
        game,
        CASES[case][1],
        blocks=0,
        channels=4,
        value=Value(hidden=4),
        cost=Cost(bins=8),
        within=Within(moves=3, player=1),
    )
    return TreeSearch(env=Env(game, max_steps=9), forward=Forward(shape), goal="cost")


def states_of(game):
    """Positions after no, one and two moves."""
    states = [game.init()]
    for action in (0, 3):
        states.append(game.step(states[-1], np.int32(action)))
    return states


@pytest.mark.parametrize("case", CASES)
def test_the_targets_of_solved_positions(case):
    search = searching(case)
    game, shape = search.env.game, search.forward.architecture
    states = states_of(game)
    rows = SolvedRows(
        np.stack([game.host_pack(state) for state in states]),
        jnp.array([0, 0, 1]),
        jnp.array([1, -1, -1]),
    )
    found = jax.jit(lambda rows: solved_examples(search, rows))(rows)
    assert found.mover.tolist() == [0, 1, 0]
    assert result(found.ahead, found.mover).tolist() == [1.0, -1.0, -1.0]
    assert found.ahead.known.all() and found.telling.all()
    infinite = float("inf")
    assert found.ahead.cost.tolist() == [[0.0, infinite], [0.0, infinite], [infinite, 0.0]]
    bins = two_hot(found.ahead.cost, shape.cost.bins, shape.cost.per_decade)
    assert np.argmax(bins, axis=-1).tolist() == [[0, 7], [0, 7], [7, 0]]
    assert within(found.ahead, 1, 3).tolist() == [[0.0] * 3, [0.0] * 3, [1.0] * 3]
    assert found.policy.sum(axis=1).tolist() == [1.0, 0.0, 0.0] and found.policy[0, 1] == 1.0
    for number, state in enumerate(states):
        begun = search.env.init_from(state, jax.random.key(0))
        seen = search.observe(jax.tree.map(lambda x: x[None], begun))
        assert np.array_equal(unpacked(found.planes[number, None], seen.shape[1:]), seen)
        legal = unpacked(found.legal[number, None], (game.num_actions,))[0]
        assert np.array_equal(legal, game.legal_mask(state))


def test_a_position_without_a_known_move_has_no_policy_loss():
    search = searching("hex")
    game, forward = search.env.game, search.forward
    shape = forward.architecture
    params = jax.tree.map(
        lambda leaf: jax.random.normal(jax.random.key(1), leaf.shape), shape.shapes()
    )
    words = np.stack([game.host_pack(state) for state in states_of(game)])

    def policy_loss(params, move):
        found = solved_examples(search, SolvedRows(words, jnp.zeros(3, jnp.int32), move))
        planes = unpacked(found.planes, (shape.height, shape.width, shape.planes))
        legal = unpacked(found.legal, (shape.actions,))
        outputs = forward.outputs(params, planes)
        return head_losses(shape, outputs, legal, found.policy, found)["policy"]

    loss, gradient = jax.value_and_grad(policy_loss)(params, jnp.full(3, -1))
    assert loss == 0.0 and not any(leaf.any() for leaf in jax.tree.leaves(gradient))
    loss, gradient = jax.value_and_grad(policy_loss)(params, jnp.array([2, -1, -1]))
    assert loss > 0.0 and any(leaf.any() for leaf in jax.tree.leaves(gradient))
