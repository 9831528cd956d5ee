"""The command ``jaxsolve tsumego``: textbook shapes with accepted proofs, SGF records that read
back, bad input, resumption.
"""

from __future__ import annotations

import json
import xml.etree.ElementTree as ET
from pathlib import Path

import pytest
from sgfmill import sgf as peers
from typer.testing import CliRunner

from jaxsolve import cli, search
from jaxsolve.commands import tsumego_questions
from jaxsolve.formats import sgf
from jaxsolve.games import make
from jaxsolve.games.boards.board_text import parse_board
from jaxsolve.proof import reading
from jaxsolve.proof.check import check
from jaxsolve.tsumego import setup, status, variations
from support.proofs import solver as proof_tools
from support.tsumego_shapes import ALL, SHAPES

BENT_THREE = SHAPES["bent three"].board


def run(*words):
    return CliRunner().invoke(cli.app, ["tsumego", *(str(word) for word in words)])


def study_json(board: str, *words) -> dict:
    """The command's JSON."""
    result = run(f"{board} b", "--game", f"tsumego-{board.count('/') + 1}", "--json", *words)
    assert result.exit_code in (0, 10), result.output
    assert result.stdout.count("\n") == 1
    return json.loads(result.stdout)


def record_of(board: str, marks: str = "", more: str = "") -> str:
    cells = parse_board(board, board.count("/") + 1)
    points = {1: "", 2: ""}
    for y, row in enumerate(cells):
        for x, cell in enumerate(row):
            if cell:
                points[int(cell)] += f"[{chr(97 + x)}{chr(97 + y)}]"
    return f"(;GM[1]SZ[{len(cells)}]AB{points[1]}AW{points[2]}{marks}{more})"


# ---- textbook shapes -----------------------------------------------------------------------------
@pytest.mark.parametrize("name", SHAPES)
def test_a_textbook_shape_has_its_textbook_status_and_every_proof_is_accepted(name, tmp_path):
    shape = SHAPES[name]
    found = study_json(shape.board, "--out", tmp_path / "out")
    assert found["defender"] == "white"
    for side, expected, right in (
        ("black", shape.black_first, shape.black_right),
        ("white", shape.white_first, shape.white_right),
    ):
        first = found[f"{side}_first"]
        assert (first["status"], sorted(first["right"]), first["complete"]) == (
            expected,
            sorted(right),
            True,
        )
    assert len(found["questions"]) >= 2
    for row in found["questions"]:
        report = check(row["certificate"])
        assert report.accepted and row["checked"]
        assert (report.rules, report.root) == (row["rules"], row["position"])
        assert report.claim == (
            row["claim"] if row["verdict"] == "proved" else f"{OTHER[row['claim'].split()[0]]} wins"
        )


OTHER = {"black": "white", "white": "black"}


@pytest.mark.parametrize(
    "name", ["straight three", "bent three", "square four", "seki", "bent four around the corner"]
)
def test_answers_equal_exhaustion_by_the_checkers_rules(name):
    """An independent solver of tiny positions answers all four questions, for either side first and
    after every first move.
    """
    given = setup.read(f"{ALL[name][0]} b", "tsumego-7", {})
    task = setup.choose(given, None, None)
    found = study_json(ALL[name][0])
    for side, player in (("black", 0), ("white", 1)):
        first, root = found[f"{side}_first"], task.root(player)
        answers = {}
        for question in (
            status.LIVE_AGAINST,
            status.KILL_AGAINST,
            status.LIVE_FOR,
            status.KILL_FOR,
        ):
            answers[question] = exhausted(task, question, root)
            assert first["answers"].get(question.name, answers[question]) is answers[question]
        assert first["status"] == status.status(answers, player == task.defender).value
        aim = status.best_aim(answers, player == task.defender)
        replies = proof_tools.rules_of("go", task.rules(status.LIVE_FOR)).replies
        for move in first["moves"]:
            after = replies(proof_tools.rules_of("go", task.rules(status.LIVE_FOR)).position(root))[
                move["move"]
            ]
            assert move["right"] is (
                aim is not None and exhausted(task, aim.question, after) is aim.wanted
            )


