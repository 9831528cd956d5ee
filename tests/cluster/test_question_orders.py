"""One worker searches the question itself until it is decided."""

from __future__ import annotations

import pytest

from jaxsolve.cluster import manager, sizing
from jaxsolve.cluster.orders import Order
from support.cluster import Question, answer, inline, questions
from support.inline_workers import InlineWorkers

SECONDS = 0.01


@pytest.fixture
def made(monkeypatch) -> list[InlineWorkers]:
    """Runs with short orders of the question: the workers of each."""
    monkeypatch.setattr(manager, "FIRST_SECONDS", SECONDS)
    monkeypatch.setattr(sizing, "FIRST_SECONDS", SECONDS)
    return inline(monkeypatch)


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
    assert {order.cpu_seconds for order in sent[:-1]} == {SECONDS}  # the worker keeps its tree
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


def test_an_order_is_twice_as_long_if_its_report_has_no_numbers(made, question, tmp_path):
    got = answer(question, tmp_path, workers=1, worker_method="mcts")
    seconds = [order.cpu_seconds for order in about_question(made[-1])]
    assert got.result.verdict is question.verdict
    assert seconds == [SECONDS * 2**number for number in range(len(seconds))] and len(seconds) > 2


def test_jobs_of_a_fixed_size_do_without(made, question, tmp_path):
    assert answer(question, tmp_path, workers=1, job_nodes=50).result.verdict is question.verdict
    assert len(about_question(made[-1])) == 1 < len(made[-1].sent)


def test_a_resumed_run_searches_the_question_again(made, question, tmp_path, monkeypatch):
    class Ended(BaseException):
        pass

    def end(self, seconds):
        if len(self.sent) > 2:
            raise Ended
        return wait(self, seconds)

    wait = InlineWorkers.wait
    with monkeypatch.context() as patch, pytest.raises(Ended):
        patch.setattr(InlineWorkers, "wait", end)
        answer(question, tmp_path, workers=1)
    got = answer(question, tmp_path, workers=1, resume=True)
    assert got.result.verdict is question.verdict and about_question(made[-1])
