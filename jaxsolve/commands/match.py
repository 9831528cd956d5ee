"""``jaxsolve match``: two players against each other, and what that says of them."""

from __future__ import annotations

import json
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from jaxsolve.commands import failure, streams
from jaxsolve.runfolder import RunFolder, write_whole

RANDOM = "random"
LEAST_MOVES = 2  # cut-off, in multiples of the number of actions


@dataclass(frozen=True)
class Request:
    """The options of ``jaxsolve match``."""

    players: tuple[str, str]
    game: str
    games: int = 100
    simulations: int = 32
    opening_moves: int = 2
    openings: Path | None = None
    seed: int = 0
    out: Path | None = None
    as_json: bool = False


def run(request: Request) -> int:
    """Plays the match and shows it; 0."""
    with failure.sentences(request.as_json):
        from jaxsolve import runtime

        runtime.setup()
        import jax
        import jax.numpy as jnp

        from jaxsolve.formats import problems
        from jaxsolve.games import make
        from jaxsolve.games.env import Env
        from jaxsolve.networks import finding
        from jaxsolve.train import match

        if request.games % 2:
            raise ValueError(f"--games {request.games}: give an even number, for every opening is played from both sides")
        game = make(request.game)
        env = Env(game, max_steps=LEAST_MOVES * game.num_actions)
        players = []
        for text in request.players:
            players.append(match.random_player() if text == RANDOM else match.searching_player(finding.find(text), env, request.simulations))
        states = [game.init()]
        if request.openings is not None:
            found = problems.load(request.openings)
            strange = [problem.id for problem in found if problem.game != game]
            if strange:
                raise ValueError(f"{request.openings}: {strange[0]} is not of {game.rule_set}")
            states = [problem.state for problem in found]
        starts = [states[number % len(states)] for number in range(request.games // 2)]
        folder = None if request.out is None else RunFolder(request.out, "match.json", _question(request), resume=False)
        batch = jax.tree.map(lambda *leaves: jnp.stack(leaves), *starts)
        played = [games for _, games in match.play(env, (players[0], players[1]), batch, request.opening_moves, request.seed)][-1]
        summary = _summary(request, [player.name for player in players], played)
        if folder is not None:
            step = jax.jit(game.step)
            lines = [json.dumps(_record(game, step, starts[n % len(starts)], each, request.players)) + "\n" for n, each in enumerate(played)]
            write_whole(folder.path / "games.jsonl", "".join(lines))
            folder.write_json("result.json", summary)
            folder.release()
    if request.as_json:
        streams.say_json(summary)
    else:
        _show(request, summary)
    return 0


def _show(request: Request, found: dict[str, Any]) -> None:
    first, (low, high) = found["wins_as_first"], found["interval"]
    print(f"{request.players[0]} against {request.players[1]}, {request.game}, {request.games} games:")
    print(
        f"{found['wins']} won, {found['draws']} drawn, {found['losses']} lost; of the wins {first} as first player, {found['wins'] - first} as second"
    )
    print(f"{100 * found['score']:.1f} % of the points (95 %: {100 * low:.1f} to {100 * high:.1f})")


def _summary(request: Request, names: list[str], played: list[Any]) -> dict[str, Any]:
    from jaxsolve.train.match import interval

    wins, losses = (sum(game.winner == who for game in played) for who in (0, 1))
    points = wins + (len(played) - wins - losses) / 2
    return {
        "a": names[0],
        "b": names[1],
        "game": request.game,
        "games": len(played),
        "wins": wins,
        "draws": len(played) - wins - losses,
        "losses": losses,
        "wins_as_first": sum(game.winner == 0 and game.first == 0 for game in played),
        "score": points / len(played),
        "interval": interval(points, len(played)),
    }


def _record(game: Any, step: Any, start: Any, played: Any, names: tuple[str, str]) -> dict[str, Any]:
    """A game as a line of games.jsonl: where it began, all its moves in words, who was who and who won."""
    import numpy as np

    order = names if played.first == 0 else (names[1], names[0])
    record = {"first": order[0], "second": order[1], "winner": None if played.winner < 0 else names[played.winner], "start": game.text(start)}
    state, words = start, []
    for action in (*played.opening, *played.moves):
        words.append(game.action_text(action, state))
        state = step(state, np.int32(action))
    return record | {"opening_moves": len(played.opening), "moves": " ".join(words)}


def _question(request: Request) -> dict[str, Any]:
    fields = {"players": list(request.players), "game": request.game, "games": request.games, "simulations": request.simulations}
    return fields | {"opening_moves": request.opening_moves, "openings": str(request.openings), "seed": request.seed}
