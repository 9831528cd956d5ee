"""Links of HexWorld are read as the board that the page shows, or refused with one sentence."""

from __future__ import annotations

import itertools
import random

import numpy as np
import pytest

from jaxsolve.formats import hexworld, position, sgf, sgf_line
from jaxsolve.formats.record import FormatError, Move, replay
from jaxsolve.games import make
from jaxsolve.games.game import Outcome
from support.cli import one_object, run
from support.oracles.hex_play import black_wins

PAGE = "https://hexworld.org/board/#"


def text_of(link: str, **options) -> str:
    problem = position.resolve(link, **options)
    return problem.game.text(problem.state)


def random_moves(size: int, length: int, draw: random.Random) -> list[str]:
    cells = [f"{chr(97 + x)}{y + 1}" for x in range(size) for y in range(size)]
    return draw.sample(cells, length)


def after(game, moves) -> str:
    return game.text(replay(game, game.init(), [Move(move) for move in moves]))


@pytest.mark.smoke
def test_a_link_is_read_as_its_moves_and_does_not_depend_on_the_drawing():
    game, draw = make("hex-5"), random.Random(1)
    heads = ["5", "5c1", "5n", "5r10", "5r9mnc1", "5x5", "5X5r1"]
    addresses = [PAGE, "http://www.hexworld.org/board/#", "hexworld.org/board#", "#", " #"]
    for head, address in itertools.zip_longest(heads, addresses, fillvalue=PAGE):
        moves = random_moves(5, 7, draw)
        link = f"{address}{head if head[0].isdigit() else 5},{''.join(moves)}"
        assert text_of(link) == after(game, moves), link
    assert text_of("hexworld.org/board/#5c1%2Ca1%3As") == text_of("#5,a1:s")


def test_the_page_shows_the_board_at_the_cursor():
    """The second comma stands after the move that the page shows."""
    game, remarks = make("hex-5"), []
    moves = ["b1", ":s", "c3", "d4", ":p", "e2"]
    plain = ["b1", "swap-pieces", "c3", "d4", "pass", "e2"]
    for played in range(len(moves) + 1):
        link = f"{PAGE}5,{''.join(moves[:played])},{''.join(moves[played:])}"
        remarks.clear()
        assert text_of(link, remark=remarks.append) == after(game, plain[:played])
        left = len(moves) - played
        assert len(remarks) == (left > 0)
        if left:
            assert f"after move {played}; {left} later move" in remarks[0]
    assert text_of(f"{PAGE}5") == text_of(f"{PAGE}5,") == text_of("start", game="hex-5")


def mask(board: str, stone: str) -> int:
    return sum(1 << place for place, cell in enumerate(board.replace("/", "")) if cell == stone)


def test_both_swaps_give_the_stone_to_the_second_player():
    """So whoever moves after ``:s`` has the same chances as whoever moves after ``:S``."""
    for size in (1, 2, 3):
        for x, y in itertools.product(range(size), repeat=2):
            if size == 1:
                continue  # the first stone ends the game
            cell, mirrored = f"{chr(97 + x)}{y + 1}", f"{chr(97 + y)}{x + 1}"
            pieces, sides = (text_of(f"#{size},{cell}:{letter}") for letter in "sS")
            assert sides == text_of(f"moves:{cell}", game=f"hex-{size}")
            board, side = pieces.split()
            assert side == "b" and mask(board, "O") == mask(
                text_of(f"moves:{mirrored}", game=f"hex-{size}").split()[0], "X"
            )
            values = []
            for text in (pieces, sides):
                board, side = text.split()
                values.append(
                    black_wins(size, mask(board, "X"), mask(board, "O"), "bw".index(side))
                    == (side == "b")
                )
            assert values[0] == values[1], cell


def test_play_continues_after_a_swap_with_the_right_colour():
    assert text_of("#4,b1:sc3") == "..../O.../..X./.... w"
    assert text_of("#4,b1:Sc3") == ".X../..../..O./.... b"
    assert text_of("#4,:pb1:sc3") == "..../X.../..O./.... b"


