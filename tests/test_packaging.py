"""The package as users get it: light imports, pinned requirements, scripts, wheel and checkout."""

from __future__ import annotations

import ast
import re
import subprocess
import sys
import tarfile
import tomllib
import zipfile
from collections.abc import Collection
from pathlib import Path

import pytest

from support.paths import ROOT

TRACKED = ROOT / ".git"


def project():
    return tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]


def build_requirements():
    return tomllib.loads((ROOT / "pyproject.toml").read_text())["build-system"]["requires"]


@pytest.mark.smoke
@pytest.mark.parametrize(
    "module",
    [
        "jaxsolve",
        "jaxsolve.proof.check",
        "jaxsolve.cli",
        "jaxsolve.games.registry",
        "jaxsolve.commands.show",
    ],
)
def test_importing_it_does_not_import_jax(module):
    code = (
        f"import sys, {module}\n"
        "sys.exit(int(any(name in sys.modules for name in ('jax', 'numba', 'numpy'))))"
    )
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0


def test_the_checker_needs_the_standard_library_only():
    code = (
        "import sys, jaxsolve.proof.check.__main__\n"
        "names = {name.split('.')[0] for name in sys.modules}\n"
        "print(*sorted(names - set(sys.stdlib_module_names) - {'__main__', 'jaxsolve'}))"
    )
    found = subprocess.run(
        [
            sys.executable,
            "-I",
            "-S",
            "-c",
            f"import sys; sys.path.insert(0, {str(ROOT)!r})\n{code}",
        ],
        capture_output=True,
        text=True,
    )
    assert (found.returncode, found.stdout.strip()) == (0, ""), found.stderr


LEARNING = {
    ROOT / "jaxsolve/networks/residual.py",
    ROOT / "jaxsolve/bench/selfplay.py",
    ROOT / "jaxsolve/bench/towers.py",
    *(ROOT / "jaxsolve/cluster").glob("online_*.py"),
    *(ROOT / "jaxsolve/train").glob("*.py"),
}
"""Modules that need the extra ``learn``."""


def imported(folder: str, *, top_level: bool, without: Collection[Path] = ()) -> set[str]:
    """Third-party packages that modules below ``folder`` import, at their top level or anywhere."""
    found = set()
    for file in {*(ROOT / folder).rglob("*.py")} - {*without}:
        tree = ast.parse(file.read_text())
        for node in tree.body if top_level else ast.walk(tree):
            if isinstance(node, ast.Import):
                found |= {alias.name.split(".")[0] for alias in node.names}
            elif isinstance(node, ast.ImportFrom) and node.module and not node.level:
                found.add(node.module.split(".")[0])
    own = {"jaxsolve"} | {
        path.stem
        for place in ("tests", "launch")
        for file in (ROOT / place).rglob("*.py")
        for path in (file, file.parent)
    }
    return found - set(sys.stdlib_module_names) - own


def required(*extras: str) -> set[str]:
    """Import names of the requirements, with those of the given extras."""
    lines = list(project()["dependencies"])
    for extra in extras:
        lines += project()["optional-dependencies"][extra]
    names = {re.match(r"[\w.-]+", line)[0] for line in lines}
    return {
        {
            "open-spiel": "pyspiel",
            "orbax-checkpoint": "orbax",
            "hydra-core": "hydra",
            "pyyaml": "yaml",
        }.get(name, name)
        for name in names
    }


def test_what_is_required_is_imported_and_what_is_imported_is_required():
    assert required() <= imported("jaxsolve", top_level=False)
    assert imported("jaxsolve", top_level=True, without=LEARNING) <= required()
    assert imported("jaxsolve", top_level=False) <= required("learn", "tests")
    lazily = {
        *(ROOT / f"jaxsolve/commands/{word}.py" for word in ("train", "plot", "match")),
        *(ROOT / f"jaxsolve/cluster/{word}.py" for word in ("renewal", "trainer_options")),
    }
    others = {*(ROOT / "jaxsolve").rglob("*.py")} - LEARNING - lazily
    assert not [
        file
        for file in others
        if re.search(r"jaxsolve\.(train|networks\.residual)", file.read_text())
    ]
    assert imported("launch", top_level=False) | imported("tests", top_level=False) <= required(
        "tests"
    )


@pytest.fixture(scope="module")
def built(tmp_path_factory) -> dict[str, set[str]]:
    """Names of the files in the source distribution and in the wheel."""
    pytest.importorskip("hatchling")
    folder = tmp_path_factory.mktemp("dist")
    subprocess.run(
        [sys.executable, "-m", "hatchling", "build", "-d", folder],
        cwd=ROOT,
        check=True,
        capture_output=True,
    )
    with (
        tarfile.open(next(folder.glob("*.tar.gz"))) as source,
        zipfile.ZipFile(next(folder.glob("*.whl"))) as wheel,
    ):
        return {
            "source": {name.split("/", 1)[1] for name in source.getnames()},
            "wheel": set(wheel.namelist()),
        }


