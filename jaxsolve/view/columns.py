"""Tables of words in columns as wide as they need to be, for output that may go anywhere: nothing is cut short or broken."""

from __future__ import annotations

from collections.abc import Sequence


def columns(lines: Sequence[Sequence[str]], right: int | None = None) -> str:
    """Lines of cells, all of one length, one below the other; from column ``right`` on they end at the same place, before that they begin there.

    >>> print(columns([["game", "points"], ["awari", "5"]], right=1))
    game   points
    awari       5
    """
    widths = [max(map(len, column)) for column in zip(*lines, strict=True)]
    right = len(widths) if right is None else right

    def placed(number: int, cell: str) -> str:
        return cell.ljust(widths[number]) if number < right else cell.rjust(widths[number])

    return "\n".join(
        "  ".join(placed(number, cell) for number, cell in enumerate(line)).rstrip()
        for line in lines
    )
