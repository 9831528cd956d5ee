"""Several claims over one tree: the value of a game with draws, with a proof of each claim."""

from __future__ import annotations

import itertools

import pytest

from jaxsolve.evaluate import Evaluator
from jaxsolve.games.registry import make
from jaxsolve.search import Claim, Limits, Settings, Verdict, solve, solve_value
from jaxsolve.search.run.job import Job
from jaxsolve.search.run.options import RunOptions
from jaxsolve.search.run.pool import Pool
from search.methods.test_loops import endings, worth, written
from support import search as search_tools
from support.oracles import awari_endgames, minimax
from support.search import LONG, NAMES, in_turn

NOUGHTS = "gomoku-3;line=3;win=five-or-more;knowledge=ndk"
LINES = "gomoku-4;line=3;win=exact5;knowledge=ndk"
GAMES = {  # rule set, plies of random play; positions in short and in long runs
    "noughts and crosses": (NOUGHTS, range(0, 6), 12, 200),
    "lines of four": ("gomoku-4;line=4;win=five-or-more;knowledge=ndk", range(7, 11), 6, 200),
    "lines of three": (LINES, range(4, 9), 6, 200),
    "go with draws": ("go-2;ko=positional;komi=1", range(0, 7), 8, 200),
}


def value_by_minimax(oracle: minimax.DepthFirst, game, text: str) -> str:
    for player in (0, 1):
        if oracle.holds(text, Claim(player)):
            return f"{game.players[player]} wins"
    return "draw"


def proofs_accepted(game, state, value) -> None:
    """The certificates decide whether the side to move wins, and then whether it loses."""
    mover = int(game.to_move(state))
    for result, asked in zip(value.results, ("wins", "does-not-lose"), strict=False):
        search_tools.accepted(game, state, Claim(mover, asked), result)
    assert len(value.results) == (1 if value.text == f"{game.players[mover]} wins" else 2)


@pytest.mark.short(2)
@pytest.mark.parametrize("name", GAMES)
def test_values_equal_minimax(name, tmp_path):
    rule_set, plies, few, many = GAMES[name]
    game = make(rule_set)
    assert game.may_draw
    oracle, turn, seen = minimax.DepthFirst(game), search_tools.settings(nodes=(None, 64)), set()
    for number, text in enumerate(
        itertools.islice(minimax.random_positions(game, plies, 4), many if LONG else few)
    ):
        state, setting = game.parse(text), next(turn)
        value = solve_value(
            game,
            state,
            method=setting.method,
            seed=setting.seed,
            wave=setting.wave,
            max_nodes=setting.max_nodes,
            out=tmp_path / str(number),
        )
        assert value.text == value_by_minimax(oracle, game, text), (text, setting)
        proofs_accepted(game, state, value)
        seen.add(value.text)
    assert len(seen) > 1


def drawn_ending() -> str:
    return next(
        written(*ending)
        for ending in endings(400, 5, 11)
        if sum(ending[0]) > 3 and awari_endgames.value(*ending) == -1
    )


@pytest.mark.parametrize("method", NAMES)
def test_a_drawn_awari_ending_has_the_value_draw(method, tmp_path):
    game = make("awari")
    state = game.parse(drawn_ending())
    value = solve_value(
        game, state, method=method, out=tmp_path / "run", limits=Limits(nodes=400_000)
    )
    assert value.text == worth(-1)
    proofs_accepted(game, state, value)


def drawn_positions(rule_set: str, plies: range, count: int):
    game = make(rule_set)
    oracle = minimax.DepthFirst(game)
    drawn = (
        text
        for text in minimax.random_positions(game, plies, 8)
        if value_by_minimax(oracle, game, text) == "draw"
    )
    return game, list(itertools.islice(drawn, count))


@pytest.mark.parametrize("method", ["pns", "dfpn", "fdfpn"])
def test_the_second_claim_reuses_the_tree_of_the_first(method):
    """No position is evaluated twice, so both claims together cost less than two searches."""
    game = make(NOUGHTS)
    evaluator, sent = Evaluator(game), []
    submit = evaluator.submit

    def listening(states, actions, seed=0):
        sent.extend(zip((state.tobytes() for state in states), actions.tolist(), strict=True))
        return submit(states, actions, seed)

    evaluator.submit = listening
    together = solve_value(game, game.init(), method=method, wave=1, evaluator=evaluator).results
    alone = [
        solve(game, game.init(), claim=Claim(0, asked), method=method, wave=1)
        for asked in ("wins", "does-not-lose")
    ]
    assert (
        [result.verdict for result in together]
        == [Verdict.DISPROVED, Verdict.PROVED]
        == [result.verdict for result in alone]
    )
    assert together[0].evaluations == alone[0].evaluations
    assert len(set(sent)) == len(sent) == sum(result.evaluations for result in together)
    assert len(sent) < 0.9 * sum(result.evaluations for result in alone)


