"""The evaluator's rows say what the game says one position at a time, for every wave size, and nothing is traced twice."""

from __future__ import annotations

import functools
import itertools

import jax
import jax.numpy as jnp
import minimax
import numpy as np
import pytest

from jaxsolve.evaluate import BATCH_SIZES, Evaluator, HeadOutputs, action_bits, canonical_image, shared_evaluator
from jaxsolve.games.game import Outcome
from jaxsolve.games.registry import make

GAMES = {
    "hex-4": range(0, 10),
    "gomoku-5;line=4;win=exact5;knowledge=4t": range(0, 14),
    "go-2;ko=positional;komi=1": range(0, 8),
    "awari": range(0, 150),
}


def actions_in(words: np.ndarray) -> list[int]:
    return np.flatnonzero(np.unpackbits(np.ascontiguousarray(words).view(np.uint8), bitorder="little")).tolist()


class Compiled:
    """A game whose rules are compiled for one position at a time, as the tests call them."""

    def __init__(self, game):
        self.step, self.outcome, self.legal_mask = jax.jit(game.step), jax.jit(game.outcome), jax.jit(game.legal_mask)
        self.key, self.to_move, self.pack = jax.jit(game.key), jax.jit(game.to_move), jax.jit(game.pack)
        self.text, self.children = game.text, getattr(game, "children", None)


compiled = functools.cache(Compiled)


@functools.cache
def pairs(game, plies: range, count: int) -> tuple[list, np.ndarray, np.ndarray]:
    """Positions and one legal action of each, as the evaluator takes them."""
    states = [game.parse(text) for text in itertools.islice(minimax.random_positions(game, plies, 2), count)]
    legal = [np.flatnonzero(compiled(game).legal_mask(state)) for state in states]
    chosen = np.array([choices[i % len(choices)] for i, choices in enumerate(legal)], np.int32)
    return states, np.stack([np.asarray(compiled(game).pack(state)) for state in states]), chosen


def same_row(evaluator: Evaluator, row: np.ndarray, state) -> None:
    """Asserts that a row describes ``state``."""
    game, layout = compiled(evaluator.game), evaluator.layout
    assert np.array_equal(row[: layout.state], np.asarray(game.pack(state)))
    assert np.array_equal(row[layout.key : layout.key + 2], np.asarray(game.key(state))[:2])
    assert int(row[layout.info]) & 7 == int(game.outcome(state))
    assert int(row[layout.info]) >> 3 & 1 == int(game.to_move(state))
    masks = [actions_in(row[layout.masks + k * layout.mask : layout.masks + (k + 1) * layout.mask]) for k in range(3)]
    assert masks[0] == np.flatnonzero(game.legal_mask(state)).tolist()
    after = {action: game.step(state, jnp.int32(action)) for action in masks[0]}
    won = Outcome.FIRST_WINS + int(game.to_move(state))
    if game.children:
        assert masks[1] == [action for action, child in after.items() if int(game.outcome(child)) == won]
    for action in masks[2]:
        assert int(np.asarray(game.legal_mask(after[action])).sum()) == 1
    threat = int(row[layout.threat]) - 1
    if threat >= 0:
        for action, child in after.items():
            if action != threat:
                reply = game.step(child, jnp.int32(threat))
                assert int(game.outcome(reply)) == Outcome.FIRST_WINS + int(game.to_move(child)), (game.text(state), action, threat)


@pytest.mark.parametrize("rule_set", GAMES)
def test_rows_say_what_the_game_says(rule_set):
    game = make(rule_set)
    plain = Evaluator(game, autoplay=False, foresight=False)  # wins seen ahead: test_hex_foresight.py
    states, words, actions = pairs(game, GAMES[rule_set], 16)
    for state, action, row, itself in zip(states, actions, plain(words, actions), plain(words, np.full(16, -1, np.int32)), strict=True):
        same_row(plain, itself, state)
        same_row(plain, row, compiled(game).step(state, jnp.int32(action)))
        assert int(row[plain.layout.info]) >> 16 == 0


def test_forced_replies_are_played_on_the_way():
    game = make("gomoku-5;line=4;win=five-or-more;knowledge=4t")
    evaluator = shared_evaluator(game)
    states, words, actions = pairs(game, range(4, 14), 64)
    replies = 0
    for state, action, row in zip(states, actions, evaluator(words, actions), strict=True):
        child = compiled(game).step(state, jnp.int32(action))
        reply = int(game.forced_reply(child))
        assert (int(row[evaluator.layout.info]) >> 16) - 1 == reply
        if reply >= 0:
            replies += 1
            child = compiled(game).step(child, jnp.int32(reply))
        assert np.array_equal(row[: evaluator.layout.state], np.asarray(game.pack(child)))
    assert replies > 0