def exhausted(task, question, text) -> bool | None:
    """The answer to a question by exhausting the graph of positions."""
    rules = proof_tools.rules_of("go", task.rules(question))
    positions = proof_tools.reachable(rules, text)
    goal = task.defender if question.goal == "live" else 1 - task.defender
    won = [
        text in proof_tools.attractor(rules, positions, player, True) for player in (goal, 1 - goal)
    ]
    return True if won[0] else False if won[1] else None


def test_verdicts_of_closed_regions_hold_on_the_whole_board():
    board = ".X.X./XXXXX/OOOOX/...OX/OOOOX"  # the walls have two eyes of their own
    whole, inside = (
        study_json(board, "--region", "all", "--crucial", "A3"),
        study_json(board, "--crucial", "A3"),
    )
    assert whole["region"] is None and len(inside["region"]) < 25
    for side, status_ in (("black_first", "dies"), ("white_first", "lives")):
        assert whole[side]["status"] == inside[side]["status"] == status_
        assert (
            whole[side]["holds"] == "on the whole board"
            and inside[side]["holds"] == "whatever is played outside the region"
        )
        assert inside[side]["right"] == ["B2"] and set(inside[side]["right"]) <= set(
            whole[side]["right"]
        )
    areas = [
        set(study_json(board, "--region", region, "--crucial", "A3")["region"])
        for region in ("A1-B2,D2", "B2-A1,D2", "A1,B1,A2,B2,D2")
    ]
    assert areas[0] == areas[1] == areas[2] == {"A1", "B1", "A2", "B2", "D2"}


def test_killall_go_asks_whether_white_lives():
    board = "......./......./......./......./XXXXXX./OOOOOX./....OX."
    found = json.loads(run(f"{board} w", "--game", "killallgo-7", "--json", "--nodes", "60").stdout)
    assert found["crucial"] is None and found["region"] is None
    assert found["white_first"]["status"] == "lives" and {"B1", "C1"} <= set(
        found["white_first"]["right"]
    )
    assert {row["rules"].split(";")[0] for row in found["questions"]} == {"killallgo-7"}
    assert all(row["checked"] for row in found["questions"] if row["verdict"] != "unknown")


def test_a_ko_that_is_banned_binds_the_side_it_was_taken_from_alone():
    given = setup.read(
        "......./......./......./......./X....../.X...../XO..... w ko=A2", "tsumego-7", {}
    )
    task = setup.choose(given, "B1", "all")
    assert "ko=A2" in task.root(1) and "ko" not in task.root(0)


# ---- choice of stones and region -----------------------------------------------------------------
def test_scope_is_empty_where_passes_or_captures_lift_a_ban():
    """Black may not retake at A5. Inside the corner that makes a seki; on the whole board any move
    is a threat and kills.
    """
    fight = "O.OXX./.OOXXX/OXXX.X/XXXXXX/.X..XX/XXXXXX b"
    for text, options, beyond in (
        (f"{fight} ko=A5", {}, False),
        (fight, {}, True),
        (fight, {"fill_eyes": "false"}, False),
    ):
        task = setup.choose(setup.read(text, "tsumego-6", options), "C5", None)
        assert not task.whole and task.scope.defender is beyond, (text, options)


