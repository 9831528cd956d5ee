"""Errors of a check, and ``show``, which makes values of the file printable for messages."""

from __future__ import annotations


class Unreadable(ValueError):
    """The file is not a certificate of a known version."""


class Refused(ValueError):
    """The certificate does not prove its claim.

    The message is one sentence, without a full stop and without the number of the line.
    """


class Repeats(Refused):
    """A proof under simple ko does not prove a claim under superko, because a board may repeat.

    The nodes up to the refused line are correct under simple ko.
    """


def show(value: object, limit: int = 80) -> str:
    """Returns a printable ASCII form of a JSON value, cut to about ``limit`` characters."""
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
