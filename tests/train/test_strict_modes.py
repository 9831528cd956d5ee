"""Training under JAX's strict modes: no implicit promotion of ranks or types, and 64-bit
numbers.
"""

from __future__ import annotations

import os
import subprocess
import sys

import pytest

pytest.importorskip("flax")
pytest.importorskip("hydra")
pytest.importorskip("tensorboardX")

from support.networks import SMALL_RUN

MODES = {
    "rank": {"JAX_NUMPY_RANK_PROMOTION": "raise"},
    "dtype": {"JAX_NUMPY_DTYPE_PROMOTION": "strict"},
    "x64": {"JAX_ENABLE_X64": "1"},
    "all": {
        "JAX_NUMPY_RANK_PROMOTION": "raise",
        "JAX_NUMPY_DTYPE_PROMOTION": "strict",
        "JAX_ENABLE_X64": "1",
    },
}
RUNS = {
    "costs": ["targets=both"],
    "within": ["targets=ftl", "search=puct", "train.optimizer=adam", "network.within_moves=5"],
}


@pytest.mark.full
@pytest.mark.parametrize("run", RUNS)
@pytest.mark.parametrize("mode", MODES if os.environ.get("JAXSOLVE_LONG") else ["all"])
def test_training_passes(mode, run, tmp_path):
    words = [*SMALL_RUN, *RUNS[run], f"out={tmp_path / 'run'}", "train.iterations=2"]
    done = subprocess.run(
        [sys.executable, "-P", "-m", "jaxsolve", "train", *words],
        env=os.environ | MODES[mode] | {"JAXSOLVE_TRACEBACK": "1"},
        capture_output=True,
        text=True,
    )
    assert done.returncode == 0, done.stderr[-3000:]
