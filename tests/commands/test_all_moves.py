"""``jaxsolve solve --all-moves``: text, JSON, exit codes, folders, resuming, Ctrl-C, bad input."""

from __future__ import annotations

import json

import pytest

from jaxsolve.games import make
from jaxsolve.proof.check import check
from jaxsolve.search import moves
from support.cli import WIN, one_object, run
from support.oracles import minimax

MIXED = "X../.../... w"  # hex-3: some moves of White win, others lose


def moves_of(result) -> dict[str, dict]:
    return {each["move"]: each for each in one_object(result)["moves"]}


def facts(move: dict) -> list:
    """What a resumed run must not change: all but seconds."""
    return [move[name] for name in ("move", "value", "verdict", "nodes", "certificate")]


def hex_truth(text: str) -> dict[str, str]:
    oracle = minimax.DepthFirst(make("hex-3"))
    position = oracle.rules.position(text)
    side = oracle.rules.side(position)
    return {
        move: "wins" if oracle.holds(after, minimax.Claim(side)) else "loses"
        for move, after in oracle.rules.replies(position).items()
    }


def test_the_json_object_lists_every_move_with_its_certificate(tmp_path):
    out = tmp_path / "run"
    result = run("solve", MIXED, "--game", "hex-3", "--all-moves", "--out", out, "--json")
    assert result.exit_code == 0, result.output
    found = moves_of(result)
    assert {move: each["value"] for move, each in found.items()} == hex_truth(MIXED)
    for move, each in found.items():
        assert each["verdict"] == ("proved" if each["value"] == "wins" else "disproved")
        assert each["certificate"] == str(out / "moves" / move / "proof.jsonl.gz")
        report = check(each["certificate"])
        assert report.accepted and report.root == each["claims"][0]["position"]
        assert each["nodes"] == each["claims"][0]["nodes"] and each["symmetric_to"] is None
        assert (out / "moves" / move / "result.json").exists()
    assert check(out / "proof.jsonl.gz").accepted


def test_the_text_has_a_line_of_winning_and_one_of_losing_moves():
    result = run("solve", MIXED, "--game", "hex-3", "--all-moves")
    assert result.exit_code == 0
    lines = {line.split("  ")[0]: line.split("  ")[-1] for line in result.stdout.splitlines()}
    truth = hex_truth(MIXED)
    for name, value in (("winning moves (!)", "wins"), ("losing moves (x)", "loses")):
        assert lines[name].split() == sorted(
            (move for move in truth if truth[move] == value), key=lambda move: move[::-1]
        )
    board = result.stdout[: result.stdout.index("to move")]
    assert board.count("!") == list(truth.values()).count("wins")
    assert "8 legal" in lines["moves"] and "8 proofs accepted" in lines["moves"]


def test_the_exit_code_is_that_of_the_position():
    lost = ".../.X./... w"
    codes = [
        run("solve", text, "--game", "hex-3", *more).exit_code
        for text in (WIN, lost)
        for more in ((), ("--all-moves",))
    ]
    assert codes == [0, 0, 20, 20]


def test_a_resumed_run_continues_with_the_moves_that_are_open(tmp_path):
    out = tmp_path / "run"
    words = ["solve", "start", "--game", "hex-5", "--all-moves", "--out", out, "--json"]
    first = run(*words, "--nodes", 130)
    assert first.exit_code == 0
    before = moves_of(first)
    unknown = {move for move, each in before.items() if each["value"] == "unknown"}
    assert unknown and all("130 nodes" in before[move]["reason"] for move in unknown)
    assert all(before[move]["certificate"] is None for move in unknown)
    assert run(*words).exit_code == 2  # without --resume
    found = moves_of(run(*words, "--resume"))
    assert "unknown" not in {each["value"] for each in found.values()}
    assert all(facts(found[move]) == facts(before[move]) for move in found.keys() - unknown)
    again = moves_of(run(*words, "--resume", "--nodes", 1))
    assert list(map(facts, again.values())) == list(map(facts, found.values()))


