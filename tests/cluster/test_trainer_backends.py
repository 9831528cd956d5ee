"""The trainer in a process and in an actor of a Ray cluster: it trains on after ``kill -9``."""

from __future__ import annotations

import contextlib
import json
import os
import random
import signal
import threading
import time
from pathlib import Path

import jax
import numpy as np
import pytest

pytest.importorskip("flax")
pytest.importorskip("orbax.checkpoint")

from jaxsolve.cluster import ClusterOptions, Run, solving
from jaxsolve.cluster.orders import Order
from jaxsolve.cluster.renewal import Renewal
from jaxsolve.cluster.trainer_loop import Start
from jaxsolve.cluster.trainer_options import TrainerOptions
from jaxsolve.cluster.trainer_process import TrainerProcess
from jaxsolve.games import make
from jaxsolve.networks import Guide, Network, finding
from jaxsolve.proof.check import check
from jaxsolve.question import Claim
from jaxsolve.search import Limits, Settings, Verdict, solve
from support.cluster import inline
from support.heads import RAY, Cluster
from support.inline_trainer import stops_within_a_message
from support.networks import random_network
from support.search import LONG, accepted

GAME = make("hex-3")
NETWORK = random_network(GAME, "both")
GIVEN = (
    *("games=4", "most_moves=9", "simulations=4", "considered=4", "capacity=200", "batch=20"),
    *("updates=4", "critical_positions=6", "solved_positions=6"),
)
OPTIONS = TrainerOptions(seconds=0, learn="cp+sp", given=GIVEN)
START = Start(NETWORK, GAME.rule_set, OPTIONS.online(), 0, 0, 0.0)
LONGEST = 200.0  # seconds until a trainer has answered


def until(condition, renewal):
    """Polls until the condition holds."""
    end = time.monotonic() + LONGEST
    while not condition():
        assert time.monotonic() < end and not renewal.failed, renewal.as_json()
        renewal.poll()
        time.sleep(0.05)


def equal(one, other):
    leaves = zip(jax.tree.leaves(one), jax.tree.leaves(other), strict=True)
    return all(np.array_equal(a, b) for a, b in leaves)


def test_a_process_trains_by_itself_and_a_killed_one_goes_on(tmp_path):
    renewal = Renewal(NETWORK, GAME, OPTIONS, TrainerProcess, folder=tmp_path / "trainer")
    start = GAME.host_pack(GAME.init())
    renewal.add_critical(start)
    renewal.add_solved(Claim(0), proved=True, states=start[None], moves=np.array([4], np.int32))
    until(lambda: renewal._figures.solved == 1, renewal)  # it is no longer critical
    assert renewal.as_json()["critical"] == 0 and not equal(renewal.params, NETWORK.params)
    process, before = renewal.backend.process, renewal.version
    os.kill(process.pid, signal.SIGKILL)
    until(lambda: renewal.restarts == 1 and renewal.version > before, renewal)
    status = renewal.as_json()
    assert "exit -9" in status["why"] or status["why"] == ""
    # It has resumed from its folder, or has received the positions again.
    until(lambda: renewal._figures.solved > 0, renewal)
    latest = finding.find(str(tmp_path / "trainer"))
    assert latest.name.endswith(f"-{renewal.version}") and equal(latest.params, renewal.params)
    steps = [int(each.name) for each in (tmp_path / "trainer/state/checkpoints").iterdir()]
    assert max(steps) >= before
    process = renewal.backend.process
    renewal.close()
    assert not process.is_alive()


def test_a_stopped_process_does_not_delay_the_manager(tmp_path, monkeypatch):
    """Positions are sent to it only as far as its pipe takes them."""
    monkeypatch.setattr("jaxsolve.cluster.renewal.SEND_SECONDS", 0.0)
    game = make("hex-13")
    network = random_network(game, "value")
    renewal = Renewal(network, game, TrainerOptions(), TrainerProcess)
    rng = np.random.default_rng(0)
    renewal.poll()
    os.kill(renewal.backend.process.pid, signal.SIGSTOP)
    for _ in range(1000):
        state = game.init()
        state = game.step(state, np.int32(rng.integers(169)))
        renewal.add_critical(game.host_pack(state))
    start = time.monotonic()
    for _ in range(20):
        renewal.poll()
    assert not renewal.backend.ready() and 0 < renewal._critical.count < 1000
    assert time.monotonic() - start < 60  # it would wait forever
    renewal.close()


def test_a_process_that_stops_within_a_message_does_not_delay_the_manager(monkeypatch):
    monkeypatch.setattr("jaxsolve.cluster.trainer_process._train", stops_within_a_message)
    backend, received = TrainerProcess(START), []

    def look() -> None:
        while Path(f"/proc/{backend.process.pid}/stat").read_text().split()[2] != "T":
            received.extend(backend.receive())
            time.sleep(0.02)
        received.extend(backend.receive())

    looking = threading.Thread(target=look, daemon=True)
    looking.start()
    looking.join(LONGEST)
    assert not looking.is_alive() and received == []  # it would wait forever
    backend.close()


