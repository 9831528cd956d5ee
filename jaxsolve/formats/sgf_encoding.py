"""The text of an SGF file: finds its encoding.

Brackets and backslashes can be the second byte of a character in Chinese, Japanese and Korean
encodings, so a file is decoded as a whole, before it is parsed.
"""

from __future__ import annotations

import codecs
import re

from jaxsolve.formats import sgf_tree
from jaxsolve.formats.record import FormatError
from jaxsolve.formats.sgf_tree import Node

_MARKS = {
    codecs.BOM_UTF8: "utf-8-sig",
    # Before UTF-16, whose mark is the beginning of this mark.
    codecs.BOM_UTF32_LE: "utf-32",
    codecs.BOM_UTF32_BE: "utf-32",
    codecs.BOM_UTF16_LE: "utf-16",
    codecs.BOM_UTF16_BE: "utf-16",
}
_PACKED = {b"\x1f\x8b": "gzip", b"PK\x03\x04": "ZIP", b"BZh": "bzip2", b"\xfd7zXZ": "xz"}
_DETECTED = ("gb18030", "cp932", "cp949", "big5", "latin-1")
# Programs often state a standard but use the code page that extends it.
_WIDER = {
    "gb2312": "gb18030",
    "gbk": "gb18030",
    "shift_jis": "cp932",
    "euc_kr": "cp949",
    "big5": "cp950",
}
# Codes of Python that write characters in ASCII; they are no encodings of files.
_ESCAPES = frozenset(("unicode_escape", "raw_unicode_escape", "idna", "punycode", "undefined"))
_SURROGATES = re.compile("[\ud800-\udfff]")
_STATED = re.compile(rb"(?<![A-Za-z])CA\s*\[([^\\\]]{0,40})\]")
# Properties that decide the position. Two encodings may differ in other properties, such as names.
_POSITION = ("AB", "AW", "AE", "B", "W", "PL", "SZ", "GM", "HA", "KM", "RU", "TR", "MA", "SQ", "CR")


def holds_record(data: bytes) -> bool:
    """Returns whether there is a ``(;`` near the beginning of a file, in any encoding."""
    return b"(;" in data[:4096].translate(None, b"\0 \t\n\r\f\v")


def refuse_packed(data: bytes, name: str = "the file") -> None:
    """Raises FormatError if a file is compressed; ``name`` stands for it in the message."""
    for start, kind in _PACKED.items():
        if data.startswith(start):
            raise FormatError(f"{name} is compressed ({kind}); unpack it first")


def trees(data: bytes | str) -> list[Node]:
    """Returns the root nodes of all records of an SGF file, in the encoding that fits.

    A byte order mark, or a beginning in UTF-16, decides the encoding. Otherwise the encoding is the
    first of these in which the file can be parsed:

    * the encoding that the property CA states;
    * UTF-8;
    * a common encoding of Chinese, Japanese or Korean, or Latin-1. If several of these fit, they
      must agree about the position.

    Raises:
      FormatError: the file is not SGF (``sgf_tree.parse``), it is compressed, its encoding is
        unknown, or encodings disagree about the position.
    """
    if isinstance(data, str):
        _stated(data.encode("utf-8", "replace"))  # raises for an unknown encoding, as for bytes
        return sgf_tree.parse(_SURROGATES.sub("\ufffd", data.removeprefix("\ufeff")))
    refuse_packed(data)
    if (wide := _unicode(data)) is not None:
        return sgf_tree.parse(_decoded(data, wide))
    stated = _stated(data)
    fault: FormatError | None = None
    escapes = len(data)
    for encoding in (stated, "utf-8"):
        text = None if encoding is None else _try(data, encoding)
        if text is None:
            continue
        try:
            return sgf_tree.parse(text)
        except FormatError as error:
            fault = fault or error
            # A backslash that is a part of a character here would be an escape in another
            # encoding. The text after its bracket would be a part of the value, and hide the fault.
            escapes = min(escapes, text.count("\\"))
    if data.isascii():
        assert fault is not None  # ASCII text is UTF-8, so UTF-8 was tried and failed
        raise fault
    return _detected(data, fault, escapes)


