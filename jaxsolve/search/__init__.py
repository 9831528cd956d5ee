"""Host-side search: the proof tree, its methods over it, and the front door ``solve``."""

from jaxsolve.question import Claim, Verdict
from jaxsolve.search.methods import METHODS, Method, MonteCarlo, ProofNumber, RelevanceZone
from jaxsolve.search.result import Progress, Result
from jaxsolve.search.run.shared_patterns import PatternsError, SharedPatterns
from jaxsolve.search.settings import Limits, Settings
from jaxsolve.search.solve import Value, solve, solve_pool, solve_value

__all__ = [
    "METHODS",
    "Claim",
    "Limits",
    "Method",
    "MonteCarlo",
    "PatternsError",
    "Progress",
    "ProofNumber",
    "RelevanceZone",
    "Result",
    "Settings",
    "SharedPatterns",
    "Value",
    "Verdict",
    "solve",
    "solve_pool",
    "solve_value",
]
