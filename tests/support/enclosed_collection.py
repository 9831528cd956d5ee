"""Table of ``jaxsolve tsumego`` on the enclosed problems of a collection, such as GoTools'.

``PYTHONPATH=tests python -m support.enclosed_collection problems.json --time 20`` asks for the
status with White first; with ``--whole`` for every first move of both sides. The file has
``problems``, each with ``id``, ``level``, ``black``, ``white``, ``crucial`` (lists of points on a
19x19 board) and ``rows``: the first moves of a side, whether each is right, and what it reaches
(``l``, ``d``, or a letter and digits for a ko). Other options go to ``tsumego``.

A problem is *decided* if the status with White first is known. With ``--whole`` it is *complete* if
each first move of both sides is known to be right or wrong. *Same* states whether a right move of
the collection is right.
"""

from __future__ import annotations

import argparse
import json
import pathlib
import statistics
from collections.abc import Iterable
from typing import Any, NamedTuple

from jaxsolve.games.boards.board_text import parse_gtp_point
from support.tsumego_command import run

SIZE = 19
HEAD = ("id", "level", "status", "right", "collection", "same", "complete", "CPU")
WIDTHS = (11, 5, 13, 22, 22, 7, 8, 6)


class Row(NamedTuple):
    """One line of the table."""

    id: str
    level: int
    status: str  # with White first
    right: list[str]  # White's first moves that are right
    collection: list[str]  # those of the collection
    same: str  # yes, no, or open
    complete: bool
    seconds: float  # CPU seconds of the searches

    def __str__(self) -> str:
        words = (
            self.id,
            str(self.level),
            self.status,
            " ".join(self.right)[: WIDTHS[3]] or "-",
            " ".join(self.collection)[: WIDTHS[4]] or "-",
            self.same,
            "yes" if self.complete else "no",
            f"{self.seconds:.2f}",
        )
        return columns(words)


def columns(words: Iterable[str]) -> str:
    """Returns words in the columns of the table."""
    return " ".join(word.ljust(width) for word, width in zip(words, WIDTHS, strict=True)).rstrip()


def board(problem: dict[str, Any]) -> str:
    """Returns the text of a problem's board."""
    cells = ["."] * SIZE**2
    for stone, name in (("X", "black"), ("O", "white")):
        for point in problem[name]:
            cells[parse_gtp_point(point, SIZE)] = stone
    return "/".join("".join(cells[at : at + SIZE]) for at in range(0, SIZE**2, SIZE))


def study(problem: dict[str, Any], *words: str) -> dict[str, Any]:
    """Returns the JSON of ``tsumego`` for a problem."""
    given = (f"{board(problem)} w", "--game", f"tsumego-{SIZE}")
    result = run(*given, "--crucial", ",".join(problem["crucial"]), "--json", *words)
    assert result.exit_code in (0, 10), result.output
    return json.loads(result.stdout)


def row(problem: dict[str, Any], found: dict[str, Any]) -> Row:
    """Returns the line of a problem for the JSON of ``tsumego``."""
    white = found["white_first"]
    known = {move["move"]: move["right"] for move in white["moves"]}
    wanted = [
        each["move"] for each in problem["rows"] if each["first"] == "white" and each["right"]
    ]
    judged = [known.get(move) for move in wanted]
    same = "yes" if True in judged else "no" if wanted and set(judged) == {False} else "open"
    sides = [found[f"{side}_first"] for side in ("black", "white") if f"{side}_first" in found]
    return Row(
        problem["id"],
        problem["level"],
        white["status"],
        list(white["right"]),
        wanted,
        same,
        all(side["complete"] and side["status"] != "unknown" for side in sides),
        sum(each["cpu_seconds"] for each in (*found["questions"], found["unneeded"])),
    )


def sums(rows: list[Row], whole: bool) -> str:
    """Returns the sums of the table as one line."""
    done = [each.complete if whole else each.status != "unknown" for each in rows]
    seconds = sorted(each.seconds for each in rows)
    early = [each for each in rows if each.level <= 3]
    same = [sum(each.same == word for each in rows) for word in ("yes", "no")]
    return (
        f"{len(rows)} problems: {sum(done)} {'complete' if whole else 'decided'}; CPU seconds:"
        f" median {statistics.median(seconds):.2f}, 95 % within"
        f" {seconds[int(0.95 * (len(seconds) - 1))]:.2f}, sum {sum(seconds):.0f}; levels 1 to 3"
        f" within 1: {sum(each.seconds <= 1 for each in early)} of {len(early)}; same right move:"
        f" {same[0]}, other: {same[1]}"
    )


def main() -> None:
    """Runs the problems and prints the table and its sums."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("path", type=pathlib.Path, help="JSON file of the problems")
    parser.add_argument("--time", type=float, default=20, help="CPU seconds for a problem")
    parser.add_argument("--whole", action="store_true", help="first moves of both sides, too")
    parser.add_argument("--every", type=int, default=1, help="only each K-th problem")
    given, words = parser.parse_known_args()
    words += ["--time", str(given.time), "--total", str(given.time)]
    words += [] if given.whole else ["--quick", "--first", "white"]
    rows = []
    print(columns(HEAD), flush=True)
    for problem in json.loads(given.path.read_text())["problems"][:: given.every]:
        rows.append(row(problem, study(problem, *words)))
        print(rows[-1], flush=True)
    print(sums(rows, given.whole))


if __name__ == "__main__":
    main()
