"""Runs of ``jaxsolve cluster solve`` in processes of their own, and what they leave."""

from __future__ import annotations

import contextlib
import json
import os
import signal
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

from jaxsolve.cluster.journal import JOURNAL
from jaxsolve.proof.check import check

GAME, POSITION = "hex-6", "....../....../X...../....../....../...... w"
ANSWER = 20  # exit code of a disproved claim
WORDS = ("cluster", "solve", POSITION, "--game", GAME, "--job-nodes", 150, "--workers", 2, "--json")


def lines(out: Path) -> list[dict]:
    """The complete lines of the journal."""
    found = []
    if (out / JOURNAL).exists():
        for line in (out / JOURNAL).read_text().splitlines():
            with contextlib.suppress(ValueError):
                found.append(json.loads(line))
    return found


def assert_nothing_twice(out: Path) -> None:
    """No position that was decided or searched in vain has been ordered again.

    Where a job has decided a position before its own, its own may come again by other moves.
    """
    own = [line for line in lines(out) if line["depth"] < 0]
    seen = Counter((str(line["claim"]), line["position"]) for line in own)
    assert seen and not [each for each, count in seen.items() if count > 1]


def assert_accepted(out: Path) -> None:
    report = check(out / "proof.jsonl.gz")
    assert report.accepted and report.root == POSITION and report.rules == GAME


@contextlib.contextmanager
def started(*words: object) -> Iterator[subprocess.Popen]:
    """``python -m jaxsolve`` in a process group of its own, all of which ends with the block.

    Ctrl-C reaches it even if it does not reach the tests, as in the background of a script.
    """
    command = [sys.executable, "-m", "jaxsolve", *map(str, words)]
    streams = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE, "text": True}
    handler = signal.signal(signal.SIGINT, signal.default_int_handler)
    try:
        process = subprocess.Popen(command, start_new_session=True, **streams)
    finally:
        signal.signal(signal.SIGINT, handler)
    with process:
        try:
            yield process
        finally:
            with contextlib.suppress(ProcessLookupError):
                os.killpg(process.pid, signal.SIGKILL)


def wait_for(out: Path, count: int, process: subprocess.Popen, seconds: float = 120) -> bool:
    """Waits for so many lines of the journal, or the end of the process; whether it still runs."""
    end = time.monotonic() + seconds
    while time.monotonic() < end and process.poll() is None:
        if len(lines(out)) >= count:
            return True
        time.sleep(0.02)
    return process.poll() is None
