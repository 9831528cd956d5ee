"""The replay keeps the latest examples, heads fit a fixed batch, and a step is a pure function."""

from __future__ import annotations

import functools

import jax
import jax.numpy as jnp
import numpy as np
import pytest

pytest.importorskip("flax")
pytest.importorskip("optax")
import optax

from jaxsolve.games.registry import make
from jaxsolve.networks import Architecture, Cost, Forward, Value, Within
from jaxsolve.train.learner import Learner
from jaxsolve.train.replay import Replay
from jaxsolve.train.self_play import Examples
from jaxsolve.train.targets import Ahead

GAME = make("hex-3")
SHAPE = Architecture.of(
    GAME, blocks=1, channels=8, value=Value(hidden=16), cost=Cost(bins=8), within=Within(moves=4)
)


def examples(count, seed=0):
    """Random positions and outcomes, of no game."""
    rng = np.random.default_rng(seed)
    planes, legal = rng.random((count, 36)) < 0.5, rng.random((count, 9)) < 0.7
    legal[:, 0] = True
    policy = rng.dirichlet(np.ones(9), count) * legal
    winner = rng.integers(-1, 2, count)
    cost = np.where(np.arange(2) == winner[:, None], rng.uniform(0, 6, (count, 2)), np.inf)
    ahead = Ahead(
        np.ones(count, bool),
        winner.astype(np.int32),
        cost.astype(np.float32),
        rng.integers(1, 6, (count, 2)).astype(np.int32),
    )
    policy = (policy / policy.sum(1, keepdims=True)).astype(np.float32)
    mover = rng.integers(0, 2, count).astype(np.int32)
    return jax.tree.map(
        jnp.asarray,
        Examples(
            np.packbits(planes, axis=1),
            np.packbits(legal, axis=1),
            policy,
            mover,
            np.ones((count, 2), bool),
            ahead,
        ),
    )


# ---- replay --------------------------------------------------------------------------------------
def test_the_replay_keeps_the_latest_wanted_examples():
    rng, capacity = np.random.default_rng(0), 37
    replay, model = Replay.empty(examples(1), capacity), []
    add = jax.jit(Replay.add)
    for turn in range(30):
        batch, wanted = examples(16, turn), rng.random(16) < rng.random()
        replay = add(replay, batch, jnp.asarray(wanted))
        model = (model + [np.asarray(batch.policy[i]) for i in np.flatnonzero(wanted)])[-capacity:]
        assert int(replay.size) == len(model)
        held = {row.tobytes() for row in np.asarray(replay.kept.policy[: len(model)])}
        assert held == {row.tobytes() for row in model}


def test_samples_are_held_examples():
    batch = examples(5)
    replay = Replay.empty(batch, 64).add(batch, jnp.array([True, False, True, True, False]))
    sample = replay.sample(jax.random.key(0), 400)
    rows, counts = np.unique(np.asarray(sample.policy), axis=0, return_counts=True)
    assert {row.tobytes() for row in rows} == {
        np.asarray(batch.policy[i]).tobytes() for i in (0, 2, 3)
    } and counts.min() > 90
    assert not np.asarray(Replay.empty(batch, 64).sample(jax.random.key(0), 3).policy).any()
    with pytest.raises(ValueError, match="is empty"):
        Replay.empty(batch, 0)
    with pytest.raises(ValueError, match="do not fit"):
        Replay.empty(batch, 4).add(batch, jnp.ones(5, bool))


# ---- learner -------------------------------------------------------------------------------------
@functools.cache
def stepping(augment):
    learner = Learner(
        GAME, SHAPE, functools.partial(optax.sgd, 0.05, momentum=0.9), augment=augment
    )
    return learner, jax.jit(learner.update)


def test_every_head_fits_a_fixed_buffer():
    learner, step = stepping(False)
    state, batch, first, last = learner.begin(1), examples(16), None, None
    for number in range(300):
        state, losses = step(state, batch, jax.random.key(number))
        first, last = first or losses, losses
    entropy = float(
        -np.sum(
            np.where(batch.policy > 0, batch.policy * np.log(np.maximum(batch.policy, 1e-9)), 0)
        )
        / 16
    )
    assert float(last["loss_policy"]) - entropy < 0.05 < float(first["loss_policy"]) - entropy
    assert float(last["kl_policy"]) == pytest.approx(float(last["loss_policy"]) - entropy, abs=1e-4)
    assert float(last["wrong_value"]) == float(last["wrong_cost"]) == 0.0 and float(
        last["error_cost"]
    ) < 0.3 < float(first["error_cost"])
    assert (
        float(last["loss_value"]) < 0.02
        and float(last["loss_within"]) < 0.1
        and float(last["loss_cost"]) < 0.5 * float(first["loss_cost"])
    )
    assert int(state.step) == 300


