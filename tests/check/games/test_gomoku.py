"""The checker's Gomoku against brute force from the text of the rules, and open_spiel.

open_spiel is compared where its rules agree.
"""

from __future__ import annotations

import os
import random

import pytest

from jaxsolve.proof.check.errors import Refused
from jaxsolve.proof.check.games.gomoku.rules import Gomoku
from support.proofs import solver as proof_tools
from support.proofs.solver import random_game

GAMES = 200 if os.environ.get("JAXSOLVE_LONG") == "1" else 12


def runs(cells: set, n: int):
    """Every maximal run of two or more stones, and single stones in four directions."""
    for dr, dc in ((0, 1), (1, 0), (1, 1), (1, -1)):
        for r, c in cells:
            if (r - dr, c - dc) not in cells:
                length = 1
                while (r + dr * length, c + dc * length) in cells:
                    length += 1
                yield length, (r, c), (dr, dc)


def lined(cells: set, n: int, line: int, exact: bool) -> bool:
    return any(length == line or (length > line and not exact) for length, _, _ in runs(cells, n))


def completing(own: set, enemy: set, last, n: int, line: int, exact: bool) -> set:
    """Cells that complete a window of own stones through ``last``.

    With ``exact`` the window must be a whole run.
    """
    found = set()
    for dr, dc in ((0, 1), (1, 0), (1, 1), (1, -1)):
        for back in range(line):
            window = [(last[0] + dr * (k - back), last[1] + dc * (k - back)) for k in range(line)]
            if any(not (0 <= r < n and 0 <= c < n) or (r, c) in enemy for r, c in window):
                continue
            missing = [cell for cell in window if cell not in own]
            if len(missing) != 1:
                continue
            ends = {
                (window[0][0] - dr, window[0][1] - dc),
                (window[-1][0] + dr, window[-1][1] + dc),
            }
            if not exact or not ends & own:
                found.add(missing[0])
    return found


