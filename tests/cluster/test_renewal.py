"""Renewal of weights in a run: versions rise, nothing compiles, and answers do not depend on it."""

from __future__ import annotations

import json
import os

import jax
import numpy as np
import pytest

pytest.importorskip("flax")
pytest.importorskip("orbax.checkpoint")

from jaxsolve.cluster import ClusterOptions, Run, renewal, shared, solving
from jaxsolve.cluster.orders import Order, Report
from jaxsolve.cluster.renewal import WAITS, Renewal
from jaxsolve.cluster.trainer_loop import Start
from jaxsolve.cluster.trainer_messages import Answer, SolvedPosition, TrainerFigures
from jaxsolve.cluster.trainer_options import TrainerOptions
from jaxsolve.cluster.weights import Weights
from jaxsolve.cluster.worker import Worker
from jaxsolve.evaluate import shared_evaluator
from jaxsolve.games import make
from jaxsolve.games.zones import COVER_FLAG
from jaxsolve.networks import Guide, Network
from jaxsolve.search import Claim, Limits, Settings, Verdict, solve
from support.cluster import inline
from support.compilations import compilations
from support.inline_trainer import InlineTrainer, drawn
from support.networks import random_network
from support.search import LONG, accepted

GAME = make("hex-5")
ROOT = GAME.parse("...../...../X..../...../..... w")  # no connection decides it
NETWORK = random_network(GAME, "both")
GUIDE = Guide(NETWORK)
PLACES = tuple(
    f"{row}/...../...../...../..... {side}"
    for row, side in ((".....", "b"), ("X....", "w"), ("XO...", "b"))
)
OPTIONS = TrainerOptions(seconds=0, learn="cp+sp")
START = Start(NETWORK, GAME.rule_set, OPTIONS.online(), 0, 0, 0.0)
SETTINGS = Settings("mcts", Limits(nodes=100_000), heads=GUIDE)


@pytest.fixture
def trainers(monkeypatch):
    """The trainers that a run has started; ``trainers.change`` is that of ``InlineTrainer``."""

    class Made(list):
        change = None

    made = Made()

    def backend(options, start):
        made.append(InlineTrainer(start, made.change))
        return made[-1]

    monkeypatch.setattr(solving, "_trainer_backend", backend)
    monkeypatch.setattr(renewal, "SEND_SECONDS", 0.0)
    return made


def solved(out, trainer=OPTIONS, resume=False, **options):
    """A run with inline workers. Returns (result, orders that were sent, the run)."""
    with Run(ClusterOptions(2, job_nodes=4, trainer=trainer, **options), SETTINGS, out) as run:
        result = solve(
            GAME,
            ROOT,
            settings=run.settings,
            make_pool=run.make_pool,
            out=out,
            resume=resume,
        )
        assert run.shared is not None
        orders = [Order.decode(each) for each in run.shared.backend.sent]
    assert result.verdict is Verdict.PROVED, result.reason
    accepted(GAME, ROOT, Claim(1), result)
    return result, orders, run


# ---- a run ---------------------------------------------------------------------------------------
@pytest.mark.parametrize("renew", ["both", "manager", "workers"])
def test_versions_rise_and_only_the_chosen_side_is_renewed(renew, trainers, tmp_path, monkeypatch):
    inline(monkeypatch)
    begun = []
    made = solving.Manager.__init__

    def noted(manager, evaluator, found):
        begun.append(evaluator)
        made(manager, evaluator, found)

    monkeypatch.setattr(solving.Manager, "__init__", noted)
    options = TrainerOptions(seconds=0, renew=renew)
    _, orders, run = solved(tmp_path / "out", options)
    versions = [each.version for each in orders]
    assert versions == sorted(versions)
    status = run.figures()
    assert status["weights"] == status["trainer"]["version"] > 3
    assert status["jobs"].get("distrusted", 0) == 0  # reports have the versions of their orders
    assert (versions[-1] > 3) == (renew != "manager") and (versions[-1] == 0) == (
        renew == "manager"
    )
    renewed = drawn(START, status["weights"]).params(NETWORK.params)
    expected = NETWORK.params if renew == "workers" else renewed
    assert equal(begun[0].heads.params, expected)
    (trainer,) = trainers
    received = [text for each in trainer.received for text in each.critical]
    assert received and all(GAME.text(GAME.parse(text)) == text for text in received)
    assert any(each.solved for each in trainer.received) and trainer.closed


def equal(one, other):
    leaves = zip(jax.tree.leaves(one), jax.tree.leaves(other), strict=True)
    return all(np.array_equal(np.asarray(a), np.asarray(b)) for a, b in leaves)


