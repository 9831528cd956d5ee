"""Renewal of the network's weights during a run: the manager's side of the trainer.

The manager sends critical and solved positions, and takes over new weights ("Game Solving with
Online Fine-Tuning", Wu et al. 2023, Section 3.2). The search never waits for the trainer. A trainer
that ends, or whose answer is refused, is started again; its versions only rise. Proofs do not
depend on weights.

The folder of a trainer, ``trainer/NAME`` in the folder of the run:

networks/N.npz      the latest weights, version N (``networks.Network``); one older version
state/              the whole state of the trainer (``online_trainer``), if it runs on this machine
tb/                 curves for TensorBoard
"""

from __future__ import annotations

import contextlib
import dataclasses
import hashlib
import itertools
import re
import time
from collections import deque
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any, Generic, TypeVar

import numpy as np

from jaxsolve.cluster.backend import TrainerBackend, TrainerLost
from jaxsolve.cluster.leaves import PositionTexts
from jaxsolve.cluster.trainer_messages import (
    MOST_BYTES,
    Answer,
    Positions,
    SolvedPosition,
    TrainerFigures,
    limited,
)
from jaxsolve.cluster.trainer_options import TrainerOptions
from jaxsolve.cluster.weights import MOST_VERSIONS, Weights
from jaxsolve.core.run_folder import write_atomically
from jaxsolve.core.strict_json import shortened
from jaxsolve.games.game import Game
from jaxsolve.games.zones import is_cover
from jaxsolve.networks import Network
from jaxsolve.question import Claim

MOST = 1000  # positions of each kind that are kept for the trainer, the latest ones (the paper's)
PER_PROOF = 32  # positions of a proof that are sent as solved, those next to its root
AT_ONCE = 256  # positions of each kind in a message, at most; texts take time
SEND_SECONDS = 1.0  # between two messages of positions, at least
# Versions that a trainer may be ahead of the manager. A later one would leave no others.
MOST_AHEAD = 1 << 20
WAITS = (0.0, 2.0, 6.0, 14.0, 30.0)
"""Seconds before the next trainer, after so many that have ended in a row without new weights.

After the last of them the run does without a trainer.
"""

NETWORKS, STATE, EVENTS = "networks", "state", "tb"
KEPT = 2  # files of networks

Item = TypeVar("Item")


class _Unsent(Generic[Item]):
    """The latest items, and which of them are to be sent."""

    def __init__(self, most: int):
        self._kept, self.count = deque[Item](maxlen=most), 0  # count: not sent, the last ones

    def add(self, items: Sequence[Item]) -> None:
        self._kept.extend(items)
        self.count = min(self.count + len(items), len(self._kept))

    def first(self, most: int) -> list[Item]:
        """Returns up to ``most`` items that are to be sent, oldest first."""
        begin = len(self._kept) - self.count
        return list(itertools.islice(self._kept, begin, begin + most))

    def mark_all(self) -> None:
        """Marks all items as to be sent."""
        self.count = len(self._kept)


