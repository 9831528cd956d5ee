"""Messages between the manager and a process of this machine, over a pair of sockets.

A message is its length in 8 bytes and its content. The manager's end (``Channel``) never blocks. So
a worker that hangs, or that ends within a message, does not delay the others.
"""

from __future__ import annotations

import contextlib
import select
import socket
import struct

MOST_BYTES = 1 << 32  # of a message; a longer one ends the connection
_HEAD = struct.Struct("!Q")
_CHUNK = 1 << 20


class Channel:
    """The manager's end of a connection. No method waits for the worker."""

    def __init__(self, end: socket.socket):
        end.setblocking(False)
        self._end = end
        self._unsent, self._received = bytearray(), bytearray()
        self._ended = False  # whether the worker has closed its end

    def fileno(self) -> int:
        """Returns the descriptor, for ``select``."""
        return self._end.fileno()

    @property
    def unsent(self) -> bool:
        """Whether bytes wait until the worker reads: call ``flush`` when the socket is writable."""
        return bool(self._unsent)

    def send(self, message: bytes) -> None:
        """Sends a message, or keeps what the worker does not read yet.

        An error is left to ``messages``, which then raises it.
        """
        self._unsent += _HEAD.pack(len(message)) + message
        with contextlib.suppress(OSError):
            self.flush()

    def flush(self) -> None:
        """Sends what the worker takes at once. Raises OSError if it has ended."""
        with contextlib.suppress(BlockingIOError):
            while self._unsent:
                with memoryview(self._unsent) as view:
                    sent = self._end.send(view[:_CHUNK])
                del self._unsent[:sent]

    def messages(self) -> list[bytes]:
        """Returns the messages that have arrived whole.

        Raises EOFError if the worker has closed its end and no message is left, OSError if the
        connection has failed or a message is too long.
        """
        with contextlib.suppress(BlockingIOError):
            while not self._ended:
                part = self._end.recv(_CHUNK)
                self._received += part
                self._ended = not part
        found = []
        while (message := self._first()) is not None:
            found.append(message)
        if self._ended and not found:
            raise EOFError
        return found

    def _first(self) -> bytes | None:
        """Removes the first message from what was received; None if it is not whole."""
        if len(self._received) < _HEAD.size:
            return None
        end = _HEAD.size + _length(self._received)
        if len(self._received) < end:
            return None
        message = bytes(self._received[_HEAD.size : end])
        del self._received[:end]
        return message

    def close(self) -> None:
        """Closes the connection."""
        self._end.close()


class WorkerEnd:
    """The worker's end of a connection, whose methods block."""

    def __init__(self, end: socket.socket):
        end.setblocking(True)
        self._end = end
        self._poll = select.poll()
        self._poll.register(end, select.POLLIN)

    def send(self, message: bytes) -> None:
        """Sends a message. Raises OSError if the manager has ended."""
        self._end.sendall(_HEAD.pack(len(message)) + message)

    def receive(self) -> bytes:
        """Waits for a message. Raises EOFError or OSError if the manager has ended."""
        return self._bytes(_length(self._bytes(_HEAD.size)))

    def _bytes(self, count: int) -> bytes:
        found = bytearray()
        while len(found) < count:
            part = self._end.recv(min(count - len(found), _CHUNK))
            if not part:
                raise EOFError
            found += part
        return bytes(found)

    def waiting(self) -> bool:
        """Whether a message, or the end of the manager, can be received now."""
        return bool(self._poll.poll(0))


def _length(head: bytes | bytearray) -> int:
    (length,) = _HEAD.unpack_from(head)
    if length > MOST_BYTES:
        raise OSError(f"a message of {length} bytes")
    return length
