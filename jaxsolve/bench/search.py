"""``jaxsolve bench search``: the proof tree alone, and whole searches with the evaluator, by wave width and by pooled problems.

Expansions are evaluated positions. Every search runs ``--seconds`` CPU seconds (compilation not counted) on a position it cannot finish in that
time; the shares of its wall time say who was waited for. ``--batch`` gives wave widths; on an accelerator ask for wide ones, ``--batch 1024,8192``.
``--games tree`` measures the tree alone only. With ``--network`` (``3x256``: a new one of that size) whole searches go by it.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from jaxsolve.bench.lone_tree import MOVES, lone_tree
from jaxsolve.bench.report import Report
from jaxsolve.bench.timed_search import timed_search
from jaxsolve.games import make
from jaxsolve.networks import Guide, finding, shipped
from jaxsolve.networks.forward import Dtype

SECONDS = 2.0
WIDTHS = (16, 32, 64, 128)
POOLS = (1, 4, 8)
POOL_WIDTH = 64  # of each pooled problem, where --batch does not say
TREE = "tree"
TREE_NODES = 1_000_000

COLUMNS = {
    "game": "game",
    "method": "method",
    "network": "network",
    "dtype": "dtype",
    "wave": "wave",
    "problems": "problems",
    "per_cpu_second": "per CPU s",
    "unit": "of",
    "per_wall_second": "per wall s",
    "mean_depth": "mean depth",
    "nodes": "nodes",
    "bytes_per_node": "bytes/node",
    "bytes_per_child": "bytes/child",
    "select_share": "select",
    "absorb_share": "back up",
    "dispatch_share": "dispatch",
    "wait_share": "wait",
    "cpu_seconds": "CPU s",
    "compile_cpu_seconds": "compile CPU s",
}


@dataclass(frozen=True)
class Task:
    """Searches of one game by one method."""

    rule_set: str
    method: str
    pools: bool  # whether pooled problems are measured too
    network: str = ""  # as a person calls it, where there is one
    guide: Guide | None = None


DEFAULT_TASKS = (
    Task("gomoku-15;knowledge=4t", "dfpn", True),
    Task("gomoku-15;knowledge=4t", "pns", False),
    Task("killallgo-9;fill_eyes=false", "dfpn", True),
    Task("hex-5", "dfpn", True),
    Task("hex-5", "mcts", False),
)
GUIDED_GAME = "killallgo-7;ko=simple"  # that a new network is measured on where no game is named


def run(
    games: Sequence[str],
    batches: Sequence[int],
    vs: str | None,
    as_json: bool,
    seconds: float | None = None,
    network: str | None = None,
    dtype: Dtype = "float32",
) -> int:
    """Measures the tree alone and the default searches, or all methods on the named games; with a ``network``, those that it guides; 0.

    Raises ValueError with one sentence.
    """
    if vs is not None:
        raise ValueError(f"--vs {vs} compares kernels only: use 'jaxsolve bench kernels --vs {vs}'")
    if network is None and dtype != "float32":
        raise ValueError(f"--dtype {dtype}: it needs --network, which computes in it")
    tasks = _tasks(games) if network is None else _guided_tasks(games, network, dtype)
    report = Report("search", COLUMNS, as_json, tables_by="what")
    try:
        if network is None and (not games or TREE in games):
            _tree_alone(report, batches or (POOL_WIDTH,))
        for task in tasks:
            _whole_searches(report, task, batches, seconds or SECONDS)
    finally:
        report.show()
    return 0


def _tasks(games: Sequence[str]) -> Sequence[Task]:
    if not games:
        return DEFAULT_TASKS
    searches = [make(name).rule_set for name in games if name != TREE]
    return [
        Task(name, method, method != "mcts")
        for name in searches
        for method in ("dfpn", "pns", "mcts")
    ]


def _guided_tasks(games: Sequence[str], text: str, dtype: Dtype) -> Sequence[Task]:
    """Refuses, by ValueError, what does not fit, before anything is measured."""
    from jaxsolve.bench import towers  # which needs the extra ``learn``

    if TREE in games:
        raise ValueError(
            f"--games {TREE} measures the tree without its positions, and asks no network"
        )
    tower = towers.tower(text)
    named = None if tower is not None or text == shipped.AUTO else finding.find(text)
    tasks = []
    for name in games or [GUIDED_GAME if named is None else named.game]:
        game = make(name)
        network = named or (
            shipped.chosen(game) if tower is None else towers.new_network(game, text, tower)
        )
        guide = Guide(network, dtype=dtype)
        guide.heads(game)
        called = network.name if text == shipped.AUTO else text
        tasks += [
            Task(game.rule_set, method, method == "fdfpn", called, guide)
            for method in ("fdfpn", "mcts")
        ]
    return tasks


def _tree_alone(report: Report, widths: Sequence[int]) -> None:
    for method in ("dfpn", "pns"):
        for width in widths:
            with report.measuring(f"the tree alone, {method}, wave {width}"):
                numbers = lone_tree(method, width, TREE_NODES)
            report.add(
                {
                    "what": "tree alone",
                    "game": f"{MOVES} moves",
                    "method": method,
                    "wave": width,
                    "unit": "leaves",
                    **numbers,
                }
            )


def _whole_searches(report: Report, task: Task, batches: Sequence[int], seconds: float) -> None:
    game, guide = make(task.rule_set), task.guide
    settings = [(width, 1) for width in batches or WIDTHS]
    if task.pools:
        settings += [
            (width, pool) for width in batches or (POOL_WIDTH,) for pool in POOLS if pool > 1
        ]
    for width, pool in settings:
        with report.measuring(f"{task.rule_set}, {task.method}, wave {width}, {pool} pooled"):
            numbers = timed_search(game, task.method, width, pool, seconds, guide)
        asked = {} if guide is None else {"network": task.network, "dtype": guide.dtype}
        row = {
            "what": "whole search",
            "game": task.rule_set,
            "method": task.method,
            "wave": width,
            "problems": pool,
            "unit": "expansions",
            **asked,
        }
        report.add({**row, **numbers})
