"""The registry: from a rule-set id to a game and back. Importing this module does not import JAX."""

from __future__ import annotations

import dataclasses
import difflib
import functools
import importlib
import math
import re
from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from jaxsolve.games.game import Game


@dataclasses.dataclass(frozen=True)
class Option:
    """One ``key=value`` of a rule-set id: how its text is read, and in words what it may be."""

    parse: Callable[[str], Any]  # raises ValueError on a value it does not know
    allowed: str


@dataclasses.dataclass(frozen=True)
class Entry:
    """A family of rule sets: its base name (``awari``, or ``hex-N`` with N from ``sizes``), factory and options."""

    base: str
    factory: Callable[..., Game]
    options: Mapping[str, Option]
    sizes: range | None = None
    summary: str = ""

    @property
    def stem(self) -> str:
        """The base name without the size: ``hex-`` of ``hex-N``."""
        return self.base.removesuffix("N") if self.sizes is not None else self.base

    @property
    def shown(self) -> str:
        """The base name as an error message shows it: ``hex-1..19``."""
        return self.base if self.sizes is None else f"{self.stem}{self.sizes[0]}..{self.sizes[-1]}"


def choice(*values: str) -> Option:
    """An option that is one of the given words."""

    def parse(text: str) -> str:
        if text not in values:
            raise ValueError(text)
        return text

    return Option(parse, "|".join(values))


def flag() -> Option:
    """An option that is ``true`` or ``false``."""
    words = choice("true", "false")
    return Option(lambda text: words.parse(text) == "true", words.allowed)


def number(kind: type[int] | type[float]) -> Option:
    """An option that is a whole number (``int``) or a decimal one (``float``)."""

    def parse(text: str) -> int | float:
        if not math.isfinite(value := kind(text)):
            raise ValueError(text)
        return value

    return Option(parse, "a whole number" if kind is int else "a number")


def word(allowed: str) -> Option:
    """An option whose text the game itself reads, such as a list of points."""
    return Option(str, allowed)


def register(
    base: str, factory: Callable[..., Game], *, options: Mapping[str, Option] | None = None, sizes: range | None = None, summary: str = ""
) -> None:
    """Makes ``make(base)`` call ``factory(**options)``.

    With ``sizes``, ``base`` ends in ``N`` (``hex-N``) and the factory also gets ``size=N``. The factory's game must name itself by
    the same base: ``make(game.rule_set) == game``. Raises ValueError if the base is taken or not a lower-case word with digits and dashes.

    >>> from jaxsolve.games import Awari
    >>> register("awari-by-another-name", Awari)
    >>> make("awari-by-another-name").rule_set
    'awari;rules=ludii'
    >>> unregister("awari-by-another-name")
    """
    entry = Entry(base, factory, dict(options or {}), sizes, summary)
    if not re.fullmatch(r"[a-z][a-z0-9-]*", entry.stem) or (sizes is not None and not base.endswith("-N")):
        raise ValueError(f"Game name {base!r} must be lower-case letters, digits and dashes, ending in '-N' where sizes are given.")
    if base in _entries():
        raise ValueError(f"Game name {base!r} is already registered.")
    _entries()[base] = entry


def unregister(base: str) -> None:
    """Forgets a registered game. Raises ValueError if there is none of that name."""
    if base not in _entries():
        raise ValueError(f"No game is registered as {base!r}.")
    del _entries()[base]


def available() -> tuple[str, ...]:
    """Base names of all registered games, sorted: ``("awari", "go-N", ...)``."""
    return tuple(sorted(_entries()))


def describe(base: str) -> Entry:
    """The entry of a base name as ``available`` lists it, or of any rule-set id. Raises ValueError."""
    return _entries()[base] if base in _entries() else _find(base.split(";")[0])[0]


def make(rule_set: str, **options: Any) -> Game:
    """The game of a rule-set id, short (``hex-5``) or full (``gomoku-15;line=5;win=exact5;knowledge=4t``).

    Options not given in the id may be keywords; those left out take the game's defaults. Raises ValueError with one sentence for an
    unknown id, option or value.

    >>> make("awari").rule_set
    'awari;rules=ludii'
    """
    base, *fields = rule_set.strip().split(";")
    entry, size, texts = _find(base)
    texts = dict(texts)
    for field in fields:
        key, equals, value = field.partition("=")
        if not equals or key in texts:
            reason = "is not of the form key=value" if not equals else "gives an option twice"
            raise ValueError(f"Rule set {rule_set!r}: {field!r} {reason}.")
        texts[key] = value
    for key, value in options.items():
        if texts.setdefault(key, _option_text(value)) != _option_text(value):
            raise ValueError(f"Rule set {rule_set!r} already says {key}={texts[key]}, so {key}={_option_text(value)} contradicts it.")
    arguments = {key: _value(entry, key, text, rule_set) for key, text in texts.items()}
    try:
        return entry.factory(**({} if size is None else {"size": size}), **arguments)
    except ValueError as error:
        raise ValueError(f"Rule set {rule_set!r}: {str(error).rstrip('.')}.") from None


