"""Steps of proofs by zones in Slither, on a board so small that every position is solved."""

from __future__ import annotations

import functools
import random
from collections.abc import Callable, Iterator
from typing import NamedTuple

import numpy as np

from jaxsolve.proof.check.audit.slither_sampling import SlitherSampler
from jaxsolve.proof.check.errors import Refused
from jaxsolve.proof.check.games.slither.rules import Slither
from jaxsolve.proof.check.games.slither.zones import SlitherZones
from jaxsolve.proof.check.grid import bits
from jaxsolve.proof.check.zones import Child


class Truth:
    """The winner of every position of ``slither-N``, by exhaustive search.

    A position is (Black's stones, White's, side, relocated).
    """

    def __init__(self, size: int):
        self.rules = rules = Slither(f"slither-{size}")
        self.grid, self.size = rules.grid, size
        self.cells = list(rules.grid.names)
        self.sets = [
            sum(cell for i, cell in enumerate(self.cells) if number >> i & 1)
            for number in range(1 << len(self.cells))
        ]
        self.keeps = {stones: not rules.odd_pairs(stones) for stones in self.sets}
        self.joins = [
            {stones: self._joins(stones, player) for stones in self.sets} for player in range(2)
        ]
        self.around = {
            cell: [other for other in bits(rules.steps(cell) & rules.grid.full)]
            for cell in self.cells
        }
        self.wins = functools.cache(self._wins)

    def _joins(self, stones: int, player: int) -> bool:
        start, end = self.rules.edges[player]
        return bool(self.grid.flood(start & stones, stones) & end)

    def placements(self, stones: int, empty: int) -> list[int]:
        return [cell for cell in bits(empty) if self.keeps[stones | cell]]

    def replies(
        self, stones: tuple[int, int], side: int, relocated: bool
    ) -> Iterator[tuple[int, int, int, bool]]:
        own, other = stones[side], stones[1 - side]
        empty, some = self.grid.full & ~(own | other), False

        def after(mine: int, player: int, going: bool) -> tuple[int, int, int, bool]:
            return (mine, other, player, going) if side == 0 else (other, mine, player, going)

        for cell in self.placements(own, empty):
            some = True
            yield after(own | cell, 1 - side, False)
        if relocated:
            return
        for source in bits(own):
            for target in self.around[source]:
                if target & empty and self.placements(
                    own ^ source | target, empty ^ target | source
                ):
                    some = True
                    yield after(own ^ source | target, side, True)
        if not some:
            yield after(own, 1 - side, False)

    def winner(self, black: int, white: int, side: int, relocated: bool) -> int | None:
        """The winner of a finished game, otherwise None."""
        for player, stones in enumerate((black, white)):
            if self.joins[player][stones] and not (relocated and side == player):
                return player
        return None

    def _wins(self, black: int, white: int, side: int, relocated: bool) -> int:
        """The player who wins."""
        winner = self.winner(black, white, side, relocated)
        if winner is not None:
            return winner
        found = (
            self.wins(*after) for after in self.replies((black, white), side, relocated)
        )  # none: a relocation that was not legal
        return side if any(player == side for player in found) else 1 - side

    @functools.cached_property
    def tables(self) -> dict[tuple[int, bool], np.ndarray]:
        """int64[n, 3] by side to move and ``relocated``.

        Black's stones, White's stones and the winner, of every position in which each side
        satisfies the diagonal rule as required. A side that has relocated a stone and has no legal
        placement has lost.
        """
        found: dict[tuple[int, bool], list] = {
            (side, relocated): [] for side in (0, 1) for relocated in (False, True)
        }
        for black in self.sets:
            for white in self.sets:
                if black & white:
                    continue
                for (side, relocated), rows in found.items():
                    own, other = (black, white) if side == 0 else (white, black)
                    if not self.keeps[other] or not (self.keeps[own] or relocated):
                        continue
                    rows.append((black, white, self.wins(black, white, side, relocated)))
        return {kind: np.array(rows, np.int64) for kind, rows in found.items()}

    def text(self, black: int, white: int, side: int, relocated: bool) -> str:
        board = "".join(
            "X" if black >> i & 1 else "O" if white >> i & 1 else "."
            for i in range(self.grid.length - 1, -1, -1)
        )
        rows = (board[row * (self.size + 1) :][: self.size] for row in range(self.size))
        return f"{'/'.join(rows)} {'bw'[side]}{' relocated' * relocated}"


class Step(NamedTuple):
    """A node that is claimed to be won by its zone, with the children that it names."""

    claimant: int
    text: str
    zone: int
    move: str  # of P; "" if Q is to move or the game is over
    children: tuple[tuple[str, Child], ...]


