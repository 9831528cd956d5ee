"""The independent checker: reads a certificate and says whether it proves its claim.

It needs only Python's standard library and shares no line with the solver: its rules are written from the rule sets' text
(``proof/FORMAT.md``), so that a fault in a kernel cannot hide in a proof. ``register`` adds the rules of a game that it does not know.
"""

from jaxsolve.proof.check.checker import Report, check
from jaxsolve.proof.check.registry import knows, register, unregister

__all__ = ["Report", "check", "knows", "register", "unregister"]
