"""The evaluator: a search submits waves of positions and receives rows of words.

Killall-Go and life and death with simple ko and without a network are evaluated on the host
(``Evaluator.host_rows``). So is the first stage of games whose rows hold more than the device
finds out (``ShowsKnowledge``). All else is evaluated on the device, in two stages:

* ``submit`` applies the rules to a wave of pairs of a packed state and an action. ``collect``
  returns one row of words for each pair: the child position, its key, outcome, legal moves and, if
  the board alone shows them, winning and forcing moves.
* With a network, ``estimate`` applies it to those rows whose positions are undecided and new to the
  search, and ``fill`` adds its output to the rows.

Both stages are padded to a few fixed batch sizes, so that nothing is retraced during a search.
"""

from __future__ import annotations

import copy
import functools
import threading
import time
from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Any, Self

import jax
import numpy as np

from jaxsolve.evaluate.calls import Call, Estimates, calls_of
from jaxsolve.evaluate.layout import Layout
from jaxsolve.evaluate.padding import history_arrays, padded, without_nan
from jaxsolve.evaluate.rows import Rows
from jaxsolve.games.game import (
    DetectsWins,
    Game,
    HasForcedReply,
    HasHostRows,
    HasThreatSearch,
    HasZones,
    ShowsKnowledge,
)
from jaxsolve.games.threats import with_row_buffer
from jaxsolve.networks.heads import Heads, History

if TYPE_CHECKING:
    from typing import Any as Device  # ``jax.Device`` is a variable to type checkers

    from jaxsolve.evaluate.host_rules import HostRules
    from jaxsolve.games.host_rows import HostRows
    from jaxsolve.games.threats import ThreatSearch
    from jaxsolve.games.zones import Zoning


