"""SGF: positions are read as other programs read them; bad records are refused with the place."""

from __future__ import annotations

import jax
import numpy as np
import pytest
from sgfmill import boards, sgf_moves
from sgfmill import sgf as sgfmill

from jaxsolve.formats import position, sgf, sgf_line
from jaxsolve.formats.record import FormatError, Move, replay
from jaxsolve.games import make

GAMES = [
    "go-5;ko=positional;komi=0.5",
    "gomoku-6;knowledge=ndk",
    "hex-5",
    "tsumego-5",
    "killallgo-7;ko=situational",
]


def played(game, seed: int, length: int) -> tuple[list[str], str]:
    """Random legal moves from the start position, and the position they lead to."""
    rng = np.random.default_rng(seed)
    state, moves, mask = game.init(), [], jax.jit(game.legal_mask)
    for _ in range(length):
        legal = np.flatnonzero(np.asarray(mask(state)))
        if not len(legal):
            break
        stones = (
            legal[:-1]
            if len(legal) > 1 and game.action_text(int(legal[-1]), state).lower() == "pass"
            else legal
        )
        moves.append(game.action_text(int(rng.choice(stones)), state))
        state = replay(game, state, [Move(moves[-1])])
    return moves, game.text(state)


@pytest.mark.parametrize("rules", GAMES)
def test_a_written_record_is_read_as_the_same_position(rules):
    game = make(rules)
    for seed in range(2):
        moves, expected = played(game, seed, 14)
        data = sgf_line.dump(game, moves)
        assert game.text(sgf.load(data, game)) == expected
        assert [move.text.lower() for move in sgf.read(data).moves] == [
            move.lower() for move in moves
        ]


def test_a_written_record_contains_its_rules(tmp_path):
    game = make("gomoku-6;win=exact5")
    file = tmp_path / "record.sgf"
    file.write_bytes(sgf_line.dump(game, ["C3", "D4"], comment="a ] and a \\ in the text"))
    problem = position.resolve(str(file))
    assert problem.game == game
    assert int(game.to_move(problem.state)) == 0


@pytest.mark.parametrize("rules", ["go-5", "hex-5", "gomoku-6;knowledge=ndk"])
def test_a_set_up_position_is_read_back(rules):
    game = make(rules)
    _, text = played(game, 3, 7)
    state = game.parse(" ".join(text.split()[:2]))
    data = sgf_line.dump(game, [], start=state)
    assert game.text(sgf.load(data, game)) == game.text(state)


def test_a_position_that_set_up_stones_cannot_express_is_refused():
    game = make("go-5")
    state = replay(game, game.init(), [Move("C3"), Move("pass")])
    with pytest.raises(FormatError, match="passes"):
        sgf_line.dump(game, [], start=state)
    with pytest.raises(FormatError, match="awari"):
        sgf_line.dump(make("awari"), [])


@pytest.mark.smoke
def test_captures_agree_with_sgfmill():
    game = make("go-5;ko=simple")
    for seed in range(8):
        moves, _ = played(game, seed, 30)
        data = sgf_line.dump(game, moves)
        state = sgf.load(data, game)
        board, plays = sgf_moves.get_setup_and_moves(
            sgfmill.Sgf_game.from_bytes(data), boards.Board(5)
        )
        for colour, point in plays:
            if point is not None:
                board.play(*point, colour)
        expected = np.array(
            [[" bw".index(board.get(4 - y, x) or " ") for x in range(5)] for y in range(5)]
        )
        assert (np.asarray(game.cells(state)) == expected).all()


@pytest.mark.parametrize("raw", ["[bc]", "[b3]", "[B3]"])
def test_hex_points_may_be_written_both_ways(raw):
    game = make("hex-5")
    assert game.text(sgf.load(f"(;GM[11]SZ[5];B{raw})", game)) == "...../...../.X.../...../..... w"


def test_both_ways_to_write_a_pass():
    game = make("go-5")
    texts = {game.text(sgf.load(f"(;GM[1]SZ[5];B{raw})", game)) for raw in ("[]", "[tt]")}
    assert texts == {"...../...../...../...../..... w passes=1"}


