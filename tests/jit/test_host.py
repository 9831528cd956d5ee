"""Cache of compiled loops: shared by processes, and invalidated by every change of its sources."""

from __future__ import annotations

import inspect
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from jaxsolve.jit import cache_files
from jaxsolve.jit.code_cache import SOURCES
from jaxsolve.jit.host import compiled
from support.startup import LOOPS, PACKAGE, STEPS, USE, answer, entries, start, toy_package


@pytest.fixture
def toy(tmp_path) -> Path:
    return toy_package(tmp_path / "source")


def test_an_edit_of_a_function_or_constant_that_a_loop_uses_recompiles_the_loop(toy):
    steps = toy / "search" / "steps.py"
    assert answer(start(toy, "total"))[:2] == ({"total": 303}, ["total"])
    assert answer(start(toy, "total"))[:2] == ({"total": 303}, [])
    stamp = steps.stat()
    steps.write_text(STEPS.replace("x + 1", "x + 7"))
    os.utime(steps, ns=(stamp.st_atime_ns, stamp.st_mtime_ns))
    # Python's own cache compares that time.
    shutil.rmtree(toy / "search" / "__pycache__", ignore_errors=True)
    assert answer(start(toy, "total"))[:2] == ({"total": 321}, ["total"])
    steps.write_text(STEPS.replace("100", "200"))
    assert answer(start(toy, "total"))[0] == {"total": 603}


@pytest.mark.full
def test_machine_code_of_different_processes_can_be_mixed(toy):
    # Numba's own cache fails here if the counts of compiled functions of both processes are equal;
    # see the docstring of ``jit.host``.
    assert answer(start(toy, "descending"))[0] == {"descending": True}
    assert answer(start(toy, "ascending"))[0] == {"ascending": True}
    for names in (("descending", "ascending"), ("ascending", "descending")):
        assert answer(start(toy, *names))[:2] == ({"descending": True, "ascending": True}, [])


def test_a_closure_is_refused():
    number = 3
    with pytest.raises(ValueError, match="closure"):
        compiled(lambda x: x + number)


def test_the_sources_of_all_records_that_compiled_loops_read_are_in_the_digest():
    """Machine code reads fields by number: without their file in the digest it would go stale."""
    from jaxsolve.evaluate import Offsets
    from jaxsolve.games.zones import Zoning
    from jaxsolve.search.methods import METHODS, Workspace
    from jaxsolve.search.methods.pns.weights import Weights
    from jaxsolve.search.tree.claim_codes import ClaimCodes
    from jaxsolve.search.tree.paths import Log, Paths
    from jaxsolve.search.tree.tree import Tree

    records = [
        Offsets,
        Workspace,
        Log,
        Paths,
        Weights,
        ClaimCodes,
        Tree,
        Zoning,
        *map(type, METHODS.values()),
    ]
    for kind in records:
        file = Path(inspect.getfile(kind)).relative_to(PACKAGE).as_posix()
        assert any(file == source or file.startswith(f"{source}/") for source in SOURCES), (
            kind,
            file,
        )


@pytest.mark.full
def test_each_process_and_fork_has_symbols_of_its_own(toy):
    use = """
import json, os
from jaxsolve.jit import host
from numba.core.bytecode import FunctionIdentity
def number():
    return FunctionIdentity.from_function(number).unique_id
reader, writer = os.pipe()
if os.fork() == 0:
    os.write(writer, str(number()).encode())
    os._exit(0)
os.wait()
print(json.dumps([{"numbers": [number(), int(os.read(reader, 99))]}, []]))
"""
    numbers = [number for _ in range(3) for number in answer(start(toy, use=use))[0]["numbers"]]
    assert all(abs(a - b) > 10**6 for i, a in enumerate(numbers) for b in numbers[:i])


def test_processes_that_start_together_compile_each_function_once(toy):
    answers = [
        answer(process)
        for process in [start(toy, "total", "descending", "ascending") for _ in range(4)]
    ]
    assert all(
        values == {"total": 303, "descending": True, "ascending": True} for values, _, _ in answers
    )
    assert sorted(name for _, compiled_here, _ in answers for name in compiled_here) == [
        "ascending",
        "descending",
        "total",
    ]


