"""The checker accepts only true claims.

Certificates of cheating solvers and random edits are compared with exhaustive search.
"""

from __future__ import annotations

import os
import random

import pytest

from jaxsolve.proof.check import check
from jaxsolve.proof.check.rules import Verdict
from support import mutations
from support.proofs import corpus as check_corpus
from support.proofs import solver as proof_tools

LONG = os.environ.get("JAXSOLVE_LONG") == "1"
SEEDS = range(40 if LONG else 4)


def over_is_not_over(positions, rules, claimant, rng):
    """Continues where the opponent has won or the game is drawn, as long as there are moves."""
    todo = list(positions)
    while todo and len(positions) < 3000:
        text = todo.pop()
        position = rules.position(text)
        verdict = rules.verdict(position)
        positions[text] = verdict or rules.replies(position)
        if (
            verdict is not None
            and verdict.winner != claimant
            and " passes=2" not in text
            and rules.replies(position)
        ):
            positions[text] = rules.replies(position)
        if isinstance(positions[text], dict):
            todo += [child for child in positions[text].values() if child not in positions]


def end_is_a_win(positions, rules, claimant, rng):
    """Treats every end as a win of the claimant."""
    for text, value in positions.items():
        if not isinstance(value, dict):
            positions[text] = Verdict(claimant, value.reason)


def forgets_replies(positions, rules, claimant, rng):
    """Leaves out replies of the opponent."""
    for text, value in positions.items():
        if (
            isinstance(value, dict)
            and rules.side(rules.position(text)) != claimant
            and len(value) > 1
        ):
            positions[text] = dict(
                rng.sample(list(value.items()), rng.randrange(1, len(value) + 1))
            )


def stops_early(positions, rules, claimant, rng):
    """Marks unfinished positions as ended."""
    reasons = [value.reason for value in positions.values() if not isinstance(value, dict)]
    for text, value in positions.items():
        if isinstance(value, dict) and rng.random() < 0.2:
            positions[text] = Verdict(claimant, rng.choice(reasons))


CHEATS = [over_is_not_over, end_is_a_win, forgets_replies, stops_early]


@pytest.fixture(scope="module")
def honest():
    """Claims about small positions, with every position that play can reach."""
    found = {}
    for seed in SEEDS:
        for case in check_corpus.drawn(seed):
            if case.depth or case in found:
                continue
            rules = proof_tools.rules_of(case.game, case.rules)
            try:
                found[case] = rules, proof_tools.reachable(rules, case.root, 2000)
            except MemoryError:
                continue
    return found


@pytest.mark.parametrize("cheat", CHEATS, ids=lambda cheat: cheat.__name__)
def test_certificates_of_cheating_solvers_are_refused_or_true(honest, cheat, tmp_path):
    lies = 0
    for number, (case, (rules, positions)) in enumerate(honest.items()):
        rng = random.Random(number)
        claimant = rules.players.index(case.player)
        true = case.root in proof_tools.attractor(rules, positions, claimant, case.result == "wins")
        changed = dict(positions)
        cheat(changed, rules, claimant, rng)
        lines = proof_tools.prove(rules, case[:5], changed, case.threats)
        if lines is not None:
            lies += not true
            assert true or not check(proof_tools.write(tmp_path / "a.gz", lines)).accepted, case
    assert lies > 3


def test_a_side_that_is_alive_does_not_lose_by_passes(tmp_path):
    """White is alive and can only pass; Black passes too.

    The checker must detect the life at every node, not only at leaves that claim it.
    """
    board, rules = (
        "XXXXXXX/X.X.X.X/XXXXXXX/XXXXXXX/XXXXXXX/OOOOOOO/O.OOO.O",
        "killallgo-7;ko=simple;passes=not-achieved;fill_eyes=false",
    )
    leaf = {"id": 1, "n": 1, "pos": f"{board} w passes=2", "leaf": "passes"}
    answer = {"id": 2, "n": 1, "pos": f"{board} b passes=1", "or": ["pass", 1]}
    root = {"id": 3, "n": 0, "pos": f"{board} w", "and": [["pass", 2]]}
    header = {
        "format": "jaxsolve-proof",
        "version": 1,
        "game": "go",
        "rules": rules,
        "claim": {"player": "black", "result": "wins"},
    }
    for nodes in ([leaf, answer, root], [leaf, {**answer, "n": 0}], [{**leaf, "n": 0}]):
        lines = [
            {**header, "root": nodes[-1]["pos"]},
            *nodes,
            {"end": True, "nodes": len(nodes), "root": nodes[-1]["id"]},
        ]
        report = check(proof_tools.write(tmp_path / "a.gz", lines))
        assert not report.accepted and "benson" in report.reason
    dead = board.replace("O.OOO.O", "O.OOOOO")  # one eye only: the same moves are now a proof
    lines = [
        {**header, "root": f"{dead} w"},
        *({**node, "pos": node["pos"].replace(board, dead)} for node in (leaf, answer, root)),
    ]
    assert check(
        proof_tools.write(tmp_path / "a.gz", [*lines, {"end": True, "nodes": 3, "root": 3}])
    ).accepted


def _edit(lines, others, rng):
    """One random change, most often between values of this or another certificate."""
    lines = [dict(line) for line in lines]
    line = rng.choice(lines)
    donor = rng.choice(rng.choice([lines, others]))
    names = sorted(set(line) & set(donor)) or sorted(line)
    turn = rng.randrange(6)
    if turn == 0:
        lines.insert(rng.randrange(1, len(lines)), dict(donor))
    elif turn == 1 and len(lines) > 3:
        lines.pop(rng.randrange(1, len(lines) - 1))
    elif turn == 2:
        first, second = rng.randrange(1, len(lines)), rng.randrange(1, len(lines))
        lines[first], lines[second] = lines[second], lines[first]
    elif turn == 3:
        claim = {
            "player": rng.choice(["black", "white", "south", "north"]),
            "result": rng.choice(["wins", "does-not-lose"]),
        }
        lines[0] = {**lines[0], "claim": claim}
    elif turn == 4:
        lines[0] = {
            **lines[0],
            **{name: others[0][name] for name in rng.sample(["rules", "root", "claim"], 2)},
        }
    else:
        name = rng.choice(names)
        line[name] = donor.get(name, line[name])
    return lines


def test_an_accepted_random_edit_is_true(honest, tmp_path):
    rng = random.Random(12)
    certificates = [
        lines
        for case in honest
        if (lines := check_corpus.certificate(case)) and 3 < len(lines) < 300
    ]
    accepted = 0
    for _ in range(20_000 if LONG else 800):
        lines = rng.choice(certificates)
        for _ in range(rng.randrange(1, 4)):
            lines = _edit(lines, rng.choice(certificates), rng)
        if "id" in lines[-2] and rng.random() < 0.7:
            lines = _tidied(lines)
        report = check(proof_tools.write(tmp_path / "a.gz", lines))
        if report.accepted:
            accepted += 1
            player, result = lines[0]["claim"]["player"], lines[0]["claim"]["result"]
            assert proof_tools.certificate(
                report.game, report.rules, report.root, player, result, limit=10**6
            ), lines[0]
    assert accepted > 0


def _tidied(lines):
    """The lines with correct counts, if they have the form of a certificate."""
    header, *nodes, trailer = lines
    if "format" in header and "end" in trailer and all("id" in node for node in nodes):
        return mutations.tidy(lines)
    return lines