class World:
    """Steps whose children are sound.

    ``zones`` judges them; it may lack a condition.
    """

    def __init__(self, truth: Truth, zones: type[SlitherZones], rng: random.Random):
        self.truth, self.rules, self.rng = truth, truth.rules, rng
        self.honest, self.zones = SlitherZones(self.rules), zones(self.rules)
        self.sampler = SlitherSampler(self.rules)
        self.every = truth.grid.full | truth.grid.full << truth.grid.length

    def failure(self, claimant: int, text: str, zone: int) -> str | None:
        """A position that covers that of the text on the zone and is not won, or None."""
        position = self.rules.position(text)
        table = self.truth.tables[position.side, position.relocated]
        masks = self.honest.known(claimant, zone)[:: -1 if claimant else 1]
        same = np.all(
            [
                (table[:, player] ^ position.stones[player]) & masks[player] == 0
                for player in (0, 1)
            ],
            axis=0,
        )
        for black, white, _ in table[same & (table[:, 2] != claimant)].tolist():
            other = self.truth.text(black, white, position.side, position.relocated)
            if self.honest.covers(claimant, self.rules.position(other), position, zone):
                return other
        return None

    def shrunk(self, zone: int, holds, most: int = 1 << 30) -> int:
        """A smaller zone that still ``holds``: cells are removed one by one, in random order."""
        planes = list(bits(zone))
        self.rng.shuffle(planes)
        for bit in planes[:most]:
            if zone ^ bit and holds(zone ^ bit):
                zone ^= bit
        return zone

    def child(self, claimant: int, text: str) -> Child:
        """A sound node on a small zone.

        It may be of another position, which that of the text covers.
        """
        most = self.rng.choice((0, 4, 9, 99, 99, 99))
        zone = self.shrunk(
            self.every, lambda zone: self.failure(claimant, text, zone) is None, most
        )
        position = self.rules.position(text)
        drawn = self.sampler.draw(self.rng, claimant, position, zone)
        other = self.rules.position(drawn)
        if (
            self.rng.random() < 0.3
            and self.honest.covers(claimant, position, other, zone)
            and self.failure(claimant, drawn, zone) is None
        ):
            return Child(drawn, zone)
        return Child(text, zone)

    def accepts(self, step: Step, zone: int) -> bool:
        position = self.rules.position(step.text)
        try:
            if not step.children:
                self.zones.leaf(step.claimant, position, "connection", zone)
            elif step.move:
                self.zones.or_node(step.claimant, position, step.move, step.children[0][1], zone)
            else:
                self.zones.must_play(step.claimant, position, step.children, zone)
        except Refused:
            return False
        return True

    def steps(self, wanted: Callable[[Step], bool] = lambda step: True) -> Iterator[Step]:
        """Accepted steps on minimal zones.

        ``wanted`` selects them by their moves and positions.
        """
        while True:
            step = self._step(wanted)
            if step is not None and self.accepts(step, step.zone):
                yield step._replace(
                    zone=self.shrunk(step.zone, lambda zone, step=step: self.accepts(step, zone))
                )

    def _step(self, wanted: Callable[[Step], bool]) -> Step | None:
        kinds = [(0, False), (1, False), (0, True), (1, True)]
        side, relocated = self.rng.choice(kinds)
        table = self.truth.tables[side, relocated]
        black, white, winner = table[self.rng.randrange(len(table))].tolist()
        text, position = (
            self.truth.text(black, white, side, relocated),
            (black, white, side, relocated),
        )
        if relocated and not self.truth.placements(
            (black, white)[side], self.truth.grid.full & ~(black | white)
        ):
            return None
        if not wanted(Step(winner, text, self.every, "", ())):
            return None
        if self.truth.winner(*position) is not None:
            return (
                Step(winner, text, self.every, "", ())
                if self.truth.winner(*position) == winner
                else None
            )
        replies = self.rules.replies(self.rules.position(text))
        if side == winner:
            moves = [move for move, after in replies.items() if self._winner(after) == winner]
            move = self.rng.choice(moves)
            return Step(
                winner, text, self.every, move, ((move, self.child(winner, replies[move])),)
            )
        moves = list(replies)
        self.rng.shuffle(moves)
        step = Step(
            winner,
            text,
            self.every,
            "",
            tuple((move, self.child(winner, replies[move])) for move in moves),
        )
        for entry in step.children:
            fewer = step._replace(children=tuple(each for each in step.children if each != entry))
            if fewer.children and self.accepts(fewer, self.every):
                step = fewer
        return step

    def _winner(self, text: str) -> int:
        position = self.rules.position(text)
        return self.truth.wins(*position.stones, position.side, position.relocated)
