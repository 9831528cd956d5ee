"""The independent checker: reads a certificate and decides whether it proves its claim.

It uses Python's standard library only and shares no code with the solver. Its rules are written
from the text of the rule sets (``proof/FORMAT.md``), so that a proof that rests on a faulty kernel
is refused. ``register`` adds the rules of another game.
"""

from jaxsolve.proof.check.checker import Report, check
from jaxsolve.proof.check.registry import knows, register, unregister

__all__ = ["Report", "check", "knows", "register", "unregister"]
