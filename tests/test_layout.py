"""Layers of the package: folders import lower folders only, and shared modules name no game.

So a new game changes its folder, the registry, the checker and FORMAT.md.
"""

import ast
from collections.abc import Iterator
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

RULES = {"core", "jit", "games", "question"}
SEARCH = RULES | {"networks", "evaluate", "proof", "check", "search"}
LAYERS = {
    "core": set(),
    "jit": {"core"},
    "games": {"core", "jit"},
    "question": {"games"},
    "networks": {"core", "games"},
    "evaluate": {"core", "jit", "games", "networks"},
    "check": set(),  # with standard library only: tests/check/test_layering.py
    "proof": {"core", "jit", "games", "question", "evaluate", "check"},
    "search": SEARCH - {"search"},
    "formats": {"core", "games", "question", "networks"},
    "view": {"core", "games"},
    "play": {"core", "jit", "games", "view"},
    "train": {"core", "games", "networks", "formats", "play", "view"},
    "tsumego": {"core", "games", "question", "formats", "proof", "check"},
    "cluster": SEARCH | {"formats", "play", "train"},
    "bench": SEARCH | {"formats", "view", "play", "train", "cluster"},
    "commands": SEARCH | {"formats", "view", "play", "train", "tsumego", "cluster", "bench"},
    "cli": {"commands"},
    "__main__": {"cli"},
}
"""Folders and modules of the package, and the ones that each may import, lowest first.

``check`` is ``proof/check``. Imports for type checkers only count as well.
"""
LAZY = {
    ("games/env_state.py", "view"): "pictures of an environment, as pgx has them",
    ("formats/record.py", "jit"): "imports JAX, which reading positions does not need",
}
"""Imports in functions that go beyond ``LAYERS``, with the reason."""


def layer_of(parts: tuple[str, ...]) -> str:
    """The layer of a module of the package, given the parts of its name below ``jaxsolve``."""
    return "check" if parts[:2] == ("proof", "check") else parts[0]


def imports_in(node: ast.AST, lazy: bool = False) -> Iterator[tuple[str, bool]]:
    """Layers of the package that a module imports, and whether inside a function."""
    for child in ast.iter_child_nodes(node):
        names: list[str] = []
        if isinstance(child, ast.Import):
            names = [alias.name for alias in child.names]
        elif isinstance(child, ast.ImportFrom):
            names = [f"{child.module}.{alias.name}" for alias in child.names]
        for name in names:
            package, *parts = name.split(".")
            if package == "jaxsolve" and parts:
                yield layer_of(tuple(parts)), lazy
        yield from imports_in(
            child, lazy or isinstance(child, ast.FunctionDef | ast.AsyncFunctionDef)
        )


def test_every_folder_imports_lower_folders_only():
    found_lazy = set()
    for path in sorted(PACKAGE.rglob("*.py")):
        name = path.relative_to(PACKAGE)
        if name == Path("__init__.py"):
            continue
        own = layer_of(name.with_suffix("").parts)
        for other, lazy in imports_in(ast.parse(path.read_text(encoding="utf-8"))):
            if other == own or other in LAYERS[own]:
                continue
            assert lazy and (name.as_posix(), other) in LAZY, f"{name} imports {other}"
            found_lazy.add((name.as_posix(), other))
    assert found_lazy == LAZY.keys()


def test_layers_are_in_order():
    """So they have no circle."""
    names = list(LAYERS)
    for number, name in enumerate(names):
        assert LAYERS[name] <= set(names[:number]), name


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