def test_no_file_is_written_over_the_record_or_another(tmp_path):
    record = tmp_path / "in.sgf"
    record.write_text(before := record_of(BENT_THREE))
    problems = tmp_path / "set.json"
    problems.write_text(
        json.dumps(
            {
                "format": "jaxsolve-problems",
                "version": 1,
                "rules": "tsumego-7",
                "problems": [{"id": "a"}],
            }
        )
    )
    same = ("--svg", tmp_path / "x", "--sgf-out", tmp_path / "x")
    own = ("--out", tmp_path / "run", "--svg", tmp_path / "run" / "run.json")
    (tmp_path / "run").mkdir()
    for words in (
        ("--sgf-out", record),
        ("--svg", record),
        same,
        own,
        ("--svg", ""),
        ("--sgf-out", "/"),
        ("--svg", tmp_path / "none" / "x"),
    ):
        result = run(record, *words)
        assert result.exit_code == 2 and words[-2] in result.stderr, result.output
    result = run(f"{problems}:a", "--sgf-out", problems)
    assert result.exit_code == 2 and "is read from" in result.stderr
    for words in (
        ["show", record, "--sgf", record],
        ["show", record, "--svg", record],
        ["show", f"{problems}:a", "--svg", problems],
    ):
        result = CliRunner().invoke(cli.app, [*map(str, words)])
        assert result.exit_code == 2 and "is read from" in result.stderr
    assert (
        record.read_text() == before
        and json.loads(problems.read_text())["rules"] == "tsumego-7"
        and len(list(tmp_path.iterdir())) == 3
    )


@pytest.mark.parametrize(
    ("marks", "words", "crucial", "sentence"),
    [
        ("TR[be]", [], ["B3"], "marked in the record by TR"),
        ("MA[be][bf]LB[aa:x]", [], ["B2", "B3"], "marked in the record by MA"),
        ("CR[ae]MA[ag]", [], ["A3"], "marked in the record by CR"),
        ("SQ[ae:be]", [], ["A3", "B3"], "marked in the record by SQ"),
        ("TR[be]", ["--crucial", "c1,C2"], ["C1", "C2"], "named with --crucial"),
        ("", [], ["C1", "B2", "C2", "A3", "B3"], "proposed: the weakest enclosed group"),
    ],
)
def test_crucial_stones_are_taken_from_words_marks_or_the_board(
    tmp_path, marks, words, crucial, sentence
):
    file = tmp_path / "a.sgf"
    file.write_text(record_of(BENT_THREE, marks))
    found = json.loads(run(file, "--json", *words).stdout)
    assert found["crucial"] == crucial and sentence in found["chosen"]["crucial"]
    assert (found["black_first"]["status"], found["white_first"]["status"]) == ("dies", "lives")


@pytest.mark.parametrize(
    ("marks", "words", "sentence"),
    [
        ("TR[ae][ad]", [], "TR names stones of both colours, black at A4 and white at A3"),
        ("TR[aa]", [], "TR names A7, where there is no stone"),
        ("TR[ae]SQ[be]", [], "TR and SQ mark stones, and only one kind of mark"),
        ("TR[ae]", ["--crucial", "A1"], "--crucial names A1, where there is no stone"),
        ("TR[ae]", ["--crucial", "A3,A4"], "--crucial names stones of both colours"),
        ("", ["--crucial", "Z9"], "'Z9' is not a point of a 7x7 board"),
        ("", ["--crucial", "A3,A3"], "names A3 twice"),
        ("", ["--region", "A1,J9"], "'J9' is not a point of a 7x7 board"),
        ("", ["--region", "A1-B2,B1"], "names B1 twice"),
        ("", ["--region", "A1-B2-C3"], "'B2-C3' is not a point"),
        ("", ["--region", ""], "--region"),
        ("", ["--rule", "goal=kill"], "--rule goal=...: the command takes ko, fill_eyes and"),
        ("", ["--game", "hex-7"], "Go"),
        ("", ["--game", "tsumego-9"], "size 7"),
        ("", ["--game", "killallgo-7", "--crucial", "A3"], "leave out --crucial and --region"),
    ],
)
def test_bad_input_gets_one_sentence(tmp_path, marks, words, sentence):
    file = tmp_path / "a.sgf"
    file.write_text(record_of(BENT_THREE, marks))
    result = run(file, *words)
    assert result.exit_code == 2 and sentence in result.stderr, result.output
    assert result.stderr.count("\n") == 1 and "Traceback" not in result.output


