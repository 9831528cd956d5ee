"""Laws of Lines of Action: kernel and checker equal a plain reading of the rules, and open_spiel's where the rules agree."""

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
STUCK = ".XOO/XOO./XOXX/OOXO b"
"""Black has no move; White has."""
BOTH_STUCK = "OXOX/OXOO/XOXX/XOXO b"
ENDS = {
    "going": Outcome.ONGOING,
    "draw": Outcome.DRAW,
    "0": Outcome.FIRST_WINS,
    "1": Outcome.SECOND_WINS,
}


def states_of(boards: list[oracle.Board], game: Loa) -> LoaState:
    """States of ``boards``, made without the game's reading; the first repeated up to ``WIDTH``."""
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
    look = quickly(jax.vmap(lambda s: (game.legal_mask(s), game.outcome(s))), states)
    return look, quickly(jax.vmap(game.step), states, np.zeros(WIDTH, np.int32))


def compare(game: Loa, boards: list[oracle.Board], rng: random.Random, rules=None) -> Counter:
    """Kernel, checker and plain reading say the same of each board, and of the board after one of its moves."""
    ends, cells = Counter(), game.size**2
    look, step = compiled(game)
    for first in range(0, len(boards), WIDTH):
        part = boards[first : first + WIDTH]
        states = states_of(part, game)
        masks, outcomes = map(np.asarray, look(states))
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
                judged(rules, board, end, names.values())
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


def judged(rules, board: oracle.Board, end: str, moves) -> None:
    """The checker says of a board that it ends so, or that it has these moves."""
    position = rules.root(oracle.text(board))
    verdict = rules.verdict(position)
    if end != "going":
        reason = "connection" if any(map(oracle.joined, board.pieces)) else "no-moves"
        assert tuple(verdict) == (None if end == "draw" else int(end), reason)
        return
    names = {name(board.size, *move): oracle.text(oracle.play(board, *move)) for move in moves}
    assert verdict is None and rules.replies(position) == names


def name(size: int, start, end) -> str:
    return (
        "pass" if start is None else "-".join(f"{'ABCDEFGH'[c]}{size - r}" for r, c in (start, end))
    )


def played(size: int, plies: int, rng: random.Random) -> list[oracle.Board]:
    """The boards of random games, their ends among them."""
    board, boards = oracle.start(size), []
    for _ in range(plies):
        boards.append(board)
        moves = (
            sorted(oracle.moves(board, board.side).items())
            if not any(map(oracle.joined, board.pieces))
            else []
        )
        (cell, _), end = rng.choice(moves) if moves else ((None, None), None)
        board = oracle.play(board, cell, end) if moves else oracle.start(size)
    return boards


@pytest.mark.parametrize("game", OPTIONS if LONG else OPTIONS[1::3], ids=lambda game: game.rule_set)
def test_moves_and_ends_of_random_boards(game):
    """Games from the start, and boards thrown together: three readings of the rules agree."""
    rng, rules = random.Random(game.rule_set), proof_tools.rules_of("loa", game.rule_set)
    boards = played(game.size, 1200 if LONG else 400, rng) + [
        oracle.thrown(game.size, rng) for _ in range(1200 if LONG else 300)
    ]
    ends = compare(game, boards, rng, rules)
    assert ends["going"] > len(boards) // 4 and min(ends["0"], ends["1"]) > 10


