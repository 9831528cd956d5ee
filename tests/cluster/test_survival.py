"""Runs with Ray survive its head, nodes that come and go, and Ctrl-C: kill -9 at random moments."""

from __future__ import annotations

import dataclasses
import json
import os
import random
import signal
import subprocess
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from jaxsolve.cluster import ClusterOptions, Run, ray_actors
from jaxsolve.cluster.status import STATUS, read
from jaxsolve.games import make
from jaxsolve.search import Limits, Settings, Verdict, solve
from support.cli import one_object, run
from support.cluster import inline
from support.cluster_runs import (
    ANSWER,
    WORDS,
    assert_accepted,
    assert_nothing_twice,
    lines,
    started,
    wait_for,
)
from support.heads import HEAD, NEEDS_RAY, Cluster, descendants, kill_head, wait_until_gone
from support.search import LONG

pytestmark = NEEDS_RAY
KILLS = 20 if LONG else 1
PARTS = (("gcs_server",), ("raylet",), HEAD)


def follow(
    process: subprocess.Popen, out: Path, count: int, known: set[int], seconds: float = 300
) -> bool:
    """Notes the processes of a run until it has so many jobs; whether it still runs."""
    end = time.monotonic() + seconds
    while process.poll() is None and time.monotonic() < end and len(lines(out)) < count:
        known.update(descendants(process.pid))
        time.sleep(0.1)
    return process.poll() is None


def assert_answered(process: subprocess.Popen, out: Path) -> None:
    said, errors = process.communicate(timeout=600)
    assert process.returncode == ANSWER, (process.returncode, said, errors)
    assert json.loads(said)["verdict"] == "disproved" and "Traceback" not in errors
    assert_accepted(out)
    assert_nothing_twice(out)
    found = read(out)
    assert (found["ended"], found["ready_workers"], found["in_flight"]) == (True, 0, 0)


# ---- kill -9 of the head -------------------------------------------------------------------------
def answered_in_spite_of(
    kill: Callable[[subprocess.Popen, int], None], seed: int, folder: Path, *words: object
) -> None:
    """Runs, one after the other, until ``kill`` was called ``KILLS`` times; each has its answer.

    Args:
      kill: kills a part of Ray; called with the process of the run, and the number of the call.
      seed: of the moments.
      folder: of the runs.
      words: arguments of ``cluster solve``, besides those of all runs.
    """
    rng, kills, rounds = random.Random(seed), 0, 0
    while kills < KILLS:
        out, known = folder / str(rounds), set[int]()
        rounds += 1
        with started(*WORDS, *words, "--out", out) as process:
            while kills < KILLS and follow(
                process, out, len(lines(out)) + rng.randrange(1, 40), known
            ):
                time.sleep(rng.random())
                kill(process, kills)
                kills += 1
            assert follow(process, out, 1 << 30, known, 600) is False
            assert_answered(process, out)
        wait_until_gone(known)


def test_a_killed_head_of_a_ray_that_was_started_is_started_again(tmp_path):
    def kill(process: subprocess.Popen, number: int) -> None:
        kill_head(process.pid, PARTS[number % len(PARTS)])

    answered_in_spite_of(kill, 5, tmp_path, "--backend", "ray")


@pytest.mark.skipif(not LONG, reason="needs JAXSOLVE_LONG=1")
def test_a_killed_head_of_a_joined_cluster_is_waited_for(tmp_path, monkeypatch):
    rng = random.Random(6)
    with Cluster(tmp_path) as cluster:
        cluster.admit(monkeypatch)

        def kill(_: subprocess.Popen, number: int) -> None:
            """Kills a part of the head, then all of it, and starts another one."""
            kill_head(cluster.nodes[-1].pid, PARTS[number % len(PARTS)])
            time.sleep(rng.uniform(0, 3))
            cluster.kill(cluster.nodes[-1])
            cluster.start()

        answered_in_spite_of(kill, 7, tmp_path, "--address", cluster.address)


