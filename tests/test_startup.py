"""How a process starts: a search that is warm compiles nothing, light imports, and a sentence where JAX cannot run."""

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
from jaxsolve.jit import host
from jaxsolve.games.registry import make
from jaxsolve.search import Limits, solve
game = make("hex-5")
results = [solve(game, game.init(), max_nodes=size, limits=Limits(nodes=1500), check=False) for size in (128, None)]
kept = sorted(path.name for path in host.code_folder().iterdir() if path.name.startswith("jaxsolve."))
print(json.dumps([{"results": [[result.verdict.value, result.nodes, result.evaluations] for result in results], "kept": kept}, []]))
"""
WARM = """
import json, sys, tempfile
from jaxsolve.evaluate import shared_evaluator
from jaxsolve.games.registry import make
from jaxsolve.search import Limits, solve, solve_value
from jaxsolve.search.methods import method_named
from jaxsolve.search.run import restarts
from jaxsolve.search.run.warm_up import warm_up_search

def made():
    modules = [module for name, module in sys.modules.items() if name.startswith(("jaxsolve.search.", "jaxsolve.games."))]
    loops = [x for module in modules for x in vars(module).values() if hasattr(x, "stats") and x.py_func.__module__ == module.__name__]
    return {x.py_func.__qualname__: sum(x.stats.cache_hits.values()) + sum(x.stats.cache_misses.values()) for x in loops}

late, forms, following = {}, [], restarts.Restarts.next_configuration
restarts.PLAN_BUDGET = 20
restarts.Restarts.next_configuration = lambda *given: (forms.append(following(*given)), forms[-1])[1]
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
    before = made()
    solve_value(game, game.parse(start), method=method, limits=Limits(nodes=300))
    with tempfile.TemporaryDirectory() as folder:
        for nodes in (100, 200):  # the second goes on from the log of the first
            solve(game, game.parse(start), method=method, limits=Limits(nodes=nodes), out=folder + "/run", resume=nodes > 100)
    late[rules] = sorted(name for name, times in made().items() if times != before.get(name, 0))
print(json.dumps([late, sorted(before), [form.name for form in forms]]))
"""


@pytest.mark.parametrize("method", ["dfpn", "pns", "mcts", "rzs"])
def test_a_search_compiles_nothing_after_its_warm_up(method):
    """Nor in the forms that it takes where it begins anew, as df-pn does in Go."""
    late, loops, configurations, _ = answer(
        start(PACKAGE, method, use=WARM, cache=process.cache_folder().parent)
    )
    assert len(late) == 7 and not any(late.values()) and len(loops) > 20, late
    assert set(configurations) == ({"dfpn", "rzs"} if method == "dfpn" else set()), configurations


@pytest.mark.skipif(
    not LONG, reason="compiles all host loops, for half a CPU minute: JAXSOLVE_LONG=1"
)
@pytest.mark.parametrize("number", range(20))
def test_many_processes_on_a_cold_cache_answer_as_one_on_a_warm_one(number, tmp_path):
    environment = {
        "JAX_COMPILATION_CACHE_DIR": str(process.cache_folder() / "xla")
    }  # what is cold is the code of the host loops

    def begin():
        return start(PACKAGE, use=SOLVE, cache=tmp_path, environment=environment)

    answers = [answer(process)[0] for process in [begin() for _ in range(4)]]
    answers.append(answer(begin())[0])
    assert all(given == answers[-1] for given in answers), answers


# ---- the command line --------------------------------------------------------------------------
POSITION = "....../....../..X.../...O../....../...... b"


def run(*words: str, **environment: str) -> subprocess.CompletedProcess[str]:
    """The command line in a process of its own."""
    command = [sys.executable, "-m", "jaxsolve", *words]
    here = {**os.environ, "PYTHONPATH": str(PACKAGE.parent), **environment}
    return subprocess.run(
        command, env=here, capture_output=True, text=True, timeout=600, check=False
    )


@pytest.mark.parametrize("platform", ["cuda", "foo", "cpu,foo"])
def test_a_platform_that_is_not_there_is_refused_in_one_sentence(platform):
    if platform == "cuda" and jax.default_backend() == "gpu":
        pytest.skip("this machine has a GPU")
    done = run("show", "moves:a1", "-g", "hex-6", "--json", JAX_PLATFORMS=platform)
    assert done.returncode == 2
    assert (
        done.stderr.count("\n") == 1 and platform in done.stderr and "JAX_PLATFORMS" in done.stderr
    )
    assert json.loads(done.stdout)["error"] in done.stderr


def test_a_transfer_guard_does_not_stop_the_program():
    names = ("", "_HOST_TO_DEVICE", "_DEVICE_TO_DEVICE", "_DEVICE_TO_HOST")
    guards = {f"JAX_TRANSFER_GUARD{name}": "disallow_explicit" for name in names}
    guarded = run("solve", "XXX./..../OO../.... b", "-g", "hex-4", "--json", **guards)
    assert (guarded.returncode, json.loads(guarded.stdout)["verdict"]) == (20, "disproved"), (
        guarded.stderr
    )


def test_a_transfer_guard_of_the_caller_does_not_stop_a_search_and_comes_back():
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
def test_what_is_read_to_be_shown_is_what_is_parsed(rules):
    game = make(rules)
    read, parsed = game.read(SHOWN[rules]), game.parse(SHOWN[rules])
    assert game.text(read) == game.text(parsed)
    assert int(game.to_move(read)) == int(game.to_move(parsed))
    assert text_board(game, read) == text_board(game, parsed) and svg(game, read) == svg(
        game, parsed
    )
    assert game.cells(read).tolist() == game.cells(parsed).tolist()
    with pytest.raises(ValueError, match=r"(?i)position"):
        game.read("nothing")


@pytest.mark.parametrize(
    ("words", "absent"),
    [
        (("--help",), {"jax", "numba", "numpy", "scipy"}),
        (("games",), {"jax", "numba", "numpy", "scipy"}),
        (("check", "no-such-file"), {"jax", "numba", "numpy", "scipy"}),
        *(
            (("show", text, "-g", rules), {"jax", "jaxlib", "numba", "scipy", "jaxsolve.search"})
            for rules, text in SHOWN.items()
        ),
    ],
)
def test_a_command_imports_only_what_it_uses(words, absent):
    code = (
        "import contextlib, io, sys\nfrom jaxsolve import cli\nnowhere = io.StringIO()\n"
        "with contextlib.suppress(SystemExit), contextlib.redirect_stdout(nowhere), contextlib.redirect_stderr(nowhere):\n    cli.main()\n"
        "print(*sys.modules)"
    )
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
