"""Text on standard output, for a terminal or a pipe."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING

from rich.console import Console
from rich.markup import escape
from rich.table import Table

from jaxsolve.commands import streams

if TYPE_CHECKING:
    from jaxsolve.question import Problem


def output_console() -> Console:
    """Returns a console for standard output that wraps lines on a terminal, but not in a pipe."""
    return Console(highlight=False, width=None if sys.stdout.isatty() else 100_000)


def board(problem: Problem) -> str:
    """Returns the drawn board of a position, in characters that standard output can encode."""
    from jaxsolve import view

    drawn = view.text_board(problem.game, problem.state)
    return (
        drawn
        if streams.carries(drawn)
        else view.text_board(problem.game, problem.state, ascii_only=True)
    )


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
