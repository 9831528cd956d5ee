"""Proofs under simple ko of claims under superko.

The strategy of an accepted certificate wins under superko. Each condition of the law is necessary.
"""

from __future__ import annotations

import os
import random
from collections import Counter
from typing import NamedTuple

import pytest

from jaxsolve.proof.check import check, relaxation
from jaxsolve.proof.check.audit.certificate import Certificate
from jaxsolve.proof.check.audit.flatten import Flat, NotWritten, flatten
from jaxsolve.proof.check.audit.replay import replay
from jaxsolve.proof.check.checker import judge
from jaxsolve.proof.check.errors import Refused
from jaxsolve.proof.check.games.go import rules as go_rules
from support import mutations
from support.proofs import corpus as check_corpus
from support.proofs import solver as proof_tools
from support.proofs import superko as superko_proofs
from support.proofs.superko import Question

LONG = os.environ.get("JAXSOLVE_LONG") == "1"


def played_out(path: str) -> str:
    """Result of an accepted certificate's strategy against every reply under superko."""
    proof = Certificate()
    assert judge(path, proof).accepted
    try:
        Flat(proof, 4000)
    except NotWritten:
        return "too many"
    except Refused:
        return "fails"
    return "holds"


@pytest.mark.short("4-free1")
@pytest.mark.parametrize(("size", "free"), [(3, (4, 6)), (4, (5, 7))])
def test_accepted_strategies_win_under_superko(size, free, tmp_path):
    rng, seen = random.Random(size), Counter()
    for question in superko_proofs.questions(rng, size, free):
        for player in ("black", "white"):
            for lines in superko_proofs.proofs(question, player, rng):
                path = proof_tools.write(tmp_path / "proof.gz", lines)
                report = check(path)
                assert report.accepted or report.repeats, (report.sentence, question)
                if not report.accepted:
                    seen["repeats"] += 1
                elif "again" in lines[0] or rng.random() < 0.1:
                    found = played_out(path)
                    assert found != "fails", (question, player, lines)
                    seen[found, "again" in lines[0]] += 1
        seen["question"] += 1
        if seen["question"] >= (20_000 if LONG else 700 if size == 3 else 150):
            break
    assert seen["holds", True] > 20 and seen["holds", False] > 20, seen
    assert size > 3 or seen["repeats"] > 0, seen


# ---- the conditions of the law, removed one at a time --------------------------------------------
class NoNodes(relaxation.NoRepeats):
    """Without S1."""

    def check_node(self, position, zone, named):
        return super().check_node(position._replace(stones=(0, 0)), zone, named)


class NoHistory(relaxation.NoRepeats):
    """Without S2."""

    def check_history(self, plays):
        return None


class NotBelow(relaxation.NoRepeats):
    """The plays of a node are its own move and those of its children."""

    def check_node(self, position, zone, named):
        return super().check_node(position, zone, named if position.side == self._claimant else [])


class OneBoard(relaxation.NoRepeats):
    """Only one of the boards after a move must differ."""

    def _test(self, stones, zone, plays, *words):
        super()._test(
            stones,
            zone,
            plays._replace(
                after={bit: frozenset(sorted(boards)[:1]) for bit, boards in plays.after.items()}
            ),
            *words,
        )


class Mutated(NamedTuple):
    """A false certificate that only one condition refuses.

    Its number selects one of the proofs of the seed.
    """

    fresh: type[relaxation.NoRepeats]
    question: Question
    player: str
    seed: int
    number: int


def _task(
    ko: str, goal: str, defender: str, crucial: str, region: str, eyes: str, black: str, white: str
) -> str:
    return check_corpus.tsumego(
        3, goal, defender, crucial, region, ko=ko, fill_eyes=eyes, ko_black=black, ko_white=white
    )


_PLAYED_AGAIN = Question(
    _task("positional", "live", "white", "A2", "C2,A3,B3,C3", "false", "allow", "forbid"),
    ".XO/OO./... b history=.XO/OO./XXX;.X./OOX/XXX",
)
_SEEN_BEFORE = Question(
    _task("positional", "live", "white", "C3", "A1,C1,A2,A3", "false", "allow", "allow"),
    ".OO/.OO/OX. b history=.OO/XOO/.X.;XOO/XOO/.X.",
)
_TWO_WAYS = Question(
    _task("situational", "live", "black", "C2", "A1,B1,C1,A2,A3,B3", "false", "allow", "allow"),
    "X.X/.OX/... w",
)
MUTATED = (
    Mutated(NoNodes, _PLAYED_AGAIN, "black", 2, 0),
    Mutated(NotBelow, _PLAYED_AGAIN, "black", 2, 0),
    Mutated(NoHistory, _SEEN_BEFORE, "black", 1, 0),
    Mutated(OneBoard, _TWO_WAYS, "white", 6, 0),
)


