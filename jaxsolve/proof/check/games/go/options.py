"""Parses the rule-set ids of the Go family: ``go-N``, ``killallgo-N`` and ``tsumego-N``."""

from __future__ import annotations

import dataclasses
import re
from fractions import Fraction

from jaxsolve.proof.check.errors import Refused, show
from jaxsolve.proof.check.grid import Grid, gtp
from jaxsolve.proof.check.rules import choice, number, options

SIDES = ("black", "white")


@dataclasses.dataclass(frozen=True)
class GoOptions:
    """The options of a Go rule-set id."""

    kind: str  # "go", "killallgo", "tsumego"
    grid: Grid
    ko: str  # "simple", "positional", "situational"
    region: int  # mask of the points where stones may be played
    komi: Fraction = Fraction(0)
    fill_eyes: bool = True
    pass_winner: int = 0  # the winner if two passes end a game with a goal
    # passes=stones: if two passes end the game and a white stone is on the board, White wins.
    stones_live: bool = False
    living: int | None = None  # the player who wins by unconditional life; None in plain Go
    crucial: int | None = None  # mask of the crucial points; None where any chain counts
    no_ko: tuple[bool, bool] = (False, False)  # by player: moves that set a ko point are forbidden
    threats: int = 0  # the ko threats that one player has at the start
    threatening: int | None = None  # this player; None without threats


def _yes(rules: str, value: str) -> bool:
    return choice(rules, value, "true", "false") == "true"


def parse(rules: str) -> GoOptions:
    """Parses a rule-set id. Raises Refused unless it is complete and known."""
    kind, _, size = rules.partition(";")[0].partition("-")
    if kind == "go":
        return _plain(rules, size)
    if kind == "killallgo":
        return _killall(rules, size)
    if kind == "tsumego":
        return _tsumego(rules, size)
    raise Refused(f"the rule set {show(rules)} is not one of Go's: go-N, killallgo-N, tsumego-N")


def _ko(rules: str, value: str) -> str:
    return choice(rules, value, "simple", "positional", "situational")


def _may_ko(rules: str, value: str) -> tuple[bool, int]:
    """Returns whether a player may not make ko moves, and the number of its ko threats."""
    counts = {f"threats-{count}": count for count in (1, 2, 3)}
    word = choice(rules, value, "allow", "forbid", *counts)
    return word == "forbid", counts.get(word, 0)


def _plain(rules: str, size: str) -> GoOptions:
    _, (ko, komi) = options(rules, "ko", "komi")
    grid = gtp(number(rules, size, 2, 19))
    if not re.fullmatch(r"0|-?(?:0\.5|[1-9][0-9]{0,2}(?:\.5)?)", komi):
        raise Refused(f"the rule set {show(rules)} is not known: {show(komi)} is not a komi")
    return GoOptions("go", grid, _ko(rules, ko), grid.full, komi=Fraction(komi))


def _killall(rules: str, size: str) -> GoOptions:
    _, (ko, passes, fill) = options(rules, "ko", "passes", "fill_eyes")
    grid = gtp(int(choice(rules, size, "7", "9")))
    stones_live = choice(rules, passes, "not-achieved", "stones") == "stones"
    return GoOptions(
        "killallgo",
        grid,
        _ko(rules, ko),
        grid.full,
        fill_eyes=_yes(rules, fill),
        stones_live=stones_live,
        living=1,
    )


def _tsumego(rules: str, size: str) -> GoOptions:
    names = (
        "ko",
        "passes",
        "fill_eyes",
        "goal",
        "defender",
        "crucial",
        "region",
        "ko_black",
        "ko_white",
    )
    _, (ko, passes, fill, goal, side, crucial, region, ko_black, ko_white) = options(rules, *names)
    grid = gtp(number(rules, size, 2, 19))
    choice(rules, passes, "not-achieved")
    defender = SIDES.index(choice(rules, side, *SIDES))
    may_ko = [_may_ko(rules, value) for value in (ko_black, ko_white)]
    threats = [count for _, count in may_ko]
    if all(threats) or (any(threats) and ko != "simple"):
        raise Refused(
            f"the rule set {show(rules)} is not known: one side at most has ko threats, and only"
            " under ko=simple"
        )
    return GoOptions(
        "tsumego",
        grid,
        _ko(rules, ko),
        grid.full if region == "all" else grid.points(region),
        fill_eyes=_yes(rules, fill),
        pass_winner=1 - defender if choice(rules, goal, "live", "kill") == "live" else defender,
        living=defender,
        crucial=None if crucial == "any" else grid.points(crucial),
        no_ko=(may_ko[0][0], may_ko[1][0]),
        threats=sum(threats),
        threatening=next((player for player in (0, 1) if threats[player]), None),
    )
