"""``tsumego-N``: life and death of given stones."""

from __future__ import annotations

import dataclasses
import functools

import numpy as np

from jaxsolve.core.lazy_import import jax, jnp
from jaxsolve.games.game import Outcome
from jaxsolve.games.go import question_words
from jaxsolve.games.go.benson import alive
from jaxsolve.games.go.game import GoRules
from jaxsolve.games.go.moves import ko_starts, true_eyes
from jaxsolve.games.go.rule_sets import KO_CHOICES, THREATS
from jaxsolve.games.go.state import (
    ANY_CHAIN,
    KILL,
    NO_KO_FOR_BLACK,
    NO_KO_FOR_WHITE,
    THREATS_FOR_BLACK,
    THREATS_FOR_WHITE,
    WHITE_DEFENDS,
    GoState,
    Meta,
    Task,
)
from jaxsolve.games.go.text import parse_points, points_text

_CHOICES = {
    "goal": ("live", "kill"),
    "defender": ("black", "white"),
    "ko_black": KO_CHOICES,
    "ko_white": KO_CHOICES,
    "passes": ("not-achieved",),
}


@dataclasses.dataclass(frozen=True)
class Tsumego(GoRules):
    """Life and death: the defender must save a crucial stone, the attacker must capture them all.

    The defender wins when the chain of a surviving crucial stone is unconditionally alive
    (``go.benson``). The attacker wins when no crucial stone survives.

    * ``crucial`` lists the points of the crucial stones (``P2,Q3``). With ``any``, the defender
      wins when any of its chains is alive, and captures do not decide the game.
    * ``region`` lists the points where stones may be placed.
    * ``goal`` determines the loser after two passes: the defender with ``live``, the attacker with
      ``kill``.
    * ``ko_black=forbid``: Black may not make a move that starts or takes a ko, under any ko rule.
      ``ko_white=forbid`` is the same restriction for White.
    * ``ko_black=threats-2``: Black has 2 ko threats (1 to 3). With each of them it may once retake
      a ko at once, as if it had made a threat and White had answered it. ``ko_white`` likewise, but
      one side at most has threats. They exist with ``ko=simple`` only. With them, a pass of the
      side that may not retake a ko does not count towards two passes: it waits for the ban to end.

    The start position is the empty board; other positions are read from text.

    Raises ValueError for an unknown option or point.
    """

    size: int = 19
    ko: str = "simple"
    passes: str = "not-achieved"
    fill_eyes: bool = True
    goal: str = "live"
    defender: str = "black"
    crucial: str = "any"
    region: str = "all"
    ko_black: str = "allow"
    ko_white: str = "allow"
    max_history: int | None = None

    def __post_init__(self) -> None:
        self._check_common()
        if not 2 <= self.size <= 19:
            raise ValueError(f"size={self.size} must be between 2 and 19.")
        for option, allowed in _CHOICES.items():
            if getattr(self, option) not in allowed:
                raise ValueError(
                    f"{option}={getattr(self, option)!r} is not known; it may be"
                    f" {', '.join(allowed)}."
                )
        given = [option for option in ("ko_black", "ko_white") if getattr(self, option) in THREATS]
        if len(given) == 2:
            raise ValueError(
                "ko_black and ko_white both give ko threats; at most one side may have some."
            )
        if given and self.ko != "simple":
            raise ValueError(
                f"{given[0]}={getattr(self, given[0])} belongs to ko=simple; superko has no ko"
                " threats."
            )
        for option, none in (("crucial", "any"), ("region", "all")):
            if getattr(self, option) != none:
                points = parse_points(self.size, getattr(self, option), option)
                object.__setattr__(self, option, points_text(self.size, points))

    @property
    def rule_set(self) -> str:
        return (
            f"tsumego-{self.size};ko={self.ko};passes={self.passes};"
            f"fill_eyes={str(self.fill_eyes).lower()};goal={self.goal};defender={self.defender};"
            f"crucial={self.crucial};region={self.region};"
            f"ko_black={self.ko_black};ko_white={self.ko_white}"
        )

    @property
    def question(self) -> str:
        return question_words.question(self)

    @functools.cached_property
    def crucial_points(self) -> tuple[int, ...]:  # type: ignore[override]
        """The points of ``crucial``; empty with ``crucial=any``."""
        return () if self.crucial == "any" else parse_points(self.size, self.crucial, "crucial")

    @functools.cached_property
    def region_points(self) -> tuple[int, ...]:
        """The points where stones may be placed."""
        return (
            tuple(range(self.size**2))
            if self.region == "all"
            else parse_points(self.size, self.region, "region")
        )

    @functools.cached_property
    def kernel(self) -> Tsumego:  # type: ignore[override]
        """The game with the default task. Its compiled functions are used for every task.

        The task is part of the state (``Task``). The kernel depends only on the board size, ``ko``,
        ``fill_eyes`` and ``max_history``.
        """
        return Tsumego(self.size, self.ko, fill_eyes=self.fill_eyes, max_history=self.max_history)

    def _task(self, crucial: np.ndarray | None) -> Task:
        none = np.zeros(self.grid.words, np.uint32)
        flags = (
            (ANY_CHAIN, self.crucial == "any"),
            (WHITE_DEFENDS, self.defender == "white"),
            (KILL, self.goal == "kill"),
            (NO_KO_FOR_BLACK, self.ko_black == "forbid"),
            (NO_KO_FOR_WHITE, self.ko_white == "forbid"),
            (THREATS_FOR_BLACK, self.ko_black in THREATS),
            (THREATS_FOR_WHITE, self.ko_white in THREATS),
        )
        word = sum(bit for bit, is_set in flags if is_set)
        return Task(
            none if crucial is None else crucial,
            self.grid.constant_of(self.region_points),
            np.array(word, np.uint32),
        )

    def _after(self, task: Task, black: jax.Array, white: jax.Array) -> Task:
        return task._replace(
            crucial=task.crucial & jnp.where(_has(task, WHITE_DEFENDS)[None], white, black)
        )

    @property
    def threats(self) -> int:  # type: ignore[override]
        return THREATS.get(self.ko_black, 0) + THREATS.get(self.ko_white, 0)

    def _ko_threats(self, meta: Meta, task: Task | None) -> tuple[jax.Array, jax.Array]:
        assert task is not None
        mine = jnp.where(meta.side == 1, THREATS_FOR_WHITE, THREATS_FOR_BLACK)
        has_threat = (meta.boards > 0) & ((task.flags & mine.astype(jnp.uint32)) != 0)
        return has_threat, (meta.ko > 0) & _has(task, THREATS_FOR_BLACK | THREATS_FOR_WHITE)

    @property
    def _goal(self) -> int:
        return 2

    @property
    def crucial_side(self) -> int:
        """The defender: 0 Black, 1 White."""
        return 0 if self.defender == "black" else 1

    def _kept_sets(self) -> tuple[frozenset[int], ...]:
        return frozenset(self.crucial_points), frozenset(self.region_points)

    @property
    def goal_player(self) -> int:
        return self.crucial_side if self.goal == "live" else 1 - self.crucial_side

    def _decide(
        self, black: jax.Array, white: jax.Array, meta: Meta, task: Task | None, placed: jax.Array
    ) -> jax.Array:
        assert task is not None
        grid, white_defends, any_chain = self.grid, _has(task, WHITE_DEFENDS), _has(task, ANY_CHAIN)
        own, enemy = (
            jnp.where(white_defends[None], white, black),
            jnp.where(white_defends[None], black, white),
        )
        living = alive(grid, jnp.where(placed[None], own, np.uint32(0)), enemy)
        lives = grid.any(living & jnp.where(any_chain[None], living, task.crucial))
        captured = ~any_chain & ~grid.any(task.crucial)
        defender = jnp.where(
            white_defends, np.int32(Outcome.SECOND_WINS), np.int32(Outcome.FIRST_WINS)
        )
        attacker = np.int32(Outcome.FIRST_WINS + Outcome.SECOND_WINS) - defender
        at_end = jnp.where(_has(task, KILL), defender, attacker)
        ended = jnp.where(meta.passes == 2, at_end, np.int32(Outcome.ONGOING))
        return jnp.where(lives, defender, jnp.where(captured, attacker, ended))

    def legal_outside_eyes(self, state: GoState) -> jax.Array:
        return dataclasses.replace(self, fill_eyes=False).legal_mask(state)

    def _restrict(
        self,
        legal: jax.Array,
        own: jax.Array,
        enemy: jax.Array,
        atari: jax.Array,
        meta: Meta,
        task: Task | None,
    ) -> jax.Array:
        assert task is not None
        legal = legal & task.region
        if not self.fill_eyes:
            legal = legal & ~true_eyes(self.grid, own, enemy)
        forbidden = jnp.where(
            meta.side == 1, _has(task, NO_KO_FOR_WHITE), _has(task, NO_KO_FOR_BLACK)
        )
        return legal & ~jnp.where(
            forbidden[None], ko_starts(self.grid, own, enemy, atari), np.uint32(0)
        )


def _has(task: Task, flag: int) -> jax.Array:
    """Returns bool[...]: whether ``flag``, a bit of ``Task.flags``, is set."""
    return (task.flags & np.uint32(flag)) != 0
