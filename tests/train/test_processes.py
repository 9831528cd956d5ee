"""Two processes that are killed or terminated at random times resume, and nothing saved is lost."""

from __future__ import annotations

import contextlib
import os
import random
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

pytest.importorskip("flax")
pytest.importorskip("hydra")
pytest.importorskip("tensorboardX")

from jaxsolve.train import checkpoints
from jaxsolve.train.metrics import MARKER, METRICS, metrics
from support.networks import SMALL_RUN
from support.paths import ROOT

ROUNDS = 30 if os.environ.get("JAXSOLVE_LONG") else 3
CLOCKS = {"cpu_seconds", "wall_seconds"}
EVERY = 4  # iterations between checkpoints


def started(folder: Path, iterations: int) -> subprocess.Popen:
    names = {"PROCESSES": "2", "PYTHON": sys.executable, "JAX_PLATFORMS": "cpu", "GRACE": "3"}
    words = [f"out={folder}", f"train.iterations={iterations}", f"train.checkpoint_every={EVERY}"]
    kept = [word for word in SMALL_RUN if "checkpoint_every" not in word]
    return subprocess.Popen(
        ["bash", str(ROOT / "launch" / "train_processes.sh"), *kept, *words],
        env=os.environ | names,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        start_new_session=True,
    )


def children(pid: int) -> list[int]:
    """The training processes of the script."""
    found = []
    for child in Path(f"/proc/{pid}/task/{pid}/children").read_text().split():
        with contextlib.suppress(OSError):
            if b"jaxsolve" in Path(f"/proc/{child}/cmdline").read_bytes():
                found.append(int(child))
    return found


def rows(folder: Path) -> list[dict]:
    if not (folder / MARKER).exists():
        return []
    return [
        {name: value for name, value in row.items() if name not in CLOCKS}
        for row in metrics(folder)
    ]


def written(folder: Path) -> int | None:
    """Identifies the file of metrics, which every start replaces."""
    file = folder / METRICS
    return file.stat().st_ino if file.exists() else None


@pytest.mark.skipif(sys.platform != "linux", reason="finds the processes in /proc")
@pytest.mark.full
def test_two_processes_stopped_at_random_times_lose_nothing_that_is_saved(tmp_path):
    folder, draw = tmp_path / "run", random.Random(ROUNDS)
    saved, saved_rows, seen = 0, [], []
    for number in range(ROUNDS):
        kind = (signal.SIGTERM, signal.SIGKILL)[number % 2]
        whom = draw.choice(["all", "one"])
        before, file = len(rows(folder)), written(folder)
        run, wanted, give_up = started(folder, 10_000), draw.randint(1, 7), time.monotonic() + 500
        while len(rows(folder)) < saved + wanted or written(folder) == file:
            assert run.poll() is None and time.monotonic() < give_up, run.communicate()
            time.sleep(0.02)
        time.sleep(draw.uniform(0, 0.3))
        while len(targets := children(run.pid)) < 2:  # the list misses some while others exit
            assert time.monotonic() < give_up
        for target in targets if whom == "all" else [draw.choice(targets)]:
            with contextlib.suppress(ProcessLookupError):
                os.kill(target, kind)
        output, _ = run.communicate(timeout=300)
        held = checkpoints.steps(folder / "checkpoints")
        latest = held[-1] if held else 0
        assert latest >= saved and rows(folder)[:saved] == saved_rows, output
        if before > saved:  # the killed round before left lines without a checkpoint: it was said
            which = f"{saved + 1} lies" if before == saved + 1 else f"{saved + 1} to {before} lie"
            assert f"{which} beyond the last checkpoint" in output
        assert output.count(" begins;") + output.count(" continues after") == 1, output
        if kind == signal.SIGTERM:
            assert run.returncode == 130 and latest == len(rows(folder)), output
            assert f"the same command continues from iteration {latest}\n" in output
        else:
            assert run.returncode != 0 and latest >= len(rows(folder)) - EVERY
        saved, saved_rows = latest, rows(folder)[:latest]
        seen.append((kind.name, whom, before, latest, len(rows(folder))))
        print("round", number + 1, *seen[-1], flush=True)
    whole = tmp_path / "whole"
    run = started(whole, saved)
    output, _ = run.communicate(timeout=500)
    assert run.returncode == 0, output
    assert rows(whole) == saved_rows and [row["iteration"] for row in saved_rows] == [
        *range(1, saved + 1)
    ]