@pytest.mark.parametrize("mutated", MUTATED, ids=lambda mutated: mutated.fresh.__name__)
def test_each_condition_alone_refuses_a_false_certificate(mutated, tmp_path, monkeypatch):
    lines = superko_proofs.proofs(mutated.question, mutated.player, random.Random(mutated.seed))[
        mutated.number
    ]
    path = proof_tools.write(tmp_path / "proof.gz", lines)
    assert check(path).repeats
    monkeypatch.setattr(go_rules, "NoRepeats", mutated.fresh)
    assert check(path).accepted
    assert played_out(path) == "fails"


# ---- a certificate written by hand ---------------------------------------------------------------
RULES = (
    "tsumego-3;ko=situational;passes=not-achieved;fill_eyes=true;goal=kill;defender=white;"
    "crucial=A1;region=A1,B1,A2;ko_black=allow;ko_white=allow"
)
HEADER = {
    "format": "jaxsolve-proof",
    "version": 1,
    "game": "go",
    "rules": RULES,
    "root": "X.X/.XX/OX. b history=X.X/.XX/.X.:w",
    "claim": {"player": "black", "result": "wins"},
    "by": RULES.replace("situational", "simple"),
}
CAPTURE = mutations.tidy(
    [
        HEADER,
        {"id": 1, "n": 1, "pos": "X.X/XXX/.X. w crucial=-", "leaf": "captured", "zone": "A1"},
        {"id": 2, "n": 0, "pos": "X.X/.XX/OX. b", "or": ["A2", 1], "zone": "A1,B1,A2"},
        {"end": True, "nodes": 0, "root": 0},
    ]
)
"""Black captures the stone that White has just played."""


def message(lines, tmp_path) -> str:
    return check(proof_tools.write(tmp_path / "proof.gz", lines)).sentence


def changed(**header) -> list:
    given = {name: value for name, value in {**CAPTURE[0], **header}.items() if value is not None}
    return [given, *CAPTURE[1:]]


def test_a_proof_by_simple_ko_is_accepted_for_the_claim(tmp_path):
    report = check(proof_tools.write(tmp_path / "proof.gz", CAPTURE))
    assert report.accepted, report.sentence
    assert (report.rules, report.root, report.claim) == (RULES, HEADER["root"], "black wins")


def test_boards_of_the_history_may_not_repeat(tmp_path):
    """The zone after Black's move is A1, where it leaves no stone.

    A board with a stone there is a different one.
    """
    back = changed(root="X.X/.XX/OX. b history=X.X/XXX/.X.:w;X.X/.XX/.X.:w", again="A2")
    assert "may bring back board 1 of the history" in message(back, tmp_path)
    assert "'again' does not name A2" in message(
        changed(root="X.X/.XX/OX. b history=X.X/XXX/.X.:w;X.X/.XX/.X.:w"), tmp_path
    )
    other = changed(root="X.X/.XX/OX. b history=..O/X../O..:w;X.X/.XX/.X.:w", again="A2")
    assert message(other, tmp_path).startswith("accepted")


@pytest.mark.parametrize(
    ("header", "sentence"),
    [
        ({"by": RULES}, "a proof by simple ko is written under"),
        (
            {"by": RULES.replace("situational", "positional")},
            "a proof by simple ko is written under",
        ),
        (
            {"by": HEADER["by"].replace("region=A1,B1,A2", "region=all")},
            "a proof by simple ko is written under",
        ),
        ({"by": "hex-3"}, "a proof by simple ko is written under"),
        ({"by": 7}, "the header's by is 7, not text"),
        ({"by": None, "again": "A1"}, "the header has 'again' without 'by'"),
        ({"by": None}, "a node of this rule set writes no zone"),
        ({"again": ""}, "'' is not a point of the board"),
        ({"again": "A2,A1"}, "are not in order"),
        ({"again": "D1"}, "'D1' is not a point of the board"),
        ({"again": ["A1"]}, "the header's again is a list of 1, not text"),
        ({"rules": HEADER["by"], "root": "X.X/.XX/OX. b"}, "it has no superko"),
        ({"root": "X.X/.XX/OX. b ko=A2"}, "is not a position of this rule set"),
        ({"root": "X.X/.XX/OX. b passes=1"}, "is not the header's, without its history"),
    ],
)
def test_contradictory_headers_are_refused(header, sentence, tmp_path):
    assert sentence in message(changed(**header), tmp_path)


