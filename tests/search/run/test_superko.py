"""Superko: a relaxation under simple ko first, whose proofs are checked under superko."""

from __future__ import annotations

import itertools
import json
import random
from collections import Counter

import pytest

from jaxsolve.evaluate import shared_evaluator
from jaxsolve.games import make
from jaxsolve.proof.check.errors import Repeats
from jaxsolve.question import Problem
from jaxsolve.search import Claim, Limits, Settings, Verdict, solve, solve_pool, solve_value
from jaxsolve.search.result import Result
from jaxsolve.search.run import width
from jaxsolve.search.run.effort import first_share, remaining
from jaxsolve.search.run.pool import Pool
from jaxsolve.search.run.relaxation import relaxation
from support import mutations
from support.oracles import minimax
from support.proofs import superko as superko_proofs
from support.search import LONG, NAMES, accepted


def header(result) -> dict:
    return mutations.load(result.certificate)[0]


def test_superko_answers_equal_exhaustive_search(tmp_path):
    rng, seen, methods = random.Random(8), Counter(), itertools.cycle(NAMES)
    for number, question in enumerate(superko_proofs.questions(rng, 3, (4, 6))):
        game = make(question.rules)
        state, claim = game.parse(question.root), Claim(rng.randrange(2))
        try:
            right = minimax.expected(minimax.DepthFirst(game, 30_000).holds(question.root, claim))
        except minimax.TooLarge:
            continue
        result = solve(
            game,
            state,
            claim=claim,
            method=next(methods),
            limits=Limits(nodes=20_000),
            out=tmp_path / str(number),
        )
        assert result.verdict is right, (question, claim, result.reason)
        accepted(game, state, claim, result)
        seen["by" in header(result), " history=" in question.root] += 1
        if sum(seen.values()) >= (2000 if LONG else 24):
            break
    assert seen[True, True] > 5 and seen[True, False] > 2, seen


TASK = "tsumego-3;ko=situational;fill_eyes=true;goal=kill;defender=white;crucial=A1;region=A1,B1,A2"
ROOT = "X.X/.XX/OX. b history=X.X/.XX/.X.:w"


def asked(text: str = ROOT):
    game = make(TASK)
    return game, game.parse(text)


def repeating(monkeypatch):
    """Every proof by simple ko brings a board back."""

    def node(self, position, zone, named):
        raise Repeats("a board may come back")

    monkeypatch.setattr("jaxsolve.proof.check.relaxation.NoRepeats.check_node", node)


def test_a_proof_under_simple_ko_is_checked_under_superko(tmp_path):
    game, state = asked()
    result = solve(game, state, claim=Claim(0), out=tmp_path / "run")
    assert result.verdict is Verdict.PROVED and result.checked and result.best_move == "A2"
    accepted(game, state, Claim(0), result)
    assert header(result)["by"] == game.rule_set.replace("situational", "simple")
    assert sorted(file.name for file in (tmp_path / "run").iterdir()) == [
        ".lock",
        "problem.json",
        "proof.jsonl.gz",
        "result.json",
        "simple-ko.log",
    ]
    again = solve(game, state, claim=Claim(0), out=tmp_path / "run", resume=True)
    assert again.verdict is Verdict.PROVED and again.nodes <= result.nodes


def test_a_proof_that_repeats_is_searched_again_under_superko(tmp_path, monkeypatch):
    game, state = asked()
    first_nodes = solve(game, state, claim=Claim(0)).nodes
    repeating(monkeypatch)
    told = []
    result = solve(game, state, claim=Claim(0), out=tmp_path / "run", progress=told.append)
    assert result.verdict is Verdict.PROVED and "by" not in header(result)
    accepted(game, state, Claim(0), result)
    assert result.nodes > first_nodes
    written = json.loads((tmp_path / "run" / "result.json").read_text())
    assert (written["nodes"], written["verdict"]) == (
        result.nodes,
        "proved",
    )  # the effort of both searches
    assert {"proof.log", "simple-ko.log"} <= {file.name for file in (tmp_path / "run").iterdir()}
    assert (
        solve(game, state, claim=Claim(0), out=tmp_path / "run", resume=True).verdict
        is Verdict.PROVED
    )


def test_relaxed_proofs_are_checked_even_without_checks(monkeypatch):
    """Without it nothing would say that no board comes back."""
    game, state = asked()
    assert solve(game, state, claim=Claim(0), check=False).checked
    repeating(monkeypatch)
    assert not solve(game, state, claim=Claim(0), check=False).checked


def test_no_relaxation_without_zones_or_with_a_supplied_evaluator(tmp_path):
    game, state = asked()
    for number, given in enumerate(({"zones": False}, {"evaluator": shared_evaluator(game)})):
        result = solve(game, state, claim=Claim(0), out=tmp_path / str(number), **given)
        assert result.verdict is Verdict.PROVED and "by" not in header(result)
    value = solve_value(game, state, out=tmp_path / "value")
    assert value.text == "black wins" and "by" in header(value.results[0])


