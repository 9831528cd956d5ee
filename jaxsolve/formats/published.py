"""Reads published problem sets in the JSON formats of their publications.

A format is recognised by its fields. The formats, with their default rules and claims:

* Gomoku 15x15, proof cost networks (ICLR 2022): ``knowledge=4t``; the side to move wins.
* Killall-Go 9x9, proof cost networks (ICLR 2022): ``ko=simple``, ``passes=not-achieved``,
  ``fill_eyes=false``; White lives.
* Killall-Go 7x7 openings and easy positions (NeurIPS 2023): ``ko=situational``,
  ``passes=not-achieved``; White lives.
* Killall-Go 7x7, relevance zones (AAAI 2022): ``tsumego-7`` with the ko rule of the file for each
  side; White lives.
* Go 19x19 life and death, relevance zones (AAAI 2022): ``tsumego-19`` with the crucial stones,
  region and ko rules from the file; the claim is that the colour named in the file lives.
* Hex openings and mid-game positions: ``hex-N``; the side to move wins.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from jaxsolve.formats.problems import by_id, with_options
from jaxsolve.formats.record import FormatError, Move, Record, board_size, replay, start
from jaxsolve.formats.sgf import point_text
from jaxsolve.games.game import Game, State
from jaxsolve.question import Claim, Problem, default_claim

_SIDES = {"b": 0, "w": 1}
_SOUND_OPTIONS = {"knowledge"}  # options that change the search, never the value

Entry = dict[str, Any]


@dataclass(frozen=True)
class PublishedSet:
    """The functions that read one format of published problem sets.

    ``data`` is the JSON object of a file.
    """

    recognise: Callable[[Entry], bool]  # whether ``data`` has this format
    # Makes a problem of (id, entry of the problem, ``data``, rule options).
    build: Callable[[str, Entry, Entry, dict[str, str]], Problem]
    # Entries of the problems by id.
    entries: Callable[[Entry], dict[str, Entry]] = lambda data: by_id(data.get("problems"))


def entries(data: Entry) -> tuple[dict[str, Entry], Callable[..., Problem]]:
    """Returns the entries of a published set by id, and the function that builds its problems.

    ``data`` is the JSON object of the file. The function is ``PublishedSet.build``. Raises
    FormatError for an unknown format.
    """
    for published in _SETS:
        if published.recognise(data):
            return published.entries(data), published.build
    raise FormatError(
        'it is neither a jaxsolve-problems file ("format": "jaxsolve-problems") '
        "nor a published set that jaxsolve knows"
    )


def _first(data: Entry) -> Entry:
    problems = data.get("problems")
    return (
        problems[0]
        if isinstance(problems, list) and problems and isinstance(problems[0], dict)
        else {}
    )


def _side(text: str) -> int:
    side = _SIDES.get(str(text)[:1].lower())
    if side is None:
        raise FormatError(f"side {text!r} is neither black nor white")
    return side


def _moves(pairs: list[list[str]]) -> tuple[Move, ...]:
    return tuple(Move(text, _side(side)) for side, text in pairs)


def _played(game: Game, entry: Entry, moves: tuple[Move, ...]) -> State:
    """Returns the position after ``moves`` from the start position.

    Raises FormatError if the entry states other stones or another side to move.
    """
    state, rest, number = start(game, Record(board_size(game), moves=moves))
    state = replay(game, state, rest, first_number=number)
    stated = entry.get("to_move", entry.get("to_play"))
    if stated is not None and _side(stated) != int(game.to_move(state)):
        raise FormatError(
            f"field to_move is {stated}, but after {len(moves)} moves "
            f"it is {game.players[int(game.to_move(state))]}'s turn"
        )
    for field, colour in (("black", 1), ("white", 2)):
        if field in entry and sorted(entry[field]) != sorted(_stones(game, state, colour)):
            raise FormatError(f"field {field} differs from the stones on the board after the moves")
    return state


def _stones(game: Game, state: State, colour: int) -> list[str]:
    cells = game.cells(state)
    rows, columns = np.nonzero(cells == colour)
    return [
        point_text(game.name, cells.shape[0], int(column), int(row))
        for row, column in zip(rows, columns, strict=True)
    ]


def _expected(answer: bool | None, options: dict[str, str]) -> str | None:
    """Returns the expected verdict: "proved" if ``answer`` is True, "disproved" if it is False.

    ``answer`` states whether the claim holds under the rules of the set. Returns None if ``answer``
    is None, or if ``options`` change these rules.
    """
    return (
        None
        if answer is None or set(options) - _SOUND_OPTIONS
        else ("proved" if answer else "disproved")
    )


def _solved(table: Any) -> bool | None:
    """Returns True if some program solved the problem, otherwise None (unknown).

    ``table`` is an entry of a publication's table: a number, None if the program failed, or a
    dictionary of such entries, which may be nested.
    """
    found = (
        any(_solved(value) for value in table.values())
        if isinstance(table, dict)
        else table is not None
    )
    return True if found else None


def _gomoku(identifier: str, entry: Entry, data: Entry, options: dict[str, str]) -> Problem:
    game = with_options(f"gomoku-{entry['size']}", {"knowledge": "4t"} | options)
    state = _played(game, entry, _moves(entry["moves"]))
    claim = Claim(int(game.to_move(state)))
    return Problem(
        identifier,
        game,
        state,
        claim,
        source=data["source"],
        expected=_expected(True, options),
        notes={"paper": entry["paper"]},
    )


def _killallgo9(identifier: str, entry: Entry, data: Entry, options: dict[str, str]) -> Problem:
    game = with_options(
        "killallgo-9", {"ko": "simple", "passes": "not-achieved", "fill_eyes": "false"} | options
    )
    state = _played(game, entry, _moves(entry["moves"]))
    answer = _expected(_solved(entry["paper"]), options)
    return Problem(
        identifier,
        game,
        state,
        default_claim(game, state),
        source=data["source"],
        expected=answer,
        notes={"paper": entry["paper"]},
    )


def _killallgo7(identifier: str, entry: Entry, data: Entry, options: dict[str, str]) -> Problem:
    game = with_options("killallgo-7", {"ko": "situational", "passes": "not-achieved"} | options)
    state = _played(game, entry, _moves(entry["moves"]))
    answer = _expected(True if "results" in entry else None, options)
    notes = _kept(entry, "group", "results")
    return Problem(
        identifier,
        game,
        state,
        default_claim(game, state),
        source=data["source"],
        expected=answer,
        notes=notes,
    )


def _ko_options(entry: Entry) -> dict[str, str]:
    words = {"allow_ko": "allow", "disallow_ko": "forbid"}
    return {f"ko_{side}": words[entry["ko_rules"][side]] for side in ("black", "white")}


def _rzone7(identifier: str, entry: Entry, data: Entry, options: dict[str, str]) -> Problem:
    """Builds a 7x7 relevance-zone problem.

    White must pass at move 2. The entry, like the publication's figure, omits this pass, so the
    function inserts it.
    """
    lives = {"goal": "live", "defender": "white", "crucial": "any", "region": "all"} | _ko_options(
        entry
    )
    killall = options.get("rules", "").startswith("killallgo-")
    game = with_options(f"tsumego-{entry['size']}", ({} if killall else lives) | options)
    first, *rest = _moves(entry["moves_figure"])
    state = _played(game, entry, (first, Move("pass", 1), *rest))
    answer = _expected(_side(entry["winner_claimed"]) == 1, options)
    notes = _kept(entry, "opening_group", "ftl_d_hint_KM", "paper_table2_nodes")
    return Problem(
        identifier,
        game,
        state,
        default_claim(game, state),
        source=data["source"],
        expected=answer,
        notes=notes,
    )


def _tsumego19(identifier: str, entry: Entry, data: Entry, options: dict[str, str]) -> Problem:
    defender = ("black", "white")[_side(entry["colour_to_live"])]
    lives = {
        "goal": "live",
        "defender": defender,
        "crucial": ",".join(entry["crucial"]),
        "region": ",".join(entry["region"]),
    }
    game = with_options(f"tsumego-{entry['size']}", lives | _ko_options(entry) | options)
    size = entry["size"]
    names = {
        point_text("go", size, column, row): (column, row)
        for row in range(size)
        for column in range(size)
    }
    black, white = (frozenset(names[text] for text in entry[field]) for field in ("black", "white"))
    state, _, _ = start(game, Record(size, black, white, _side(entry["to_move"])))
    answer = _expected(_solved(entry["paper_table3_nodes"]), options)
    notes = _kept(
        entry, "volume", "page", "answer_firstmove", "ftl_d_hint_KM", "paper_table3_nodes"
    )
    return Problem(
        identifier,
        game,
        state,
        default_claim(game, state),
        entry["name"],
        data["source"],
        answer,
        notes,
    )


def _kept(entry: Entry, *names: str) -> Entry:
    return {name: entry[name] for name in names if name in entry}


def _hex_game(size: int, options: dict[str, str]) -> Game:
    return with_options(f"hex-{size}", options)


def _hex_midgame(identifier: str, entry: Entry, data: Entry, options: dict[str, str]) -> Problem:
    game = _hex_game(entry["size"], options)
    state = _played(game, entry, _moves(entry["moves"]))
    claim = Claim(int(game.to_move(state)))
    answer = _expected(_side(entry["winner"]) == claim.player, options)
    return Problem(
        identifier,
        game,
        state,
        claim,
        source=data["source"],
        expected=answer,
        notes=_kept(entry, "winning_moves", "work"),
    )


def _hex_opening_entries(data: Entry) -> dict[str, Entry]:
    """Returns the entries of the set of Hex openings by id: ``5x5-c3``, ``5x5-empty``, ..."""
    winners = data["winners"]
    for size, cells in winners.items():
        if not size.isdecimal() or not isinstance(cells, dict):
            raise FormatError(
                f"field 'winners' gives {size!r} the value {cells!r}; "
                "it maps board sizes to objects of cells and winners"
            )
    return {
        f"{n}x{n}-{cell}": {"size": int(n), "cell": cell, "winner": winners[n][cell]}
        for n in winners
        for cell in winners[n]
    }


def _hex_opening(identifier: str, entry: Entry, data: Entry, options: dict[str, str]) -> Problem:
    game = _hex_game(entry["size"], options)
    moves = () if entry["cell"] == "empty" else (Move(entry["cell"], 0),)
    state = _played(game, {}, moves)
    claim = Claim(int(game.to_move(state)))
    answer = _expected(_side(entry["winner"]) == claim.player, options)
    return Problem(identifier, game, state, claim, source=data.get("note", ""), expected=answer)


_SETS = (
    PublishedSet(
        lambda data: isinstance(data.get("winners"), dict), _hex_opening, _hex_opening_entries
    ),
    PublishedSet(lambda data: "winning_moves" in _first(data), _hex_midgame),
    PublishedSet(lambda data: "crucial" in _first(data), _tsumego19),
    PublishedSet(lambda data: "moves_figure" in _first(data), _rzone7),
    PublishedSet(lambda data: "sgf" in _first(data) and "moves" in _first(data), _killallgo7),
    PublishedSet(lambda data: "five" in str(data.get("goal")) and "moves" in _first(data), _gomoku),
    PublishedSet(
        lambda data: "White" in str(data.get("goal")) and "moves" in _first(data), _killallgo9
    ),
)
