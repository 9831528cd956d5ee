"""Contract of the Go games beyond the rules: symmetry, packing, text, keys, refusals, traces."""

from __future__ import annotations

import functools

import chex
import jax
import jax.numpy as jnp
import numpy as np
import pytest

from jaxsolve.core.bitboard import square
from jaxsolve.games import Env, Go, KillallGo, Outcome, Tsumego, make
from jaxsolve.games.go import GoRules
from jaxsolve.games.go.moves import true_eyes
from support.oracles import go as oracle

RULE_SETS = [
    "go-5;ko=simple;komi=7.5",
    "go-4;ko=situational;komi=0",
    "killallgo-7;ko=positional;passes=stones;fill_eyes=false",
    (
        "tsumego-5;ko=simple;passes=not-achieved;fill_eyes=true;goal=live;defender=black;"
        "crucial=B2,B4;region=all;ko_black=allow;ko_white=allow"
    ),
]


@functools.cache
def kernels(game: GoRules):
    """(step, legal_mask, transform), compiled."""
    return jax.jit(game.step), jax.jit(game.legal_mask), jax.jit(game.transform)


def played(game: GoRules, seed: int, plies: int) -> list:
    """States along a random game, the first included."""
    rng, state = np.random.default_rng(seed), game.init()
    if isinstance(game, Tsumego):
        state = game.parse("...../.X.O./..O../.X.../..... w")
    states = [state]
    step, mask_of, _ = kernels(game)
    for _ in range(plies):
        legal = np.flatnonzero(mask_of(state))
        if not len(legal):
            break
        placements = legal[legal < game.size**2]
        action = rng.choice(placements) if len(placements) and rng.random() < 0.95 else legal[-1]
        state = step(state, jnp.int32(action))
        states.append(state)
    return states


@pytest.mark.parametrize("rule_set", RULE_SETS)
def test_steps_commute_with_symmetries(rule_set: str) -> None:
    game = make(rule_set)
    images = game.symmetry_actions()
    assert images.shape == (game.num_symmetries, game.num_actions)
    assert np.array_equal(images[0], np.arange(game.num_actions))
    assert (
        len({tuple(row) for row in images.tolist()})
        == game.num_symmetries
        == (2 if "crucial=B2" in rule_set else 8)
    )

    step, mask_of, transform = kernels(game)
    rng = np.random.default_rng(2)
    for state in played(game, 4, 40)[:: 1 if oracle.LONG else 3]:
        g = int(rng.integers(game.num_symmetries))
        plain, moved = np.asarray(mask_of(state)), transform(state, jnp.int32(g))
        np.testing.assert_array_equal(np.asarray(mask_of(moved))[images[g]], plain)
        if plain.any():
            action = int(rng.choice(np.flatnonzero(plain)))
            chex.assert_trees_all_equal(
                step(moved, jnp.int32(images[g, action])),
                transform(step(state, jnp.int32(action)), jnp.int32(g)),
            )


@pytest.mark.parametrize("rule_set", RULE_SETS)
def test_text_and_packing_round_trip(rule_set: str) -> None:
    game = make(rule_set)
    assert make(game.rule_set) == game
    for state in played(game, 5, 30):
        chex.assert_trees_all_equal(game.parse(game.text(state)), state)
        words = game.pack(state)
        assert words.shape == (game.state_words,)
        chex.assert_trees_all_equal(game.unpack(words), state)
    for action in range(game.num_actions):
        assert game.parse_action(game.action_text(action).lower()) == action


def test_states_are_small() -> None:
    assert 4 * make("go-9").state_words <= 64
    assert 4 * make("killallgo-9").state_words <= 64
    assert 4 * make("tsumego-9", crucial="C3").state_words <= 64


def distinct_keys(game: GoRules, texts: list[str]) -> bool:
    return len({tuple(game.key(game.parse(text)).tolist()) for text in texts}) == len(texts)


def test_keys_tell_apart_what_matters() -> None:
    corner = "...../.OX../O.OX./.OX../....."
    empty = "...../...../...../...../....."
    assert distinct_keys(
        make("go-5"),
        [
            f"{corner} b",
            f"{corner} w",
            f"{corner} w passes=1",
            f"{corner} b ko=B3",
            f"{corner} w passes=2",
        ],
    )
    region = make("tsumego-5", crucial="B2,D4")
    boards = "...../...X./...../.X.../..... b"
    assert distinct_keys(
        region, [boards, f"{boards} crucial=B2", f"{boards} crucial=D4", f"{boards} crucial=-"]
    )
    seven = "/".join(["......."] * 7)
    assert distinct_keys(make("killallgo-7"), [f"{seven} b ply=0", f"{seven} b", f"{seven} w"])
    super_ko = make("go-5", ko="situational")
    assert distinct_keys(
        super_ko,
        [
            f"{corner} b",
            f"{corner} b history={empty}:b",
            f"{corner} b history={empty}:w",
            f"{corner} b history={corner}:w",
        ],
    )


