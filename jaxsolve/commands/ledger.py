"""The rows of a suite run, written as they come: ``results.jsonl`` (the record) and ``results.csv`` (the same for a spreadsheet)."""

from __future__ import annotations

import csv
import json
import os
from pathlib import Path
from typing import Any, TextIO

from jaxsolve.formats.record import FormatError

COLUMNS = (
    "id", "expected", "verdict", "best_move", "nodes", "evaluations", "cpu_seconds", "wall_seconds", "compile_seconds",
    "certificate", "certificate_nodes", "certificate_bytes", "rules", "reason",
)  # fmt: skip


class Ledger:
    """Finished problems by id; kept in memory only where ``out`` is None.

    A line that a killed run left unfinished is dropped, and the CSV file is made anew from the record, so both agree again.

    Raises:
      FormatError: the record in ``out`` has a complete line that is not a row.
    """

    def __init__(self, out: Path | None):
        self.rows: dict[str, dict[str, Any]] = {}
        self._record = out / "results.jsonl" if out else None
        self._sheet = out / "results.csv" if out else None
        if self._record is not None and self._sheet is not None:
            if self._record.exists():
                self._take_up(self._record)
            with self._sheet.open("w", encoding="utf-8", newline="") as sheet:
                csv.writer(sheet).writerow(COLUMNS)
                for row in self.rows.values():
                    _write(sheet, row)

    def _take_up(self, record: Path) -> None:
        text = record.read_text(encoding="utf-8", errors="replace")
        complete = text[: text.rfind("\n") + 1]
        for number, line in enumerate(complete.splitlines(), start=1):
            try:
                row = json.loads(line)
                self.rows[row["id"]] = row
            except (ValueError, KeyError, TypeError):
                raise FormatError(f"{record}, line {number}: not a result row; repair or delete it") from None
        if complete != text:
            partial = record.with_suffix(".partial")
            partial.write_text(complete, encoding="utf-8")
            os.replace(partial, record)

    def add(self, row: dict[str, Any]) -> None:
        """Takes a finished row and appends it to both files."""
        self.rows[row["id"]] = row
        if self._record is not None and self._sheet is not None:
            with self._record.open("a", encoding="utf-8") as record:
                record.write(json.dumps(row, ensure_ascii=False) + "\n")
                record.flush()
                os.fsync(record.fileno())
            with self._sheet.open("a", encoding="utf-8", newline="") as sheet:
                _write(sheet, row)


def _write(sheet: TextIO, row: dict[str, Any]) -> None:
    csv.writer(sheet).writerow([row.get(name) for name in COLUMNS])
