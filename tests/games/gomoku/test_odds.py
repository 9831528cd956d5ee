"""Log odds of a win by threats: their value, the heuristic initialisation by them, and restarts
with other configurations.
"""

from __future__ import annotations

import dataclasses
import random

import numpy as np
import pytest

from jaxsolve.evaluate import shared_evaluator
from jaxsolve.games import make
from jaxsolve.games.threats import log_odds
from jaxsolve.proof.check.games.gomoku.rules import Gomoku
from jaxsolve.question import Verdict
from jaxsolve.search import Claim, Limits, Settings
from jaxsolve.search.hints import odds as estimates
from jaxsolve.search.methods import METHODS
from jaxsolve.search.run import restarts, steps
from jaxsolve.search.run.allocator import Allocator
from jaxsolve.search.run.job import Job
from jaxsolve.search.run.options import RunOptions
from jaxsolve.search.run.pool import run_jobs
from jaxsolve.search.run.search import Search
from jaxsolve.search.tree.tree import FORCED_BIT, NARROW_FLAG, NODES, SOLVED_FLAG
from support.oracles.gomoku_lines import drawn, sound
from support.search import accepted

MOVING = {True: (-5536, {1: 0, 2: 1502, 3: 361, 4: 47}, {1: -2392, 2: -1069, 3: -71, 4: 6})}
MOVING[False] = (-9201, {1: 3730, 2: 1354, 3: 374, 4: 18}, {1: 0, 2: -345, 3: -64, 4: 17})


@pytest.mark.parametrize(
    "rule_set",
    ["gomoku-9;line=5;win=five-or-more;knowledge=4t", "gomoku-7;line=4;win=exact5;knowledge=4t"],
)
def test_log_odds_are_the_sum_over_open_windows(rule_set):
    """Each window is read from the board: its side, missing stones and, if only exact lines win,
    the stones at its ends.
    """
    game, rules, rng = make(rule_set), Gomoku(rule_set), random.Random(rule_set)
    seen, size, line = game.threat_search(), game.size, game.line
    for text in [text for text in (drawn(rules, rng) for _ in range(400)) if sound(rules, text)][
        :60
    ]:
        state = game.read(text)
        cells, mover = (
            np.asarray(game.cells(state)).reshape(size, size),
            int(np.asarray(state.meta)) & 1,
        )
        for player in (0, 1):
            bias, own, other = MOVING[mover == player]
            total = bias
            for row, column, (down, right) in (
                (r, c, d)
                for r in range(size)
                for c in range(size)
                for d in ((0, 1), (1, 0), (1, 1), (1, -1))
            ):
                at = [(row + k * down, column + k * right) for k in range(-1, line + 1)]
                inside = [bool(0 <= r < size and 0 <= c < size) for r, c in at]
                if not all(inside[1:-1]):
                    continue
                stones = [int(cells[r, c]) for r, c in at[1:-1]]
                ends = (
                    [int(cells[at[k]]) for k in (0, -1) if inside[k]]
                    if game.win == "exact5"
                    else []
                )
                for colour, weights in ((1 + player, own), (2 - player, other)):
                    count = stones.count(colour)
                    if count and stones.count(3 - colour) == 0 and colour not in ends:
                        total += weights.get(line - count, 0)
            assert log_odds(seen, game.host_pack(state), player) == total, text


def grown(method, waves=60):
    game = make("gomoku-9;knowledge=4t")
    state = game.read(
        "........./........./...X...../....XO.../...OX..../....O..../........./"
        "........./......... b"
    )
    search = Search(
        Allocator(game, shared_evaluator(game), game.host_pack(state), (Claim(0),), 50 << 20),
        method,
        sink=lambda *_: None,
        flights=1,
    )
    while search.waves < waves and search.verdict is None:
        states, actions, count = search.advance(0)
        if count:
            search.absorb(0, search.evaluator(states, actions))
    return search


