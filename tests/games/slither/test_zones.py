"""Bounds of Slither zones (``inside`` in ``zone_replies.py``) suffice for the checker, an
independent implementation.
"""

from __future__ import annotations

import random
from collections import Counter

import pytest

from jaxsolve.games import make
from jaxsolve.games import zones as zoning
from jaxsolve.proof.check.errors import Refused
from jaxsolve.proof.check.games.slither.zones import SlitherZones
from jaxsolve.proof.check.zones import Child
from support.proofs.slither_zone_steps import Truth
from support.search import LONG

CELLS = 9
STONES = (1 << 2 * CELLS) - 1
"""Zone planes that a certificate contains: cells where Black's stones are known, and White's."""


class Turns:
    """Positions of 3x3 in which Q has a move and loses by every move."""

    def __init__(self, rng: random.Random):
        self.rng, self.truth, self.game = rng, Truth(3), make("slither-3")
        self.zones, self.zoning = SlitherZones(self.truth.rules), self.game.zoning()
        self.whole = 1 << self.game.num_actions - 1

    def draw(self) -> str:
        while True:
            side, relocated = self.rng.randrange(2), self.rng.random() < 0.3
            table = self.truth.tables[side, relocated]
            black, white, winner = table[self.rng.randrange(len(table))].tolist()
            text = self.truth.text(black, white, side, relocated)
            if (
                winner != side
                and self.truth.winner(black, white, side, relocated) is None
                and self._is_reached(text)
            ):
                return text

    def _is_reached(self, text: str) -> bool:
        try:
            self.truth.rules.root(text)
        except ValueError:
            return False
        return True

    def zone(self, room: int = STONES) -> int:
        """Random cells of both planes within ``room``, at least one: as grown from a position or
        adopted from another.
        """
        while True:
            share = self.rng.random()
            zone = sum(
                1 << at for at in range(2 * CELLS) if room >> at & 1 and self.rng.random() < share
            )
            if zone:
                return zone

    def mask(self, zone: int) -> int:
        """A zone as the checker's mask."""
        grid = self.truth.grid
        cells = [grid.bit_of[self.game.action_text(cell)] for cell in range(CELLS)]
        return sum(
            cells[at % CELLS] << at // CELLS * grid.length
            for at in range(2 * CELLS)
            if zone >> at & 1
        )

    def ask(self, which: int, text: str, action: int, zone: int) -> int:
        return zoning.result_zone(
            self.zoning, which, self.game.host_pack(self.game.read(text)), action, zone
        )

    def replies(self, text: str, room: int) -> list[tuple[str, Child]]:
        """Moves in random order, each refuted on a zone in ``room``, until no move is
        unanswered.
        """
        legal = {
            self.game.parse_action(move): (move, after)
            for move, after in self.truth.rules.replies(self.truth.rules.position(text)).items()
        }
        left, found = sum(1 << action for action in legal), []
        while left:
            action = self.rng.choice([action for action in legal if left >> action & 1])
            move, after = legal[action]
            zone = self.zone(room)
            found.append((move, Child(after, self.mask(zone))))
            left &= self.ask(zoning.UNANSWERED, text, action, zone) & ~(1 << action)
        return found

    def accepts(self, text: str, replies: list[tuple[str, Child]], zone: int) -> bool:
        """Whether the checker accepts a node that Q loses by those replies on a zone, or without
        replies on the whole position.
        """
        position = self.truth.rules.position(text)
        try:
            self.zones.must_play(1 - position.side, position, replies, zone)
        except Refused:
            return False
        return True


@pytest.fixture(scope="module")
def turns() -> Turns:
    return Turns(random.Random(11))


def test_replies_within_the_bound_prove_a_node(turns):
    """For every choice of reply zones within the bound. Zones that only lie in the node's zone do
    not always suffice.
    """
    seen, smaller = Counter(), 0
    for _ in range(20_000 if LONG else 1_500):
        text = turns.draw()
        union = turns.zone()
        zone = turns.ask(zoning.LOST, text, -1, union)
        room = turns.ask(zoning.INSIDE, text, -1, zone)
        if zone & turns.whole:
            seen["whole"] += 1
            assert room & STONES == STONES and turns.accepts(
                text, turns.replies(text, STONES), 0
            ), text
            continue
        seen["relocated" if "relocated" in text else "whole turn"] += 1
        assert not union & ~room and not room & STONES & ~zone and not room & turns.whole, (
            text,
            union,
        )
        smaller += room & STONES != zone & STONES
        for _ in range(3):
            replies = turns.replies(text, room)
            assert turns.accepts(text, replies, turns.mask(zone)), (text, union, replies)
        seen["outside", turns.accepts(text, turns.replies(text, zone), turns.mask(zone))] += 1
    assert (
        min(seen["whole"], seen["relocated"], seen["whole turn"]) > 50
        and smaller > 200
        and seen["outside", False] > 10
    ), (seen, smaller)


def test_below_the_whole_position_nothing_is_limited(turns):
    everything = (1 << 32 * turns.zoning.buffers.shape[1]) - 1
    for text in (turns.draw() for _ in range(20)):
        assert turns.ask(zoning.INSIDE, text, -1, turns.whole | turns.zone()) == everything
