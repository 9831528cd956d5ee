"""Collections: every record is answered, compared with its own solution, and resumed."""

from __future__ import annotations

import json
import os
import zipfile

import pytest
from typer.testing import CliRunner

from jaxsolve import cli
from jaxsolve.formats import sgf_problem
from jaxsolve.formats.record import FormatError
from jaxsolve.proof.check import check
from jaxsolve.tsumego import collection

# Bent three in the corner: Black kills with A1, and White lives there.
STONES = "GM[1]FF[4]SZ[7]AB[ad][bd][cd][ce][de][df][dg]AW[ae][be][bf][cf][cg]"
RIGHT = f"(;{STONES}PL[B](;B[ag]C[Correct!])(;B[af];W[ag]))"
WRONG = f"(;{STONES}PL[B](;B[ag];W[af])(;B[af]C[RIGHT]))"


def run(*words):
    return CliRunner().invoke(cli.app, ["tsumego", *map(str, words)])


@pytest.fixture
def folder(tmp_path):
    """A folder with a right record, a file of two records, a faulty file, and other files."""
    path = tmp_path / "problems"
    (path / "deep").mkdir(parents=True)
    (path / "a.sgf").write_text(RIGHT)
    (path / "deep" / "two.SGF").write_text(RIGHT + WRONG)
    (path / "notes.txt").write_text("not a record")
    return path


def test_all_records_are_answered_and_compared(folder, tmp_path):
    (folder / "bad.sgf").write_text("no record")
    out = tmp_path / "out"
    result = run(folder, "--out", out, "--sgf-out", tmp_path / "sgf", "--total", 20, "--json")
    assert result.exit_code == 2, result.output  # the faulty file
    found = json.loads(result.stdout)
    assert found == json.loads((out / "answers.json").read_text())
    assert [each["name"] for each in found["problems"]] == [
        "a.sgf", "bad.sgf", "deep/two.SGF #1", "deep/two.SGF #2"
    ]  # fmt: skip
    assert "has no '(;'" in found["problems"][1]["error"]
    answers = [each for each in found["problems"] if "error" not in each]
    assert [each["record"][0]["agrees"] for each in answers] == [True, True, False]
    assert found["summary"]["differing"] == ["deep/two.SGF #2"]
    for answer in answers:
        assert answer["black_first"]["status"] == "dies" and "white_first" not in answer
        assert all(check(row["certificate"]).accepted for row in answer["questions"])
    assert len(list((tmp_path / "sgf").glob("*.sgf"))) == 3
    assert run(folder, "--out", out, "--svg", tmp_path / "a.svg").exit_code == 2


@pytest.mark.short(1)
@pytest.mark.parametrize("jobs", [1, 2])
def test_a_second_run_resumes(folder, tmp_path, jobs):
    archive, out = tmp_path / "c.zip", tmp_path / "out"
    with zipfile.ZipFile(archive, "w") as made:
        for file in sorted(folder.rglob("*.*")):
            made.write(file, file.relative_to(folder))
    first = run(archive, "--out", out, "--jobs", jobs, "--total", 20)
    assert first.exit_code == 0 and "3 problems: 3 answered completely" in first.stdout
    assert "2 agrees, 1 differs (deep/two.SGF #2), 0 open" in " ".join(first.stdout.split())
    before = json.loads((out / "answers.json").read_text())
    again = run(archive, "--out", out, "--jobs", jobs, "--total", 20)
    after = json.loads((out / "answers.json").read_text())
    assert again.exit_code == 0
    for old, new in zip(before["problems"], after["problems"], strict=True):
        assert old["questions"] == new["questions"]  # nothing was searched again


def test_one_record_of_a_file_is_no_collection(folder):
    two = folder / "deep" / "two.SGF"
    answer = run(two, "--record", 2, "--quick").stdout
    assert "black first: white dies by A1" in answer
    assert collection.is_collection(str(two), None)
    assert not collection.is_collection(str(two), 2)
    assert not collection.is_collection(str(folder / "a.sgf"), None)


@pytest.mark.parametrize(
    ("words", "sentence"),
    [
        (["--crucial", "A3"], "--crucial is for one problem"),
        (["--region", "A1-C3"], "--region is for one problem"),
        (["--at", "1"], "--at is for one problem"),
        (["--jobs", "2", "--patterns", "p"], "--jobs cannot be combined with --patterns"),
        (["--rule", "goal=kill"], "--rule goal=...: the command takes ko"),
        (["--game", "tsumego-7;goal=kill"], "--game tsumego-7;goal=...: the command takes ko"),
    ],
)
def test_options_of_one_problem_are_refused(folder, words, sentence):
    result = run(folder, *words)
    assert result.exit_code == 2 and sentence in result.stderr and not result.stdout


