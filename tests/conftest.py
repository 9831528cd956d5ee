"""What all tests share: bounds-checked numba, kernels cached between runs, the reference folder where there is one, a set of problems."""

from __future__ import annotations

import json
import os
from pathlib import Path

import pytest

from jaxsolve import runtime

os.environ["NUMBA_BOUNDSCHECK"] = "1"  # before numba is imported; runtime.setup keeps checked code in a folder of its own
runtime.setup()


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
