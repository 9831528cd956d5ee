"""Small Go problems solved by brute force."""

from __future__ import annotations

from support.oracles.go import Position
from support.proofs import corpus as check_corpus
from support.proofs import go_zone_steps as steps


def won(twin: steps.Twin, claimant: int, roots: list[Position]) -> set[Position]:
    """The positions from which the claimant can force life or capture in boundedly many moves.

    Among all positions that play from ``roots`` can reach.
    """
    parents: dict[Position, list[Position]] = {}
    left: dict[Position, int] = {}
    certain: list[Position] = []
    todo = list(roots)
    while todo:
        q = todo.pop()
        if q in left:
            continue
        left[q] = 0
        if twin.won_by(q, claimant):
            certain.append(q)
        elif not twin.won_by(q, 1 - claimant) and q.passes < 2:
            children = [twin.after(q, move) for move in twin.moves(q)]
            left[q] = 1 if q.side == claimant else len(children)
            for child in children:
                parents.setdefault(child, []).append(q)
            todo += children
    holds = set(certain)
    for q in certain:
        for parent in parents.get(q, ()):
            left[parent] -= 1
            if left[parent] == 0 and parent not in holds:
                holds.add(parent)
                certain.append(parent)
    return holds


SOLVED = [
    (check_corpus.tsumego(3, "kill", "white", "A1"), "XX./.XX/OO. w", "black"),
    (check_corpus.tsumego(3, "live", "white", "A1"), "O../O../OXX w", "white"),
    (
        check_corpus.tsumego(3, "live", "white", "B2", fill_eyes="false", ko_black="forbid"),
        "OO./OO./..X b",
        "white",
    ),
    (check_corpus.tsumego(3, "live", "black", "A1,B1"), "OOO/O../.X. b crucial=B1", "black"),
    (check_corpus.tsumego(3, "kill", "black", "B2"), "X.X/.XO/XX. w", "white"),
    (check_corpus.tsumego(3, "kill", "black", "A1,B1"), ".XO/O../X.. b crucial=A1", "white"),
    (check_corpus.tsumego(3, "kill", "black", "B2", fill_eyes="false"), ".OO/.X./XXX w", "white"),
    (
        check_corpus.tsumego(3, "kill", "black", "A1,B1", fill_eyes="false"),
        "O.O/..O/XX. b",
        "white",
    ),
    # The winner takes kos, and the loser has ko threats.
    (
        check_corpus.tsumego(3, "kill", "black", "C2", ko_black="threats-2"),
        ".OO/XOX/O.. b",
        "white",
    ),
    (
        check_corpus.tsumego(3, "kill", "white", "C2", ko_white="threats-2"),
        ".../XXO/O.. w",
        "black",
    ),
    (
        check_corpus.tsumego(4, "kill", "white", "A1", "A1,B1,A2,B2,A3,B3"),
        "OXX./..X./..X./OXXO b",
        "black",
    ),
]
