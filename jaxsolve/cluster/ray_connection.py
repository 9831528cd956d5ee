"""The connection to Ray: started on this machine or joined, and what to do when its head has died.

Ray ends a program 60 s after its head (the GCS server) has died, and never connects it to a new
head. So the connection looks every second whether the head and the raylet of this machine answer.
If not, it is closed, which the program survives, and is made again: Ray is started again on this
machine, or a joined cluster is waited for.
"""

from __future__ import annotations

import contextlib
import importlib.util
import logging
import os
import secrets
import signal
import socket
import sys
import threading
import time
import warnings
from typing import TYPE_CHECKING, Any

from jaxsolve.core.process import defer_interrupts

if TYPE_CHECKING:
    from jaxsolve.cluster.solving import ClusterOptions

CONNECT_SECONDS = 10.0
LOOK_SECONDS = 1.0  # between two looks whether the head answers
ANSWER_SECONDS = 2.0  # wall seconds that a look waits for an answer
SILENT_SECONDS = 30.0  # until a head that neither answers nor refuses counts as dead
_LOOPBACK = "RAY_ENABLE_WINDOWS_OR_OSX_CLUSTER"
"""Environment variable of Ray. "0" makes every port one of the loopback interface."""
_HEAD_SECONDS = "RAY_gcs_rpc_server_reconnect_timeout_s"
"""Environment variable of Ray: seconds until it ends a program whose head has died."""
_TOKEN = secrets.token_hex(32)
"""Token of the runs of this process. Ray reads it once, so another start must use the same one."""


class RayError(ValueError):
    """Ray is not installed, does not start, or the cluster does not answer."""


class Connection:
    """A connection to Ray, which can be made again.

    Args:
      options: address of the cluster; None: Ray is started on this machine, for this run. Then the
        number of the workers and their CPUs, too.
    """

    def __init__(self, options: ClusterOptions):
        self._options = options
        self._address = options.address  # "auto" is replaced by the address that Ray has found
        self._module: Any = None
        self._ports: list[tuple[str, int]] = []  # of the head, and of the raylet of this machine
        self._looked = self._answered = 0.0  # monotonic
        self._broken = ""
        self._begun = False  # whether Ray is to be shut down, also after a start that failed

    @property
    def local(self) -> bool:
        """Whether Ray is started on this machine, for this run."""
        return self._options.address is None

    @property
    def is_open(self) -> bool:
        """Whether there is a connection."""
        return self._module is not None

    @property
    def ray(self) -> Any:
        """The module ``ray``. Raises RuntimeError without a connection."""
        if self._module is None:
            raise RuntimeError("there is no connection to Ray")
        return self._module

    def open(self) -> None:
        """Starts Ray or joins the cluster. Raises RayError if it does not answer."""
        if not self._begun and _is_initialized():
            raise RayError("this program has a connection to Ray of its own")
        self._begun = True
        try:
            self._module = _started(self._options, self._address)
            self._ports = _ports(self._module, self._options.address)
        except Exception as error:
            self.close()
            if isinstance(error, RayError):
                raise
            raise RayError(f"Ray does not answer ({_first_line(error)})") from None
        if self._address == "auto":
            self._address = "{}:{}".format(*self._ports[0])
        self._looked = self._answered = time.monotonic()
        self._broken = ""

    def break_off(self, why: str) -> None:
        """Marks the connection as one that ``failure`` reports."""
        self._broken = self._broken or why

    def failure(self, *, now: bool = False) -> str:
        """Returns why the connection is of no use; "" while head and raylet answer.

        They are asked once in ``LOOK_SECONDS``, with ``now`` at once.
        """
        clock = time.monotonic()
        if self._broken or self._module is None:
            return self._broken or "there is no connection to Ray"
        if not now and clock - self._looked < LOOK_SECONDS:
            return ""
        for port, what in zip(self._ports, ("head", "raylet of this machine"), strict=False):
            try:
                socket.create_connection(port, ANSWER_SECONDS).close()
            except ConnectionRefusedError:
                self._broken = f"Ray's {what} has ended"
            except OSError:
                if clock - self._answered > SILENT_SECONDS:
                    self._broken = f"Ray's {what} does not answer"
                break
        else:
            self._answered = clock
        self._looked = time.monotonic()
        return self._broken

    def reopen(self) -> bool:
        """Tries once to connect again. Returns whether there is a connection."""
        if not self.local and not _answers(self._address):
            return False
        with contextlib.suppress(RayError):
            self.open()
        return self.is_open

    def close(self) -> None:
        """Ends the connection, and Ray if it was started for this run. Never raises an error."""
        self._module, self._ports = None, []
        if self._begun and (module := sys.modules.get("ray")) is not None:
            with contextlib.suppress(Exception):
                module.shutdown(wait_for_processes=True)


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


def _answers(address: str | None) -> bool:
    """Whether something answers at an address of a cluster."""
    try:
        refuse_unreachable(address)
    except RayError:
        return False
    return True


def _ports(ray: Any, address: str | None) -> list[tuple[str, int]]:
    """Returns the addresses of the head and of the raylet of this machine."""
    if address is not None and address.startswith("ray://"):
        return [_host_and_port(address)]  # Ray's client has no raylet
    context = ray.get_runtime_context()
    found = [_host_and_port(context.gcs_address)]
    for node in ray.nodes():
        if node["NodeID"] == context.get_node_id():
            found.append((node["NodeManagerAddress"], node["NodeManagerPort"]))
    return found


def _is_initialized() -> bool:
    module = sys.modules.get("ray")
    return module is not None and module.is_initialized()


def _started(options: ClusterOptions, address: str | None) -> Any:
    """Starts Ray, or joins the cluster at ``address``, and returns the module."""
    local = address is None
    if local:
        os.environ[_LOOPBACK] = "0"
        os.environ["RAY_AUTH_MODE"] = "token"
        os.environ["RAY_AUTH_TOKEN"] = _TOKEN
    os.environ.setdefault("RAY_ACCEL_ENV_VAR_OVERRIDE_ON_ZERO", "0")
    os.environ.setdefault(_HEAD_SECONDS, "86400")
    import ray
    import ray._private.worker as driver

    # Ray prints errors of its cluster on standard output, which is for the answer.
    driver.print_to_stdstream = lambda *_, **__: None
    quiet = {"log_to_driver": False, "logging_level": logging.ERROR}
    terminate = signal.getsignal(signal.SIGTERM)  # Ray replaces it by an exit that saves nothing
    try:
        # JAX warns of every fork. Ray's children start other programs at once.
        warnings.filterwarnings("ignore", "os.fork", RuntimeWarning)
        if local:
            with defer_interrupts():  # else a process of Ray could be left behind
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
        what = "Ray does not start" if local else f"no Ray cluster answers at {address}"
        raise RayError(f"{what} ({_first_line(error)})") from None
    finally:
        if threading.current_thread() is threading.main_thread():
            signal.signal(signal.SIGTERM, terminate)
    return ray


def _first_line(error: Exception) -> str:
    return (str(error).splitlines() or ["no reason"])[0]