def _unicode(data: bytes) -> str | None:
    """Returns the encoding if a file has a byte order mark or begins in UTF-16, else None."""
    for mark, encoding in _MARKS.items():
        if data.startswith(mark):
            return encoding
    # The first two characters, which may be blanks, are ASCII: every second byte is 0.
    zeros = [byte == 0 for byte in data[:4]]
    pairs = {(False, True) * 2: "utf-16-le", (True, False) * 2: "utf-16-be"}
    return pairs.get(tuple(zeros))


def _decoded(data: bytes, encoding: str) -> str:
    try:
        return data.decode(encoding)
    except UnicodeDecodeError as error:
        raise FormatError(
            f"the file begins as text in {encoding.removesuffix('-sig').upper()}, "
            f"but byte {error.start + 1} does not fit"
        ) from None


def _stated(data: bytes) -> str | None:
    """Returns the encoding that the property CA states.

    Returns None if there is no CA, or if ASCII text differs in the stated encoding. Raises
    FormatError if Python does not know the encoding, or if it is an escape code.
    """
    found = _STATED.search(data)
    name = "" if found is None else found[1].decode("latin-1").strip()
    if not name:
        return None
    try:
        known = codecs.lookup(name).name
        if known.replace("-", "_") in _ESCAPES:
            raise FormatError(
                f"CA[{sgf_tree.shown(name)}] is a code for characters in ASCII, not an encoding of "
                "files; one is CA[UTF-8]"
            )
        # The property was found as ASCII text, so UTF-16 is excluded.
        ascii_text = "".join(map(chr, range(32, 127)))
        if ascii_text.encode().decode(known) != ascii_text:
            return None
    except UnicodeDecodeError:
        return None
    except FormatError:
        raise
    except (LookupError, ValueError, TypeError):
        raise FormatError(
            f"CA[{sgf_tree.shown(name)}] is an unknown encoding; one is CA[UTF-8]"
        ) from None
    return _WIDER.get(known, known)


def _try(data: bytes, encoding: str) -> str | None:
    try:
        # A lone surrogate could not be written to any output.
        return _SURROGATES.sub("\ufffd", data.decode(encoding))
    except UnicodeDecodeError:
        return None


def _detected(data: bytes, fault: FormatError | None, escapes: int) -> list[Node]:
    """Returns the records of a non-ASCII file, decoded by the first encoding that fits.

    Args:
      data: bytes of the file.
      fault: the first error so far. It is raised if no encoding fits.
      escapes: most backslashes of the text in an encoding that fits.

    Raises:
      FormatError: no encoding fits, or several fit and disagree about the position.
    """
    fitting: dict[str, list[Node]] = {}
    for encoding in _DETECTED:
        text = _try(data, encoding)
        try:
            if text is not None and text.count("\\") <= escapes:
                fitting[encoding] = sgf_tree.parse(text)
        except FormatError as error:
            fault = fault or error
    if not fitting:
        assert fault is not None  # Latin-1 decodes every file, so it or the stated one failed
        raise fault
    first, *others = fitting
    for other in others:
        if not _same(fitting[first], fitting[other]):
            raise FormatError(
                f"the encoding is unclear: read as {first} and as {other} the record has different "
                "stones or moves; state it, as in CA[GB18030], or save the file as UTF-8"
            )
    return fitting[first]


def _same(one: list[Node], other: list[Node]) -> bool:
    """Returns whether two readings of a file have the same nodes, apart from texts."""
    todo = [(one, other)]
    while todo:
        left, right = todo.pop()
        if len(left) != len(right):
            return False
        for mine, theirs in zip(left, right, strict=True):
            if any(mine.values(name) != theirs.values(name) for name in _POSITION):
                return False
            todo.append((mine.children, theirs.children))
    return True
