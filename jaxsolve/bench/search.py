"""``jaxsolve bench search``: the proof tree alone, and whole searches with the evaluator.

A wave is the set of positions that a search sends to the evaluator in one call. The rows vary the
wave width, and the number of problems that share the evaluator (pooled problems). Expansions are
evaluated positions. Every search runs for ``--seconds`` CPU seconds, without compilation, on a
position that it cannot solve in that time. Its wall time is split into selection, back up, dispatch
to the device, and waiting.

``--batch`` gives wave widths. On an accelerator give large widths: ``--batch 1024,8192``. ``--games
tree`` measures only the tree. With ``--network`` a network guides the whole searches. ``3x256`` is
an untrained network of 3 blocks and 256 channels.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from jaxsolve.bench.lone_tree import MOVES, lone_tree
from jaxsolve.bench.report import Report
from jaxsolve.bench.request import Request
from jaxsolve.bench.timed_search import timed_search
from jaxsolve.games import make
from jaxsolve.networks import Guide, finding, shipped
from jaxsolve.networks.forward import Dtype

SECONDS = 2.0
WIDTHS = (16, 32, 64, 128)
POOLS = (1, 4, 8)
POOL_WIDTH = 64  # wave width of each pooled problem without --batch
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
    """Searches of one game by one method, at several wave widths."""

    rule_set: str
    method: str
    pools: bool  # whether pooled problems are measured too
    network: str = ""  # name or size of the network of ``guide``
    guide: Guide | None = None


DEFAULT_TASKS = (
    Task("gomoku-15;knowledge=4t", "dfpn", True),
    Task("gomoku-15;knowledge=4t", "pns", False),
    Task("killallgo-9;fill_eyes=false", "dfpn", True),
    Task("hex-8", "dfpn", True),
    Task("hex-8", "mcts", False),
)
GUIDED_GAME = "killallgo-7;ko=simple"  # default game for a new network


def run(request: Request) -> int:
    """Measures the tree and the default searches, or several methods on the named games.

    With a ``network``, measures two methods guided by the network. Returns exit code 0. Raises
    ValueError for an unknown game or network, and for options that exclude each other.
    """
    request.refuse_vs()
    if request.network is None and request.dtype != "float32":
        raise ValueError(f"--dtype {request.dtype}: it needs --network, which computes in it")
    if request.network is None:
        tasks = _tasks(request.games)
    else:
        tasks = _guided_tasks(request.games, request.network, request.dtype)
    report = Report("search", COLUMNS, request.as_json, tables_by="what")
    try:
        if request.network is None and (not request.games or TREE in request.games):
            _tree_alone(report, request.batches or (POOL_WIDTH,))
        for task in tasks:
            _whole_searches(report, task, request.batches, request.seconds or SECONDS)
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
    """Returns tasks of methods that a network guides.

    Args:
      games: rule sets; empty: the game of the network, or a default game.
      text: value of ``--network``.
      dtype: number format of the network.

    Raises ValueError for an unknown network, and for a network that does not fit a game.
    """
    from jaxsolve.bench import towers  # needs the extra ``learn``

    if TREE in games:
        raise ValueError(f"--games {TREE} measures the tree without positions and uses no network")
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
        guided = {} if guide is None else {"network": task.network, "dtype": guide.dtype}
        row = {
            "what": "whole search",
            "game": task.rule_set,
            "method": task.method,
            "wave": width,
            "problems": pool,
            "unit": "expansions",
            **guided,
        }
        report.add({**row, **numbers})
