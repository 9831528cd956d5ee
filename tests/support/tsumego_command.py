"""Runs of ``jaxsolve tsumego`` for tests, SGF records for them, and answers by exhaustion."""

from __future__ import annotations

import json

from typer.testing import CliRunner

from jaxsolve import cli
from jaxsolve.games.boards.board_text import parse_board
from support.proofs import solver as proof_tools
from support.tsumego_shapes import SHAPES

BENT_THREE = SHAPES["bent three"].board


def run(*words):
    return CliRunner().invoke(cli.app, ["tsumego", *(str(word) for word in words)])


def study_json(board: str, *words) -> dict:
    """The command's JSON."""
    result = run(f"{board} b", "--game", f"tsumego-{board.count('/') + 1}", "--json", *words)
    assert result.exit_code in (0, 10), result.output
    assert result.stdout.count("\n") == 1
    return json.loads(result.stdout)


def record_of(board: str, marks: str = "", more: str = "") -> str:
    """An SGF record of a board."""
    cells = parse_board(board, board.count("/") + 1)
    points = {1: "", 2: ""}
    for y, row in enumerate(cells):
        for x, cell in enumerate(row):
            if cell:
                points[int(cell)] += f"[{chr(97 + x)}{chr(97 + y)}]"
    return f"(;GM[1]SZ[{len(cells)}]AB{points[1]}AW{points[2]}{marks}{more})"


def exhausted(task, question, text) -> bool | None:
    """The answer to a question by exhausting the graph of positions."""
    rules = proof_tools.rules_of("go", task.rules(question))
    positions = proof_tools.reachable(rules, text)
    goal = task.defender if question.goal == "live" else 1 - task.defender
    won = [
        text in proof_tools.attractor(rules, positions, player, True) for player in (goal, 1 - goal)
    ]
    return True if won[0] else False if won[1] else None
