"""The law of Go zones by brute force.

The conclusion of an accepted step holds in every position that covers the node's on its zone.
"""

from __future__ import annotations

import itertools
import os
import random

import pytest

from jaxsolve.proof.check import check
from support.proofs import corpus as check_corpus
from support.proofs import go_zone_proofs
from support.proofs import go_zone_steps as steps
from support.proofs import solver as proof_tools
from support.proofs.go_zone_solved import SOLVED, won

LONG = os.environ.get("JAXSOLVE_LONG") == "1"
KINDS = {"leaf": steps.random_leaf, "or": steps.random_or, "must-play": steps.random_must_play}


def rule_sets(size: int, count: int, seed: int) -> list[str]:
    """Random options of small problems."""
    rng, found = random.Random(seed), []
    points = [f"{'ABCD'[p % size]}{p // size + 1}" for p in range(size * size)]
    for _ in range(count):
        crucial = ",".join(points[p] for p in sorted(rng.sample(range(size**2), rng.randint(1, 2))))
        region = ",".join(points[p] for p in sorted(rng.sample(range(size**2), size**2 - 2)))
        options = {
            "fill_eyes": rng.choice(["true", "false"]),
            **{f"ko_{side}": rng.choice(["allow", "forbid"]) for side in ("black", "white")},
        }
        if rng.random() < 0.3:
            options[rng.choice(["ko_black", "ko_white"])] = rng.choice(["threats-1", "threats-2"])
        defender = rng.choice(["black", "white"])
        found.append(
            check_corpus.tsumego(
                size,
                "live",
                defender,
                rng.choice(["any", crucial]),
                rng.choice(["all", region]),
                **options,
            )
        )
    return found


@pytest.mark.short("leaf-6000-200")
@pytest.mark.parametrize(
    "kind, tries, least", [("leaf", 6000, 200), ("or", 5000, 1500), ("must-play", 2500, 800)]
)
def test_accepted_steps_are_sound(kind, tries, least):
    rng, accepted, rules = random.Random(f"3 {kind}"), 0, rule_sets(3, 40, 1)
    for _ in range(tries * (20 if LONG else 1)):
        step = KINDS[kind](rng, rng.choice(rules), rng.randrange(2), 4)
        if step is not None and steps.accepts(step):
            accepted += 1
            assert not steps.broken(step), step
    assert accepted > least


@pytest.mark.parametrize(
    "kind, tries, least", [("leaf", 3000, 5), ("or", 250, 40), ("must-play", 80, 10)]
)
def test_accepted_steps_are_sound_on_4x4(kind, tries, least):
    rng, accepted, rules = random.Random(f"4 {kind}"), 0, rule_sets(4, 30, 2)
    for _ in range(tries * (40 if LONG else 1)):
        step = KINDS[kind](rng, rng.choice(rules), rng.randrange(2), 4)
        if step is not None and steps.accepts(step):
            accepted += 1
            assert not steps.broken(step), step
    assert accepted > least


def test_covering_equals_its_definition():
    """Equals the oracle's covering on pairs that differ a little. Covering is transitive."""
    rng, rules, held, seen = random.Random(4), rule_sets(3, 30, 3), 0, 0
    for _ in range(20_000 if LONG else 4000):
        name = rng.choice(rules)
        twin, checker, claimant = steps.twin_of(name), steps.checker(name), rng.randrange(2)
        zone = steps.sample(rng, range(9), 1, 8)
        p = steps.random_position(rng, twin, rng.randrange(2))
        q = steps.disguised(rng, twin, p, zone)
        r = steps.disguised(rng, twin, q, zone)
        mask = checker.grid.points(twin.listing(zone))
        parsed = {x: checker.position(twin.text(x)) for x in (p, q, r)}

        def covers(a, b, parsed=parsed, claimant=claimant, mask=mask, tests=checker.written):
            return tests.covers(claimant, parsed[a], parsed[b], mask)

        for a, b in ((q, p), (p, q), (r, p), (p, p)):
            assert covers(a, b) == twin.covers(a, b, zone, claimant)
        if covers(r, q) and covers(q, p):
            held += 1
            assert covers(r, p)
        seen += not covers(q, p)
    assert held > 500 and seen > 200


