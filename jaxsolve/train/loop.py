"""The loop of training: games are played, their positions go into the replay, the network learns from samples of it."""

from __future__ import annotations

import functools
from dataclasses import dataclass
from typing import Any, NamedTuple

import jax
import jax.numpy as jnp

from jaxsolve.train.learner import Learner, LearnerState
from jaxsolve.train.replay import Replay
from jaxsolve.train.self_play import Games, Record, SelfPlay


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

    Raises ValueError where the two are of different networks, or a call's examples do not fit into the replay.
    """

    play: SelfPlay
    learner: Learner
    games: int
    capacity: int
    batch: int
    updates: int

    def __post_init__(self) -> None:
        if self.play.search.forward.architecture != self.learner.architecture:
            raise ValueError("the network that plays and the one that learns have different architectures")
        for name in ("games", "batch", "updates"):
            if getattr(self, name) < 1:
                raise ValueError(f"{name}={getattr(self, name)}: give a whole number from 1 on")
        if self.play.steps * self.games > self.capacity:
            raise ValueError(f"{self.play.steps} steps of {self.games} games do not fit into a replay of {self.capacity}")

    def begin(self, seed: int) -> TrainingState:
        """A new run, its first games already in play."""
        key, games_key = jax.random.split(jax.random.key(seed))
        learner = self.learner.begin(seed)
        games, record = self._play(self.learner.params(learner), self.play.begin(games_key, self.games), None)
        like, _ = jax.eval_shape(self.play.examples, record, record)
        return TrainingState(learner, games, record, Replay.empty(like, self.capacity), key, jnp.int32(0))

    def iterate(self, state: TrainingState, starts: Any = None) -> tuple[TrainingState, dict[str, jax.Array]]:
        """The next state, and what was measured: means over the iteration, float32[] or int32[] each.

        ``starts``: positions that new games begin at (``SelfPlay.play``).
        """
        games, record = self._play(self.learner.params(state.learner), state.games, starts)
        replay, played = self._remember(state.replay, state.record, record)
        key, drawn = jax.random.split(state.key)
        learner, losses = self._learn(state.learner, replay, drawn)
        return TrainingState(learner, games, record, replay, key, state.iteration + 1), played | losses

    # ---- inside ----------------------------------------------------------------------------------------------------
    @functools.cached_property
    def _play(self) -> Any:
        return jax.jit(self.play.play)

    @functools.cached_property
    def _remember(self) -> Any:
        def remember(replay: Replay, before: Record, after: Record) -> tuple[Replay, dict[str, jax.Array]]:
            examples, known = self.play.examples(before, after)
            ended, winner = after.course.ended, after.course.winner
            count = jnp.maximum(jnp.sum(ended), 1)
            measured = {
                "games": jnp.sum(ended, dtype=jnp.int32),
                "first_wins": jnp.sum(ended & (winner == 0)) / count,
                "second_wins": jnp.sum(ended & (winner == 1)) / count,
                "length": ended.size / count,
                "examples": jnp.sum(known, dtype=jnp.int32),
            }
            return replay.add(examples, known), measured

        return jax.jit(remember)

    @functools.cached_property
    def _learn(self) -> Any:
        def learn(state: LearnerState, replay: Replay, key: jax.Array) -> tuple[LearnerState, dict[str, jax.Array]]:
            def step(state: LearnerState, key: jax.Array) -> tuple[LearnerState, dict[str, jax.Array]]:
                drawn, turned = jax.random.split(key)
                return self.learner.update(state, replay.sample(drawn, self.batch), turned)

            state, losses = jax.lax.scan(step, state, jax.random.split(key, self.updates))
            return state, {f"loss_{name}": jnp.mean(values) for name, values in losses.items()}

        return jax.jit(learn)
