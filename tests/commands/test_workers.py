"""Worker processes: results, an interrupt, and a worker that ends without a result."""

from __future__ import annotations

import os
import signal
import threading
import time
from pathlib import Path

import pytest

from jaxsolve.commands import workers
from support import work


@pytest.mark.parametrize("interrupts", [1, 2])
def test_after_ctrl_c_a_worker_without_a_result_is_no_error(tmp_path, interrupts):
    def press():
        while not (tmp_path / "1").exists() or not (tmp_path / "2").exists():
            time.sleep(0.02)
        for _ in range(interrupts):
            os.kill(os.getpid(), signal.SIGINT)
            time.sleep(0.05)

    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    presser = threading.Thread(target=press, daemon=True)
    found = []
    try:
        with workers.Workers(work.killed_by_terminate, tmp_path, 2) as pool:
            presser.start()
            with pytest.raises(KeyboardInterrupt):
                found.extend(pool.map(["1", "2", "3"]))
            presser.join()  # the second Ctrl-C raises nothing
        assert signal.getsignal(signal.SIGINT) is signal.default_int_handler
    finally:
        signal.signal(signal.SIGINT, before)
    assert found == [] and not Path(tmp_path / "3").exists()


def test_a_worker_that_dies_is_named_with_its_exit_code(tmp_path):
    with (
        workers.Workers(work.die, tmp_path, 1) as pool,
        pytest.raises(RuntimeError, match=r"ended without a result \(exit 7\)"),
    ):
        list(pool.map(["1"]))