def test_set_up_rectangles_erasing_and_the_side_to_move():
    game = make("go-5")
    data = "(;GM[1]SZ[5]AB[aa:bb];AE[bb]AW[ee]PL[W])"
    assert game.text(sgf.load(data, game)) == "XX.../X..../...../...../....O w"


@pytest.mark.parametrize("corners", ["bb:dd", "dd:bb", "bd:db", "db:bd"])
def test_a_rectangle_is_the_same_from_every_corner(corners):
    game = make("go-5")
    expected = "...../.XXX./.XXX./.XXX./..... w"
    assert game.text(sgf.load(f"(;GM[1]SZ[5]AB[{corners}]PL[W])", game)) == expected
    hexes = make("hex-5")
    assert hexes.text(sgf.load("(;GM[11]SZ[5]AB[d4:b2]PL[W])", hexes)) == expected


def test_hex_records_with_a_swap_or_a_resignation():
    game = make("hex-4")
    after = {
        "(;GM[11]SZ[4];B[b1];W[swap-pieces];B[c3];W[resign])": "..../O.../..X./.... w",
        "(;GM[11]SZ[4];B[b1];W[swap-sides];W[c3])": ".X../..../..O./.... b",
        "(;GM[11]SZ[4];B[b1];B[forfeit])": ".X../..../..../.... w",
    }
    for data, expected in after.items():
        assert game.text(sgf.load(data, game)) == expected
    assert (
        game.text(position.resolve("moves:b1 swap-pieces c3", game="hex-4").state)
        == "..../O.../..X./.... w"
    )


def test_a_swap_changes_only_colours_and_direction():
    """After swap-pieces the value is that of the mirrored position for the other side."""
    game = make("hex-3")
    for cell, mirrored in (("c1", "a3"), ("b1", "a2"), ("b2", "b2")):
        swapped = position.resolve(f"moves:{cell} swap-pieces", game="hex-3").state
        plain = position.resolve(f"moves:{cell}", game="hex-3").state
        assert int(game.to_move(swapped)) == 0 and game.parse_action(mirrored, swapped) == int(
            np.flatnonzero(np.asarray(game.cells(swapped)).ravel())[0]
        )
        assert (np.asarray(game.cells(swapped)) == 2 * np.asarray(game.cells(plain)).T).all()


def write(folder, text: str) -> str:
    file = folder / "record.sgf"
    file.write_text(text)
    return str(file)


def test_other_rules_need_a_choice(tmp_path):
    file = write(tmp_path, "(;GM[1]SZ[5]RU[Japanese]KM[6.5];B[cc])")
    with pytest.raises(FormatError, match=r"RU\[Japanese\].*--game.*go-5"):
        position.resolve(file)
    assert position.resolve(file, game="go-5").game.rule_set == "go-5;ko=simple;komi=6.5"


def test_points_are_read_by_the_game_of_the_rules(tmp_path):
    """Rows count from the top in Hex and from the bottom in Go; a mix would mirror the record."""
    as_set_up = position.resolve(write(tmp_path, "(;SZ[5]RU[hex-5]AB[ab]PL[W])"))
    played = position.resolve(write(tmp_path, "(;SZ[5]RU[hex-5];B[ab])"))
    assert (
        played.game.text(played.state)
        == as_set_up.game.text(as_set_up.state)
        == "...../X..../...../...../..... w"
    )
    for text in (
        "(;GM[1]SZ[5]RU[hex-5];B[ab])",
        "(;GM[11]SZ[5]RU[go-5];B[a2])",
        "(;GM[11]SZ[9]RU[gomoku-9];B[a2])",
        "(;GM[4]SZ[5]RU[hex-5];B[ab])",
    ):
        with pytest.raises(FormatError, match="the record is a game of"):
            position.resolve(write(tmp_path, text))


