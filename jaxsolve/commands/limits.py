"""Going on under other limits: whether a row that a limit left unknown is worth another search."""

from __future__ import annotations

import dataclasses
import re
from typing import Any

from jaxsolve.search.settings import Settings

_STOPPED = re.compile(
    r"\blimit of (\S+) (nodes|evaluations|CPU seconds|seconds|MB)\b"
)  # in a row's reason, as the search says it
_UNITS = {
    "nodes": "nodes",
    "evaluations": "evaluations",
    "CPU seconds": "cpu_seconds",
    "seconds": "wall_seconds",
}


def is_final(row: dict[str, Any], settings: Settings) -> bool:
    """Whether a row is not searched again: all of it could be saved, and no limit lets the search go further now."""
    return not row.get("unsaved") and not larger_limit_helps(row, settings)


def larger_limit_helps(row: dict[str, Any], settings: Settings) -> bool:
    """Whether the row was left unknown at a limit that is larger in ``settings``, or absent, and no other one is below what the row took."""
    stopped = _STOPPED.search(str(row.get("reason")))
    if row["verdict"] != "unknown" or stopped is None:
        return False
    limits = settings.limits
    now = {each.name: getattr(limits, each.name) for each in dataclasses.fields(limits)}
    if stopped[2] == "MB":
        limit = settings.memory_mb
    elif str(row["reason"]).startswith(
        "Decided"
    ):  # it is the proof's collection that ran out of time, which either limit gives
        limit = limits.cpu_seconds or limits.wall_seconds
    else:
        limit = now.pop(_UNITS[stopped[2]])
    if any(other is not None and other < row[name] for name, other in now.items()):
        return False
    try:
        return limit is None or (limit if isinstance(limit, int) else float(f"{limit:g}")) > float(
            stopped[1]
        )  # both rounded alike
    except ValueError:
        return False
