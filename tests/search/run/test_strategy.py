"""Strategy: which stage follows which result, within the limits of the whole question."""

from __future__ import annotations

import pytest

from jaxsolve.games import make
from jaxsolve.question import Question
from jaxsolve.search import Claim, Limits, Result, Settings, Verdict
from jaxsolve.search.result import Stop
from jaxsolve.search.run.options import RunOptions
from jaxsolve.search.run.strategy import (
    SeparateClaims,
    UnderOwnRules,
    UnderRelaxation,
    first_stage,
    value_stage,
)

SUPERKO = make(
    "tsumego-3;ko=situational;fill_eyes=true;goal=kill;defender=white;crucial=A1;region=A1,B1,A2"
)
THREATS = make("gomoku-6;line=4;win=five-or-more;knowledge=4t")
WHOLE = Limits(nodes=100)
OPTIONS = RunOptions(settings=Settings(limits=WHOLE))


def unknown(reason: str = "Nothing is left to try.", nodes: int = 30, **fields) -> Result:
    return Result(Verdict.UNKNOWN, Claim(0), reason, nodes=nodes, **fields)


def relaxed_stage(options: RunOptions = OPTIONS) -> UnderRelaxation:
    stage = first_stage(Question(SUPERKO, SUPERKO.init(), Claim(0)), options)
    assert isinstance(stage, UnderRelaxation)
    return stage


def test_an_undecided_relaxation_is_followed_by_the_own_rules(tmp_path):
    stage = relaxed_stage(RunOptions(settings=Settings(limits=WHOLE), out=tmp_path))
    assert stage.job().options.settings.limits == Limits(nodes=50)
    assert stage.job().question.game == stage.relaxed.question[0] != SUPERKO
    result = unknown()
    following = stage.next([result])
    assert isinstance(following, UnderOwnRules) and following.results_so_far == [result]
    request = following.job()
    assert request.question.game == SUPERKO and request.relaxed is result
    assert request.options.settings.limits == Limits(nodes=70) and request.options.resume
    assert following.next([unknown()]) == [unknown()]


@pytest.mark.parametrize(
    "result",
    [
        Result(Verdict.PROVED, Claim(0), ""),
        Result(Verdict.DISPROVED, Claim(0), ""),
        unknown(interrupted=True),
        unknown(unsaved="The proof log could not be written."),
    ],
)
def test_a_relaxation_that_is_decided_or_stopped_ends_the_question(result):
    assert relaxed_stage().next([result]) == [result]


def test_a_relaxation_that_uses_the_whole_limit_names_it():
    (result,) = relaxed_stage().next([unknown("The limit of 50 nodes was reached.", nodes=100)])
    assert result.reason == "The limit of 100 nodes was reached."
    assert (result.stopped_by, result.stopped_at) == ("nodes", 100)


def separate_claims() -> SeparateClaims:
    claims = Claim(0), Claim(0, "does-not-lose")
    stage = value_stage(Question(THREATS, THREATS.init(), claims), OPTIONS)
    assert isinstance(stage, SeparateClaims)
    return stage


def test_separate_claims_share_the_limits():
    stage = separate_claims()
    assert stage.job().options.settings.limits == Limits(nodes=50)
    first = unknown(nodes=50)
    first.set_stop(Stop.at_limit(Limits(nodes=50), "nodes"))
    first.reason += " An earlier proof stands."
    following = stage.next([first])
    assert isinstance(following, SeparateClaims) and following.results_so_far == [first]
    assert "limit of 100 nodes" in first.reason and "half of it" in first.reason
    assert first.reason.endswith("win. An earlier proof stands.")
    assert (first.stopped_by, first.stopped_at) == ("nodes", 100)
    assert following.job().options.settings.limits == Limits(nodes=50)
    assert following.job().question.claims == Claim(0, "does-not-lose")


def test_a_proved_or_interrupted_claim_is_the_last():
    for result in (Result(Verdict.PROVED, Claim(0), ""), unknown(interrupted=True)):
        assert separate_claims().next([result]) == [result]


def test_a_disproved_weaker_claim_answers_the_stronger_one():
    """Who loses does not win; the effort of both searches counts."""
    weaker = Result(Verdict.DISPROVED, Claim(0, "does-not-lose"), "", nodes=7)
    following = separate_claims().next([unknown(nodes=30)])
    (result,) = following.next([weaker])
    assert (result.verdict, result.claim, result.nodes) == (weaker.verdict, weaker.claim, 37)
