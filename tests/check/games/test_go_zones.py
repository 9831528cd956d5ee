"""The checker's zones of Go: certificates written by hand, refusals, and mutated certificates."""

from __future__ import annotations

import os
import random

import pytest

from jaxsolve.proof.check import check
from support import mutations
from support.proofs import corpus as check_corpus
from support.proofs import go_zone_proofs
from support.proofs import go_zone_steps as steps
from support.proofs import solver as proof_tools
from support.proofs.go_zone_hand import ATTACK, HAND, certificate
from support.proofs.go_zone_solved import SOLVED, won

LONG = os.environ.get("JAXSOLVE_LONG") == "1"


"""White's stone at A1 has one liberty and cannot use it (B1 is suicide).

So White's move does not matter, nor do stones elsewhere.
"""

"""White may run to B1, and is captured by C1.

The zone after the pass leaves out every other reply.
"""

"""The same on a board with other stones, without a zone.

Both replies lead to positions that cover the children.
"""

"""White makes the second eye.

The leaf is another position, which agrees on the zone with the position after D1. The zone does not
contain the stone at A5.
"""

"""Black takes the ko at B1. White may not retake, and threatens nothing else.

The ko lies in the zone, and the zone proves that A1 takes it.
"""


def judged(lines: list, tmp_path) -> str:
    """The checker's message."""
    return check(proof_tools.write(tmp_path / "a.gz", lines)).sentence


def changed(name: str, node: int, **fields) -> list:
    """A certificate of ``HAND`` with fields of one node replaced (None: removed).

    The header and the counts are updated.
    """
    lines = [dict(line) for line in HAND[name]]
    lines[node].update(fields)
    lines[node] = {field: value for field, value in lines[node].items() if value is not None}
    lines[0]["root"] = lines[-2]["pos"]
    return (
        lines
        if "threat" in fields or lines[node].get("must-play") in ("B1", [["pass"]])
        else mutations.tidy(lines)
    )


@pytest.mark.parametrize("name", HAND)
def test_certificates_written_by_hand_are_accepted(name, tmp_path):
    assert judged(HAND[name], tmp_path).startswith("accepted")


REFUSALS = [
    # contents of the field
    ("attack", 2, {"zone": ["A1", "B1", "A2"]}, "the zone is a list of 3, not a list of points"),
    ("attack", 2, {"zone": ""}, "'' is not a point of the board"),
    ("attack", 2, {"zone": "A1,B1,Z9"}, "'Z9' is not a point of the board"),
    ("attack", 2, {"zone": "a1,b1,a2"}, "'a1' is not a point of the board"),
    (
        "attack",
        2,
        {"zone": "A1,A2,B1"},
        "the points 'A1,A2,B1' are not in order,"
        " by row from the bottom and then by column, each once",
    ),
    ("attack", 2, {"zone": "A1,A1,B1,A2"}, "the points 'A1,A1,B1,A2' are not in order"),
    ("attack", 2, {"zone": "A1, B1,A2"}, "' B1' is not a point of the board"),
    (
        "wide",
        5,
        {"must-play": None, "and": [["pass", 2], ["B1", 4]], "zone": "A1"},
        "only a leaf, an or and a must-play node can have a zone",
    ),
    ("wide", 5, {"threat": "B1", "pairs": []}, "of this rule set has no field 'threat'"),
    ("escape", 5, {"must-play": "B1"}, "the replies are 'B1', not a list"),
    ("escape", 5, {"must-play": [["pass"]]}, "a move must be given as [text, id of the child]"),
    # leaves
    (
        "attack",
        1,
        {"zone": "B1"},
        "the zone of a capture must hold all crucial points of the rule set",
    ),
    (
        "life",
        1,
        {"zone": "A1,B1,C1,D1,A2,B2,C2"},
        "the zone does not show the life of a chain that decides",
    ),
    # or
    ("attack", 2, {"zone": "A1,A2"}, "the move B1 is no point of the zone"),
    ("attack", 2, {"or": ["pass", 1]}, "the move pass leads to"),
    (
        "attack",
        2,
        {"zone": "B1,A2"},
        "the child after B1 has no zone, or one that does not lie in its parent's",
    ),
    (
        "attack",
        2,
        {"zone": "A1,B1"},
        "the zone does not show that B1 has a liberty or takes something",
    ),
    (
        "attack",
        2,
        {"zone": "A1,B1,B2"},
        "the zone does not show that B1 has a liberty or takes something",
    ),
    (
        "ko",
        4,
        {"zone": "A1,B1,A2,B2,C2,A3,B3,A4,A5"},
        "the zone does not show that A1 has a liberty or takes something",
    ),
    # must-play
    (
        "attack",
        3,
        {"zone": "A1,B1,C1,A2,B2"},
        "the zone does not show the liberties of a group that lies in the zone of a child",
    ),
    (
        "attack",
        3,
        {"zone": "A1,B1,A2,B2,C2,A3"},
        "the zone does not show that B1 stays illegal, and no child leaves it out",
    ),
    (
        "attack",
        3,
        {"zone": "B1,C1,A2,B2,C2,A3"},
        "the child after pass has no zone, or one that does not lie in its parent's",
    ),
    (
        "escape",
        5,
        {"must-play": [["pass", 2]]},
        "the legal reply B1 is missing (1 missing in all): no zone leaves it out",
    ),
    (
        "wide",
        5,
        {"must-play": [["pass", 2]]},
        "the legal reply B1 is missing (1 missing in all): no zone leaves it out",
    ),
    ("escape", 5, {"must-play": [["B1", 4]]}, "the legal reply pass is missing"),
    (
        "escape",
        5,
        {"must-play": [["pass", 2], ["B1", 4], ["B1", 4]]},
        "the reply 'B1' is not legal, or listed twice",
    ),
    (
        "escape",
        5,
        {"must-play": [["pass", 2], ["A1", 4]]},
        "the reply 'A1' is not legal, or listed twice",
    ),
    ("wide", 5, {"pos": "O.O../...../.O.O./XX.O./O..OO w passes=1"}, "the move pass leads to"),
    (
        "ko",
        3,
        {"zone": "A1,B1,A2,B2,C2,A3,B3,A4"},
        "the zone does not show that A3 stays illegal, and no child leaves it out",
    ),
]


