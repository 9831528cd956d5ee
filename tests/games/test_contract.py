"""Laws of every game, on random play of every family of rule sets.

A new game needs an entry of ``RULE_SETS`` only.
"""

import copy
import dataclasses
import functools
import pickle
import re

import chex
import jax
import jax.numpy as jnp
import numpy as np
import pytest

from jaxsolve.games import (
    EvaluatesChildren,
    Outcome,
    available,
    describe,
    make,
    random_legal_action,
)

TSUMEGO = (
    "tsumego-5;goal=live;defender=black;crucial=B2,C2;"
    "region=A1,B1,C1,D1,A2,B2,C2,D2,A3,B3,C3,D3;ko_white=forbid"
)
RULE_SETS = {  # rule set: the position that random games start from, if not the game's own
    "awari": "3,0,1,2,0,5/1,2,0,4,0,1 s captured=15:14",
    "go-3;ko=positional;komi=0": "",
    "gomoku-6;line=4;win=exact5;knowledge=4t": "",
    "gomoku-7;line=5;win=five-or-more;knowledge=ndk": "",
    "hex-4": "",
    "killallgo-7;ko=situational;passes=stones": "",
    "knightthrough-5;rules=all": "",
    "killallgo-9;ko=simple;fill_eyes=false": "",
    "knightthrough-8": "",
    "loa-4;simultaneous=draw;no_moves=pass": "",
    "loa-7;simultaneous=mover;no_moves=loss": "",
    "minishogi": "..k../...../..P../..p../..K.. b hands=RBGSrbgs",
    "slither-4": "",
    TSUMEGO: "...../...../..O../.XXO./..... w",
}
BOARDS, PLIES = 32, 60
every_rule_set = pytest.mark.parametrize("rule_set", RULE_SETS)


@functools.partial(jax.jit, static_argnums=0)
def record(game, first, key):
    """Results of the game's functions on every position of random games.

    Leaves are [PLIES, BOARDS, ...]. A game that ends is followed by a new one.
    """

    def results(state):
        legal, outcome = game.legal_and_outcome(state)
        again = game.unpack(game.pack(state))
        leaves = zip(jax.tree.leaves(state), jax.tree.leaves(again), strict=True)
        equal = jnp.all(jnp.array([jnp.all(x == y) for x, y in leaves]))
        return {
            "words": game.pack(state),
            "mask": game.legal_mask(state),
            "outcome": game.outcome(state),
            "legal": legal,
            "joint outcome": outcome,
            "side": game.to_move(state),
            "key": game.key(state),
            "observation": game.observe(state),
            "unpacked": equal,
        }

    def ply(states, key):
        seen = jax.vmap(results)(states)
        seen["action"] = jax.vmap(random_legal_action)(jax.random.split(key, BOARDS), seen["mask"])
        moved = jax.vmap(game.step)(states, seen["action"])
        over = seen["outcome"] != Outcome.ONGOING
        fresh = jax.tree.map(lambda x: jnp.broadcast_to(x, (BOARDS, *x.shape)), first)
        after = jax.tree.map(
            lambda new, old: jnp.where(over.reshape((-1,) + (1,) * (old.ndim - 1)), new, old),
            fresh,
            moved,
        )
        return after, seen

    start = jax.tree.map(lambda x: jnp.broadcast_to(x, (BOARDS, *x.shape)), first)
    return jax.lax.scan(ply, start, jax.random.split(key, PLIES))[1]


def first(rule_set):
    """The position that random games start from."""
    game = make(rule_set)
    return game.parse(RULE_SETS[rule_set]) if RULE_SETS[rule_set] else game.init()


@functools.cache
def step_traced_once(rule_set):
    chex.clear_trace_counter()
    return jax.jit(chex.assert_max_traces(make(rule_set).step, n=1))


@functools.cache
def played(rule_set):
    """The game and, as numpy arrays [PLIES, BOARDS, ...], a record of random play."""
    game = make(rule_set)
    return game, {
        name: np.asarray(value)
        for name, value in record(game, first(rule_set), jax.random.key(7)).items()
    }