@pytest.mark.skipif(not TRACKED.exists(), reason="not a git checkout")
def test_the_source_distribution_is_the_checkout(built):
    listed = subprocess.run(
        ["git", "ls-files"], cwd=ROOT, capture_output=True, text=True, check=True
    ).stdout.splitlines()
    wanted = {
        name
        for name in listed
        if name.split("/")[0]
        in (
            "jaxsolve",
            "configs",
            "launch",
            "tests",
            ".assets",
            "README.md",
            "LICENSE",
            "pyproject.toml",
        )
    }
    assert {name for name in wanted if (ROOT / name).exists()} <= built["source"]


def test_the_wheel_has_the_package_and_the_problem_sets(built):
    files = {
        file.relative_to(ROOT).as_posix()
        for file in (ROOT / "jaxsolve").rglob("*")
        if file.is_file() and "__pycache__" not in file.parts
    }
    sets = {f"jaxsolve/{file.relative_to(ROOT)}" for file in (ROOT / "configs").rglob("*.*")}
    assert sets and files | sets <= built["wheel"]
    assert "jaxsolve/py.typed" in built["wheel"]
    assert {name.split("/")[0] for name in built["wheel"]} == {
        "jaxsolve",
        f"jaxsolve-{project()['version']}.dist-info",
    }


def test_a_shipped_problem_set_is_found_by_its_name(tmp_path, monkeypatch):
    from jaxsolve.formats import problems

    monkeypatch.chdir(tmp_path)
    assert [problem.id for problem in problems.load("quickstart.json")] == [
        "go-life",
        "gomoku-win",
        "hex-opening",
    ]
    (tmp_path / "quickstart.json").write_text(
        '{"format": "jaxsolve-problems", "version": 1, "rules": "hex-3", '
        '"problems": [{"id": "mine"}]}'
    )
    assert [problem.id for problem in problems.load("quickstart.json")] == ["mine"]
    with pytest.raises(ValueError, match=r"No such file.*quickstart\.json"):
        problems.load("absent.json")
    with pytest.raises(ValueError, match="No such file"):
        problems.load("elsewhere/quickstart.json")


def test_every_requirement_is_pinned_for_both_pythons():
    lines = [
        project()["dependencies"],
        *project()["optional-dependencies"].values(),
        build_requirements(),
    ]
    names = [re.match(r"[\w.-]+", line)[0] for group in lines for line in group]
    pins: dict[str, list[str]] = {}
    for line in (ROOT / "launch" / "constraints.txt").read_text().splitlines():
        if line and not line.startswith("#"):
            match = re.fullmatch(
                r"([\w.-]+)==([\w.]+)(?: ; python_version (<|>=) \"3\.12\")?", line
            )
            assert match, line
            pins.setdefault(match[1].lower().replace("_", "-"), []).append(match[3] or "all")
    assert all(sorted(marks) in (["all"], ["<", ">="]) for marks in pins.values())
    assert {name.lower().replace("_", "-") for name in names} <= set(pins)


def test_no_file_holds_an_address_of_packages():
    texts = [ROOT / "pyproject.toml", *(ROOT / "launch").rglob("*"), *(ROOT / ".ci").iterdir()]
    for file in filter(Path.is_file, texts):
        assert not re.search(r"https?://|index-url|find-links", file.read_text()), file


def test_scripts_parse_and_run_from_anywhere():
    for script in (
        ROOT / "launch" / "quickstart.sh",
        ROOT / "launch" / "test.sh",
        ROOT / ".ci" / "run",
    ):
        assert subprocess.run(["bash", "-n", script], check=False).returncode == 0
        assert script.stat().st_mode & 0o111
        assert 'cd "$(dirname "${BASH_SOURCE[0]}")/.."' in script.read_text()


@pytest.mark.skipif(not TRACKED.exists(), reason="not a git checkout")
def test_the_root_folder_holds_the_listed_files_only():
    listed = subprocess.run(
        ["git", "ls-files"], cwd=ROOT, capture_output=True, text=True, check=True
    ).stdout.splitlines()
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


def test_the_package_has_its_licence_and_version():
    import jaxsolve

    assert project()["license"] == "Apache-2.0"
    assert project()["version"] == jaxsolve.__version__
    assert "Apache License" in (ROOT / "LICENSE").read_text()
