"""One search: a tree, paths in the tree, and the waves of leaves that an evaluator evaluates."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from jaxsolve.games.host_rows import HostRows
from jaxsolve.games.zones import has_plans
from jaxsolve.question import Claim, Verdict
from jaxsolve.search.methods import Method
from jaxsolve.search.methods.pns.graph import frontier, level_order
from jaxsolve.search.run.allocator import Allocator
from jaxsolve.search.run.move_order import MoveOrder
from jaxsolve.search.run.restarts import Restarts
from jaxsolve.search.run.steps import SearchSteps
from jaxsolve.search.run.warm_up import host_rows_for, warm_up
from jaxsolve.search.run.width import SLICE, own_wave, refuse_unsearchable, slice_of, width_of
from jaxsolve.search.tree.claim_codes import claim_codes
from jaxsolve.search.tree.eviction import Eviction, MemoryFull
from jaxsolve.search.tree.expansion import EVALUATED, EXPANDED, place
from jaxsolve.search.tree.paths import forget_thresholds, new_leaves, new_paths
from jaxsolve.search.tree.tree import (
    CUT,
    FULL,
    INF,
    LOOPS,
    NODES,
    NONE,
    SOLVED_FLAG,
    Tree,
    roomier,
)

FIRST_PROPAGATION = 256  # expansions before decisions are first propagated through the graph
LogSink = Callable[[np.ndarray, np.ndarray, np.ndarray], None]
"""Function that receives decided positions in the order of decision, children before parents.

