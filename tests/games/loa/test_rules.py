"""Single rules of Lines of Action, its texts, symmetries and observations."""

from __future__ import annotations

import random
from collections import Counter

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from jaxsolve.games import make
from jaxsolve.games.boards import byteboard
from jaxsolve.games.game import HasPlayerView, Outcome
from jaxsolve.games.loa import Loa
from jaxsolve.games.loa.lines import DIRECTIONS
from support.oracles import loa as oracle
from support.proofs import solver as proof_tools

STUCK = ".XOO/XOO./XOXX/OOXO b"
"""Black has no move; White has."""
BOTH_STUCK = "OXOX/OXOO/XOXX/XOXO b"


@pytest.mark.parametrize(
    ("before", "move", "after", "draw", "mover"),
    [
        (
            "X..X/..../O..O/.... b",
            "D4-B4",
            "XX../..../O..O/.... w",
            Outcome.FIRST_WINS,
            Outcome.FIRST_WINS,
        ),
        # White's last piece is a group.
        (
            "X.O./..../..../O..X b",
            "A4-C4",
            "..X./..../..../O..X w",
            Outcome.SECOND_WINS,
            Outcome.SECOND_WINS,
        ),
        (
            "X.O./...X/..../O... b",
            "A4-C4",
            "..X./...X/..../O... w",
            Outcome.DRAW,
            Outcome.FIRST_WINS,
        ),
        (
            "X.O./...X/..../O..X b",
            "A4-C4",
            "..X./...X/..../O..X w",
            Outcome.SECOND_WINS,
            Outcome.SECOND_WINS,
        ),
        (
            "O.X./...O/..../X... w",
            "A4-C4",
            "..O./...O/..../X... b",
            Outcome.DRAW,
            Outcome.SECOND_WINS,
        ),
        (STUCK, "pass", STUCK[:-1] + "w", Outcome.ONGOING, Outcome.ONGOING),
    ],
)
def test_moves_that_decide(before, move, after, draw, mover):
    for simultaneous, outcome in (("draw", draw), ("mover", mover)):
        game = Loa(4, simultaneous)
        rules = proof_tools.rules_of("loa", game.rule_set)
        state = game.parse(before)
        action = game.parse_action(move, state)
        assert (
            game.legal_mask(state)[action]
            and game.action_text(action, state) == move
            and game.parse_action(move.lower()) == action
        )
        moved = game.step(state, action)
        assert game.text(moved) == after == rules.child(rules.root(before), move)
        assert int(game.outcome(moved)) == int(game.outcome(game.parse(after))) == outcome
        np.testing.assert_array_equal(game.pack(moved), game.pack(game.parse(after)))
        verdict = rules.verdict(rules.root(after))
        assert verdict == (
            None
            if outcome == Outcome.ONGOING
            else (None if outcome == Outcome.DRAW else outcome - 1, "connection")
        )


def test_a_side_without_moves_passes_or_loses():
    for game, outcome, drawn in (
        (Loa(4), Outcome.ONGOING, Outcome.DRAW),
        (Loa(4, no_moves="loss"), Outcome.SECOND_WINS, Outcome.SECOND_WINS),
    ):
        rules = proof_tools.rules_of("loa", game.rule_set)
        for text, end in ((STUCK, outcome), (BOTH_STUCK, drawn)):
            state = game.parse(text)
            assert int(game.outcome(state)) == end
            assert list(np.flatnonzero(game.legal_mask(state))) == (
                [game.parse_action("PASS")] if end == Outcome.ONGOING else []
            )
            verdict = rules.verdict(rules.root(text))
            if end == Outcome.ONGOING:
                assert (
                    verdict is None
                    and rules.replies(rules.root(text)) == {"pass": text[:-1] + "w"}
                    and game.action_text(128, state) == "pass"
                )
                assert game.place(128, state, 0) is None
            else:
                assert verdict.reason == game.leaf_reason(state, int(end)) == "no-moves"
    with pytest.raises(ValueError, match="a move joins two cells"):
        Loa(4, no_moves="loss").parse_action("pass")
    with pytest.raises(ValueError, match="action 128"):
        Loa(4, no_moves="loss").action_text(128)


def test_rule_set_sizes_and_options():
    game = make("loa-8")
    assert game.rule_set == "loa-8;simultaneous=draw;no_moves=pass"
    assert game.num_actions == 513 and Loa(7, "mover", "loss").num_actions == 392
    assert 4 * game.state_words == 20
    assert game.may_repeat and isinstance(game, HasPlayerView)
    assert [Loa(8, s, n).may_draw for s in ("draw", "mover") for n in ("pass", "loss")] == [
        True,
        True,
        True,
        False,
    ]
    for size in (7, 8):
        assert Loa(size).text(Loa(size).init()) == oracle.text(oracle.start(size))
    for wrong in ({"size": 3}, {"size": 9}, {"simultaneous": "both"}, {"no_moves": "stop"}):
        with pytest.raises(ValueError, match=str(*wrong.values())):
            Loa(**wrong)


