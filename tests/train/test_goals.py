"""Goals of self-play searches: values, costs and d-win rates, and settings out of range."""

from __future__ import annotations

import dataclasses
import math

import jax
import jax.numpy as jnp
import numpy as np
import pytest

pytest.importorskip("flax")
from flax import nnx

from jaxsolve.games.env import Env
from jaxsolve.games.game import Outcome
from jaxsolve.games.registry import make
from jaxsolve.networks import Architecture, Forward, Value, Within
from jaxsolve.networks.residual import ResidualNetwork
from jaxsolve.search import Claim, Verdict, solve
from jaxsolve.train import search
from jaxsolve.train.goals import moves_to_answer
from jaxsolve.train.search import TreeSearch
from jaxsolve.train.self_play import SelfPlay
from support.networks import random_network


def test_moves_are_counted_as_in_the_paper():
    four = make("gomoku-15;knowledge=4t")
    state = four.parse(
        "/".join(["." * 15] * 7 + ["XXXX" + "." * 11] + ["OOO" + "." * 12] + ["." * 15] * 6) + " w"
    )
    assert [int(moves_to_answer(four, state, how)) for how in ("max", "legal", "heuristic")] == [
        225,
        1,
        1,
    ]
    go = make("killallgo-7")
    state = go.parse("O.O..../OOO..../......./......./......./......./......X w")
    legal, heuristic = (int(moves_to_answer(go, state, how)) for how in ("legal", "heuristic"))
    assert int(moves_to_answer(go, state, "max")) == 50 and legal - heuristic == 1


@pytest.mark.full
@pytest.mark.parametrize("or_player", [0, 1])
def test_with_costs_the_or_player_prefers_the_fastest_win(or_player):
    """With an untrained network a win in one costs the or-player least."""
    game, text = make("hex-3"), "X../X../... b"
    network = random_network(game, "cost")
    nothing = jax.tree.map(np.zeros_like, network.params)
    found = TreeSearch(
        env=Env(game, max_steps=9),
        forward=Forward(network.architecture),
        goal="cost",
        simulations=64,
        considered=9,
        branching="legal",
    )
    states = jax.tree.map(
        lambda *leaves: jnp.stack(leaves),
        *[found.env.init_from(game.parse(text), jax.random.key(k)) for k in range(4)],
    )
    chosen = jax.jit(found)(
        nothing, jax.random.split(jax.random.key(0), 4), states, jnp.full(4, or_player)
    ).action
    for action in set(np.asarray(chosen).tolist()):
        after = game.step(game.parse(text), action)
        assert int(game.outcome(after)) == Outcome.FIRST_WINS or (
            or_player == 1 and solve(game, after, claim=Claim(0)).verdict is Verdict.PROVED
        )


@pytest.mark.full
def test_values_in_the_tree_are_costs():
    """With one simulation, the root's value is the mean of two costs.

    They are the network's cost of the root, and the child's cost times the branching factor.
    """
    game = make("hex-3")
    network = random_network(game, "cost")
    forward = Forward(network.architecture)
    head = network.architecture.cost
    most = head.most
    found = TreeSearch(
        env=Env(game, max_steps=9),
        forward=forward,
        goal="cost",
        simulations=1,
        considered=1,
        branching="legal",
    )
    for or_player in (0, 1):
        for text in (".../.../... b", "X../.../... w"):
            before = game.parse(text)
            states = jax.tree.map(lambda x: x[None], found.env.init_from(before, jax.random.key(0)))
            root = search.Node(states, jnp.array([or_player]), jnp.array([most]))
            outputs = forward.outputs(network.params, found.observe(states))
            value = found.aim.value(outputs, *root)
            action = int(jnp.argmax(jnp.where(states.legal_action_mask, outputs.policy, -jnp.inf)))
            output, node = found._step(network.params, jax.random.key(0), jnp.array([action]), root)
            child = game.step(before, action)
            mover, legal = int(game.to_move(before)), int(game.legal_mask(before).sum())
            side, multiplied = (-1.0, 0.0) if mover == or_player else (1.0, math.log10(legal))
            costs = []
            for state, room in ((before, most), (child, most - multiplied)):
                logits = np.asarray(
                    forward.outputs(network.params, game.observe(state)[None]).cost[0, or_player],
                    np.float64,
                )
                shares = np.exp(logits - logits.max()) / np.exp(logits - logits.max()).sum()
                known = sum(
                    share * min(j / head.per_decade, room) for j, share in enumerate(shares[:-1])
                )
                costs.append(
                    known + shares[-1] * room
                )  # what cannot be proved costs all that is left, not more
            assert float(value[0]) == pytest.approx(side * costs[0], abs=1e-5)
            through = costs[1] + multiplied
            assert float(output.reward[0] + output.discount[0] * output.value[0]) == pytest.approx(
                side * through, abs=1e-5
            )
            assert node.player.tolist() == [or_player]


