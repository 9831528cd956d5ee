"""The manager with simulated workers: its figures are consistent, and runs repeat."""

from __future__ import annotations

import json

import pytest

from jaxsolve.bench import cluster
from jaxsolve.bench.cluster import Limits, simulate
from jaxsolve.bench.job_lengths import JobLengths, stored
from jaxsolve.bench.simulated_workers import SimulatedClock, SimulatedJobs
from jaxsolve.cluster.solving import MOST_WORKERS
from support.cli import bench
from support.plain_hex import make

JOBS = SimulatedJobs(stored(), 30.0)


def free_clock():
    """Simulated time in which the manager costs nothing."""
    return SimulatedClock(free=True)


@pytest.fixture(scope="module")
def row():
    return simulate(make("hex-5"), 12, JOBS, 3, Limits(30.0, jobs=60), free_clock())


def test_figures_are_consistent(row):
    assert row["sent"] == row["received"] + row["in_flight"]
    assert row["received"] >= 60 and row["in_flight"] <= 12
    assert 0.0 < row["load_share"] <= 1.0 and 0.0 <= row["manager_share"] <= 1.0
    assert row["done"] <= 1.2 * row["asked"]
    assert row["order_bytes"] > 0 and row["report_bytes"] > 0 and row["nodes"] > 12


def test_the_same_seed_gives_the_same_run(row):
    again = simulate(make("hex-5"), 12, JOBS, 3, Limits(30.0, jobs=60), free_clock())
    measured = ("tree_gigabytes", "gigabytes")
    assert {k: v for k, v in again.items() if k not in measured} == {
        k: v for k, v in row.items() if k not in measured
    }
    other = SimulatedJobs(stored(), 30.0, seed=1)
    found = simulate(make("hex-5"), 12, other, 3, Limits(30.0, jobs=60), free_clock())
    assert found["simulated_seconds"] != row["simulated_seconds"]


def test_a_manager_that_verifies_takes_longer():
    """Fewer jobs end while it does."""
    limits = Limits(60.0, warm_up=4.0, measured=2.0, jobs=100)
    alone = simulate(make("hex-7"), 200, JOBS, 0, limits, free_clock())
    helped = simulate(make("hex-7"), 200, JOBS, 50, limits, free_clock())
    assert alone["proof_us"] > helped["proof_us"]
    assert alone["done"] < helped["done"]


def test_many_workers_get_orders():
    """Each path is a flight of its own, and there are thousands."""
    limits = Limits(30.0, warm_up=1.0, measured=0.5, jobs=50)
    assert simulate(make("hex-7"), 2000, JOBS, 50, limits, free_clock())["sent"] >= 49


def test_stored_jobs_are_those_of_runs():
    for run in stored():
        assert run.command.startswith("jaxsolve cluster solve ") and run.jobs >= 20
        for solved in (False, True):
            lengths = [run.length(solved, part / 10) for part in range(11)]
            assert lengths == sorted(lengths) and lengths[0] > 0
        mean = run.solved_share * run.mean(True) + (1 - run.solved_share) * run.mean(False)
        assert mean == pytest.approx(1.0, rel=0.2)


def journal(folder, jobs):
    folder.mkdir()
    line = {"verdict": "unknown", "nodes": 50, "cpu_seconds": 0.5}
    (folder / "jobs.jsonl").write_text(
        "".join(
            json.dumps(line | ({"verdict": "proved", "cpu_seconds": 0.2} if n % 4 == 0 else {}))
            + "\n"
            for n in range(jobs)
        )
    )
    counts = dict.fromkeys(("process", "ready_workers", "in_flight", "nodes", "weights"), 0)
    numbers = dict.fromkeys(("time", "seconds", "nodes_per_second", "load"), 0.0)
    status = {
        "format": "jaxsolve-cluster",
        "version": 1,
        "ended": True,
        "earlier": {"jobs": 0, "nodes": 0},
        "jobs": {},
        "workers": {},
        "questions": [],
        "manager_cpu_seconds": 4.0,
        "verify_cpu_seconds": 3.0,
    }
    (folder / "cluster.json").write_text(json.dumps(counts | numbers | status))
    return folder


def test_jobs_of_a_run(tmp_path):
    found = JobLengths.of_run(journal(tmp_path / "run", 40))
    assert found.solved_share == 0.25 and found.verify_seconds == 0.3 and found.adopt_seconds == 0
    assert found.growth(0.2) == pytest.approx(1.0) and found.growth(20.0) < 100


def test_the_command(monkeypatch, tmp_path):
    monkeypatch.setattr(cluster, "LEAST_JOBS", 20)
    monkeypatch.setattr(cluster, "MEASURED", 1.0)
    run = journal(tmp_path / "run", 40)
    result = bench(
        *("cluster", "--workers", "8,2", "--verifiers", 2, "--jobs", run, "--seconds", 0.5),
        *("--games", "hex-5", "--json"),
    )
    assert result.exit_code == 0, result.output
    rows = json.loads(result.stdout)["rows"]
    assert [(row["workers"], row["speed"]) for row in rows] == [(2, 1.0), (8, 1.0), (8, 10.0)]
    assert rows[0]["efficiency"] == 1.0


@pytest.mark.parametrize(
    ("words", "part"),
    [
        (("cluster", "--workers", MOST_WORKERS + 1), "one manager has at most"),
        (("cluster", "--workers", "0"), "--workers 0: give numbers from 1"),
        (("cluster", "--verifiers", "-1"), "--verifiers -1: give numbers from 0"),
        (("cluster", "--games", "chess-9"), "chess-9"),
        (("cluster", "--vs", "pgx"), "kernels"),
        (("cluster", "--jobs", "nowhere"), "nowhere is not a folder"),
        (("kernels", "--workers", "2"), "bench cluster"),
        (("search", "--jobs", "nowhere"), "bench cluster"),
        (("cluster", "--plot", "cactus.png"), "bench zones"),
    ],
)
def test_refusals_are_one_sentence(words, part):
    result = bench(*words)
    assert result.exit_code == 2
    assert result.stderr.count("\n") == 1 and part in result.stderr


def test_a_run_of_few_jobs_is_refused(tmp_path):
    run = journal(tmp_path / "run", 3)
    result = bench("cluster", "--jobs", run)
    assert result.exit_code == 2 and "3 ended jobs" in result.stderr
