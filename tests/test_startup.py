"""Starting a process: compilation after warm-up, imports, and errors of unavailable devices."""

from __future__ import annotations

import json
import os
import subprocess
import sys

import jax
import numpy as np
import pytest

from jaxsolve.core import process
from jaxsolve.games import make
from jaxsolve.question import Claim, Problem, Verdict
from jaxsolve.search import solve, solve_pool, solve_value
from jaxsolve.view import svg, text_board
from support.startup import PACKAGE, answer, start

LONG = bool(os.environ.get("JAXSOLVE_LONG"))


# ---- the search itself -------------------------------------------------------------------------
SOLVE = """
import json, os
from jaxsolve.games.hex import Hex
from jaxsolve.jit import code_cache
from jaxsolve.search import Limits, solve
game = Hex(5, knowledge=False)
results = []
for size in (128, None):
    result = solve(game, game.init(), max_nodes=size, limits=Limits(nodes=1500), check=False)
    results.append([result.verdict.value, result.nodes, result.evaluations])
names = [path.name for path in code_cache.code_folder().iterdir()]
cached = sorted(name for name in names if name.startswith("jaxsolve."))
print(json.dumps([{"results": results, "cached": cached}, []]))
"""
WARM = """
import json, sys, tempfile
from jaxsolve.evaluate import shared_evaluator
from jaxsolve.games import make
from jaxsolve.search import Limits, solve, solve_value
from jaxsolve.search.methods import method_named
from jaxsolve.search.run import restarts
from jaxsolve.search.run.warm_up import warm_up_search

def loaded():
    counts = {}
    for module_name, module in list(sys.modules.items()):
        if not module_name.startswith(("jaxsolve.search.", "jaxsolve.games.")):
            continue
        if module_name in ("jaxsolve.games.zones", "jaxsolve.games.threats"):
            continue  # their loops are called from Python, mostly to write proofs
        for loop in vars(module).values():
            if hasattr(loop, "stats") and loop.py_func.__module__ == module_name:
                if loop.targetoptions.get("forceinline"):
                    continue  # compiled with its callers
                hits, misses = loop.stats.cache_hits, loop.stats.cache_misses
                counts[f"{module_name.removeprefix('jaxsolve.')}.{loop.py_func.__qualname__}"] = (
                    sum(hits.values()) + sum(misses.values())
                )
    return counts

late, configurations, next_configuration = {}, [], restarts.Restarts.next_configuration

def recorded(*arguments):
    configurations.append(next_configuration(*arguments))
    return configurations[-1]

restarts.PLANNED, restarts.FEW_MOVES = restarts.Budgets(20, 25, 1.25), 0
restarts.Restarts.next_configuration = recorded
method = method_named(sys.argv[1])
for rules, start in (
    ("hex-4", "..../..../..../.... b"),
    ("awari", "0,0,0,1,2,0/1,0,0,0,2,0 s captured=21:21"),
    ("gomoku-3;line=3;win=five-or-more;knowledge=ndk", ".../.../... b"),
    ("slither-3", ".../.../... b"),
    ("loa-4", "X..O/..../..../O..X b"),
    ("killallgo-7;ko=simple", "......./......./......./...X.../......./......./....... w"),
    ("gomoku-6;line=4;knowledge=4t", "....../....../..XO../....../....../...... b"),
):
    game = make(rules)
    warm_up_search(method, game, shared_evaluator(game, None, method.playouts))
    before = loaded()
    solve_value(game, game.parse(start), method=method, limits=Limits(nodes=300))
    with tempfile.TemporaryDirectory() as folder:
        for nodes in (100, 200):  # the second search resumes from the log of the first
            limits, out = Limits(nodes=nodes), folder + "/run"
            resume = nodes > 100
            solve(game, game.parse(start), method=method, limits=limits, out=out, resume=resume)
    counts = {name: (before.get(name, 0), count) for name, count in loaded().items()}
    late[rules] = {name: both for name, both in counts.items() if both[0] != both[1]}
print(json.dumps([late, sorted(before), [each.name for each in configurations]]))
"""


