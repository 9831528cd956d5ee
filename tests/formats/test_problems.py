"""Problem sets: published sets load as intended, ours are read and written, bad ones refused."""

from __future__ import annotations

import json
import os
import re

import numpy as np
import pytest

from jaxsolve.formats import position, problems
from jaxsolve.formats.record import FormatError
from jaxsolve.games import make
from jaxsolve.question import Claim, Problem, default_claim
from jaxsolve.search import solve

LONG = os.environ.get("JAXSOLVE_LONG") == "1"
HEX = {
    "format": "jaxsolve-problems",
    "version": 1,
    "rules": "hex-3",
    "source": "made up",
    "problems": [
        {"id": "first", "moves": "b2", "expected": "disproved"},
        {
            "id": 2,
            "position": "X../.../..O b",
            "moves": "a2 c2",
            "claim": {"player": "white", "result": "wins"},
            "notes": {"seen": 1},
        },
    ],
}


def write(folder, data, name="set.json"):
    file = folder / name
    file.write_text(data if isinstance(data, str) else json.dumps(data), encoding="utf-8")
    return file


def test_the_example_of_the_documentation_expects_what_is_proved(tmp_path):
    text = problems.__doc__.partition("code-block:: json")[2].partition("* ``rules``")[0]
    found = problems.load(write(tmp_path, text))
    assert [problem.expected for problem in found] == ["proved", None]
    for problem in found:
        result = solve(problem.game, problem.state, claim=problem.claim)
        assert problem.expected in (None, result.verdict.value)


@pytest.mark.smoke
def test_our_format(tmp_path):
    first, second = problems.load(write(tmp_path, HEX))
    game = make("hex-3")
    assert (first.id, first.game, game.text(first.state)) == ("first", game, ".../.X./... w")
    assert first.claim == Claim(1) and first.expected == "disproved" and first.source == "made up"
    assert (second.id, game.text(second.state), second.claim) == ("2", "X../X.O/..O b", Claim(1))
    assert [problem.id for problem in problems.load(tmp_path / "set.json", ids=["2", "first"])] == [
        "2",
        "first",
    ]


def test_written_problems_read_back_equal(tmp_path):
    awari = make("awari")
    mixed = [
        *problems.load(write(tmp_path, HEX)),
        Problem("sown", awari, awari.init(), Claim(0, "does-not-lose"), title="start"),
    ]
    back = problems.load(write(tmp_path, problems.dump(mixed, title="mixed"), "out.json"))
    for old, new in zip(mixed, back, strict=True):
        assert old.game.text(old.state) == new.game.text(new.state)
        for name in ("id", "game", "claim", "title", "source", "expected", "notes"):
            assert getattr(old, name) == getattr(new, name)


def test_default_claims():
    for rules, claim in {
        "killallgo-9": Claim(1),
        "killallgo-7": Claim(1),
        "tsumego-5;goal=live;defender=white": Claim(1),
        "tsumego-5;goal=kill;defender=white": Claim(0),
        "hex-4": Claim(0),
        "awari": Claim(0),
    }.items():
        game = make(rules)
        assert default_claim(game, game.init()) == claim


def changed(**fields):
    return HEX | fields


def entry(**fields):
    return HEX | {"problems": [{"id": "x"} | fields]}


