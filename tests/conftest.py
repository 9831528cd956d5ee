"""What all tests share: bounds-checked numba, kernels cached between runs, the reference folder where there is one, a set of problems."""

from __future__ import annotations

import gc
import json
import os
from collections.abc import Iterator
from importlib.metadata import version
from pathlib import Path

import pytest

from jaxsolve import runtime

LONGEST = (
    "test_search_driver.py",  # compiles the host loops for all: meanwhile the other process does well with files that need none of them
    "test_train_run.py",
    "test_transforms.py",
    "test_evaluate_devices.py",
    "test_pgx_interface.py",
    "test_hex_foresight.py",
    "test_networks.py",
    "test_search_patterns.py",
    "test_slither.py",
    "test_tsumego_command.py",
    "test_check_replay.py",
    "test_search_slither_zones.py",
    "test_soundness_shapes.py",
)
"""Files that take long, which processes side by side had better begin with."""

if "JAXSOLVE_LONG" not in os.environ:  # most of the time goes into compiling, which these halve; the long run takes what a user's run takes
    FLAGS = ["--xla_backend_optimization_level=0"]
    if version("jaxlib").startswith("0.10."):  # others end the process at a flag that they do not know
        FLAGS += ["--xla_cpu_use_fusion_emitters=false", "--xla_cpu_parallel_codegen_split_count=1"]
    os.environ["XLA_FLAGS"] = " ".join(filter(None, [os.environ.get("XLA_FLAGS"), *FLAGS]))
os.environ["NUMBA_BOUNDSCHECK"] = "1"  # before numba is imported; runtime.setup keeps checked code in a folder of its own
runtime.setup()


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    order = {name: number for number, name in enumerate(LONGEST)}
    items.sort(key=lambda item: order.get(item.path.name, len(order)))


@pytest.fixture(scope="module", autouse=True)
def what_stays_is_not_looked_at_again() -> Iterator[None]:
    """Compiled calls are kept for the files to come: hundreds of thousands of objects that no collection of garbage need go through again.

    Not all of them for ever: a process that has gone through most files would hold more mappings of memory than Linux allows, and end.
    """
    yield
    if runtime.mappings() > runtime.MOST_MAPPINGS:
        gc.unfreeze()
    runtime.make_room_for_code()
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
    from cli_tools import PROBLEMS

    file = tmp_path / "set.json"
    file.write_text(json.dumps(PROBLEMS))
    return file
