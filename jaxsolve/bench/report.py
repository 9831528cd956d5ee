"""Output of a benchmark: a table, or one JSON object."""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import jax
from rich.console import Console
from rich.table import Table

from jaxsolve.bench.measure import Device

Row = dict[str, Any]
PAGE = 1000  # table width in characters if the output is no terminal, so that nothing is clipped


class Report:
    """Collects the rows of a benchmark and prints them as tables or as one JSON object."""

    def __init__(
        self, title: str, columns: dict[str, str], as_json: bool, tables_by: str | None = None
    ):
        """Makes an empty report.

        Args:
          title: name of the benchmark.
          columns: the shown fields of a row with their headings, in order. JSON rows have all
            fields.
          as_json: whether to print one JSON object instead of tables.
          tables_by: a field of the rows. There is one table for each of its values. None: one table
            for all rows.
        """
        self._title, self._columns = title, columns
        self._as_json, self._tables_by = as_json, tables_by
        self._console = Console(stderr=True)
        self.rows: list[Row] = []

    @contextmanager
    def measuring(self, what: str) -> Iterator[None]:
        """Context manager that shows ``what`` on standard error while its block runs.

        Shows nothing for JSON, or if standard error is not a terminal.
        """
        if self._as_json or not self._console.is_terminal:
            yield
            return
        with self._console.status(what):
            yield

    def add(self, row: Row) -> None:
        """Adds a row."""
        self.rows.append(row)

    def show(self) -> None:
        """Prints the rows added so far on standard output. Prints nothing if there are none."""
        if not self.rows:
            return
        device = Device.here()
        if self._as_json:
            about = {
                "platform": device.platform,
                "device": device.kind,
                "processors": os.cpu_count(),
                "jax": jax.__version__,
            }
            print(
                json.dumps(
                    {"benchmark": self._title, **about, "rows": self.rows}, ensure_ascii=False
                )
            )
            return
        console = Console(
            file=sys.stdout, highlight=False, width=None if sys.stdout.isatty() else PAGE
        )
        console.print(
            f"{self._title} on {device.kind} ({device.platform}), "
            f"{os.cpu_count()} processors, jax {jax.__version__}"
        )
        for name in dict.fromkeys(row.get(self._tables_by or "") for row in self.rows):
            console.print(
                self._table(
                    name, [row for row in self.rows if row.get(self._tables_by or "") == name]
                )
            )

    def _table(self, name: str | None, rows: list[Row]) -> Table:
        table = Table(title=name, title_justify="left")
        shown = {
            field: heading
            for field, heading in self._columns.items()
            if any(row.get(field) is not None for row in rows)
        }
        for field, heading in shown.items():
            words = all(
                isinstance(row.get(field), str) for row in rows if row.get(field) is not None
            )
            table.add_column(heading, justify="left" if words else "right", no_wrap=True)
        for row in rows:
            table.add_row(*(_cell(field, row.get(field)) for field in shown))
        return table


def _cell(field: str, value: Any) -> str:
    if value is None:
        return ""
    if field.endswith("_share"):
        return f"{value:.0%}"
    if isinstance(value, float):
        return (
            f"{value:,.0f}"
            if abs(value) >= 1000
            else f"{value:.3g}"
            if abs(value) < 10
            else f"{value:.1f}"
        )
    return f"{value:,}" if isinstance(value, int) else str(value)
