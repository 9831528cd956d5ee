"""Textbook shapes for the tests of ``jaxsolve tsumego``: enclosed White groups on a 7x7 board.

Each has its status in the literature with Black first and with White first.
"""

from __future__ import annotations

from typing import NamedTuple


class Shape(NamedTuple):
    """A position and its textbook verdicts."""

    board: str
    black_first: str
    white_first: str
    black_right: list[str]  # first moves that work
    white_right: list[str]


SHAPES = {
    "straight three": Shape(
        "......./......./......./......./XXXXX../OOOOX../...OX..", "dies", "lives", ["B1"], ["B1"]
    ),
    "bent three": Shape(
        "......./......./......./XXX..../OOX..../.OOX.../..OX...", "dies", "lives", ["A1"], ["A1"]
    ),
    "straight four": Shape(
        "......./......./......./......./XXXXXX./OOOOOX./....OX.",
        "lives",
        "lives",
        [],
        ["B1", "C1"],
    ),
    "square four": Shape(
        "......./......./......./XXXX.../OOOX.../..OX.../..OXX..",
        "dies",
        "dies",
        ["A1", "B1", "A2", "B2"],
        [],
    ),
    "T four": Shape(
        "......./......./......./XXXXX../OOOOX../O...OX./OO.OOX.", "dies", "lives", ["C2"], ["C2"]
    ),
    "bulky five": Shape(
        "......./......./XXXX.../OOOX.../..OOX../...OX../OOOOX..",
        "dies",
        "lives",
        ["B2"],
        ["A2", "B2", "B3"],
    ),
    "bent four in the corner": Shape(
        "......./......./.XXXX../XXOOX../XOO.OX./XO..OX./X.X.OX.",
        "dies",
        "dies",
        ["B1", "D1", "C2", "D2", "D3"],
        [],
    ),
    "rectangular six in the corner": Shape(
        "......./......./......./XXXXX../OOOOX../...OX../...OX..",
        "dies",
        "lives",
        ["B2"],
        ["B1", "B2"],
    ),
    "with an outside liberty": Shape(
        "......./......./......./XXXXX../OOOOX../...OX../...O.X.",
        "dies in ko",
        "lives",
        ["B1"],
        ["B1", "B2"],
    ),
    "seki": Shape(
        "......./......./......./......./XXXXXXX/OOOOOOO/.XXXX.O", "seki", "seki", [], []
    ),
}

# The outer stones are part of the shape: open liberties and missing corners of the wall decide some
# of them.
MORE: dict[str, tuple[str, str, str]] = {  # (board, Black first, White first)
    "two points": ("......./......./......./......./XXXX.../OOOX.../..OX...", "dies", "dies"),
    "bent three on the side": (
        "......./......./......./.XXXXX./.XOOOOX/.XO..OX/.XOO.OX",
        "dies",
        "lives",
    ),
    # a ko; also found by exhaustion (tests/tsumego/test_command.py)
    "bent four around the corner": (
        "......./......./XXX..../OOX..../.OXX.../.OOX.../..OX...",
        "dies in ko",
        "lives",
    ),
    "straight four in the middle": (
        "XXXXXX./XOOOOOO/XO....O/XOOOOOO/XXXXXXX/......./.......",
        "lives",
        "lives",
    ),
    "square four in the middle": (
        "XXXXXX./XOOOOX./XO..OX./XO..OX./XOOOOX./XXXXXX./.......",
        "dies",
        "dies",
    ),
    "T four in the middle": (
        "......./......./.XXXXX./XXOOOX./XOO.OOX/XO...OX/XOOOOOX",
        "dies",
        "lives",
    ),
    "zigzag four": ("......./......./.XXXXX./XXOOOOX/XOO..OX/XO..OOX/XOOOOX.", "lives", "lives"),
    "straight five": ("......./......./......./......./XXXXXXX/OOOOOOX/.....OX", "lives", "lives"),
    "cross five": ("XXXXXXX/XXOOOXX/XOO.OOX/XO...OX/XOO.OOX/XXOOOXX/X.XXX.X", "dies", "lives"),
    "bulky five in the middle": (
        "XXXXXX./XOOOOX./XO..OX./XO..OX./XOO.OX./.XOOOX./.XXXXX.",
        "dies",
        "lives",
    ),
    "rabbity six": ("XXXXXXX/XOOOOOX/XO..OOX/XO...OX/XOO.OOX/XXOOOXX/X.XXX.X", "dies", "lives"),
    # Corner groups of the literature, with the attacker's stones on the first line beside them,
    # except where there is an outside liberty.
    "L group": ("......./......./......./XXXXX../.OOOX../...OX../....X..", "dies", "dies"),
    "L+1 group, leg on the long side": (
        "......./......./......./XXXXX../OOOOX../...OX../....X..",
        "dies",
        "lives",
    ),
    "L+1 group, leg on the short side, an outside liberty": (
        "......./......./......./XXXXX../.OOOX../...OX../...O.X.",
        "dies",
        "lives",
    ),
    # computed, not from a book: without the liberty B2, White lives only by winning the ko that A2
    # starts
    "L+1 group, leg on the short side": (
        "......./......./......./XXXXX../.OOOX../...OX../...OX..",
        "dies",
        "lives in ko",
    ),
    "L+2 group, two outside liberties": (
        "......./......./X....../.XXXX../OOOOX../...OX../...O.X.",
        "lives",
        "lives",
    ),
    # status computed, not from a book, with proofs that the checker accepts
    "broken comb in the corner": (
        "......./......./......./XXXXX../OOOXX../...OX../...OX..",
        "dies",
        "lives",
    ),
    "rectangular six on the side": (
        "......./......./......./XXXXXXX/XOOOOOX/XO...OX/XO...OX",
        "lives",
        "lives",
    ),
}

ALL = {name: tuple(shape[:3]) for name, shape in SHAPES.items()} | MORE
