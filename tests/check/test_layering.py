"""The checker imports the standard library only, and what it accepts depends on no audit."""

from __future__ import annotations

import ast
import subprocess
import sys
from pathlib import Path

import jaxsolve.proof.check

FOLDER = Path(jaxsolve.proof.check.__file__).parent
CHECKER = "jaxsolve.proof.check"
AUDIT = f"{CHECKER}.audit"
ENTRY_POINTS = {"__main__.py"}  # of the command line, which offers the audits


def imported(path: Path) -> set[str]:
    """Full names of the modules that a file imports anywhere, also in functions."""
    found = set()
    for node in ast.walk(ast.parse(path.read_text())):
        if isinstance(node, ast.Import):
            found |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom):
            assert not node.level and node.module
            found |= {node.module} | {f"{node.module}.{alias.name}" for alias in node.names}
    return found


def test_every_file_imports_the_standard_library_and_the_checker_only():
    files = sorted(FOLDER.rglob("*.py"))
    assert len(files) > 30
    for path in files:
        for name in imported(path):
            top = name.partition(".")[0]
            assert top in sys.stdlib_module_names or f"{name}.".startswith(f"{CHECKER}."), path


def test_only_the_command_line_imports_the_audits():
    for path in FOLDER.rglob("*.py"):
        name = path.relative_to(FOLDER)
        if name.parts[0] != "audit" and str(name) not in ENTRY_POINTS:
            assert not any(f"{name}.".startswith(f"{AUDIT}.") for name in imported(path)), path


def modules_after(code: str) -> set[str]:
    """Names of the modules that a fresh interpreter has loaded after ``code``."""
    code = f"{code}\nimport sys\nprint(*sys.modules)"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=60)
    assert done.returncode == 0, done.stderr
    return set(done.stdout.split())


def test_checking_loads_no_audit():
    loaded = modules_after(
        f"import {CHECKER}\n"
        f"from {CHECKER}.registry import BUILTIN, find\n"
        "for game in BUILTIN: find(game)\n"
        f"{CHECKER}.check('/nowhere')"
    )
    assert f"{CHECKER}.games.go.zones" in loaded
    assert not any(f"{name}.".startswith(f"{AUDIT}.") for name in loaded)


def test_the_program_loads_only_the_checker():
    loaded = modules_after(f"import {CHECKER}, {CHECKER}.__main__")
    own = {name for name in loaded if name.partition(".")[0] == "jaxsolve"}
    checkers = {name for name in own if f"{name}.".startswith(f"{CHECKER}.")}
    assert own <= {"jaxsolve", "jaxsolve.proof"} | checkers
    assert not {"jax", "numpy", "flax", "numba"} & loaded