@pytest.mark.parametrize("n, line", [(3, 3), (5, 4), (7, 5), (9, 5)])
@pytest.mark.parametrize("win", ["five-or-more", "exact5"])
@pytest.mark.parametrize("knowledge", ["ndk", "4t"])
def test_gomoku_equals_brute_force(n, line, win, knowledge):
    rules = Gomoku(f"gomoku-{n};line={line};win={win};knowledge={knowledge}")
    rng = random.Random(f"{n}{win}{knowledge}")
    exact = win == "exact5"
    name = {(r, c): f"{'ABCDEFGHJKLMNOPQRST'[c]}{n - r}" for r in range(n) for c in range(n)}

    def cells(board, stone):
        return {
            (r, c) for r, row in enumerate(board.split("/")) for c in range(n) if row[c] == stone
        }

    def check(text, position, verdict, replies):
        board, side, *fours = text.split(" ")
        own, enemy = (cells(board, stone) for stone in ("XO" if side == "b" else "OX"))
        last = 1 - "bw".index(side)
        want = (
            (last, "five")
            if lined(enemy, n, line, exact)
            else (last, "two-fours")
            if fours == ["fours=2"]
            else (None, "full-board")
        )
        ended = want[0] is not None or "." not in board
        assert (tuple(verdict) if verdict else None) == (want if ended else None)
        if ended:
            return
        forced = fours[0].removeprefix("fours=") if fours else None
        assert set(replies) == (
            {forced} if forced else {name[cell] for cell in name if cell not in own | enemy}
        )
        for cell in name:
            if name[cell] in replies:
                after = own | {cell}
                found = (
                    set()
                    if knowledge == "ndk" or lined(after, n, line, exact)
                    else completing(after, enemy, cell, n, line, exact)
                )
                field = (
                    ""
                    if not found
                    else " fours=2"
                    if len(found) > 1
                    else f" fours={name[found.pop()]}"
                )
                rows = [list(row) for row in board.split("/")]
                rows[cell[0]][cell[1]] = "X" if side == "b" else "O"
                assert (
                    replies[name[cell]]
                    == "/".join(map("".join, rows)) + (" w" if side == "b" else " b") + field
                )

    start = "/".join(["." * n] * n) + " b"
    for _ in range(max(3, GAMES * 9 // n**2)):
        random_game(rules, start, rng, check)


def test_gomoku_equals_open_spiel():
    pyspiel = pytest.importorskip("pyspiel")
    if "gomoku" not in pyspiel.registered_names():
        pytest.skip("this open_spiel has no Gomoku")
    n, rng = 7, random.Random(4)
    game = pyspiel.load_game(f"gomoku(size={n},connect=5)")
    for _ in range(GAMES):
        state, verdicts = game.new_initial_state(), []
        rules = Gomoku(f"gomoku-{n};line=5;win=five-or-more;knowledge=ndk")
        start = "/".join(["." * n] * n) + " b"
        moves = random_game(rules, start, rng, lambda *seen, found=verdicts: found.append(seen[2]))
        for move in moves:
            assert not state.is_terminal()
            state.apply_action((n - int(move[1:])) * n + "ABCDEFGH".index(move[0]))
        assert state.is_terminal()
        assert state.returns()[0] == {0: 1, 1: -1, None: 0}[verdicts[-1].winner]


def test_overlines_win_only_under_five_or_more():
    board = "......./XX.XXX./......./......./......./......./OOO.O.. b"
    loose, exact = (
        Gomoku(f"gomoku-7;line=5;win={win};knowledge=ndk") for win in ("five-or-more", "exact5")
    )
    assert loose.verdict(loose.position(loose.child(loose.root(board), "C6"))) == (0, "five")
    assert exact.verdict(exact.position(exact.child(exact.root(board), "C6"))) is None


def test_threats_in_gomoku():
    four = "......./XXXX.../......./......./O....../......./O..O... w"
    for knowledge in ("ndk", "4t"):
        rules = Gomoku(f"gomoku-7;line=5;win=five-or-more;knowledge={knowledge}")
        assert rules.threat(rules.position(four), "E6") == {
            "E6": rules.child(rules.position(four), "E6")
        }
        for move in ("A7", "C1", "A6", "Z1"):
            with pytest.raises(Refused):
                rules.threat(rules.position(four), move)
    # White may win at once elsewhere, so this is not a threat.
    rules = Gomoku("gomoku-7;line=5;win=five-or-more;knowledge=ndk")
    with pytest.raises(Refused, match="wins at once elsewhere"):
        rules.threat(
            rules.position("......./XXXX.../......./......./O....../......./OO.OO.. w"), "E6"
        )
    # White can make a four: under four threats Black would have to answer it and could not play E6.
    text = "......./XXXX.../......./......./......./......./OO.O... w"
    rules = Gomoku("gomoku-7;line=5;win=five-or-more;knowledge=ndk")
    assert set(rules.threat(rules.position(text), "E6")) == {"E6"}
    with pytest.raises(Refused, match="make a four elsewhere"):
        rules = Gomoku("gomoku-7;line=5;win=five-or-more;knowledge=4t")
        rules.threat(rules.position(text), "E6")


def test_threats_agree_with_exhaustion():
    """A position is lost if a threat holds and the listed reply loses.

    Tested on random small positions.
    """
    rng = random.Random(8)
    seen = 0
    for turn in range(GAMES * 25):
        win, knowledge = rng.choice(("five-or-more", "exact5")), rng.choice(("ndk", "4t"))
        rules = Gomoku(f"gomoku-4;line=3;win={win};knowledge={knowledge}")
        cells = ["X"] * 4 + ["O"] * 4 + ["."] * 8
        rng.shuffle(cells)
        text = "/".join("".join(cells[i : i + 4]) for i in range(0, 16, 4)) + " " + "bw"[turn % 2]
        try:
            position = rules.root(text)
        except Refused:
            continue
        if rules.verdict(position) is not None:
            continue
        claimant = 1 - position.side
        positions = proof_tools.reachable(rules, text)
        ranks = proof_tools.attractor(rules, positions, claimant, True)
        for move in rules.grid.bit_of:
            try:
                left = rules.threat(position, move)
            except Refused:
                continue
            seen += 1
            assert text in ranks or any(child not in ranks for child in left.values())
            assert all(
                child in ranks for reply, child in positions[text].items() if reply not in left
            )
    assert seen > 10


SIX = "/".join(["......."] * 6)
IMPOSSIBLE = [
    f"XXXXX../{SIX} b",
    f"XXXX.../{SIX} w fours=G7",
    f"XXXX.../{SIX} b",
    f"XXXX.../{SIX} w",
    f"XXXX.../{SIX} w fours=A7",
    f"......./{SIX} b fours=2",
    f"......./{SIX} w fours=1",
]


@pytest.mark.parametrize("text", IMPOSSIBLE)
def test_gomoku_impossible_positions_are_refused(text):
    with pytest.raises(Refused):
        Gomoku("gomoku-7;line=5;win=five-or-more;knowledge=4t").root(text)


UNKNOWN = [
    "gomoku-15",
    "gomoku-15;line=5",
    "gomoku-1;line=2;win=exact5;knowledge=4t",
    "gomoku-5;line=6;win=exact5;knowledge=4t",
    "gomoku-15;line=5;win=six;knowledge=4t",
]


@pytest.mark.parametrize("rules", UNKNOWN)
def test_gomoku_unknown_rule_sets_are_refused(rules):
    with pytest.raises(Refused):
        Gomoku(rules)
