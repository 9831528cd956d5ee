"""Small problems in which kos decide, with their truth by exhaustion (``ko_problems.json``).

``PYTHONPATH=tests python -m support.ko_problems`` computes the truth again and writes the file.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any, NamedTuple

from support.oracles import ko_truth
from support.oracles.life_and_death import PASS, SIDES, Exhaustive

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


def agree(found: dict[str, Any], truth: dict[str, Any], defender: str) -> None:
    """Asserts that the command's JSON says what is true, with either side first."""
    assert found["defender"] == defender
    for row in found["questions"]:  # by a double ko, play can repeat without end
        assert row["checked"] or ("ko-threats" in row["id"] and row["verdict"] == "unknown")
    for side in SIDES:
        first, root = found[f"{side}_first"], truth[side]["pair"]
        sure = truth[side]["settled"]
        assert first["status"] == ko_truth.status(root, side == defender, sure)
        assert bool(first["despite_ko_threats"]) is (sure is not None and root[0] != root[1])
        if first["over"] is not None:
            continue
        assert (first["the_ko"] is None) is (root[0] == root[1] or sure is not None)
        after = ko_truth.after_moves(truth, side, defender)
        surely = {
            move: which
            for which, moves in truth[side]["settled after"].items()
            for move in moves.split()
        }
        lost = "d" if side == defender else "l"  # whatever the ko threats
        passed = truth[SIDES[side == "black"]]["settled"]
        losing = {move for move, which in {**surely, PASS: passed}.items() if which == lost}
        right = ko_truth.right_moves(
            {move: 2 * lost if move in losing else pair for move, pair in after.items()},
            side == defender,
        )
        if first["despite_ko_threats"]:
            right = {move for move, which in surely.items() if which == "ld"[side != defender]}
            right |= {PASS} if truth[SIDES[side == "black"]]["settled"] == sure else set()
            right = right if sure == "ld"[side != defender] else set()
        assert first["complete"]
        assert {move["move"] for move in first["moves"]} == set(after) - {PASS}
        barred = {
            move: which for which, moves in truth[side]["after"].items() for move in moves.split()
        }
        for move in first["moves"]:
            name = move["move"]
            status = ko_truth.status_after(name, after, barred, side == defender)
            sure = ko_truth.WORDS.get(surely.get(name, ""))
            assert move["status"] in (status, sure), (side, name)
            # In an open region, stones that are neither alive nor captured rank no moves.
            assert move["right"] is (name in right if first["ranked"] else None), (side, name)
        assert first["ranked"] or "s" in root
        if right == {PASS} and first["ranked"]:
            assert " pass" in first["sentence"]


def problems() -> list[KoProblem]:
    return [KoProblem(**entry) for entry in json.loads(FILE.read_text())]


def write(found: list[KoProblem]) -> None:
    entries = [json.dumps(each._asdict(), indent=None) for each in found]
    FILE.write_text("[\n" + ",\n".join(entries) + "\n]\n")


if __name__ == "__main__":
    write([each._replace(truth=each.solved()) for each in problems()])
