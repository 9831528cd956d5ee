"""Hex's kernels equal pgx, open_spiel and a plain implementation of the rules in random play."""

import os

import chex
import jax
import jax.numpy as jnp
import numpy as np
import pytest

from jaxsolve.core.action_sets import actions_to_bool
from jaxsolve.core.bitboard import NEIGHBOURS
from jaxsolve.games.game import EvaluatesChildren, HasForcedReply, Outcome
from jaxsolve.games.hex import Hex

LONG = os.environ.get("JAXSOLVE_LONG") == "1"
PLIES = 100_000 if LONG else 10_000


def reached(stones: np.ndarray, start: np.ndarray) -> np.ndarray:
    """bool[H, W]: stones connected to a stone of ``start``."""
    found, stack = np.zeros_like(stones), [tuple(p) for p in np.argwhere(stones & start)]
    while stack:
        r, c = stack.pop()
        if (
            0 <= r < stones.shape[0]
            and 0 <= c < stones.shape[1]
            and stones[r, c]
            and not found[r, c]
        ):
            found[r, c] = True
            stack += [(r + dr, c + dc) for dr, dc in NEIGHBOURS[6]]
    return found


def edges(size: int, colour: int) -> tuple[np.ndarray, np.ndarray]:
    first, second = np.zeros((size, size), bool), np.zeros((size, size), bool)
    first[0], second[-1] = True, True
    return (first, second) if colour == 0 else (first.T, second.T)


def connected(stones: np.ndarray, colour: int) -> bool:
    first, second = edges(len(stones), colour)
    return bool(np.any(reached(stones, first) & second))


def random_play(game: Hex, count: int, seed: int):
    """Packed states [T, count, S] and actions [T, count] of random games.

    The action is -1 if the game is over.
    """

    def move(state, key):
        mask = game.legal_mask(state)
        action = jnp.where(
            jnp.any(mask), jnp.argmax(jax.random.uniform(key, mask.shape) + mask), -1
        ).astype(jnp.int32)
        after = game.step(state, jnp.maximum(action, 0))
        return jax.tree.map(lambda x, y: jnp.where(action >= 0, x, y), after, state), (
            game.pack(state),
            action,
        )

    def roll(key):
        return jax.lax.scan(move, game.init(), jax.random.split(key, game.num_actions + 1))[1]

    packed, actions = jax.jit(jax.vmap(roll, out_axes=1))(
        jax.random.split(jax.random.key(seed), count)
    )
    return np.asarray(packed), np.asarray(actions)


def facts(game: Hex):
    """A jitted function of packed states [N, S].

    It returns states, legal masks, outcomes, sides to move, observations and children.
    """

    def all_of(words):
        state = game.unpack(words)
        return (
            state,
            game.legal_mask(state),
            game.outcome(state),
            game.to_move(state),
            game.observe(state),
            game.children(state),
        )

    return jax.jit(jax.vmap(all_of))


@pytest.mark.short(4)
@pytest.mark.parametrize("size", [1, 2, 3, 4, 5, 8, 11, 19])
def test_states_equal_the_plain_rules(size):
    game = Hex(size)
    packed, _ = random_play(game, 20 if LONG else 4, seed=size)
    packed = np.unique(packed.reshape(-1, packed.shape[-1]), axis=0)[
        :: 1 if LONG or size < 8 else size * size // 10
    ]
    state, legal, outcome, side, _, children = jax.tree.map(np.asarray, facts(game)(packed))
    stones, joined = (
        np.asarray(game.grid.to_bool(state.stones)),
        np.asarray(game.grid.to_bool(state.joined)),
    )
    masks = [
        np.asarray(actions_to_bool(m, game.num_actions)).reshape(-1, size, size)
        for m in children[:3]
    ]
    assert not masks[2].any() and np.all(children.reply == -1)
    np.testing.assert_array_equal(masks[0].reshape(legal.shape), legal)
    for i in range(len(packed)):
        assert side[i] == (stones[i, 0].sum() > stones[i, 1].sum())
        for colour in (0, 1):
            expected = [
                reached(stones[i, colour], edge) & (outcome[i] == 0) for edge in edges(size, colour)
            ]
            np.testing.assert_array_equal(joined[i, colour], expected)
        won = [connected(stones[i, colour], colour) for colour in (0, 1)]
        assert outcome[i] == (
            Outcome.FIRST_WINS if won[0] else Outcome.SECOND_WINS if won[1] else Outcome.ONGOING
        )
        allowed = ~(stones[i, 0] | stones[i, 1]) & (outcome[i] == 0)
        np.testing.assert_array_equal(masks[0][i], allowed)
        wins, threats = [
            plain_wins(stones[i], allowed, colour) for colour in (side[i], 1 - side[i])
        ]
        np.testing.assert_array_equal(masks[1][i], wins)
        assert children.threat[i] == (
            np.argmax(threats) if threats.any() and not wins.any() else -1
        )


