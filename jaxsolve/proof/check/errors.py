"""Errors of a check, and the display of foreign values in their messages."""

from __future__ import annotations


class Unreadable(ValueError):
    """The file is no certificate of a known version."""


class Refused(ValueError):
    """The certificate does not prove its claim; the message is one sentence, without the line."""


class Repeats(Refused):
    """The nodes read so far hold under simple ko, but a board may repeat, as superko forbids."""


def show(value: object, limit: int = 80) -> str:
    """Printable ASCII form of any JSON value, at most ``limit`` characters long."""
    if isinstance(value, str):
        text = (
            "'"
            + value[: limit + 1]
            .encode("ascii", "backslashreplace")
            .decode("ascii")
            .replace("\n", "\\n")
            .replace("\r", "\\r")
            + "'"
        )
    elif isinstance(value, int) and not isinstance(value, bool) and value.bit_length() > 128:
        text = f"an integer of {value.bit_length()} bits"
    elif isinstance(value, (dict, list)):
        text = f"{'an object' if isinstance(value, dict) else 'a list'} of {len(value)}"
    else:
        text = repr(value)
    text = "".join(c if c.isprintable() else "?" for c in text)
    return text if len(text) <= limit + 2 else text[:limit] + "..."
