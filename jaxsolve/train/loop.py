"""The training loop: self-play adds examples to the replay, and the network learns from samples."""

from __future__ import annotations

import functools
from dataclasses import dataclass
from typing import Any, NamedTuple

import jax
import jax.numpy as jnp
from jax.sharding import Mesh, PartitionSpec

from jaxsolve.networks.model import Model
from jaxsolve.train import devices
from jaxsolve.train.learner import Learner, LearnerState
from jaxsolve.train.replay import Replay
from jaxsolve.train.self_play import Games, Record, SelfPlay, unpacked
from jaxsolve.train.targets import NOBODY

NORMALISED_BY = 1024  # positions for the initial running means of a network with given parameters


class NoGames(ValueError):
    """Error: the replay is empty after a call of self-play, because every game was cut off."""


class TrainingState(NamedTuple):
    """The whole state of a run. On one machine, equal states give bit-identical continuations."""

    learner: LearnerState
    games: Games
    record: Record  # record of the last call of self-play; some of its games have not ended yet
    replay: Replay
    key: jax.Array  # for sampling and symmetries; every game has its own key
    iteration: jax.Array  # int32[]


@dataclass(frozen=True)
class Loop:
    """The training loop. An iteration is a call of self-play, then ``updates`` gradient steps.

    Args:
      play, learner: self-play and learner of the same network.
      games: B, number of games played at the same time. A call of self-play adds at most T x B
        examples, where T is ``play.steps``.
      capacity: number of examples that the replay holds.
      batch: number of examples in a gradient step.
      updates: number of gradient steps in an iteration.
      mesh: devices over which games and replay are sharded (``devices.mesh``); None for one device.
      extra: number of examples of every batch that are drawn from a second buffer, which is an
        argument of ``iterate``.

    Raises ValueError if the networks differ, if a number is below 1, if the T x B examples of a
    call exceed ``capacity``, if ``extra`` is not from 0 to ``batch``, or if ``games`` or ``batch``
    cannot be divided evenly among the devices.
    """

    play: SelfPlay
    learner: Learner
    games: int
    capacity: int
    batch: int
    updates: int
    mesh: Mesh | None = None
    extra: int = 0

    def __post_init__(self) -> None:
        forward = self.play.search.forward
        playing = forward if isinstance(forward, Model) else forward.architecture
        if playing != self.learner.architecture:
            raise ValueError(
                "the network that plays and the one that learns have different architectures"
            )
        for name in ("games", "batch", "updates"):
            if getattr(self, name) < 1:
                raise ValueError(f"{name}={getattr(self, name)}: give a whole number from 1 on")
        if not 0 <= self.extra <= self.batch:
            raise ValueError(
                f"extra={self.extra}: give a number of examples from 0 to batch={self.batch}"
            )
        if self.play.steps * self.games > self.capacity:
            raise ValueError(
                f"{self.play.steps} steps of {self.games} games do not fit into a replay of "
                f"{self.capacity}"
            )
        for name, count in {"games": self.games, "batch": self.batch}.items():
            if self.mesh is not None and count % self.mesh.size:
                raise ValueError(
                    f"{name}={count} cannot be divided evenly among {self.mesh.size} devices"
                )

    def begin(self, seed: int, starts: Any = None, params: Any = None) -> TrainingState:
        """Returns the state of a new run, after a first call of self-play.

        Args:
          seed: random seed of the run.
          starts: start positions of games (see ``SelfPlay.play``).
          params: initial parameters (``Learner.params``); None for a new network.
        """
        everywhere, spread = (
            (None, None)
            if self.mesh is None
            else (devices.replicated(self.mesh), devices.sharded(self.mesh))
        )
        key, games_key = jax.random.split(jax.random.key(seed))
        games = devices.place(
            jax.jit(self.play.begin, static_argnums=1)(games_key, self.games, starts), spread
        )
        if params is None:
            learner = devices.place(self.learner.begin(seed), everywhere)
            games, record = self._play(self._params(learner), games, starts)
        else:
            games, record = self._play(devices.place(params, everywhere), games, starts)
            learner = self._jitted(functools.partial(self._learn_on, seed))(params, record)
        like, _ = jax.eval_shape(self.play.examples, record, record)
        empty = functools.partial(Replay.empty, like, self.capacity)
        replay = (
            empty() if self.mesh is None else jax.jit(empty, out_shardings=self._replay_sharding)()
        )
        key, iteration = devices.place((key, jnp.int32(0)), everywhere)
        return TrainingState(learner, games, record, replay, key, iteration)

    def like(self, starts: Any = None) -> TrainingState:
        """Returns a state of ``jax.ShapeDtypeStruct`` with shardings, for reading a checkpoint.

        No array is computed.
        """
        learner = jax.eval_shape(lambda: self.learner.begin(0))
        key, iteration = jax.eval_shape(lambda: (jax.random.key(0), jnp.int32(0)))
        games = jax.eval_shape(lambda: self.play.begin(jax.random.key(0), self.games, starts))
        _, record = jax.eval_shape(
            self._play, jax.eval_shape(self.learner.params, learner), games, starts
        )
        examples, _ = jax.eval_shape(self.play.examples, record, record)
        replay = jax.eval_shape(lambda: Replay.empty(examples, self.capacity))
        if self.mesh is None:
            return TrainingState(learner, games, record, replay, key, iteration)
        games = devices.with_sharding(games, devices.sharded(self.mesh))
        record = devices.with_sharding(record, devices.sharded(self.mesh, axis=1))
        replay = jax.tree.map(devices.with_sharding, replay, self._replay_sharding)
        learner, key, iteration = devices.with_sharding(
            (learner, key, iteration), devices.replicated(self.mesh)
        )
        return TrainingState(learner, games, record, replay, key, iteration)

    def iterate(
        self, state: TrainingState, starts: Any = None, extra: Replay | None = None
    ) -> tuple[TrainingState, dict[str, jax.Array]]:
        """Runs one iteration.

        Args:
          state: the state before the iteration.
          starts: start positions of new games (``SelfPlay.play``).
          extra: the buffer from which ``Loop.extra`` examples of every batch are drawn. While it
            is empty, all examples are from the replay.

        Returns the next state and the metrics of the iteration by name, float32[] or int32[] each.
        Raises NoGames if the replay is still empty, and ValueError if ``extra`` is missing or
        superfluous.
        """
        if (extra is not None) != (self.extra > 0):
            raise ValueError(f"extra={self.extra}: iterate takes a second buffer if it is above 0")
        games, record = self._play(self._params(state.learner), state.games, starts)
        replay, played = self._remember(state.replay, state.record, record)
        if not int(replay.size):
            most = self.play.search.env.max_steps
            raise NoGames(f"no game ended within max_steps={most} moves: nothing to learn from")
        learner, key, iteration, losses = self._learn(
            state.learner, replay, state.key, state.iteration, extra
        )
        return TrainingState(learner, games, record, replay, key, iteration), played | losses

    def params(self, state: TrainingState) -> Any:
        """Returns the parameters for searches (``Learner.params``), replicated in every process."""
        return self._params(state.learner)

    # ---- inside ----------------------------------------------------------------------------------
    def _learn_on(self, seed: int, params: Any, record: Record) -> LearnerState:
        shape = self.learner.shape
        seen = record.planes.reshape(-1, record.planes.shape[-1])
        some = seen[:: max(len(seen) // NORMALISED_BY, 1)][:NORMALISED_BY]
        return self.learner.begin(
            seed, params, unpacked(some, (shape.height, shape.width, shape.planes))
        )

    @property
    def _replay_sharding(self) -> Any:
        """The shardings of a ``Replay``, as a ``Replay``.

        The examples are sharded if ``capacity`` can be divided evenly among the devices. Everything
        else is replicated.
        """
        assert self.mesh is not None
        everywhere: Any = devices.replicated(self.mesh)
        spread = devices.sharded(self.mesh)
        examples, _ = jax.eval_shape(self.play.examples, *2 * (self._record_shape,))
        kept = everywhere if self.capacity % self.mesh.size else spread
        return Replay(jax.tree.map(lambda _: kept, examples), everywhere, everywhere)

    @functools.cached_property
    def _record_shape(self) -> Record:
        learner = jax.eval_shape(lambda: self.learner.begin(0))
        games = jax.eval_shape(lambda: self.play.begin(jax.random.key(0), self.games))
        return jax.eval_shape(
            self.play.play, jax.eval_shape(self.learner.params, learner), games, None
        )[1]

    def _jitted(self, function: Any, **options: Any) -> Any:
        """Returns ``function`` jitted, with its result replicated on every device."""
        if self.mesh is None:
            return jax.jit(function, **options)
        return jax.jit(function, out_shardings=devices.replicated(self.mesh), **options)

    @functools.cached_property
    def _params(self) -> Any:
        return self._jitted(self.learner.params)

    @functools.cached_property
    def _play(self) -> Any:
        if self.mesh is None:
            return jax.jit(self.play.play)
        same, games, record = (
            PartitionSpec(),
            PartitionSpec(devices.GAMES),
            PartitionSpec(None, devices.GAMES),
        )
        play = jax.shard_map(
            self.play.play,
            mesh=self.mesh,
            in_specs=(same, games, same),
            out_specs=(games, record),
            check_vma=False,
        )
        return jax.jit(play)

    @functools.cached_property
    def _remember(self) -> Any:
        def remember(
            replay: Replay, before: Record, after: Record
        ) -> tuple[Replay, dict[str, jax.Array]]:
            examples, known = self.play.examples(before, after)
            ended, winner = after.course.ended, after.course.winner
            count = jnp.maximum(jnp.sum(ended), 1)
            measured = {
                "games": jnp.sum(ended, dtype=jnp.int32),
                "first_wins": jnp.sum(ended & (winner == 0)) / count,
                "second_wins": jnp.sum(ended & (winner == 1)) / count,
                # Draws, and games that were cut off.
                "nobody_wins": jnp.sum(ended & (winner == NOBODY)) / count,
                "length": ended.size / count,
                "examples": jnp.sum(known, dtype=jnp.int32),
            }
            return replay.add(examples, known), measured

        if self.mesh is None:
            return jax.jit(remember)
        outputs = self._replay_sharding, devices.replicated(self.mesh)
        return jax.jit(remember, out_shardings=outputs)

    @functools.cached_property
    def _learn(self) -> Any:
        def learn(
            state: LearnerState,
            replay: Replay,
            key: jax.Array,
            iteration: jax.Array,
            extra: Replay | None,
        ) -> tuple[Any, ...]:
            def step(
                state: LearnerState, key: jax.Array
            ) -> tuple[LearnerState, dict[str, jax.Array]]:
                drawn, turned = jax.random.split(key)
                batch = replay.sample(drawn, self.batch)
                if extra is not None:
                    batch = extra.replace_last(jax.random.fold_in(drawn, 1), batch, self.extra)
                if self.mesh is not None:
                    batch = jax.lax.with_sharding_constraint(batch, devices.sharded(self.mesh))
                return self.learner.update(state, batch, turned)

            key, drawn = jax.random.split(key)
            state, losses = jax.lax.scan(step, state, jax.random.split(drawn, self.updates))
            means = {name: jnp.mean(values) for name, values in losses.items()}
            return state, key, iteration + 1, means

        return self._jitted(learn)
