"""The checker's Awari against brute force from the text of the rules, and open_spiel.

open_spiel is compared where its rules agree.
"""

from __future__ import annotations

import os
import random

import pytest

from jaxsolve.proof.check.errors import Refused
from jaxsolve.proof.check.games.awari import Awari
from support.proofs.solver import random_game

GAMES = 200 if os.environ.get("JAXSOLVE_LONG") == "1" else 12


def awari_after(pits, side, start):
    """(pits, captured) by sowing one seed at a time, or None if the move is illegal."""
    if start // 6 != side or not pits[start]:
        return None
    pits, hand, at = list(pits), pits[start], start
    pits[start] = 0
    while hand:
        at = (at + 1) % 12
        if at != start:
            pits[at], hand = pits[at] + 1, hand - 1
    captured = 0
    while at // 6 != side and pits[at] in (2, 3):
        captured, pits[at], at = captured + pits[at], 0, (at - 1) % 12
    return (pits, captured) if any(pits[6 - 6 * side : 12 - 6 * side]) else None


def test_awari_equals_brute_force():
    rules, rng = Awari("awari;rules=ludii"), random.Random(1)

    def check(text, position, verdict, replies):
        pits = [int(x) for x in text.split(" ")[0].replace("/", ",").split(",")]
        side = "sn".index(text.split(" ")[1])
        captured = [int(x) for x in text.split("captured=")[1].split(":")]
        after = {"ABCDEFabcdef"[a]: awari_after(pits, side, a) for a in range(12)}
        after = {move: value for move, value in after.items() if value}
        assert sum(pits) + sum(captured) == 48
        if max(pits) <= 1 or not after:
            lead = captured[0] - captured[1]
            assert tuple(verdict) == (None if lead == 0 else int(lead < 0), "no-seeds")
            return
        assert verdict is None and set(replies) == set(after)
        for move, (left, taken) in after.items():
            total = [captured[0] + taken * (side == 0), captured[1] + taken * (side == 1)]
            rows = "/".join(",".join(map(str, row)) for row in (left[:6], left[6:]))
            want = f"{rows} {'ns'[side]} captured={total[0]}:{total[1]}"
            assert replies[move] == want

    for _ in range(GAMES * 5):
        random_game(rules, "4,4,4,4,4,4/4,4,4,4,4,4 s captured=0:0", rng, check)


def test_awari_moves_equal_open_spiel_where_the_rules_coincide():
    """Moves that neither capture all seeds nor end the game are the same.

    open_spiel allows a capture of all seeds and ends the game by other rules.
    """
    pyspiel = pytest.importorskip("pyspiel")
    rules, rng = Awari("awari;rules=ludii"), random.Random(6)
    compared = 0
    for _ in range(GAMES):
        state, text = (
            pyspiel.load_game("oware").new_initial_state(),
            "4,4,4,4,4,4/4,4,4,4,4,4 s captured=0:0",
        )
        while not state.is_terminal() and rules.verdict(rules.root(text)) is None:
            replies = rules.replies(rules.root(text))
            assert {"ABCDEFabcdef".index(move) % 6 for move in replies} <= set(
                state.legal_actions()
            )
            move = rng.choice(sorted(replies))
            state.apply_action("ABCDEFabcdef".index(move) % 6)
            text = replies[move]
            if not state.is_terminal():
                numbers = [int(x) for x in str(state).replace("=", " ").split() if x.isdigit()]
                north, south = numbers[2:8][::-1], numbers[8:14]
                assert (
                    text.split(" ")[0] == f"{','.join(map(str, south))}/{','.join(map(str, north))}"
                )
                compared += 1
    assert compared > 100


def test_awari_laps_leave_the_start_pit_empty():
    rules = Awari("awari;rules=ludii")
    assert (
        rules.child(rules.root("12,0,0,0,0,0/0,0,0,0,0,0 s captured=18:18"), "A")
        == "0,2,1,1,1,1/1,1,1,1,1,1 n captured=18:18"
    )


def test_awari_captures_run_backwards_within_the_enemy_row():
    rules = Awari("awari;rules=ludii")
    assert (
        rules.child(rules.root("0,0,0,0,0,3/1,2,2,0,0,1 s captured=0:0"), "F")
        == "0,0,0,0,0,0/0,0,0,0,0,1 n captured=8:0"
    )


def test_awari_a_move_that_leaves_the_opponent_no_seeds_is_illegal():
    rules = Awari("awari;rules=ludii")
    position = rules.root("0,0,0,0,2,2/1,1,0,0,0,0 s captured=20:20")
    assert set(rules.replies(position)) == {"E"}
    with pytest.raises(Refused):
        rules.child(position, "F")
    for move in ("A", "a", "", "AB", "G"):
        with pytest.raises(Refused):
            rules.child(position, move)


def test_awari_with_single_seeds_everywhere_is_over():
    rules = Awari("awari;rules=ludii")
    assert rules.verdict(rules.root("1,1,1,0,0,0/0,0,0,1,1,1 n captured=20:22")) == (1, "no-seeds")
    assert rules.verdict(rules.root("1,1,1,0,0,0/0,0,0,0,1,2 n captured=20:20")) is None


FOURS = "4,4,4,4,4,4"
BAD = [
    "",
    f"{FOURS}/{FOURS} s",
    f"0{FOURS}/{FOURS} s captured=0:0",
    f"{FOURS}/{FOURS} s captured=0:1",
    f"4,4,4,4,4/{FOURS} s captured=0:0",
    f"-1,4,4,4,4,4/{FOURS} s captured=0:0",
    f"٤,4,4,4,4,4/{FOURS} s captured=0:0",
]


@pytest.mark.parametrize("text", BAD)
def test_awari_positions_that_are_not_canonical_are_refused(text):
    with pytest.raises(Refused):
        Awari("awari;rules=ludii").root(text)
