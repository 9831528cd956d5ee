"""The form of messages: a line of JSON, followed by bytes. Nothing is unpickled."""

from __future__ import annotations

import json
from typing import Any

from jaxsolve.core import strict_json


def joined(head: dict[str, Any], data: bytes = b"") -> bytes:
    """Returns the message of a JSON object and bytes."""
    return json.dumps(head).encode() + b"\n" + data


def split(message: bytes) -> tuple[dict[str, Any], bytes]:
    """Returns the object in the first line of a message, and the bytes after that line.

    Raises ValueError if the line is no JSON object.
    """
    line, _, data = message.partition(b"\n")
    try:
        head = strict_json.loads(line.decode("utf-8"))
    except (UnicodeDecodeError, ValueError, RecursionError):
        raise ValueError("the message does not begin with a line of JSON") from None
    if not isinstance(head, dict):
        raise ValueError("the message does not begin with a JSON object")
    return head, data
