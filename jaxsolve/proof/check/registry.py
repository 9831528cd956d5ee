"""Whose rules the checker plays by: its own games, those registered by hand, and plug-ins.

A game of the checker is one file and one line of ``BUILTIN``. A plug-in names its rules as an entry point of the group
``jaxsolve.checkers`` (``my-game = "my_package.rules:MyRules"``): a callable from a rule-set id to ``Rules`` that raises ``Refused``.
"""

from __future__ import annotations

import dataclasses
import importlib
from collections.abc import Callable

from jaxsolve.proof.check.errors import Refused, show
from jaxsolve.proof.check.rules import Rules

ParseRules = Callable[[str], Rules]
"""From a rule-set id to its rules; raises Refused, with one sentence, for an id that it does not know completely."""

GROUP = "jaxsolve.checkers"

BUILTIN = {
    "awari": "jaxsolve.proof.check.games.awari:Awari",
    "go": "jaxsolve.proof.check.games.go.rules:Go",
    "gomoku": "jaxsolve.proof.check.games.gomoku.rules:Gomoku",
    "hex": "jaxsolve.proof.check.games.hex:Hex",
    "knightthrough": "jaxsolve.proof.check.games.knightthrough:Knightthrough",
    "loa": "jaxsolve.proof.check.games.loa:LinesOfAction",
    "minishogi": "jaxsolve.proof.check.games.minishogi:MiniShogi",
    "slither": "jaxsolve.proof.check.games.slither.rules:Slither",
}

_registered: dict[str, ParseRules] = {}


@dataclasses.dataclass(frozen=True)
class Source:
    """A game's rules and whose they are."""

    parse_rules: ParseRules
    plugin: str = ""  # the module that they come from, "" for the checker's own: a proof is as good as the rules it was judged by

    def rules(self, rule_set: str) -> Rules:
        """The rules of one rule set. Raises Refused, also for whatever else a plug-in raises."""
        if not self.plugin:
            return self.parse_rules(rule_set)
        try:
            rules = self.parse_rules(rule_set)
        except Refused:
            raise
        except Exception as error:
            raise self.broken(error) from None
        if not isinstance(rules, Rules):
            raise Refused(
                f"the plug-in {self.plugin} gives {show(type(rules).__name__)} for a rule set, not Rules"
            )
        longest = getattr(rules, "longest", None)
        if type(longest) is not int or longest < 1:
            raise Refused(
                f"the plug-in {self.plugin} does not say how long the text of a position can be: longest is {show(longest)}"
            )
        return rules

    def broken(self, error: Exception) -> Refused:
        """What to say where a plug-in's rules raise what they may not."""
        return Refused(
            f"the rules of the plug-in {self.plugin} broke down: {type(error).__name__} {show(str(error), 200)}"
        )


def register(name: str, parse_rules: ParseRules) -> None:
    """Lets the checker judge certificates whose header says ``"game": name``, by the rules that ``parse_rules`` gives.

    Raises ValueError for an empty name, a game of the checker's own, or a name that is registered already.
    """
    if not name or not isinstance(name, str):
        raise ValueError(f"The name of a game must be text, not {name!r}.")
    if name in BUILTIN:
        raise ValueError(f"The checker has rules of its own for {name!r}; they cannot be replaced.")
    if name in _registered:
        raise ValueError(f"Rules for {name!r} are already registered.")
    _registered[name] = parse_rules


def unregister(name: str) -> None:
    """Forgets rules given to ``register``. Raises ValueError if there are none of that name."""
    if _registered.pop(name, None) is None:
        raise ValueError(f"No rules are registered as {name!r}.")


def knows(name: str) -> bool:
    """Whether somebody has rules for the game, as a header names it; no plug-in is imported."""
    if name in BUILTIN or name in _registered:
        return True
    from importlib import metadata

    return any(entry.name == name for entry in metadata.entry_points(group=GROUP))


def find(name: str) -> Source:
    """The rules of a game as a header names it. Raises Refused with one sentence where nobody knows them."""
    if name in BUILTIN:
        module, _, attribute = BUILTIN[name].partition(":")
        return Source(getattr(importlib.import_module(module), attribute))
    if name in _registered:
        parse_rules = _registered[name]
        return Source(
            parse_rules, getattr(parse_rules, "__module__", None) or type(parse_rules).__module__
        )
    from importlib import metadata  # takes longer than to check a small proof

    found = {
        entry.value: entry for entry in metadata.entry_points(group=GROUP) if entry.name == name
    }
    if len(found) > 1:
        raise Refused(
            f"the game {show(name)} is claimed by more than one plug-in: {show(', '.join(sorted(found)), 200)}"
        )
    for value, entry in found.items():
        try:
            return Source(entry.load(), value.partition(":")[0])
        except Exception as error:
            raise Refused(
                f"the plug-in {show(value)} for the game {show(name)} cannot be loaded: {show(str(error), 200)}"
            ) from None
    raise Refused(
        f"the game {show(name)} is not known: known are {', '.join(sorted({*BUILTIN, *_registered}))}; others need a plug-in"
    )