def test_keys_do_not_depend_on_the_order_of_the_history() -> None:
    game = make("go-2", ko="positional")
    keys = [
        game.key(game.parse(f"XO/.. b history={history}")).tolist()
        for history in ("../..;X./..", "X./..;../..")
    ]
    assert keys[0] == keys[1]


def test_keys_are_well_mixed() -> None:
    """Each single-bit change of the state flips each key bit about half of the time; no two of
    20,000 boards share 64 bits.
    """
    game, rng = make("go-9"), np.random.default_rng(0)
    words = jnp.asarray(rng.integers(0, 2**30, (200, game.state_words), dtype=np.uint32))
    key_of = jax.jit(jax.vmap(lambda w: game.key(game.unpack(w))))
    base, flips = np.asarray(key_of(words)), []
    for word in range(game.state_words):
        for bit in (0, 7, 13, 29):
            flips.append(
                base
                ^ np.asarray(key_of(words.at[:, word].set(words[:, word] ^ np.uint32(1 << bit))))
            )
    share = np.unpackbits(np.stack(flips).view(np.uint8), axis=-1).mean(axis=(0, 1))
    assert np.all(np.abs(share - 0.5) < 0.05)
    single = np.zeros((20_000, game.state_words), np.uint32)
    single[:, :6] = (
        rng.integers(0, 2**30, (20_000, 6))
        & rng.integers(0, 2**30, (20_000, 6))
        & rng.integers(0, 2**30, (20_000, 6))
    )
    keys = np.asarray(key_of(jnp.asarray(single)))
    distinct = len(np.unique(single, axis=0))
    assert len(np.unique(keys[:, :2], axis=0)) == len(np.unique(keys[:, 2:], axis=0)) == distinct


@pytest.mark.parametrize("size", [2, 3, 5, 9])
def test_true_eyes_equal_the_definition(size: int) -> None:
    grid, rng = square(size), np.random.default_rng(size)
    boards = rng.choice(3, (300, size * size), p=[0.2, 0.7, 0.1])
    own, enemy = (
        jnp.asarray(np.asarray(grid.from_bool(jnp.asarray(boards == c).reshape(-1, size, size))).T)
        for c in (1, 2)
    )
    found = np.asarray(grid.to_bool(true_eyes(square(size, axis=0), own, enemy).T)).reshape(
        len(boards), -1
    )
    expected = [
        [oracle.is_true_eye(size, board, 0, p) for p in range(size * size)]
        for board in boards.tolist()
    ]
    np.testing.assert_array_equal(found, expected)
    assert found.any()


def test_a_batch_equals_its_boards_and_nested_batches() -> None:
    game = make("killallgo-9", fill_eyes=False)
    states = played(game, 8, 12)[:12]
    stacked = jax.tree.map(lambda *leaves: jnp.stack(leaves), *states)
    batch = np.asarray(jax.jit(jax.vmap(game.legal_mask))(stacked))
    nested = jax.tree.map(lambda x: x.reshape(3, 4, *x.shape[1:]), stacked)
    np.testing.assert_array_equal(
        np.asarray(jax.jit(jax.vmap(jax.vmap(game.legal_mask)))(nested)).reshape(12, -1), batch
    )
    for state, mask in zip(states, batch, strict=True):
        np.testing.assert_array_equal(kernels(game)[1](state), mask)


def test_a_full_history_is_unknown() -> None:
    game = Go(size=3, ko="positional", max_history=2)
    step = kernels(game)[0]
    state = step(step(game.init(), jnp.int32(0)), jnp.int32(4))
    assert int(game.outcome(state)) == Outcome.UNKNOWN
    assert not np.any(game.legal_mask(state))


def test_killall_starts_and_ends() -> None:
    nine = make("killallgo-9")
    assert (
        nine.text(nine.init())
        == "........./........./..X...X../........./........./........./..X...X../"
        "........./......... w"
    )
    seven = make("killallgo-7")
    opening = seven.init()
    assert [bool(x) for x in seven.legal_mask(opening)[-2:]] == [True, False]
    forced = seven.step(opening, 24)
    assert np.flatnonzero(seven.legal_mask(forced)).tolist() == [49]
    assert seven.text(seven.step(forced, 49)).endswith(" b ply=2")
    alive = "O.O.OX./OOOOOX./XXXXXX./......./......./......./....... b"
    assert int(seven.outcome(seven.parse(alive))) == Outcome.SECOND_WINS
    assert not np.any(seven.legal_mask(seven.parse(alive)))
    stones = make("killallgo-7", passes="stones")
    assert (
        int(
            stones.outcome(
                stones.parse("O....../......./......./......./......./......./....... b passes=2")
            )
        )
        == Outcome.SECOND_WINS
    )


