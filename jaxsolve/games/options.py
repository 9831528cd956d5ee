"""Entries of the registry: a game's rule sets and their options. JAX is not imported."""

from __future__ import annotations

import dataclasses
import importlib
import math
import re
from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from jaxsolve.games.game import Game


@dataclasses.dataclass(frozen=True)
class Option:
    """One ``name=value`` of a rule-set id: its parser and its description for users."""

    name: str
    parse: Callable[[str], Any]  # parses a value's text; raises ValueError for an unknown value
    values: str  # the possible values joined by '|', or a description of them
    default: str  # text of the default value
    meaning: str  # one sentence
    example: str  # text of a value other than the default, if there is one


@dataclasses.dataclass(frozen=True)
class Entry:
    """A family of rule sets, described by a base name and options.

    The base name is a word such as ``awari``, or has a size, as in ``hex-N`` with N in ``sizes``.
    An entry point of the group ``jaxsolve.games`` refers to an ``Entry`` (``games/plugins.py``).
    """

    base: str
    factory: Callable[..., Game]  # called with size=N if there are sizes, and with the options
    options: Sequence[Option] = ()
    sizes: range | None = None
    summary: str = ""  # one line
    example: str = ""  # arguments of an example call of ``jaxsolve solve``
    # Maps short names, such as those of papers and of pgx, to rule-set ids.
    aliases: Mapping[str, str] = dataclasses.field(default_factory=dict)
    default_size: int | None = None  # N if the name has no size: ``hex`` means ``hex-11``

    @property
    def stem(self) -> str:
        """The base name without the size: ``hex-`` of ``hex-N``."""
        return self.base.removesuffix("N") if self.sizes is not None else self.base

    @property
    def family(self) -> str:
        """The base name without size and dash: ``hex`` of ``hex-N``."""
        return self.stem.removesuffix("-")

    @property
    def shown(self) -> str:
        """The base name for an error message: ``hex-1..19``."""
        return self.base if self.sizes is None else f"{self.stem}{self.sizes[0]}..{self.sizes[-1]}"

    @property
    def by_name(self) -> dict[str, Option]:
        """The options by their names."""
        return {option.name: option for option in self.options}


def check_base(entry: Entry) -> None:
    """Raises ValueError if the entry's base name cannot be the beginning of a rule-set id."""
    if not re.fullmatch(r"[a-z][a-z0-9-]*", entry.stem) or (
        entry.sizes is not None and not entry.base.endswith("-N")
    ):
        raise ValueError(
            f"game name {entry.base!r} must be lower-case letters, digits and dashes, "
            "ending in '-N' where sizes are given"
        )


def choice(name: str, *values: str, meaning: str, default: str | None = None) -> Option:
    """Returns an option that has one of the given values.

    The default value is ``default``, or the first value if that is None.
    """

    def parse(text: str) -> str:
        if text not in values:
            raise ValueError(text)
        return text

    default = values[0] if default is None else default
    example = next((value for value in values if value != default), default)
    return Option(name, parse, "|".join(values), default, meaning, example)


def flag(name: str, *, default: bool, meaning: str) -> Option:
    """Returns an option that is ``true`` or ``false``."""
    words = choice(name, "true", "false", meaning=meaning, default=str(default).lower())
    return dataclasses.replace(words, parse=lambda text: words.parse(text) == "true")


def number(
    name: str,
    kind: type[int] | type[float],
    *,
    default: str,
    meaning: str,
    example: str,
    values: str = "",
) -> Option:
    """Returns an option that is a whole number (``int``) or a decimal number (``float``)."""

    def parse(text: str) -> int | float:
        if not math.isfinite(value := kind(text)):
            raise ValueError(text)
        return value

    return Option(
        name,
        parse,
        values or ("a whole number" if kind is int else "a number"),
        default,
        meaning,
        example,
    )


def word(name: str, values: str, *, default: str, meaning: str, example: str) -> Option:
    """Returns an option whose text the game itself parses, such as a list of points."""
    return Option(name, str, values, default, meaning, example)


def factory_of(module: str, name: str, **fixed: Any) -> Callable[..., Game]:
    """Returns a factory that imports the module of its game when it is called.

    ``fixed`` are constant arguments of the game.
    """

    def factory(**options: Any) -> Game:
        return getattr(importlib.import_module(module), name)(**fixed, **options)

    return factory
