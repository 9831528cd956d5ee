"""Awari: two rows of six pits, sown counter-clockwise; a pure jittable kernel on three 32-bit words."""

from __future__ import annotations

import dataclasses
import re
from collections.abc import Sequence
from typing import ClassVar, NamedTuple

import numpy as np

from jaxsolve.games.batching import as_action, traced_once
from jaxsolve.games.drawing import Counters, Place, Row
from jaxsolve.games.game import Game, Outcome
from jaxsolve.games.mixing import key_of
from jaxsolve.lazy import jax, jnp

SEEDS = 48
PITS = 6
_FIELD_BITS = 6
_FIELDS_PER_WORD = 5
_TEXT = re.compile(r"(\S+)/(\S+) ([sn]) captured=(\d{1,2}):(\d{1,2})")
_SIDES = "sn"


class AwariState(NamedTuple):
    """Fifteen six-bit fields, five a word, lowest bits first: pits A..F, pits a..f, captured by South, by North, side."""

    words: jax.Array  # uint32[3]


@dataclasses.dataclass(frozen=True)
class Awari(Game):
    """Awari by the rules of Ludii, the program of the PN-MCTS experiments.

    Two rows of six pits, four seeds in each. South (first) owns ``A..F``, North ``a..f``; sowing runs A..F, then a..f, then A again.
    A move takes all seeds of one own pit and drops them one by one into the pits that follow, leaving the start pit empty also on
    laps. If the last seed falls into an enemy pit and makes it 2 or 3, those seeds are captured, and so are those of every unbroken
    run of enemy pits before it that hold 2 or 3. A move after which the opponent has no seeds on the board is illegal. The game ends
    when every pit holds at most one seed, or the side to move has no legal move: more captured seeds wins, equal is a draw; what
    stays on the board belongs to nobody.

    Actions 0..5 are the mover's own pits in sowing order. Observation, bool[2, 6, 31], from the mover's seat (row 0 the opponent's
    pits as they lie across the board, row 1 the own pits): planes 0..11 "at least k seeds" for k = 1..12; 12..17 the binary digits of the
    seed count, lowest first; 18..23 those of the seeds the mover has captured, 24..29 those of the opponent's; 30 North to move.
    """

    rules: str = "ludii"

    name: ClassVar[str] = "awari"
    players: ClassVar[tuple[str, str]] = ("south", "north")
    may_repeat: ClassVar[bool] = True
    may_draw: ClassVar[bool] = True

    def __post_init__(self) -> None:
        if self.rules != "ludii":
            raise ValueError(f"awari: rules must be 'ludii', not {self.rules!r}.")

    # ---- facts -------------------------------------------------------------------------------------------------
    @property
    def rule_set(self) -> str:
        return f"awari;rules={self.rules}"

    @property
    def num_actions(self) -> int:
        return PITS

    # ---- rules -------------------------------------------------------------------------------------------------
    def init(self) -> AwariState:
        return jax.device_put(_pack_numbers([SEEDS // 12] * 12 + [0, 0, 0]))

    def step(self, state: AwariState, action: jax.Array) -> AwariState:
        return self._step(state, as_action(action))

    @traced_once
    def _step(self, state: AwariState, action: jax.Array) -> AwariState:
        fields, side = _fields(state), self.to_move(state)
        pits, gained = _play(_from_seat(fields[:12], side), action)
        captured = fields[12:14] + jnp.where(jnp.arange(2) == side, gained, 0)
        return _pack_fields(jnp.concatenate([_from_seat(pits, side), captured, (1 - side)[None]]))

    def legal_mask(self, state: AwariState) -> jax.Array:
        return self._moves(state) & ~_all_single(state)

    def outcome(self, state: AwariState) -> jax.Array:
        over = _all_single(state) | ~jnp.any(self._moves(state))
        south, north = _field(state, 12), _field(state, 13)
        result = jnp.where(south > north, Outcome.FIRST_WINS, jnp.where(north > south, Outcome.SECOND_WINS, Outcome.DRAW))
        return jnp.where(over, result, Outcome.ONGOING).astype(jnp.int32)

    def to_move(self, state: AwariState) -> jax.Array:
        return _field(state, 14)

    def observe(self, state: AwariState) -> jax.Array:
        fields, side = _fields(state), self.to_move(state)
        own_first = _from_seat(fields[:12], side)
        board = jnp.stack([own_first[6:][::-1], own_first[:6]])
        captured = jnp.where(side == 0, fields[12:14], fields[13:11:-1])
        at_least = board[..., None] >= np.arange(1, 13).reshape(1, 1, -1)
        counts = _digits(board)
        totals = jnp.broadcast_to(jnp.ravel(_digits(captured)), (2, PITS, 2 * _FIELD_BITS))
        return jnp.concatenate([at_least, counts, totals, jnp.broadcast_to(side == 1, (2, PITS, 1))], axis=-1)

    def from_seat(self, state: AwariState, player: jax.Array) -> AwariState:
        return _pack_fields(_fields(state).at[14].set(jnp.asarray(player, jnp.int32)))

    def key(self, state: AwariState) -> jax.Array:
        return key_of(self.rule_set, state.words)

    def _moves(self, state: AwariState) -> jax.Array:
        """bool[6]: own pits with seeds whose sowing leaves the opponent some, whether or not the game is over."""
        pits = _from_seat(_fields(state)[:12], self.to_move(state))
        after, _ = jax.vmap(_play, in_axes=(None, 0))(pits, jnp.arange(PITS))
        return (pits[:PITS] > 0) & jnp.any(after[:, PITS:] > 0, axis=1)

    # ---- text --------------------------------------------------------------------------------------------------
    def text(self, state: AwariState) -> str:
        fields = _host_fields(state)
        south, north = (",".join(map(str, fields[i : i + PITS])) for i in (0, PITS))
        return f"{south}/{north} {_SIDES[fields[14]]} captured={fields[12]}:{fields[13]}"

    def parse(self, text: str) -> AwariState:
        return jax.device_put(self.read(text))

    def read(self, text: str) -> AwariState:
        match = _TEXT.fullmatch(text.strip())
        if not match:
            raise ValueError(f"awari position {text!r}: expected 'A,B,C,D,E,F/a,b,c,d,e,f s|n captured=S:N' with seed counts for the letters.")
        pits = _parse_row(match[1], "South", text) + _parse_row(match[2], "North", text)
        captured = [int(match[4]), int(match[5])]
        if (total := sum(pits) + sum(captured)) > SEEDS:
            raise ValueError(f"awari position {text!r}: {total} seeds on the board and captured, but the game has only {SEEDS}.")
        return _pack_numbers([*pits, *captured, _SIDES.index(match[3])])

    def action_text(self, action: int, state: AwariState | None = None) -> str:
        """The pit's letter: ``A..F`` for South (also when no state is given), ``a..f`` for North."""
        if not 0 <= action < PITS:
            raise ValueError(f"awari move {action}: actions are 0 to {PITS - 1}.")
        north = state is not None and _host_fields(state)[14] == 1
        return ("abcdef" if north else "ABCDEF")[action]

    def parse_action(self, text: str, state: AwariState | None = None) -> int:
        letter = text.strip().lower()
        if len(letter) != 1 or letter not in "abcdef":
            raise ValueError(f"awari move {text!r}: expected one pit letter, A to F.")
        return "abcdef".index(letter)

    def cells(self, state: AwariState) -> np.ndarray:
        """int8[2, 6]: seeds as the board lies before South: row 0 is ``f..a``, row 1 ``A..F``."""
        pits = np.array(_host_fields(state)[:12], np.int8)
        return np.stack([pits[:5:-1], pits[:6]])

    def leaf_reason(self, state: AwariState, outcome: int) -> str:
        return "no-seeds"

    def drawing(self, state: AwariState) -> Counters:
        north, south = self.cells(state).tolist()
        taken = self.captured(state)
        return Counters([Row(north, "fedcba", 2, "North", taken[1]), Row(south, "ABCDEF", 1, "South", taken[0])])

    def place(self, action: int, state: AwariState, player: int) -> Place:
        return (action, 1) if player == 0 else (PITS - 1 - action, 0)

    def captured(self, state: AwariState) -> tuple[int, int]:
        """Seeds captured by South and by North (host side)."""
        fields = _host_fields(state)
        return fields[12], fields[13]


def _field(state: AwariState, index: int) -> jax.Array:
    word, place = divmod(index, _FIELDS_PER_WORD)
    return ((state.words[word] >> (_FIELD_BITS * place)) & 63).astype(np.int32)


def _shifts() -> np.ndarray:
    return _FIELD_BITS * np.arange(_FIELDS_PER_WORD, dtype=np.uint32)


def _fields(state: AwariState) -> jax.Array:
    """int32[15]."""
    return ((state.words[:, None] >> _shifts()[None]) & 63).astype(jnp.int32).reshape(-1)


def _pack_fields(fields: jax.Array) -> AwariState:
    parts = fields.astype(jnp.uint32).reshape(3, _FIELDS_PER_WORD) << _shifts()[None]
    return AwariState(jnp.sum(parts, axis=1, dtype=jnp.uint32))


def _pack_numbers(fields: Sequence[int]) -> AwariState:
    """``_pack_fields`` of host numbers, in host arrays."""
    parts = np.array(fields, np.uint32).reshape(3, _FIELDS_PER_WORD) << _shifts()
    return AwariState(np.sum(parts, axis=1, dtype=np.uint32))


def _from_seat(pits: jax.Array, side: jax.Array) -> jax.Array:
    """int32[12] pits with the side's own first; its own inverse."""
    return jnp.where(side == 0, pits, jnp.concatenate([pits[PITS:], pits[:PITS]]))


def _play(pits: jax.Array, start: jax.Array) -> tuple[jax.Array, jax.Array]:
    """Sows from own pit int32[] ``start`` of int32[12] ``pits`` (own first) and captures; pits after, seeds gained."""
    place = jnp.arange(12)
    seeds = jnp.sum(jnp.where(place == start, pits, 0))
    laps, rest = seeds // 11, seeds % 11
    distance = jnp.where(place >= start, place - start, place - start + 12)
    sown = jnp.where(distance == 0, 0, pits + laps + (distance <= rest).astype(jnp.int32))
    last = start + jnp.where(rest == 0, 11, rest)
    last = jnp.where(last >= 12, last - 12, last)
    small = (sown == 2) | (sown == 3)
    # A pit is spared where it, or a pit between it and the last one, holds neither 2 nor 3.
    breaks = jnp.cumsum((~small & (place <= last))[::-1])[::-1]
    taken = (place >= PITS) & (place <= last) & (breaks == 0)
    return jnp.where(taken, 0, sown), jnp.sum(jnp.where(taken, sown, 0))


def _all_single(state: AwariState) -> jax.Array:
    return jnp.all(_fields(state)[:12] <= 1)


def _digits(counts: jax.Array) -> jax.Array:
    """bool[..., 6]: binary digits of int32[...] counts, lowest first."""
    return ((counts[..., None] >> np.arange(_FIELD_BITS).reshape(*(1,) * counts.ndim, -1)) & 1) == 1


def _host_fields(state: AwariState) -> list[int]:
    words = np.asarray(state.words, np.uint32)
    return [int(x) for x in ((words[:, None] >> _shifts()) & 63).reshape(-1)]


def _parse_row(row: str, owner: str, text: str) -> list[int]:
    counts = row.split(",")
    if len(counts) != PITS or not all(re.fullmatch(r"0|[1-9]\d?", count) for count in counts):
        raise ValueError(f"awari position {text!r}: {owner}'s row {row!r} must be six seed counts joined by commas.")
    return [int(count) for count in counts]
