"""The connection of a process to Ray, which is started on this machine or joined.

Without an address, Ray is started on the loopback interface only, with a token, and ends with the
process. With an address, the process joins a cluster that is running; who may join that cluster is
the matter of whoever has started it (``launch/README.md``).
"""

from __future__ import annotations

import contextlib
import importlib.util
import logging
import os
import re
import secrets
import signal
import socket
import time
import warnings
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from jaxsolve.cluster.solving import ClusterOptions

CONNECT_SECONDS = 10.0
LOOK_SECONDS = 1.0  # between two checks whether the head answers
ANSWER_SECONDS = 2.0  # wall seconds that a check waits for an answer
SILENT_SECONDS = 30.0  # until a head that neither answers nor refuses counts as dead
_LOOPBACK = "RAY_ENABLE_WINDOWS_OR_OSX_CLUSTER"
"""Environment variable of Ray. "0" makes every port one of the loopback interface."""


class RayError(ValueError):
    """Ray is not installed, does not start, or the cluster does not answer."""


class Connection:
    """A connection of this process to Ray. Raises RayError if Ray does not start or answer.

    Args:
      options: number of the workers, and their CPUs.
      address: of the cluster; None: Ray is started on this machine.
    """

    def __init__(self, options: ClusterOptions, address: str | None):
        self.ray = _started(options, address)
        self.address = address
        self._ports = [] if address is None else [_host_and_port(address)] * (address != "auto")
        if address is None or not address.startswith("ray://"):  # Ray's client has no raylet
            self._ports = _ports(self.ray)
            self.address = "{}:{}".format(*self._ports[0])
        self._looked = self._answered = time.monotonic()

    def failure(self, *, now: bool = False) -> str:
        """Returns why the connection is of no use; "" while head and raylet answer.

        Both are asked once in ``LOOK_SECONDS``, with ``now`` at once.
        """
        clock = time.monotonic()
        if not now and clock - self._looked < LOOK_SECONDS:
            return ""
        self._looked = clock
        for port, what in zip(self._ports, ("head", "raylet of this machine"), strict=False):
            try:
                socket.create_connection(port, ANSWER_SECONDS).close()
            except ConnectionRefusedError:
                return f"Ray's {what} has ended"
            except OSError:
                silent = clock - self._answered > SILENT_SECONDS
                return f"Ray's {what} does not answer" if silent else ""
        self._answered = clock
        return ""


def refuse_unreachable(address: str | None) -> None:
    """Raises RayError if Ray is not installed, or if nothing answers at ``address``.

    Ray itself tries for minutes. "auto" is left to Ray, which knows the cluster of this machine.
    """
    if importlib.util.find_spec("ray") is None:
        raise RayError(
            "Ray is not installed: pip install 'jaxsolve[cluster]', or --backend processes"
        )
    if address is None or address in ("auto", "local"):
        return
    try:
        socket.create_connection(_host_and_port(address), CONNECT_SECONDS).close()
    except OSError as error:
        why = error.strerror or str(error)
        raise RayError(f"no Ray cluster answers at {address} ({why})") from None


def _host_and_port(address: str) -> tuple[str, int]:
    host, colon, port = address.removeprefix("ray://").rpartition(":")
    if not colon or not host or not port.isdecimal() or not 0 < int(port) < 1 << 16:
        raise RayError(f"address {address!r}: give HOST:PORT or auto")
    return host.strip("[]"), int(port)


def _ports(ray: Any) -> list[tuple[str, int]]:
    """Returns the addresses of the head and of the raylet of this machine."""
    context = ray.get_runtime_context()
    found = [_host_and_port(context.gcs_address)]
    for node in ray.nodes():
        if node["NodeID"] == context.get_node_id():
            found.append((node["NodeManagerAddress"], node["NodeManagerPort"]))
    return found


def running_processes() -> set[int]:
    """Returns the processes of this machine; an empty set if they are unknown."""
    with contextlib.suppress(OSError):
        return {int(name) for name in os.listdir("/proc") if name.isdecimal()}
    return set()


def end_session(process: int, before: set[int]) -> None:
    """Ends what is left of the Ray that a process has started, but not what ran ``before``.

    Ray's agents wait for a dead head for a minute. They are known by their logs, in a folder that
    is named after the process.
    """
    for each in running_processes() - before - {os.getpid()}:
        with contextlib.suppress(OSError):
            if any(_is_session(file, process) for file in Path(f"/proc/{each}/fd").iterdir()):
                os.kill(each, signal.SIGKILL)


def _is_session(file: Path, process: int) -> bool:
    """Whether an open file is one of the session of a process."""
    with contextlib.suppress(OSError):
        parts = Path(os.readlink(file)).parts
        return any(re.fullmatch(rf"session_.*_{process}", part) for part in parts)
    return False


def _started(options: ClusterOptions, address: str | None) -> Any:
    """Starts Ray, or joins the cluster at ``address``, and returns the module."""
    local = address is None
    if local:
        os.environ[_LOOPBACK] = "0"
        os.environ["RAY_AUTH_MODE"] = "token"
        os.environ["RAY_AUTH_TOKEN"] = secrets.token_hex(32)
    os.environ.setdefault("RAY_ACCEL_ENV_VAR_OVERRIDE_ON_ZERO", "0")
    import ray

    quiet = {"log_to_driver": False, "logging_level": logging.ERROR}
    try:
        # JAX warns of every fork. Ray's children start other programs at once.
        warnings.filterwarnings("ignore", "os.fork", RuntimeWarning)
        if local:
            ray.init(
                address="local",
                include_dashboard=False,
                num_cpus=max(1, round(options.workers * options.worker_cpus)),
                _node_ip_address="127.0.0.1",
                **quiet,
            )
        else:
            ray.init(address=address, **quiet)
    except (ConnectionError, RuntimeError, ValueError, TimeoutError) as error:
        first = (str(error).splitlines() or ["no reason"])[0]
        what = "Ray does not start" if local else f"no Ray cluster answers at {address}"
        if not local and "RAY_AUTH_MODE" not in os.environ:
            first += "; if it has a token, set RAY_AUTH_MODE and RAY_AUTH_TOKEN_PATH as it has them"
        raise RayError(f"{what} ({first})") from None
    return ray
