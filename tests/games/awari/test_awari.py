"""Awari's kernel equals a plain-Python game, and open_spiel's oware where the rules coincide."""

import functools
import os
import random

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from jaxsolve.games.awari import Awari, AwariState
from jaxsolve.games.game import Outcome

GAME = Awari()
LONG = os.environ.get("JAXSOLVE_LONG") == "1"


class PlainAwari:
    """Oracle: the rules seed by seed; pits 0..5 are South's, 6..11 North's."""

    def __init__(self, pits=(4,) * 12, side=0, captured=(0, 0)):
        self.pits, self.side, self.captured = list(pits), side, list(captured)

    def own(self, side):
        return range(6 * side, 6 * side + 6)

    def after(self, action):
        pits, captured = list(self.pits), list(self.captured)
        start = 6 * self.side + action
        hand, pits[start], at = pits[start], 0, start
        while hand:
            at = (at + 1) % 12
            if at != start:
                pits[at] += 1
                hand -= 1
        while at in self.own(1 - self.side) and pits[at] in (2, 3):
            captured[self.side] += pits[at]
            pits[at] = 0
            at -= 1
        return PlainAwari(pits, 1 - self.side, captured)

    def legal(self):
        if max(self.pits) <= 1:
            return []
        return [
            a
            for a in range(6)
            if self.pits[6 * self.side + a]
            and any(self.after(a).pits[i] for i in self.own(1 - self.side))
        ]

    def outcome(self):
        if self.legal():
            return Outcome.ONGOING
        south, north = self.captured
        return (
            Outcome.DRAW
            if south == north
            else Outcome.FIRST_WINS
            if south > north
            else Outcome.SECOND_WINS
        )

    def fields(self):
        return [*self.pits, *self.captured, self.side]

    def text(self):
        rows = "/".join(",".join(map(str, self.pits[i : i + 6])) for i in (0, 6))
        return f"{rows} {'sn'[self.side]} captured={self.captured[0]}:{self.captured[1]}"


@functools.partial(jax.jit, static_argnums=0)
def facts(game, states):
    """Masks, outcomes and all six children of a batch of states."""
    children = jax.vmap(lambda s: jax.vmap(game.step, in_axes=(None, 0))(s, jnp.arange(6)))(states)
    return jax.vmap(game.legal_mask)(states), jax.vmap(game.outcome)(states), children.words


def compare(oracles):
    """Kernel and oracle agree on each position's mask, outcome and children."""
    shifts = 6 * np.arange(5, dtype=np.uint32)
    words = np.sum(
        np.array([o.fields() for o in oracles], np.uint32).reshape(-1, 3, 5) << shifts,
        axis=2,
        dtype=np.uint32,
    )
    assert GAME.text(AwariState(words[-1])) == oracles[-1].text()
    masks, outcomes, children = map(np.asarray, facts(GAME, AwariState(jnp.asarray(words))))
    children = ((children[..., None] >> shifts) & 63).reshape(-1, 6, 15).tolist()
    for oracle, mask, outcome, after in zip(oracles, masks, outcomes, children, strict=True):
        legal = oracle.legal()
        assert list(np.flatnonzero(mask)) == legal, oracle.text()
        assert outcome == oracle.outcome(), oracle.text()
        for action in legal:
            assert after[action] == oracle.after(action).fields(), (oracle.text(), action)


def random_position(rng):
    """At most 48 seeds at random; crowded pits, laps and nearly empty rows are frequent."""
    weights = [rng.choice((0, 0, 1, 1, 3, 12)) for _ in range(12)]
    seeds, pits = rng.randint(0, 48), [0] * 12
    for at in rng.choices(range(12), weights, k=seeds) if any(weights) else ():
        pits[at] += 1
    south = rng.randint(0, 48 - sum(pits))
    return PlainAwari(pits, rng.randint(0, 1), (south, rng.randint(0, 48 - sum(pits) - south)))


def test_random_games_equal_the_plain_game():
    rng = random.Random(1)
    oracles, oracle = [], PlainAwari()
    for _ in range(100_000 if LONG else 10_000):
        oracles.append(oracle)
        legal = oracle.legal() if len(oracles) % 400 else []
        oracle = oracle.after(rng.choice(legal)) if legal else PlainAwari()
    compare(oracles)


def test_scattered_seeds_equal_the_plain_game():
    rng = random.Random(2)
    compare([random_position(rng) for _ in range(5_000)])