@pytest.mark.parametrize(
    ("content", "sentence"),
    [
        ("(;GM[1]SZ[7])", "no group is enclosed"),
        ("(;GM[1]SZ[3]AB[aa][ab][ba][bb])", "no group is enclosed"),
        ("(;GM[1]SZ[3]AB[ba][ab]AW[aa])", "no liberty"),
        ("(;GM[4]SZ[7])", "Gomoku"),
        ("nonsense", "not an SGF record"),
        ("", "not an SGF record"),
    ],
)
def test_a_record_without_a_problem_gets_one_sentence(tmp_path, content, sentence):
    file = tmp_path / "a.sgf"
    file.write_text(content)
    result = run(file, "--json")
    assert result.exit_code == 2 and sentence in json.loads(result.stdout)["error"], result.output
    assert run(tmp_path / "absent.sgf").exit_code == 2


# ---- records and pictures ------------------------------------------------------------------------
def test_the_record_reads_back_with_right_and_wrong_moves(tmp_path):
    source, record, picture = tmp_path / "a.sgf", tmp_path / "out.sgf", tmp_path / "out.svg"
    source.write_text(record_of(BENT_THREE, "TR[be]", ";B[ag](;W[bg])(;W[af])"))
    result = run(source, "--sgf-out", record, "--svg", picture)
    assert result.exit_code == 0, result.output
    for part in (
        "black first: white dies by A1",
        "white first: white lives with A1",
        "right",
        "wrong",
        "captured",
        "proofs accepted by the checker",
    ):
        assert part in result.stdout
    game = peers.Sgf_game.from_bytes(record.read_bytes())
    root = game.get_root()
    assert "white dies by A1" in root.get("C") and root.get("TR") == {(2, 1)}
    seen = {}
    for node in root:
        colour, (row, column) = node.get_move()
        name = f"{'ABCDEFG'[column]}{row + 1}"
        assert node.has_property("TE") != node.has_property("BM")
        assert node.get("C").startswith("Right: " if node.has_property("TE") else "Wrong: ")
        seen[colour, name] = node.has_property("TE")
        play(make("tsumego-7"), f"{BENT_THREE} {colour}", node)
    assert {move for move, right in seen.items() if right} == {("b", "A1"), ("w", "A1")} and len(
        seen
    ) == 6
    again = json.loads(run(record, "--json").stdout)
    assert again["crucial"] == ["B3"] and again["black_first"]["right"] == ["A1"]
    texts = [
        element.text
        for element in ET.fromstring(picture.read_text()).iter()
        if element.tag.endswith("text")
    ]
    assert "BW" in texts and "black first: white dies" in texts


def play(game, text, node) -> None:
    """Every variation below a node is legal, and the comments name its end."""
    rules = proof_tools.rules_of("go", game.rule_set)
    _, point = node.get_move()
    move = "pass" if point is None else f"{'ABCDEFG'[point[1]]}{point[0] + 1}"
    after = rules.replies(rules.position(text))[move]
    if len(node) == 0 and "captured" in (node.get("C") if node.has_property("C") else ""):
        assert after.split()[0].split("/")[4][1] != "O"  # B3 is gone
    for child in node:
        play(game, after, child)


@pytest.mark.parametrize("words", [(), ("--rule", "ko=situational")], ids=["simple ko", "superko"])
def test_variations_are_legal_play_from_the_proofs(words, tmp_path):
    found = study_json(SHAPES["with an outside liberty"].board, "--out", tmp_path, *words)
    assert (found["black_first"]["status"], found["white_first"]["status"]) == (
        "dies in ko",
        "lives",
    )
    for row in found["questions"]:
        proof = reading.read(row["certificate"])
        assert (
            proof is not None
            and len(proof.nodes) == row["certificate_nodes"]
            and proof.position == row["position"]
        )
        assert proof.nodes[proof.root].depth == max(
            (1 + proof.nodes[edge.child].depth for edge in proof.nodes[proof.root].moves), default=0
        )
        rules = proof_tools.rules_of("go", row["rules"])
        todo = [(proof.position, step) for step in variations.variations(proof)]
        assert bool(todo) == bool(proof.nodes[proof.root].moves)
        while todo:
            text, step = todo.pop()
            position = rules.position(text)
            assert rules.side(position) == step.player
            after = rules.replies(position)[step.move]
            verdict = rules.verdict(rules.position(after))
            assert step.end == ("" if verdict is None else verdict.reason)
            todo += [(after, following) for following in step.after]
    assert (
        reading.read(found["questions"][0]["certificate"], most_nodes=1) is None
        or found["questions"][0]["certificate_nodes"] == 1
    )
    with pytest.raises(ValueError, match="not gzip"):
        damaged = tmp_path / "damaged.gz"
        damaged.write_text("x")
        reading.read(damaged)