REFUSED = {
    "not JSON": ("{", "set.json: line 1: not valid JSON"),
    "nested without end": ("[" * 100_000, "set.json: .*nested too deeply"),
    "a name twice": (
        '{"format": "jaxsolve-problems", "version": 1, "version": 1}',
        "set.json: .*'version' twice",
    ),
    "a name twice in a problem": (
        json.dumps(HEX)[:-2] + ', {"id": "x", "id": "y"}]}',
        "set.json: .*'id' twice",
    ),
    "no number": ('{"version": NaN}', "set.json: .*NaN"),
    "a number without end": ('{"version": ' + "1" * 5000 + "}", "set.json: "),
    "winners that are none": (
        {"winners": {"3": 5}},
        "set.json: field 'winners' gives '3' the value 5",
    ),
    "winners of no size": ({"winners": {"x": {"a1": "b"}}}, "set.json: field 'winners' gives 'x'"),
    "moves that are no pairs": (
        {"goal": "five", "source": "", "problems": [{"id": 1, "size": 9, "moves": [["b"]]}]},
        "set.json: problem 1",
    ),
    "a long id": (
        changed(problems=[{"id": "x" * 300}]),
        "set.json: id .* is longer than 200 bytes",
    ),
    "an option twice": (
        entry(rules="go-5;ko=positional;ko=simple"),
        "set.json: problem x: .*'ko=simple' gives an option twice",
    ),
    "an option without value": (
        entry(rules="go-5;ko"),
        "set.json: problem x: .*'ko' is not of the form",
    ),
    "a list": ([], "set.json.*list"),
    "no known set": ({"problems": [{"id": 1}]}, "set.json.*jaxsolve-problems"),
    "version": (changed(version=2), "set.json: version 2"),
    "unknown field of the set": (changed(rule="hex-3"), "set.json: unknown field 'rule'"),
    "no problems": (changed(problems=[]), "set.json: field 'problems'"),
    "no id": (changed(problems=[{"moves": "a1"}]), "set.json: entry 1"),
    "id that is no name": (changed(problems=[{"id": "../x"}]), "set.json: id '../x'"),
    "id twice": (changed(problems=[{"id": "1"}, {"id": 1}]), "set.json: id '1'"),
    "unknown field": (entry(move="a1"), "set.json: problem x: unknown field 'move'"),
    "unknown rules": (entry(rules="chess"), "set.json: problem x: unknown game 'chess'"),
    "illegal move": (entry(moves="a1 b2 a1"), "set.json: problem x: move 3: black may not play a1"),
    "no move": (entry(moves="a1 z9"), "set.json: problem x: move 2"),
    "moves as a list": (entry(moves=["a1"]), "set.json: problem x: field 'moves'"),
    "bad position": (entry(position="X../... b"), "set.json: problem x"),
    "claim": (entry(claim={"player": "red"}), "set.json: problem x: field 'claim'"),
    "claim result": (
        entry(claim={"player": "black", "result": "draws"}),
        "set.json: problem x: claim result 'draws'",
    ),
    "expected": (entry(expected="won"), "set.json: problem x: expected 'won'"),
}


@pytest.mark.parametrize("name", REFUSED)
def test_a_bad_file_is_refused_with_problem_and_field(tmp_path, name):
    data, sentence = REFUSED[name]
    with pytest.raises(FormatError, match=sentence) as caught:
        problems.load(write(tmp_path, data))
    assert "\n" not in str(caught.value)


def test_other_failures_are_sentences_too(tmp_path):
    file = write(tmp_path, HEX)
    with pytest.raises(FormatError, match="no problem '7'; it has first, 2"):
        problems.load(file, ids=["7"])
    with pytest.raises(FormatError, match="no problem is named; it has first, 2"):
        problems.load(file, ids=[])
    with pytest.raises(FormatError, match="problem 'first' is given twice"):
        problems.load(file, ids=["first", "2", "first"])
    with pytest.raises(FormatError, match="No such file"):
        problems.load(tmp_path / "absent.json")
    with pytest.raises(FormatError, match="unknown option 'ko'"):
        problems.load(file, options={"ko": "simple"})
    (tmp_path / "latin.json").write_bytes(b'{"title": "\xe9"}')
    with pytest.raises(FormatError, match="UTF-8"):
        problems.load(tmp_path / "latin.json")


