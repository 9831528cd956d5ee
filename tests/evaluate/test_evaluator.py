"""The evaluator's rows equal the game's functions, for every wave size, and nothing is retraced."""

from __future__ import annotations

import concurrent.futures
import dataclasses
import functools
import itertools
import threading

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from jaxsolve.core.action_sets import bool_to_actions
from jaxsolve.core.process import cpu_seconds
from jaxsolve.evaluate import BATCH_SIZES, NONE, Evaluator, Heads, canonical_image, shared_evaluator
from jaxsolve.games.game import Outcome
from jaxsolve.games.hex import Hex
from jaxsolve.games.registry import make
from support.oracles import minimax

GAMES = {
    "hex-4": range(0, 10),
    "gomoku-5;line=4;win=exact5;knowledge=4t": range(0, 14),
    "go-2;ko=positional;komi=1": range(0, 8),
    "slither-4": range(0, 14),
    "knightthrough-5": range(0, 20),
    "loa-4": range(0, 20),
    "awari": range(0, 150),
    "minishogi": range(0, 60),
}


def actions_in(words: np.ndarray) -> list[int]:
    return np.flatnonzero(
        np.unpackbits(np.ascontiguousarray(words).view(np.uint8), bitorder="little")
    ).tolist()


class Compiled:
    """A game whose rules are compiled for one position at a time, as the tests call them."""

    def __init__(self, game):
        self.step, self.outcome, self.legal_mask = (
            jax.jit(game.step),
            jax.jit(game.outcome),
            jax.jit(game.legal_mask),
        )
        self.key, self.to_move, self.pack = (
            jax.jit(game.key),
            jax.jit(game.to_move),
            jax.jit(game.pack),
        )
        self.text, self.children = game.text, getattr(game, "children", None)


compiled = functools.cache(Compiled)


@functools.cache
def pairs(game, plies: range, count: int) -> tuple[list, np.ndarray, np.ndarray]:
    """Positions and one legal action of each, in the form of the evaluator."""
    states = [
        game.parse(text)
        for text in itertools.islice(minimax.random_positions(game, plies, 2), count)
    ]
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
    masks = [
        actions_in(row[layout.masks + k * layout.mask : layout.masks + (k + 1) * layout.mask])
        for k in range(3)
    ]
    assert masks[0] == np.flatnonzero(game.legal_mask(state)).tolist()
    after = {action: game.step(state, jnp.int32(action)) for action in masks[0]}
    won = Outcome.FIRST_WINS + int(game.to_move(state))
    if game.children:
        assert masks[1] == [
            action for action, child in after.items() if int(game.outcome(child)) == won
        ]
    for action in masks[2]:
        assert int(np.asarray(game.legal_mask(after[action])).sum()) == 1
    threat = int(row[layout.threat]) - 1
    if threat >= 0:
        for action, child in after.items():
            if action != threat:
                reply = game.step(child, jnp.int32(threat))
                assert int(game.outcome(reply)) == Outcome.FIRST_WINS + int(game.to_move(child)), (
                    game.text(state),
                    action,
                    threat,
                )


@pytest.mark.parametrize("rule_set", GAMES)
def test_rows_equal_the_functions_of_the_game(rule_set):
    game = make(rule_set)
    plain = Evaluator(game, autoplay=False, zones=False)  # wins seen ahead: test_detected_wins.py
    states, words, actions = pairs(game, GAMES[rule_set], 16)
    for state, action, row, itself in zip(
        states, actions, plain(words, actions), plain(words, np.full(16, -1, np.int32)), strict=True
    ):
        same_row(plain, itself, state)
        same_row(plain, row, compiled(game).step(state, jnp.int32(action)))
        assert int(row[plain.layout.info]) >> 16 == 0


def test_forced_replies_are_played():
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
        evaluator(
            np.repeat(words[:1], BATCH_SIZES[-1] + 1, 0), np.zeros(BATCH_SIZES[-1] + 1, np.int32)
        )


