"""A run of training in its folder: settings, metrics, checkpoints and networks; it goes on where it was, however it ended.

training.json       what its numbers depend on; a run with other settings is refused
config.yaml         its settings, every one
metrics.jsonl       a line for each iteration
tb/                 the same for tensorboard
checkpoints/N/      all that the run goes on from after iteration N; the latest ones
networks/N.npz      the network after iteration N, for --network; all of them
"""

from __future__ import annotations

import contextlib
import functools
import hashlib
import json
import math
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import jax
import numpy as np

from jaxsolve.core import process
from jaxsolve.core.run_folder import FolderError, RunFolder, write_atomically
from jaxsolve.formats import problems
from jaxsolve.networks import Network
from jaxsolve.train import build, checkpoints, devices
from jaxsolve.train.config import Settings
from jaxsolve.train.loop import Loop, NoGames, TrainingState
from jaxsolve.train.metrics import CONFIG, COUNTED, MARKER, METRICS, Measured, metrics
from jaxsolve.train.tensorboard import Board


class Run:
    """One run in its folder, ``settings.out``, which it holds until ``release``.

    Args:
      settings: what is trained, and how.
      config: the settings as YAML, kept in the folder for a person.

    Raises ValueError, in one sentence, for settings that cannot be, FolderError for a folder that is in use or holds something else, OSError.
    """

    def __init__(self, settings: Settings, config: str = ""):
        self.settings, self.path = settings, Path(settings.out)
        if settings.distributed:
            devices.join()
        train = settings.train
        for name in ("iterations", "checkpoint_every", "keep"):
            if getattr(train, name) < 1:
                raise ValueError(
                    f"train.{name}={getattr(train, name)}: give a whole number from 1 on"
                )
        if train.hours is not None and not 0 < train.hours < float("inf"):
            raise ValueError(f"train.hours={train.hours}: give a number of hours above 0, or null")
        self.loop: Loop = build.loop(settings, devices.mesh())
        self._starts = build.starts(settings.game.starts, self.loop.learner.game)
        self._first = (
            None
            if train.learn_on is None
            else build.first_params(train.learn_on, self.loop.learner)
        )
        self._folder = self._claimed(config)
        self.iteration, self._sums = self._resumed()
        self._saved = self.iteration

    @functools.cached_property
    def _state(self) -> TrainingState:
        """The latest checkpoint's, or a new run's; read or made when first needed: a run that is refused, or at its end, computes nothing."""
        if not self.iteration:
            return self.loop.begin(self.settings.train.seed, self._starts, self._first)
        return checkpoints.load(
            self.path / "checkpoints", self.iteration, self.loop.like(self._starts)
        )

    def train(self, told: Callable[[Measured], None] = lambda measured: None) -> Iterator[Path]:
        """Runs to the end of the settings' iterations or hours, and gives each checkpoint's network file as it is written.

        ``told`` gets every iteration's numbers. An interruption (KeyboardInterrupt), and the BrokenPipeError of ``told``, come out
        after a checkpoint of the last whole iteration.
        """
        train, began = self.settings.train, time.monotonic()
        if self.iteration >= train.iterations:
            return
        process.clear_interrupts()  # whatever came before was not for this
        self._state  # noqa: B018  a checkpoint that cannot be read is refused before anything is written
        with contextlib.closing(
            _Written(self.path, self.iteration) if devices.first() else _Nowhere()
        ) as written:
            try:
                while self.iteration < train.iterations:
                    ahead = self._iterated()
                    process.raise_lost_interrupt()
                    with (
                        process.defer_interrupts()
                    ):  # a state without its line, or the other way round, would be another run
                        measured = self._take(*ahead)
                        written.add(measured)
                    told(measured)
                    over = devices.agreed(
                        train.hours is not None and time.monotonic() - began > 3600 * train.hours
                    )
                    if (
                        self.iteration % train.checkpoint_every == 0
                        or self.iteration == train.iterations
                        or over
                    ):
                        yield self.save()
                    if over:
                        return
            except (KeyboardInterrupt, BrokenPipeError):  # Ctrl-C, or nobody listens any more
                process.clear_interrupts()
                if (
                    self._saved < self.iteration and jax.process_count() == 1
                ):  # several processes are never at the same place
                    self.save()
                raise

    def save(self) -> Path:
        """Writes a checkpoint and the network, and returns the network's file. An interruption waits until both are whole. Raises OSError."""
        network = self.network()  # all processes take part
        file = self._network_file(self.iteration)
        with process.defer_interrupts():
            if devices.first() and not file.exists():
                network.save(file)
            checkpoints.save(
                self.path / "checkpoints", self.iteration, self._state, self.settings.train.keep
            )
            self._saved = self.iteration
        return file

    def network(self) -> Network:
        """The network as it is now, with how it came to be."""
        game, learner = self.loop.learner.game, self.loop.learner
        params = jax.tree.map(devices.fetch, learner.params(self._state.learner))
        about = {
            "settings": self.settings.question(),
            "iterations": self.iteration,
            **{name: round(self._sums[name]) for name in COUNTED},
        }
        return Network(
            f"{self.settings.name}-{self.iteration}",
            learner.architecture,
            params,
            game.rule_set,
            about,
        )

    def release(self) -> None:
        """Lets another run into the folder."""
        if self._folder is not None:
            self._folder.release()

    # ---- inside ----------------------------------------------------------------------------------------------------
    def _network_file(self, iteration: int) -> Path:
        return self.path / "networks" / f"{iteration:06}.npz"

    def _claimed(self, config: str) -> RunFolder | None:
        """The folder, for the process that writes. Raises FolderError in all processes if it is refused."""
        folder, refused = None, None
        if devices.first():
            question = self.settings.question()
            if (
                file := self.settings.game.starts
            ) is not None:  # other positions in the file are another run
                question["game"]["starts"] = hashlib.sha256(
                    problems.find(file).read_bytes()
                ).hexdigest()
            if self._first is not None:  # and so are other weights to begin with
                question["train"]["learn_on"] = hashlib.sha256(
                    b"".join(leaf.tobytes() for leaf in jax.tree.leaves(self._first))
                ).hexdigest()
            try:
                folder = RunFolder(self.path, MARKER, {"settings": question}, resume=True)
                write_atomically(self.path / CONFIG, config)
            except (FolderError, OSError) as error:
                refused = error
        if devices.agreed(refused is not None):
            raise refused or FolderError(f"{self.path}: the run's first process cannot use it")
        return folder

    def _resumed(self) -> tuple[int, dict[str, float]]:
        """The iteration of the latest checkpoint, 0 if there is none, and the sums up to it."""
        found = checkpoints.steps(self.path / "checkpoints")
        step = devices.agreed(found[-1] if found else 0)
        if not step:
            return 0, dict.fromkeys(COUNTED, 0.0)
        last = [line for line in metrics(self.path) if line["iteration"] == step]
        if not last and not self._network_file(step).exists():
            raise ValueError(
                f"{self.path}: checkpoints/{step} is none of this run's: there are neither its numbers nor its network; take it away"
            )
        held = (
            last[0] if last else Network.load(self._network_file(step)).about
        )  # it was killed between the checkpoint and its line
        return step, {name: held[name] for name in COUNTED}

    def _iterated(self) -> tuple[TrainingState, Measured, dict[str, float]]:
        """The state after another iteration, what was measured in it, and the sums up to its end. Nothing of the run changes yet."""
        cpu, clock = process.cpu_seconds(), time.monotonic()
        try:
            state, found = self.loop.iterate(self._state, self._starts)
        except NoGames:
            raise ValueError(
                f"{self.path}: no game has come to an end within game.most_moves={self.settings.game.most_moves} moves, so that there is nothing to "
                "learn from; give more"
            ) from None
        numbers = {
            name: np.asarray(value).item() for name, value in found.items()
        }  # waits for the device
        for name, value in numbers.items():
            if not math.isfinite(value):
                raise ValueError(
                    f"{self.path}: in iteration {self.iteration + 1} {name} is {value}; the run stays at its last checkpoint; begin another with "
                    "a lower train.learning_rate"
                )
        play = self.loop.play
        evaluations = play.steps * self.loop.games * (play.search.simulations + 1)
        sums, now = (
            self._sums,
            (
                numbers["games"],
                numbers["examples"],
                evaluations,
                process.cpu_seconds() - cpu,
                time.monotonic() - clock,
            ),
        )
        return (
            state,
            numbers,
            {name: sums[name] + more for name, more in zip(COUNTED, now, strict=True)},
        )

    def _take(self, state: TrainingState, numbers: Measured, sums: dict[str, float]) -> Measured:
        """Goes on to that state; the iteration's line."""
        self._state, self.iteration, self._sums = state, self.iteration + 1, sums
        return {
            "iteration": self.iteration,
            **numbers,
            **{name: round(value, 3) for name, value in sums.items()},
        }


class _Written:
    """metrics.jsonl and tb/, from an iteration on: what was written of later ones is gone, for the run goes on from its checkpoint."""

    def __init__(self, folder: Path, iteration: int):
        kept = [line for line in metrics(folder) if line["iteration"] <= iteration]
        write_atomically(folder / METRICS, "".join(json.dumps(line) + "\n" for line in kept))
        self._lines = (folder / METRICS).open("a", encoding="utf-8")
        self._board = Board(folder / "tb", iteration + 1)

    def add(self, measured: Measured) -> None:
        self._lines.write(json.dumps(measured) + "\n")
        self._lines.flush()
        self._board.add(
            measured["iteration"],
            {name: value for name, value in measured.items() if name != "iteration"},
            time.time(),
        )

    def close(self) -> None:
        try:
            self._lines.close()
        finally:
            self._board.close()


class _Nowhere:
    """What the other processes write to."""

    def add(self, measured: Measured) -> None: ...

    def close(self) -> None: ...
