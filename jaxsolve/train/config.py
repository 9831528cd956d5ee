"""Settings of ``jaxsolve train``, with types, meanings and defaults.

The YAML files of ``configs/`` hold values of these settings in groups. This module does not read
them.
"""

from __future__ import annotations

import dataclasses
from dataclasses import dataclass, field
from typing import Any, List, Optional

# OmegaConf reads these annotations. It supports Optional[int], but not Literal, so a name is
# checked by the code that uses it.
# ruff: noqa: UP006, UP035, UP045


@dataclass
class GameSettings:
    """The game that is learned, and the positions where its games start."""

    name: str = "hex5"  # part of the run's name
    rules: str = "hex-5"  # rule-set id, as 'jaxsolve games' lists them
    most_moves: int = 25  # a longer game is cut off and not used for learning
    starts: Optional[str] = None  # a problem file: games begin at its positions, drawn uniformly


@dataclass
class NetworkSettings:
    """The residual tower, and the sizes of the heads (a target needs its head)."""

    blocks: int = 3
    channels: int = 32
    view: str = "board"  # input of the network (``networks.View``): board, history or colours
    boards: int = 1  # number of latest boards in the input, for history and colours
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
    """What the network learns, and what the searches of self-play aim at."""

    name: str = "pcn"  # part of the run's name
    goal: str = "cost"  # goal of the searches (``train.goals``): cost, value or within
    value: bool = False  # learn the result (AlphaZero)
    cost: bool = True  # learn proof costs (Wu et al. 2022)
    within: Optional[int] = None  # learn how soon this player, 0 or 1, wins (Shih et al. 2022)
    # how costs count the other side's moves (``goals.moves_to_answer``): max, legal or heuristic
    branching: str = "heuristic"
    # player whose proof costs count in self-play: 0, 1, or null to draw it for each game
    or_player: Optional[int] = None


@dataclass
class SearchSettings:
    """The search that chooses the moves of self-play."""

    policy: str = "gumbel"  # gumbel or puct
    simulations: int = 32
    considered: int = 16  # moves that the root of a Gumbel search considers at first
    value_scale: float = 1.0  # weight of values against priors in a Gumbel search
    # whether values are first rescaled to [0, 1] among a node's moves; must be true if goal=cost
    stretched: bool = True
    noise_share: float = 0.25  # share of Dirichlet noise in the priors at a PUCT search's root
    noise_concentration: float = 0.2  # concentration of the Dirichlet noise
    temperature: float = 1.0  # with which a PUCT search draws its move from the visit counts


@dataclass
class TrainSettings:
    """The length of the run, and the settings of self-play and learning."""

    seed: int = 0
    # network with which training begins (a file, a run's folder, a shipped name); null: a new one
    learn_on: Optional[str] = None
    # an iteration is a call of self-play (most_moves moves of every game) and 'updates' steps
    iterations: int = 200
    games: int = 64  # games played at the same time, on all devices together
    capacity: int = 100_000  # positions in the replay
    batch: int = 256  # positions in a gradient step
    updates: int = 64  # gradient steps in an iteration
    optimizer: str = "sgd"  # sgd (with momentum) or adam
    learning_rate: float = 0.02
    # gradient steps in which the rate falls to a hundredth along a cosine; null: no cosine
    decay_steps: Optional[int] = None
    # gradient steps after which the rate is divided by ten
    drops: List[int] = field(default_factory=list)
    momentum: float = 0.9
    # factor of the decay of weights: L2 regularisation with sgd, decoupled (AdamW) with adam
    weight_decay: float = 1e-4
    augment: bool = True  # transform each position by a random symmetry of the rules
    checkpoint_every: int = 10  # iterations between checkpoints
    keep: int = 2  # number of latest checkpoints that are kept; all networks are kept
    hours: Optional[float] = None  # the run ends after this many hours, with a checkpoint


@dataclass
class Settings:
    """All settings of ``jaxsolve train``."""

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
        """Returns the settings that results depend on, as plain JSON values.

        Excluded are names, the folder, ``distributed``, and the settings of the run's length and
        checkpoints.
        """
        everything = dataclasses.asdict(self)
        for name in ("name", "out", "distributed"):
            del everything[name]
        del everything["game"]["name"], everything["targets"]["name"]
        for name in ("iterations", "checkpoint_every", "keep", "hours"):
            del everything["train"][name]
        return everything
