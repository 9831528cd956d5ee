"""Reads a position that the user typed: a file, a problem of a set, moves, or canonical text."""

from __future__ import annotations

import re
import sys
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path

from jaxsolve.core import process
from jaxsolve.core.strict_json import shortened
from jaxsolve.formats import (
    hex_records,
    hexworld,
    letters,
    problems,
    sgf,
    sgf_encoding,
    sgf_problem,
)
from jaxsolve.formats.record import FormatError, Record, board_size
from jaxsolve.games import registry
from jaxsolve.games.game import Game, State
from jaxsolve.question import Problem, default_claim

_RECORDS = (".sgf", ".hsgf")  # Little Golem calls records of Hex .hsgf
_FILES = (*_RECORDS, ".hexworld")  # texts with these endings are always names of files


def resolve(
    text: str,
    *,
    game: str | None = None,
    options: Mapping[str, str] | None = None,
    letters: str | None = None,
    remark: Callable[[str], None] | None = None,
    display_only: bool = False,
) -> Problem:
    """Reads a position, its rules and its claim.

    A problem of a problem set has its own claim. Otherwise the claim is the default one of the
    rules (``question.default_claim``).

    Args:
      text: one of

        * the name of an SGF file, or of a file with canonical text;
        * ``FILE.json:ID``, a problem of a problem set;
        * ``start``, or ``moves:C3 D4 pass`` with moves from the start position;
        * a link of HexWorld (``jaxsolve.formats.hexworld``), or a file with one;
        * canonical text;
        * ``-``, to read an SGF record or any of these texts from standard input.

        ``start``, ``moves:`` and links are never read as file names; ``./start`` is.
      game: rule-set id; required unless the file contains it. It replaces the rules of a problem
        set.
      options: rule options that replace those of ``game`` or of the file.
      letters: column letters of typed Gomoku moves (``jaxsolve.formats.letters``); None: detected
        if possible.
      remark: called with a sentence if the input is ambiguous.
      display_only: read canonical text by ``Game.read``, which needs no JAX. The state then lacks
        derived fields and can only be displayed.

    Raises:
      FormatError: one sentence that names the file, problem or move that is wrong.
    """
    ways = _Ways(game, dict(options or {}), letters, remark, display_only, text)
    if text == "start" or text.startswith("moves:"):
        return _typed(text, ways)
    if hexworld.is_link(text):
        return _link(text, "", ways)
    if text == "-":
        return _content(standard_input(), "standard input", ways)
    if names_problem(text):
        file, _, identifier = text.rpartition(":")
        ways.refuse_letters()
        process.setup()
        return problems.load(file, ids=[identifier], options=_replacing(game, ways.options))[0]
    if text.endswith(".json"):
        raise FormatError(
            f"{text} is a problem set: add the problem's id, as in {text}:ID; "
            f"it has {problems.names(text)}"
        )
    path = Path(text)
    if text.lower().endswith(_FILES) or _is_file(path):
        try:
            data = path.read_bytes()
        except OSError as error:
            raise FormatError(f"cannot read {text}: {error.strerror}") from None
        return _content(data, path.name, ways)
    return _typed(text, ways)


def standard_input() -> bytes:
    """Returns all bytes of standard input. Raises FormatError if it cannot be read."""
    if sys.stdin is None:  # Python's value for a standard input that is closed at the start
        raise FormatError("standard input is closed; give a file, or a pipe for '-'")
    try:
        return sys.stdin.buffer.read()
    except OSError as error:
        raise FormatError(f"cannot read standard input: {error.strerror}") from None


@dataclass(frozen=True)
class _Ways:
    """The arguments of ``resolve``; ``rule_set`` is its argument ``game``."""

    rule_set: str | None
    options: dict[str, str]
    letters: str | None
    remark: Callable[[str], None] | None
    display_only: bool
    text: str  # as the user typed it

    def refuse_letters(self) -> None:
        """Raises FormatError if column letters were chosen. Called where no moves were typed."""
        if self.letters is not None:
            raise FormatError(
                f"--letters {self.letters} is for typed moves, such as moves:H8 I9; "
                "this position has none"
            )


def _is_file(path: Path) -> bool:
    try:
        return path.is_file()
    except (OSError, ValueError):  # a position's text can be too long for a name
        return False


def names_problem(text: str) -> bool:
    """Whether ``text`` has the form ``FILE.json:ID``, a problem with a claim of its own."""
    file, _, identifier = text.rpartition(":")
    return file.endswith(".json") and bool(identifier)