def test_the_cost_of_a_win_of_the_other_side_is_unknown():
    """To the other side all wins are equal: the length of its game is not the cost of a proof.

    Only whether it won is known.
    """
    learner, step = stepping(False)
    state, batch = learner.begin(4), examples(16)
    batch = batch._replace(telling=jnp.zeros((16, 2), bool))
    _, one = step(state, batch, jax.random.key(0))
    dearer = batch.ahead._replace(
        cost=jnp.where(jnp.isfinite(batch.ahead.cost), batch.ahead.cost + 1.0, jnp.inf)
    )
    _, other = step(state, batch._replace(ahead=dearer), jax.random.key(0))
    assert (
        float(one["loss_cost"]) == float(other["loss_cost"]) > 0.0
        and float(one["error_cost"]) == 0.0
    )
    _, measured = step(state, batch._replace(telling=jnp.ones((16, 2), bool)), jax.random.key(0))
    assert float(measured["loss_cost"]) != float(one["loss_cost"])


def test_the_probability_of_unprovable_positions_is_unbiased():
    """Each player is the or-player of half of the games, and wins half of those.

    Both heads learn a probability of one half, although half of the wins have no known cost.
    """
    learner, step = stepping(False)
    state, batch = learner.begin(6), examples(16)
    turn = np.arange(16)
    winner, counting = turn % 2, turn // 2 % 2
    cost = np.where(winner[:, None] == np.arange(2), 2.0, np.inf).astype(np.float32)
    same = jax.tree.map(
        lambda leaf: jnp.broadcast_to(leaf[:1], leaf.shape),
        (batch.planes, batch.legal, batch.policy, batch.mover),
    )
    ahead = batch.ahead._replace(winner=jnp.asarray(winner), cost=jnp.asarray(cost))
    batch = batch._replace(
        planes=same[0], legal=same[1], policy=same[2], mover=same[3], ahead=ahead
    )
    batch = batch._replace(telling=jnp.asarray(counting[:, None] == np.arange(2)))
    for number in range(200):
        state, _ = step(state, batch, jax.random.key(number))
    planes, _, _ = learner._shown(batch)
    shares = jax.nn.softmax(Forward(SHAPE).outputs(learner.params(state), planes).cost[0], axis=-1)
    assert np.allclose(shares[:, -1], 0.5, atol=0.03), shares


def test_a_step_is_a_function_of_its_state():
    """To the bit: also from a state that was copied to the host and back."""
    learner, step = stepping(True)
    state = learner.begin(2)
    for number in range(3):
        state, _ = step(state, examples(8, number), jax.random.key(number))
    stored = jax.tree.map(lambda x: jnp.asarray(np.asarray(x)), state)
    for number in range(3, 6):
        state, lost = step(state, examples(8, number), jax.random.key(number))
        stored, again = step(stored, examples(8, number), jax.random.key(number))
        assert {name: float(x) for name, x in lost.items()} == {
            name: float(x) for name, x in again.items()
        }
    assert all(
        np.array_equal(a, b)
        for a, b in zip(jax.tree.leaves(state), jax.tree.leaves(stored), strict=True)
    )


def test_augmented_examples_are_symmetric_images():
    learner, _ = stepping(True)
    texts = ["X../.O./... b", "XO./.../..X w", "X../X../.OO b"]
    states = jax.tree.map(lambda *leaves: jnp.stack(leaves), *[GAME.parse(text) for text in texts])
    planes, legal = jax.vmap(GAME.observe)(states), jax.vmap(GAME.legal_mask)(states)
    batch = examples(3)._replace(
        planes=jnp.packbits(planes.reshape(3, -1), axis=-1),
        legal=jnp.packbits(legal, axis=-1),
        policy=legal / legal.sum(1, keepdims=True),
    )
    seen = [set() for _ in texts]
    for seed in range(12):
        shown, allowed, policy = learner._turned(batch, jax.random.key(seed))
        for i in range(3):
            images = [
                jax.tree.map(
                    lambda x, i=i: x[i], jax.vmap(lambda s, g=g: GAME.transform(s, g))(states)
                )
                for g in range(2)
            ]
            fitting = [
                g for g, image in enumerate(images) if np.array_equal(shown[i], GAME.observe(image))
            ]
            assert fitting and all(
                np.array_equal(allowed[i], GAME.legal_mask(images[g])) for g in fitting
            )
            assert np.array_equal(policy[i] > 0, allowed[i])
            seen[i] |= set(fitting)
    assert all(one == {0, 1} for one in seen)


def test_folded_parameters_have_learned_the_batch():
    learner, step = stepping(False)
    state, batch = learner.begin(3), examples(16)
    for number in range(100):
        state, _ = step(state, batch, jax.random.key(number))
    params = SHAPE.fitted(learner.params(state))
    planes, legal, policy = learner._shown(batch)
    out = Forward(SHAPE)(params, planes, legal)
    assert float(jnp.mean(jnp.sum(jnp.abs(out.prior - policy), axis=1))) < 0.6
    assert not (np.asarray(out.prior) * ~np.asarray(legal)).any()