def test_forms_of_a_position(tmp_path):
    file = write(tmp_path, HEX)
    game = make("hex-3")
    for typed, expected in {
        f"{file}:first": ".../.X./... w",
        "start": ".../.../... b",
        "moves:a1 c3": "X../.../..O b",
        "X../.../..O b": "X../.../..O b",
    }.items():
        problem = position.resolve(typed, game=None if ":first" in typed else "hex-3")
        assert problem.game == game and game.text(problem.state) == expected
    for typed, sentence in {
        "foo": "no file",
        "moves:a1 a1": "move 2",
        "x.sgf": "x.sgf",
        str(file): "ID; it has first, 2",
        f"{file}:9": "no problem",
    }.items():
        with pytest.raises(FormatError, match=sentence):
            position.resolve(typed, game="hex-3")
    with pytest.raises(FormatError, match="--game"):
        position.resolve("start")


@pytest.mark.parametrize(
    ("fields", "text"),
    [
        ({"position": "moves:b2"}, ".../.X./... w"),
        ({"position": "moves:b2 a1"}, "O../.X./... b"),
        ({"position": "moves:b2", "moves": "a1"}, "O../.X./... b"),
        ({"position": "moves:"}, ".../.../... b"),
        ({"position": "start", "moves": "b2"}, ".../.X./... w"),
    ],
)
def test_a_problem_file_takes_moves_as_a_position_like_the_command_line(tmp_path, fields, text):
    file = write(tmp_path, HEX | {"problems": [{"id": "x"} | fields]})
    (problem,) = problems.load(file)
    assert problem.game.text(problem.state) == text
    if "moves" not in fields:
        typed = position.resolve(fields["position"], game="hex-3")
        assert problem.game.text(typed.state) == text


def test_a_bad_move_in_the_position_of_a_problem_is_named(tmp_path):
    file = write(tmp_path, HEX | {"problems": [{"id": "x", "position": "moves:b2 b2"}]})
    with pytest.raises(FormatError, match=r"set\.json: problem x: move 2: white may not play b2"):
        problems.load(file)


