"""Laws of Knightthrough: kernel and checker equal a plain reading of the rules, over random play and in small boards searched through."""

from __future__ import annotations

import functools
import itertools
import random
from collections import Counter
from typing import NamedTuple

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from jaxsolve.games import make
from jaxsolve.games.boards import byteboard
from jaxsolve.games.game import HasPlayerView, Outcome
from jaxsolve.games.knightthrough import Knightthrough, KnightthroughState
from jaxsolve.games.knightthrough.text import DIRECTIONS
from jaxsolve.search import Verdict
from support.oracles import minimax
from support.proofs import solver as proof_tools
from support.search import LONG, NAMES, Setting, claims, in_turn, run, settings
from support.transform_laws import quickly

OPTIONS = [
    Knightthrough(size, rules) for size, rules in itertools.product(range(4, 9), ("forward", "all"))
]
WIDTH = 256
JUMPS = [(dr, dc) for dr in (-2, -1, 1, 2) for dc in (-2, -1, 1, 2) if abs(dr) != abs(dc)]


# ---- the rules once more, cell by cell ---------------------------------------------------------
class Board(NamedTuple):
    """Rows from the top, each a text of ``.``, ``X`` and ``O``."""

    rows: tuple[str, ...]
    side: int


def text(board: Board) -> str:
    return f"{'/'.join(board.rows)} {'bw'[board.side]}"


def start(size: int) -> Board:
    return Board(("O" * size,) * 2 + ("." * size,) * (size - 4) + ("X" * size,) * 2, 0)


def plain_moves(board: Board, rules: str) -> list[tuple[int, int, int, int]]:
    """(row, column) from and to."""
    size, own, up = len(board.rows), "XO"[board.side], (-1, 1)[board.side]
    found = []
    for r, c, (dr, dc) in itertools.product(range(size), range(size), JUMPS):
        to = r + dr, c + dc
        ahead = rules == "all" or dr * up > 0
        if (
            board.rows[r][c] == own
            and ahead
            and 0 <= to[0] < size
            and 0 <= to[1] < size
            and board.rows[to[0]][to[1]] != own
        ):
            found.append((r, c, *to))
    return found


def plain_play(board: Board, move: tuple[int, int, int, int]) -> Board:
    rows = [list(row) for row in board.rows]
    rows[move[2]][move[3]], rows[move[0]][move[1]] = rows[move[0]][move[1]], "."
    return Board(tuple(map("".join, rows)), 1 - board.side)


def loser(board: Board, rules: str) -> tuple[int, str] | None:
    """Who has lost, and why; None while the game goes on."""
    if "XO"[1 - board.side] in board.rows[0 if board.side else -1]:
        return board.side, "far-row"
    return None if plain_moves(board, rules) else (board.side, "no-moves")


def thrown(size: int, rng: random.Random) -> Board:
    """A board with knights anywhere that the side not to move can have left behind."""
    while True:
        weights = [rng.choice((1, 2, 6, 20)), rng.choice((0, 1, 2)), rng.choice((0, 1, 2))]
        rows = tuple("".join(rng.choices(".XO", weights, k=size)) for _ in range(size))
        side = rng.randrange(2)
        if "XO"[side] not in rows[-1 if side else 0] and any("XO"[1 - side] in row for row in rows):
            return Board(rows, side)


def played(size: int, rules: str, plies: int, rng: random.Random) -> list[Board]:
    """The boards of random games, their ends among them."""
    board, boards = start(size), []
    for _ in range(plies):
        boards.append(board)
        board = (
            start(size)
            if loser(board, rules)
            else plain_play(board, rng.choice(plain_moves(board, rules)))
        )
    return boards


# ---- three readings agree ----------------------------------------------------------------------
def states_of(boards: list[Board]) -> KnightthroughState:
    """States of ``boards``, made without the game's reading; the first repeated up to ``WIDTH``."""
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
    states = states_of([start(game.size)])
    look = quickly(jax.vmap(lambda s: (game.legal_mask(s), game.outcome(s))), states)
    return look, quickly(jax.vmap(game.step), states, np.zeros(WIDTH, np.int32))


