"""One worker searches the question itself until it is decided."""

from __future__ import annotations

from pathlib import Path

import pytest

from jaxsolve.cluster import ClusterOptions, Run
from jaxsolve.cluster.manager import Manager
from jaxsolve.cluster.orders import Order, Report
from jaxsolve.cluster.shared import ATTEMPTS
from jaxsolve.cluster.sizing import JobLimits, JobSize
from jaxsolve.cluster.worker import Worker
from jaxsolve.games import make
from jaxsolve.question import Problem
from jaxsolve.search import Claim, Limits, Settings, Verdict, solve, solve_pool
from support.cluster import Question, answer, inline, questions
from support.inline_workers import InlineWorkers

NODES = 100  # of an order of the question; orders of seconds would depend on the machine


@pytest.fixture
def made(monkeypatch) -> list[InlineWorkers]:
    """Runs with short orders of the question: the workers of each."""
    shorten(monkeypatch)
    return inline(monkeypatch)


def shorten(monkeypatch) -> None:
    """Makes orders of the question short."""
    question = JobSize.question

    def short(self: JobSize) -> JobLimits:
        return question(self) if self.nodes is not None else JobLimits(NODES, 1e6)

    monkeypatch.setattr(JobSize, "question", short)


@pytest.fixture(scope="module")
def question() -> Question:
    """A question that takes several orders."""
    found = questions("slither-3", 6, most=20_000, seed=3)
    return max(found, key=lambda each: each.nodes)


def orders(workers: InlineWorkers) -> list[Order]:
    return [Order.decode(message) for message in workers.sent]


def about_question(workers: InlineWorkers) -> list[Order]:
    return [order for order in orders(workers) if not order.line]


def test_one_worker_searches_nothing_but_the_question(made, question, tmp_path):
    got = answer(question, tmp_path, workers=1)
    sent = orders(made[-1])
    assert got.result.verdict is question.verdict
    # While its last report is verified, the worker gets one more order.
    assert len(sent) > 3 and about_question(made[-1]) in (sent, sent[:-1])
    assert {order.nodes for order in sent[:-1]} == {NODES}
    assert got.result.nodes < 2 * question.nodes + 1000


def test_other_workers_search_leaves(made, question, tmp_path, monkeypatch):
    to: dict[str, list[Order]] = {}
    send = InlineWorkers.send

    def noting(self, worker, order, *rest):
        to.setdefault(worker, []).append(Order.decode(order))
        send(self, worker, order, *rest)

    monkeypatch.setattr(InlineWorkers, "send", noting)
    assert answer(question, tmp_path, workers=2).result.verdict is question.verdict
    whole = [worker for worker, sent in to.items() if any(not order.line for order in sent)]
    assert len(whole) == 1 and len(to) == 2
    assert not any(order.line for order in to[whole[0]][:-1])


def test_a_method_without_lines_keeps_its_tree_too(made, question, tmp_path):
    got = answer(question, tmp_path, workers=1, worker_method="mcts")
    assert got.result.verdict is question.verdict and len(about_question(made[-1])) > 2
    alone = solve(question.game, question.state, claim=question.claim, method="mcts", check=False)
    assert got.result.nodes < 2 * alone.nodes + 2 * NODES


def test_with_job_nodes_no_worker_stays_with_the_question(made, question, tmp_path):
    assert answer(question, tmp_path, workers=1, job_nodes=50).result.verdict is question.verdict
    assert len(about_question(made[-1])) == 1 < len(made[-1].sent)


@pytest.mark.parametrize("workers", [1, 3])
@pytest.mark.parametrize("board", ["../..", ".O/OO"])
def test_a_search_that_has_nothing_left_is_not_sent_again(
    made, tmp_path, monkeypatch, board, workers
):
    """Nobody can prove a win by simple ko here, because play can come back to the question."""
    settle = Manager._settle

    def settled(self, assignment, *rest):
        assert bool(assignment.leaves) == bool(assignment.order.line)
        settle(self, assignment, *rest)

    monkeypatch.setattr(Manager, "_settle", settled)
    game = make("go-2;ko=simple;komi=1")
    repeats = Question(game, game.parse(f"{board} b"), Claim(0), Verdict.UNKNOWN, 0)
    got = answer(repeats, tmp_path, workers=workers)
    assert got.result.verdict is Verdict.UNKNOWN and "Nothing is left" in got.result.reason
    assert len(about_question(made[-1])) < 10 < len(made[-1].sent)


