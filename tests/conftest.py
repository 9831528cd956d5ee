"""What all tests share: bounds-checked numba, kernels cached between runs, the reference folder where there is one, a set of problems."""

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

if (
    "JAXSOLVE_LONG" not in os.environ
):  # most of the time goes into compiling, which these halve; the long run takes what a user's run takes
    FLAGS = ["--xla_backend_optimization_level=0"]
    if version("jaxlib").startswith(
        "0.10."
    ):  # others end the process at a flag that they do not know
        FLAGS += ["--xla_cpu_use_fusion_emitters=false", "--xla_cpu_parallel_codegen_split_count=1"]
    os.environ["XLA_FLAGS"] = " ".join(filter(None, [os.environ.get("XLA_FLAGS"), *FLAGS]))
os.environ["NUMBA_BOUNDSCHECK"] = (
    "1"  # before numba is imported; process.setup keeps checked code in a folder of its own
)
process.setup()


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    order = {name: number for number, name in enumerate(LONGEST)}
    here = Path(__file__).parent
    items.sort(key=lambda item: order.get(str(item.path.relative_to(here)), len(order)))


@pytest.fixture(scope="module", autouse=True)
def what_stays_is_not_looked_at_again() -> Iterator[None]:
    """Compiled calls are kept for the files to come: hundreds of thousands of objects that no collection of garbage need go through again.

    Not all of them for ever: a process that has gone through most files would hold more mappings of memory than Linux allows, and end.
    """
    yield
    if process.mappings() > process.MAX_MAPPINGS:
        gc.unfreeze()
    process.release_compiled_code()
    gc.collect()
    gc.freeze()


@pytest.fixture(scope="session")
def shared() -> Path:
    """The reference folder (problem sets, papers, weights); tests that need it are skipped where it is absent."""
    folder = Path(os.environ.get("JAXSOLVE_SHARED") or Path(__file__).parents[2] / "shared")
    if not (folder / "problems").is_dir():
        pytest.skip("no reference folder: set JAXSOLVE_SHARED to one")
    return folder


@pytest.fixture
def problem_file(tmp_path) -> Path:
    """A file with the set of problems of ``cli_tools``."""
    from support.cli import PROBLEMS

    file = tmp_path / "set.json"
    file.write_text(json.dumps(PROBLEMS))
    return file
