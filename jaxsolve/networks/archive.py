"""Reads ``.npz`` files safely.

The shape and type of an array are checked before the array is decompressed.
"""

from __future__ import annotations

import io
import math
import zipfile
import zlib
from pathlib import Path
from types import TracebackType
from typing import IO, TYPE_CHECKING, NamedTuple, Self

import numpy as np

if TYPE_CHECKING:
    from etils import epath

SUFFIX = ".npz"
MAX_NUMBERS = 1 << 28
"""Most numbers in an array: 1 GiB as float32, five times the largest network in use (40 x 256)."""
MAX_TEXT = 1 << 20  # most bytes of a file's description
_MOST_HEADER = 1 << 16  # most bytes of an array's header
UNREADABLE = (
    ValueError,
    TypeError,
    AttributeError,
    EOFError,
    NotImplementedError,
    RuntimeError,
    zlib.error,
    zipfile.BadZipFile,
)
"""Exceptions, besides OSError, of reading a file that is damaged or not an ``.npz`` file."""


class Header(NamedTuple):
    """The declared shape and type of an array."""

    shape: tuple[int, ...]
    dtype: np.dtype

    @property
    def size(self) -> int:
        return math.prod(self.shape)


class Archive:
    """An open ``.npz`` file. Raises ValueError if the file is of another kind; OSError."""

    def __init__(self, file: Path | epath.Path):
        self._file = file.open("rb")
        try:
            if not zipfile.is_zipfile(self._file):
                raise ValueError(f"no {SUFFIX} file, whatever its name is")
            self._zip = zipfile.ZipFile(self._file)
            self._members = {
                member.filename.removesuffix(".npy"): member for member in self._zip.infolist()
            }
        except BaseException:
            self._file.close()
            raise

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        self._zip.close()
        self._file.close()

    @property
    def names(self) -> set[str]:
        return set(self._members)

    def header(self, name: str) -> Header:
        """Returns shape and type of an array; decompresses its header only.

        Raises one of UNREADABLE.
        """
        with self._zip.open(self._members[name]) as content:
            return _header(io.BytesIO(content.read(_MOST_HEADER)), name)

    def text(self, name: str) -> bytes:
        """Returns the bytes of an array uint8[...].

        Raises ValueError for another type, and for more than MAX_TEXT bytes. A damaged file raises
        one of UNREADABLE.
        """
        header = self.header(name)
        if header.dtype != np.uint8 or header.size > MAX_TEXT:
            raise ValueError(f"{name} is no text of at most {MAX_TEXT} bytes")
        return self._array(name).tobytes()

    def floats(self, name: str, shape: tuple[int, ...] | None = None) -> np.ndarray:
        """Returns an array of floating-point numbers.

        Raises ValueError for another type, a shape other than ``shape``, or more than MAX_NUMBERS
        numbers. This is checked before the array is decompressed. A damaged file raises one of
        UNREADABLE.
        """
        header = self.header(name)
        if shape is not None and header.shape != shape:
            raise ValueError(f"{name} has the shape {header.shape}, its architecture has {shape}")
        if header.dtype.kind != "f":
            raise ValueError(f"{name} holds {header.dtype}, not floating-point numbers")
        if header.size > MAX_NUMBERS:
            raise ValueError(f"{name} declares {header.size} numbers, more than {MAX_NUMBERS}")
        return self._array(name)

    def _array(self, name: str) -> np.ndarray:
        with self._zip.open(self._members[name]) as content:
            return np.lib.format.read_array(content, allow_pickle=False)


def _header(content: IO[bytes], name: str) -> Header:
    version = np.lib.format.read_magic(content)
    if version == (1, 0):
        shape, _, dtype = np.lib.format.read_array_header_1_0(content)
    elif version == (2, 0):
        shape, _, dtype = np.lib.format.read_array_header_2_0(content)
    else:
        raise ValueError(f"{name} is an array of an unknown version {version}")
    return Header(shape, dtype)
