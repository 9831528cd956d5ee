"""Registry of games: maps a rule-set id to a game. Importing this module does not import JAX."""

from __future__ import annotations

import functools
import importlib
import re
from typing import TYPE_CHECKING, Any

from jaxsolve.core import spelling
from jaxsolve.games import plugins
from jaxsolve.games.options import Entry, check_base

if TYPE_CHECKING:
    from jaxsolve.games.game import Game

# One package for each game. ``ENTRIES`` in its module ``rule_sets`` describes its rule sets.
BUILTIN = (
    "jaxsolve.games.awari",
    "jaxsolve.games.go",
    "jaxsolve.games.gomoku",
    "jaxsolve.games.hex",
    "jaxsolve.games.knightthrough",
    "jaxsolve.games.loa",
    "jaxsolve.games.minishogi",
    "jaxsolve.games.slither",
)


def register(entry: Entry) -> None:
    """Adds a game, so that ``make(entry.base)`` calls ``entry.factory``.

    The base of an entry with ``sizes`` ends in ``N`` (``hex-N``), and its factory is also called
    with ``size=N``. The game's ``rule_set`` must start with the base, so that
    ``make(game.rule_set) == game``. Raises ValueError if the base is already registered, or if it
    has other characters than lower-case letters, digits and dashes.

    >>> from jaxsolve.games import Awari
    >>> register(Entry("awari-by-another-name", Awari))
    >>> make("awari-by-another-name").rule_set
    'awari;rules=ludii'
    >>> unregister("awari-by-another-name")
    """
    check_base(entry)
    if entry.base in _entries():
        raise ValueError(f"game name {entry.base!r} is already registered")
    _entries()[entry.base] = entry


def unregister(base: str) -> None:
    """Removes a registered game. Raises ValueError if there is none of that name."""
    if base not in _entries():
        raise ValueError(f"no game is registered as {base!r}")
    del _entries()[base]


def available() -> tuple[str, ...]:
    """Returns the base names of all games, sorted: ``("awari", "go-N", ...)``.

    Games of other installed packages are included without importing them.
    """
    return tuple(sorted([*_entries(), *(plugin.base for plugin in _foreign())]))


def describe(base: str) -> Entry:
    """Returns the entry of a base name that ``available`` lists, or of a rule-set id.

    Raises ValueError if there is none.
    """
    if base in _entries():
        return _entries()[base]
    for plugin in _foreign():
        if plugin.base == base:
            return plugin.load()
    return _find(base.split(";")[0])[0]


def named(text: str) -> tuple[str, ...]:
    """Returns the base names for a text: a base name, a rule-set id, or a family (``killallgo``).

    Raises ValueError if there are none.
    """
    family = tuple(base for base in available() if base.startswith(f"{text}-"))
    return family or (describe(text).base,)


def make(rule_set: str, **options: Any) -> Game:
    """Returns the game of a rule-set id, short (``hex-5``) or full (``go-9;ko=simple;komi=7.5``).

    A family's name alone takes its default size: 19 for ``go``, 15 for ``gomoku``, 11 for ``hex``,
    9 for ``tsumego``, 8 for ``knightthrough``, ``loa`` and ``slither``, 7 for ``killallgo``. The
    ids of pgx, ``go_9x9``, ``go_19x19`` and ``hex``, are accepted. An option may be given in the id
    or as a keyword argument; without either, the game's default applies.

    Raises ValueError with one sentence for an unknown id, option or value.

    >>> make("awari").rule_set
    'awari;rules=ludii'
    >>> make("hex").rule_set, make("go_9x9", ko="positional").rule_set
    ('hex-11', 'go-9;ko=positional;komi=7.5')
    """
    base, *fields = rule_set.strip().split(";")
    entry, size, implied = _find(base)
    texts = dict(implied)
    for field in fields:
        key, equals, value = field.partition("=")
        if not equals or key in texts:
            reason = "is not of the form key=value" if not equals else "gives an option twice"
            raise ValueError(f"rule set {rule_set!r}: {field!r} {reason}")
        texts[key] = value
    for key, value in options.items():
        if texts.setdefault(key, _option_text(value)) != _option_text(value):
            raise ValueError(
                f"rule set {rule_set!r} already says {key}={texts[key]}, "
                f"so {key}={_option_text(value)} contradicts it"
            )
    arguments = {key: _value(entry, key, text, rule_set) for key, text in texts.items()}
    try:
        return entry.factory(**({} if size is None else {"size": size}), **arguments)
    except ValueError as error:
        raise ValueError(f"rule set {rule_set!r}: {str(error).rstrip('.')}") from None


