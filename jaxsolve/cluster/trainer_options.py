"""Options of a run whose network is trained meanwhile."""

from __future__ import annotations

import dataclasses
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from jaxsolve.core import strict_json
from jaxsolve.core.strict_json import shortened
from jaxsolve.games.registry import make
from jaxsolve.networks import Guide, Network, shipped

if TYPE_CHECKING:
    from jaxsolve.cluster.online_options import OnlineOptions
    from jaxsolve.games.game import Game

PLACES = ("own", "share")
LEARNED = ("cp", "sp", "cp+sp")
RENEWED = ("both", "manager", "workers")


@dataclass(frozen=True, kw_only=True)
class TrainerOptions:
    """Options of the trainer of a run. Raises ValueError for a value that is none.

    Args:
      place: "own": the trainer has a device or a core of its own. "share": it shares the device of
        workers, and has a lower priority on CPUs.
      learn: "cp": games begin at critical positions; "sp": batches contain solved positions;
        "cp+sp": both (Wu et al. 2023, Section 3.2).
      renew: whose weights are renewed: "both", "manager" or "workers" (Section 4.4).
      seconds: wall seconds between two updates, at least; 0: as fast as possible.
      given: other options of the trainer, texts KEY=VALUE with the fields of ``OnlineOptions``.
    """

    place: str = "own"
    learn: str = "cp"
    renew: str = "both"
    seconds: float = 10.0
    given: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        for name, allowed in {"place": PLACES, "learn": LEARNED, "renew": RENEWED}.items():
            if getattr(self, name) not in allowed:
                given = shortened(repr(getattr(self, name)))
                raise ValueError(f"{name}={given}: give one of {', '.join(allowed)}")
        if not 0 <= self.seconds < float("inf"):
            raise ValueError(f"seconds={self.seconds}: give a number of seconds, or 0")
        self.online()

    def online(self) -> OnlineOptions:
        """Returns the options of ``OnlineTrainer``.

        Raises ValueError if a library for training is not installed.
        """
        try:
            from jaxsolve.cluster.online_options import OnlineOptions  # imports what learns
        except ModuleNotFoundError as error:
            raise ValueError(
                f"the trainer needs {error.name}, which is not installed: "
                "pip install 'jaxsolve[learn]'"
            ) from None
        kinds = {each.name: str(each.type) for each in dataclasses.fields(OnlineOptions)}
        for name in ("critical", "solved", "starts"):
            del kinds[name]
        found: dict[str, Any] = {}
        for text in self.given:
            name, equals, value = text.partition("=")
            if not equals or name not in kinds or name in found:
                why = f"give {name} once" if name in found else f"give one of {', '.join(kinds)}"
                raise ValueError(f"{shortened(text)}: {why}")
            found[name] = _value(text, value, kinds[name])
        learned = self.learn.split("+")
        return OnlineOptions(critical="cp" in learned, solved="sp" in learned, **found)

    def check(self, network: Network, game: Game) -> None:
        """Raises ValueError if a network cannot be trained with these options."""
        from jaxsolve.train import build  # imports what learns

        network.check(game)
        online = self.online()
        settings = online.settings(network, game)
        build.loop_for(game, network.architecture, settings, extra=online.solved_in_batch)


_KINDS: dict[str, tuple[type, ...]] = {
    "int": (int,),
    "float": (int, float),
    "bool": (bool,),
    "str": (str,),
    "None": (type(None),),
}


def _value(text: str, value: str, kind: str) -> Any:
    """Returns the value of ``text``, KEY=VALUE, as the type ``kind``."""
    try:
        found = strict_json.loads(value)
    except (ValueError, RecursionError):
        found = value
    allowed = [each for name in kind.split(" | ") for each in _KINDS[name]]
    if type(found) not in allowed:
        raise ValueError(f"{shortened(text)}: give a value of the type {kind}, None as null")
    return found


def network_of(heads: Any, game: Game) -> Network:
    """Returns the network that a search of ``game`` uses, for the trainer.

    Args:
      heads: ``Settings.heads`` of the search.
      game: rules of the search.

    Raises ValueError if there is none, or if its architecture is not known.
    """
    return shipped.chosen(game) if isinstance(heads, shipped.AutoGuide) else _network(heads)


def refuse_unfit(options: TrainerOptions, heads: Any) -> None:
    """Raises ValueError if a run has no network that the trainer can train.

    A network that is chosen for each game is looked at when its game begins.
    """
    if not isinstance(heads, shipped.AutoGuide):
        network = _network(heads)
        options.check(network, make(network.game))


def _network(heads: Any) -> Network:
    if heads is None:
        raise ValueError("the trainer needs a network")
    if not isinstance(heads, Guide):
        raise ValueError(
            "the trainer needs a network whose architecture is known: a Guide in place of Heads"
        )
    return heads.network