def number(game: Knightthrough, move: tuple[int, int, int, int], side: int) -> int:
    """The action of a move, as the game's docstring numbers it."""
    r, c, to_row, to_column = move
    forward = to_row - r if side else r - to_row
    return DIRECTIONS.index((forward, to_column - c)) * game.size**2 + r * game.size + c


def name(size: int, move: tuple[int, int, int, int]) -> str:
    return "-".join(f"{'ABCDEFGH'[c]}{size - r}" for r, c in (move[:2], move[2:]))


@pytest.mark.parametrize("game", OPTIONS, ids=lambda game: game.rule_set)
def test_moves_and_ends_of_random_boards(game):
    """Games from the start, and boards thrown together: masks, ends, the boards after every move, and the checker's words."""
    rng, rules, (look, step) = (
        random.Random(game.rule_set),
        proof_tools.rules_of("knightthrough", game.rule_set),
        compiled(game),
    )
    boards = played(game.size, game.rules, 1000 if LONG else 250, rng) + [
        thrown(game.size, rng) for _ in range(1000 if LONG else 250)
    ]
    ends = Counter()
    for first in range(0, len(boards), WIDTH):
        part = boards[first : first + WIDTH]
        states, actions, after = states_of(part), np.zeros(WIDTH, np.int32), {}
        masks, outcomes = map(np.asarray, look(states))
        for i, board in enumerate(part):
            lost = loser(board, game.rules)
            verdict = rules.verdict(rules.root(text(board)))
            moves = [] if lost else plain_moves(board, game.rules)
            assert set(np.flatnonzero(masks[i]).tolist()) == {
                number(game, move, board.side) for move in moves
            }, text(board)
            ends[lost and lost[1]] += 1
            if lost:
                assert outcomes[i] == (Outcome.SECOND_WINS, Outcome.FIRST_WINS)[
                    lost[0]
                ] and verdict == (1 - lost[0], lost[1])
                assert game.leaf_reason(game.read(text(board)), int(outcomes[i])) == lost[1]
                continue
            assert outcomes[i] == Outcome.ONGOING and verdict is None
            assert rules.replies(rules.root(text(board))) == {
                name(game.size, move): text(plain_play(board, move)) for move in moves
            }
            move = rng.choice(moves)
            actions[i], after[i] = number(game, move, board.side), plain_play(board, move)
        moved, wanted = (
            step(states, actions),
            states_of([after.get(i, part[0]) for i in range(len(part))]),
        )
        for i in after:
            assert (
                np.array_equal(moved.knights[i], wanted.knights[i])
                and moved.side[i] == wanted.side[i]
            ), (text(part[i]), actions[i])
    assert min(ends[None], ends["far-row"], ends["no-moves"]) > 5


def perft(game: Knightthrough, board: Board, depth: int) -> int:
    """How many lines of ``depth`` moves begin at a position, by the kernel; equal positions are counted together."""
    look, step = compiled(game)
    first = states_of([board])
    rows, times = (
        np.concatenate([first.knights[:1].reshape(1, 4), first.side[:1, None]], axis=1),
        np.ones(1, np.int64),
    )

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
        owners, actions = np.nonzero(masks)
        after = []
        for i in range(0, len(owners), WIDTH):
            chosen = np.zeros(WIDTH, np.int32)
            chosen[: len(owners) - i] = actions[i : i + WIDTH]
            moved = step(batch(rows[owners[i : i + WIDTH]]), chosen)
            after.append(
                np.concatenate(
                    [np.asarray(moved.knights).reshape(-1, 4), np.asarray(moved.side)[:, None]],
                    axis=1,
                )[: len(owners) - i]
            )
        rows, back = np.unique(np.concatenate(after), axis=0, return_inverse=True)
        times = np.bincount(back.reshape(-1), times[owners]).astype(np.int64)
    return int(times @ masks.sum(1))