@pytest.mark.parametrize("name, node, fields, reason", REFUSALS, ids=range(len(REFUSALS)))
def test_refusals_are_one_sentence(name, node, fields, reason, tmp_path):
    sentence = judged(changed(name, node, **fields), tmp_path)
    assert sentence.startswith("refused: line ") and sentence.endswith(".") and "\n" not in sentence
    assert reason in sentence.partition(f", node {node}: ")[2]


def test_a_child_without_a_zone_covers_no_other_position(tmp_path):
    assert "node 2: the child after B1 has no zone" in judged(
        changed("attack", 1, zone=None), tmp_path
    )
    assert "node 4: the move E5 leads to" in judged(changed("attack", 3, zone=None), tmp_path)


RULES = [
    "go-5;ko=simple;komi=0.5",
    *(
        check_corpus.tsumego(5, "kill", "white", "A1", ko=ko)
        for ko in ("positional", "situational")
    ),
    "hex-5",
]


@pytest.mark.parametrize("rules", RULES)
def test_rule_sets_without_written_zones_refuse_zones(rules, tmp_path):
    """Also the must-play node that belongs to it. Hex has its own must-play nodes."""
    lines = [{**line} for line in ATTACK]
    lines[0].update(rules=rules, game=rules.split("-")[0] if "hex" in rules else "go")
    lines[1]["pos"] = (
        lines[1]["pos"].removesuffix(" crucial=-") if "tsumego" not in rules else lines[1]["pos"]
    )
    assert "node 1: a node of this rule set writes no zone." in judged(lines, tmp_path)
    if rules != "hex-5":
        must_play = {"id": 1, "n": 0, "pos": ATTACK[3]["pos"], "must-play": [["pass", 2]]}
        assert "this rule set has no must-play nodes" in judged([lines[0], must_play], tmp_path)


def test_the_forced_opening_has_no_zone(tmp_path):
    empty = "/".join(["......."] * 7)
    for text in (f"{empty} b ply=0", f"{empty[:-1]}X w ply=1", f"{empty[:-1]}X b ply=2"):
        node = {
            "pos": text,
            "must-play" if " w " in text else "or": [["pass", 1]] if " w " in text else ["A1", 1],
            "zone": "A1",
        }
        sentence = judged(
            certificate("killallgo-7;ko=simple;passes=stones;fill_eyes=true", "black", node),
            tmp_path,
        )
        assert "a position of the forced opening has no zone" in sentence


def test_a_leaf_by_score_has_no_zone(tmp_path):
    lines = certificate(
        check_corpus.tsumego(3, "kill", "white", "any"),
        "white",
        {"pos": "X../.../O.. b passes=2", "leaf": "passes", "zone": "A1"},
    )
    assert "a leaf 'passes' depends on the whole position, so it has no zone" in judged(
        lines, tmp_path
    )


# ---- mutated certificates ------------------------------------------------------------------------
@pytest.fixture(scope="module")
def zoned():
    """Certificates with minimal zones, and those written by hand."""
    found = [
        go_zone_proofs.zoned(rules, root, player, seed)
        for rules, root, player in SOLVED
        for seed in range(3 if LONG else 1)
    ]
    return [lines for lines in found if len(lines) > 4]


