"""Reads and writes problem sets.

Reads the package's own JSON format and the published ones (``formats.published``); writes its own.

The ``jaxsolve-problems`` format, version 1, is one JSON object:

.. code-block:: json

    {"format": "jaxsolve-problems", "version": 1, "title": "Hex 4x4 openings",
     "source": "where the positions come from", "rules": "hex-4",
     "problems": [{"id": "a1", "moves": "a1", "expected": "proved"},
                  {"id": "corner", "rules": "hex-3", "position": "X../.../..O b",
                   "claim": {"player": "black", "result": "wins"}}]}

* ``rules``: a rule-set id, short or full. A problem's own ``rules`` replace those of the file.
* ``position``: canonical text, ``start``, or ``moves:`` and moves from the start position.
  Default: the start position.
* ``moves``: moves that are played from the position, separated by blanks.
* ``claim``: the claim to prove. Default: the side to move wins. In ``killallgo`` and ``tsumego``
  the default is that the side with the goal of the rules wins.
* Optional: ``title``, ``source``, ``expected`` (``proved`` or ``disproved``), and ``notes``, an
  object with any other data.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

import jaxsolve
from jaxsolve.core import strict_json
from jaxsolve.core.run_folder import refuse_folder_name
from jaxsolve.core.strict_json import shortened
from jaxsolve.formats.record import FormatError, Move, replay, start_position, without_opening
from jaxsolve.games import registry
from jaxsolve.games.game import Game, Outcome, State
from jaxsolve.question import Claim, Problem, Verdict, default_claim

FORMAT = "jaxsolve-problems"
VERSION = 1
_SET_FIELDS = {"format", "version", "title", "source", "rules", "problems"}
_FIELDS = {"id", "rules", "position", "moves", "claim", "title", "source", "expected", "notes"}
_ANSWERS = (Verdict.PROVED.value, Verdict.DISPROVED.value)


def load(
    path: str | Path, *, ids: Sequence[str] | None = None, options: Mapping[str, str] | None = None
) -> list[Problem]:
    """Loads the problems of a problem set.

    Args:
      path: a file in the package's own format or of a published set
        (``jaxsolve.formats.published``), or the name of a set that the package includes.
      ids: the problems to load, in this order. None: all problems, in the order of the file.
      options: rule options that replace those of the file, such as ``{"knowledge": "ndk"}``. The
        key ``rules`` replaces the rule-set id of the file.

    Raises:
      FormatError: one sentence with the file, the id of the problem, and the wrong field or move.
    """
    path = find(path)
    data = _read_json(path)
    try:
        entries, build = _entries(data)
        chosen = list(entries) if ids is None else [str(identifier) for identifier in ids]
        if not chosen:
            raise FormatError(f"no problem is named; it has {_some(entries)}")
        for number, identifier in enumerate(chosen):
            if identifier not in entries:
                raise FormatError(
                    f"there is no problem {shortened(identifier)!r}; it has {_some(entries)}"
                )
            if identifier in chosen[:number]:
                raise FormatError(f"problem {identifier!r} is given twice")
    except FormatError as error:
        raise FormatError(f"{path.name}: {error}") from None
    except (ValueError, TypeError, AttributeError, LookupError) as error:
        raise FormatError(
            f"{path.name}: not a problem set in the format that its fields indicate ({error})"
        ) from None
    problems = []
    for identifier in chosen:
        try:
            problems.append(build(identifier, entries[identifier], data, dict(options or {})))
        except KeyError as error:
            raise FormatError(
                f"{path.name}: problem {identifier}: field {error} is missing"
            ) from None
        except (ValueError, TypeError, AttributeError, IndexError, OverflowError) as error:
            raise FormatError(f"{path.name}: problem {identifier}: {error}") from None
    return problems


def names(path: str | Path) -> str:
    """Returns the first ids of a problem set as text, for an error message.

    Raises FormatError if the set cannot be read.
    """
    path = find(path)
    try:
        return _some(_entries(_read_json(path))[0])
    except (ValueError, TypeError, AttributeError, LookupError) as error:
        raise FormatError(
            str(error) if str(error).startswith(path.name) else f"{path.name}: {error}"
        ) from None


def starts(path: str | Path, game: Game, whose: str) -> list[State]:
    """Loads the positions of a problem set as start positions for ``game``.

    Args:
      path: the problem set, as for ``load``.
      game: the game to which all positions must belong.
      whose: beginning of a clause in the error message, such as "the run trains".

    Raises:
      ValueError: the set cannot be read, a position belongs to another game, or the game is over
        at a position.
    """
    found = load(path)
    for problem in found:
        if problem.game != game:
            raise ValueError(
                f"{path}: {problem.id} is of {problem.game.rule_set}, {whose} {game.rule_set}"
            )
        if int(game.outcome(problem.state)) != Outcome.ONGOING:
            raise ValueError(f"{path}: {problem.id}: the game is over at this position")
    return [problem.state for problem in found]


def find(path: str | Path) -> Path:
    """Returns the file of a problem set: ``path``, or the file of an included problem set.

    An included set is returned if ``path`` does not exist and is the set's name, without a folder.
    """
    path = Path(path)
    if path.parent == Path() and not path.exists():
        return shipped().get(path.name, path)
    return path


def shipped() -> dict[str, Path]:
    """Returns the paths of the problem sets that the package includes, by file name.

    The files are in ``configs/problems`` of the installed package or of the checkout.
    """
    package = Path(jaxsolve.__file__).parent
    folders = (package / "configs" / "problems", package.parent / "configs" / "problems")
    return {
        file.name: file
        for folder in folders
        if folder.is_dir()
        for file in sorted(folder.glob("*.json"))
    }


def dump(problems: Iterable[Problem], *, title: str = "", source: str = "") -> str:
    """Returns ``problems`` as the text of a ``jaxsolve-problems`` file.

    ``load`` reads equal problems from the file.
    """
    entries = []
    for problem in problems:
        claim = {
            "player": problem.game.players[problem.claim.player],
            "result": problem.claim.result,
        }
        entry = {
            "id": problem.id,
            "rules": problem.game.rule_set,
            "position": problem.game.text(problem.state),
            "claim": claim,
        }
        extra = {name: getattr(problem, name) for name in ("title", "source", "expected", "notes")}
        entries.append(entry | {name: value for name, value in extra.items() if value})
    head = {"format": FORMAT, "version": VERSION, "title": title, "source": source}
    lines = ",\n  ".join(json.dumps(entry, ensure_ascii=False) for entry in entries)
    return json.dumps(head, ensure_ascii=False)[:-1] + ',\n "problems": [\n  ' + lines + "\n]}\n"


def _read_json(path: Path) -> dict[str, Any]:
    try:
        data = strict_json.loads(path.read_text(encoding="utf-8"))
    except OSError as error:
        hint = f"; the package includes {', '.join(shipped())}" if path.parent == Path() else ""
        raise FormatError(f"cannot read {path}: {error.strerror}{hint}") from None
    except UnicodeDecodeError:
        raise FormatError(f"{path.name} is not UTF-8 text") from None
    except ValueError as error:
        raise FormatError(f"{path.name}: {error}") from None
    if not isinstance(data, dict):
        raise FormatError(
            f"{path.name} is not a problem set: it holds a JSON {_KINDS_OF_JSON[type(data)]}, "
            f"not an object, such as {EXAMPLE}"
        )
    return data


EXAMPLE = (
    '{"format": "jaxsolve-problems", "version": 1, "rules": "hex-5", "problems": [{"id": "start"}]}'
)
_KINDS_OF_JSON = {
    list: "list",
    str: "string",
    int: "number",
    float: "number",
    bool: "truth value",
    type(None): "null",
}


def _some(entries: Mapping[str, Any], most: int = 12) -> str:
    names = list(entries)
    return ", ".join(names[:most]) + (f", ... ({len(names)} in all)" if len(names) > most else "")


def _entries(data: dict[str, Any]) -> tuple[dict[str, Any], Any]:
    """Returns the entries of a set by id, and the function that makes a Problem from an entry.

    The function takes (id, entry, ``data``, rule options). ``data`` is the JSON object of the file.
    """
    from jaxsolve.formats import published

    if data.get("format") == FORMAT:
        if data.get("version") != VERSION:
            raise FormatError(
                f"version {data.get('version')} is not known; this program reads version {VERSION}"
            )
        unknown = set(data) - _SET_FIELDS
        if unknown:
            raise FormatError(
                f"unknown field {sorted(unknown)[0]!r}; known are {', '.join(sorted(_SET_FIELDS))}"
            )
        return by_id(data.get("problems")), build
    return published.entries(data)


def by_id(entries: Any) -> dict[str, Any]:
    """Converts a list of JSON objects with a field ``id`` to a dictionary by id.

    The order is kept. Raises FormatError for a missing, malformed or repeated id.
    """
    if not isinstance(entries, list) or not entries:
        raise FormatError("field 'problems' must be a list with at least one problem")
    found: dict[str, Any] = {}
    for number, entry in enumerate(entries, start=1):
        if not isinstance(entry, dict) or "id" not in entry:
            raise FormatError(f"entry {number} of 'problems' is not an object with an 'id'")
        identifier = str(entry["id"])
        try:
            refuse_folder_name(identifier, "id")
        except ValueError as error:
            raise FormatError(str(error)) from None
        if identifier in found:
            raise FormatError(f"id {identifier!r} is given twice")
        found[identifier] = entry
    return found


def build(
    identifier: str, entry: dict[str, Any], data: dict[str, Any], options: dict[str, str]
) -> Problem:
    """Builds a problem of the package's own format.

    Args:
      identifier: the problem's id.
      entry: the JSON object of the problem.
      data: the JSON object of the file, with defaults for ``rules`` and ``source``.
      options: rule options that replace those of the entry.

    Raises KeyError for a missing field and ValueError for a wrong one.
    """
    unknown = set(entry) - _FIELDS
    if unknown:
        raise FormatError(
            f"unknown field {sorted(unknown)[0]!r}; known are {', '.join(sorted(_FIELDS))}"
        )
    rule_set = entry.get("rules", data.get("rules"))
    if not isinstance(rule_set, str):
        raise KeyError("rules")
    game = with_options(rule_set, options)
    state = position(game, entry.get("position"), entry.get("moves"))
    expected = entry.get("expected") if with_options(rule_set, {}) == game else None
    if expected not in (None, *_ANSWERS):
        raise FormatError(f"expected {expected!r} is neither {' nor '.join(_ANSWERS)}")
    claim = read_claim(game, entry["claim"]) if "claim" in entry else default_claim(game, state)
    texts = {
        name: str(entry.get(name, data.get(name, "") if name == "source" else ""))
        for name in ("title", "source")
    }
    return Problem(identifier, game, state, claim, expected=expected, notes=_notes(entry), **texts)


def _notes(entry: Mapping[str, Any]) -> dict[str, Any]:
    notes = entry.get("notes", {})
    if not isinstance(notes, dict):
        raise FormatError("field 'notes' must be an object, such as {\"page\": 12}")
    return dict(notes)


def split_rule_set(rule_set: str) -> tuple[str, dict[str, str]]:
    """Splits a rule-set id into its base and a dictionary of its options.

    Raises ValueError for an option that is given twice or has no value.
    """
    base, *fields = rule_set.strip().split(";")
    options: dict[str, str] = {}
    for option in fields:
        key, equals, value = option.partition("=")
        if not equals or key in options:
            reason = "gives an option twice" if equals else "is not of the form key=value"
            raise ValueError(f"rule set {shortened(rule_set)!r}: {option!r} {reason}")
        options[key] = value
    return base, options


def with_options(rule_set: str, options: Mapping[str, str]) -> Game:
    """Makes the game of the rule-set id ``rule_set``, with some options replaced.

    If ``options`` has the key ``rules``, its value replaces the whole id. Raises ValueError for an
    unknown id, option or value.
    """
    base, chosen = split_rule_set(options.get("rules", rule_set))
    chosen |= {key: value for key, value in options.items() if key != "rules"}
    return registry.make(base, **chosen)


def position(game: Game, text: str | None, moves: str | None) -> State:
    """Returns the position after ``moves`` from the position ``text``.

    Args:
      game: the rules.
      text: canonical text; ``start`` or None for the start position; or ``moves:`` followed by
        moves from the start position.
      moves: further moves, separated by blanks.

    Raises ValueError for a malformed text or an illegal move.
    """
    if text is not None and not isinstance(text, str):
        raise FormatError("field 'position' is not a text")
    if moves is not None and not isinstance(moves, str):
        raise FormatError("field 'moves' is not a text with blanks between the moves")
    if text is not None and text.startswith("moves:"):
        text, moves = None, f"{text.removeprefix('moves:')} {moves or ''}"
    elif text == "start":
        text = None
    state = start_position(game) if text is None else game.parse(text)
    listed = [Move(word) for word in (moves or "").split()]
    number = 1
    if text is None:
        listed, number = without_opening(game, listed)
    return replay(game, state, listed, first_number=number) if listed else state


def read_claim(game: Game, claim: Any) -> Claim:
    """Parses a claim ``{"player": ..., "result": ...}``; ``result`` may be omitted (``wins``).

    Raises ValueError.
    """
    if not isinstance(claim, dict) or claim.get("player") not in game.players:
        raise FormatError(f"field 'claim' must name a player, one of {' and '.join(game.players)}")
    result = claim.get("result", "wins")
    if result not in ("wins", "does-not-lose"):
        raise FormatError(f"claim result {result!r} is neither wins nor does-not-lose")
    return Claim(game.players.index(claim["player"]), result)