def _replacing(game: str | None, options: dict[str, str]) -> dict[str, str]:
    """Returns ``game`` and ``options`` as the argument ``options`` of ``problems.load``."""
    if game is None:
        return options
    base, chosen = problems.split_rule_set(game)
    return {"rules": base} | chosen | options


def _game(rule_set: str | None, options: dict[str, str]) -> Game:
    if rule_set is None:
        raise FormatError(
            "give the game, such as --game hex-5; "
            f"there are {', '.join(registry.available())} (see 'jaxsolve games')"
        )
    try:
        return problems.with_options(rule_set, options)
    except ValueError as error:
        raise FormatError(str(error)) from None


def _content(data: bytes, name: str, ways: _Ways) -> Problem:
    if not sgf_encoding.holds_record(data):
        if name.lower().endswith(_RECORDS):  # the user means a record, not canonical text
            sgf_encoding.refuse_packed(data, name)
            what = "is empty" if not data.strip() else "has no '(;' near its beginning"
            raise FormatError(
                f"{name} is not an SGF record: it {what}; "
                "a record looks like (;GM[1]SZ[9];B[ee];W[cc])"
            )
        if name != "standard input" and not data.isascii():
            raise FormatError(f"{name} is neither an SGF record nor a position in text")
        typed = data.decode("utf-8", errors="replace").strip()
        return _link(typed, name, ways) if hexworld.is_link(typed) else _typed(typed, ways, name)
    ways.refuse_letters()
    process.setup()
    try:
        family = None if ways.rule_set is None else _game(ways.rule_set, ways.options).name
        if family is None and name.lower().endswith(".hsgf"):
            family = "hex"
        record = sgf.read(data, family=family)
        if ways.rule_set is None and not ways.display_only and _is_empty(record, data):
            raise FormatError(
                "the record has no stones, no moves, no game (GM) and no size (SZ), so there is "
                "nothing to solve; for an empty board write start with --game, such as --game hex-4"
            )
        game = _game_of(record, ways.rule_set, ways.options)
        # The record was read with the coordinates of another game, so it is read again. The second
        # reading raises FormatError if the property GM names another game.
        if game.name != record.properties["family"]:
            record = sgf.read(data, family=game.name)
        state = sgf.position(record, game)
    except ValueError as error:
        advice = _advice(data, ways) or _unnamed(data, ways)
        raise FormatError(f"{name}: {error}{advice and f'; {advice}'}") from None
    stated = ways.display_only or record.properties.get("rules")
    if ways.remark is not None and not stated and (advice := _advice(data, ways)):
        ways.remark(f"{name} sets up stones; {advice}")
    return _problem(name, game, state)


def _link(text: str, name: str, ways: _Ways) -> Problem:
    """Reads a link of HexWorld. ``name`` is that of the file with the link; "" if it was typed."""
    ways.refuse_letters()
    process.setup()
    try:
        record, ahead = hexworld.read(text)
        game = _game_of(record, ways.rule_set, ways.options)
        if game.name != "hex":
            raise FormatError(f"a HexWorld link is a board of Hex, not of {game.rule_set}")
        state = sgf.position(record, game)
    except ValueError as error:
        raise FormatError(f"{name}: {error}" if name else str(error)) from None
    if ahead and ways.remark is not None:
        ways.remark(
            f"the HexWorld link shows the board after move {len(record.moves)}; "
            f"{ahead} later move{'s are' if ahead > 1 else ' is'} left out"
        )
    return _problem(name or text, game, state)


def _is_empty(record: Record, data: bytes) -> bool:
    """Returns whether a record holds nothing, not even the name or size of a game."""
    root = sgf_encoding.trees(data)[0]
    named = any(root.has(name) for name in ("GM", "SZ", "RU"))
    return not (named or record.has_setup or record.moves)


def _advice(data: bytes, ways: _Ways) -> str:
    """Returns advice for a Go record with a set-up position; "" if the user chose its question.

    The user chose it by rules other than those of life and death, or by crucial stones.
    """
    rules = ways.rule_set
    given = "crucial" in ways.options or (rules is not None and "crucial=" in rules)
    chosen = rules is not None and (given or not rules.startswith("tsumego"))
    if chosen or not sgf_problem.holds_problem(data):
        return ""
    return f"for a life-and-death problem there is 'jaxsolve tsumego {ways.text}'"


