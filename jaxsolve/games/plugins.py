"""Games of other installed packages: entry points of the group ``jaxsolve.games``.

The name of an entry point is the game's base name, and its object is an ``Entry``. A package is
imported only when its game is used. Its ``pyproject.toml`` contains, for example::

    [project.entry-points."jaxsolve.games"]
    nim-N = "my_package.nim:ENTRY"
"""

from __future__ import annotations

import dataclasses
import functools
import importlib.metadata
import re

from jaxsolve.games.options import Entry, check_base

GROUP = "jaxsolve.games"


class PluginError(ValueError):
    """Error: the game of an entry point cannot be loaded. The message is one sentence."""


@dataclasses.dataclass(frozen=True)
class Plugin:
    """The entry point of a game in an installed package. The package is not imported yet."""

    base: str
    point: importlib.metadata.EntryPoint

    @property
    def origin(self) -> str:
        """The name of the game's package, as words for a message."""
        return (
            f"the package {self.point.dist.name}"
            if self.point.dist is not None
            else f"the entry point {self.point.value}"
        )

    def matches(self, base: str) -> bool:
        """Returns whether ``base`` (``nim-5`` or ``nim-N``) can name a rule set of this game."""
        return base == self.base or (
            self.base.endswith("-N")
            and re.fullmatch(re.escape(self.base[:-1]) + r"[1-9]\d*", base) is not None
        )

    def load(self) -> Entry:
        """Returns the game's entry.

        Raises PluginError if the package's code fails, or if the object is not a valid ``Entry``.
        """
        return _load(self)


@functools.cache
def _load(plugin: Plugin) -> Entry:
    try:
        entry = plugin.point.load()
    except Exception as error:  # the import of a foreign module can raise any exception
        reason = f"{type(error).__name__}: {' '.join(str(error).split())}".removesuffix(
            ": "
        ).rstrip(".")
        raise PluginError(
            f"the game {plugin.base!r} of {plugin.origin} cannot be loaded ({reason})"
        ) from error
    if not isinstance(entry, Entry):
        raise PluginError(
            f"the game {plugin.base!r} of {plugin.origin} is a {type(entry).__name__}, "
            "not a jaxsolve.games.options.Entry"
        )
    if entry.base != plugin.base:
        raise PluginError(
            f"the game {plugin.base!r} of {plugin.origin} calls itself {entry.base!r}: "
            "entry point and entry must have one name"
        )
    try:
        check_base(entry)
    except ValueError as error:
        raise PluginError(f"{plugin.origin}: {error}") from None
    return entry


@functools.cache
def announced() -> tuple[Plugin, ...]:
    """Returns the entry points of games in installed packages, sorted by base name.

    The packages are not imported.
    """
    points = importlib.metadata.entry_points(group=GROUP)
    return tuple(
        sorted((Plugin(point.name, point) for point in points), key=lambda plugin: plugin.base)
    )
