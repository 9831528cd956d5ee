"""Reports are not believed: what is adopted is proved by the records, whatever a worker states."""

from __future__ import annotations

import dataclasses
import errno
import functools
import itertools
import random
from collections import Counter

import numpy as np
import pytest

from jaxsolve.cluster.orders import Order, Report
from jaxsolve.cluster.verification import Proved
from jaxsolve.games import make
from jaxsolve.proof import certify
from jaxsolve.search import Limits, Verdict, solve
from support.cluster import Question, answer, inline, questions
from support.oracles import minimax
from support.reports import KINDS, Source, judge, mutant, source, stated
from support.search import LONG, accepted

RULES = (  # zones, patterns, repetition, threat search, plain
    *(
        "hex-6",
        "loa-4",
        "gomoku-5;line=4;win=five-or-more;knowledge=ndk",
        "go-2;ko=positional;komi=1",
    ),
    *(("knightthrough-5;rules=all", "slither-3", "minishogi") if LONG else ()),
)
COUNT = 10_000 if LONG else 320


@functools.cache
def sources(rule_set: str) -> list[Source]:
    """Two questions of a rule set, a claim that holds and one that does not."""
    found = questions(rule_set, 8, least=10, most=600, seed=3)
    kept = [
        next(each for each in found if each.verdict is verdict)
        for verdict in (Verdict.PROVED, Verdict.DISPROVED)
    ]
    return [source(each) for each in kept]


class Truth:
    """Verdicts of searches of their own, kept by position."""

    def __init__(self, question: Question):
        self.game, self.claim = question.game, question.claim
        self._known: dict[bytes, Verdict] = {}

    def of(self, words: np.ndarray) -> Verdict:
        if words.tobytes() not in self._known:
            state = self.game.unpack(words)
            result = solve(
                self.game, state, claim=self.claim, limits=Limits(nodes=20_000), check=False
            )
            self._known[words.tobytes()] = result.verdict
        return self._known[words.tobytes()]


def assert_true(truth: Truth, each: Source, proved: Proved) -> None:
    for words, holds in stated(each, proved):
        assert truth.of(words) in (minimax.expected(holds), Verdict.UNKNOWN)


def test_a_report_is_not_adopted_while_the_disk_is_full(monkeypatch):
    """Nobody is excluded for it: the order counts as one without an answer."""

    def refuse(*_: object) -> None:
        raise OSError(errno.EFBIG, "File too large")

    true, _ = sources("loa-4")
    assert isinstance(judge(true, true.report.encode()), Proved)
    monkeypatch.setattr(certify, "write_certificate", refuse)
    assert judge(true, true.report.encode()) is None


