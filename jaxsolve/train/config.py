"""Settings of ``jaxsolve train``: types, defaults and descriptions.

The YAML files of ``configs/`` hold values of these settings in groups. This module does not read
them.
"""

from __future__ import annotations

import dataclasses
from dataclasses import dataclass, field
from typing import Any, List, Optional

# OmegaConf reads these annotations. It supports Optional[int], but not Literal. The code that uses
# a name therefore checks it.
# ruff: noqa: UP006, UP035, UP045


@dataclass
class GameSettings:
    """The game that is learned, and the start positions of self-play."""

    name: str = "hex5"  # part of the run's name
    rules: str = "hex-5"  # rule-set id ('jaxsolve games' lists all)
    most_moves: int = 25  # a longer game is cut off and not used for learning
    starts: Optional[str] = None  # a problem file: games begin at its positions, drawn uniformly


@dataclass
class NetworkSettings:
    """The residual tower, and the sizes of the heads. Each target has a head."""

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
    """The targets that the network learns, and the goal of the searches in self-play."""

    name: str = "pcn"  # part of the run's name
    goal: str = "cost"  # goal of the searches (``train.goals``): cost, value or within
    value: bool = False  # learn the result (AlphaZero)
    cost: bool = True  # learn proof costs (Wu et al. 2022)
    # learn the number of moves to a win of this player, 0 or 1 (Shih et al. 2022); null: not
    within: Optional[int] = None
    # count of the other side's moves in costs (``goals.moves_to_answer``): max, legal or heuristic
    branching: str = "heuristic"
    # player whose proof costs count in self-play: 0, 1, or null to draw it for each game
    or_player: Optional[int] = None


@dataclass
class SearchSettings:
    """The search that chooses the moves of self-play."""

    policy: str = "gumbel"  # gumbel or puct
    simulations: int = 32
    considered: int = 16  # number of actions that a Gumbel search samples at its root
    value_scale: float = 1.0  # weight of values against priors in a Gumbel search
    # whether the values of a node's moves are first rescaled to [0, 1]; must be true if goal=cost
    stretched: bool = True
    noise_share: float = 0.25  # share of Dirichlet noise in the priors at a PUCT search's root
    noise_concentration: float = 0.2  # concentration of the Dirichlet noise
    temperature: float = 1.0  # a PUCT search draws its move from visits^(1 / temperature)


@dataclass
class TrainSettings:
    """The length of the run, and the settings of self-play and learning."""

    seed: int = 0
    # initial network (a file, a run's folder, a shipped name); null: random weights
    learn_on: Optional[str] = None
    # an iteration is one call of self-play (most_moves moves in every game) and 'updates' steps
    iterations: int = 200
    games: int = 64  # games played at the same time, on all devices together
    capacity: int = 100_000  # positions in the replay
    batch: int = 256  # positions in a gradient step
    updates: int = 64  # gradient steps in an iteration
    optimizer: str = "sgd"  # sgd (with momentum) or adam
    learning_rate: float = 0.02
    # gradient steps of a cosine schedule that reduces the rate to a hundredth; null: no schedule
    decay_steps: Optional[int] = None
    # gradient steps after which the rate is divided by ten
    drops: List[int] = field(default_factory=list)
    momentum: float = 0.9
    # weight decay: L2 regularisation with sgd, decoupled weight decay (AdamW) with adam
    weight_decay: float = 1e-4
    augment: bool = True  # transform each position by a random symmetry of the rules
    checkpoint_every: int = 10  # iterations between checkpoints
    keep: int = 2  # number of latest checkpoints that are kept; all networks are kept
    hours: Optional[float] = None  # time limit in hours; the run then ends with a checkpoint


@dataclass
class Settings:
    """All settings of ``jaxsolve train``."""

    name: str = "hex5-pcn"
    # the run's folder, or its URL (gs://...); running the same command again continues the run
    out: str = "runs/hex5-pcn-0"
    distributed: bool = False  # several processes, each with its own devices; see launch/
    game: GameSettings = field(default_factory=GameSettings)
    network: NetworkSettings = field(default_factory=NetworkSettings)
    targets: TargetSettings = field(default_factory=TargetSettings)
    search: SearchSettings = field(default_factory=SearchSettings)
    train: TrainSettings = field(default_factory=TrainSettings)

    def question(self) -> dict[str, Any]:
        """Returns the settings that results depend on, as plain JSON values.

        Names, the folder, ``distributed``, and the settings for the length of the run and for
        checkpoints are excluded.
        """
        everything = dataclasses.asdict(self)
        for name in ("name", "out", "distributed"):
            del everything[name]
        del everything["game"]["name"], everything["targets"]["name"]
        for name in ("iterations", "checkpoint_every", "keep", "hours"):
            del everything["train"][name]
        return everything