def counting(base):
    """(a game with the rules of ``base`` that no compiled call was made for, the list of batches in
    which its ``step`` is traced).
    """
    traces = []

    @dataclasses.dataclass(frozen=True)
    class Counted(type(base)):
        @property
        def kernel(self):
            return self

        def step(self, state, action):
            traces.append(1)
            return super().step(state, action)

    return Counted(
        **{field.name: getattr(base, field.name) for field in dataclasses.fields(base)}
    ), traces


def test_nothing_is_traced_twice():
    """One trace a batch size, for any wave sizes and evaluators of one setting."""
    game, traces = counting(Hex(3, knowledge=False))
    evaluator = Evaluator(game)
    _, words, actions = pairs(make("hex-3"), range(0, 4), 40)
    for seed, count in enumerate((1, 2, 3, 16, 1, 12)):
        evaluator(words[:count], actions[:count], seed)
    once = len(traces)
    for seed, count in enumerate((40, 17, 5, 64, 1)):
        evaluator(words[:count], actions[:count], seed)
    assert once > 0 and len(traces) == 2 * once
    assert evaluator.compile_seconds > 0
    again = Evaluator(game)
    again(words, actions)
    assert len(traces) == 2 * once and again.compile_seconds == 0
    assert shared_evaluator(game) is shared_evaluator(game) and shared_evaluator(
        make("hex-3")
    ) is shared_evaluator(make("hex-3"))


def test_compile_leaves_nothing_to_compile():
    game, traces = counting(Hex(3, knowledge=False))
    evaluator = Evaluator(game)
    evaluator.compile((1, 30))
    spent, seen = evaluator.compile_seconds, len(traces)
    assert spent > 0
    _, words, actions = pairs(make("hex-3"), range(0, 4), 40)
    for count in (1, 16, 17, 40):
        evaluator(words[:count], actions[:count])
    assert (evaluator.compile_seconds, len(traces)) == (spent, seen)


def test_threads_that_need_the_same_call_compile_it_once():
    """A waiting thread is not charged, no CPU second is counted twice, and all get results."""
    game, traces = counting(make("awari"))
    evaluators = [Evaluator(game), Evaluator(game), Evaluator(game), Evaluator(game, playouts=1)]
    _, words, actions = pairs(make("awari"), range(0, 100), 16)
    barrier = threading.Barrier(4)

    def look(evaluator):
        barrier.wait()
        return evaluator(words, actions)

    start = cpu_seconds()
    with concurrent.futures.ThreadPoolExecutor(4) as pool:
        rows = list(pool.map(look, evaluators))
    assert all(np.array_equal(rows[0], other[:, : rows[0].shape[1]]) for other in rows)
    spent = [evaluator.compile_seconds for evaluator in evaluators]
    assert (
        sum(seconds > 0 for seconds in spent[:3]) == 1
        and spent[3] > 0
        and sum(spent) <= cpu_seconds() - start
    )
    seen = len(traces)
    Evaluator(game)(words, actions)
    assert len(traces) == seen


def test_all_images_of_a_position_have_one_canonical_row():
    game = make("hex-4")
    evaluator = shared_evaluator(game, canonical=True)
    states, words, actions = pairs(game, range(0, 10), 16)
    turned = [game.transform(state, jnp.int32(1)) for state in states]
    moved = game.symmetry_actions()[1][actions].astype(np.int32)
    rows = evaluator(words, actions)
    assert np.array_equal(
        rows, evaluator(np.stack([np.asarray(game.pack(state)) for state in turned]), moved)
    )
    for state, action, row in zip(states, actions, rows, strict=True):
        image, symmetry = canonical_image(game, game.step(state, jnp.int32(action)))
        assert np.array_equal(row[: evaluator.layout.state], np.asarray(game.pack(image)))
        packed, taken = evaluator.images(
            np.asarray(game.pack(game.step(state, jnp.int32(action))))[None]
        )
        assert np.array_equal(packed[0], np.asarray(game.pack(image))) and int(taken[0]) == int(
            symmetry
        )


