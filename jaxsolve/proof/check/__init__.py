"""The independent checker: reads a certificate and says whether it proves its claim.

It needs only Python's standard library and shares no line with the solver: its rules are written from the rule sets' text
(``proof/FORMAT.md``), so that a fault in a kernel cannot hide in a proof.
"""

from jaxsolve.proof.check.checker import GAMES, Report, check
from jaxsolve.proof.check.plugins import known, register, unregister

__all__ = ["Report", "check", "knows", "register", "unregister"]


def knows(game: str) -> bool:
    """Whether certificates of ``game`` (their header's word) can be judged here."""
    return game in GAMES or known(game)
