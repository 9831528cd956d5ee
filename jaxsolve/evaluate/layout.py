"""The layout of an evaluator row: the offset of each field."""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

from jaxsolve.games import row_words

NONE = -1
"""The offset of a field that rows do not have."""


class Offsets(NamedTuple):
    """The offsets of a ``Layout`` as plain ints, for compiled host loops.

    The first three fields and ``width`` are sizes. Every other field is the index of a word of the
    row, or ``NONE`` if rows do not have the field. ``Layout`` describes the fields.
    """

    state: int  # S, number of words of the packed state, with which a row begins
    mask: int  # M, number of words of an action bit set
    actions: int  # A, number of actions
    key: int
    info: int
    threat: int
    first: int
    legal: int  # bit set of M words
    wins: int  # bit set of M words
    forcing: int  # bit set of M words
    best: int  # list of moves in M words; NONE if rows do not list the best moves
    zone: int  # bit set of M words; NONE if the game detects no wins
    value: int  # NONE if rows hold no values
    costs: int  # two words; NONE if the network predicts no costs
    priors: int  # ceil(A / 2) words; NONE if rows hold no priors
    width: int  # number of words in a row


@dataclass(frozen=True)
class Layout:
    """The layout of an evaluator row: ``width`` uint32 words for one position.

    A row begins with the packed position. The other fields follow; for each of them a property
    gives its offset.
    """

    state: int  # S, number of words of the packed state
    actions: int  # A, number of actions
    prior: bool  # whether rows hold priors
    value: bool  # whether rows hold a value
    # Whether the game detects wins before the end, with their zones
    # (``games.abilities.DetectsWins``).
    zoned: bool = False
    costly: bool = False  # whether rows hold costs
    # Whether rows list the best moves (``games.abilities.ShowsKnowledge``); only if ``zoned``.
    ranked: bool = False

    @property
    def mask(self) -> int:
        """Number of words of an action bit set."""
        return (self.actions + 31) // 32

    @property
    def key(self) -> int:
        """Offset of the low 64 bits of the position's key: two words, the low one first."""
        return self.state + row_words.KEY

    @property
    def info(self) -> int:
        """Offset of the word INFO: outcome, side to move, winner of a detected win, forced reply.

        ``games.row_words`` defines its bits.
        """
        return self.state + row_words.INFO

    @property
    def threat(self) -> int:
        """Offset of (the opponent's winning threat) + 1, or 0 if there is none.

        If ``zoned``, the word holds (``DetectedWin.move``) + 1 instead.
        """
        return self.state + row_words.THREAT

    @property
    def first(self) -> int:
        """Offset of the initial numbers of unvisited moves: ``a | b << 16``, 15 bits each.

        See ``games.game.InitialisesNumbers``. Rows with knowledge have numbers of their own.
        """
        return self.state + row_words.FIRST

    @property
    def masks(self) -> int:
        """Offset of three bit sets of ``mask`` words each: legal, winning and forcing moves.

        If ``zoned``, the legal moves that a detected threat refutes are left out, and no winning or
        forcing moves are listed, since a detected win names its winner.
        """
        return self.state + row_words.MASKS

    @property
    def ranks_alone(self) -> bool:
        """Whether rows list the best moves and no network orders them."""
        return self.ranked and not self.prior

    @property
    def best(self) -> int:
        """Offset of up to 4 ``mask`` moves to list first, the best one first; only if ``ranked``.

        The list takes the place of the winning moves. Each byte is 1 + action, the low byte of a
        word first; a byte 0 ends the list.
        """
        return self.masks + self.mask

    @property
    def zone(self) -> int:
        """Offset of the zone of a detected win: ``mask`` words if ``zoned``, else no words."""
        return self.masks + 3 * self.mask

    @property
    def values(self) -> int:
        """Offset of the float32 value for the side to move.

        If ``costly``, two float32 costs follow it: log10 of the cost of a proof that player 0 or
        player 1 wins.
        """
        return self.zone + (self.mask if self.zoned else 0)

    @property
    def priors(self) -> int:
        """Offset of the A priors: 16-bit fractions of 65535, two a word, the low half first."""
        return self.values + (1 if self.value else 0) + (2 if self.costly else 0)

    @property
    def width(self) -> int:
        """Number of words in a row."""
        return self.priors + ((self.actions + 1) // 2 if self.prior else 0)

    @property
    def offsets(self) -> Offsets:
        """All offsets as plain ints, for compiled code."""
        return Offsets(
            state=self.state,
            mask=self.mask,
            actions=self.actions,
            key=self.key,
            info=self.info,
            threat=self.threat,
            first=self.first,
            legal=self.masks,
            wins=self.masks + self.mask,
            forcing=self.masks + 2 * self.mask,
            best=self.best if self.ranked else NONE,
            zone=self.zone if self.zoned else NONE,
            value=self.values if self.value else NONE,
            costs=self.values + 1 if self.costly else NONE,
            priors=self.priors if self.prior else NONE,
            width=self.width,
        )
