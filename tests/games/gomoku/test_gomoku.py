"""Laws of Gomoku: the kernels equal a plain reading of the rules, for every rule set, over random
play.
"""

import os

import chex
import jax
import jax.numpy as jnp
import numpy as np
import pytest

from jaxsolve.core.action_sets import actions_to_bool
from jaxsolve.core.bitboard import LINES
from jaxsolve.games.game import Outcome
from jaxsolve.games.gomoku import Gomoku
from jaxsolve.games.gomoku.game import FOURS_AT

LONG = os.environ.get("JAXSOLVE_LONG") == "1"
VARIANTS = [
    (size, line, win, knowledge)
    for size, line in ((3, 3), (5, 4), (8, 5), (15, 5))
    for win in ("five-or-more", "exact5")
    for knowledge in ("ndk", "4t")
]
RULES = [("five-or-more", "ndk"), ("exact5", "4t"), ("five-or-more", "4t"), ("exact5", "ndk")]
BOARDS = [(3, 3), (5, 4), (8, 5), (15, 5)]
TURNS = (
    VARIANTS
    if LONG
    else [
        *((*board, *rules) for board, rules in zip(BOARDS, RULES, strict=True)),
        (15, 5, "five-or-more", "4t"),
    ]
)


class PlainGomoku:
    """The rules, one cell at a time."""

    def __init__(self, game: Gomoku):
        self.size, self.line, self.exact, self.four = (
            game.size,
            game.line,
            game.win == "exact5",
            game.four_threats,
        )

    def at(self, board, r, c):
        return board[r, c] if 0 <= r < self.size and 0 <= c < self.size else -1

    def windows(self, r, c):
        """Every window of ``line`` cells through (r, c), with the two cells beyond its ends."""
        for dr, dc in LINES:
            for start in range(-self.line + 1, 1):
                cells = [(r + k * dr, c + k * dc) for k in range(start, start + self.line)]
                if all(0 <= a < self.size and 0 <= b < self.size for a, b in cells):
                    yield (
                        cells,
                        (
                            (r + (start - 1) * dr, c + (start - 1) * dc),
                            (r + (start + self.line) * dr, c + (start + self.line) * dc),
                        ),
                    )

    def wins(self, board, r, c, own):
        for cells, ends in self.windows(r, c):
            if all(board[p] == own for p in cells) and not (
                self.exact and any(self.at(board, *p) == own for p in ends)
            ):
                return True
        return False

    def completing(self, board, r, c, own):
        found = set()
        for cells, ends in self.windows(r, c):
            gaps = [p for p in cells if board[p] == 0]
            overline = self.exact and any(self.at(board, *p) == own for p in ends)
            if (
                len(gaps) == 1
                and sum(board[p] == own for p in cells) == self.line - 1
                and not overline
            ):
                found.add(gaps[0])
        return found

    def play(self, board, action, own):
        """(wins at once, the forced reply or -1, number of completing cells) after a stone of
        ``own``.
        """
        r, c = divmod(int(action), self.size)
        board = board.copy()
        board[r, c] = own
        five = self.wins(board, r, c, own)
        cells = self.completing(board, r, c, own) if self.four and not five else set()
        reply = -1
        if len(cells) == 1:
            (a, b), *_ = cells
            reply = a * self.size + b
        return five, reply, len(cells)


def random_positions(game: Gomoku, plies: int, count: int, seed: int):
    """Packed states [T, count, S] and actions [T, count] of random play on device; -1 after the end
    of a game.
    """

    def move(state, key):
        mask = game.legal_mask(state)
        near = near_stones(game, state)
        noise = jax.random.uniform(key, (game.num_actions,)) + 2.0 * mask + 0.3 * near
        action = jnp.where(jnp.any(mask), jnp.argmax(noise), -1).astype(jnp.int32)
        after = game.step(state, jnp.maximum(action, 0))
        return jax.tree.map(lambda x, y: jnp.where(action >= 0, x, y), after, state), (
            game.pack(state),
            action,
        )

    def roll(key):
        return jax.lax.scan(move, game.init(), jax.random.split(key, plies))[1]

    packed, actions = jax.jit(jax.vmap(roll, out_axes=1))(
        jax.random.split(jax.random.key(seed), count)
    )
    return np.asarray(packed), np.asarray(actions)


def near_stones(game: Gomoku, state):
    """float32[A]: 1 beside a stone of the side to move, so that random games contain lines."""
    own = jnp.where(game.to_move(state) == 0, state.stones[0], state.stones[1])
    return game.grid.to_bool(game.grid.dilate(own, 8)).reshape(-1).astype(jnp.float32)