def test_masks_and_covering_leave_out_the_same_replies():
    rng, rules, left_out = random.Random(5), rule_sets(3, 30, 4), 0
    for _ in range(20_000 if LONG else 3000):
        step = steps.random_must_play(rng, rng.choice(rules), rng.randrange(2), 4)
        twin, checker = steps.twin_of(step.rules), steps.checker(step.rules)
        p, position = twin.parse(step.pos), checker.position(step.pos)
        if not twin.sound(p.board):
            continue
        edges = rng.sample(step.edges, rng.randint(0, len(step.edges)))
        children = [(twin.parse(text), twin.points(zone)) for _, text, zone in edges if zone]
        if any(
            not twin.covers(twin.after(p, move), twin.parse(text), twin.points(zone), step.claimant)
            for move, text, zone in edges
        ):
            continue
        moves = checker.moves(position)
        named = [
            (move, steps.Child(text, checker.grid.points(zone) if zone else 0))
            for move, text, zone in edges
        ]
        found = checker.written.unanswered(
            step.claimant,
            position,
            moves,
            checker.written.listed(step.claimant, position, moves, named),
        )
        plain = {
            move
            for move in twin.moves(p)
            if not any(
                twin.covers(twin.after(p, move), *child, step.claimant) for child in children
            )
        }
        assert set(found) == plain - {move for move, _, _ in edges}, step
        left_out += len(twin.moves(p)) - len(found) - len(edges)
    assert left_out > 1000


def test_the_whole_board_is_a_zone_of_every_true_step():
    """So a prover can always write a zone, and with it the step agrees with the rules."""
    rng, rules, tried = random.Random(6), rule_sets(3, 40, 5), dict.fromkeys(KINDS, 0)
    for _ in range(10_000 if LONG else 2000):
        for kind, draw in KINDS.items():
            step = draw(rng, rng.choice(rules), rng.randrange(2), 4)
            if step is None:
                continue
            twin = steps.twin_of(step.rules)
            p, everything = twin.parse(step.pos), twin.listing(range(9))
            if not twin.sound(p.board) or (kind == "must-play" and p.passes):
                continue
            if not twin.has_ko(p):
                continue
            moves = [move for move, _, _ in step.edges] if kind == "or" else twin.moves(p)
            if moves == [steps.PASS] and kind == "or":
                continue
            edges = (
                tuple((move, twin.text(twin.after(p, move)), everything) for move in moves)
                if kind != "leaf"
                else ()
            )
            assert steps.why_not(step._replace(zone=everything, edges=edges)) == ""
            tried[kind] += 1
    assert min(tried.values()) > 50


# ---- the law, against the solved game -----------------------------------------------------------


@pytest.mark.parametrize("rules, root, player", SOLVED)
def test_every_position_that_covers_an_accepted_node_is_won(rules, root, player, tmp_path):
    """The induction of FORMAT.md, by brute force.

    The solved game has all its ends, passes, kos and repetition.
    """
    lines, rng = go_zone_proofs.zoned(rules, root, player), random.Random(7)
    assert check(proof_tools.write(tmp_path / "a.gz", lines)).accepted
    twin, claimant = steps.twin_of(rules), ("black", "white").index(player)
    found = []
    for step in go_zone_proofs.steps(lines):
        alike = list(
            itertools.islice(
                twin.alike(twin.parse(step.pos), twin.points(step.zone), claimant), 10_000
            )
        )
        found += alike if LONG else rng.sample(alike, min(len(alike), 200))
    holds = won(twin, claimant, found)
    assert len(found) > 50 and all(q in holds for q in found)
