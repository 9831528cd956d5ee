"""A wave spread over several devices has the rows of one device, for every game and network."""

from __future__ import annotations

import os
import subprocess
import sys

import pytest

from support.paths import ROOT

LONG = bool(os.environ.get("JAXSOLVE_LONG"))
CASES = [
    "awari:network",
    "awari:playouts",
    "hex-4:plain",
    "hex-4:canonical",
    "gomoku-5;line=4;win=exact5;knowledge=4t:plain",
    "go-3;ko=positional;komi=1:plain",
    "killallgo-7:network",
    "tsumego-4;goal=kill;defender=white;crucial=any:plain",
]


@pytest.mark.full
@pytest.mark.parametrize(
    ("devices", "cases"),
    [
        pytest.param(
            8,
            CASES,
            id="eight",
            marks=pytest.mark.skipif(not LONG, reason="each case compiles twice: JAXSOLVE_LONG=1"),
        ),
        pytest.param(
            3, ["awari:network", "tsumego-4;goal=kill;defender=white;crucial=any:plain"], id="three"
        ),  # batch sizes are raised to what three divides
    ],
)
def test_several_devices_give_the_rows_of_one(devices, cases):
    flags = os.environ.get("XLA_FLAGS", "") + " --xla_force_host_platform_device_count=8"
    # Results are compared, not speed.
    flags += " --xla_backend_optimization_level=0 --xla_llvm_disable_expensive_passes=true"
    environment = {**os.environ, "XLA_FLAGS": flags, "JAX_PLATFORMS": "cpu"}
    command = [sys.executable, str(ROOT / "tests/support/sharded_rows.py"), str(devices), *cases]
    done = subprocess.run(command, env=environment, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr[-3000:]
    assert done.stdout.splitlines() == [f"same {case}" for case in cases]
