"""The checker's rules of Hex against brute force and open_spiel."""

from __future__ import annotations

import os
import random

import pytest

from jaxsolve.proof.check.errors import Refused
from jaxsolve.proof.check.games.hex.rules import Hex
from support.oracles.hex import hex_winner
from support.proofs.solver import random_game

GAMES = 200 if os.environ.get("JAXSOLVE_LONG") == "1" else 12


@pytest.mark.parametrize("n", [1, 2, 3, 5, 8])
def test_hex_equals_brute_force(n):
    rng = random.Random(n)
    rules = Hex(f"hex-{n}")

    def check(text, position, verdict, replies):
        board, side = text.split(" ")
        assert (verdict.winner if verdict else None) == hex_winner(board)
        if verdict is None:
            assert len(replies) == board.count(".")
            for move, child in replies.items():
                row, column = int(move[1:]) - 1, ord(move[0]) - ord("a")
                rows = [list(line) for line in board.split("/")]
                rows[row][column] = "XO"["bw".index(side)]
                assert child == "/".join(map("".join, rows)) + (" w" if side == "b" else " b")
            wins = {move for move, child in replies.items() if rules.verdict(rules.position(child))}
            assert {
                name
                for name, bit in rules.grid.bit_of.items()
                if bit & rules._winning(position, position.side)
            } == wins

    for _ in range(GAMES):
        random_game(rules, "/".join(["." * n] * n) + " b", rng, check)


def test_hex_equals_open_spiel():
    pyspiel = pytest.importorskip("pyspiel")
    rng = random.Random(2)
    for n in (3, 5, 7):
        game = pyspiel.load_game(f"hex(board_size={n})")
        for _ in range(GAMES):
            state = game.new_initial_state()
            verdicts = []
            start = "/".join(["." * n] * n) + " b"
            moves = random_game(
                Hex(f"hex-{n}"), start, rng, lambda *seen, found=verdicts: found.append(seen[2])
            )
            for move, verdict in zip(moves, verdicts, strict=False):
                assert verdict is None and not state.is_terminal()
                state.apply_action((int(move[1:]) - 1) * n + ord(move[0]) - ord("a"))
            assert state.is_terminal() and state.returns()[verdicts[-1].winner] == 1


def test_hex_threats_exclude_an_opponent_who_wins_first():
    rules = Hex("hex-3")
    position = rules.position(
        ".X./OX./O.. w"
    )  # Black threatens b3, and a3 is taken: c1 and others do not help White
    assert rules.threat(position, "b3") == {"b3": ".X./OX./OO. b"}
    for move in ("a1", "c3", "b2", "d1", "B3"):
        with pytest.raises(Refused):
            rules.threat(position, move)
