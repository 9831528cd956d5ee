"""Settings of ``jaxsolve train``, with types, meanings and defaults.

``configs/`` holds values for them by group; this module does not read it.
"""

from __future__ import annotations

import dataclasses
from dataclasses import dataclass, field
from typing import Any, List, Optional

# OmegaConf reads these annotations; it knows Optional[int], but not Literal. Names are checked
# where they are used.
# ruff: noqa: UP006, UP035, UP045


@dataclass
class GameSettings:
    """The game, and where its games start."""

    name: str = "hex5"  # part of the run's name
    rules: str = "hex-5"  # rule-set id, as 'jaxsolve games' lists them
    most_moves: int = 25  # a longer game is cut off, and not learned from
    starts: Optional[str] = None  # a problem file: games begin at its positions, drawn uniformly


@dataclass
class NetworkSettings:
    """The tower, and the sizes of the heads that the targets need."""

    blocks: int = 3
    channels: int = 32
    view: str = "board"  # its input: board, history or colours
    boards: int = 1  # latest boards in the input, for history and colours
    policy_channels: int = 2
    value_channels: int = 1
    value_hidden: int = 64
    cost_channels: int = 2
    cost_bins: int = 100
    cost_per_decade: float = 1.0
    within_channels: int = 2
    within_moves: int = 30
    dtype: str = "float32"  # arithmetic of self-play, float32 or bfloat16; learning uses float32


@dataclass
class TargetSettings:
    """The targets of learning, and the goal of self-play."""

    name: str = "pcn"  # part of the run's name
    goal: str = "cost"  # goal of the searches: cost, value or within
    value: bool = False  # learn the result (AlphaZero)
    cost: bool = True  # learn proof costs (Wu et al. 2022)
    within: Optional[int] = None  # learn how soon this player, 0 or 1, wins (Shih et al. 2022)
    # moves of the other side that a proof must answer: max, legal or heuristic
    branching: str = "heuristic"
    # whose proof costs count in self-play: 0, 1, or null for either
    or_player: Optional[int] = None


@dataclass
class SearchSettings:
    """The search of self-play."""

    policy: str = "gumbel"  # gumbel or puct
    simulations: int = 32
    considered: int = 16  # moves that the root of a Gumbel search considers at first
    value_scale: float = 1.0  # weight of values against priors in a Gumbel search
    # rescale values to [0, 1] among a node's moves first; false: do not (not with goal=cost)
    stretched: bool = True
    noise_share: float = 0.25  # of Dirichlet noise at the root of a PUCT search
    noise_concentration: float = 0.2
    temperature: float = 1.0  # with which a PUCT search draws its move


@dataclass
class TrainSettings:
    """The length of the run, and how it learns."""

    seed: int = 0
    # a network to begin with (a file, a run's folder, a shipped name); null: a new one
    learn_on: Optional[str] = None
    # one is a call of self-play, most_moves of every game, and 'updates' steps of learning
    iterations: int = 200
    games: int = 64  # side by side, over all devices
    capacity: int = 100_000  # positions in the replay
    batch: int = 256
    updates: int = 64
    optimizer: str = "sgd"  # sgd (with momentum) or adam
    learning_rate: float = 0.02
    # steps in which the rate falls to a hundredth along a cosine; null: constant
    decay_steps: Optional[int] = None
    # steps after which the rate is divided by ten
    # Steps after which the rate is divided by ten.
    drops: List[int] = field(default_factory=list)
    momentum: float = 0.9
    # times a weight, added to its gradient; with adam, subtracted from it, times the rate
    weight_decay: float = 1e-4
    augment: bool = True  # transform each position by a random symmetry of the rules
    checkpoint_every: int = 10  # iterations
    keep: int = 2  # latest checkpoints; all networks stay
    hours: Optional[float] = None  # end after this many hours, at a checkpoint


@dataclass
class Settings:
    """All settings."""

    name: str = "hex5-pcn"
    # the run's folder, or its URL (gs://...); the same command continues the run
    out: str = "runs/hex5-pcn-0"
    distributed: bool = False  # several processes, each with its own devices; see launch/
    game: GameSettings = field(default_factory=GameSettings)
    network: NetworkSettings = field(default_factory=NetworkSettings)
    targets: TargetSettings = field(default_factory=TargetSettings)
    search: SearchSettings = field(default_factory=SearchSettings)
    train: TrainSettings = field(default_factory=TrainSettings)

    def question(self) -> dict[str, Any]:
        """The settings that results depend on, as plain JSON.

        Names, folder, processes and the length of the run are not among them.
        """
        everything = dataclasses.asdict(self)
        for name in ("name", "out", "distributed"):
            del everything[name]
        del everything["game"]["name"], everything["targets"]["name"]
        for name in ("iterations", "checkpoint_every", "keep", "hours"):
            del everything["train"][name]
        return everything
