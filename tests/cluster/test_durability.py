"""Killed workers and managers, full disks, Ctrl-C: the same answer, and nothing is solved twice."""

from __future__ import annotations

import json
import os
import random
import re
import resource
import shutil
import signal
import time
from pathlib import Path

import pytest

import jaxsolve
from jaxsolve.cluster import ClusterOptions, Run, journal
from jaxsolve.cluster.journal import JOURNAL
from jaxsolve.cluster.orders import Order
from jaxsolve.cluster.processes import Processes
from jaxsolve.cluster.status import _FIELDS, STATUS
from jaxsolve.games import make
from jaxsolve.proof.check import check
from jaxsolve.search import Claim, Settings, Verdict, solve
from support.cli import WIN, one_object, run
from support.cluster import inline
from support.cluster_runs import (
    ANSWER,
    GAME,
    POSITION,
    WORDS,
    assert_accepted,
    assert_nothing_twice,
    lines,
    started,
    wait_for,
)
from support.heads import descendants, wait_until_gone
from support.search import LONG, accepted

SMALL = ("cluster", "solve", "moves:a3", "--game", "hex-5", "--job-nodes", 8, "--workers", 2)


# ---- kill -9 -------------------------------------------------------------------------------------
def test_killed_workers_are_replaced_and_their_jobs_go_out_again(tmp_path):
    game, rng, killed = make(GAME), random.Random(3), 0
    state, wanted = game.parse(POSITION), 40 if LONG else 2
    for number in range(20):
        out, due = tmp_path / str(number), time.monotonic()

        def kill(_: object) -> None:
            nonlocal killed, due
            backend = started_run.shared.backend
            busy = sorted(backend._busy)
            if killed < wanted and busy and time.monotonic() >= due:
                os.kill(backend._running[rng.choice(busy)].process.pid, signal.SIGKILL)
                killed, due = killed + 1, time.monotonic() + rng.uniform(0.05, 3)

        with Run(ClusterOptions(2, job_nodes=100), Settings("pns"), out) as started_run:
            result = solve(
                game,
                state,
                settings=started_run.settings,
                make_pool=started_run.make_pool,
                out=out,
                progress=kill,
            )
        assert result.verdict is Verdict.DISPROVED, result.reason
        accepted(game, state, Claim(1), result)
        assert_nothing_twice(out)
        if killed >= wanted:
            break
    assert killed >= wanted and started_run.figures()["jobs"]["lost"] > 0


def test_a_killed_manager_resumes_and_solves_nothing_twice(tmp_path):
    rng, kills, wanted, out = random.Random(4), 0, 20 if LONG else 1, tmp_path / "0"
    rounds = 0
    while True:
        before = lines(out)
        resume = ["--resume"] if (out / "problem.json").exists() else []
        with started(*WORDS, "--out", out, *resume) as process:
            more = rng.randrange(1, 30)
            runs = kills < wanted and wait_for(out, len(before) + more, process)
            if runs:
                time.sleep(rng.random() / 10)
                process.kill()
                kills += 1
            said, errors = process.communicate(timeout=300)
        # A killed process may leave one line that is not complete.
        assert lines(out)[: len(before)] == before
        if not runs or process.returncode == ANSWER:
            assert process.returncode == ANSWER, (process.returncode, said, errors)
            assert json.loads(said)["verdict"] == "disproved"
            assert_accepted(out)
            assert_nothing_twice(out)
            if kills >= wanted:
                return
            rounds += 1
            out = tmp_path / str(rounds)


def test_workers_end_with_their_manager(tmp_path):
    with started(*WORDS, "--out", tmp_path / "out") as process:
        assert wait_for(tmp_path / "out", 1, process)
        workers = set(descendants(process.pid))
        assert len(workers) >= 2
        process.kill()
        process.wait()
        wait_until_gone(workers)


# ---- Ctrl-C, and runs in a folder that is in use -------------------------------------------------
def test_ctrl_c_saves_the_run_and_a_second_run_is_refused_meanwhile(tmp_path, monkeypatch):
    words = [40 if word == 150 else word for word in WORDS]  # a longer run, with shorter jobs
    inline(monkeypatch)
    for trial in range(5):
        out = tmp_path / str(trial)
        with started(*words, "--out", out) as process:
            assert wait_for(out, 3, process)
            process.send_signal(signal.SIGSTOP)  # else it may end during the checks
            for more in ((), ("--resume",)):
                second = run(*words[:-1], "--out", out, *more)
                assert (second.exit_code, second.stderr.count("\n")) == (2, 1)
                assert "in use by another run" in second.stderr
            shown = run("cluster", "status", out, "--json")
            assert shown.exit_code == 0 and not one_object(shown)["ended"]
            process.send_signal(signal.SIGINT)
            process.send_signal(signal.SIGCONT)
            said, errors = process.communicate(timeout=60)
        if process.returncode != ANSWER:  # else it had the answer before it saw the signal
            break
    assert process.returncode == 130, (said, errors)
    assert "Interrupted" in json.loads(said)["reason"] and "Traceback" not in errors
    assert one_object(run("cluster", "status", out, "--json"))["ended"]
    refused = run(*words[:-1], "--out", out)
    assert (refused.exit_code, refused.stderr.count("\n")) == (2, 1)
    assert "--resume" in refused.stderr
    before = lines(out)
    resumed = run(*words, "--out", out, "--resume")
    assert resumed.exit_code == ANSWER, resumed.output
    assert lines(out)[: len(before)] == before
    assert_accepted(out)
    assert_nothing_twice(out)


