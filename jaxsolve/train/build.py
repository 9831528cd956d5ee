"""Builds the training loop (``Loop``) from settings."""

from __future__ import annotations

import functools
import math
from dataclasses import dataclass
from pathlib import Path
from typing import Any, get_args

import jax
import jax.numpy as jnp
import optax
from jax.sharding import Mesh

from jaxsolve.formats import problems
from jaxsolve.games.env import Env
from jaxsolve.games.game import Game
from jaxsolve.games.registry import make
from jaxsolve.networks import Architecture, Cost, Forward, Policy, Value, View, Within, finding
from jaxsolve.networks.forward import Dtype
from jaxsolve.train.config import NetworkSettings, Settings, TargetSettings, TrainSettings
from jaxsolve.train.learner import Learner
from jaxsolve.train.loop import Loop
from jaxsolve.train.search import TreeSearch
from jaxsolve.train.self_play import SelfPlay

LAST_SHARE = 0.01  # final learning rate of the cosine schedule, as a share of the first one
MOST: dict[str, int] = {
    "game.most_moves": 100_000,
    "network.blocks": 1000,
    "network.channels": 4096,
    "network.policy_channels": 256,
    "network.value_channels": 256,
    "network.value_hidden": 1 << 16,
    "network.cost_channels": 256,
    "network.cost_bins": 100_000,
    "network.within_channels": 256,
    "network.within_moves": 10_000,
    "search.simulations": 100_000,
    "train.seed": (1 << 32) - 1,
    "train.games": 1 << 20,
    "train.capacity": 1 << 30,
    "train.batch": 1 << 20,
    "train.updates": 1 << 20,
    "train.decay_steps": (1 << 31) - 1,
}
"""Upper limits of settings. Larger numbers would overflow integers or need too much memory."""


def loop(settings: Settings, mesh: Mesh | None = None) -> Loop:
    """Returns the training loop for ``settings``; ``mesh`` as in ``Loop``.

    Raises ValueError, with a message of one sentence, for an invalid setting.
    """
    game, network, targets = settings.game, settings.network, settings.targets
    _refuse_large(settings)
    if game.most_moves < 1:
        raise ValueError(f"game.most_moves={game.most_moves}: give a whole number from 1 on")
    if network.dtype not in get_args(Dtype):
        raise ValueError(f"network.dtype={network.dtype!r}: it may be float32 or bfloat16")
    rules = make(game.rules)
    shape = architecture(rules, network, targets)
    costly = costliest(game.most_moves, rules.num_actions)
    if shape.cost is not None and shape.cost.most <= costly:
        bins = bins_for(costly, network.cost_per_decade)
        raise ValueError(
            f"network.cost_bins={network.cost_bins}: games may cost 10^{costly:.0f}, and the last "
            f"bin is for what cannot be proved; give {bins}"
        )
    return loop_for(rules, shape, settings, mesh)


def loop_for(
    game: Game,
    shape: Architecture,
    settings: Settings,
    mesh: Mesh | None = None,
    extra: int = 0,
) -> Loop:
    """Returns the training loop for a game and an architecture; ``mesh``, ``extra`` as in ``Loop``.

    Of ``settings.game`` only ``most_moves`` is used, of ``settings.network`` only ``dtype``. Equal
    arguments give the same loop, with its compiled code. Raises ValueError for an invalid setting.
    """
    targets, search, train = settings.targets, settings.search, settings.train
    most_moves, dtype = settings.game.most_moves, settings.network.dtype
    searching = TreeSearch(
        env=Env(game, max_steps=most_moves, terminal_observation=False),
        forward=Forward(shape, dtype),  # pyright: ignore[reportArgumentType]  a name of settings
        goal=targets.goal,  # pyright: ignore[reportArgumentType]  checked there
        branching=targets.branching,  # pyright: ignore[reportArgumentType]
        simulations=search.simulations,
        policy=search.policy,  # pyright: ignore[reportArgumentType]
        considered=search.considered,
        value_scale=search.value_scale,
        stretched=search.stretched,
        noise=(search.noise_share, search.noise_concentration),
        temperature=search.temperature,
    )
    learner = Learner(game, shape, transform(train), train.augment)
    play = SelfPlay(searching, most_moves, targets.or_player)
    return _kept(
        Loop(play, learner, train.games, train.capacity, train.batch, train.updates, mesh, extra)
    )


def _refuse_large(settings: Settings) -> None:
    """Raises ValueError if a number exceeds its limit in ``MOST``, or if the seed is negative."""
    for name, most in MOST.items():
        group, field = name.split(".")
        value = getattr(getattr(settings, group), field)
        if value is not None and value > most:
            raise ValueError(f"{name}={value}: give at most {most}")
    if settings.train.seed < 0:
        raise ValueError(f"train.seed={settings.train.seed}: give a whole number from 0 on")


def costliest(most_moves: int, actions: int) -> float:
    """Returns log10 of the largest proof cost of a win in a game of ``most_moves`` moves.

    The loser makes at most half of the moves, rounded up. Each of them has ``actions`` choices.
    """
    return math.ceil(most_moves / 2) * math.log10(actions)


