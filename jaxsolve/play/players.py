"""Players that search without a network, and the names by which users select them.

Examples of names: ``uct``, ``pnmcts:flags=FSU,c_pn=1,layers=double``.
"""

from __future__ import annotations

import functools
from collections.abc import Callable, Hashable, Sequence
from dataclasses import dataclass
from typing import Any, cast

import jax
import numpy as np

from jaxsolve.games.env import State
from jaxsolve.games.game import Game
from jaxsolve.play.player import Player, filled
from jaxsolve.play.tree_search import LAYERS, PlayoutSearch, search

KINDS = ("uct", "pnmcts")
FLAGS = "FSU"  # final move selection, solver, UCT-PN


@dataclass(frozen=True, eq=False)
class TreePlayer:
    """A player that plays the moves of a ``PlayoutSearch``."""

    name: str
    game: Game
    settings: PlayoutSearch

    @property
    def pool(self) -> Hashable:
        """Key of the players that are searched together (``Player.pool``).

        Searches with a fixed number of simulations share the device. A search with a time limit
        runs alone.
        """
        own = self if self.settings.seconds is not None else None
        return (TreePlayer, self.game, self.settings.wave, self.settings.most_moves, own)

    def choose(
        self, seeds: np.ndarray, states: State, players: Sequence[Player]
    ) -> tuple[np.ndarray, np.ndarray]:
        words = np.asarray(_packed(self.game, filled(states)._game))[: len(players)]
        settings = [cast(TreePlayer, player).settings for player in players]
        each = len(players) if self.settings.seconds is None else 1
        parts = [slice(start, start + each) for start in range(0, len(players), each)]
        found = [
            search(settings[part], self.game, words[part], seeds[part].tolist()) for part in parts
        ]
        return np.concatenate([part.actions for part in found]), np.concatenate(
            [part.simulations for part in found]
        )


@functools.partial(jax.jit, static_argnums=0)
def _packed(game: Game, states: Any) -> jax.Array:
    return jax.vmap(game.pack)(states)


def named_search(text: str, simulations: int | None, seconds: float | None) -> PlayoutSearch:
    """Returns the search settings for a player's name.

    A name is ``uct`` or ``pnmcts``, possibly followed by a colon and settings joined by commas
    (``play/README.md``). ``pnmcts`` without settings has all three flags. ``simulations`` and
    ``seconds`` are the limits for a move, unless the name sets others.

    Raises ValueError for an invalid name.

    >>> named_search("pnmcts:flags=FU,c_pn=0.5", 100, None).c_pn
    0.5
    """
    kind, _, rest = text.partition(":")
    if kind not in KINDS:
        raise ValueError(f"{text!r}: a search without a network is {' or '.join(KINDS)}")
    given: dict[str, Any] = {"simulations": simulations, "seconds": seconds}
    if kind == "pnmcts":
        given |= _flags(FLAGS) | {"numbers": True}
    seen: set[str] = set()
    known = _OF_UCT if kind == "uct" else tuple(_SETTINGS)
    for part in filter(None, rest.split(",")):
        name, equals, value = (piece.strip() for piece in part.partition("="))
        if not equals or name not in _SETTINGS:
            raise ValueError(
                f"{text!r}: {part.strip()!r} is no setting; "
                f"there are {', '.join(f'{each}=' for each in known)}"
            )
        if name in seen:
            raise ValueError(f"{text!r}: {name} is given twice")
        if kind == "uct" and name not in _OF_UCT:
            raise ValueError(
                f"{text!r}: plain UCT keeps no proof numbers, so {name} would have no effect; "
                "use pnmcts"
            )
        seen.add(name)
        try:
            given |= _SETTINGS[name](value)
        except (ValueError, KeyError):
            raise ValueError(f"{text!r}: {name}={value!r} cannot be read; {_FORMS[name]}") from None
    if {"sims", "time"} & seen == {"time"}:
        given["simulations"] = None
    if {"sims", "time"} & seen == {"sims"}:
        given["seconds"] = None
    for name, flag, on in (
        ("c_pn", "U", "ranks"),
        ("rank", "U", "ranks"),
        ("threshold", "S", "solver"),
    ):
        if name in seen and not given[on]:
            raise ValueError(f"{text!r}: {name} has no effect without the flag {flag}")
    if "layers" in seen and not (given["final"] or given["solver"] or given["ranks"]):
        raise ValueError(f"{text!r}: layers has no effect without a flag")
    try:
        return PlayoutSearch(**given)
    except ValueError as error:
        raise ValueError(f"{text!r}: {error}") from None


def _flags(word: str) -> dict[str, Any]:
    """Returns the settings of the flags F, S and U that are in ``word``.

    ``x`` is allowed as a placeholder for a flag that is off. Raises ValueError for another word.
    """
    letters = word.upper().replace("X", "")
    if not word:
        raise ValueError
    if sorted(letters) != sorted(set(letters) & set(FLAGS)):
        raise ValueError
    return {"final": "F" in letters, "solver": "S" in letters, "ranks": "U" in letters}


def _number(field: str, kind: type) -> Callable[[str], dict[str, Any]]:
    def read(value: str) -> dict[str, Any]:
        if not value.isascii() or "_" in value:  # int() accepts non-ASCII digits and 1_000
            raise ValueError
        return {field: kind(value)}

    return read


def _named(field: str, values: dict[str, Any]) -> Callable[[str], dict[str, Any]]:
    return lambda value: {field: values[value]}


_SETTINGS: dict[str, Callable[[str], dict[str, Any]]] = {
    "flags": _flags,
    "c_pn": _number("c_pn", float),
    "rank": _named("by_children", {"highest": False, "children": True}),
    "new": _named("mobility", {"moves": True, "one": False}),
    "layers": _named("layers", {name: name for name in LAYERS}),
    "contempt": lambda value: {"contempt": None if value == "never" else float(value)},
    "threshold": _number("threshold", int),
    "c": _number("exploration", float),
    "wave": _number("wave", int),
    "most": _number("most_moves", int),
    "sims": _number("simulations", int),
    "time": _number("seconds", float),
}
_OF_UCT = ("c", "wave", "most", "sims", "time")
_FORMS = {
    "flags": "F, S and U or some of them, x where one is off, as FxU",
    "rank": "highest or children",
    "new": "moves or one",
    "layers": ", ".join(LAYERS),
    **{name: "a whole number" for name in ("threshold", "wave", "most", "sims")},
    "contempt": "a number, or never",
    **{name: "a number" for name in ("c_pn", "c", "time")},
}
