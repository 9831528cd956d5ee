"""Tables of text in columns. Cells are not cut or wrapped to the width of the terminal."""

from __future__ import annotations

from collections.abc import Sequence

from rich.cells import cell_len


def columns(lines: Sequence[Sequence[str]], right: int | None = None) -> str:
    """Aligns the cells of lines in columns.

    Args:
      lines: the lines, which all have the same number of cells.
      right: index of the first column that is aligned to the right; None: all columns are aligned
        to the left.

    Wide characters count as two.

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
