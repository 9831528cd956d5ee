"""Reads the solution of a life-and-death problem: the first moves of its record, right or wrong."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

from jaxsolve.formats import sgf
from jaxsolve.formats.record import SWAPS, FormatError
from jaxsolve.formats.sgf_tree import Node, main_line, text_of

# Words in comments of published collections that mark a variation as wrong or right. The first one
# of a comment counts: "Wrong. The correct move is A1", "Correct. A1 is wrong".
_WRONG = r"""
    \b(?i:wrong|incorrect|failure)\b
    | (?:\b(?i:not|never)|(?i:n't))(?:\s+\w+){0,2}\s+(?i:correct)\b | \b(?i:not\s+right)\b
    | [不非](?:正解|正确|正確) | (?:正解|正确|正確)(?:では|でな|じゃ) | 失敗 | 失败 | 错误 | 錯誤
    | 정답[이은]?\s*아[니닙닌님] | 오답 | 실패
"""
_RIGHT = r"\bRIGHT\b | \b(?i:correct)\b | 正解 | 正确 | 正確 | 정답 | ^\s*\+\s*$"
_VERDICT = re.compile(rf"(?P<wrong>{_WRONG})|(?P<right>{_RIGHT})", re.VERBOSE)
_GOPROBLEMS = re.compile(r"(?<!NOT )\bRIGHT\b")  # decides, whatever else the comment says


@dataclass(frozen=True)
class FirstMove:
    """A first move of the solution in a record."""

    player: int
    move: str  # GTP point, or "pass"
    right: bool | None  # whether the record marks it as correct; None: not stated


def read(last: Node, own_move: bool, reader: sgf.Reader) -> tuple[FirstMove, ...]:
    """Returns the first moves of the variations after a position.

    A first move is right if it is marked as right (``_is_right``). If no move is marked, ``right``
    is True for the first one, unless it is marked as wrong (``_is_wrong``), and None for the
    others. Moves that cannot be read are left out.

    Args:
      last: the last node of the position.
      own_move: whether a move in ``last`` itself is the first move.
      reader: reader of the record up to the position; it is not changed.
    """
    firsts = [last] if own_move and sgf.has_move(last) else list(_first_moves(last))
    right = [_is_right(node) for node in firsts]
    marked = any(right)
    moves: dict[tuple[int, str], FirstMove] = {}
    for number, node in enumerate(firsts):
        own = sgf.Reader(reader.size, reader.family)
        try:
            own.move(node)
        except FormatError:  # the position is valid; only this solution is not
            continue
        (move,) = own.moves
        if move.player is None or move.text in (*SWAPS, "swap"):  # it is no move of Go
            continue
        if marked:
            verdict = right[number]
        elif _is_wrong(node):
            verdict = False
        else:
            verdict = True if number == 0 else None
        if (move.player, move.text) not in moves or verdict:
            moves[move.player, move.text] = FirstMove(move.player, move.text, verdict)
    return tuple(moves.values())


def _first_moves(node: Node) -> Iterator[Node]:
    """Yields the first nodes with a move in each variation below ``node``, in order."""
    waiting = node.children[::-1]
    while waiting:
        each = waiting.pop()
        if sgf.has_move(each):
            yield each
        else:
            waiting += each.children[::-1]


def _is_right(first: Node) -> bool:
    """Returns whether a node of the variations of a first move marks it as right.

    The marks are words of ``_RIGHT``, and the property TE (good move) at a move of the same side.
    A first move with the property BM (bad move) is not right.
    """
    if first.has("BM"):
        return False
    side = sgf.mover(first)
    waiting = [first]
    while waiting:
        node = waiting.pop()
        if _verdict(node) or (node.has("TE") and sgf.mover(node) in (side, None)):
            return True
        waiting += node.children
    return False


def _is_wrong(first: Node) -> bool:
    """Returns whether BM, or a word of ``_WRONG`` on its main line, marks a first move as wrong."""
    return first.has("BM") or any(_verdict(node) is False for node in main_line(first))


def _verdict(node: Node) -> bool | None:
    """Returns whether the comment of a node says right or wrong; None if it says neither."""
    text = "\n".join(text_of(raw) for raw in node.values("C"))
    if _GOPROBLEMS.search(text):
        return True
    found = _VERDICT.search(text)
    return None if found is None else found["right"] is not None