def test_a_row_does_not_depend_on_its_wave():
    """Padding is invisible: the same pair gives the same row in a wave of any size."""
    game = make("hex-4")
    evaluator = shared_evaluator(game)
    _, words, actions = pairs(game, range(0, 10), 70)
    whole = evaluator(words, actions)
    assert whole.shape == (70, evaluator.layout.width) and whole.dtype == np.uint32
    for count in (1, 2, 15, 16, 17, 64, 65):
        assert np.array_equal(evaluator(words[:count], actions[:count]), whole[:count])
    with pytest.raises(ValueError, match="4097"):
        evaluator(np.repeat(words[:1], BATCH_SIZES[-1] + 1, 0), np.zeros(BATCH_SIZES[-1] + 1, np.int32))


def test_nothing_is_traced_twice():
    """One trace a batch size, however many sizes of waves and however many searches share the evaluator."""
    game, traces = make("hex-3"), []
    evaluator = Evaluator(game)
    inner = evaluator._wave

    def counted(*arguments):
        traces.append(arguments[0].shape[0])
        return inner(*arguments)

    evaluator._call = jax.jit(counted)
    _, words, actions = pairs(game, range(0, 4), 40)
    for seed, count in enumerate((1, 2, 3, 16, 1, 12, 40, 17, 5)):
        evaluator(words[:count], actions[:count], seed)
    assert sorted(traces) == [16, 64]
    assert evaluator.compile_seconds > 0
    assert shared_evaluator(game) is shared_evaluator(make("hex-3"))


def test_canonical_rows_are_one_for_all_images_of_a_position():
    game = make("hex-4")
    evaluator = shared_evaluator(game, canonical=True)
    states, words, actions = pairs(game, range(0, 10), 16)
    turned = [game.transform(state, jnp.int32(1)) for state in states]
    moved = game.symmetry_actions()[1][actions].astype(np.int32)
    rows = evaluator(words, actions)
    assert np.array_equal(rows, evaluator(np.stack([np.asarray(game.pack(state)) for state in turned]), moved))
    for state, action, row in zip(states, actions, rows, strict=True):
        image, symmetry = canonical_image(game, game.step(state, jnp.int32(action)))
        assert np.array_equal(row[: evaluator.layout.state], np.asarray(game.pack(image)))
        packed, taken = evaluator.images(np.asarray(game.pack(game.step(state, jnp.int32(action))))[None])
        assert np.array_equal(packed[0], np.asarray(game.pack(image))) and int(taken[0]) == int(symmetry)


def test_playouts_are_means_of_finished_games():
    """Values follow the seed, lie in [-1, 1], and are exact where the game is over or has one end."""
    game = make("hex-3")
    evaluator = Evaluator(game, playouts=4)
    _, words, actions = pairs(game, range(0, 6), 16)
    rows, again, other = (evaluator(words, actions, seed) for seed in (1, 1, 2))
    at = evaluator.layout.values
    values = rows[:, at].view(np.float32)
    assert np.array_equal(rows, again) and not np.array_equal(rows, other)
    assert (np.abs(values) <= 1).all() and set((values * 2).tolist()) <= set(range(-2, 3))
    over = (rows[:, evaluator.layout.info] & 7) != 0
    assert (values[over] == -1).all()  # the side to move has lost
    last = np.asarray(game.pack(game.parse("XOX/OXO/.OX w")))  # one cell left, White's
    row = evaluator(last[None], np.full(1, -1, np.int32), 3)
    end = game.outcome(game.step(game.unpack(last), jnp.int32(6)))
    assert row[0, at : at + 1].view(np.float32)[0] == (1 if int(end) == Outcome.SECOND_WINS else -1)


def test_estimates_of_a_network_reach_the_rows():
    game = make("awari")

    def heads(planes, legal):
        count = planes.shape[0]
        prior = jnp.where(legal, jnp.arange(6) / 10.0, 0.9)
        return HeadOutputs(prior, planes.astype(jnp.float32).mean((1, 2, 3)), jnp.tile(jnp.array([1.5, 2.5]), (count, 1)))

    evaluator = Evaluator(game, heads=heads)
    layout = evaluator.layout
    states, words, _ = pairs(game, range(0, 100), 16)
    for state, row in zip(states, evaluator(words, np.full(16, -1, np.int32)), strict=True):
        value, first, second = row[layout.values : layout.values + 3].view(np.float32)
        assert value == pytest.approx(float(np.asarray(game.observe(state)).mean()), abs=1e-6) and (first, second) == (1.5, 2.5)
        priors = row[layout.priors :].view(np.uint16)[:6] / 65535
        assert np.allclose(priors, np.where(game.legal_mask(state), np.arange(6) / 10, 0), atol=1e-4)
        same_row(evaluator, row, state)


@pytest.mark.parametrize("count", [1, 31, 32, 33, 82, 225])
def test_action_bits(count):
    mask = np.random.default_rng(count).random(count) < 0.5
    assert actions_in(np.asarray(action_bits(jnp.asarray(mask)))) == np.flatnonzero(mask).tolist()
