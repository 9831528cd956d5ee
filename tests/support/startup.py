"""Helpers for tests of process starts: a small package that compiles in a second, and processes."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

from jaxsolve.jit.code_cache import SOURCES
from support.paths import ROOT

PACKAGE = ROOT / "jaxsolve"

LOOPS = """
from jaxsolve.jit.host import compiled
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
    def sort(x, n):  # recursive, so that it is not inlined
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
from jaxsolve.jit.host import compiled

OFFSET = 100

@compiled
def step(x):
    return x + 1
"""
USE = """
import json, sys
import numpy as np
from jaxsolve.jit import code_cache
from jaxsolve.search import loops
x = np.random.default_rng(0).permutation(500)
right = {"descending": np.sort(x)[::-1], "ascending": np.sort(x)}
answers, compiled_here = {}, []
for name in sys.argv[1:]:
    function = getattr(loops, name)
    values = x.copy()
    answer = function(values[:3] * 0 if name == "total" else values)
    answers[name] = int(answer) if name == "total" else bool((values == right[name]).all())
    compiled_here += [name] * sum(function.stats.cache_misses.values())
print(json.dumps([answers, compiled_here]))
"""


def toy_package(folder: Path) -> Path:
    """A package ``jaxsolve`` in ``folder`` whose search is three small loops."""
    package = folder / "jaxsolve"
    (package / "search").mkdir(parents=True)
    shutil.copy(PACKAGE / "__init__.py", package)
    shutil.copytree(PACKAGE / "jit", package / "jit")
    (package / "core").mkdir()
    for name in ("__init__.py", "process.py"):
        shutil.copy(PACKAGE / "core" / name, package / "core")
    # The digest of the loops is made from these files.
    for source in (name for name in SOURCES if name.endswith(".py")):
        (package / source).parent.mkdir(parents=True, exist_ok=True)
        (package / source).touch()
    (package / "search" / "__init__.py").touch()
    (package / "search" / "loops.py").write_text(LOOPS)
    (package / "search" / "steps.py").write_text(STEPS)
    return package


def start(
    toy: Path,
    *names: str,
    use: str = USE,
    cache: Path | None = None,
    environment: dict[str, str] | None = None,
) -> subprocess.Popen:
    """Starts a process that runs the program ``use`` with the package ``toy``."""
    cache = cache or toy.parent.parent / "cache"
    environment = {
        **os.environ,
        "PYTHONPATH": str(toy.parent),
        "PYTHONSAFEPATH": "1",
        "JAXSOLVE_CACHE": str(cache),
        **(environment or {}),
    }
    command = [sys.executable, "-c", use, *names]
    return subprocess.Popen(
        command, env=environment, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    )


def answer(process: subprocess.Popen) -> tuple[dict, list[str], str]:
    """(answers by function, functions that the process compiled, standard error)."""
    out, errors = process.communicate(timeout=600)
    assert process.returncode == 0, errors
    return (*json.loads(out), errors)


def entries(toy: Path) -> dict[str, int]:
    """Time of writing of each file of cached machine code, by name."""
    return {
        path.name: path.stat().st_mtime_ns
        for path in (toy.parent.parent / "cache").rglob("jaxsolve.search.*")
        if path.is_file() and path.parent.name != "locks"
    }
