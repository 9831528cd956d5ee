"""Pictures: well-formed, deterministic and complete; unknown moves are refused."""

import dataclasses
import re
import xml.etree.ElementTree as ET

import numpy as np
import pytest

from jaxsolve.games import Game, Hex, make
from jaxsolve.games.drawing import Counters, Row, Shape, Stones
from jaxsolve.view import DARK, OUTLINED, SHADED, sheet, svg, text_board

NAMESPACE = "{http://www.w3.org/2000/svg}"
SHOGI = "..+S.k/..g../.P.s./...../+RK... b hands=BBGPr"
POSITIONS = [
    (
        "go-5;ko=simple",
        "...../.XO../XO.O./.XO../..... b ko=C3",
        "B3",
        {"A1": "triangle", "B2": "1"},
    ),
    ("killallgo-7", None, None, {}),
    (
        "gomoku-9",
        "/".join([*3 * ["........."], "...X.....", "....O....", *4 * ["........."]]) + " b",
        "E5",
        {"C3": "A"},
    ),
    ("hex-3", "X.O/.X./..O b", "c3", {"b1": "cross", "b2": "dot"}),
    ("awari", "0,1,2,3,5,8/13,4,7,0,2,1 n captured=0:2", "f", {"a": "1", "b": "circle"}),
    ("loa-5", ".XXX./O...O/OX..O/O...O/..XX. w", "B1-B3", {"A4-C4": "cross"}),
    ("knightthrough-5", "OOOOO/OOOOO/...X./XXXXX/XXXX. w", "E1-D3", {}),
    ("minishogi", SHOGI, "D4-D3", {"B3-B4": "cross", "A1-A3": "dot", "P@E2": "7"}),
    ("slither-3", "X.O/.../..O b", "C1", {"A1": "cross", "B2": "dot"}),
]


def position(rule_set, text):
    game = make(rule_set)
    return game, game.parse(text) if text else game.init()


@pytest.mark.parametrize(("rule_set", "text", "last", "marks"), POSITIONS)
def test_svg_is_well_formed_deterministic_and_self_contained(rule_set, text, last, marks):
    game, state = position(rule_set, text)
    picture = svg(game, state, last_move=last, marks=marks, caption="Black & White <to move>")
    root = ET.fromstring(picture)
    assert (
        root.tag == NAMESPACE + "svg"
        and root.find(NAMESPACE + "title").text == "Black & White <to move>"
    )
    assert picture == svg(
        game,
        game.parse(game.text(state)),
        last_move=last,
        marks=marks,
        caption="Black & White <to move>",
    )
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


def test_every_piece_is_named_and_every_hand_counted():
    game, state = position("minishogi", SHOGI)
    said = [text.text for text in ET.fromstring(svg(game, state)).iter(NAMESPACE + "text")]
    letters = [
        word
        for word in said
        if word.lstrip("+") in [*"KRBGSP"] and word not in game.drawing(state).columns
    ]
    assert (
        sorted(letters) == sorted(["+S", "K", "G", "P", "S", "+R", "K", "G", "P", "R"])
        and said.count("B") == 3
        and said.count("2") == 3
    )


def test_a_last_move_as_text_belongs_to_the_other_side():
    game, state = position("minishogi", SHOGI)
    action = game.parse_action_made("D4-D3", state)
    assert text_board(game, state, last_move=action) == text_board(
        game, state, last_move="d4-d3"
    ) and "( s)" in text_board(game, state, last_move=action)
    for wrong in (525, -1):
        with pytest.raises(ValueError, match="no move"):
            svg(game, state, last_move=wrong)


def test_actions_and_their_text_mark_the_same_point():
    game, state = position("hex-3", POSITIONS[3][1])
    a2 = game.parse_action("a2", state)
    assert svg(game, state, last_move=a2, marks={a2: "dot"}) == svg(
        game, state, last_move="a2", marks={"A2": "dot"}
    )
    assert text_board(game, state, last_move=a2) == text_board(game, state, last_move="a2")


@pytest.mark.parametrize(
    "rule_set", ["go-5", "killallgo-9", "tsumego-19", "gomoku-15", "hex-11", "awari"]
)
def test_a_move_is_drawn_at_its_labels(rule_set):
    game = make(rule_set)
    state = game.init()
    drawing = game.drawing(state)
    for player in (0, 1):
        places = [game.place(action, state, player) for action in range(game.num_actions)]
        for action, place in enumerate(places):
            text = game.action_text(action, state)
            if isinstance(drawing, Counters):
                assert (
                    drawing.rows[place[1]].player == player + 1
                    and drawing.rows[place[1]].names[place[0]].upper() == text
                )
            elif text == "pass":
                assert place is None
            else:
                assert drawing.columns[place[0]] + drawing.rows[place[1]] == text
        assert len(set(places)) == len(places)


@dataclasses.dataclass(frozen=True)
class Wide(Hex):
    """A game without a drawing: three rows of five squares."""

    def cells(self, state):
        return np.array([[1, 0, 2, 0, 0], [0, 0, 0, 0, 0], [0, 2, 0, 0, 1]], np.int8)

    drawing, place = Game.drawing, Game.place


