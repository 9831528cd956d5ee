"""Networks that come with the package: files ``NAME.npz``, each with a card ``NAME.md``.

A card documents how its network was made and how the network performs.
"""

from __future__ import annotations

import functools
from dataclasses import dataclass
from pathlib import Path

from jaxsolve.core import spelling
from jaxsolve.games.game import Game
from jaxsolve.networks.forward import Dtype
from jaxsolve.networks.heads import Heads
from jaxsolve.networks.network import SUFFIX, Guide, Network

AUTO = "auto"
FOR_PLAY = ("gomoku15-4t-pcn",)
"""Networks that are meant for play. ``auto`` does not choose them, because searches solve fewer
problems with them (see their cards).
"""


def shipped() -> dict[str, Path]:
    """Returns the files of the shipped networks by name, sorted."""
    return {file.stem: file for file in sorted(Path(__file__).parent.glob(f"*{SUFFIX}"))}


@functools.cache
def load(name: str) -> Network:
    """Returns the shipped network of a name.

    Raises ValueError if there is no such network. The message has the most similar name.
    """
    files = shipped()
    if name not in files:
        near = spelling.nearest(name, files)
        right = f"there are {', '.join(files) or 'none'}" if near is None else f"there is {near}"
        raise ValueError(
            f"no network {name!r} comes with jaxsolve; {right}, and a file's name ends in {SUFFIX}"
        )
    return Network.load(files[name])


def fitting(game: Game) -> Network | None:
    """Returns the shipped network for a game; None if there is none.

    A network for the same rules is preferred. The second choice is a network for equivalent rules
    with a fitting shape.
    """
    networks = [load(name) for name in shipped() if name not in FOR_PLAY]
    # Networks with costs come first, because they solve more (see the cards).
    networks.sort(key=lambda network: network.architecture.cost is None)
    same = [network for network in networks if network.game == game.rule_set]
    akin = [network for network in networks if _kind(network.game) == _kind(game.rule_set)]
    return next((network for network in same + akin if _fits(network, game)), None)


def _fits(network: Network, game: Game) -> bool:
    try:
        network.architecture.check(game)
    except ValueError:
        return False
    return True


def _kind(rule_set: str) -> str:
    """Returns the base name of a rule-set id; equivalent rules have equal base names.

    A rule set of ``tsumego-N`` whose question is whether White lives anywhere on the board is
    equivalent to Killall-Go. Its result is ``killallgo-N``.
    """
    base, *options = rule_set.split(";")
    if base.startswith("tsumego-") and {
        "goal=live",
        "defender=white",
        "crucial=any",
        "region=all",
    } <= set(options):
        return base.replace("tsumego-", "killallgo-")
    return base


def chosen(game: Game) -> Network:
    """Returns the shipped network for a game, like ``fitting``.

    Raises ValueError if there is none. The message lists the networks that fit by shape.
    """
    network = fitting(game)
    if network is None:
        able = [name for name in shipped() if _fits(load(name), game)]
        why = (
            "made for play, with which no search solves more"
            if set(able) <= {*FOR_PLAY}
            else "trained on another question on such boards"
        )
        hint = f"; {' or '.join(able)} can be given by name, {why}" if able else ""
        raise ValueError(
            f"no network for this question of {game.rule_set.split(';')[0]} comes with jaxsolve "
            f"(see 'jaxsolve networks'){hint}"
        )
    return network


@dataclass(frozen=True)
class AutoGuide:
    """The choice of ``--network auto``: for each game the shipped network that fits."""

    averaged: bool = False  # as in ``Guide``
    dtype: Dtype = "float32"

    def heads(self, game: Game) -> Heads:
        """Returns the chosen network for searches of ``game``. Raises ValueError if none fits."""
        return Guide(chosen(game), self.averaged, self.dtype).heads(game)