def _unnamed(data: bytes, ways: _Ways) -> str:
    """Returns advice for a record of Little Golem that names no game and was read as Go."""
    if ways.rule_set is not None:
        return ""
    try:
        root = sgf_encoding.trees(data)[0]
    except FormatError:
        return ""
    named = hex_records.states_hex(root) or not hex_records.is_little_golem(root)
    return "" if named else "for a record of Hex add --game, such as --game hex-13"


def _game_of(record: Record, rule_set: str | None, options: dict[str, str]) -> Game:
    """Returns the game of an SGF record.

    The rule set is the first of these that exists: ``rule_set``, a rule-set id in the record's
    property RU, or the default rules for the family and size of the record. In Go the komi comes
    from the record, unless ``rule_set`` or ``options`` state a komi.

    Raises FormatError if ``rule_set`` is None and RU holds other text than a rule-set id.
    """
    stated = record.properties.get("rules", "")
    family = record.properties["family"]
    if rule_set is None and any(
        stated.split(";")[0] == base or (base.endswith("-N") and stated.startswith(base[:-1]))
        for base in registry.available()
    ):
        return _game(stated, options)
    if rule_set is None and stated:
        raise FormatError(
            f"its rules RU[{shortened(stated)}] are not a rule set of jaxsolve: "
            f"choose one with --game, such as {family}-{record.size}"
        )
    rule_set = rule_set or f"{family}-{record.size}"
    komi = record.properties.get("komi", "").strip()
    if komi and rule_set.startswith("go-") and "komi" not in problems.split_rule_set(rule_set)[1]:
        options = {"komi": komi} | options
    return _game(rule_set, options)


def _square(text: str) -> int | None:
    """Returns N if ``text`` begins with N rows of N points, as a position of stones does."""
    rows = text.split(" ")[0].split("/")
    stones = all(len(row) == len(rows) and set(row) <= set(".XO") for row in rows)
    return len(rows) if stones and len(rows) > 1 else None


def _typed(text: str, ways: _Ways, name: str = "") -> Problem:
    if ways.rule_set is None and (size := _square(text)) is not None:
        raise FormatError(
            f"give the game of this {size}x{size} board: --game tsumego-{size} for life and death "
            f"in Go, or another, such as --game go-{size} or hex-{size} (see 'jaxsolve games')"
        )
    game = _game(ways.rule_set, ways.options)
    if game.name == "hex" and hex_records.is_numbered(text):
        text = f"moves:{text}"
    computes = not ways.display_only or text == "start" or text.startswith("moves:")
    if computes:
        process.setup()
    try:
        if text.startswith("moves:"):
            state = problems.position(
                game, None, _plain_moves(text.removeprefix("moves:"), game, ways)
            )
        else:
            ways.refuse_letters()
            state = (
                game.init()
                if text == "start"
                else game.parse(text)
                if computes
                else game.read(text)
            )
    except ValueError as error:
        where = f"{name}: " if name else ""
        hint = ""
        if text.startswith("moves:"):
            hint = "; moves are separated by blanks" if "," in text else ""
        elif not name and _are_moves(text):
            hint = f"; for moves from the start position write {shortened(f'moves:{text}')!r}"
            raise FormatError(f"{str(error).rstrip('.')}{hint}") from None
        elif " " not in text and not name:
            hint = f" ({shortened(text)!r} is no file, not 'start' and not moves:...)"
        raise FormatError(f"{where}{error}{hint}") from None
    return _problem(name or text, game, state)


def _are_moves(text: str) -> bool:
    """Returns whether all words of ``text`` have the form of moves, such as "a2 b3"."""
    return all(re.fullmatch(r"[A-Za-z]\d{1,2}|pass", word, re.IGNORECASE) for word in text.split())


def _plain_moves(moves: str, game: Game, ways: _Ways) -> str:
    """Converts Gomoku moves to GTP column letters, and removes the numbers of Hex moves.

    Raises FormatError if column letters were chosen for another game.
    """
    if game.name != "gomoku":
        if ways.letters is not None:
            raise FormatError(f"--letters {ways.letters} is for Gomoku, not for {game.rule_set}")
        return hex_records.without_numbers(moves) if game.name == "hex" else moves
    moves, sentence = letters.as_gtp(moves, board_size(game), ways.letters)
    if sentence and ways.remark is not None:
        ways.remark(f"the moves are read {sentence}")
    return moves


def _problem(name: str, game: Game, state: State) -> Problem:
    return Problem(name, game, state, default_claim(game, state))
