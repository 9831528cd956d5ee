"""Cache files that processes share: written atomically, checked by digest, read only if trusted.

The files hold code that runs with the rights of the reading process. Files and folders are refused
if another user owns them or may write to them.
"""

from __future__ import annotations

import contextlib
import hashlib
import os
import secrets
from pathlib import Path

from jaxsolve.core.process import warn_once, writable_by_others


def read(file: Path, key: bytes) -> bytes | None:
    """Returns the payload that ``write`` has stored in a file under ``key``.

    Returns None if the file is missing, damaged, written with another key, or refused (``usable``).
    """
    try:
        with file.open("rb") as opened:
            if not usable(file.parent) or not _trusted(file, opened.fileno()):
                return None
            content = opened.read()
    except OSError:
        return None
    payload = content[HEAD:]
    return payload if content[:HEAD] == _head(key, payload) else None


def write(file: Path, key: bytes, payload: bytes) -> None:
    """Writes ``payload`` to a file, from which ``read`` returns it for the same ``key``.

    If the file cannot be written, a warning is logged once per process.
    """
    part = file.parent / f"part-{secrets.token_hex(8)}"
    try:
        make_folder(file.parent)
        if not usable(file.parent):
            return
        with os.fdopen(os.open(part, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o644), "wb") as opened:
            opened.write(_head(key, payload) + payload)
        os.replace(part, file)
    except OSError as error:
        with contextlib.suppress(OSError):
            part.unlink()
        warn_once(
            f"compiled code cannot be stored in {file.parent} ({error.strerror}): every run "
            "compiles; JAXSOLVE_CACHE names another folder"
        )


def make_folder(folder: Path) -> None:
    """Makes a cache folder that only its owner may write to, whatever the umask.

    Raises OSError if the folder cannot be made.
    """
    for each in reversed((folder, *folder.parents)):
        each.mkdir(mode=0o755, exist_ok=True)


def usable(folder: Path) -> bool:
    """Whether a cache folder is safe: no other user owns it or may write to it.

    Warns once per process about an unsafe folder.
    """
    return _trusted(folder, folder)


def _trusted(name: Path, opened: Path | int) -> bool:
    if not writable_by_others(opened):
        return True
    warn_once(
        f"compiled code in {name} is not used: another user owns it or may write to it; "
        "remove it, take that right away (chmod go-w), or set JAXSOLVE_CACHE to another folder"
    )
    return False


def _head(key: bytes, payload: bytes) -> bytes:
    return hashlib.sha256(hashlib.sha256(key).digest() + payload).digest()


HEAD = len(_head(b"", b""))
