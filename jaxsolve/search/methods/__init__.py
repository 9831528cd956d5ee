"""The search methods, by the names a person chooses them by. A new one is a file beside these and a line here."""

from __future__ import annotations

from jaxsolve.search.methods.method import Method, Workspace
from jaxsolve.search.methods.monte_carlo import MonteCarlo
from jaxsolve.search.methods.pn_monte_carlo import PnMonteCarlo
from jaxsolve.search.methods.proof_number import ProofNumber
from jaxsolve.search.methods.relevance_zone import RelevanceZone

METHODS: dict[str, Method] = {
    "pns": ProofNumber("pns", leave_on_change=True),
    "dfpn": ProofNumber("dfpn"),
    "fdfpn": ProofNumber("fdfpn", widening=0.1),
    "mcts": MonteCarlo("mcts"),
    "pnmcts": PnMonteCarlo("pnmcts"),
    "rzs": RelevanceZone("rzs"),
}

__all__ = ["METHODS", "Method", "MonteCarlo", "PnMonteCarlo", "ProofNumber", "RelevanceZone", "Workspace", "method_named"]


def method_named(name: str) -> Method:
    """The method with its standard settings. Raises ValueError for a name that is none of ``METHODS``."""
    if name not in METHODS:
        raise ValueError(f"unknown method {name!r}: choose one of {', '.join(METHODS)}")
    return METHODS[name]