@pytest.mark.parametrize("no_moves", ["pass", "loss"])
def test_full_boards_where_a_side_has_no_move(no_moves):
    """What is rare in play: found among boards of 4x4 that are nearly full."""
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
    """How many lines of ``depth`` moves begin at a position, by the kernel; equal positions are counted together."""
    look, step = compiled(game)
    states, times = states_of([board], game), np.ones(1, np.int64)
    rows = np.concatenate([states.pieces[:1].reshape(1, 4), states.meta[:1, None]], axis=1)

    def batch(rows):
        padded = np.concatenate([rows, np.repeat(rows[:1], WIDTH - len(rows), 0)])
        return LoaState(padded[:, :4].reshape(-1, 2, 2), padded[:, 4])

    for ply in range(depth):
        masks = np.concatenate(
            [
                np.asarray(look(batch(rows[i : i + WIDTH]))[0])[: len(rows) - i]
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


@pytest.mark.parametrize(
    ("size", "depth"),
    [(4, 6), (5, 4), (6, 4), (7, 4), (8, 4)] if LONG else [(4, 5), (5, 4), (8, 2)],
)
def test_lines_of_play_are_as_many(size, depth):
    """From the start, and from the middle of games."""
    game, rng = Loa(size), random.Random(size)
    middle = [b for b in played(size, 200, rng)[8:] if oracle.outcome(b, "draw", "pass") == "going"]
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
    """Lines of open_spiel's game that are not cut short by a repetition: none comes about in so few moves."""
    key = str(state), depth
    if key not in memory:
        actions = [] if state.is_terminal() else state.legal_actions()
        memory[key] = (
            len(actions)
            if depth == 1
            else sum(spiel_perft(state.child(action), depth - 1, memory) for action in actions)
        )
    return memory[key]


def test_open_spiel_counts_as_many_lines():
    pyspiel = pytest.importorskip("pyspiel")
    depth = 4 if LONG else 3
    counted = [perft(SPIEL, oracle.start(8), d) for d in range(1, depth + 1)]
    assert counted[:2] == [36, 1244]
    root = pyspiel.load_game("lines_of_action").new_initial_state()
    assert counted[-1] == spiel_perft(root, depth, {})


def test_open_spiel_plays_the_same_games():
    """It ends a game at a repetition, with a draw, and gives both joined to the mover; a game is followed until then."""
    pyspiel = pytest.importorskip("pyspiel")
    rng, rules = random.Random(3), proof_tools.rules_of("loa", SPIEL.rule_set)
    look, step = jax.jit(lambda s: (SPIEL.legal_mask(s), SPIEL.outcome(s))), jax.jit(SPIEL.step)
    plies, wins = 0, Counter()
    for _ in range(200 if LONG else 12):
        theirs, ours = pyspiel.load_game("lines_of_action").new_initial_state(), SPIEL.init()
        while not theirs.is_terminal():
            mask, outcome = look(ours)
            assert int(outcome) == Outcome.ONGOING
            names = {
                SPIEL.action_text(int(action), ours): int(action) for action in np.flatnonzero(mask)
            }
            assert (
                set(names)
                == spiel_names(theirs)
                == set(rules.replies(rules.root(SPIEL.text(ours))))
            )
            spoken = {
                theirs.action_to_string(action).replace("x", "-").upper(): action
                for action in theirs.legal_actions()
            }
            move = rng.choice(sorted(names))
            ours = step(ours, names[move])
            theirs.apply_action(spoken[move])
            plies += 1
        returns = theirs.returns()
        if any(returns):
            assert int(look(ours)[1]) == (
                Outcome.FIRST_WINS if returns[0] > 0 else Outcome.SECOND_WINS
            )
            wins[returns[0] > 0] += 1
    assert plies > 200 and sum(wins.values()) > 3


# ---- single rules ------------------------------------------------------------------------------
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
        (
            "X.O./..../..../O..X b",
            "A4-C4",
            "..X./..../..../O..X w",
            Outcome.SECOND_WINS,
            Outcome.SECOND_WINS,
        ),  # White's last piece is a group
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


def test_a_side_without_moves_passes_or_has_lost():
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
    with pytest.raises(ValueError, match="Action 128"):
        Loa(4, no_moves="loss").action_text(128)


def test_facts_and_names():
    game = make("loa-8")
    assert (
        game.rule_set == "loa-8;simultaneous=draw;no_moves=pass"
        and game.num_actions == 513
        and 4 * game.state_words == 20
    )
    assert (
        Loa(7, "mover", "loss").num_actions == 392
        and game.may_repeat
        and isinstance(game, HasPlayerView)
    )
    assert [Loa(8, s, n).may_draw for s in ("draw", "mover") for n in ("pass", "loss")] == [
        True,
        True,
        True,
        False,
    ]
    assert game.text(game.init()) == oracle.text(oracle.start(8)) and Loa(7).text(
        Loa(7).init()
    ) == oracle.text(oracle.start(7))
    for wrong in ({"size": 3}, {"size": 9}, {"simultaneous": "both"}, {"no_moves": "stop"}):
        with pytest.raises(ValueError, match=str(*wrong.values())):
            Loa(**wrong)


@pytest.mark.parametrize("size", [5, 8])
def test_a_move_is_marked_where_its_piece_comes_to(size):
    """Before it is made; after it, too, where no other piece stands in between."""
    game, rng, marked = Loa(size), random.Random(size), Counter()
    for board in played(size, 120, rng):
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


def test_the_board_is_shown_to_either_side():
    game = Loa(4)
    state = game.parse("X.O./...X/..../O... w")
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
        with pytest.raises(ValueError, match=f"Action {action}"):
            game.action_text(action, state)
    with pytest.raises(ValueError, match="depends on the position"):
        game.action_text(0)
    with pytest.raises(ValueError, match="off the board"):
        game.action_text(game.parse_action("A3-B3"), game.parse("..../XXXX/..../O..O b"))


def test_an_action_that_no_piece_can_make_leaves_a_well_formed_board():
    """What is thrown away, as ``Env`` does with the move of a finished game."""
    game = Loa(5)
    look = jax.jit(jax.vmap(game.step, in_axes=(None, 0)))
    after = look(game.init(), jnp.arange(game.num_actions))
    board = byteboard.board(5)
    assert not np.any(np.asarray(after.pieces) & ~board) and not np.any(
        np.asarray(after.pieces)[:, 0] & np.asarray(after.pieces)[:, 1]
    )
