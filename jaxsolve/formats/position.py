"""What a person types for a position: a file, a problem of a set, moves, or the canonical text."""

from __future__ import annotations

import sys
from collections.abc import Mapping
from pathlib import Path

from jaxsolve.formats import problems, sgf
from jaxsolve.formats.record import FormatError, Record
from jaxsolve.games import registry
from jaxsolve.games.game import Game, State
from jaxsolve.question import Problem, default_claim

HELP = (
    "An SGF file, FILE.json:ID (a problem of a set), 'start', 'moves:C3 D4 pass' from the start position, a position in canonical text, "
    "or - to read an SGF record or a text from standard input."
)


def resolve(text: str, *, game: str | None = None, options: Mapping[str, str] | None = None) -> Problem:
    """The position that ``text`` names (``HELP`` lists the forms), with its rules and default claim.

    Args:
      text: what was typed.
      game: rule-set id; needed unless the file says it. With a problem of a set it replaces the set's rules.
      options: rule options that replace those of ``game`` or of the file.

    Raises:
      FormatError: one sentence naming the file, problem or move that is wrong.
    """
    options = dict(options or {})
    if text == "-":
        return _content(sys.stdin.buffer.read(), "standard input", game, options)
    if names_problem(text):
        file, _, identifier = text.rpartition(":")
        return problems.load(file, ids=[identifier], options=_replacing(game, options))[0]
    if text.endswith(".json"):
        raise FormatError(f"{text} is a problem set: add the problem's id, as in {text}:ID")
    path = Path(text)
    if text.endswith(".sgf") or (len(text) < 200 and path.is_file()):
        try:
            data = path.read_bytes()
        except OSError as error:
            raise FormatError(f"cannot read {text}: {error.strerror}") from None
        return _content(data, path.name, game, options)
    return _typed(text, game, options)


def names_problem(text: str) -> bool:
    """Whether ``text`` is ``FILE.json:ID``: such a position comes with a claim of its own."""
    file, _, identifier = text.rpartition(":")
    return file.endswith(".json") and bool(identifier)


def _replacing(game: str | None, options: dict[str, str]) -> dict[str, str]:
    """``game`` and ``options`` as the option mapping of ``problems.load``."""
    if game is None:
        return options
    base, chosen = problems.split_rules(game)
    return {"rules": base} | chosen | options


def _game(rules: str | None, options: dict[str, str]) -> Game:
    if rules is None:
        raise FormatError(f"say which game it is: add --game with one of {', '.join(registry.available())}")
    try:
        return problems.with_options(rules, options)
    except ValueError as error:
        raise FormatError(str(error)) from None


def _content(data: bytes, name: str, rules: str | None, options: dict[str, str]) -> Problem:
    if b"(;" not in b"".join(data[:4096].split()):
        if name != "standard input" and not data.isascii():
            raise FormatError(f"{name} is neither an SGF record nor a position in text")
        return _typed(data.decode("utf-8", errors="replace").strip(), rules, options, name)
    try:
        game = _game(rules, options) if rules is not None else _game_of(sgf.read(data), options)
        state = sgf.load(data, game)
    except FormatError as error:
        raise FormatError(f"{name}: {error}") from None
    return _problem(name, game, state)


def _game_of(record: Record, options: dict[str, str]) -> Game:
    """The game of a record that says it itself: the rule-set id in RU, else plain rules of the family and board size."""
    rules = record.properties.get("rules", "").replace("\\", "")
    if any(rules.split(";")[0] == base or (base.endswith("-N") and rules.startswith(base[:-1])) for base in registry.available()):
        return _game(rules, options)
    family = record.properties["family"]
    komi = {"komi": record.properties["komi"]} if family == "go" and "komi" in record.properties else {}
    return _game(f"{family}-{record.size}", komi | options)


def _typed(text: str, rules: str | None, options: dict[str, str], name: str = "") -> Problem:
    game = _game(rules, options)
    try:
        if text.startswith("moves:"):
            state = problems.position(game, None, text.removeprefix("moves:"))
        else:
            state = game.init() if text == "start" else game.parse(text)
    except ValueError as error:
        where = f"{name}: " if name else ""
        hint = "" if " " in text or text.startswith("moves:") or name else f" ({text!r} is no file, no 'start' and no moves:...)"
        raise FormatError(f"{where}{error}{hint}") from None
    return _problem(name or text, game, state)


def _problem(name: str, game: Game, state: State) -> Problem:
    return Problem(name, game, state, default_claim(game, state))
