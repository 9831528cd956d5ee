"""Arrays of a batch: padding to a batch size, histories, and NaN in a network's output."""

from __future__ import annotations

import functools
import logging

import numpy as np

from jaxsolve.networks.heads import History


def padded(rows: np.ndarray, size: int, filler: int | None = None) -> np.ndarray:
    """Returns ``rows`` padded to ``size`` with copies of the first row, or with ``filler``."""
    count = len(rows)
    if count == size:
        return rows
    out = np.empty((size, *rows.shape[1:]), rows.dtype)
    out[:count] = rows
    out[count:] = rows[0] if filler is None else filler
    return out


def history_arrays(history: History | None, shape: tuple[int, int, int]) -> list[np.ndarray]:
    """Returns the padded arrays of a history; None stands for an empty history.

    Args:
      history: earlier boards of the positions of a batch.
      shape: batch size, number of earlier boards that the network sees, words of a board.

    Returns [uint32[B, boards, words], int32[B]]. Raises ValueError if the history has another
    number of boards or of words.
    """
    if history is None:
        return [np.zeros(shape, np.uint32), np.zeros(shape[0], np.int32)]
    states, counts = history
    if states.shape[1:] != shape[1:]:
        raise ValueError(
            f"the network sees {shape[1]} earlier boards of {shape[2]} words, but the history "
            f"holds {states.shape[1:]}"
        )
    return [padded(states, shape[0]), padded(counts, shape[0])]


def without_nan(words: np.ndarray, network: str) -> np.ndarray:
    """Returns a network's words of rows with each NaN value replaced by 0.

    Args:
      words: uint32[B, n], of which the first is the value. A NaN value marks a row for which the
        network has returned a NaN.
      network: name of the network. The first NaN of a network is logged.
    """
    if not len(words) or not (void := np.isnan(words[:, 0].view(np.float32))).any():
        return words
    _report_nan(network)
    words = words.copy()
    words[void, 0] = 0
    return words


@functools.cache
def _report_nan(network: str) -> None:
    """Logs that a network returns NaN for some positions, once for each network and process."""
    logging.getLogger("jaxsolve").warning(
        "jaxsolve: the network %s returns NaN for some positions; these are searched as if it "
        "knew nothing of them",
        network,
    )
