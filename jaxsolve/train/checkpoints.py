"""Checkpoints of a training run: everything that it goes on from, by orbax, one folder a step. The only module that knows orbax."""

from __future__ import annotations

import contextlib
import errno
import hashlib
import logging
import os
import re
import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
import orbax.checkpoint as ocp

from jaxsolve.core.run_folder import write_atomically
from jaxsolve.networks.architecture import dotted
from jaxsolve.train import devices

DIGEST = (
    "sha256.txt"  # in a checkpoint's folder; one that was killed before it was written has none
)
AT_ONCE = ocp.options.AsyncOptions(
    create_directories_asynchronously=False
)  # else threads wait minutes for a folder that cannot be made
TORN = ".orbax-checkpoint-tmp"  # in the names of checkpoints that are being written


def save(folder: Path, step: int, state: Any, keep: int = 2) -> Path:
    """Writes a pytree of arrays to ``folder/<step>``, whole or not at all, and removes all but the latest ``keep``.

    Where there are several processes, all of them must call it, with a folder that they share. Raises OSError.
    """
    path = folder.resolve() / str(step)
    arrays = {name: devices.fetch(_plain(leaf)) for name, leaf in _named(state).items()}
    _clear(folder)
    try:
        with _quiet(), ocp.StandardCheckpointer(async_options=AT_ONCE) as checkpointer:
            checkpointer.save(path, arrays, force=True)
    except ValueError as error:  # so tensorstore says that there is no room
        _clear(folder)
        raise _as_os_error(error, path) from None
    except OSError:
        _clear(folder)
        raise
    if devices.first():
        write_atomically(path / DIGEST, _digest(path))
        for old in steps(folder)[:-keep]:
            shutil.rmtree(folder / str(old))
    return path


def steps(folder: Path) -> list[int]:
    """The steps that ``folder`` holds, in order; one that was being written when its process ended is none."""
    return (
        sorted(
            int(path.name)
            for path in folder.glob("*")
            if path.name.isascii() and path.name.isdigit() and path.is_dir()
        )
        if folder.is_dir()
        else []
    )


def load(folder: Path, step: int, like: Any) -> Any:
    """What ``save`` wrote, in the structure of ``like`` (arrays, or ``jax.ShapeDtypeStruct``) and on its devices.

    Raises ValueError for a damaged one, or that names the first part that is missing, too much, or of another shape or dtype; OSError where there is
    no such step.
    """
    path = folder / str(step)
    if not path.is_dir():
        raise FileNotFoundError(errno.ENOENT, os.strerror(errno.ENOENT), str(path))
    if (path / DIGEST).exists() and (path / DIGEST).read_bytes() != _digest(path).encode():
        raise ValueError(
            f"{path} is damaged; without it the run goes on from the checkpoint before"
        )
    try:
        with ocp.StandardCheckpointer() as checkpointer:
            held = checkpointer.restore(folder.resolve() / str(step))
    except (
        ValueError,
        TypeError,
        KeyError,
        RuntimeError,
        FileNotFoundError,
    ):  # what its layers raise for files that are cut short or not theirs
        raise ValueError(
            f"{folder / str(step)} is damaged; without it the run goes on from the checkpoint before"
        ) from None
    wanted = _named(like)
    for name in sorted(held.keys() ^ wanted.keys()):
        raise ValueError(
            f"{folder / str(step)}: {name} is {'missing' if name in wanted else 'no part of this run'}"
        )
    leaves = []
    for name, leaf in wanted.items():
        plain, found = _plain(leaf), held[name]
        if (np.shape(found), np.dtype(found.dtype)) != (plain.shape, np.dtype(plain.dtype)):
            raise ValueError(
                f"{folder / str(step)}: {name} is {found.dtype}{list(np.shape(found))}, this run has {plain.dtype}{list(plain.shape)}"
            )
        array = jax.device_put(
            np.asarray(found),
            leaf.sharding if isinstance(leaf, jax.Array | jax.ShapeDtypeStruct) else None,
        )
        leaves.append(jax.random.wrap_key_data(array) if devices.is_key(leaf) else array)
    return jax.tree.unflatten(jax.tree.structure(like), leaves)


def _clear(folder: Path) -> None:
    """Removes checkpoints that were not written to their end: they keep the room that another one may need."""
    if devices.first():
        for torn in folder.glob(f"*{TORN}*"):
            shutil.rmtree(torn, ignore_errors=True)


@contextlib.contextmanager
def _quiet() -> Iterator[None]:
    """Without orbax's own account of every layer that an error goes through: what is raised says it."""
    logger = logging.getLogger("absl")
    before = logger.level
    logger.setLevel(logging.CRITICAL + 1)
    try:
        yield
    finally:
        logger.setLevel(before)


def _as_os_error(error: ValueError, path: Path) -> Exception:
    """The OSError that tensorstore's words tell of; the error itself where they tell of none."""
    found = re.search(r"os_error_code='(\d+)'", str(error))
    code = int(found[1]) if found else errno.ENOSPC if "RESOURCE_EXHAUSTED" in str(error) else None
    return error if code is None else OSError(code, os.strerror(code), str(path))


def _digest(path: Path) -> str:
    """Of all files of a checkpoint, their names and what they hold: orbax keeps no sums, and a flipped bit would be another run."""
    found = hashlib.sha256()
    for file in sorted(
        file for file in path.rglob("*") if file.is_file() and file != path / DIGEST
    ):
        found.update(
            f"{file.relative_to(path)} {file.stat().st_size}\n".encode() + file.read_bytes()
        )
    return found.hexdigest() + "\n"


def _named(state: Any) -> dict[str, Any]:
    return {
        f"{number:04} {dotted(path)}": leaf
        for number, (path, leaf) in enumerate(jax.tree_util.tree_flatten_with_path(state)[0])
    }


def _plain(leaf: Any) -> Any:
    """The array, or its shape, that is kept of a leaf: of random keys their words."""
    if isinstance(leaf, jax.ShapeDtypeStruct):
        return jax.eval_shape(jax.random.key_data, leaf) if devices.is_key(leaf) else leaf
    return jax.random.key_data(leaf) if devices.is_key(leaf) else jnp.asarray(leaf)
