"""The grammar of SGF: converts the text of a file to trees of nodes.

An error message gives line and column. A value is also refused if it seems to contain properties: a
missing bracket or a wrong encoding can make stones part of a comment.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field

from jaxsolve.core.strict_json import shortened
from jaxsolve.formats.record import FormatError

_KNOWN = """
AB AE AN AP AR AS AW B BL BM BR BS BT C CA CH CP CR DD DM DO DT EL EV EX FF FG GB GC GE GM GN GW HA
HO ID IP IT IY KM KO L LB LN LT M MA MN N OB OM ON OP OT OV OW PB PC PL PM PW RE RG RO RU SC SE SI
SL SO SQ ST SU SZ TB TC TE TM TR TW UC US V VW W WL WR WS WT
"""
NAMES = frozenset(_KNOWN.split())
"""Properties of FF[1] to FF[4] for all games and for Go."""

# Properties with one value. If one has several values, the name of a list of points is missing.
_ONE_VALUE = """
AN AP B BR BT C CA CP DT EV FF GC GM GN HA KM N ON OT PB PC PL PW RE RO RU SO ST SZ TM US W WR WT
"""
_SINGLE = frozenset(_ONE_VALUE.split())

_BLANKS = " \t\n\r\f\v"
_START = re.compile(r"\([ \t\n\r\f\v]*;")
_TOKEN = re.compile(
    r"[ \t\n\r\f\v]*(?:\[(?P<value>[^\\\]]*(?:\\.[^\\\]]*)*)\]|(?P<name>[A-Za-z]{1,64})"
    r"|(?P<mark>[;()]))",
    re.DOTALL,
)
_LINE_END = re.compile(r"\r\n|\n\r|\n|\r")
# The long names in FF[1] to FF[3] of the properties that decide the position.
_LONG_NAMES = """
AddBlack AddWhite AddEmpty Black White PLayer SiZe GaMe HAndicap KoMi RUles TRiangle SQuare MArk
CiRcle
"""
_LONG = {re.sub("[a-z]", "", word): word for word in _LONG_NAMES.split()}
# If a value contains a property that decides the position, a bracket is missing before it.
_SWALLOWED = re.compile(
    r"""(?<![A-Za-z])(?:
    (?P<name> (?i:AB|AW|AE) | PL|SZ|GM|HA|KM|RU|TR|SQ|MA|CR|B|W
      | (?!Black|White) (?:LONG) ) [ \t\n\r\f\v]*\[
    # These are words of a text, unless the value ends like one of the property.
    | (?P<word> Black|White|b|w|(?i:TR|SQ|MA|CR) ) [ \t\n\r\f\v]*\[ (?:POINT)? \Z
    | (?P<side> (?i:PL) ) [ \t\n\r\f\v]*\[ \s* (?i:b|w|black|white|[12])? \s* \Z
    | (?P<number> (?i:SZ|GM|HA|KM) ) [ \t\n\r\f\v]*\[ [-+\d.:\s]* \Z
    | (?P<rules> (?i:RU) ) [ \t\n\r\f\v]*\[ [^\[]* \Z
    )
    # The end of a word, as in "textAB[aa".
    | (?<=[a-z]) (?P<end> A[BWE]|TR|SQ|MA|CR|B|W ) \[ POINT \Z
    | (?<=[a-z]) (?P<turn> PL ) \[ (?:[bBwW12]|(?i:black|white)) \Z
    | (?<=[a-z]) (?P<small> a[bwe] ) \[ POINT \Z
    """.replace("LONG", "|".join(_LONG.values())).replace(
        "POINT", r"\s*[a-zA-Z]{2}(?::[a-zA-Z]{2})?\s*"
    ),
    re.VERBOSE,
)
# A property in the text outside of records, where none is allowed. "Problem [1]" is a text.
_PROPERTY = re.compile(
    r"(?<![A-Za-z])(?:[A-Z]{1,2}|(?i:AB|AW|AE|B|W|PL|SZ)|[A-Z][a-z]*[A-Z][a-z]*|Black|White)"
    r"[ \t\n\r\f\v]*\["
)


@dataclass(eq=False)
class Node:
    """A node of a game tree, with the raw values of its properties."""

    # Values by property, in the order of the file. Escapes are kept: ``text_of`` removes them.
    properties: dict[str, list[str]] = field(default_factory=dict)
    children: list[Node] = field(default_factory=list)

    def has(self, *names: str) -> bool:
        """Returns whether the node has one of the properties ``names``."""
        return any(name in self.properties for name in names)

    def values(self, name: str) -> list[str]:
        """Returns the raw values of the property ``name``; [] if the node does not have it."""
        return self.properties.get(name, [])

    def single(self, name: str) -> str | None:
        """Returns the value of the property ``name`` without blanks around it, None if absent.

        Raises FormatError if the property has several values.
        """
        values = self.values(name)
        if len(values) > 1:
            every = shown("".join(f"[{value}]" for value in values))
            raise FormatError(f"{name}{every} has {len(values)} values; give one")
        return text_of(values[0]).strip() if values else None


def text_of(raw: str) -> str:
    """Returns the text that a raw value stands for: without escapes and escaped line ends."""
    return re.sub(
        r"\\(\r\n|\n\r|.)",
        lambda match: "" if match[1][0] in "\r\n" else match[1],
        raw,
        flags=re.DOTALL,
    )


def shown(raw: str) -> str:
    """Returns a value for a message: at most 80 characters on one line."""
    return shortened("".join(letter if letter.isprintable() else " " for letter in raw))


def main_line(root: Node) -> list[Node]:
    """Returns the nodes from ``root`` to the end of the first variations."""
    line = [root]
    while line[-1].children:
        line.append(line[-1].children[0])
    return line


def parse(text: str) -> list[Node]:
    """Returns the root nodes of all records in the text of an SGF file, at least one.

    Text before the first record and between records is skipped, unless it seems to be part of a
    record. FF[1] to FF[3] allow ``AddBlack`` for ``AB``: the lower-case letters of such a name are
    dropped. A name of lower-case letters only is converted to capital letters.

    Raises:
      FormatError: the text is not SGF; the sentence gives line and column.
    """
    found: list[Node] = []
    position = 0
    while True:
        start = _START.search(text, position)
        if start is None and not found and "\0" in text:
            break  # not a text
        _refuse_remains(text, position, len(text) if start is None else start.start(), found)
        if start is None:
            break
        root, position = _tree(text, start.start())
        found.append(root)
    if not found:
        raise FormatError("not a readable SGF record: it has no '(;'")
    return found


def _fault(text: str, offset: int, what: str) -> FormatError:
    """Returns the error for a fault at the character ``offset`` of ``text``."""
    before = _LINE_END.split(text[:offset])
    return FormatError(
        f"not a readable SGF record: line {len(before)}, column {len(before[-1]) + 1}: {what}"
    )


def _refuse_remains(text: str, start: int, end: int, found: list[Node]) -> None:
    """Raises FormatError if the text outside records seems to be a part of one.

    Args:
      text: the whole file.
      start: begin of the text outside records.
      end: end of that text.
      found: the records before it.
    """
    outside = text[start:end]
    if fault := _PROPERTY.search(outside):
        raise _fault(text, start + fault.start(), "a property outside of a record '(;...)'")
    # Before the first record there may be any text, such as the header of a mail.
    if found and (fault := re.search(r"[][();]", outside)):
        raise _fault(text, start + fault.start(), f"{fault[0]!r} after the end of the record")


def _tree(text: str, start: int) -> tuple[Node, int]:
    """Returns the root of the record that begins at ``start``, and the offset of its end.

    Trees are read without recursion, because files may be nested deeply.
    """
    top = Node()
    # The last node and the opening bracket of every open tree.
    opened: list[tuple[Node, int]] = []
    last = ""  # the previous mark: "(", ")" or ";"
    position = start
    while True:
        found = _TOKEN.match(text, position)
        if found is None:
            raise _fault(text, *_unreadable(text, position, opened))
        word = found[found.lastgroup or ""]
        place, position = found.start(found.lastgroup or ""), found.end()
        if found.lastgroup == "value":
            raise _fault(text, place - 1, "a value without a property before it")
        if found.lastgroup == "name":
            if last != ";":
                raise _fault(text, place, f"the property {shown(word)} is not in a node ';'")
            name = _name(text, word, place)
            values, position = _values(text, name, position)
            opened[-1][0].properties.setdefault(name, []).extend(values)
            continue
        if last == "(" and word != ";":
            raise _fault(text, place, f"{word!r} after '(': a tree begins with '(;'")
        if word == "(":
            opened.append((opened[-1][0] if opened else top, place))
        elif word == ")":
            opened.pop()
            if not opened:
                return top.children[0], position
        else:
            if last == ")":
                raise _fault(text, place, "a node ';' after a variation '(;...)'")
            parent, bracket = opened.pop()
            parent.children.append(Node())
            opened.append((parent.children[-1], bracket))
        last = word


def _name(text: str, word: str, place: int) -> str:
    """Returns the name of a property in capital letters, from its ``word`` in the file.

    Raises FormatError if ``word`` has lower-case letters and is not a known name.
    """
    if word.isupper():
        return word
    name = word.upper() if word.islower() else re.sub("[a-z]", "", word)
    known = name in NAMES and (word.islower() or word[0].isupper())
    if not known or (not word.islower() and _LONG.get(name, word) != word):
        raise _no_property(text, word, place)
    return name


def _no_property(text: str, word: str, place: int) -> FormatError:
    """Returns the error for a word that stands where the name of a property should be."""
    before = text[:place].rstrip(_BLANKS)
    if before.endswith("]"):
        return _fault(
            text,
            len(before) - 1,
            f"{shown(word)} after ']' is not a property; a ']' inside a text is written \\]",
        )
    return _fault(
        text, place, f"{shown(word)} is not a property; names have capital letters, such as AB"
    )


def _values(text: str, name: str, position: int) -> tuple[list[str], int]:
    """Returns the values of a property from ``position`` on, and the offset of their end."""
    values: list[str] = []
    while (found := _TOKEN.match(text, position)) is not None and found.lastgroup == "value":
        value, place = found["value"], found.start("value")
        after = value.rfind("\\]") + 2 if "\\]" in value else 0
        if lost := _SWALLOWED.search(value, after):
            raise _fault(
                text,
                place + lost.start(lost.lastgroup or ""),
                f"{lost[lost.lastgroup or '']}[ inside the value of {name}: its bracket ']' is "
                "missing or escaped, or the encoding (CA) is wrong",
            )
        if values and name in _SINGLE:
            raise _fault(text, place - 1, f"a second value of {name}, which has one")
        values.append(value)
        position = found.end()
    if not values:
        offset = _after_blanks(text, position)
        if text[offset : offset + 1] == "[":
            raise _fault(text, offset, f"the value of {name} has no ']'")
        raise _fault(
            text, offset, f"the property {name} has no value; a ']' inside a text is written \\]"
        )
    return values, position


def _after_blanks(text: str, position: int) -> int:
    return len(text) - len(text[position:].lstrip(_BLANKS))


def _unreadable(text: str, position: int, opened: list[tuple[Node, int]]) -> tuple[int, str]:
    """Returns offset and description of the fault where no token can be read."""
    offset = _after_blanks(text, position)
    if offset == len(text):
        return opened[-1][1], "'(' has no ')'"
    if text[offset] == "]":
        return offset, "']' without '['; inside a value it is written \\]"
    if text[offset] == "[":
        return offset, "'[' has no ']'"
    return offset, f"{text[offset]!r} is not part of a node"