def test_a_run_without_moves_is_resumed_with_them(tmp_path):
    out = tmp_path / "run"
    words = ["solve", MIXED, "--game", "hex-3", "--out", out, "--json"]
    assert run(*words).exit_code == 0
    assert len(moves_of(run(*words, "--resume", "--all-moves"))) == 8


def test_ctrl_c_prints_what_is_known_and_saves_it(tmp_path, monkeypatch):
    out, answer, calls = tmp_path / "run", moves.answer_stage, []

    def press(stage, options):
        calls.append(stage)
        if len(calls) == 4:
            raise KeyboardInterrupt
        return answer(stage, options)

    monkeypatch.setattr(moves, "answer_stage", press)
    words = ["solve", MIXED, "--game", "hex-3", "--all-moves", "--out", out]
    result = run(*words)
    assert result.exit_code == 130 and "resume with the same command" in " ".join(
        result.stdout.split()
    )
    saved = {each.name for each in (out / "moves").iterdir() if each.is_dir()}
    assert len(saved) == 2 and all(
        check(out / "moves" / move / "proof.jsonl.gz").accepted for move in saved
    )
    unknown = [line for line in result.stdout.splitlines() if line.startswith("unknown")]
    assert len(unknown) == 1 and len(unknown[0].split()) == 2 + 6
    monkeypatch.undo()
    again = run(*words, "--resume", "--json")
    assert again.exit_code == 0
    assert {move: each["value"] for move, each in moves_of(again).items()} == hex_truth(MIXED)


def test_moves_of_a_game_with_draws_have_a_certificate_of_each_claim(tmp_path):
    game = "gomoku-4;line=4;win=five-or-more;knowledge=ndk"
    text = "XOXO/XXOX/OOXO/X..O b"
    result = run("solve", text, "--game", game, "--all-moves", "--out", tmp_path / "a", "--json")
    assert result.exit_code in (0, 20), result.output
    found = one_object(result)
    assert len(found["moves"]) == 2 and found["value"] in ("draw", "black wins")
    for each in found["moves"]:
        assert each["value"] in ("draws", "wins", "loses")
        for claim in each["claims"]:
            assert check(claim["certificate"]).accepted
        assert each["certificate"] == each["claims"][-1]["certificate"]
        if each["value"] == "draws":
            assert [claim["verdict"] for claim in each["claims"]] == ["disproved", "proved"]


def test_a_problem_has_its_own_claim(problem_file):
    result = run("solve", f"{problem_file}:loss", "--all-moves", "--json")
    assert result.exit_code == 20
    assert {each["value"] for each in moves_of(result).values()} == {"loses"}


@pytest.mark.parametrize("claim", ["white wins", "value"])
def test_the_claim_may_be_chosen(claim, tmp_path):
    words = ["--claim", claim, "--all-moves", "--json", "--out", tmp_path / "run"]
    found = moves_of(run("solve", MIXED, "--game", "hex-3", *words))
    assert {move: each["value"] for move, each in found.items()} == hex_truth(MIXED)


@pytest.mark.parametrize("more", [(), ("--out",)])
def test_a_finished_game_is_refused(more, tmp_path):
    more = (*more, tmp_path / "run") if more else ()
    result = run("solve", "X../X../X.. w", "--game", "hex-3", "--all-moves", "--json", *more)
    assert result.exit_code == 2 and not (tmp_path / "run").exists()
    assert one_object(result) == {
        "error": "the game is over (black has won): it has no first moves"
    }


def test_a_problem_set_is_refused(problem_file):
    result = run("solve", problem_file, "--all-moves")
    assert result.exit_code == 2 and "add the problem's id" in result.stderr


def test_a_damaged_folder_of_moves_is_refused(tmp_path):
    out = tmp_path / "run"
    words = ["solve", MIXED, "--game", "hex-3", "--all-moves", "--out", out, "--json"]
    assert run(*words).exit_code == 0
    marker = out / "moves" / "run.json"
    marker.write_text(json.dumps(json.loads(marker.read_text()) | {"position": "other"}))
    result = run(*words, "--resume")
    assert result.exit_code == 2 and "holds another run" in one_object(result)["error"]
