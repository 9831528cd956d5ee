"""Checkers with a clause written otherwise, and the search for a step that only they take.

What the tests that every clause is needed share.
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
    """The class of the checker made from its module's source in which ``old``, which has to stand
    there once, is written ``new``.
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
    """The class of the checker with one method, a condition, that always gives the same answer."""
    return type("Weaker", (checker,), {method: lambda self, *arguments: answer})


def false_step(steps: Iterable[Step], is_false: Callable[[Step], bool]) -> Step:
    """The first of the accepted ``steps`` whose promise does not hold; one has to be among them."""
    for step in steps:
        if is_false(step):
            return step
    raise AssertionError("no false step has been found")
