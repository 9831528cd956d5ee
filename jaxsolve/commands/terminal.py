"""Text on standard output, for a terminal or a pipe."""

from __future__ import annotations

import re
import sys
from typing import IO, TYPE_CHECKING, Any, cast

from rich.console import Console
from rich.markup import escape
from rich.table import Table

from jaxsolve.commands import streams

if TYPE_CHECKING:
    from jaxsolve.question import Problem


# Blanks at the end of a line, between escape sequences for styles.
_ENDS = re.compile(r"(?: |\x1b\[[0-9;]*m)+(?=\n)")


def output_console() -> Console:
    """Returns a console for standard output that wraps lines on a terminal, but not in a pipe."""
    return Console(
        file=cast(IO[str], _TrimmedOutput()),
        highlight=False,
        width=None if sys.stdout.isatty() else 100_000,
    )


class _TrimmedOutput:
    """Standard output without the blanks that rich adds at the ends of lines of a table."""

    def write(self, text: str) -> int:
        sys.stdout.write(_ENDS.sub(lambda found: found[0].replace(" ", ""), text))
        return len(text)

    def __getattr__(self, name: str) -> Any:
        return getattr(sys.stdout, name)


def counted(number: int, thing: str) -> str:
    """Formats a number of things, such as ``1 node`` and ``1,200 nodes``."""
    return f"{number:,} {thing}{'' if number == 1 else 's'}"


def board(problem: Problem) -> str:
    """Returns the drawn board of a position, and the note of its drawing below it.

    All characters can be encoded by standard output.
    """
    from jaxsolve import view

    drawn = view.text_board(problem.game, problem.state)
    if not streams.carries(drawn):
        drawn = view.text_board(problem.game, problem.state, ascii_only=True)
    note = getattr(problem.game.drawing(problem.state), "note", "")
    return f"{drawn}\n   {note}" if note else drawn


def head(console: Console, title: str) -> None:
    """Prints a title on a line of its own, without control characters."""
    console.print("".join(c for c in title if c.isprintable()), style="bold", markup=False)


def facts(rows: dict[str, str]) -> Table:
    """Returns a table of names and values in two columns; markup in values is escaped."""
    table = Table.grid(padding=(0, 2, 0, 0))
    table.add_column(style="dim", no_wrap=True)
    table.add_column(overflow="fold")
    for name, value in rows.items():
        table.add_row(name, escape(value))
    return table
