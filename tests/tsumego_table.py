"""The README's table of textbook shapes: ``python tests/tsumego_table.py`` asks ``jaxsolve tsumego`` about each and prints status and CPU time."""

from __future__ import annotations

import json

from tsumego_shapes import MORE, SHAPES, Shape
from typer.testing import CliRunner

from jaxsolve import cli


def asked(shape: Shape) -> dict:
    """What the command says of a shape, as JSON."""
    board = shape.board
    result = CliRunner().invoke(cli.app, ["tsumego", f"{board} b", "--game", f"tsumego-{board.count('/') + 1}", "--json", "--time", "60"])
    assert result.exit_code in (0, 10), result.output
    return json.loads(result.stdout)


if __name__ == "__main__":
    asked(SHAPES["straight three"])  # compiles
    print("| shape | black first | white first | CPU |\n| --- | --- | --- | --- |")
    for name, shape in {**SHAPES, **MORE}.items():
        found = asked(shape)
        told = [found[f"{side}_first"]["status"] for side in ("black", "white")]
        seconds = sum(row["cpu_seconds"] for row in found["questions"])
        wrong = "" if told == [shape.black_first, shape.white_first] else f" (expected {shape.black_first}, {shape.white_first})"
        print(f"| {name} | {told[0]} | {told[1]} | {seconds:.2f} s |{wrong}", flush=True)
