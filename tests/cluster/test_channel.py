"""Messages between the manager and processes: whole, or the end; and workers that hang."""

from __future__ import annotations

import os
import signal
import socket
import subprocess
import sys
import threading
import time

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from jaxsolve.cluster import ClusterOptions, Run
from jaxsolve.cluster.channel import _HEAD, MOST_BYTES, Channel, WorkerEnd
from jaxsolve.cluster.processes import NEWS, NO_MEMORY, ORDER, Processes
from jaxsolve.games import make
from jaxsolve.search import Settings, Verdict, solve
from support.cluster_runs import GAME, POSITION, assert_nothing_twice
from support.search import LONG


def ends() -> tuple[Channel, socket.socket]:
    mine, theirs = socket.socketpair()
    return Channel(mine), theirs


@settings(max_examples=50, deadline=None)
@given(st.lists(st.binary(max_size=300)), st.integers(1, 50))
def test_messages_arrive_whole_and_in_order_however_they_are_cut(messages, size):
    channel, other = ends()
    data = b"".join(_HEAD.pack(len(each)) + each for each in messages)
    found = []
    for at in range(0, len(data), size):
        other.sendall(data[at : at + size])
        found += channel.messages()
    assert found == messages
    other.close()
    with pytest.raises(EOFError):
        channel.messages()


def test_messages_that_a_worker_does_not_read_wait_for_it():
    channel, other = ends()
    messages = [bytes([number]) * 3_000_000 for number in range(3)]
    for each in messages:
        channel.send(each)  # returns at once, though nobody reads
    assert channel.unsent
    worker, found = WorkerEnd(other), []

    def read() -> None:
        found.extend(worker.receive() for _ in messages)

    thread = threading.Thread(target=read)
    thread.start()
    while channel.unsent:
        channel.flush()
    thread.join()
    assert found == messages and not worker.waiting()
    channel.close()
    assert worker.waiting()
    with pytest.raises(EOFError):
        worker.receive()


@pytest.mark.parametrize("kept", [0, 3, 8, 20])
def test_a_worker_that_ends_within_a_message_is_lost(kept):
    channel, other = ends()
    WorkerEnd(other).send(b"first")
    other.sendall((_HEAD.pack(100) + bytes(100))[:kept])
    assert channel.messages() == [b"first"]
    assert channel.messages() == []  # it does not wait for the rest
    other.close()
    with pytest.raises(EOFError):
        channel.messages()
    channel.send(b"an order")  # no error either


def test_a_length_that_is_none_ends_the_connection():
    channel, other = ends()
    other.sendall(_HEAD.pack(MOST_BYTES + 1))
    with pytest.raises(OSError, match="a message of"):
        channel.messages()


@pytest.mark.skipif(not LONG, reason="needs JAXSOLVE_LONG=1")
def test_a_stopped_worker_stops_nobody_and_is_replaced(tmp_path):
    """One is stopped with an order, one without; large news wait for it."""
    game, stopped = make(GAME), list[int]()

    def stop(_: object) -> None:
        backend = started.shared.backend
        started.shared.hang_seconds = 1.0
        if not stopped and len(backend._ready) == 2 and backend._busy:
            for each in backend._running.values():
                stopped.append(each.process.pid)
                os.kill(each.process.pid, signal.SIGSTOP)
                before = time.monotonic()
                each.channel.send(NEWS + b" " + bytes(4 << 20))
                assert time.monotonic() - before < 5

    # At most 10 times so many CPU seconds, and one second.
    with Run(
        ClusterOptions(2, job_nodes=100, job_seconds=0.05), Settings("pns"), tmp_path
    ) as started:
        result = solve(
            game,
            game.parse(POSITION),
            settings=started.settings,
            make_pool=started.make_pool,
            out=tmp_path,
            progress=stop,
        )
    assert result.verdict is Verdict.DISPROVED and result.checked, result.reason
    assert len(stopped) == 2 and started.figures()["jobs"]["lost"] >= 1
    assert_nothing_twice(tmp_path)


def test_a_process_that_hangs_at_its_start_is_replaced(monkeypatch):
    monkeypatch.setattr("jaxsolve.cluster.processes.START_SECONDS", 0.5)
    backend = Processes(1, Settings("dfpn"))
    assert backend.idle() == []
    (first,) = (each.process for each in backend._running.values())
    os.kill(first.pid, signal.SIGSTOP)
    end = time.monotonic() + 30
    while first.is_alive() and time.monotonic() < end:
        backend.wait(0.1)
    assert not first.is_alive() and len(backend._running) == 1
    backend.close()


FULL = """
import socket, sys
import jaxsolve.cluster.worker as module
from jaxsolve.cluster.processes import _work

class Full:
    def __init__(self, settings, folder):
        pass

    def run(self, *_):
        raise MemoryError

module.Worker = Full
_work(socket.socket(fileno=int(sys.argv[1])), None, None)
"""


def test_a_worker_without_memory_ends_without_a_traceback():
    mine, theirs = socket.socketpair()
    with subprocess.Popen(
        [sys.executable, "-c", FULL, str(theirs.fileno())],
        pass_fds=[theirs.fileno()],
        stderr=subprocess.PIPE,
    ) as process:
        theirs.close()
        worker = WorkerEnd(mine)
        assert worker.receive() == b"ready"
        worker.send(ORDER + b" {}")
        _, errors = process.communicate(timeout=60)
    assert (process.returncode, errors) == (NO_MEMORY, b"")
