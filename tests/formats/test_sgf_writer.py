"""SGF with variations: sgfmill's reader and ours read back what is written."""

from __future__ import annotations

import random
import re

import pytest
from sgfmill import sgf as peers

from jaxsolve.formats import sgf, sgf_problem, sgf_writer
from jaxsolve.formats.record import FormatError
from jaxsolve.formats.sgf_writer import Node

WORDS = [
    "a ] b",
    "back\\slash",
    "\\]",
    "two\nlines",
    "tab\there",
    "[open",
    "colon: x",
    "é 囲碁",
    "(;B[aa])",
    "",
    " ",
    "end\\",
    "cr\r\nlf",
]


@pytest.mark.parametrize("words", WORDS)
def test_any_comment_is_read_back(words):
    root = peers.Sgf_game.from_bytes(
        sgf_writer.dump(
            Node(
                {
                    "SZ": ["9"],
                    "CA": ["UTF-8"],
                    "C": [sgf_writer.text(words)],
                    "GN": [sgf_writer.simple_text(words)],
                }
            )
        )
    )
    expected = words.replace("\r\n", "\n").replace("\t", " ")
    assert root.get_root().get("C") == expected
    assert root.get_root().get("GN") == " ".join(words.split())


def random_tree(rng: random.Random, nodes: int, size: int) -> Node:
    """A tree of moves whose nodes have one to three children."""
    root = Node({"GM": ["1"], "FF": ["4"], "CA": ["UTF-8"], "SZ": [str(size)]})
    open_ = [(root, 0)]
    for number in range(nodes):
        parent, depth = rng.choice(open_)
        name = rng.choice("ABCDEFGHJ"[:size]) + str(rng.randint(1, size))
        child = Node(
            {
                "BW"[depth % 2]: [sgf_writer.point(rng.choice([name, "pass"]), size)],
                "C": [sgf_writer.text(f"{number} {rng.choice(WORDS)}")],
            }
        )
        child.properties["TR"] = sgf_writer.points([name, "A1"], size)
        parent.children.append(child)
        open_.append((child, depth + 1))
    return root


def same(written: Node, read: peers.Tree_node) -> None:
    for name, values in written.properties.items():
        raw = [value.decode() for value in read.get_raw_list(name)]
        assert raw == values
    assert len(written.children) == len(list(read))
    for child, twin in zip(written.children, read, strict=True):
        same(child, twin)


@pytest.mark.parametrize("seed", range(5))
def test_a_tree_is_read_back_node_by_node(seed):
    rng = random.Random(seed)
    root = random_tree(rng, 60, rng.choice([5, 9]))
    data = sgf_writer.dump(root)
    same(root, peers.Sgf_game.from_bytes(data).get_root())
    longest = max(
        len(value)
        for node in [root, *root.children]
        for values in node.properties.values()
        for value in values
    )
    assert all(len(line) <= max(79, longest + 10) + 40 for line in data.decode().split("\n"))


def test_a_line_of_a_thousand_moves_is_written_without_recursion():
    root = Node({"SZ": ["9"]})
    node = root
    for _ in range(1000):
        node.children.append(Node({"B": ["aa"]}))
        node = node.children[0]
    assert sgf_writer.dump(root).replace(b"\n", b"").count(b";B[aa]") == 1000


@pytest.mark.parametrize(
    ("name", "raw"), [("A1", "as"), ("T19", "sa"), ("J10", "ij"), ("pass", "")]
)
def test_points_count_from_the_top_left(name, raw):
    assert sgf_writer.point(name, 19) == raw


@pytest.mark.parametrize("name", ["I3", "A0", "A20", "U1"])
def test_points_off_the_board_are_refused(name):
    with pytest.raises(ValueError, match=re.escape(repr(name))):
        sgf_writer.point(name, 19)


def test_properties_need_a_name_and_a_value():
    for properties in ({"b": ["aa"]}, {"B": []}):
        with pytest.raises(ValueError, match="needs a name"):
            sgf_writer.dump(Node(properties))


# ---- positions with marks ------------------------------------------------------------------------
def marked(text: str) -> tuple[int, list[str], str]:
    """(moves before the position, "TR A1" of every mark, where)."""
    found = sgf_problem.read_marked(f"(;GM[1]SZ[5]{text})")
    names = [
        f"{name} {sgf.point_text('go', 5, *point)}"
        for name, points in found.marks.items()
        for point in sorted(points)
    ]
    return len(found.record.moves), names, found.where


MOVE = ", before the 1 move of the solution (--at N: after N moves)"
MOVES = ", before the 2 moves of the solution (--at N: after N moves)"


@pytest.mark.parametrize(
    ("text", "moves", "names", "where"),
    [
        ("AB[ae]TR[ae]", 0, ["TR A1"], "the set-up position"),
        ("AB[ae](;B[aa])(;B[bb]TR[bb])", 0, [], f"the set-up position{MOVE}"),
        ("AB[ae]PL[B];B[aa](;W[bb])(;W[cc])", 0, [], f"the set-up position{MOVES}"),
        (";B[aa](;W[bb])(;W[cc])", 1, [], "the position before the variations, after move 1"),
        ("AB[ae]PL[B];B[aa];W[bb]TR[aa]", 0, [], f"the set-up position{MOVES}"),
        (";B[aa];W[bb]MA[aa];B[cc]", 2, ["MA A5"], "the position with marks, after move 2"),
        (";B[aa];W[bb];B[cc]", 3, [], "the position at the end of the record, after move 3"),
        ("AB[ae][be]SQ[ae:be]", 0, ["SQ A1", "SQ B1"], "the set-up position"),
    ],
)
def test_the_position_of_a_problem_is_found(text, moves, names, where):
    assert marked(text) == (moves, names, where)


def test_records_without_a_position_are_refused():
    for text in (
        "GM[1]SZ[5]AB[zz]",
        "GM[1]SZ[5];B[aa];AB[bb]",
        "GM[11]",
        "GM[1]SZ[5]HA[2]",
        "GM[1]SZ[5]TR[zz]",
    ):
        with pytest.raises(FormatError):
            sgf_problem.read_marked(f"(;{text})")
