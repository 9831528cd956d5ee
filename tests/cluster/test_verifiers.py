"""Reports that processes verify: the same verdicts, and the same refusals."""

from __future__ import annotations

import dataclasses
import os
import signal

import pytest

from jaxsolve.cluster.orders import Report
from jaxsolve.cluster.verifiers import Verifiers
from support.cluster import answer, inline, questions

RULE_SETS = ("hex-6", "gomoku-5;line=4;win=exact5;knowledge=4t")


@pytest.fixture(scope="module")
def asked():
    return [questions(rules, 1, least=60)[0] for rules in RULE_SETS]


def test_verdicts_are_those_of_solve(asked, tmp_path, monkeypatch):
    for number, question in enumerate(asked):
        inline(monkeypatch)
        found = answer(question, tmp_path / str(number), workers=2, job_nodes=10, verifiers=1)
        assert found.result.verdict is question.verdict
        assert found.figures["verify_cpu_seconds"] > 0


def test_a_lying_worker_is_excluded(asked, tmp_path, monkeypatch):
    def flipped(name: str, message: bytes) -> bytes:
        report = Report.decode(message)
        if name != "inline-1" or not report.decided:
            return message
        verdict = "disproved" if report.verdict == "proved" else "proved"
        return dataclasses.replace(report, verdict=verdict).encode()

    inline(monkeypatch, flipped)
    found = answer(asked[0], tmp_path / "run", workers=2, job_nodes=10, verifiers=1)
    assert found.result.verdict is asked[0].verdict
    assert found.figures["workers"]["inline-1"]["excluded"]
    assert found.figures["jobs"]["distrusted"] >= 1  # it may have sent others before its end


def test_the_manager_verifies_what_a_killed_process_does_not(asked, tmp_path, monkeypatch):
    submit, killed = Verifiers.submit, []

    def submit_and_kill(self, *arguments):
        submit(self, *arguments)
        for process in list((getattr(self._executor, "_processes", None) or {}).values()):
            os.kill(process.pid, signal.SIGKILL)
            killed.append(process.pid)

    monkeypatch.setattr(Verifiers, "submit", submit_and_kill)
    inline(monkeypatch)
    found = answer(asked[0], tmp_path / "run", workers=2, job_nodes=10, verifiers=1)
    assert found.result.verdict is asked[0].verdict and killed
