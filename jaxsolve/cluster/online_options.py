"""Options of the online trainer, and the settings of ``train`` that follow from them.

The numbers of the paper are those of Wu et al. 2023, "Game Solving with Online Fine-Tuning",
Sections 3.2 and 4.1, Appendix A.1. The defaults suit two cores.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

from jaxsolve.games.game import Game
from jaxsolve.networks import Network
from jaxsolve.train import build
from jaxsolve.train.config import (
    GameSettings,
    NetworkSettings,
    SearchSettings,
    Settings,
    TargetSettings,
    TrainSettings,
)
from jaxsolve.train.players import as_learned, goals_of, learned_settings

NUMBERS: dict[str, int] = {  # upper limits; the lower limit is 1
    "critical_positions": 1 << 20,
    "solved_positions": 1 << 20,
    "games": 1 << 16,
    "simulations": 10_000,
    "considered": 10_000,
    "batch": 1 << 20,
    "updates": 1 << 20,
    "capacity": 1 << 28,
    "most_moves": 100_000,
}


@dataclass(frozen=True, kw_only=True)
class OnlineOptions:
    """Options of ``OnlineTrainer``.

    Raises ValueError, with a message of one sentence, for a value out of range.
    """

    critical: bool = True  # games begin at critical positions (CP of the paper)
    solved: bool = True  # batches contain solved positions (SP of the paper)
    critical_positions: int = 1000  # the latest ones that are kept; paper: 1,000
    solved_positions: int = 1000  # the latest ones that are kept; paper: 1,000
    solved_share: float = 0.1  # share of solved positions in a batch; paper: 0.1
    # positions as text, where games begin while no critical position is known; (): the start
    starts: tuple[str, ...] = ()

    # ---- self-play
    # games played at the same time. An iteration plays ``most_moves`` moves in each of them; the
    # paper plays 2,000 games an iteration.
    games: int = 64
    # a longer game is cut off and not learned from. None: as in the network's own training, or as
    # many as the network's costs allow, at most two for each cell
    most_moves: int | None = None
    simulations: int = 16  # of a move; paper: 32
    considered: int = 16  # actions that a search samples at its root; paper: 16
    # cost, value or within (``train.goals``). None: as in the network's own training, else cost
    goal: str | None = None
    # 0 or 1. None: as in the network's own training, else drawn for each game. Paper: White, 1
    or_player: int | None = None
    # (``goals.moves_to_answer``); None: as in the network's own training, else heuristic
    branching: str | None = None

    # ---- learning
    capacity: int = 50_000  # positions of self-play that are kept, the latest ones
    batch: int = 128  # positions in a gradient step; paper: 1,024
    updates: int = 50  # gradient steps in an iteration; paper: 500
    optimizer: str = "sgd"  # sgd or adam; paper: sgd
    # Paper: 0.02, for a network of 256 channels and batches of 1,024. With it the policy loss of
    # the shipped 7x7 network rises from 1.59 to 1.88 in 13 iterations, with 0.002 to 1.55.
    learning_rate: float = 0.002
    momentum: float = 0.9
    weight_decay: float = 1e-4
    augment: bool = True  # transform each position by a random symmetry of the rules

    def __post_init__(self) -> None:
        for name, most in NUMBERS.items():
            value = getattr(self, name)
            if value is None and name == "most_moves":
                continue
            if type(value) is not int or not 1 <= value <= most:
                raise ValueError(f"{name}={value!r}: give a whole number from 1 to {most}")
        if not 0 < self.solved_share <= 1:
            raise ValueError(f"solved_share={self.solved_share}: give a number above 0, at most 1")
        if self.solved and not self.solved_in_batch:
            raise ValueError(
                f"solved_share={self.solved_share} of batch={self.batch} is less than one "
                "position: give more, or solved=False"
            )
        build.transform(self._train())

    @property
    def solved_in_batch(self) -> int:
        """Number of solved positions in a batch; 0 without solved positions."""
        return round(self.solved_share * self.batch) if self.solved else 0

    def settings(self, network: Network, game: Game) -> Settings:
        """Returns the settings of training from ``network``.

        Raises ValueError if the network has no head for the goal, or for more moves than its costs
        allow.
        """
        goal = self.goal or _learned_goal(network)
        learned: dict[str, Any] = {"branching": "heuristic"} | as_learned(network, goal)
        branching = self.branching or learned.pop("branching")
        learned.pop("branching", None)
        return Settings(
            game=GameSettings(rules=game.rule_set, most_moves=self._moves(network, game)),
            network=NetworkSettings(),
            targets=TargetSettings(
                goal=goal, branching=branching, or_player=self._or_player(network)
            ),
            search=SearchSettings(
                simulations=self.simulations, considered=self.considered, **learned
            ),
            train=self._train(),
        )

    # ---- inside ----------------------------------------------------------------------------------
    def _train(self) -> TrainSettings:
        return TrainSettings(
            games=self.games,
            capacity=self.capacity,
            batch=self.batch,
            updates=self.updates,
            optimizer=self.optimizer,
            learning_rate=self.learning_rate,
            momentum=self.momentum,
            weight_decay=self.weight_decay,
            augment=self.augment,
        )

    def _or_player(self, network: Network) -> int | None:
        learned = learned_settings(network, "targets").get("or_player")
        return self.or_player if self.or_player is not None or learned not in (0, 1) else learned

    def _moves(self, network: Network, game: Game) -> int:
        allowed = _allowed_moves(network, game)
        if self.most_moves is None:
            learned = learned_settings(network, "game").get("most_moves")
            shape = network.architecture
            known = learned if isinstance(learned, int) else 2 * shape.height * shape.width
            return max(min(known, allowed, NUMBERS["most_moves"]), 1)
        if self.most_moves > allowed:
            raise ValueError(
                f"most_moves={self.most_moves}: the costs of {network.name} are enough for games "
                f"of {allowed} moves"
            )
        return self.most_moves


def _allowed_moves(network: Network, game: Game) -> int:
    """Returns the longest games whose costs are below the last bin of the network."""
    cost = network.architecture.cost
    if cost is None:
        return NUMBERS["most_moves"]
    answers = math.ceil(cost.most / math.log10(max(game.num_actions, 2)))
    return max(2 * (answers - 1), 1)


def _learned_goal(network: Network) -> str:
    """Returns the goal of the network's own training, or else ``cost`` before ``value``."""
    goals = goals_of(network)
    learned = learned_settings(network, "targets").get("goal")
    return learned if learned in goals else "cost" if "cost" in goals else goals[0]