def test_empty_and_damaged_collections_are_refused(tmp_path):
    (tmp_path / "empty").mkdir()
    (tmp_path / "c.zip").write_bytes(b"PK\x03\x04 damaged")
    for name, sentence in (("empty", "holds no SGF file"), ("c.zip", "is no readable ZIP archive")):
        result = run(tmp_path / name)
        assert result.exit_code == 2 and sentence in result.stderr
    with zipfile.ZipFile(tmp_path / "d.zip", "w", zipfile.ZIP_DEFLATED) as made:
        made.writestr("a.sgf", RIGHT * 50)
    data = bytearray((tmp_path / "d.zip").read_bytes())
    data[40:60] = b"\xff" * 20  # inside the compressed record
    (tmp_path / "d.zip").write_bytes(data)
    with zipfile.ZipFile(tmp_path / "e.zip", "w", zipfile.ZIP_LZMA) as made:
        made.writestr("a.sgf", RIGHT * 50)
    data = bytearray((tmp_path / "e.zip").read_bytes())
    data[data.find(b"a.sgf") + 9] = 0xFF  # properties of the LZMA stream
    (tmp_path / "e.zip").write_bytes(data)
    for name in ("d.zip", "e.zip"):
        with pytest.raises(FormatError, match=f"{name} is no readable ZIP archive"):
            collection.members(str(tmp_path / name))
    with zipfile.ZipFile(tmp_path / "big.zip", "w", zipfile.ZIP_DEFLATED) as made:
        made.writestr("big.sgf", b" " * (collection.MAX_BYTES + 1))
    with pytest.raises(FormatError, match="larger than"):
        collection.members(str(tmp_path / "big.zip"))


def test_names_of_members_are_short_and_printable_and_no_names_of_the_commands_files(tmp_path):
    with zipfile.ZipFile(tmp_path / "a.zip", "w") as made:
        for name in ("answers.json.sgf", "run.json.sgf", f"{'a' * 300}.sgf", f"{'a' * 299}.sgf"):
            made.writestr(name, RIGHT)
    (tmp_path / "b").mkdir()
    (tmp_path / "b" / os.fsdecode(b"\xff.sgf")).write_bytes(RIGHT.encode())
    found = [*collection.members(str(tmp_path / "a.zip")), *collection.members(str(tmp_path / "b"))]
    folders = [member.folder for member in found]
    assert len(set(folders)) == len(found) == 5
    assert max(map(len, folders)) <= collection.FOLDER_NAME + 2
    assert not {"answers.json", "run.json"} & set(folders)
    assert all(member.name.encode() for member in found)


def test_the_name_of_a_member_has_one_line_and_a_name_that_is_not_utf8_is_refused(tmp_path):
    with zipfile.ZipFile(tmp_path / "a.zip", "w") as made:
        made.writestr("new\nline\x1b[31m.sgf", RIGHT)
    (member,) = collection.members(str(tmp_path / "a.zip"))
    assert member.name == r"new\nline\x1b[31m.sgf"
    with zipfile.ZipFile(tmp_path / "u.zip", "w") as made:
        made.writestr("\xe9\xe9.sgf", RIGHT)  # not ASCII, so it is marked as UTF-8
    data = (tmp_path / "u.zip").read_bytes().replace("\xe9\xe9".encode(), b"\xff" * 4)
    (tmp_path / "u.zip").write_bytes(data)
    result = run(tmp_path / "u.zip")
    assert (result.exit_code, result.stdout) == (2, "")
    assert "u.zip is no readable ZIP archive (the name of a file in it is not" in result.stderr


@pytest.mark.parametrize(
    ("tree", "expected"),
    [
        ("(;B[ag])(;B[af])", {"A1": True, "A2": None}),
        ("(;B[ag];W[af]C[not correct])(;B[af];W[ag];B[bb]C[CORRECT])", {"A1": False, "A2": True}),
        ("(;C[Black to kill];B[ag]C[正解])(;B[af])", {"A1": True, "A2": False}),
        ("(;B[ag]TE[1])(;B[tt])", {"A1": True, "pass": False}),
        ("(;B[ag]C[+])(;B[zz])", {"A1": True}),
        (";C[No move here]", {}),
    ],
)  # fmt: skip
def test_the_solution_of_a_record(tree, expected):
    marked = sgf_problem.read_marked(f"(;{STONES}PL[B]{tree})")
    assert {each.move: each.right for each in marked.solution} == expected
    assert all(each.player == 0 for each in marked.solution)
