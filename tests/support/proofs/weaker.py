"""Checkers with one weaker clause, and the search for a step that only they accept.

Shared by the tests that every clause is necessary.
"""

from __future__ import annotations

import functools
import inspect
import sys
import types
from collections.abc import Callable, Iterable
from typing import Any, TypeVar

Kind = TypeVar("Kind", bound=type)
Step = TypeVar("Step")


@functools.cache
def weakened(checker: Kind, old: str, new: str) -> Kind:
    """The checker's class, made from its module's source with ``old`` replaced by ``new``.

    ``old`` must occur exactly once.
    """
    source, module = (
        inspect.getsource(sys.modules[checker.__module__]),
        types.ModuleType("weakened"),
    )
    assert source.count(old) == 1, (
        f"the clause to be switched off stands {source.count(old)} times in the checker: {old}"
    )
    exec(compile(source.replace(old, new), "weakened", "exec"), module.__dict__)
    return getattr(module, checker.__name__)


def without(checker: type, method: str, answer: Any = True) -> type:
    """The checker's class with one method, a condition, that always returns the same answer."""
    return type("Weaker", (checker,), {method: lambda self, *arguments: answer})


def false_step(steps: Iterable[Step], is_false: Callable[[Step], bool]) -> Step:
    """The first unsound step of the accepted ``steps``; there must be one."""
    for step in steps:
        if is_false(step):
            return step
    raise AssertionError("no false step has been found")