def test_the_first_marked_position_of_a_record_with_variations_is_the_problem(tmp_path):
    file = tmp_path / "a.sgf"
    file.write_text(record_of(BENT_THREE, "PL[B]RU[Japanese]", ";B[ag](;W[bg]C[no])(;W[af])"))
    given = setup.read(str(file), None, {})
    assert (
        given.where == "the position before the variations"
        and given.board == BENT_THREE
        and given.side == 0
    )
    assert sgf.read_marked(file.read_bytes()).record.to_move == 0


# ---- limits, resumption, interruption ------------------------------------------------------------
def test_a_second_run_searches_nothing_again_and_trusts_no_damaged_proof(tmp_path, monkeypatch):
    searched = []
    book = tsumego_questions.QuestionSolver._book
    monkeypatch.setattr(
        tsumego_questions.QuestionSolver,
        "_book",
        lambda self, problem, result: searched.append(problem.id) or book(self, problem, result),
    )
    out = tmp_path / "out"
    first = study_json(BENT_THREE, "--out", out)
    count = len(searched)
    assert count == len(first["questions"])
    again = study_json(BENT_THREE, "--out", out)
    assert len(searched) == count
    assert [row["id"] for row in again["questions"]] == [row["id"] for row in first["questions"]]
    proof = Path(first["questions"][0]["certificate"])
    proof.write_bytes(proof.read_bytes()[:-9])
    assert study_json(BENT_THREE, "--out", out)["black_first"] == first["black_first"]
    assert searched[count:] == [first["questions"][0]["id"]] and check(proof).accepted


def test_a_folder_is_one_questions_own(tmp_path):
    study_json(BENT_THREE, "--out", tmp_path / "out")
    for words in (["--crucial", "B3"], ["--region", "all"]):
        result = run(f"{BENT_THREE} b", "--game", "tsumego-7", "--out", tmp_path / "out", *words)
        assert result.exit_code == 2 and "holds the run of another question" in result.stderr
    (tmp_path / "other").mkdir()
    (tmp_path / "other" / "mine.txt").write_text("mine")
    assert run(f"{BENT_THREE} b", "--game", "tsumego-7", "--out", tmp_path / "other").exit_code == 2
    assert [file.name for file in (tmp_path / "other").iterdir()] == ["mine.txt"]


def test_limits_leave_unknown_what_a_later_run_answers(tmp_path):
    board = SHAPES["rectangular six in the corner"].board
    out = tmp_path / "out"
    result = run(f"{board} b", "--game", "tsumego-7", "--out", out, "--nodes", "1", "--json")
    assert result.exit_code == 10
    found = json.loads(result.stdout)
    assert found["black_first"]["status"] == "unknown" and found["black_first"]["holds"] is None
    spent = run(f"{board} b", "--game", "tsumego-7", "--out", out, "--total", "1e-9", "--json")
    assert spent.exit_code == 10 and "used up" in spent.stderr
    assert study_json(board, "--out", out)["black_first"]["status"] == "dies"


def test_what_a_total_leaves_has_the_move_that_is_proved():
    board = SHAPES["rectangular six in the corner"].board
    for total in ("0.2", "0.4", "0.8"):
        result = run(f"{board} b", "--game", "tsumego-7", "--json", "--total", total)
        found = json.loads(result.stdout)["black_first"]
        assert result.exit_code in (0, 10) and (
            found["status"] != "dies" or found["right"] == ["B2"]
        ), found
        for move in found["moves"]:
            assert move["right"] is not True or (
                move["line"][0] == "B2" and len(move["line"]) > 1 and move["shows"]
            )