# ---- journals and folders ------------------------------------------------------------------------
def stopped(out: Path) -> list[dict]:
    """A run that a limit ends; returns its journal."""
    result = run(*SMALL, "--out", out, "--nodes", 60)
    assert result.exit_code == 10, result.output
    return lines(out)


DAMAGE = {
    "torn": lambda data: data[:-20],
    "garbage": lambda data: b'\xff\x00\n{}\n{"id": 3}\n' + data + b"[[[[[\nnull\n",
    "no lines": lambda data: b"",
    "no text": lambda data: bytes(range(256)) * 10,
    "one line": lambda data: data.replace(b"\n", b" "),
}


@pytest.mark.parametrize("damage", DAMAGE)
def test_a_damaged_journal_costs_time_only(damage, tmp_path, monkeypatch):
    inline(monkeypatch)
    out = tmp_path / "out"
    assert len(stopped(out)) > 2
    path = out / JOURNAL
    path.write_bytes(DAMAGE[damage](path.read_bytes()))
    result = run(*SMALL, "--out", out, "--resume")
    assert result.exit_code == 0, result.output
    assert check(out / "proof.jsonl.gz").accepted


def test_a_resumed_run_orders_no_position_that_was_searched(tmp_path, monkeypatch):
    inline(monkeypatch)
    out = tmp_path / "out"
    before = stopped(out)
    assert run(*SMALL, "--out", out, "--resume").exit_code == 0
    assert len(lines(out)) > len(before)
    assert_nothing_twice(out)


def full(*_, **__):
    raise OSError(28, "No space left on device")


def test_a_full_disk_for_the_journal_and_the_status_is_no_failure(tmp_path, monkeypatch):
    inline(monkeypatch)
    out = tmp_path / "out"
    with monkeypatch.context() as patch:
        patch.setattr(journal, "write_all", full)
        patch.setattr("jaxsolve.cluster.status.write_atomically", full)
        result = run(*SMALL, "--out", out)
    assert result.exit_code == 0 and check(out / "proof.jsonl.gz").accepted, result.output
    assert not lines(out) and not (out / STATUS).exists()


def test_a_full_disk_for_the_proof_log_ends_the_run_and_it_resumes(tmp_path, monkeypatch):
    from jaxsolve.proof import log

    inline(monkeypatch)
    put, out = log.ProofLog._put, tmp_path / "out"

    def put_unless_full(self, data):
        in_folder = self.path and tmp_path in self.path.parents
        is_chunk = self.failure is None and data[:1] != b"{"
        return (full if in_folder and is_chunk else put)(self, data)

    with monkeypatch.context() as patch:
        patch.setattr(log.ProofLog, "_put", put_unless_full)
        result = run(*SMALL, "--out", out)
    assert result.exit_code in (1, 10) and "No space left" in result.output
    resumed = run(*SMALL, "--out", out, "--resume")
    assert resumed.exit_code == 0 and check(out / "proof.jsonl.gz").accepted, resumed.output


def test_a_folder_that_cannot_be_made_is_refused_in_one_sentence(tmp_path, monkeypatch):
    inline(monkeypatch)
    (tmp_path / "file").touch()
    for out in (tmp_path / "file", tmp_path / "file" / "out", Path("/proc/none")):
        result = run(*SMALL, "--out", out)
        assert (result.exit_code, result.stderr.strip().count("\n")) == (2, 0), result.output
        assert result.stdout == "" and "Traceback" not in result.stderr


def test_status_of_other_folders_is_one_sentence(tmp_path, monkeypatch):
    inline(monkeypatch)
    out = tmp_path / "out"
    for folder, word in ((out, "not a folder"), (tmp_path, "no 'cluster solve' has run")):
        result = run("cluster", "status", folder)
        assert (result.exit_code, result.stderr.count("\n")) == (2, 1) and word in result.stderr
    assert run(*SMALL, "--out", out).exit_code == 0
    found = json.loads((out / STATUS).read_text())
    assert found["ended"] and run("cluster", "status", out).exit_code == 0
    wrong = [
        *("", "{", "[]", "null", "1", '"x"', "{}", '{"format": "jaxsolve-problems"}'),
        *(
            json.dumps({name: value for name, value in found.items() if name != left})
            for left in _FIELDS
        ),
        *(json.dumps(found | {name: "x"}) for name in ("workers", "jobs", "questions", "load")),
        *(json.dumps(found | {name: None}) for name in ("workers", "jobs", "questions", "nodes")),
        json.dumps(found | {"version": 99}),
    ]
    for text in wrong:
        (out / STATUS).write_text(text)
        result = run("cluster", "status", out)
        assert (result.exit_code, result.stderr.count("\n")) == (2, 1), (text, result.exception)
        assert STATUS in result.stderr and "Traceback" not in result.stderr
    (out / STATUS).write_bytes(b"\xff\xfe")
    assert run("cluster", "status", out).exit_code == 2
    (out / STATUS).unlink()
    (out / STATUS).mkdir()
    assert run("cluster", "status", out).exit_code == 2


