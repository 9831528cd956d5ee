"""Settings and limits of a search, as frozen dataclasses. Invalid values raise ValueError."""

from __future__ import annotations

import dataclasses
import numbers
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from jaxsolve.games.game import Game
    from jaxsolve.networks import Guide, Heads
    from jaxsolve.networks.shipped import AutoGuide
    from jaxsolve.search.methods import Method, Variant


METHOD_NAMES = ("pns", "dfpn", "fdfpn", "mcts", "pnmcts", "rzs")
"""The keys of ``jaxsolve.search.METHODS``, for code that must not import JAX."""


INF = float("inf")
SEEDS = 1 << 64  # number of random seeds


def _finite(number: Any) -> bool:
    return 0 <= number < INF


@dataclass(frozen=True)
class Limits:
    """Limits of a search. The search ends at the first limit that it reaches. None = no limit.

    A search on an accelerator uses little CPU time: limit its wall seconds instead.
    """

    cpu_seconds: float | None = None  # of this process, all threads; compilation not counted
    wall_seconds: float | None = None  # compilation not counted
    nodes: int | None = None  # positions expanded
    evaluations: int | None = None  # positions sent to the evaluator

    def __post_init__(self) -> None:
        limits: dict[str, Any] = dict(vars(self))
        for name, limit in limits.items():
            if limit is None:
                continue
            whole = name in ("nodes", "evaluations")
            kind = numbers.Integral if whole else numbers.Real
            if not (isinstance(limit, kind) and not isinstance(limit, bool) and _finite(limit)):
                raise ValueError(
                    f"limit {name}={limit!r}: give a {'whole ' if whole else ''}number from 0 on,"
                    " or None for no limit"
                )
            plain = int(limit) if isinstance(limit, numbers.Integral) else float(limit)
            object.__setattr__(self, name, plain)  # a plain number is written as JSON

    def reached(self, name: str) -> str:
        """Returns the sentence "The limit of ... was reached." for the limit ``name``, a field."""
        limit = getattr(self, name)
        unit = {"cpu_seconds": "CPU seconds", "wall_seconds": "seconds of wall time"}.get(
            name, name
        )
        shown = f"{round(limit, 2) or limit:g}" if "seconds" in name else str(limit)
        unit = unit if shown != "1" else unit.removesuffix("s").replace("seconds ", "second ")
        return f"The limit of {shown} {unit} was reached."


LIMIT_NAMES = tuple(each.name for each in dataclasses.fields(Limits))
"""The fields of ``Limits``."""

LEAST_PROOF_SECONDS = 10.0  # least time for collecting a proof, however short the limits


def proof_seconds(limits: Limits) -> float | None:
    """Returns the CPU seconds allowed for collecting a proof; None: no limit.

    They are the limit of CPU seconds, or that of wall seconds if there is none, but at least
    ``LEAST_PROOF_SECONDS``.
    """
    given = [limit for limit in (limits.cpu_seconds, limits.wall_seconds) if limit is not None]
    return max(LEAST_PROOF_SECONDS, given[0]) if given else None


@dataclass(frozen=True)
class Settings:
    """All options of a search except its question and its output folder."""

    # A name of ``METHODS``, a variant of one, or an object with its own settings.
    method: str | Variant | Method = "dfpn"
    limits: Limits = Limits()
    memory_mb: int = 2048  # for tree, table, proof log and certificate together
    seed: int = 0
    wave: int | None = None  # positions in all waves in flight together; None = the method's own
    # Number of waves in flight: one is on the device while another is backed up. A search on the
    # host has waves only if ``wave`` is given.
    flights: int = 2
    max_nodes: int | None = None  # further bound on table entries, besides the memory
    heads: Heads | Guide | AutoGuide | None = None  # a network; None = the rules alone
    # Leave out replies that a relevance zone or a threat refutes, where the game has them.
    zones: bool = True
    check: bool = True  # check every proof independently before the answer is reported

    def __post_init__(self) -> None:
        if not isinstance(self.limits, Limits):
            raise TypeError(
                f"limits={self.limits!r}: give a Limits object, such as Limits(cpu_seconds=60)"
            )
        for name, least in {
            "memory_mb": 0,
            "flights": 1,
            "wave": 1,
            "max_nodes": 1,
            "seed": 0,
        }.items():
            value: Any = getattr(self, name)
            optional = name in ("wave", "max_nodes")
            if value is None and optional:
                continue
            most = SEEDS - 1 if name == "seed" else INF
            if (
                not isinstance(value, numbers.Integral)
                or isinstance(value, bool)
                or not least <= int(value) <= most
            ):
                raise ValueError(
                    f"{name}={value!r}: give a whole number from {least} on"
                    f"{', below 2^64' if name == 'seed' else ''}{', or None' if optional else ''}"
                )
            object.__setattr__(self, name, int(value))  # a plain number is written as JSON
        for name in ("zones", "check"):
            if not isinstance(getattr(self, name), bool):
                raise ValueError(f"{name}={getattr(self, name)!r}: give True or False")
        if isinstance(self.method, str) and self.method not in METHOD_NAMES:
            from jaxsolve.search.methods import METHODS  # may hold methods added at run time

            if self.method not in METHODS:
                raise ValueError(f"method={self.method!r}: give one of {', '.join(METHODS)}")
        if not isinstance(self.method, str) and not hasattr(self.method, "fallback"):
            raise TypeError(
                f"method={self.method!r}: give a name, such as 'dfpn', or a method of"
                " jaxsolve.search.METHODS"
            )
        if isinstance(self.heads, str | bool | int | float):
            raise TypeError(
                f"heads={self.heads!r}: give a network, such as Guide(finding.find('hex6')) of"
                " jaxsolve.networks, or None"
            )

    def heads_for(self, game: Game) -> Heads | None:
        """Returns the network for ``game``, or None without one.

        Raises ValueError if the network does not fit the game.
        """
        if self.heads is None:
            return None
        from jaxsolve.networks import Heads  # imports JAX

        return self.heads if isinstance(self.heads, Heads) else self.heads.heads(game)

    def as_json(self) -> dict[str, Any]:
        """Returns all settings as plain values for one flat JSON object.

        The limits are fields of this object. A method is given by its name or its ``repr``, a
        network by its identity (``jaxsolve.networks.identity``).
        """
        from jaxsolve.networks.identity import identity

        fields = {
            each.name: getattr(self, each.name)
            for each in dataclasses.fields(self)
            if each.name != "limits"
        }
        method = self.method if isinstance(self.method, str) else repr(self.method)
        return fields | {"method": method, "heads": identity(self.heads)} | vars(self.limits)


def changed(settings: Settings | None, **changes: Any) -> Settings:
    """Returns ``settings``, or the defaults if None, with the fields in ``changes`` replaced.

    Raises TypeError for a name that is not a field.
    """
    for name in changes.keys() & LIMIT_NAMES:
        raise TypeError(f"{name} is a limit: give limits=Limits({name}={changes[name]!r})")
    fields = {each.name for each in dataclasses.fields(Settings)}
    for name in changes.keys() - fields:
        raise TypeError(f"{name!r} is no argument and no setting: {', '.join(sorted(fields))} are")
    if settings is not None and not isinstance(settings, Settings):
        raise TypeError(f"settings={settings!r}: give a Settings object, or None")
    return dataclasses.replace(settings or Settings(), **changes)
