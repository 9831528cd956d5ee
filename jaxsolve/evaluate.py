"""The Evaluator: the only door between host search and device.

One jitted call takes a wave of (packed state, action) pairs and returns one row of words for each: the child position, its key, its
outcome, its legal moves and, where the game can tell from the board alone, winning and forcing moves. Waves are padded to a few fixed
sizes, so nothing retraces during a search.
"""

from __future__ import annotations

import functools
import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import NamedTuple

import jax
import jax.numpy as jnp
import numpy as np

from jaxsolve.games.game import Children, EstimatesNumbers, ForcesReplies, Foresees, Game, Outcome, SeesChildren
from jaxsolve.runtime import cpu_seconds

BATCH_SIZES = (16, 64, 256, 1024, 4096)
"""Each is compiled when first met, for seconds; a wave of one costs little less than one of 16."""
IMAGE_BATCH = 256


class HeadOutputs(NamedTuple):
    """What a network (or any hand-made estimate) says of a batch of positions, for the side to move."""

    prior: jax.Array  # float32[B, A]: probabilities over actions
    value: jax.Array  # float32[B]: expected result in [-1, 1]
    cost: jax.Array  # float32[B, 2]: log10 of the cost of proving a win for the first and for the second player; 0 if not estimated


Heads = Callable[[jax.Array, jax.Array], HeadOutputs]
"""(observation bool[B, H, W, C], legal bool[B, A]) -> HeadOutputs; a pure function, jitted together with the rules."""