@pytest.mark.parametrize("size", [5, 8])
def test_a_move_is_marked_where_its_piece_ends(size):
    """Before the move, and after it unless another piece stands in between."""
    game, rng, marked = Loa(size), random.Random(size), Counter()
    for board in oracle.boards_of_random_games(size, 120, rng):
        if oracle.outcome(board, "draw", "pass") != "going":
            continue
        state = game.read(oracle.text(board))
        for (cell, step), end in oracle.moves(board, board.side).items():
            action = DIRECTIONS.index(step) * size**2 + cell[0] * size + cell[1]
            assert game.place(action, state, board.side) == end[::-1]
            after = game.read(oracle.text(oracle.play(board, cell, end)))
            assert game.parse_action(game.action_text(action, after), after) == action
            marked[game.place(action, after, board.side) == end[::-1]] += 1
    assert marked[True] > 20 * marked[False]


def test_symmetries_are_those_of_the_square():
    game = Loa(5)
    images = np.stack(
        [
            game.cells(game.transform(game.parse("XX..O/X..../..O../...../..... b"), g))
            for g in range(8)
        ]
    )
    assert game.num_symmetries == 8 and len(np.unique(images.reshape(8, -1), axis=0)) == 8


def test_either_side_can_observe_the_board():
    game = Loa(4)
    state = game.parse("X.O./...X/..../O... w")
    own, other = game.observe(state), game.observe(game.player_view(state, jnp.int32(0)))
    cells = game.cells(state)
    assert [
        np.array_equal(own[..., k], x)
        for k, x in enumerate((cells == 2, cells == 1, np.ones((4, 4))))
    ] == [True] * 3
    assert [
        np.array_equal(other[..., k], x)
        for k, x in enumerate((cells == 1, cells == 2, np.zeros((4, 4))))
    ] == [True] * 3


@pytest.mark.parametrize(
    ("text", "word"),
    [
        ("", "position is"),
        ("XX../..../..../...O", "position is"),
        ("XX../..../..../...O b b", "position is"),
        ("XX../..../...O b", "3 rows"),
        ("XX../..../..../...O x", "'x'"),
        ("XX../..../..../...? b", "holds"),
        ("XX../..../..../.... b", "white has no piece"),
        ("..../..../..../...O b", "black has no piece"),
    ],
)
def test_bad_positions_are_refused(text, word):
    with pytest.raises(ValueError, match=word):
        Loa(4).parse(text)
    with pytest.raises(ValueError):
        proof_tools.rules_of("loa", Loa(4).rule_set).root(text)


def test_bad_moves_are_refused():
    game = Loa(4)
    state, rules = game.parse("X.O./...X/..../O..X b"), proof_tools.rules_of("loa", game.rule_set)
    for move, word in (
        ("A4", "joins two cells"),
        ("", "joins two cells"),
        ("A4-E4", "not a point"),
        ("A4-A4", "row, a column or a diagonal"),
        ("A4-C3", "row, a column or a diagonal"),
        ("A4-D4", "is 3 cells far, but .* here 2"),
        ("A4-C4-D4", "not a point"),
    ):
        with pytest.raises(ValueError, match=word):
            game.parse_action(move, state)
        with pytest.raises(ValueError):
            rules.child(rules.root(game.text(state)), move)
    assert (
        game.action_text(game.parse_action("A4-D4", game.parse("..O./...X/..../O..X w")), state)
        == "A4-C4"
    )
    for action in (-1, 129):
        with pytest.raises(ValueError, match=f"action {action}"):
            game.action_text(action, state)
    with pytest.raises(ValueError, match="depends on the position"):
        game.action_text(0)
    with pytest.raises(ValueError, match="off the board"):
        game.action_text(game.parse_action("A3-B3"), game.parse("..../XXXX/..../O..O b"))


def test_an_illegal_action_leaves_a_well_formed_board():
    """``Env`` steps finished games and drops the result."""
    game = Loa(5)
    step = jax.jit(jax.vmap(game.step, in_axes=(None, 0)))
    pieces = np.asarray(step(game.init(), jnp.arange(game.num_actions)).pieces)
    assert not np.any(pieces & ~byteboard.board(5)) and not np.any(pieces[:, 0] & pieces[:, 1])