@pytest.mark.skipif(not LONG, reason="needs JAXSOLVE_LONG=1")
def test_nodes_come_and_go_and_a_head_that_stays_away_ends_the_run(tmp_path, monkeypatch):
    monkeypatch.setattr(ray_actors, "HEAD_SECONDS", 2.0)
    game, out, seen = make("hex-8"), tmp_path / "out", list[int]()
    with Cluster(tmp_path, several=True) as cluster:
        cluster.admit(monkeypatch)

        def change(_: object) -> None:
            """One worker waits for a node, which comes and goes; then the head goes."""
            ready = started_run.shared.backend.running()
            if len(seen) < 3 and ready == (2, 3, 2)[len(seen)] and lines(out):
                seen.append(ready)
                if len(seen) == 1:
                    cluster.start(f"--address={cluster.address}", cpus=1)
                else:
                    cluster.kill(cluster.nodes.pop())

        limits = Limits(wall_seconds=300)
        options = ClusterOptions(3, "ray", cluster.address, job_nodes=50)
        with Run(options, Settings("pns"), out) as started_run:
            result = solve(
                game,
                game.parse("/".join(["." * 8] * 8) + " b"),
                settings=dataclasses.replace(started_run.settings, limits=limits),
                make_pool=started_run.make_pool,
                out=out,
                progress=change,
            )
    assert seen == [2, 3, 2] and result.verdict is Verdict.UNKNOWN
    assert "No worker is left: no Ray cluster has answered at" in result.reason
    assert read(out)["ended"] and json.loads((out / "result.json").read_text())
    before = lines(out)
    inline(monkeypatch)
    # The manager expands its leaves again, which counts.
    most = 20 * 50 + result.nodes + 10 * len(before)
    words = ("start", "--game", "hex-8", "--job-nodes", 50, "--nodes", most)
    resumed = run("cluster", "solve", *words, "--out", out, "--resume")
    assert resumed.exit_code == 10 and len(lines(out)) > len(before), resumed.output
    assert_nothing_twice(out)


# ---- the end of the manager ----------------------------------------------------------------------
@pytest.mark.parametrize(
    "number", [signal.SIGINT, *((signal.SIGTERM, signal.SIGKILL) if LONG else ())]
)
def test_signals_at_random_moments_leave_no_process_of_ray(number, tmp_path):
    rng, out, known = random.Random(int(number)), tmp_path / "out", set[int]()
    for trial in range(7 if LONG else 1):
        resume = ["--resume"] if (out / "problem.json").exists() else []
        with started(*WORDS, "--backend", "ray", "--out", out, *resume) as process:
            # Before a worker is ready, or while they work.
            jobs = len(lines(out)) + rng.randrange(1, 30) if trial % 2 == 0 else 1 << 30
            follow(process, out, jobs, known, 120 if trial % 2 == 0 else rng.uniform(2, 12))
            known.update(descendants(process.pid))
            # The terminal sends Ctrl-C to the whole group.
            send = os.killpg if number == signal.SIGINT else os.kill
            before = time.monotonic()
            if process.poll() is None:
                send(process.pid, number)
            said, errors = process.communicate(timeout=120)
            code = -9 if number == signal.SIGKILL else 130
            assert process.returncode in (code, ANSWER), (said, errors)
            assert "Traceback" not in errors and time.monotonic() - before < 90
            if (out / STATUS).exists() and process.returncode == 130 and trial % 2 == 0:
                assert read(out)["ended"]
            wait_until_gone(known)
    if (out / "problem.json").exists():
        with started(*WORDS, "--out", out, "--resume") as process:  # the other back-end
            assert_answered(process, out)


def test_a_second_run_with_ray_in_a_folder_in_use_is_refused(tmp_path):
    out = tmp_path / "out"
    with started(*WORDS, "--out", out) as process:
        assert wait_for(out, 1, process)
        process.send_signal(signal.SIGSTOP)
        second = run(*WORDS[:-1], "--backend", "ray", "--out", out, "--resume")
        assert (second.exit_code, second.stderr.count("\n")) == (2, 1)
        assert "in use by another run" in second.stderr
        assert not one_object(run("cluster", "status", out, "--json"))["ended"]
