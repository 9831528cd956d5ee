"""Records of Hex from other programs: Little Golem, HexGui, and numbered lists of moves."""

from __future__ import annotations

import random

import pytest

from jaxsolve.formats import position, sgf
from jaxsolve.formats.record import FormatError
from jaxsolve.games import make
from jaxsolve.games.game import Outcome
from support.cli import one_object, run

GOLEM = "FF[4]EV[hex.in.DEFAULT.1]PB[first]PW[second]SZ[{size}]RE[B]GC[game #1]SO[{site}]"
SITE = "https://www.littlegolem.net"


def golem(*moves: str, size: int = 5, first: str = "W", head: str = GOLEM, site: str = SITE) -> str:
    """A record as Little Golem writes it: cells of two letters, the first player is W."""
    other = {"W": "B", "B": "W"}[first]
    nodes = "".join(
        f";{first if number % 2 == 0 else other}[{move}]" for number, move in enumerate(moves)
    )
    return f"(;{head.format(size=size, site=site)}{nodes})"


def letters(cell: str) -> str:
    return f"{cell[0]}{chr(96 + int(cell[1:]))}" if cell[1:].isdigit() else cell


def text_of(text: str, **options) -> str:
    problem = position.resolve(text, **options)
    return problem.game.text(problem.state)


def write(folder, data: str, name: str = "game.sgf") -> str:
    file = folder / name
    file.write_text(data)
    return str(file)


@pytest.mark.smoke
@pytest.mark.parametrize("swaps", [False, True])
def test_one_game_is_the_same_in_every_notation(tmp_path, swaps):
    draw = random.Random(5)
    cells = [f"{chr(97 + x)}{y + 1}" for x in range(5) for y in range(5)]
    for _ in range(4):
        moves = draw.sample(cells, 7)
        if swaps:
            # The cell that the mirrored stone takes may be played again only if it is another one.
            first = moves[0]
            mirrored = f"{chr(96 + int(first[1:]))}{ord(first[0]) - 96}"
            moves = [first, "swap", *(cell for cell in moves[1:] if cell != mirrored)]
        standard = [move.replace("swap", "swap-pieces") for move in moves]
        expected = text_of(f"moves:{' '.join(standard)}", game="hex-5")
        nodes = "".join(f";{'BW'[number % 2]}[{move}]" for number, move in enumerate(standard))
        golem_record = golem(*map(letters, moves))
        numbered = [f"{number}.{move}" for number, move in enumerate(moves, start=1)]
        spaced = [f"{number}. {move}" for number, move in enumerate(moves, start=1)]
        assert text_of(f"#5,{''.join(moves).replace('swap', ':s')}") == expected
        assert text_of(write(tmp_path, f"(;GM[11]SZ[5]{nodes})")) == expected
        assert text_of(write(tmp_path, golem_record)) == expected
        assert text_of(write(tmp_path, golem_record, "game.hsgf")) == expected
        assert text_of(" ".join(numbered), game="hex-5") == expected
        assert text_of(f"moves:{' '.join(spaced)}", game="hex-5") == expected
        assert text_of(write(tmp_path, "\n".join(numbered), "game.txt"), game="hex-5") == expected


def test_the_first_player_of_little_golem_joins_top_and_bottom():
    """The colour of the first node does not matter."""
    for first in "WB":
        game = make("hex-3")
        data = golem("ba", "aa", "bb", "ab", "bc", size=3, first=first)
        assert int(game.outcome(sgf.load(data, game))) == Outcome.FIRST_WINS
        data = golem("aa", "ab", "ba", "bb", "cc", "cb", size=3, first=first)
        assert int(game.outcome(sgf.load(data, game))) == Outcome.FIRST_WINS + 1


def test_little_golem_is_known_by_its_event_or_its_site(tmp_path):
    for head in ("EV[hex.ld.DEFAULT]SZ[5]", "EV[null]SZ[5]SO[{site}]", "SZ[5]SO[{site}]"):
        data = golem("ab", "cc", "resign", head=head)
        assert text_of(write(tmp_path, data), game="hex-5") == "...../X..../..O../...../..... b"
        if "SO" in head:
            assert text_of(write(tmp_path, data, "game.HSGF")) == text_of("#5,a2c3")
    # With no game named it is read as Go, and the sentence says what to do.
    with pytest.raises(FormatError, match=r"for a record of Hex add --game, such as --game hex-13"):
        position.resolve(write(tmp_path, golem("ab", "cc", head="SZ[5]SO[{site}]")))


def test_a_resignation_ends_a_record_of_little_golem():
    game = make("hex-5")
    assert game.text(sgf.load(golem("ab", "swap", "resign"), game)) == text_of("#5,a2:s")


OLD, NEW = "AP[HexGui:0.9.GIT]FF[4]GM[11]SZ[4]", "AP[HexGui:1.0.0]FF[4]GM[11]SZ[4]"


