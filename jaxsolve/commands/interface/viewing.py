"""Commands that show or convert what exists: check, games, show, plot, networks, import-weights."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Annotated

import typer

from jaxsolve.commands import failure
from jaxsolve.commands.interface.options import AsJson, PositionOptions


@dataclass(frozen=True, kw_only=True)
class CheckOptions:
    """Proofs to check, and further audits of accepted proofs."""

    proofs: Annotated[
        list[Path],
        typer.Argument(
            metavar="PROOF...",
            help="A proof.jsonl.gz, or a folder with such files.",
            show_default=False,
        ),
    ]
    replay: Annotated[
        int | None,
        typer.Option(
            "--replay",
            min=1,
            metavar="N",
            help="Play N games of random defence against an accepted proof, "
            "and, if it has zones, N more from other positions that cover its nodes.",
        ),
    ] = None
    seed: Annotated[
        int,
        typer.Option(
            "--seed",
            min=0,
            max=(1 << 64) - 1,
            metavar="K",
            help="Random seed of the replay, below 2^64.",
        ),
    ] = 0
    flatten: Annotated[
        Path | None,
        typer.Option(
            "--flatten",
            metavar="OUT",
            help="Write an accepted proof to OUT without zones: with a node for every reply.",
        ),
    ] = None
    most: Annotated[
        int | None,
        typer.Option(
            "--most",
            min=1,
            metavar="NODES",
            help="Give up if the proof without zones needs more nodes (default: 100000).",
        ),
    ] = None
    as_json: AsJson = False


def check(options: CheckOptions) -> None:
    """Check proofs independently of the solver.

    Exit code: 0 accepted, and every replayed game ended as claimed; 1 refused; 2 unreadable, or
    --flatten wrote nothing. For several proofs the largest code counts.
    """
    from jaxsolve.commands import show as command

    raise typer.Exit(command.check(options))


def games(
    name: Annotated[
        str | None,
        typer.Argument(
            metavar="[NAME]",
            help="Describe the options of this game, such as tsumego or gomoku-15.",
            show_default=False,
        ),
    ] = None,
    as_json: AsJson = False,
) -> None:
    """List the games; with a name, all its rule options with meaning, default and example."""
    from jaxsolve.commands import show as command

    with failure.errors_as_sentences(as_json):
        raise typer.Exit(command.games(name, as_json))


@dataclass(frozen=True, kw_only=True)
class ShowOptions(PositionOptions):
    """A position, and files to write it to."""

    svg: Annotated[
        Path | None, typer.Option("--svg", metavar="FILE", help="Also draw the position into FILE.")
    ] = None
    sgf: Annotated[
        Path | None,
        typer.Option("--sgf", metavar="FILE", help="Also write the position to FILE as SGF."),
    ] = None
    as_json: AsJson = False


def show(options: ShowOptions) -> None:
    """Show a position and the claim that 'jaxsolve solve' would search without --claim."""
    from jaxsolve.commands import show as command

    raise typer.Exit(command.show(options))


def plot(
    runs: Annotated[
        list[Path],
        typer.Argument(
            metavar="RUN...",
            help="Folders of 'jaxsolve train', or one folder of 'jaxsolve experiment'.",
            show_default=False,
        ),
    ],
    out: Annotated[
        Path | None,
        typer.Option(
            "--out",
            "-o",
            metavar="FILE",
            help="The picture, .png or .svg; default: a file in the first folder.",
        ),
    ] = None,
) -> None:
    """Draw the learning curves of training runs, or the figure of an experiment.

    The figure of an experiment shows the values of the publication beside ours.
    """
    from jaxsolve.commands import plot as command

    raise typer.Exit(command.run(runs, out))


def networks(as_json: AsJson = False) -> None:
    """List the networks that the package includes."""
    from jaxsolve.commands import networks as command

    raise typer.Exit(command.show(as_json))


def import_weights(
    weights: Annotated[
        Path,
        typer.Argument(
            metavar="FILE.npz", help="Published weights as plain arrays.", show_default=False
        ),
    ],
    like: Annotated[
        str,
        typer.Option(
            "--like", metavar="NAME", help="The published network: go_W-max, gomoku_AZ-4T, ..."
        ),
    ],
    out: Annotated[
        Path,
        typer.Option(
            "--out", "-o", metavar="FILE.npz", help="File to write the network to, for --network."
        ),
    ],
    as_json: AsJson = False,
) -> None:
    """Convert published weights to a network."""
    from jaxsolve.commands import networks as command

    raise typer.Exit(command.import_weights(weights, like, out, as_json))
