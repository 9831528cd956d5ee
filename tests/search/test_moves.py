"""First moves: each has the verdict of exhaustive minimax and an accepted certificate."""

from __future__ import annotations

import collections
import itertools
import random

import pytest

from jaxsolve.core.run_folder import FolderError
from jaxsolve.games.game import Outcome
from jaxsolve.games.registry import make
from jaxsolve.search import Claim, Limits, Result, Verdict, moves, solve_moves
from jaxsolve.search.first_moves import first_moves
from support import plain_hex
from support.oracles import minimax
from support.search import LONG, accepted, claims

# rule set, plies of random play, positions in a short and in a long run
GAMES = {
    "hex-3": ("hex-3", range(0, 4), 4, 60),
    "hex-4": ("hex-4", range(4, 11), 4, 60),
    "line of 3": ("gomoku-4;line=3;win=exact5;knowledge=ndk", range(8, 14), 3, 40),
    "line of 3, 4t": ("gomoku-4;line=3;win=exact5;knowledge=4t", range(7, 14), 3, 40),
    "go-2": ("go-2;ko=positional;komi=1", range(1, 8), 3, 40),
}
LATE = ("awari", "loa-5", "minishogi")


def right_value(holds, mover: int, may_draw: bool) -> str:
    """The value for ``mover``; ``holds`` tells whether a claim holds."""
    if holds(Claim(mover)):
        return "wins"
    return "draws" if may_draw and holds(Claim(mover, "does-not-lose")) else "loses"


def check_certificates(game, found) -> None:
    by_text = {each.move: each for each in found.moves}
    for move in found.moves:
        owner = by_text.get(move.symmetric_to, move)
        assert owner.symmetric_to is None
        assert all(one is other for one, other in zip(move.results, owner.results, strict=True))
        for result in owner.results:
            if result.verdict is not Verdict.UNKNOWN:
                accepted(game, owner.state, result.claim, result)


@pytest.mark.parametrize("name", GAMES)
def test_values_of_moves_equal_minimax(name, tmp_path):
    rule_set, plies, few, many = GAMES[name]
    game = make(rule_set)
    oracle, seen, done = minimax.DepthFirst(game, 10_000), collections.Counter(), 0
    for text in minimax.random_positions(game, plies, 5):
        state = game.parse(text)
        mover = int(game.to_move(state))
        replies = oracle.rules.replies(oracle.rules.position(text))
        try:
            right = {
                after: right_value(
                    lambda claim, after=after: oracle.holds(after, claim), mover, game.may_draw
                )
                for after in replies.values()
            }
        except minimax.TooLarge:
            continue
        found = solve_moves(game, state, out=tmp_path / str(done))
        assert {game.text(move.state): move.value for move in found.moves} == right, text
        assert {move.move for move in found.moves} == set(replies), text
        check_certificates(game, found)
        best = found.of_value("wins") + found.of_value("draws") + found.of_value("loses")
        assert moves.value_of(mover, found.results, game.may_draw) == best[0].value
        seen.update(right.values())
        done += 1
        if done == (many if LONG else few):
            break
    assert len(seen) > 1, seen


@pytest.mark.parametrize("rule_set", LATE)
def test_values_of_late_moves_equal_bounded_search(rule_set, tmp_path):
    game, plies, nodes = make(rule_set), 6, 1500
    oracle, compared, wanted = minimax.Bounded(game, 400), 0, 200 if LONG else 8
    for number, state in enumerate(minimax.late_positions(game, 3, 3, games=16)):
        mover = int(game.to_move(state))
        found = solve_moves(game, state, out=tmp_path / str(number), limits=Limits(nodes=nodes))
        results = found.results + [each for move in found.moves for each in move.results]
        assert sum(result.nodes for result in results) <= nodes
        check_certificates(game, found)
        for move in found.moves:
            for result in move.results:
                try:
                    right = oracle.answer(game.text(move.state), result.claim, plies)
                except minimax.TooLarge:
                    continue
                if right is not None and result.verdict is not Verdict.UNKNOWN:
                    assert result.verdict is right[0], (game.text(state), move.move)
                    compared += 1
            assert move.value == moves.value_of(mover, move.results, game.may_draw)
        if compared >= wanted or number == (400 if LONG else 12):
            break
    assert compared >= wanted


def test_one_of_symmetric_moves_is_searched(tmp_path):
    game = make("hex-3")
    found = solve_moves(game, game.init(), out=tmp_path / "run")
    searched = [move for move in found.moves if move.symmetric_to is None]
    assert (len(found.moves), len(searched)) == (9, 5)
    assert {each.name for each in (tmp_path / "run" / "moves").iterdir() if each.is_dir()} == {
        move.move for move in searched
    }


def test_a_claim_may_be_about_either_player():
    game = make("hex-3")
    state = game.parse("X../.../... w")
    told = [
        {move.move: move.value for move in solve_moves(game, state, claims=claim).moves}
        for claim in claims(game)
    ]
    assert told[0] == told[1] and set(told[0].values()) == {"wins", "loses"}


