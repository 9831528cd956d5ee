"""Searches in turns: pauses lose no work, budgets hold, and every end saves what was decided."""

from __future__ import annotations

import itertools

import pytest

from jaxsolve.games.registry import make
from jaxsolve.proof.check import check
from jaxsolve.question import Problem, Verdict, default_claim
from jaxsolve.search import Limits, Settings, solve
from jaxsolve.search.run import turns, width
from jaxsolve.search.run.options import RunOptions
from jaxsolve.search.run.pool import Pool
from jaxsolve.search.run.records import CERTIFICATE, RESULT
from jaxsolve.search.run.turns import Paused, SearchTurns
from support.tsumego_shapes import SHAPES

GAME = make(
    "tsumego-7",
    goal="live",
    defender="white",
    crucial="D1,D2,A3,B3,C3,D3",
    region="A1,B1,C1,D1,A2,B2,C2,D2,A3,B3,C3,D3",
    ko_black="allow",
    ko_white="forbid",
)
OPEN = make(GAME.rule_set.replace("region=A1,B1,C1,D1,A2,B2,C2,D2,A3,B3,C3,D3", "region=all"))
BOARD = SHAPES["rectangular six in the corner"].board
STEP = 0.001  # CPU seconds by which a turn is longer than the one before


@pytest.fixture(autouse=True)
def small_slices(monkeypatch):
    """Searches look at the clock after a few leaves."""
    monkeypatch.setattr(width, "SLICE", (4, 4))


def problems(game=GAME):
    found = []
    for side in "bw":
        state = game.parse(f"{BOARD} {side}")
        found.append(Problem(f"{side}-first", game, state, default_claim(game, state)))
    return found


def searches(pool=2, **settings):
    return SearchTurns(pool, RunOptions(settings=Settings(**settings)))


def all_turns(held, asked, out=None, step=STEP, doubling=False):
    """Gives turns until all problems have ended; yields every result.

    Turns end after 1, 2, 3, 4... steps of all turns together, or after 1, 2, 4, 8...
    """
    for number in itertools.count():
        seconds = {
            problem.id: step * (1 << number if doubling else number + 1) for problem in asked
        }
        for problem, result in list(held.advance(asked, seconds, out=out)):
            yield problem, result
            if not isinstance(result, Paused):
                asked = [each for each in asked if each is not problem]
        if not asked:
            return


@pytest.mark.parametrize("rule", ["simple", "situational"])
def test_turns_decide_what_one_piece_decides(tmp_path, rule):
    game = make(GAME.rule_set.replace("ko=simple", f"ko={rule}"))
    asked, held = problems(game), searches()
    so_far, found = {problem.id: [0.0] for problem in asked}, {}
    for problem, result in all_turns(held, asked, tmp_path):
        so_far[problem.id].append(result.cpu_seconds)
        if isinstance(result, Paused):
            assert result.verdict is Verdict.UNKNOWN and "CPU seconds" in result.reason
            assert not (tmp_path / problem.id / RESULT).exists()
        else:
            found[problem.id] = result
    assert len(so_far["b-first"]) > 2  # it was paused
    assert all(seconds == sorted(seconds) for seconds in so_far.values())
    for problem in asked:
        result = found[problem.id]
        whole = solve(game, problem.state, claim=problem.claim)
        assert result.verdict is whole.verdict and result.checked
        assert check(tmp_path / problem.id / CERTIFICATE).accepted
        assert (tmp_path / problem.id / RESULT).exists()
        if rule == "simple":  # searched side by side, a pause lets waves in flight end early
            assert result.nodes < 2 * whole.nodes + 200


def test_a_search_alone_is_the_same_with_pauses():
    for problem in problems():
        *paused, (_, result) = all_turns(searches(), [problem], step=0.0005)
        whole = solve(GAME, problem.state, claim=problem.claim)
        assert paused and (result.nodes, result.evaluations, result.line) == (
            whole.nodes,
            whole.evaluations,
            whole.line,
        )


def test_a_turn_ends_soon_after_its_seconds_and_a_question_at_its_limit():
    (asked, _), held = problems(OPEN), searches(limits=Limits(cpu_seconds=1.0))
    results = [result for _, result in all_turns(held, [asked], step=0.4)]
    assert results[-1].verdict is Verdict.UNKNOWN
    assert results[-1].reason == "The limit of 1 CPU second was reached."
    assert all(type(result) is Paused for result in results[:-1]) and len(results) > 1
    for number, result in enumerate(results, start=1):
        assert min(number * 0.4, 1.0) <= result.cpu_seconds < number * 0.4 + 2.0


