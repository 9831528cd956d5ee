"""Options of ``jaxsolve solve``: the claim, and the output."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Annotated

import typer

from jaxsolve.commands.interface import options
from jaxsolve.commands.interface.options import AsJson, PositionOptions


@dataclass(frozen=True, kw_only=True)
class ClaimOptions(PositionOptions):
    """A position, and the claim to prove about it."""

    claim: Annotated[
        str | None,
        typer.Option(
            "--claim",
            metavar="TEXT",
            help="What to prove: 'white wins', 'black does not lose' or 'value'. Default: the "
            "claim of the problem or of the rules, else that the side to move wins; for a position "
            "that is not of a problem set, in a game with draws, 'value'.",
        ),
    ] = None


@dataclass(frozen=True, kw_only=True)
class SolveOutputOptions:
    """Output of ``solve``: folder, resuming, and format."""

    out: Annotated[
        Path | None,
        typer.Option(
            "--out",
            "-o",
            parser=options.folder,
            metavar="DIR",
            help="Folder for the proof and the result.",
        ),
    ] = None
    resume: Annotated[
        bool, typer.Option("--resume", help="Resume the run in the folder of --out.")
    ] = False
    all_moves: Annotated[
        bool,
        typer.Option(
            "--all-moves", help="Also tell which first moves win, each with a proof of its own."
        ),
    ] = False
    as_json: AsJson = False
