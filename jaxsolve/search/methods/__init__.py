"""The search methods by name. A new one is a file beside these and an entry of ``METHODS``."""

from __future__ import annotations

import dataclasses

from jaxsolve.evaluate import zoning_of
from jaxsolve.games.game import Game
from jaxsolve.games.zones import has_plans
from jaxsolve.networks.heads import Heads
from jaxsolve.search.methods.mcts.method import MonteCarlo
from jaxsolve.search.methods.mcts.pn_method import PnMonteCarlo
from jaxsolve.search.methods.method import Method
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
    "Method",
    "MonteCarlo",
    "PnMonteCarlo",
    "ProofNumber",
    "RelevanceZone",
    "Workspace",
    "method_for",
    "method_named",
]


def method_for(chosen: str | Method, game: Game, heads: Heads | None, *, zones: bool) -> Method:
    """The method of a search of ``game``.

    One chosen by name is adapted to the network ``heads``, if any. Without a network, a method of a
    game with plans plays no random games: a plan gives a better value, and sooner. A method given
    as an object is returned unchanged. Raises ValueError for a name not in ``METHODS``.
    """
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
    """The method with its standard settings. Raises ValueError for a name not in ``METHODS``."""
    if name not in METHODS:
        raise ValueError(f"unknown method {name!r}: choose one of {', '.join(METHODS)}")
    return METHODS[name]