def test_no_relaxation_for_games_without_one():
    for name in ("go-3;ko=positional", "killallgo-7;ko=simple", "hex-3"):
        game = make(name)
        assert relaxation(game, game.init(), Settings()) is None
    game, state = asked()
    assert relaxation(game, state, Settings(zones=False)) is None


def test_the_relaxation_gets_half_of_each_limit(tmp_path, monkeypatch):
    assert first_share(Limits(nodes=101, cpu_seconds=3.0)) == Limits(nodes=50, cpu_seconds=1.5)
    assert first_share(Limits()) == Limits(nodes=2_000_000)
    spent = Result(Verdict.UNKNOWN, Claim(0), "", nodes=60, cpu_seconds=1.0)
    assert remaining(Limits(nodes=101, cpu_seconds=0.5), spent) == Limits(nodes=41, cpu_seconds=0.0)
    repeating(monkeypatch)
    game, state = asked()
    for most in (0, 1, 2, 3):
        result = solve(
            game, state, claim=Claim(0), limits=Limits(nodes=most), out=tmp_path / str(most)
        )
        assert result.nodes <= max(1, most) and result.reason
        assert result.verdict is Verdict.PROVED or result.reason.startswith(
            "The limit of 1 node was" if most == 1 else f"The limit of {most} nodes was"
        )  # what was asked for, not a share


def test_pools_search_again_under_superko_where_boards_repeat(tmp_path, monkeypatch):
    game, _ = asked()
    texts = {"taken": ROOT, "other": "X.X/.XX/OX. w", "passed": "X.X/.XX/OX. w passes=1"}
    problems = [Problem(name, game, game.parse(text), Claim(0)) for name, text in texts.items()]
    for once in (True, False):
        found = {
            problem.id: result
            for problem, result in solve_pool(problems, pool=2, out=tmp_path / str(once))
        }
        assert {name: result.verdict for name, result in found.items()} == {
            name: solve(game, game.parse(text), claim=Claim(0)).verdict
            for name, text in texts.items()
        }
        assert all(("by" in header(result)) is once for result in found.values())
        repeating(monkeypatch)


def interrupted_at(monkeypatch, when) -> None:
    """Ctrl-C as soon as ``when`` says so of the driver, after a step of it."""
    real = Pool.poll

    def poll(self):
        going = real(self)
        if when(self):
            raise KeyboardInterrupt
        return going

    monkeypatch.setattr(Pool, "poll", poll)


def running(pool) -> set[str]:
    return {job.records[0].folder.path.name for job in pool._jobs}


@pytest.mark.parametrize("repeats", [True, False])
def test_an_interrupted_pool_loses_no_result(repeats, tmp_path, monkeypatch):
    """Ctrl-C under simple ko: running problems and those waiting for a second search are kept."""
    if repeats:
        repeating(monkeypatch)
    monkeypatch.setattr(width, "SLICE", (1, 1))  # no problem ends within one step
    game, state = asked()
    problems = [Problem(name, game, state, Claim(0)) for name in ("one", "two", "three", "four")]
    with monkeypatch.context() as patch:
        interrupted_at(patch, lambda pool: "three" in running(pool))
        found = {
            problem.id: result for problem, result in solve_pool(problems, pool=2, out=tmp_path)
        }
    assert {"one", "two", "three"} <= set(found) and any(
        result.interrupted for result in found.values()
    )
    assert all(result.verdict is Verdict.PROVED or result.interrupted for result in found.values())
    again = {problem.id: result for problem, result in solve_pool(problems, pool=2, out=tmp_path)}
    assert len(again) == 4 and all(
        result.verdict is Verdict.PROVED and not result.interrupted for result in again.values()
    )


def test_ctrl_c_after_the_last_decision_raises_keyboard_interrupt(tmp_path, monkeypatch):
    game, state = asked()
    problems = [Problem(name, game, state, Claim(0)) for name in ("one", "two")]
    interrupted_at(monkeypatch, lambda pool: pool._ended)
    answers, found = solve_pool(problems, pool=1, out=tmp_path), []
    with pytest.raises(KeyboardInterrupt):
        found += [next(answers)]
        found += [next(answers)]
    assert [problem.id for problem, _ in found] in ([], ["one"])


@pytest.mark.parametrize("name", ["problem.json", "simple-ko.log"])
def test_a_folder_of_another_question_is_refused(name, tmp_path):
    game, state = asked()
    solve(game, state, claim=Claim(0), out=tmp_path / "run")
    with pytest.raises(ValueError, match="give another folder"):
        solve(game, game.parse("X.X/.XX/OX. b"), claim=Claim(0), out=tmp_path / "run", resume=True)
    if name != "problem.json":
        data = (tmp_path / "run" / name).read_bytes()
        (tmp_path / "run" / name).write_bytes(b"x" + data[1:])
        with pytest.raises(ValueError, match="log"):
            solve(game, state, claim=Claim(0), out=tmp_path / "run", resume=True)
