"""Positions that a search cannot finish within seconds, so that its speed can be measured.

The numbered ones are problems of the set published with proof cost networks (Wu et al., ICLR 2022, Appendices B and C).
"""

from __future__ import annotations

from collections.abc import Sequence

from jaxsolve.games.game import Game, State

GOMOKU = (
    # problem 6
    ".............../.............../.............../...OXO...O...../....XOX.X....../.....XOX......./....X.XOXO...../...OOXXXO....../"
    "....OXOOOX...../......X.O....../........O....../........X....../.............../.............../............... b",
)

KILLALL = (
    # problem 9
    "........./....XOOX./.XXXXOX../OO..OOX../XOOOOXXO./XXOXXO.../.XXXOOXX./OXXOO.OXX/XX.XO.... w",
)


def hard_positions(game: Game) -> Sequence[State]:
    """Positions for a speed test of searches of ``game``: those above of its base name, else its start position."""
    known = {"gomoku-15": GOMOKU, "killallgo-9": KILLALL}.get(game.rule_set.split(";")[0], ())
    return [game.parse(text) for text in known] or [game.init()]
