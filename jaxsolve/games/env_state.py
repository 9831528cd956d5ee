"""``State`` of an ``Env``: the fields of a pgx state, drawing, and serialisation."""

from __future__ import annotations

import contextlib
import dataclasses
import functools
from pathlib import Path
from typing import Any, Literal, Self

import jax
import numpy as np
from jax import export

from jaxsolve.games.game import Game
from jaxsolve.games.registry import make


@functools.partial(
    jax.tree_util.register_dataclass,
    data_fields=[
        "current_player",
        "observation",
        "rewards",
        "terminated",
        "truncated",
        "legal_action_mask",
        "_step_count",
        "_first_agent",
        "_game",
        "_history",
        "_terminal_observation",
    ],
    meta_fields=["_rules"],
)
@dataclasses.dataclass(frozen=True)
class State:
    """One game in play. The public fields are those of pgx. In a batch each has a leading axis."""

    current_player: jax.Array  # int32[]; the agent to move, 0 or 1 (an agent, not a colour)
    observation: jax.Array  # bool[H, W, C]; from the point of view of current_player
    rewards: jax.Array  # float32[2]; of the last step, by agent
    # bool[]; the rules, an illegal action, or a cap with ``cap="termination"`` ended the game.
    terminated: jax.Array
    truncated: jax.Array  # bool[]; a cap ended the game
    legal_action_mask: jax.Array  # bool[A]; all True once the game is over
    _step_count: jax.Array  # int32[]
    _first_agent: jax.Array  # int32[]; the agent that plays the game's first player
    _game: Any  # the game's own state
    # uint32[history_length, ...], newest board first; None if observations have no earlier boards.
    _history: jax.Array | None
    # bool[H, W, C]; the last observation of the previous game, set by ``auto_reset``. Zeros if no
    # game has ended yet; None if the environment does not store it.
    _terminal_observation: jax.Array | None
    _rules: Game  # static: the rules of the game

    def replace(self, **changes: Any) -> Self:
        return dataclasses.replace(self, **changes)

    @property
    def env_id(self) -> str:
        """The game's rule-set id, equal to ``Env.id``."""
        return self._rules.rule_set

    def to_svg(
        self, *, color_theme: Literal["light", "dark"] | None = None, scale: float | None = None
    ) -> str:
        """Returns the board as an SVG document; the boards of a batch appear side by side.

        Raises ValueError for an unknown theme.
        """
        from jaxsolve import view

        if color_theme not in (None, "light", "dark"):
            raise ValueError(f"color_theme={color_theme!r} is neither 'light' nor 'dark'")
        count, batch = self._step_count.size, self._step_count.ndim
        boards = jax.tree.map(lambda x: np.asarray(x).reshape(count, *x.shape[batch:]), self._game)
        states = [jax.tree.map(lambda x, i=i: x[i], boards) for i in range(count)]
        return view.sheet(
            self._rules,
            states,
            scale=scale or 1.0,
            theme=view.DARK if color_theme == "dark" else view.Theme(),
        )

    def save_svg(
        self,
        filename: str | Path,
        *,
        color_theme: Literal["light", "dark"] | None = None,
        scale: float | None = None,
    ) -> None:
        """Writes the result of ``to_svg`` to a file.

        Raises ValueError if the name of the file does not end in ``.svg``.
        """
        if not str(filename).endswith(".svg"):
            raise ValueError(f"the file name {str(filename)!r} must end in '.svg'")
        Path(filename).write_text(
            self.to_svg(color_theme=color_theme, scale=scale), encoding="utf-8"
        )

    def _repr_html_(self) -> str:
        return self.to_svg()


with contextlib.suppress(ImportError):  # flax is optional
    from flax import serialization

    _SAVED = [field.name for field in dataclasses.fields(State) if field.name != "_rules"]

    def _to_state_dict(state: State) -> dict[str, Any]:
        return {name: serialization.to_state_dict(getattr(state, name)) for name in _SAVED} | {
            "env_id": state.env_id
        }

    def _from_state_dict(target: State, saved: dict[str, Any]) -> State:
        if saved.get("env_id") != target.env_id:
            raise ValueError(
                f"the saved state belongs to {saved.get('env_id')!r}, not to {target.env_id!r}"
            )
        return target.replace(
            **{
                name: serialization.from_state_dict(getattr(target, name), saved[name], name=name)
                for name in _SAVED
                if name in saved  # v1 had no terminal observation
            }
        )

    serialization.register_serialization_state(State, _to_state_dict, _from_state_dict)


def _rules_to_bytes(static: tuple[Game]) -> bytes:
    """Encodes the static data of a ``State`` for ``jax.export``.

    Raises ValueError if the rules have no rule-set id.
    """
    (rules,) = static
    if make(rules.rule_set) != rules:
        raise ValueError(f"no rule-set id names {rules!r}: its states cannot be exported")
    return rules.rule_set.encode()


def _rules_from_bytes(rule_set: bytes | bytearray) -> tuple[Game]:
    return (make(bytes(rule_set).decode()),)


export.register_pytree_node_serialization(
    State,
    serialized_name="jaxsolve.State",
    serialize_auxdata=_rules_to_bytes,
    deserialize_auxdata=_rules_from_bytes,
)
