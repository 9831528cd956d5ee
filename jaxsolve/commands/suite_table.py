"""The table of a suite run, printed row by row in columns that fit the terminal."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, TextIO

from rich.cells import cell_len, set_cell_size
from rich.console import Console

from jaxsolve.commands.answer import size

_STYLES = {"proved": "green", "disproved": "red", "unknown": "yellow"}


def contradicts(row: dict[str, Any]) -> bool:
    """Returns whether the verdict of a row contradicts the expected verdict of the problem."""
    return row["expected"] is not None and row["verdict"] not in ("unknown", row["expected"])


class SuiteTable:
    """Prints the table of a suite run. On a narrow terminal the last columns are left out.

    Args:
      ids: ids of all problems, for the width of the first column.
      file: where to print; None: nowhere.
    """

    def __init__(self, ids: Sequence[str], file: TextIO | None):
        self._console = Console(file=file, highlight=False, soft_wrap=True) if file else None
        widest = min(max([cell_len(identifier) for identifier in ids] + [len("problem")]), 24)
        self._columns = [
            ("problem", widest),
            ("verdict", 9),
            ("move", 5),
            ("nodes", 11),
            ("nodes/s", 9),
            ("CPU s", 9),
            ("proof", 9),
        ]
        if self._console and self._console.is_terminal:
            while (
                sum(width + 2 for _, width in self._columns) > self._console.width
                and len(self._columns) > 2
            ):
                self._columns.pop()
        self._headed = False

    def _print(self, cells: dict[str, str], style: str = "", end: str = "") -> None:
        if self._console is None:
            return
        parts = []
        for name, width in self._columns:
            text = cells.get(name, "")
            left = name in ("problem", "verdict", "move")
            parts.append(
                set_cell_size(text, width) if left else " " * max(width - cell_len(text), 0) + text
            )
        self._console.print("  ".join(parts).rstrip() + end, style=style, markup=False)

    def row(self, row: dict[str, Any]) -> None:
        """Prints the row of a finished problem, and before the first row the heading."""
        if not self._headed:
            self._headed = True
            self._print({name: name for name, _ in self._columns}, "bold")
        rate = row["nodes"] / row["cpu_seconds"] if row["cpu_seconds"] > 0 else 0.0
        cells = {
            "problem": row["id"],
            "verdict": row["verdict"],
            "move": row["best_move"] or "",
            "nodes": f"{row['nodes']:,}",
            "nodes/s": f"{rate:,.0f}",
            "CPU s": f"{row['cpu_seconds']:.2f}",
            "proof": size(row["certificate_bytes"]) if row["certificate"] else "",
        }
        ends = [f"the source says {row['expected']}"] if contradicts(row) else []
        ends += [row["unsaved"]] if row.get("unsaved") else []
        self._print(cells, _STYLES[row["verdict"]], "".join("  " + end for end in ends))

    def total(self, totals: dict[str, Any]) -> None:
        """Prints the last line: the counts of verdicts and the total effort."""
        if self._console is None:
            return
        counts = ", ".join(f"{totals[verdict]} {verdict}" for verdict in _STYLES)
        wrong = f", {totals['contradicted']} against the source" if totals["contradicted"] else ""
        wrong += f", {totals['unsaved']} not saved" if totals["unsaved"] else ""
        effort = (
            f"{totals['nodes']:,} nodes, {totals['cpu_seconds']:.1f} s CPU, "
            f"plus compilation {totals['compile_seconds']:.1f} s"
        )
        self._console.print(
            f"{totals['done']} of {totals['asked']} done: {counts}{wrong}; {effort}", style="bold"
        )
