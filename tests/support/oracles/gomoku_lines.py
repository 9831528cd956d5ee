"""VCF lines by the checker's rules alone.

Random positions, lines found by brute force, and play against a line.
"""

from __future__ import annotations

import random
from collections.abc import Iterator, Sequence

from jaxsolve.proof.check.errors import Refused
from jaxsolve.proof.check.games.gomoku.rules import Gomoku, GomokuPosition

VARIANTS = [
    "gomoku-6;line=4;win=five-or-more;knowledge=4t",
    "gomoku-6;line=4;win=exact5;knowledge=4t",
    "gomoku-8;line=5;win=five-or-more;knowledge=4t",
    "gomoku-8;line=5;win=exact5;knowledge=4t",
    "gomoku-7;line=4;win=exact5;knowledge=4t",
]


def drawn(rules: Gomoku, rng: random.Random) -> str:
    """A random position without a forced reply, with enough stones in the middle for fours.

    Play need not lead to it.
    """
    size, share = rules.grid.size, rng.uniform(0.15, 0.5)
    rows = [
        "".join(rng.choice("XO") if rng.random() < share else "." for _ in range(size))
        for _ in range(size)
    ]
    return f"{'/'.join(rows)} {rng.choice('bw')}"


def sound(rules: Gomoku, text: str) -> bool:
    """Whether a position can be an unfinished root, so that no side has an unanswered four."""
    try:
        return rules.verdict(rules.root(text)) is None
    except Refused:
        return False


def passed(text: str) -> str:
    """The same stones with the other side to move."""
    board, side = text.split()[:2]
    return f"{board} {'wb'['bw'.index(side)]}"


def winning_lines(rules: Gomoku, text: str, deep: int) -> Iterator[list[str]]:
    """Every line of at most ``deep`` fours by which the side to move wins under the rules."""
    position = rules.position(text)
    for move, after in rules.replies(position).items():
        reached = rules.position(after)
        verdict = rules.verdict(reached)
        if verdict is not None and verdict.reason == "two-fours":
            yield [move]
        elif verdict is None and reached.fours > 0 and deep > 1:
            ((reply, then),) = rules.replies(reached).items()
            if rules.verdict(rules.position(then)) is None:
                for line in winning_lines(rules, then, deep - 1):
                    yield [move, reply, *line]


def fails(rules: Gomoku, text: str, line: Sequence[str]) -> str:
    """The reason why the side to move does not win by ``line``; empty if it does.

    Each reply must be the only legal one.
    """
    claimant = rules.position(text).side
    for number, move in enumerate(line):
        position: GomokuPosition = rules.position(text)
        verdict = rules.verdict(position)
        if verdict is not None:
            return "" if verdict.winner == claimant else f"the game ends before {move}"
        replies = rules.replies(position)
        if move not in replies or (number % 2 == 1 and len(replies) > 1):
            return f"{move} is not legal or not forced"
        text = replies[move]
    verdict = rules.verdict(rules.position(text))
    return "" if verdict is not None and verdict.winner == claimant else "the line does not win"
