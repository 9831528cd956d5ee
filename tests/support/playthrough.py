"""Golden records: one game per rule set as plain text, replayed by ``test_playthroughs.py``.

``python tests/support/playthrough.py`` writes all of them anew: uniformly random legal moves drawn
with the seeds below. The seeds are chosen so that the games are short and end in different ways.
Rewrite the records only after a deliberate change of rules or text.
"""

from __future__ import annotations

import jax
import jax.numpy as jnp
import numpy as np

from jaxsolve.games import Game, Outcome, make
from jaxsolve.view import text_board
from support.paths import ROOT

FOLDER = ROOT / "tests/games/playthroughs"
RECORDS = {  # file: (rule set, start position or "" for the game's own, seed)
    "awari": ("awari", "", 6),
    "go-5-positional": ("go-5;ko=positional;komi=2.5", "", 2),
    "go-9": ("go-9;ko=simple;komi=7.5", "", 8),
    "gomoku-9-4t": ("gomoku-9;line=5;win=exact5;knowledge=4t", "", 10),
    "gomoku-15": ("gomoku-15", "", 8),
    "hex-5": ("hex-5", "", 2),
    "killallgo-7": ("killallgo-7;ko=situational;passes=stones;fill_eyes=true", "", 2),
    "killallgo-9": ("killallgo-9;ko=simple;passes=not-achieved;fill_eyes=false", "", 3),
    "knightthrough-8": ("knightthrough-8", "", 2),
    "knightthrough-5-all": ("knightthrough-5;rules=all", "", 1),
    "loa-7-mover": ("loa-7;simultaneous=mover;no_moves=loss", "", 8),
    "loa-8": ("loa-8", "", 9),
    "minishogi": ("minishogi", "", 9),
    "slither-5": ("slither-5", "", 2),
    "tsumego-5": (
        "tsumego-5;ko=simple;goal=live;defender=black;crucial=B2,C2;ko_white=forbid;"
        "region=A1,B1,C1,D1,A2,B2,C2,D2,A3,B3,C3,D3",
        "...../...../..O../.XXO./..... w",
        10,
    ),
}


def random_moves(game: Game, start: str, seed: int, limit: int = 400) -> list[str]:
    """At most ``limit`` uniformly random legal moves from the start to the end of the game."""
    rng, step, mask = np.random.default_rng(seed), jax.jit(game.step), jax.jit(game.legal_mask)
    state, moves = game.parse(start), []
    while len(legal := np.flatnonzero(mask(state))) and len(moves) < limit:
        action = int(rng.choice(legal))
        moves.append(game.action_text(action, state))
        state = step(state, jnp.int32(action))
    return moves


def write(game: Game, start: str, moves: list[str]) -> str:
    """The record of a game.

    It has each move with the number of legal moves, a drawing every 20 moves, and the outcome.
    """
    facts = jax.jit(lambda s: (game.legal_mask(s), game.to_move(s), game.outcome(s)))
    step = jax.jit(game.step)
    state, last = game.parse(start), None
    lines = [f"rules {game.rule_set}", f"start {game.text(state)}", ""]
    for number, move in enumerate([*moves, None], 1):
        mask, side, outcome = facts(state)
        if move is None or number % 20 == 1 < number:
            final = game.text(state) if move is None else ""
            lines += [
                "",
                f"after {number - 1} {final}".rstrip(),
                *text_board(game, state, last_move=last, ascii_only=True).splitlines(),
                "",
            ]
        if move is not None:
            action = game.parse_action(move, state)
            if not mask[action]:
                raise ValueError(f"Move {number}, {move}, is illegal in {game.text(state)}.")
            lines.append(f"{number:>3} {game.players[int(side)]:<5} {move:<4} of {int(mask.sum())}")
            state, last = step(state, jnp.int32(action)), action
    return "\n".join([*lines, f"outcome {Outcome(int(outcome)).name}"]) + "\n"


def read(record: str) -> tuple[Game, str, list[str]]:
    """Game, start position and moves of a record."""
    lines = record.splitlines()
    moves = [
        line.split()[2]
        for line in lines
        if line[:3].strip().isdigit() and line.split()[3:4] == ["of"]
    ]
    return make(lines[0].removeprefix("rules ")), lines[1].removeprefix("start "), moves


def main() -> None:
    FOLDER.mkdir(exist_ok=True)
    for name, (rule_set, start, seed) in RECORDS.items():
        game = make(rule_set)
        start = start or game.text(game.init())
        moves = random_moves(game, start, seed)
        record = write(game, start, moves)
        (FOLDER / f"{name}.txt").write_text(record)
        print(f"{name}: {len(moves)} moves, {record.splitlines()[-1]}")


if __name__ == "__main__":
    main()
