"""Positions that other machines send: validation, and buffers of the latest ones."""

from __future__ import annotations

import functools
from collections import deque
from collections.abc import Callable, Collection, Sequence
from typing import Any, NamedTuple

import jax
import numpy as np

from jaxsolve.core.strict_json import shortened
from jaxsolve.games.game import Game, Outcome

CHUNK = 64  # positions of a compiled call


class Received(NamedTuple):
    """N positions of unfinished games."""

    words: np.ndarray  # uint32[N, S]: packed states
    legal: np.ndarray  # bool[N, A]: legal moves
    mover: np.ndarray  # int32[N]: the side to move, 0 or 1


def received(game: Game, texts: Sequence[str], kind: str) -> Received:
    """Returns positions from their texts.

    Args:
      game: the rules.
      texts: canonical texts.
      kind: kind of the positions in messages, such as "critical position".

    Raises ValueError, with the position in the message, for a text that is no position of the game,
    and for a position where the game is over.
    """
    words = np.zeros((len(texts), game.state_words), np.uint32)
    for number, text in enumerate(texts):
        if not isinstance(text, str):
            raise ValueError(f"{kind} {number + 1} is not a text")
        try:
            words[number] = game.host_pack(game.parse(text))
        except ValueError as error:
            raise ValueError(f"{_named(kind, number, text)}: {error}") from None
    outcome, legal, mover = _facts(game, words)
    if (over := np.flatnonzero(outcome != Outcome.ONGOING)).size:
        number = int(over[0])
        raise ValueError(f"{_named(kind, number, texts[number])}: the game is over")
    return Received(words, legal, mover)


class Latest:
    """The latest rows of words that were added, in order.

    Args:
      capacity: number of rows that are kept.
      words: number of words in a row.
    """

    def __init__(self, capacity: int, words: int):
        self._rows = deque[np.ndarray](maxlen=capacity)
        self._shape = (capacity, words)

    def __len__(self) -> int:
        return len(self._rows)

    def add(self, rows: np.ndarray) -> None:
        """Adds rows uint32[n, words]; beyond the capacity the oldest are dropped."""
        self._rows.extend(np.array(row) for row in rows)

    def remove(self, rows: Collection[bytes]) -> None:
        """Removes the rows whose bytes are in ``rows``."""
        kept = [row for row in self._rows if row.tobytes() not in rows]
        self._rows.clear()
        self._rows.extend(kept)

    def filled(self, filler: np.ndarray) -> np.ndarray:
        """Returns uint32[capacity, words]: the rows, oldest first, then copies of ``filler``."""
        found = np.broadcast_to(filler, self._shape).astype(np.uint32)
        for number, row in enumerate(self._rows):
            found[number] = row
        return found

    def spread(self, rng: np.random.Generator) -> np.ndarray:
        """Returns uint32[capacity, words]: the rows in random order, repeated evenly.

        There must be at least one row.
        """
        rows = np.stack(list(self._rows))
        return np.resize(rows[rng.permutation(len(rows))], self._shape)

    def stored(self) -> dict[str, np.ndarray]:
        """Returns the rows as arrays whose shapes depend on the capacity only."""
        return {
            "rows": self.filled(np.zeros(1, np.uint32)),
            "count": np.array(len(self._rows), np.int32),
        }

    def restore(self, stored: dict[str, Any]) -> None:
        """Replaces the rows by those of ``stored``."""
        self._rows.clear()
        self.add(np.asarray(stored["rows"])[: int(stored["count"])])


def _named(kind: str, number: int, text: str) -> str:
    return f"{kind} {number + 1}, {shortened(text)!r}"


def _facts(game: Game, words: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Returns outcome int32[N], legal moves bool[N, A] and side to move int32[N] of N positions."""
    start = game.host_pack(game.init())
    found = []
    for at in range(0, max(len(words), 1), CHUNK):
        chunk = np.broadcast_to(start, (CHUNK, len(start))).copy()
        part = words[at : at + CHUNK]
        chunk[: len(part)] = part
        found.append([np.asarray(x)[: len(part)] for x in _compiled_facts(game)(chunk)])
    outcome, legal, mover = (np.concatenate(parts) for parts in zip(*found, strict=True))
    return outcome, legal, mover


@functools.lru_cache(maxsize=8)
def _compiled_facts(game: Game) -> Callable[[np.ndarray], tuple[jax.Array, ...]]:
    def facts(words: jax.Array) -> tuple[jax.Array, ...]:
        state = game.unpack(words)
        return game.outcome(state), game.legal_mask(state), game.to_move(state)

    return jax.jit(jax.vmap(facts))