def plain_wins(stones: np.ndarray, allowed: np.ndarray, colour: int) -> np.ndarray:
    wins = np.zeros_like(allowed)
    for r, c in np.argwhere(allowed):
        board = stones[colour].copy()
        board[r, c] = True
        wins[r, c] = connected(board, colour)
    return wins


@pytest.mark.short(1)
@pytest.mark.parametrize("size", [5, 11])
def test_play_equals_pgx(size):
    pytest.importorskip("pgx")
    from pgx._src.games.hex import Game as PgxHex
    from pgx._src.games.hex import GameState

    game, reference = Hex(size), PgxHex(size)
    count = max(1, PLIES // 2 * 10 // (7 * size * size))
    packed, actions = random_play(game, count, seed=20 + size)

    def replay(state, action):
        after = jax.tree.map(
            lambda x, y: jnp.where(action >= 0, x, y),
            reference.step(state, jnp.maximum(action, 0)),
            state,
        )
        return after, (
            reference.legal_action_mask(state)[:-1],
            reference.is_terminal(state),
            reference.observe(state),
            state.color,
        )

    start = GameState(board=jnp.zeros(size * size, jnp.int32))
    scan = jax.jit(jax.vmap(lambda a: jax.lax.scan(replay, start, a)[1], in_axes=1, out_axes=1))
    legal, over, planes, colour = jax.tree.map(np.asarray, scan(actions))
    _, mine, outcome, side, observation, _ = jax.tree.map(
        lambda x: np.asarray(x).reshape(*actions.shape, *x.shape[1:]),
        facts(game)(packed.reshape(-1, packed.shape[-1])),
    )
    np.testing.assert_array_equal(outcome != 0, over)
    np.testing.assert_array_equal(mine, legal & ~over[..., None])
    np.testing.assert_array_equal(observation[..., :3], planes[..., :3])
    np.testing.assert_array_equal(side, colour)
    assert not observation[..., 3].any()
    assert np.all(outcome[-1] == np.where(side[-1] == 1, Outcome.FIRST_WINS, Outcome.SECOND_WINS))


@pytest.mark.short(1)
@pytest.mark.parametrize("size", [3, 6, 11])
def test_play_equals_open_spiel(size):
    pyspiel = pytest.importorskip("pyspiel")
    reference, game = pyspiel.load_game("hex", {"board_size": size}), Hex(size)
    packed, actions = random_play(game, max(1, PLIES // 3 // (size * size)), seed=40 + size)
    _, legal, outcome, *_ = jax.tree.map(
        lambda x: np.asarray(x).reshape(*actions.shape, *x.shape[1:]),
        facts(game)(packed.reshape(-1, packed.shape[-1])),
    )
    for b in range(actions.shape[1]):
        state = reference.new_initial_state()
        for t in range(actions.shape[0]):
            if state.is_terminal():
                assert outcome[t, b] == (
                    Outcome.FIRST_WINS if state.returns()[0] > 0 else Outcome.SECOND_WINS
                )
                assert not legal[t, b].any() and actions[t, b] == -1
                break
            assert outcome[t, b] == Outcome.ONGOING
            np.testing.assert_array_equal(state.legal_actions(), np.flatnonzero(legal[t, b]))
            state.apply_action(int(actions[t, b]))
        else:
            raise AssertionError("the game did not end")


@pytest.mark.short(1)
@pytest.mark.parametrize("size", [1, 4, 7])
def test_children_equal_stepping_each_child(size):
    game = Hex(size)
    packed, _ = random_play(game, 16, seed=60)

    def both(words):
        state = game.unpack(words)
        after = jax.vmap(lambda a: game.step(state, a))(jnp.arange(game.num_actions))
        won = game.legal_mask(state) & (
            jax.vmap(game.outcome)(after) == Outcome.FIRST_WINS + game.to_move(state)
        )
        return won, actions_to_bool(game.children(state).wins, game.num_actions)

    stepped, seen = jax.jit(jax.vmap(both))(packed.reshape(-1, packed.shape[-1]))
    np.testing.assert_array_equal(stepped, seen)
    np.testing.assert_array_equal(
        jax.jit(both)(packed[-2, 0])[1], seen.reshape(*packed.shape[:2], -1)[-2, 0]
    )


@pytest.mark.short(2)
@pytest.mark.parametrize("size", [1, 3, 6, 11])
def test_symmetries_commute_with_play(size):
    game = Hex(size)
    packed, actions = random_play(game, 6, seed=70)
    words, action = packed[actions >= 0], actions[actions >= 0]
    image = jnp.asarray(game.symmetry_actions())

    def both(w, a):
        state = game.unpack(w)
        one = jax.vmap(lambda g: game.pack(game.step(game.transform(state, g), image[g, a])))(
            jnp.arange(2)
        )
        return one, jax.vmap(lambda g: game.pack(game.transform(game.step(state, a), g)))(
            jnp.arange(2)
        )

    np.testing.assert_array_equal(*jax.jit(jax.vmap(both))(words, action))


@pytest.mark.parametrize("size", [1, 4, 11, 19])
def test_text_round_trip_and_keys(size):
    game = Hex(size)
    packed, _ = random_play(game, 4, seed=80)
    packed = np.unique(packed.reshape(-1, packed.shape[-1]), axis=0)[:: 1 if size < 8 else 5]
    keys = np.asarray(jax.jit(jax.vmap(lambda w: game.key(game.unpack(w))))(packed))
    assert len(np.unique(keys, axis=0)) == len(packed)
    states = jax.jit(jax.vmap(game.unpack))(packed)
    states = [jax.tree.map(lambda x, i=i: np.asarray(x)[i], states) for i in range(len(packed))]
    texts = [game.text(state) for state in states]
    assert len(set(texts)) == len(packed)
    for state, text in zip(states, texts, strict=True):
        chex.assert_trees_all_equal(jax.tree.map(np.asarray, game.parse(text)), state)


def test_key_covers_the_side_to_move():
    game = Hex(3)
    black, white = (np.asarray(game.key(game.parse(f"X../.O./... {side}"))) for side in "bw")
    assert not np.any(black == white)


def test_rule_set_number_of_actions_and_action_texts():
    game = Hex(11)
    assert game.rule_set == "hex-11" and game.num_actions == 121 and hash(game) == hash(Hex(11))
    assert isinstance(game, EvaluatesChildren) and not isinstance(game, HasForcedReply)
    assert [game.action_text(action) for action in (0, 8, 120)] == ["a1", "i1", "k11"]
    assert all(game.parse_action(game.action_text(a).upper()) == a for a in range(121))


def test_nothing_retraces():
    game = Hex(5)
    chex.clear_trace_counter()  # it counts by name, and other tests have functions of this name

    @jax.jit
    @chex.assert_max_traces(n=1)
    def step(state, action):
        return game.step(state, action), game.children(state)

    state = game.init()
    for action in (12, 6, 18):
        state, _ = step(state, jnp.int32(action))


@pytest.mark.parametrize(
    ("text", "word"),
    [
        ("..../.../... b", "4 cells"),
        (".../... b", "2 rows"),
        (".../.#./... b", "'#'"),
        (".../.../... x", "'x'"),
        (".../.../...", "position"),
        ("X../X../X.. b", "already joined"),
        ("OOO/.X./... w", "already joined"),
    ],
)
def test_bad_positions_are_refused(text, word):
    with pytest.raises(ValueError, match=word):
        Hex(3).parse(text)


def test_positions_set_up_by_hand():
    game = Hex(3)
    assert int(game.outcome(game.parse(".X./.X./X.. w"))) == Outcome.FIRST_WINS
    assert int(game.outcome(game.parse("X../.X./..X w"))) == Outcome.ONGOING
    assert int(game.outcome(game.parse("..O/OO./... b"))) == Outcome.SECOND_WINS
    for name in ("d1", "a4", "1a", "", "a0", "pass"):
        with pytest.raises(ValueError, match=r"point|cell|outside"):
            game.parse_action(name)
    for size in (0, 20):
        with pytest.raises(ValueError, match=f"size={size}"):
            Hex(size)


def test_reading_a_won_position_clears_its_joined_stones():
    won = Hex(3).parse(".X./.X./X.. w")
    assert not np.any(won.joined) and np.any(Hex(3).parse(".X./.X./... w").joined)
