"""``go-N``: plain Go."""

from __future__ import annotations

import dataclasses

import numpy as np

from jaxsolve.core.lazy_import import jax, jnp
from jaxsolve.games.drawing import Stones
from jaxsolve.games.game import Outcome
from jaxsolve.games.go.game import GoRules
from jaxsolve.games.go.moves import area
from jaxsolve.games.go.state import GoState, Meta, Task


@dataclasses.dataclass(frozen=True)
class Go(GoRules):
    """Go with area scoring.

    Two passes end the game. The score of a side is the number of its stones, plus the number of
    points in empty regions that touch only its stones. ``komi`` is added to White's score. Equal
    scores are a draw.

    Raises ValueError for a size outside 2..19, an unknown ko rule, or a komi that is not a multiple
    of one half.
    """

    size: int = 9
    ko: str = "simple"
    komi: float = 7.5
    max_history: int | None = None

    def __post_init__(self) -> None:
        self._check_common()
        if not 2 <= self.size <= 19:
            raise ValueError(f"size={self.size} must be between 2 and 19.")
        object.__setattr__(
            self, "komi", float(self.komi) + 0.0
        )  # turns -0.0 into 0.0, so that equal rules have the same rule-set id
        if 2 * self.komi != round(2 * self.komi) or abs(self.komi) >= 1000:
            raise ValueError(
                f"komi={self.komi} must be a multiple of 0.5 between -999.5 and 999.5."
            )

    @property
    def rule_set(self) -> str:
        return f"go-{self.size};ko={self.ko};komi={self.komi:g}"

    @property
    def may_draw(self) -> bool:  # type: ignore[override]
        """Whether equal scores are possible: only if ``komi`` is a whole number."""
        return self.komi == round(self.komi)

    def leaf_reason(self, state: GoState, outcome: int) -> str:
        return "score"

    def drawing(self, state: GoState) -> Stones:
        """Returns a picture of the stones, with the komi as its note."""
        note = f"komi {self.komi:g}, added to White's score"
        return dataclasses.replace(super().drawing(state), note=note)

    def _decide(
        self, black: jax.Array, white: jax.Array, meta: Meta, task: Task | None, placed: jax.Array
    ) -> jax.Array:
        def score() -> jax.Array:
            black_area, white_area = area(self.grid, black, white)
            margin = 2 * (black_area - white_area) - np.int32(round(2 * self.komi))
            by_sign = jnp.where(
                margin > 0,
                Outcome.FIRST_WINS,
                jnp.where(margin < 0, Outcome.SECOND_WINS, Outcome.DRAW),
            )
            return jnp.where(meta.passes == 2, by_sign, Outcome.ONGOING).astype(jnp.int32)

        # The flood fills run only if a game of the batch has ended. This is rare.
        return jax.lax.cond(jnp.any(meta.passes == 2), score, lambda: jnp.zeros_like(meta.passes))
