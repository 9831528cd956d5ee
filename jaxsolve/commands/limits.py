"""Decides which unknown results a run that is resumed with other limits searches again.

A *row* is the result of one problem in ``results.jsonl`` (``commands/results_file.py``).
"""

from __future__ import annotations

import dataclasses
import re
from typing import Any

from jaxsolve.search.settings import Settings

# Finds the limit in the reason of an unknown row. ``Limits.reached`` writes such reasons.
_STOPPED = re.compile(r"\blimit of (\S+) (node|evaluation|CPU second|second|MB)s?\b")
_UNITS = {
    "node": "nodes",
    "evaluation": "evaluations",
    "CPU second": "cpu_seconds",
    "second": "wall_seconds",
}


def is_final(row: dict[str, Any], settings: Settings) -> bool:
    """Returns whether a resumed run keeps a row and does not search its problem again.

    True if all files of its search were saved, and if this search cannot continue under
    ``settings``.
    """
    return not row.get("unsaved") and not larger_limit_helps(row, settings)


def larger_limit_helps(row: dict[str, Any], settings: Settings) -> bool:
    """Returns whether the search of an unknown row can continue under ``settings``.

    It can continue if the limit that stopped it is now larger or absent, and if the effort spent so
    far is within the other limits.
    """
    stopped = _STOPPED.search(str(row.get("reason")))
    if row["verdict"] != "unknown" or stopped is None:
        return False
    limits = settings.limits
    now = {each.name: getattr(limits, each.name) for each in dataclasses.fields(limits)}
    if stopped[2] == "MB":
        limit = settings.memory_mb
    elif str(row["reason"]).startswith("Decided"):
        # The search decided the claim, but collecting the proof reached a time limit, which may be
        # that of CPU or of wall time.
        limit = limits.cpu_seconds or limits.wall_seconds
    else:
        limit = now.pop(_UNITS[stopped[2]])
    if any(other is not None and other < row[name] for name, other in now.items()):
        return False
    try:
        if limit is None:
            return True
        # Rounded as in the sentence of ``Limits.reached``: 1.234 seconds are no more than 1.23.
        rounded = limit if isinstance(limit, int) else float(f"{round(limit, 2) or limit:g}")
        return rounded > float(stopped[1])
    except ValueError:
        return False
