"""``jaxsolve bench pnmcts``: cost of proof numbers in play (Kowalski et al. 2024, Table I).

``--batch`` positions from random play are searched together for a move each, in turns by plain UCT
and by PN-MCTS with its three flags; below ``POSITIONS`` positions each round has others. The time
is that of whole searches of the same positions, so the ratio of the rates is the ratio of
simulations in equal time. Positions in which PN-MCTS proves a win are left out, because the proof
ends the search; the paper leaves out the second half of its games for the same reason. The paper's
PN-MCTS has no solver in this table, which would only make it slower; its figure for Gomoku is from
the text.
"""

from __future__ import annotations

import time
from typing import Any

import jax
import numpy as np

from jaxsolve.bench.measure import SECONDS
from jaxsolve.bench.play import positions
from jaxsolve.bench.report import Report
from jaxsolve.bench.request import Request
from jaxsolve.games import make
from jaxsolve.games.game import Game
from jaxsolve.play.players import named_search
from jaxsolve.play.tree_search import search

GAMES = ("loa-7", "loa-8", "minishogi", "knightthrough-8", "awari", "gomoku-15")
BATCHES = (1, 128)
PLIES = 16  # of random moves at most before a position, in the first half of a game
POSITIONS = 32  # at least
CANDIDATES = 8  # candidate positions for each one wanted; those won within a search are dropped
LEAST_ROUNDS = 3  # of both searches, after one that compiles
SIMULATIONS = (2000, 100)  # of all positions together; of each position at least
PLAYERS = {"uct": "uct", "pnmcts": "pnmcts:flags=FSU"}

COLUMNS = {
    "game": "game",
    "positions": "positions at once",
    "simulations": "simulations each",
    "uct": "UCT, a CPU s",
    "pnmcts": "PN-MCTS, a CPU s",
    "ratio": "ratio",
    "paper": "paper's",
}
PAPER = {
    "loa-7": 0.953,
    "loa-8": 0.901,
    "minishogi": 0.741,
    "knightthrough-8": 0.772,
    "awari": 0.959,
    "gomoku-15": 0.054,
}


def run(request: Request) -> int:
    """Measures both searches in each game for about ``seconds`` each; returns exit code 0.

    Raises ValueError for an unknown game and where too few positions remain undecided.
    """
    request.refuse_vs()
    for name in request.games:
        make(name)
    report = Report("pnmcts", COLUMNS, request.as_json)
    try:
        for name in request.games or GAMES:
            for batch in request.batches or BATCHES:
                with report.measuring(f"{name}, {batch} positions"):
                    report.add(
                        {
                            "game": name,
                            "positions": batch,
                            **_measured(name, batch, request.seconds or SECONDS),
                            "paper": PAPER.get(name),
                        }
                    )
    finally:
        report.show()
    return 0


# ---- measurement -------------------------------------------------------------------------------
def _measured(name: str, batch: int, seconds: float) -> dict[str, Any]:
    """One row: simulations per CPU second of each search, and their ratio."""
    game = make(name)
    all_of_them, least = SIMULATIONS
    simulations = max(all_of_them // batch, least)
    words = _not_won(name, game, max(batch, POSITIONS), simulations)
    settings = {
        player: [named_search(text, simulations, None)] * batch for player, text in PLAYERS.items()
    }
    done, spent = dict.fromkeys(PLAYERS, 0), dict.fromkeys(PLAYERS, 0.0)
    rounds = 0
    while rounds <= LEAST_ROUNDS or min(spent.values()) < seconds:
        these = words[(rounds * batch + np.arange(batch)) % len(words)]
        for player, each in settings.items():
            start = time.process_time()
            found = search(each, game, these, range(rounds * batch, (rounds + 1) * batch))
            if rounds:  # the first one compiles
                done[player] += int(found.simulations.sum())
                spent[player] += time.process_time() - start
        rounds += 1
    rates = {player: done[player] / spent[player] for player in PLAYERS}
    return {
        "simulations": simulations,
        **{name: round(rate) for name, rate in rates.items()},
        "ratio": rates["pnmcts"] / rates["uct"],
    }


def _not_won(name: str, game: Game, count: int, simulations: int) -> np.ndarray:
    """uint32[count, S] packed positions that PN-MCTS does not solve within ``simulations``.

    Raises ValueError if there are too few of them.
    """
    drawn = np.asarray(jax.jit(jax.vmap(game.pack))(positions(game, CANDIDATES * count, PLIES)))
    # Positions are in order of age: with this stride every part has all ages.
    parts = [drawn[start::CANDIDATES] for start in range(CANDIDATES)]
    player, left = named_search(PLAYERS["pnmcts"], simulations, None), []
    for part in parts:
        found = search([player] * count, game, part, range(count))
        left.extend(part[found.simulations == simulations])
        if len(left) >= count:
            return np.asarray(left[:count])
    raise ValueError(
        f"{name}: {len(left)} of {CANDIDATES * count} positions of random play are not won "
        f"within {simulations} simulations, and {count} are needed"
    )
