"""``Decided``: the input of ``certify``, a decided claim with the sources of its proof."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import NamedTuple

import numpy as np

from jaxsolve.evaluate import Evaluator
from jaxsolve.games.game import Game, State
from jaxsolve.proof.builder import GraphBuilder
from jaxsolve.proof.log import ProofLog
from jaxsolve.question import Claim


class Original(NamedTuple):
    """The game and the root position of a question whose search used a relaxation of the game.

    An example is simple ko in place of superko (``games.abilities.HasRelaxation``).
    """

    game: Game
    state: State


class Decided(NamedTuple):
    """A decided claim, and the sources of its proof."""

    game: Game  # the game that was searched
    evaluator: Evaluator  # the evaluator of the search
    log: ProofLog
    claim: Claim  # the claim that holds
    root: np.ndarray  # uint32[S]
    path: Path | None = None  # of the certificate; None: a temporary file, which is removed
    original: Original | None = None  # if ``game`` is a relaxation, the question's own game
    # Called once the certificate is written and, if it is checked, accepted.
    accepted: Callable[[GraphBuilder], None] | None = None
    note: str = ""  # free text for the certificate's header