def test_quiet_moves_wait_until_all_threats_are_decided():
    """At every node of the or-player, and nowhere else; until then its numbers are those of the
    threats alone.
    """
    search, waiting, through = grown(METHODS["dfpn"]), 0, 0
    tree = search.tree
    for node in range(int(tree.counters[NODES])):
        record = tree.nodes[node]
        if record["marks"] & SOLVED_FLAG:
            continue
        assert bool(record["marks"] & NARROW_FLAG) is bool(record["mover"] == 0)
        if record["mover"] != 0:
            continue
        edges = tree.edges[record["edges"] : record["edges"] + record["visited"]]
        threats = tree.lists[record["list"] : record["list"] + record["visited"]] & FORCED_BIT != 0
        quiet = int(record["moves"]) - int(record["visited"]) - int(record["forced"])
        if record["work"] >= METHODS["dfpn"].quiet_after:
            continue
        if record["forced"] or (threats & (edges["b"] != 0)).any():
            assert threats.all(), node
            waiting += quiet > 0 and record["visited"] > 0
        else:
            through += 1
    assert waiting > 20 and through > 5


def test_the_better_the_odds_the_easier_the_proof():
    """The root's initial numbers depend only on the log odds."""
    game, odds = make("gomoku-9;knowledge=4t"), []
    for text in ("....X..../....O....", "...XX..../....O....", "...XX..../....XO..."):
        board = "/".join(["........."] * 3 + [text] + ["........."] * 4)
        state = game.read(f"{board} b")
        search = Search(
            Allocator(game, shared_evaluator(game), game.host_pack(state), (Claim(0),), 50 << 20),
            METHODS["dfpn"],
            sink=lambda *_: None,
        )
        record = search.tree.nodes[0]
        assert search.verdict is None and not record["marks"] & SOLVED_FLAG
        odds.append(0.5 * log_odds(game.threat_search(), game.host_pack(state), 0) / 1000)
        numbers = [
            int(min(max(estimates.EVEN * np.exp(sign * odds[-1]), 1), estimates.MOST))
            for sign in (-1, 1)
        ]
        assert record["forced_a"] == numbers[0] and record["first_a"] == min(
            estimates.QUIET * numbers[0], estimates.MOST
        )
        assert (
            record["first_b"]
            == record["forced_b"]
            == max(numbers[1] // max(int(record["forced"]), 1), 1)
        )
    assert odds == sorted(set(odds))


def test_threat_searches_restart_with_other_configurations(monkeypatch, tmp_path):
    """Black wins on an empty 6x6 board with four in a row, so White does not. Both claims need
    several restarts, and their proofs are accepted.

    A method with ``trust`` 0 or without restarts does not restart.
    """
    game, begin, begun = (
        make("gomoku-6;line=4;win=five-or-more;knowledge=4t"),
        steps.Restart.apply,
        [],
    )
    monkeypatch.setattr(restarts, "THREATS", restarts.Budgets(20, 25, 1.25))
    monkeypatch.setattr(
        steps.Restart,
        "apply",
        lambda step, search: (begun.append(search.method.trust), begin(step, search))[1],
    )
    for claim, verdict in ((Claim(0), Verdict.PROVED), (Claim(1), Verdict.DISPROVED)):
        job = Job(
            game,
            game.init(),
            claims=claim,
            options=RunOptions(
                settings=Settings("dfpn", Limits(nodes=60_000), wave=2),
                out=tmp_path / str(claim.player),
            ),
        )
        run_jobs([job])
        (result,) = job.finish()
        assert result.verdict is verdict
        accepted(game, game.init(), claim, result)
    assert len(begun) > 4 and set(begun) == {0.0, METHODS["dfpn"].trust}
    method = METHODS["dfpn"]
    assert [(form.trust, form.quiet_after) for form in method.configurations.threats] == [
        (0.5, 300),
        (0.5, 0),
        (0.5, 300),
        (0.0, 300),
    ]
    for other in (
        dataclasses.replace(method, trust=0.0),
        dataclasses.replace(method, restarts=False),
        METHODS["pns"],
        METHODS["mcts"],
    ):
        assert not other.configurations.threats
