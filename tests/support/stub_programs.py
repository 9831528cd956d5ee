"""Stub programs for the tests of launch scripts: files in a folder that is first on the path."""

from __future__ import annotations

import os
import stat
import time
from pathlib import Path

from support.paths import ROOT

LAUNCH = ROOT / "launch"


def stub(folder: Path, name: str, text: str) -> None:
    """A program in ``folder``/bin."""
    file = folder / "bin" / name
    file.parent.mkdir(exist_ok=True)
    file.write_text(f"#!/usr/bin/env bash\n{text}")
    file.chmod(file.stat().st_mode | stat.S_IXUSR)


def environment(folder: Path, **more: str) -> dict[str, str]:
    """The environment with ``folder``/bin on the path and ``folder``/log as $LOG."""
    path = f"{folder / 'bin'}:{os.environ['PATH']}"
    return os.environ | {"PATH": path, "LOG": str(folder / "log")} | more


def wait_for(file: Path) -> None:
    """Waits until a file exists."""
    give_up = time.monotonic() + 30
    while not file.exists():
        assert time.monotonic() < give_up, file
        time.sleep(0.05)
