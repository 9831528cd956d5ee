"""Networks that see earlier boards get those of the path, and none if it is unknown."""

from __future__ import annotations

import functools

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from jaxsolve.evaluate import Evaluator, GamePlanes, HeadOutputs, Heads, History
from jaxsolve.games.go.colour_planes import ColourPlanes
from jaxsolve.games.registry import make

SCALE = 2.0**-22  # of the sums, so that they are valid values and costs


def fingerprint(params, planes, legal):
    """Three sums over the planes, exact in float32: outputs that identify the input."""
    size = planes[0].size
    numbers = np.random.default_rng(0).integers(1, 1 << 10, (3, size))
    sums = planes.reshape(len(planes), size).astype(jnp.int32) @ jnp.asarray(numbers.T, jnp.int32)
    return HeadOutputs(
        legal / legal.shape[1],
        sums[:, 0].astype(jnp.float32) * SCALE,
        sums[:, 1:].astype(jnp.float32) * SCALE,
    )


def seen(planes):
    """``fingerprint`` of planes bool[H, W, C]."""
    numbers = np.random.default_rng(0).integers(1, 1 << 10, (3, planes.size))
    return (numbers @ planes.reshape(-1).astype(np.int64)).tolist()


def by_colour(cells, side, count):
    """PEERS-like planes from int8[N, N] boards (0, 1 Black, 2 White), newest first: each board's
    black and white stones, then who is to move.
    """
    planes = []
    for ply in range(count):
        board = cells[ply] if ply < len(cells) else np.zeros_like(cells[0])
        planes += [board == 1, board == 2]
    ones = np.ones(cells[0].shape, bool)
    return np.stack([*planes, ones & (side == 0), ones & (side == 1)], axis=-1)


def by_player(cells, side, count):
    """AlphaGo Zero's planes: each board's stones of the player to move and of the opponent, then
    ones where White is to move.
    """
    planes = []
    for ply in range(count):
        board = cells[ply] if ply < len(cells) else np.zeros_like(cells[0])
        planes += [board == 1 + side, board == 2 - side]
    return np.stack([*planes, np.full(cells[0].shape, side == 1)], axis=-1)


@functools.cache
def random_game(rule_set, seed, plies):
    """Packed positions, boards and sides to move of a game at random, with more passes than chance
    would play.
    """
    game, rng, after = make(rule_set), np.random.default_rng(seed), stepper(rule_set)
    words, choices = (
        np.asarray(game.pack(game.init())),
        np.flatnonzero(game.legal_mask(game.init())),
    )
    path, states = [words], [game.init()]
    while len(path) < plies and len(choices):
        words, legal = after(
            words, jnp.int32(choices[-1] if rng.random() < 0.1 else rng.choice(choices))
        )
        choices = np.flatnonzero(legal)
        path.append(np.asarray(words))
        states.append(game.unpack(path[-1]))
    return (
        path,
        [game.cells(state) for state in states],
        [int(game.to_move(state)) for state in states],
    )


@functools.cache
def stepper(rule_set):
    game = make(rule_set)

    @jax.jit
    def after(words, action):
        state = game.step(game.unpack(words), action)
        return game.pack(state), game.legal_mask(state)

    return after


def told(evaluator, states, history=None):
    """What the network says of packed positions, three sums each; the rules are not asked."""
    rows = np.zeros((len(states), evaluator.layout.width), np.uint32)
    rows[:, : evaluator.layout.state] = states
    at = evaluator.layout.offsets.value
    said = evaluator.fill(rows, evaluator.estimate(rows, np.arange(len(rows)), history))[
        :, at : at + 3
    ].view(np.float32)
    return (said / np.float32(SCALE)).tolist()


def history_of(path, boards):
    """The history of the last position of each prefix of a game."""
    packed = np.zeros((len(path), boards - 1, len(path[0])), np.uint32)
    for i in range(len(path)):
        for ply in range(1, boards):
            packed[i, ply - 1] = path[i - ply] if ply <= i else 0xDEADBEEF  # must not be read
    return History(packed, np.minimum(np.arange(len(path)), boards - 1).astype(np.int32))


@pytest.mark.short(2)
@pytest.mark.parametrize(
    ("rule_set", "planes", "oracle"),
    [
        ("killallgo-9", ColourPlanes(), by_colour),
        ("go-3;ko=positional", ColourPlanes(4), by_colour),
        ("tsumego-4;goal=kill;defender=white;crucial=any", ColourPlanes(2), by_colour),
        ("go-5", GamePlanes(), by_player),
    ],
)
def test_planes_show_the_boards_of_the_path(rule_set, planes, oracle):
    """Against planes drawn from the boards of random games: with captures, passes, and games
    shorter than the history.
    """
    evaluator = Evaluator(make(rule_set), heads=Heads(fingerprint, {}, planes, most_cost=1.0))
    captured = passed = 0
    for seed in range(3):
        path, cells, sides = random_game(rule_set, seed, 60)
        along, alone = told(evaluator, path, history_of(path, planes.boards)), told(evaluator, path)
        for i in range(len(path)):
            newest_first = [cells[j] for j in range(i, -1, -1)]
            assert along[i] == seen(oracle(newest_first, sides[i], planes.boards))
            assert alone[i] == seen(oracle(newest_first[:1], sides[i], planes.boards))
            stones = [np.count_nonzero(board) for board in newest_first[:2]]
            captured += stones[0] < stones[-1]
            passed += i > 0 and stones[0] == stones[-1]
    assert passed and captured


def test_chosen_rows_have_their_own_histories():
    """Histories follow the chosen rows, in their order, in any wave."""
    evaluator = Evaluator(make("go-5"), heads=Heads(fingerprint, {}, ColourPlanes(), most_cost=1.0))
    path, _, _ = random_game("go-5", 0, 60)
    history = history_of(path, 8)
    whole = evaluator(np.stack(path), np.full(len(path), -1, np.int32), 0, history)
    rows = evaluator.collect(
        evaluator.submit(np.stack(path), np.full(len(path), -1, np.int32)), len(path)
    )
    which = np.random.default_rng(1).permutation(len(path))[: len(path) // 2]
    evaluator.fill(
        rows, evaluator.estimate(rows, which, History(history.states[which], history.counts[which]))
    )
    at = evaluator.layout.offsets.value
    assert np.array_equal(rows[which], whole[which])
    assert (whole[:, at : at + 3].view(np.float32) / np.float32(SCALE)).tolist() == told(
        evaluator, path, history
    )


def test_impossible_histories_are_refused():
    heads = Heads(fingerprint, {}, ColourPlanes(), most_cost=1.0)
    with pytest.raises(ValueError, match="shows none"):
        Evaluator(make("hex-3"), heads=heads)
    with pytest.raises(ValueError, match="transforms positions"):
        Evaluator(make("go-3"), heads=heads, canonical=True)
    evaluator = Evaluator(make("go-3"), heads=heads)
    rows = np.zeros((1, evaluator.layout.width), np.uint32)
    with pytest.raises(ValueError, match="7 earlier boards"):
        evaluator.estimate(
            rows,
            np.zeros(1, np.int64),
            History(np.zeros((1, 3, evaluator.layout.state), np.uint32), np.zeros(1, np.int32)),
        )
