"""How a process starts: machine code shared by many processes, light imports, and a sentence where JAX cannot run."""

from __future__ import annotations

import dataclasses
import inspect
import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

import jax
import numpy as np
import pytest

from jaxsolve import executables, runtime
from jaxsolve.compiled import SOURCES, compiled
from jaxsolve.evaluate.calls import Calls
from jaxsolve.evaluate.rows import Rows
from jaxsolve.games import Go, Gomoku, make
from jaxsolve.question import Claim, Problem, Verdict
from jaxsolve.search import solve, solve_pool, solve_value
from jaxsolve.view import svg, text_board

PACKAGE = Path(__file__).parents[1] / "jaxsolve"
LONG = bool(os.environ.get("JAXSOLVE_LONG"))

LOOPS = """
from jaxsolve.compiled import compiled
from jaxsolve.search.steps import OFFSET, step
from numba import njit

@compiled
def total(x):
    s = 0
    for i in range(len(x)):
        s += step(x[i]) + OFFSET
    return s

def sorting(before):
    @njit
    def sort(x, n):  # calls itself, so that it stays a function of its own in the machine code
        if n < 2:
            return 0
        sort(x, n - 1)
        for j in range(n - 1, 0, -1):
            if before(x[j], x[j - 1]):
                x[j - 1], x[j] = x[j], x[j - 1]
        return 0
    return sort

rising, falling = sorting(njit(lambda a, b: a < b)), sorting(njit(lambda a, b: a > b))

@compiled
def descending(x):
    falling(x, len(x))

@compiled
def ascending(x):
    rising(x, len(x))
"""
STEPS = """
from jaxsolve.compiled import compiled

OFFSET = 100

@compiled
def step(x):
    return x + 1
"""
USE = """
import json, sys
import numpy as np
from jaxsolve import compiled
from jaxsolve.search import loops
x = np.random.default_rng(0).permutation(500)
right = {"descending": np.sort(x)[::-1], "ascending": np.sort(x)}
answers, compiled_here = {}, []
for name in sys.argv[1:]:
    function = getattr(loops, name)
    given = x.copy()
    answer = function(given[:3] * 0 if name == "total" else given)
    answers[name] = int(answer) if name == "total" else bool((given == right[name]).all())
    compiled_here += [name] * sum(function.stats.cache_misses.values())
print(json.dumps([answers, compiled_here]))
"""


@pytest.fixture
def toy(tmp_path) -> Path:
    """A package of our name whose search is three small loops: what it compiles, it compiles in a second."""
    package = tmp_path / "source" / "jaxsolve"
    (package / "search").mkdir(parents=True)
    for name in ("__init__.py", "compiled.py", "executables.py", "kept.py", "runtime.py"):
        shutil.copy(PACKAGE / name, package)
    for source in (name for name in SOURCES if name.endswith(".py")):  # what the digest of the loops is made from
        (package / source).parent.mkdir(parents=True, exist_ok=True)
        (package / source).touch()
    (package / "search" / "__init__.py").touch()
    (package / "search" / "loops.py").write_text(LOOPS)
    (package / "search" / "steps.py").write_text(STEPS)
    return package


def start(toy: Path, *names: str, use: str = USE, cache: Path | None = None, environment: dict[str, str] | None = None) -> subprocess.Popen:
    cache = cache or toy.parent.parent / "cache"
    environment = {**os.environ, "PYTHONPATH": str(toy.parent), "PYTHONSAFEPATH": "1", "JAXSOLVE_CACHE": str(cache), **(environment or {})}
    command = [sys.executable, "-c", use, *names]
    return subprocess.Popen(command, env=environment, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)


def answer(process: subprocess.Popen) -> tuple[dict, list[str], str]:
    """(answers by function, functions compiled in that process rather than read, what it wrote to stderr)."""
    out, errors = process.communicate(timeout=600)
    assert process.returncode == 0, errors
    return (*json.loads(out), errors)


def entries(toy: Path) -> dict[str, int]:
    """Kept machine code by file name, with its time of writing."""
    return {path.name: path.stat().st_mtime_ns for path in (toy.parent.parent / "cache").rglob("jaxsolve.search.*") if path.is_file()}