def test_a_value_is_what_the_claims_tell():
    """All outcomes, with the true verdicts on all claims or on some of them."""
    meanings = {
        "wins": {"wins"},
        "draws": {"draws"},
        "loses": {"loses"},
        "does not lose": {"wins", "draws"},
        "does not win": {"draws", "loses"},
        "unknown": {"wins", "draws", "loses"},
    }
    game = make("gomoku-5;line=4;win=exact5;knowledge=ndk")
    outcomes = {
        "wins": Outcome.FIRST_WINS,
        "draws": Outcome.DRAW,
        "loses": Outcome.SECOND_WINS,
    }
    for may_draw in (True, False):
        for right in ("wins", "draws", "loses") if may_draw else ("wins", "loses"):
            for asked in itertools.product((True, False), repeat=4):
                results = [
                    Result(minimax.expected(claim.holds(outcomes[right])), claim, "")
                    for claim, ask in zip(claims(game), asked, strict=True)
                    if ask
                ]
                told = moves.value_of(0, results, may_draw)
                assert right in meanings[told]
                if all(asked) or (any(asked) and not may_draw):
                    assert told == right


def test_folders_of_different_moves_differ():
    rng, names = random.Random(1), {}
    for _ in range(20_000):
        text = "".join(rng.choices("ab_2*+-./ =5fx", k=rng.randint(1, 4)))
        assert names.setdefault(moves.folder_name(text), text) == text
    assert moves.folder_name("P*c3") == "P_2a_c3" and moves.folder_name("A1-B2+") == "A1-B2+"


@pytest.mark.parametrize("limit", [1, 130])  # the position itself takes 126
def test_limits_hold_for_all_searches_and_a_resumed_run_searches_only_what_is_open(limit, tmp_path):
    game = plain_hex.make("hex-4")
    state, out = game.init(), tmp_path / "run"
    first = solve_moves(game, state, out=out, limits=Limits(nodes=limit))

    def nodes(found):
        results = found.results + [
            each for move in found.moves if not move.symmetric_to for each in move.results
        ]
        return sum(result.nodes for result in results)

    def values(found):
        return {move.move: move.value for move in found.moves}

    assert nodes(first) <= limit and "unknown" in values(first).values()
    assert all("limit" in move.results[0].reason for move in first.of_value("unknown"))
    with pytest.raises(FolderError, match="already holds this run"):
        solve_moves(game, state, out=out)
    begun: list[str] = []
    second = solve_moves(game, state, out=out, resume=True)
    assert "unknown" not in values(second).values()
    before = {move.move: move for move in first.moves if move.value != "unknown"}
    for move in second.moves:
        if move.move in before:
            assert move.results[0].nodes == before[move.move].results[0].nodes
    third = solve_moves(
        game,
        state,
        out=out,
        resume=True,
        limits=Limits(nodes=1),
        before=lambda move, *_: begun.append(move),
    )
    assert values(third) == values(second) and nodes(third) == nodes(second)
    assert sorted(begun) == sorted(move.move for move in third.moves if not move.symmetric_to)
    check_certificates(game, third)


def test_an_interruption_keeps_what_is_known(tmp_path):
    game = make("hex-3")
    state = game.parse("X../.../... w")
    number = 3

    def before(move, at, count):
        assert count == 8
        if at == number:
            raise KeyboardInterrupt

    found = solve_moves(game, state, out=tmp_path / "run", before=before)
    assert found.interrupted
    known = [move for move in found.moves if move.value != "unknown"]
    assert len(known) == number - 1
    assert found.results[0].best_move in {move.move for move in known}
    assert {move.results[0].reason for move in found.of_value("unknown")} == {"Interrupted."}
    number = 0
    again = solve_moves(game, state, out=tmp_path / "run", resume=True)
    assert not again.interrupted and not again.of_value("unknown")


def test_an_interrupted_search_ends_the_run(monkeypatch, tmp_path):
    game, calls = make("hex-3"), itertools.count()
    answer = moves.answer_stage

    def interrupted(stage, options):
        (result,) = answer(stage, options)
        stops = next(calls) == 2
        unknown = Result(Verdict.UNKNOWN, result.claim, "Interrupted.", interrupted=True)
        return [unknown if stops else result]

    monkeypatch.setattr(moves, "answer_stage", interrupted)
    found = solve_moves(game, game.init())
    assert found.interrupted and next(calls) == 3
    assert 1 <= len([move for move in found.moves if move.value != "unknown"]) <= 2


def test_a_move_whose_folder_cannot_be_written_is_searched_nevertheless(tmp_path, monkeypatch):
    game, answer = make("hex-3"), moves.answer_stage

    def full(stage, options):
        out = stage.options.out
        if out is not None and out.name == "b1":
            raise OSError(28, "No space left on device", str(out))
        return answer(stage, options)

    monkeypatch.setattr(moves, "answer_stage", full)
    found = solve_moves(game, game.init(), out=tmp_path / "run")
    lost = {move.move for move in found.moves if move.results[0].unsaved}
    assert lost == {"b1", "b3"} and not found.of_value("unknown")  # b3 is symmetric to b1


def test_a_finished_game_has_no_first_moves():
    game = make("hex-3")
    with pytest.raises(ValueError, match=r"the game is over \(black has won\)"):
        solve_moves(game, game.parse("X../X../X.. w"))


def test_first_moves_are_those_of_the_rules():
    for rule_set in ("hex-4", "go-2;ko=positional;komi=1", "gomoku-4;line=3;knowledge=4t"):
        game = make(rule_set)
        oracle = minimax.DepthFirst(game)
        for text in itertools.islice(minimax.random_positions(game, range(0, 6), 2), 20):
            replies = oracle.rules.replies(oracle.rules.position(text))
            found = first_moves(game, game.parse(text))
            assert {each.text: game.text(each.state) for each in found} == replies
