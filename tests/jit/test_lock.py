"""The lock of the process that compiles: it is free again after every kind of failure."""

from __future__ import annotations

import errno
import fcntl
from pathlib import Path

import pytest

from jaxsolve.jit import host


class Compiling:
    """The part of a dispatcher that the lock reads."""

    is_compiling = True


def is_free(entry: Path) -> bool:
    """Whether nobody holds the lock of an entry's folder."""
    with (entry.parent / "lock").open() as file:
        try:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            return False
    return True


@pytest.mark.parametrize("error", [OSError(errno.ENOLCK, "no locks"), KeyboardInterrupt()])
def test_the_lock_can_be_acquired_after_an_error_while_waiting(error, tmp_path, monkeypatch):
    lock, entry, function = host._Lock(), tmp_path / "cache" / "entry", Compiling()

    def failing(file, operation):
        raise error

    with monkeypatch.context() as patch:
        patch.setattr(fcntl, "flock", failing)
        for _ in range(2):
            if isinstance(error, OSError):  # compiles without the lock
                lock.acquire(function, entry)
            else:
                with pytest.raises(KeyboardInterrupt):
                    lock.acquire(function, entry)
    assert is_free(entry)
    lock.acquire(function, entry)
    assert not is_free(entry)
    lock.release(function)
    assert is_free(entry)


def test_the_lock_can_be_acquired_after_it_was_not_granted(tmp_path, monkeypatch):
    lock, other = host._Lock(), host._Lock()
    entry, function = tmp_path / "cache" / "entry", Compiling()
    monkeypatch.setattr(host, "PATIENCE", 0.1)
    other.acquire(Compiling(), entry)
    for _ in range(2):
        lock.acquire(function, entry)
        lock.release(function)
    other.forget()
    lock.acquire(function, entry)
    assert not is_free(entry)
    lock.release(function)
    assert is_free(entry)


def test_the_lock_passes_from_a_function_that_failed_to_compile_to_the_next(tmp_path):
    lock, entry = host._Lock(), tmp_path / "cache" / "entry"
    failed, inner, following = Compiling(), Compiling(), Compiling()
    lock.acquire(failed, entry)
    lock.acquire(inner, entry)
    lock.release(inner)
    assert not is_free(entry)
    failed.is_compiling = False
    lock.acquire(following, entry)
    lock.release(failed)
    assert not is_free(entry)
    lock.release(following)
    assert is_free(entry)
