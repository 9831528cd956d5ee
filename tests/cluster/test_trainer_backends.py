"""The trainer in a process and in a Ray actor: it trains by itself, and survives ``kill -9``."""

from __future__ import annotations

import importlib.util
import os
import random
import signal
import time

import jax
import numpy as np
import pytest

pytest.importorskip("flax")
pytest.importorskip("orbax.checkpoint")

from jaxsolve.cluster import ClusterOptions, Run
from jaxsolve.cluster.orders import Order
from jaxsolve.cluster.renewal import Renewal
from jaxsolve.cluster.trainer_options import TrainerOptions
from jaxsolve.cluster.trainer_process import TrainerProcess
from jaxsolve.games import make
from jaxsolve.networks import Guide, Network, finding
from jaxsolve.proof.check import check
from jaxsolve.question import Claim
from jaxsolve.search import Limits, Settings, Verdict, solve
from support.cluster import inline
from support.networks import random_network
from support.search import LONG, accepted

GAME = make("hex-3")
NETWORK = random_network(GAME, "both")
GIVEN = (
    *("games=4", "most_moves=9", "simulations=4", "considered=4", "capacity=200", "batch=20"),
    *("updates=4", "critical_positions=6", "solved_positions=6"),
)
OPTIONS = TrainerOptions(seconds=0, learn="cp+sp", given=GIVEN)
LONGEST = 300.0  # seconds until a trainer has answered


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
    until(lambda: renewal._figures.solved == 1, renewal)
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


# ---- runs ----------------------------------------------------------------------------------------
def solved(out, progress, backend="processes", workers=1, nodes=2, trainer=OPTIONS):
    options = ClusterOptions(workers, backend, job_nodes=nodes, trainer=trainer)
    settings = Settings("mcts", Limits(nodes=100_000), heads=Guide(NETWORK))
    with Run(options, settings, out) as run:
        result = solve(
            GAME,
            GAME.init(),
            settings=run.settings,
            make_pool=run.make_pool,
            out=out,
            progress=lambda _: progress(run.shared),
        )
    assert result.verdict is Verdict.PROVED, result.reason
    accepted(GAME, GAME.init(), Claim(0), result)
    return run


@pytest.mark.full
def test_a_run_whose_trainer_is_killed_has_the_same_answer(tmp_path, monkeypatch):
    """Killed at random moments, also while it starts. The workers are in this process."""
    rng, wanted, killed = random.Random(5), 20 if LONG else 5, 0
    versions, sent = [0], []
    made = inline(monkeypatch)

    def kill(shared):
        """Waits for the trainer, so that the search does not end before."""
        nonlocal killed
        renewal = shared.trainer
        versions.append(shared.figures.version)
        if killed >= wanted or renewal.backend is None:
            return
        if killed % 5 == 4:  # before it has answered
            time.sleep(rng.uniform(0.0, 3.0))
        else:
            before = renewal.version
            while renewal.version <= before + rng.randrange(3) and not renewal.failed:
                shared.renew(evaluators[-1])
                time.sleep(0.02)
        if renewal.backend is not None:
            os.kill(renewal.backend.process.pid, signal.SIGKILL)
            killed += 1

    from jaxsolve.cluster import solving

    evaluators, begin = [], solving.Manager.__init__

    def noted(manager, evaluator, shared):
        evaluators.append(evaluator)
        begin(manager, evaluator, shared)

    monkeypatch.setattr(solving.Manager, "__init__", noted)
    run = solved(tmp_path / "out", kill, nodes=1)
    sent = [Order.decode(each).version for each in made[-1].sent]
    assert sent == sorted(sent) and versions == sorted(versions)
    status = run.figures()["trainer"]
    assert killed >= wanted and status["restarts"] >= wanted - 1, status
    assert status["version"] > 0 and status["state"] == "ended"


RAY = pytest.param(
    "ray",
    marks=[
        pytest.mark.full,
        pytest.mark.skipif(importlib.util.find_spec("ray") is None, reason="needs Ray"),
        pytest.mark.xdist_group("ray"),
    ],
)


@pytest.mark.parametrize("backend", [pytest.param("processes", marks=pytest.mark.full), RAY])
def test_real_workers_take_over_the_weights_of_a_real_trainer(backend, tmp_path):
    """The trainer is killed once."""
    killed = [0]

    def wait(shared):
        renewal, end = shared.trainer, time.monotonic() + LONGEST
        while renewal.version < 2 and time.monotonic() < end:
            if (found := renewal.poll()) is not None:
                shared._take_over(found, evaluator[0])
            time.sleep(0.05)
        if not killed[0]:
            if backend == "ray":
                import ray

                ray.kill(renewal.backend.actor)
            else:
                os.kill(renewal.backend.process.pid, signal.SIGKILL)
            killed[0] = renewal.version
        while renewal.version <= killed[0] and time.monotonic() < end:
            if (found := renewal.poll()) is not None:
                shared._take_over(found, evaluator[0])
            time.sleep(0.05)

    from jaxsolve.cluster import solving

    evaluator, begin = [], solving.Manager.__init__
    with pytest.MonkeyPatch.context() as patch:

        def noted(manager, given, shared):
            evaluator.append(given)
            begin(manager, given, shared)

        patch.setattr(solving.Manager, "__init__", noted)
        run = solved(tmp_path / "out", wait, backend)
    figures = run.figures()
    assert figures["trainer"]["restarts"] == 1 and figures["trainer"]["version"] > killed[0] > 1
    assert figures["jobs"].get("distrusted", 0) == figures["jobs"].get("lost", 0) == 0
    assert check(tmp_path / "out" / "proof.jsonl.gz").accepted
    (folder,) = (tmp_path / "out" / "trainer").iterdir()
    latest = Network.load(sorted((folder / "networks").iterdir())[-1])
    assert latest.about["online"]["version"] == figures["weights"]
    assert (folder / "state").exists() == (backend == "processes")
