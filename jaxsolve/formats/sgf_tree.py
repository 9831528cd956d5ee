"""Writes an SGF (FF[4]) record with variations: nodes of properties, escaped and folded as the format asks.

``jaxsolve.formats.sgf`` reads positions and writes one line of play; this file writes what a solver has to say about a position.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field

from jaxsolve.games.boards.board_text import GTP_LETTERS

WIDTH = 80  # where a line is broken between nodes or values


@dataclass
class Node:
    """One node: raw values by property, escaped by ``text`` and ``simple_text`` or made by ``point``, and the nodes that follow it."""

    properties: dict[str, list[str]] = field(default_factory=dict)
    children: list[Node] = field(default_factory=list)


def text(words: str) -> str:
    """A value of type Text (comments). SGF ends a value at ``]``, so that and the backslash are escaped; blanks but line feeds become spaces."""
    words = words.replace("\r\n", "\n").replace("\r", "\n")
    words = re.sub(r"[^\S\n]", " ", words)
    return re.sub(r"([\\\]])", r"\\\1", words)


def simple_text(words: str) -> str:
    """A value of type SimpleText (names): as ``text``, on one line."""
    return text(" ".join(words.split()))


def point(name: str, size: int) -> str:
    """A point such as ``C3`` as SGF counts it, both letters from the top left; a pass is empty. Raises ValueError for no point of the board."""
    if name == "pass":
        return ""
    column, row = GTP_LETTERS.find(name[:1]), size - int(name[1:])
    if not (name[:1] and 0 <= column < size <= 26 and 0 <= row < size):
        raise ValueError(f"{name!r} is not a point of a {size}x{size} board")
    return chr(ord("a") + column) + chr(ord("a") + row)


def points(names: Iterable[str], size: int) -> list[str]:
    """``point`` of each, in the order of rows from the top, each point once."""
    return sorted({point(name, size) for name in names}, key=lambda value: (value[1:], value[:1]))


def dump(root: Node) -> bytes:
    """The record in UTF-8 (``CA`` says so). Lines are broken where SGF lets any blank stand: between nodes and between values, never inside one.

    Raises:
      ValueError: a property's name is not made of capital letters, or it has no value.
    """
    words: list[str] = []
    todo: list[Node | str] = [root]  # not by recursion: lines of play are long
    while todo:
        item = todo.pop()
        if isinstance(item, str):
            words.append(item)
            continue
        words += _node(item)
        alone = len(item.children) == 1
        for child in reversed(item.children):
            todo += [child] if alone else [")", child, "("]
    return (_folded(["(", *words, ")"]) + "\n").encode("utf-8")


def _node(node: Node) -> list[str]:
    words: list[str] = []
    for name, values in node.properties.items():
        if not re.fullmatch("[A-Z]{1,8}", name) or not values:
            raise ValueError(
                f"property {name!r} of an SGF node needs a name in capital letters and at least one value"
            )
        first, *others = values
        words += [f"{name}[{first}]", *(f"[{value}]" for value in others)]
    return [";" + "".join(words[:1]), *words[1:]]


def _folded(words: Sequence[str]) -> str:
    lines, line = [], ""
    for word in words:
        opens = word == "(" and line.strip("(;") != ""
        if line and (opens or len(line) + len(word) > WIDTH):
            lines.append(line)
            line = ""
        line += word
    return "\n".join([*lines, line])
