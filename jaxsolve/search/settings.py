"""How a question is searched: one frozen object that travels from the command line to the search."""

from __future__ import annotations

import dataclasses
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from jaxsolve.evaluate import Heads
    from jaxsolve.search.methods import Method


@dataclass(frozen=True)
class Limits:
    """When to give up. None = no limit; whichever is reached first counts.

    On a machine whose accelerator does the work a process uses little CPU time: give wall seconds there.
    """

    cpu_seconds: float | None = None  # of this process, all threads; compilation not counted
    wall_seconds: float | None = None  # compilation not counted
    nodes: int | None = None  # positions expanded
    evaluations: int | None = None  # positions sent to the evaluator


@dataclass(frozen=True)
class Settings:
    """Everything about a search but its question and its output folder."""

    method: str | Method = "dfpn"  # a name of ``METHODS`` or a method object with settings of your own
    limits: Limits = Limits()
    memory_mb: int = 2048  # for tree, table, proof log and certificate building together
    seed: int = 0
    wave: int | None = None  # positions of all waves under way; None = the method's own
    flights: int = 2  # waves under way at a time: one on the device while another is backed up
    max_nodes: int | None = None  # bound on table entries, below what the memory allows
    heads: Heads | None = None  # a network with its parameters; None = the rules alone
    check: bool = True  # have the independent checker confirm every proof before the answer is announced


def changed(settings: Settings | None, **changes: Any) -> Settings:
    """``settings`` (None: the standard ones) with some fields replaced. Raises TypeError for a name that is no field."""
    return dataclasses.replace(settings or Settings(), **changes)
