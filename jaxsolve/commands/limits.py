"""Resuming with other limits: decides whether an unknown row is searched again."""

from __future__ import annotations

import dataclasses
import re
from typing import Any

from jaxsolve.search.settings import Settings

# The limit in a row's reason, as ``Limits.reached`` words it.
_STOPPED = re.compile(r"\blimit of (\S+) (nodes|evaluations|CPU seconds|seconds|MB)\b")
_UNITS = {
    "nodes": "nodes",
    "evaluations": "evaluations",
    "CPU seconds": "cpu_seconds",
    "seconds": "wall_seconds",
}


def is_final(row: dict[str, Any], settings: Settings) -> bool:
    """Whether a row is kept: it was saved, and no larger limit could change it."""
    return not row.get("unsaved") and not larger_limit_helps(row, settings)


def larger_limit_helps(row: dict[str, Any], settings: Settings) -> bool:
    """Whether ``settings`` let an unknown row be searched further.

    The limit that stopped the row must be larger or absent, and the effort of the row must be
    within the other limits.
    """
    stopped = _STOPPED.search(str(row.get("reason")))
    if row["verdict"] != "unknown" or stopped is None:
        return False
    limits = settings.limits
    now = {each.name: getattr(limits, each.name) for each in dataclasses.fields(limits)}
    if stopped[2] == "MB":
        limit = settings.memory_mb
    elif str(row["reason"]).startswith("Decided"):
        # The collection of the proof ran out of time; either time limit bounds it.
        limit = limits.cpu_seconds or limits.wall_seconds
    else:
        limit = now.pop(_UNITS[stopped[2]])
    if any(other is not None and other < row[name] for name, other in now.items()):
        return False
    try:
        if limit is None:
            return True
        # The reason rounds seconds in the same way.
        rounded = limit if isinstance(limit, int) else float(f"{limit:g}")
        return rounded > float(stopped[1])
    except ValueError:
        return False