Its arguments are (states uint32[n, S], moves int32[n], zones uint32[n, Z]), as in
``tree.paths.Log``.
"""


class Search:
    """A search in progress: ``advance`` and ``absorb`` alternate.

    ``verdict`` is None until the root is decided or nothing is left to try.

    Args:
      allocate: the position, its claims and the memory.
      sink: receives decided positions.
      width: leaves of all flights together; None = the method's own.
      flights: waves in flight at a time.

    Raises:
      MemoryFull: the budget cannot hold the root.
      ValueError: the game has more actions than a tree can list, ``flights`` is below 1, the
        method has neither a fallback nor proof numbers, or it leaves actions out of its order.
    """

    def __init__(
        self,
        allocate: Allocator,
        method: Method,
        *,
        sink: LogSink,
        seed: int = 0,
        width: int | None = None,
        flights: int = 2,
    ):
        game, evaluator, max_nodes = allocate.game, allocate.evaluator, allocate.max_nodes
        refuse_unsearchable(game, method, flights)
        planned = has_plans(evaluator.zoning())
        method = method if not planned or allocate.plans_for_claim() else method.without_plans()
        self.game, self.method, self.evaluator, self.sink = game, method, evaluator, sink
        self.claims = allocate.claims
        self.claim_index = 0  # index of the claim that is being searched
        self.verdict: Verdict | None = None
        self.seed = (seed ^ seed >> 32) & 0xFFFFFFFF  # a seed on the device has 32 bits
        self.waves = 0
        self.eviction = Eviction()
        self.order = MoveOrder(game.num_actions, seed)
        self._allocate = allocate
        self._first_method = method
        guided = planned or evaluator.threat_search() is not None
        # Without a given wave, leaves are evaluated on the host if possible.
        self._host_rows = host_rows_for(method, evaluator, width)
        flights = flights if self._host_rows is None else 1
        wave = width or own_wave(method, guided, self._host_rows is not None)
        self.group, self.flights = width_of(wave, flights, max_nodes)
        self._widest = self.group  # number of these paths that the present configuration uses
        self._exhausted: np.ndarray | None = None  # uint8[N] during the frontier search
        self._propagated_at = FIRST_PROPAGATION  # expansions at the last propagation
        self._log_was_full = False
        self.work = allocate.workspace(method, self.group * flights, self.group, self.order.initial)
        self.order.compute(method, self.work)
        self._buffers = [new_leaves(self.group, game.state_words) for _ in range(flights)]
        self._start()
        restarts = None
        if guided and len(self.claims) == 1 and self.tree.counters[NODES]:
            restarts = Restarts(method, planned=planned, moves=int(self.tree.nodes[0]["moves"]))
        self.steps = SearchSteps(restarts)

    # ---- tree ------------------------------------------------------------------------------------
    @property
    def tree(self) -> Tree:
        """The present tree. The object is replaced when its hash table grows."""
        return self.work.tree

    def _start(self) -> None:
        work = self.work
        row = self.evaluator(self._allocate.root[None], np.full(1, -1, np.int32), self.seed)
        work.tallies[EVALUATED] += 1
        child, _ = place(work.tree, row[0], 0, work.offsets, work.order, work.tallies)
        if child == NONE:
            raise MemoryFull
        # ``Outcome`` of a root that its row decides, else 0.
        self._root_code = -1 - int(child) if child < 0 else 0
        if child < 0:
            self._judge_root()
            return
        work.tree.nodes[0]["pins"] = 1
        self.method.start(work, 0)
        self.drain()

    def _judge_root(self) -> None:
        value = int(self.work.claim.verdicts[self._root_code])
        self.verdict = {1: Verdict.PROVED, -1: Verdict.DISPROVED, 0: Verdict.UNKNOWN}[value]

    def _rebuild(self) -> None:
        """Starts again with an empty tree. The pattern table is kept: it is valid for the claim.

        A search of several claims has no patterns.
        """
        tree = self._allocate.tree(self.method)._replace(patterns=self.tree.patterns)
        self.work = self.work._replace(tree=tree, paths=new_paths(*self.work.paths.nodes.shape))
        self._exhausted = None
        self._start()

    def grow_table(self, more: int) -> None:
        """Makes the hash table large enough for ``more`` further positions."""
        self.work = self.work._replace(tree=roomier(self.tree, more))

    def make_space(self) -> None:
        """Grows the table, or evicts nodes of a full tree. Raises MemoryFull."""
        self.grow_table(max(self.group * self.flights, SLICE[1]))
        self.eviction.free_memory(self.tree, self.expanded, self.retreat)

    # ---- claims and decisions --------------------------------------------------------------------
    @property
    def claim(self) -> Claim:
        """The present claim, or the last one if the search has ended."""
        return self.claims[self.claim_index]

    def next_claim(self) -> bool:
        """Continues with the next claim over the same tree. Returns False if there is none.

        No wave may be in flight. Proved positions stay proved.
        """
        if self.claim_index + 1 == len(self.claims):
            return False
        self.retreat()  # before the claim changes: the backup uses the old claim
        self.claim_index += 1
        self.verdict = None
        codes = claim_codes(self.game, self.claim, self.evaluator.layout)
        self.work = self.work._replace(claim=codes)
        if self._root_code:
            self._judge_root()
        elif self.method.reopen(self.work):
            self.propagate()
        else:
            self._rebuild()
        return True

    def propagate(self) -> None:
        """Propagates decisions through the whole graph until no further node is decided."""
        if self.verdict is not None:
            return
        self._propagated_at = max(FIRST_PROPAGATION, self.expanded)
        if not self.tree.counters[NODES]:
            return
        order = level_order(self.tree, self.work.claim.may_repeat)
        more = True
        while more:
            left, more = len(order), False
            while left:
                left, decided = self.method.propagate(self.work, order, left)
                self.drain()
                more = more or decided
        self.finish_if_decided()

    def finish_if_decided(self) -> None:
        """Sets the verdict if the root is decided. (UNKNOWN if a length cap decided the root.)"""
        root = self.tree.nodes[0]
        if self.verdict is not None or not root["marks"] & SOLVED_FLAG:
            return
        if root["pn"] == 0 and root["dn"] == INF:
            self.verdict = Verdict.PROVED
        elif root["dn"] == 0 and root["pn"] == INF:
            self.verdict = Verdict.DISPROVED
        else:
            self.verdict = Verdict.UNKNOWN

    def drain(self, decided: bool = False) -> None:
        """Empties the log into the sink. Sets the verdict if the root is ``decided``."""
        log = self.work.log
        count = int(log.used[0])
        self._log_was_full = 2 * count > len(log.moves)
        if count:
            self.sink(log.states[:count].copy(), log.moves[:count].copy(), log.zones[:count].copy())
            log.used[0] = 0
        if decided:
            self.finish_if_decided()

    # ---- waves -----------------------------------------------------------------------------------
    def owners(self, flight: int) -> np.ndarray:
        """Returns the path of each leaf in the wave of a flight, int64[group]."""
        return self._buffers[flight].owners

    def advance(self, flight: int, most: int | None = None) -> tuple[np.ndarray, np.ndarray, int]:
        """Advances a flight that is not in the air, by at most ``most`` leaves.

        A search with waves selects the leaves of the next wave, for the caller to evaluate. A
        search on the host has a single flight and evaluates leaves itself. It selects leaves for
        the caller only during the frontier search.

        Returns the leaves for the caller: (states uint32[n, S], actions int32[n], n). n may be 0.
        Raises MemoryFull.
        """
        states, actions, _ = self._buffers[min(flight, self.flights - 1)]
        count = self._advance(flight, most) if flight < self.flights and self._prepare() else 0
        return states[:count], actions[:count], count

    def _prepare(self) -> bool:
        """Applies what is due before a wave or slice. Returns whether the search can advance."""
        if not self.steps.prepare_wave(self) or self.verdict is not None:
            return False
        self.order.update(self.method, self.work)
        factor = 1.5 if self.at_frontier else 2.0
        if self.tree.counters[LOOPS] and self.expanded >= factor * self._propagated_at:
            self.propagate()
        return True

    def _advance(self, flight: int, most: int | None) -> int:
        """Advances the frontier search or the method. Returns the number of leaves selected."""
        sliced = self._host_rows is not None and not self.at_frontier
        widest = slice_of(self.expanded) if sliced else self._widest
        most = widest if most is None else max(0, min(most, widest))
        if self.at_frontier:
            count = self._select_frontier(flight, most)
            if count or self.verdict is not None:
                return count
        if self._host_rows is None:
            count = found = self._select_wave(flight, most)
        else:
            count, found = 0, self._run_slice(self._host_rows, most)
        done = found > 0 or most == 0 or self.verdict is not None
        return count if done else self._continue(flight, most)

    def _select_wave(self, flight: int, most: int) -> int:
        """Takes the first ``most`` paths of a flight to leaves. Returns the number of leaves."""
        first, leaves = flight * self.group, self._buffers[flight]
        count, decided = self.method.select(self.work, first, first + most, *leaves)
        self.drain(decided)
        return count

    def _run_slice(self, host_rows: HostRows, most: int) -> int:
        """Evaluates up to ``most`` leaves on the host. Returns the number of leaves evaluated."""
        count, decided = self.method.run(self.work, host_rows, self._widest, most)
        self.drain(decided)
        return count

    def _continue(self, flight: int, most: int) -> int:
        """Continues where no path has found a leaf. Returns the number of leaves for the caller."""
        paths, first = self.work.paths, flight * self.group
        if paths.flying.any() or self.tree.counters[FULL] or self._log_was_full:
            return 0  # there may be leaves after a backup, after eviction, or now
        if not paths.depth.any():
            return self.steps.exhausted(self, flight, most)
        # A path stays below the root if its descent was too long for one call, or if it is not
        # among the first ``most``. These continue from where they stand, others from the root.
        if not paths.depth[first : first + most].any():
            self.release(0, len(paths.depth))
        return 0

    def absorb(self, flight: int, rows: np.ndarray) -> None:
        """Backs up the rows uint32[n, width] of the leaves that ``advance`` has returned."""
        owners, taken = self.owners(flight), 0
        while taken < len(rows):
            taken = self.method.absorb(self.work, owners, taken, len(rows), rows)
            self.drain()
        self.waves += 1

    def retreat(self) -> None:
        """Moves all paths that are not in flight back up to the root."""
        if self.tree.counters[NODES]:
            self.release(0, len(self.work.paths.depth))

    def release(self, first: int, last: int) -> None:
        """Moves the paths among ``first..last-1`` that are not in flight back up to the root."""
        while first < last:
            first = self.method.release(self.work, first, last)
            self.drain()

    # ---- interface of the steps ------------------------------------------------------------------
    def restart(self, configuration: Method) -> None:
        """Restarts with another method, an empty tree and the same patterns. No wave may fly."""
        self.method, self.eviction = configuration, Eviction()
        self._propagated_at = self.expanded + FIRST_PROPAGATION
        self._widest = (
            self.group
            if configuration.wave >= self._first_method.wave
            else min(self.group, -(-configuration.wave // self.flights))
        )
        self._warm_up()
        self._rebuild()
        if not self.tree.zoning.planes[0]:
            # Runs without patterns are independent, also in their order of moves.
            self.order.forget(self.work)
        self.order.compute(configuration, self.work)

    def fall_back(self, fallback: Method) -> None:
        """Continues with another method, in the same tree if the method can use its edges."""
        keep = self.method.shares_tree(fallback)
        self.method, self._widest = fallback, self.group
        self._warm_up()
        self.order.compute(fallback, self.work)
        if keep:
            forget_thresholds(self.work.paths)  # those of the previous method
            fallback.reset_hopeless(self.work)
        else:
            self._rebuild()

    def _warm_up(self) -> None:
        hosted = self._host_rows is not None
        warm_up(self.method, self.game.may_repeat, self.evaluator.layout.zoned, hosted)

    def retry_all_moves(self) -> None:
        """Resets the numbers that exclude undecided moves, then propagates all decisions."""
        self.method.reset_hopeless(self.work)
        self.propagate()

    @property
    def at_frontier(self) -> bool:
        """Whether the frontier search is active. It replaces the method's selection."""
        return self._exhausted is not None

    def open_frontier(self, flight: int, most: int) -> int:
        """Starts the frontier search: selects the unvisited moves that are nearest to the root.

        Returns the number of leaves selected for the flight, at most ``most``.
        """
        # The last propagation may have decided positions on the shortest paths. ``frontier`` needs
        # the levels without these positions.
        level_order(self.tree, self.work.claim.may_repeat)
        self.tree.counters[CUT] = 0
        self._exhausted = np.zeros(len(self.tree.nodes), np.uint8)
        return self._select_frontier(flight, most)

    def _select_frontier(self, flight: int, most: int) -> int:
        work, first = self.work, flight * self.group
        assert self._exhausted is not None
        leaves, last = self._buffers[flight], first + min(most, self.group)
        count = frontier(work.tree, work.paths, first, last, self._exhausted, leaves)
        if count == 0 and not work.paths.flying.any():
            self._exhausted = None
        return count

    # ---- counts ----------------------------------------------------------------------------------
    @property
    def expanded(self) -> int:
        """Number of positions expanded so far, that is, of nodes created."""
        return int(self.work.tallies[EXPANDED])

    @property
    def evaluated(self) -> int:
        """Number of positions sent to the evaluator so far."""
        return int(self.work.tallies[EVALUATED])

    @property
    def in_flight(self) -> int:
        """Number of leaves that are being evaluated."""
        return int(self.work.paths.flying.sum())

    @property
    def longest(self) -> int:
        """Number of moves of the longest line that a path can follow."""
        return self.work.paths.nodes.shape[1] - 1

    @property
    def cut(self) -> bool:
        """Whether the last frontier search left out a line of more than ``longest`` moves."""
        return bool(self.tree.counters[CUT])

    @property
    def capacity(self) -> int:
        """About how many positions the tree can hold at a time."""
        return self._allocate.capacity(self.method)
