"""Text on standard output, for a terminal or a pipe."""

from __future__ import annotations

import re
import sys
from collections.abc import Iterator, Mapping
from typing import IO, TYPE_CHECKING, Any, cast

from rich.cells import cell_len
from rich.console import Console, ConsoleOptions
from rich.text import Text

from jaxsolve.commands import streams

if TYPE_CHECKING:
    from jaxsolve.question import Problem


PIPE = 100  # columns of a line where standard output is no terminal

# Blanks at the end of a line, between escape sequences for styles.
_ENDS = re.compile(r"(?: |\x1b\[[0-9;]*m)+(?=\n)")


def output_console() -> Console:
    """Returns a console for standard output that wraps lines; in a pipe, at ``PIPE`` columns."""
    return _Output(
        file=cast(IO[str], _TrimmedOutput()),
        highlight=False,
        width=None if sys.stdout.isatty() else PIPE,
    )


class _Output(Console):
    """A console that wraps text between words only, as ``wrapped`` does."""

    def print(self, *objects: Any, **options: Any) -> None:
        if len(objects) == 1 and isinstance(objects[0], str):
            text = self.render_str(objects[0], markup=options.pop("markup", True), highlight=False)
            objects = (Text("\n").join(wrapped(text, self.width)),)
            options |= {"no_wrap": True, "overflow": "ignore"}
        options.setdefault("crop", False)
        super().print(*objects, **options)


def wrapped(text: Text, width: int) -> list[Text]:
    """Returns the lines of a text, wrapped between words.

    A line with a word that does not fit stays whole, so that a path or a position can be copied.
    """
    found: list[Text] = []
    for line in text.split("\n", allow_blank=True):
        words = list(re.finditer(r"\s*\S+", line.plain))
        begin, breaks = 0, []
        for word in words:
            start = word.end() - len(word[0].lstrip())
            if cell_len(line.plain[begin : word.end()]) > width and start > begin:
                breaks.append(start)
                begin = start
        whole = any(cell_len(word[0].strip()) > width for word in words)
        found += [line] if whole else line.divide(breaks)
    for line in found:
        line.rstrip()
    return found


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


def board(problem: Problem, marks: Mapping[int, str] | None = None) -> str:
    """Returns the drawn board of a position, and the note of its drawing below it.

    ``marks`` are signs by move, as for ``view.text_board``. All characters can be encoded by
    standard output.
    """
    from jaxsolve import view

    drawn = view.text_board(problem.game, problem.state, marks=marks)
    if not streams.carries(drawn):
        drawn = view.text_board(problem.game, problem.state, marks=marks, ascii_only=True)
    note = getattr(problem.game.drawing(problem.state), "note", "")
    return f"{drawn}\n   {note}" if note else drawn


def head(console: Console, title: str) -> None:
    """Prints a title on a line of its own, without control characters."""
    console.print("".join(c for c in title if c.isprintable()), style="bold", markup=False)


class Facts:
    """Names and values in two columns. Values are no markup.

    Args:
      rows: the values by name.
      wrap: whether values are wrapped between words. A command that can be copied is not.
    """

    def __init__(self, rows: Mapping[str, str], wrap: bool = True):
        self._rows, self._wrap = rows, wrap

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> Iterator[Text]:
        indent = max(map(cell_len, self._rows), default=0) + 2
        width = max(options.max_width - indent, 20)
        for name, value in self._rows.items():
            lines = wrapped(Text(value), width) if self._wrap else [Text(value)]
            for number, line in enumerate(lines):
                head = "" if number else name
                left = head + " " * (indent - cell_len(head))
                yield Text.assemble((left, "dim"), line, no_wrap=True, overflow="ignore")
