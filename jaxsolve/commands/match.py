"""``jaxsolve match``: plays games between two players and prints the score."""

from __future__ import annotations

import dataclasses
import hashlib
import json
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from jaxsolve.commands import exit_codes, failure, streams
from jaxsolve.core.run_folder import RunFolder, write_atomically, write_table

if TYPE_CHECKING:
    from jaxsolve.commands.interface.playing import MatchOptions
    from jaxsolve.games.env import Env
    from jaxsolve.games.game import Game
    from jaxsolve.play.match import Matches, Spent
    from jaxsolve.play.player import Player
    from jaxsolve.play.records import Record

RANDOM, ROLLOUTS = "random", "rollouts"
RESULT = "result.json"  # written at the end of a match
# The moves so far, from which a match resumes: one line per ply, with a move for each game.
PLIES = "plies.jsonl"
DEFAULT_SIMULATIONS = 32


def run(options: MatchOptions) -> int:
    """Plays the match, prints the score, and saves the games in the folder of ``--out``.

    Returns 0, or 1 if the result could not be printed or saved.
    """
    with failure.errors_as_sentences(options.as_json):
        from jaxsolve.core import process

        process.setup()
        from jaxsolve.games import make
        from jaxsolve.play.match import match_env

        if options.games % 2:
            raise ValueError(
                f"--games {options.games}: give an even number; "
                "each opening is played from both sides"
            )
        game = make(options.game)
        env = match_env(game)
        players, weights = zip(
            *(_player(text, env, options) for text in options.players), strict=True
        )
        states = _openings(options, game)
        starts = [states[number % len(states)] for number in range(options.games // 2)]
        question = _question(options, list(weights))
        folder = (
            None
            if options.out is None
            else RunFolder(options.out, "match.json", question, resume=True)
        )
        try:
            matches = _played(env, (players[0], players[1]), starts, options, folder, question)
            played = matches.records()[0]
            summary = _summary(
                options, _names(options), players, played, len(states), matches.spent[0]
            )
            printed = streams.deliver(
                lambda: streams.print_json(summary) if options.as_json else _show(options, summary),
                _headline(options, summary),
            )
            if folder is not None:
                try:
                    _save(folder, game, starts, played, summary, options)
                except OSError as error:  # the result is printed already
                    failure.remark(
                        f"the games could not be saved in {folder.path} ({error.strerror or error})"
                    )
                    printed = False
        finally:
            if folder is not None:
                folder.release()
    return 0 if printed else exit_codes.FAILED


# ---- inside ------------------------------------------------------------------------------------
def _player(text: str, env: Env, options: MatchOptions) -> tuple[Player, str | None]:
    """Makes a player from its name on the command line.

    Args:
      text: ``random``, ``rollouts``, a search (``uct`` or ``pnmcts``, with settings), or a network,
        optionally with the head that the search uses: ``NETWORK:value``.
      env: environment of the match.
      options: options of the command.

    Returns:
      The player, and a digest of the parameters of its network (None without a network).

    Raises:
      ValueError: the name or its settings are unknown.
      OSError: the network cannot be read.
    """
    from jaxsolve.networks import finding
    from jaxsolve.networks.identity import digest_of
    from jaxsolve.play import players
    from jaxsolve.play.player import RandomPlayer

    if text == RANDOM:
        return RandomPlayer(), None
    simulations = (
        options.simulations
        if options.simulations is not None or options.seconds is not None
        else DEFAULT_SIMULATIONS
    )
    if text.partition(":")[0] in players.KINDS:
        return players.TreePlayer(
            text, env.game, players.named_search(text, simulations, options.seconds)
        ), None
    if simulations is None:
        raise ValueError(
            f"{text!r} is limited by simulations, not by time; give --simulations, "
            "and time=S for the other player only"
        )
    from jaxsolve.train import players as training

    if text == ROLLOUTS:
        return training.rollout_player(env, simulations), None
    name, colon, goal = text.rpartition(":")
    if not (colon and goal in training.GOALS):
        name, goal = text, None
    try:
        network = finding.find(name)
    except ValueError as error:
        others = f"{RANDOM}, {ROLLOUTS}, {' and '.join(players.KINDS)}"
        raise ValueError(f"{error}; players without one are {others}") from None
    return training.searching_player(network, env, simulations, goal), digest_of(network.params)


def _openings(options: MatchOptions, game: Game) -> list[Any]:
    """Returns the start positions; the games of the match use them in turn.

    Raises ValueError for a position of another game, and for one in which the game is over.
    """
    from jaxsolve.formats import problems

    return (
        [game.init()]
        if options.openings is None
        else problems.starts(options.openings, game, "the match is of")
    )


def _played(
    env: Env,
    players: tuple[Player, Player],
    starts: list[Any],
    options: MatchOptions,
    folder: RunFolder | None,
    question: dict[str, Any],
) -> Matches:
    """Plays the match to its end and returns it.

    If ``folder`` contains moves of this match, they are replayed first. Each ply is appended to
    that file.

    Raises:
      ValueError: the file of moves is missing, damaged, or belongs to another match.
    """
    import jax
    import jax.numpy as jnp

    from jaxsolve.commands import progress
    from jaxsolve.core import process
    from jaxsolve.play.match import Matches
    from jaxsolve.play.match_log import MatchLog

    with progress.ProgressLines("preparing ...") as lines:
        batch = jax.tree.map(lambda *leaves: jnp.stack(leaves), *starts)
        matches = Matches(env, [players], batch, _opening_moves(options), options.seed)
        log = None
        if folder is not None:
            if (folder.path / RESULT).exists() and not (folder.path / PLIES).exists():
                raise ValueError(
                    f"{folder.path} holds this match, but not its moves, {PLIES}; "
                    "give another folder"
                )
            log = MatchLog(folder.path / PLIES, question)
            log.replay(matches)
            if not matches.left:
                failure.remark(f"{folder.path} holds this match, already complete")
        while matches.left:
            process.raise_lost_interrupt()
            lines.report(lambda: _going(options, matches))
            chosen = matches.play_on()
            if log is not None:
                log.add(chosen, matches)
    return matches


def _going(options: MatchOptions, matches: Matches) -> str:
    """Returns a line about the progress of a match: move number, games in progress, points."""
    points, over = matches.standing(0)
    so_far = (
        f"; {options.players[0]} has {points:g} points in {over} finished games" if over else ""
    )
    return f"move {matches.ply + 1}: {matches.left} of {options.games} games in progress{so_far}"


def _save(
    folder: RunFolder,
    game: Game,
    starts: list[Any],
    played: list[Record],
    summary: dict[str, Any],
    options: MatchOptions,
) -> None:
    from jaxsolve.formats import problems
    from jaxsolve.play.records import in_words

    names, begun = _names(options), [starts[n % len(starts)] for n in range(len(played))]
    openings = (
        [f"{n + 1}" for n in range(len(starts))]
        if options.openings is None
        else [problem.id for problem in problems.load(options.openings)]
    )
    records = []
    for number, (start, each, words) in enumerate(
        zip(begun, played, in_words(game, begun, played), strict=True)
    ):
        order = names if each.first == 0 else (names[1], names[0])
        whose = {
            "game": number + 1,
            "opening": openings[number % len(starts) % len(openings)],
            "first": order[0],
            "second": order[1],
        }
        record = whose | {
            "winner": None if each.winner < 0 else names[each.winner],
            "start": game.text(start),
        }
        records.append(
            record | {"cut_off": each.cut, "opening_moves": len(each.opening), "moves": words}
        )
    write_atomically(
        folder.path / "games.jsonl", "".join(json.dumps(record) + "\n" for record in records)
    )
    write_table(folder.path / "games.csv", records)
    folder.write_json(RESULT, summary)


def _opening_moves(options: MatchOptions) -> int:
    if options.opening_moves is not None:
        return options.opening_moves
    return 2 if options.openings is None else 0


def _names(options: MatchOptions) -> tuple[str, str]:
    """Returns the names of the two players for the records; equal names get (A) and (B)."""
    a, b = options.players
    return (a, b) if a != b else (f"{a} (A)", f"{b} (B)")


def _show(options: MatchOptions, found: dict[str, Any]) -> None:
    from jaxsolve.games import make

    first, (one, other) = found["wins_as_first"], make(options.game).players
    print(
        f"{options.players[0]} against {options.players[1]}, {options.game}, {options.games} games:"
    )
    print(
        f"{found['wins']} won, {found['draws']} drawn, {found['losses']} lost; "
        f"wins: {first} as {one}, {found['wins'] - first} as {other}"
    )
    if found["cut_off"]:
        print(f"{found['cut_off']} of the draws reached the limit on the length of a game")
    if found["distinct"] < found["games"]:
        print(
            f"only {found['distinct']} games are different, and only these count in the interval; "
            "more --opening-moves give more different games"
        )
    spent = found["spent"]
    for name, each in zip((found["a"], found["b"]), spent, strict=True):
        if each["simulations"]:
            rate = each["simulations"] / max(each["seconds"], 1e-9)
            rate = f", {rate:,.0f} per CPU s, compilation included"
            if found["spent_together"]:
                rate = ""
            elif "time=" in name or (options.seconds is not None and "sims=" not in name):
                rate = " on average; many more near the end of a game, which the tree reaches"
            print(f"{name}: {each['simulations'] / each['moves']:,.0f} simulations per move{rate}")
    if found["spent_together"] and (done := sum(each["simulations"] for each in spent)):
        rate = done / max(sum(each["seconds"] for each in spent), 1e-9)
        print(f"both together: {rate:,.0f} simulations per CPU s, compilation included")
    print(_headline(options, found))


def _headline(options: MatchOptions, found: dict[str, Any]) -> str:
    low, high = found["interval"]
    return (
        f"{options.players[0]} has {100 * found['score']:.1f} % of the points "
        f"(95 % interval: {100 * low:.1f} to {100 * high:.1f} %)"
    )


def _summary(
    options: MatchOptions,
    names: tuple[str, str],
    players: Sequence[Player],
    played: list[Record],
    starts: int,
    spent: tuple[Spent, Spent],
) -> dict[str, Any]:
    """Returns the result of a match as plain values.

    Args:
      options: options of the command.
      names: distinct names of the two players.
      players: the two players.
      played: all games.
      starts: number of different start positions.
      spent: moves, simulations and time of each player.
    """
    from jaxsolve.play.records import tally

    found = tally(played, starts)
    about = {
        "a": names[0],
        "b": names[1],
        "players": [player.name for player in players],
        "game": options.game,
        "seed": options.seed,
        "score": found.score,
        "interval": found.interval,
    }
    # Players of one pool search together. Their time is measured once and split evenly.
    together = players[0].pool == players[1].pool
    return (
        about
        | dataclasses.asdict(found)
        | {"spent": [dataclasses.asdict(each) for each in spent], "spent_together": together}
    )


def _question(options: MatchOptions, weights: list[str | None]) -> dict[str, Any]:
    """Returns all values that determine the games; a folder is resumed only if they are equal.

    ``weights`` and the digest of the file of openings detect files with changed contents.
    """
    from jaxsolve.formats import problems

    fields = {
        "players": list(options.players),
        "weights": weights,
        "game": options.game,
        "games": options.games,
        "simulations": options.simulations,
        "seconds": options.seconds,
    }
    return fields | {
        "opening_moves": _opening_moves(options),
        "openings": None if options.openings is None else str(options.openings),
        "openings_sha256": None
        if options.openings is None
        else hashlib.sha256(problems.find(options.openings).read_bytes()).hexdigest(),
        "seed": options.seed,
    }