def test_an_edit_of_anything_that_a_loop_uses_is_seen(toy):
    steps = toy / "search" / "steps.py"
    assert answer(start(toy, "total"))[:2] == ({"total": 303}, ["total"])
    assert answer(start(toy, "total"))[:2] == ({"total": 303}, [])
    stamp = steps.stat()
    steps.write_text(STEPS.replace("x + 1", "x + 7"))
    os.utime(steps, ns=(stamp.st_atime_ns, stamp.st_mtime_ns))
    shutil.rmtree(toy / "search" / "__pycache__", ignore_errors=True)  # Python's own cache goes by that stamp
    assert answer(start(toy, "total"))[:2] == ({"total": 321}, ["total"])
    steps.write_text(STEPS.replace("100", "200"))
    assert answer(start(toy, "total"))[0] == {"total": 603}


def test_objects_of_different_processes_mix(toy):
    # Numba's own cache fails here wherever the two counts of compiled functions happen to agree; see the docstring of ``compiled``.
    assert answer(start(toy, "descending"))[0] == {"descending": True}
    assert answer(start(toy, "ascending"))[0] == {"ascending": True}
    for names in (("descending", "ascending"), ("ascending", "descending")):
        assert answer(start(toy, *names))[:2] == ({"descending": True, "ascending": True}, [])


def test_a_closure_is_refused():
    number = 3
    with pytest.raises(ValueError, match="closure"):
        compiled(lambda x: x + number)


def test_whatever_compiled_loops_read_by_position_is_among_their_sources():
    """Machine code knows fields by their number only: had their file no part in the digest, it would go on reading the old ones."""
    from jaxsolve.evaluate import Offsets
    from jaxsolve.search.methods import METHODS, Workspace
    from jaxsolve.search.paths import Log, Paths
    from jaxsolve.search.proof_numbers import Steering
    from jaxsolve.search.rows import Question
    from jaxsolve.search.tree import Tree
    from jaxsolve.zoning import Zoning

    handed = [Offsets, Workspace, Log, Paths, Steering, Question, Tree, Zoning, *map(type, METHODS.values())]
    for kind in handed:
        file = Path(inspect.getfile(kind)).relative_to(PACKAGE).as_posix()
        assert any(file == source or file.startswith(f"{source}/") for source in SOURCES), (kind, file)


def test_symbols_of_every_process_and_fork_are_its_own(toy):
    use = """
import json, os
from jaxsolve import compiled
from numba.core.bytecode import FunctionIdentity
def number():
    return FunctionIdentity.from_function(number).unique_id
child_says, child_writes = os.pipe()
if os.fork() == 0:
    os.write(child_writes, str(number()).encode())
    os._exit(0)
os.wait()
print(json.dumps([{"numbers": [number(), int(os.read(child_says, 99))]}, []]))
"""
    numbers = [number for _ in range(3) for number in answer(start(toy, use=use))[0]["numbers"]]
    assert all(abs(a - b) > 10**6 for i, a in enumerate(numbers) for b in numbers[:i])


def test_processes_that_start_at_once_compile_once(toy):
    answers = [answer(process) for process in [start(toy, "total", "descending", "ascending") for _ in range(4)]]
    assert all(given == {"total": 303, "descending": True, "ascending": True} for given, _, _ in answers)
    assert sorted(name for _, compiled_here, _ in answers for name in compiled_here) == ["ascending", "descending", "total"]


def test_what_is_kept_is_never_written_again(toy):
    answer(start(toy, "total", "descending"))
    before = entries(toy)
    assert {name.rsplit("-", 1)[0] for name in before} == {f"jaxsolve.search.{name}" for name in ("loops.total", "loops.descending", "steps.step")}
    answer(start(toy, "total", "descending"))
    assert entries(toy) == before


