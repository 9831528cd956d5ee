"""The independent checker: reads a certificate and decides whether it proves its claim.

The checker uses Python's standard library only and shares no code with the solver. Its rules are
written from the text of the rule sets (``proof/FORMAT.md``). Therefore it refuses a proof that is
wrong because of a faulty kernel. ``register`` adds the rules of another game.
"""

from jaxsolve.proof.check.checker import Report, check
from jaxsolve.proof.check.registry import knows, register, unregister

__all__ = ["Report", "check", "knows", "register", "unregister"]
