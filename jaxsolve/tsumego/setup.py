"""Reads the position of a life-and-death problem from the user's input.

``tsumego/task.py`` adds the crucial stones and the region.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

from jaxsolve.core.strict_json import shortened
from jaxsolve.formats import position, sgf, sgf_encoding, sgf_problem, sgf_solution
from jaxsolve.formats.record import RESIGNED, FormatError, Record
from jaxsolve.games import registry
from jaxsolve.games.game import Game

SIDES = ("black", "white")


@dataclass(frozen=True)
class Given:
    """A Go position as given by the user, with the marks and rule options that came with it."""

    name: str
    size: int
    board: str  # ``<board>`` of the certificate format
    side: int | None = None  # to move; None if not given
    ko: str | None = None  # the ko point that ``side`` may not retake
    marks: Mapping[str, frozenset[tuple[int, int]]] = field(default_factory=dict)
    where: str = ""  # the place of the position in an SGF record, in words
    title: str = ""
    options: Mapping[str, str] = field(
        default_factory=dict
    )  # options of the tsumego rule set that came with the position
    killall: str | None = None  # rule-set id of Killall-Go; None for other rules
    solution: tuple[sgf_solution.FirstMove, ...] = ()  # what the SGF record says
    # The side of the solution's first move, if the record names the other side as to move (PL).
    solver: int | None = None

    @property
    def contradiction(self) -> str:
        """A clause about ``solver``; "" if the record does not contradict itself."""
        if self.solver is None:
            return ""
        named, solver = SIDES[1 - self.solver], SIDES[self.solver]
        return f"PL names {named}, but the solution begins with {solver}"


# ---- reading -------------------------------------------------------------------------------------
@dataclass(frozen=True)
class RecordPosition:
    """Which position of an SGF file is the problem."""

    number: int | None = None  # the record of the file, from 1; None: the only one
    at: int | None = None  # after so many moves; None: see ``sgf_problem.read_marked``


def read(
    text: str, game: str | None, options: Mapping[str, str], place: RecordPosition | None = None
) -> Given:
    """Reads the position of a task.

    Args:
      text: an SGF file with or without variations, ``-`` for SGF on standard input, or any position
        that ``jaxsolve solve`` takes.
      game: rule-set id, or None for the default.
      options: rule options.
      place: the position of an SGF file, None for its problem.

    Raises:
      FormatError: the position cannot be read or is not a Go position, or ``place`` is for another
        file.
    """
    _refuse_whole_games(game)
    place = place or RecordPosition()
    data = _sgf(text)
    if data is None:
        if place != RecordPosition():
            raise FormatError("--record and --at choose a position of an SGF record; give one")
        problem = position.resolve(text, game=game, options=options)
        return _given(
            problem.id, problem.game, problem.game.text(problem.state), title=problem.title
        )
    return read_record(
        "standard input" if text == "-" else Path(text).name, data, game, options, place
    )


def read_record(
    name: str, data: bytes, game: str | None, options: Mapping[str, str], place: RecordPosition
) -> Given:
    """Reads the position of a task from the bytes of an SGF file, as ``read`` does.

    ``name`` stands for the file in messages. Raises FormatError.
    """
    try:
        marked = sgf_problem.read_marked(data, number=place.number, at=place.at)
        rules = _rules_of(marked.record.properties.get("rules", ""), game, marked.record.size)
        found = _at_end(name, marked.record, registry.make(rules, **options))
    except ValueError as error:
        raise FormatError(f"{name}: {error}") from None
    return dataclasses.replace(
        found,
        marks=marked.marks,
        where=marked.where,
        solution=marked.solution,
        solver=_solver(marked),
    )


def _solver(marked: sgf_problem.Marked) -> int | None:
    """Returns the side of the solution's first move if it is not the side to move, else None."""
    players = {move.player for move in marked.solution}
    if marked.record.moves or marked.record.to_move is None or len(players) != 1:
        return None
    (player,) = players
    return player if player != marked.record.to_move else None