def state_of(game, words):
    return game.unpack(jnp.asarray(words))


def some_positions(rule_set, every):
    """(state, words, mask, key, outcome) of every ``every``-th position."""
    game, seen = played(rule_set)
    flat = [
        seen[name].reshape(PLIES * BOARDS, *seen[name].shape[2:])
        for name in ("words", "mask", "key", "outcome")
    ]
    for i in range(0, PLIES * BOARDS, every):
        yield (state_of(game, flat[0][i]), *(x[i] for x in flat))


def test_every_registered_game_has_an_entry():
    here = [make(rule_set).rule_set for rule_set in RULE_SETS]
    for base in available():
        assert any(rules.startswith(describe(base).stem) for rules in here), base


@every_rule_set
def test_are_positions_accepts_positions_of_play_and_rejects_random_words(rule_set):
    game, seen = played(rule_set)
    words = seen["words"].reshape(PLIES * BOARDS, -1)
    assert game.are_positions(game.host_unpack(words)).all()
    rng = np.random.default_rng(0)
    noise = rng.integers(0, 1 << 32, words.shape, np.uint32)
    assert not game.are_positions(game.host_unpack(noise)).any()
    flipped = words ^ np.uint32(1) << rng.integers(0, 32, words.shape, np.uint32)
    assert game.are_positions(game.host_unpack(flipped)).mean() < 0.1


@every_rule_set
def test_a_game_is_a_frozen_hashable_value_named_by_its_rule_set(rule_set):
    game = make(rule_set)
    assert dataclasses.is_dataclass(game) and len({game, make(game.rule_set)}) == 1
    with pytest.raises(dataclasses.FrozenInstanceError):
        game.rule_set_of_mine = 1
    assert game.rule_set.split(";")[0].split("-")[0] in game.rule_set and len(game.players) == 2


@pytest.mark.short(5)
@every_rule_set
def test_a_game_pickles_before_and_after_use(rule_set):
    game = make(rule_set)
    unused = pickle.loads(pickle.dumps(game))
    state = game.parse(game.text(first(rule_set)))
    game.step(state, int(np.flatnonzero(game.legal_mask(state))[0]))
    assert game.num_symmetries and game.state_words and game.kernel
    pickled = pickle.dumps(game)
    used = pickle.loads(pickled)
    assert (
        unused == used == game
        and hash(unused) == hash(used) == hash(game)
        and used.rule_set == game.rule_set
    )
    assert len(pickled) == len(pickle.dumps(make(rule_set))) < 1000 and vars(used) == vars(
        make(rule_set)
    )
    assert used.text(used.init()) == game.text(game.init()) and copy.deepcopy(game) == game


@pytest.mark.short(8)
@every_rule_set
def test_there_are_legal_moves_exactly_while_the_game_goes_on(rule_set):
    _, seen = played(rule_set)
    np.testing.assert_array_equal(seen["mask"].any(axis=-1), seen["outcome"] == Outcome.ONGOING)
    assert set(np.unique(seen["side"])) == {0, 1} and (seen["outcome"] != Outcome.ONGOING).any()
    if not played(rule_set)[0].may_draw:
        assert not (seen["outcome"] == Outcome.DRAW).any()


