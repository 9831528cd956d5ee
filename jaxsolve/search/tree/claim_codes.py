"""``ClaimCodes``: a claim as compiled code reads it."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from jaxsolve.games.game import Game, HasForcedReply, InitialisesNumbers
from jaxsolve.jit.host import inner
from jaxsolve.question import Claim
from jaxsolve.search.tree.tree import INF, TAINTED


class ClaimCodes(NamedTuple):
    """A claim as compiled code reads it."""

    or_player: int
    verdicts: np.ndarray  # int8[5] by Outcome: 1 proved, -1 disproved, 0 neither (a length cap)
    may_repeat: bool
    forces: bool  # moves can force the reply, and initial numbers only count moves


def claim_codes(game: Game, claim: Claim) -> ClaimCodes:
    """The codes of ``claim``."""
    verdicts = np.array(
        [0, *(1 if claim.holds(outcome) else -1 for outcome in (1, 2, 3)), 0], np.int8
    )
    return ClaimCodes(
        claim.player,
        verdicts,
        game.may_repeat,
        isinstance(game, HasForcedReply) and not isinstance(game, InitialisesNumbers),
    )


@inner
def numbers_of(outcome, claim: ClaimCodes):
    """(proof number, disproof number) of a position with this outcome."""
    verdict = claim.verdicts[outcome]
    if verdict > 0:
        return np.int64(0), np.int64(INF)
    return np.int64(INF if verdict < 0 else TAINTED), np.int64(0)
