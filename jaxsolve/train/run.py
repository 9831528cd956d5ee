"""A training run in its folder. A run that ended in any way resumes from its latest checkpoint.

training.json       the settings that results depend on; a run with other settings is refused
config.yaml         all settings
metrics.jsonl       one line for each iteration
tb/                 the same metrics for TensorBoard
checkpoints/N/      the whole state after iteration N; the latest ones are kept
networks/N.npz      the network after iteration N, for the option --network; all are kept
"""

from __future__ import annotations

import contextlib
import functools
import hashlib
import math
import time
from collections.abc import Callable, Iterator
from typing import Any

import jax
import numpy as np

from jaxsolve.core import process
from jaxsolve.core.run_folder import FolderError, RunFolder
from jaxsolve.formats import problems
from jaxsolve.networks import Architecture, Network
from jaxsolve.train import build, checkpoints, devices, preemption
from jaxsolve.train import folder as folders
from jaxsolve.train.config import Settings
from jaxsolve.train.folder import Folder, RemoteFolder
from jaxsolve.train.loop import Loop, NoGames, TrainingState
from jaxsolve.train.metrics import CONFIG, COUNTED, MARKER, Measured, metrics
from jaxsolve.train.recorder import NoRecorder, Recorder, recorder


class Run:
    """A training run in the folder ``settings.out``. The folder is locked until ``release``.

    Args:
      settings: settings of the run.
      config: the settings as YAML, stored in the folder for the user.

    Attributes:
      architecture: the network's architecture.
      iteration: the latest completed iteration.
      saved: the iteration of the latest checkpoint, from which the next start continues.
      redone: (first, last) of the iterations that an earlier process recorded but did not save in a
        checkpoint. This run computes them again. None: there are no such iterations.

    Raises ValueError, with a message of one sentence, for invalid settings; FolderError for a
    folder that is in use or has other contents; OSError.
    """

    def __init__(self, settings: Settings, config: str = ""):
        if settings.distributed:
            devices.join()
        self.settings, self.path = settings, folders.path_of(settings.out)
        _refuse(settings)
        self.loop: Loop = build.loop(settings, devices.mesh())
        learner = self.loop.learner
        assert isinstance(learner.architecture, Architecture)  # settings cannot describe a Model
        self.architecture = learner.architecture
        self._starts = build.starts(settings.game.starts, learner.game)
        learn_on = settings.train.learn_on
        self._first = None if learn_on is None else build.first_params(learn_on, learner)
        self._folder = self._claimed(config)
        self._recorder: Recorder = NoRecorder()
        self.iteration, self._sums = self._resumed()
        self.saved = self.iteration
        self.redone = self._unsaved_lines()

    @functools.cached_property
    def _state(self) -> TrainingState:
        """The current state. Initially the state at the latest checkpoint, or at the start.

        The initial state is loaded or computed on first use. A run that is refused or already
        complete therefore computes nothing.
        """
        if not self.iteration:
            return self.loop.begin(self.settings.train.seed, self._starts, self._first)
        return checkpoints.load(
            self.path / "checkpoints", self.iteration, self.loop.like(self._starts)
        )

    def train(
        self, progress: Callable[[Measured], None] = lambda measured: None
    ) -> Iterator[Folder]:
        """Runs until the iterations or hours of the settings are over.

        Yields the path of the network's file after each checkpoint. ``progress`` is called with the
        metrics of every iteration.

        After KeyboardInterrupt, or a BrokenPipeError of ``progress``, a single process saves the
        last complete iteration and raises the exception again. If one of several processes receives
        SIGTERM, all processes save the same iteration and raise KeyboardInterrupt
        (``preemption.preempted``).
        """
        train, began = self.settings.train, time.monotonic()
        if self.iteration >= train.iterations:
            return
        process.clear_interrupts()  # interrupts before this run do not concern it
        self._state  # noqa: B018  raises for an unreadable checkpoint before anything is written
        self._recorder = recorder(self.path, self.iteration)
        with contextlib.closing(self._recorder):
            try:
                while self.iteration < train.iterations:
                    ahead = self._iterated()
                    process.raise_lost_interrupt()
                    # The state and its line of metrics must change together.
                    with process.defer_interrupts():
                        measured = self._advance(*ahead)
                        self._recorder.add(measured)
                    _report(progress, measured)
                    hours = (
                        train.hours is not None and time.monotonic() - began > 3600 * train.hours
                    )
                    over = bool(devices.broadcast(hours))
                    preempted = preemption.preempted(self.iteration)
                    last = self.iteration == train.iterations
                    if self.iteration % train.checkpoint_every == 0 or last or over or preempted:
                        yield self.save()
                    if preempted and not last:
                        raise KeyboardInterrupt
                    if over:
                        return
            except (KeyboardInterrupt, BrokenPipeError):
                process.clear_interrupts()
                # Several processes can save only at a common iteration.
                if self.saved < self.iteration and jax.process_count() == 1:
                    self.save()
                raise

    def save(self) -> Folder:
        """Writes a checkpoint and the network. Returns the path of the network's file.

        Interrupts are deferred until both are written. Raises FolderError if another run has
        claimed a remote folder; OSError.
        """
        network = self.network()
        file = self._network_file(self.iteration)
        self._check_claim()
        with process.defer_interrupts():
            if devices.is_first() and not file.exists():
                folders.save_network(network, file)
            self._recorder.flush()
            checkpoints.save(
                self.path / "checkpoints", self.iteration, self._state, self.settings.train.keep
            )
            self.saved = self.iteration
        return file

    def network(self) -> Network:
        """Returns the current network with a description of its training."""
        about = {
            "settings": self.settings.question(),
            "iterations": self.iteration,
            **{name: round(self._sums[name]) for name in COUNTED},
        }
        return Network(
            f"{self.settings.name}-{self.iteration}",
            self.architecture,
            jax.tree.map(np.asarray, self.loop.params(self._state)),
            self.loop.learner.game.rule_set,
            about,
        )

    def release(self) -> None:
        """Unlocks the folder."""
        if self._folder is not None:
            self._folder.release()

    # ---- inside ----------------------------------------------------------------------------------
    def _network_file(self, iteration: int) -> Folder:
        return self.path / "networks" / f"{iteration:06}.npz"

    def _claimed(self, config: str) -> RunFolder | RemoteFolder | None:
        """Claims the folder.

        Returns the folder in the first process, and None in the others. If the folder cannot be
        claimed, all processes raise FolderError or OSError.
        """
        claimed, refused = None, None
        if devices.is_first():
            try:
                claimed = folders.claim(
                    self.path, MARKER, {"settings": question(self.settings, self._first)}
                )
                folders.write(self.path / CONFIG, config)
            except (FolderError, OSError) as error:
                refused = error
        if devices.broadcast(refused is not None):
            raise refused or FolderError(f"{self.path}: the run's first process cannot use it")
        return claimed

    def _check_claim(self) -> None:
        """Raises FolderError in all processes if another run has claimed a remote folder."""
        refused = None
        if isinstance(self._folder, RemoteFolder):
            try:
                self._folder.check()
            except FolderError as error:
                refused = error
        if folders.is_remote(self.path) and devices.broadcast(refused is not None):
            raise refused or FolderError(f"{self.path}: another run has claimed the folder")

    def _resumed(self) -> tuple[int, dict[str, float]]:
        """Returns the iteration of the latest checkpoint and the sums (``COUNTED``) up to it.

        Without a checkpoint they are 0. Raises ValueError if the checkpoint is not of this run.
        """
        found = checkpoints.steps(self.path / "checkpoints")
        step = devices.broadcast(found[-1] if found else 0)
        if not step:
            return 0, dict.fromkeys(COUNTED, 0.0)
        last = [line for line in metrics(self.path) if line["iteration"] == step]
        file = self._network_file(step)
        if not last and not file.exists():
            raise ValueError(
                f"{self.path}: checkpoints/{step} is not of this run: there are neither its "
                "metrics nor its network; remove it"
            )
        # A crash of the machine can lose the line of metrics. The network's file has the same sums.
        held = last[0] if last else Network.load(file).about
        return step, {name: held[name] for name in COUNTED}

    def _unsaved_lines(self) -> tuple[int, int] | None:
        if not devices.is_first():
            return None
        lines = [int(line["iteration"]) for line in metrics(self.path)]
        beyond = [iteration for iteration in lines if iteration > self.iteration]
        return (min(beyond), max(beyond)) if beyond else None

    def _iterated(self) -> tuple[TrainingState, Measured, dict[str, float]]:
        """Computes the next iteration without changing this object.

        Returns the next state, the iteration's metrics, and the sums (``COUNTED``) up to it. Raises
        ValueError if no game has ended or a metric is not finite.
        """
        cpu, clock = process.cpu_seconds(), time.monotonic()
        try:
            state, found = self.loop.iterate(self._state, self._starts)
        except NoGames:
            raise ValueError(
                f"{self.path}: no game ended within game.most_moves="
                f"{self.settings.game.most_moves} moves, so there is nothing to learn from; "
                "give more"
            ) from None
        # Waits for the device.
        numbers = {name: np.asarray(value).item() for name, value in found.items()}
        for name, value in numbers.items():
            if not math.isfinite(value):
                raise ValueError(
                    f"{self.path}: in iteration {self.iteration + 1} {name} is {value}; the run "
                    "stays at its last checkpoint; begin another with a lower "
                    "train.learning_rate"
                )
        play = self.loop.play
        added = (
            numbers["games"],
            numbers["examples"],
            play.steps * self.loop.games * (play.search.simulations + 1),
            process.cpu_seconds() - cpu,
            time.monotonic() - clock,
        )
        sums = {name: self._sums[name] + more for name, more in zip(COUNTED, added, strict=True)}
        return state, numbers, sums

    def _advance(self, state: TrainingState, numbers: Measured, sums: dict[str, float]) -> Measured:
        """Replaces the current state by ``state``. Returns the line of metrics of its iteration."""
        self._state, self.iteration, self._sums = state, self.iteration + 1, sums
        totals = {name: round(value, 3) for name, value in sums.items()}
        return {"iteration": self.iteration, **numbers, **totals}


