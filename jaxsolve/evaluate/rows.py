"""The computations of the evaluator on the device, as pure functions of packed states."""

from __future__ import annotations

import functools
from dataclasses import dataclass
from typing import Any

import jax
import jax.numpy as jnp

from jaxsolve.core.action_sets import bool_to_actions
from jaxsolve.evaluate.layout import Layout
from jaxsolve.games.game import (
    Children,
    DetectsWins,
    EvaluatesChildren,
    Game,
    HasForcedReply,
    InitialisesNumbers,
    ObservesHistory,
    Outcome,
    ShowsKnowledge,
)
from jaxsolve.games.random_play import action_of_rank
from jaxsolve.games.row_words import INFO_MOVER, INFO_REPLY, INFO_WINNER
from jaxsolve.networks.heads import Apply, Planes

MAX_COST = 30_000.0  # log10 of the largest cost of a proof


@dataclass(frozen=True)
class Rows:
    """Computes evaluator rows (``Layout``) of packed positions. Equal objects share compiled calls.

    ``Evaluator`` describes most fields.
    """

    game: Game
    playouts: int = 0  # number of random games from each position
    max_playout: int = 2048  # moves after which a random game counts as a draw
    canonical: bool = False  # whether children are replaced by their canonical images
    autoplay: bool = False  # whether forced replies are played; only if ``HasForcedReply``
    zoned: bool = False  # whether wins are detected with their zones; only if ``DetectsWins``
    apply: Apply | None = None  # function of the network
    planes: Planes | None = None  # input of the network; None = ``game.observe``
    costly: bool = False  # whether the network predicts costs

    @functools.cached_property
    def layout(self) -> Layout:
        network = self.apply is not None
        return Layout(
            self.game.state_words,
            self.game.num_actions,
            network,
            network or self.playouts > 0,
            self.zoned,
            self.costly,
            self.zoned and isinstance(self.game, ShowsKnowledge) and self.game.shows_knowledge,
        )

    def rules_rows(self, states: jax.Array, actions: jax.Array, seed: jax.Array) -> jax.Array:
        """Computes the rows of child positions, without the words of a network.

        Args:
          states: uint32[B, S], packed positions.
          actions: int32[B], moves to play; -1 for the row of the position itself.
          seed: uint32[], seed of the random games.

        Returns rows uint32[B, n]. The value of random games is included if they are played and
        there is no network.
        """
        rows = jax.vmap(self._rules_row)(states, actions)
        if self.apply is not None or not self.playouts:
            return rows
        mean = jax.vmap(lambda row: self._playouts(row, seed))(rows)
        return jnp.concatenate([rows, mean[:, None].view(jnp.uint32)], axis=1)

    def estimate(self, params: Any, states: jax.Array, *history: jax.Array) -> jax.Array:
        """Computes the network's part of rows: the words from ``layout.values`` on.

        Args:
          params: parameters of the network.
          states: uint32[B, S], packed positions.
          *history: the two arrays of a ``heads.History``, if ``planes`` read earlier boards.

        Returns uint32[B, ``layout.width - layout.values``].

        Raises ValueError if the output of the network's function has other shapes than
        ``HeadOutputs`` describes.
        """
        assert self.apply is not None
        positions = jax.vmap(self.game.unpack)(states)
        legal = jax.vmap(self.game.legal_mask)(positions)
        out = self.apply(params, self._observe(positions, *history), legal)
        count, actions = legal.shape
        wanted = {"prior": (count, actions), "value": (count,), "cost": (count, 2)}
        found = {name: getattr(getattr(out, name, None), "shape", None) for name in wanted}
        if found != wanted:
            raise ValueError(
                f"the network's function gives {found}; for {count} positions of {actions} actions "
                f"HeadOutputs has {wanted}"
            )
        legal_prior = jnp.where(legal, out.prior, 0.0)
        broken = (
            jnp.isnan(out.value)
            | jnp.isnan(out.cost).any(axis=1)
            | jnp.isnan(legal_prior).any(axis=1)
        )
        # Estimates must be finite, since searches treat infinite numbers as proofs. A row with a
        # NaN gets equal priors and costs of 0. ``Evaluator.fill`` replaces its value, a NaN.
        value = jnp.where(broken, jnp.nan, jnp.clip(jnp.nan_to_num(out.value), -1.0, 1.0))
        cost = jnp.clip(jnp.nan_to_num(out.cost), 0.0, MAX_COST)
        cost = jnp.where(broken[:, None], 0.0, cost)
        count_legal = legal.sum(axis=1, keepdims=True, dtype=jnp.float32)
        even_prior = legal.astype(jnp.float32) / jnp.maximum(count_legal, 1.0)
        prior = jnp.where(broken[:, None], even_prior, legal_prior)
        values = jnp.concatenate([value[:, None], *([cost] if self.costly else [])], axis=1).astype(
            jnp.float32
        )
        fractions = jnp.round(jnp.clip(jnp.nan_to_num(prior), 0, 1) * 65535).astype(jnp.uint32)
        even = jnp.pad(fractions, ((0, 0), (0, self.layout.actions % 2))).reshape(
            len(fractions), -1, 2
        )
        return jnp.concatenate([values.view(jnp.uint32), even[..., 0] | even[..., 1] << 16], axis=1)

    def image(self, words: jax.Array) -> tuple[jax.Array, jax.Array]:
        """Returns (canonical image uint32[S], its symmetry int32[]) of a packed position."""
        state, symmetry = canonical_image(self.game, self.game.unpack(words))
        return self.game.pack(state), symmetry

    # ---- rules -----------------------------------------------------------------------------------
    def _rules_row(self, words: jax.Array, action: jax.Array) -> jax.Array:
        """Computes the row of one position, without network output or the value of random games."""
        game = self.game
        before = game.unpack(words)
        state = _select(action >= 0, game.step(before, jnp.maximum(action, 0)), before)
        reply = jnp.int32(-1)
        if self.autoplay and isinstance(game, HasForcedReply):
            # A position with one legal move needs no evaluation of its own: the reply is played.
            forced = game.forced_reply(state)
            reply = jnp.where(action >= 0, forced, -1)
            state = _select(reply >= 0, game.step(state, jnp.maximum(reply, 0)), state)
        if self.canonical:
            state, _ = canonical_image(game, state)
        legal, outcome = game.legal_and_outcome(state)
        key = game.key(state)
        info = (
            outcome.astype(jnp.uint32)
            | game.to_move(state).astype(jnp.uint32) << INFO_MOVER
            | (reply + 1).astype(jnp.uint32) << INFO_REPLY
        )
        if self.zoned and isinstance(game, DetectsWins):
            detected = game.detect_win(state)
            legal = jnp.where(
                (detected.winner < 0) & (detected.move >= 0), legal & detected.zone, legal
            )
            info |= (detected.winner + 1).astype(jnp.uint32) << INFO_WINNER
            masks, threat = (
                [legal, jnp.zeros_like(legal), jnp.zeros_like(legal), detected.zone],
                detected.move,
            )
        else:
            *masks, threat = self._children(state, legal)
        head = jnp.stack(
            [
                key[0],
                key[1],
                info,
                (threat + 1).astype(jnp.uint32),
                self._first_numbers(state, masks[0]),
            ]
        )
        return jnp.concatenate([game.pack(state), head, *masks])

    def _children(
        self, state, legal: jax.Array
    ) -> tuple[jax.Array, jax.Array, jax.Array, jax.Array]:
        if isinstance(self.game, EvaluatesChildren):
            children: Children = self.game.children(state)
            # No bit may be set beyond the last action, since the host lists a move for each bit.
            actions = bool_to_actions(jnp.ones(self.game.num_actions, bool))
            return (
                children.legal & actions,
                children.wins & actions,
                children.forced & actions,
                children.threat,
            )
        return legal, jnp.zeros_like(legal), jnp.zeros_like(legal), jnp.int32(-1)

    def _first_numbers(self, state, legal: jax.Array) -> jax.Array:
        """Returns the initial numbers of an unvisited move as ``a | b << 16``, uint32[].

        In games where moves can force the reply, ``a`` is the number of legal moves minus 1
        (mobility, Winands & Schadd 2010): a quiet move leaves about as many replies as there were
        moves, and a forcing move leaves one. In other games such counts do not distinguish moves,
        so the numbers are 1 and 1.
        """
        if isinstance(self.game, InitialisesNumbers):
            a, b = self.game.initial_numbers(state)
        elif isinstance(self.game, HasForcedReply):
            a, b = (
                jnp.maximum(jax.lax.population_count(legal).sum().astype(jnp.int32) - 1, 1),
                jnp.int32(1),
            )
        else:
            a, b = jnp.int32(1), jnp.int32(1)
        return (
            jnp.clip(a, 1, 32767).astype(jnp.uint32)
            | jnp.clip(b, 1, 32767).astype(jnp.uint32) << 16
        )

    # ---- estimates -------------------------------------------------------------------------------
    def _observe(self, positions, *history: jax.Array) -> jax.Array:
        """Computes the input of the network for a batch of positions."""
        game = self.game
        if self.planes is None:
            return jax.vmap(game.observe)(positions)
        assert isinstance(game, ObservesHistory)
        boards = jax.vmap(game.board_words)(positions)[:, None]
        if history:
            earlier, counts = history
            words = jax.vmap(jax.vmap(lambda packed: game.board_words(game.unpack(packed))))(
                earlier
            )
            known = jnp.arange(earlier.shape[1]) < counts[:, None]
            boards = jnp.concatenate(
                [
                    boards,
                    jnp.where(known.reshape(*known.shape, *(1,) * (words.ndim - 2)), words, 0),
                ],
                axis=1,
            )
        return jax.vmap(functools.partial(self.planes, game))(positions, boards)

    def _playouts(self, row: jax.Array, seed: jax.Array) -> jax.Array:
        """Returns the mean result of uniformly random games for the side to move, float32[].

        A game that is cut off counts as a draw. The result depends only on the seed and the
        position, not on the other rows of a wave.
        """
        state = self.game.unpack(row[: self.layout.state])
        key = jax.random.fold_in(jax.random.key(seed), row[self.layout.key])
        results = jax.vmap(lambda k: self._playout(state, k))(jax.random.split(key, self.playouts))
        first = jnp.where(
            results == Outcome.FIRST_WINS, 1.0, jnp.where(results == Outcome.SECOND_WINS, -1.0, 0.0)
        ).mean()
        return jnp.where(self.game.to_move(state) == 0, first, -first).astype(jnp.float32)

    def _playout(self, state, key: jax.Array) -> jax.Array:
        game = self.game

        def more(carry):
            _, _, outcome, _, ply = carry
            return (outcome == Outcome.ONGOING) & (ply < self.max_playout)

        def move(carry):
            position, legal, _, k, ply = carry
            k, sub = jax.random.split(k)
            position = game.step(
                position, action_of_rank(legal, jax.random.bits(sub, (), jnp.uint32))
            )
            return position, *game.legal_and_outcome(position), k, ply + 1

        start = state, *game.legal_and_outcome(state), key, jnp.int32(0)
        return jax.lax.while_loop(more, move, start)[2]


def _select(condition: jax.Array, yes, no):
    return jax.tree.map(lambda x, y: jnp.where(condition, x, y), yes, no)


def canonical_image(game: Game, state) -> tuple[object, jax.Array]:
    """Returns (canonical image of a state, number of the symmetry that leads to it, int32[]).

    The canonical image is the symmetric image whose packed words come first in lexicographic order.
    """
    count = game.num_symmetries
    images = jax.vmap(lambda g: game.transform(state, g))(jnp.arange(count, dtype=jnp.int32))
    packed = jax.vmap(game.pack)(images)

    def first(best, i):
        differs = packed[i] != packed[best]
        at = jnp.argmax(differs)
        return jnp.where(differs.any() & (packed[i][at] < packed[best][at]), i, best), None

    best, _ = jax.lax.scan(first, jnp.int32(0), jnp.arange(1, count, dtype=jnp.int32))
    return jax.tree.map(lambda x: x[best], images), best