def test_tsumego_is_decided_by_its_crucial_stones() -> None:
    game = make("tsumego-5", crucial="A1", defender="black", goal="kill")
    assert int(game.outcome(game.init())) == Outcome.SECOND_WINS
    assert game.text(game.init()).endswith(" crucial=-")
    alive = game.parse("...../...../...../XXXX./X.X.X b")
    assert int(game.outcome(alive)) == Outcome.ONGOING
    alive = game.parse("...../...../XXXXX/X.X.X/XXXXX b")
    assert int(game.outcome(alive)) == Outcome.FIRST_WINS
    assert (
        int(game.outcome(game.parse("...../...../...../...../X.... w passes=2")))
        == Outcome.FIRST_WINS
    )
    taken = game.step(game.parse("...../...../...../O..../X.... w"), 21)
    assert game.text(taken) == "...../...../...../O..../.O... b crucial=-"


def test_env_shows_eight_boards() -> None:
    env = Env(make("go-5"))
    state = env.step(env.init(jax.random.key(0)), jnp.int32(12))
    assert state.observation.shape == (5, 5, 17)
    assert bool(state.observation[2, 2, 1]) and bool(state.observation[..., 16].all())


@pytest.mark.parametrize(
    ("build", "part"),
    [
        (lambda: Go(size=1), "size=1"),
        (lambda: Go(size=20), "size=20"),
        (lambda: Go(ko="none"), "'none'"),
        (lambda: Go(komi=0.3), "komi=0.3"),
        (lambda: Go(ko="positional", max_history=0), "max_history=0"),
        (lambda: KillallGo(size=8), "size=8"),
        (lambda: KillallGo(passes="draw"), "'draw'"),
        (lambda: Tsumego(goal="win"), "'win'"),
        (lambda: Tsumego(size=5, crucial="Z9"), "'Z9'"),
        (lambda: Tsumego(size=5, region="A1,A1"), "A1 twice"),
        (lambda: Tsumego(ko_black="no"), "'no'"),
    ],
)
def test_options_are_refused(build, part: str) -> None:
    with pytest.raises(ValueError, match=part) as refused:
        build()
    assert str(refused.value) and "\n" not in str(refused.value)


@pytest.mark.parametrize(
    ("rule_set", "text", "part"),
    [
        ("go-3", ".../...", "side to move|rows"),
        ("go-3", ".../... b", "has 2 rows"),
        ("go-3", ".../..../... b", "has 4 cells"),
        ("go-3", ".../.Z./... b", "'Z'"),
        ("go-3", ".../.../... x", "'x'"),
        ("go-3", "XO./O../... b", "chain at A3"),
        ("go-3", ".../.X./... b ko=B2", "stone on it"),
        ("go-3", ".../.X./... b ko=A1", "cannot have arisen"),
        ("go-3", ".../.X./... b ko=D1", "'D1'"),
        ("go-3", ".../.X./... b passes=3", "passes=3"),
        ("go-3", ".../.X./... b passes=1 passes=1", "twice"),
        ("go-3", ".../.X./... b colour", "key=value"),
        ("go-3", ".../.X./... b crucial=A1", "'crucial'"),
        ("go-3", ".../.X./... b ply=1", "killallgo-7"),
        ("go-3", ".../.X./... b history=.../.../...", "ko=simple"),
        ("go-3;ko=positional", ".../.X./... b ko=A1", "ko=positional"),
        ("go-3;ko=positional", ".../.X./... b history=.../.../...:b", "entry 1"),
        ("go-3;ko=situational", ".../.X./... b history=.../.../...", "entry 1"),
        ("killallgo-7", "......./......./......./......./......./......./....... w ply=0", "ply=0"),
        ("tsumego-3;crucial=A1", ".../.../... b", "A1 holds no stone"),
        ("tsumego-3;crucial=A1", ".../.../X.. b crucial=A2", "not crucial"),
    ],
)
def test_positions_are_refused(rule_set: str, text: str, part: str) -> None:
    with pytest.raises(ValueError, match=part):
        make(rule_set).parse(text)


def test_moves_are_refused() -> None:
    game = make("go-9")
    for text in ("I5", "K1", "A0", "A10", "", "C", "33", "resign"):
        with pytest.raises(ValueError, match="not a point"):
            game.parse_action(text)
    assert game.parse_action("a1") == 72 and game.parse_action("PASS") == 81
    with pytest.raises(ValueError, match="82"):
        game.action_text(82)
