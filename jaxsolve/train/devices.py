"""Training on several devices and processes.

Games are sharded over the devices, and the network is replicated. Results do not depend on the
number of devices: games are independent of each other, a gradient step sums over the whole batch,
and samples are drawn by their index in the whole replay.
"""

from __future__ import annotations

import os
import re
import signal
import threading
from typing import Any

import jax
import numpy as np
from jax.experimental import multihost_utils
from jax.sharding import Mesh, NamedSharding, PartitionSpec

from jaxsolve.core import process
from jaxsolve.train import preemption

GAMES = "games"  # name of the only mesh axis


def join() -> None:
    """Connects the processes of a run. It must be called before any device is used.

    The environment variables JAX_COORDINATOR_ADDRESS (host:port), JAX_NUM_PROCESSES and
    JAX_PROCESS_ID describe the processes. JAX itself detects Slurm, Kubernetes and TPU pods. After
    this call SIGTERM and Ctrl-C are preemption notices (``preemption``). Later calls do nothing.

    Raises:
      ValueError: a variable is not a whole number.
      RuntimeError: from ``jax.distributed.initialize``.
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
    if main:  # SIGTERM ends a process that waits for the others, because there is nothing to save
        signal.signal(signal.SIGTERM, signal.SIG_DFL)
    jax.distributed.initialize(
        num_processes=count, process_id=number, local_device_ids=local_device_ids()
    )
    process.leave_to_library(signal.SIGTERM)  # JAX's coordination service handles it
    if main and signal.getsignal(signal.SIGINT) is not signal.SIG_IGN:
        signal.signal(signal.SIGINT, preemption.on_interrupt)


def local_device_ids() -> list[int] | None:
    """Returns the numbers of the GPUs that this process uses on Slurm.

    Returns None outside Slurm, and if the process uses all visible GPUs.

    With GPU binding a Slurm task sees only its own GPUs. Without binding it sees all GPUs of its
    node, and the tasks of the node get equal shares in the order of their local ranks. JAX's own
    detection of Slurm assigns each process the one GPU whose number is the local rank. This is
    wrong if a process has several GPUs. It is also wrong with binding, where the number of the only
    visible GPU is 0.
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


def mesh() -> Mesh | None:
    """Returns a mesh of all devices of all processes, or None if there is one device only."""
    devices = jax.devices()
    return Mesh(np.asarray(devices), (GAMES,)) if len(devices) > 1 else None


def replicated(mesh: Mesh) -> NamedSharding:
    """Returns the sharding that stores a copy of the whole array on every device."""
    return NamedSharding(mesh, PartitionSpec())


def sharded(mesh: Mesh, axis: int = 0) -> NamedSharding:
    """Returns the sharding that splits ``axis`` evenly over the devices."""
    return NamedSharding(mesh, PartitionSpec(*[None] * axis, GAMES))


def place(tree: Any, sharding: NamedSharding | None) -> Any:
    """Returns ``tree`` with its arrays placed on the devices of all processes.

    In every process ``tree`` must have the whole arrays. Without a sharding, ``tree`` is returned
    unchanged.
    """
    return tree if sharding is None else jax.tree.map(lambda leaf: _placed(leaf, sharding), tree)


def with_sharding(tree: Any, sharding: NamedSharding) -> Any:
    """Returns the shapes and dtypes of ``tree`` as ``jax.ShapeDtypeStruct`` with a sharding."""
    return jax.tree.map(
        lambda leaf: jax.ShapeDtypeStruct(leaf.shape, leaf.dtype, sharding=sharding), tree
    )


def is_first() -> bool:
    """Returns whether this process writes the run's files and prints its progress."""
    return jax.process_index() == 0


def broadcast(value: int) -> int:
    """Returns the first process's ``value``. Every process must call this function."""
    if jax.process_count() == 1:
        return value
    return int(multihost_utils.broadcast_one_to_all(np.int32(value)))


def is_key(leaf: Any) -> bool:
    """Returns whether an array holds random keys."""
    return jax.numpy.issubdtype(leaf.dtype, jax.dtypes.prng_key)


# ---- inside --------------------------------------------------------------------------------------
def _unbound_share(visible: int) -> int:
    """Returns the number of GPUs for each task if all tasks of this node see the same GPUs.

    ``visible`` is the number of visible GPUs. Returns 0 if each task sees its own GPUs only.
    """
    on_node = os.environ.get("SLURM_GPUS_ON_NODE", "")
    bound = on_node.isdecimal() and visible < int(on_node)
    return 0 if bound else visible // _tasks_on_node()


def _tasks_on_node() -> int:
    """Returns the number of tasks of the Slurm step on this node; 1 if Slurm does not report it."""
    counts: list[int] = []  # of each node; Slurm writes 4(x2),3 for 4, 4, 3
    names = ("SLURM_STEP_TASKS_PER_NODE", "SLURM_TASKS_PER_NODE", "SLURM_NTASKS_PER_NODE")
    text = next((os.environ[name] for name in names if os.environ.get(name)), "1")
    for count, nodes in re.findall(r"(\d+)(?:\(x(\d+)\))?", text):
        counts += [int(count)] * int(nodes or 1)
    node = os.environ.get("SLURM_NODEID", "0")
    number = int(node) if node.isdecimal() else 0
    return max(1, counts[min(number, len(counts) - 1)]) if counts else 1


def _placed(leaf: Any, sharding: NamedSharding) -> jax.Array:
    if is_key(leaf):
        return jax.random.wrap_key_data(_placed(jax.random.key_data(leaf), sharding))
    return jax.device_put(np.asarray(leaf), sharding)
