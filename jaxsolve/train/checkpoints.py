"""Checkpoints of a training run, written by orbax: one folder for each step.

No other module uses orbax.
"""

from __future__ import annotations

import contextlib
import errno
import hashlib
import logging
import os
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
import orbax.checkpoint as ocp
from etils import epath

from jaxsolve.networks.architecture import dotted
from jaxsolve.train import devices

# A file in a checkpoint's folder, written last. A checkpoint without it is unfinished.
DIGEST = "sha256.txt"
# With orbax's default, threads wait minutes for a folder that cannot be created.
SYNCHRONOUS = ocp.options.AsyncOptions(create_directories_asynchronously=False)
TORN = ".orbax-checkpoint-tmp"  # part of the name of a checkpoint that is being written
# Exceptions that orbax and its libraries raise for truncated or foreign files.
UNREADABLE = (ValueError, TypeError, KeyError, RuntimeError, FileNotFoundError)

Folder = Path | epath.Path


def save(folder: Folder, step: int, state: Any, keep: int = 2) -> epath.Path:
    """Writes a pytree of arrays to ``folder/<step>`` atomically. Returns the checkpoint's path.

    Removes all checkpoints except the latest ``keep``. In a run of several processes, all processes
    must call ``save`` with the same shared folder. Each process writes the parts of arrays that it
    holds. Raises OSError.
    """
    folder = _absolute(folder)
    path = folder / str(step)
    arrays = {name: _plain(leaf) for name, leaf in _named(state).items()}
    _clear(folder)
    try:
        with _quiet(), ocp.StandardCheckpointer(async_options=SYNCHRONOUS) as checkpointer:
            checkpointer.save(path, arrays, force=True)
    except ValueError as error:  # tensorstore raises ValueError if the disk is full
        _clear(folder)
        raise _as_os_error(error, path) from None
    except OSError:
        _clear(folder)
        raise
    if devices.is_first():
        _write(path / DIGEST, _digest(path))
        for old in steps(folder)[:-keep]:
            (folder / str(old)).rmtree()
    return path


def steps(folder: Folder) -> list[int]:
    """Returns the steps that have a finished checkpoint in ``folder``, ascending."""
    folder = _absolute(folder)
    if not folder.is_dir():
        return []
    names = [
        path.name
        for path in folder.iterdir()
        if path.name.isascii() and path.name.isdigit() and path.is_dir()
    ]
    return sorted(map(int, names))


def load(folder: Folder, step: int, like: Any) -> Any:
    """Reads the checkpoint of a step that ``save`` wrote.

    Args:
      folder: the folder that was given to ``save``.
      step: the step.
      like: a pytree of arrays or ``jax.ShapeDtypeStruct`` with the structure, shapes, dtypes and
        shardings to restore. Each process reads the parts that its devices hold.

    Raises:
      ValueError: the checkpoint is damaged.
      Misfit: an array of the checkpoint is missing, superfluous, or of another shape or dtype. The
        message names the first such array. ``Misfit`` is a ValueError.
      FileNotFoundError: there is no checkpoint of that step.
    """
    path = _absolute(folder) / str(step)
    if not path.is_dir():
        raise FileNotFoundError(errno.ENOENT, os.strerror(errno.ENOENT), str(path))
    damaged = f"{path} is damaged; without it the run resumes from the checkpoint before"
    if (path / DIGEST).exists() and (path / DIGEST).read_bytes() != _digest(path).encode():
        raise ValueError(damaged)
    named = _named(like)
    wanted = {name: _abstract(leaf) for name, leaf in named.items()}
    try:
        with ocp.StandardCheckpointer() as checkpointer:
            _refuse_other(path, checkpointer.metadata(path).item_metadata, wanted)
            held = checkpointer.restore(path, wanted)
    except Misfit:
        raise
    except UNREADABLE:
        raise ValueError(damaged) from None
    leaves = [
        jax.random.wrap_key_data(held[name]) if devices.is_key(leaf) else held[name]
        for name, leaf in named.items()
    ]
    return jax.tree.unflatten(jax.tree.structure(like), leaves)


class Misfit(ValueError):
    """Error: an array of a checkpoint is missing, superfluous, or of another shape or dtype."""