@pytest.mark.parametrize(
    ("position", "move", "after"),
    [
        # A lap skips the start pit.
        (
            "0,0,0,0,0,12/0,0,0,0,0,0 s captured=18:18",
            "F",
            "1,1,1,1,1,0/0,1,1,1,1,1 n captured=20:18",
        ),
        # Two laps, with the last seed in an own pit.
        (
            "0,0,0,0,0,22/0,0,0,0,0,0 s captured=0:0",
            "F",
            "2,2,2,2,2,0/2,2,2,2,2,2 n captured=0:0",
        ),
        # Both pits of 2 are captured.
        (
            "1,0,0,0,0,2/1,1,0,0,0,4 s captured=0:0",
            "F",
            "1,0,0,0,0,0/0,0,0,0,0,4 n captured=4:0",
        ),
        # The run ends at the pit of 1.
        (
            "1,0,0,0,0,3/1,0,2,0,0,4 s captured=0:0",
            "F",
            "1,0,0,0,0,0/2,1,0,0,0,4 n captured=3:0",
        ),
        # No capture in own pits.
        (
            "2,2,0,0,0,4/1,1,1,1,1,1 s captured=0:0",
            "A",
            "0,3,1,0,0,4/1,1,1,1,1,1 n captured=0:0",
        ),
    ],
)
def test_sowing_and_capturing(position, move, after):
    state = GAME.parse(position)
    assert GAME.legal_mask(state)[GAME.parse_action(move, state)]
    assert GAME.text(GAME.step(state, GAME.parse_action(move, state))) == after


def test_capturing_everything_and_starving_are_illegal():
    # No pit holds two seeds, so the game is over.
    grand_slam = GAME.parse("1,0,0,0,0,1/1,0,0,0,0,0 s captured=22:23")
    assert not GAME.legal_mask(grand_slam).any()
    assert GAME.outcome(grand_slam) == Outcome.SECOND_WINS
    grand_slam = GAME.parse("2,0,0,0,0,1/1,0,0,0,0,0 s captured=22:22")
    assert list(np.flatnonzero(GAME.legal_mask(grand_slam))) == [0]
    must_feed = GAME.parse("2,0,0,0,0,2/0,0,0,0,0,0 s captured=20:24")
    assert list(np.flatnonzero(GAME.legal_mask(must_feed))) == [5]
    cannot_feed = GAME.parse("2,0,0,0,1,0/0,0,0,0,0,0 s captured=22:23")
    assert not GAME.legal_mask(cannot_feed).any()
    assert GAME.outcome(cannot_feed) == Outcome.SECOND_WINS


def test_open_spiel_oware_agrees_until_the_rules_differ():
    """Games are compared while both masks agree.

    In oware a grand slam is legal and captures nothing, and games end differently.
    """
    pyspiel = pytest.importorskip("pyspiel")
    game, rng, plies = pyspiel.load_game("oware"), random.Random(3), 0
    step, mask = jax.jit(GAME.step), jax.jit(GAME.legal_mask)
    for _ in range(60):
        theirs, ours = game.new_initial_state(), GAME.init()
        while not theirs.is_terminal():
            legal = [a % 6 for a in theirs.legal_actions()]
            if legal != list(np.flatnonzero(mask(ours))):
                break
            action = rng.choice(legal)
            theirs.apply_action(action)
            ours = step(ours, action)
            plies += 1
            board = theirs.observation_tensor(0)
            if plies % 10 == 0 and not theirs.is_terminal():
                pits = [round(48 * x) for x in board[:12]]
                assert pits == [
                    int(x) for x in GAME.text(ours).split()[0].replace("/", ",").split(",")
                ]
    assert plies > 1_000


@pytest.mark.parametrize(
    "text",
    [
        "",
        "4,4,4,4,4,4/4,4,4,4,4,4 s",
        "4,4,4,4,4/4,4,4,4,4,4 s captured=0:0",
        "4,4,4,4,4,4/4,4,4,4,4,5 s captured=0:0",
        "4,4,4,4,4,4/4,4,4,4,4,4 s captured=1:0",
        "4,4,4,4,4,-4/4,4,4,4,4,4 s captured=0:0",
        "4,4,4,4,4,04/4,4,4,4,4,4 s captured=0:0",
        "4,4,4,4,4,4/4,4,4,4,4,4 b captured=0:0",
    ],
)
def test_bad_positions_are_refused(text):
    with pytest.raises(ValueError, match="awari position"):
        GAME.parse(text)


def test_bad_moves_and_rules_are_refused():
    for move in ("G", "", "AB", "7"):
        with pytest.raises(ValueError, match="awari move"):
            GAME.parse_action(move)
    with pytest.raises(ValueError, match="awari move 6"):
        GAME.action_text(6)
    with pytest.raises(ValueError, match="ludii"):
        Awari(rules="abapa")
