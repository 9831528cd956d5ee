"""Shared modules name no game: a new game changes its folder, registry, checker and FORMAT.md."""

import ast
from pathlib import Path

import pytest

import jaxsolve
from jaxsolve.games import available, describe, make, registry

PACKAGE = Path(jaxsolve.__file__).parent
FOLDERS = {package.rpartition(".")[2] for package in registry.BUILTIN}
SHARED = [
    path
    for path in sorted(PACKAGE.rglob("*.py"))
    # The checker has rules of its own, SGF has numbers for games, benchmarks choose games,
    # `tsumego` is about Go, and `games/__init__` only re-exports names.
    if path.relative_to(PACKAGE).parts[0] not in ("formats", "bench", "tsumego")
    and path.relative_to(PACKAGE).parts[:2]
    not in {("proof", "check"), *(("games", folder) for folder in FOLDERS)}
    and path not in (PACKAGE / "games" / "registry.py", PACKAGE / "games" / "__init__.py")
]


def game_names_in(tree):
    """Names of games and of their folders in the code, except docstrings and comments."""
    names = FOLDERS | {describe(base).stem.rstrip("-") for base in available()}
    for node in ast.walk(tree):
        if isinstance(node, ast.Constant) and isinstance(node.value, str) and node.value in names:
            yield node.value
        modules = (
            [alias.name for alias in node.names]
            if isinstance(node, ast.Import)
            else [node.module or ""]
            if isinstance(node, ast.ImportFrom)
            else []
        )
        yield from (
            module
            for module in modules
            if module.startswith("jaxsolve.games.") and module.split(".")[2] in FOLDERS
        )


@pytest.mark.parametrize("path", SHARED, ids=lambda path: str(path.relative_to(PACKAGE)))
def test_no_shared_module_names_a_game(path):
    assert sorted(game_names_in(ast.parse(path.read_text(encoding="utf-8")))) == []


def test_game_names_are_found_in_imports_and_constants():
    assert sorted(
        game_names_in(
            ast.parse(
                "import jaxsolve.games.hex.game\n"
                "from jaxsolve.games.go import Go\n"
                "x = game.name == 'awari'"
            )
        )
    ) == [
        "awari",
        "jaxsolve.games.go",
        "jaxsolve.games.hex.game",
    ]


def test_every_game_folder_is_registered():
    folders = {path.parent.name for path in (PACKAGE / "games").glob("*/rule_sets.py")}
    assert folders == FOLDERS
    for base in available():
        entry = describe(base)
        game = make(
            base if entry.sizes is None else f"{entry.stem}{entry.sizes[len(entry.sizes) // 2]}"
        )
        assert type(game).__module__.split(".")[2] in FOLDERS
