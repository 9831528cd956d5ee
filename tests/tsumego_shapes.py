"""Textbook shapes for the tests of ``jaxsolve tsumego``: White is closed in on a 7x7 board; what books say of them for either side first."""

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
    "straight three": Shape("......./......./......./......./XXXXX../OOOOX../...OX..", "dies", "lives", ["B1"], ["B1"]),
    "bent three": Shape("......./......./......./XXX..../OOX..../.OOX.../..OX...", "dies", "lives", ["A1"], ["A1"]),
    "straight four": Shape("......./......./......./......./XXXXXX./OOOOOX./....OX.", "lives", "lives", [], ["B1", "C1"]),
    "square four": Shape("......./......./......./XXXX.../OOOX.../..OX.../..OXX..", "dies", "dies", ["A1", "B1", "A2", "B2"], []),
    "T four": Shape("......./......./......./XXXXX../OOOOX../O...OX./OO.OOX.", "dies", "lives", ["C2"], ["C2"]),
    "bulky five": Shape("......./......./XXXX.../OOOX.../..OOX../...OX../OOOOX..", "dies", "lives", ["B2"], ["A2", "B2", "B3"]),
    "bent four in the corner": Shape("......./......./.XXXX../XXOOX../XOO.OX./XO..OX./X.X.OX.", "dies", "dies", ["B1", "D1", "C2", "D2", "D3"], []),
    "rectangular six in the corner": Shape("......./......./......./XXXXX../OOOOX../...OX../...OX..", "dies", "lives", ["B2"], ["B1", "B2"]),
    "with an outside liberty": Shape("......./......./......./XXXXX../OOOOX../...OX../...O.X.", "dies in ko", "lives", ["B1"], ["B1", "B2"]),
    "seki": Shape("......./......./......./......./XXXXXXX/OOOOOOO/.XXXX.O", "seki", "seki", [], []),
}
