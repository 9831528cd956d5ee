"""Pictures: well-formed, the same bytes every time, everything on the board in the picture, and nothing for moves that do not exist."""

import re
import xml.etree.ElementTree as ET

import pytest

from jaxsolve.games import make
from jaxsolve.view import svg, text_board

NAMESPACE = "{http://www.w3.org/2000/svg}"
POSITIONS = [
    ("go-5;ko=simple", "...../.XO../XO.O./.XO../..... b ko=C3", "B3", {"A1": "triangle", "B2": "1"}),
    ("killallgo-7", None, None, {}),
    ("gomoku-9", "........./........./........./...X...../....O..../........./........./........./......... b", "E5", {"C3": "A"}),
    ("hex-3", "X.O/.X./..O b", "c3", {"b1": "cross", "b2": "dot"}),
    ("awari", "0,1,2,3,5,8/13,4,7,0,2,1 n captured=0:2", "f", {"a": "1", "b": "circle"}),
]


def position(rule_set, text):
    game = make(rule_set)
    return game, game.parse(text) if text else game.init()


@pytest.mark.parametrize(("rule_set", "text", "last", "marks"), POSITIONS)
def test_svg_is_well_formed_deterministic_and_self_contained(rule_set, text, last, marks):
    game, state = position(rule_set, text)
    picture = svg(game, state, last_move=last, marks=marks, caption="Black & White <to move>")
    root = ET.fromstring(picture)
    assert root.tag == NAMESPACE + "svg" and root.find(NAMESPACE + "title").text == "Black & White <to move>"
    assert picture == svg(game, game.parse(game.text(state)), last_move=last, marks=marks, caption="Black & White <to move>")
    assert "href" not in picture and "@font-face" not in picture and "<script" not in picture
    _, _, width, height = map(float, root.get("viewBox").split())
    for circle in root.iter(NAMESPACE + "circle"):
        x, y, radius = (float(circle.get(name)) for name in ("cx", "cy", "r"))
        assert radius <= x <= width - radius and radius <= y <= height - radius


@pytest.mark.parametrize(("rule_set", "text", "last", "marks"), POSITIONS[:4])
def test_every_stone_is_drawn(rule_set, text, last, marks):
    game, state = position(rule_set, text)
    picture, cells = svg(game, state), game.cells(state)
    assert picture.count("url(#black-stone)") == (cells == 1).sum()
    assert picture.count("url(#white-stone)") == (cells == 2).sum()
    words = text_board(game, state)
    assert words.count("●") == (cells == 1).sum() and words.count("○") == (cells == 2).sum()


def test_every_seed_is_drawn():
    game, state = position("awari", POSITIONS[4][1])
    root = ET.fromstring(svg(game, state))
    seeds = [circle for circle in root.iter(NAMESPACE + "circle") if float(circle.get("r")) < 6]
    assert len(seeds) == 46


def test_actions_and_their_text_mark_the_same_point():
    game, state = position("hex-3", POSITIONS[3][1])
    a2 = game.parse_action("a2", state)
    assert svg(game, state, last_move=a2, marks={a2: "dot"}) == svg(game, state, last_move="a2", marks={"A2": "dot"})
    assert text_board(game, state, last_move=a2) == text_board(game, state, last_move="a2")


def test_marks_differ_and_a_pass_marks_nothing():
    game, state = position("go-5", None)
    pictures = {svg(game, state, marks={"C3": sign}) for sign in ("circle", "square", "triangle", "cross", "dot", "1", "22", "abc")}
    assert len(pictures) == 8
    assert svg(game, state, last_move="pass") == svg(game, state)
    with pytest.raises(ValueError, match="Z9"):
        svg(game, state, marks={"Z9": "dot"})


def test_text_boards_look_as_drawn_here():
    game, state = position("hex-3", POSITIONS[3][1])
    assert text_board(game, state, last_move="c3", marks={"a2": "cross"}, ascii_only=True).splitlines() == [
        "    a b c",
        " 1  X . O 1",
        "  2  x X . 2",
        "   3  . .(O)3",
        "       a b c",
    ]
    game, state = position("go-5;ko=simple", POSITIONS[0][1])
    assert text_board(game, state, last_move="B3", ascii_only=True).splitlines() == [
        "    A B C D E",
        " 5  . . . . . 5",
        " 4  . X O . . 4",
        " 3  X(O)+ O . 3",
        " 2  . X O . . 2",
        " 1  . . . . . 1",
        "    A B C D E",
    ]
    game, state = position("awari", POSITIONS[4][1])
    assert text_board(game, state, last_move="F", marks={"a": "1"}).splitlines() == [
        "         f    e    d    c    b   a1",
        "North    1    2    0    7    4   13    captured 2",
        "South    0    1    2    3    5   (8)   captured 0",
        "         A    B    C    D    E    F",
    ]


@pytest.mark.parametrize(("rule_set", "text", "last", "marks"), POSITIONS)
def test_colour_only_adds_markup(rule_set, text, last, marks):
    game, state = position(rule_set, text)
    coloured = text_board(game, state, last_move=last, marks=marks, color=True)
    assert re.sub(r"\[/?[a-z ]*\]", "", coloured) == text_board(game, state, last_move=last, marks=marks)