RARE = {f"search.{name}" for name in (
    "methods.pns.graph.frontier",
    "methods.pns.walk.absorb",  # of searches on the host: after the frontier search
    "tree.eviction._evict",
    "tree.eviction._move_edges",
    "tree.expansion.enter_decided",
    # Called by rare loops, and compiled with the first that is not cached:
    "hints.threats.search_threat_trees",
    "tree.nodes.strip",
    "tree.pattern_use.enter_patterns",
)} | {"games.hex.knowledge.analyse"}  # to write proofs  # fmt: skip


@pytest.mark.full
@pytest.mark.parametrize("method", ["dfpn", "pns", "mcts", "rzs"])
def test_a_search_compiles_only_rare_loops_after_its_warm_up(method):
    """And these for one list of argument types; also after restarts, as of df-pn in Go."""
    late, loops, configurations, _ = answer(
        start(PACKAGE, method, use=WARM, cache=process.cache_folder().parent)
    )
    counts = {name: both for each in late.values() for name, both in each.items()}
    restarted = {"search.methods.rzs._run"} if method == "dfpn" else set()
    assert restarted | {"search.tree.expansion.enter_decided"} <= set(counts) <= RARE | restarted
    assert set(map(tuple, counts.values())) == {(0, 1)} and len(late) == 7 and len(loops) > 20
    assert set(configurations) == ({"dfpn", "rzs"} if method == "dfpn" else set()), configurations


@pytest.mark.skipif(
    not LONG, reason="compiles all host loops, for half a CPU minute: JAXSOLVE_LONG=1"
)
@pytest.mark.parametrize("number", range(20))
def test_processes_on_a_cold_cache_agree_with_one_on_a_warm_cache(number, tmp_path):
    # Only the code of the host loops is cold.
    environment = {"JAX_COMPILATION_CACHE_DIR": str(process.cache_folder() / "xla")}

    def begin():
        return start(PACKAGE, use=SOLVE, cache=tmp_path, environment=environment)

    answers = [answer(process)[0] for process in [begin() for _ in range(4)]]
    answers.append(answer(begin())[0])
    assert all(each == answers[-1] for each in answers), answers


# ---- the command line --------------------------------------------------------------------------
POSITION = "....../....../..X.../...O../....../...... b"


def run(*words: str, **environment: str) -> subprocess.CompletedProcess[str]:
    """The command line in a process of its own."""
    command = [sys.executable, "-m", "jaxsolve", *words]
    here = {**os.environ, "PYTHONPATH": str(PACKAGE.parent), **environment}
    return subprocess.run(
        command, env=here, capture_output=True, text=True, timeout=600, check=False
    )


@pytest.mark.short(1)
@pytest.mark.parametrize("platform", ["cuda", "foo", "cpu,foo"])
def test_an_absent_platform_is_refused_with_one_sentence(platform):
    if platform == "cuda" and jax.default_backend() == "gpu":
        pytest.skip("this machine has a GPU")
    done = run("show", "moves:a1", "-g", "hex-6", "--json", JAX_PLATFORMS=platform)
    assert done.returncode == 2
    assert done.stderr.count("\n") == 1
    assert platform in done.stderr and "JAX_PLATFORMS" in done.stderr
    assert json.loads(done.stdout)["error"] in done.stderr


@pytest.mark.full
def test_the_command_line_runs_under_a_transfer_guard():
    names = ("", "_HOST_TO_DEVICE", "_DEVICE_TO_DEVICE", "_DEVICE_TO_HOST")
    guards = {f"JAX_TRANSFER_GUARD{name}": "disallow_explicit" for name in names}
    guarded = run("solve", "XXX./..../OO../.... b", "-g", "hex-4", "--json", **guards)
    assert (guarded.returncode, json.loads(guarded.stdout)["verdict"]) == (20, "disproved"), (
        guarded.stderr
    )


