"""The line of play of a seki: no move of it changes the result."""

from __future__ import annotations

import pytest

from jaxsolve.tsumego import questions, setup
from jaxsolve.tsumego.task import make_task
from support.proofs import solver as proof_tools
from support.tsumego_command import exhausted, study_json

SEKIS = {
    # name: (board, side that moves first, its right moves)
    "three stones inside": (
        "......./......./......./......./XXXXXXX/OOOOOOX/..XX.OX",
        "black",
        ["B1"],
    ),
    "corner of four points": (
        "......./......./......./XXXXX../OOOOX../..XOX../X..OX..",
        "black",
        ["B2"],
    ),
    "white makes it": (
        "......./......./......./XXXXXX./OOOOOX./X...OX./XX.XOX.",
        "white",
        ["C2"],
    ),
}


@pytest.mark.parametrize("name", SEKIS)
def test_no_move_of_the_line_changes_the_result(name):
    """After every move exhaustion finds that the stones are neither alive nor captured."""
    board, side, right = SEKIS[name]
    task = make_task(setup.read(f"{board} b", "tsumego-7", {}))
    first = study_json(board)[f"{side}_first"]
    assert (first["status"], first["right"]) == ("seki", right)
    (move,) = [move for move in first["moves"] if move["right"]]
    assert move["line"][-2:] == ["pass", "pass"] and move["end"] == "both pass"
    for question in (questions.KILL_AGAINST, questions.LIVE_FOR):
        rules = proof_tools.rules_of("go", task.rules(question))
        text = task.root(setup.SIDES.index(side))
        for step in move["line"]:
            text = rules.child(rules.position(text), step)
            assert exhausted(task, question, text) is False, (question, step)


def test_a_seki_that_only_one_proof_shows_has_no_line():
    """A quick answer has the proof that prevents capture alone; its variations are not shown."""
    board = SEKIS["white makes it"][0]
    (move,) = study_json(board, "--quick", "--first", "white")["white_first"]["moves"]
    assert move["line"][0] == "C2"
    assert move["line"] == ["C2"] or move["line"][-2:] == ["pass", "pass"]