@pytest.mark.full
def test_a_win_after_more_than_d_moves_is_a_loss():
    """d has the win rate nearest to one half, and falls with each own move.

    A win with no move left comes too late.
    """
    game, text = make("hex-3"), "X../X../... b"
    for player in (0, 1):
        shape = Architecture.of(
            game,
            blocks=1,
            channels=8,
            value=Value(hidden=16),
            within=Within(moves=4, player=player),
        )
        params = ResidualNetwork(shape, rngs=nnx.Rngs(3)).folded()
        found = TreeSearch(
            env=Env(game, max_steps=9),
            forward=Forward(shape),
            goal="within",
            simulations=16,
            considered=9,
        )
        states = jax.tree.map(
            lambda x: x[None], found.env.init_from(game.parse(text), jax.random.key(0))
        )
        outputs, nobody = (
            found.forward.outputs(params, found.observe(states)),
            jnp.zeros(1, jnp.int32),
        )
        rates = np.maximum.accumulate(
            1.0 / (1.0 + np.exp(-np.asarray(outputs.within[0], np.float64)))
        )  # within more moves never less
        assert float(found.aim.begin(outputs)[0]) == 1 + np.argmin(np.abs(rates - 0.5))
        side = 1.0 if player == 0 else -1.0  # the first player is to move
        for room, rate in ((4.0, rates[3]), (1.0, rates[0]), (0.0, 0.0)):
            assert float(
                found.aim.value(outputs, states, nobody, jnp.array([room]))[0]
            ) == pytest.approx(side * (2.0 * rate - 1.0), abs=1e-5)
        wins = [
            a
            for a in np.flatnonzero(game.legal_mask(game.parse(text)))
            if int(game.outcome(game.step(game.parse(text), a))) == Outcome.FIRST_WINS
        ]
        other = next(a for a in np.flatnonzero(game.legal_mask(game.parse(text))) if a not in wins)
        for action, room, reward in (
            (wins[0], 1.0, 1.0),
            (wins[0], 0.0, -1.0 if player == 0 else 1.0),
            (other, 1.0, 0.0),
        ):
            after = jax.vmap(found.env.step)(states, jnp.array([action]))
            got, left = found.aim.step(states, after, nobody, jnp.array([room]))
            assert (float(got[0]), float(left[0])) == (reward, room - (player == 0)), (
                player,
                action,
                room,
            )
        answer = jax.jit(found)(params, jax.random.split(jax.random.key(0), 1), states, nobody, 0.0)
        assert int(answer.action[0]) in wins


def test_a_game_that_is_cut_off_has_the_value_of_the_network():
    game = make("hex-3")
    network = random_network(game, "both")
    forward = Forward(network.architecture)
    for goal in ("value", "cost"):
        found = TreeSearch(
            env=Env(game, max_steps=1),
            forward=forward,
            goal=goal,
            simulations=1,
            considered=1,
            branching="legal",
        )
        free = dataclasses.replace(found, env=Env(game, max_steps=9))
        states = jax.tree.map(
            lambda x: x[None], found.env.init_from(game.parse(".../X../... w"), jax.random.key(0))
        )
        root = search.Node(
            states,
            jnp.array([0]),
            found.aim.begin(forward.outputs(network.params, found.observe(states))),
        )
        cut, _ = found._step(network.params, jax.random.key(0), jnp.array([4]), root)
        goes_on, _ = free._step(network.params, jax.random.key(0), jnp.array([4]), root)
        assert float(cut.discount[0]) == 0.0 and float(goes_on.discount[0]) == -1.0
        assert float(cut.reward[0]) == pytest.approx(
            float(goes_on.reward[0] - goes_on.value[0]), abs=1e-6
        )


def test_settings_out_of_range_are_refused():
    game = make("hex-3")
    value = Forward(random_network(game, "value").architecture)
    env = Env(game, max_steps=9)
    for changes, says in (
        ({"goal": "cost"}, "no such head"),
        ({"goal": "price"}, "no such head"),
        ({"policy": "uct"}, "gumbel"),
        ({"branching": "some"}, "heuristic"),
        ({"simulations": 0}, "at least one"),
        ({"goal": "within"}, "no such head"),
        ({"temperature": math.nan}, "temperature=nan"),
        ({"temperature": -1.0}, "give 0, or"),
        ({"noise": (2.0, 0.2)}, "share from 0 to 1"),
        ({"noise": (0.25, 0.0)}, "concentration from"),
        ({"noise": (math.nan, 0.2)}, "share from 0 to 1"),
        ({"value_scale": math.inf}, "value_scale=inf"),
    ):
        with pytest.raises((ValueError, AttributeError), match=says):
            TreeSearch(env=env, forward=value, **{"goal": "value", **changes})
    with pytest.raises(ValueError, match="boards of 3x3"):
        TreeSearch(env=Env(make("hex-4"), max_steps=16), forward=value)
    for steps, most in ((8, 9), (9, None)):
        with pytest.raises(ValueError, match="do not end within"):
            SelfPlay(TreeSearch(env=Env(game, max_steps=most), forward=value), steps)
    with pytest.raises(ValueError, match="or_player=2"):
        SelfPlay(TreeSearch(env=env, forward=value), 9, or_player=2)
