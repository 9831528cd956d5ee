"""Positions for search benchmarks: hard positions, and positions quickly solved with zones.

The problem numbers refer to the set published with proof cost networks (Wu et al., ICLR 2022,
Appendices B and C).
"""

from __future__ import annotations

from collections.abc import Sequence

from jaxsolve.formats import problems
from jaxsolve.games.game import Game, State
from jaxsolve.question import Problem

GOMOKU = (
    # problem 54
    ".............../.............../..........X..../........XO...../......XOO....../"
    "....X.XO......./....OXOOOX...../....OX.XOO...../"
    "....OX..XOX..../.....O.X..X..../......XX..O..../.......O......./.............../"
    ".............../............... b",
)

KILLALL = (
    # problem 33
    "........./.OXXX..../.XXOX.X../XOOOOX.../OO.OXXX../.OOXOX.X./XOXXOXXXX/.XXXOOOXO/X.OO.O.O. w",
)

ZONED = (
    # problem 2
    ".X.O.OXX./..XOOX.X./..XX.OXX./...X.OX../.OOXXOX../..XOOO.../..XXOOXX./..XOO.OOX/..XXOO.X. w",
    # problem 5
    ".O.O...../.XO.OX.X./.XXOO.X../.XXXO.XXX/.XOO.OOOX/.XOXO.O.O/..XXXOXO./.....XXOX/.......O. w",
    # problem 11
    ".OO.O..../XOOXO..../OOXOXXX../XXXOX.X../OXXOOX.X./OXOO.OX../.XXOXXX../XXOOO..../.O...X... w",
    # problem 15
    "..X.OO.../.X.XOXOO./..XOOXX../..XXOOXXX/..X.OX.../...O.XXXX/.XXOXXX../OOO.OX.../......... w",
    # problem 19
    "..XO...../XXXO..OX./XXXOOOX../OOOOOOX../XXXOOOX../.XO.OX.../..X.X.X../........./.X....... w",
    # problem 22
    ".XXO.X.../XOXOO.OX./.OXXOOXX./.OOX...../X.OXOOX../.OXOOX.../.OXXX.X../.XOX...../......... w",
    # problem 30
    ".....X.../..X.OXOO./.XXOOOXO./.XOXXXXX./.OO....../..O...O../.OXXX.XO./.X....X../......... w",
)
"""Killall-Go 9x9: positions that are solved in about a second with zones, seldom without zones."""


def hard_positions(game: Game) -> Sequence[State]:
    """Returns positions of ``game`` that no search solves within seconds.

    For a game without such positions here, returns the start position.
    """
    known = {"gomoku-15": GOMOKU, "killallgo-9": KILLALL}.get(game.rule_set.split(";")[0], ())
    return [game.parse(text) for text in known] or [game.init()]


def zone_positions(game: Game) -> Sequence[State]:
    """Returns positions of ``game`` that are solved faster with zones.

    For a game without such positions here, returns its hard positions.
    """
    known = ZONED if game.rule_set.split(";")[0] == "killallgo-9" else ()
    return [game.parse(text) for text in known] or hard_positions(game)


def chosen_problems(text: str) -> list[Problem]:
    """Returns the problems of ``FILE.json``, or those that ``FILE.json:ID,ID`` selects.

    Raises FormatError for a file that is no problem set, and for an id that it does not have.
    """
    file, colon, ids = text.rpartition(":")
    if not (colon and file.endswith(".json")):
        return problems.load(text)
    return problems.load(file, ids=[each.strip() for each in ids.split(",") if each.strip()])
