"""Experiments: variants of a player against an opponent in several games, as in a paper.

A *cell* is one variant in one game. All cells of a game are played at the same time from the same
openings, so that their searches share the device and their results can be compared.
"""

from __future__ import annotations

import dataclasses
import itertools
import string
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np

from jaxsolve.games import make
from jaxsolve.games.game import Game
from jaxsolve.play.match import Matches, Spent, match_env
from jaxsolve.play.match_log import MatchLog
from jaxsolve.play.players import TreePlayer, named_search
from jaxsolve.play.records import NOBODY, Tally, in_words, tally
from jaxsolve.view.experiments import paper_numbers

MAX_SEED = (1 << 31) - 1
RESULT_COLUMNS = (
    "game", "player", "opponent", "points", "low", "high", "paper",
    "games", "wins", "draws", "losses", "cut_off", "distinct",
    "simulations_a_move", "opponents_simulations_a_move", "cpu_seconds",
)  # fmt: skip
GAME_COLUMNS = (
    "game",
    "player",
    "opponent",
    "first",
    "second",
    "winner",
    "cut_off",
    "opening_moves",
    "moves",
)
"""Columns of the tables of results and of games. Each table also has a column for each axis."""


@dataclass
class Settings:
    """Settings of ``jaxsolve experiment``; ``configs/experiments`` has their values."""

    name: str = "experiment"  # of its folder
    title: str = ""  # title of the figure: the varied parameters
    source: str = ""  # where the paper's numbers are from, and under which conditions
    out: str = "runs/experiment"  # its folder; the same command continues in it
    games: list[str] = field(default_factory=list)  # rule sets
    # Name of an axis (a varied parameter) -> its values; null: the axis is not used. The last axis
    # is the x axis of the plot.
    axes: dict[str, list[Any] | None] = field(default_factory=dict)
    player: str = "pnmcts"  # name of the player; {NAME} is replaced by the value of the axis NAME
    opponent: str = "uct"  # name of the opponent; {NAME} is replaced in the same way
    simulations: int | None = None  # for each move, unless the player's name sets it
    # CPU seconds for each move, unless the player's name sets it. Searches with a time limit run
    # one after another.
    seconds: float | None = None
    games_each: int = 100  # games of each cell; half of them are played with sides changed
    opening_moves: int = 2  # random moves at the start of each game
    seed: int = 0
    side_by_side: int = 1024  # most games at a time; at least one opening of every cell is played
    x_label: str = ""  # below the picture; default: the name of the last axis
    # Rule set -> the paper's points in per cent, as nested lists in the order of the axes; or null.
    paper: dict[str, Any] | None = field(default_factory=dict)
    paper_x: list[Any] = field(default_factory=list)  # the paper's last axis, where it differs

    def __post_init__(self) -> None:
        # Numbers of the YAML file are converted to text, because they are inserted in names.
        self.axes = {
            name: None if values is None else [str(value) for value in values]
            for name, values in self.axes.items()
        }
        self.paper_x = [str(value) for value in self.paper_x]

    def question(self) -> dict[str, Any]:
        """Returns the settings that results depend on, as plain JSON values.

        Names, folder, labels and the paper's numbers are excluded.
        """
        labels = ("name", "title", "source", "out", "x_label", "paper", "paper_x")
        chosen = {k: value for k, value in dataclasses.asdict(self).items() if k not in labels}
        # A list, because the order of the axes numbers the cells. Equal dicts can differ in order.
        return chosen | {"axes_order": list(self.axes)}


@dataclass(frozen=True)
class Cell:
    """One variant of a player in one game."""

    game: str
    values: tuple[str, ...]  # the value of each axis
    player: str
    opponent: str
    paper: float | None  # the paper's points in per cent


@dataclass(frozen=True)
class Result:
    """The result of the games of a cell."""

    cell: Cell
    tally: Tally
    spent: tuple[Spent, Spent]