def test_games_without_superko_refuse_proofs_by_other_rules(tmp_path):
    lines = [
        {**CAPTURE[0], "game": "hex", "rules": "hex-3", "root": ".../.../... b", "by": "hex-3"},
        *CAPTURE[1:],
    ]
    assert "takes no proof by another one" in message(lines, tmp_path)


KO = (
    "tsumego-4;ko=positional;passes=not-achieved;fill_eyes=true;goal=kill;defender=white;"
    "crucial=A4;region=all;ko_black=allow;ko_white=allow"
)


@pytest.mark.parametrize(
    ("root", "expected"),
    [
        (
            "O.../.XO./XO.O/.XO. b history=O.../.XO./X.XO/.XO.",
            "O.../.XO./XO.O/.XO. b ko=C2",
        ),  # White took C2 from B2
        (
            "O.../.XO./XO.O/.XO. b history=O.../.XO./XOXO/..O.",
            "O.../.XO./XO.O/.XO. b",
        ),  # another board
        (
            "O.../.XO./XO.O/.XO. b passes=1 history=O.../.XO./X.XO/.XO.",
            "O.../.XO./XO.O/.XO. b passes=1",
        ),
        (
            "O.../.XO./XO.O/.X.. b history=O.../.XO./X.XO/.X..",
            "O.../.XO./XO.O/.X.. b",
        ),  # a stone with another liberty may be retaken at once
        (
            "O.../.XO./XO.O/.XO. b history=O.../.XO./X.XO/.XO.;O.../..O./XO.O/.XO.",
            "O.../.XO./XO.O/.XO. b",
        ),  # not the last one
    ],
)
def test_the_root_under_simple_ko_has_the_ko_of_the_history(root, expected):
    rules = go_rules.Go(KO)
    assert (
        rules.written_under(rules.root(root), 0, KO.replace("positional", "simple"), None)[1]
        == expected
    )
    if "passes" not in root:
        situational = go_rules.Go(KO.replace("positional", "situational"))
        marked = (
            root.partition(" history=")[0]
            + " history="
            + ";".join(f"{board}:w" for board in root.partition(" history=")[2].split(";"))
        )
        assert (
            situational.written_under(
                situational.root(marked), 0, KO.replace("positional", "simple"), None
            )[1]
            == expected
        )


def test_replay_and_flatten_play_under_superko(tmp_path):
    path = proof_tools.write(tmp_path / "proof.gz", CAPTURE)
    proof = Certificate()
    assert judge(path, proof).accepted
    found = replay(proof, 40, 1)
    assert not found.reason and found.root_games == 40 and found.node_games > 5
    flatten(proof, tmp_path / "plain.gz")
    report = check(tmp_path / "plain.gz")
    assert report.accepted and report.rules == RULES and report.root == HEADER["root"]
    assert "by" not in mutations.load(tmp_path / "plain.gz")[0]


def test_accepted_mutations_prove_the_same_claim(tmp_path):
    """A mutated certificate is refused, or it is another proof of the same claim."""
    rng, refused = random.Random(3), 0
    for question in superko_proofs.questions(rng, 3, (4, 6)):
        found = [
            lines
            for player in ("black", "white")
            for lines in superko_proofs.proofs(question, player, rng)
            if "again" in lines[0]
        ]
        for lines in found:
            for _, data in mutations.mutants(
                proof_tools.write(tmp_path / "proof.gz", lines), refused
            ):
                (tmp_path / "mutant.gz").write_bytes(data)
                report = check(tmp_path / "mutant.gz")
                refused += not report.accepted
                if report.accepted:
                    assert played_out(str(tmp_path / "mutant.gz")) != "fails"
        if refused > (20_000 if LONG else 300):
            break
