"""Words of an evaluator row between the packed position and the sets of moves.

``evaluate.layout`` describes the whole row. The constants are here because games that compute rows
on the host (``games.host_rows``) use them too.
"""

from __future__ import annotations

KEY, INFO, THREAT, FIRST, MASKS = 0, 2, 3, 4, 5
"""Offsets after the packed position: ``Layout.key``, ``info``, ``threat``, ``first``, ``masks``."""
INFO_MOVER, INFO_WINNER, INFO_REPLY = 3, 4, 16
"""First bits of the fields of the word INFO (``Layout.info``). Its lowest 3 bits are the outcome.

INFO_MOVER: side to move, 1 bit. INFO_WINNER: 1 + winner of a detected win, or 0; 2 bits.
INFO_REPLY: 1 + forced reply that the evaluator has played, or 0; 16 bits.
"""