class Evaluator:
    """Evaluates waves of positions of one game.

    Evaluators with equal settings share compiled calls, even if the weights of their networks
    differ.

    >>> import numpy as np
    >>> from jaxsolve.games import make
    >>> evaluator = Evaluator(make("awari"))
    >>> start = np.asarray(evaluator.game.pack(evaluator.game.init()))[None]
    >>> pending = evaluator.submit(start, np.array([2], np.int32))
    >>> rows = evaluator.collect(pending, 1)
    >>> rows.shape == (1, evaluator.layout.width)
    True

    Args:
      game: rules of the positions.
      heads: a network, or None. Without a network, rows have no priors, and values only if
        ``playouts`` is above 0.
      playouts: number of uniformly random games played on the device from every position. Their
        mean result is the value of the row. Not used with a network.
      canonical: whether every child is replaced by its canonical image (``canonical_image``).
      autoplay: whether replies that the rules force are played at once. The row is then that of the
        position after the reply.
      zones: whether relevance zones, detection of wins and threat search are used, if the game has
        them (``HasZones``, ``DetectsWins``, ``HasThreatSearch``).
      max_playout: number of moves after which a random game counts as a draw.
      devices: devices over which a wave is spread; default: all devices of this process.
      host: whether compiled host code may compute the rows (``HasHostRows``). It does so only
        without network, random games, canonical images and given ``devices``. The rows are equal.
        The rules' part of rows with knowledge (``ShowsKnowledge``) is always computed there.

    Raises ValueError if the network sees earlier boards that the search cannot provide
    (``Heads.check``).
    """

    def __init__(
        self,
        game: Game,
        *,
        heads: Heads | None = None,
        playouts: int = 0,
        canonical: bool = False,
        autoplay: bool = True,
        zones: bool = True,
        max_playout: int = 2048,
        devices: Sequence[Device] | None = None,
        host: bool = True,
    ):
        self.game, self.playouts = game, playouts
        self.canonical, self.max_playout = canonical, max_playout
        # A setting without effect in this game must not lead to another compiled call.
        self.autoplay = autoplay and isinstance(game, HasForcedReply)
        # A zone is that of a position, not of its symmetric image. So searches of canonical images
        # have no zones.
        self.zones = zones and not canonical
        zoned = isinstance(game, DetectsWins) and isinstance(game, HasZones) and self.zones
        if heads is not None:
            heads.check(game, autoplay=self.autoplay, canonical=canonical)
        # Symmetries may differ between rule sets with the same kernel (``Game.kernel``).
        kernel = game if canonical else game.kernel
        network = (
            (heads.apply, heads.planes, heads.most_cost > 0)
            if heads is not None
            else (None, None, False)
        )
        rows = Rows(
            kernel, 0 if heads else playouts, max_playout, canonical, self.autoplay, zoned, *network
        )
        self.layout: Layout = rows.layout
        self._calls = calls_of(rows, tuple(devices or jax.local_devices()))
        self._heads = self._placed(heads)
        self._complete = heads is None and playouts == 0  # rows have no part of the device
        # Whether rows hold more than the device finds out.
        self.has_knowledge = zoned and isinstance(game, ShowsKnowledge) and game.shows_knowledge
        self._on_host = self.has_knowledge or (
            host and devices is None and self._complete and not self.canonical
        )
        self._clear_counters()

    def host_rows(self) -> HostRows | None:
        """Returns the game's row callback with buffers for one search.

        Returns None if the rows, or parts of them, are computed on the devices.
        """
        return self._rules_on_host() if self._complete else None

    def _rules_on_host(self) -> HostRows | None:
        if self._on_host and isinstance(self.game, HasHostRows):
            return self.game.host_rows(self.layout.values)
        return None

    @functools.cached_property
    def _host_rules(self) -> HostRules | None:
        if (host_rows := self._rules_on_host()) is None:
            return None
        from jaxsolve.evaluate.host_rules import HostRules  # imports numba

        return HostRules(host_rows)

    def zoning(self) -> Zoning | None:
        """Returns the game's zone callbacks with buffers for one search, or None without zones."""
        return zoning_of(self.game, self.zones)

    def threat_search(self) -> ThreatSearch | None:
        """Returns the game's threat search with buffers for one search.

        Returns None if the game has no threat search or ``zones`` is off.
        """
        seen = (
            self.game.threat_search()
            if self.zones and isinstance(self.game, HasThreatSearch)
            else None
        )
        return None if seen is None else with_row_buffer(seen, self.layout.width)

    @functools.cached_property
    def zone_words(self) -> int:
        """Z, the number of words of a zone; 0 without zones."""
        zoning = self.zoning()
        return 0 if zoning is None else zoning.buffers.shape[1]

    def _clear_counters(self) -> None:
        self.compile_seconds = 0.0  # CPU seconds of this process in the first call of each size
        self.device_seconds = 0.0  # wall seconds spent waiting for the device
        self._counting = threading.Lock()

    def _placed(self, heads: Heads | None) -> Heads | None:
        """Returns the network with its parameters copied to the devices."""
        return (
            None
            if heads is None
            else heads.replace(params=jax.device_put(heads.params, self._calls.whole))
        )

    # ---- networks --------------------------------------------------------------------------------
    @property
    def heads(self) -> Heads | None:
        """The network, or None.

        It may be replaced at any time by one with equal ``apply`` and ``planes`` and parameters of
        equal shapes; any other raises ValueError. Pending waves use the old one. Nothing compiles.
        """
        return self._heads

    @heads.setter
    def heads(self, heads: Heads) -> None:
        rows = self._calls.rows
        if (heads.apply, heads.planes, heads.most_cost > 0) != (
            rows.apply,
            rows.planes,
            rows.costly,
        ):
            raise ValueError(
                "only parameters can be exchanged: a network with another function or other "
                "planes needs an evaluator of its own"
            )
        assert self._heads is not None  # ``rows.apply`` would be None
        self._heads.with_params(heads.params)  # raises for other shapes
        self._heads = self._placed(heads)

    def with_params(self, params: Any) -> Self:
        """Returns an evaluator with other weights that shares the compiled calls of this one.

        Both can be used at the same time. The counters of the new one start at 0. Raises ValueError
        if this evaluator has no network, or for parameters of other shapes.
        """
        if self._heads is None:
            raise ValueError("this evaluator has no network whose parameters could be exchanged")
        other = copy.copy(self)
        other._clear_counters()
        other.heads = self._heads.replace(params=params)
        return other

    # ---- waves -----------------------------------------------------------------------------------
    def __call__(
        self, states: np.ndarray, actions: np.ndarray, seed: int = 0, history: History | None = None
    ) -> np.ndarray:
        """Evaluates a wave and waits for all results, those of the network included.

        Args:
          states: uint32[B, S], packed positions.
          actions: int32[B], moves to play; -1 evaluates the position itself.
          seed: seed of random games.
          history: earlier positions, for a network that sees them (``estimate``).

        Returns rows uint32[B, width].
        """
        rows = self.collect(self.submit(states, actions, seed), len(states))
        return (
            rows
            if self._heads is None
            else self.fill(rows, self.estimate(rows, np.arange(len(rows)), history))
        )

    def submit(
        self, states: np.ndarray, actions: np.ndarray, seed: int = 0
    ) -> jax.Array | np.ndarray:
        """Starts the evaluation of a wave by the rules, without waiting.

        Args:
          states: uint32[B, S], packed positions.
          actions: int32[B], moves to play; -1 evaluates the position itself.
          seed: seed of random games.

        Returns the rows, for ``collect``: on the device, or complete if the host computes them.

        Raises ValueError for more positions than the largest of ``BATCH_SIZES``.
        """
        call = self._calls.rules_rows
        size = call.size(len(states))
        if self._host_rules is None:
            return self._start(
                call, size, padded(states, size), padded(actions, size, -1), np.uint32(seed)
            )
        rows = self._host_rules(states, actions)
        if not self.playouts or self._heads is not None:
            return rows
        states = rows[:, : self.layout.state]
        played = self._start(
            call, size, padded(states, size), np.full(size, -1, np.int32), np.uint32(seed)
        )
        # The value of the random games is the only word that the host has not computed.
        return np.concatenate([rows, self._wait(played)[: len(rows), self.layout.values :]], axis=1)

    def collect(self, rows: jax.Array | np.ndarray, count: int) -> np.ndarray:
        """Waits for the wave that ``submit`` has started, of ``count`` positions.

        Returns rows uint32[count, width], read-only. With a network, its words are 0 until
        ``fill``.
        """
        out = self._wait(rows)[:count]
        if out.shape[1] < self.layout.width:
            out = np.concatenate(
                [out, np.zeros((count, self.layout.width - out.shape[1]), np.uint32)], axis=1
            )
            out.flags.writeable = False
        return out

    def estimate(
        self, rows: np.ndarray, which: np.ndarray, history: History | None = None
    ) -> Estimates:
        """Starts the network on some rows of a collected wave, without waiting.

        Args:
          rows: uint32[B, width], rows from ``collect``.
          which: int[k], indices of the rows to evaluate; k may be 0.
          history: earlier positions of each of these rows, for a network that sees earlier boards.
            Without them such a network receives empty boards.

        Raises ValueError without a network, or for more rows than the largest of
        ``ESTIMATE_SIZES``.
        """
        heads, call = self._heads, self._calls.estimate
        if heads is None or call is None:
            raise ValueError("this evaluator has no network")
        which = np.asarray(which)
        if not len(which):
            return Estimates(
                which, np.zeros((0, self.layout.width - self.layout.values), np.uint32)
            )
        size = call.size(len(which))
        arrays = [padded(rows[which, : self.layout.state], size)]
        if heads.boards > 1:
            arrays += history_arrays(history, (size, heads.boards - 1, self.game.state_words))
        return Estimates(which, self._start(call, size, heads.params, *arrays))

    def fill(self, rows: np.ndarray, estimates: Estimates) -> np.ndarray:
        """Waits for the network, writes its output into ``rows``, and returns ``rows``.

        A row for which the network returns a NaN gets equal priors, value 0 and costs 0. A warning
        is logged once for each network.
        """
        assert self._heads is not None
        words = self._wait(estimates.words)[: len(estimates.which)]
        words = without_nan(words, self._heads.label)
        rows.flags.writeable = True
        rows[estimates.which, self.layout.values :] = words
        rows.flags.writeable = False
        return rows

    def compile(self, sizes: Iterable[int] | None = None) -> None:
        """Compiles the calls for waves of the given numbers of positions.

        By default those for all batch sizes are compiled.
        """
        rules, estimate = self._calls.rules_rows, self._calls.estimate
        start = self.game.host_pack(self.game.init())[None]
        if self._host_rules is not None:
            self.submit(start, np.full(1, -1, np.int32))
            if self._complete:
                return
        sizes = {rules.size(count) for count in (rules.sizes if sizes is None else sizes)}
        hosted = self._host_rules is not None and not self.playouts
        for size in set() if hosted else sizes - rules.compiled.keys():
            self.submit(np.repeat(start, size, 0), np.full(size, -1, np.int32))
        if estimate is not None:
            row = np.pad(start, ((0, 0), (0, self.layout.width - start.shape[1])))
            for size in estimate.sizes:  # any part of a wave may be new
                if size <= max(sizes, default=0) and size not in estimate.compiled:
                    self.estimate(row, np.zeros(size, np.int64))

    def images(self, words: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Returns the canonical images of positions if the evaluator is ``canonical``.

        Otherwise returns the positions themselves.

        Args:
          words: uint32[B, S], packed positions.

        Returns (uint32[B, S] images, int32[B] symmetry applied to each position).
        """
        if not self.canonical:
            return words, np.zeros(len(words), np.int32)
        call, parts = self._calls.image, []
        for at in range(0, len(words), call.sizes[-1]):
            part = words[at : at + call.sizes[-1]]
            size = call.size(len(part))
            parts.append(
                [np.asarray(x)[: len(part)] for x in self._start(call, size, padded(part, size))]
            )
        return np.concatenate([p[0] for p in parts]), np.concatenate([p[1] for p in parts])

    # ---- inside ----------------------------------------------------------------------------------
    def _start(self, call: Call, size: int, *arguments: Any) -> Any:
        """Calls a function for a batch size, and starts the transfer of its results to the host."""
        function = call.compiled.get(size)
        if function is not None:
            out = function(*arguments)
            if self._calls.sends_home:
                jax.tree.map(lambda x: x.copy_to_host_async(), out)
            return out
        out, seconds = call.first(size, *arguments)
        with self._counting:
            self.compile_seconds += seconds
        return out

    def _wait(self, words: jax.Array | np.ndarray) -> np.ndarray:
        start = time.perf_counter()
        out = np.asarray(words)
        with self._counting:
            self.device_seconds += time.perf_counter() - start
        return out


def zoning_of(game: Game, zones: bool) -> Zoning | None:
    """Returns the zone callbacks of ``game``, or None if it has none or ``zones`` is False."""
    return game.zoning() if zones and isinstance(game, HasZones) else None