def test_the_first_player_joins_top_and_bottom():
    for text, winner in (("#3,b1a1b2a2b3", Outcome.FIRST_WINS), ("#3,c1a1c3b1:pc2", None)):
        problem = position.resolve(text)
        expected = Outcome.ONGOING if winner is None else winner
        assert int(problem.game.outcome(problem.state)) == expected
    problem = position.resolve("#3,a1a2b1b2c3c2")
    assert int(problem.game.outcome(problem.state)) == Outcome.FIRST_WINS + 1


def test_a_pass_gives_the_turn_away():
    assert text_of("#3,a1:pb1:pc1") == "XXX/.../... w"
    assert text_of("#3,:pa1:pb1") == "OO./.../... b"
    for moves in ("", "a1", "a1b2c3"):
        assert text_of(f"#4,{moves}:p:p") == text_of(f"#4,{moves}")
        board, side = text_of(f"#4,{moves}").split()
        assert text_of(f"#4,{moves}:p") == f"{board} {'wb'['bw'.index(side)]}"


@pytest.mark.parametrize("end", [":rb", ":rw", ":fb", ":fw"])
def test_who_resigns_does_not_change_the_board(end):
    assert text_of(f"#4,a1b2{end}") == text_of("#4,a1b2")
    with pytest.raises(FormatError, match=r"move 3 \((resign|forfeit)\) ends the game"):
        position.resolve(f"#4,a1b2{end}c3")


def test_the_board_of_a_link_survives_our_own_sgf():
    draw = random.Random(2)
    for _ in range(8):
        moves = random_moves(6, draw.randrange(1, 12), draw)
        if draw.random() < 0.5:
            moves.insert(1, draw.choice([":s", ":S"]))
        problem = position.resolve(f"#6,{''.join(moves)}")
        data = sgf_line.dump(problem.game, [], start=problem.state)
        assert problem.game.text(sgf.load(data, problem.game)) == problem.game.text(problem.state)


def test_a_link_may_stand_in_a_file_or_on_standard_input(tmp_path, monkeypatch):
    link = f"{PAGE}5nc1,b1:sc3"
    for name in ("board.hexworld", "board.txt", "board"):
        (tmp_path / name).write_text(f"\n  {link}\n")
        problem = position.resolve(str(tmp_path / name))
        assert problem.game.text(problem.state) == text_of(link) and problem.id == name
    monkeypatch.setattr(position, "standard_input", lambda: link.encode())
    assert text_of("-") == text_of(link)


def test_rules_may_be_named_if_they_fit():
    assert text_of("#5,a1", game="hex-5") == text_of("#5,a1")
    for rules, sentence in (
        ("hex-6", "the record has a board of size 5, but hex-6 is played on 6x6"),
        ("go-5", "a HexWorld link is a board of Hex, not of go-5"),
    ):
        with pytest.raises(FormatError, match=sentence):
            position.resolve("#5,a1", game=rules)


