"""The evaluator's computations on the device, as pure functions of packed states."""

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
)
from jaxsolve.games.random_play import action_of_rank
from jaxsolve.networks.heads import Apply, Planes

MAX_COST = 30_000.0  # log10 of the largest cost


@dataclass(frozen=True)
class Rows:
    """Makes rows of packed positions. Equal objects share compiled calls."""

    game: Game
    playouts: int = 0
    max_playout: int = 2048
    canonical: bool = False
    autoplay: bool = False  # only if the game is ``HasForcedReply``
    zoned: bool = False  # only if the game ``DetectsWins``
    apply: Apply | None = None
    planes: Planes | None = None
    costly: bool = False  # whether the network estimates costs

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
        )

    def rules_rows(self, states: jax.Array, actions: jax.Array, seed: jax.Array) -> jax.Array:
        """Rows without a network's estimates, with those of playouts.

        uint32[B, S], int32[B] actions (-1: the state itself), uint32[] seed -> uint32[B, n].
        """
        rows = jax.vmap(self._rules_row)(states, actions)
        if self.apply is not None or not self.playouts:
            return rows
        mean = jax.vmap(lambda row: self._playouts(row, seed))(rows)
        return jnp.concatenate([rows, mean[:, None].view(jnp.uint32)], axis=1)

    def estimate(self, params: Any, states: jax.Array, *history: jax.Array) -> jax.Array:
        """The network's words of rows: uint32[B, S] -> uint32[B, width - values].

        ``history``: the two arrays of a ``heads.History``, if ``planes`` read earlier boards.
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
        # Searches treat infinite numbers as proofs: estimates must be finite. A row with a NaN
        # estimates nothing; its value stays NaN as a mark for the host (``Evaluator.fill``).
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
        """(uint32[S], int32[]): a packed position's canonical image, and its symmetry."""
        state, symmetry = canonical_image(self.game, self.game.unpack(words))
        return self.game.pack(state), symmetry

    # ---- rules -----------------------------------------------------------------------------------
    def _rules_row(self, words: jax.Array, action: jax.Array) -> jax.Array:
        """One position's row, without estimates."""
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
            | game.to_move(state).astype(jnp.uint32) << 3
            | (reply + 1).astype(jnp.uint32) << 16
        )
        if self.zoned and isinstance(game, DetectsWins):
            detected = game.detect_win(state)
            legal = jnp.where(
                (detected.winner < 0) & (detected.move >= 0), legal & detected.zone, legal
            )
            info |= (detected.winner + 1).astype(jnp.uint32) << 4
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
            # The host lists one move a set bit: no bit may be set beyond the last action.
            actions = bool_to_actions(jnp.ones(self.game.num_actions, bool))
            return (
                children.legal & actions,
                children.wins & actions,
                children.forced & actions,
                children.threat,
            )
        return legal, jnp.zeros_like(legal), jnp.zeros_like(legal), jnp.int32(-1)

    def _first_numbers(self, state, legal: jax.Array) -> jax.Array:
        """uint32[]: a | b << 16, the heuristic initialisation of an unvisited move.

        If replies can be forced, the number of moves distinguishes moves (mobility, Winands &
        Schadd 2010): a quiet move leaves about as many replies as its parent had moves, a forcing
        one leaves one. In other games moves do not differ, and the classic 1 / 1 is as good.
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
        """Planes of a batch of positions."""
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
        """float32[]: mean result of uniformly random games, for the side to move.

        A game that is cut off counts as a draw. Results depend on seed and position alone, not on
        the row's place in a wave.
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
    """(image, int32[] symmetry): the symmetric image with the least packed words."""
    count = game.num_symmetries
    images = jax.vmap(lambda g: game.transform(state, g))(jnp.arange(count, dtype=jnp.int32))
    packed = jax.vmap(game.pack)(images)

    def first(best, i):
        differs = packed[i] != packed[best]
        at = jnp.argmax(differs)
        return jnp.where(differs.any() & (packed[i][at] < packed[best][at]), i, best), None

    best, _ = jax.lax.scan(first, jnp.int32(0), jnp.arange(1, count, dtype=jnp.int32))
    return jax.tree.map(lambda x: x[best], images), best