@pytest.mark.short(1)
@pytest.mark.parametrize("method", NAMES)
def test_limits_hold_for_both_claims_together(method):
    game, (text,) = drawn_positions(NOUGHTS, range(0, 1), 1)
    state = game.parse(text)
    whole = solve_value(game, state, method=method, wave=4)
    first, both = (sum(result.nodes for result in whole.results[:count]) for count in (1, 2))
    assert 0 < first < both
    for limit in {1, first // 2, first - 1, first, first + 1, (first + both) // 2, both - 1} - {0}:
        value = solve_value(game, state, method=method, wave=4, limits=Limits(nodes=limit))
        assert sum(result.nodes for result in value.results) <= limit
        assert value.text in ("unknown", "draw") and (value.text == "unknown" or limit > first)
        assert value.text == "draw" or value.results[-1].reason == Limits(nodes=limit).reached(
            "nodes"
        )
    for limit in (first // 2, (first + both) // 2):
        value = solve_value(game, state, method=method, wave=4, limits=Limits(evaluations=limit))
        assert sum(result.evaluations for result in value.results) <= limit


@pytest.mark.parametrize(("method", "stopped_in"), in_turn(["pns", "dfpn", "fdfpn"], [0, 1]))
def test_a_run_of_two_claims_resumes(method, stopped_in, tmp_path):
    """Stopped in its first or in its second claim, a run goes on from what both logs hold."""
    game, (text,) = drawn_positions(NOUGHTS, range(0, 1), 1)
    state = game.parse(text)
    whole = solve_value(game, state, method=method, wave=1)
    assert whole.text == "draw"
    first, second = (result.nodes for result in whole.results)
    limit = first * 3 // 4 if stopped_in == 0 else first + second * 3 // 4
    stopped = solve_value(
        game, state, method=method, wave=1, out=tmp_path / "run", limits=Limits(nodes=limit)
    )
    assert stopped.text == "unknown" and len(stopped.results) == 1 + stopped_in
    value = solve_value(game, state, method=method, wave=1, out=tmp_path / "run", resume=True)
    assert value.text == "draw"
    proofs_accepted(game, state, value)
    if stopped_in == 1:
        # Answered from its log, and the second one not from nothing.
        assert value.results[0].evaluations == stopped.results[0].evaluations
        alone = solve(game, state, claim=value.results[1].claim, method=method, wave=1)
        assert value.results[1].evaluations - stopped.results[1].evaluations < alone.evaluations
    again = solve_value(game, state, method=method, wave=1, out=tmp_path / "run", resume=True)
    proofs_accepted(game, state, again)
    more = sum(result.evaluations for result in again.results) - sum(
        result.evaluations for result in value.results
    )
    assert again.text == "draw" and 0 <= more <= (method == "mcts")


@pytest.mark.parametrize("seed", range(40 if LONG else 4))
def test_proof_numbers_of_the_first_claim_do_not_affect_the_second(seed, tmp_path):
    """With small tables and many paths in flight when the claim changes."""
    game = make(LINES)
    oracle = minimax.DepthFirst(game)
    text = next(itertools.islice(minimax.random_positions(game, range(3, 6), 20 + seed), 1))
    state, method = game.parse(text), ("dfpn", "pns", "fdfpn")[seed % 3]
    value = solve_value(
        game,
        state,
        method=method,
        wave=32,
        max_nodes=(None, 96)[seed % 2],
        seed=seed,
        out=tmp_path / "run",
    )
    assert value.text == value_by_minimax(oracle, game, text)
    proofs_accepted(game, state, value)


def test_withdrawal_between_two_claims_ends_the_job():
    """The first answer stays; the second claim is not begun."""
    game, (text,) = drawn_positions(NOUGHTS, range(0, 1), 1)
    state = game.parse(text)
    mover = int(game.to_move(state))
    job = Job(
        game,
        state,
        claims=[Claim(mover), Claim(mover, "does-not-lose")],
        options=RunOptions(settings=Settings(wave=8)),
    )
    pool = Pool(job.evaluator, 2)
    pool.submit(job)
    while pool.poll() and job.search.verdict is None and job.search.claim_index == 0:
        pass
    if job.search.claim_index == 0:  # decided, with leaves still on their way
        pool.withdraw(job)
        while pool.poll():
            pass
        results = job.finish()
        assert [result.verdict for result in results] == [Verdict.DISPROVED] and results[
            0
        ].interrupted
    job.close()


def test_withdrawal_in_the_second_claim_keeps_the_first_answer():
    game, (text,) = drawn_positions(NOUGHTS, range(0, 1), 1)
    state = game.parse(text)
    mover = int(game.to_move(state))
    job = Job(
        game,
        state,
        claims=[Claim(mover), Claim(mover, "does-not-lose")],
        options=RunOptions(settings=Settings(wave=1)),
    )
    pool = Pool(job.evaluator, 2)
    pool.submit(job)
    while job.search.claim_index == 0:
        assert pool.poll()
    pool.withdraw(job)
    while pool.poll():
        pass
    first, second = job.finish()
    job.close()
    assert (
        first.verdict is Verdict.DISPROVED
        and second.verdict is Verdict.UNKNOWN
        and second.interrupted
    )


@pytest.mark.full
def test_a_value_is_found_whichever_side_has_the_threats(tmp_path):
    """The side to move loses to its opponent's threats, as the second claim shows."""
    game = make("gomoku-11;knowledge=4t")
    state = game.parse(
        ".........../.........../.........../....X..O.../...X..X..../.........../"
        ".....O.X.../...O.X...../.........../.........../........... w"
    )
    value = solve_value(game, state, limits=Limits(nodes=30_000), out=tmp_path / "run")
    (result,) = value.results
    assert (value.text, result.claim, result.verdict) == (
        "black wins",
        Claim(1, "does-not-lose"),
        Verdict.DISPROVED,
    )
    search_tools.accepted(game, state, result.claim, result)
