"""``jaxsolve tsumego`` on records: which position it takes, --at, --record, marks and passes."""

from __future__ import annotations

import json

import pytest
from typer.testing import CliRunner

from jaxsolve import cli
from jaxsolve.formats.record import FormatError
from jaxsolve.tsumego import setup
from jaxsolve.tsumego.task import make_task
from support.tsumego_command import BENT_THREE, record_of, run


def given(tmp_path, text: str | bytes, **chosen):
    file = tmp_path / "a.sgf"
    file.write_bytes(text.encode() if isinstance(text, str) else text)
    return setup.read(str(file), None, {}, setup.RecordPosition(**chosen))


@pytest.mark.smoke
def test_the_solution_does_not_move_the_position(tmp_path):
    solved = record_of(BENT_THREE, "PL[B]", ";B[ag]C[RIGHT]TR[ag];W[bg]")
    found = given(tmp_path, solved)
    assert (found.board, found.side, found.marks) == (BENT_THREE, 0, {})
    assert found.where.startswith("the set-up position")
    later = given(tmp_path, solved, at=2)
    assert later.side == 0 and later.board != BENT_THREE and "after move 2" in later.where
    assert given(tmp_path, solved, at=0).board == BENT_THREE


def test_the_report_states_the_position(tmp_path):
    file = tmp_path / "a.sgf"
    file.write_text(record_of(BENT_THREE, "", ";B[ag]"))
    shown = run(file, "--nodes", "1")
    assert "the set-up position, before the 1 move of the solution" in shown.stdout
    found = json.loads(run(file, "--nodes", "1", "--json", "--at", "1").stdout)
    assert found["where"] == "the position after move 1 (--at 1)"
    assert found["position"].endswith(f"X{BENT_THREE.split('/')[-1][1:]}")


@pytest.mark.parametrize(
    ("moves", "side", "ko"),
    [
        # Black takes the ko at B2; passes lift the ban.
        ("AB[ab][bc][ba]AW[bb][db][ca][cc]PL[B];B[cb]", 1, "B4"),
        ("AB[ab][bc][ba]AW[bb][db][ca][cc]PL[B];B[cb];W[tt]", 0, None),
        ("AB[ab][bc][ba]AW[bb][db][ca][cc]PL[B];B[cb];W[];B[tt]", 1, None),
    ],
)
def test_passes_at_the_end_change_the_side_and_lift_the_ko(tmp_path, moves, side, ko):
    found = given(tmp_path, f"(;SZ[5]{moves})", at=moves.count(";"))
    assert (found.board, found.side, found.ko) == (".XO../X.XO./.XO../...../.....", side, ko)


def test_a_played_game_is_asked_about_at_its_end(tmp_path):
    found = given(tmp_path, "(;SZ[5];B[aa];W[ee];B[tt];W[])")
    assert found.board == "X..../...../...../...../....O" and found.side == 0
    assert found.where == "the position at the end of the record, after move 4"


def test_marks_on_empty_points_and_on_both_colours_do_not_count(tmp_path):
    for marks, points, words in (
        ("TR[be]SQ[ag]", "B3", "marks on empty points (A1) do not count"),
        ("TR[be][bg]", "B3", "marks on empty points (B1) do not count"),
        ("CR[be]MA[ae][ad]", "B3", "marks on stones of both colours (MA) do not count"),
    ):
        task = make_task(given(tmp_path, record_of(BENT_THREE, marks)), None, None)
        assert task.grid.list(task.crucial) == points
        assert words in dict(task.remarks)["crucial"]
    unmarked = make_task(given(tmp_path, record_of(BENT_THREE)), None, None)
    vital = make_task(given(tmp_path, record_of(BENT_THREE, "MA[ag]")), None, None)
    assert vital.crucial == unmarked.crucial
    assert "marks on empty points (A1) do not count" in dict(vital.remarks)["crucial"]


def test_a_record_of_several_is_chosen(tmp_path):
    both = record_of(BENT_THREE) + "\n" + record_of(BENT_THREE, "TR[be]")
    assert set(given(tmp_path, both, number=2).marks) == {"TR"}
    with pytest.raises(FormatError, match=r"^a\.sgf: the file holds 2 records; .* --record K"):
        given(tmp_path, both)


@pytest.mark.parametrize(
    ("words", "sentence"),
    [
        (["--at", "9"], "a.sgf: --at 9: the main line has 1 move; N is from 0 to 1"),
        (["--record", "2"], "a.sgf: --record 2: the file holds 1 record; K is from 1 to 1"),
    ],
)
def test_a_position_that_is_not_there_gets_one_sentence(tmp_path, words, sentence):
    file = tmp_path / "a.sgf"
    file.write_text(record_of(BENT_THREE, "", ";B[ag]"))
    result = run(file, *words)
    assert result.exit_code == 2 and sentence in result.stderr and result.stderr.count("\n") == 1
    other = run(f"{BENT_THREE} b", "--game", "tsumego-7", *words)
    assert other.exit_code == 2 and "--record and --at" in other.stderr
    for bad in ("-1", "x"):
        assert run(file, words[0], bad).exit_code == 2


def test_a_record_in_utf_16_or_with_a_name_in_capitals_is_read(tmp_path):
    file = tmp_path / "A.SGF"
    file.write_bytes(record_of(BENT_THREE).encode("utf-16"))
    assert setup.read(str(file), None, {}).board == BENT_THREE


