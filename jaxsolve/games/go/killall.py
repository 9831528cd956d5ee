"""``killallgo-7`` and ``killallgo-9``: White wins if one of its chains lives."""

from __future__ import annotations

import dataclasses

import numpy as np

from jaxsolve.core.lazy_import import jax, jnp
from jaxsolve.games.boards.board_text import parse_gtp_point
from jaxsolve.games.game import Outcome
from jaxsolve.games.go.benson import alive
from jaxsolve.games.go.game import GoRules
from jaxsolve.games.go.moves import true_eyes
from jaxsolve.games.go.state import GoState, Meta, Task

PASS_RULES = ("not-achieved", "stones")


@dataclasses.dataclass(frozen=True)
class KillallGo(GoRules):
    """Killall-Go: White wins as soon as a white chain is unconditionally alive (``go.benson``).

    9x9 starts with black stones on C7, G7, C3 and G3, and White to move. 7x7 starts with a forced
    opening: Black places a stone, White passes, Black places a stone. Two later passes end the
    game, and Black wins. With ``passes=stones``, White wins instead if a white stone is on the
    board. With ``fill_eyes=False`` a player may not fill its own true eyes (``moves.true_eyes``).

    Raises ValueError for another size or an unknown option.
    """

    size: int = 9
    ko: str = "simple"
    passes: str = "not-achieved"
    fill_eyes: bool = True
    max_history: int | None = None

    def __post_init__(self) -> None:
        self._check_common()
        if self.size not in (7, 9):
            raise ValueError(f"Killall-Go is played on 7x7 or 9x9, not size={self.size}.")
        if self.passes not in PASS_RULES:
            raise ValueError(
                f"passes={self.passes!r} is not known; it may be {', '.join(PASS_RULES)}."
            )

    @property
    def rule_set(self) -> str:
        return (
            f"killallgo-{self.size};ko={self.ko};passes={self.passes};"
            f"fill_eyes={str(self.fill_eyes).lower()}"
        )

    @property
    def goal_player(self) -> int:
        return 1

    @property
    def _goal(self) -> int:
        return 1

    @property
    def opening_moves(self) -> int:
        return 3 if self.size == 7 else 0

    def init(self) -> GoState:
        if self.size == 7:
            return super().init()
        black = self.grid.constant_of(parse_gtp_point(name, 9) for name in ("C7", "G7", "C3", "G3"))
        stones = np.array([black, np.zeros_like(black)], np.uint32)
        return self._judged_anew(self._placed(stones, self._first_meta()._replace(side=1)))

    def _decide(
        self, black: jax.Array, white: jax.Array, meta: Meta, task: Task | None, placed: jax.Array
    ) -> jax.Array:
        asked = jnp.where(placed[None], white, np.uint32(0))
        lives = self.grid.any(alive(self.grid, asked, black))
        at_end = (
            jnp.where(self.grid.any(white), Outcome.SECOND_WINS, Outcome.FIRST_WINS)
            if self.passes == "stones"
            else Outcome.FIRST_WINS
        )
        ended = jnp.where(meta.passes == 2, at_end, Outcome.ONGOING)
        return jnp.where(lives, Outcome.SECOND_WINS, ended).astype(jnp.int32)

    def legal_outside_eyes(self, state: GoState) -> jax.Array:
        return dataclasses.replace(self, fill_eyes=False).legal_mask(state)

    def _restrict(
        self,
        legal: jax.Array,
        own: jax.Array,
        enemy: jax.Array,
        atari: jax.Array,
        meta: Meta,
        task: Task | None,
    ) -> jax.Array:
        return legal if self.fill_eyes else legal & ~true_eyes(self.grid, own, enemy)
