"""One search: a tree, its paths, and the waves that it exchanges with an evaluator."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np

from jaxsolve.evaluate import Evaluator, History
from jaxsolve.games.game import Game
from jaxsolve.games.zones import has_plans, pattern_planes
from jaxsolve.question import Claim, Verdict
from jaxsolve.search.methods import Method, Workspace
from jaxsolve.search.methods.pns.graph import frontier, level_order
from jaxsolve.search.result import Progress
from jaxsolve.search.run.restarts import Restarts
from jaxsolve.search.run.warm_up import warm_up
from jaxsolve.search.tree.claim_codes import claim_codes
from jaxsolve.search.tree.eviction import Eviction, MemoryFull
from jaxsolve.search.tree.expansion import EVALUATED, EXPANDED, enter_decided, fresh_rows, place
from jaxsolve.search.tree.paths import Leaves, forget_limits, new_log, new_paths
from jaxsolve.search.tree.patterns import order_points
from jaxsolve.search.tree.tree import (
    ACTION,
    CUT,
    EDGE,
    EVICTED,
    FULL,
    INF,
    KEEP,
    LIVE,
    LOOPS,
    MOST_MOVES,
    NODE,
    NODES,
    NONE,
    SOLVED_FLAG,
    Tree,
    new_tree,
    roomier,
)
from jaxsolve.search.tree.zones import enter_patterns

MAX_DEPTH = 1024  # longest path; a longer one is not followed, which can cost an answer but never falsify one
FIRST_WINS = 16  # decisions before moves are put in another order
MOST_BEGUN = 1 << 14  # positions that a search begins with, patterns apart
ADOPTED = 256  # positions adopted in one call of the evaluator
MAX_PATHS = 32_000  # that may stand below one node: it counts them in 16 bits
PLANNED_WAVE = 32  # most leaves at a time where plans or chances give first numbers: they tell more than a full wave (of 8 to 128 it solved most)
TURNOVERS = 32  # how often a table may be evicted whole before a method gives way to a plainer one

LogSink = Callable[[np.ndarray, np.ndarray, np.ndarray], None]
"""Receives (states uint32[n, S], moves int32[n], zones uint32[n, Z]) of positions as they are decided, children before parents."""


class Search:
    """A search in progress. ``select`` and ``absorb`` alternate; ``verdict`` is None until the root is decided or nothing is left to try.

    Args:
      root: uint32[S] packed root position (its canonical image if the evaluator is canonical).
      claims: what to ask, the strongest first: each of the others must hold wherever one before it does. ``ask_next`` goes on with the next.
      sink: receives decided positions.
      budget: bytes for the tree with its table; when they are used up, the least worked-on positions are forgotten.
      max_nodes: optional bound on table entries, for tests of tiny tables.
      width: leaves of all flights together; None = the method's own.
      flights: waves that may be under way at a time.

    Raises:
      MemoryFull: the budget cannot hold the root.
      ValueError: the game has more actions than a tree can list, ``flights`` is below 1, the method has no plainer one and no proof numbers, or it
        leaves actions out of its order.
    """

    def __init__(
        self,
        game: Game,
        root: np.ndarray,
        claims: Sequence[Claim],
        method: Method,
        evaluator: Evaluator,
        *,
        sink: LogSink,
        budget: int,
        max_nodes: int | None = None,
        seed: int = 0,
        width: int | None = None,
        flights: int = 2,
    ):
        if method.fallback is None and not method.keeps_proof_numbers:
            raise ValueError(
                f"method {method.name!r} has no plainer one to give way to, and keeps no proof numbers that could be read to the end"
            )
        if flights < 1:
            raise ValueError(f"{flights} waves at a time: give 1 or more")
        if game.num_actions > min(MOST_MOVES, ACTION):
            raise ValueError(
                f"{game.rule_set} has {game.num_actions} actions; a search can list {min(MOST_MOVES, ACTION)}"
            )
        self.game, self.claims, self.method, self.evaluator, self.sink = (
            game,
            tuple(claims),
            method,
            evaluator,
            sink,
        )
        self.asked = 0  # the claim that is being searched
        self.verdict: Verdict | None = None
        self.seed, self.waves, self.flights = (
            (seed ^ seed >> 32) & 0xFFFFFFFF,
            0,
            flights,
        )  # the device takes 32 bits
        self._budget, self._max_nodes = budget, max_nodes
        zoning = evaluator.zoning()
        planned = has_plans(zoning)
        guided = planned or evaluator.threat_search() is not None
        wave = min(method.wave, PLANNED_WAVE) if guided else method.wave
        width = max(1, min(width or wave, (max_nodes or 1 << 30) // 32, MAX_PATHS))
        self.group = self._widest = max(
            1, -(-width // flights)
        )  # paths of a flight, and how many of them the present form takes
        self._root = np.asarray(root, np.uint32)
        self._first_order = np.arange(game.num_actions, dtype=np.int32)
        if seed:
            np.random.default_rng(seed).shuffle(self._first_order)
        self._order_at = FIRST_WINS  # wins when moves are next put in another order
        depth = min(MAX_DEPTH, max(4, (max_nodes or 1 << 30) // 2))
        paths = new_paths(self.group * flights, depth)
        log = new_log(
            self.group * 4 + 2 * depth + 8, game.state_words, evaluator.zone_words, game.num_actions
        )
        order = np.stack([self._first_order] * 2)
        self.work = Workspace(
            self._new_tree(),
            paths,
            claim_codes(game, self.claims[0]),
            evaluator.layout.offsets,
            order,
            log,
            np.zeros(2, np.int64),
        )
        self._put_in_order()
        self._buffers = [
            (
                np.zeros((self.group, game.state_words), np.uint32),
                np.zeros(self.group, np.int32),
                np.zeros(self.group, np.int64),
            )
            for _ in range(flights)
        ]
        self._exhausted: np.ndarray | None = None  # during an episode of ``repetition.frontier``
        self._looked_again_at = -1  # evaluations when the search last ran out of ways
        self._settled_at = 256  # expansions when decisions were last spread through the whole graph
        self._room = Eviction()
        self._log_was_full = False
        self._first_form = method
        self._attempts = (
            Restarts(method, planned=planned) if guided and len(self.claims) == 1 else None
        )
        self._start()

    def _new_tree(self) -> Tree:
        evaluator, words = self.evaluator, (self.method.extra_words, self._max_nodes)
        tree = new_tree(
            self._budget,
            self.game.state_words,
            evaluator.zoning(),
            words[0],
            nodes=words[1],
            threat_search=evaluator.threat_search(),
        )
        tree.counters[KEEP] = int(len(self.claims) > 1)
        if tree.zoning.planes[0]:
            order_points(tree.patterns, pattern_planes(tree.zoning, self._root)[1])
        return tree

    @property
    def tree(self) -> Tree:
        """The tree as it is now; its table is exchanged for a larger one as it grows."""
        return self.work.tree

    @property
    def claim(self) -> Claim:
        """The claim that is being searched, or was last."""
        return self.claims[self.asked]

    def _start(self) -> None:
        row = self.evaluator(self._root[None], np.full(1, -1, np.int32), self.seed)
        self.work.tallies[EVALUATED] += 1
        work = self.work
        child, _ = place(work.tree, row[0], 0, work.offsets, work.order, work.tallies)
        if child == NONE:
            raise MemoryFull
        if child < 0:
            self._on_sight = -1 - int(child)
            self._judge_on_sight()
            return
        self._on_sight = 0
        work.tree.nodes[0]["pins"] = 1
        self.method.start(work, 0)
        self._drain()

    def _judge_on_sight(self) -> None:
        said = int(self.work.claim.verdicts[self._on_sight])
        self.verdict = {1: Verdict.PROVED, -1: Verdict.DISPROVED, 0: Verdict.UNKNOWN}[said]

    # ---- questions and decisions -----------------------------------------------------------------------------------
    def ask_next(self) -> bool:
        """Goes on with the next claim over the same tree, no wave being in flight; False if there is none. What is proved stays proved."""
        if self.asked + 1 == len(self.claims):
            return False
        self.retreat()  # while its numbers are still those of the claim before
        self.asked += 1
        self.verdict = None
        self.work = self.work._replace(claim=claim_codes(self.game, self.claim))
        if self._on_sight:
            self._judge_on_sight()
            return True
        if self.method.reopen(self.work):
            self._settle()
        else:
            self._restart()
        return True

    def retreat(self) -> None:
        """Takes all paths back to the root, no wave being in flight; what that decides goes to the sink."""
        if self.tree.counters[NODES]:
            self._release(0, len(self.work.paths.depth))

    def _restart(self) -> None:
        tree = self._new_tree()._replace(
            patterns=self.tree.patterns
        )  # these stay true; a search of several claims has none
        self.work = self.work._replace(tree=tree, paths=new_paths(*self.work.paths.nodes.shape))
        self._exhausted = None
        self._start()

    def adopt(
        self,
        states: np.ndarray,
        moves: np.ndarray,
        zones: np.ndarray,
        *,
        known: bool,
        spread: bool = True,
    ) -> None:
        """Enters positions decided elsewhere, at any time: uint32[n, S] states, int32[n] moves, uint32[n, Z] zones as a proof log keeps them.

        Children stand before parents. Unless they are ``known`` to the sink already, they go to it too. What follows from them is found at once,
        or by ``spread``.
        """
        if self.verdict is not None or not len(states):
            return
        work = self.work
        if not known:
            self.sink(states, moves, zones)
        if not self.tree.counters[FULL] or self._room.helped(self.expanded):
            self._make_room()  # not again and again: what finds no room is left out, and its record in the log stays
        # Not counted: another search expanded them.
        tallies = np.zeros_like(work.tallies)
        for at in range(0, len(states), ADOPTED):
            part = slice(at, at + ADOPTED)
            self._grow_table(ADOPTED)
            rows = self._rows(np.ascontiguousarray(states[part]))
            decided = (
                np.array(moves[part]),
                np.array(zones[part]),
            )  # those of a log may be read-only: another type, for which nothing is compiled
            enter_decided(self.work._replace(tallies=tallies), rows, *decided)
        if spread:
            self._settle()

    def begin_with(self, states: np.ndarray, moves: np.ndarray, zones: np.ndarray) -> None:
        """As ``adopt``, at the beginning: the sink has them already, and they become patterns; only those that can be none get nodes of their own."""
        if not len(states) or self.verdict is not None:
            return
        states, moves, zones = (
            np.array(each) for each in (states, moves, zones)
        )  # not read-only, nor parts of rows
        left = np.zeros(len(states), np.bool_)
        enter_patterns(self.tree, states, moves, zones, left)
        newest = np.flatnonzero(left)[-min(MOST_BEGUN, self.room // 2) :]
        self.adopt(states[newest], moves[newest], zones[newest], known=True)

    def _rows(self, states: np.ndarray) -> np.ndarray:
        """Rows of positions as they stand. A network is asked only where a later claim may open them again."""
        actions = np.full(len(states), -1, np.int32)
        if self.tree.counters[KEEP]:
            return self.evaluator(states, actions, self.seed)
        return self.evaluator.collect(
            self.evaluator.submit(states, actions, self.seed), len(states)
        )

    def spread(self) -> None:
        """Finds what follows from positions adopted without it."""
        if self.verdict is None:
            self._settle()

    def _finish_if_decided(self) -> None:
        root = self.tree.nodes[0]
        if self.verdict is not None or not root["marks"] & SOLVED_FLAG:
            return
        if root["pn"] == 0 and root["dn"] == INF:
            self.verdict = Verdict.PROVED
        elif root["dn"] == 0 and root["pn"] == INF:
            self.verdict = Verdict.DISPROVED
        else:
            self.verdict = Verdict.UNKNOWN

    # ---- waves -----------------------------------------------------------------------------------------------------
    def select(self, flight: int, most: int | None = None) -> tuple[np.ndarray, np.ndarray, int]:
        """(states uint32[n, S], actions int32[n], n) of the next leaves of a flight that is not under way, at most ``most``; n may be 0."""
        states, actions, _ = self._buffers[flight]
        count = 0
        if self._room.hopeless(self.expanded) and self.work.paths.flying.any():
            return (
                states[:0],
                actions[:0],
                0,
            )  # paths in flight hold their positions: only when they have come back is it sure that nothing fits
        if self._has_run_long() and self.work.paths.flying.any():
            return states[:0], actions[:0], 0
        if self._has_run_long():
            self._begin_anew()
        if self.verdict is None:
            self._make_room()
            if self._outgrown():
                return states[:0], actions[:0], 0
            self._reorder()
            if (
                self.tree.counters[LOOPS]
                and self.expanded >= (2.0 if self._exhausted is None else 1.5) * self._settled_at
            ):
                self._settle()
            count = self._select(
                flight, self._widest if most is None else max(0, min(most, self._widest))
            )
        return states[:count], actions[:count], count

    def _reorder(self) -> None:
        """Has moves listed in another order from now on, whenever a quarter more positions have been decided by a move."""
        wins = int(self.work.log.wins.sum())
        if wins >= self._order_at:
            self._order_at = FIRST_WINS + int(1.25 * wins)
            self._put_in_order()

    def _put_in_order(self) -> None:
        self.method.put_in_order(self.work, self._first_order)
        if (
            np.sort(self.work.order) != np.arange(self.game.num_actions)
        ).any():  # compiled code would look for the missing ones for ever
            raise ValueError(
                f"method {self.method.name!r} put the moves in an order that does not hold each action once for either mover"
            )

    def _select(self, flight: int, most: int) -> int:
        first = flight * self.group
        if self._exhausted is not None:
            count = self._select_frontier(flight, most)
            if count or self.verdict is not None:
                return count
        count, decided = self.method.select(self.work, first, first + most, *self._buffers[flight])
        self._drain()
        waits = (
            count > 0
            or most == 0
            or self.work.paths.flying.any()
            or self.tree.counters[FULL]
            or self._log_was_full
        )
        if decided:
            self._finish_if_decided()
        elif not waits and not self._bring_back(first, first + most):
            return self._out_of_ways(flight, most)
        return count

    def _bring_back(self, first: int, last: int) -> bool:
        """Whether walks are not at their end though none is in flight: paths ``first..last-1`` go on from where they stand, others from the root.

        Others stand below it where fewer leaves were asked for than the last time, or where a walk was too long for one call.
        """
        depth = self.work.paths.depth
        if not depth.any():
            return False
        if not depth[first:last].any():
            self._release(0, len(depth))
        return True

    def absorb(self, flight: int, rows: np.ndarray) -> None:
        """Takes the evaluator's rows uint32[n, width] for the last ``select`` of this flight."""
        owners, taken = self._buffers[flight][2], 0
        while taken < len(rows):
            taken = self.method.absorb(self.work, owners, taken, len(rows), rows)
            self._drain()
        self.waves += 1

    def fresh(self, rows: np.ndarray) -> np.ndarray:
        """int64[k]: the rows of a wave that are undecided and new to the table, those that a network is asked about."""
        found = np.empty(len(rows), np.int64)
        return found[: fresh_rows(self.tree, rows, len(rows), self.work.offsets, found)]

    def history(self, flight: int, which: np.ndarray, boards: int) -> History:
        """The positions before leaves ``which`` of this flight's wave on their paths, newest first, for a network that looks at ``boards`` boards."""
        states = np.zeros((len(which), boards - 1, self.game.state_words), np.uint32)
        counts = np.zeros(len(which), np.int32)
        paths, owners = self.work.paths, self._buffers[flight][2]
        for i, leaf in enumerate(which):
            path = owners[leaf]
            before = paths.nodes[path, : paths.depth[path] + 1][::-1][: boards - 1]
            states[i, : len(before)] = self.tree.states[before]
            counts[i] = len(before)
        return History(states, counts)

    # ---- attempts ----------------------------------------------------------------------------------------------------
    def _has_run_long(self) -> bool:
        """Whether it is time for another attempt (not at the end, when only the nearest positions are left)."""
        return (
            self._attempts is not None
            and self._attempts.over(self.expanded)
            and self.verdict is None
            and self._exhausted is None
        )

    def _begin_anew(self) -> None:
        """Begins anew with the method in another form, no wave being in flight; patterns keep what has been proved."""
        assert self._attempts is not None
        self.retreat()
        self._finish_if_decided()
        if self.verdict is not None:
            return
        self.method, self._room, self._settled_at = (
            self._attempts.another(self.expanded),
            Eviction(),
            self.expanded + 256,
        )
        self._widest = (
            self.group
            if self.method.wave >= self._first_form.wave
            else min(self.group, -(-self.method.wave // self.flights))
        )
        self._restart()
        if not self.tree.zoning.planes[0]:
            self.work.log.wins[:] = (
                0  # an attempt that nothing else has come down to is another one in this too
            )
            self._order_at = FIRST_WINS
        self._put_in_order()

    # ---- where walks find nothing more ------------------------------------------------------------------------------
    def _out_of_ways(self, flight: int, most: int) -> int:
        """Looks at the whole graph, gives way to a plainer method, or expands what is nearest; leaves found. At the end nothing is left to try."""
        again, self._looked_again_at = self._looked_again_at == self.evaluated, self.evaluated
        if not again:
            self.method.reset_hopeless(self.work)
            self._settle()
            return 0
        if self.method.fallback is not None:
            self._give_way(self.method.fallback)
            self._looked_again_at = -1
            return 0
        # Levels once more: what the last sweep decided may have cut off the shortest ways, and only along those does ``frontier`` go.
        level_order(self.tree, self.work.claim.may_repeat)
        self.tree.counters[CUT] = 0
        self._exhausted = np.zeros(len(self.tree.nodes), np.uint8)
        count = self._select_frontier(flight, most)
        if count == 0 and self.verdict is None and not self.tree.counters[FULL]:
            self.verdict = (
                Verdict.UNKNOWN
            )  # the graph is complete: no play that comes to an end decides the root
        return count

    def _select_frontier(self, flight: int, most: int) -> int:
        work, first = self.work, flight * self.group
        assert self._exhausted is not None
        count = frontier(
            work.tree,
            work.paths,
            first,
            first + most,
            self._exhausted,
            Leaves(*self._buffers[flight]),
        )
        if count == 0 and not work.paths.flying.any():
            self._exhausted = None
        return count

    def _release(self, first: int, last: int) -> None:
        """Takes paths that are not in flight back to the root."""
        while first < last:
            first = self.method.release(self.work, first, last)
            self._drain()

    def _settle(self) -> None:
        """Spreads what is decided through the whole graph, to the end."""
        self._settled_at = max(256, self.expanded)
        if not self.tree.counters[NODES]:
            return
        order = level_order(self.tree, self.work.claim.may_repeat)
        more = True
        while more:
            left, more = len(order), False
            while left:
                left, decided = self.method.settle(self.work, order, left)
                self._drain()
                more = more or decided
        self._finish_if_decided()

    def _drain(self) -> None:
        log = self.work.log
        count = int(log.count[0])
        self._log_was_full = 2 * count > len(log.moves)
        if count:
            self.sink(log.states[:count].copy(), log.moves[:count].copy(), log.zones[:count].copy())
            log.count[0] = 0

    # ---- memory ----------------------------------------------------------------------------------------------------
    def _grow_table(self, more: int) -> None:
        self.work = self.work._replace(tree=roomier(self.tree, more))

    def _make_room(self) -> None:
        """Lets the table grow, and makes room where it was wanting. Raises MemoryFull."""
        self._grow_table(self.group * self.flights)
        self._room.free_memory(
            self.tree, self.expanded, lambda: self._release(0, len(self.work.paths.depth))
        )

    def _outgrown(self) -> bool:
        """Gives way to the plainer method once this table has been turned over many times; True while that waits for leaves in flight.

        Monte-Carlo and best-first search spread, and focused search judges a node by a few moves: all then forget faster than they prove.
        """
        fallback = self.method.fallback
        if fallback is None or self.tree.counters[EVICTED] < TURNOVERS * max(
            1, self.tree.counters[LIVE]
        ):
            return False
        if not self.method.shares_tree(fallback) and self.work.paths.flying.any():
            return True
        self._give_way(fallback)
        return False

    def _give_way(self, fallback: Method) -> None:
        keep = self.method.shares_tree(fallback)
        self.method, self._widest = fallback, self.group
        warm_up(fallback, self.game.may_repeat, self.evaluator.layout.zoned)
        self._put_in_order()
        if keep:
            forget_limits(
                self.work.paths
            )  # thresholds and numbers of the old method are not its own
            fallback.reset_hopeless(self.work)
        else:
            self._restart()

    # ---- reporting -------------------------------------------------------------------------------------------------
    @property
    def expanded(self) -> int:
        """Positions given a node so far."""
        return int(self.work.tallies[EXPANDED])

    @property
    def evaluated(self) -> int:
        """Positions sent to the evaluator so far."""
        return int(self.work.tallies[EVALUATED])

    @property
    def longest(self) -> int:
        """Moves of the longest line that is followed."""
        return self.work.paths.nodes.shape[1] - 1

    @property
    def cut(self) -> bool:
        """Whether a longer line was among what was left to try."""
        return bool(self.tree.counters[CUT])

    @property
    def in_flight(self) -> int:
        """Leaves that are being evaluated."""
        return int(self.work.paths.flying.sum())

    @property
    def room(self) -> int:
        """About how many positions the tree can hold at a time."""
        an_edge = EDGE.itemsize + 4 * self.tree.extra.shape[1]
        a_node = NODE.itemsize + 4 * self.game.state_words + 4 * self.game.num_actions + 8 * an_edge
        return min(self._budget // a_node, self._max_nodes or self._budget)

    def progress(self, wall_seconds: float) -> Progress:
        """Numbers of the root and the line the search now thinks best."""
        report = Progress(self.expanded, self.evaluated, line=[], wall_seconds=wall_seconds)
        if self.tree.counters[NODES]:
            report.proof_number, report.disproof_number = self.method.numbers(self.tree)
            report.line = self.best_line(12)
        return report

    def best_line(self, most: int = 64) -> list[str]:
        """Moves of the line that looks best, from the root."""
        line: list[str] = []
        tree, node = self.tree, 0
        while (
            tree.counters[NODES] and len(line) < most and node >= 0 and tree.nodes[node]["visited"]
        ):
            edge = tree.edges[tree.nodes[node]["edges"] + self.method.best_edge(tree, node)]
            line.append(
                self.game.action_text(
                    int(edge["action"]) & ACTION, self.game.unpack(tree.states[node])
                )
            )
            node = int(edge["child"])
        return line
