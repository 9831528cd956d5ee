"""Writes SGF (FF[4]) records with variations.

``jaxsolve.formats.sgf`` reads positions and writes one line of play. The nodes here hold comments
and variations as well; sgfmill writes the record.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass, field

from sgfmill import sgf_grammar

from jaxsolve.games.boards.board_text import GTP_LETTERS


@dataclass
class Node:
    """One node: raw values by property, and the nodes that follow.

    ``text`` and ``simple_text`` escape values, ``point`` makes them.
    """

    properties: dict[str, list[str]] = field(default_factory=dict)
    children: list[Node] = field(default_factory=list)


def text(words: str) -> str:
    """A value of type Text, for comments.

    ``]`` ends a value in SGF, so it and the backslash are escaped. Blanks except line feeds become
    spaces.
    """
    words = words.replace("\r\n", "\n").replace("\r", "\n")
    words = re.sub(r"[^\S\n]", " ", words)
    return re.sub(r"([\\\]])", r"\\\1", words)


def simple_text(words: str) -> str:
    """A value of type SimpleText, for names: as ``text``, on one line."""
    return text(" ".join(words.split()))


def point(name: str, size: int) -> str:
    """A point such as ``C3`` in SGF: two letters, from the top left; "" for a pass.

    Raises ValueError if the board has no such point.
    """
    if name == "pass":
        return ""
    column, row = GTP_LETTERS.find(name[:1]), size - int(name[1:])
    if not (name[:1] and 0 <= column < size <= 26 and 0 <= row < size):
        raise ValueError(f"{name!r} is not a point of a {size}x{size} board")
    return chr(ord("a") + column) + chr(ord("a") + row)


def points(names: Iterable[str], size: int) -> list[str]:
    """``point`` of each name, sorted by row from the top, without duplicates."""
    return sorted({point(name, size) for name in names}, key=lambda value: (value[1:], value[:1]))


def dump(root: Node) -> bytes:
    """The record in UTF-8; set property ``CA`` accordingly.

    Lines are broken after 79 bytes where possible, between properties.

    Raises:
      ValueError: the name of a property is not made of capital letters, or it has no value.
    """
    tree = sgf_grammar.make_coarse_game_tree(root, lambda node: node.children, _properties)
    return sgf_grammar.serialise_game_tree(tree)


def _properties(node: Node) -> dict[str, list[bytes]]:
    for name, values in node.properties.items():
        if not re.fullmatch("[A-Z]{1,8}", name) or not values:
            raise ValueError(
                f"property {name!r} of an SGF node needs a name in capital letters "
                "and at least one value"
            )
    return {
        name: [value.encode("utf-8") for value in values]
        for name, values in node.properties.items()
    }
