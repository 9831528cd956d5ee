"""``Decided``: a decided claim with the sources of its proof, as a certificate needs them."""

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
    """The question as posed, where the nodes are written under a relaxation (``HasRelaxation``)."""

    game: Game
    state: State


class Decided(NamedTuple):
    """A decided claim, and the sources of its proof."""

    game: Game
    evaluator: Evaluator  # the search's
    log: ProofLog
    claim: Claim  # the claim that holds
    root: np.ndarray  # uint32[S]
    path: Path | None = None  # of the certificate; None: checked in a temporary file, not kept
    original: Original | None = None  # the question as posed, if ``game`` is a relaxation of it
    accepted: Callable[[GraphBuilder], None] | None = None  # called once it is written and accepted
    note: str = ""  # free text for the certificate's header