def test_other_limits_hold_over_all_turns():
    (asked, _), held = problems(), searches(limits=Limits(nodes=60))
    *_, (_, result) = all_turns(held, [asked], step=0.001)
    assert result.nodes <= 60 and result.reason == "The limit of 60 nodes was reached."


def test_pauses_are_no_wall_time():
    (asked, other), held = problems(), searches(limits=Limits(wall_seconds=60.0))
    list(held.advance([asked], {asked.id: STEP}, out=None))
    (paused,) = held._searches.values()
    assert paused.paused_at is not None
    paused.paused_at -= 1000.0
    *_, (_, result) = all_turns(held, [asked])
    assert result.verdict is not Verdict.UNKNOWN and result.wall_seconds < 60.0
    assert other.id not in held._searches


def test_trees_that_do_not_fit_are_given_up_and_their_effort_counts(tmp_path, monkeypatch):
    monkeypatch.setattr(turns, "SHARE", 1.0)  # nothing is left for paused trees
    monkeypatch.setattr(turns._Search, "bytes", property(lambda self: 1))
    asked, held = problems(), searches()
    before: dict[str, Paused] = {}
    again = 0
    # Each turn begins with an empty tree. On a busy machine that can take a whole short step.
    for problem, result in all_turns(held, asked, tmp_path, doubling=True):
        assert all(search.job is None for search in held._searches.values())
        earlier = before.get(problem.id)
        if earlier is not None:
            assert result.cpu_seconds >= earlier.cpu_seconds and result.nodes >= earlier.nodes
            again += 1
        before[problem.id] = result
    assert again > 0
    assert {name: result.verdict for name, result in before.items()} == {
        "b-first": Verdict.DISPROVED,
        "w-first": Verdict.PROVED,
    }


def test_what_ends_early_is_unknown_and_saved(tmp_path):
    (asked, other), held = problems(OPEN), searches()
    list(held.advance([asked], {asked.id: STEP}, out=tmp_path))
    assert held.end(other.id) is None
    result = held.end(asked.id)
    assert result is not None and result.verdict is Verdict.UNKNOWN
    assert result.reason == f"The limit of {STEP:g} CPU seconds was reached."
    assert (tmp_path / asked.id / RESULT).exists() and held.end(asked.id) is None
    list(held.advance([asked], {asked.id: STEP}, out=tmp_path))  # the folder is free again
    held.close()
    resumed = searches(limits=Limits(cpu_seconds=0.1))
    ((_, result),) = resumed.advance([asked], {asked.id: 1.0}, out=tmp_path)
    assert result.verdict is Verdict.UNKNOWN and not isinstance(result, Paused)


def test_ctrl_c_ends_the_running_searches_and_keeps_the_paused(tmp_path, monkeypatch):
    (asked, other), held = problems(OPEN), searches()
    list(held.advance([asked], {asked.id: STEP}, out=tmp_path))
    poll = Pool.poll

    def interrupted(self):
        poll(self)
        raise KeyboardInterrupt

    with monkeypatch.context() as patch:
        patch.setattr(Pool, "poll", interrupted)
        found = []
        with pytest.raises(KeyboardInterrupt):
            for problem, result in held.advance([other], {other.id: 100.0}, out=tmp_path):
                found.append((problem.id, result.interrupted))
    assert found == [(other.id, True)]
    held.close()
    for problem in (asked, other):
        assert (tmp_path / problem.id / RESULT).exists()
    list(searches().advance([asked, other], {asked.id: STEP, other.id: STEP}, out=tmp_path))


def test_a_folder_that_cannot_be_written_leaves_the_others(tmp_path):
    asked, held = problems(), searches()
    (tmp_path / asked[1].id).write_text("mine")
    with pytest.raises((OSError, ValueError)):
        list(held.advance(asked, {each.id: 100.0 for each in asked}, out=tmp_path))
    ((_, result),) = held.advance(asked[:1], {asked[0].id: 100.0}, out=tmp_path)
    assert result.verdict is Verdict.DISPROVED
    ((_, result),) = held.advance(asked[1:], {asked[1].id: 100.0}, out=None)
    assert result.verdict is Verdict.PROVED