def test_a_run_goes_on_beside_a_damaged_status(tmp_path, monkeypatch):
    inline(monkeypatch)
    out = tmp_path / "out"
    stopped(out)
    (out / STATUS).write_text("{")
    assert run(*SMALL, "--out", out, "--resume").exit_code == 0
    assert one_object(run("cluster", "status", out, "--json"))["earlier"]["jobs"] > 0
    assert run("cluster", "solve", WIN, "--game", "hex-3", "--out", out).exit_code == 2


# ---- full disks, deleted folders, clocks ---------------------------------------------------------
def test_a_full_disk_ends_the_run_and_it_resumes(tmp_path):
    """The system refuses the manager every write beyond a size."""
    out = tmp_path / "out"
    with started(*WORDS, "--out", out) as process:
        assert wait_for(out, 20, process)
        most = max(each.stat().st_size for each in out.iterdir() if each.is_file())
        resource.prlimit(process.pid, resource.RLIMIT_FSIZE, (most, most))
        said, errors = process.communicate(timeout=300)
    assert process.returncode in (1, 10), (said, errors)
    assert "Traceback" not in errors and "File too large" in said
    before = lines(out)
    words = [1 if word == 2 else word for word in WORDS]  # another number of workers
    with started(*words, "--out", out, "--resume") as process:
        said, errors = process.communicate(timeout=300)
    assert process.returncode == ANSWER, (said, errors)
    assert lines(out)[: len(before)] == before
    assert_accepted(out)


def test_a_deleted_folder_costs_the_proof_only(tmp_path):
    out = tmp_path / "out"
    with started(*WORDS, "--out", out) as process:
        assert wait_for(out, 20, process)
        shutil.rmtree(out)
        said, errors = process.communicate(timeout=300)
    found = json.loads(said)
    assert process.returncode == 1 and found["verdict"] == "disproved", (said, errors)
    assert "No such file" in found["unsaved"] and "Traceback" not in errors
    assert not out.exists()


def test_a_clock_that_jumps_changes_nothing(tmp_path, monkeypatch):
    inline(monkeypatch)
    rng, wall = random.Random(7), time.time
    monkeypatch.setattr(time, "time", lambda: max(0.0, wall() + rng.uniform(-1e9, 1e9)))
    result = run(*SMALL, "--out", tmp_path / "out", "--wall", 600, "--json")
    assert result.exit_code == 0, result.output
    found = one_object(result)
    assert 0 <= found["wall_seconds"] < 600 and found["cluster"]["jobs"].get("lost", 0) == 0
    assert 0 <= found["cluster"]["seconds"] < 600


def test_wall_time_is_for_display_only():
    """Deadlines and figures use clocks that never jump."""
    package = Path(jaxsolve.__file__).parent
    found = {
        path.name
        for folder in ("cluster", "search", "core")
        for path in (package / folder).rglob("*.py")
        if re.search(r"\btime\.time\(|datetime", path.read_text())
    }
    assert found <= {"status.py", "renewal.py"}  # for the display, and for TensorBoard


# ---- runs that need no workers, and limits -------------------------------------------------------
def test_a_resumed_run_that_is_decided_starts_no_workers(tmp_path, monkeypatch):
    out = tmp_path / "out"
    with monkeypatch.context() as patch:
        inline(patch)
        assert run(*SMALL, "--out", out).exit_code == 0
    monkeypatch.setattr(Processes, "_complete", lambda _: pytest.fail("a worker was started"))
    again = run(*SMALL, "--out", out, "--resume", "--json")
    assert again.exit_code == 0, again.output
    figures = one_object(again)["cluster"]
    assert figures["workers"] == {} and figures["earlier"]["jobs"] > 0
    assert one_object(run("cluster", "status", out, "--json"))["in_flight"] == 0


@pytest.mark.parametrize("limit", [("--nodes", 300), ("--evaluations", 400), ("--time", 0.05)])
def test_orders_end_at_the_limits_of_the_run(limit, tmp_path, monkeypatch):
    made = inline(monkeypatch)
    words = ("start", "--game", "hex-8", "--workers", 3, "--json", *limit)
    result = run("cluster", "solve", *words, "--out", tmp_path / "out")
    assert result.exit_code == 10, result.output
    found, orders = one_object(result), [Order.decode(each) for each in made[0].sent]
    assert found["stopped_by"] == {"--time": "cpu_seconds"}.get(limit[0], limit[0][2:])
    if limit[0] == "--nodes":
        assert found["nodes"] < 300 + 100
        assert sum(order.nodes or 1 << 30 for order in orders[:3]) <= 303
    if limit[0] == "--time":
        assert all(order.cpu_seconds == 0.5 for order in orders)
