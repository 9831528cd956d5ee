"""Zones that the search grows (``games/go``) pass every test of the checker, an independent
implementation, on random positions and zones.
"""

from __future__ import annotations

import os
import random

import numpy as np
import pytest

from jaxsolve.games import make
from jaxsolve.games import zones as zoning
from jaxsolve.games.game import Outcome
from jaxsolve.proof.check.errors import Refused
from jaxsolve.proof.check.games.go.rules import Go
from jaxsolve.proof.check.games.go.view import View, Won
from jaxsolve.proof.check.games.go.zones import GoZones
from jaxsolve.proof.check.zones import Child

ROUNDS = 4000 if os.environ.get("JAXSOLVE_LONG") else 250
RULES = (
    "tsumego-4;ko=simple;goal=live;defender=white;crucial=any;region=all",
    "tsumego-5;ko=simple;goal=live;defender=black;crucial=any;region=all;fill_eyes=false",
    "tsumego-5;ko=simple;goal=kill;defender=white;crucial=B2,C3;region=all;ko_black=forbid",
    (
        "tsumego-6;ko=simple;goal=live;defender=white;crucial=any;region=A1,B1,C1,D1,A2,"
        "B2,C2,D2,A3,B3,C3,D3,A4,B4;ko_white=forbid;ko_black=forbid;fill_eyes=false"
    ),
    "killallgo-7;ko=simple;passes=not-achieved;fill_eyes=true",
    "tsumego-4;ko=simple;goal=kill;defender=white;crucial=B2,C3;region=all;ko_white=threats-2",
    "tsumego-4;ko=simple;goal=live;defender=white;crucial=any;region=all;ko_black=threats-1",
)


class Side:
    """One rule set in both implementations: the search's callbacks and the checker's tests."""

    def __init__(self, rules: str, seed: int):
        self.game = make(rules)
        self.rules = Go(self.game.rule_set)
        self.zones = GoZones(self.rules)
        self.zoning = self.game.zoning()
        self.random = random.Random(seed)
        self.size = self.game.size
        self.whole = 1 << self.size**2

    def position(self):
        """A random undecided position in which every chain has a liberty, with its state."""
        while True:
            density = self.random.uniform(0.3, 0.85)
            cells = [
                "".join(
                    self.random.choice("XO") if self.random.random() < density else "."
                    for _ in range(self.size)
                )
                for _ in range(self.size)
            ]
            text = f"{'/'.join(cells)} {self.random.choice('bw')}"
            if self.game.crucial_points:
                owner = "X" if self.game.defender == "black" else "O"
                there = [
                    p
                    for p in self.game.crucial_points
                    if cells[p // self.size][p % self.size] == owner
                ]
                if len(there) < len(self.game.crucial_points):
                    continue
            try:
                state = self.game.parse(text)
                position = self.rules.root(self.game.text(state))
            except (ValueError, Refused):
                continue
            return position, state

    def zone(self) -> int:
        """A random connected set of points."""
        n = self.size
        points = {self.random.randrange(n * n)}
        for _ in range(self.random.randrange(n * n)):
            row, column = divmod(self.random.choice(sorted(points)), n)
            row, column = (
                row + self.random.choice((-1, 0, 1)),
                column + self.random.choice((-1, 0, 1)),
            )
            if 0 <= row < n and 0 <= column < n:
                points.add(row * n + column)
        return sum(1 << point for point in points)

    def mask(self, zone: int) -> int:
        """A zone as the checker's mask."""
        return sum(
            self.rules.grid.bit_of[self.game.action_text(a)]
            for a in range(self.size**2)
            if zone >> a & 1
        )

    def call(self, which: int, state, action: int, zone: int) -> int:
        return zoning.result_zone(self.zoning, which, self.game.host_pack(state), action, zone)

    def after(self, state, action: int):
        return self.game.kernel.step(state, np.int32(action))

    def moves(self, state) -> list[int]:
        return np.flatnonzero(np.asarray(self.game.kernel.legal_mask(state))).tolist()


@pytest.fixture(params=RULES, scope="module")
def side(request) -> Side:
    return Side(request.param, seed=7)


@pytest.mark.short(2)
def test_a_won_position(side):
    tried = 0
    for _ in range(ROUNDS):
        position, state = side.position()
        moves = [a for a in side.moves(state) if a < side.size**2]
        if not moves:
            continue
        action, child = side.random.choice(moves), side.zone()
        text = side.game.text(side.after(state, action))
        zone = side.call(zoning.WON, state, action, child)
        assert zone & child == child and zone >> action & 1
        if not zone & side.whole:
            tried += 1
            side.zones.or_node(
                position.side,
                position,
                side.game.action_text(action),
                Child(text, side.mask(child)),
                side.mask(zone),
            )
    assert tried > ROUNDS // 4


def test_a_lost_position(side):
    tried = 0
    for _ in range(ROUNDS):
        position, state = side.position()
        if not side.moves(state):
            continue
        zone = side.zone()
        grown = side.call(zoning.LOST, state, -1, zone)
        assert grown & zone == zone
        if grown & side.whole:
            continue
        tried += 1
        mask, claimant = side.mask(grown), 1 - position.side
        view, moves, zones = (
            View(side.rules, claimant, position, mask),
            side.rules.moves(position),
            side.zones,
        )
        assert zones.stones_stay(view, mask)
        for bit, captured in moves.taking.items():
            assert zones.no_other_ko(view, bit, captured, mask), (
                side.game.text(state),
                side.rules.grid.names[bit],
            )
        for action in range(side.size**2):
            bit = side.mask(1 << action)
            if bit & view.empty & side.rules.options.region & ~position.ko and not bit & (
                moves.quiet | sum(moves.taking)
            ):
                assert zones.stays_illegal(view, bit, claimant, []), (
                    side.game.text(state),
                    side.game.action_text(action),
                )
    assert tried > ROUNDS // 4


@pytest.mark.short(2)
def test_what_a_refutation_leaves(side):
    closed = 0
    for _ in range(ROUNDS):
        position, state = side.position()
        if not side.moves(state):
            continue
        action, zone = side.random.choice(side.moves(state)), side.zone()
        left = side.call(zoning.UNANSWERED, state, action, zone)
        won = side.rules.position(side.game.text(side.after(state, action)))
        moves, name = side.rules.moves(position), side.game.action_text(action)
        unanswered = side.zones.unanswered(
            1 - position.side, position, moves, {name: Won(won, side.mask(zone))}
        )
        named = {side.game.action_text(a) for a in side.moves(state) if left >> a & 1}
        assert set(unanswered) - {name} <= named
        closed += len(side.moves(state)) - len(named)
    assert closed > ROUNDS


@pytest.mark.short(3)
def test_a_finished_game(side):
    alive = 0
    for _ in range(8 * ROUNDS):
        position, state = side.position()
        outcome = int(side.game.kernel.outcome(state))
        if outcome == Outcome.ONGOING:
            continue
        zone = side.call(zoning.LEAF, state, -1, 0)
        if zone & side.whole:
            continue
        alive += 1
        reason = side.game.leaf_reason(state, outcome)
        side.zones.leaf(outcome - 1, position, reason, side.mask(zone))
    assert alive > 5