def plain_perft(board: Board, rules: str, depth: int, memory: dict) -> int:
    if (board, depth) not in memory:
        moves = [] if loser(board, rules) else plain_moves(board, rules)
        total = (
            len(moves)
            if depth == 1
            else sum(
                plain_perft(plain_play(board, move), rules, depth - 1, memory) for move in moves
            )
        )
        memory[board, depth] = total
    return memory[board, depth]


@pytest.mark.parametrize(
    ("size", "rules"), [(5, "forward"), (8, "forward"), (4, "all"), (8, "all")]
)
def test_lines_of_play_are_as_many(size, rules):
    """From the start, and from the middle of games."""
    game, rng = Knightthrough(size, rules), random.Random(size)
    depth = 4 if LONG or size < 8 else 3
    assert perft(game, start(size), depth) == plain_perft(start(size), rules, depth, {})
    middle = [board for board in played(size, rules, 200, rng) if not loser(board, rules)]
    for board in rng.sample(middle, 10 if LONG else 2):
        assert perft(game, board, depth - 1) == plain_perft(board, rules, depth - 1, {}), text(
            board
        )


# ---- facts -------------------------------------------------------------------------------------
def test_facts_and_names():
    game = make("knightthrough-8")
    assert (
        game.rule_set == "knightthrough-8;rules=forward"
        and game.num_actions == 256
        and 4 * game.state_words == 20
    )
    assert (
        Knightthrough(8, "all").num_actions == 512
        and not game.may_repeat
        and Knightthrough(8, "all").may_repeat
        and not game.may_draw
    )
    assert game.text(game.init()) == text(start(8)) and isinstance(game, HasPlayerView)
    for wrong in ({"size": 3}, {"size": 9}, {"rules": "back"}):
        with pytest.raises(ValueError, match=str(*wrong.values())):
            Knightthrough(**wrong)


@pytest.mark.parametrize("rules", ["forward", "all"])
def test_a_move_is_the_same_text_before_and_after_it_is_made(rules):
    """And it is marked where the knight comes to, whichever of the two boards is drawn."""
    game, rng = Knightthrough(6, rules), random.Random(rules)
    for board in played(6, rules, 150, rng):
        if loser(board, rules):
            continue
        move = rng.choice(plain_moves(board, rules))
        action = number(game, move, board.side)
        for state in (game.read(text(board)), game.parse(text(plain_play(board, move)))):
            assert (
                game.action_text(action, state) == name(6, move)
                and game.parse_action(name(6, move).lower(), state) == action
            )
            assert game.place(action, state, board.side) == (move[3], move[2])
    assert (
        game.action_text(game.parse_action("B2-C4")) == "B2-C4"
        and game.place(0, game.init(), 0) is None
    )


def test_the_board_is_shown_to_either_side():
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


def test_an_action_that_no_knight_can_make_leaves_a_well_formed_board():
    game = Knightthrough(5, "all")
    after = np.asarray(
        jax.jit(jax.vmap(game.step, in_axes=(None, 0)))(
            game.init(), jnp.arange(game.num_actions)
        ).knights
    )
    assert not np.any(after & ~byteboard.board(5)) and not np.any(after[:, 0] & after[:, 1])


@pytest.mark.parametrize(
    ("board", "word"),
    [
        ("", "position is"),
        ("X.../..../..../...O", "position is"),
        ("..../X.../...O/.... b b", "position is"),
        ("..../X.../...O b", "3 rows"),
        ("..../X.../...O/.... x", "'x'"),
        ("..../X.../...?/.... b", "holds"),
        ("X.../..../O.../.... b", "black is to move but has a knight on its far row"),
        ("..../X.../..../O... w", "white is to move but has a knight on its far row"),
        ("..../X.../..../.... b", "white has just moved but has no knight"),
        ("..../..../..../.... w", "black has just moved but has no knight"),
    ],
)
def test_bad_positions_are_refused(board, word):
    with pytest.raises(ValueError, match=word):
        Knightthrough(4).parse(board)
    with pytest.raises(ValueError):
        proof_tools.rules_of("knightthrough", Knightthrough(4).rule_set).root(board)


