"""Set-up of all tests: bounds-checked numba, cheap compilation, shared fixtures."""

from __future__ import annotations

import gc
import json
import os
from collections import Counter
from collections.abc import Iterator
from importlib.metadata import version
from pathlib import Path

import pytest

from jaxsolve.core import process

LONGEST = (
    "search/run/test_pool.py",  # compiles the host loops
    "train/test_self_play.py",  # the next files run beside it and need no host loops
    "train/test_run.py",
    "test_startup.py",  # compiles the loops of zones and threats; the next files need none of them
    "games/test_contract.py",
    "games/test_transforms.py",
    "train/test_search.py",
    "train/test_processes.py",
    "games/loa/test_loa.py",
    "search/tree/test_search_patterns.py",
    "tsumego/test_shapes.py",
    "search/test_networks.py",
    "bench/test_bench.py",
    "play/test_match.py",
    "check/audit/test_replay.py",
    "games/slither/test_slither.py",
    "search/test_soundness_shapes.py",
    "tsumego/test_regions.py",
)
"""Files that take long, in the order in which parallel processes start them."""

MOST_BYTES = 2 << 30
"""Memory of a test process above which compiled calls of earlier files are released."""

# Compilation takes most of the time. These settings halve that of XLA and save a sixth of numba's.
# A long run compiles as for users.
if "JAXSOLVE_LONG" not in os.environ:
    FLAGS = ["--xla_backend_optimization_level=0"]
    if version("jaxlib").startswith("0.10."):  # other versions abort at an unknown flag
        FLAGS += ["--xla_cpu_use_fusion_emitters=false", "--xla_cpu_parallel_codegen_split_count=1"]
    os.environ["XLA_FLAGS"] = " ".join(filter(None, [os.environ.get("XLA_FLAGS"), *FLAGS]))
    os.environ.setdefault("NUMBA_OPT", "1")  # before numba is imported
# Tests compare float32 outputs; a GPU would multiply matrices in TF32, with 10 bits of precision.
os.environ.setdefault("JAX_DEFAULT_MATMUL_PRECISION", "highest")
# Set before numba is imported; process.setup keeps checked code in its own folder.
os.environ["NUMBA_BOUNDSCHECK"] = "1"
process.setup()
# Compilation makes many objects and little garbage. With Python's thresholds the collector took a
# tenth of the CPU time. Each file ends with a collection (frozen_compiled_calls).
gc.set_threshold(20_000, 10, 10)


def pytest_collection_finish() -> None:
    """Keeps what was imported out of garbage collection."""
    gc.collect()
    gc.freeze()


@pytest.hookimpl(tryfirst=True)  # before pytest deselects by markers
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Marks the long parameters ``full``, and sorts the longest files to the front."""
    seen: Counter[tuple[Path, str]] = Counter()
    for item in items:
        if (short := item.get_closest_marker("short")) is None:
            continue
        name, _, parameters = item.name.partition("[")
        seen[item.path, name] += 1
        kept = short.args
        if not (parameters[:-1] in kept or seen[item.path, name] <= _count_of(kept)):
            item.add_marker("full")
    order = {name: number for number, name in enumerate(LONGEST)}
    here = Path(__file__).parent
    items.sort(key=lambda item: order.get(item.path.relative_to(here).as_posix(), len(order)))


def _count_of(kept: tuple[object, ...]) -> int:
    """Number of first parameters that ``short(N)`` keeps; 0 where it lists identifiers."""
    return kept[0] if kept and isinstance(kept[0], int) else 0


@pytest.fixture(scope="module", autouse=True)
def frozen_compiled_calls() -> Iterator[None]:
    """Keeps compiled calls of earlier files out of garbage collection.

    They are hundreds of thousands of objects. A process that ran most files would hold 7 GB, and
    more memory mappings than Linux allows, so above MOST_BYTES they are released.
    """
    yield
    process.release_compiled_code(MOST_BYTES)
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
