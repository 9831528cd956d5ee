"""Strict JSON: refuses repeated names, non-finite numbers, deep nesting and very long numbers."""

from __future__ import annotations

import json
from typing import Any


def loads(text: str) -> Any:
    """Parses a JSON text. Raises ValueError with one sentence, with the line if it is known."""
    try:
        return json.loads(text, object_pairs_hook=_object, parse_constant=_refuse)
    except json.JSONDecodeError as error:
        raise ValueError(f"line {error.lineno}: not valid JSON ({error.msg})") from None
    except RecursionError:
        raise ValueError("not readable JSON: its lists and objects are nested too deeply") from None


def _object(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found = dict(pairs)
    if len(found) < len(pairs):
        names = [name for name, _ in pairs]
        twice = next(name for number, name in enumerate(names) if name in names[:number])
        raise ValueError(f"not readable JSON: an object gives {shortened(twice)!r} twice")
    return found


def _refuse(word: str) -> Any:
    raise ValueError(f"not valid JSON: it has the value {word}")


def shortened(text: str, width: int = 80) -> str:
    """Returns ``text``, cut to at most ``width`` characters for a message."""
    return text if len(text) <= width else text[: width - 3] + "..."
