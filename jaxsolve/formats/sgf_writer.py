"""Writes SGF (FF[4]) records with variations and comments, by means of sgfmill.

``jaxsolve.formats.sgf`` reads records and writes a single line of play.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass, field

from sgfmill import sgf_grammar

from jaxsolve.games.boards.board_text import GTP_LETTERS


@dataclass
class Node:
    """One node of an SGF game tree.

    Values of properties are raw SGF. ``text`` and ``simple_text`` escape a text for use as a value,
    and ``point`` converts the name of a point to a value.
    """

    properties: dict[str, list[str]] = field(default_factory=dict)  # values by property
    children: list[Node] = field(default_factory=list)  # variations, the main line first


def text(words: str) -> str:
    """Converts ``words`` to a raw value of the SGF type Text, which comments have.

    Escapes ``]`` (which ends a value in SGF) and the backslash. White space other than line feeds
    becomes spaces.
    """
    words = words.replace("\r\n", "\n").replace("\r", "\n")
    words = re.sub(r"[^\S\n]", " ", words)
    return re.sub(r"([\\\]])", r"\\\1", words)


def simple_text(words: str) -> str:
    """Converts ``words`` to a raw value of the SGF type SimpleText, which names have.

    Runs of white space become one space, so the value has one line. Escapes ``]`` and the
    backslash.
    """
    return text(" ".join(words.split()))


def point(name: str, size: int) -> str:
    """Converts the GTP name of a point, such as ``C3``, to a raw SGF value.

    The value is two letters, for the column from the left and the row from the top. For ``pass`` it
    is "". Raises ValueError if the board has no such point.
    """
    if name == "pass":
        return ""
    column, row = GTP_LETTERS.find(name[:1]), size - int(name[1:])
    if not (name[:1] and 0 <= column < size <= 26 and 0 <= row < size):
        raise ValueError(f"{name!r} is not a point of a {size}x{size} board")
    return chr(ord("a") + column) + chr(ord("a") + row)


def points(names: Iterable[str], size: int) -> list[str]:
    """Converts names of points like ``point``. The values are sorted and without duplicates.

    The order is by row from the top, then by column from the left.
    """
    return sorted({point(name, size) for name in names}, key=lambda value: (value[1:], value[:1]))


def dump(root: Node) -> bytes:
    """Returns the record with the root node ``root`` as an SGF file in UTF-8.

    The caller should set the property ``CA`` to ``UTF-8``. Lines have at most 79 bytes, if the
    values of properties permit.

    Raises:
      ValueError: the name of a property is not made of capital letters, or a property has no
        value.
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
