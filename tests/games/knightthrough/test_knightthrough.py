"""Knightthrough: kernel and checker equal an oracle; texts, views and refusals."""

from __future__ import annotations

import functools
import itertools
import random
from collections import Counter

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from jaxsolve.games import make
from jaxsolve.games.boards import byteboard
from jaxsolve.games.game import HasPlayerView, Outcome
from jaxsolve.games.knightthrough import Knightthrough, KnightthroughState
from jaxsolve.games.knightthrough.text import DIRECTIONS
from support.oracles import knightthrough as oracle
from support.proofs import solver as proof_tools
from support.search import LONG
from support.transform_laws import quickly

OPTIONS = [
    Knightthrough(size, rules) for size, rules in itertools.product(range(4, 9), ("forward", "all"))
]
WIDTH = 256


# ---- rules -------------------------------------------------------------------------------------
def states_of(boards: list[oracle.Board]) -> KnightthroughState:
    """``WIDTH`` states of ``boards``, the last one repeated, without the game's parser."""
    knights, side = np.zeros((WIDTH, 2, 2), np.uint32), np.zeros(WIDTH, np.uint32)
    for i in range(WIDTH):
        board = boards[min(i, len(boards) - 1)]
        side[i] = board.side
        for r, row in enumerate(board.rows):
            for c, x in enumerate(row):
                if x != ".":
                    knights[i, "XO".index(x), r // 4] |= np.uint32(1 << r % 4 * 8 + c)
    return KnightthroughState(knights, side)


@functools.cache
def compiled(game: Knightthrough):
    states = states_of([oracle.start(game.size)])
    look = quickly(jax.vmap(lambda s: (game.legal_mask(s), game.outcome(s))), states)
    return look, quickly(jax.vmap(game.step), states, np.zeros(WIDTH, np.int32))


def number(game: Knightthrough, move: tuple[int, int, int, int], side: int) -> int:
    """The action number of a move, by the game's docstring."""
    r, c, to_row, to_column = move
    forward = to_row - r if side else r - to_row
    return DIRECTIONS.index((forward, to_column - c)) * game.size**2 + r * game.size + c


@pytest.mark.parametrize("game", OPTIONS, ids=lambda game: game.rule_set)
def test_kernel_and_checker_equal_the_oracle_on_random_boards(game):
    """Masks, outcomes, children and leaf reasons, in random play and on random boards."""
    rng, (look, step) = random.Random(game.rule_set), compiled(game)
    rules = proof_tools.rules_of("knightthrough", game.rule_set)
    boards = oracle.random_play(game.size, game.rules, 1000 if LONG else 250, rng) + [
        oracle.random_board(game.size, rng) for _ in range(1000 if LONG else 250)
    ]
    ends = Counter()
    for first in range(0, len(boards), WIDTH):
        part = boards[first : first + WIDTH]
        states, actions, after = states_of(part), np.zeros(WIDTH, np.int32), {}
        masks, outcomes = map(np.asarray, look(states))
        for i, board in enumerate(part):
            lost = oracle.loser(board, game.rules)
            verdict = rules.verdict(rules.root(oracle.text(board)))
            moves = [] if lost else oracle.legal_moves(board, game.rules)
            assert set(np.flatnonzero(masks[i]).tolist()) == {
                number(game, move, board.side) for move in moves
            }, oracle.text(board)
            ends[lost and lost[1]] += 1
            if lost:
                assert outcomes[i] == (Outcome.SECOND_WINS, Outcome.FIRST_WINS)[lost[0]]
                assert verdict == (1 - lost[0], lost[1])
                assert game.leaf_reason(game.read(oracle.text(board)), int(outcomes[i])) == lost[1]
                continue
            assert outcomes[i] == Outcome.ONGOING and verdict is None
            assert rules.replies(rules.root(oracle.text(board))) == {
                oracle.name(game.size, move): oracle.text(oracle.play(board, move))
                for move in moves
            }
            move = rng.choice(moves)
            actions[i], after[i] = number(game, move, board.side), oracle.play(board, move)
        moved = step(states, actions)
        expected = states_of([after.get(i, part[0]) for i in range(len(part))])
        for i in after:
            same = np.array_equal(moved.knights[i], expected.knights[i])
            assert same and moved.side[i] == expected.side[i], (oracle.text(part[i]), actions[i])
    assert min(ends[None], ends["far-row"], ends["no-moves"]) > 5


def perft(game: Knightthrough, board: oracle.Board, depth: int) -> int:
    """Number of move sequences of length ``depth``, by the kernel.

    Equal positions are merged and counted with their multiplicity.
    """
    look, step = compiled(game)
    first = states_of([board])
    rows = np.concatenate([first.knights[:1].reshape(1, 4), first.side[:1, None]], axis=1)
    counts = np.ones(1, np.int64)

    def batch(rows):
        padded = np.concatenate([rows, np.repeat(rows[:1], WIDTH - len(rows), 0)])
        return KnightthroughState(padded[:, :4].reshape(-1, 2, 2), padded[:, 4])

    for ply in range(depth):
        masks = np.concatenate(
            [
                np.asarray(look(batch(rows[i : i + WIDTH]))[0])[: len(rows) - i]
                for i in range(0, len(rows), WIDTH)
            ]
        )
        if ply == depth - 1:
            break
        parents, actions = np.nonzero(masks)
        after = []
        for i in range(0, len(parents), WIDTH):
            chosen = np.zeros(WIDTH, np.int32)
            chosen[: len(parents) - i] = actions[i : i + WIDTH]
            moved = step(batch(rows[parents[i : i + WIDTH]]), chosen)
            after.append(
                np.concatenate(
                    [np.asarray(moved.knights).reshape(-1, 4), np.asarray(moved.side)[:, None]],
                    axis=1,
                )[: len(parents) - i]
            )
        rows, inverse = np.unique(np.concatenate(after), axis=0, return_inverse=True)
        counts = np.bincount(inverse.reshape(-1), counts[parents]).astype(np.int64)
    return int(counts @ masks.sum(1))


@pytest.mark.parametrize(
    ("size", "rules"), [(5, "forward"), (8, "forward"), (4, "all"), (8, "all")]
)
def test_perft_equals_that_of_the_oracle(size, rules):
    """From the start, and from the middle of random games."""
    game, rng = Knightthrough(size, rules), random.Random(size)
    depth = 4 if LONG or size < 8 else 3
    assert perft(game, oracle.start(size), depth) == oracle.perft(
        oracle.start(size), rules, depth, {}
    )
    middle = [
        board
        for board in oracle.random_play(size, rules, 200, rng)
        if not oracle.loser(board, rules)
    ]
    for board in rng.sample(middle, 10 if LONG else 2):
        assert perft(game, board, depth - 1) == oracle.perft(board, rules, depth - 1, {}), (
            oracle.text(board)
        )


# ---- facts -------------------------------------------------------------------------------------
def test_properties_of_the_game():
    game = make("knightthrough-8")
    assert game.rule_set == "knightthrough-8;rules=forward"
    assert (game.num_actions, 4 * game.state_words) == (256, 20)
    assert Knightthrough(8, "all").num_actions == 512 and not game.may_draw
    assert not game.may_repeat and Knightthrough(8, "all").may_repeat
    assert game.text(game.init()) == oracle.text(oracle.start(8))
    assert isinstance(game, HasPlayerView)
    for wrong in ({"size": 3}, {"size": 9}, {"rules": "back"}):
        with pytest.raises(ValueError, match=str(*wrong.values())):
            Knightthrough(**wrong)


@pytest.mark.parametrize("rules", ["forward", "all"])
def test_a_move_has_the_same_text_before_and_after_it_is_made(rules):
    """Its place is the knight's target in both positions."""
    game, rng = Knightthrough(6, rules), random.Random(rules)
    for board in oracle.random_play(6, rules, 150, rng):
        if oracle.loser(board, rules):
            continue
        move = rng.choice(oracle.legal_moves(board, rules))
        action = number(game, move, board.side)
        for state in (
            game.read(oracle.text(board)),
            game.parse(oracle.text(oracle.play(board, move))),
        ):
            assert (
                game.action_text(action, state) == oracle.name(6, move)
                and game.parse_action(oracle.name(6, move).lower(), state) == action
            )
            assert game.place(action, state, board.side) == (move[3], move[2])
    assert (
        game.action_text(game.parse_action("B2-C4")) == "B2-C4"
        and game.place(0, game.init(), 0) is None
    )


def test_observations_are_from_the_view_of_the_side_to_move():
    game = Knightthrough(4)
    state = game.parse("O.../..O./X.../.X.. w")
    seen, other = game.observe(state), game.observe(game.player_view(state, jnp.int32(0)))
    cells = game.cells(state)
    assert [
        np.array_equal(seen[..., k], x)
        for k, x in enumerate((cells == 2, cells == 1, np.ones((4, 4))))
    ] == [True] * 3
    assert [
        np.array_equal(other[..., k], x)
        for k, x in enumerate((cells == 1, cells == 2, np.zeros((4, 4))))
    ] == [True] * 3


def test_every_action_leaves_a_well_formed_board():
    game = Knightthrough(5, "all")
    after = np.asarray(
        jax.jit(jax.vmap(game.step, in_axes=(None, 0)))(
            game.init(), jnp.arange(game.num_actions)
        ).knights
    )
    assert not np.any(after & ~byteboard.board(5)) and not np.any(after[:, 0] & after[:, 1])


@pytest.mark.parametrize(
    ("board", "message"),
    [
        ("", "position is"),
        ("X.../..../..../...O", "position is"),
        ("..../X.../...O/.... b b", "position is"),
        ("..../X.../...O b", "3 rows"),
        ("..../X.../...O/.... x", "'x'"),
        ("..../X.../...?/.... b", "holds"),
        ("X.../..../O.../.... b", "black is to move but already has a knight on its far row"),
        ("..../X.../..../O... w", "white is to move but already has a knight on its far row"),
        ("..../X.../..../.... b", "white moved last but has no knight"),
        ("..../..../..../.... w", "black moved last but has no knight"),
    ],
)
def test_bad_positions_are_refused(board, message):
    with pytest.raises(ValueError, match=message):
        Knightthrough(4).parse(board)
    with pytest.raises(ValueError):
        proof_tools.rules_of("knightthrough", Knightthrough(4).rule_set).root(board)


def test_bad_moves_are_refused():
    game = Knightthrough(5)
    state, rules = game.init(), proof_tools.rules_of("knightthrough", game.rule_set)
    for move, message in (
        ("B2", "joins two cells"),
        ("", "joins two cells"),
        ("B2-F4", "not a point"),
        ("B2-B4", "no knight's move"),
        ("B2-B2", "no knight's move"),
        ("B3-A1", "leads away"),
        ("B4-C6", "not a point"),
    ):
        with pytest.raises(ValueError, match=message):
            game.parse_action(move, game.parse("O..../OO.../.X.../.X.../..... b"))
        with pytest.raises(ValueError):
            rules.child(rules.root(game.text(state)), move)
    for action in (-1, 100):
        with pytest.raises(ValueError, match=f"action {action}"):
            game.action_text(action, state)
    with pytest.raises(ValueError, match="off the board"):
        game.action_text(0)