@pytest.mark.parametrize(
    ("game", "options", "komi"),
    [
        ("go-5", {}, "6.5"),
        (None, {}, "6.5"),
        ("go-5;komi=3", {}, "3"),
        ("go-5", {"komi": "1.5"}, "1.5"),
    ],
)
def test_komi_comes_from_the_record_unless_given(tmp_path, game, options, komi):
    file = write(tmp_path, "(;GM[1]SZ[5]KM[6.50];B[cc])")
    assert (
        position.resolve(file, game=game, options=options).game.rule_set
        == f"go-5;ko=simple;komi={komi}"
    )


@pytest.mark.parametrize("text", ["hello", "", ".../.X./... w"])
@pytest.mark.parametrize("game", [None, "hex-3"])
def test_an_sgf_file_without_a_record_is_refused(tmp_path, text, game):
    with pytest.raises(FormatError, match=r"^record\.sgf is not an SGF record: it "):
        position.resolve(write(tmp_path, text), game=game)


REFUSED = {
    "garbage": ("go-5", "hello", "not a readable SGF"),
    "empty": ("go-5", "", "not a readable SGF"),
    "truncated": ("go-5", "(;GM[1]SZ[5];B[aa", "not a readable SGF"),
    "size": ("go-5", "(;GM[1]SZ[9];B[aa])", "size 9.*5x5"),
    "bad size": ("go-5", "(;GM[1]SZ[x];B[aa])", "SZ"),
    "no size is 19": ("go-5", "(;GM[1];B[aa])", "size 19"),
    "branch": ("go-5", "(;GM[1]SZ[5];B[aa](;W[bb])(;W[cc]))", "2 variations after move 1"),
    "two games": ("go-5", "(;GM[1]SZ[5];B[aa])(;GM[1]SZ[5];B[bb])", "2 games"),
    "off the board": ("go-5", "(;GM[1]SZ[5];B[aa];W[ff])", r"move 2: W\[ff\]"),
    "no point": ("go-5", "(;GM[1]SZ[5];B[a])", r"move 1: B\[a\]"),
    "occupied": ("go-5", "(;GM[1]SZ[5];B[aa];W[aa])", "move 2: white may not play A5"),
    "suicide": ("go-5", "(;GM[1]SZ[5];B[ab];W[ee];B[ba];W[aa])", "move 4: white may not play A5"),
    "ko": (
        "go-5",
        "(;SZ[5]AB[ba][ab][bc]AW[ca][bb][db][cc]PL[B];B[cb];W[bb])",
        "move 2: white may not play B4",
    ),
    "wrong side": ("go-5", "(;GM[1]SZ[5];W[aa])", "move 1.*black's turn"),
    "twice the same side": ("go-5", "(;GM[1]SZ[5];B[aa];B[bb])", "move 2.*white's turn"),
    "after the end": ("go-5", "(;GM[1]SZ[5];B[];W[];B[aa])", "move 3.*already"),
    "two moves in a node": ("go-5", "(;GM[1]SZ[5];B[aa]W[bb])", "move 1: one node"),
    "set-up in mid-game": ("go-5", "(;GM[1]SZ[5];B[aa];AW[bb])", "after move 1"),
    "set up twice": ("go-5", "(;GM[1]SZ[5]AB[aa]AW[aa]PL[B])", "A5 is set up twice"),
    "no side to move": ("go-5", "(;GM[1]SZ[5]AB[aa])", r"PL\[B\]"),
    "side in mid-game": ("go-5", "(;GM[1]SZ[5];B[aa];PL[B])", "after move 1"),
    "unknown side": ("go-5", "(;GM[1]SZ[5]AB[aa]PL[green])", "green"),
    "no liberty": ("go-5", "(;GM[1]SZ[5]AB[aa]AW[ab][ba]PL[B])", "no liberty"),
    "encoding": ("go-5", "(;GM[1]SZ[5]CA[klingon];B[aa])", "klingon"),
    "pass in Gomoku": ("gomoku-6", "(;GM[4]SZ[6];B[])", "move 1"),
    "swap of which kind": (
        "hex-5",
        "(;GM[11]SZ[5];B[a1];W[swap])",
        "move 2: write swap as swap-pieces",
    ),
    "swap too late": (
        "hex-5",
        "(;GM[11]SZ[5];B[a1];W[b2];B[swap-pieces])",
        "move 3: swap-pieces can only answer the first stone",
    ),
    "swap in Go": (
        "go-5",
        "(;GM[1]SZ[5];B[aa];W[swap-pieces])",
        "move 2: swap-pieces is a move of Hex",
    ),
    "played on after resigning": (
        "hex-5",
        "(;GM[11]SZ[5];B[a1];W[resign];B[b2])",
        r"move 2 \(resign\) ends the game",
    ),
    "a game of Go": ("hex-5", "(;GM[1]SZ[5];B[aa])", r"a game of Go \(GM\[1\]\), not of Hex"),
    "a game of Gomoku": ("go-5", "(;GM[4]SZ[5];B[aa])", r"a game of Gomoku \(GM\[4\]\), not of Go"),
    "a game of chess": ("go-5", "(;GM[3]SZ[5];B[aa])", r"GM\[3\]"),
    "a game number without end": ("go-5", "(;GM[" + "9" * 5000 + "]SZ[5])", r"GM\[9+\.\.\.\]"),
    "a size without end": ("go-5", "(;GM[1]SZ[" + "9" * 5000 + "])", "bad SZ"),
    "nested without end": ("go-5", "(;" * 100_000, "not a readable SGF"),
    "handicap without stones": (
        "go-5",
        "(;GM[1]SZ[5]HA[2];W[aa])",
        "handicap of 2 stones .* sets up 0",
    ),
    "handicap of fewer stones": (
        "go-5",
        "(;GM[1]SZ[5]HA[3]AB[aa][bb]PL[W])",
        "handicap of 3 stones .* sets up 2",
    ),
    "handicap that is no number": ("go-5", "(;GM[1]SZ[5]HA[x];B[aa])", r"HA\[x\]"),
    "komi in a later node": ("go-5", "(;SZ[5]KM[6.5];B[aa]KM[0])", r"KM\[0\] is in a later node"),
    "rules in a later node": ("go-5", "(;SZ[5];B[aa]RU[NZ])", r"RU\[NZ\] is in a later node"),
    "Hex point off the board": ("hex-5", "(;GM[11]SZ[5];B[a6])", "move 1"),
    "killallgo opening": (
        "killallgo-9",
        "(;SZ[9];B[cc];W[];B[gc];W[];B[cg];W[];B[aa])",
        "C7 G7 C3 G3",
    ),
}


