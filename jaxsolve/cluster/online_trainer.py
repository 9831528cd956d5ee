"""The online trainer: refines a network for the positions that a search is at.

It is the self-play and the learner of ``train``, with two changes (Wu et al. 2023, "Game Solving
with Online Fine-Tuning", Section 3.2): games begin at *critical* positions, the unsolved leaves of
the search's latest paths, and a share of every batch are *solved* positions. The search keeps
running, and takes over each new set of weights (``Evaluator.with_params``).

The folder of a trainer:

online.json         rules, options, seed and digest of the first network; of one trainer only
network.npz         the first network
checkpoints/N/      the whole state; N rises with every ``save``, and is at least the version
"""

from __future__ import annotations

import dataclasses
import functools
import math
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Self

import jax
import jax.numpy as jnp
import numpy as np

from jaxsolve.cluster.online_options import OnlineOptions
from jaxsolve.cluster.received_positions import Latest, received
from jaxsolve.core import process, strict_json
from jaxsolve.core.run_folder import FolderError, RunFolder
from jaxsolve.core.strict_json import shortened
from jaxsolve.games.game import Game
from jaxsolve.games.registry import make
from jaxsolve.networks import Network, finding
from jaxsolve.networks.identity import digest_of
from jaxsolve.train import build, checkpoints
from jaxsolve.train.loop import TrainingState
from jaxsolve.train.replay import Replay
from jaxsolve.train.solved import Solved, SolvedRows, solved_examples

MARKER, NETWORK, CHECKPOINTS = "online.json", "network.npz", "checkpoints"
FORMAT = 1  # of the folder
PLAYED = ("first_wins", "second_wins", "nobody_wins", "length", "examples")

__all__ = ["OnlineOptions", "OnlineTrainer", "Solved", "Update"]


@dataclass(frozen=True, eq=False)
class Update:
    """The result of an iteration: new weights, and how they came about."""

    version: int  # of the weights, from 1 on
    weights: Any  # float32 NumPy arrays, for ``Evaluator.with_params`` and ``Network``
    losses: dict[str, float]  # means over the gradient steps (``Learner.update``)
    played: dict[str, float]  # games: shares of wins, mean length, new examples (``PLAYED``)
    games: int  # games that ended
    steps: int  # gradient steps
    cpu_seconds: float  # of this process