@dataclass(frozen=True)
class Layout:
    """Where things lie in an evaluator row of ``width`` uint32 words (one row a position)."""

    state: int  # S words from 0: the packed child state
    actions: int  # A, the number of actions
    prior: bool  # whether priors are present
    value: bool  # whether value and cost are present
    zoned: bool = False  # whether the game foresees wins, with their zones

    @property
    def mask(self) -> int:
        """Words of an action bit set."""
        return (self.actions + 31) // 32

    @property
    def key(self) -> int:
        """Two words: the low 64 bits of the position's key."""
        return self.state

    @property
    def info(self) -> int:
        """Outcome in bits 0..2, side to move in bit 3, (foreseen winner) + 1 in bits 4..5, (forced reply played on the way) + 1 in bits 16..31."""
        return self.state + 2

    @property
    def threat(self) -> int:
        """(the opponent's winning threat) + 1; 0 if none. Where ``zoned``: (``Foresight.move``) + 1."""
        return self.state + 3

    @property
    def first(self) -> int:
        """First numbers of a move not yet visited: a in the lower half word, b in the upper (``games.game.EstimatesNumbers``)."""
        return self.state + 4

    @property
    def masks(self) -> int:
        """Legal, winning and forcing moves: three bit sets of ``mask`` words each. Where ``zoned``, less the moves that a foreseen threat refutes."""
        return self.state + 5

    @property
    def zone(self) -> int:
        """``mask`` words where ``zoned``: ``Foresight.zone``."""
        return self.masks + 3 * self.mask

    @property
    def values(self) -> int:
        """float32 value of the side to move, then the two cost estimates (3 words)."""
        return self.zone + (self.mask if self.zoned else 0)

    @property
    def priors(self) -> int:
        """A priors as 16-bit fractions of 65535, two a word."""
        return self.values + (3 if self.value else 0)

    @property
    def width(self) -> int:
        """Words in a row."""
        return self.priors + ((self.actions + 1) // 2 if self.prior else 0)


def action_bits(mask: jax.Array) -> jax.Array:
    """bool[A] -> uint32[ceil(A / 32)] bit set, action a at bit a % 32 of word a // 32."""
    words = (mask.shape[-1] + 31) // 32
    padded = jnp.pad(mask, (0, words * 32 - mask.shape[-1])).reshape(words, 32)
    return jnp.sum(padded.astype(jnp.uint32) << jnp.arange(32, dtype=jnp.uint32), axis=-1, dtype=jnp.uint32)


class Evaluator:
    """Evaluates waves of positions of one game.

    Args:
      game: the rules.
      heads: optional network; without it rows carry neither priors nor (unless ``playouts``) values.
      playouts: uniformly random games played on the device from every position; their mean is the row's value.
      canonical: whether every child is replaced by its canonical symmetric image (see ``canonical_image``).
      autoplay: whether a reply that the rules force is played at once, so that the row shows the position after it.
      foresight: whether to look for wins that rest on a zone, where the game can (``Foresees``).
    """

    def __init__(
        self,
        game: Game,
        *,
        heads: Heads | None = None,
        playouts: int = 0,
        canonical: bool = False,
        autoplay: bool = True,
        foresight: bool = True,
        max_playout: int = 2048,
    ):
        self.game, self.heads, self.playouts, self.canonical, self.max_playout = game, heads, playouts, canonical, max_playout
        self.autoplay = autoplay
        # A zone belongs to the position as it stands: where positions are turned on their way, the search goes without.
        zoned = isinstance(game, Foresees) and foresight and not canonical
        self.layout = Layout(game.state_words, game.num_actions, heads is not None, heads is not None or playouts > 0, zoned)
        self.compile_seconds = 0.0  # CPU seconds spent in first calls
        self.device_seconds = 0.0  # wall seconds waited for the device
        self._seen: set[int] = set()
        self._call = jax.jit(self._wave)
        self._images = jax.jit(jax.vmap(self._image))

    def __call__(self, states: np.ndarray, actions: np.ndarray, seed: int = 0) -> np.ndarray:
        """uint32[B, S] states and int32[B] actions (-1: look at the state itself) -> uint32[B, width] rows."""
        return self.collect(self.submit(states, actions, seed), len(states))

    def submit(self, states: np.ndarray, actions: np.ndarray, seed: int = 0) -> jax.Array:
        """Starts a wave on the device and returns without waiting; B is at most the largest of ``BATCH_SIZES``."""
        n = len(states)
        size = next((s for s in BATCH_SIZES if s >= n), None)
        if size is None:
            raise ValueError(f"a wave holds {n} positions, at most {BATCH_SIZES[-1]} fit")
        if size > n:
            states = np.concatenate([states, np.broadcast_to(states[:1], (size - n, states.shape[1]))])
            actions = np.concatenate([actions, np.full(size - n, -1, np.int32)])
        if size in self._seen:
            return self._call(states, actions, np.uint32(seed))
        start = cpu_seconds()
        rows = jax.block_until_ready(self._call(states, actions, np.uint32(seed)))
        self._seen.add(size)
        self.compile_seconds += cpu_seconds() - start
        return rows

    def collect(self, rows: jax.Array, count: int) -> np.ndarray:
        """Waits for a submitted wave; uint32[count, width]."""
        start = time.perf_counter()
        out = np.asarray(rows)[:count]
        self.device_seconds += time.perf_counter() - start
        return out

    def images(self, words: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Packed positions as this evaluator's rows would show them: uint32[B, S] -> (uint32[B, S], int32[B] symmetry applied)."""
        if not self.canonical:
            return words, np.zeros(len(words), np.int32)
        parts = []
        for at in range(0, len(words), IMAGE_BATCH):
            part = words[at : at + IMAGE_BATCH]
            padded = np.concatenate([part, np.broadcast_to(part[:1], (IMAGE_BATCH - len(part), part.shape[1]))])
            parts.append([np.asarray(x)[: len(part)] for x in self._images(padded)])
        return np.concatenate([p[0] for p in parts]), np.concatenate([p[1] for p in parts])

    def _image(self, words: jax.Array) -> tuple[jax.Array, jax.Array]:
        state, symmetry = canonical_image(self.game, self.game.unpack(words))
        return self.game.pack(state), symmetry

    # ---- device side ---------------------------------------------------------------------------------------------
    def _wave(self, states: jax.Array, actions: jax.Array, seed: jax.Array) -> jax.Array:
        rows = jax.vmap(self._look)(states, actions)
        parts = [rows]
        if self.layout.value or self.layout.prior:
            children = jax.vmap(self.game.unpack)(rows[:, : self.layout.state])
            parts += self._estimates(children, seed)
        return jnp.concatenate(parts, axis=1) if len(parts) > 1 else rows

    def _look(self, words: jax.Array, action: jax.Array) -> jax.Array:
        """One position's row, without estimates."""
        game = self.game
        before = game.unpack(words)
        state = _select(action >= 0, game.step(before, jnp.maximum(action, 0)), before)
        reply = jnp.int32(-1)
        if self.autoplay and isinstance(game, ForcesReplies):
            # The reply is played at once: a position with one legal move needs no evaluation of its own.
            forced = game.forced_reply(state)
            reply = jnp.where(action >= 0, forced, -1)
            state = _select(reply >= 0, game.step(state, jnp.maximum(reply, 0)), state)
        if self.canonical:
            state, _ = canonical_image(game, state)
        outcome = game.outcome(state)
        key = game.key(state)
        info = outcome.astype(jnp.uint32) | game.to_move(state).astype(jnp.uint32) << 3 | (reply + 1).astype(jnp.uint32) << 16
        if self.layout.zoned:
            foresight = game.foresee(state)
            legal = action_bits(game.legal_mask(state))
            legal = jnp.where((foresight.winner < 0) & (foresight.move >= 0), legal & foresight.zone, legal)
            info |= (foresight.winner + 1).astype(jnp.uint32) << 4
            masks, threat = [legal, jnp.zeros_like(legal), jnp.zeros_like(legal), foresight.zone], foresight.move
        else:
            *masks, threat = self._children(state)
        head = jnp.stack([key[0], key[1], info, (threat + 1).astype(jnp.uint32), self._first_numbers(state, masks[0])])
        return jnp.concatenate([game.pack(state), head, *masks])

    def _children(self, state) -> tuple[jax.Array, jax.Array, jax.Array, jax.Array]:
        if isinstance(self.game, SeesChildren):
            children: Children = self.game.children(state)
            return children.legal, children.wins, children.forced, children.threat
        legal = action_bits(self.game.legal_mask(state))
        return legal, jnp.zeros_like(legal), jnp.zeros_like(legal), jnp.int32(-1)

    def _first_numbers(self, state, legal: jax.Array) -> jax.Array:
        """uint32[]: a | b << 16.

        Where replies can be forced, the number of moves tells moves apart (mobility, Winands & Schadd 2010): a quiet move leaves about as many
        replies as its parent had moves, a forcing one leaves one. Elsewhere all moves look alike and the classic 1 / 1 is as good.
        """
        if isinstance(self.game, EstimatesNumbers):
            a, b = self.game.first_numbers(state)
        elif isinstance(self.game, ForcesReplies):
            a, b = jnp.maximum(jax.lax.population_count(legal).sum().astype(jnp.int32) - 1, 1), jnp.int32(1)
        else:
            a, b = jnp.int32(1), jnp.int32(1)
        return jnp.clip(a, 1, 32767).astype(jnp.uint32) | jnp.clip(b, 1, 32767).astype(jnp.uint32) << 16

    def _estimates(self, states, seed: jax.Array) -> list[jax.Array]:
        game, size = self.game, self.layout
        legal = jax.vmap(game.legal_mask)(states)
        if self.heads is not None:
            out = self.heads(jax.vmap(game.observe)(states), legal)
            values = jnp.concatenate([out.value[:, None], out.cost], axis=1).astype(jnp.float32)
            fractions = jnp.round(jnp.clip(jnp.where(legal, out.prior, 0.0), 0, 1) * 65535).astype(jnp.uint32)
            even = jnp.pad(fractions, ((0, 0), (0, size.actions % 2))).reshape(len(fractions), -1, 2)
            return [values.view(jnp.uint32), even[..., 0] | even[..., 1] << 16]
        keys = jax.random.split(jax.random.key(seed), legal.shape[0])
        mean = jax.vmap(self._playouts)(states, keys)
        return [jnp.stack([mean, jnp.zeros_like(mean), jnp.zeros_like(mean)], axis=1).view(jnp.uint32)]

    def _playouts(self, state, key: jax.Array) -> jax.Array:
        """float32[]: mean result of uniformly random games, for the side to move (a game cut off counts as a draw)."""
        results = jax.vmap(lambda k: self._playout(state, k))(jax.random.split(key, self.playouts))
        first = jnp.where(results == Outcome.FIRST_WINS, 1.0, jnp.where(results == Outcome.SECOND_WINS, -1.0, 0.0)).mean()
        return jnp.where(self.game.to_move(state) == 0, first, -first).astype(jnp.float32)

    def _playout(self, state, key: jax.Array) -> jax.Array:
        game = self.game

        def more(carry):
            return (game.outcome(carry[0]) == Outcome.ONGOING) & (carry[2] < self.max_playout)

        def move(carry):
            position, k, ply = carry
            k, sub = jax.random.split(k)
            noise = jax.random.bits(sub, (game.num_actions,), jnp.uint32) | 1
            action = jnp.argmax(jnp.where(game.legal_mask(position), noise, 0))
            return game.step(position, action.astype(jnp.int32)), k, ply + 1

        return game.outcome(jax.lax.while_loop(more, move, (state, key, jnp.int32(0)))[0])


def _select(condition: jax.Array, yes, no):
    return jax.tree.map(lambda x, y: jnp.where(condition, x, y), yes, no)


def canonical_image(game: Game, state) -> tuple[object, jax.Array]:
    """(image, int32[] symmetry): the symmetric image of ``state`` whose packed words come first in lexical order."""
    count = game.num_symmetries
    images = jax.vmap(lambda g: game.transform(state, g))(jnp.arange(count, dtype=jnp.int32))
    packed = jax.vmap(game.pack)(images)

    def first(best, i):
        differs = packed[i] != packed[best]
        at = jnp.argmax(differs)
        return jnp.where(differs.any() & (packed[i][at] < packed[best][at]), i, best), None

    best, _ = jax.lax.scan(first, jnp.int32(0), jnp.arange(1, count, dtype=jnp.int32))
    return jax.tree.map(lambda x: x[best], images), best


def shared_evaluator(
    game: Game, heads: Heads | None = None, playouts: int = 0, canonical: bool = False, autoplay: bool = True, foresight: bool = True
) -> Evaluator:
    """One Evaluator per setting and process, so that pooled problems and later searches share its compiled calls."""
    # Where nothing can be forced or foreseen, the setting makes no difference and must not compile a call of its own.
    rules = game if canonical else game.kernel  # symmetries are the rule set's own
    return _evaluator(rules, heads, playouts, canonical, autoplay or not isinstance(game, ForcesReplies), foresight or not isinstance(game, Foresees))


@functools.lru_cache(maxsize=64)
def _evaluator(game: Game, heads: Heads | None, playouts: int, canonical: bool, autoplay: bool, foresight: bool) -> Evaluator:
    return Evaluator(game, heads=heads, playouts=playouts, canonical=canonical, autoplay=autoplay, foresight=foresight)