def _value(entry: Entry, key: str, text: str, rule_set: str) -> Any:
    if key not in entry.options:
        names = ", ".join(entry.options) or "none"
        raise ValueError(f"Rule set {rule_set!r}: unknown option {key!r}{_hint(key, entry.options)}; {entry.base} has the options: {names}.")
    option = entry.options[key]
    try:
        return option.parse(text)
    except ValueError:
        hint = _hint(text, option.allowed.split("|"))
        raise ValueError(f"Rule set {rule_set!r}: {key}={text} is not known{hint}; {key} may be {option.allowed}.") from None


def _option_text(value: Any) -> str:
    if isinstance(value, bool):
        return "true" if value else "false"
    return value if isinstance(value, str) else str(value)


def _find(base: str) -> tuple[Entry, int | None, dict[str, str]]:
    """Entry, size and implied options of the part of an id before the first ``;``."""
    if base in _aliases():
        base, implied = _aliases()[base]
    else:
        implied = {}
    for entry in _entries().values():
        if entry.sizes is None:
            if base == entry.base:
                return entry, None, implied
            continue
        match = re.fullmatch(re.escape(entry.stem) + r"([1-9]\d*)", base)
        if match and int(match[1]) in entry.sizes:
            return entry, int(match[1]), implied
    shown = [entry.shown for entry in sorted(_entries().values(), key=lambda entry: entry.base)]
    raise ValueError(f"Unknown game {base!r}{_hint(base, _examples(base))}; known are {', '.join(shown)}.")


def _examples(base: str) -> list[str]:
    """Ids to compare a misspelt one with: every base name, with the size that was asked for if there was one."""
    wanted = re.search(r"\d+", base)
    ids = []
    for entry in _entries().values():
        if entry.sizes is None:
            ids.append(entry.base)
        else:
            size = int(wanted[0]) if wanted else entry.sizes[-1]
            ids.append(f"{entry.stem}{min(max(size, entry.sizes[0]), entry.sizes[-1])}")
    return ids


def _hint(wrong: str, right: Any) -> str:
    close = difflib.get_close_matches(wrong, list(right), n=1, cutoff=0.5)
    return f", did you mean {close[0]!r}" if close else ""


# ---- the games that come with the package ----------------------------------------------------------------------
def _lazy(module: str, name: str) -> Callable[..., Game]:
    """A factory that imports its game, and with it JAX, only when a game is made."""

    def factory(**options: Any) -> Game:
        return getattr(importlib.import_module(f"jaxsolve.games.{module}"), name)(**options)

    return factory


@functools.cache
def _entries() -> dict[str, Entry]:
    ko = choice("simple", "positional", "situational")
    passes = choice("not-achieved", "stones")
    may_ko = choice("allow", "forbid")
    tsumego = {
        "ko": ko,
        "passes": choice("not-achieved"),
        "fill_eyes": flag(),
        "goal": choice("live", "kill"),
        "defender": choice("black", "white"),
        "crucial": word("a comma-separated list of points or 'any'"),
        "region": word("a comma-separated list of points or 'all'"),
        "ko_black": may_ko,
        "ko_white": may_ko,
    }
    lines = {"line": number(int), "win": choice("five-or-more", "exact5"), "knowledge": choice("ndk", "4t")}
    killall = {"ko": ko, "passes": passes, "fill_eyes": flag()}
    builtin = [
        Entry("awari", _lazy("awari", "Awari"), {"rules": choice("ludii")}, None, "sowing game on two rows of six pits"),
        Entry("go-N", _lazy("go", "Go"), {"ko": ko, "komi": number(float)}, range(2, 20), "plain Go, area scoring"),
        Entry("gomoku-N", _lazy("gomoku", "Gomoku"), lines, range(3, 20), "five in a row, Black first"),
        Entry("hex-N", _lazy("hex", "Hex"), {}, range(1, 20), "joining opposite sides, no swap"),
        Entry("killallgo-7", _lazy("go", "KillallGo7"), killall, None, "White must live on a 7x7 board"),
        Entry("killallgo-9", _lazy("go", "KillallGo9"), killall, None, "White must live on a 9x9 board"),
        Entry("tsumego-N", _lazy("go", "Tsumego"), tsumego, range(2, 20), "Go life and death with crucial stones"),
    ]
    return {entry.base: entry for entry in builtin}


@functools.cache
def _aliases() -> dict[str, tuple[str, dict[str, str]]]:
    """Short names of rule sets with an option of their own, as papers write them."""
    return {f"gomoku-{n}-exact5": (f"gomoku-{n}", {"win": "exact5"}) for n in range(3, 20)}