class Experiment:
    """The cells of an experiment, and their matches.

    The openings of a game are divided into parts. All games of a part are played at the same time.

    Raises ValueError for an invalid player, game or number, and if the shape of ``Settings.paper``
    does not match the axes (with ``paper_x`` as the last axis, if given).
    """

    def __init__(self, settings: Settings):
        self.settings = settings
        self.axes = {name: values for name, values in settings.axes.items() if values is not None}
        self.paper: dict[str, Any] = {
            name: values
            for name, values in (settings.paper or {}).items()
            if name in settings.games
        }
        if not settings.games or not all(isinstance(name, str) for name in settings.games):
            raise ValueError(f"games={settings.games}: give the names of rule sets, at least one")
        for name, values in {"games": settings.games, **self.axes}.items():
            if not values or len(set(values)) < len(values):
                raise ValueError(
                    f"{name}=[{', '.join(values)}]: give at least one value, and each of them once"
                )
        for name, least, most in (
            ("games_each", 2, 100_000),
            ("opening_moves", 0, 1000),
            ("seed", 0, MAX_SEED),
            ("side_by_side", 2, 1 << 20),
        ):
            if not least <= getattr(settings, name) <= most:
                raise ValueError(
                    f"{name}={getattr(settings, name)}: give a whole number from {least} to {most}"
                )
        if settings.games_each % 2:
            raise ValueError(
                f"games_each={settings.games_each}: give an even number, "
                "because every opening is played from both sides"
            )
        for name in self.axes:
            if (
                not (name.isascii() and name.isidentifier())
                or name in RESULT_COLUMNS + GAME_COLUMNS
            ):
                taken = ", ".join(dict.fromkeys(RESULT_COLUMNS + GAME_COLUMNS))
                raise ValueError(
                    f"axes.{name}: give a word of letters that is no column of the tables: {taken}"
                )
        named = _named(settings.player) | _named(settings.opponent)
        for name in sorted(named ^ self.axes.keys()):
            if name in self.axes:
                raise ValueError(
                    f"axes.{name}: neither player nor opponent has {{{name}}} in it, "
                    "so it would change nothing"
                )
            raise ValueError(
                f"{{{name}}} in player or opponent is no axis; there are {', '.join(self.axes)}"
            )
        self.games: dict[str, Game] = {name: make(name) for name in settings.games}
        self.cells = {name: list(self._cells(name)) for name in settings.games}
        # Each cell has its own player objects. A player with a time limit is a pool of its own, so
        # the pools of both sides serve the same number of games.
        self._pairs = {
            name: [
                (self._player(name, cell.player), self._player(name, cell.opponent))
                for cell in cells
            ]
            for name, cells in self.cells.items()
        }

    def parts(self, game: str) -> list[int]:
        """Returns the number of openings of each part of a game's matches."""
        openings = self.settings.games_each // 2
        most = max(self.settings.side_by_side // (2 * len(self.cells[game])), 1)
        return [min(most, openings - start) for start in range(0, openings, most)]

    def matches(self, game: str, part: int) -> Matches:
        """Returns the matches of part number ``part``, with no move played."""
        rules, count = self.games[game], self.parts(game)[part]
        starts = jax.tree.map(
            lambda x: jnp.repeat(jnp.asarray(x)[None], count, axis=0), rules.init()
        )
        seed = (
            int(np.random.SeedSequence((self.settings.seed, part)).generate_state(1)[0]) & MAX_SEED
        )
        return Matches(
            match_env(rules), self._pairs[game], starts, self.settings.opening_moves, seed
        )

    def play(self, game: str, folder: Path) -> Iterator[tuple[int, Matches]]:
        """Plays all parts of a game, continuing from the moves in ``folder``.

        Yields the number of the part and its matches, before the first move and after every move.
        Raises ValueError if the moves in ``folder`` do not belong to these matches; OSError.
        """
        for part in range(len(self.parts(game))):
            matches = self.matches(game, part)
            log = MatchLog(folder / f"{game}-{part}.jsonl", [game, part, self.settings.question()])
            log.replay(matches)
            yield part, matches
            while matches.left:
                log.add(matches.play_on(), matches)
                yield part, matches

    def results(self, game: str, played: Sequence[Matches]) -> list[Result]:
        """Returns the result of each cell of a game.

        ``played`` holds the matches of all parts.
        """
        parts = [matches.records() for matches in played]
        return [
            Result(
                cell,
                tally([record for part in parts for record in part[number]], starts=1),
                _summed(played, number),
            )
            for number, cell in enumerate(self.cells[game])
        ]

    def rows_of_games(self, game: str, played: Sequence[Matches]) -> list[dict[str, Any]]:
        """Returns the rows of the table of games: one for every game of every cell.

        A row has the players of both sides, the winner and all moves.
        """
        rules, rows = self.games[game], []
        for matches in played:
            records = [record for each in matches.records() for record in each]
            words = in_words(rules, [rules.init()] * len(records), records)
            each_cell = len(records) // len(self.cells[game])
            for number, (record, moves) in enumerate(zip(records, words, strict=True)):
                cell = self.cells[game][number // each_cell]
                sides = ("player", "opponent")[:: 1 if record.first == 0 else -1]
                winner = "" if record.winner == NOBODY else ("player", "opponent")[record.winner]
                rows.append(
                    {
                        "game": game,
                        **dict(zip(self.axes, cell.values, strict=True)),
                        "player": cell.player,
                        "opponent": cell.opponent,
                    }
                    | {"first": sides[0], "second": sides[1], "winner": winner}
                    | {"cut_off": record.cut, "opening_moves": len(record.opening), "moves": moves}
                )
        return rows

    # ---- internals -------------------------------------------------------------------------------
    def _cells(self, game: str) -> Iterator[Cell]:
        settings = self.settings
        choices = list(itertools.product(*self.axes.values()))
        paper: list[float | None] = [None] * len(choices)
        if self.paper.get(game) is not None:
            own = tuple(map(len, self.axes.values()))
            due = (*own[:-1], len(settings.paper_x)) if settings.paper_x else own
            try:
                given = paper_numbers(self.paper[game])
            except ValueError as error:
                raise ValueError(f"paper.{game}: {error}") from None
            if given.shape != due:
                raise ValueError(
                    f"paper.{game}: these numbers do not fit the axes {', '.join(self.axes)}; "
                    "paper=null leaves all of them out"
                )
            if not settings.paper_x:
                paper = [None if np.isnan(number) else number for number in given.ravel().tolist()]
        for values, points in zip(choices, paper, strict=True):
            named = dict(zip(self.axes, values, strict=True))
            yield Cell(
                game,
                values,
                settings.player.format(**named),
                settings.opponent.format(**named),
                points,
            )

    def _player(self, game: str, text: str) -> TreePlayer:
        search = named_search(text, self.settings.simulations, self.settings.seconds)
        return TreePlayer(text, self.games[game], search)


def _named(text: str) -> set[str]:
    """Returns the names in braces in a player's text: the axes ``c`` and ``k`` of ``{c}-{k}``.

    Raises ValueError if the braces are malformed or contain more than a name.
    """
    try:
        found = [
            (name, form, conversion)
            for _, name, form, conversion in string.Formatter().parse(text)
            if name is not None
        ]
    except ValueError as error:
        raise ValueError(f"{text!r}: {error}") from None
    if any(form or conversion for _, form, conversion in found):
        raise ValueError(f"{text!r}: write the name of an axis alone in braces, as {{c}}")
    return {name for name, _, _ in found}


def _summed(played: Sequence[Matches], pair: int) -> tuple[Spent, Spent]:
    def one(player: int) -> Spent:
        parts = [matches.spent[pair][player] for matches in played]
        return Spent(
            sum(p.moves for p in parts),
            sum(p.simulations for p in parts),
            sum(p.seconds for p in parts),
        )

    return one(0), one(1)
