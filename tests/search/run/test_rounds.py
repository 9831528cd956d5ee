"""Rounds of a pool: games side by side, folders made meanwhile, and Ctrl-C between two stages."""

from __future__ import annotations

import errno
from types import SimpleNamespace

import numpy as np
import pytest

from jaxsolve.games.registry import make
from jaxsolve.question import Problem, Question
from jaxsolve.search import Claim, Verdict, solve_pool
from jaxsolve.search.run.exchange import Exchange
from jaxsolve.search.run.options import RunOptions
from jaxsolve.search.run.pool import Pool
from jaxsolve.search.run.rounds import run_stages
from jaxsolve.search.run.strategy import UnderOwnRules

HEX = make("hex-3")


def stage(game, kind: type[UnderOwnRules] = UnderOwnRules) -> UnderOwnRules:
    return kind(Question(game, game.init(), Claim(0)), RunOptions())


def test_stages_of_several_games_run_in_one_round():
    """A relaxation may depend on the position, so a round can hold several games."""
    stages = [stage(HEX), stage(make("hex-2")), stage(HEX)]
    found = dict(run_stages(stages, 2, RunOptions()))
    assert sorted(found) == [0, 1, 2]
    assert all(results[0].verdict is Verdict.PROVED for results in found.values())


def test_a_folder_made_while_the_pool_runs_is_resumed(tmp_path):
    """Whether to resume is decided when the job is made, here for two stages with one folder."""
    options = RunOptions(out=tmp_path / "one", resume_if_exists=True)
    stages = [UnderOwnRules(Question(HEX, HEX.init(), Claim(0)), options) for _ in range(2)]
    found = dict(run_stages(stages, 1, options))
    assert [found[at][0].verdict for at in (0, 1)] == [Verdict.PROVED] * 2


class Stopping(Pool):
    """A pool to which Ctrl-C comes."""

    def run(self, progress=None, stop=lambda: False):
        raise KeyboardInterrupt


def test_ctrl_c_ends_the_problems_of_all_games():
    games = [make("hex-6"), make("gomoku-15")]
    asked = [Problem(game.rule_set, game, game.init(), Claim(0)) for game in games]
    found = list(solve_pool(asked, pool=1, make_pool=Stopping))
    assert [(problem.id, result.interrupted) for problem, result in found] == [("hex-6", True)]


class Interrupted(UnderOwnRules):
    """Ctrl-C comes after the job has ended and before the following stage is known."""

    def next(self, results):
        raise KeyboardInterrupt


def test_ctrl_c_between_two_stages_keeps_the_result_and_those_of_running_jobs():
    found = dict(run_stages([stage(HEX, Interrupted), stage(HEX)], 1, RunOptions()))
    assert list(found) == [0] and found[0][0].interrupted
    assert found[0][0].verdict is Verdict.PROVED
    large = make("hex-6")
    soon = large.parse("XO..../XO..../XO..../XO..../XO..../...... b")
    pair = [stage(large), Interrupted(Question(large, soon, Claim(0)), RunOptions())]
    found = dict(run_stages(pair, 2, RunOptions()))
    assert sorted(found) == [0, 1]
    assert found[0][0].verdict is Verdict.UNKNOWN and found[0][0].interrupted
    assert found[1][0].verdict is Verdict.PROVED


def test_a_log_that_cannot_hold_shared_patterns_raises_oserror():
    """The caller then searches without a folder (``commands.question_pool``)."""
    full = OSError(errno.ENOSPC, "No space left on device")
    shared = np.zeros((1, 4), np.uint32)

    class Log(list):
        record_words = 4

        def split(self, records):
            return records[:, :2], records[:, 2], records[:, 3:]

    records = SimpleNamespace(question={}, log=Log(), failure=None, append=lambda *_: None)
    records.flush = lambda: setattr(records, "failure", full)
    patterns = SimpleNamespace(take=lambda *_: (shared, np.zeros(1, np.int64)))
    search = SimpleNamespace(game=HEX, tree=SimpleNamespace(zoning=SimpleNamespace(planes=[1])))
    with pytest.raises(OSError, match="No space left"):
        Exchange(patterns).start(records, search)
