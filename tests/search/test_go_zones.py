"""Go searches with zones: answers equal retrograde analysis, certificates are accepted."""

from __future__ import annotations

import gzip
import random
from collections import Counter

import pytest

from jaxsolve.evaluate import shared_evaluator
from jaxsolve.formats import problems
from jaxsolve.games import make
from jaxsolve.search import Limits, Verdict, solve
from jaxsolve.search.run import restarts
from support.go_questions import questions, task
from support.search import LONG, run, settings


@pytest.mark.short(1)
@pytest.mark.parametrize(("size", "eyes"), [(4, "true"), (5, "false"), (5, "true")])
def test_answers_with_zones_equal_retrograde_analysis(size, eyes, tmp_path, monkeypatch):
    if (size, eyes) == (5, "false"):  # begun anew again and again
        few = restarts.Budgets(6, 8, 1.25)
        for name in ("PLANNED", "FEW"):
            monkeypatch.setattr(restarts, name, few)
    rng, seen, zoned = random.Random(size), Counter(), 0
    turn = settings(nodes=(None, 96), waves=(None, 4))
    for game, state, claim, right in questions(rng, lambda: task(rng, size, eyes)):
        setting = next(turn)
        got = run(game, state, claim, setting, tmp_path, 200_000, evaluator=shared_evaluator(game))
        if got.verdict is Verdict.UNKNOWN and setting.max_nodes is not None:
            assert "limit of" in got.result.reason
            seen[Verdict.UNKNOWN] += 1  # a table of 96 nodes rarely cannot hold a proof
            continue
        assert got.verdict is right, (game.rule_set, game.text(state), claim, setting)
        seen[right] += 1
        if got.result.certificate:
            zoned += b'"zone"' in gzip.decompress(got.result.certificate.read_bytes())
        if sum(seen.values()) >= (3000 if LONG else 26):
            break
    assert min(seen[Verdict.PROVED], seen[Verdict.DISPROVED]) > 5 and zoned > 4, (seen, zoned)
    assert 200 * seen[Verdict.UNKNOWN] <= sum(seen.values()), seen


def test_zones_prune_replies():
    """The quickstart's life problem: a tenth of the proof's positions, the same answer."""
    (problem,) = problems.load("quickstart.json", ids=["go-life"])
    settings = {"claim": problem.claim, "limits": Limits(nodes=300_000)}
    whole, zoned = (
        solve(problem.game, problem.state, zones=zones, **settings) for zones in (False, True)
    )
    assert whole.verdict is zoned.verdict is Verdict.PROVED and zoned.checked
    assert 10 * zoned.certificate_nodes < whole.certificate_nodes


def test_superko_and_plain_go_have_no_zones():
    assert make("killallgo-7;ko=situational").zoning() is None
    assert make("go-5;ko=simple").zoning() is None
    assert make("killallgo-7;ko=simple").zoning() is not None