REFUSED = {
    "no board": ("https://hexworld.org/board/", "has no board after '#'; one is https"),
    "another page": ("https://hexworld.org/", "has no board after '#'"),
    "a rectangle": ("#11x13,a1", "is 11x13; jaxsolve reads square boards only"),
    "an unknown option": ("#11z,a1", "begins with '11z', which is not a size with the options"),
    "a rotation without its number": ("#11r,a1", "begins with '11r'"),
    "no size": (PAGE + "a1b2", "begins with 'a1b2'"),
    "too large": ("#25,a1", "hex-25"),
    "three lists": ("#5,a1,b2,c3", "has 3 lists of moves; there are at most two"),
    "off the board": ("#5,a1f2", "move 2: 'f2' is not a point of a 5x5 board"),
    "row 0": ("#5,a0", "move 1: 'a0' is not a point"),
    "an unknown word": ("#5,a1:x", "move 2: ':x' does not begin with a HexWorld move"),
    "a capital": ("#5,a1B2", "move 2: 'B2' does not begin with a HexWorld move"),
    "half a move ahead": ("#5,a1,b", "move 2: 'b' does not begin with a HexWorld move"),
    "an occupied cell": ("#5,a1a1", "move 2: white may not play a1 here"),
    "a swap at the start": ("#5,:s", "move 1: swap-pieces can only answer the first stone"),
    "a late swap": ("#5,a1b2:s", "move 3: swap-pieces can only answer the first stone"),
    "two swaps of pieces": ("#5,a1:s:s", "move 3: swap-pieces is the second swap of the record"),
    "two swaps of sides": ("#5,a1:S:S", "move 3: swap-sides is the second swap of the record"),
    "on after the end": ("#2,a1b1a2b2", r"move 4 \(b2\): black has already won"),
    "a pass after the end": ("#2,a1b1a2:p", r"move 4 \(pass\): black has already won"),
    "two words": ("#5,a1 b2", "2 words instead of one HexWorld link"),
}


@pytest.mark.parametrize("name", REFUSED)
def test_bad_links_are_refused_with_the_place(name):
    link, sentence = REFUSED[name]
    with pytest.raises(FormatError, match=sentence) as caught:
        position.resolve(link)
    assert "\n" not in str(caught.value)


def test_a_bad_link_in_a_file_is_named_with_the_file(tmp_path):
    file = tmp_path / "board.hexworld"
    for content, sentence in (
        ("#5,a1a1", "^board.hexworld: move 2: white may not play a1"),
        ("#5,a1\n#5,b1", "^board.hexworld: 2 words instead of one HexWorld link"),
    ):
        file.write_text(content)
        with pytest.raises(FormatError, match=sentence):
            position.resolve(str(file))
    with pytest.raises(FormatError, match="cannot read"):
        position.resolve(str(tmp_path / "none.hexworld"))


def test_a_changed_link_is_a_board_or_refused():
    draw = random.Random(3)
    link, letters = "#5r9nc1,b1:sc3d4:pe5,a2:rb", "abe159:,srp#xn /"
    for _ in range(400):
        changed = list(link)
        for _ in range(draw.randrange(1, 4)):
            place = draw.randrange(len(changed))
            changed[place] = draw.choice(["", draw.choice(letters)])
        text = "".join(changed)
        if not hexworld.is_link(text):
            continue
        try:
            record, ahead = hexworld.read(text)
        except FormatError as error:
            assert "\n" not in str(error)
        else:
            assert record.size >= 0 and ahead >= 0


@pytest.mark.parametrize("command", ["show", "solve"])
def test_commands_read_links(command):
    found = one_object(run(command, "#3,a1:sc3", "--json"))
    assert found["rules"] == "hex-3" and found["position"] == "O../.../..X w"
    refused = run(command, "#3,a1a1", "--json")
    assert refused.exit_code == 2 and "move 2" in one_object(refused)["error"]


def test_the_mirror_keeps_the_neighbours():
    """The long diagonal is the one that maps the board to itself with the colours exchanged."""
    draw = random.Random(4)
    game = make("hex-4")
    for _ in range(20):
        cells = np.array([draw.randrange(3) for _ in range(16)]).reshape(4, 4)
        boards = [
            "/".join("".join(stones[cell] for cell in row) for row in board)
            for board, stones in ((cells, ".XO"), (cells.T, ".OX"))
        ]
        outcomes = []
        for board, sides in zip(boards, ("bw", "wb"), strict=True):
            try:
                outcomes.append(int(game.outcome(game.parse(f"{board} {sides[0]}"))))
            except ValueError:
                outcomes.append(-1)
        if -1 in outcomes:
            assert outcomes == [-1, -1]
        else:
            assert outcomes in ([0, 0], [1, 2], [2, 1])
