"""Table of ``jaxsolve tsumego`` on problems of a published collection, such as the RZ-search set.

``PYTHONPATH=tests python -m support.published_life problems.json --time 60`` asks for the status
with the side first that is to live. The file has ``problems``, each with ``id``, ``to_move``,
``colour_to_live`` (``B`` or ``W``), ``crucial``, ``answer_firstmove``, and two boards: that of the
book (``original``), and the one on which the authors searched (``black`` and ``white``, a symmetric
image with more stones). The board of the book is asked about. Other options go to ``tsumego``.
"""

from __future__ import annotations

import argparse
import itertools
import json
import pathlib
from typing import Any

from support.enclosed_collection import SIZE, study

LETTERS = "ABCDEFGHJKLMNOPQRST"
SIDES = {"B": "black", "W": "white"}


def image(point: str, symmetry: tuple[bool, bool, bool]) -> str:
    """Returns the image of a point: axes exchanged, then columns and rows reversed, as told."""
    swap, columns, rows = symmetry
    x, y = LETTERS.index(point[0]), int(point[1:]) - 1
    x, y = (y, x) if swap else (x, y)
    x, y = SIZE - 1 - x if columns else x, SIZE - 1 - y if rows else y
    return f"{LETTERS[x]}{y + 1}"


def placed(problem: dict[str, Any]) -> dict[str, Any]:
    """Returns the problem with the stones of the book, turned as the authors' board is.

    The symmetry is the one that puts most stones of the book on crucial stones, then on others.
    """

    def turned(symmetry: tuple[bool, bool, bool]) -> dict[str, list[str]]:
        return {
            side: [image(point, symmetry) for point in problem["original"][side]]
            for side in SIDES.values()
        }

    own = SIDES[problem["colour_to_live"]]

    def fits(stones: dict[str, list[str]]) -> tuple[int, int]:
        common = sum(len(set(stones[side]) & set(problem[side])) for side in stones)
        return len(set(stones[own]) & set(problem["crucial"])), common

    boards = [turned(each) for each in itertools.product((False, True), repeat=3)]
    best = max(boards, key=fits)
    crucial = [point for point in problem["crucial"] if point in best[own]]
    return problem | best | {"crucial": crucial}


def main() -> None:
    """Runs the problems and prints a line for each, and the sums."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("path", type=pathlib.Path, help="JSON file of the problems")
    parser.add_argument("--time", type=float, default=60, help="CPU seconds for a problem")
    parser.add_argument("--every", type=int, default=1, help="only each K-th problem")
    given, others = parser.parse_known_args()
    limits = ["--time", str(given.time), "--total", str(given.time)]
    asked = lives = named = 0
    for problem in json.loads(given.path.read_text())["problems"][:: given.every]:
        side = SIDES[problem["to_move"]]
        position = placed(problem)
        if not position["crucial"]:
            print(f"{problem['id']}: not asked, since no crucial stone is on the board of the book")
            continue
        found = study(position, *limits, "--quick", "--first", side, *others)
        first, answer = found[f"{side}_first"], problem["answer_firstmove"] or "-"
        right = [*first["right"], *(["pass"] if first["pass_right"] else [])]
        asked += 1
        lives += first["status"] == "lives"
        named += first["status"] == "lives" and answer in right
        rows = (*found["questions"], found["unneeded"])
        seconds = sum(each["cpu_seconds"] for each in rows)
        words = (str(problem["id"]), side, first["status"], " ".join(right) or "-", answer)
        columns = "".join(f"{word:<12} " for word in words)
        print(f"{columns}{seconds:6.1f}", flush=True)
    print(f"{asked} problems: {lives} live, {named} of them by the move of the source")


if __name__ == "__main__":
    main()
