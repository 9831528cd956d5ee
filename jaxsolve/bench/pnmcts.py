"""``jaxsolve bench pnmcts``: what proof numbers cost in play, and how many random games a search plays (Kowalski et al. 2024, VI-B, Table I).

Positions from random play, as many as ``--batch`` says, are searched together for a move each, in turns by plain UCT and by PN-MCTS with its three
flags; fewer than ``POSITIONS`` are others in every round. Time is that of whole searches of the same positions: the ratio of the rates is that of the
simulations in equal time. Positions where PN-MCTS proves a win, which ends its search, are left out, as the paper leaves out the second half of its
games: what they cost besides simulations would be told as the price of each. The paper's PN-MCTS has no solver here, which would only make it slower;
Gomoku's figure is from its text.
"""

from __future__ import annotations

import time
from collections.abc import Sequence
from typing import Any

import jax
import numpy as np

from jaxsolve.bench.measure import SECONDS
from jaxsolve.bench.play import positions
from jaxsolve.bench.report import Report
from jaxsolve.games import make
from jaxsolve.games.game import Game
from jaxsolve.play.players import named_search
from jaxsolve.play.tree_search import search

GAMES = ("loa-7", "loa-8", "minishogi", "knightthrough-8", "awari", "gomoku-15")
BATCHES = (1, 128)
PLIES = 16  # of random moves at most before a position, in the first half of a game
POSITIONS = 32  # at least
CHANCES = (
    8  # so many times the positions wanted are looked at for those that are not won within a search
)
LEAST_ROUNDS = 3  # of both searches, after one that compiles
SIMULATIONS = (
    2000,
    100,
)  # of a position: of all of them together about the first number, of each at least the second
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


def run(
    games: Sequence[str],
    batches: Sequence[int],
    vs: str | None,
    as_json: bool,
    seconds: float | None = None,
) -> int:
    """Measures both searches in each game, of so many positions at once, for about so many ``seconds`` of each; 0. Raises ValueError."""
    if vs is not None:
        raise ValueError(f"--vs {vs} compares kernels only: use 'jaxsolve bench kernels --vs {vs}'")
    for name in games:
        make(name)
    report = Report("pnmcts", COLUMNS, as_json)
    try:
        for name in games or GAMES:
            for batch in batches or BATCHES:
                with report.measuring(f"{name}, {batch} positions"):
                    report.add(
                        {
                            "game": name,
                            "positions": batch,
                            **_measured(name, batch, seconds or SECONDS),
                            "paper": PAPER.get(name),
                        }
                    )
    finally:
        report.show()
    return 0


# ---- inside ----------------------------------------------------------------------------------------------------------------
def _measured(name: str, batch: int, seconds: float) -> dict[str, Any]:
    """One row: simulations a CPU second of each search, and their ratio."""
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
    """uint32[count, S] packed positions in which PN-MCTS goes on for so many simulations. Raises ValueError where there are not as many."""
    drawn = np.asarray(jax.jit(jax.vmap(game.pack))(positions(game, CHANCES * count, PLIES)))
    # Their ages rise: every part has all of them.
    parts, player, left = (
        [drawn[begun::CHANCES] for begun in range(CHANCES)],
        named_search(PLAYERS["pnmcts"], simulations, None),
        [],
    )
    for part in parts:
        left.extend(
            part[search([player] * count, game, part, range(count)).simulations == simulations]
        )
        if len(left) >= count:
            return np.asarray(left[:count])
    raise ValueError(
        f"{name}: {len(left)} of {CHANCES * count} positions of random play are not won within {simulations} simulations, and {count} are wanted"
    )