def _value(entry: Entry, key: str, text: str, rule_set: str) -> Any:
    if key not in entry.by_name:
        names = ", ".join(entry.by_name) or "none"
        raise ValueError(
            f"rule set {rule_set!r}: unknown option {key!r}; "
            f"{entry.base} has the options: {names}{spelling.hint(key, entry.by_name)}"
        )
    option = entry.by_name[key]
    try:
        return option.parse(text)
    except ValueError:
        hint = spelling.hint(text, option.values.split("|"))
        raise ValueError(
            f"rule set {rule_set!r}: {key}={text} is not known; {key} may be {option.values}{hint}"
        ) from None


def _option_text(value: Any) -> str:
    if isinstance(value, bool):
        return "true" if value else "false"
    return value if isinstance(value, str) else str(value)


def _find(base: str) -> tuple[Entry, int | None, dict[str, str]]:
    """Returns entry, size and implied options of an id's part before the first ``;``.

    The size is None in a family without sizes. Raises ValueError if there is no such entry.
    """
    entries = list(_entries().values())
    for entry in entries:
        if base in entry.aliases:
            base, *fields = entry.aliases[base].split(";")
            return (
                entry,
                _size(entry, base),
                {key: value for key, _, value in (field.partition("=") for field in fields)},
            )
    for entry in entries:
        if base == entry.base if entry.sizes is None else _size(entry, base) is not None:
            return entry, _size(entry, base), {}
    for entry in entries:
        if entry.default_size is not None and base == entry.family:
            return entry, entry.default_size, {}
    for plugin in _foreign():
        if plugin.matches(base):
            entry = plugin.load()
            if entry.sizes is None or _size(entry, base) is not None:
                return entry, _size(entry, base), {}
            entries.append(entry)
    shown = {entry.base: entry.shown for entry in entries}
    known = ", ".join(shown.get(base, base) for base in available())
    raise ValueError(f"unknown game {base!r}; known are {known}{_meant(base)}")


def _size(entry: Entry, base: str) -> int | None:
    """Returns the size in ``base``; None if it is not one of the entry's sizes."""
    match = (
        re.fullmatch(re.escape(entry.stem) + r"([1-9]\d*)", base)
        if entry.sizes is not None
        else None
    )
    return (
        int(match[1])
        if match and entry.sizes is not None and int(match[1]) in entry.sizes
        else None
    )


def _meant(base: str) -> str:
    """Returns a hint at the id that a misspelt ``base`` most likely means; "" if none is near.

    Families are compared without their sizes. The id has the size in ``base``, or ``N``.
    """
    families: dict[str, list[Entry]] = {}
    for entry in _entries().values():
        families.setdefault(_letters(entry.family), []).append(entry)
    family = spelling.nearest(_letters(base), families)
    if family is None:
        return ""
    wanted = re.search(r"\d+", base)
    ids = []
    for entry in families[family]:
        if entry.sizes is None or wanted is None:
            ids.append(entry.base)
        else:
            size = min(max(int(wanted[0]), entry.sizes[0]), entry.sizes[-1])
            ids.append(f"{entry.stem}{size}")
    return f"; did you mean {min(ids, key=lambda name: spelling.distance(base, name))!r}?"


def _letters(name: str) -> str:
    return re.sub(r"[-\d]", "", name)


@functools.cache
def _entries() -> dict[str, Entry]:
    """Returns all registered games by base name: built-in games, and those added later."""
    builtin = [
        entry
        for package in BUILTIN
        for entry in importlib.import_module(f"{package}.rule_sets").ENTRIES
    ]
    return {entry.base: entry for entry in builtin}


def _foreign() -> list[plugins.Plugin]:
    """Returns the games of other packages whose base names are not registered."""
    return [plugin for plugin in plugins.announced() if plugin.base not in _entries()]