def test_old_versions_of_hexgui_keep_the_swapped_stone():
    game = make("hex-4")
    for head in (OLD, "AP[HexGui:0.2]GM[11]SZ[4]", "AP[HexGui:0.9]GM[11]SZ[4]"):
        data = f"(;{head};B[b1];W[swap-pieces];W[c3])"
        assert game.text(sgf.load(data, game)) == text_of("#4,b1:Sc3")
        assert game.text(sgf.load(f"(;{head};B[b1];W[swap-pieces])", game)) == text_of("#4,b1:S")
    for head in (NEW, NEW.replace("1.0.0", "0.10.GIT"), "GM[11]SZ[4]"):
        data = f"(;{head};B[b1];W[swap-pieces];B[c3])"
        assert game.text(sgf.load(data, game)) == text_of("#4,b1:sc3")


def test_set_up_positions_of_hexgui():
    """HexGui sets stones up in the node after the root."""
    game = make("hex-4")
    data = f"(;{NEW};AB[a1][b2]AW[D4]PL[W];W[c3])"
    assert game.text(sgf.load(data, game)) == "X.../.X../..O./...O b"
    assert game.text(sgf.load(f"(;{NEW}PL[W];W[a1];B[b2])", game)) == "O.../.X../..../.... w"
    assert game.text(sgf.load(f"(;{NEW}PL[W])", game)) == "..../..../..../.... w"


def test_the_standard_board_is_11x11():
    assert sgf.read("(;GM[11];B[k11])").size == 11
    assert sgf.read("(;GM[1];B[aa])").size == sgf.read("(;B[aa])").size == 19
    with pytest.raises(FormatError, match=r"SZ\[19\] is in a later node"):
        sgf.read("(;GM[11];B[a1]SZ[19])")


def test_a_pass_in_a_record_is_a_word():
    game = make("hex-4")
    data = "(;GM[11]SZ[4];B[a1];W[pass];B[b1];W[Pass])"
    assert game.text(sgf.load(data, game)) == text_of("#4,a1:pb1:p")


REFUSED = {
    "no GM and White first": (
        "(;SZ[5];W[ab])",
        r"White moves first, .* PL\[W\] .* SO\[littlegolem",
    ),
    "GM and White first": ("(;GM[11]SZ[5];W[a2])", "move 1: White moves first"),
    "cells of another game": (
        golem("ab", "E5"),
        r"move 2: B\[E5\] is not a Hex cell of Little Golem, which is two letters",
    ),
    "a pass at Little Golem": (golem("ab", "tt"), r"move 2: B\[tt\] is not a point of a 5x5 board"),
    "set-up at Little Golem": (golem("ab", head=GOLEM + "AB[cc]"), "has no set-up stones"),
    "off the board": (golem("ab", "af"), r"move 2: B\[af\] is not a point of a 5x5 board"),
    "one side twice": (golem("ab").replace(")", ";W[cc])"), "move 2.*white's turn"),
    "an occupied cell": (golem("ab", "ab"), "move 2: white may not play a2"),
    "a late swap": (golem("ab", "cc", "swap"), "move 3: swap-pieces can only answer"),
    "an empty value": ("(;GM[11]SZ[5];B[])", r"move 1: B\[\] is not a point of a 5x5 board"),
    "a swap that is unclear": ("(;GM[11]SZ[5];B[a1];W[swap])", "move 2: write swap as swap-pieces"),
    "Black after a swap of old HexGui": (
        f"(;{OLD};B[b1];W[swap-pieces];B[c3])".replace("SZ[4]", "SZ[5]"),
        r"move 2 \(swap-pieces\): AP\[HexGui:0\.9\.GIT\] means that the stone stays",
    ),
}


@pytest.mark.parametrize("name", REFUSED)
def test_bad_records_are_refused_with_the_place(name):
    data, sentence = REFUSED[name]
    with pytest.raises(FormatError, match=sentence) as caught:
        sgf.load(data, make("hex-5"))
    assert "\n" not in str(caught.value)


def test_a_record_of_a_hex_tournament_is_not_read_as_go():
    with pytest.raises(
        FormatError, match=r"a game of Hex \(EV\[hex\.in\.DEFAULT\.1\]\), not of Go"
    ):
        sgf.load(golem("ab"), make("go-5"))


@pytest.mark.parametrize(
    ("moves", "sentence"),
    [
        ("1.a2 3.b1", "move 2: 3.b1 is not 2. and a move, such as 2.e5"),
        ("1.a2 b1", "move 2: b1 is not 2. and a move"),
        ("1.a2 2.", "move 2: 2. is not 2. and a move"),
        ("1.a2 2.f9", "move 2: 'f9' is not a point"),
        ("1.a2 2.b1 3.swap", "move 3: swap-pieces can only answer the first stone"),
    ],
)
def test_bad_numbers_are_refused(moves, sentence):
    with pytest.raises(FormatError, match=sentence):
        position.resolve(moves, game="hex-5")


def test_commands_read_records_of_little_golem(tmp_path):
    file = write(tmp_path, golem("ba", "swap", "cc", size=3), "game.hsgf")
    for command in ("show", "solve"):
        found = one_object(run(command, file, "--json"))
        assert found["rules"] == "hex-3" and found["position"] == ".../O../..X w"
    refused = run("show", write(tmp_path, golem("ba", "ba", size=3)), "--json")
    assert refused.exit_code == 2 and "game.sgf: move 2" in one_object(refused)["error"]
