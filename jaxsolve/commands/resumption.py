"""Decides which unknown results a run that is resumed with other limits searches again.

A *row* is the result of one problem in ``results.jsonl`` (``commands/results_file.py``).
"""

from __future__ import annotations

import math
from typing import Any

from jaxsolve.search.result import PROOF_SECONDS
from jaxsolve.search.settings import LIMIT_NAMES, Settings, proof_seconds


def is_final(row: dict[str, Any], settings: Settings) -> bool:
    """Returns whether a resumed run keeps a row and does not search its problem again.

    True if all files of its search were saved, and if this search cannot continue under
    ``settings``.
    """
    return not row.get("unsaved") and not can_continue(row, settings)


def can_continue(row: dict[str, Any], settings: Settings) -> bool:
    """Returns whether the search of a row can continue under ``settings``.

    An unknown row can continue if the limit that stopped it is now larger or absent, and if the
    effort spent so far is within the other limits. An unknown row of an earlier version, which does
    not report its limit, can always continue.
    """
    if row["verdict"] != "unknown":
        return False
    if "stopped_by" not in row:
        return True
    name = row["stopped_by"]
    limits = vars(settings.limits)
    others = [each for each in LIMIT_NAMES if each != name and limits[each] is not None]
    if name is None or any(limits[each] < row[each] for each in others):
        return False
    limit = _limit(name, settings)
    # The values may differ by rounding: a part of a limit and its rest are added again.
    return limit is None or (
        limit > row["stopped_at"] and not math.isclose(limit, row["stopped_at"])
    )


def _limit(name: str, settings: Settings) -> float | None:
    """Returns the present value of a limit, or None. ``name`` is as in ``search.result.Stop``."""
    if name == PROOF_SECONDS:
        return proof_seconds(settings.limits)
    return getattr(settings.limits if name in LIMIT_NAMES else settings, name)
