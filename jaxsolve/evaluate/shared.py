"""Evaluators that this process shares."""

from __future__ import annotations

import functools

from jaxsolve.evaluate.evaluator import Evaluator
from jaxsolve.games.game import Game, HasForcedReply, HasThreatSearch, HasZones
from jaxsolve.networks.heads import Heads


def shared_evaluator(
    game: Game,
    heads: Heads | None = None,
    playouts: int = 0,
    canonical: bool = False,
    autoplay: bool = True,
    zones: bool = True,
) -> Evaluator:
    """Returns an evaluator, shared by all calls in this process with equal arguments.

    The counters are shared as well. With a network, each call creates an evaluator, since no cache
    may keep the weights in memory. The arguments are those of ``Evaluator``.
    """
    settings = (
        playouts,
        canonical,
        autoplay or not isinstance(game, HasForcedReply),
        zones or not isinstance(game, (HasZones, HasThreatSearch)),
    )
    if heads is None:
        return _evaluator(game, *settings)
    return Evaluator(
        game, heads=heads, playouts=playouts, canonical=canonical, autoplay=autoplay, zones=zones
    )


@functools.lru_cache(maxsize=64)
def _evaluator(
    game: Game, playouts: int, canonical: bool, autoplay: bool, zones: bool
) -> Evaluator:
    return Evaluator(game, playouts=playouts, canonical=canonical, autoplay=autoplay, zones=zones)
