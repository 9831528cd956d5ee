"""SGF records of ``jaxsolve tsumego``: right and wrong moves, variations, marked positions."""

from __future__ import annotations

import json
import xml.etree.ElementTree as ET

import pytest
from sgfmill import sgf as peers

from jaxsolve.formats import sgf_problem
from jaxsolve.games import make
from jaxsolve.proof import reading
from jaxsolve.tsumego import setup, variations
from support.proofs import solver as proof_tools
from support.tsumego_command import BENT_THREE, record_of, run, study_json
from support.tsumego_shapes import SHAPES


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
    assert "BW" in texts and "black first: white dies by A1" in texts
    for legend in ("crucial stones", "right first moves of either side"):
        assert legend in texts
    assert {"region, where stones may be placed", "zone of the proofs of right moves"} & set(texts)


def play(game, text, node) -> None:
    """Every variation below a node is legal, and the comments name its end."""
    rules = proof_tools.rules_of("go", game.rule_set)
    _, point = node.get_move()
    move = "pass" if point is None else f"{'ABCDEFG'[point[1]]}{point[0] + 1}"
    after = rules.replies(rules.position(text))[move]
    comment = node.get("C") if node.has_property("C") else ""
    if len(node) == 0 and "stones are captured" in comment:
        assert after.split()[0].split("/")[4][1] != "O"  # B3 is gone
    for child in node:
        play(game, after, child)


@pytest.mark.short("simple ko")
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
            settled = rules.settled(rules.position(after), step.end)
            assert step.end == ("" if (verdict or settled) is None else (verdict or settled).reason)
            todo += [(after, following) for following in step.after]
    assert (
        reading.read(found["questions"][0]["certificate"], most_nodes=1) is None
        or found["questions"][0]["certificate_nodes"] == 1
    )
    with pytest.raises(ValueError, match="not gzip"):
        damaged = tmp_path / "damaged.gz"
        damaged.write_text("x")
        reading.read(damaged)


def test_the_set_up_position_of_a_record_with_variations_is_the_problem(tmp_path):
    file = tmp_path / "a.sgf"
    file.write_text(record_of(BENT_THREE, "PL[B]RU[Japanese]", ";B[ag](;W[bg]C[no])(;W[af])"))
    given = setup.read(str(file), None, {})
    assert (
        given.where.startswith("the set-up position, before the 2 moves of the solution")
        and given.board == BENT_THREE
        and given.side == 0
    )
    assert sgf_problem.read_marked(file.read_bytes()).record.to_move == 0
