"""``pnmcts``: MCTS-solver with proof-number ranks (PN-MCTS, Doe et al. 2022, Kowalski et al. 2024).

Once every move of a node has been tried, the UCT score gets a third term, C_pn (1 - rank / highest
rank). The move with the smallest proof number has rank 1 (``mcts.ranks``). The program of the paper
divides by the number of moves instead (``by_children``). In all other respects the method equals
``mcts``. Proof numbers are those of the claim: in games with draws, the claims "wins" and "does not
lose" rank moves differently.

By default no random games are played, because they cost more time than their guidance saves. (Of 50
late positions of Lines of Action, 4 CPU seconds each, 14 were solved with them and 35 without.)
Without random games, a network or a plan, only exploration and ranks distinguish moves.

No descent takes a decided move; the program of the papers takes it a few times (solver threshold of
5 visits). Among moves with equal scores the first in the list is selected, so that the search is
deterministic; the papers select one at random.
"""

from __future__ import annotations

import dataclasses
from dataclasses import dataclass

from jaxsolve.search.methods.mcts.method import MonteCarlo
from jaxsolve.search.methods.mcts.ranks import WORDS
from jaxsolve.search.methods.mcts.virtual_wins import Exploring


@dataclass(frozen=True)
class PnMonteCarlo(MonteCarlo):
    """MCTS-solver with the rank term of PN-MCTS in its UCT score.

    Raises ValueError for a ``by_rank`` that is not above 0; use ``MonteCarlo`` instead.
    """

    playouts: int = dataclasses.field(default=0, kw_only=True)
    # Weight of the rank term (C_pn of PN-MCTS).
    by_rank: float = dataclasses.field(default=1.0, kw_only=True)
    # Divide ranks by the number of moves, as the program of the paper does.
    by_children: bool = dataclasses.field(default=False, kw_only=True)

    def __post_init__(self) -> None:
        if isinstance(self.by_rank, float | int) and not 0.0 < self.by_rank < float("inf"):
            raise ValueError(
                f"by_rank={self.by_rank!r}: give a number above 0; "
                "without ranks the method is MonteCarlo"
            )
        super().__post_init__()

    @property
    def extra_words(self) -> int:
        return WORDS

    @property
    def _exploring(self) -> Exploring:
        return super()._exploring._replace(
            ranked=True, by_rank=float(self.by_rank), by_children=self.by_children
        )
