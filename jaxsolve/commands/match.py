"""``jaxsolve match``: two players against each other, and what that says of them."""

from __future__ import annotations

import contextlib
import json
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from jaxsolve.commands import failure, streams
from jaxsolve.runfolder import RunFolder, write_whole

if TYPE_CHECKING:
    from jaxsolve.games.env import Env
    from jaxsolve.games.game import Game
    from jaxsolve.train import match

RANDOM, ROLLOUTS = "random", "rollouts"
RESULT = "result.json"  # of a match in its folder, written at its end: one that was interrupted is played anew
MOST_MOVES = 2, 1000  # a longer game is cut off: so many times the number of actions, and at least so many moves


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
        from jaxsolve.games import make
        from jaxsolve.games.env import Env

        if request.games % 2:
            raise ValueError(f"--games {request.games}: give an even number, for every opening is played from both sides")
        game = make(request.game)
        env = Env(game, max_steps=max(MOST_MOVES[0] * game.num_actions, MOST_MOVES[1]))
        players = [_player(text, env, request.simulations) for text in request.players]
        states = _openings(request, game)
        starts = [states[number % len(states)] for number in range(request.games // 2)]
        folder = None if request.out is None else RunFolder(request.out, "match.json", _question(request), resume=True)
        if folder is not None and (folder.path / RESULT).exists():
            folder.release()
            raise ValueError(f"{folder.path} already holds this match; give another folder")
        try:
            played = _played(env, (players[0], players[1]), starts, request)
            summary = _summary(request, _names(request), [player.name for player in players], played, len(states))
            if folder is not None:
                _save(folder, game, starts, played, summary, request)
        finally:
            if folder is not None:
                folder.release()
    if request.as_json:
        streams.say_json(summary)
    else:
        _show(request, summary)
    return 0


# ---- inside ----------------------------------------------------------------------------------------------------------------
def _player(text: str, env: Env, simulations: int) -> match.Player:
    """A player as it is named: ``random``, ``rollouts``, or a network with what it is to go by behind a colon. Raises ValueError, OSError."""
    from jaxsolve.networks import finding
    from jaxsolve.train import match

    if text == RANDOM:
        return match.random_player()
    if text == ROLLOUTS:
        return match.rollout_player(env, simulations)
    name, colon, goal = text.rpartition(":")
    if not (colon and goal in match.GOALS):
        name, goal = text, None
    try:
        network = finding.find(name)
    except ValueError as error:
        raise ValueError(f"{error}; players without one are {RANDOM} and {ROLLOUTS}") from None
    return match.searching_player(network, env, simulations, goal)


def _openings(request: Request, game: Game) -> list[Any]:
    """The positions that games begin at, in turn. Raises ValueError for those of another game, or where the game is over."""
    from jaxsolve.formats import problems

    return [game.init()] if request.openings is None else problems.starts(request.openings, game, "the match is of")


def _played(env: Env, players: tuple[match.Player, match.Player], starts: list[Any], request: Request) -> list[match.Game]:
    """All games of the match; on a terminal it says how many still go on."""
    import jax
    import jax.numpy as jnp
    from rich.console import Console

    from jaxsolve.train import match

    games: list[match.Game] = []
    console = Console(stderr=True)
    with console.status("preparing ...") if console.is_terminal else contextlib.nullcontext() as shown:
        batch = jax.tree.map(lambda *leaves: jnp.stack(leaves), *starts)
        for left, ended in match.play(env, players, batch, request.opening_moves, request.seed):
            games = ended
            if shown is not None:
                shown.update(f"{left} of {request.games} games go on")
    return games


def _save(folder: RunFolder, game: Game, starts: list[Any], played: list[match.Game], summary: dict[str, Any], request: Request) -> None:
    import jax

    names, step = _names(request), jax.jit(game.step)
    lines = [json.dumps(_record(game, step, starts[n % len(starts)], each, names)) + "\n" for n, each in enumerate(played)]
    write_whole(folder.path / "games.jsonl", "".join(lines))
    folder.write_json(RESULT, summary)


def _names(request: Request) -> tuple[str, str]:
    """The players as records name them: apart, where both are the same."""
    a, b = request.players
    return (a, b) if a != b else (f"{a} (A)", f"{b} (B)")


def _show(request: Request, found: dict[str, Any]) -> None:
    first, (low, high) = found["wins_as_first"], found["interval"]
    print(f"{request.players[0]} against {request.players[1]}, {request.game}, {request.games} games:")
    print(
        f"{found['wins']} won, {found['draws']} drawn, {found['losses']} lost; of the wins {first} as first player, {found['wins'] - first} as second"
    )
    if found["cut_off"]:
        print(f"{found['cut_off']} of those drawn were cut off, for no game may be longer")
    if found["distinct"] < found["games"]:
        print(f"only {found['distinct']} of them are different games, and only these count in the interval; more --opening-moves make more")
    print(f"{request.players[0]} has {100 * found['score']:.1f} % of the points (95 % interval: {100 * low:.1f} to {100 * high:.1f} %)")


def _summary(request: Request, names: tuple[str, str], networks: list[str], played: list[Any], starts: int) -> dict[str, Any]:
    """What a match says; ``starts``: how many positions its games began at in turn."""
    from jaxsolve.train.match import interval
    from jaxsolve.train.targets import NOBODY

    wins, losses = (sum(game.winner == who for game in played) for who in (0, 1))
    points = wins + (len(played) - wins - losses) / 2
    distinct = len({(game.first, number % (len(played) // 2) % starts, *game.opening, NOBODY, *game.moves) for number, game in enumerate(played)})
    return {
        "a": names[0],
        "b": names[1],
        "networks": networks,
        "game": request.game,
        "games": len(played),
        "wins": wins,
        "draws": len(played) - wins - losses,
        "losses": losses,
        "cut_off": sum(game.cut for game in played),
        "wins_as_first": sum(game.winner == 0 and game.first == 0 for game in played),
        "score": points / len(played),
        "distinct": distinct,
        "interval": interval(points / len(played) * distinct, distinct),  # a game that was played before tells nothing new
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
    return record | {"cut_off": played.cut, "opening_moves": len(played.opening), "moves": " ".join(words)}


def _question(request: Request) -> dict[str, Any]:
    fields = {"players": list(request.players), "game": request.game, "games": request.games, "simulations": request.simulations}
    return fields | {
        "opening_moves": request.opening_moves,
        "openings": None if request.openings is None else str(request.openings),
        "seed": request.seed,
    }
