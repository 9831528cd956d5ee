"""Runs with workers answer as ``solve`` does, with certificates that the checker accepts."""

from __future__ import annotations

import functools
import itertools

import pytest

from jaxsolve.cluster import ClusterOptions, Run
from jaxsolve.formats import problems
from jaxsolve.games import make
from jaxsolve.proof.check import check
from jaxsolve.question import Problem
from jaxsolve.search import Limits, Settings, Verdict, solve_pool, solve_value
from support.cluster import RULE_SETS, Question, answer, inline, positions, questions
from support.heads import RAY
from support.search import LONG, accepted

METHODS = ("pns", "dfpn", "mcts")
WORKERS = (1, 2, 4)


@functools.cache
def asked(rule_set: str, count: int = 2, seed: int = 1) -> list[Question]:
    return questions(rule_set, count, most=1500, seed=seed)


@pytest.mark.parametrize("rule_set", RULE_SETS)
def test_verdicts_are_those_of_solve(rule_set, tmp_path, monkeypatch):
    inline(monkeypatch)
    turn = itertools.cycle(zip(METHODS, WORKERS, strict=True))
    jobs, found = 0, asked(rule_set)
    for number, question in enumerate(found):
        for method, workers in itertools.islice(turn, 3 if number == 0 else 1):
            nodes = max(3, question.nodes // 8)  # so that most jobs end without an answer
            out = tmp_path / f"{number}-{method}"
            got = answer(question, out, method, workers=workers, job_nodes=nodes)
            where = question.name, method, workers
            assert got.result.verdict is question.verdict, (where, got.result.reason)
            assert got.figures["jobs"].keys() <= {"sent", "solved", "unknown", "cancelled"}, where
            jobs += got.figures["jobs"].get("unknown", 0)
    # The checker's text of a Go position under superko has no history: only the root is a job.
    assert len(found) == 2 and (jobs > 2 or "tional" in rule_set), jobs


def test_both_results_of_a_claim_are_asked():
    found = [question for rule_set in RULE_SETS for question in asked(rule_set)]
    assert {question.verdict for question in found} == {Verdict.PROVED, Verdict.DISPROVED}
    assert {question.claim.result for question in found} == {"wins", "does-not-lose"}


@pytest.mark.parametrize("rule_set", ["loa-4", "gomoku-5;line=4;win=five-or-more;knowledge=ndk"])
def test_values_are_those_of_solve_value(rule_set, tmp_path, monkeypatch):
    inline(monkeypatch)
    game, seen = make(rule_set), set()
    for number, text in enumerate(itertools.islice(positions(rule_set, 2), 12 if LONG else 4)):
        state, limits = game.parse(text), Limits(nodes=4000)
        right = solve_value(game, state, limits=limits)
        if right.text == "unknown":
            continue
        out = tmp_path / str(number)
        with Run(ClusterOptions(2, job_nodes=10), Settings("pns"), out) as run:
            value = solve_value(
                game, state, settings=run.settings, make_pool=run.make_pool, out=out
            )
        assert value.text == right.text, text
        for result in value.results:
            accepted(game, state, result.claim, result)
        seen.add(value.text)
    assert len(seen) > 1


@pytest.mark.parametrize(("pool", "method"), [(1, "pns"), (3, "dfpn"), (2, "mcts")])
def test_pools_of_several_games_answer_as_solve(pool, method, tmp_path, monkeypatch):
    inline(monkeypatch)
    chosen = [each for rules in ("hex-6", "loa-4", "awari") for each in asked(rules)]
    given = [
        Problem(f"p{number}", each.game, each.state, each.claim)
        for number, each in enumerate(chosen)
    ]
    with Run(ClusterOptions(2, job_nodes=10), Settings(method), tmp_path) as run:
        found = dict(
            (problem.id, result)
            for problem, result in solve_pool(
                given, pool=pool, settings=run.settings, make_pool=run.make_pool, out=tmp_path
            )
        )
    assert len(found) == len(chosen)
    for number, each in enumerate(chosen):
        assert found[f"p{number}"].verdict is each.verdict
        accepted(each.game, each.state, each.claim, found[f"p{number}"])


OPTIONS = ({"opponent_only": True}, {"worker_method": "pns"}, {"worker_method": "mcts"})


@pytest.mark.parametrize("options", OPTIONS, ids=str)
def test_every_scheme_gives_the_verdict(options, tmp_path, monkeypatch):
    made = inline(monkeypatch)
    for number, question in enumerate(asked("hex-6") + asked("loa-4")):
        got = answer(question, tmp_path / str(number), workers=2, job_nodes=8, **options)
        assert got.result.verdict is question.verdict and made[-1].sent


def test_a_run_without_a_folder_gives_the_verdict(monkeypatch):
    inline(monkeypatch)
    (question, *_) = asked("hex-6")
    with Run(ClusterOptions(2, job_nodes=8), Settings("pns")) as run:
        got = solve_value(
            question.game, question.state, settings=run.settings, make_pool=run.make_pool
        )
    assert got.results[0].checked


@pytest.mark.parametrize("backend", ["processes", RAY])
def test_real_workers_give_the_verdict(backend, tmp_path):
    """A pool over two games, so that the workers are started once."""
    chosen = asked("hex-6") + asked("loa-4")
    given = [
        Problem(f"p{number}", each.game, each.state, each.claim)
        for number, each in enumerate(chosen)
    ]
    options = ClusterOptions(2, backend, job_nodes=10)
    with Run(options, Settings("pns"), tmp_path) as run:
        answers = solve_pool(
            given, pool=2, settings=run.settings, make_pool=run.make_pool, out=tmp_path
        )
        found = {problem.id: result for problem, result in answers}
    for number, each in enumerate(chosen):
        assert found[f"p{number}"].verdict is each.verdict
        accepted(each.game, each.state, each.claim, found[f"p{number}"])
    figures = run.figures()
    # On a busy machine one worker may be done before the other one has started.
    assert 0 < len(figures["workers"]) <= 2 and figures["jobs"]["solved"] > 2
    assert figures["jobs"].keys() <= {"sent", "solved", "unknown", "cancelled"}


@pytest.mark.full
@pytest.mark.parametrize("workers", WORKERS)
@pytest.mark.parametrize("backend", ["inline", "processes", RAY])
def test_two_hundred_problems_of_all_games(backend, workers, tmp_path, monkeypatch):
    """With ``JAXSOLVE_LONG=1``; else some of them."""
    if workers != 2 and backend != "inline" and not LONG:
        pytest.skip("real processes with one or four workers need JAXSOLVE_LONG=1")
    if backend == "inline":
        inline(monkeypatch)
    chosen = [each for rules in RULE_SETS for each in asked(rules, 18 if LONG else 2, seed=4)]
    given = [
        Problem(f"p{number}", each.game, each.state, each.claim)
        for number, each in enumerate(chosen)
    ]
    kind = "processes" if backend == "inline" else backend
    with Run(ClusterOptions(workers, kind, job_nodes=40), Settings("pns"), tmp_path) as run:
        answers = solve_pool(
            given, pool=3, settings=run.settings, make_pool=run.make_pool, out=tmp_path
        )
        found = {problem.id: result for problem, result in answers}
    for number, each in enumerate(chosen):
        result = found[f"p{number}"]
        assert result.verdict is each.verdict, (each.name, result.reason)
        accepted(each.game, each.state, each.claim, result)
    assert len(chosen) >= (190 if LONG else 2 * len(RULE_SETS))


@pytest.mark.full
@pytest.mark.parametrize("name", ["go-life", "gomoku-win", "hex-opening"])
def test_the_quickstart_has_its_verdicts(name, tmp_path, monkeypatch):
    inline(monkeypatch)
    (problem,) = problems.load("quickstart.json", ids=[name])
    question = Question(problem.game, problem.state, problem.claim, problem.expected, 0)
    got = answer(question, tmp_path, workers=2, job_nodes=500)
    assert (
        got.result.verdict is Verdict(problem.expected) and check(got.result.certificate).accepted
    )
