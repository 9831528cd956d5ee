"""The online trainer: games at critical positions, solved positions in batches, new weights."""

from __future__ import annotations

import dataclasses
import functools
import os
import shutil
import subprocess
import sys
import time
from pathlib import Path

import jax
import numpy as np
import pytest

pytest.importorskip("flax")
pytest.importorskip("orbax.checkpoint")

from jaxsolve.cluster.online_options import OnlineOptions
from jaxsolve.cluster.online_trainer import OnlineTrainer, Solved
from jaxsolve.core.run_folder import FolderError
from jaxsolve.evaluate import Evaluator
from jaxsolve.games.registry import make
from jaxsolve.networks import Forward
from jaxsolve.networks.finding import find
from jaxsolve.networks.forward import expected_cost
from jaxsolve.train.self_play import packed, unpacked
from support.compilations import compilations
from support.networks import random_network
from support.paths import ROOT
from support.search import LONG
from support.tiny_trainer import GAME, NETWORK, TINY

FINISHED = "XO./XO./X.. w"


def trainer(seed=0, **changes):
    return OnlineTrainer(NETWORK, GAME, dataclasses.replace(TINY, **changes), seed)


def after(*actions):
    """The position after moves from the start, as text."""
    state = GAME.init()
    for action in actions:
        state = GAME.step(state, np.int32(action))
    return GAME.text(state)


ALL = [(first, second) for first in range(9) for second in range(9) if first != second]
SOLVED = [Solved(after(4, 0), 0, True, 2), Solved(after(4, 1), 1, False), Solved(after(0), 1, True)]


@functools.cache
def planes_of(text):
    seen = GAME.observe(GAME.parse(text))
    return np.asarray(packed(seen[None])).tobytes()


def first_planes(online):
    """The planes of the first positions of the games of the last iteration."""
    record = online._state.record
    begins = np.asarray(record.course.ended)[:-1]
    return {row.tobytes() for row in np.asarray(record.planes)[1:][begins]}


# ---- self-play -----------------------------------------------------------------------------------
def test_games_begin_at_the_latest_critical_positions():
    online = trainer()
    for moves in (ALL[:3], ALL[10:14], ALL[20:26]):  # the last six replace all
        online.add_critical([after(*each) for each in moves])
        seen, found = set(), set()
        for _ in range(4):
            online.iterate()
            found = first_planes(online)
            seen |= found
        known = {planes_of(after(*each)) for each in ALL[:3] + ALL[10:14]}
        assert found <= {planes_of(after(*each)) for each in moves} | known
        assert len(seen) > 2
    assert found <= {planes_of(after(*each)) for each in ALL[20:26]} and len(online._critical) == 6


def test_games_begin_at_the_given_starts_without_critical_positions():
    for options, expected in (
        ({"critical": False}, [after()]),
        ({"starts": (after(0), after(1))}, [after(0), after(1)]),
        ({"critical": False, "starts": (after(2),)}, [after(2)]),
    ):
        online, seen = trainer(**options), set()
        if not online.options.critical:
            online.add_critical([after(5, 6)])
        for _ in range(2):
            online.iterate()
            seen |= first_planes(online)
        assert seen == {planes_of(text) for text in expected}


def test_a_solved_position_is_no_longer_critical():
    online = trainer(solved=False)
    online.add_critical([after(0), after(1), after(0), after(2)])
    online.add_solved([Solved(after(0), 1, True)])
    kept = {planes_of(GAME.text(state)) for state in states(online._starts())}
    assert kept == {planes_of(after(1)), planes_of(after(2))} and len(online._critical) == 2
    online.add_solved([Solved(after(1), 1, True), Solved(after(2), 1, True)])
    assert {GAME.text(state) for state in states(online._starts())} == {after()}


def states(batch):
    count = len(jax.tree.leaves(batch)[0])
    return [jax.tree.map(lambda x, i=i: x[i], batch) for i in range(count)]