def test_a_seki_is_shown_as_one():
    """The variation ends with both sides passing if the proof has such a line, not with a failed
    attempt at more.
    """
    found = study_json("......./......./......./......./XXXXXXX/OOOOOOO/.XXX..O")
    shown = [
        move
        for side in ("black", "white")
        for move in found[f"{side}_first"]["moves"]
        if move["status"] == "seki"
    ]
    assert shown and all(
        move["end"] == "both pass" and move["shows"] in ("not captured", "no two eyes")
        for move in shown
    ), shown


def test_games_and_positions_that_ask_nothing_are_refused():
    for words in (
        (f"{BENT_THREE} b", "--game", "go-7"),
        (f"{BENT_THREE} b passes=1", "--game", "tsumego-7"),
    ):
        result = run(*words)
        assert result.exit_code == 2 and (
            "tsumego-7 or killallgo-9" in result.stderr or "a position with passes" in result.stderr
        )


def test_check_takes_a_folder(tmp_path):
    study_json(BENT_THREE, "--out", tmp_path / "out")
    result = CliRunner().invoke(cli.app, ["check", str(tmp_path / "out")])
    assert result.exit_code == 0 and result.stdout.endswith("proofs accepted\n")
    some = sorted((tmp_path / "out").rglob("proof.jsonl.gz"))
    (tmp_path / "links").mkdir()
    (tmp_path / "links" / "one").symlink_to(tmp_path / "out")
    (tmp_path / "links" / "round").symlink_to(tmp_path / "links")
    result = CliRunner().invoke(cli.app, ["check", str(tmp_path / "links"), "--json"])
    assert result.exit_code == 0 and json.loads(result.stdout)["accepted"] == len(some)
    result = CliRunner().invoke(
        cli.app, ["check", str(some[0]), str(some[0])]
    )  # named twice, checked once
    assert result.exit_code == 0 and "of 1 proofs" not in result.stdout
    some[0].write_bytes(b"")
    result = CliRunner().invoke(cli.app, ["check", *map(str, some), "--json"])
    assert result.exit_code == 2 and json.loads(result.stdout)["accepted"] == len(some) - 1
    assert (
        CliRunner()
        .invoke(cli.app, ["check", str(tmp_path), "--flatten", str(tmp_path / "flat")])
        .exit_code
        == 2
    )


def test_a_row_without_its_question_is_refused(tmp_path):
    study_json(BENT_THREE, "--out", tmp_path / "out")
    record = tmp_path / "out" / "results.jsonl"
    first, *others = record.read_text().splitlines()
    row = json.loads(first)
    del row["rules"]
    record.write_text("\n".join([json.dumps(row), *others]) + "\n")
    result = run(f"{BENT_THREE} b", "--game", "tsumego-7", "--out", tmp_path / "out")
    assert result.exit_code == 2 and "'rules' is missing" in result.stderr


def test_ctrl_c_reports_what_is_known_and_the_next_run_resumes(tmp_path, monkeypatch):
    solve_pool, out = search.solve_pool, tmp_path / "out"
    calls = []

    def interrupted(problems, **options):
        calls.append(problems)
        if len(calls) == 3:
            raise KeyboardInterrupt
        yield from solve_pool(problems, **options)

    monkeypatch.setattr(search, "solve_pool", interrupted)
    result = run(f"{BENT_THREE} b", "--game", "tsumego-7", "--out", out, "--json")
    assert result.exit_code == 130 and "goes on where" in result.stderr
    known = json.loads(result.stdout)
    assert (
        len(known["questions"]) == 2
        and known["black_first"]["status"] == "dies"
        and not known["black_first"]["complete"]
    )
    monkeypatch.setattr(search, "solve_pool", solve_pool)
    assert study_json(BENT_THREE, "--out", out)["black_first"]["complete"]