# ---- runs ----------------------------------------------------------------------------------------
BOARD = make("hex-5")
PLACE = BOARD.parse("...../...../X..../...../..... w")  # no connection decides it
PLAYER = random_network(BOARD, "long")


class Runs:
    """Runs on ``BOARD`` whose manager waits for the trainer, so that they do not end before it."""

    def __init__(self, monkeypatch):
        self.evaluator, begin = None, solving.Manager.__init__

        def noted(manager, evaluator, shared):
            self.evaluator = evaluator
            begin(manager, evaluator, shared)

        monkeypatch.setattr(solving.Manager, "__init__", noted)

    def wait(self, shared, version):
        """Waits until the weights have at least this version."""
        end = time.monotonic() + LONGEST
        while shared.trainer.version < version:
            assert time.monotonic() < end and not shared.trainer.failed, shared.trainer.as_json()
            shared.renew(self.evaluator)
            time.sleep(0.02)

    def solved(self, out, progress, **options):
        given = (*GIVEN[:1], "most_moves=20", *GIVEN[2:])
        trainer = TrainerOptions(seconds=0, learn="cp+sp", given=given)
        settings = Settings("mcts", Limits(nodes=100_000), heads=Guide(PLAYER))
        with Run(ClusterOptions(trainer=trainer, **options), settings, out) as run:
            result = solve(
                BOARD,
                PLACE,
                settings=run.settings,
                make_pool=run.make_pool,
                out=out,
                progress=lambda _: progress(run.shared),
            )
        assert result.verdict is Verdict.PROVED, result.reason
        accepted(BOARD, PLACE, Claim(1), result)
        return run


@pytest.mark.full
def test_a_run_whose_trainer_is_killed_has_the_same_answer(tmp_path, monkeypatch):
    """Killed at random moments, each fifth time before it answers. The workers are inline."""
    rng, wanted, killed = random.Random(5), 20 if LONG else 1, 0
    versions, made, runs = [0], inline(monkeypatch), Runs(monkeypatch)

    def kill(shared):
        nonlocal killed
        versions.append(shared.figures.version)
        if killed >= wanted:
            return
        if killed % 5 == 4:
            shared.renew(runs.evaluator)
            time.sleep(rng.uniform(0.0, 3.0))
        else:
            runs.wait(shared, shared.trainer.version + rng.randint(1, 3))
        backend = shared.trainer.backend
        if backend is not None and backend.process.is_alive():  # else its end was not noticed yet
            os.kill(backend.process.pid, signal.SIGKILL)
            killed += 1

    run = runs.solved(tmp_path / "out", kill, workers=2, job_nodes=4)
    sent = [Order.decode(each).version for each in made[-1].sent]
    assert sent == sorted(sent) and versions == sorted(versions)
    status = run.figures()["trainer"]
    assert killed == wanted and status["restarts"] >= wanted - 1, status
    assert status["version"] > wanted and status["state"] == "ended"
    assert max(sent) > wanted and run.figures()["jobs"].get("distrusted", 0) == 0


@pytest.mark.full
@pytest.mark.parametrize("backend", [*(["processes"] if LONG else []), RAY])
def test_real_workers_take_over_the_weights_of_a_real_trainer(backend, tmp_path, monkeypatch):
    """The trainer is killed once."""
    killed, runs = 0, Runs(monkeypatch)

    def kill(shared):
        nonlocal killed
        if killed:
            return
        runs.wait(shared, 2)
        os.kill(shared.trainer.backend.process.pid, signal.SIGKILL)
        killed = shared.trainer.version
        runs.wait(shared, killed + 2)  # one may have arrived before the end

    out = tmp_path / "out"
    with contextlib.ExitStack() as stack:
        options = {"workers": 1, "backend": backend, "job_nodes": 4}
        if backend == "ray":
            cluster = stack.enter_context(Cluster(tmp_path))
            cluster.admit(monkeypatch)
            options["address"] = cluster.address
        run = runs.solved(out, kill, **options)
    figures = run.figures()
    assert figures["trainer"]["restarts"] == 1 and figures["trainer"]["version"] > killed > 1
    assert figures["jobs"].get("distrusted", 0) == figures["jobs"].get("lost", 0) == 0
    assert check(out / "proof.jsonl.gz").accepted
    lines = [json.loads(line) for line in (out / "jobs.jsonl").read_text().splitlines()]
    # There is one worker. A report that is being verified is written after later ones.
    used = [line["weights"] for line in sorted(lines, key=lambda line: line["id"])]
    assert used == sorted(used) and used[-1] > killed
    (folder,) = (out / "trainer").iterdir()
    latest = Network.load(sorted((folder / "networks").iterdir())[-1])
    assert latest.about["online"]["version"] == figures["weights"]
    assert (folder / "state").exists() == (backend == "processes")
