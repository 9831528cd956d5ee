"""Host-side search: proof trees, search methods, and the functions that answer questions.

Names are imported on first use, so that the command line can list the methods without importing JAX
and numba.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from jaxsolve.core import lazy_import

if TYPE_CHECKING:
    from jaxsolve.question import Claim, Verdict
    from jaxsolve.search.methods import METHODS, Method, MonteCarlo, ProofNumber, RelevanceZone
    from jaxsolve.search.moves import MoveResult, Moves, solve_moves
    from jaxsolve.search.result import Progress, Result
    from jaxsolve.search.run.shared_patterns import PatternsError, SharedPatterns
    from jaxsolve.search.settings import METHOD_NAMES, Limits, Settings
    from jaxsolve.search.solving import Value, solve, solve_pool, solve_value

__all__ = [
    "METHODS",
    "METHOD_NAMES",
    "Claim",
    "Limits",
    "Method",
    "MonteCarlo",
    "MoveResult",
    "Moves",
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
    "solve_moves",
    "solve_pool",
    "solve_value",
]

__getattr__, __dir__ = lazy_import.attach(
    __name__,
    {
        "methods": ("METHODS", "Method", "MonteCarlo", "ProofNumber", "RelevanceZone"),
        "moves": ("MoveResult", "Moves", "solve_moves"),
        "result": ("Claim", "Progress", "Result", "Verdict"),
        "run.shared_patterns": ("PatternsError", "SharedPatterns"),
        "settings": ("METHOD_NAMES", "Limits", "Settings"),
        "solving": ("Value", "solve", "solve_pool", "solve_value"),
    },
)