@pytest.mark.parametrize("rule_set", RULES)
def test_what_is_adopted_of_a_false_report_is_true(rule_set):
    mine = sources(rule_set)
    others = [each for other in RULES[:3] for each in sources(other)]
    rng, refused, adopted = random.Random(rule_set), Counter(), Counter()
    truths = {id(each): Truth(each.question) for each in mine}
    for number, kind in zip(range(COUNT // len(RULES)), itertools.cycle(KINDS), strict=False):
        each = rng.choice(mine)
        message = mutant(kind, rng, each, others)
        found = judge(each, message)
        if isinstance(found, str):
            refused[kind] += 1
            assert found and found.count("\n") == 0 and len(found) < 1000
        elif found is not None:
            adopted[kind] += 1
            assert_true(truths[id(each)], each, found)
            verdict = Report.decode(message).verdict
            assert verdict == str(each.question.verdict), (kind, number)
    assert len(refused) >= 18, refused
    never = "other_verdict", "too_many_nodes", "too_much_time", "other_fields", "no_json"
    for kind in (*never, "no_records"):
        assert not adopted[kind], kind


@pytest.mark.parametrize("rule_set", RULES)
def test_true_reports_are_adopted(rule_set):
    for each in sources(rule_set):
        found = judge(each, each.report.encode())
        assert isinstance(found, Proved) and len(found.states)
        assert_true(Truth(each.question), each, found)


def filling(rng: random.Random, text: str, zone: int, winner: str) -> str:
    """A Hex board with other cells outside a zone and the winner's stones."""
    board, side = text.split()
    cells = [
        cell if cell in (winner, "/") else cell if inside else rng.choice("XXOO.")
        for cell, inside in zip(board, _inside(board, zone), strict=True)
    ]
    return f"{''.join(cells)} {side}"


def _inside(board: str, zone: int) -> list[bool]:
    """Whether each character of a board is a cell of the zone."""
    numbers = itertools.accumulate(board, lambda count, cell: count + (cell != "/"), initial=0)
    return [bool(zone >> number & 1) for number in list(numbers)[: len(board)]]


def test_adopted_zones_are_zones():
    """A result with a zone holds on every board with the zone empty and the winner's stones."""
    mine, rng, compared = sources("hex-6"), random.Random(5), 0
    game = make("hex-6")
    for number in range(2000 if LONG else 60):
        each = mine[number % len(mine)]
        kind = ("shrink_zones", "empty_zones", "flip_bits", "permute", "lie_first")[number % 5]
        found = judge(each, mutant(kind, rng, each, mine))
        if not isinstance(found, Proved):
            continue
        for (words, holds), zone in zip(stated(each, found), found.zones, strict=True):
            zone_bits = int.from_bytes(zone.tobytes(), "little")
            winner = "XO"[each.order.claim.player if holds else 1 - each.order.claim.player]
            text = filling(rng, game.text(game.unpack(words)), zone_bits, winner)
            # The oracle is the checker, which accepts the certificate of a search.
            try:
                state = game.read(text)
            except ValueError:
                continue  # the side to move has joined its edges
            truth = solve(game, state, claim=each.order.claim)
            assert truth.checked and truth.verdict is not Verdict.UNKNOWN
            assert (truth.verdict is Verdict.PROVED) is holds, (kind, text)
            compared += 1
    assert compared > 100


def test_a_report_about_a_position_that_is_not_on_the_line_is_refused():
    (each, *_) = sources("hex-6")
    for depth in (0, 1, 1 << 40):
        found = judge(each, dataclasses.replace(each.report, depth=depth).encode())
        assert isinstance(found, str) and "of a line of 0" in found


# ---- at the manager ------------------------------------------------------------------------------
def flipped(message: bytes) -> bytes:
    """A report with the other verdict; a report without a verdict is given one."""
    report = Report.decode(message)
    verdict = "disproved" if report.verdict == "proved" else "proved"
    return dataclasses.replace(report, verdict=verdict).encode()


LIES = {
    "verdict": flipped,
    "truncated": lambda message: message[: len(message) // 2],
    "no JSON": lambda message: b"\xff" * 10,
    "empty": lambda message: b"",
    "another job": lambda message: message.replace(b'{"id": ', b'{"id": 9', 1),
    "an old version": lambda message: message.replace(b'"version": 0', b'"version": 1', 1),
}


@pytest.fixture(scope="module")
def asked() -> list[Question]:
    return questions("hex-6", 2, least=25, most=400, seed=9) + questions(
        "loa-4", 1, least=25, most=400, seed=9
    )


@pytest.mark.parametrize("lie", LIES)
def test_a_lying_worker_is_excluded_and_its_jobs_go_out_again(lie, asked, tmp_path, monkeypatch):
    for number, question in enumerate(asked):
        made = inline(
            monkeypatch, lambda name, report: LIES[lie](report) if name == "inline-1" else report
        )
        found = answer(question, tmp_path / str(number), workers=2, job_nodes=10)
        assert found.result.verdict is question.verdict
        bad = found.figures["workers"]["inline-1"]
        assert bad["excluded"] and bad["jobs"] == 0, bad
        assert found.figures["jobs"]["distrusted"] == 1
        assert all(
            not each["excluded"]
            for name, each in found.figures["workers"].items()
            if name != "inline-1"
        )
        orders = [Order.decode(order) for order in made[0].sent]
        again = [order for order in orders if order.attempt == 2]
        assert 1 <= len(again) <= 2  # it may have a second order while its report is verified
        assert all(dataclasses.replace(order, attempt=1) in orders for order in again)


@pytest.mark.parametrize("lie", [*LIES, "lost"])
def test_a_run_ends_if_all_workers_lie_or_die(lie, asked, tmp_path, monkeypatch):
    """After so many attempts the manager expands the position itself."""
    for number, question in enumerate(asked[:1] if lie in ("empty", "no JSON") else asked):
        change = (lambda *_: None) if lie == "lost" else (lambda _, report: LIES[lie](report))
        made = inline(monkeypatch, change)
        found = answer(question, tmp_path / str(number), workers=2, job_nodes=10)
        assert found.result.verdict is question.verdict
        what = "lost" if lie == "lost" else "distrusted"
        assert found.figures["jobs"].keys() - {"cancelled"} == {"sent", what}
        attempts = [Order.decode(order).attempt for order in made[0].sent]
        assert set(attempts) == {1, 2, 3, 4, 5}


def test_a_worker_that_never_knows_costs_time_only(asked, tmp_path, monkeypatch):
    def nothing(name: str, message: bytes) -> bytes:
        report = Report.decode(message)
        return dataclasses.replace(
            report, verdict="unknown", depth=-1, words=0, records=b"", numbers=()
        ).encode()

    for number, question in enumerate(asked):
        inline(monkeypatch, nothing)
        found = answer(question, tmp_path / str(number), workers=2, job_nodes=10)
        assert found.result.verdict is question.verdict
        assert "solved" not in found.figures["jobs"] and not found.figures["jobs"].get("lost")


def test_random_lies_of_all_workers(asked, tmp_path, monkeypatch):
    """Each report is changed with probability 1/2; no answer is wrong, no run fails."""
    for number, question in enumerate(asked * (20 if LONG else 2)):
        rng = random.Random(number)

        def lie(
            name: str,
            message: bytes,
            rng: random.Random = rng,
            question: Question = question,
        ) -> bytes | None:
            report = Report.decode(message)
            if rng.random() < 0.5:
                return message
            if report.decided and rng.random() < 0.7:
                order = Order(report.id, report.attempt, report.version, "", "", question.claim)
                this = Source(question, order, report, None)
                return mutant(rng.choice(KINDS), rng, this, [this])
            return rng.choice([None, flipped(message), message[:-1], b"{}\n"])

        inline(monkeypatch, lie)
        found = answer(question, tmp_path / str(number), workers=3, job_nodes=10)
        assert found.result.verdict is question.verdict, found.result.reason
        accepted(question.game, question.state, question.claim, found.result)