def test_start_and_moves_are_never_file_names(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    game = make("hex-3")
    (tmp_path / "start").write_text("X../.../... w")
    (tmp_path / "moves:a1").write_text("X../.../..O b")
    texts = {
        typed: game.text(position.resolve(typed, game="hex-3").state)
        for typed in ("start", "./start", "moves:a1")
    }
    assert texts == {
        "start": ".../.../... b",
        "./start": "X../.../... w",
        "moves:a1": "X../.../... w",
    }


def test_an_option_given_twice_is_refused():
    for game in ("go-5;ko=positional;ko=simple", "go-5;ko=simple;ko=simple"):
        with pytest.raises(FormatError, match="gives an option twice"):
            position.resolve("start", game=game)


# ---- letters of Gomoku columns -------------------------------------------------------------------
LETTERS = {  # moves, --letters, GTP moves, remark
    "no letter tells": ("A1 H8", None, "A1 H8", ""),
    "both readings are legal": ("H8 J9", None, "H8 J9", "GTP letters.*--letters renju"),
    "chosen GTP": ("H8 J9", "gtp", "H8 J9", ""),
    "chosen Renju": ("H8 J9 O1", "renju", "H8 K9 P1", ""),
    "only Renju has I": ("h8 i9 J10", None, "H8 J9 K10", "Renju letters"),
    "only GTP has P on this board": ("P1 J10", None, "P1 J10", ""),
}


@pytest.mark.parametrize("name", LETTERS)
def test_columns_with_and_without_the_letter_i(name):
    moves, kind, expected, sentence = LETTERS[name]
    said = []
    game = make("gomoku-15;knowledge=ndk")
    read = position.resolve(f"moves:{moves}", game=game.rule_set, letters=kind, remark=said.append)
    plain = position.resolve(f"moves:{expected}", game=game.rule_set, letters="gtp")
    assert game.text(read.state) == game.text(plain.state)
    assert len(said) == (sentence != "") and (not sentence or re.search(sentence, said[0]))


@pytest.mark.parametrize(
    ("typed", "kind", "game", "sentence"),
    [
        ("moves:H8 I9 P1", None, "gomoku-15", "move 2: .*I9"),
        ("moves:H8 I9", "gtp", "gomoku-15", "move 2: .*I9"),
        ("moves:H8 P1", "renju", "gomoku-15", "move 2: P1 is outside the 15x15 board"),
        ("moves:H8", "welsh", "gomoku-15", "welsh"),
        ("moves:a1", "renju", "hex-3", "for Gomoku, not for hex-3"),
        ("start", "renju", "gomoku-15", "typed moves"),
    ],
)
def test_bad_letters_are_refused(typed, kind, game, sentence):
    with pytest.raises(FormatError, match=sentence):
        position.resolve(typed, game=game, letters=kind)


# ---- the reference folder ------------------------------------------------------------------------
SETS = {
    "gomoku15_pcn": (58, "gomoku-15"),
    "killallgo9_pcn": (61, "killallgo-9"),
    "killallgo7_easy": (54, "killallgo-7"),
    "killallgo7_openings16": (16, "killallgo-7"),
    "killallgo7_rzone20": (20, "tsumego-7"),
    "tsumego19_rzone": (71, "tsumego-19"),
    "hex_midgame": (30, "hex-"),
    "hex_openings": (162, "hex-"),
}


@pytest.mark.parametrize("name", SETS)
def test_every_problem_of_a_published_set_loads(shared, name):
    count, rules = SETS[name]
    loaded = problems.load(shared / "problems" / f"{name}.json")
    assert len(loaded) == count
    for problem in loaded if LONG else loaded[:3]:
        assert problem.game.rule_set.startswith(rules)
        text = problem.game.text(problem.state)
        assert problem.game.text(problem.game.parse(text)) == text
        assert problem.source
    assert (
        len({problem.game.text(problem.state) + problem.game.rule_set for problem in loaded})
        == count
    )


def test_stones_of_a_position_without_captures_are_those_of_the_record(shared):
    path = shared / "problems" / "gomoku15_pcn.json"
    entries = {str(item["id"]): item for item in json.loads(path.read_text())["problems"]}
    for problem in problems.load(path, ids=["1", "31"], options={"knowledge": "ndk"}):
        cells = np.asarray(problem.game.cells(problem.state))
        for side, text in entries[problem.id]["moves"]:
            column, row = "ABCDEFGHJKLMNOP".index(text[0]), 15 - int(text[1:])
            assert cells[row, column] == "BW".index(side) + 1
        assert (cells > 0).sum() == len(entries[problem.id]["moves"])


def test_rule_options_replace_those_of_the_set(shared):
    folder = shared / "problems"
    (one,) = problems.load(folder / "gomoku15_pcn.json", ids=["31"])
    (two,) = problems.load(folder / "gomoku15_pcn.json", ids=["31"], options={"knowledge": "ndk"})
    assert (one.expected, two.expected) == ("proved", "proved")
    assert "knowledge=4t" in one.game.rule_set and "knowledge=ndk" in two.game.rule_set
    (three,) = problems.load(
        folder / "killallgo9_pcn.json", ids=["26"], options={"ko": "situational"}
    )
    assert three.expected is None and "ko=situational" in three.game.rule_set
    (four,) = problems.load(
        folder / "killallgo7_rzone20.json",
        ids=["1"],
        options={"rules": "killallgo-7", "ko": "situational"},
    )
    assert four.game.rule_set.startswith("killallgo-7;ko=situational")


def test_an_illegal_move_in_a_published_record_is_refused(shared, tmp_path):
    data = json.loads((shared / "problems" / "killallgo7_openings16.json").read_text())
    data["problems"][2]["moves"][3][1] = data["problems"][2]["moves"][2][1]
    with pytest.raises(FormatError, match=r"copy.json: problem JC: move 4: white may not play"):
        problems.load(write(tmp_path, data, "copy.json"))


def test_stones_that_differ_from_the_moves_are_refused(shared, tmp_path):
    data = json.loads((shared / "problems" / "hex_midgame.json").read_text())
    data["problems"][0]["black"][0] = "c1"
    with pytest.raises(FormatError, match=r"copy.json: problem 6x6-00: field black"):
        problems.load(write(tmp_path, data, "copy.json"))
