"""Ray for tests: heads that are killed, and what is left of the processes of a run."""

from __future__ import annotations

import contextlib
import os
import secrets
import signal
import socket
import subprocess
import sys
import time
from importlib.util import find_spec
from pathlib import Path

import pytest

NEEDS_RAY = [
    pytest.mark.skipif(find_spec("ray") is None, reason="needs Ray"),
    pytest.mark.xdist_group("ray"),  # with --dist loadgroup; a file stays in one process anyway
]
RAY = pytest.param("ray", marks=NEEDS_RAY)  # a back-end
HEAD = ("gcs_server", "raylet")  # names of the programs of a head


def descendants(process: int) -> list[int]:
    """The processes that a process has started, and theirs."""
    found = []
    with contextlib.suppress(OSError):
        for task in Path(f"/proc/{process}/task").iterdir():
            for child in map(int, (task / "children").read_text().split()):
                found += [child, *descendants(child)]
    return found


def alive(process: int) -> bool:
    """Whether a process runs and has not ended."""
    with contextlib.suppress(OSError):
        return Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    return False


def wait_until_gone(processes: set[int], seconds: float = 30.0) -> None:
    """Waits for the end of processes, and names those that are left."""
    end = time.monotonic() + seconds
    while any(map(alive, processes)) and time.monotonic() < end:
        time.sleep(0.1)
    left = {each: command(each).strip() for each in processes if alive(each)}
    assert not left, left


def command(process: int) -> str:
    with contextlib.suppress(OSError):
        return Path(f"/proc/{process}/cmdline").read_bytes().replace(b"\0", b" ").decode()
    return ""


def kill_head(process: int, programs: tuple[str, ...] = HEAD) -> int:
    """Kills programs of Ray that a process has started (kill -9). Returns how many."""
    killed = 0
    for each in descendants(process):
        if Path(command(each).partition(" ")[0]).name in programs:
            with contextlib.suppress(ProcessLookupError):
                os.kill(each, signal.SIGKILL)
                killed += 1
    return killed


class Cluster:
    """A Ray cluster of this machine with two CPUs, whose nodes can be killed and started.

    Args:
      folder: for the log.
      several: whether it may have several nodes. Then Ray listens on all interfaces.
    """

    def __init__(self, folder: Path, several: bool = False):
        self.port, self._folder = free_port(), folder
        self.address = f"127.0.0.1:{self.port}"
        self.environment = {
            "RAY_ENABLE_WINDOWS_OR_OSX_CLUSTER": "01"[several],
            "RAY_AUTH_MODE": "token",
            "RAY_AUTH_TOKEN": secrets.token_hex(32),
            "RAY_USAGE_STATS_ENABLED": "0",
        }
        self.nodes: list[subprocess.Popen] = []

    def start(self, *words: str, cpus: int = 2) -> subprocess.Popen:
        """Starts a node; without words the head. Waits until the head answers."""
        head = ("--head", f"--port={self.port}", "--include-dashboard=false")
        program = [sys.executable, "-m", "ray.scripts.scripts", "start", *(words or head)]
        program += [f"--num-cpus={cpus}", "--node-ip-address=127.0.0.1", "--block"]
        with (self._folder / "ray.log").open("ab") as log:
            node = subprocess.Popen(
                [*program, "--dashboard-agent-listen-port=0"],
                env=os.environ | self.environment,
                stdout=log,
                stderr=log,
                start_new_session=True,
            )
        self.nodes.append(node)
        end = time.monotonic() + 120
        while not answers(self.port):
            assert node.poll() is None and time.monotonic() < end, "Ray does not start"
            time.sleep(0.2)
        return node

    def kill(self, node: subprocess.Popen) -> None:
        """Kills all processes of a node (kill -9)."""
        for each in [node.pid, *descendants(node.pid)]:
            with contextlib.suppress(ProcessLookupError):
                os.kill(each, signal.SIGKILL)
        node.wait()

    def admit(self, monkeypatch: pytest.MonkeyPatch) -> None:
        """Gives this process, and those that it starts, the token of the cluster."""
        for name, value in self.environment.items():
            monkeypatch.setenv(name, value)

    def __enter__(self) -> Cluster:
        self.start()
        return self

    def __exit__(self, *_: object) -> None:
        for node in self.nodes:
            if node.poll() is None:
                self.kill(node)


def answers(port: int) -> bool:
    with contextlib.suppress(OSError), socket.create_connection(("127.0.0.1", port), 1):
        return True
    return False


def free_port() -> int:
    with socket.socket() as found:
        found.bind(("127.0.0.1", 0))
        return found.getsockname()[1]
