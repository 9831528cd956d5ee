"""Laws of Slither: the kernel equals a plain reading of the rules, over random play and in every
position of small boards.
"""

from __future__ import annotations

import functools
import itertools
import random

import jax
import numpy as np
import pytest

from jaxsolve.formats import position
from jaxsolve.games import make
from jaxsolve.games.game import Outcome
from jaxsolve.games.slither import Slither, SlitherState
from jaxsolve.proof.check import registry as checkers
from jaxsolve.search import Claim
from support.oracles import minimax
from support.oracles import slither as oracle
from support.search import LONG, NAMES, Setting, claims, in_turn, run
from support.transform_laws import quickly

BLOCKED = "OOOXX/OO.XO/XX.OO/XXOOX/OXOOX b"
"""Black has no turn; White has one."""


WIDTH = 256


@functools.cache
def compiled(game: Slither):
    """The masks of ``WIDTH`` states, and the states after one action each."""
    states = batch_of(game, [game.text(game.init())])
    return quickly(jax.vmap(game.legal_mask), states), quickly(
        jax.vmap(game.step), states, np.zeros(WIDTH, np.int32)
    )


def batch_of(game: Slither, texts: list[str]) -> SlitherState:
    """States of host arrays, the first repeated up to ``WIDTH``."""
    states = [game.read(text) for text in texts]
    return jax.tree.map(lambda *x: np.stack([*x, *[x[0]] * (WIDTH - len(x))]), *states)


def turns_of(game: Slither, texts: list[str]) -> list[set]:
    """The turns that the kernel allows in each position, in the oracle's form; relocation and
    placement are two actions.
    """
    return [
        turns
        for first in range(0, len(texts), WIDTH)
        for turns in _turns_of(game, texts[first : first + WIDTH])
    ]


def _turns_of(game: Slither, texts: list[str]) -> list[set]:
    size, cells, (look, step) = game.size, game.size**2, compiled(game)
    states = batch_of(game, texts)
    masks = np.asarray(look(states))[: len(texts)]
    found = [{(None, divmod(int(a), size)) for a in np.flatnonzero(mask[:cells])} for mask in masks]
    relocations = np.argwhere(masks[:, cells:-1])
    for first in range(0, len(relocations), WIDTH):
        part = relocations[first : first + WIDTH]
        owners, actions = np.concatenate([part, np.repeat(part[:1], WIDTH - len(part), 0)]).T
        after = step(
            jax.tree.map(lambda x, owners=owners: x[owners], states),
            (actions + cells).astype(np.int32),
        )
        np.testing.assert_array_equal(after.meta, states.meta[owners] | 2)
        second = np.asarray(look(after))[: len(part)]
        assert not second[:, cells:].any() and second.any(axis=1).all()
        for (owner, action), mask in zip(part.tolist(), second, strict=True):
            start, end = (
                divmod(game.parse_action(name), size)
                for name in game.action_text(action + cells).split("-")
            )
            found[owner] |= {
                ((start, end), divmod(int(put), size)) for put in np.flatnonzero(mask[:cells])
            }
    for turns, mask in zip(found, masks, strict=True):
        assert bool(mask[-1]) == (not turns)
    return found


def random_boards(size: int, seed: int, stop: float = 0.0) -> list[oracle.Board]:
    """The undecided positions of a random game with more relocations than uniform play; ``stop``
    allows an end after any turn.
    """
    rng, board, boards = (
        random.Random(f"{size} {seed}"),
        oracle.Board(size, (frozenset(), frozenset()), 0),
        [],
    )
    while oracle.winner(board) is None and (not boards or rng.random() >= stop):
        boards.append(board)
        turns = sorted(oracle.turns(board), key=str)
        moved = [turn for turn in turns if turn[0] is not None]
        board = oracle.play(
            board, rng.choice(moved if moved and rng.random() < 0.5 else turns) if turns else None
        )
    return boards


@pytest.mark.short(2)
@pytest.mark.parametrize("size", [1, 2, 4, 5, 8])
def test_turns_over_random_play(size):
    boards = [board for seed in range(40 if LONG else 4) for board in random_boards(size, seed)]
    boards = boards[:: 1 if size < 8 or LONG else 12]
    for board, turns in zip(
        boards,
        turns_of(make(f"slither-{size}"), [oracle.text(board) for board in boards]),
        strict=True,
    ):
        assert turns == oracle.turns(board), oracle.text(board)


