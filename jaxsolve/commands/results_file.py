"""The results of a run, one row for each problem, in two files.

``results.jsonl`` is the record. ``results.csv`` is a copy for spreadsheets with fewer columns.
"""

from __future__ import annotations

import csv
import io
import json
from pathlib import Path
from types import NoneType
from typing import Any, TextIO

from jaxsolve.core import process, strict_json
from jaxsolve.core.run_folder import append_line, write_atomically
from jaxsolve.formats.record import FormatError
from jaxsolve.search.result import PROOF_SECONDS
from jaxsolve.search.settings import LIMIT_NAMES

COLUMNS = (
    "id", "expected", "claim", "verdict", "best_move", "nodes", "evaluations", "cpu_seconds",
    "wall_seconds", "compile_seconds", "certificate", "certificate_nodes", "certificate_bytes",
    "rules", "reason",
)  # fmt: skip


# Fields of a row that the commands read, with their types. _OPTIONAL may be missing.
_KINDS: dict[str, tuple[type, ...]] = {
    "id": (str,), "rules": (str,), "position": (str,), "expected": (str, NoneType),
    "verdict": (str,), "best_move": (str, NoneType), "certificate": (str, NoneType),
    "nodes": (int,), "evaluations": (int,), "certificate_bytes": (int,),
    "cpu_seconds": (int, float), "wall_seconds": (int, float), "compile_seconds": (int, float),
    "unsaved": (str, NoneType), "stopped_by": (str, NoneType), "stopped_at": (int, float, NoneType),
}  # fmt: skip
_OPTIONAL = ("unsaved", "stopped_by", "stopped_at")
# Values of "stopped_by", for each of which "stopped_at" is a number (``search.result.Stop``).
_STOPPED_BY = (*LIMIT_NAMES, "memory_mb", "max_nodes", PROOF_SECONDS)
LARGEST = float(1 << 62)  # largest number that a row may contain
_VERDICTS = ("proved", "disproved", "unknown")


class ResultsFile:
    """The rows of finished problems, in memory and in two files.

    The constructor loads an existing record. It drops an incomplete last line, which a killed run
    may leave, and writes the CSV file anew.

    Args:
      out: folder of the files; None: rows are kept in memory only.

    Attributes:
      rows: the rows by problem id.
      failure: the first error in writing a row; later rows are kept in memory only.

    Raises:
      FormatError: a complete line of the record is not a row.
    """

    def __init__(self, out: Path | None):
        self.rows: dict[str, dict[str, Any]] = {}
        self.failure: OSError | None = None
        self._record = out / "results.jsonl" if out else None
        self._sheet = out / "results.csv" if out else None
        if self._record is not None and self._sheet is not None:
            if self._record.exists():
                self._load(self._record)
            self._write_sheet(self._sheet)

    def _write_sheet(self, file: Path) -> None:
        sheet = io.StringIO()
        csv.writer(sheet).writerow(COLUMNS)
        for row in self.rows.values():
            _write(sheet, row)
        write_atomically(file, sheet.getvalue())

    def _lines(self) -> str:
        return "".join(_line(row) + "\n" for row in self.rows.values())

    def _load(self, record: Path) -> None:
        text = record.read_text(encoding="utf-8", errors="replace")
        complete = text[: text.rfind("\n") + 1]
        for number, line in enumerate(complete.split("\n")[:-1], start=1):
            try:
                row = _row(strict_json.loads(line))
            except ValueError as error:
                raise FormatError(
                    f"{record}, line {number}: not a result row ({error}); repair or delete it"
                ) from None
            self.rows[row["id"]] = row
        lines = self._lines() if len(self.rows) < complete.count("\n") else complete
        if lines != text:
            write_atomically(record, lines)

    def add(self, row: dict[str, Any]) -> None:
        """Adds the row of a finished problem. It replaces an earlier row of the same problem.

        After the first error in writing (``failure``) the row is kept in memory only. Does not
        raise OSError.
        """
        with process.defer_interrupts():  # both files, or neither
            self._add(row)

    def _add(self, row: dict[str, Any]) -> None:
        again = row["id"] in self.rows
        self.rows[row["id"]] = row
        if self._record is None or self._sheet is None or self.failure is not None:
            return
        try:
            if again:
                write_atomically(self._record, self._lines())
                self._write_sheet(self._sheet)
                return
            append_line(self._record, _line(row))
            with self._sheet.open("a", encoding="utf-8", newline="") as sheet:
                _write(sheet, row)
        except OSError as error:
            # Nothing is appended after a failure: a truncated line may only be the last line.
            self.failure = error


def _row(value: Any) -> dict[str, Any]:
    """Returns ``value`` if it is a valid row; otherwise raises ValueError."""
    if not isinstance(value, dict):
        raise ValueError(f"a JSON {type(value).__name__}")
    for name, kinds in _KINDS.items():
        if (
            (name not in value and name not in _OPTIONAL)
            or not isinstance(value.get(name), kinds)
            or isinstance(value.get(name), bool)
        ):
            raise ValueError(f"its field {name!r} is missing or of the wrong kind")
    if (value.get("stopped_by") is None) != (value.get("stopped_at") is None):
        raise ValueError("only one of its fields 'stopped_by' and 'stopped_at' is there")
    if value.get("stopped_by") not in (None, *_STOPPED_BY):
        raise ValueError(f"its stopped_by is {value['stopped_by']!r}")
    if value["verdict"] not in _VERDICTS:
        raise ValueError(f"its verdict is {value['verdict']!r}")
    for name, number in value.items():
        if isinstance(number, int | float) and not 0 <= number <= LARGEST:
            raise ValueError(f"its field {name!r} is {strict_json.shortened(str(number))}")
    for name in ("id", "best_move", "expected", "unsaved"):
        if not str(value.get(name)).isprintable():
            raise ValueError(f"its field {name!r} contains characters that cannot be printed")
    return value


def _line(row: dict[str, Any]) -> str:
    return json.dumps(row, ensure_ascii=False)


def _write(sheet: TextIO, row: dict[str, Any]) -> None:
    csv.writer(sheet).writerow([row.get(name) for name in COLUMNS])
