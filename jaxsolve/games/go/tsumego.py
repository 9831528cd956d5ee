"""``tsumego-N``: life and death of given stones."""

from __future__ import annotations

import dataclasses
import functools

import jax
import jax.numpy as jnp
import numpy as np

from jaxsolve.games.game import Outcome
from jaxsolve.games.go.benson import alive
from jaxsolve.games.go.layout import some
from jaxsolve.games.go.moves import ko_starts, true_eyes
from jaxsolve.games.go.notation import parse_points, points_text
from jaxsolve.games.go.rules import GoRules
from jaxsolve.games.go.state import Meta

_CHOICES = {
    "goal": ("live", "kill"),
    "defender": ("black", "white"),
    "ko_black": ("allow", "forbid"),
    "ko_white": ("allow", "forbid"),
    "passes": ("not-achieved",),
}


@dataclasses.dataclass(frozen=True)
class Tsumego(GoRules):
    """The defender wins when the chain of a surviving crucial stone is unconditionally alive, the attacker when none survives.

    ``crucial`` lists points (``P2,Q3``), or is ``any``: then any chain of the defender may live and captures decide nothing.
    Placements outside ``region`` do not exist. Two passes: the side with the ``goal`` (the defender to live, the attacker to kill) has
    failed. ``ko_black=forbid``: Black may not make a move that starts or takes a ko, whatever the ko rule; so for White.
    The start position is the empty board; real positions come as text. Raises ValueError for an unknown option or point.
    """

    size: int = 19
    ko: str = "simple"
    passes: str = "not-achieved"
    fill_eyes: bool = True
    goal: str = "live"
    defender: str = "black"
    crucial: str = "any"
    region: str = "all"
    ko_black: str = "allow"
    ko_white: str = "allow"
    max_history: int | None = None

    def __post_init__(self) -> None:
        self._check_common()
        if not 2 <= self.size <= 19:
            raise ValueError(f"size={self.size} must be between 2 and 19.")
        for option, allowed in _CHOICES.items():
            if getattr(self, option) not in allowed:
                raise ValueError(f"{option}={getattr(self, option)!r} is not known; it may be {', '.join(allowed)}.")
        for option, none in (("crucial", "any"), ("region", "all")):
            if getattr(self, option) != none:
                points = parse_points(self.size, getattr(self, option), option)
                object.__setattr__(self, option, points_text(self.size, points))

    @property
    def rule_set(self) -> str:
        return (
            f"tsumego-{self.size};ko={self.ko};passes={self.passes};fill_eyes={str(self.fill_eyes).lower()};goal={self.goal};"
            f"defender={self.defender};crucial={self.crucial};region={self.region};ko_black={self.ko_black};ko_white={self.ko_white}"
        )

    @functools.cached_property
    def crucial_points(self) -> tuple[int, ...]:  # type: ignore[override]
        return () if self.crucial == "any" else parse_points(self.size, self.crucial, "crucial")

    @functools.cached_property
    def region_points(self) -> tuple[int, ...]:
        """Points where stones may be placed."""
        return tuple(range(self.size**2)) if self.region == "all" else parse_points(self.size, self.region, "region")

    def _crucial_side(self) -> int:
        return 0 if self.defender == "black" else 1

    def _kept_sets(self) -> tuple[frozenset[int], ...]:
        return frozenset(self.crucial_points), frozenset(self.region_points)

    @property
    def goal_player(self) -> int:
        return self._crucial_side() if self.goal == "live" else 1 - self._crucial_side()

    def _decide(self, black: jax.Array, white: jax.Array, meta: Meta, crucial: jax.Array | None, placed: jax.Array) -> jax.Array:
        own, enemy = (white, black) if self._crucial_side() else (black, white)
        asked = jnp.where(placed[None], own, np.uint32(0))
        living = alive(self.layout, asked, enemy)
        defender, attacker = Outcome.FIRST_WINS, Outcome.SECOND_WINS
        if self._crucial_side():
            defender, attacker = attacker, defender
        lives, captured = some(living), jnp.zeros(placed.shape, bool)
        if crucial is not None:
            lives, captured = some(living & crucial), ~some(crucial)
        ended = jnp.where(meta.passes == 2, attacker if self.goal == "live" else defender, Outcome.ONGOING)
        return jnp.where(lives, defender, jnp.where(captured, attacker, ended)).astype(jnp.int32)

    def _restrict(self, legal: jax.Array, own: jax.Array, enemy: jax.Array, atari: jax.Array, meta: Meta) -> jax.Array:
        if self.region != "all":
            legal = legal & self.layout.like(legal, self.layout.mask(self.region_points))
        if not self.fill_eyes:
            legal = legal & ~true_eyes(self.layout, own, enemy)
        if "forbid" not in (self.ko_black, self.ko_white):
            return legal
        forbidden = jnp.where(meta.side == 1, self.ko_white == "forbid", self.ko_black == "forbid")
        return legal & ~jnp.where(forbidden[None], ko_starts(self.layout, own, enemy, atari), np.uint32(0))
