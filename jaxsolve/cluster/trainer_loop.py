"""The loop of the trainer in its own process: positions arrive, iterations leave."""

from __future__ import annotations

import dataclasses
import shutil
import threading
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NamedTuple

from jaxsolve.cluster.online_options import OnlineOptions
from jaxsolve.cluster.online_trainer import MARKER, OnlineTrainer, Solved, Update
from jaxsolve.cluster.trainer_messages import Answer, Positions, TrainerFigures
from jaxsolve.cluster.weights import Weights
from jaxsolve.games.registry import make
from jaxsolve.networks import Network

FAILED_SECONDS = 5.0  # between two attempts after an iteration that has failed
MOST_MESSAGES = 64  # that wait for the next iteration; older ones are dropped


class Start(NamedTuple):
    """What a trainer begins with. The manager sends it to its own processes."""

    network: Network  # with the latest weights that the manager knows
    rules: str  # rule-set id
    options: OnlineOptions
    seed: int
    version: int  # of the latest weights; later ones have higher numbers
    seconds: float  # wall seconds between two updates, at least
    # Where the whole state is saved and resumed from. None: a trainer that replaces this one begins
    # with the latest weights, without the positions and games of this one.
    folder: Path | None = None
    fresh: bool = False  # whether to leave out what the folder holds, and to replace it


@dataclass(eq=False)
class _Counts:
    iterations: int = 0
    games: int = 0
    steps: int = 0
    refused: int = 0
    cpu_seconds: float = 0.0
    failure: str = ""


class TrainerLoop:
    """Trains on, with the positions that have arrived.

    ``add`` may be called by another thread than ``update``.

    Raises ValueError and OSError as ``OnlineTrainer`` does.
    """

    def __init__(self, start: Start):
        self._start = start
        self._trainer = _begun(start)
        self._lock = threading.Lock()
        self._messages: list[bytes] = []
        self._counts = _Counts()
        self._due = float("-inf")  # when the next update may end (monotonic)

    def add(self, message: bytes) -> None:
        """Adds positions (``Positions.encode``) for the next iteration."""
        with self._lock:
            self._messages = [*self._messages[1 - MOST_MESSAGES :], message]

    def update(self) -> bytes:
        """Runs an iteration, saves the state, and returns the answer (``Answer.encode``).

        Waits until the time between two updates is over, before it takes the positions.
        """
        time.sleep(max(0.0, self._due - time.monotonic()))
        self._due = time.monotonic() + self._start.seconds
        self._take()
        counts, trainer = self._counts, self._trainer
        try:
            found = trainer.iterate()
        except ValueError as error:
            counts.failure = str(error)
            self._due = max(self._due, time.monotonic() + FAILED_SECONDS)
            return Answer(self._figures({}), None).encode()
        counts.failure = ""
        if self._start.folder is not None:
            try:
                trainer.save(self._start.folder)
            except OSError as error:
                counts.failure = f"the state was not saved ({error.strerror or error})"
        return self._answer(found).encode()

    def _answer(self, found: Update) -> Answer:
        counts = self._counts
        counts.iterations += 1
        counts.games += found.games
        counts.steps += found.steps
        counts.cpu_seconds += found.cpu_seconds
        weights = Weights.of(found.version, self._start.rules, found.weights)
        return Answer(self._figures(found.losses | found.played), weights)

    def _figures(self, measured: dict[str, float]) -> TrainerFigures:
        critical, solved = self._trainer.kept
        return TrainerFigures(
            critical=critical, solved=solved, measured=measured, **dataclasses.asdict(self._counts)
        )

    def _take(self) -> None:
        """Adds the positions that have arrived to the trainer."""
        with self._lock:
            messages, self._messages = self._messages, []
        for message in messages:
            try:
                found = Positions.decode(message)
            except ValueError as error:
                self._counts.failure = str(error)
                continue
            solved = [Solved(*each) for each in found.solved]
            self._counts.refused += _added(self._trainer.add_critical, found.critical)
            self._counts.refused += _added(self._trainer.add_solved, solved)

    def close(self) -> None:
        """Unlocks the folder."""
        self._trainer.close()


def _added(add: Callable[[Sequence[Any]], None], positions: Sequence[Any]) -> int:
    """Adds positions; one that is refused is left out. Returns the number of those."""
    try:
        add(positions)
    except ValueError:
        if len(positions) == 1:
            return 1
        return sum(_added(add, [each]) for each in positions)
    return 0


def _begun(start: Start) -> OnlineTrainer:
    """Returns the trainer of the folder, or a new one if it has none with these options."""
    folder, game = start.folder, make(start.rules)
    if folder is not None and not start.fresh and (folder / MARKER).exists():
        resumed = OnlineTrainer.resume(folder, start.version)
        stored = resumed.game.rule_set, resumed.options, resumed.seed
        if stored == (game.rule_set, start.options, start.seed):
            return resumed
        resumed.close()
    if folder is not None and folder.exists():
        shutil.rmtree(folder)
    trainer = OnlineTrainer(start.network, game, start.options, start.seed)
    trainer.version = start.version
    return trainer
