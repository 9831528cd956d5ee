"""``pnmcts``: MCTS-solver whose moves are also ranked by proof numbers (PN-MCTS; Doe et al. 2022, Kowalski et al. 2024).

Once every move of a node has been tried, UCT has a third term, C_pn (1 - rank / highest rank): the move that looks easiest by proof numbers has rank
1 (``search.ranks``). The program of the paper divides by the number of moves instead (``by_children``). Everything else is ``mcts``. Numbers
are those of the claim that is searched: in games with draws, a search for a win and one for "does not lose" rank moves differently.

No random games are played unless ``playouts`` says so: at a position each they cost more than they guide (of 50 late positions of Lines of Action,
4 CPU seconds each, 14 were solved with them and 35 without). Then nothing but exploration and ranks tells moves apart, until a network or plan does.

A decided move is never walked again here, where the program of the papers goes back to it a few times (its solver threshold of 5 visits).
Of moves that score alike the first on the list is walked, where the papers draw one at random: the same search grows the same tree.
"""

from __future__ import annotations

import dataclasses
from dataclasses import dataclass

from jaxsolve.search.methods.mcts.method import MonteCarlo
from jaxsolve.search.methods.mcts.ranks import WORDS
from jaxsolve.search.methods.mcts.selection import Exploring


@dataclass(frozen=True)
class PnMonteCarlo(MonteCarlo):
    """MCTS-solver with the UCT-PN term.

    Raises ValueError for a weight that is not above 0: that is ``MonteCarlo``.
    """

    playouts: int = dataclasses.field(default=0, kw_only=True)
    by_rank: float = dataclasses.field(default=1.0, kw_only=True)  # C_pn
    by_children: bool = dataclasses.field(
        default=False, kw_only=True
    )  # divide ranks by the number of moves, as the program of the paper does

    def __post_init__(self) -> None:
        if isinstance(self.by_rank, float | int) and not 0.0 < self.by_rank < float("inf"):
            raise ValueError(
                f"by_rank={self.by_rank!r}: give a number above 0; without ranks the method is MonteCarlo"
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
