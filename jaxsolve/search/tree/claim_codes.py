"""``ClaimCodes``: a claim encoded for compiled code."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from jaxsolve.evaluate.layout import Layout
from jaxsolve.games.game import Game, HasForcedReply, InitialisesNumbers
from jaxsolve.jit.host import inner
from jaxsolve.question import Claim
from jaxsolve.search.tree.tree import INF, TAINTED


class ClaimCodes(NamedTuple):
    """A claim (``jaxsolve.question.Claim``) and facts of its game, encoded for compiled code."""

    or_player: int  # the player who is claimed to win, or not to lose
    verdicts: np.ndarray  # int8[5] by ``Outcome``: 1 proved, -1 disproved, 0 neither (a length cap)
    may_repeat: bool  # whether positions can repeat within a game
    # Whether the numbers of a new child become those of its unvisited siblings
    # (``pns.walk.adopt_sibling_numbers``). They do if moves can force the reply and the game's
    # initial numbers only count moves. They also do if rows list the best moves.
    adopts: bool


def claim_codes(game: Game, claim: Claim, layout: Layout) -> ClaimCodes:
    """Encodes ``claim`` about a position of ``game``. ``layout`` describes the evaluator's rows."""
    verdicts = np.array(
        [0, *(1 if claim.holds(outcome) else -1 for outcome in (1, 2, 3)), 0], np.int8
    )
    return ClaimCodes(
        claim.player,
        verdicts,
        game.may_repeat,
        # A network orders the moves anew, and may set their numbers.
        layout.ranks_alone
        or (isinstance(game, HasForcedReply) and not isinstance(game, InitialisesNumbers)),
    )


@inner
def numbers_of(outcome, claim: ClaimCodes):
    """Returns (proof number, disproof number) of a position with the ``Outcome`` ``outcome``."""
    verdict = claim.verdicts[outcome]
    if verdict > 0:
        return np.int64(0), np.int64(INF)
    return np.int64(INF if verdict < 0 else TAINTED), np.int64(0)
