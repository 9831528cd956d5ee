"""What a run of training is told: the settings of ``jaxsolve train``, with their types, meanings and defaults.

``configs/`` holds values for them, group by group; nothing here knows how they are read.
"""

from __future__ import annotations

import dataclasses
from dataclasses import dataclass, field
from typing import Any, List, Optional

# OmegaConf reads these annotations; it knows Optional[int], but not Literal. What a word may be is checked where it is used.
# ruff: noqa: UP006, UP035, UP045


@dataclass
class GameSettings:
    """Which game is played, and from where."""

    name: str = "hex5"  # of the run's folder
    rules: str = "hex-5"  # rule-set id, as 'jaxsolve games' lists them
    most_moves: int = 25  # a longer game is cut off, and not learned from
    starts: Optional[str] = None  # a problem file: games begin at its positions, drawn evenly


@dataclass
class NetworkSettings:
    """The tower, and the sizes of the heads that the targets ask for."""

    blocks: int = 3
    channels: int = 32
    view: str = "board"  # what it is shown: board, history or colours
    boards: int = 1  # the last so many of them, for history and colours
    policy_channels: int = 2
    value_channels: int = 1
    value_hidden: int = 64
    cost_channels: int = 2
    cost_bins: int = 100
    cost_per_decade: float = 1.0
    within_channels: int = 2
    within_moves: int = 30
    dtype: str = (
        "float32"  # of the arithmetic of self-play, float32 or bfloat16; learning is in float32
    )


@dataclass
class TargetSettings:
    """What is learned, and what self-play goes by."""

    name: str = "pcn"  # of the run's folder
    goal: str = "cost"  # what searches go by: cost, value or within
    value: bool = False  # learn the result (AlphaZero)
    cost: bool = True  # learn proof costs (Wu et al. 2022)
    within: Optional[int] = None  # learn how soon this player, 0 or 1, wins (Shih et al. 2022)
    branching: str = (
        "heuristic"  # moves of the other side that a proof must answer: max, legal or heuristic
    )
    or_player: Optional[int] = (
        None  # whose proof costs count in self-play: 0, 1, or null for either in turn
    )


@dataclass
class SearchSettings:
    """The search of self-play."""

    policy: str = "gumbel"  # gumbel or puct
    simulations: int = 32
    considered: int = 16  # moves that the root of a Gumbel search tries at first
    value_scale: float = 1.0  # what a Gumbel search weighs values by, beside the priors
    stretched: bool = True  # values are stretched to [0, 1] among a node's moves before that; false: taken as they are (not by costs)
    noise_share: float = 0.25  # of Dirichlet noise at the root of a PUCT search
    noise_concentration: float = 0.2
    temperature: float = 1.0  # with which a PUCT search draws its move


@dataclass
class TrainSettings:
    """How much, and how it learns."""

    seed: int = 0
    learn_on: Optional[str] = (
        None  # a network to begin with (a file, a run's folder, a shipped name); null: a new one
    )
    iterations: int = (
        200  # one is a call of self-play, most_moves of every game, and 'updates' steps of learning
    )
    games: int = 64  # side by side, over all devices
    capacity: int = 100_000  # positions in the replay
    batch: int = 256
    updates: int = 64
    optimizer: str = "sgd"  # with momentum, or adam
    learning_rate: float = 0.02
    decay_steps: Optional[int] = (
        None  # steps over which the rate falls to a hundredth of itself, along a cosine; null: it stays
    )
    drops: List[int] = field(
        default_factory=list
    )  # steps after which the rate falls to a tenth of itself
    momentum: float = 0.9
    weight_decay: float = 1e-4  # share of a weight that is added to its gradient; with adam, that it loses at each step, times the rate
    augment: bool = True  # turn each position by a symmetry of the rules, drawn anew each time
    checkpoint_every: int = 10  # iterations
    keep: int = 2  # latest checkpoints; the networks of all stay
    hours: Optional[float] = None  # end after so many hours of the clock, at a checkpoint


@dataclass
class Settings:
    """All of them."""

    name: str = "hex5-pcn"
    out: str = "runs/hex5-pcn-0"  # the run's folder; the same command goes on in it
    distributed: bool = False  # several processes, each with its own devices; see launch/
    game: GameSettings = field(default_factory=GameSettings)
    network: NetworkSettings = field(default_factory=NetworkSettings)
    targets: TargetSettings = field(default_factory=TargetSettings)
    search: SearchSettings = field(default_factory=SearchSettings)
    train: TrainSettings = field(default_factory=TrainSettings)

    def question(self) -> dict[str, Any]:
        """What a run's numbers depend on, as plain JSON: not its names, its folder and its processes, nor how long it goes on."""
        everything = dataclasses.asdict(self)
        for name in ("name", "out", "distributed"):
            del everything[name]
        del everything["game"]["name"], everything["targets"]["name"]
        for name in ("iterations", "checkpoint_every", "keep", "hours"):
            del everything["train"][name]
        return everything
