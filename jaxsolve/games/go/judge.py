"""The outcome of a position that was set up, for the text reader."""

from __future__ import annotations

from typing import TYPE_CHECKING

from jaxsolve.core import lazy_import
from jaxsolve.games.go import superko
from jaxsolve.games.go.state import (
    GoState,
    read_meta,
)

if TYPE_CHECKING:
    from jaxsolve.games.go.game import GoRules


@lazy_import.jit(static_argnums=0)
def judge(game: GoRules, state: GoState) -> GoState:
    """Returns the state with outcome and history key computed, by jitted ``_judged_anew``."""
    if state.history is not None:
        state = state._replace(
            history_key=superko.history_key(state.history, read_meta(state.meta).boards)
        )
    return state._replace(meta=game._judge_board(state.stones, state.meta, state.task))