class Renewal:
    """The trainer of a run, and the latest weights.

    Args:
      network: the network that the search begins with.
      game: rules of the search.
      options: options of the trainer.
      make: starts a trainer. Called with a ``trainer_loop.Start``.
      seed: random seed, below 2^32.
      folder: folder of the trainer; None: nothing is saved.
      clock: seconds, monotonic.

    Attributes:
      version: number of the latest weights; 0: those of ``network``. It never falls.
      params: the latest weights.
    """

    def __init__(
        self,
        network: Network,
        game: Game,
        options: TrainerOptions,
        make: Callable[[Any], TrainerBackend],
        seed: int = 0,
        folder: Path | None = None,
        clock: Callable[[], float] = time.monotonic,
    ):
        self.game, self.options = game, options
        self._network, self._make, self._seed, self._clock = network, make, seed, clock
        self._online = options.online()
        options.check(network, game)
        self._folder = folder
        self.backend: TrainerBackend | None = None
        self.version, self.params = _restored(folder, network)
        self.restarts = 0
        self.why = ""  # why the last trainer ended, or what its last iteration lacked
        self.failed = False  # whether no further trainer is started
        self._fruitless = 0  # trainers in a row that ended without weights
        self._next_start = self._sent = float("-inf")  # when; ``_sent``: the last positions
        self._figures, self._earlier = TrainerFigures(), TrainerFigures()
        self._critical = _Unsent[np.ndarray](MOST)
        self._solved = _Unsent[tuple[np.ndarray, SolvedPosition]](MOST)
        self._texts = PositionTexts(game)
        self._events: Any = None

    # ---- positions -------------------------------------------------------------------------------
    def add_critical(self, state: np.ndarray) -> None:
        """Adds a critical position: an unsolved leaf of a selection path, uint32[S] packed."""
        self._critical.add([np.array(state, np.uint32)])

    def add_solved(
        self, claim: Claim, *, proved: bool, states: np.ndarray, moves: np.ndarray
    ) -> None:
        """Adds positions of a proof, children before parents.

        Args:
          claim: the claim that the proof decides.
          proved: whether the claim is proved; else it is disproved.
          states: uint32[n, S], packed positions.
          moves: int32[n], the move fields of records (``proof/log.py``): a winning move of the side
            to move; negative: it does not win; or a reference to a covered position, then no move
            is known.
        """
        moves = np.where(is_cover(moves), -1, moves)
        player, wins = claim.player, proved
        if claim.result == "does-not-lose":  # its opposite is a win of the opponent
            player, wins = 1 - player, not proved
        self._solved.add(
            [
                (np.array(state, np.uint32), SolvedPosition("", player, wins, move))
                for state, move in zip(
                    states[-PER_PROOF:],
                    (move if move >= 0 else None for move in moves[-PER_PROOF:].tolist()),
                    strict=True,
                )
            ]
        )

    def _positions(self) -> Positions:
        """Returns the positions for the next message, oldest first, and counts them as sent."""
        critical, solved = self._critical.first(AT_ONCE), self._solved.first(AT_ONCE)
        texts = [self._texts.text(each) for each in critical]
        named = [self._texts.text(state) for state, _ in solved]
        fits, also = limited(texts, MOST_BYTES // 2), limited(named, MOST_BYTES // 2)
        self._critical.count -= fits
        self._solved.count -= also
        return Positions(
            [text for text in texts[:fits] if text is not None],
            [
                each._replace(position=text)
                for text, (_, each) in zip(named[:also], solved[:also], strict=True)
                if text is not None
            ],
        )

    # ---- the trainer -----------------------------------------------------------------------------
    def poll(self) -> Weights | None:
        """Exchanges messages with the trainer, and starts one if there is none; never waits.

        Returns the latest weights if there are new ones.
        """
        weights: Weights | None = None
        try:
            if self.backend is None:
                self._start()
            if self.backend is not None:
                for message in self.backend.receive():
                    weights = self._accepted(message) or weights
                self._send(self.backend)
        except (TrainerLost, OSError) as error:
            self._lose(str(error))
        except ValueError as error:
            self._lose(f"its answer was refused: {error}")
        if weights is not None:
            self._save()
        return weights

    def _start(self) -> None:
        if self.failed or self._clock() < self._next_start:
            return
        from jaxsolve.cluster.trainer_loop import Start  # imports what learns

        self.backend = self._make(
            Start(
                dataclasses.replace(self._network, params=self.params),
                self.game.rule_set,
                self._online,
                self._seed,
                self.version,
                self.options.seconds,
                None if self._folder is None else self._folder / STATE,
                fresh=self._fruitless > 1,
            )
        )

    def _send(self, backend: TrainerBackend) -> None:
        now, waiting = self._clock(), self._critical.count + self._solved.count
        if waiting and now - self._sent >= SEND_SECONDS and backend.ready():
            self._sent = now
            backend.send(self._positions().encode())

    def _lose(self, why: str) -> None:
        """Ends the trainer. Another one is started after a while, later after each failure."""
        self.close()
        self.why = _shown(why)
        self.restarts += 1
        self._fruitless += 1
        self.failed = self._fruitless >= len(WAITS)
        self._next_start = self._clock() + WAITS[self._fruitless - 1]
        self._earlier, self._figures = self._total(), TrainerFigures()
        self._critical.mark_all()
        self._solved.mark_all()

    def _accepted(self, message: bytes) -> Weights | None:
        """Takes over an answer. Returns its weights. Raises ValueError if it is refused."""
        answer = Answer.decode(message)
        self._figures, self.why = answer.figures, _shown(answer.figures.failure)
        weights = answer.weights
        if weights is None:
            return None
        ahead = weights.version - self.version
        if weights.rules != self.game.rule_set or not 0 < ahead <= MOST_AHEAD:
            raise ValueError(
                f"weights of version {weights.version} for {shortened(weights.rules)};"
                f" the latest are of version {self.version} for {self.game.rule_set}"
            )
        self.params = weights.params(self._network.params)
        self.version, self._fruitless = weights.version, 0
        self._add_events()
        return weights

    def close(self) -> None:
        """Ends the trainer."""
        if self.backend is not None:
            self.backend.close()
            self.backend = None
        if self._events is not None:
            with contextlib.suppress(OSError):
                self._events.close()
            self._events = None

    # ---- figures and files -----------------------------------------------------------------------
    def _total(self) -> TrainerFigures:
        """Returns the figures of all trainers of this run."""
        names = ("iterations", "games", "steps", "refused", "cpu_seconds")
        added = {n: getattr(self._earlier, n) + getattr(self._figures, n) for n in names}
        latest = self._figures if self._figures.iterations else self._earlier
        return dataclasses.replace(latest, failure=self._figures.failure, **added)

    def as_json(self) -> dict[str, Any]:
        """Returns the state of the trainer as JSON values."""
        total, running = self._total(), self.backend is not None
        started = "running" if self._figures.iterations else "starting"
        return {
            "state": "failed" if self.failed else started if running else "ended",
            "version": self.version,
            "iterations": total.iterations,
            "games": total.games,
            "steps": total.steps,
            "loss": total.measured.get("loss_total"),
            "critical": total.critical,
            "solved": total.solved,
            "refused": total.refused,
            "restarts": self.restarts,
            "cpu_seconds": round(total.cpu_seconds, 3),
            "why": self.why,
        }

    def _save(self) -> None:
        """Writes the weights. On a full disk the run goes on without them."""
        if self._folder is None:
            return
        network = dataclasses.replace(
            self._network,
            name=f"{shortened(self._network.name, 300)}-online-{self.version}",
            params=self.params,
            about=self._network.about | {"online": {"version": self.version}},
        )
        try:
            folder = self._folder / NETWORKS
            folder.mkdir(parents=True, exist_ok=True)
            write_atomically(folder / f"{self.version:010}.npz", network.to_bytes())
            for _, old in _versions(folder)[:-KEPT]:
                old.unlink()
        except OSError as error:
            self.why = f"the weights were not saved ({error.strerror or error})"

    def _add_events(self) -> None:
        """Writes the curves of an iteration; on a full disk they have a gap."""
        if self._folder is None:
            return
        from jaxsolve.train.tensorboard import EventWriter  # imports what learns

        total = self._total()
        counts = {name: float(getattr(total, name)) for name in ("critical", "solved", "games")}
        seconds = {"cpu_seconds": total.cpu_seconds}
        try:
            if self._events is None:
                self._events = EventWriter(self._folder / EVENTS, self.version)
            self._events.add(self.version, total.measured | counts | seconds, time.time())
        except OSError as error:
            self.why = f"the curves were not saved ({error.strerror or error})"


def _shown(text: str) -> str:
    """Returns what a trainer says, short, and as characters that files and terminals can take."""
    return shortened("".join(each if each.isprintable() else " " for each in text), 300)


def folder_name(game: Game, network: Network) -> str:
    """Returns the name of the folder of a trainer: the game, and a digest of rules and network."""
    from jaxsolve.networks.identity import digest_of

    text = f"{game.rule_set}\n{digest_of(network.params)}"
    digest = hashlib.sha256(text.encode()).hexdigest()[:8]
    return f"{game.rule_set.split(';')[0]}-{digest}"


def _restored(folder: Path | None, network: Network) -> tuple[int, Any]:
    """Returns the latest version in a folder, and its weights; those of ``network`` without one.

    A damaged file is left out. Its version counts, since a worker may have seen it.
    """
    files = [] if folder is None else _versions(folder / NETWORKS)
    latest = files[-1][0] if files else 0
    for _, file in reversed(files):
        with contextlib.suppress(ValueError, OSError):
            found = Network.load(file)
            if found.architecture == network.architecture:
                return latest, found.params
    return latest, network.params


def _versions(folder: Path) -> list[tuple[int, Path]]:
    """Returns the versions of the weights in a folder, in order. Other files are the user's."""
    named = [each for each in folder.glob("*.npz") if re.fullmatch("[0-9]{10}", each.stem)]
    found = sorted((int(each.stem), each) for each in named)
    return [(version, file) for version, file in found if version < MOST_VERSIONS]