@pytest.mark.parametrize(
    ("marks", "more"),
    [("", ""), ("PL[B]RU[Japanese]", ""), ("PL[B]", "(;B[ag])(;B[bg])")],
)
def test_solve_names_the_command_for_life_and_death(tmp_path, marks, more):
    file = tmp_path / "a.sgf"
    file.write_text(record_of(BENT_THREE, marks, more))
    result = CliRunner().invoke(cli.app, ["solve", str(file)])
    assert result.exit_code == 2 and result.stderr.count("\n") == 1
    assert f"for a life-and-death problem there is 'jaxsolve tsumego {file}'" in result.stderr


def test_solve_remarks_on_a_set_up_position_but_not_under_chosen_rules(tmp_path):
    file = tmp_path / "a.sgf"
    file.write_text(record_of(BENT_THREE, "PL[B]"))
    words = ["solve", str(file), "--nodes", "1"]
    assert "jaxsolve tsumego" in CliRunner().invoke(cli.app, words).stderr
    chosen = CliRunner().invoke(cli.app, [*words, "--game", "go-7"])
    assert "jaxsolve tsumego" not in chosen.stderr


def test_a_solution_of_the_other_side_than_the_record_names_is_mentioned(tmp_path):
    file = tmp_path / "a.sgf"
    file.write_text(record_of(BENT_THREE, "PL[B]", ";W[ag]C[RIGHT]"))
    words = "PL names black, but the solution begins with white"
    shown = " ".join(run(file, "--quick").stdout.split())
    assert f"{words}: either side is asked about, black is reported first; --first white" in shown
    assert shown.index("black first:") < shown.index("white first:")
    white = run(file, "--quick", "--first", "white").stdout
    assert f"{words}: --first names white" in " ".join(white.split())
    assert json.loads(run(file, "--quick", "--json").stdout)["contradiction"] == words
    both = tmp_path / "both.sgf"
    both.write_text(file.read_text() + record_of(BENT_THREE, "PL[B]", ";B[ag]C[RIGHT]"))
    collected = " ".join(run(both, "--quick").stdout.split())
    assert collected.count(f"{words}: white is asked about; --first black asks about black") == 1
    for marks, more in (("PL[W]", ";W[ag]"), ("PL[B]", ""), ("", ";W[ag]")):
        file.write_text(record_of(BENT_THREE, marks, more))
        assert given(tmp_path, file.read_text()).contradiction == ""


def test_a_dialect_changes_neither_the_stones_asked_about_nor_the_region(tmp_path):
    plain = record_of(BENT_THREE, "TR[be]PL[B]", ";B[ag]C[正解]")
    expected = make_task(given(tmp_path, plain))
    for text in (
        plain.encode("gb18030"),
        plain.encode("utf-16"),
        plain.replace("C[正解", "C[乗\\] 正解乗").encode("gb18030"),
        plain.replace("GM", "FF[3]GaMe").replace("AB", "AddBlack").replace("PL", "PLayer"),
        plain.replace("TR[be]", "TR[be:be]VW[aa:gg]SL[ag]LB[ag:A]"),
        plain.replace(";B[ag]", "(;B[bg]C[失敗])(;B[ag]").replace("正解]", "正解])"),
        plain.replace("PL[B]", "\r\nPL[black]\r\nGW[1]").replace("SZ[7]", "SZ[7:7]"),
    ):
        found = make_task(given(tmp_path, text))
        assert (found.given.board, found.given.side) == (BENT_THREE, 0), text
        assert (found.crucial, found.region) == (expected.crucial, expected.region), text
        assert [each.move for each in found.given.solution if each.right] == ["A1"], text


@pytest.mark.parametrize(
    ("data", "sentence"),
    [
        (
            b"(;SZ[21]AB[aa];B[tt])",
            "a.sgf: the board has size 21 (SZ); life and death is for sizes 2 to 19",
        ),
        (
            b"(;SZ[1]AB[aa])",
            "a.sgf: the board has size 1 (SZ); life and death is for sizes 2 to 19",
        ),
        (b"\x1f\x8b\x08\x00(;SZ[5])", "a.sgf is compressed (gzip); unpack it first"),
        (b"", "a.sgf is not an SGF record: one looks like (;GM[1]SZ[9]AB[ee]AW[cc])"),
        (b"(;SZ[5]AB[aa]AW[ba][ab])", "a.sgf: set-up stones: The chain at A5 has no liberty."),
        (b"(;SZ[5];B[aa];W[aa])", "a.sgf: move 2: white may not play A5 here"),
        (b"(;SZ[5];B[ba];W[ee];B[ab];W[aa])", "a.sgf: move 4: white may not play A5 here"),
        (b"(;SZ[5];B[aa];B[bb])", "a.sgf: move 2 (B4): it is white's turn"),
    ],
)
def test_a_position_is_refused_with_the_file_and_the_place(tmp_path, data, sentence):
    with pytest.raises(FormatError) as caught:
        given(tmp_path, data)
    assert str(caught.value).startswith(sentence) and str(caught.value).isprintable()


def test_illegal_moves_of_a_solution_do_not_matter_until_they_are_chosen(tmp_path):
    """Here it retakes a ko at once."""
    text = "(;SZ[5]AB[ab][bc][ba]AW[db][ca][cc][bb]PL[B](;B[cb];W[bb]))"
    assert [each.move for each in given(tmp_path, text).solution] == ["C4"]
    with pytest.raises(FormatError, match=r"^a\.sgf: move 2: white may not play B4 here"):
        given(tmp_path, text, at=2)
