"""Small problems in which kos decide, with their truth by exhaustion (``ko_problems.json``).

``PYTHONPATH=tests python -m support.ko_problems`` computes the truth again and writes the file.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any, NamedTuple

from support.oracles import ko_truth
from support.oracles.life_and_death import Exhaustive

FILE = Path(__file__).with_name("ko_problems.json")


class KoProblem(NamedTuple):
    """A problem and its truth (``oracles.ko_truth``)."""

    kind: str
    name: str
    board: str
    crucial: str
    region: str
    truth: dict[str, Any]

    @property
    def defender(self) -> str:
        column, row = "ABCDEFGHJ".index(self.crucial[0]), int(self.crucial[1:])
        return "black" if self.board.split("/")[-row][column] == "X" else "white"

    def solved(self) -> dict[str, Any]:
        """The truth by exhaustion."""
        return ko_truth.truth(
            Exhaustive(self.board, self.crucial.split(","), self.region.split(","))
        )


def problems() -> list[KoProblem]:
    return [KoProblem(**entry) for entry in json.loads(FILE.read_text())]


def write(found: list[KoProblem]) -> None:
    entries = [json.dumps(each._asdict(), indent=None) for each in found]
    FILE.write_text("[\n" + ",\n".join(entries) + "\n]\n")


if __name__ == "__main__":
    write([each._replace(truth=each.solved()) for each in problems()])
