"""Names of a package that are imported on first use, so that looking at what there is does not import JAX."""

from __future__ import annotations

import importlib
from collections.abc import Callable, Mapping, Sequence
from typing import Any


def names(package: str, homes: Mapping[str, Sequence[str]]) -> Callable[[str], Any]:
    """A module ``__getattr__`` (PEP 562) for ``package``: ``homes`` says which names each of its modules holds."""
    where = {name: module for module, held in homes.items() for name in held}

    def get(name: str) -> Any:
        if name not in where:
            raise AttributeError(f"module {package!r} has no attribute {name!r}")
        return getattr(importlib.import_module(f"{package}.{where[name]}"), name)

    return get
