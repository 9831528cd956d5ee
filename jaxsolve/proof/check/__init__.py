"""The independent checker: reads a certificate and says whether it proves its claim.

It needs only Python's standard library and shares no line with the solver: its rules are written from the rule sets' text
(``proof/FORMAT.md``), so that a fault in a kernel cannot hide in a proof.
"""

from jaxsolve.proof.check.checker import Report, check

__all__ = ["Report", "check"]
