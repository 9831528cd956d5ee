"""Messages between the manager and the trainer: positions, and what the trainer has done.

Positions are JSON. An answer is a message of weights (``weights.Weights``) with the trainer's
figures, or a line of JSON with the reason of a failure. Both sides check what they receive.
"""

from __future__ import annotations

import dataclasses
import json
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any, NamedTuple

from jaxsolve.cluster.messages import split
from jaxsolve.cluster.weights import Weights
from jaxsolve.core.strict_json import shortened

MOST_BYTES = 60_000
"""Bytes of the positions in a message."""


class SolvedPosition(NamedTuple):
    """A position whose winner is known. The fields are those of ``train.solved.Solved``."""

    position: str  # as text
    or_player: int  # 0 or 1
    proved: bool  # whether this player wins
    move: int | None = None  # a winning move of the side to move; None: unknown, or it loses


class Positions(NamedTuple):
    """Positions for the trainer, oldest first."""

    critical: list[str]  # as text
    solved: list[SolvedPosition]

    def encode(self) -> bytes:
        """Returns the positions as JSON."""
        return json.dumps({"critical": self.critical, "solved": self.solved}).encode()

    @classmethod
    def decode(cls, message: bytes) -> Positions:
        """Returns the positions of a message. Raises ValueError if it is none.

        Whether they are positions of the game is left to ``OnlineTrainer``.
        """
        head, _ = split(message)
        critical: Any = head.get("critical")
        solved: Any = head.get("solved")
        if head.keys() != {"critical", "solved"}:
            raise ValueError("the message has no critical or no solved positions")
        if not _all(critical, lambda each: isinstance(each, str)) or not _all(solved, _is_solved):
            raise ValueError("the message has positions that are none")
        return cls(critical, [SolvedPosition(*each) for each in solved])


def _all(values: Any, fits: Any) -> bool:
    return isinstance(values, list) and all(map(fits, values))


def _is_solved(value: Any) -> bool:
    if not isinstance(value, list) or len(value) != len(SolvedPosition._fields):
        return False
    position, player, proved, move = value
    return (
        isinstance(position, str)
        and type(player) is int
        and type(proved) is bool
        and (move is None or type(move) is int)
    )


@dataclass(frozen=True)
class TrainerFigures:
    """What a trainer has done since it was started."""

    iterations: int = 0
    games: int = 0  # that ended
    steps: int = 0  # gradient steps
    critical: int = 0  # critical positions that it keeps
    solved: int = 0  # solved positions that it keeps
    refused: int = 0  # positions that it has refused
    cpu_seconds: float = 0.0
    failure: str = ""  # what went wrong last: an iteration, or saving
    # Of the last iteration: ``loss_HEAD``, ``loss_total``, ``length`` of games and others
    # (``Update.losses``, ``Update.played``).
    measured: dict[str, float] = field(default_factory=dict)

    @classmethod
    def checked(cls, values: Any) -> TrainerFigures:
        """Returns the figures from JSON values. Raises ValueError if they are none."""
        fields = {each.name: each.type for each in dataclasses.fields(cls)}
        if not isinstance(values, dict) or values.keys() != fields.keys():
            raise ValueError("the trainer's figures have other fields")
        for name, kind in fields.items():
            value, fits = values[name], False
            if kind == "int":
                fits = type(value) is int and 0 <= value < 1 << 62
            elif kind == "float":
                fits = _is_number(value) and value >= 0
            elif kind == "str":
                fits = isinstance(value, str)
            else:
                fits = isinstance(value, dict) and all(map(_is_number, value.values()))
            if not fits:
                raise ValueError(f"{name} of the trainer is {shortened(repr(value))}")
        return cls(**values)


def _is_number(value: Any) -> bool:
    return type(value) in (int, float) and abs(value) < 1e300


class Answer(NamedTuple):
    """An iteration of the trainer."""

    figures: TrainerFigures
    weights: Weights | None  # None: the iteration failed

    def encode(self) -> bytes:
        """Returns a line of JSON, and the numbers of the weights."""
        figures = dataclasses.asdict(self.figures)
        if self.weights is None:
            return json.dumps({"figures": figures}).encode()
        return self.weights.encode(figures=figures)

    @classmethod
    def decode(cls, message: bytes) -> Answer:
        """Returns the answer of a message. Raises ValueError if it is none, or is damaged."""
        head, data = split(message)
        if head.keys() == {"figures"} and not data:
            return cls(TrainerFigures.checked(head["figures"]), None)
        weights, head = Weights.decode(message)
        return cls(TrainerFigures.checked(head.get("figures")), weights)


def limited(texts: Sequence[str | None], most: int) -> int:
    """Returns how many of the texts, from the first on, fit into ``most`` bytes of JSON."""
    size = 0
    for number, text in enumerate(texts):
        size += len(json.dumps(text)) + 40  # commas, and the other fields of a solved position
        if size > most:
            return number
    return len(texts)