def test_solved_positions_have_their_winner(trainers, tmp_path, monkeypatch):
    inline(monkeypatch)
    solved(tmp_path / "out")
    found = {each for trainer in trainers for sent in trainer.received for each in sent.solved}
    assert len(found) > 5
    for each in list(found)[:20]:
        result = solve(GAME, GAME.parse(each.position), claim=Claim(each.or_player), check=False)
        assert result.verdict is (Verdict.PROVED if each.proved else Verdict.DISPROVED), each


@pytest.mark.parametrize(
    ("result", "proved", "player", "wins"),
    [
        ("wins", True, 1, True),
        ("wins", False, 1, False),
        ("does-not-lose", True, 0, False),
        ("does-not-lose", False, 0, True),
    ],
)
def test_a_claim_that_is_decided_is_a_win_or_none(result, proved, player, wins, trainers):
    found = Renewal(NETWORK, GAME, OPTIONS, InlineTrainer)
    states = np.stack([GAME.host_pack(GAME.parse(text)) for text in PLACES])
    moves = np.array([7, -1, -(1 << 31)], np.int32)
    found.add_solved(Claim(1, result), proved=proved, states=states, moves=moves)
    for _ in range(2):
        found.poll()
    (sent,) = found.backend.received
    assert sent.solved == [
        SolvedPosition(text, player, wins, move)
        for text, move in zip(PLACES, (7, None, None), strict=True)
    ]


def test_a_reference_to_a_covered_position_is_no_move(trainers):
    """Proofs of Killall-Go have many. The trainer refuses a move that is illegal."""
    found = Renewal(NETWORK, GAME, OPTIONS, InlineTrainer)
    states = np.stack([GAME.host_pack(GAME.parse(text)) for text in PLACES])
    moves = np.array([COVER_FLAG | 5, ~(COVER_FLAG | 5), 2], np.int32)
    found.add_solved(Claim(1), proved=True, states=states, moves=moves)
    for _ in range(2):
        found.poll()
    (sent,) = found.backend.received
    assert [each.move for each in sent.solved] == [None, None, 2]


def test_a_resumed_run_begins_with_the_latest_weights(trainers, tmp_path, monkeypatch):
    inline(monkeypatch)
    out = tmp_path / "out"
    _, _, run = solved(out)
    (folder,) = (out / "trainer").iterdir()
    assert folder.name.startswith("hex-5-") and list((folder / "tb").iterdir())
    latest = sorted((folder / "networks").iterdir())
    assert len(latest) == 2
    network = Network.load(latest[-1])
    version = run.figures()["weights"]
    assert int(latest[-1].stem) == version
    assert equal(network.params, drawn(START, version).params(NETWORK.params))
    for damage in (False, True):
        if damage:
            latest[-1].write_bytes(b"PK damaged")
        found = Renewal(NETWORK, GAME, OPTIONS, trainers.append, folder=folder)
        assert found.version == version
        kept = version - 1 if damage else version
        (folder / "networks" / f"{1 << 31}.npz").write_bytes(latest[0].read_bytes())  # no version
        assert equal(found.params, drawn(START, kept).params(NETWORK.params))
    (folder / "networks" / "!mine.npz").write_bytes(b"of the user")
    (out / "proof.log").unlink()  # so that the search begins anew
    (out / "jobs.jsonl").unlink()
    _, orders, run = solved(out, resume=True)
    assert orders[0].version == version < run.figures()["weights"]
    assert (folder / "networks" / "!mine.npz").read_bytes() == b"of the user"


@pytest.mark.parametrize("learn", ["cp", "sp", "cp+sp"])
def test_what_is_learned_is_an_option_of_the_trainer(learn):
    online = TrainerOptions(
        learn=learn, given=("games=8", "learning_rate=1", "augment=false")
    ).online()
    assert (online.critical, online.solved) == ("cp" in learn, "sp" in learn)
    assert (online.games, online.learning_rate, online.augment) == (8, 1, False)


# ---- trainers that end ---------------------------------------------------------------------------
def damaged(number, answer):
    """Answers that are refused, of several kinds."""
    head, _, data = answer.partition(b"\n")
    found = Answer.decode(answer)
    assert found.weights is not None
    weights = found.weights
    kinds = [
        b"",
        answer[:-1],
        head + b"\n" + bytes([data[0] ^ 1]) + data[1:],
        head,
        Answer(found.figures, Weights(weights.version, "hex-6", data)).encode(),
        Answer(found.figures, Weights(1, weights.rules, data)).encode(),
        Answer(found.figures, Weights(weights.version, weights.rules, data[4:])).encode(),
        Answer(
            found.figures, Weights(weights.version, weights.rules, b"\xff" * len(data))
        ).encode(),
        Answer(found.figures, Weights((1 << 31) - 1, weights.rules, data)).encode(),
        Answer(found.figures, Weights(weights.version, "\ud800\n\x1b[2J", data)).encode(),
        json.dumps({"figures": {"failure": "\ud800"}}).encode(),
    ]
    return kinds[number % len(kinds)]


