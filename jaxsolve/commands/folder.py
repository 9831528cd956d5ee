"""A folder of results: knows whose it is, and refuses to mix or overwrite."""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Any

from jaxsolve.formats.record import FormatError

_NAME = "run.json"


def claim(path: Path, settings: dict[str, Any], *, resume: bool) -> bool:
    """Makes ``path`` the folder of a run with these ``settings``, or takes it up again.

    Args:
      path: the folder; made where it does not exist.
      settings: JSON values that say what the results depend on.
      resume: go on in a folder that already holds this run.

    Returns:
      True if the folder already held this run.

    Raises:
      FormatError: the folder holds something else, another run, or this run and ``resume`` is False.
    """
    if path.exists() and not path.is_dir():
        raise FormatError(f"{path} is not a folder")
    file = path / _NAME
    if not file.exists():
        if path.exists() and any(path.iterdir()):
            raise FormatError(f"{path} is not empty and not a folder of jaxsolve results; give another one")
        path.mkdir(parents=True, exist_ok=True)
        partial = file.with_suffix(".partial")
        partial.write_text(json.dumps(settings, ensure_ascii=False, indent=1) + "\n", encoding="utf-8")
        os.replace(partial, file)
        return False
    held = _read(file)
    for name in settings.keys() | held.keys():
        if held.get(name) != settings.get(name):
            raise FormatError(f"{path} holds a run with {name} {_shown(held.get(name))}, not {_shown(settings.get(name))}; give another folder")
    if not resume:
        raise FormatError(f"{path} already holds this run; add --resume to go on with it, or give another folder")
    return True


def _read(file: Path) -> dict[str, Any]:
    try:
        held = json.loads(file.read_text(encoding="utf-8"))
    except ValueError:
        held = None
    if not isinstance(held, dict):
        raise FormatError(f"{file} is damaged; give another folder")
    return held


def _shown(value: Any, width: int = 60) -> str:
    text = json.dumps(value, ensure_ascii=False)
    return text if len(text) <= width else text[: width - 3] + "..."
