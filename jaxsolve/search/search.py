"""One search for one claim: its tree, its paths, and the waves it exchanges with an evaluator."""

from __future__ import annotations

import functools
from collections.abc import Callable

import numpy as np

from jaxsolve.evaluate import Evaluator
from jaxsolve.games.game import Game
from jaxsolve.question import Claim, Verdict
from jaxsolve.search import mcts, wave
from jaxsolve.search.methods import METHODS, Method, MonteCarlo, ProofNumber
from jaxsolve.search.pn import FINISHED, Log, Rules, new_paths, revive, settle, unwind
from jaxsolve.search.result import Progress
from jaxsolve.search.tree import EDGES, EVICTED, FREE, INF, LISTS, LIVE, NODES, NONE, compact, evict, grown, new_tree, tree_bytes

MAX_DEPTH = 1024  # longest path; a longer one is not followed, which can cost an answer but never falsify one
TURNOVERS = 32  # how often a table may be evicted whole before a method gives way to df-pn
GROUPS = 2  # halves of the paths: one is selected and backed up while the other is on the device

LogSink = Callable[[np.ndarray, np.ndarray, np.ndarray], None]
"""Receives (states uint32[n, S], moves int32[n], zones uint32[n, Z]) of positions as they are decided, children before parents."""


class MemoryFull(Exception):
    """The budget cannot hold even the paths in progress."""


