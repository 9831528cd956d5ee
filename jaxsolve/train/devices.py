"""Several devices and processes: games are sharded over the devices, the network is replicated.

Results do not depend on the number of devices: games are independent of each other, a step of
learning sums over the whole batch, and samples are drawn from the replay by number, wherever
the examples are stored.
"""

from __future__ import annotations

import os
import re
import signal
import threading
from types import FrameType
from typing import Any

import jax
import numpy as np
from jax.experimental import multihost_utils
from jax.sharding import Mesh, NamedSharding, PartitionSpec

from jaxsolve.core import process

GAMES = "games"  # the only mesh axis


def join() -> None:
    """Connects the processes of a run. Call it before any device is used; later calls do nothing.

    The processes are described by JAX_COORDINATOR_ADDRESS (host:port), JAX_NUM_PROCESSES and
    JAX_PROCESS_ID; JAX itself detects Slurm, Kubernetes and TPU pods. From here on SIGTERM and
    Ctrl-C are preemption notices (``preempted``). Raises ValueError for a variable that is not a
    whole number, RuntimeError as ``jax.distributed.initialize``.
    """
    if jax.distributed.is_initialized():
        return
    names = ("JAX_NUM_PROCESSES", "JAX_PROCESS_ID")
    given = [os.environ.get(name) for name in names]
    for name, value in zip(names, given, strict=True):
        if value is not None and not value.isdecimal():
            raise ValueError(f"{name}={value!r} is not a whole number")
    count, number = (None if value is None else int(value) for value in given)
    main = threading.current_thread() is threading.main_thread()
    if main:  # while processes wait for each other there is nothing to save
        signal.signal(signal.SIGTERM, signal.SIG_DFL)
    jax.distributed.initialize(
        num_processes=count, process_id=number, local_device_ids=local_device_ids()
    )
    process.leave_to_library(signal.SIGTERM)  # JAX's coordination service handles it
    if main and signal.getsignal(signal.SIGINT) is not signal.SIG_IGN:
        signal.signal(signal.SIGINT, _as_preemption)


def local_device_ids() -> list[int] | None:
    """GPUs of this process on Slurm; None elsewhere, where JAX uses all that are visible.

    A task sees its own GPUs only, or, without binding, all GPUs of its node. In the second case the
    tasks of the node take equal shares in the order of their ranks on it. JAX's own detection of
    Slurm uses a single GPU a process, numbered by that rank, even if the process has several GPUs
    or sees only its own, as number 0.
    """
    rank = os.environ.get("SLURM_LOCALID")
    if rank is None or "SLURM_PROCID" not in os.environ or "JAX_LOCAL_DEVICE_IDS" in os.environ:
        return None
    names = os.environ.get("CUDA_VISIBLE_DEVICES", os.environ.get("ROCR_VISIBLE_DEVICES"))
    visible = len(names.split(",")) if names else None
    given = os.environ.get("SLURM_GPUS_PER_TASK", "").split(":")[-1]  # may be TYPE:COUNT
    each = int(given) if given.isdecimal() else 0
    if not each and visible is not None:
        each = _unbound_share(visible)
    if each and (visible is None or visible > each):
        return list(range(int(rank) * each, (int(rank) + 1) * each))
    return None if visible is None else list(range(visible))


def preempted(step: int) -> bool:
    """Whether the processes must stop after ``step``; the answer is the same in all of them.

    True at one step that all processes reach, after any of them received SIGTERM. Every process
    must call it once a step. Always False where ``join`` was not called: a single process
    handles its signals itself.
    """
    return jax.distributed.is_initialized() and multihost_utils.reached_preemption_sync_point(step)


def request_stop() -> None:
    """A preemption notice of this process's own."""
    signal.raise_signal(signal.SIGTERM)


def mesh() -> Mesh | None:
    """All devices of all processes; None for a single device."""
    devices = jax.devices()
    return Mesh(np.asarray(devices), (GAMES,)) if len(devices) > 1 else None


def replicated(mesh: Mesh) -> NamedSharding:
    """The whole array on every device."""
    return NamedSharding(mesh, PartitionSpec())


def sharded(mesh: Mesh, axis: int = 0) -> NamedSharding:
    """An equal part of ``axis`` on every device."""
    return NamedSharding(mesh, PartitionSpec(*[None] * axis, GAMES))


def place(tree: Any, sharding: NamedSharding | None) -> Any:
    """Moves arrays that every process holds whole to the devices of all processes."""
    return tree if sharding is None else jax.tree.map(lambda leaf: _placed(leaf, sharding), tree)


def with_sharding(tree: Any, sharding: NamedSharding) -> Any:
    """The same shapes (``jax.ShapeDtypeStruct``) with a sharding."""
    return jax.tree.map(
        lambda leaf: jax.ShapeDtypeStruct(leaf.shape, leaf.dtype, sharding=sharding), tree
    )


def is_first() -> bool:
    """Whether this process writes the run's files and prints its progress."""
    return jax.process_index() == 0


def broadcast(value: int) -> int:
    """The first process's value. Every process must call it."""
    if jax.process_count() == 1:
        return value
    return int(multihost_utils.broadcast_one_to_all(np.int32(value)))


def is_key(leaf: Any) -> bool:
    """Whether an array holds random keys."""
    return jax.numpy.issubdtype(leaf.dtype, jax.dtypes.prng_key)


# ---- inside --------------------------------------------------------------------------------------
def _unbound_share(visible: int) -> int:
    """GPUs of each task if all tasks of this node see the same ``visible`` ones; else 0."""
    on_node = os.environ.get("SLURM_GPUS_ON_NODE", "")
    bound = on_node.isdecimal() and visible < int(on_node)
    return 0 if bound else visible // _tasks_on_node()


def _tasks_on_node() -> int:
    """Tasks of the Slurm step on this node; 1 if Slurm does not report them."""
    counts: list[int] = []  # of each node; Slurm writes 4(x2),3 for 4, 4, 3
    names = ("SLURM_STEP_TASKS_PER_NODE", "SLURM_TASKS_PER_NODE", "SLURM_NTASKS_PER_NODE")
    text = next((os.environ[name] for name in names if os.environ.get(name)), "1")
    for count, nodes in re.findall(r"(\d+)(?:\(x(\d+)\))?", text):
        counts += [int(count)] * int(nodes or 1)
    node = os.environ.get("SLURM_NODEID", "0")
    number = int(node) if node.isdecimal() else 0
    return max(1, counts[min(number, len(counts) - 1)]) if counts else 1


def _as_preemption(number: int, frame: FrameType | None) -> None:
    """Handles Ctrl-C in one of several processes: the first stops the run, the second this one."""
    del number, frame
    signal.signal(signal.SIGINT, process.interrupt)
    request_stop()


def _placed(leaf: Any, sharding: NamedSharding) -> jax.Array:
    if is_key(leaf):
        return jax.random.wrap_key_data(_placed(jax.random.key_data(leaf), sharding))
    return jax.device_put(np.asarray(leaf), sharding)
