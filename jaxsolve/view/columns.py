"""Tables of text in columns, for a terminal, a pipe or a file: nothing is cut or wrapped."""

from __future__ import annotations

from collections.abc import Sequence

from rich.cells import cell_len


def columns(lines: Sequence[Sequence[str]], right: int | None = None) -> str:
    """Aligns the cells of ``lines``, all of one length, in columns.

    Columns from number ``right`` on are aligned to the right, the others to the left; None: all to
    the left. Wide characters count as two.

    >>> print(columns([["game", "points"], ["awari", "5"]], right=1))
    game   points
    awari       5
    """
    widths = [max(map(cell_len, column)) for column in zip(*lines, strict=True)]
    right = len(widths) if right is None else right

    def aligned(number: int, cell: str) -> str:
        space = " " * (widths[number] - cell_len(cell))
        return cell + space if number < right else space + cell

    return "\n".join(
        "  ".join(aligned(number, cell) for number, cell in enumerate(line)).rstrip()
        for line in lines
    )
