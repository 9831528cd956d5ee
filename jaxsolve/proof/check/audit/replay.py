"""Replay: plays random defences against the strategy of an accepted certificate.

The checker accepts a zone if the conditions of FORMAT.md hold. A replay uses only the rules, and
tests whether the strategy wins. Games start from the claim's position, and from positions that
cover a random node but have other stones outside its zone. If a zone is too small, a game can reach
an illegal move, a reply without an answer, or a wrong result. The certificate is then refused.
"""

from __future__ import annotations

import dataclasses
import random
from collections.abc import Callable, Collection

from jaxsolve.proof.check.audit.certificate import Certificate
from jaxsolve.proof.check.audit.sampling import sampler_of
from jaxsolve.proof.check.audit.strategy import Place, Strategy
from jaxsolve.proof.check.errors import Refused, show

_TRIES = 200
"""Most random positions that are drawn to find a start for one game."""
_KINDS = ("pass", "listed", "inside", "outside", "opened")
"""Kinds of replies.

* ``pass``: a pass.
* ``listed``: a move that the node lists.
* ``inside``: another move at a point of the node's zone, legal in the node's position.
* ``outside``: another move at a point outside the zone.
* ``opened``: a move at a point of the zone that is not legal in the node's position.
"""
_SHOWN = 4000
"""Most characters of a line of play in a message."""


@dataclasses.dataclass(frozen=True)
class Replayed:
    """The result of a replay."""

    root_games: int  # games played from the claim's position
    node_games: int  # games played from positions that cover a node
    longest: int  # moves of the longest game
    seed: int
    reason: str = ""  # why a game did not end as claimed; "" if all games did

    @property
    def sentence(self) -> str:
        """The result as one sentence."""
        if self.reason:
            return f"refused: {self.reason}."
        nodes = (
            f" and {self.node_games} from other positions that cover a node"
            if self.node_games
            else ""
        )
        return (
            f"replayed: {self.root_games} games from the root{nodes}, all as claimed,"
            f" the longest of {self.longest} moves (seed {self.seed})."
        )


def replay(proof: Certificate, games: int, seed: int = 0) -> Replayed:
    """Plays ``games`` random defences from the root, and the same number from covering positions.

    A covering position is one that covers a random node. The replay ends at the first game that
    does not end as claimed (``Replayed.reason``). Raises NotFollowed if the proof has a field that
    the strategy cannot follow. For other accepted certificates of built-in games no exception is
    raised.
    """
    return _Games(proof, seed).all(games)


class _Games:
    def __init__(self, proof: Certificate, seed: int):
        self.proof, self.seed, self.rng = proof, seed, random.Random(seed)
        self.rules = proof.rules
        self.sampler = sampler_of(proof.rules)
        self.strategy = Strategy(proof, self.rng)
        self.zoned = list(proof.zones)
        self.longest = 0

    def all(self, games: int) -> Replayed:
        from_root = from_nodes = 0
        for number in range(2 * games):
            start = self.strategy.start() if number < games else self._elsewhere()
            if start is None:
                continue
            from_root, from_nodes = from_root + (number < games), from_nodes + (number >= games)
            reason = self._game(start, self.proof.root if number < games else start.text)
            if reason:
                where = (
                    ""
                    if number < games
                    else f" from the position {show(start.text, 500)}, which covers a node,"
                )
                reason = (
                    f"game {number + 1} of the replay with seed {self.seed}{where} fails {reason}"
                )
                return Replayed(from_root, from_nodes, self.longest, self.seed, reason)
        return Replayed(from_root, from_nodes, self.longest, self.seed)

    def _elsewhere(self) -> Place | None:
        """Draws a position that covers a random node. Returns None if none is found."""
        zones = self.rules.zones or self.rules.written
        if zones is None or not self.zoned:
            return None
        for _ in range(_TRIES):
            node = self.rng.choice(self.zoned)
            position = self.strategy.position(self.proof.texts[node])
            text = self.sampler.draw(
                self.rng, self.proof.claimant, position, self.proof.zones[node]
            )
            if text is not None and self._can_be(text) and self.strategy.covers(text, node):
                return self.strategy.enter(text, node)
        return None

    def _can_be(self, text: str) -> bool:
        try:
            for rules in (self.rules, self.strategy.played or self.rules):
                rules.root(text)
        except Refused:
            return False
        return True

    def _game(self, place: Place, text: str) -> str:
        """Plays one game from ``place``; ``text`` is the position under the claim's rules.

        Returns "" if the game ends as claimed, otherwise a description of the failure.
        """
        moves: list[str] = []
        strategy, rules = self.strategy, self.rules
        # After the last node, every move fills a cell, which is one character of the text.
        most = self.proof.heights.get(place.node, 0) + rules.longest
        taste = {kind: self.rng.random() ** 2 + 0.02 for kind in _KINDS}
        try:
            while strategy.over(place, text) is None:
                if len(moves) > most:
                    raise Refused("the game is longer than the proof's height allows")
                position = strategy.position(place.text)
                if rules.side(position) == self.proof.claimant:
                    move, place = strategy.move(place)
                    moves.append(move)
                    text = strategy.after(text, move, place)
                else:
                    replies = strategy.replies(place, text)
                    moves.append(self._reply(place, list(replies), taste))
                    known, text = replies[moves[-1]]
                    place = strategy.follow(place, moves[-1], known)
        except Refused as error:
            line = " ".join(moves)
            return (
                f"after {line if len(line) <= _SHOWN else '... ' + line[-_SHOWN:]}: {error}"
                if moves
                else f"at once: {error}"
            )
        finally:
            self.longest = max(self.longest, len(moves))
        return ""

    def _reply(self, place: Place, replies: list[str], taste: dict[str, float]) -> str:
        """Draws one of ``replies``: first a kind, with the weights ``taste``, then a move of it."""
        kinds: dict[str, list[str]] = {}
        kind_of = self._kind_of(place)
        for move in replies:
            kinds.setdefault(kind_of(move), []).append(move)
        (kind,) = self.rng.choices(list(kinds), [taste[kind] for kind in kinds])
        return self.rng.choice(kinds[kind])

    def _kind_of(self, place: Place) -> Callable[[str], str]:
        """Returns a function from a reply at ``place`` to its kind, one of ``_KINDS``."""
        zones, zone, listed = (
            self.rules.zones or self.rules.written,
            self.proof.zones.get(place.node, 0),
            self.strategy.listed(place),
        )
        own: Collection[str] | None = None  # the legal replies in the position of the node itself
        if zone and place.text != self.proof.texts[place.node]:
            own = self.rules.replies(self.strategy.position(self.proof.texts[place.node]))

        def kind(move: str) -> str:
            if move == "pass" or move in listed:
                return "pass" if move == "pass" else "listed"
            if zones is None or not self.sampler.point(move) & zone:
                return "outside"
            return "inside" if own is None or move in own else "opened"

        return kind
