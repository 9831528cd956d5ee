"""Standard output, as a person reads it on a terminal and a program through a pipe."""

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
    """Lines are folded on a terminal only, so that a pipe gets each field whole."""
    return Console(highlight=False, width=None if sys.stdout.isatty() else 100_000)


def board(problem: Problem) -> str:
    """The position's board in letters that standard output has."""
    from jaxsolve import view

    drawn = view.text_board(problem.game, problem.state)
    return (
        drawn
        if streams.carries(drawn)
        else view.text_board(problem.game, problem.state, ascii_only=True)
    )


def head(console: Console, title: str) -> None:
    """A title on a line of its own; what would move the terminal's cursor is left out of it."""
    console.print("".join(c for c in title if c.isprintable()), style="bold", markup=False)


def facts(rows: dict[str, str]) -> Table:
    """Names and values in two columns; values are printed as they are, without markup."""
    table = Table.grid(padding=(0, 2, 0, 0))
    table.add_column(style="dim", no_wrap=True)
    table.add_column(overflow="fold")
    for name, value in rows.items():
        table.add_row(name, escape(value))
    return table
