"""The layout of an evaluator row."""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

NONE = -1
"""The offset of a word that rows do not hold."""


class Offsets(NamedTuple):
    """``Layout`` as plain ints, for compiled host loops.

    Every field after the first three is the offset of a word in a row, or ``NONE`` if rows do not
    hold it. ``Layout`` documents the words.
    """

    state: int  # S, the words of the packed state, which begins a row
    mask: int  # M, the words of an action bit set
    actions: int  # A, the number of actions
    key: int
    info: int
    threat: int
    first: int
    legal: int  # bit set of M words
    wins: int  # bit set of M words
    forcing: int  # bit set of M words
    zone: int  # bit set of M words; NONE if the game foresees no wins
    value: int  # NONE where rows carry no values
    costs: int  # two words; NONE if the network estimates no costs
    priors: int  # ceil(A / 2) words; NONE where rows carry no priors
    width: int  # words in a row


@dataclass(frozen=True)
class Layout:
    """The layout of an evaluator row: ``width`` uint32 words for one position.

    Properties other than ``mask``, ``width`` and ``offsets`` return the offset of a field.
    """

    state: int  # S words from 0: the packed child state
    actions: int  # A, the number of actions
    prior: bool  # whether priors are present
    value: bool  # whether a value is present
    zoned: bool = False  # whether the game foresees wins, with their zones
    costly: bool = False  # whether costs are estimated

    @property
    def mask(self) -> int:
        """Words of an action bit set."""
        return (self.actions + 31) // 32

    @property
    def key(self) -> int:
        """Two words: the low 64 bits of the position's key."""
        return self.state

    @property
    def info(self) -> int:
        """Bits 0..2: outcome. Bit 3: side to move. Bits 4..5: (foreseen winner) + 1.

        Bits 16..31: (forced reply that the evaluator played) + 1.
        """
        return self.state + 2

    @property
    def threat(self) -> int:
        """(the opponent's winning threat) + 1, or 0; if ``zoned`` (``DetectedWin.move``) + 1."""
        return self.state + 3

    @property
    def first(self) -> int:
        """Heuristic initialisation of an unvisited move: a in the low half word, b in the high one.

        See ``games.game.InitialisesNumbers``.
        """
        return self.state + 4

    @property
    def masks(self) -> int:
        """Legal, winning and forcing moves: three bit sets of ``mask`` words each.

        If ``zoned``, legal moves that a foreseen threat refutes are absent.
        """
        return self.state + 5

    @property
    def zone(self) -> int:
        """Offset of the zone of a detected win: ``mask`` words if ``zoned``, else none."""
        return self.masks + 3 * self.mask

    @property
    def values(self) -> int:
        """Offset of the float32 value for the side to move; if ``costly``, two costs follow it."""
        return self.zone + (self.mask if self.zoned else 0)

    @property
    def priors(self) -> int:
        """A priors as 16-bit fractions of 65535, two a word."""
        return self.values + (1 if self.value else 0) + (2 if self.costly else 0)

    @property
    def width(self) -> int:
        """Words in a row."""
        return self.priors + ((self.actions + 1) // 2 if self.prior else 0)

    @property
    def offsets(self) -> Offsets:
        """All offsets by name, as plain ints."""
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
            zone=self.zone if self.zoned else NONE,
            value=self.values if self.value else NONE,
            costs=self.values + 1 if self.costly else NONE,
            priors=self.priors if self.prior else NONE,
            width=self.width,
        )