# ---- solved positions ----------------------------------------------------------------------------
def test_the_buffer_of_solved_positions():
    online = trainer()
    assert online.options.solved_in_batch == 2 == online._loop.extra
    assert int(online._extra().size) == 0
    online.add_solved(SOLVED)
    extra, infinite = online._extra(), float("inf")
    assert int(extra.size) == 3 and extra.capacity == 6
    costs = np.asarray(extra.kept.ahead.cost[:3]).tolist()
    assert costs == [[0.0, infinite], [0.0, infinite], [infinite, 0.0]]
    assert np.argmax(extra.kept.policy[0]) == 2 and not extra.kept.policy[1:3].any()
    held = [row.tobytes() for row in np.asarray(extra.kept.planes[:3])]
    assert held == [planes_of(each.position) for each in SOLVED]
    online.add_solved([Solved(after(*moves), 0, True) for moves in ALL[:8]])
    held = {row.tobytes() for row in np.asarray(online._extra().kept.planes)}
    assert int(online._extra().size) == 6
    assert held == {planes_of(after(*moves)) for moves in ALL[2:8]}
    assert trainer(solved=False)._extra() is None


def costs_of(network, online):
    """Estimated costs of the winners and of the losers at the solved positions, float[n] each."""
    extra = online._extra()
    count, shape = int(extra.size), network.architecture
    planes = unpacked(extra.kept.planes[:count], (shape.height, shape.width, shape.planes))
    logits = Forward(shape).outputs(network.params, planes).cost
    cost = np.asarray(expected_cost(shape.cost, logits))
    winner = np.asarray(extra.kept.ahead.winner[:count])
    rows = np.arange(count)
    return cost[rows, winner], cost[rows, 1 - winner]


def test_the_network_learns_solved_positions():
    """Their estimated costs fall; they rise for the loser. Games alone do not have this effect."""
    with_them, without = trainer(solved_share=0.3), trainer(solved=False)
    for online in (with_them, without):
        online.add_solved(SOLVED)
        for _ in range(25):
            online.iterate()
    before, learned, games_alone = (
        costs_of(network, with_them)
        for network in (NETWORK, with_them.current(), without.current())
    )
    assert learned[0].max() < before[0].min() - 0.5
    assert learned[1].min() > before[1].max() + 1.0
    assert learned[0].mean() < games_alone[0].mean() - 1.0


def test_a_disproved_win_may_be_a_draw():
    game = make("gomoku-4;line=3;win=five-or-more;knowledge=4t")
    online = OnlineTrainer(random_network(game, "value"), game, TINY)
    text = game.text(game.step(game.init(), np.int32(5)))
    assert game.may_draw
    online.add_solved([Solved(text, 0, False)])
    assert len(online._solved) == 0
    online.add_solved([Solved(text, 0, True)])
    assert len(online._solved) == 1


# ---- weights -------------------------------------------------------------------------------------
def test_new_weights_compile_nothing_in_trainer_and_evaluator():
    online = trainer()
    evaluator = Evaluator(GAME, heads=NETWORK.heads(GAME))
    words = np.stack([GAME.host_pack(GAME.parse(after(*moves))) for moves in ALL[:8]])
    actions = np.full(8, -1, np.int32)
    rows = [evaluator(words, actions)]
    online.iterate()
    online.add_critical([after(*moves) for moves in ALL[:2]])
    with compilations() as compiled:
        for version in (2, 3):
            online.add_critical([after(*moves) for moves in ALL[3:8]])
            online.add_solved(SOLVED[: version - 1])
            update = online.iterate()
            assert update.version == version and update.steps == 4
            assert update.games > 0 and update.cpu_seconds > 0 and "loss_cost" in update.losses
            evaluator.heads = evaluator.heads.with_params(update.weights)  # in place
            other = evaluator.with_params(update.weights)
            rows.append(evaluator(words, actions))
            assert np.array_equal(other(words, actions), rows[-1])
    assert compiled == []
    assert not np.array_equal(rows[0], rows[1]) and not np.array_equal(rows[1], rows[2])
    fresh = Evaluator(GAME, heads=online.current().heads(GAME))
    with compilations() as compiled:
        assert np.array_equal(fresh(words, actions), rows[2])
    assert compiled == []
    assert online.current().name == "random-both-online-3"


def test_weights_of_another_shape_are_refused():
    evaluator = Evaluator(GAME, heads=NETWORK.heads(GAME))
    one_missing = {name: each for name, each in NETWORK.params.items() if name != "stem"}
    shorter = {**NETWORK.params, "value": jax.tree.map(lambda x: x[:1], NETWORK.params["value"])}
    whole = jax.tree.map(lambda x: x.astype(np.int32), NETWORK.params)
    for params in (one_missing, shorter, whole):
        with pytest.raises(ValueError, match="another structure, or other shapes or types"):
            evaluator.heads.with_params(params)
        with pytest.raises(ValueError, match="another structure, or other shapes or types"):
            evaluator.with_params(params)