def _at_end(name: str, record: Record, game: Game) -> Given:
    """Returns the position at the end of a record, before its passes.

    Passes at the end change no stone, but they lift the ban of a ko and change the side to move.
    """
    moves = list(record.moves)
    while moves and moves[-1].text in RESIGNED:
        moves.pop()
    every = len(moves)
    while moves and moves[-1].text == "pass":
        moves.pop()
    passes = every - len(moves)
    side = record.to_move
    if side is None and record.moves:
        side = record.moves[0].player
    # A record with set-up stones needs a side to move; the study lets either side move first.
    record = dataclasses.replace(
        record, moves=tuple(moves), to_move=(side or 0) if record.has_setup else record.to_move
    )
    found = _given(
        name, game, game.text(sgf.position(record, game)), record.properties.get("title", "")
    )
    if record.has_setup and side is None:
        return dataclasses.replace(found, side=None)
    if passes:
        turned = found.side if found.side is None or passes % 2 == 0 else 1 - found.side
        return dataclasses.replace(found, side=turned, ko=None)
    return found


def _sgf(text: str) -> bytes | None:
    """Returns the bytes of the SGF record that ``text`` names.

    Returns None if ``text`` is a position of another kind.

    Raises FormatError if the file cannot be read or is not an SGF record.
    """
    example = "one looks like (;GM[1]SZ[9]AB[ee]AW[cc])"
    if text == "-":
        data = position.standard_input()
        sgf_encoding.refuse_packed(data, "standard input")
        if not sgf_encoding.holds_record(data):
            raise FormatError(f"standard input holds no SGF record; {example}")
        return data
    if not text.lower().endswith(".sgf"):
        return None
    try:
        data = Path(text).read_bytes()
    except OSError as error:
        raise FormatError(f"cannot read {text}: {error.strerror}") from None
    sgf_encoding.refuse_packed(data, Path(text).name)
    if not sgf_encoding.holds_record(data):
        raise FormatError(f"{Path(text).name} is not an SGF record: {example}")
    return data


def _rules_of(phrase: str, game: str | None, size: int) -> str:
    """Returns the rule-set id for an SGF record.

    Args:
      phrase: the rules property of the record; used if it is a life-and-death rule set.
      game: rule-set id of the user; it takes precedence.
      size: board size, for the default ``tsumego-<size>``.

    Raises FormatError if there is no default for ``size``.
    """
    if game is not None:
        return game
    if phrase.startswith(("tsumego-", "killallgo-")):
        return phrase
    sizes = registry.describe("tsumego-N").sizes
    assert sizes is not None
    if size not in sizes:
        raise FormatError(
            f"the board has size {size} (SZ); life and death is for sizes {sizes[0]} to {sizes[-1]}"
        )
    return f"tsumego-{size}"


def _refuse_whole_games(game: str | None) -> None:
    """Raises FormatError if ``--game`` names rules without a life-and-death goal."""
    base = "" if game is None else game.partition(";")[0]
    if base.startswith("go-"):
        raise FormatError(
            f"--game {shortened(base)}: life and death needs tsumego-{shortened(base[3:])} or"
            " killallgo-9; leave --game out"
        )


def _pairs(fields: list[str]) -> dict[str, str]:
    """Converts texts ``key=value`` to a mapping."""
    parts = [field.partition("=") for field in fields]
    return {name: value for name, _, value in parts}


def _given(name: str, game: Game, text: str, title: str = "") -> Given:
    base, *chosen = game.rule_set.split(";")
    if game.name != "go" or not base.startswith(("tsumego-", "killallgo-", "go-")):
        raise FormatError(f"life and death is for Go positions, not for {shortened(game.rule_set)}")
    board, side, *fields = text.split()
    found = _pairs(fields)
    strange = {"history": "a history", "ply": "forced moves", "passes": "passes"}
    for strangest in found.keys() & strange:
        raise FormatError(
            f"only one side can move in a position with {strange[strangest]}: give the board alone"
        )
    if found.get("crucial"):
        raise FormatError(
            f"crucial={found['crucial']}: some crucial stones are gone already; name the others"
            " with --crucial"
        )
    options = _pairs(chosen)
    return Given(
        name,
        int(base.rpartition("-")[2]),
        board,
        side="bw".index(side),
        ko=found.get("ko"),
        title=title,
        options={} if base.startswith("go-") else options,
        killall=game.rule_set if base.startswith("killallgo-") else None,
    )
