"""The folder of a training run: local, or in an object store at a URL (gs://, s3://, ...)."""

from __future__ import annotations

import secrets
import tempfile
from pathlib import Path
from typing import Any

from etils import epath

from jaxsolve.core.run_folder import LOCK, FolderError, RunFolder, write_atomically
from jaxsolve.networks import Network

Folder = Path | epath.Path


def path_of(out: str) -> Folder:
    """Returns the path that ``out`` names.

    Raises ValueError for a URL of an unknown kind, or if the client of its object store is missing.
    """
    if "://" not in out:
        return Path(out)
    try:
        path = epath.Path(out)
        path.exists()
    except KeyError:
        raise ValueError(
            f"out={out}: give a local path or a URL with gs://, s3://, az:// or hf://"
        ) from None
    except ImportError as error:
        missing = f" ({error.name})" if error.name else ""
        raise ValueError(
            f"out={out} needs a client of that object store, which is not installed{missing}: "
            "gcsfs for gs://, s3fs for s3://"
        ) from None
    return path


def is_remote(path: Folder) -> bool:
    """Returns whether a path is a URL."""
    return "://" in str(path)


def write(path: Folder, content: str | bytes) -> None:
    """Writes a file. If the write fails, the earlier content is unchanged. Raises OSError."""
    if not is_remote(path):
        write_atomically(Path(path), content)
    elif isinstance(content, str):
        path.write_text(content)  # an object store writes objects atomically
    else:
        path.write_bytes(content)


def save_network(network: Network, file: Folder) -> None:
    """Writes a network to a file.

    Raises FileExistsError if the file is local and exists; OSError.
    """
    if is_remote(file):
        file.parent.mkdir(parents=True, exist_ok=True)
        write(file, network.to_bytes())
    else:
        network.save(Path(file))


def claim(path: Folder, marker: str, question: dict[str, Any]) -> RunFolder | RemoteFolder:
    """Claims the folder for a run. A local folder is locked.

    Args:
      path: the folder.
      marker: name of the JSON file that identifies the run.
      question: JSON values that the results depend on, stored in ``marker``.

    Raises FolderError if the folder is in use or has other contents (see ``RunFolder``); OSError.
    """
    if is_remote(path):
        return RemoteFolder(path, marker, question)
    return RunFolder(Path(path), marker, question, resume=True)


class RemoteFolder:
    """A run's folder in an object store, where no lock is possible.

    The folder belongs to the process that claimed it last. Each claim writes a new token to the
    folder. Before each checkpoint a process checks that the folder still has its token (``check``).
    If not, the process ends.

    Raises FolderError if the folder has other contents or contains another run.
    """

    def __init__(self, path: Folder, marker: str, question: dict[str, Any]):
        self.path, self._token = path, secrets.token_hex(16)
        file = path / marker
        held = file.read_bytes() if file.exists() else None
        if held is None and path.exists() and any(path.iterdir()):
            raise FolderError(
                f"{path} is not empty and not a folder of jaxsolve's results; give another one"
            )
        with tempfile.TemporaryDirectory() as local:
            copy = Path(local) / marker
            if held is not None:
                copy.write_bytes(held)
            try:
                RunFolder(Path(local), marker, question, resume=True).release()
            except FolderError as error:
                raise FolderError(str(error).replace(local, str(path))) from None
            path.mkdir(parents=True, exist_ok=True)
            if held is None:
                write(file, copy.read_bytes())
        write(path / LOCK, self._token)

    def check(self) -> None:
        """Raises FolderError if another run has claimed the folder in the meantime."""
        if (self.path / LOCK).read_text() != self._token:
            raise FolderError(f"{self.path}: another run has claimed the folder; this one ends")

    def release(self) -> None:
        """Does nothing. The token stays in the folder."""