@pytest.mark.parametrize("kind", ["killed", "damaged"])
def test_a_trainer_that_ends_or_sends_damage_is_replaced(kind, trainers, tmp_path, monkeypatch):
    inline(monkeypatch)
    wanted, ends = 20 if LONG else 11, 0

    def change(number, answer):
        nonlocal ends
        if number < 2 or ends >= wanted:
            return answer
        ends += 1
        return None if kind == "killed" else damaged(ends, answer)

    trainers.change = change
    _, orders, run = solved(tmp_path / "out")
    status = run.figures()["trainer"]
    assert status["restarts"] == len(trainers) - 1 >= min(wanted, 5), status
    versions = [each.version for each in orders]
    assert versions == sorted(versions) and versions[-1] > 5
    starts = [each.start.version for each in trainers]
    assert starts == sorted(starts) and len(set(starts)) == len(starts)
    assert all(each.closed for each in trainers)
    for each in trainers[1:]:
        assert equal(each.start.network.params, drawn_before(trainers, each))
        assert not each.start.fresh


def drawn_before(trainers, each):
    """The latest weights that the trainer before sent."""
    before = trainers[trainers.index(each) - 1]
    return drawn(before.start, each.start.version).params(NETWORK.params)


@pytest.mark.parametrize("says", ["\ud800", "two\nlines", "\x1b[2J", "x" * 10_000])
def test_what_a_trainer_says_fits_files_and_terminals(says, trainers, tmp_path):
    answer = Answer(TrainerFigures(failure=says), None)
    trainers.change = lambda *_: answer.encode()
    found = Renewal(NETWORK, GAME, OPTIONS, lambda start: solving._trainer_backend(None, start))
    for _ in range(2):
        found.poll()
    why = found.as_json()["why"]
    assert found.restarts == 0 and why.encode() and why.isprintable() and len(why) <= 300


def test_a_trainer_that_never_answers_is_given_up(trainers, tmp_path, monkeypatch):
    inline(monkeypatch)
    trainers.change = lambda *_: None
    now = [0.0]
    found = Renewal(
        NETWORK,
        GAME,
        OPTIONS,
        lambda start: solving._trainer_backend(None, start),
        clock=lambda: now[0],
    )
    for _ in range(200):
        assert found.poll() is None
        now[0] += 1.0
    assert len(trainers) == len(WAITS) and found.as_json()["state"] == "failed"
    assert "exit -9" in found.as_json()["why"]
    assert [each.start.fresh for each in trainers] == [False, False, True, True, True]


# ---- weights in the worker -----------------------------------------------------------------------
def order(version, number=1, line=(), nodes=40):
    state = ROOT
    for action in line:
        state = GAME.step(state, np.int32(action))
    root = GAME.text(ROOT)
    return Order(
        number,
        1,
        version,
        GAME.rule_set,
        GAME.text(state),
        Claim(1),
        nodes,
        None,
        root,
        tuple(line),
    )


def facts(report):
    found = Report.decode(report)
    return found.verdict, found.nodes, found.evaluations, found.numbers, found.records


@pytest.mark.parametrize("method", ["dfpn", "mcts"])
def test_a_worker_with_new_weights_searches_as_one_that_began_with_them(method):
    weights = drawn(START, 5)
    network = Network("other", NETWORK.architecture, weights.params(NETWORK.params), GAME.rule_set)
    old, new = (
        Worker(Settings(method, heads=Guide(each), check=False)) for each in (NETWORK, network)
    )
    swapped = Worker(Settings(method, heads=GUIDE, check=False))
    swapped.run(order(0, nodes=1).encode())  # its evaluator exists
    swapped.close()
    swapped.renew(weights.encode())
    swapped._question = ()
    for line in ((), (5,), (5, 9)):
        message = order(5, line=line).encode()
        found = swapped.run(message)
        assert facts(found) == facts(new.run(message))
        assert Report.decode(found).version == 5
    assert facts(Worker(Settings(method, heads=GUIDE, check=False)).run(message))
    assert Report.decode(old.run(message)).version == 0  # which the manager refuses


def test_a_kept_tree_stays_and_nothing_compiles():
    worker = Worker(Settings("dfpn", heads=GUIDE, check=False))
    worker.run(order(0, nodes=30).encode())
    kept = worker._kept
    assert kept is not None
    evaluator = shared_evaluator(GAME, GUIDE.heads(GAME))
    states = np.repeat(GAME.host_pack(ROOT)[None], 3, axis=0)
    moves = np.arange(3, dtype=np.int32)
    before = evaluator(states, moves)
    with compilations() as found:
        worker.renew(drawn(START, 2).encode())
        report = Report.decode(worker.run(order(2, 2, nodes=30).encode()))
        evaluator.heads = evaluator.heads.with_params(drawn(START, 2).params(NETWORK.params))
        after = evaluator(states, moves)
    assert found == [] and report.version == 2
    assert worker._kept is kept and kept.search.expanded > 30
    assert not np.array_equal(before, after)
    assert equal(kept.evaluator.heads.params, evaluator.heads.params)


