"""Networks that come with the package: files ``NAME.npz``, each with a card ``NAME.md`` that tells how it was made and what it is worth."""

from __future__ import annotations

import difflib
import functools
from dataclasses import dataclass
from pathlib import Path

from jaxsolve.games.game import Game
from jaxsolve.networks.forward import Dtype
from jaxsolve.networks.heads import Heads
from jaxsolve.networks.network import SUFFIX, Guide, Network

AUTO = "auto"
FOR_PLAY = ("gomoku15-4t-pcn",)
"""Those that play well and do not help to solve, as their cards say: searches without them solve more, so ``auto`` leaves them out."""


def shipped() -> dict[str, Path]:
    """Their files by name, sorted."""
    return {file.stem: file for file in sorted(Path(__file__).parent.glob(f"*{SUFFIX}"))}


@functools.cache
def load(name: str) -> Network:
    """The shipped network of a name. Raises ValueError, with the nearest name, where there is none."""
    files = shipped()
    if name not in files:
        near = difflib.get_close_matches(name, files, n=1) or [", ".join(files) or "none"]
        raise ValueError(
            f"no network {name!r} comes with jaxsolve; there is {near[0]}, and a file's name ends in {SUFFIX}"
        )
    return Network.load(files[name])


def fitting(game: Game) -> Network | None:
    """The shipped network for a game: one that learned by its rules, else one that learned what comes to the same and fits."""
    networks = [load(name) for name in shipped() if name not in FOR_PLAY]
    networks.sort(
        key=lambda network: network.architecture.cost is None
    )  # the cards: costs solve more
    same = [network for network in networks if network.game == game.rule_set]
    akin = [network for network in networks if _kind(network.game) == _kind(game.rule_set)]
    return next((network for network in same + akin if _fits(network, game)), None)


def _fits(network: Network, game: Game) -> bool:
    try:
        network.architecture.check(game)
    except ValueError:
        return False
    return True


def _kind(rules: str) -> str:
    """The base name of rules. Whether White lives anywhere on the board, as life and death can ask, is Killall-Go's question."""
    base, *options = rules.split(";")
    if base.startswith("tsumego-") and {
        "goal=live",
        "defender=white",
        "crucial=any",
        "region=all",
    } <= set(options):
        return base.replace("tsumego-", "killallgo-")
    return base


def chosen(game: Game) -> Network:
    """As ``fitting``. Raises ValueError, with those that can be asked by name, where none fits."""
    network = fitting(game)
    if network is None:
        able = [name for name in shipped() if _fits(load(name), game)]
        why = (
            "it plays, but helps no search to solve"
            if set(able) <= {*FOR_PLAY}
            else "having learned another question on such boards"
        )
        hint = f"; {' or '.join(able)} can be asked by name, {why}" if able else ""
        raise ValueError(
            f"no network for this question of {game.rule_set.split(';')[0]} comes with jaxsolve (see 'jaxsolve networks'){hint}"
        )
    return network


@dataclass(frozen=True)
class AutoGuide:
    """``--network auto``: for each game the shipped network that fits."""

    averaged: bool = False
    dtype: Dtype = "float32"

    def heads(self, game: Game) -> Heads:
        """As ``Guide.heads``. Raises ValueError where none fits."""
        return Guide(chosen(game), self.averaged, self.dtype).heads(game)
