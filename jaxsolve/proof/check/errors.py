"""The two ways in which a certificate can fail, and how a foreign value is shown in the sentence that says so."""

from __future__ import annotations


class Unreadable(ValueError):
    """The file is no certificate of a version that this checker knows: there is nothing to judge."""


class Refused(ValueError):
    """The certificate does not prove its claim; the message is one sentence without the place."""


class Repeats(Refused):
    """As far as the file has been read its nodes hold by simple ko, but under superko a board may come back, which that forbids."""


def show(value: object, limit: int = 80) -> str:
    """ASCII form of any JSON value, at most ``limit`` characters, safe to print whatever a file holds."""
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