def bins_for(cost: float, per_decade: float) -> int:
    """Returns the smallest number of bins of a cost head for costs up to 10^``cost``.

    A factor of ten takes ``per_decade`` bins. The last bin is for positions that cannot be proved.
    """
    return math.floor(cost * per_decade) + 2


@functools.lru_cache(maxsize=4)
def _kept(loop: Loop) -> Loop:
    """Returns the first of equal loops, so that its compiled code is reused.

    The runs of a sweep often differ only in the seed.
    """
    return loop


def architecture(game: Game, network: NetworkSettings, targets: TargetSettings) -> Architecture:
    """Returns the architecture of a residual tower that has a head for each target.

    Raises ValueError if the targets include neither the value nor the cost, or if the game does not
    offer the network's view.
    """
    if network.view == "board" and network.boards != 1:
        raise ValueError(
            f"network.boards={network.boards}: network.view=board shows one; "
            "give history or colours"
        )
    return Architecture.of(
        game,
        View(network.view, network.boards),  # pyright: ignore[reportArgumentType]  checked there
        blocks=network.blocks,
        channels=network.channels,
        policy=Policy(network.policy_channels),
        value=Value(network.value_channels, network.value_hidden) if targets.value else None,
        cost=Cost(network.cost_channels, network.cost_bins, network.cost_per_decade)
        if targets.cost
        else None,
        within=None
        if targets.within is None
        else Within(network.within_channels, network.within_moves, targets.within),
    )


def first_params(name: str, learner: Learner) -> Any:
    """Returns the initial parameters of training: those of the network ``name``.

    ``name`` is a file, a run's folder or a shipped name (``networks.finding.find``). Raises
    ValueError if the network has another architecture than ``learner``, or if there is no such
    network; OSError.
    """
    assert isinstance(learner.architecture, Architecture)
    network, wanted = finding.find(name), learner.architecture.to_json()
    for part, found in network.architecture.to_json().items():
        if found != wanted[part]:
            raise ValueError(
                f"train.learn_on={name}: its {part} is {found}, the settings have {wanted[part]}"
            )
    return network.params


def transform(train: TrainSettings) -> Transform:
    """Returns a function that makes the optimizer.

    Raises ValueError for an unknown optimizer or a number out of range.
    """
    if train.optimizer not in ("sgd", "adam"):
        raise ValueError(f"train.optimizer={train.optimizer!r}: it may be sgd or adam")
    if not 0 < train.learning_rate < float("inf"):
        raise ValueError(f"train.learning_rate={train.learning_rate}: give a number above 0")
    if train.decay_steps is not None and train.decay_steps < 1:
        raise ValueError(f"train.decay_steps={train.decay_steps}: give a whole number from 1 on")
    strange = [
        step
        for step in train.drops
        if type(step) is not int or not 1 <= step <= MOST["train.decay_steps"]
    ]
    if strange or (train.drops and train.decay_steps is not None):
        raise ValueError(
            f"train.drops={list(train.drops)}: give whole numbers from 1 to "
            f"{MOST['train.decay_steps']}, and train.decay_steps=null"
        )
    if not 0 <= train.momentum < 1:
        raise ValueError(f"train.momentum={train.momentum}: give a number from 0 to below 1")
    if not 0 <= train.weight_decay < float("inf"):
        raise ValueError(f"train.weight_decay={train.weight_decay}: give a number from 0 on")
    return Transform(
        train.optimizer,
        train.learning_rate,
        train.decay_steps,
        tuple(train.drops),
        train.momentum,
        train.weight_decay,
    )


@dataclass(frozen=True)
class Transform:
    """Makes the optimizer, an ``optax.GradientTransformation``, when it is called.

    Equal ``Transform`` objects make equal optimizers.
    """

    optimizer: str  # sgd or adam
    rate: float
    decay_steps: int | None  # length of the cosine schedule of the rate; None: no schedule
    drops: tuple[int, ...]  # steps after which the rate is divided by ten
    momentum: float
    weight_decay: float  # applied to all weights except biases and normalisation

    def __call__(self) -> optax.GradientTransformation:
        if self.decay_steps is not None:
            rate = optax.cosine_decay_schedule(self.rate, self.decay_steps, LAST_SHARE)
        else:
            rate = (
                optax.piecewise_constant_schedule(self.rate, dict.fromkeys(self.drops, 0.1))
                if self.drops
                else self.rate
            )
        if self.optimizer == "adam":
            return optax.adamw(
                rate, b1=self.momentum, weight_decay=self.weight_decay, mask=_decaying
            )
        return optax.chain(
            optax.add_decayed_weights(self.weight_decay, _decaying),
            optax.sgd(rate, momentum=self.momentum),
        )


def _decaying(weights: Any) -> Any:
    return jax.tree.map(lambda leaf: leaf.ndim > 1, weights)


def starts(file: str | None, game: Game) -> Any:
    """Returns the positions of a problem file as a batch of the game's states; None without a file.

    Raises ValueError if a position belongs to another game, or if the game is over; OSError.
    """
    if file is None:
        return None
    return jax.tree.map(
        lambda *leaves: jnp.stack(leaves), *problems.starts(Path(file), game, "the run trains")
    )