def test_nothing_compiles_when_a_run_takes_over_weights(trainers, tmp_path, monkeypatch):
    inline(monkeypatch)
    made: list[str] = []

    def without_compilation(function):
        def called(*arguments):
            with compilations() as found:
                function(*arguments)
            made.append("called")
            assert found == []

        return called

    for owner, name in ((shared.Shared, "_take_over"), (Worker, "renew")):
        monkeypatch.setattr(owner, name, without_compilation(getattr(owner, name)))
    solved(tmp_path / "out")
    assert len(made) > 10


def test_damaged_weights_end_a_worker():
    worker = Worker(Settings("dfpn", heads=GUIDE, check=False))
    worker.run(order(0, nodes=1).encode())
    for message in (b"", drawn(START, 2).encode()[:-1], Weights(2, GAME.rule_set, b"").encode()):
        with pytest.raises(ValueError):
            worker.renew(message)


# ---- options -------------------------------------------------------------------------------------
@pytest.mark.parametrize(
    ("changes", "says"),
    [
        ({"place": "off"}, "place='off': give one of own, share"),
        ({"learn": "all"}, "learn='all'"),
        ({"renew": ""}, "renew=''"),
        ({"seconds": -1.0}, "seconds=-1"),
        ({"seconds": float("nan")}, "seconds=nan"),
        ({"given": ("games",)}, "games: give one of"),
        ({"given": ("rounds=3",)}, "rounds=3: give one of"),
        ({"given": ("critical=true",)}, "critical=true: give one of"),
        ({"given": ("games=2", "games=2")}, "give games once"),
        ({"given": ("games=2.5",)}, "games=2.5: give a value of the type int"),
        ({"given": ("games=0",)}, "games=0: give a whole number from 1"),
        ({"given": ("optimizer=best",)}, "may be sgd or adam"),
        ({"given": ("learning_rate=NaN",)}, "learning_rate=NaN: give a value of the type float"),
    ],
)
def test_bad_options_are_refused(changes, says):
    with pytest.raises(ValueError, match=says):
        TrainerOptions(**changes)


def test_a_run_without_a_network_that_learns_is_refused():
    options = ClusterOptions(trainer=OPTIONS)
    with pytest.raises(ValueError, match="needs a network"):
        Run(options, Settings("pns"))
    with pytest.raises(ValueError, match="Guide in place of Heads"):
        Run(options, Settings("mcts", heads=GUIDE.heads(GAME)))
    within = ClusterOptions(trainer=TrainerOptions(given=("goal=within",)))
    with pytest.raises(ValueError, match="no such head"):
        Run(within, Settings("mcts", heads=GUIDE))
    share = TrainerOptions(place="share")
    with pytest.raises(ValueError, match="needs less than 1"):
        ClusterOptions(backend="ray", worker_gpus=1.0, trainer=share)
    with pytest.raises(ValueError, match="worker_resource=TPU"):
        ClusterOptions(backend="ray", worker_resource=("TPU", 4.0), trainer=share)


def test_resources_of_the_trainer():
    given = {"backend": "ray", "worker_cpus": 2.0, "worker_gpus": 0.25}
    own = ClusterOptions(**given, trainer=OPTIONS).trainer_resources
    assert own == {"num_cpus": 2.0, "num_gpus": 1.0, "resources": None}
    shared_one = ClusterOptions(**given, trainer=TrainerOptions(place="share")).trainer_resources
    assert shared_one == {"num_cpus": 0.0, "num_gpus": 0.25, "resources": None}
    assert ClusterOptions(backend="ray").trainer_cpus == 0.0


def test_the_status_shows_the_trainer(trainers, tmp_path, monkeypatch, capsys):
    from jaxsolve.commands import cluster

    inline(monkeypatch)
    out = tmp_path / "out"
    solved(out)
    assert cluster.status(out, watch=False, as_json=False) == 0
    shown = capsys.readouterr().out
    assert "trainer: ended" in shown and "loss" in shown and "critical" in shown
    found = json.loads((out / "cluster.json").read_text())
    for broken in ({"trainer": 1}, {"trainer": found["trainer"] | {"loss": "x"}}):
        (out / "cluster.json").write_text(json.dumps(found | broken))
        with pytest.raises(Exception, match="2"):
            cluster.status(out, watch=False, as_json=False)
    assert os.listdir(out / "trainer")
