"""Options of ``cluster solve`` for a network that is trained during the search."""

from __future__ import annotations

import enum
from dataclasses import dataclass
from typing import TYPE_CHECKING, Annotated

import typer

from jaxsolve.commands import failure
from jaxsolve.commands.interface import options

if TYPE_CHECKING:
    from jaxsolve.cluster.trainer_options import TrainerOptions


class Place(enum.StrEnum):
    """Where the trainer runs."""

    off = "off"
    own = "own"
    share = "share"


class Learn(enum.StrEnum):
    """What the trainer learns from, besides its games."""

    critical = "cp"
    solved = "sp"
    both = "cp+sp"


class Renew(enum.StrEnum):
    """Whose weights are renewed."""

    both = "both"
    manager = "manager"
    workers = "workers"


@dataclass(frozen=True, kw_only=True)
class OnlineTrainingOptions:
    """A trainer that refines the network during the search."""

    trainer: Annotated[
        Place,
        typer.Option(
            "--trainer",
            parser=options.one_of(Place),
            help="Train the network of --network during the search. own: on a device of its own; "
            "share: on that of workers, on CPUs with a lower priority.",
        ),
    ] = Place.off
    learn: Annotated[
        Learn,
        typer.Option(
            "--learn",
            parser=options.one_of(Learn),
            help="cp: games of the trainer begin at unsolved leaves of the search; sp: its batches "
            "contain solved positions.",
        ),
    ] = Learn.critical
    renew: Annotated[
        Renew,
        typer.Option(
            "--renew",
            parser=options.one_of(Renew),
            help="Whose weights the trainer renews.",
        ),
    ] = Renew.both
    trainer_seconds: Annotated[
        float,
        typer.Option(
            "--trainer-seconds",
            min=0,
            metavar="S",
            help="Seconds between two updates of the weights, at least.",
        ),
    ] = 10.0
    trainer_set: Annotated[
        str | None,
        typer.Option(
            "--trainer-set",
            metavar="KEY=VALUE",
            help="Option of the trainer, or several joined by ';': games, simulations, batch, "
            "updates, learning_rate and others.",
        ),
    ] = None

    def chosen(self, as_json: bool) -> TrainerOptions | None:
        """Returns the options of the trainer; None without one.

        Raises:
          typer.Exit: an option of the trainer is none.
          typer.BadParameter: an option is given that has no effect without a trainer.
        """
        if self.trainer is Place.off:
            given = {
                "--learn": self.learn is not Learn.critical,
                "--renew": self.renew is not Renew.both,
                "--trainer-seconds": self.trainer_seconds != 10.0,
                "--trainer-set": self.trainer_set is not None,
            }
            for name in (name for name, is_given in given.items() if is_given):
                raise typer.BadParameter("needs --trainer own or share", param_hint=name)
            return None
        with failure.errors_as_sentences(as_json):
            from jaxsolve.cluster.trainer_options import TrainerOptions  # imports JAX

            return TrainerOptions(
                place=self.trainer.value,
                learn=self.learn.value,
                renew=self.renew.value,
                seconds=self.trainer_seconds,
                given=tuple(self.trainer_set.split(";")) if self.trainer_set is not None else (),
            )