def test_certificates_of_small_problems_use_every_feature_of_zones(zoned):
    """The other tests depend on this coverage.

    It includes kos in zones, covered edges, omitted replies, and zones smaller than the board.
    """
    seen = dict.fromkeys(("ko", "covered", "left out", "small"), 0)
    for lines in zoned:
        for step in go_zone_proofs.steps(lines):
            twin = steps.twin_of(step.rules)
            p = twin.parse(step.pos)
            seen["ko"] += p.ko in twin.points(step.zone)
            seen["covered"] += any(
                twin.text(twin.after(p, move)) != text for move, text, _ in step.edges
            )
            seen["left out"] += step.kind == "must-play" and len(step.edges) < len(twin.moves(p))
            seen["small"] += len(twin.points(step.zone)) < twin.n**2
    assert all(count > 5 for count in seen.values()), seen


def test_every_mutant_is_refused(zoned, tmp_path):
    target, seen = tmp_path / "mutant.gz", set()
    for number, lines in enumerate([*HAND.values(), *zoned]):
        path = proof_tools.write(tmp_path / "a.gz", lines)
        for seed in range(5 if LONG else 1):
            for name, data in mutations.mutants(path, 10 * number + seed):
                target.write_bytes(data)
                assert not check(target).accepted, (name, number, seed)
                seen.add(name)
    assert seen >= mutations.WRITTEN


def mutated(step: steps.Step, rng: random.Random) -> steps.Step:
    """One change to a zone, a position or the replies of a step."""
    twin = steps.twin_of(step.rules)
    turn, edges = rng.randrange(6), [list(edge) for edge in step.edges]
    if turn < 2 or not edges:
        return step._replace(zone=twin.listing(twin.points(step.zone) ^ {rng.randrange(twin.n**2)}))
    edge = rng.choice(edges)
    if turn == 2:
        edge[2] = twin.listing(twin.points(edge[2]) ^ {rng.randrange(twin.n**2)})
    elif turn == 3 and step.kind == "must-play":
        edges.remove(edge)
    elif turn == 4 and len(edges) > 1:
        other = rng.choice(edges)
        edge[1:], other[1:] = other[1:], edge[1:]
    else:
        at = rng.choice([None, edge])
        p = twin.parse(step.pos if at is None else at[1])
        cells, point = list(p.board), rng.randrange(twin.n**2)
        cells[point] = rng.randrange(3)
        empty = [point for point, colour in enumerate(cells) if colour == 0]
        ko = rng.choice([p.ko, None, *empty[:2]])
        q = p._replace(
            board=tuple(cells) if rng.random() < 0.5 else p.board,
            ko=ko if ko is None or p.board[ko] == cells[ko] == 0 else None,
            crucial=p.crucial
            ^ frozenset(
                rng.sample(
                    sorted(twin.crucial or ()), rng.random() < 0.2 and twin.crucial is not None
                )
            ),
        )
        q = q._replace(passes=rng.randrange(2) if q.ko is None else 0)
        if at is None:
            return step._replace(pos=twin.text(q))
        edge[1] = twin.text(q)
    return step._replace(edges=tuple(map(tuple, edges)))


def test_mutated_steps_are_refused_or_still_true(zoned):
    rng, accepted, refused = random.Random(13), 0, 0
    drawn = [
        step
        for lines in zoned
        for step in go_zone_proofs.steps(lines)
        if steps.twin_of(step.rules).n == 3
    ]
    for _ in range(60_000 if LONG else 3000):
        step = rng.choice(drawn)
        for _ in range(rng.randint(1, 2)):
            step = mutated(step, rng)
        if steps.accepts(step) and step.zone:
            accepted += 1
            assert not steps.broken(step), step
        else:
            refused += 1
    assert accepted > 200 and refused > 500


def test_an_accepted_mutated_root_is_true(zoned, tmp_path):
    """The root's stones change, zones and replies stay: an accepted claim is true."""
    rng, accepted, refused = random.Random(14), 0, 0
    for lines in [lines for lines in zoned if len(lines[0]["root"].split("/")) == 3]:
        twin, claimant = (
            steps.twin_of(lines[0]["rules"]),
            ("black", "white").index(lines[0]["claim"]["player"]),
        )
        for _ in range(300 if LONG else 12):
            p = twin.parse(lines[-2]["pos"])
            cells = tuple(colour if rng.random() < 0.8 else rng.randrange(3) for colour in p.board)
            if not twin.sound(cells) or any(cells[x] != twin.defender + 1 for x in p.crucial):
                continue
            root = p._replace(board=cells)
            changed = [
                {**lines[0], "root": twin.text(root)},
                *lines[1:-2],
                {**lines[-2], "pos": twin.text(root)},
                lines[-1],
            ]
            if check(proof_tools.write(tmp_path / "a.gz", changed)).accepted:
                accepted += 1
                assert root in won(twin, claimant, [root]), changed[0]
            else:
                refused += 1
    assert accepted > 5 and refused > 20
