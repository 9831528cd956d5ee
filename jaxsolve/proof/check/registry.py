"""The rules of each game: the checker's own games, registered rules, and plug-ins.

A built-in game is one module and one line of ``BUILTIN``. A plug-in is an entry point of the group
``jaxsolve.checkers`` (``my-game = "my_package.rules:MyRules"``). Its object is a callable from a
rule-set id to ``Rules``, like ``ParseRules``.
"""

from __future__ import annotations

import dataclasses
import importlib
from collections.abc import Callable

from jaxsolve.proof.check.errors import Refused, show
from jaxsolve.proof.check.rules import Rules

ParseRules = Callable[[str], Rules]
"""Function from a rule-set id to its rules.

It raises Refused for an id that it cannot parse completely.
"""

GROUP = "jaxsolve.checkers"

BUILTIN = {
    "awari": "jaxsolve.proof.check.games.awari:Awari",
    "go": "jaxsolve.proof.check.games.go.rules:Go",
    "gomoku": "jaxsolve.proof.check.games.gomoku.rules:Gomoku",
    "hex": "jaxsolve.proof.check.games.hex.rules:Hex",
    "knightthrough": "jaxsolve.proof.check.games.knightthrough:Knightthrough",
    "loa": "jaxsolve.proof.check.games.loa:LinesOfAction",
    "minishogi": "jaxsolve.proof.check.games.minishogi:MiniShogi",
    "slither": "jaxsolve.proof.check.games.slither.rules:Slither",
}

_registered: dict[str, ParseRules] = {}


@dataclasses.dataclass(frozen=True)
class Source:
    """The function that parses a game's rule-set ids, and the plug-in that provides it, if any."""

    parse_rules: ParseRules
    plugin: str = ""  # the plug-in's module; "" for built-in rules

    def rules(self, rule_set: str) -> Rules:
        """Returns the rules of a rule-set id.

        Raises Refused if the id is not known, or if a plug-in raises any exception or returns
        something other than complete ``Rules``.
        """
        if not self.plugin:
            return self.parse_rules(rule_set)
        try:
            rules = self.parse_rules(rule_set)
        except Refused:
            raise
        except Exception as error:
            raise self.broken(error) from None
        if not isinstance(rules, Rules):
            kind = show(type(rules).__name__)
            raise Refused(f"the plug-in {self.plugin} gives {kind} for a rule set, not Rules")
        longest = getattr(rules, "longest", None)
        if type(longest) is not int or longest < 1:
            raise Refused(
                f"the plug-in {self.plugin} does not say how long the text of a position can be:"
                f" longest is {show(longest)}"
            )
        return rules

    def broken(self, error: Exception) -> Refused:
        """Returns the refusal that reports an unexpected exception of a plug-in's rules."""
        return Refused(
            f"the rules of the plug-in {self.plugin} broke down:"
            f" {type(error).__name__} {show(str(error), 200)}"
        )


def register(name: str, parse_rules: ParseRules) -> None:
    """Registers ``parse_rules`` for certificates whose header has ``"game": name``.

    Raises ValueError if the name is empty, belongs to a built-in game, or is registered already.
    """
    if not name or not isinstance(name, str):
        raise ValueError(f"The name of a game must be text, not {name!r}.")
    if name in BUILTIN:
        raise ValueError(f"The checker has rules of its own for {name!r}; they cannot be replaced.")
    if name in _registered:
        raise ValueError(f"Rules for {name!r} are already registered.")
    _registered[name] = parse_rules


def unregister(name: str) -> None:
    """Removes the rules that were registered as ``name``. Raises ValueError if there are none."""
    if _registered.pop(name, None) is None:
        raise ValueError(f"No rules are registered as {name!r}.")


def knows(name: str) -> bool:
    """Whether there are rules for the game ``name`` of a header. Imports no plug-in."""
    if name in BUILTIN or name in _registered:
        return True
    from importlib import metadata

    return any(entry.name == name for entry in metadata.entry_points(group=GROUP))


def find(name: str) -> Source:
    """Returns the source of the rules for the game ``name`` of a header.

    Raises Refused if there are no rules, if several plug-ins provide the game, or if the plug-in
    cannot be loaded.
    """
    if name in BUILTIN:
        module, _, attribute = BUILTIN[name].partition(":")
        return Source(getattr(importlib.import_module(module), attribute))
    if name in _registered:
        parse_rules = _registered[name]
        return Source(
            parse_rules, getattr(parse_rules, "__module__", None) or type(parse_rules).__module__
        )
    from importlib import metadata  # the import takes longer than checking a small proof

    found = {
        entry.value: entry for entry in metadata.entry_points(group=GROUP) if entry.name == name
    }
    if len(found) > 1:
        names = show(", ".join(sorted(found)), 200)
        raise Refused(f"the game {show(name)} is claimed by more than one plug-in: {names}")
    for value, entry in found.items():
        try:
            return Source(entry.load(), value.partition(":")[0])
        except Exception as error:
            raise Refused(
                f"the plug-in {show(value)} for the game {show(name)} cannot be loaded:"
                f" {show(str(error), 200)}"
            ) from None
    known = ", ".join(sorted({*BUILTIN, *_registered}))
    raise Refused(f"the game {show(name)} is not known: known are {known}; others need a plug-in")
