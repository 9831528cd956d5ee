"""The search methods, by the names a person chooses them by. A new one is a file beside these and a line here."""

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


def method_for(asked: str | Method, game: Game, heads: Heads | None, *, zones: bool) -> Method:
    """The method of a search of ``game``: one asked for by name as it searches with the network if there is one.

    Where moves are planned and there is none, it plays no random games: a plan tells more of a position, and sooner. A method given as an object
    searches as it says. Raises ValueError for a name that is none of ``METHODS``.
    """
    if not isinstance(asked, str):
        return asked
    method = method_named(asked)
    if heads is not None:
        return method.guided(heads)
    return (
        dataclasses.replace(method, playouts=0)
        if method.playouts and has_plans(zoning_of(game, zones))
        else method
    )


def method_named(name: str) -> Method:
    """The method with its standard settings. Raises ValueError for a name that is none of ``METHODS``."""
    if name not in METHODS:
        raise ValueError(f"unknown method {name!r}: choose one of {', '.join(METHODS)}")
    return METHODS[name]
