"""Files that many processes share: each appears whole or not at all, says what it is, and counts as missing once it is damaged."""

from __future__ import annotations

import contextlib
import functools
import hashlib
import os
import secrets
import sys
from pathlib import Path


def read(file: Path, key: bytes) -> bytes | None:
    """What ``write`` kept under ``key``; None where there is nothing, something else, or nothing whole."""
    try:
        content = file.read_bytes()
    except OSError:
        return None
    payload = content[HEAD:]
    return payload if content[:HEAD] == _head(key, payload) else None


def write(file: Path, key: bytes, payload: bytes) -> None:
    """Keeps ``payload`` in ``file``, for readers who know ``key``. Where that is impossible one sentence says so, once in a process."""
    part = file.parent / f"part-{secrets.token_hex(8)}"
    try:
        file.parent.mkdir(parents=True, exist_ok=True)
        part.write_bytes(_head(key, payload) + payload)
        os.replace(part, file)
    except OSError as error:
        with contextlib.suppress(OSError):
            part.unlink()
        warn_once(
            f"compiled code cannot be kept in {file.parent} ({error.strerror}): runs will compile anew; JAXSOLVE_CACHE names another folder"
        )


@functools.cache
def warn_once(sentence: str) -> None:
    """Prints ``sentence`` to standard error, the first time."""
    print(f"jaxsolve: {sentence}", file=sys.stderr)


def _head(key: bytes, payload: bytes) -> bytes:
    return hashlib.sha256(hashlib.sha256(key).digest() + payload).digest()


HEAD = len(_head(b"", b""))
