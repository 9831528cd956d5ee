"""The rules' part of evaluator rows, computed by compiled host code (``games.host_rows``)."""

from __future__ import annotations

import threading

import numpy as np

from jaxsolve.games.host_rows import HostRows, write_rows  # imports numba


class HostRules:
    """Computes the rules' part of rows; safe for use by several threads.

    Args:
      host_rows: the game's row callback, with buffers.
    """

    def __init__(self, host_rows: HostRows):
        self._host_rows = host_rows
        self._calling = threading.Lock()  # the buffers serve one call at a time

    def __call__(self, states: np.ndarray, actions: np.ndarray) -> np.ndarray:
        """Returns rows uint32[B, width of the callback's rows], read-only.

        Args:
          states: uint32[B, S], packed positions.
          actions: int[B], moves to play; -1 for the row of the position itself.
        """
        rows = np.empty((len(states), len(self._host_rows.row)), np.uint32)
        # Copies, since read-only arrays and views are other types to compiled code.
        states, actions = np.array(states, np.uint32), np.array(actions, np.int32)
        with self._calling:
            write_rows(self._host_rows, states, actions, rows)
        rows.flags.writeable = False
        return rows
