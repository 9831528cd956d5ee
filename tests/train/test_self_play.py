"""Self-play follows the rules, games are independent of each other, and targets are correct."""

from __future__ import annotations

import dataclasses
import doctest
import functools
import math

import jax
import jax.numpy as jnp
import numpy as np
import pytest

pytest.importorskip("flax")

from jaxsolve.games.env import Env
from jaxsolve.games.game import Outcome
from jaxsolve.games.registry import make
from jaxsolve.networks import Forward, View
from jaxsolve.train import search, targets
from jaxsolve.train.search import TreeSearch
from jaxsolve.train.self_play import SelfPlay, unpacked
from support.networks import random_network
from support.search import LONG

CASES = {  # rule set, longest game, goal, policy, view
    "hex": ("hex-3", 9, "cost", "gumbel", View()),
    "lines": ("gomoku-4;line=3;win=five-or-more;knowledge=4t", 16, "value", "gumbel", View()),
    "go": ("go-2;ko=positional;komi=1", 12, "cost", "puct", View("colours", 2)),
}


@functools.cache
def _stepping(name):
    return jax.jit(_self_play(name)[0].play)


@functools.cache
def _self_play(name):
    rule_set, longest, goal, policy, view = CASES[name]
    game = make(rule_set)
    network = random_network(game, "both", view=view)
    found = TreeSearch(
        env=Env(game, max_steps=longest),
        forward=Forward(network.architecture),
        goal=goal,
        simulations=6,
        policy=policy,
        considered=4,
    )
    return SelfPlay(found, longest), network


@functools.cache
def played(name):
    """A self-play, its network, and the records of three calls for five games."""
    play, network = _self_play(name)
    games, records = play.begin(jax.random.key(1), 5), []
    for _ in range(3):
        games, record = _stepping(name)(network.params, games)
        records.append(jax.tree.map(np.asarray, record))
    return play, network, records


@pytest.mark.parametrize("module", [targets])
def test_docstrings(module):
    assert doctest.testmod(module).failed == 0


@pytest.mark.short("hex")
@pytest.mark.parametrize("name", CASES)
def test_games_are_played_by_the_rules(name):
    """Replayed move by move: legal moves, recorded positions, and the ends of the games."""
    play, network, records = played(name)
    env, shape = play.search.env, network.architecture
    game = env.game
    step, legal_of, outcome_of, planes_of = (
        jax.jit(f) for f in (game.step, game.legal_mask, game.outcome, game.observe)
    )
    if shape.view.kind != "board":
        planes_of = jax.jit(functools.partial(shape.view.planes(game), game))
    joined = jax.tree.map(lambda *parts: np.concatenate(parts), *records)
    ends = 0
    for column in range(joined.moves.shape[1]):
        state, boards, length = game.init(), [], 0
        for row in range(len(joined.moves)):
            legal = np.asarray(legal_of(state))
            action = int(joined.moves[row, column])
            assert legal[action]
            assert np.array_equal(
                np.asarray(unpacked(joined.legal[row, column][None], (shape.actions,)))[0], legal
            )
            shown = np.asarray(
                unpacked(
                    joined.planes[row, column][None], (shape.height, shape.width, shape.planes)
                )
            )[0]
            if shape.view.kind == "board":
                assert np.array_equal(shown, np.asarray(planes_of(state)))
            else:
                boards = [np.asarray(game.board_words(state)), *boards]
                seen = np.stack(
                    [*boards, *[np.zeros_like(boards[0])] * shape.view.boards][: shape.view.boards]
                )
                assert np.array_equal(shown, np.asarray(planes_of(state, jnp.asarray(seen))))
            assert joined.course.mover[row, column] == int(game.to_move(state))
            policy = joined.policy[row, column]
            assert abs(policy.sum() - 1) < 1e-4 and not policy[~legal].any()
            state, length = step(state, action), length + 1
            outcome = int(outcome_of(state))
            over = outcome != Outcome.ONGOING or length == env.max_steps
            assert joined.course.ended[row, column] == over
            if over:
                won = {Outcome.FIRST_WINS: 0, Outcome.SECOND_WINS: 1}.get(outcome, -1)
                assert joined.course.winner[row, column] == won and joined.course.cut[
                    row, column
                ] == (outcome == Outcome.ONGOING)
                state, boards, length, ends = game.init(), [], 0, ends + 1
    assert ends > 5


@pytest.mark.full
@pytest.mark.parametrize("temperature", [1.0, 100.0])
@pytest.mark.parametrize("name", CASES)
def test_no_move_is_illegal(name, temperature):
    """At high temperatures, too. A million moves with JAXSOLVE_LONG, else 20,000."""
    play, network = _self_play(name)
    if temperature > 1.0 and play.search.policy != "puct":
        pytest.skip("a Gumbel search draws by its noise")
    hot = dataclasses.replace(play.search, temperature=temperature, simulations=3)
    many, wanted = SelfPlay(hot, play.steps), 250_000 if LONG else 5_000
    go_on, games, seen = jax.jit(many.play), many.begin(jax.random.key(2), 256), 0
    while seen < wanted:
        games, record = go_on(network.params, games)
        legal = np.unpackbits(np.asarray(record.legal), axis=-1, count=network.architecture.actions)
        assert np.take_along_axis(legal, np.asarray(record.moves)[..., None], axis=-1).all()
        seen += record.moves.size