def _refuse_other(path: epath.Path, metadata: Any, wanted: dict[str, Any]) -> None:
    """Raises Misfit if the arrays of a checkpoint differ from ``wanted``.

    ``metadata`` describes the arrays of the checkpoint. Names, shapes and dtypes must be equal.
    """
    held = dict(metadata)
    for name in sorted(held.keys() ^ wanted.keys()):
        is_wanted = "missing" if name in wanted else "no part of this run"
        raise Misfit(f"{path}: {name} is {is_wanted}")
    for name, leaf in wanted.items():
        found = held[name]
        if (tuple(found.shape), np.dtype(found.dtype)) != (leaf.shape, np.dtype(leaf.dtype)):
            raise Misfit(
                f"{path}: {name} is {found.dtype}{list(found.shape)}, "
                f"this run has {leaf.dtype}{list(leaf.shape)}"
            )


# ---- inside --------------------------------------------------------------------------------------
def _absolute(folder: Folder) -> epath.Path:
    """Returns an absolute path, which orbax requires; a URL is returned unchanged."""
    return epath.Path(folder if "://" in str(folder) else Path(folder).resolve())


def _write(path: epath.Path, text: str) -> None:
    """Writes a text file atomically: after a crash it is either complete or absent."""
    if "://" in str(path):  # an object store writes objects atomically
        path.write_text(text)
    else:
        from jaxsolve.core.run_folder import write_atomically

        write_atomically(Path(path), text)


def _clear(folder: epath.Path) -> None:
    """Removes unfinished checkpoints, since the next one may need their disk space."""
    if devices.is_first() and folder.is_dir():
        for torn in folder.iterdir():
            if TORN in torn.name:
                with contextlib.suppress(OSError):
                    torn.rmtree()


@contextlib.contextmanager
def _quiet() -> Iterator[None]:
    """Suppresses orbax's log messages inside the context.

    Orbax logs an error in every layer that propagates it. The caller reports the error once.
    """
    logger = logging.getLogger("absl")
    before = logger.level
    logger.setLevel(logging.CRITICAL + 1)
    try:
        yield
    finally:
        logger.setLevel(before)


def _as_os_error(error: ValueError, path: epath.Path) -> Exception:
    """Converts an error of tensorstore to the OSError in its message.

    Returns ``error`` itself if the message contains no system error.
    """
    found = re.search(r"os_error_code='(\d+)'", str(error))
    code = int(found[1]) if found else errno.ENOSPC if "RESOURCE_EXHAUSTED" in str(error) else None
    return error if code is None else OSError(code, os.strerror(code), str(path))


def _digest(path: epath.Path) -> str:
    """Returns the SHA-256 of the names and contents of a checkpoint's files.

    Orbax itself stores no checksums.
    """
    found = hashlib.sha256()
    for name, file in sorted(_files(path), key=lambda found: found[0].split("/")):
        if name != DIGEST:
            content = file.read_bytes()
            found.update(f"{name} {len(content)}\n".encode() + content)
    return found.hexdigest() + "\n"


def _files(folder: epath.Path, before: str = "") -> Iterator[tuple[str, epath.Path]]:
    """Yields (name, path) of each file in a folder and its subfolders.

    A name is the path relative to ``folder``, with the prefix ``before``.
    """
    for path in folder.iterdir():
        name = before + path.name
        if path.is_dir():
            yield from _files(path, name + "/")
        else:
            yield name, path


def _named(state: Any) -> dict[str, Any]:
    return {
        f"{number:04} {dotted(path)}": leaf
        for number, (path, leaf) in enumerate(jax.tree_util.tree_flatten_with_path(state)[0])
    }


def _plain(leaf: Any) -> jax.Array:
    """Returns the array that is stored for a leaf; random keys are stored as their key data."""
    return jax.random.key_data(leaf) if devices.is_key(leaf) else jnp.asarray(leaf)


def _abstract(leaf: Any) -> jax.ShapeDtypeStruct:
    """Returns shape, dtype and sharding of the array that is stored for a leaf."""
    sharding = getattr(leaf, "sharding", None)
    if sharding is None:
        sharding = jax.sharding.SingleDeviceSharding(jax.local_devices()[0])
    shape = jax.eval_shape(_plain, leaf) if devices.is_key(leaf) else leaf
    return jax.ShapeDtypeStruct(np.shape(shape), shape.dtype, sharding=sharding)