# ---- folder --------------------------------------------------------------------------------------
def begun():
    online = trainer(seed=5)
    online.add_critical([after(*moves) for moves in ALL[:4]])
    online.iterate()
    online.add_solved(SOLVED)
    online.iterate()
    return online


def same(one, other):
    assert one.losses == other.losses and one.version == other.version
    pairs = zip(jax.tree.leaves(one.weights), jax.tree.leaves(other.weights), strict=True)
    assert all(np.array_equal(a, b) for a, b in pairs)


def test_a_trainer_resumes_from_its_folder_to_the_bit(tmp_path):
    online = begun()
    online.save(tmp_path)
    with pytest.raises(FolderError, match="is in use"):
        OnlineTrainer.resume(tmp_path)
    with pytest.raises(FolderError, match="is in use"):
        begun().save(tmp_path)
    online.close()
    again = OnlineTrainer.resume(tmp_path)
    assert again.version == 2 and again.options == TINY and again.game == GAME
    assert len(again._critical) == 4 and len(again._solved) == 3
    same(online.iterate(), again.iterate())
    again.close()
    late = OnlineTrainer.resume(tmp_path, version=9)
    assert late.iterate().version == 10
    late.close()
    with pytest.raises(FolderError, match="holds another run"):
        trainer(seed=6).save(tmp_path)


def test_a_damaged_or_interrupted_save_costs_one_checkpoint(tmp_path):
    online = begun()
    online.save(tmp_path)
    third = online.iterate()
    online.save(tmp_path)
    online.close()
    folder = tmp_path / "checkpoints"
    assert sorted(path.name for path in folder.iterdir()) == ["2", "3"]
    shutil.copytree(folder / "3", folder / "4.orbax-checkpoint-tmp-1")  # interrupted
    (tmp_path / "online.json.1-1.part").write_text("{")
    again = OnlineTrainer.resume(tmp_path)
    assert again.version == 3
    again.save(tmp_path)  # the same version under another number
    again.close()
    assert sorted(path.name for path in folder.iterdir()) == ["3", "4"]
    for file in (folder / "4").rglob("d/*"):
        file.write_bytes(file.read_bytes()[:20])
    again = OnlineTrainer.resume(tmp_path)
    assert again.version == 4  # a version 4 may have been announced
    fourth = again.iterate()
    assert fourth.version == 5 and third.version == 3
    assert fourth.losses == online.iterate().losses
    again.close()
    for file in folder.rglob("d/*"):
        file.write_bytes(b"")
    with pytest.raises(ValueError, match="is damaged"):
        OnlineTrainer.resume(tmp_path)


def test_a_trainer_that_has_not_begun_resumes_from_its_options(tmp_path):
    online = trainer(seed=3, starts=(after(0),))
    online.save(tmp_path)
    online.close()
    again = OnlineTrainer.resume(tmp_path)
    assert again.version == 0 and again._question() == online._question()
    again.close()
    (tmp_path / "network.npz").unlink()
    with pytest.raises(ValueError, match="holds no online trainer that can resume"):
        OnlineTrainer.resume(tmp_path)
    for text in ("{", "[]", '{"format": 2}'):
        (tmp_path / "online.json").write_text(text)
        with pytest.raises(ValueError, match="holds no online trainer of this version"):
            OnlineTrainer.resume(tmp_path)
    with pytest.raises(ValueError, match="holds no online trainer of this version"):
        OnlineTrainer.resume(tmp_path / "none")


# ---- refused -------------------------------------------------------------------------------------
@pytest.mark.parametrize(
    ("position", "says"),
    [
        ("X../... b", "critical position 2, 'X../... b'"),
        (FINISHED, "critical position 2, 'XO./XO./X.. w': the game is over"),
        (7, "critical position 2 is not a text"),
    ],
)
def test_bad_critical_positions_are_refused(position, says):
    online = trainer()
    with pytest.raises(ValueError, match=says):
        online.add_critical([after(0), position])
    assert len(online._critical) == 0
    online.add_critical([])


