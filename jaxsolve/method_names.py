"""Names of the search methods, read where they are listed without importing that: the command line shows them before it needs the search, and JAX."""

from __future__ import annotations

import ast
from pathlib import Path


def method_names() -> tuple[str, ...]:
    """The keys of ``jaxsolve.search.METHODS``, in its order."""
    listed = Path(__file__).parent / "search" / "methods" / "__init__.py"
    for node in ast.parse(listed.read_text(encoding="utf-8")).body:
        if (
            isinstance(node, ast.AnnAssign)
            and isinstance(node.value, ast.Dict)
            and ast.unparse(node.target) == "METHODS"
        ):
            return tuple(ast.literal_eval(key) for key in node.value.keys if key is not None)
    raise RuntimeError(f"{listed} has no dictionary METHODS")
