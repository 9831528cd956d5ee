"""Kernel and checker of Lines of Action equal a plain implementation, and open_spiel."""

from __future__ import annotations

import functools
import itertools
import random
from collections import Counter

import jax
import numpy as np
import pytest

from jaxsolve.games.game import Outcome
from jaxsolve.games.loa import Loa, LoaState
from jaxsolve.games.loa.lines import DIRECTIONS
from support.oracles import loa as oracle
from support.proofs import solver as proof_tools
from support.search import LONG
from support.transform_laws import quickly

OPTIONS = [
    Loa(size, simultaneous, no_moves)
    for size, simultaneous, no_moves in itertools.product(
        range(4, 9), ("draw", "mover"), ("pass", "loss")
    )
]
WIDTH = 256
ENDS = {
    "going": Outcome.ONGOING,
    "draw": Outcome.DRAW,
    "0": Outcome.FIRST_WINS,
    "1": Outcome.SECOND_WINS,
}


def states_of(boards: list[oracle.Board], game: Loa) -> LoaState:
    """A batch of ``boards``, made without the game's parser, and padded to ``WIDTH``."""
    pieces, meta = np.zeros((WIDTH, 2, 2), np.uint32), np.zeros(WIDTH, np.uint32)
    for i, board in enumerate(boards):
        for colour, (row, column) in (
            (colour, cell) for colour, own in enumerate(board.pieces) for cell in own
        ):
            pieces[i, colour, row // 4] |= np.uint32(1 << row % 4 * 8 + column)
        both = [oracle.joined(x) for x in board.pieces]
        known = (
            ENDS[oracle.outcome(board, game.simultaneous, game.no_moves)]
            if any(both)
            else Outcome.ONGOING
        )
        meta[i] = board.side | known << 1
    pieces[len(boards) :], meta[len(boards) :] = pieces[0], meta[0]
    return LoaState(pieces, meta)


@functools.cache
def compiled(game: Loa):
    states = states_of([oracle.start(game.size)], game)
    mask_and_outcome = quickly(jax.vmap(lambda s: (game.legal_mask(s), game.outcome(s))), states)
    return mask_and_outcome, quickly(jax.vmap(game.step), states, np.zeros(WIDTH, np.int32))


def compare(game: Loa, boards: list[oracle.Board], rng: random.Random, rules=None) -> Counter:
    """Kernel, checker and oracle agree on each board, and on the board after one of its moves.

    Returns the number of boards by outcome ("stuck": the side to move must pass).
    """
    ends, cells = Counter(), game.size**2
    mask_and_outcome, step = compiled(game)
    for first in range(0, len(boards), WIDTH):
        part = boards[first : first + WIDTH]
        states = states_of(part, game)
        masks, outcomes = map(np.asarray, mask_and_outcome(states))
        actions, after = np.zeros(WIDTH, np.int32), {}
        for i, board in enumerate(part):
            end = oracle.outcome(board, game.simultaneous, game.no_moves)
            assert outcomes[i] == ENDS[end], oracle.text(board)
            plain = oracle.moves(board, board.side) if end == "going" else {}
            names = {
                DIRECTIONS.index(step) * cells + r * game.size + c: ((r, c), to)
                for ((r, c), step), to in plain.items()
            }
            if end == "going" and not plain:
                names = {8 * cells: (None, None)}
            assert set(np.flatnonzero(masks[i]).tolist()) == set(names), oracle.text(board)
            ends["stuck" if 8 * cells in names else end] += 1
            if names:
                actions[i] = rng.choice(sorted(names))
                after[i] = oracle.play(board, *names[int(actions[i])])
            if rules is not None:
                check_rules(rules, board, end, names.values())
        moved, wanted = (
            step(states, actions),
            states_of([after.get(i, part[0]) for i in range(len(part))], game),
        )
        for i in after:
            assert (
                np.array_equal(moved.pieces[i], wanted.pieces[i])
                and moved.meta[i] == wanted.meta[i]
            ), (oracle.text(part[i]), actions[i])
    return ends


def check_rules(rules, board: oracle.Board, end: str, moves) -> None:
    """The checker's verdict on a board is ``end``; if it is "going", its replies are ``moves``."""
    position = rules.root(oracle.text(board))
    verdict = rules.verdict(position)
    if end != "going":
        reason = "connection" if any(map(oracle.joined, board.pieces)) else "no-moves"
        assert tuple(verdict) == (None if end == "draw" else int(end), reason)
        return
    names = {move_text(board.size, *move): oracle.text(oracle.play(board, *move)) for move in moves}
    assert verdict is None and rules.replies(position) == names


def move_text(size: int, start, end) -> str:
    return (
        "pass" if start is None else "-".join(f"{'ABCDEFGH'[c]}{size - r}" for r, c in (start, end))
    )


@pytest.mark.short(4)
@pytest.mark.parametrize("game", OPTIONS if LONG else OPTIONS[1::3], ids=lambda game: game.rule_set)
def test_moves_and_ends_of_random_boards(game):
    """Boards of random games, and boards with pieces at random."""
    rng, rules = random.Random(game.rule_set), proof_tools.rules_of("loa", game.rule_set)
    boards = oracle.boards_of_random_games(game.size, 1200 if LONG else 400, rng) + [
        oracle.thrown(game.size, rng) for _ in range(1200 if LONG else 300)
    ]
    ends = compare(game, boards, rng, rules)
    assert ends["going"] > len(boards) // 4 and min(ends["0"], ends["1"]) > 10


@pytest.mark.parametrize("no_moves", ["pass", "loss"])
def test_full_boards_where_a_side_has_no_move(no_moves):
    """Such boards are rare in play; random boards of 4x4 that are nearly full include some."""
    game, rng = Loa(4, "draw", no_moves), random.Random(5)
    boards = [oracle.thrown(4, rng) for _ in range(6000)]
    stuck = [
        b for b in boards if not any(map(oracle.joined, b.pieces)) and not oracle.moves(b, b.side)
    ]
    assert {bool(oracle.moves(b, 1 - b.side)) for b in stuck} == {True, False} and len(stuck) > 40
    ends = compare(game, stuck, rng, proof_tools.rules_of("loa", game.rule_set))
    assert set(ends) == ({"stuck", "draw"} if no_moves == "pass" else {"0", "1"})


# ---- counting ----------------------------------------------------------------------------------
def perft(game: Loa, board: oracle.Board, depth: int) -> int:
    """Number of sequences of ``depth`` moves from a position, by the kernel.

    Equal positions are counted together.
    """
    mask_and_outcome, step = compiled(game)
    states, times = states_of([board], game), np.ones(1, np.int64)
    rows = np.concatenate([states.pieces[:1].reshape(1, 4), states.meta[:1, None]], axis=1)

    def batch(rows):
        padded = np.concatenate([rows, np.repeat(rows[:1], WIDTH - len(rows), 0)])
        return LoaState(padded[:, :4].reshape(-1, 2, 2), padded[:, 4])

    for ply in range(depth):
        masks = np.concatenate(
            [
                np.asarray(mask_and_outcome(batch(rows[i : i + WIDTH]))[0])[: len(rows) - i]
                for i in range(0, len(rows), WIDTH)
            ]
        )
        if ply == depth - 1:
            return int(times @ masks.sum(1))
        owners, actions = np.nonzero(masks)
        after = []
        for i in range(0, len(owners), WIDTH):
            chosen = np.zeros(WIDTH, np.int32)
            chosen[: len(owners[i : i + WIDTH])] = actions[i : i + WIDTH]
            moved = step(batch(rows[owners[i : i + WIDTH]]), chosen)
            packed = np.concatenate(
                [np.asarray(moved.pieces).reshape(-1, 4), np.asarray(moved.meta)[:, None]], axis=1
            )
            after.append(packed[: len(owners[i : i + WIDTH])])
        rows, back = np.unique(np.concatenate(after), axis=0, return_inverse=True)
        times = np.bincount(back.reshape(-1), times[owners]).astype(np.int64)
    return 1


def plain_perft(game: Loa, board: oracle.Board, depth: int, memory: dict) -> int:
    if depth == 0:
        return 1
    if (board, depth) not in memory:
        ends = oracle.outcome(board, game.simultaneous, game.no_moves) != "going"
        moves = (
            []
            if ends
            else [(cell, end) for (cell, _), end in oracle.moves(board, board.side).items()]
            or [(None, None)]
        )
        total = (
            len(moves)
            if depth == 1
            else sum(
                plain_perft(game, oracle.play(board, *move), depth - 1, memory) for move in moves
            )
        )
        memory[board, depth] = total
    return memory[board, depth]


@pytest.mark.short("8-2")
@pytest.mark.parametrize(
    ("size", "depth"),
    [(4, 6), (5, 4), (6, 4), (7, 4), (8, 4)] if LONG else [(4, 5), (5, 4), (8, 2)],
)
def test_kernel_and_oracle_count_the_same_move_sequences(size, depth):
    """From the start, and from the middle of games."""
    game, rng = Loa(size), random.Random(size)
    middle = [
        b
        for b in oracle.boards_of_random_games(size, 200, rng)[8:]
        if oracle.outcome(b, "draw", "pass") == "going"
    ]
    assert perft(game, oracle.start(size), depth) == plain_perft(
        game, oracle.start(size), depth, {}
    )
    for board in rng.sample(middle, 10 if LONG else 2):
        shallow = depth if size < 6 else 3 if LONG else 2
        assert perft(game, board, shallow) == plain_perft(game, board, shallow, {}), oracle.text(
            board
        )


SPIEL = Loa(8, "mover", "pass")


def spiel_names(state) -> set[str]:
    return {
        state.action_to_string(action).replace("x", "-").upper() for action in state.legal_actions()
    }


def spiel_perft(state, depth: int, memory: dict) -> int:
    """Number of sequences of ``depth`` moves in open_spiel's game.

    Repetitions, which end its games, need more moves than these tests count.
    """
    key = str(state), depth
    if key not in memory:
        actions = [] if state.is_terminal() else state.legal_actions()
        memory[key] = (
            len(actions)
            if depth == 1
            else sum(spiel_perft(state.child(action), depth - 1, memory) for action in actions)
        )
    return memory[key]


def test_open_spiel_counts_the_same_move_sequences():
    pyspiel = pytest.importorskip("pyspiel")
    depth = 4 if LONG else 3
    counted = [perft(SPIEL, oracle.start(8), d) for d in range(1, depth + 1)]
    assert counted[:2] == [36, 1244]
    root = pyspiel.load_game("lines_of_action").new_initial_state()
    assert counted[-1] == spiel_perft(root, depth, {})


def test_open_spiel_plays_the_same_games():
    """Games are compared until a repetition, where open_spiel ends them with a draw.

    In open_spiel the mover wins if a move joins both sides.
    """
    pyspiel = pytest.importorskip("pyspiel")
    rng, rules = random.Random(3), proof_tools.rules_of("loa", SPIEL.rule_set)
    mask_and_outcome, step = (
        jax.jit(lambda s: (SPIEL.legal_mask(s), SPIEL.outcome(s))),
        jax.jit(SPIEL.step),
    )
    plies, wins = 0, Counter()
    for _ in range(200 if LONG else 12):
        theirs, ours = pyspiel.load_game("lines_of_action").new_initial_state(), SPIEL.init()
        while not theirs.is_terminal():
            mask, outcome = mask_and_outcome(ours)
            assert int(outcome) == Outcome.ONGOING
            names = {
                SPIEL.action_text(int(action), ours): int(action) for action in np.flatnonzero(mask)
            }
            assert (
                set(names)
                == spiel_names(theirs)
                == set(rules.replies(rules.root(SPIEL.text(ours))))
            )
            their_actions = {
                theirs.action_to_string(action).replace("x", "-").upper(): action
                for action in theirs.legal_actions()
            }
            move = rng.choice(sorted(names))
            ours = step(ours, names[move])
            theirs.apply_action(their_actions[move])
            plies += 1
        returns = theirs.returns()
        if any(returns):
            assert int(mask_and_outcome(ours)[1]) == (
                Outcome.FIRST_WINS if returns[0] > 0 else Outcome.SECOND_WINS
            )
            wins[returns[0] > 0] += 1
    assert plies > 200 and sum(wins.values()) > 3
