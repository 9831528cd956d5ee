"""The loop of training: games are played, their positions go into the replay, the network learns from samples of it."""

from __future__ import annotations

import functools
from dataclasses import dataclass
from typing import Any, NamedTuple

import jax
import jax.numpy as jnp
from jax.sharding import Mesh, PartitionSpec

from jaxsolve.train import devices
from jaxsolve.train.learner import Learner, LearnerState
from jaxsolve.train.replay import Replay
from jaxsolve.train.self_play import Games, Record, SelfPlay, unpacked
from jaxsolve.train.targets import NOBODY

NORMALISED_BY = 1024  # positions, where a network learns on whose means are not known


class NoGames(ValueError):
    """The replay is empty after games were played: all of them were cut off."""


class TrainingState(NamedTuple):
    """All that a run goes on from: from equal states it goes on equally, to the bit on one machine."""

    learner: LearnerState
    games: Games
    record: Record  # of the last call of self-play, whose games may not have ended
    replay: Replay
    key: jax.Array  # of all that is drawn but for the games, which have their own
    iteration: jax.Array  # int32[]


@dataclass(frozen=True)
class Loop:
    """One iteration is a call of self-play and ``updates`` steps of learning.

    Args:
      play, learner: of one architecture.
      games: B, played side by side; a call adds T x B examples.
      capacity: examples that the replay holds.
      batch: examples of a step.
      updates: steps of learning in an iteration.
      mesh: the devices that the games are dealt out to (``devices.mesh``), or None for a single one.

    Raises ValueError where the two are of different networks, or a call's examples do not fit into the replay.
    """

    play: SelfPlay
    learner: Learner
    games: int
    capacity: int
    batch: int
    updates: int
    mesh: Mesh | None = None

    def __post_init__(self) -> None:
        if self.play.search.forward.architecture != self.learner.architecture:
            raise ValueError(
                "the network that plays and the one that learns have different architectures"
            )
        for name in ("games", "batch", "updates"):
            if getattr(self, name) < 1:
                raise ValueError(f"{name}={getattr(self, name)}: give a whole number from 1 on")
        if self.play.steps * self.games > self.capacity:
            raise ValueError(
                f"{self.play.steps} steps of {self.games} games do not fit into a replay of {self.capacity}"
            )
        for name, count in {"games": self.games, "batch": self.batch}.items():
            if self.mesh is not None and count % self.mesh.size:
                raise ValueError(
                    f"{name}={count} cannot be dealt out evenly to {self.mesh.size} devices"
                )

    def begin(self, seed: int, starts: Any = None, params: Any = None) -> TrainingState:
        """A new run, its first games already in play: of a new network, or of one with ``params`` that learns on. ``starts`` as in ``iterate``."""
        everywhere, dealt = (
            (None, None)
            if self.mesh is None
            else (devices.whole(self.mesh), devices.dealt(self.mesh))
        )
        key, games_key = jax.random.split(jax.random.key(seed))
        games = devices.place(
            jax.jit(self.play.begin, static_argnums=1)(games_key, self.games, starts), dealt
        )
        if params is None:
            learner = devices.place(self.learner.begin(seed), everywhere)
            games, record = self._play(self._params(learner), games, starts)
        else:
            games, record = self._play(devices.place(params, everywhere), games, starts)
            learner = self._jitted(functools.partial(self._learn_on, seed))(params, record)
        like, _ = jax.eval_shape(self.play.examples, record, record)
        replay, key, iteration = devices.place(
            (Replay.empty(like, self.capacity), key, jnp.int32(0)), everywhere
        )
        return TrainingState(learner, games, record, replay, key, iteration)

    def like(self, starts: Any = None) -> TrainingState:
        """A state's shapes, and where its parts lie, as ``jax.ShapeDtypeStruct``: what a checkpoint is read into. Nothing is computed."""
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
        everywhere = devices.whole(self.mesh)
        games, record = (
            devices.lying(games, devices.dealt(self.mesh)),
            devices.lying(record, devices.dealt(self.mesh, axis=1)),
        )
        learner, replay, key, iteration = devices.lying(
            (learner, replay, key, iteration), everywhere
        )
        return TrainingState(learner, games, record, replay, key, iteration)

    def iterate(
        self, state: TrainingState, starts: Any = None
    ) -> tuple[TrainingState, dict[str, jax.Array]]:
        """The next state, and what was measured: means over the iteration, float32[] or int32[] each.

        ``starts``: positions that new games begin at (``SelfPlay.play``). Raises NoGames where there is nothing to learn from yet.
        """
        games, record = self._play(self._params(state.learner), state.games, starts)
        replay, played = self._remember(state.replay, state.record, record)
        if not int(devices.fetch(replay.size)):
            raise NoGames(
                f"no game has come to an end within max_steps={self.play.search.env.max_steps} moves, so that there is nothing to learn from"
            )
        learner, key, iteration, losses = self._learn(
            state.learner, replay, state.key, state.iteration
        )
        return TrainingState(learner, games, record, replay, key, iteration), played | losses

    # ---- inside ----------------------------------------------------------------------------------------------------
    def _learn_on(self, seed: int, params: Any, record: Record) -> LearnerState:
        shape = self.learner.architecture
        seen = record.planes.reshape(-1, record.planes.shape[-1])
        some = seen[:: max(len(seen) // NORMALISED_BY, 1)][:NORMALISED_BY]
        return self.learner.begin(
            seed, params, unpacked(some, (shape.height, shape.width, shape.planes))
        )

    def _jitted(self, function: Any, **options: Any) -> Any:
        """With the same result on every device."""
        return (
            jax.jit(function, **options)
            if self.mesh is None
            else jax.jit(function, out_shardings=devices.whole(self.mesh), **options)
        )

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
                "nobody_wins": jnp.sum(ended & (winner == NOBODY))
                / count,  # draws, and games that were cut off
                "length": ended.size / count,
                "examples": jnp.sum(known, dtype=jnp.int32),
            }
            return replay.add(examples, known), measured

        return self._jitted(remember)

    @functools.cached_property
    def _learn(self) -> Any:
        def learn(
            state: LearnerState, replay: Replay, key: jax.Array, iteration: jax.Array
        ) -> tuple[Any, ...]:
            def step(
                state: LearnerState, key: jax.Array
            ) -> tuple[LearnerState, dict[str, jax.Array]]:
                drawn, turned = jax.random.split(key)
                batch = replay.sample(drawn, self.batch)
                if self.mesh is not None:
                    batch = jax.lax.with_sharding_constraint(batch, devices.dealt(self.mesh))
                return self.learner.update(state, batch, turned)

            key, drawn = jax.random.split(key)
            state, losses = jax.lax.scan(step, state, jax.random.split(drawn, self.updates))
            return (
                state,
                key,
                iteration + 1,
                {name: jnp.mean(values) for name, values in losses.items()},
            )

        return self._jitted(learn)
