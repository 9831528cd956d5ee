"""The search methods: small frozen objects whose fields are their settings."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class ProofNumber:
    """Proof-number search in one of its three forms (see ``search.pn``)."""

    name: str
    restart: bool  # from the root for every leaf
    epsilon: float = 0.25  # threshold slack of df-pn (the PCN program's 1.25; Pawlewicz & Lew 2007)
    widening: float = 1.0  # share of undecided moves considered (Henderson 2010 uses 0.1..0.25); 1 = all
    virtual: int = 1  # weight of a busy path in virtual proof numbers
    wave: int = 128  # leaves evaluated together (128 measured best of 16 to 128 on Go and Gomoku, CPU seconds)


@dataclass(frozen=True)
class MonteCarlo:
    """MCTS-solver (Winands, Bjornsson & Saito 2008): PUCT or UCT, proven values backed up, decided moves skipped."""

    name: str = "mcts"
    selection: str = "uct"  # "puct" weighs by the network's priors
    exploration: float = 1.0
    playouts: int = 1  # uniformly random games a leaf, where no network gives a value
    wave: int = 64


Method = ProofNumber | MonteCarlo

METHODS: dict[str, Method] = {
    "pns": ProofNumber("pns", restart=True),
    "dfpn": ProofNumber("dfpn", restart=False),
    "fdfpn": ProofNumber("fdfpn", restart=False, widening=0.1),
    "mcts": MonteCarlo(),
}


def method_named(name: str) -> Method:
    """The method with its standard settings. Raises ValueError for a name that is none of ``METHODS``."""
    if name not in METHODS:
        raise ValueError(f"unknown method {name!r}: choose one of {', '.join(METHODS)}")
    return METHODS[name]