def test_playouts_are_means_of_finished_games():
    """Values follow the seed, lie in [-1, 1], and are exact at or just before the end."""
    game = Hex(3, knowledge=False)
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


@pytest.mark.parametrize("rule_set", [*GAMES, "killallgo-7", "hex-19"])
def test_offsets_name_every_word_once(rule_set):
    """Words do not overlap and fill the row; absent words have no offset."""
    game, said = make(rule_set), lambda params, planes, legal: None
    for options in (
        {},
        {"heads": Heads(said, {})},
        {"heads": Heads(said, {}, most_cost=9.0)},
        {"playouts": 1},
        {"zones": False},
    ):
        layout = Evaluator(game, **options).layout
        at, masks = layout.offsets, layout.mask
        lengths = dict(
            key=2,
            info=1,
            threat=1,
            first=1,
            legal=masks,
            wins=masks,
            forcing=masks,
            zone=masks,
            value=1,
            costs=2,
            priors=-(-at.actions // 2),
        )
        words = list(range(at.state))
        for name, length in lengths.items():
            if getattr(at, name) != NONE:
                words += range(getattr(at, name), getattr(at, name) + length)
        assert words == list(range(at.width)) and all(type(value) is int for value in at)
        assert (at.state, at.mask, at.actions, at.width) == (
            layout.state,
            layout.mask,
            layout.actions,
            layout.width,
        )
        assert (at.zone != NONE) == (rule_set.startswith("hex") and "zones" not in options)
        assert (at.value != NONE) == ("heads" in options or "playouts" in options)
        assert (at.costs != NONE) == ("heads" in options and options["heads"].most_cost > 0)
        assert (at.priors != NONE) == ("heads" in options)


@pytest.mark.parametrize("count", [1, 31, 32, 33, 82, 225])
def test_action_bits(count):
    mask = np.random.default_rng(count).random(count) < 0.5
    assert (
        actions_in(np.asarray(bool_to_actions(jnp.asarray(mask)))) == np.flatnonzero(mask).tolist()
    )


def test_life_and_death_problems_share_compiled_code():
    """Rule sets that differ in their states only (crucial stones, goal, ko) compile once."""
    rules = "tsumego-3;defender=white;goal={};crucial={};ko_black={}"
    games = [
        make(rules.format(*options))
        for options in (("kill", "any", "allow"), ("live", "A1,B2", "forbid"))
    ]
    rng, over = np.random.default_rng(0), set()
    for game in games:
        evaluator, state = Evaluator(game), game.parse("..X/.OX/O.. b")
        assert evaluator._calls is Evaluator(games[0])._calls
        own = jax.jit(
            jax.vmap(
                lambda words, game=game: (
                    game.outcome(game.unpack(words)),
                    game.legal_mask(game.unpack(words)),
                )
            )
        )
        at, words, actions = (
            evaluator.layout.offsets,
            np.repeat(np.asarray(game.pack(state))[None], 8, 0),
            np.full(8, -1, np.int32),
        )
        for _ in range(12):
            rows = evaluator(words, actions)
            words = rows[:, : at.state]
            for row, outcome, legal in zip(rows, *own(words), strict=True):
                assert (
                    int(row[at.info]) & 7 == int(outcome)
                    and actions_in(row[at.legal : at.wins]) == np.flatnonzero(legal).tolist()
                )
                over.add((game, int(outcome)))
            actions = np.array(
                [rng.choice(actions_in(row[at.legal : at.wins]) or [-1]) for row in rows], np.int32
            )
    assert (
        {game for game, outcome in over if outcome == 0}
        == set(games)
        == {game for game, outcome in over if outcome}
    )
    assert (
        Evaluator(games[0], canonical=True)._calls is not Evaluator(games[1], canonical=True)._calls
    )  # their symmetries differ