def test_the_last_undecided_question_of_a_set_gets_a_worker(made, tmp_path):
    game = make("loa-4")
    short, long = game.parse("OXXO/X..O/..../.X.. w"), game.init()
    asked = [
        Problem("short", game, short, Claim(1, "does-not-lose")),
        Problem("long", game, long, Claim(0)),
    ]
    with Run(ClusterOptions(2), Settings("pns", Limits(nodes=20_000)), tmp_path) as run:
        found = solve_pool(
            asked, pool=2, settings=run.settings, make_pool=run.make_pool, out=tmp_path
        )
        verdicts = [result.verdict for _, result in found]
    assert len(verdicts) == 2 and Verdict.UNKNOWN not in verdicts
    about = [order.root for order in about_question(made[-1])]
    assert about.count(game.text(short)) == 1 < about.count(game.text(long))


def test_a_question_that_ends_its_workers_is_given_up(monkeypatch, question, tmp_path):
    shorten(monkeypatch)
    about: set[str] = set()
    send = InlineWorkers.send

    def noting(self, worker, order, *rest):
        if not Order.decode(order).line:
            about.add(worker)
        send(self, worker, order, *rest)

    monkeypatch.setattr(InlineWorkers, "send", noting)
    inline(monkeypatch, lambda worker, report: None if worker in about else report)
    assert answer(question, tmp_path, workers=1).result.verdict is question.verdict
    assert len(about) == ATTEMPTS


def run_until(monkeypatch, count: int, question: Question, out: Path, method: str) -> int:
    """Runs with one worker until so many orders have been sent. Returns the reports' nodes."""
    nodes = 0
    wait = InlineWorkers.wait

    class Ended(BaseException):
        pass

    def end(self, seconds):
        nonlocal nodes
        if len(self.sent) > count:
            raise Ended
        events = wait(self, seconds)
        nodes += sum(Report.decode(event.report).nodes for event in events)
        return events

    with monkeypatch.context() as patch, pytest.raises(Ended):
        patch.setattr(InlineWorkers, "wait", end)
        answer(question, out, workers=1, worker_method=method)
    return nodes


@pytest.mark.parametrize("method", ["dfpn", "mcts"])
def test_a_resumed_run_continues_the_search_of_the_question(
    made, question, tmp_path, monkeypatch, method
):
    """Its log is in the folder of the run. (Positions without a decision are searched again.)"""
    whole = answer(question, tmp_path / "0", workers=1, worker_method=method)
    count = max(1, len(made[-1].sent) - 2)
    out = tmp_path / "1"
    before = run_until(monkeypatch, count, question, out, method)
    (log,) = (out / "workers").glob("*/proof.log")
    assert log.stat().st_size > 1000 and before > whole.result.nodes / 4
    got = answer(question, out, workers=1, resume=True, worker_method=method)
    assert got.result.verdict is question.verdict and about_question(made[-1])
    assert got.result.nodes < whole.result.nodes


def test_logs_of_another_search_are_not_used(made, question, tmp_path):
    """Nor damaged ones. Then the worker searches in memory."""
    for number, content in enumerate((b"", b"{}", b"damaged")):
        out = tmp_path / str(number)
        assert answer(question, out, workers=1).result.verdict is question.verdict
        (folder,) = (out / "workers").glob("*")
        (folder / "problem.json").write_bytes(content)
        (folder / "proof.log").write_bytes(content)
        worker = Worker(Settings("dfpn", check=False), out / "workers")
        order = about_question(made[-1])[0]
        assert Report.decode(worker.run(order.encode())).nodes > 0
        worker.close()
        assert (folder / "proof.log").read_bytes() == content