def test_a_cached_entry_is_never_rewritten(toy):
    answer(start(toy, "total", "descending"))
    before = entries(toy)
    assert {name.rsplit("-", 1)[0] for name in before} == {
        f"jaxsolve.search.{name}" for name in ("loops.total", "loops.descending", "steps.step")
    }
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
    values, compiled_here, errors = answer(start(toy, "total", cache=blocked))
    assert (values, compiled_here) == ({"total": 303}, ["total"])
    assert errors.count("JAXSOLVE_CACHE names another folder") == 1 and "Traceback" not in errors


@pytest.mark.full
def test_other_processes_wait_for_a_hanging_lock_holder_only_for_a_time(toy):
    answer(start(toy, "total"))
    folder = next((toy.parent.parent / "cache").rglob("jaxsolve.search.*")).parent
    (entry,) = (path.name for path in folder.glob("jaxsolve.search.loops.total-*"))
    (folder / entry).unlink()  # still has its lock file
    hold = f"""
import fcntl, time
file = open({str(folder / "locks" / entry)!r}, "w")
fcntl.flock(file, fcntl.LOCK_EX)
print("held", flush=True)
time.sleep(300)
"""
    holder = subprocess.Popen([sys.executable, "-c", hold], stdout=subprocess.PIPE, text=True)
    try:
        assert holder.stdout is not None and holder.stdout.readline() == "held\n"
        impatient = USE.replace(
            "from jaxsolve.search",
            "code_cache.PATIENCE, code_cache.SILENCE = 0.5, 0.1\nfrom jaxsolve.search",
        )
        values, _, errors = answer(start(toy, "descending", "total", use=impatient))
    finally:
        holder.kill()
        holder.communicate()
    assert values == {"descending": True, "total": 303}
    assert "waiting for another process" in errors


@pytest.mark.full
def test_an_inlined_function_is_cached_without_machine_code_and_inlined_by_later_processes(toy):
    (toy / "search" / "loops.py").write_text("""
from jaxsolve.jit.host import compiled, inner

@inner
def doubled(x):
    if x < 0:
        raise ValueError("a negative number")
    return 2 * x

@inner
def capped(x):
    return min(doubled(x), 6)

@compiled
def total(x):
    s = 0
    for i in range(len(x)):
        s += capped(x[i])
    return s

@compiled
def most(x):
    m = 0
    for i in range(len(x)):
        m = max(m, capped(x[i]))
    return m
""")
    use = """
import json, sys
import numpy as np
from jaxsolve.search import loops
answers = {}
for name in sys.argv[1:]:
    function = getattr(loops, name)
    answers[name] = int(function(np.arange(5)))
    try:
        function(np.array([-1]))
    except ValueError as error:
        answers[name] = [answers[name], str(error)]
names = ("doubled", "capped", "total", "most")
here = [name for name in names if sum(getattr(loops, name).stats.cache_misses.values())]
print(json.dumps([answers, here]))
"""
    error = "a negative number"
    assert answer(start(toy, "total", use=use))[:2] == (
        {"total": [18, error]},
        ["doubled", "capped", "total"],
    )
    assert answer(start(toy, "most", use=use))[:2] == ({"most": [6, error]}, ["most"])
    assert answer(start(toy, "total", "most", use=use))[:2] == (
        {"total": [18, error], "most": [6, error]},
        [],
    )
    machine_code = {
        path.name.split("-")[0]: b"ELF" in path.read_bytes()
        for path in (toy.parent.parent / "cache").rglob("numba-*/*loops.*")
    }
    assert machine_code == {
        f"jaxsolve.search.loops.{name}": name in ("total", "most")
        for name in ("doubled", "capped", "total", "most")
    }


