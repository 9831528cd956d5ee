"""Truth about a life-and-death problem from exhaustion: statuses, right first moves, ko threats.

A *value* is a letter, ``d`` (the stones die), ``s`` (seki) or ``l`` (they live). A *pair* has the
value if the attacker alone may make ko moves, and the value if the defender alone may. A *settled*
value, ``d`` or ``l``, is reached although the loser has two ko threats and the other side none.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from support.oracles.life_and_death import AGAINST, FOR, PASS, SIDES, Exhaustive, Options

WORDS = {"d": "dies", "s": "seki", "l": "lives"}  # from the worst for the defender
OPTIONS = (AGAINST, FOR)
UNKNOWN, BARRED = "?", "-"  # play repeats without end; the ko options forbid the move


# ---- by exhaustion -------------------------------------------------------------------------------
def value(found: Exhaustive, options: Options, side: int, move: str | None = None) -> str:
    """The value with ``side`` to move first, or after its first ``move``."""
    if move is not None and found.takes_ko(side, move) and not found.may(options, side):
        return BARRED
    live, kill = (found.answer(goal, options, side, move) for goal in ("live", "kill"))
    if live or kill:
        return "l" if live else "d"
    return "s" if live is False and kill is False else UNKNOWN


def pair(found: Exhaustive, side: int, move: str | None = None) -> str:
    return "".join(value(found, options, side, move) for options in OPTIONS)


def threats(found: Exhaustive, side: int) -> list[int | None]:
    """The fewest ko threats that reach a result if the other side has none (None: no number does).

    All ko moves are allowed. The results: the attacker kills, the attacker prevents life, the
    defender lives, the defender prevents capture.
    """
    attacker, defender = 1 - found.defender, found.defender
    wanted = (("kill", attacker), ("live", attacker), ("live", defender), ("kill", defender))
    return [found.threats(goal, player, side) for goal, player in wanted]


def settled(found: Exhaustive, side: int, move: str | None = None) -> str | None:
    """The settled value with ``side`` to move first, or after its first ``move``."""
    if found.despite("live", side, move):
        return "l"
    return "d" if found.despite("kill", side, move) else None


def truth(found: Exhaustive) -> dict[str, Any]:
    """For either side first: the pair, the pair after each first move, and the ko threats.

    Also the settled value, and that after the first moves that have one.
    """
    answers: dict[str, Any] = {}
    for side, name in enumerate(SIDES):
        after: dict[str, list[str]] = {}
        sure: dict[str, list[str]] = {}
        for move in found.grid.names(found.grid.mask(set(found.first_edges(side)) - {PASS})):
            after.setdefault(pair(found, side, move), []).append(move)
            sure.setdefault(settled(found, side, move) or "", []).append(move)
        root = pair(found, side)
        answers[name] = {
            "pair": root,
            "after": {which: " ".join(moves) for which, moves in sorted(after.items())},
            "threats": threats(found, side) if len(set(root)) == 2 else None,
            "settled": settled(found, side),
            "settled after": {
                which: " ".join(moves) for which, moves in sorted(sure.items()) if which
            },
        }
    return answers


# ---- what follows --------------------------------------------------------------------------------
def status(root: str, defender_first: bool, sure: str | None = None) -> str:
    """The status in words: what the side to move first gets if it wins the ko.

    ``sure`` is the settled value.
    """
    if sure is not None:
        return WORDS[sure]
    if root[0] == root[1]:
        return WORDS[root[0]]
    return f"{WORDS[root[defender_first]]} in ko"


def after_moves(answers: Mapping[str, Any], name: str, defender: str) -> dict[str, str]:
    """The pair after each first move of the side ``name``, and after ``pass``.

    A pass is a move elsewhere: the other side moves first, and cannot get less than it gets here.
    A side plays it under the ko option that forbids its move.
    """
    order = "dsl" if name == defender else "lsd"
    other = answers[SIDES[1 - SIDES.index(name)]]["pair"]
    passed = "".join(
        min(values, key=order.index) for values in zip(answers[name]["pair"], other, strict=True)
    )
    found = {PASS: passed}
    for after, moves in answers[name]["after"].items():
        kept = "".join(
            there if value == BARRED else value for value, there in zip(after, passed, strict=True)
        )
        found |= dict.fromkeys(moves.split(), kept)
    return found


def status_after(
    move: str, pairs: Mapping[str, str], barred: Mapping[str, str], defender: bool
) -> str:
    """The status after a first move of the defender or the attacker.

    Where the ko options forbid the move it is that of a pass, but not better for that side than
    the result of the move where it is allowed.
    """
    against, for_ = pairs[move]
    if BARRED in barred.get(move, ""):
        bad = "dsl".index(against) > "dsl".index(for_)
        against, for_ = (for_, for_) if bad and defender else (against, against if bad else for_)
    return status(against + for_, defender)


def right_moves(pairs: Mapping[str, str], defender: bool) -> set[str]:
    """The moves that reach anything at all, and that none is better than, whoever wins kos."""
    order = "dsl" if defender else "lsd"
    ranks = {move: tuple(map(order.index, after)) for move, after in pairs.items()}

    def better(one: tuple[int, ...], other: tuple[int, ...]) -> bool:
        return one != other and all(a >= b for a, b in zip(one, other, strict=True))

    return {
        move
        for move, mine in ranks.items()
        if mine != (0, 0) and not any(better(other, mine) for other in ranks.values())
    }
