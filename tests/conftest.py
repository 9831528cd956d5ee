"""Set-up of all tests: bounds-checked numba, cheap XLA compilation, shared fixtures."""

from __future__ import annotations

import gc
import json
import os
from collections.abc import Iterator
from importlib.metadata import version
from pathlib import Path

import pytest

from jaxsolve.core import process

LONGEST = (
    "search/run/test_pool.py",  # compiles the host loops; the other process runs files without them
    "train/test_run.py",
    "games/test_transforms.py",
    "evaluate/test_devices.py",
    "games/test_pgx_interface.py",
    "games/hex/test_detected_wins.py",
    "networks/test_networks.py",
    "search/tree/test_search_patterns.py",
    "games/slither/test_slither.py",
    "tsumego/test_command.py",
    "check/audit/test_replay.py",
    "search/test_slither_zones.py",
    "search/test_soundness_shapes.py",
)
"""Files that take long, which processes side by side had better begin with."""

# Compilation takes most of the time, and these flags halve it. A long run compiles as for users.
if "JAXSOLVE_LONG" not in os.environ:
    FLAGS = ["--xla_backend_optimization_level=0"]
    if version("jaxlib").startswith("0.10."):  # other versions abort at an unknown flag
        FLAGS += ["--xla_cpu_use_fusion_emitters=false", "--xla_cpu_parallel_codegen_split_count=1"]
    os.environ["XLA_FLAGS"] = " ".join(filter(None, [os.environ.get("XLA_FLAGS"), *FLAGS]))
# Set before numba is imported; process.setup keeps checked code in its own folder.
os.environ["NUMBA_BOUNDSCHECK"] = "1"
process.setup()


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    order = {name: number for number, name in enumerate(LONGEST)}
    here = Path(__file__).parent
    items.sort(key=lambda item: order.get(str(item.path.relative_to(here)), len(order)))


@pytest.fixture(scope="module", autouse=True)
def frozen_compiled_calls() -> Iterator[None]:
    """Keeps compiled calls of earlier files out of garbage collection.

    They are hundreds of thousands of objects. A process that ran most files would hold more memory
    mappings than Linux allows, so near that limit they are released.
    """
    yield
    if process.mappings() > process.MAX_MAPPINGS:
        gc.unfreeze()
    process.release_compiled_code()
    gc.collect()
    gc.freeze()


@pytest.fixture(scope="session")
def shared() -> Path:
    """The reference folder (problem sets, weights); tests that need it are skipped without it."""
    folder = Path(os.environ.get("JAXSOLVE_SHARED") or Path(__file__).parents[2] / "shared")
    if not (folder / "problems").is_dir():
        pytest.skip("no reference folder: set JAXSOLVE_SHARED to one")
    return folder


@pytest.fixture
def problem_file(tmp_path) -> Path:
    """A file with the problem set of ``support.cli``."""
    from support.cli import PROBLEMS

    file = tmp_path / "set.json"
    file.write_text(json.dumps(PROBLEMS))
    return file
