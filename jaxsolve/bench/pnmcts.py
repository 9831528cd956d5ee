"""``jaxsolve bench pnmcts``: cost of proof numbers in play (Kowalski et al. 2024, Table I).

Each round searches ``--batch`` positions from random play together, one move for each position,
once by plain UCT and once by PN-MCTS with its three flags. If ``--batch`` is less than
``POSITIONS``, successive rounds use different positions. Both searches get the same positions. The
ratio of their rates is therefore the ratio of simulations in equal time.

Positions in which PN-MCTS proves a win are left out, because the proof ends the search. The paper
leaves out the second half of its games for the same reason. In the paper's table PN-MCTS runs
without a solver. A solver would only make it slower. The paper's figure for Gomoku is from the
text, not from the table.
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
PLIES = 16  # bound on random moves before a position: the first half of a game
POSITIONS = 32  # least number of different positions
CANDIDATES = 8  # random positions drawn for each position needed, because some are left out
LEAST_ROUNDS = 3  # least number of timed rounds; an earlier round compiles and is not timed
SIMULATIONS = (2000, 100)  # of all positions together; least number for each position
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
    """Measures both searches in each game, for about ``seconds`` each. Returns exit code 0.

    Raises ValueError for an unknown game, and if too few positions remain undecided.
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
    """Returns the simulations per CPU second of each search, and their ratio, for one row."""
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
            if rounds:  # the first round compiles, so it is not timed
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
    """Returns packed positions uint32[count, S] in which PN-MCTS does not prove a win.

    Each position is searched with ``simulations`` simulations. Raises ValueError if a win is proved
    in too many of the random positions.
    """
    drawn = np.asarray(jax.jit(jax.vmap(game.pack))(positions(game, CANDIDATES * count, PLIES)))
    # The positions are ordered by their number of moves. A strided part covers the whole range.
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