def test_a_damaged_entry_counts_as_missing(toy):
    answer(start(toy, "total"))
    for number, name in enumerate(sorted(entries(toy))):
        path = next((toy.parent.parent / "cache").rglob(name))
        content = bytearray(path.read_bytes())
        path.write_bytes(content[: len(content) // 2] if number else b"")
    assert answer(start(toy, "total"))[:2] == ({"total": 303}, ["total"])
    path = next((toy.parent.parent / "cache").rglob("*loops.total*"))
    content = bytearray(path.read_bytes())
    content[len(content) // 2] ^= 1
    path.write_bytes(content)
    assert answer(start(toy, "total"))[:2] == ({"total": 303}, ["total"])
    assert answer(start(toy, "total"))[:2] == ({"total": 303}, [])


def test_a_cache_that_cannot_be_written_costs_a_warning(toy, tmp_path):
    blocked = tmp_path / "blocked"
    blocked.write_text("a file where the folder should be")
    given, compiled_here, errors = answer(start(toy, "total", cache=blocked))
    assert (given, compiled_here) == ({"total": 303}, ["total"])
    assert errors.count("JAXSOLVE_CACHE names another folder") == 1 and "Traceback" not in errors


def test_a_process_that_hangs_with_the_lock_holds_nobody_up_for_ever(toy):
    answer(start(toy, "descending"))
    folder = next((toy.parent.parent / "cache").rglob("jaxsolve.search.*")).parent
    hold = f"import fcntl, time; f = open({str(folder / 'lock')!r}); fcntl.flock(f, fcntl.LOCK_EX); print('held', flush=True); time.sleep(300)"
    holder = subprocess.Popen([sys.executable, "-c", hold], stdout=subprocess.PIPE, text=True)
    try:
        assert holder.stdout is not None and holder.stdout.readline() == "held\n"
        impatient = USE.replace("from jaxsolve.search", "compiled.PATIENCE, compiled.SILENCE = 0.5, 0.1\nfrom jaxsolve.search")
        given, _, errors = answer(start(toy, "descending", "total", use=impatient))
    finally:
        holder.kill()
        holder.communicate()
    assert given == {"descending": True, "total": 303}
    assert "waiting for another process" in errors


def test_a_loop_that_does_not_compile_leaves_no_lock_behind(toy):
    (toy / "search" / "loops.py").write_text(LOOPS + "\n@compiled\ndef wrong(x):\n    return x + object()\n")
    use = """
import json, subprocess, sys
import numpy as np
from jaxsolve.search import loops
try:
    loops.wrong(1)
except Exception as error:
    assert "Typing" in type(error).__name__
loops.total(np.zeros(3, np.int64))
other = subprocess.run([sys.executable, "-c", sys.argv[1], "descending"], capture_output=True, check=True, timeout=100)
print(json.dumps([json.loads(other.stdout)[0], []]))
"""
    assert answer(start(toy, USE, use=use))[0] == {"descending": True}


# ---- the search itself -----------------------------------------------------------------------------------------------
SOLVE = """
import json, os
from jaxsolve import compiled
from jaxsolve.games.registry import make
from jaxsolve.search import Limits, solve
game = make("hex-5")
results = [solve(game, game.init(), max_nodes=size, limits=Limits(nodes=1500), check=False) for size in (128, None)]
kept = sorted(path.name for path in compiled.code_folder().iterdir() if path.name.startswith("jaxsolve."))
print(json.dumps([{"results": [[result.verdict.value, result.nodes, result.evaluations] for result in results], "kept": kept}, []]))
"""
WARM = """
import json, sys
from jaxsolve.games.registry import make
from jaxsolve.search import Limits, solve_value
from jaxsolve.search.methods import method_named
from jaxsolve.search.warm_up import warm_up

def made():
    modules = [module for name, module in sys.modules.items() if name.startswith("jaxsolve.search.")]
    loops = [x for module in modules for x in vars(module).values() if hasattr(x, "stats") and x.py_func.__module__ == module.__name__]
    return {x.py_func.__qualname__: sum(x.stats.cache_hits.values()) + sum(x.stats.cache_misses.values()) for x in loops}

late = {}
for rules, start in (
    ("hex-4", "..../..../..../.... b"),
    ("awari", "0,0,0,1,2,0/1,0,0,0,2,0 s captured=21:21"),
    ("gomoku-3;line=3;win=five-or-more;knowledge=ndk", ".../.../... b"),
):
    game = make(rules)
    warm_up(method_named(sys.argv[1]), game.may_repeat, rules == "hex-4")
    before = made()
    solve_value(game, game.parse(start), method=sys.argv[1], limits=Limits(nodes=300))
    late[rules] = sorted(name for name, times in made().items() if times != before.get(name, 0))
print(json.dumps([late, sorted(before)]))
"""


@pytest.mark.parametrize("method", ["dfpn", "pns", "mcts"])
def test_a_search_compiles_nothing_after_its_warm_up(method):
    late, loops, _ = answer(start(PACKAGE, method, use=WARM, cache=runtime.cache_folder().parent))
    assert len(late) == 3 and not any(late.values()) and len(loops) > 20, late


@pytest.mark.skipif(not LONG, reason="compiles all host loops, for half a CPU minute: JAXSOLVE_LONG=1")
@pytest.mark.parametrize("number", range(20))
def test_many_processes_on_a_cold_cache_answer_as_one_on_a_warm_one(number, tmp_path):
    environment = {"JAX_COMPILATION_CACHE_DIR": str(runtime.cache_folder() / "xla")}  # what is cold is the code of the host loops

    def begin():
        return start(PACKAGE, use=SOLVE, cache=tmp_path, environment=environment)

    answers = [answer(process)[0] for process in [begin() for _ in range(4)]]
    answers.append(answer(begin())[0])
    assert all(given == answers[-1] for given in answers), answers


# ---- executables ------------------------------------------------------------------------------------------------------
EXECUTE = """
import json
import numpy as np
import jax
from jaxsolve.executables import executable

traces = []
def scaled(x, factor):
    traces.append(x.shape)
    return x * factor + 1

x = np.arange(6, dtype=np.float32).reshape(2, 3)
call = executable(scaled, (x, np.float32(0)), "scaled")
print(json.dumps([{"value": np.asarray(call(x, np.float32(3))).tolist()}, traces]))
"""


def test_an_executable_is_neither_traced_nor_trusted_twice(toy):
    expected = {"value": [[1, 4, 7], [10, 13, 16]]}

    def traced() -> bool:
        value, traces, _ = answer(start(toy, use=EXECUTE))
        assert value == expected
        return bool(traces)

    assert traced() and not traced()
    file = next((toy.parent.parent / "cache").rglob("executables/*"))
    file.write_bytes(file.read_bytes()[:-1])
    assert traced()
    (toy / "search" / "steps.py").write_text(STEPS.replace("100", "200"))  # any source of the package may be part of what was traced
    assert traced() and not traced()


LOOK = """
import json, sys
import numpy as np
import jax
from jaxsolve.evaluate import Evaluator
from jaxsolve.evaluate.rows import Rows
from jaxsolve.games import make

traces, look = [], Rows._look
Rows._look = lambda self, *arguments: traces.append(self.game.rule_set) or look(self, *arguments)
game = make("gomoku-3;line=3")
evaluator = Evaluator(game, playouts=2)
if "jit" in sys.argv:
    evaluator._calls.look.compiled[16] = jax.jit(evaluator._calls.rows.look)
states, seen = np.tile(game.host_pack(game.init()), (9, 1)), []
for move in range(4):  # nine games: each plays on from its own first stone
    rows = evaluator(states, (np.arange(9, dtype=np.int32) + 4 * move) % 9, move)
    states = rows[:, : game.state_words]
    seen.append(rows.tolist())
print(json.dumps([{"rows": seen}, traces]))
"""


def test_a_warm_process_does_not_trace_the_evaluator_and_sees_the_same_rows(tmp_path):
    (cold, traced, _), (warm, again, _), (jitted, _, _) = (answer(start(PACKAGE, *words, use=LOOK, cache=tmp_path)) for words in ((), (), ("jit",)))
    assert traced and not again
    assert cold == warm == jitted


def test_every_setting_of_the_evaluator_has_executables_of_its_own(monkeypatch):
    names = []
    monkeypatch.setattr(executables, "executable", lambda function, arguments, name: names.append(name) or function)
    game, other = make("gomoku-4;line=3"), make("gomoku-4;line=4")
    plain = Rows(game)
    changes = {"playouts": 1, "max_playout": 7, "canonical": True, "autoplay": True, "zoned": True, "apply": lambda *_: None}
    kinds = [plain, Rows(other), *(dataclasses.replace(plain, **{name: value}) for name, value in changes.items())]
    kinds += [Rows(Go(5, "positional", max_history=count)) for count in (99, 100)]
    assert set(changes) | {"game", "planes"} == {field.name for field in dataclasses.fields(Rows)}
    for rows in kinds:
        Calls(rows, tuple(jax.devices()[:1]))._kept_look()
    assert len(set(names)) == len(names) == len(kinds)


class Mine(Gomoku):
    """Somebody's own game: its code is not in the digest."""


def test_only_the_packages_own_games_on_the_default_device_are_kept():
    device = jax.devices()[0]
    assert executables.keeps(Gomoku(4, 3)) and not executables.keeps(Mine(4, 3))
    with jax.default_device(device):
        assert not executables.keeps(Gomoku(4, 3))
    with jax.disable_jit():
        assert not executables.keeps(Gomoku(4, 3))


# ---- the command line ------------------------------------------------------------------------------------------------
POSITION = "....../....../..X.../...O../....../...... b"


def run(*words: str, **environment: str) -> subprocess.CompletedProcess[str]:
    """The command line in a process of its own."""
    command = [sys.executable, "-m", "jaxsolve", *words]
    here = {**os.environ, "PYTHONPATH": str(PACKAGE.parent), **environment}
    return subprocess.run(command, env=here, capture_output=True, text=True, timeout=600, check=False)


@pytest.mark.parametrize("platform", ["cuda", "foo", "cpu,foo"])
def test_a_platform_that_is_not_there_is_refused_in_one_sentence(platform):
    if platform == "cuda" and jax.default_backend() == "gpu":
        pytest.skip("this machine has a GPU")
    done = run("show", "moves:a1", "-g", "hex-6", "--json", JAX_PLATFORMS=platform)
    assert done.returncode == 2
    assert done.stderr.count("\n") == 1 and platform in done.stderr and "JAX_PLATFORMS" in done.stderr
    assert json.loads(done.stdout)["error"] in done.stderr


def test_a_transfer_guard_does_not_stop_the_program():
    names = ("", "_HOST_TO_DEVICE", "_DEVICE_TO_DEVICE", "_DEVICE_TO_HOST")
    guards = {f"JAX_TRANSFER_GUARD{name}": "disallow_explicit" for name in names}
    guarded = run("solve", "XXX./..../OO../.... b", "-g", "hex-4", "--json", **guards)
    assert (guarded.returncode, json.loads(guarded.stdout)["verdict"]) == (20, "disproved"), guarded.stderr


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
    "killallgo-7": "......./......./......./..X..../......./......./....... w ply=1",
    "tsumego-5;crucial=C3;defender=white;goal=kill": "...../.XX../.XO../..X../..... w",
}


@pytest.mark.parametrize("rules", SHOWN)
def test_what_is_read_to_be_shown_is_what_is_parsed(rules):
    game = make(rules)
    read, parsed = game.read(SHOWN[rules]), game.parse(SHOWN[rules])
    assert game.text(read) == game.text(parsed)
    assert int(game.to_move(read)) == int(game.to_move(parsed))
    assert text_board(game, read) == text_board(game, parsed) and svg(game, read) == svg(game, parsed)
    assert game.cells(read).tolist() == game.cells(parsed).tolist()
    with pytest.raises(ValueError, match=r"(?i)position"):
        game.read("nothing")


@pytest.mark.parametrize(
    ("words", "absent"),
    [
        (("--help",), {"jax", "numba", "numpy", "scipy"}),
        (("games",), {"jax", "numba", "numpy", "scipy"}),
        (("check", "no-such-file"), {"jax", "numba", "numpy", "scipy"}),
        *((("show", text, "-g", rules), {"jax", "jaxlib", "numba", "scipy", "jaxsolve.search"}) for rules, text in SHOWN.items()),
    ],
)
def test_a_command_imports_only_what_it_uses(words, absent):
    code = (
        "import contextlib, io, sys\nfrom jaxsolve import cli\nnowhere = io.StringIO()\n"
        "with contextlib.suppress(SystemExit), contextlib.redirect_stdout(nowhere), contextlib.redirect_stderr(nowhere):\n    cli.main()\n"
        "print(*sys.modules)"
    )
    here = {**os.environ, "PYTHONPATH": str(PACKAGE.parent)}
    done = subprocess.run([sys.executable, "-c", code, *words], env=here, capture_output=True, text=True, timeout=600, check=True)
    assert "jaxsolve.cli" in done.stdout.split()
    assert not absent & set(done.stdout.split())
