"""Variations of ``jaxsolve tsumego`` from proofs with zones: replies that the proof leaves out, and
the zone as marks.
"""

from __future__ import annotations

import pytest
from sgfmill import sgf as peers

from jaxsolve.proof import reading
from jaxsolve.tsumego import findings, report, setup, sgf_record, study, variations
from jaxsolve.tsumego.asking import QuestionResult
from jaxsolve.tsumego.questions import KILL_FOR
from jaxsolve.tsumego.task import make_task
from support.proofs import solver as proof_tools

BOARD = "......./......./......./......./XXXXX../OOOOX../...OX.."
ZONE = "A1,B1,C1,A2,B2,C2,D2"


@pytest.fixture
def task():
    return make_task(setup.read(f"{BOARD} b", "tsumego-7", {}), None, "all")


@pytest.fixture
def certificate(task, tmp_path):
    """White to move is dead after B1: a must-play proof in the zone format that answers A1 and C1
    only (not run through the checker).
    """
    rules = task.rules(KILL_FOR)
    row = "......./......./......./......./XXXXX../OOOOX../"
    nodes = [
        {"id": 1, "n": 1, "pos": f"{row}OX.OX.. b", "leaf": "captured", "zone": "A1,B1"},
        {"id": 2, "n": 1, "pos": f"{row}.XOOX.. b", "leaf": "captured", "zone": ZONE},
        {
            "id": 3,
            "n": 0,
            "pos": f"{row}.X.OX.. w",
            "must-play": [["C1", 2], ["A1", 1]],
            "zone": ZONE,
        },
    ]
    header = {
        "format": "jaxsolve-proof",
        "version": 1,
        "game": "go",
        "rules": rules,
        "root": nodes[-1]["pos"],
        "claim": {"player": "black", "result": "wins"},
    }
    return proof_tools.write(
        tmp_path / "proof.jsonl.gz", [header, *nodes, {"end": True, "nodes": 3, "root": 3}]
    )


def test_zones_and_replies_are_read_and_what_is_left_out_has_no_variation(certificate):
    proof = reading.read(certificate)
    assert (
        proof is not None
        and proof.nodes[3].zone == ZONE
        and [edge.move for edge in proof.replies(3)] == ["C1", "A1"]
    )
    assert [step.move for step in variations.variations(proof)] == ["C1", "A1"]
    answered = variations.after_move(proof, "A1")
    assert answered is not None and answered.zone == "A1,B1"
    assert variations.after_move(proof, "G7") is None  # an irrelevant reply


def test_a_study_tells_zones_and_replies_outside_them(task, certificate, tmp_path):
    rules = proof_tools.rules_of("go", task.rules(KILL_FOR))
    found = study.Study(task, lambda problems: [None for _ in problems])
    white = next(first for first in found.firsts if first.side == 1)
    root = f"{BOARD.removesuffix('...OX..')}.X.OX.. w"
    white.root = root
    white.answers[KILL_FOR] = True
    white.results[KILL_FOR] = QuestionResult("x", "proved", certificate_nodes=3, checked=True)
    white.moves = [
        findings.Move(move, text, False, {KILL_FOR: True})
        for move, text in rules.replies(rules.position(root)).items()
        if move in ("A1", "C1", "G7")
    ]
    found_report = report.make_report(found, lambda row: tmp_path / "proof.jsonl.gz")
    moves = {move.move: move for each in found_report.firsts for move in each.moves}
    assert (
        moves["C1"].zone == ZONE and moves["G7"].play is None and moves["G7"].why == report.OUTSIDE
    )
    sheet = peers.Sgf_game.from_bytes(sgf_record.record(found_report, "test:1")).get_root()
    nodes = {node.get_move()[1]: node for node in sheet}
    assert len(nodes[(0, 2)].get(sgf_record.ZONE)) == 3  # its crucial stones have triangles instead
    assert "squares are the zone of the proof" in nodes[(0, 2)].get("C")
    assert "outside the zone of the proof" in nodes[(6, 6)].get("C").lower() and not nodes[
        (6, 6)
    ].has_property(sgf_record.ZONE)