def cells_of(game: Gomoku, packed: np.ndarray) -> np.ndarray:
    """int[..., H, W] boards of packed states, without the code under test."""
    words = packed[..., : 2 * game.grid.words].reshape(*packed.shape[:-1], 2, -1)
    bits = (words[..., game.grid.word_of] >> game.grid.bit_of.astype(np.uint32) & 1).astype(int)
    return (bits[..., 0, :] + 2 * bits[..., 1, :]).reshape(*packed.shape[:-1], game.size, game.size)


def answers(game: Gomoku):
    def all_of(words):
        state = game.unpack(words)
        return (
            game.children(state),
            game.legal_mask(state),
            game.outcome(state),
            game.to_move(state),
            game.forced_reply(state),
        )

    return jax.jit(jax.vmap(all_of))


@pytest.mark.parametrize("variant", TURNS)
def test_play_equals_the_plain_rules(variant):
    game = Gomoku(*variant)
    plain, n = PlainGomoku(game), game.num_actions
    packed, actions = random_positions(game, min(n, 70), 40 if LONG else 3, seed=1)

    def after(words, action):
        state = game.step(game.unpack(words), action)
        return game.outcome(state), game.forced_reply(state)

    outcome, forced = jax.tree.map(np.asarray, jax.jit(jax.vmap(jax.vmap(after)))(packed, actions))
    boards = cells_of(game, packed)
    for t, b in np.argwhere(actions >= 0):
        board, side = boards[t, b], t % 2 + 1
        five, reply, count = plain.play(board, actions[t, b], side)
        expected = (
            Outcome.FIRST_WINS + side - 1
            if five or count >= 2
            else Outcome.DRAW
            if np.sum(board == 0) == 1
            else Outcome.ONGOING
        )
        assert outcome[t, b] == expected
        assert forced[t, b] == reply


