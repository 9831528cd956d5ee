"""Log odds that a player wins a Gomoku position by threats: a callback of ``games.threats``.

The log odds are a linear function of the numbers of open windows with 1, 2, 3 and 4 missing stones.
A window is open to a player if it has no stone of the opponent. The weights are from a logistic
regression on 37,000 positions that were decided by threats alone, in searches of 17 problems of the
proof-cost-network (PCN) paper. In leave-one-problem-out validation the area under the ROC curve is
0.94 to 1.00 (for problems with at least 20 won and 20 lost positions).

The log odds are used only to initialise proof numbers. They affect the time of a search, but not
its result.
"""

from __future__ import annotations

import numpy as np

from jaxsolve.games.gomoku.windows import LINE, WINDOWS, WORDS, board_of, seen_by, set_up
from jaxsolve.jit.host import compiled, inner

WEIGHED = 4  # windows with more missing stones have weight 0


@inner
def _weight(moves, own, lacking):
    """Returns the weight of one open window, in thousandths.

    Args:
      moves: whether the player is to move.
      own: whether the window is open to the player; otherwise it is open to the opponent.
      lacking: the number of missing stones.
    """
    if moves:
        if own:
            return 0 if lacking == 1 else 1502 if lacking == 2 else 361 if lacking == 3 else 47
        return -2392 if lacking == 1 else -1069 if lacking == 2 else -71 if lacking == 3 else 6
    if own:
        return 3730 if lacking == 1 else 1354 if lacking == 2 else 374 if lacking == 3 else 18
    return 0 if lacking == 1 else -345 if lacking == 2 else -64 if lacking == 3 else 17


@compiled
def log_odds(state, facts, scratch, player):
    """Returns the log odds, in thousandths, that ``player`` wins an undecided position."""
    board = board_of(facts, scratch)
    buffers = board.buffers
    set_up(state, board)
    moves = np.int64(state[2 * facts[WORDS]] & np.uint32(1)) == player
    total = np.int64(-5536 if moves else -9201)
    for window in range(facts[WINDOWS]):
        for side in range(2):
            count = seen_by(buffers.counts[window], np.int64(side))
            lacking = facts[LINE] - count
            if count > 0 and 0 < lacking <= WEIGHED:
                total += _weight(moves, side == player, lacking)
    return total