def test_a_game_without_a_drawing_has_stones_on_squares():
    game = Wide(4)
    state = game.init()
    assert text_board(
        game, state, last_move=5, marks={1: "cross"}, ascii_only=True
    ).splitlines() == [
        "    a b c d e",
        " 1  X x O . . 1",
        " 2 (.). . . . 2",
        " 3  . O . . X 3",
        "    a b c d e",
    ]
    root = ET.fromstring(svg(game, state, last_move=5))
    assert len(list(root.iter(NAMESPACE + "line"))) == 4 + 6
    assert game.place(15, state, 0) is None and svg(game, state, last_move=15) == svg(game, state)


def test_an_inconsistent_drawing_is_refused():
    with pytest.raises(ValueError, match="column labels"):
        Stones(Shape.SQUARES, np.zeros((2, 3), np.int8), "ab", "12")
    with pytest.raises(ValueError, match="drawn as Counters"):
        Stones(Shape.SQUARES, np.full((2, 2), 7, np.int8), "ab", "12")
    with pytest.raises(ValueError, match="one for every piece"):
        Stones(Shape.SQUARES, np.eye(2, dtype=np.int8), "ab", "12", names={(0, 0): "K"})
    with pytest.raises(ValueError, match="3 pits has 2 names"):
        Row([1, 2, 3], "ab")
    with pytest.raises(ValueError, match="one length"):
        Counters([Row([1], "a"), Row([1, 2], "ab")])


def test_heaps_and_pits_of_any_shape_are_drawn():
    """One row without stores, and three rows with two stores: everything is drawn."""
    for rows in (
        [Row([3, 0, 12], ["1", "2", "3"])],
        [Row([1, 2], "ab", 2, "Up", 5), Row([3, 4], "cd"), Row([5, 6], "ef", 1, "Down", 7)],
    ):

        class Heaps(Hex):
            def drawing(self, state, rows=rows):
                return Counters(rows)

            def place(self, action, state, player, rows=rows):
                return action % len(rows[0].names), 0

        game = Heaps(2)
        words = text_board(game, game.init(), last_move=0)
        root = ET.fromstring(svg(game, game.init(), last_move=0, marks={1: "A"}))
        said = [text.text for text in root.iter(NAMESPACE + "text")]
        for row in rows:
            assert all(said.count(name) == 1 for name in row.names if not name.isdigit())
            assert row.stored is None or (
                str(row.stored) in said and row.owner in said and f"captured {row.stored}" in words
            )
        seeds = [
            circle for circle in root.iter(NAMESPACE + "circle") if float(circle.get("r")) <= 4.8
        ]
        assert len(seeds) == sum(sum(row.counters) for row in rows)
        assert f"({rows[0].counters[0]})" in words


def test_a_legend_has_a_sign_and_words_for_each_entry():
    game = make("go-5")
    plain = svg(game, game.init(), caption="words")
    legend = {"triangle": "crucial", "B": "right", SHADED: "region"}
    drawn = svg(game, game.init(), caption="words", legend=legend)
    texts = [each.text for each in ET.fromstring(drawn).iter() if each.tag.endswith("text")]
    assert texts[-4:] == ["crucial", "B", "right", "region"]
    heights = [float(ET.fromstring(each).attrib["height"]) for each in (plain, drawn)]
    assert heights[1] > heights[0] + 3 * 12


def test_shaded_and_outlined_points_differ_in_form_and_not_only_in_colour():
    game, state = position("go-5", None)
    kinds = {"shaded": ["B2", "C2"], "outlined": ["C2", "D2"]}
    both = text_board(game, state, **kinds).splitlines()
    assert both[4] == " 2  · ▫ ▫ ∘ · 2"
    assert text_board(game, state, **kinds, ascii_only=True).splitlines()[4] == " 2  . % % : . 2"
    plain, outlined, shaded = (
        ET.fromstring(svg(game, state, **words))
        for words in ({}, {"outlined": ["C2", "D2"]}, {"shaded": ["C2", "D2"]})
    )
    count = [
        [len(list(each.iter(NAMESPACE + tag))) for tag in ("line", "rect")]
        for each in (plain, outlined, shaded)
    ]
    assert count[1] == [count[0][0] + 6, count[0][1]]  # the six sides of two cells
    assert count[2] == [count[0][0], count[0][1] + 2]
    drawn = svg(game, state, **kinds, legend={OUTLINED: "region", SHADED: "zone"})
    texts = [each.text for each in ET.fromstring(drawn).iter(NAMESPACE + "text")]
    assert texts[-2:] == ["region", "zone"]


def test_a_long_caption_is_wrapped_to_the_picture():
    game = make("go-5")
    drawn = ET.fromstring(svg(game, game.init(), caption="word " * 30 + "\nend"))
    texts = [each.text for each in drawn.iter(NAMESPACE + "text")]
    words = [text for text in texts if text.startswith("word")]
    assert len(words) > 3 and " ".join(words).split() == ["word"] * 30 and texts[-1] == "end"
    assert all(len(text) * 7 < float(drawn.attrib["width"]) for text in words)