@every_rule_set
def test_legal_and_outcome_equals_legal_mask_and_outcome(rule_set):
    _, seen = played(rule_set)
    legal, mask = seen["legal"], seen["mask"]
    assert (seen["joint outcome"] == seen["outcome"]).all()
    bits = (legal[..., None] >> np.arange(32, dtype=np.uint32) & 1).reshape(*legal.shape[:-1], -1)
    assert (
        legal.shape[-1] == -(-mask.shape[-1] // 32)
        and (bits[..., : mask.shape[-1]] == mask).all()
        and not bits[..., mask.shape[-1] :].any()
    )


@every_rule_set
def test_unpack_is_the_inverse_of_pack(rule_set):
    game, seen = played(rule_set)
    assert (
        seen["unpacked"].all()
        and seen["words"].shape[-1] == game.state_words
        and seen["words"].dtype == np.uint32
    )


def test_a_go_9x9_state_takes_at_most_64_bytes():
    assert 4 * make("go-9").state_words <= 64 and 4 * make("killallgo-9").state_words <= 64


@every_rule_set
def test_keys_are_equal_exactly_where_positions_are(rule_set):
    """Texts are compared up to the order of the history: only its set of boards matters to play."""
    game, seen = played(rule_set)
    texts, keys = {}, {}
    for state, _words, _, key, _ in some_positions(rule_set, 7):
        text = re.sub(
            r"history=(\S+)",
            lambda m: "history=" + ";".join(sorted(m[1].split(";"))),
            game.text(state),
        )
        assert texts.setdefault(tuple(key), text) == text
        assert keys.setdefault(text, tuple(key)) == tuple(key)
    assert len(texts) == len(keys) > 60
    flat = np.unique(
        np.concatenate([seen["words"], seen["key"]], axis=-1).reshape(-1, game.state_words + 4),
        axis=0,
    )
    assert len(np.unique(flat[:, : game.state_words], axis=0)) == len(flat)
    # Each of the four lanes alone differs between positions.
    distinct = np.unique(flat[:, -4:], axis=0)
    assert all(len(np.unique(distinct[:, lane])) == len(distinct) for lane in range(4))


@every_rule_set
def test_text_and_parse_are_inverse(rule_set):
    game, _ = played(rule_set)
    for state, words, _, _, _ in some_positions(rule_set, 41):
        text = game.text(state)
        again = game.parse(text)
        np.testing.assert_array_equal(np.asarray(game.pack(again)), words, err_msg=text)
        assert game.text(again) == text and "\n" not in text and text == text.strip()
    for garbage in ("", "?", game.text(game.init()) + " nonsense", "x" * 100):
        with pytest.raises(ValueError):
            game.parse(garbage)


@every_rule_set
def test_action_text_and_parse_action_are_inverse(rule_set):
    game, _ = played(rule_set)
    for state, _, mask, _, _ in some_positions(rule_set, 163):
        names = [game.action_text(int(action), state) for action in np.flatnonzero(mask)]
        assert len(set(names)) == len(names)
        assert [game.parse_action(name, state) for name in names] == list(np.flatnonzero(mask))
    for garbage in ("", "?", "Z99", "99"):
        with pytest.raises(ValueError):
            game.parse_action(garbage, game.init())


@every_rule_set
def test_observation_and_cells_have_the_board_shape(rule_set):
    game, seen = played(rule_set)
    assert seen["observation"].dtype == bool and seen["observation"].ndim == 5
    cells = game.cells(game.init())
    assert cells.dtype == np.int8 and cells.shape == seen["observation"].shape[2:4]


@pytest.mark.short(7)
@every_rule_set
def test_a_single_board_gives_the_same_as_a_batch(rule_set):
    game, seen = played(rule_set)
    step = step_traced_once(rule_set)
    results = jax.jit(lambda s: (game.legal_mask(s), game.outcome(s), game.key(s)))
    ongoing = np.argwhere(seen["outcome"][:-1] == Outcome.ONGOING)
    for ply, board in ongoing[:: len(ongoing) // 8]:
        after = step(
            state_of(game, seen["words"][ply, board]), jnp.int32(seen["action"][ply, board])
        )
        np.testing.assert_array_equal(game.pack(after), seen["words"][ply + 1, board])
        for ours, name in zip(results(after), ("mask", "outcome", "key"), strict=True):
            np.testing.assert_array_equal(ours, seen[name][ply + 1, board])


@every_rule_set
def test_nothing_retraces(rule_set):
    """States from ``init``, ``step``, ``parse`` and ``unpack`` have the same types."""
    game, _ = played(rule_set)
    step, state = step_traced_once(rule_set), first(rule_set)
    action = jnp.asarray(np.flatnonzero(game.legal_mask(state))[0], jnp.int32)
    for start in (
        state,
        game.init(),
        game.parse(game.text(state)),
        game.unpack(game.pack(state)),
        step(state, action),
    ):
        step(start, action)
    chex.assert_trees_all_equal_shapes_and_dtypes(
        state, game.parse(game.text(state)), step(state, action)
    )


@functools.partial(jax.jit, static_argnums=0)
def both_ways(game, words, actions, turns):
    """Results of "move, then turn" and of "turn, then move" of a batch, as pairs."""
    states = jax.vmap(game.unpack)(words)
    images = jnp.asarray(game.symmetry_actions())[turns]
    turned = jax.vmap(game.transform)(states, turns)
    turned_actions = jnp.take_along_axis(images, actions[:, None], axis=1)[:, 0]
    everything = jax.tree.map(lambda x, y: jnp.concatenate([x, y]), states, turned)
    after = jax.vmap(game.step)(everything, jnp.concatenate([actions, turned_actions]))
    moved_then_turned = jax.vmap(game.transform)(
        jax.tree.map(lambda x: x[: len(words)], after), turns
    )
    masks = jax.vmap(game.legal_mask)(everything)
    cells, shown = jnp.asarray(game.symmetry_cells())[turns], jax.vmap(game.observe)(everything)
    shown = shown.reshape(len(shown), cells.shape[1], -1)
    return {
        "steps": (jax.vmap(game.pack)(moved_then_turned), jax.vmap(game.pack)(after)[len(words) :]),
        "masks": (masks[: len(words)], jnp.take_along_axis(masks[len(words) :], images, axis=1)),
        "outcomes": jnp.split(jax.vmap(game.outcome)(everything), 2),
        "cells": (
            shown[: len(words)],
            jnp.take_along_axis(shown[len(words) :], cells[:, :, None], axis=1),
        ),
    }


@pytest.mark.short(8)
@every_rule_set
def test_symmetries_commute_with_the_rules(rule_set):
    game, seen = played(rule_set)
    images = game.symmetry_actions()
    assert images.shape == (game.num_symmetries, game.num_actions) and images.dtype == np.int32
    assert (np.sort(images, axis=1) == np.arange(game.num_actions)).all() and (
        images[0] == np.arange(game.num_actions)
    ).all()
    assert (
        np.sort(game.symmetry_cells(), axis=1) == np.arange(game.symmetry_cells().shape[1])
    ).all()
    if game.num_symmetries == 1:
        return
    ongoing = seen["outcome"] == Outcome.ONGOING
    words, actions = (jnp.asarray(seen[name][ongoing][::5]) for name in ("words", "action"))
    turns = jnp.arange(len(words)) % game.num_symmetries
    for name, (one, other) in both_ways(game, words, actions, turns).items():
        np.testing.assert_array_equal(one, other, err_msg=name)


@functools.partial(jax.jit, static_argnums=0)
def families(game, words):
    """``Game.children`` of a position and, by stepping, outcome and mask of every child."""
    state = game.unpack(words)
    after = jax.vmap(game.step, in_axes=(None, 0))(state, jnp.arange(game.num_actions))
    return game.children(state), jax.vmap(game.outcome)(after), jax.vmap(game.legal_mask)(after)


@every_rule_set
def test_children_equal_the_results_of_stepping(rule_set):
    game, seen = played(rule_set)
    if not isinstance(game, EvaluatesChildren):
        return
    flat = {name: value.reshape(-1, *value.shape[2:])[::9] for name, value in seen.items()}
    children, outcomes, masks = jax.tree.map(
        np.asarray, jax.vmap(functools.partial(families, game))(jnp.asarray(flat["words"]))
    )
    bits = np.arange(game.num_actions)

    def members(words):
        return (words[:, bits // 32] >> (bits % 32).astype(np.uint32) & 1).astype(bool)

    legal, wins = members(children.legal), members(children.wins)
    np.testing.assert_array_equal(legal, flat["mask"])
    mover_wins = np.where(flat["side"] == 0, Outcome.FIRST_WINS, Outcome.SECOND_WINS)[:, None]
    np.testing.assert_array_equal(wins, legal & (outcomes == mover_wins))
    forced = members(children.forced)
    assert not (forced & (~legal | wins)).any() and (masks.sum(axis=-1)[forced] == 1).all()
    np.testing.assert_array_equal(children.reply, np.where(forced, masks.argmax(axis=-1), -1))