def test_bad_moves_are_refused():
    game = Knightthrough(5)
    state, rules = game.init(), proof_tools.rules_of("knightthrough", game.rule_set)
    for move, word in (
        ("B2", "joins two cells"),
        ("", "joins two cells"),
        ("B2-F4", "not a point"),
        ("B2-B4", "no knight's move"),
        ("B2-B2", "no knight's move"),
        ("B3-A1", "leads away"),
        ("B4-C6", "not a point"),
    ):
        with pytest.raises(ValueError, match=word):
            game.parse_action(move, game.parse("O..../OO.../.X.../.X.../..... b"))
        with pytest.raises(ValueError):
            rules.child(rules.root(game.text(state)), move)
    for action in (-1, 100):
        with pytest.raises(ValueError, match=f"Action {action}"):
            game.action_text(action, state)
    with pytest.raises(ValueError, match="off the board"):
        game.action_text(0)


# ---- solving -----------------------------------------------------------------------------------
def wins(board: Board, memory: dict) -> bool:
    """Whether the side to move wins with ``rules=forward``, by trying everything."""
    if board not in memory:
        lost = loser(board, "forward")
        memory[board] = lost is None and any(
            not wins(plain_play(board, move), memory) for move in plain_moves(board, "forward")
        )
    return memory[board]


@pytest.mark.parametrize(
    ("size", "method"), in_turn([4, 5], NAMES) if not LONG else in_turn([4, 5, 6], NAMES)
)
def test_late_positions_are_solved_as_by_trying_everything(size, method, tmp_path):
    game, rng, memory = Knightthrough(size), random.Random(f"{size} {method}"), {}
    boards = [
        board for board in (thrown(size, rng) for _ in range(4000)) if not loser(board, "forward")
    ]
    few = [
        board for board in boards if sum(row.count("X") + row.count("O") for row in board.rows) <= 9
    ]
    for count, board in enumerate(rng.sample(few, 60 if LONG else 8)):
        claim = claims(game)[count % 2]
        got = run(
            game,
            game.parse(text(board)),
            claim,
            Setting(method, (1, 4, 32)[count % 3], None, count),
            tmp_path,
        )
        assert got.verdict is minimax.expected(
            wins(board, memory) == (claim.player == board.side)
        ), text(board)


def test_endings_that_can_go_round_are_solved_as_by_retrograde_analysis(tmp_path):
    """``rules=all``: what only endless play could decide is unknown; certificates are accepted."""
    game, rng, texts = Knightthrough(4, "all"), random.Random(2), []
    while len(texts) < (200 if LONG else 30):
        cells = rng.sample([*"XXOO", *"." * 12], 16)
        board = Board(tuple("".join(cells[i : i + 4]) for i in range(0, 16, 4)), rng.randrange(2))
        if "XO"[board.side] not in board.rows[-1 if board.side else 0] and not loser(board, "all"):
            texts.append(text(board))
    graph = minimax.Graph(game, [np.asarray(game.pack(game.parse(position))) for position in texts])
    turn, asked, seen = settings(nodes=(None,)), itertools.cycle(claims(game)), Counter()
    for position in texts:
        claim, setting = next(asked), next(turn)
        got = run(game, game.parse(position), claim, setting, tmp_path, limit=100_000)
        assert got.verdict is graph.answer(graph.find(game.parse(position)), claim), (
            position,
            claim,
            setting,
        )
        assert got.verdict is not Verdict.UNKNOWN or got.result.reason.startswith(
            "Nothing is left to try"
        )
        seen[got.verdict] += 1
    assert seen[Verdict.PROVED] and seen[Verdict.DISPROVED]
