"""Go in plain Python: an oracle written from the text of the rules.

Boards are dictionaries of points; chains are found by search.
"""

from __future__ import annotations

import functools
import os
from typing import NamedTuple

LONG = os.environ.get("JAXSOLVE_LONG") == "1"


@functools.cache
def neighbours(n, point):
    row, column = divmod(point, n)
    return tuple(
        r * n + c
        for r, c in ((row - 1, column), (row + 1, column), (row, column - 1), (row, column + 1))
        if 0 <= r < n and 0 <= c < n
    )


@functools.cache
def diagonals(n, point):
    row, column = divmod(point, n)
    return tuple(
        r * n + c
        for r in (row - 1, row + 1)
        for c in (column - 1, column + 1)
        if 0 <= r < n and 0 <= c < n
    )


def component(n, board, point):
    """The chain (or empty region) of a point, and the points around it."""
    colour, seen, around, todo = board[point], {point}, set(), [point]
    while todo:
        for q in neighbours(n, todo.pop()):
            if board[q] != colour:
                around.add(q)
            elif q not in seen:
                seen.add(q)
                todo.append(q)
    return frozenset(seen), around


def liberties(n, board, point):
    return {q for q in component(n, board, point)[1] if board[q] == 0}


class Played(NamedTuple):
    board: tuple
    captured: int
    ko: int | None  # the point that may not be retaken, by the definition of simple ko


def play(n, board, side, point):
    """The board after a placement, or None for suicide.

    Colours: 1 Black, 2 White; side 0 Black, 1 White.
    """
    cells, own, enemy = list(board), side + 1, 2 - side
    cells[point] = own
    captured = set()
    for q in neighbours(n, point):
        if cells[q] == enemy and not liberties(n, cells, q):
            captured |= component(n, cells, q)[0]
    for q in captured:
        cells[q] = 0
    if not liberties(n, cells, point):
        return None
    lone = len(component(n, cells, point)[0]) == 1 and len(liberties(n, cells, point)) == 1
    return Played(
        tuple(cells), len(captured), next(iter(captured)) if len(captured) == 1 and lone else None
    )


def is_true_eye(n, board, side, point):
    own = side + 1
    if board[point] or any(board[q] != own for q in neighbours(n, point)):
        return False
    corners = diagonals(n, point)
    missing = sum(board[q] != own for q in corners)
    return missing <= (1 if len(corners) == 4 else 0)


def benson(n, board, colour):
    """Points of the unconditionally alive chains of a colour."""
    points = range(n * n)
    inside = [int(board[p] == colour) for p in points]
    chains = {component(n, inside, p)[0] for p in points if inside[p]}
    regions = {component(n, inside, p)[0] for p in points if not inside[p]}
    border = {region: set().union(*(neighbours(n, p) for p in region)) for region in regions}

    def vital(region, chain):
        return bool(border[region] & chain) and all(
            chain & set(neighbours(n, p)) for p in region if board[p] == 0
        )

    while True:
        kept = {chain for chain in chains if sum(vital(region, chain) for region in regions) >= 2}
        removed = chains - kept
        kept_regions = {
            region for region in regions if not any(border[region] & chain for chain in removed)
        }
        if (kept, kept_regions) == (chains, regions):
            return set().union(*chains) if chains else set()
        chains, regions = kept, kept_regions


def area(n, board):
    score = [0, 0, 0]
    for p in range(n * n):
        colours = {board[p]} if board[p] else {board[q] for q in component(n, board, p)[1]}
        if len(colours) == 1:
            score[colours.pop()] += 1
    return score[1], score[2]


class Position(NamedTuple):
    """A position of any rule set.

    ``history`` holds (board, side) pairs, or (board, None) under positional superko.
    """

    board: tuple
    side: int
    ko: int | None = None
    passes: int = 0
    ply: int = 3
    crucial: frozenset = frozenset()
    history: tuple = ()
    threats: int = 0  # the ko threats left to the side ``threatening`` of ``legal``


def entry(rule, board, side):
    return (board, side if rule == "situational" else None)


def legal(
    n,
    position,
    *,
    ko="simple",
    fill_eyes=True,
    region=None,
    forbid_ko=(False, False),
    threatening=None,
):
    """Legal placements of a position whose game is not over."""
    if position.ply == 1:
        return set()
    board, side = position.board, position.side
    found = set()
    for point in range(n * n):
        played = None if board[point] else play(n, board, side, point)
        if played is None or (region is not None and point not in region):
            continue
        if not fill_eyes and is_true_eye(n, board, side, point):
            continue
        if forbid_ko[side] and played.ko is not None:
            continue
        has_threat = side == threatening and position.threats > 0
        if ko == "simple" and point == position.ko and not has_threat:
            continue
        earlier = {*position.history, entry(ko, board, side)}
        if ko != "simple" and entry(ko, played.board, 1 - side) in earlier:
            continue
        found.add(point)
    return found


def step(n, position, action, *, ko="simple", defender=None, waits=False):
    """The position after a legal action; ``waits``: a pass at a ko does not count."""
    board, side = position.board, position.side
    is_pass = action == n * n
    played = Played(board, 0, None) if is_pass else play(n, board, side, action)
    adds = ko == "situational" or (ko == "positional" and not is_pass)
    return Position(
        board=played.board,
        side=1 - side,
        ko=played.ko if ko == "simple" else None,
        passes=position.passes + 1
        if is_pass and position.ply == 3 and not (waits and position.ko is not None)
        else 0,
        ply=min(3, position.ply + 1),
        crucial=frozenset(p for p in position.crucial if played.board[p] == defender),
        history=(*position.history, entry(ko, board, side)) if adds else position.history,
        threats=position.threats - (ko == "simple" and action == position.ko),
    )