def test_searches_run_under_a_transfer_guard_and_restore_it():
    game = make("hex-4")
    state = game.parse("XXX./..../OO../.... b")
    problems = [Problem(name, game, state, Claim(player)) for name, player in (("a", 0), ("b", 1))]
    with jax.transfer_guard("disallow_explicit"):
        assert solve(game, state, check=False).verdict is Verdict.DISPROVED
        assert solve_value(game, state, check=False).text == "white wins"
        for problem, result in solve_pool(problems, pool=1, check=False):
            assert result.verdict is (Verdict.DISPROVED if problem.id == "a" else Verdict.PROVED)
            with pytest.raises(Exception, match=r"[Dd]isallow"):
                jax.device_put(np.zeros(3))


SHOWN = {
    "awari": "4,4,4,0,5,5/5,5,4,4,4,4 n captured=0:0",
    "go-5": "X.X../OOX../O.O../...../..... b",
    "go-5;ko=positional": "...../.XX../.X.X./..X../..... b history=...../...../.X.X./...../.....",
    "gomoku-6;line=4;knowledge=4t": "....../.XXX../O..OO./....../....../...... w",
    "hex-6": POSITION,
    "minishogi": "..k../P..g./K..SG/...../b+r..+p w hands=RBs",
    "killallgo-7": "......./......./......./..X..../......./......./....... w ply=1",
    "knightthrough-5": "OOOOO/OO.OO/..O../XXXXX/XXXX. b",
    "loa-5": ".XXX./O...O/O.X.O/O...O/..X.. b",
    "tsumego-5;crucial=C3;defender=white;goal=kill": "...../.XX../.XO../..X../..... w",
}


@pytest.mark.parametrize("rules", SHOWN)
def test_a_position_read_without_jax_equals_the_parsed_one(rules):
    game = make(rules)
    read, parsed = game.read(SHOWN[rules]), game.parse(SHOWN[rules])
    assert game.text(read) == game.text(parsed)
    assert int(game.to_move(read)) == int(game.to_move(parsed))
    assert text_board(game, read) == text_board(game, parsed)
    assert svg(game, read) == svg(game, parsed)
    assert game.cells(read).tolist() == game.cells(parsed).tolist()
    with pytest.raises(ValueError, match=r"(?i)position"):
        game.read("nothing")


# The package ``jaxsolve.search`` itself only forwards names, and the options use its settings.
SEARCH = {f"jaxsolve.search.{name}" for name in ("methods", "run", "solving", "tree")}


@pytest.mark.short(5)
@pytest.mark.parametrize(
    ("words", "absent"),
    [
        (("--help",), {"jax", "numba", "numpy", "scipy"}),
        (("games",), {"jax", "numba", "numpy", "scipy"}),
        (("check", "no-such-file"), {"jax", "numba", "numpy", "scipy"}),
        *(
            (("show", text, "-g", rules), {"jax", "jaxlib", "numba", "scipy", *SEARCH})
            for rules, text in SHOWN.items()
        ),
    ],
)
def test_a_command_imports_only_what_it_uses(words, absent):
    code = """
import contextlib, io, sys
from contextlib import redirect_stderr, redirect_stdout
from jaxsolve import cli
nowhere = io.StringIO()
with contextlib.suppress(SystemExit), redirect_stdout(nowhere), redirect_stderr(nowhere):
    cli.main()
print(*sys.modules)
"""
    here = {**os.environ, "PYTHONPATH": str(PACKAGE.parent)}
    done = subprocess.run(
        [sys.executable, "-c", code, *words],
        env=here,
        capture_output=True,
        text=True,
        timeout=600,
        check=True,
    )
    assert "jaxsolve.cli" in done.stdout.split()
    assert not absent & set(done.stdout.split())
