"""The status of a run: a file in its folder, which ``jaxsolve cluster status`` shows."""

from __future__ import annotations

import contextlib
import json
import os
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from jaxsolve.core import strict_json
from jaxsolve.core.process import cpu_seconds
from jaxsolve.core.run_folder import write_atomically
from jaxsolve.search.tree.tree import NODES

if TYPE_CHECKING:
    from jaxsolve.cluster.leaves import RunningJob
    from jaxsolve.cluster.shared import Shared

STATUS, FORMAT = "cluster.json", "jaxsolve-cluster"
SECONDS = 1.0  # between two updates
VERSION = 1
MOST_QUESTIONS = 8  # questions that a status lists
MOST = 1e100  # of any number of a status; a file with a larger one is damaged

_NUMBER, _COUNT = (int, float), int
_WORKER = {
    **dict.fromkeys(("jobs", "solved", "nodes"), _COUNT),
    **dict.fromkeys(("cpu_seconds", "busy_seconds"), _NUMBER),
    "excluded": str,
}
_QUESTION = {"rules": str, "claim": str, "tree": _COUNT, "line": list}
_FIELDS: dict[str, Any] = {
    "ended": bool,
    **dict.fromkeys(("process", "ready_workers", "in_flight", "nodes", "weights"), _COUNT),
    **dict.fromkeys(("time", "seconds", "nodes_per_second", "load"), _NUMBER),
    **dict.fromkeys(("manager_cpu_seconds", "verify_cpu_seconds"), _NUMBER),
    **dict.fromkeys(("earlier", "jobs", "workers"), dict),
    "questions": list,
}
"""Fields of a status that a display needs, with their types."""
_TRAINER: dict[str, Any] = {
    **dict.fromkeys(("state", "why"), str),
    **dict.fromkeys(("version", "iterations", "games", "steps"), _COUNT),
    **dict.fromkeys(("critical", "solved", "restarts"), _COUNT),
    "loss": (int, float, type(None)),
}
"""The same of the trainer. A run without one has null, or no such field."""


class StatusError(ValueError):
    """A folder has no status of a cluster run."""


class Status:
    """Writes the status once a second, and passes it to ``show``.

    Args:
      path: file; None: not written.
      show: called with each status, to display it.
    """

    def __init__(self, path: Path | None, show: Callable[[dict[str, Any]], None] | None = None):
        self.path = path
        self._show, self._updated = show, float("-inf")

    def update(self, shared: Shared, jobs: Sequence[RunningJob], *, ended: bool = False) -> None:
        """Writes and shows the status, if the last update is a second old or the run has ended."""
        now = shared.figures.clock()
        if not ended and now - self._updated < SECONDS:
            return
        self._updated = now
        found = snapshot(shared, jobs, ended=ended)
        if self._show is not None:
            self._show(found)
        # Before the first answer of a worker the folder may not be marked as one of a run yet.
        if self.path is None or not self.path.parent.is_dir():
            return
        with contextlib.suppress(OSError):  # a full disk does not end the run
            write_atomically(self.path, json.dumps(found, ensure_ascii=False, indent=1) + "\n")


def snapshot(shared: Shared, jobs: Sequence[RunningJob], *, ended: bool) -> dict[str, Any]:
    """Returns the status of a run as JSON values."""
    shared.figures.manager_seconds = cpu_seconds()
    return {
        "format": FORMAT,
        "version": VERSION,
        "time": time.time(),
        "process": os.getpid(),
        "ended": ended,
        "ready_workers": 0 if ended else shared.backend.running(),
        "in_flight": 0 if ended else len(shared.busy),
        "earlier": {
            "jobs": shared.journal.earlier_jobs,
            "nodes": shared.journal.earlier_nodes,
            "cpu_seconds": round(shared.journal.earlier_seconds, 3),
        },
        "trainer": None if shared.trainer is None else shared.trainer.as_json(),
        "questions": [_question(each) for each in jobs[:MOST_QUESTIONS]],
        **shared.figures.as_json(),
    }


def _question(each: RunningJob) -> dict[str, Any]:
    job, progress = each.job, each.job.progress()
    return {
        "rules": job.game.rule_set,
        "claim": job.current.claim.text(job.game.players),
        "tree": int(job.search.tree.counters[NODES]),
        "in_flight": each.busy,
        "proof_number": progress.proof_number,
        "disproof_number": progress.disproof_number,
        "line": progress.line,
    }


def read(folder: Path) -> dict[str, Any]:
    """Returns the status in the folder of a run.

    Raises StatusError if the folder has none, or if it is damaged.
    """
    path = folder / STATUS
    if not folder.is_dir():
        raise StatusError(f"{folder} is not a folder; give the --out folder of 'cluster solve'")
    if not path.exists():
        raise StatusError(f"{folder} has no {STATUS}: no 'cluster solve' has run there")
    try:
        found = strict_json.loads(path.read_text(encoding="utf-8"))
        if found["format"] != FORMAT or found["version"] != VERSION or not _is_status(found):
            raise ValueError
    except (ValueError, KeyError, TypeError, AttributeError):
        raise StatusError(f"{path} is damaged; the next 'cluster solve' writes it again") from None
    return found


def _is_status(found: dict[str, Any]) -> bool:
    return (
        _has(found, _FIELDS)
        and _has(found["earlier"], {"jobs": _COUNT, "nodes": _COUNT})
        and (found.get("trainer") is None or _has(found["trainer"], _TRAINER))
        and _has(found["jobs"], dict.fromkeys(found["jobs"], _COUNT))
        and all(_has(each, _WORKER) for each in found["workers"].values())
        and all(_has(each, _QUESTION) and _has_numbers(each) for each in found["questions"])
    )


def _has(found: Any, fields: dict[str, Any]) -> bool:
    """Whether ``found`` is an object with at least these fields, of these types."""
    return isinstance(found, dict) and all(
        isinstance(value := found.get(name), kind) and _is_shown(value)
        for name, kind in fields.items()
    )


def _is_shown(value: Any) -> bool:
    """Whether a display can format a value, if it is a number: it has a limit."""
    return not isinstance(value, _NUMBER) or -MOST < value < MOST


def _has_numbers(question: dict[str, Any]) -> bool:
    numbers = question["proof_number"], question["disproof_number"]
    return all(isinstance(each, _NUMBER) and _is_shown(each) for each in numbers) and all(
        isinstance(move, str) for move in question["line"]
    )
