"""Checks of a command's output files.

An output file may not be the input, another output, or a file that belongs to a run.
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from jaxsolve.formats import position

OF_A_RUN = ("run.json", "results.jsonl", "results.csv", "result.json", "problem.json", ".lock")


def refuse_unwritable(
    read: str, outputs: Mapping[str, Path | None], folder: Path | None = None
) -> None:
    """Checks that output files can be written and overwrite no file that is needed.

    Args:
      read: the position as typed (``jaxsolve.formats.position``), which may be a file.
      outputs: for each option, its output file; None if the option was not given.
      folder: the folder of the run, if any.

    Raises:
      ValueError: a file is refused. The message contains the option and the reason.
    """
    source = Path(read.rpartition(":")[0] if position.names_problem(read) else read)
    seen: dict[Path, str] = {}
    for option, path in outputs.items():
        if path is None:
            continue
        if path.name in ("", "..") or path.is_dir():
            kind = "a folder" if path.is_dir() else "not a file name"
            raise ValueError(f"{option} needs a file, and {str(path)!r} is {kind}")
        if not path.parent.is_dir():
            raise ValueError(f"{option} {path}: there is no folder {path.parent}")
        if _same(path, source):
            raise ValueError(
                f"{option} names {path}, which the position is read from; give another file"
            )
        if (other := seen.setdefault(path.resolve(), option)) != option:
            raise ValueError(f"{other} and {option} name the same file, {path}; give two")
        if folder is not None and folder.resolve() in path.resolve().parents:
            inside = path.resolve().relative_to(folder.resolve())
            if inside.parts[0] in ("proofs", *OF_A_RUN):
                raise ValueError(
                    f"{option} names {path}, a file of the run in {folder}; give another file"
                )


def _same(path: Path, source: Path) -> bool:
    try:
        return path.exists() and source.exists() and path.samefile(source)
    except (OSError, ValueError):  # a position's text can be too long for a name
        return False