def test_an_inlined_function_may_print(toy):
    """Printing uses an environment that compiling and reading processes must both set."""
    (toy / "search" / "loops.py").write_text("""
from jaxsolve.jit.host import compiled, inner

@inner
def printed(x):
    print(x)
    return x

@compiled
def total(x):
    return printed(x) + 1
""")
    for _ in range(2):
        process = start(toy, use="from jaxsolve.search import loops; print(loops.total(3))")
        out, errors = process.communicate(timeout=100)
        assert (process.returncode, out) == (0, "3\n4\n"), errors


def test_a_loop_that_fails_to_compile_releases_the_lock(toy):
    (toy / "search" / "loops.py").write_text(
        LOOPS + "\n@compiled\ndef wrong(x):\n    return x + object()\n"
    )
    use = """
import json, subprocess, sys
import numpy as np
from jaxsolve.search import loops
try:
    loops.wrong(1)
except Exception as error:
    assert "Typing" in type(error).__name__
loops.total(np.zeros(3, np.int64))
command = [sys.executable, "-c", sys.argv[1], "descending"]
other = subprocess.run(command, capture_output=True, check=True, timeout=100)
print(json.dumps([json.loads(other.stdout)[0], []]))
"""
    assert answer(start(toy, USE, use=use))[0] == {"descending": True}


def test_machine_code_that_cannot_be_cached_still_runs(toy):
    """This happens if Ctrl-C arrives while LLVM returns the code.

    Nothing is cached, the lock is released, and the next process compiles.
    """
    use = """
import json
import numpy as np
from numba.core.codegen import JITCodeLibrary
from jaxsolve.search import loops
def lost(self):
    raise RuntimeError("no compiled object yet")
JITCodeLibrary.serialize_using_object_code = lost
print(json.dumps([int(loops.total(np.arange(3, dtype=np.int64))), []]))
"""
    before = entries(toy)
    first = start(toy, use=use)
    assert isinstance(answer(first)[0], int) and entries(toy) == before
    assert answer(start(toy, "total"))[:2] == ({"total": 303}, ["total"])


def test_a_cache_that_others_may_write_to_is_refused_with_one_warning(toy):
    """A cache file holds code that its readers run."""
    assert answer(start(toy, "total"))[:2] == ({"total": 303}, ["total"])
    name = next(name for name in entries(toy) if "loops.total" in name)
    file = next((toy.parent.parent / "cache").rglob(name))
    for path, mode in ((file.parent, 0o777), (file.parent, 0o775), (file, 0o666)):
        before, content = path.stat().st_mode, file.read_bytes()
        path.chmod(mode)
        values, compiled_here, errors = answer(start(toy, "total"))
        assert (values, compiled_here) == ({"total": 303}, ["total"])
        assert errors.count("another user owns it or may write to it") == 1, errors
        assert "Traceback" not in errors and "JAXSOLVE_CACHE" in errors
        if path == file:  # replaced by one that nobody else may write to
            assert file.stat().st_mode & 0o022 == 0
        else:
            assert file.read_bytes() == content
            path.chmod(before)
    assert answer(start(toy, "total"))[:2] == ({"total": 303}, [])


def test_a_file_of_another_owner_is_refused(tmp_path, monkeypatch):
    file = tmp_path / "entry"
    cache_files.write(file, b"key", b"code")
    assert cache_files.read(file, b"key") == b"code"
    owner = os.getuid()
    monkeypatch.setattr(os, "getuid", lambda: owner + 1)
    assert cache_files.read(file, b"key") == (
        b"code" if owner == 0 else None
    )  # files of root are trusted
    if owner == 0:
        os.chown(file, 12345, -1)
        assert cache_files.read(file, b"key") is None


def test_others_cannot_write_to_stored_files_under_any_umask(tmp_path):
    before = os.umask(0)
    try:
        cache_files.write(tmp_path / "folder" / "entry", b"key", b"code")
    finally:
        os.umask(before)
    for path in (tmp_path / "folder", tmp_path / "folder" / "entry"):
        assert path.stat().st_mode & 0o022 == 0