@pytest.mark.full
def test_games_ended_by_an_illegal_move_are_not_learned_from(monkeypatch):
    """NaN in a network can make a search choose any move."""
    play, network, _ = played(next(iter(CASES)))
    games = play.begin(jax.random.key(0), 4)
    honest = TreeSearch.__call__

    def stubborn(self, *args):
        found = honest(self, *args)
        return found.replace(action=jnp.zeros_like(found.action))

    monkeypatch.setattr(TreeSearch, "__call__", stubborn)
    step = jax.jit(lambda games: play.step(network.params, games))  # op by op it takes far longer
    games, first = step(games)
    assert not first.course.ended.any()
    games, second = step(games)
    assert second.course.ended.all() and second.course.cut.all()


def test_root_noise_is_on_legal_moves_only():
    """All of it, however few they are: a share has the same weight in every position."""
    logits = jnp.log(jnp.full((400, 10), 0.1))
    for count in (1, 3, 10):
        legal = jnp.broadcast_to(jnp.arange(10) < count, (400, 10))
        prior = np.asarray(jax.nn.softmax(jnp.where(legal, logits, jnp.finfo(jnp.float32).min)))
        mixed = np.exp(
            np.asarray(
                search._with_noise(
                    jax.random.key(0),
                    jnp.where(legal, logits, jnp.finfo(jnp.float32).min),
                    legal,
                    0.25,
                    0.2,
                )
            )
        )
        assert not mixed[:, count:].any() and np.allclose(mixed.sum(-1), 1.0, atol=1e-4)
        noise = (mixed - 0.75 * prior)[:, :count] / 0.25
        assert (noise > -1e-4).all() and np.allclose(noise.mean(0), 1.0 / count, atol=0.07)


@pytest.mark.short("hex")
@pytest.mark.parametrize("name", CASES)
def test_examples_hold_the_results_of_their_games(name):
    play, _, records = played(name)
    examples, known = play.examples(records[0], records[1])
    course = jax.tree.map(lambda a, b: np.concatenate([a, b]), records[0].course, records[1].course)
    rows, known = len(records[0].moves), np.asarray(known).reshape(records[0].moves.shape)
    assert known.any() and known.all() == (
        name != "go"
    )  # games of Go are cut off here, and what they would have come to is not known
    cost = np.asarray(examples.ahead.cost).reshape(rows, -1, 2)
    telling = np.asarray(examples.telling).reshape(rows, -1, 2)
    assert (telling.sum(-1) == 1).all() and len(
        np.unique(telling[..., 0])
    ) == 2  # either player in turn: only the or-player's wins tell of costs
    own = np.asarray(examples.ahead.own_moves).reshape(rows, -1, 2)
    won = np.asarray(examples.ahead.winner).reshape(rows, -1)
    for column in range(won.shape[1]):
        for row in range(rows):
            end = row + int(np.argmax(course.ended[row:, column]))
            assert known[row, column] != course.cut[end, column]
            mover, logs = (
                course.mover[row : end + 1, column],
                course.log_moves[row : end + 1, column],
            )
            assert won[row, column] == course.winner[end, column]
            for player in (0, 1):
                assert own[row, column, player] == (mover == player).sum()
                if won[row, column] == player:
                    assert cost[row, column, player] == pytest.approx(
                        logs[mover != player].sum(), abs=1e-4
                    )
                else:
                    assert cost[row, column, player] == math.inf
    assert np.array_equal(
        np.asarray(examples.planes).reshape(rows, -1, examples.planes.shape[1]), records[0].planes
    )


def test_games_are_independent_of_each_other():
    """To the bit: with more games, and in another order."""
    play, network, records = played("hex")
    games, more = play.begin(jax.random.key(1), 5), play.begin(jax.random.key(1), 8)
    assert np.array_equal(jax.random.key_data(more.keys)[:5], jax.random.key_data(games.keys))
    _, turned = _stepping("hex")(network.params, jax.tree.map(lambda x: x[::-1], games))
    assert np.array_equal(turned.moves[:, ::-1], records[0].moves) and np.allclose(
        turned.policy[:, ::-1], records[0].policy, atol=1e-5
    )
    assert len({tuple(column) for column in records[0].moves.T}) > 3


@pytest.mark.full
def test_games_begin_at_given_starts_which_may_change():
    play, network, _ = played("hex")
    game = play.search.env.game
    step, games = jax.jit(play.play), play.begin(jax.random.key(2), 6)
    for text in ("X../.../... w", ".../.O./X.. b"):
        starts = jax.tree.map(lambda *leaves: jnp.stack(leaves), *[game.parse(text)] * 3)
        games, _ = step(network.params, games, starts)  # those that have begun go on
        games, record = step(network.params, games, starts)
        began = np.argwhere(np.asarray(record.course.ended[:-1]))
        planes = np.asarray(
            unpacked(record.planes.reshape(-1, record.planes.shape[-1]), (3, 3, 4))
        ).reshape(9, 6, 3, 3, 4)
        assert len(began) > 3
        for row, column in began:
            assert np.array_equal(
                planes[row + 1, column], np.asarray(game.observe(game.parse(text)))
            )
