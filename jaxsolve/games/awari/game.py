"""Awari as pure, jittable functions of a state of three 32-bit words."""

from __future__ import annotations

import dataclasses
import re
from collections.abc import Sequence
from typing import Any, ClassVar, NamedTuple

import numpy as np

from jaxsolve.core.lazy_import import exportable, jax, jnp
from jaxsolve.games.boards.batching import as_action, batch_last
from jaxsolve.games.boards.mixing import key_of
from jaxsolve.games.drawing import Counters, Place, Row
from jaxsolve.games.game import Game, Outcome

SEEDS = 48
PITS = 6
_LAP = 2 * PITS - 1  # seeds sown in one lap: the start pit gets none
_FIELD_BITS = 6
_FIELDS_PER_WORD = 5
_TEXT = re.compile(r"(\S+)/(\S+) ([sn]) captured=(\d{1,2}):(\d{1,2})", re.ASCII)
_SIDES = "sn"


@exportable
class AwariState(NamedTuple):
    """A position as fifteen six-bit fields, five in each word, lowest bits first.

    The fields are the seeds in the pits A..F and a..f, the seeds captured by South and by North,
    and the side to move.
    """

    words: Any  # uint32[3]


@dataclasses.dataclass(frozen=True)
class Awari(Game):
    """Awari by the rules of Ludii, the program of the PN-MCTS experiments.

    The board has two rows of six pits with four seeds in each. South moves first and owns ``A..F``;
    North owns ``a..f``. Sowing runs counter-clockwise: A..F, then a..f, then A again.

    A move takes all seeds of one own pit and drops them one by one into the following pits. Every
    lap skips the start pit. If the last seed falls into an enemy pit, which then has 2 or 3 seeds,
    the mover captures these seeds. The mover also captures the seeds of the enemy pits before it,
    as long as each of them has 2 or 3 seeds. A move that leaves the opponent no seeds on the board
    is illegal.

    The game ends when every pit has at most one seed, or when the side to move has no legal move.
    The side with more captured seeds wins. Equal numbers are a draw. Seeds left on the board do not
    count.

    Actions 0..5 are the mover's own pits in sowing order. The observation, bool[2, 6, 31], is from
    the mover's point of view. Row 0 has the opponent's pits as they lie across the board, row 1 the
    own pits. Its planes:

      0..11   at least k seeds in the pit, for k = 1..12
      12..17  binary digits of the pit's seed count, lowest first
      18..23  binary digits of the seeds that the mover has captured
      24..29  binary digits of the seeds that the opponent has captured
      30      ones if North is to move
    """

    rules: str = "ludii"

    name: ClassVar[str] = "awari"
    players: ClassVar[tuple[str, str]] = ("south", "north")
    may_repeat: ClassVar[bool] = True
    may_draw: ClassVar[bool] = True

    def __post_init__(self) -> None:
        if self.rules != "ludii":
            raise ValueError(f"awari: rules must be 'ludii', not {self.rules!r}")

    # ---- facts ---------------------------------------------------------------------------------
    @property
    def rule_set(self) -> str:
        return f"awari;rules={self.rules}"

    @property
    def num_actions(self) -> int:
        return PITS

    # ---- rules ---------------------------------------------------------------------------------
    def init(self) -> AwariState:
        return jax.device_put(_pack_numbers([SEEDS // 12] * 12 + [0, 0, 0]))

    def step(self, state: AwariState, action: jax.Array) -> AwariState:
        return self._step(state, as_action(action))

    @batch_last
    def _step(self, state: AwariState, action: jax.Array) -> AwariState:
        fields, side = _fields(state), self.to_move(state)
        pits, gained = _play(_in_view(fields[:12], side), action)
        captured = fields[12:14] + jnp.where(_count_to(2, side) == side[None], gained[None], 0)
        return _pack_fields(jnp.concatenate([_in_view(pits, side), captured, (1 - side)[None]]))

    def legal_mask(self, state: AwariState) -> jax.Array:
        return (self._moves_and_outcome(state)[0] >> np.arange(PITS, dtype=np.uint32)) & 1 == 1

    def outcome(self, state: AwariState) -> jax.Array:
        return self._moves_and_outcome(state)[1]

    def legal_and_outcome(self, state: AwariState) -> tuple[jax.Array, jax.Array]:
        moves, outcome = self._moves_and_outcome(state)
        return moves[None], outcome

    @batch_last
    def _moves_and_outcome(self, state: AwariState) -> tuple[jax.Array, jax.Array]:
        """Returns the set of legal actions, uint32[], and the outcome, int32[].

        The batch is on the last axis.
        """
        pits = _own_first(state, self.to_move(state))
        moves = jnp.where(jnp.max(pits, axis=0) > 1, _moves(pits), jnp.uint32(0))
        south, north = _field(state, 12), _field(state, 13)
        result = jnp.where(
            south > north,
            Outcome.FIRST_WINS,
            jnp.where(north > south, Outcome.SECOND_WINS, Outcome.DRAW),
        )
        return moves, jnp.where(moves == 0, result, Outcome.ONGOING).astype(jnp.int32)

    def to_move(self, state: AwariState) -> jax.Array:
        return _field(state, 14)

    def observe(self, state: AwariState) -> jax.Array:
        fields, side = _fields(state), self.to_move(state)
        own_first = _in_view(fields[:12], side)
        board = jnp.stack([own_first[6:][::-1], own_first[:6]])
        captured = jnp.where(side == 0, fields[12:14], fields[13:11:-1])
        at_least = board[..., None] >= np.arange(1, 13, dtype=np.int32).reshape(1, 1, -1)
        counts = _digits(board)
        totals = jnp.broadcast_to(jnp.ravel(_digits(captured)), (2, PITS, 2 * _FIELD_BITS))
        return jnp.concatenate(
            [at_least, counts, totals, jnp.broadcast_to(side == 1, (2, PITS, 1))], axis=-1
        )

    def player_view(self, state: AwariState, player: jax.Array) -> AwariState:
        return _pack_fields(_fields(state).at[14].set(jnp.asarray(player, jnp.int32)))

    def key(self, state: AwariState) -> jax.Array:
        return key_of(self.rule_set, state.words)

    # ---- text ----------------------------------------------------------------------------------
    def text(self, state: AwariState) -> str:
        fields = _host_fields(state)
        south, north = (",".join(map(str, fields[i : i + PITS])) for i in (0, PITS))
        return f"{south}/{north} {_SIDES[fields[14]]} captured={fields[12]}:{fields[13]}"

    def parse(self, text: str) -> AwariState:
        return jax.device_put(self.read(text))

    def read(self, text: str) -> AwariState:
        match = _TEXT.fullmatch(text.strip())
        if not match:
            raise ValueError(
                f"awari position {text!r}: expected 'A,B,C,D,E,F/a,b,c,d,e,f s|n captured=S:N' "
                "with seed counts for the letters"
            )
        pits = _parse_row(match[1], "South", text) + _parse_row(match[2], "North", text)
        captured = [int(match[4]), int(match[5])]
        if (total := sum(pits) + sum(captured)) > SEEDS:
            raise ValueError(
                f"awari position {text!r}: {total} seeds on the board and captured, "
                f"but the game has only {SEEDS}"
            )
        return _pack_numbers([*pits, *captured, _SIDES.index(match[3])])

    def are_positions(self, states: AwariState) -> np.ndarray:
        fields = states.words[:, :, None] >> _shifts() & np.uint32(63)
        seeds = fields.reshape(len(fields), -1)[:, :14].sum(axis=1)
        unused = (states.words >> np.uint32(_FIELDS_PER_WORD * _FIELD_BITS)).any(axis=1)
        return (seeds <= SEEDS) & (fields[:, 2, 4] <= 1) & np.logical_not(unused)

    def action_text(self, action: int, state: AwariState | None = None) -> str:
        """Returns the letter of the pit: ``a..f`` if North is to move in ``state``, else ``A..F``.

        Raises ValueError for a number that is no action.
        """
        if not 0 <= action < PITS:
            raise ValueError(f"awari move {action}: actions are 0 to {PITS - 1}")
        north = state is not None and _host_fields(state)[14] == 1
        return ("abcdef" if north else "ABCDEF")[action]

    def parse_action(self, text: str, state: AwariState | None = None) -> int:
        letter = text.strip().lower()
        if len(letter) != 1 or letter not in "abcdef":
            raise ValueError(f"awari move {text!r}: expected one pit letter, A to F")
        return "abcdef".index(letter)

    def cells(self, state: AwariState) -> np.ndarray:
        """Returns int8[2, 6]: the seeds, from South's point of view.

        Row 0 is ``f..a``, row 1 is ``A..F``.
        """
        pits = np.array(_host_fields(state)[:12], np.int8)
        return np.stack([pits[:5:-1], pits[:6]])

    def leaf_reason(self, state: AwariState, outcome: int) -> str:
        return "no-seeds"

    def drawing(self, state: AwariState) -> Counters:
        north, south = self.cells(state).tolist()
        taken = self.captured(state)
        return Counters(
            [Row(north, "fedcba", 2, "North", taken[1]), Row(south, "ABCDEF", 1, "South", taken[0])]
        )

    def place(self, action: int, state: AwariState, player: int) -> Place:
        return (action, 1) if player == 0 else (PITS - 1 - action, 0)

    def captured(self, state: AwariState) -> tuple[int, int]:
        """Returns the numbers of seeds captured by South and by North (host side)."""
        fields = _host_fields(state)
        return fields[12], fields[13]


def _field(state: AwariState, index: int) -> jax.Array:
    """Returns int32[...]: one field of ``AwariState``, by its index."""
    word, place = divmod(index, _FIELDS_PER_WORD)
    return ((state.words[word] >> (_FIELD_BITS * place)) & 63).astype(np.int32)


def _shifts() -> np.ndarray:
    """Returns uint32[5]: the lowest bit of each field of a word."""
    return _FIELD_BITS * np.arange(_FIELDS_PER_WORD, dtype=np.uint32)


def _fields(state: AwariState) -> jax.Array:
    """Returns int32[15, ...]: all fields of ``AwariState``."""
    words = state.words
    shifts = _shifts().reshape(1, -1, *(1,) * (words.ndim - 1))
    return ((words[:, None] >> shifts) & 63).astype(jnp.int32).reshape(-1, *words.shape[1:])


def _pack_fields(fields: jax.Array) -> AwariState:
    """Returns the state of fields int32[15, ...]; inverse of ``_fields``."""
    parts = fields.astype(jnp.uint32).reshape(3, _FIELDS_PER_WORD, *fields.shape[1:])
    return AwariState(
        jnp.sum(
            parts << _shifts().reshape(1, -1, *(1,) * (fields.ndim - 1)), axis=1, dtype=jnp.uint32
        )
    )


def _pack_numbers(fields: Sequence[int]) -> AwariState:
    """Returns the state of 15 fields on the host, as host arrays."""
    parts = np.array(fields, np.uint32).reshape(3, _FIELDS_PER_WORD) << _shifts()
    return AwariState(np.sum(parts, axis=1, dtype=np.uint32))


def _in_view(pits: jax.Array, side: jax.Array) -> jax.Array:
    """Returns int32[12, ...]: the pits with those of ``side`` first.

    Applied twice, it returns the original pits.
    """
    return jnp.where((side == 0)[None], pits, jnp.concatenate([pits[PITS:], pits[:PITS]]))


def _own_first(state: AwariState, side: jax.Array) -> jax.Array:
    """Returns int32[12, ...]: the pits of a state, with those of ``side`` first.

    The result equals that of ``_in_view``, but the pits are read one by one. This halves the time
    of ``_moves_and_outcome``. It would not make ``_step`` faster.
    """
    pits = [_field(state, n) for n in range(2 * PITS)]
    across = [*pits[PITS:], *pits[:PITS]]
    return jnp.stack(
        [jnp.where(side == 0, here, there) for here, there in zip(pits, across, strict=True)]
    )


def _count_to(count: int, like: jax.Array) -> np.ndarray:
    """Returns int32[count, 1, ...]: 0 to ``count`` - 1 along a new first axis.

    The other axes have length 1, one for each axis of ``like``.
    """
    return np.arange(count, dtype=np.int32).reshape(-1, *(1,) * like.ndim)


def _as_set(members: jax.Array) -> jax.Array:
    """Returns uint32[...]: the set of the True entries of bool[6, ...]; entry 0 is the lowest bit.

    The set is computed as a sum, not as a chain of ORs. XLA would fuse the computation of the ORs
    into each of their readers and repeat it for every element, 372 times for each board in a step.
    """
    bits = np.uint32(1) << _count_to(PITS, members[0]).astype(np.uint32)
    return jnp.sum(jnp.where(members, bits, np.uint32(0)), axis=0, dtype=jnp.uint32)


def _up_to(at: jax.Array) -> jax.Array:
    """Returns uint32[...]: the set of the numbers from 0 to ``at``, int32[...].

    ``at`` is at most 6. The set is empty if ``at`` is negative.
    """
    return (jnp.uint32(1) << jnp.clip(at + 1, 0, PITS + 1).astype(jnp.uint32)) - 1


def _play(pits: jax.Array, start: jax.Array) -> tuple[jax.Array, jax.Array]:
    """Sows the seeds of the own pit ``start``, int32[...], and captures.

    ``pits`` is int32[12, ...], own pits first. Returns the pits after the move, and int32[...], the
    number of captured seeds.
    """
    place = _count_to(2 * PITS, start)
    seeds = jnp.sum(jnp.where(place == start[None], pits, 0), axis=0, dtype=jnp.int32)
    laps, rest = jax.lax.div(seeds, np.int32(_LAP)), jax.lax.rem(seeds, np.int32(_LAP))
    distance = place - start[None]
    distance = jnp.where(distance >= 0, distance, distance + 2 * PITS)
    sown = jnp.where(
        distance == 0, 0, pits + laps[None] + (distance <= rest[None]).astype(jnp.int32)
    )
    enemy = sown[PITS:]
    last = start + jnp.where(rest == 0, _LAP, rest) - PITS  # last pit's index in the enemy row
    passed = jnp.where(last < PITS, _up_to(last), jnp.uint32(0))
    spared = passed & ~_as_set((enemy == 2) | (enemy == 3))
    # A pit is not captured if a pit between it and the last one is not captured.
    spared |= spared >> 1
    spared |= spared >> 2
    spared |= spared >> 4
    taken = (passed & ~spared)[None] >> _count_to(PITS, start).astype(np.uint32) & 1 == 1
    gained = jnp.sum(jnp.where(taken, enemy, 0), axis=0, dtype=jnp.int32)
    return jnp.concatenate([sown[:PITS], jnp.where(taken, 0, enemy)]), gained


def _moves(pits: jax.Array) -> jax.Array:
    """Returns uint32[...]: the legal moves as a set of own pits.

    ``pits`` is int32[12, ...], own pits first. A pit is legal if it has seeds and its move leaves
    the opponent at least one seed. The move leaves none if three conditions hold:

    * The last seed falls into a pit of the opponent.
    * After the sowing, all pits from the opponent's first pit to this pit have 2 or 3 seeds.
    * The opponent's pits after it are empty.

    If the sowing ends in the first lap, this is equivalent to the following: before the move no pit
    of the opponent had more than 2 seeds, and the non-empty pits of the opponent are exactly the
    sown ones. The same test is true if the opponent's row is empty and the sowing does not reach
    it. The second and third lap fill every pit. Then the last seed must fall into the opponent's
    last pit.
    """
    own, enemy = pits[:PITS], pits[PITS:]
    most, end = jnp.max(enemy, axis=0, keepdims=True), own + _count_to(PITS, pits[0])
    bare = (most <= 2) & (_as_set(enemy > 0)[None] == _up_to(end - PITS))
    bare |= (most <= 1) & (end == 2 * _LAP) | (most == 0) & (end == 3 * _LAP)
    return _as_set((own > 0) & ~bare)


def _digits(counts: jax.Array) -> jax.Array:
    """Returns bool[..., 6]: the binary digits of ``counts``, int32[...], lowest first."""
    digit = np.arange(_FIELD_BITS, dtype=np.int32).reshape(*(1,) * counts.ndim, -1)
    return (counts[..., None] >> digit) & 1 == 1


def _host_fields(state: AwariState) -> list[int]:
    words = np.asarray(state.words, np.uint32)
    return [int(x) for x in ((words[:, None] >> _shifts()) & 63).reshape(-1)]


def _parse_row(row: str, owner: str, text: str) -> list[int]:
    counts = row.split(",")
    if len(counts) != PITS or not all(re.fullmatch(r"0|[1-9]\d?", count) for count in counts):
        raise ValueError(
            f"awari position {text!r}: {owner}'s row {row!r} must be six seed counts "
            "joined by commas"
        )
    return [int(count) for count in counts]
