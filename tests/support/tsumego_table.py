"""Table of textbook shapes for the documentation: status and CPU time of ``jaxsolve tsumego``."""

from __future__ import annotations

import json

from typer.testing import CliRunner

from jaxsolve import cli
from support.tsumego_shapes import ALL


def study_json(board: str) -> dict:
    """The command's JSON for an enclosed White group, with at most 20 CPU seconds per question."""
    result = CliRunner().invoke(
        cli.app,
        [
            "tsumego",
            f"{board} b",
            "--game",
            f"tsumego-{board.count('/') + 1}",
            "--json",
            "--time",
            "20",
        ],
    )
    assert result.exit_code in (0, 10), result.output
    return json.loads(result.stdout)


if __name__ == "__main__":
    study_json(ALL["straight three"][0])  # compiles
    print("| shape | black first | white first | CPU |\n| --- | --- | --- | --- |")
    for name, (board, *expected) in ALL.items():
        found = study_json(board)
        statuses = [found[f"{side}_first"]["status"] for side in ("black", "white")]
        seconds = sum(row["cpu_seconds"] for row in found["questions"])
        wrong = "" if statuses == expected else f" (books: {', '.join(expected)})"
        print(f"| {name} | {statuses[0]} | {statuses[1]} | {seconds:.2f} s |{wrong}", flush=True)