class OnlineTrainer:
    """Trains a network on while a search uses it.

    Nothing runs between calls. An object serves one thread.

    Args:
      network: the network to begin with, or its name: a file, the folder of a training run, or a
        shipped network.
      game: the rules of the search.
      options: options of the trainer.
      seed: random seed of games and batches, from 0 to 2^32 - 1.

    Attributes:
      network: the network to begin with.
      version: number of the latest weights; 0 before the first iteration.

    Raises ValueError, with a message of one sentence, for a network that does not fit the game or
    the options, and for a start position that is none; OSError.
    """

    def __init__(
        self,
        network: Network | str,
        game: Game,
        options: OnlineOptions | None = None,
        seed: int = 0,
    ):
        self.network = finding.find(network) if isinstance(network, str) else network
        self.network.check(game)
        if type(seed) is not int or not 0 <= seed < 1 << 32:
            raise ValueError(f"seed={seed!r}: give a whole number from 0 to {(1 << 32) - 1}")
        self.game, self.options, self.seed = game, options or OnlineOptions(), seed
        self.version = 0
        chosen = self.options
        settings = chosen.settings(self.network, game)
        self._loop = build.loop_for(
            game, self.network.architecture, settings, extra=chosen.solved_in_batch
        )
        self._state: TrainingState | None = None
        self._critical = Latest(chosen.critical_positions, game.state_words)
        self._solved = Latest(chosen.solved_positions, game.state_words + 2)
        self._first = received(game, chosen.starts, "start position").words
        self._folder: RunFolder | None = None

    # ---- positions -------------------------------------------------------------------------------
    def add_critical(self, positions: Sequence[str]) -> None:
        """Adds critical positions, as text; beyond the capacity the oldest are dropped.

        They are ignored if ``options.critical`` is False. Raises ValueError, and adds nothing, if
        one of them is no position of the game, or one where the game is over. The message names it.
        """
        found = received(self.game, positions, "critical position")
        if self.options.critical:
            self._critical.add(found.words)

    def add_solved(self, positions: Sequence[Solved]) -> None:
        """Adds solved positions; beyond the capacity the oldest are dropped.

        They are no critical positions any more. They are not learned if ``options.solved`` is
        False. A win that is disproved in a game with draws is not learned either: it may be a draw.
        Raises ValueError, and adds nothing, if one of them is no position of the game, one where
        the game is over, or has an illegal move or a move of the loser. The message names it.
        """
        rows, decided = self._solved_rows(positions)
        words = rows[:, : self.game.state_words]
        self._critical.remove({row.tobytes() for row in words})
        if self.options.solved:
            self._solved.add(rows[decided])

    def _solved_rows(self, positions: Sequence[Solved]) -> tuple[np.ndarray, np.ndarray]:
        """Returns uint32[n, S + 2]: words, winner, move + 1; and bool[n]: the winner is known."""
        found = received(self.game, [each.position for each in positions], "solved position")
        decided = np.ones(len(positions), bool)
        more = np.zeros((len(positions), 2), np.uint32)
        for number, each in enumerate(positions):
            if each.or_player not in (0, 1):
                raise ValueError(f"{_named(number, each)}: there is no player {each.or_player!r}")
            winner = each.or_player if each.proved else 1 - each.or_player
            decided[number] = each.proved or not self.game.may_draw
            more[number, 0] = winner
            if each.move is None:
                continue
            legal = found.legal[number]
            if type(each.move) is not int or not (0 <= each.move < len(legal) and legal[each.move]):
                raise ValueError(f"{_named(number, each)}: move {each.move!r} is illegal")
            if found.mover[number] != winner:
                raise ValueError(f"{_named(number, each)}: the side to move loses, with a move")
            more[number, 1] = each.move + 1
        return np.concatenate([found.words, more], axis=1), decided

    @property
    def kept(self) -> tuple[int, int]:
        """The numbers of critical and of solved positions that are kept."""
        return len(self._critical), len(self._solved)

    # ---- training --------------------------------------------------------------------------------
    def iterate(self) -> Update:
        """Plays games, takes gradient steps, and returns the new weights.

        An iteration plays ``most_moves`` moves in each of ``games`` games. Their positions are
        learned from in the next iteration, when all results are known. The first iteration
        therefore plays twice. It also compiles; no later one does.

        Raises ValueError if no game has ended within ``most_moves``, or if a loss or a weight is
        not finite. The trainer then stays as it was before the iteration.
        """
        cpu = process.cpu_seconds()
        starts, extra = self._starts(), self._extra()
        state = self._state
        if state is None:
            state = self._loop.begin(self.seed, starts, self.network.params)
        state, found = self._loop.iterate(state, starts, extra)
        numbers = {name: np.asarray(value).item() for name, value in found.items()}
        for name, value in numbers.items():
            if not math.isfinite(value):
                raise ValueError(
                    f"{name} is {value} in version {self.version + 1}; give a lower learning_rate"
                )
        weights = self._weights(state)
        self._state, self.version = state, self.version + 1
        games = int(numbers.pop("games"))
        played = {name: numbers.pop(name) for name in PLAYED}
        spent = process.cpu_seconds() - cpu
        return Update(self.version, weights, numbers, played, games, self.options.updates, spent)

    def current(self) -> Network:
        """Returns the network with the latest weights; before the first iteration the first one."""
        if self._state is None:
            return self.network
        name = f"{shortened(self.network.name, 300)}-online-{self.version}"
        return dataclasses.replace(self.network, name=name, params=self._weights(self._state))

    def _weights(self, state: TrainingState) -> Any:
        return self.network.architecture.fitted(self._loop.params(state), self.network.name)

    def _starts(self) -> Any:
        """Returns the start positions of new games, a batch of states whose shape never changes."""
        rng = np.random.default_rng([self.seed, self.version])
        if len(self._critical):
            words = self._critical.spread(rng)
        else:
            first = self._first if len(self._first) else self._start[None]
            words = np.resize(first, (self.options.critical_positions, first.shape[1]))
        return jax.tree.map(jnp.asarray, self.game.host_unpack(words))

    def _extra(self) -> Replay | None:
        """Returns the buffer of solved positions; None without solved positions."""
        if not self.options.solved:
            return None
        rows = self._solved.filled(np.append(self._start, np.zeros(2, np.uint32)))
        winner, move = rows[:, -2].astype(np.int32), rows[:, -1].astype(np.int32) - 1
        arrays = (jnp.asarray(each) for each in (rows[:, :-2], winner, move))
        examples = self._examples(SolvedRows(*arrays))
        return Replay(examples, jnp.int32(0), jnp.int32(len(self._solved)))

    @functools.cached_property
    def _start(self) -> np.ndarray:
        return self.game.host_pack(self.game.init())

    @functools.cached_property
    def _examples(self) -> Any:
        return jax.jit(functools.partial(solved_examples, self._loop.play.search))

    # ---- folder ----------------------------------------------------------------------------------
    def save(self, folder: str | Path) -> None:
        """Writes the whole state to a folder, and locks the folder until ``close``.

        After ``kill -9`` at any moment the folder holds this state or an earlier one. Before the
        first iteration the options, the seed and the first network are saved, but no positions.
        Raises FolderError if the folder is in use, or holds anything but this trainer; OSError.
        """
        path = Path(folder)
        with process.defer_interrupts():
            self._claim(path)
            if not (path / NETWORK).exists():
                self.network.save(path / NETWORK)
            if self._state is not None:
                earlier = checkpoints.steps(path / CHECKPOINTS)
                step = max([self.version, *(each + 1 for each in earlier[-1:])])
                stored = {**self._buffers(), "training": self._state}
                checkpoints.save(path / CHECKPOINTS, step, stored)

    @classmethod
    def resume(cls, folder: str | Path, version: int = 0) -> Self:
        """Returns the trainer that was saved in a folder, and locks the folder until ``close``.

        If the latest checkpoint is damaged, the one before is used.

        Args:
          folder: the folder that was given to ``save``.
          version: the latest version that any machine has seen. Later weights have higher numbers,
            even if the trainer had not saved that version.

        Raises ValueError if the folder holds no trainer, or all of its checkpoints are damaged;
        FolderError if it is in use; OSError.
        """
        path = Path(folder)
        stored = _read_marker(path)
        try:
            options = {**stored["options"], "starts": tuple(stored["options"]["starts"])}
            network = Network.load(path / NETWORK)
            trainer = cls(network, make(stored["rules"]), OnlineOptions(**options), stored["seed"])
        except (KeyError, TypeError, FileNotFoundError) as error:
            raise ValueError(f"{path} holds no online trainer that can resume ({error})") from None
        trainer._claim(path)
        try:
            trainer._restore(path / CHECKPOINTS, version)
        except BaseException:
            trainer.close()
            raise
        return trainer

    def close(self) -> None:
        """Unlocks the folder."""
        if self._folder is not None:
            self._folder.release()
            self._folder = None

    def _claim(self, path: Path) -> None:
        if self._folder is not None and self._folder.path == path:
            return
        self.close()
        self._folder = RunFolder(path, MARKER, self._question(), resume=True)

    def _question(self) -> dict[str, Any]:
        options = dataclasses.asdict(self.options)
        return {
            "format": FORMAT,
            "rules": self.game.rule_set,
            "network": digest_of(self.network.params),
            "seed": self.seed,
            "options": options | {"starts": list(self.options.starts)},
        }

    def _buffers(self) -> dict[str, Any]:
        return {
            "critical": self._critical.stored(),
            "solved": self._solved.stored(),
            "version": np.array(self.version, np.int32),
        }

    def _restore(self, folder: Path, version: int) -> None:
        """Restores the latest checkpoint that is not damaged; does nothing if there is none."""
        steps, self.version = checkpoints.steps(folder), version
        if not steps:
            return
        like = {**self._buffers(), "training": self._loop.like(self._starts())}
        for step in reversed(steps):
            try:
                found = checkpoints.load(folder, step, like)
            except checkpoints.Misfit:
                raise
            except ValueError:
                self.version = max(steps[-1], version)  # may have been the version of that one
                if step == steps[0]:
                    raise
            else:
                self._critical.restore(found["critical"])
                self._solved.restore(found["solved"])
                self._state = found["training"]
                self.version = max(int(found["version"]), self.version)
                return


def _read_marker(path: Path) -> dict[str, Any]:
    try:
        stored = strict_json.loads((path / MARKER).read_text(encoding="utf-8"))
    except (FileNotFoundError, ValueError):
        stored = None
    if not isinstance(stored, dict) or stored.get("format") != FORMAT:
        raise FolderError(f"{path} holds no online trainer of this version of jaxsolve")
    return stored


def _named(number: int, solved: Solved) -> str:
    return f"solved position {number + 1}, {shortened(solved.position)!r}"
