"""The locks of functions that are compiled: free again after every kind of failure."""

from __future__ import annotations

import errno
import fcntl
import os
import threading
import time
from pathlib import Path

import pytest

from jaxsolve.jit import code_cache
from jaxsolve.jit.code_cache import CodeCache


class Dispatcher:
    """The part of a dispatcher that its cache reads."""

    py_func = staticmethod(lambda: None)


@pytest.fixture
def cache() -> CodeCache:
    return CodeCache(Dispatcher())


@pytest.fixture
def entry(tmp_path) -> Path:
    return tmp_path / "cache" / "entry"


def is_free(entry: Path) -> bool:
    """Whether nobody holds the lock of an entry."""
    with (entry.parent / "locks" / entry.name).open() as file:
        try:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            return False
    return True


@pytest.mark.parametrize("error", [OSError(errno.ENOLCK, "no locks"), KeyboardInterrupt()])
def test_a_lock_can_be_acquired_after_an_error_while_waiting(error, cache, entry, monkeypatch):
    def failing(file, operation):
        raise error

    with monkeypatch.context() as patch:
        patch.setattr(fcntl, "flock", failing)
        for _ in range(2):
            if isinstance(error, OSError):  # compiles without the lock
                cache.lock(entry)
            else:
                with pytest.raises(KeyboardInterrupt):
                    cache.lock(entry)
            cache.release()
    assert is_free(entry)
    cache.lock(entry)
    assert not is_free(entry)
    cache.release()
    assert is_free(entry) and not code_cache._locks


def test_a_lock_can_be_acquired_after_it_was_not_granted(cache, entry, monkeypatch):
    other = CodeCache(Dispatcher())
    monkeypatch.setattr(code_cache, "PATIENCE", 0.1)
    other.lock(entry)
    for _ in range(2):
        cache.lock(entry)
        cache.release()
    assert not is_free(entry)
    other.release()
    cache.lock(entry)
    assert not is_free(entry)
    cache.release()
    assert is_free(entry)


def test_an_interrupt_after_the_lock_was_granted_frees_it(cache, entry, monkeypatch):
    flock = fcntl.flock

    def interrupted(file, operation):
        flock(file, operation)
        raise KeyboardInterrupt

    with monkeypatch.context() as patch:
        patch.setattr(fcntl, "flock", interrupted)
        with pytest.raises(KeyboardInterrupt):
            cache.lock(entry)
    cache.release()
    assert is_free(entry) and not code_cache._locks


def test_a_damaged_entry_is_compiled_under_the_lock(cache, entry):
    entry.parent.mkdir()
    entry.touch()
    cache.lock(entry)
    assert not is_free(entry)
    cache.release()


def test_the_folders_of_a_cache_belong_to_their_owner_alone(cache, tmp_path):
    entry, before = tmp_path / "new" / "cache" / "entry", os.umask(0o002)
    try:
        cache.lock(entry)
        cache.release()
    finally:
        os.umask(before)
    for folder in (entry.parent.parent, entry.parent, entry.parent / "locks"):
        assert folder.stat().st_mode & 0o777 == 0o755


def test_functions_are_locked_apart(cache, entry, monkeypatch):
    """A process compiles one function while another one compiles the function that calls it."""
    monkeypatch.setattr(code_cache, "PATIENCE", 60)
    inner, other = CodeCache(Dispatcher()), entry.with_name("other")
    cache.lock(entry)
    inner.lock(other)
    assert not is_free(entry) and not is_free(other)
    inner.release()
    assert not is_free(entry) and is_free(other)
    cache.release()
    assert is_free(entry)


def test_a_wait_ends_when_the_entry_is_there(cache, entry, monkeypatch):
    monkeypatch.setattr(code_cache, "PATIENCE", 60)
    CodeCache(Dispatcher()).lock(entry)
    threading.Timer(0.2, entry.touch).start()
    start = time.monotonic()
    cache.lock(entry)
    assert time.monotonic() - start < 30
    code_cache.close_locks()
    assert is_free(entry)


@pytest.mark.filterwarnings("ignore:os.fork")
def test_a_forked_child_leaves_the_lock_to_its_parent(cache, entry):
    cache.lock(entry)
    child = os.fork()
    if child == 0:
        cache.release()  # the child's copies are closed already
        os._exit(len(code_cache._locks))
    assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0
    assert not is_free(entry)
    cache.release()
    assert is_free(entry)