def test_a_sheet_holds_every_board():
    game = make("hex-3")
    states = [game.parse(text) for text in ("X../.../... w", "X.O/.../... b", "XXO/.../... w")]
    root = ET.fromstring(sheet(game, states, scale=2))
    assert (
        len(list(root.iter(NAMESPACE + "g"))) == 3
        and "3 positions" in root.find(NAMESPACE + "title").text
    )
    one = ET.fromstring(sheet(game, states[:1]))
    assert float(root.get("width")) == pytest.approx(4 * float(one.get("width")), abs=0.1)
    assert (
        sheet(game, states).count("url(#black-stone)") == 4
        and sheet(game, states).count("url(#white-stone)") == 2
    )
    assert sheet(game, states, theme=DARK) != sheet(game, states)
    for wrong in ([], {"scale": 0}):
        with pytest.raises(ValueError):
            sheet(game, wrong if wrong == [] else states, **(wrong or {}))


def test_marks_differ_and_a_pass_marks_nothing():
    game, state = position("go-5", None)
    pictures = {
        svg(game, state, marks={"C3": sign})
        for sign in ("circle", "square", "triangle", "cross", "dot", "1", "22", "abc")
    }
    assert len(pictures) == 8
    assert svg(game, state, last_move="pass") == svg(game, state)
    with pytest.raises(ValueError, match="Z9"):
        svg(game, state, marks={"Z9": "dot"})


def test_text_boards():
    game, state = position("hex-3", POSITIONS[3][1])
    assert text_board(
        game, state, last_move="c3", marks={"a2": "cross"}, ascii_only=True
    ).splitlines() == [
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
    game, state = position("go-13", "/".join([*["." * 13] * 11, "XO" + "." * 11, "." * 13]) + " b")
    cut = text_board(
        game, state, marks={"B1": "square"}, around=["A2", "B2", "B1"], ascii_only=True
    )
    assert cut.splitlines() == [
        "    A B C D E F G H J",
        " 9  . . . . . . . . . 9",
        " 8  . . . . . . . . . 8",
        " 7  . . . . . . + . . 7",
        " 6  . . . . . . . . . 6",
        " 5  . . . . . . . . . 5",
        " 4  . . . + . . . . . 4",
        " 3  . . . . . . . . . 3",
        " 2  X O . . . . . . . 2",
        " 1  . # . . . . . . . 1",
        "    A B C D E F G H J",
    ]
    game, state = position("minishogi", SHOGI)
    assert text_board(
        game, state, last_move="D4-D3", marks={"A1-A3": "cross", "G@C4": "dot"}, ascii_only=True
    ).splitlines() == [
        "in hand: r",
        "     A  B  C  D  E",
        " 5   .  . +S  .  k 5",
        " 4   .  .* g  .  . 4",
        " 3   x  P  .( s) . 3",
        " 2   .  .  .  .  . 2",
        " 1  +R  K  .  .  . 1",
        "     A  B  C  D  E",
        "in hand: BBGP",
    ]
    game, state = position("awari", POSITIONS[4][1])
    assert text_board(game, state, last_move="F", marks={"a": "1"}).splitlines() == [
        "         f    e    d    c    b   a1",
        "North    1    2    0    7    4   13    captured 2",
        "South    0    1    2    3    5   (8)   captured 0",
        "         A    B    C    D    E    F",
    ]


@pytest.mark.parametrize(("rule_set", "text", "last", "marks"), POSITIONS)
def test_colour_adds_only_markup(rule_set, text, last, marks):
    game, state = position(rule_set, text)
    coloured = text_board(game, state, last_move=last, marks=marks, color=True)
    assert re.sub(r"\[/?[a-z ]*\]", "", coloured) == text_board(
        game, state, last_move=last, marks=marks
    )


def test_the_letters_of_a_hexagonal_board_stand_right_above_their_cells():
    drawn = svg(*position("hex-3", "X.O/.../... b"))
    letters = dict(re.findall(r'<text x="([\d.]+)"[^>]*>([abc])</text>', drawn))
    stones = set(re.findall(r'cx="([\d.]+)"[^>]*url\(#(?:black|white)-stone', drawn))
    assert {x for x, letter in letters.items() if letter in "ac"} == stones


def test_a_picture_around_some_points_leaves_out_the_rest_of_a_large_board():
    game = make("go-19")
    state = game.init()
    texts = re.findall(">([^<>]+)</text>", svg(game, state, around=["A19", "C17"]))
    rows = [str(row) for row in range(11, 20)]
    assert sorted(texts) == sorted(2 * [*"ABCDEFGHJ", *rows])
    whole = svg(game, state)
    for around in ([], ["A1", "T19"]):
        assert svg(game, state, around=around) == whole
    small = make("go-9")
    assert svg(small, small.init(), around=["A9"]) == svg(small, small.init())
