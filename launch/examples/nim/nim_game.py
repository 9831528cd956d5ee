"""Nim as a ``Game``: the required methods, and optional ones (drawing, names of leaf reasons)."""

from __future__ import annotations

import dataclasses
import re
from typing import ClassVar, NamedTuple

import jax
import jax.numpy as jnp
import numpy as np

from jaxsolve.games import Game, Outcome
from jaxsolve.games.boards.mixing import key_of
from jaxsolve.games.drawing import Counters, Place, Row


class NimState(NamedTuple):
    heaps: jax.Array  # int32[H]
    side: jax.Array  # int32[]


@dataclasses.dataclass(frozen=True)
class Nim(Game):
    """Heaps of 1, 2, ..., ``size`` counters; the player who takes the last counter wins.

    A move takes any number of counters from one heap.

    Action ``(heap, n)`` is ``heap * size + n - 1``, written ``heap:n``. The observation is
    bool[1, H, 2 * size]: "at least k counters", then "exactly k".
    """

    size: int = 4
    heaps: int = 0  # 0: as many as ``size``

    name: ClassVar[str] = "nim"
    players: ClassVar[tuple[str, str]] = ("first", "second")

    def __post_init__(self) -> None:
        if not (1 <= self.size <= 19 and 0 <= self.heaps <= 1000):
            raise ValueError(f"Nim: size={self.size} must be 1..19 and heaps={self.heaps} 0..1000")

    @property
    def rule_set(self) -> str:
        return f"nim-{self.size};heaps={self.heaps}"

    @property
    def count(self) -> int:
        return self.heaps or self.size

    @property
    def num_actions(self) -> int:
        return self.count * self.size

    def init(self) -> NimState:
        return NimState(jnp.arange(self.count, dtype=jnp.int32) % self.size + 1, jnp.int32(0))

    def step(self, state: NimState, action: jax.Array) -> NimState:
        heap, taken = action // self.size, action % self.size + 1
        left = state.heaps - jnp.where(jnp.arange(self.count) == heap, taken, 0)
        return NimState(jnp.maximum(left, 0), 1 - state.side)

    def legal_mask(self, state: NimState) -> jax.Array:
        return (state.heaps[:, None] >= jnp.arange(1, self.size + 1)).reshape(-1)

    def outcome(self, state: NimState) -> jax.Array:
        last_mover_wins = jnp.where(state.side == 1, Outcome.FIRST_WINS, Outcome.SECOND_WINS)
        return jnp.where(jnp.any(state.heaps > 0), Outcome.ONGOING, last_mover_wins).astype(
            jnp.int32
        )

    def to_move(self, state: NimState) -> jax.Array:
        return state.side

    def observe(self, state: NimState) -> jax.Array:
        sizes = jnp.arange(1, self.size + 1)
        heaps = state.heaps[None, :, None]
        return jnp.concatenate([heaps >= sizes, heaps == sizes], axis=-1)

    def player_view(self, state: NimState, player: jax.Array) -> NimState:
        return state._replace(side=jnp.asarray(player, jnp.int32))

    def key(self, state: NimState) -> jax.Array:
        return key_of(self.rule_set, self.pack(state))

    def text(self, state: NimState) -> str:
        return ",".join(map(str, np.asarray(state.heaps))) + (" s" if int(state.side) else " f")

    def parse(self, text: str) -> NimState:
        match = re.fullmatch(r"(\d{1,2}(?:,\d{1,2})*) ([fs])", text.strip())
        heaps = [int(n) for n in match[1].split(",")] if match else []
        if not match or len(heaps) != self.count or max(heaps) > self.size:
            start = ",".join(str(heap % self.size + 1) for heap in range(self.count)) + " f"
            raise ValueError(
                f"nim position {text!r}: expected {self.count} heaps of at most {self.size}, "
                f"then the side, as in {start!r}."
            )
        return NimState(jnp.asarray(heaps, jnp.int32), jnp.int32("fs".index(match[2])))

    def action_text(self, action: int, state: NimState | None = None) -> str:
        return f"{action // self.size + 1}:{action % self.size + 1}"

    def parse_action(self, text: str, state: NimState | None = None) -> int:
        match = re.fullmatch(r"(\d+):(\d+)", text.strip())
        if not match or not (1 <= int(match[1]) <= self.count and 1 <= int(match[2]) <= self.size):
            raise ValueError(f"nim move {text!r}: expected heap:counters, as in '2:1'.")
        return (int(match[1]) - 1) * self.size + int(match[2]) - 1

    def cells(self, state: NimState) -> np.ndarray:
        return np.asarray(state.heaps, np.int8)[None]

    def leaf_reason(self, state: NimState, outcome: int) -> str:
        return "empty"

    def drawing(self, state: NimState) -> Counters:
        return Counters(
            [Row(self.cells(state)[0].tolist(), [str(heap + 1) for heap in range(self.count)])]
        )

    def place(self, action: int, state: NimState, player: int) -> Place:
        return action // self.size, 0
