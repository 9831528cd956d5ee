"""Host-side search: the proof tree, three methods over it, and the front door ``solve``."""

from jaxsolve.search.methods import METHODS, MonteCarlo, ProofNumber
from jaxsolve.search.result import Claim, Limits, Progress, Result, Verdict
from jaxsolve.search.solve import Value, solve, solve_pool, solve_value

__all__ = [
    "METHODS",
    "Claim",
    "Limits",
    "MonteCarlo",
    "Progress",
    "ProofNumber",
    "Result",
    "Value",
    "Verdict",
    "solve",
    "solve_pool",
    "solve_value",
]