class Search:
    """A search in progress. ``select`` and ``absorb`` alternate; ``verdict`` is None until the root is decided or nothing is left to try.

    Args:
      root: uint32[S] packed root position (its canonical image if the evaluator is canonical).
      memory_mb: budget of the tree with its table; when it is full, the least worked-on positions are evicted.
      max_nodes: optional bound on table entries, for tests of tiny tables.
      sink: receives decided positions.
    """

    def __init__(
        self,
        game: Game,
        root: np.ndarray,
        claim: Claim,
        method: Method,
        evaluator: Evaluator,
        *,
        sink: LogSink,
        memory_mb: int = 2048,
        max_nodes: int | None = None,
        seed: int = 0,
        width: int | None = None,
    ):
        self.game, self.claim, self.method, self.evaluator, self.sink = game, claim, method, evaluator, sink
        self.verdict: Verdict | None = None
        self.seed, self.waves = (seed ^ seed >> 32) & 0xFFFFFFFF, 0  # the device takes 32 bits
        self.budget, self.max_nodes = memory_mb << 20, max_nodes
        width = max(1, min(width or method.wave, (max_nodes or 1 << 30) // 32))
        self.group = max(1, -(-width // GROUPS))
        self.rules = _rules(game, claim, method)
        self.fields = _fields(evaluator)
        self.order = np.arange(game.num_actions, dtype=np.int32)
        if seed:
            np.random.default_rng(seed).shuffle(self.order)
        depth = min(MAX_DEPTH, max(4, (max_nodes or 1 << 30) // 2))
        self.paths = new_paths(self.group * GROUPS, depth)
        self._words = game.state_words, evaluator.layout.mask if evaluator.layout.zoned else 0
        entries = self.group * GROUPS * 4 + 2 * depth
        room = max(64, 2 * GROUPS * self.group)
        self._new_tree = lambda: new_tree(min(room, max_nodes or room), *[2 * GROUPS * self.group * self._max_moves] * 2, *self._words)
        self.tree = self._new_tree()
        self.log = _new_log(entries, *self._words)
        self.tallies = np.zeros(2, np.int64)
        self._buffers = [self._buffer() for _ in range(GROUPS)]
        self._idle = 0
        self._stalled_at = -1
        self._edges_in_use = 0  # after the last compaction
        self._settled_at = 256  # expansions when decisions were last spread
        self._root = np.asarray(root, np.uint32)
        self._start()

    @property
    def _max_moves(self) -> int:
        return self.game.num_actions + 1

    def _buffer(self) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        return np.zeros((self.group, self.game.state_words), np.uint32), np.zeros(self.group, np.int32), np.zeros(self.group, np.int64)

    def _start(self) -> None:
        rows = self.evaluator(self._root[None], np.full(1, -1, np.int32), self.seed)
        decided, verdict = wave.verdict_on_sight(rows[0], self.fields, self.rules)
        self.tallies[wave.EVALUATED] += 1
        if decided:
            self.verdict = {1: Verdict.PROVED, -1: Verdict.DISPROVED, 0: Verdict.UNKNOWN}[int(verdict)]
            return
        wave.place(self.tree, rows[0], self.fields, self.order, self.rules, self.log, self.tallies)
        self.tree.nodes[0]["pins"] = 1

    @property
    def room(self) -> int:
        """How many decided positions there is room to adopt."""
        return (self.max_nodes or self.budget // (4 * tree_bytes(1024, 1024 * 64, 1024 * 4, *self._words) // 1024)) // 2

    def adopt(self, states: np.ndarray, moves: np.ndarray, zones: np.ndarray) -> None:
        """Enters positions decided in an earlier run: uint32[n, S] states, int32[n] moves and uint32[n, Z] zones, as a ``ProofLog`` keeps them."""
        if self.verdict is not None:
            return
        tallies = np.zeros_like(self.tallies)  # not counted: the earlier run did that work
        for at in range(0, len(states), self.group):
            part = slice(at, at + self.group)
            self._make_room()
            rows = self.evaluator(np.ascontiguousarray(states[part]), np.full(len(states[part]), -1, np.int32), self.seed)
            decided = np.ascontiguousarray(moves[part]), np.ascontiguousarray(zones[part])
            wave.adopt(self.tree, rows, *decided, self.fields, self.order, self.rules, self.log, tallies)
            self.log.count[0] = 0  # it is logged already
        if self.tree.nodes[0]["pn"] == 0 or self.tree.nodes[0]["dn"] == 0:
            self._finish()

    # ---- waves -----------------------------------------------------------------------------------------------------
    def select(self, group: int) -> tuple[np.ndarray, np.ndarray, int]:
        """(states, actions, count) of the next leaves of one group of paths; count may be 0."""
        states, actions, owners = self._buffers[group]
        if self._outgrown():
            return states[:0], actions[:0], 0
        self._make_room()
        if self.rules.may_repeat and self.expanded >= 2 * self._settled_at and isinstance(self.method, ProofNumber):
            self._settle()
        first = group * self.group
        step = mcts.select if isinstance(self.method, MonteCarlo) else wave.select
        count, found = step(self.tree, self.paths, first, first + self.group, states, actions, owners, self.rules, self.log)
        self._drain()
        if found == FINISHED:
            self._finish()
        self._watch_for_stalls(count)
        return states[:count], actions[:count], count

    def absorb(self, group: int, rows: np.ndarray) -> None:
        """Takes the evaluator's rows for the last ``select`` of this group."""
        owners = self._buffers[group][2]
        step = mcts.absorb if isinstance(self.method, MonteCarlo) else wave.absorb
        step(self.tree, self.paths, owners, len(rows), rows, self.fields, self.order, self.rules, self.log, self.tallies)
        self._drain()
        self.waves += 1

    def _finish(self) -> None:
        root = self.tree.nodes[0]
        if root["pn"] == 0 and root["dn"] == INF:
            self.verdict = Verdict.PROVED
        elif root["dn"] == 0 and root["pn"] == INF:
            self.verdict = Verdict.DISPROVED
        else:
            self.verdict = Verdict.UNKNOWN

    def _watch_for_stalls(self, count: int) -> None:
        if count or self.verdict is not None or self.paths.flying.any():
            self._idle = 0 if count else self._idle
            return
        self._idle += 1
        if self._idle < 2 * GROUPS:
            return
        again, plain = self._stalled_at == self.tallies[wave.EVALUATED], isinstance(self.method, ProofNumber) and self.rules.widening == 1.0
        if again and plain:
            self.verdict = Verdict.UNKNOWN  # every way leads only into repetitions
            return
        self._stalled_at, self._idle = int(self.tallies[wave.EVALUATED]), 0
        if again or isinstance(self.method, MonteCarlo):
            self._give_way()  # the few moves it looked at repeat; others may not
        self._settle()
        revive(self.tree, self.rules)

    def _settle(self) -> None:
        """Spreads what is decided through the whole tree: whenever it has doubled, and when nothing else is left to try."""
        self._settled_at = max(256, self.expanded)
        more = True
        while more:
            more = settle(self.tree, self.rules, self.log)
            self._drain()

    def _drain(self) -> None:
        count = int(self.log.count[0])
        if count:
            self.sink(self.log.states[:count].copy(), self.log.moves[:count].copy(), self.log.zones[:count].copy())
            self.log.count[0] = 0

    # ---- memory ----------------------------------------------------------------------------------------------------
    def _short(self) -> tuple[bool, bool, bool]:
        """Whether nodes, lists or edges cannot take the leaves of every group: all of them may be on the device at once."""
        counters, tree = self.tree.counters, self.tree
        leaves = GROUPS * self.group
        worst = leaves * self._max_moves
        free_nodes = counters[FREE] + len(tree.nodes) - counters[NODES]
        return bool(free_nodes < leaves), bool(len(tree.lists) - counters[LISTS] < worst), bool(len(tree.edges) - counters[EDGES] < worst)

    def _make_room(self) -> None:
        if not any(self._short()):
            return
        if self._short()[2] and self.tree.counters[EDGES] > 2 * self._edges_in_use:
            compact(self.tree)
            self._edges_in_use = int(self.tree.counters[EDGES])
        while any(self._short()):
            arrays = (self.tree.nodes, self.tree.lists, self.tree.edges)
            roomy = tree_bytes(*(4 * len(x) for x in arrays), *self._words) <= self.budget // 4
            factor = 4 if roomy else 2  # far below the budget fewer, larger steps copy less
            sizes = [len(x) * (factor if short else 1) for x, short in zip(arrays, self._short(), strict=True)]
            sizes[0] = min(sizes[0], self.max_nodes or sizes[0])
            fits = tree_bytes(sizes[0], sizes[1], sizes[2], *self._words) <= self.budget
            if fits and not (self._short()[0] and sizes[0] == len(self.tree.nodes)):
                self.tree = grown(self.tree, *sizes)
            else:
                self._evict()
                self._edges_in_use = int(self.tree.counters[EDGES])

    def _evict(self) -> None:
        keep = int(self.tree.counters[LIVE]) // 2
        evict(self.tree, keep)
        if any(self._short()):
            for path in np.flatnonzero(self.paths.flying == 0):
                self._unwind(int(path))
            evict(self.tree, keep // 2)
        if any(self._short()):
            raise MemoryFull

    def _outgrown(self) -> bool:
        """Gives way to plain df-pn, which finishes in any table that holds its paths, once this table has been turned over many times.

        Monte-Carlo and best-first search spread, and focused search judges a node by a few moves: all then forget faster than they prove.
        True while that waits for leaves in flight.
        """
        if self.tree.counters[EVICTED] < TURNOVERS * len(self.tree.nodes):
            return False
        if isinstance(self.method, MonteCarlo) and self.paths.flying.any():
            return True
        self._give_way()
        return False

    def _give_way(self) -> None:
        """Goes on as plain df-pn. A Monte-Carlo tree is given up for it, which only a search without leaves in flight can do."""
        if isinstance(self.method, ProofNumber):
            self.rules = self.rules._replace(widening=1.0, restart=False)
            return
        self.method = METHODS["dfpn"]
        self.rules = _rules(self.game, self.claim, self.method)
        self.tree = self._new_tree()
        warm_up(False)
        self._start()

    def _unwind(self, path: int) -> None:
        if isinstance(self.method, ProofNumber):
            unwind(self.tree, self.paths, path, 0, self.rules, self.log)
            self._drain()

    # ---- reporting -------------------------------------------------------------------------------------------------
    @property
    def expanded(self) -> int:
        """Positions given a node so far."""
        return int(self.tallies[wave.EXPANDED])

    @property
    def evaluated(self) -> int:
        """Positions sent to the evaluator so far."""
        return int(self.tallies[wave.EVALUATED])

    def progress(self, wall_seconds: float) -> Progress:
        """Numbers of the root and the line the search now thinks best."""
        report = Progress(self.expanded, self.evaluated, line=[], wall_seconds=wall_seconds)
        if self.tree.counters[NODES] == 0:
            return report
        if isinstance(self.method, MonteCarlo):
            report.proof_number, report.disproof_number = mcts.root_numbers(self.tree)
        else:
            report.proof_number, report.disproof_number = float(self.tree.nodes[0]["pn"]), float(self.tree.nodes[0]["dn"])
        report.line = self.best_line()
        return report

    def best_line(self, length: int = 12) -> list[str]:
        """Moves from the root along the most promising edges that have a node."""
        line, node = [], 0
        state = self.game.unpack(self.tree.states[0])
        while len(line) < length and node != NONE and self.tree.nodes[node]["visited"] > 0:
            record = self.tree.nodes[node]
            edges = slice(int(record["edges"]), int(record["edges"]) + int(record["visited"]))
            if isinstance(self.method, MonteCarlo):
                best = int(np.argmax(self.tree.visits[edges]["visits"]))
            else:
                best = int(np.argmin(self.tree.edges[edges]["a"]))
            edge = self.tree.edges[edges][best]
            line.append(self.game.action_text(int(edge["action"]), state if node == 0 else self.game.unpack(self.tree.states[node])))
            node = int(edge["child"])
        return line


def _new_log(entries: int, state_words: int, zone_words: int) -> Log:
    shapes = (entries, state_words), entries, (entries, zone_words)
    kinds = np.uint32, np.int32, np.uint32
    return Log(*(np.empty(shape, kind) for shape, kind in zip(shapes, kinds, strict=True)), np.zeros(1, np.int64))


@functools.cache
def warm_up(tree_search: bool) -> None:
    """Compiles the host loops of MCTS or of the proof-number methods on empty arrays (read from numba's cache after the first time)."""
    tree, paths = new_tree(4, 4, 4, 1), new_paths(1, 4)
    log = _new_log(8, 1, 0)
    rules = Rules(0, np.zeros(5, np.int8), False, True, 0.25, 1.0, 1, 1.0, False)
    fields = wave.Fields(1, 1, 1, 1, 3, 4, 5, 6, NONE, NONE, NONE)
    states, order, owners = np.zeros((1, 1), np.uint32), np.zeros(1, np.int32), np.zeros(1, np.int64)
    rows, tallies = np.zeros((1, 9), np.uint32), np.zeros(2, np.int64)
    rows[0, fields.info] = 1
    rows.flags.writeable = False
    wave.verdict_on_sight(rows[0], fields, rules)
    wave.place(tree, rows[0], fields, order, rules, log, tallies)
    wave.adopt(tree, rows[:0], order[:0], states[:0], fields, order, rules, log, tallies)
    step = mcts if tree_search else wave
    step.select(tree, paths, 0, 0, states, order, owners, rules, log)
    step.absorb(tree, paths, owners, 0, rows, fields, order, rules, log, tallies)
    compact(tree)
    evict(tree, 0)
    if not tree_search:
        settle(tree, rules, log)
        revive(tree, rules)
        tree.nodes[0] = np.zeros((), tree.nodes.dtype)
        unwind(tree, paths, 0, 0, rules, log)


def _rules(game: Game, claim: Claim, method: Method) -> Rules:
    verdicts = np.array([0, *(1 if claim.holds(outcome) else -1 for outcome in (1, 2, 3)), 0], np.int8)
    pn = method if isinstance(method, ProofNumber) else ProofNumber("mcts", restart=True)
    return Rules(
        or_player=claim.player,
        verdicts=verdicts,
        may_repeat=game.may_repeat,
        restart=pn.restart,
        epsilon=float(pn.epsilon),
        widening=float(pn.widening),
        virtual=pn.virtual,
        exploration=method.exploration if isinstance(method, MonteCarlo) else 0.0,
        puct=isinstance(method, MonteCarlo) and method.selection == "puct",
    )


def _fields(evaluator: Evaluator) -> wave.Fields:
    layout = evaluator.layout
    return wave.Fields(
        layout.state,
        layout.mask,
        layout.actions,
        layout.key,
        layout.info,
        layout.threat,
        layout.first,
        layout.masks,
        layout.zone if layout.zoned else NONE,
        layout.values if layout.value else NONE,
        layout.priors if layout.prior else NONE,
    )