@pytest.mark.parametrize("name", REFUSED)
def test_bad_records_are_refused_with_the_place(name):
    rules, data, sentence = REFUSED[name]
    with pytest.raises(FormatError, match=sentence) as caught:
        sgf.load(data, make(rules))
    assert "\n" not in str(caught.value)


def test_an_unknown_game_number_is_refused():
    with pytest.raises(FormatError, match=r"GM\[2\]"):
        sgf.read("(;GM[2]SZ[8])")


def test_text_in_another_encoding_is_read():
    record = sgf.read("(;GM[1]SZ[5]CA[GB18030]C[黑先];B[aa])".encode("gb18030"))
    assert [move.text for move in record.moves] == ["A5"]


def test_a_killallgo_record_may_begin_on_the_empty_board_or_with_white():
    game = make("killallgo-9")
    whole = sgf.load("(;SZ[9];B[cc];W[];B[gc];W[];B[cg];W[];B[gg];W[ee])", game)
    rest = sgf.load("(;SZ[9];W[ee])", game)
    assert game.text(whole) == game.text(rest)


@pytest.mark.parametrize("name", ["line4w", "sq4w"])
def test_the_soundness_records_load(shared, name):
    game = make("killallgo-9")
    data = (shared / "problems" / "soundness" / f"{name}.sgf").read_bytes()
    state = sgf.load(data, game)
    record = sgfmill.Sgf_game.from_bytes(data)
    board, plays = sgf_moves.get_setup_and_moves(record)
    for colour, point in plays:
        if point is not None:
            board.play(*point, colour)
    expected = np.array(
        [[" bw".index(board.get(8 - y, x) or " ") for x in range(9)] for y in range(9)]
    )
    assert (np.asarray(game.cells(state)) == expected).all()
    assert int(game.to_move(state)) == 1
