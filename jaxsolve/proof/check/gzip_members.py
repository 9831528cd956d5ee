"""Streaming decompression of gzip files that consist of gzip members only.

``gzip.open`` accepts zero bytes after a member and skips them one at a time. For some hundred
megabytes this takes minutes. ``Members`` refuses all data after a member except another member.
"""

from __future__ import annotations

import io
import zlib
from typing import Any

CHUNK = 1 << 14
"""Number of compressed bytes read at once.

Chunks are small, because the decoder copies the rest of a chunk at the end of every member.
"""

_GZIP = 16 + zlib.MAX_WBITS
_FIRST_BYTE = 0x1F


class Trailing(ValueError):
    """The file has data after a gzip member, and the data is not another member."""


class Members(io.RawIOBase):
    """The uncompressed data of all members of a gzip file.

    Args:
      file: a binary file; ``read`` may return less than requested, b"" at the end.
    Raises (when read):
      EOFError: the last member is truncated.
      zlib.error: the file is not gzip data, or a member is damaged.
      Trailing: the file has data after a member, and the data is not another member.
    """

    def __init__(self, file: Any):
        self._file = file
        self._decoder: Any = None  # None between members
        self._data = b""  # compressed data to be decoded
        self._first = True

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: Any) -> int:
        space = len(buffer)
        while space:
            if self._decoder is None and not self._begin():
                return 0
            decoder: Any = self._decoder
            found = decoder.decompress(self._data, space)
            self._data = decoder.unconsumed_tail
            if decoder.eof:
                self._data, self._decoder = decoder.unused_data, None
            if found:
                buffer[: len(found)] = found
                return len(found)
            if self._decoder is not None and not self._data and not self._fill():
                raise EOFError
        return 0

    def _begin(self) -> bool:
        """Begins the next member. Returns False at the end of the file."""
        if not self._data and not self._fill():
            return False
        if self._data[0] != _FIRST_BYTE:
            raise zlib.error("no gzip data") if self._first else Trailing
        self._first, self._decoder = False, zlib.decompressobj(_GZIP)
        return True

    def _fill(self) -> bool:
        self._data = self._file.read(CHUNK)
        return bool(self._data)
