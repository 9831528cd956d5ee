"""Random positions of Go that may cover a given position (for ``audit.replay``)."""

from __future__ import annotations

import random

from jaxsolve.proof.check.audit.sampling import Sampler
from jaxsolve.proof.check.games.go.rules import Go
from jaxsolve.proof.check.games.go.text import GoPosition
from jaxsolve.proof.check.grid import STONES, bits

_SHARES = (0.0, 0.1, 0.4, 1.0)
"""Share of the points outside the zone with new random contents; one of these is drawn.

With 0, only ko, passes and crucial points change. With a small share, most of the position remains.
"""


class GoSampler(Sampler):
    """Draws positions with the given stones on the zone and random stones outside the zone.

    Stones outside the zone are removed to give each chain a liberty. This can fail.
    """

    def __init__(self, rules: Go):
        self.rules = rules

    def point(self, move: str) -> int:
        return self.rules.grid.bit_of.get(move, 0)

    def draw(self, rng: random.Random, claimant: int, position: GoPosition, zone: int) -> str:
        rules = self.rules
        stones = _stones(rules, rng, position, zone)
        _breathe(rules, rng, stones, zone)
        crucial = _crucial(rules, rng, position, stones, zone)
        found = GoPosition(
            _board(rules, stones), position.side, (stones[0], stones[1]), 0, 0, None, crucial, ""
        )
        found = found._replace(threats=_threats(rules, rng, claimant, position))
        found = found._replace(ko=_ko(rules, rng, claimant, position, found, zone))
        if position.side == claimant and not found.ko:
            found = found._replace(passes=rng.randrange(2))
        return rules.text.settled(found)


def _stones(rules: Go, rng: random.Random, position: GoPosition, zone: int) -> list[int]:
    """Draws the stones outside the zone, and returns masks of all stones by player.

    Chains of the result may lack liberties.
    """
    stones, share = list(position.stones), rng.choice(_SHARES)
    weights = [rng.random() + 0.1 for _ in range(3)]
    for bit in bits(rules.grid.full & ~zone):
        if rng.random() < share:
            for player, colour in enumerate(rng.choices(((0, 0), (1, 0), (0, 1)), weights)[0]):
                stones[player] = stones[player] | bit if colour else stones[player] & ~bit
    return stones


def _breathe(rules: Go, rng: random.Random, stones: list[int], zone: int) -> None:
    """Removes stones outside the zone until every chain has a liberty, or no candidate is left.

    A candidate is a stone that belongs to a chain without liberties or lies beside such a chain.
    """
    grid = rules.grid
    while True:
        empty = grid.full & ~(stones[0] | stones[1])
        stuck = [own & ~grid.flood(own & grid.near(empty), own) for own in stones]
        chain = next(grid.components(stuck[0] or stuck[1]), 0)
        removable = chain & ~zone or grid.near(chain) & grid.full & ~zone
        if not removable:
            return
        bit = rng.choice(list(bits(removable)))
        stones[:] = (own & ~bit for own in stones)


def _board(rules: Go, stones: list[int]) -> str:
    grid = rules.grid
    board = "/".join(["." * grid.size] * grid.size)
    for player, own in enumerate(stones):
        for bit in bits(own):
            board = grid.put(board, bit, STONES[player])
    return board


def _threats(rules: Go, rng: random.Random, claimant: int, position: GoPosition) -> int:
    """Draws a number of ko threats: no fewer for the claimant than in ``position``, or no more."""
    if rules.options.threatening is None:
        return 0
    if rules.options.threatening == claimant:
        return rng.randint(position.threats, rules.options.threats)
    return rng.randint(0, position.threats)


def _ko(
    rules: Go, rng: random.Random, claimant: int, position: GoPosition, found: GoPosition, zone: int
) -> int:
    """Draws the ko point of the new position ``found``: that of ``position``, another point, or 0.

    The ko of ``position`` is always kept if it lies in the zone, forbids a move of the opponent,
    and is empty in ``found``, because a covering position must have this ko.
    """
    empty = rules.empty(found)
    if position.ko & empty and (
        (position.ko & zone and position.side != claimant) or rng.random() < 0.5
    ):
        return position.ko
    points = [bit for bit in bits(empty) if rules.ko_taken(found._replace(ko=bit), empty)]
    return rng.choice(points) if points and rng.random() < 0.5 else 0


def _crucial(
    rules: Go, rng: random.Random, position: GoPosition, stones: list[int], zone: int
) -> int:
    """Draws the crucial points of a new position with the masks ``stones``.

    The result has the crucial points of ``position`` in the zone. Of its other crucial points it
    has a random part of those with a stone of the defender.
    """
    others = (rules.options.crucial or 0) & ~zone & stones[rules.options.living or 0]
    return position.crucial & zone | sum(bit for bit in bits(others) if rng.random() < 0.8)
