"""What a stranger gets: light imports, pinned versions without addresses, scripts that parse, a root folder that stays small."""

from __future__ import annotations

import re
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
TRACKED = ROOT / ".git"


def project():
    return tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]


@pytest.mark.smoke
@pytest.mark.parametrize("module", ["jaxsolve", "jaxsolve.proof.check", "jaxsolve.cli", "jaxsolve.games.registry", "jaxsolve.commands.show"])
def test_importing_it_does_not_import_jax(module):
    code = f"import sys, {module}; sys.exit(int(any(name in sys.modules for name in ('jax', 'numba', 'numpy'))))"
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0


def test_the_checker_needs_the_standard_library_only():
    code = (
        "import sys, jaxsolve.proof.check.__main__\n"
        "names = {name.split('.')[0] for name in sys.modules}\n"
        "print(*sorted(names - set(sys.stdlib_module_names) - {'__main__', 'jaxsolve'}))"
    )
    found = subprocess.run(
        [sys.executable, "-I", "-S", "-c", f"import sys; sys.path.insert(0, {str(ROOT)!r})\n{code}"], capture_output=True, text=True
    )
    assert (found.returncode, found.stdout.strip()) == (0, ""), found.stderr


def test_every_requirement_is_pinned_for_both_pythons():
    lines = [project()["dependencies"], *project()["optional-dependencies"].values()]
    names = [re.match(r"[\w.-]+", line)[0] for group in lines for line in group]
    pins: dict[str, list[str]] = {}
    for line in (ROOT / "launch" / "constraints.txt").read_text().splitlines():
        if line and not line.startswith("#"):
            match = re.fullmatch(r"([\w.-]+)==([\w.]+)(?: ; python_version (<|>=) \"3\.12\")?", line)
            assert match, line
            pins.setdefault(match[1].lower().replace("_", "-"), []).append(match[3] or "all")
    assert all(sorted(marks) in (["all"], ["<", ">="]) for marks in pins.values())
    assert {name.lower().replace("_", "-") for name in names} <= set(pins)


def test_no_file_says_where_packages_come_from():
    texts = [ROOT / "pyproject.toml", *(ROOT / "launch").rglob("*"), *(ROOT / ".ci").iterdir()]
    for file in filter(Path.is_file, texts):
        assert not re.search(r"https?://|index-url|find-links", file.read_text()), file


def test_scripts_parse_and_run_from_anywhere():
    for script in (ROOT / "launch" / "quickstart.sh", ROOT / "launch" / "test.sh", ROOT / ".ci" / "run"):
        assert subprocess.run(["bash", "-n", script], check=False).returncode == 0
        assert script.stat().st_mode & 0o111
        assert 'cd "$(dirname "${BASH_SOURCE[0]}")/.."' in script.read_text()


@pytest.mark.skipif(not TRACKED.exists(), reason="not a git checkout")
def test_the_root_holds_only_what_it_should():
    listed = subprocess.run(["git", "ls-files"], cwd=ROOT, capture_output=True, text=True, check=True).stdout.splitlines()
    roots = {name.split("/")[0] for name in listed}
    assert {name for name in roots if not name.startswith(".")} <= {
        "pyproject.toml",
        "jaxsolve",
        "configs",
        "launch",
        "tests",
        "README.md",
        "LICENSE",
    }


def test_the_package_says_its_licence_and_version():
    import jaxsolve

    assert project()["license"] == "Apache-2.0"
    assert project()["version"] == jaxsolve.__version__
    assert "Apache License" in (ROOT / "LICENSE").read_text()