@pytest.mark.short("9")
@pytest.mark.parametrize("size", [9, 11, 16, 19] if LONG else [9, 16])
def test_placements_on_larger_boards(size):
    """Another layout of rows in words; the turns of one late position each."""
    board = random_boards_by_placement(size)[-1]
    (turns,) = turns_of(make(f"slither-{size}"), [oracle.text(board)])
    assert {turn for turn in turns if turn[0] is None} == {
        (None, put) for put in board.empty if oracle.keeps_rule(board.stones[board.side] | {put})
    }
    own, rng = board.stones[board.side], random.Random(size)
    for (r, c), (dr, dc) in rng.sample(list(itertools.product(sorted(own), oracle.STEPS)), 40):
        end = (r + dr, c + dc)
        if end in board.empty:
            moved = own - {(r, c)} | {end}
            rule = {
                put for put in board.empty - {end} | {(r, c)} if oracle.keeps_rule(moved | {put})
            }
            assert {put for relocation, put in turns if relocation == ((r, c), end)} == rule


def random_boards_by_placement(size: int) -> list[oracle.Board]:
    rng, board, boards = random.Random(size), oracle.Board(size, (frozenset(), frozenset()), 0), []
    for _ in range(size * size // 3):
        put = rng.choice(sorted(board.empty))
        if oracle.keeps_rule(board.stones[board.side] | {put}):
            board = oracle.play(board, (None, put))
            boards.append(board)
    return [board for board in boards if oracle.winner(board) is None]


def every_board(size: int) -> list[oracle.Board]:
    """All positions in which both sides keep the diagonal rule."""
    cells = list(itertools.product(range(size), repeat=2))
    sets = [
        frozenset(itertools.compress(cells, bits))
        for bits in itertools.product((0, 1), repeat=len(cells))
    ]
    sets = [stones for stones in sets if oracle.keeps_rule(stones)]
    return [
        oracle.Board(size, (one, other), side)
        for one in sets
        for other in sets
        if not one & other
        for side in (0, 1)
    ]


@pytest.mark.parametrize("size", [2, 3])
def test_every_position_of_small_boards(size):
    """Turns and winners. A full board has one winner, and one side always has a turn, as the
    docstring of the game claims.
    """
    game, boards = make(f"slither-{size}"), every_board(size)
    open_ones = [board for board in boards if oracle.winner(board) is None]
    assert all(board.empty for board in open_ones)
    for board in boards:
        both = [oracle.connects(board.stones[side], side, size) for side in (0, 1)]
        assert not all(both)
        if any(both) and oracle.winner(board) != board.side:
            state = game.read(oracle.text(board))
            assert int(state.meta) >> 2 == Outcome.FIRST_WINS + both.index(True)
    texts = [oracle.text(board) for board in open_ones]
    blocked = set()
    for board, turns in zip(open_ones, turns_of(game, texts), strict=True):
        assert turns == oracle.turns(board), oracle.text(board)
        if not turns:
            assert board.stones not in blocked
            blocked.add(board.stones)


def test_a_player_without_a_turn_passes_and_only_then():
    game, rules = make("slither-5"), checkers.find("slither").rules("slither-5")
    board = oracle.board_of(BLOCKED)
    state = game.parse(BLOCKED)
    assert not oracle.turns(board) and oracle.turns(oracle.play(board, None))
    assert (
        list(np.flatnonzero(game.legal_mask(state)))
        == [game.parse_action("PASS")]
        == [game.num_actions - 1]
    )
    after = game.step(state, game.num_actions - 1)
    assert game.text(after) == BLOCKED[:-1] + "w" and rules.replies(rules.root(BLOCKED)) == {
        "pass": BLOCKED[:-1] + "w"
    }
    assert not game.legal_mask(after)[-1] and not game.legal_mask(game.init())[-1]
    assert game.place(game.num_actions - 1, state, 0) is None
    assert position.resolve("moves:A1 B2 C3", game="slither-5") and "pass" not in rules.replies(
        rules.root(game.text(game.init()))
    )


@pytest.mark.full
@pytest.mark.parametrize(
    ("text", "method"), in_turn([BLOCKED, BLOCKED[:-1] + "w"], NAMES if LONG else ("pns", "dfpn"))
)
def test_positions_with_passes_are_solved(method, text, tmp_path):
    game, wins = make("slither-5"), oracle.wins(oracle.board_of(text))
    side = "bw".index(text[-1])
    assert run(
        game, game.parse(text), Claim(side), Setting(method, 4, None, 0), tmp_path
    ).verdict is minimax.expected(wins)


def test_a_connection_made_by_relocation_counts_after_the_placement():
    game = make("slither-3")
    before = game.parse(
        "X.O/X.O/.X. b relocated"
    )  # the rule is broken within the turn; only A1 and B2 repair it
    assert {game.action_text(int(a)) for a in np.flatnonzero(game.legal_mask(before))} == {
        "A1",
        "B2",
    }
    state = game.parse("X.O/X.O/X.. b relocated")
    children = game.children(state)
    assert int(game.outcome(state)) == Outcome.ONGOING and int(game.to_move(state)) == 0
    np.testing.assert_array_equal(children.wins, children.legal)
    assert {game.action_text(int(a)) for a in np.flatnonzero(game.legal_mask(state))} == {
        "B3",
        "B2",
        "B1",
        "C1",
    }
    for action in np.flatnonzero(game.legal_mask(state)):
        assert int(game.outcome(game.step(state, action))) == Outcome.FIRST_WINS


def test_the_placed_stone_may_go_where_the_relocated_one_was():
    game = make("slither-4")
    plain, roundabout = (
        position.resolve(f"moves:{words}", game="slither-4").state
        for words in ("B2 D4 B3", "B2 D4 B2-B3 B2")
    )
    assert game.text(plain) == game.text(roundabout) == "...O/.X../.X../.... w"
    np.testing.assert_array_equal(
        game.key(game.parse(game.text(plain))), game.key(game.parse(game.text(roundabout)))
    )


# ---- solving -------------------------------------------------------------------------------------
@pytest.mark.short(2)
@pytest.mark.parametrize("method", NAMES)
def test_small_boards_are_solved_as_by_trying_everything(method, tmp_path):
    """Both claims: 2x2 in every position by one method, some positions of 3x3, and late positions
    of 4x4.
    """
    boards = [board for board in every_board(2) if oracle.winner(board) is None][
        :: 1 if LONG or method == "dfpn" else 100
    ]
    rng = random.Random(method)
    three = [board for board in every_board(3) if oracle.winner(board) is None]
    boards += [
        oracle.Board(3, (frozenset(), frozenset()), 0),
        *rng.sample(three, 300 if LONG else 6),
    ]
    late = [
        board for seed in range(60) for board in random_boards(4, seed) if len(board.empty) == 4
    ]
    boards += rng.sample(late, 20 if LONG else 3)
    for number, board in enumerate(boards):
        game, claim = make(f"slither-{board.size}"), claims(make("slither-2"))[number % 2]
        holds = oracle.wins(board) == (claim.player == board.side)
        got = run(
            game,
            game.parse(oracle.text(board)),
            claim,
            Setting(method, (1, 4, 32)[number % 3], None, number),
            tmp_path,
        )
        assert got.verdict is minimax.expected(holds), oracle.text(board)


@pytest.mark.short(2)
@pytest.mark.parametrize("method", NAMES)
def test_positions_in_the_middle_of_a_turn_are_solved(method, tmp_path):
    game, rules = make("slither-3"), checkers.find("slither").rules("slither-3")
    plain, rng = minimax.DepthFirst(game), random.Random(method)
    texts = (
        text for text in minimax.random_positions(game, range(3, 7), 5) if "relocated" not in text
    )
    for start in itertools.islice(texts, 40 if LONG else 4):
        after = [text for text in rules.replies(rules.root(start)).values() if "relocated" in text]
        for text in rng.sample(sorted(after), min(2, len(after))):
            for claim in claims(game):
                wanted = minimax.expected(plain.holds(text, claim))
                assert (
                    run(
                        game, game.parse(text), claim, Setting(method, 4, None, 1), tmp_path
                    ).verdict
                    is wanted
                ), text