@pytest.mark.short(2)
@pytest.mark.parametrize("variant", TURNS)
def test_children_equal_the_plain_rules(variant):
    game = Gomoku(*variant)
    plain, n = PlainGomoku(game), game.num_actions
    packed, _ = random_positions(game, min(n, 60), 24 if LONG else 2, seed=2)
    packed = packed.reshape(-1, packed.shape[-1])[:: 1 if LONG else max(1, n // 25)]
    children, legal, outcome, side, forced = jax.tree.map(np.asarray, answers(game)(packed))
    masks = [
        np.asarray(actions_to_bool(m, n)) for m in (children.legal, children.wins, children.forced)
    ]
    np.testing.assert_array_equal(masks[0], legal)
    for i, board in enumerate(cells_of(game, packed)):
        own = int(side[i]) + 1
        allowed = (
            (board.ravel() == 0)
            & (outcome[i] == 0)
            & ((forced[i] < 0) | (np.arange(n) == forced[i]))
        )
        np.testing.assert_array_equal(legal[i], allowed)
        wins, forces, reply = np.zeros(n, bool), np.zeros(n, bool), np.full(n, -1)
        for a in np.flatnonzero(allowed):
            five, answer, count = plain.play(board, a, own)
            wins[a], forces[a], reply[a] = five or count >= 2, answer >= 0, answer
        np.testing.assert_array_equal(masks[1][i], wins)
        np.testing.assert_array_equal(masks[2][i], forces)
        np.testing.assert_array_equal(children.reply[i], reply)
        threats = (
            [a for a in np.flatnonzero(allowed) if plain.play(board, a, 3 - own)[0]]
            if not plain.four and not wins.any()
            else []
        )
        assert children.threat[i] == (threats[0] if threats else -1)


@pytest.mark.short(2)
@pytest.mark.parametrize("variant", TURNS)
def test_children_equal_stepping_each_child(variant):
    game = Gomoku(*variant)
    packed, _ = random_positions(game, min(game.num_actions, 80), 16, seed=3)
    packed = packed.reshape(-1, packed.shape[-1])[:: 1 if LONG else 7]

    def step_all(words):
        state = game.unpack(words)
        after = jax.vmap(lambda a: game.step(state, a))(jnp.arange(game.num_actions))
        legal = game.legal_mask(state)
        won = legal & (jax.vmap(game.outcome)(after) == Outcome.FIRST_WINS + game.to_move(state))
        reply = jnp.where(legal & ~won, jax.vmap(game.forced_reply)(after), -1)
        return legal, won, reply

    def see_all(words):
        children = game.children(game.unpack(words))
        legal, wins, forced = (actions_to_bool(m, game.num_actions) for m in children[:3])
        return legal, wins, children.reply.astype(jnp.int32), forced == (children.reply >= 0)

    legal, won, reply = jax.jit(jax.vmap(step_all))(packed)
    seen = jax.jit(jax.vmap(see_all))(packed)
    alone = jax.jit(see_all)(packed[-1])
    for got, expected in zip(seen, (legal, won, reply), strict=False):
        np.testing.assert_array_equal(got, expected)
    assert np.all(seen[3])
    chex.assert_trees_all_equal(alone, jax.tree.map(lambda x: x[-1], seen))


@pytest.mark.parametrize("size", [9, 15])
def test_play_equals_open_spiel(size):
    pyspiel = pytest.importorskip("pyspiel")
    reference = pyspiel.load_game("gomoku", {"size": size})
    game = Gomoku(size)
    packed, actions = random_positions(
        game, size * size, (500 if LONG else 60) * 100 // size**2, seed=4
    )
    legal = np.asarray(
        jax.jit(jax.vmap(jax.vmap(lambda w: game.legal_mask(game.unpack(w)))))(packed)
    )
    outcome = np.asarray(
        jax.jit(jax.vmap(jax.vmap(lambda w: game.outcome(game.unpack(w)))))(packed)
    )
    for b in range(actions.shape[1]):
        state = reference.new_initial_state()
        for t in range(actions.shape[0]):
            if state.is_terminal():
                returns = {1.0: Outcome.FIRST_WINS, -1.0: Outcome.SECOND_WINS, 0.0: Outcome.DRAW}
                assert outcome[t, b] == returns[state.returns()[0]] and not legal[t, b].any()
                break
            assert outcome[t, b] == Outcome.ONGOING
            assert state.legal_actions() == list(np.flatnonzero(legal[t, b]))
            state.apply_action(int(actions[t, b]))


@pytest.mark.short(1)
@pytest.mark.parametrize(
    "variant",
    [(5, 4, "exact5", "4t"), (9, 5, "five-or-more", "4t"), (15, 5, "five-or-more", "ndk")],
)
def test_symmetries_commute_with_play(variant):
    game = Gomoku(*variant)
    packed, actions = random_positions(game, min(game.num_actions, 60), 8, seed=5)
    words, action = (
        packed.reshape(-1, packed.shape[-1])[actions.ravel() >= 0],
        actions[actions >= 0],
    )
    image = jnp.asarray(game.symmetry_actions())

    def both(w, a):
        state = game.unpack(w)
        one = jax.vmap(lambda g: game.pack(game.step(game.transform(state, g), image[g, a])))(
            jnp.arange(8)
        )
        other = jax.vmap(lambda g: game.pack(game.transform(game.step(state, a), g)))(jnp.arange(8))
        return one, other, game.pack(game.transform(state, jnp.int32(0)))

    one, other, same = jax.jit(jax.vmap(both))(words, action)
    np.testing.assert_array_equal(one, other)
    np.testing.assert_array_equal(same, words)
    assert sorted(map(tuple, game.symmetry_actions())) == sorted(
        set(map(tuple, game.symmetry_actions()))
    )


@pytest.mark.short(1)
@pytest.mark.parametrize(
    "variant",
    [(3, 3, "five-or-more", "ndk"), (6, 4, "exact5", "4t"), (15, 5, "five-or-more", "4t")],
)
def test_text_round_trip_and_keys(variant):
    game = Gomoku(*variant)
    packed, _ = random_positions(game, min(game.num_actions, 50), 6, seed=6)
    packed = np.unique(packed.reshape(-1, packed.shape[-1]), axis=0)
    keys = np.asarray(jax.jit(jax.vmap(lambda w: game.key(game.unpack(w))))(packed))
    assert len(np.unique(keys, axis=0)) == len(packed)
    assert all(len(np.unique(keys[:, lane])) > 0.99 * len(packed) for lane in range(4))
    texts = [game.text(game.unpack(words)) for words in packed]
    assert len(set(texts)) == len(packed)
    for words, text in zip(packed, texts, strict=True):
        parsed = game.parse(text)
        np.testing.assert_array_equal(game.pack(parsed), words)
        chex.assert_trees_all_equal(game.unpack(game.pack(parsed)), parsed)


def test_key_covers_side_fours_and_rules():
    game = Gomoku(9, knowledge="4t")
    board = "/".join(["........."] * 4 + [".XXXX....", "...OOOO.."] + ["........."] * 3)
    states = [game.parse(f"{board} {side}") for side in "bw"]
    assert [int(game.forced_reply(state)) for state in states] == [
        game.parse_action(cell) for cell in ("A5", "C4")
    ]  # each completes its own line
    unforced = states[0]._replace(meta=states[0].meta & np.uint32((1 << FOURS_AT) - 1))
    states += [
        unforced._replace(meta=unforced.meta | np.uint32(fours << FOURS_AT))
        for fours in (0, 1 + game.parse_action("F5"), game.num_actions + 1)
    ]
    keys = [tuple(np.asarray(game.key(state))) for state in states]
    keys.append(tuple(np.asarray(Gomoku(9).key(Gomoku(9).parse(f"{board} b")))))
    assert len(set(keys)) == len(keys)
