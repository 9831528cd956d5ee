"""Gomoku's interface: positions set up by hand, observations, facts and names, refusals, traces."""

import chex
import jax
import jax.numpy as jnp
import numpy as np
import pytest

from jaxsolve.games.game import EvaluatesChildren, HasForcedReply, Outcome
from jaxsolve.games.gomoku import Gomoku


def test_a_position_set_up_by_hand_has_its_fours_from_its_stones():
    game, rest = Gomoku(5, 4, knowledge="4t"), "...../...../...../....."
    for text, field in (("XXX..", "fours=D5"), (".XXX.", "fours=2"), (".XX..", ""), ("XXXX.", "")):
        state = game.parse(f"{text}/{rest} w")
        assert game.text(state) == f"{text}/{rest} w {field}".rstrip()
        assert int(game.outcome(state)) == (
            Outcome.ONGOING if field in ("fours=D5", "") and text != "XXXX." else Outcome.FIRST_WINS
        )
    assert int(game.forced_reply(game.parse(f".XXX./{rest} b fours=E5"))) == game.parse_action("E5")


def test_observation_planes():
    game = Gomoku(5, 4)
    state = game.step(game.step(game.init(), game.parse_action("A5")), game.parse_action("E1"))
    state = game.step(state, game.parse_action("B5"))
    planes = np.asarray(game.observe(state))
    assert planes.shape == (5, 5, 4) and planes.dtype == bool
    assert np.argwhere(planes[..., 0]).tolist() == [[4, 4]] and np.argwhere(
        planes[..., 1]
    ).tolist() == [[0, 0], [0, 1]]
    assert not planes[..., 2].any() and planes[..., 3].all()


def test_facts_and_names():
    game = Gomoku(knowledge="4t")
    assert game.rule_set == "gomoku-15;line=5;win=five-or-more;knowledge=4t"
    assert isinstance(game, EvaluatesChildren) and isinstance(game, HasForcedReply)
    assert game.state_words * 4 <= 72 and hash(game) == hash(Gomoku(knowledge="4t"))
    for action in (0, 14, 210, 224, 112):
        assert game.parse_action(game.action_text(action).lower()) == action
    assert (
        game.action_text(0) == "A15"
        and game.action_text(224) == "P1"
        and game.action_text(112) == "H8"
    )


def test_nothing_retraces():
    game = Gomoku(7, 4, knowledge="4t")

    @jax.jit
    @chex.assert_max_traces(n=1)
    def step(state, action):
        return game.step(state, action), game.children(state)

    state = game.init()
    for action in (0, 30, 8):
        state, _ = step(state, jnp.int32(action))


@pytest.mark.parametrize(
    ("options", "word"),
    [
        ({"size": 20}, "20"),
        ({"size": 4}, "size=4"),
        ({"line": 2}, "line=2"),
        ({"win": "six"}, "six"),
        ({"knowledge": "5t"}, "5t"),
    ],
)
def test_bad_options_are_refused(options, word):
    with pytest.raises(ValueError, match=word):
        Gomoku(**options)


@pytest.mark.parametrize(
    ("text", "word"),
    [
        ("...../...../...../..... b", "4 rows"),
        ("...../...../......./...../..... b", "7 cells"),
        ("...../...../..Z../...../..... b", "'Z'"),
        ("...../...../...../...../..... x", "'x'"),
        ("...../...../...../...../.....", "position"),
        ("XXXX./...../...../...../..... b", "already won"),
        ("XXX../...../...../...../..... w fours=D4", "D4"),
        ("XXX../...../...../...../..... w fours=Z9", "Z9"),
        ("XXX../...../...../...../..... w fours=2", "fit the stones"),
        ("XXXX./...../...../...../..... w fours=E5", "already decided"),
        ("XXX../...../...../...../..... w ko=A1", "ko=A1"),
    ],
)
def test_bad_positions_are_refused(text, word):
    with pytest.raises(ValueError, match=word):
        Gomoku(5, 4, knowledge="4t").parse(text)


def test_positions_set_up_by_hand():
    game = Gomoku(5, 4)
    won = game.parse("XXXX./...../...../...../..... w")
    assert int(game.outcome(won)) == Outcome.FIRST_WINS and not np.any(game.legal_mask(won))
    drawn = Gomoku(3, 3).parse("XOX/XOO/OXX b")
    assert int(Gomoku(3, 3).outcome(drawn)) == Outcome.DRAW
    with pytest.raises(ValueError, match="only knowledge=4t"):
        game.parse("XXX../...../...../...../..... w fours=D5")
    for name in ("I5", "A6", "F1", "", "5A", "pass"):
        with pytest.raises(ValueError, match=r"point|outside"):
            game.parse_action(name)
