"""Random positions of Go that agree with a given one on a zone: what a replay starts from. Nothing that the checker accepts rests on this."""

from __future__ import annotations

from typing import TYPE_CHECKING

from jaxsolve.proof.check.games.go.text import GoPosition
from jaxsolve.proof.check.grid import STONES, bits

if TYPE_CHECKING:
    import random

    from jaxsolve.proof.check.games.go.rules import Go

_SHARES = (0.0, 0.1, 0.4, 1.0)
"""How many of the points outside the zone are drawn anew: none (only ko, passes and crucial points), few (shapes like the node's own), or all."""


def drawn(rules: Go, rng: random.Random, claimant: int, position: GoPosition, zone: int) -> str:
    """Text of a position with the stones of ``position`` on ``zone`` and random ones elsewhere.

    Every chain gets a liberty if taking stones off outside the zone can give it one. Whether play can lead there, and whether it covers
    ``position``, is for the caller to test.
    """
    stones = _stones(rules, rng, position, zone)
    _breathe(rules, rng, stones, zone)
    crucial = _crucial(rules, rng, position, stones, zone)
    found = GoPosition(
        _board(rules, stones), position.side, (stones[0], stones[1]), 0, 0, None, crucial, ""
    )
    found = found._replace(ko=_ko(rules, rng, claimant, position, found, zone))
    if position.side == claimant and not found.ko:
        found = found._replace(passes=rng.randrange(2))
    return rules.text.settled(found)


def _stones(rules: Go, rng: random.Random, position: GoPosition, zone: int) -> list[int]:
    """Masks by player, chains without liberty among them."""
    stones, share = list(position.stones), rng.choice(_SHARES)
    weights = [rng.random() + 0.1 for _ in range(3)]
    for bit in bits(rules.grid.full & ~zone):
        if rng.random() < share:
            for player, colour in enumerate(rng.choices(((0, 0), (1, 0), (0, 1)), weights)[0]):
                stones[player] = stones[player] | bit if colour else stones[player] & ~bit
    return stones


def _breathe(rules: Go, rng: random.Random, stones: list[int], zone: int) -> None:
    """Takes stones off outside the zone, of a chain without liberty or else beside it, until no chain lacks one or none such is left."""
    grid = rules.grid
    while True:
        empty = grid.full & ~(stones[0] | stones[1])
        stuck = [own & ~grid.flood(own & grid.near(empty), own) for own in stones]
        chain = next(grid.components(stuck[0] or stuck[1]), 0)
        loose = chain & ~zone or grid.near(chain) & grid.full & ~zone
        if not loose:
            return
        bit = rng.choice(list(bits(loose)))
        stones[:] = (own & ~bit for own in stones)


def _board(rules: Go, stones: list[int]) -> str:
    grid = rules.grid
    board = "/".join(["." * grid.size] * grid.size)
    for player, own in enumerate(stones):
        for bit in bits(own):
            board = grid.put(board, bit, STONES[player])
    return board


def _ko(
    rules: Go, rng: random.Random, claimant: int, position: GoPosition, found: GoPosition, zone: int
) -> int:
    """The ko of ``position``, always where the zone forbids it to the opponent; or another point of ``found`` that can be one, or none."""
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
    """The zone's crucial points as in ``position``; of the others some that hold a stone of the defender."""
    others = (rules.options.crucial or 0) & ~zone & stones[rules.options.living or 0]
    return position.crucial & zone | sum(bit for bit in bits(others) if rng.random() < 0.8)
