"""Finds the problems of a collection: a folder, a ZIP archive, or a file of several records."""

from __future__ import annotations

import lzma
import re
import zipfile
import zlib
from collections import Counter
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import NamedTuple

from jaxsolve.formats import sgf_problem
from jaxsolve.formats.record import FormatError

MAX_BYTES = 16 << 20  # largest SGF file of a collection
MAX_FILES = 100_000  # most files of a collection
FOLDER_NAME = 80  # most characters of the name of a problem's folder


# What ``zipfile`` raises for an archive that it cannot read; NotImplementedError for a compression
# that it does not know, OSError for damaged BZIP2 data.
_DAMAGED = (
    zipfile.BadZipFile,
    NotImplementedError,
    EOFError,
    OSError,
    zlib.error,
    lzma.LZMAError,
)


class Member(NamedTuple):
    """A problem of a collection."""

    # Path in the collection, and the number of the record where there are several. A byte that is
    # no UTF-8 is shown as "?", and a control character is escaped.
    name: str
    folder: str  # name for the problem's folder, different for all members
    data: bytes  # the SGF file
    number: int | None  # which record of the file, from 1; None: the only one


def is_collection(text: str, number: int | None) -> bool:
    """Returns whether a position argument names a collection.

    Args:
      text: the argument.
      number: ``--record``; a record that is chosen is no collection.

    Raises FormatError if the file cannot be read.
    """
    path = Path(text)
    if path.is_dir() or (text.lower().endswith(".zip") and path.is_file()):
        return True
    if number is not None or not text.lower().endswith(".sgf") or not path.is_file():
        return False
    return len(_records(_read(path))) > 1


def members(text: str) -> list[Member]:
    """Returns all problems of a collection, files in the order of their names.

    A file that cannot be read as SGF is one member, which ``setup.read_record`` will refuse.

    Raises:
      FormatError: there is no SGF file, an archive is damaged or encrypted, or a file is too large.
    """
    path = Path(text)
    found: list[Member] = []
    taken: Counter[str] = Counter()
    files = _folder(path) if path.is_dir() else _files(path)
    for name, data in files:
        numbers: Sequence[int | None] = _records(data)
        for number in numbers if len(numbers) > 1 else [None]:
            shown = _printable(name)
            whole = shown if number is None else f"{shown} #{number}"
            plain = re.sub(r"\.sgf\b", "", whole, flags=re.IGNORECASE)
            # Without dots, so that no folder has the name of a file of the command.
            stem = re.sub(r"[^A-Za-z0-9_-]+", "_", plain).strip("_")[-FOLDER_NAME:] or "problem"
            taken[stem.lower()] += 1
            again = taken[stem.lower()]
            folder = stem if again == 1 else f"{stem}~{again}"
            found.append(Member(whole, folder, data, number))
    if not found:
        raise FormatError(f"{path.name} holds no SGF file (*.sgf)")
    return found


def _records(data: bytes) -> Sequence[int | None]:
    """Returns the numbers of the records of a file; [None] if it cannot be read."""
    try:
        return range(1, sgf_problem.count(data) + 1)
    except FormatError:
        return [None]


def _folder(path: Path) -> Iterator[tuple[str, bytes]]:
    paths = sorted(each for each in path.rglob("*") if each.suffix.lower() == ".sgf")
    for each in [each for each in paths if each.is_file()]:
        yield each.relative_to(path).as_posix(), _read(each)


def _files(path: Path) -> Iterator[tuple[str, bytes]]:
    if path.suffix.lower() != ".zip":
        yield path.name, _read(path)
        return
    try:
        with zipfile.ZipFile(path) as archive:
            entries = [
                each for each in archive.infolist() if each.filename.lower().endswith(".sgf")
            ]
            if len(entries) > MAX_FILES:
                raise FormatError(f"{path.name} has {len(entries)} files; at most {MAX_FILES}")
            for each in sorted(entries, key=lambda each: each.filename):
                if each.flag_bits & 1:
                    raise FormatError(f"{path.name}: {_printable(each.filename)} is encrypted")
                with archive.open(each) as file:
                    yield each.filename, _bounded(each.filename, file.read(MAX_BYTES + 1))
    except UnicodeDecodeError:
        raise FormatError(
            f"{path.name} is no readable ZIP archive (the name of a file in it is not in UTF-8, "
            "as the archive states)"
        ) from None
    except _DAMAGED as error:
        raise FormatError(f"{path.name} is no readable ZIP archive ({error})") from None


def _read(path: Path) -> bytes:
    try:
        with path.open("rb") as file:
            return _bounded(path.name, file.read(MAX_BYTES + 1))
    except OSError as error:
        raise FormatError(f"cannot read {path}: {error.strerror}") from None


def _printable(name: str) -> str:
    name = name.encode(errors="replace").decode()
    return "".join(c if c.isprintable() else ascii(c)[1:-1] for c in name)


def _bounded(name: str, data: bytes) -> bytes:
    if len(data) > MAX_BYTES:
        raise FormatError(
            f"{_printable(name)} is larger than {MAX_BYTES >> 20} MB, which no SGF record is"
        )
    return data
