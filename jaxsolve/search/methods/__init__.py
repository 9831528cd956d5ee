"""The search methods by name. To add one, add a file to this folder and an entry to ``METHODS``."""

from __future__ import annotations

import dataclasses
from typing import Any

from jaxsolve.evaluate import zoning_of
from jaxsolve.games.game import Game
from jaxsolve.games.zones import has_plans
from jaxsolve.networks.heads import Heads
from jaxsolve.search.methods.mcts.method import MonteCarlo
from jaxsolve.search.methods.mcts.pn_method import PnMonteCarlo
from jaxsolve.search.methods.method import Configurations, Method
from jaxsolve.search.methods.pns.method import ProofNumber
from jaxsolve.search.methods.rzs import RelevanceZone
from jaxsolve.search.tree.workspace import Workspace

METHODS: dict[str, Method] = {
    "pns": ProofNumber("pns", leave_on_change=True),
    "dfpn": ProofNumber("dfpn"),
    "fdfpn": ProofNumber("fdfpn", widening=0.1),
    "mcts": MonteCarlo("mcts"),
    "pnmcts": PnMonteCarlo("pnmcts"),
    "rzs": RelevanceZone("rzs"),
}

__all__ = [
    "METHODS",
    "Configurations",
    "Method",
    "MonteCarlo",
    "PnMonteCarlo",
    "ProofNumber",
    "RelevanceZone",
    "Variant",
    "Workspace",
    "method_for",
    "method_named",
]


@dataclasses.dataclass(frozen=True)
class Variant:
    """A method by name with other settings. A network adapts it as it adapts the name alone.

    ``changes`` are pairs of a field of the method and its value.
    """

    name: str
    changes: tuple[tuple[str, Any], ...]

    @property
    def fallback(self) -> Method | None:
        """The fallback of the method (``Method.fallback``)."""
        return method_named(self.name).fallback


def method_for(
    chosen: str | Method | Variant, game: Game, heads: Heads | None, *, zones: bool
) -> Method:
    """Returns the search method for ``game``.

    A method chosen by name is adapted to the network ``heads``, if there is one. Without a network,
    such a method plays no random games in a game with plans (``hints.plans``), since a plan gives a
    better value in less time. A method given as an object is returned unchanged.

    Args:
      chosen: a key of ``METHODS``, a variant of one, or a method.
      game: game that is searched.
      heads: network, or None.
      zones: whether the search uses relevance zones.

    Raises ValueError for a name not in ``METHODS``.
    """
    if isinstance(chosen, Variant):
        found = method_for(chosen.name, game, heads, zones=zones)
        return dataclasses.replace(found, **dict(chosen.changes))
    if not isinstance(chosen, str):
        return chosen
    method = method_named(chosen)
    if heads is not None:
        return method.guided(heads)
    return (
        dataclasses.replace(method, playouts=0)
        if method.playouts and has_plans(zoning_of(game, zones))
        else method
    )


def method_named(name: str) -> Method:
    """Returns the method ``name`` with its standard settings.

    Raises ValueError for a name not in ``METHODS``.
    """
    if name not in METHODS:
        raise ValueError(f"unknown method {name!r}: choose one of {', '.join(METHODS)}")
    return METHODS[name]