@pytest.mark.parametrize(
    ("solved", "says"),
    [
        (Solved("nonsense", 0, True), "solved position 2, 'nonsense'"),
        (Solved(FINISHED, 0, True), "the game is over"),
        (Solved(after(4), 2, True), "there is no player 2"),
        (Solved(after(4), 1, True, 4), "move 4 is illegal"),
        (Solved(after(4), 1, True, 9), "move 9 is illegal"),
        (Solved(after(4), 1, True, -1), "move -1 is illegal"),
        (Solved(after(4), 1, True, True), "move True is illegal"),
        (Solved(after(4), 0, True, 3), "the side to move loses, with a move"),
        (Solved(after(4), 1, False, 3), "the side to move loses, with a move"),
    ],
)
def test_bad_solved_positions_are_refused(solved, says):
    online = trainer()
    online.add_critical([after(0)])
    with pytest.raises(ValueError, match=says):
        online.add_solved([Solved(after(0), 0, True), solved])
    assert len(online._solved) == 0 and len(online._critical) == 1


@pytest.mark.parametrize(
    ("changes", "says"),
    [
        ({"games": 0}, "games=0: give a whole number from 1"),
        ({"batch": 2.5}, "batch=2.5: give a whole number"),
        ({"critical_positions": True}, "critical_positions=True"),
        ({"solved_share": 1.5}, "solved_share=1.5: give a number above 0, at most 1"),
        ({"solved_share": float("nan")}, "solved_share=nan"),
        ({"solved_share": 0.02}, "less than one position"),
        ({"optimizer": "best"}, "may be sgd or adam"),
        ({"learning_rate": -1.0}, "learning_rate=-1.0"),
        ({"most_moves": 11}, "are enough for games of 10 moves"),
        ({"goal": "within"}, "the network has no such head"),
        ({"branching": "all"}, "branching='all'"),
        ({"or_player": 2}, "or_player=2"),
        ({"capacity": 35}, "do not fit into a replay of 35"),
        ({"starts": ("X", after(0))}, "start position 1, 'X'"),
        ({"starts": (FINISHED,)}, "the game is over"),
    ],
)
def test_bad_options_are_refused(changes, says):
    with pytest.raises(ValueError, match=says):
        trainer(**changes)


def test_other_bad_arguments_are_refused():
    with pytest.raises(ValueError, match="does not fit"):
        OnlineTrainer(NETWORK, make("hex-4"))
    with pytest.raises(ValueError, match="names no network"):
        OnlineTrainer("", GAME)
    with pytest.raises(ValueError, match="seed=-1"):
        trainer(seed=-1)


def test_options_follow_the_training_of_the_network():
    """A shipped network has its own goal, or-player, longest game and count of moves."""
    online = OnlineTrainer("hex6", make("hex-6"))
    settings = online.options.settings(online.network, online.game)
    assert settings.targets.goal == "cost" and settings.game.most_moves == 36
    assert settings.targets.branching == "heuristic"
    assert OnlineOptions(goal="value").settings(online.network, online.game).targets.goal == "value"
    unknown = dataclasses.replace(online.network, about={})
    assert online.options.settings(unknown, online.game).game.most_moves == 72
    network, game = find("killallgo7-pcn"), make("killallgo-7")  # learned as White
    for given, used in ((OnlineOptions(), 1), (OnlineOptions(or_player=0), 0)):
        assert given.settings(network, game).targets.or_player == used
    unknown = dataclasses.replace(network, about={})
    assert OnlineOptions().settings(unknown, game).targets.or_player is None


# ---- kill -9 -------------------------------------------------------------------------------------
SAVING = """
import sys
from pathlib import Path
from test_online_trainer import OnlineTrainer, trainer

folder = Path(sys.argv[1])
online = OnlineTrainer.resume(folder) if (folder / "online.json").exists() else trainer()
while True:
    online.iterate()
    online.save(folder)
    print(online.version, flush=True)
"""


@pytest.mark.full
def test_a_killed_trainer_loses_no_saved_version(tmp_path):
    """Killed at random moments, most of them inside ``save``."""
    rng, last = np.random.default_rng(), 0
    folders = [str(Path(__file__).parent), str(ROOT), str(ROOT / "tests"), *sys.path]
    environment = os.environ | {"PYTHONPATH": os.pathsep.join(folders)}
    for _ in range(10 if LONG else 1):
        command = [sys.executable, "-c", SAVING, str(tmp_path)]
        with subprocess.Popen(command, stdout=subprocess.PIPE, env=environment) as process:
            assert process.stdout is not None
            for _ in range(rng.integers(1, 6)):
                version = int(process.stdout.readline())
                assert version > last
                last = version
            time.sleep(rng.uniform(0.0, 0.2))
            process.kill()
        online = OnlineTrainer.resume(tmp_path)
        assert last <= online.version
        last = online.version
        online.close()
    assert online.iterate().version == last + 1