def _refuse(settings: Settings) -> None:
    """Raises ValueError for invalid settings of the run's length or of checkpoints."""
    train = settings.train
    for name in ("iterations", "checkpoint_every", "keep"):
        if getattr(train, name) < 1:
            raise ValueError(f"train.{name}={getattr(train, name)}: give a whole number from 1 on")
    if train.hours is not None and not 0 < train.hours < float("inf"):
        raise ValueError(f"train.hours={train.hours}: give a number of hours above 0, or null")


def _report(progress: Callable[[Measured], None], measured: Measured) -> None:
    """Calls ``progress`` and handles a BrokenPipeError, raised when the reader of a pipe has ended.

    A single process raises the error again. With several processes no process can end alone, so
    this process requests a stop of all.
    """
    try:
        progress(measured)
    except BrokenPipeError:
        if not jax.distributed.is_initialized():
            raise
        preemption.request_stop()


def question(settings: Settings, first: Any = None) -> dict[str, Any]:
    """Returns the settings that results depend on, as the marker of a run's folder stores them.

    Names of files are replaced by digests of their contents. ``first`` are the initial parameters
    that ``learn_on`` names.
    """
    found = settings.question()
    if (file := settings.game.starts) is not None:
        found["game"]["starts"] = hashlib.sha256(problems.find(file).read_bytes()).hexdigest()
    if first is not None:
        weights = b"".join(leaf.tobytes() for leaf in jax.tree.leaves(first))
        found["train"]["learn_on"] = hashlib.sha256(weights).hexdigest()
    return found
