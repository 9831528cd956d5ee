"""Words of an evaluator row between the packed position and the sets of moves.

``evaluate.layout`` describes the whole row. The constants are here because games that compute rows
on the host (``games.host_rows``) use them too. This module alone defines the bits of the word INFO.
Compiled code uses its constants, and other code its functions.
"""

from __future__ import annotations

from typing import TypeVar

import numpy as np

KEY, INFO, THREAT, FIRST, MASKS = 0, 2, 3, 4, 5
"""Offsets after the packed position: ``Layout.key``, ``info``, ``threat``, ``first``, ``masks``."""
INFO_OUTCOME, INFO_MOVER, INFO_WINNER, INFO_REPLY = 0, 3, 4, 16
"""First bits of the fields of the word INFO (``Layout.info``).

INFO_OUTCOME: ``Outcome``, 3 bits. INFO_MOVER: side to move, 1 bit. INFO_WINNER: 1 + winner of a
detected win, or 0; 2 bits. INFO_REPLY: 1 + forced reply that the evaluator has played, or 0;
16 bits.
"""
MOVES_A_WORD = 4
"""Number of moves in a word of the list of best moves (``Layout.best``)."""
OUTCOME_MASK, WINNER_MASK = 7, 3
"""The bits of an outcome and of a winner, after a shift by INFO_OUTCOME or INFO_WINNER."""

_Words = TypeVar("_Words", int, np.ndarray)


def outcome_of(info: _Words) -> _Words:
    """Returns the ``Outcome`` in words INFO."""
    return info >> INFO_OUTCOME & OUTCOME_MASK


def mover_of(info: _Words) -> _Words:
    """Returns the side to move in words INFO."""
    return info >> INFO_MOVER & 1


def winner_of(info: _Words) -> _Words:
    """Returns 1 + the winner of a detected win in words INFO, or 0."""
    return info >> INFO_WINNER & WINNER_MASK
