"""Checks of the arguments of ``solve``, ``solve_value`` and ``solve_pool``, one sentence each."""

from __future__ import annotations

import numbers
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import jax
import numpy as np

from jaxsolve.core.run_folder import refuse_folder_name
from jaxsolve.games.game import Game
from jaxsolve.question import Claim

if TYPE_CHECKING:
    from jaxsolve.question import Problem


def refuse_wrong_question(game: Any, state: Any, claim: Any = None) -> None:
    """Raises an exception unless the arguments are a game, a position of it, and a claim.

    Raises:
      TypeError: ``game`` is no game, ``state`` is text or None, or ``claim`` is no ``Claim``.
      ValueError: the arrays of ``state`` have other types or shapes than a position of ``game``.
    """
    if not isinstance(game, Game):
        name = repr(game) if isinstance(game, str) else "'hex-5'"
        raise TypeError(f"game={game!r} is no game: give one, such as make({name})")
    if state is None or isinstance(state, str):
        raise TypeError(
            f"state={state!r} is no position: give one, such as game.init() or game.parse(text)"
        )
    if claim is not None and not isinstance(claim, Claim):
        raise TypeError(f"claim={claim!r} is no claim: give one, such as Claim(0, 'wins'), or None")
    right = game.host_unpack(np.zeros((1, game.state_words), np.uint32))
    if jax.tree.structure(state) != jax.tree.structure(right) or any(
        (np.shape(leaf), getattr(leaf, "dtype", None)) != (slot.shape[1:], slot.dtype)
        for leaf, slot in zip(jax.tree.leaves(state), jax.tree.leaves(right), strict=True)
    ):
        raise ValueError(
            f"the position is none of {game.rule_set}: made by another game, or several at a time;"
            " parse makes one from text"
        )


def refuse_wrong_run(out: Any, resume: bool) -> None:
    """Raises ValueError for an empty ``out``, or for ``resume`` without ``out``."""
    if out is not None and not str(out):
        raise ValueError("out='' names no folder: give one, or None")
    if resume and out is None:
        raise ValueError("resume=True needs out, the folder of the run to resume")


def refuse_wrong_pool(pool: Any, problems: Sequence[Problem], out: Any) -> None:
    """Raises ValueError for a ``pool`` that is not a whole number from 1 on, or for invalid ids.

    If there is a folder ``out``, each id names a folder in it: ids must be distinct, and made of
    letters, digits and . _ + -.
    """
    if isinstance(pool, bool) or not isinstance(pool, numbers.Integral) or int(pool) < 1:
        raise ValueError(f"pool={pool!r}: give a whole number from 1 on")
    seen: set[str] = set()
    for problem in problems if out is not None else ():
        identifier = str(problem.id)
        refuse_folder_name(identifier, "id")
        if identifier in seen:
            raise ValueError(
                f"id {identifier!r} is given twice: each problem has a folder of its own in out"
            )
        seen.add(identifier)
