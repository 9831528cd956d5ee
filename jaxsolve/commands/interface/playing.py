"""Commands that play, train and measure: match, experiment, train, bench."""

from __future__ import annotations

import enum
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated

import typer

from jaxsolve.commands.interface import options
from jaxsolve.commands.interface.options import AsJson, Dtype, Out


# ---- match -------------------------------------------------------------------------------------
@dataclass(frozen=True, kw_only=True)
class MatchOptions:
    """Two players and the games that they play."""

    players: Annotated[
        tuple[str, str],
        typer.Argument(
            metavar="A B",
            help="Networks as for --network; NETWORK:value, :cost or :within choose the head that "
            "the search uses. Players without a network: uct and pnmcts, each with settings as "
            "above, rollouts (mctx), random.",
            show_default=False,
        ),
    ]
    game: Annotated[str, typer.Option("--game", "-g", metavar="ID", help="Rule set.")]
    games: Annotated[
        int,
        typer.Option(
            "--games",
            min=2,
            max=100_000,
            metavar="N",
            help="Number of games; the players swap sides for half of them.",
        ),
    ] = 100
    simulations: Annotated[
        int | None,
        typer.Option(
            "--simulations",
            "--sims",
            min=1,
            max=1_000_000,
            metavar="K",
            help="Simulations per move; 32 without --time.",
        ),
    ] = None
    seconds: Annotated[
        float | None,
        typer.Option(
            "--time",
            callback=options.seconds,
            metavar="S",
            help="CPU seconds per move for uct and pnmcts, measured for each player.",
        ),
    ] = None
    opening_moves: Annotated[
        int | None,
        typer.Option(
            "--opening-moves",
            min=0,
            max=1000,
            metavar="K",
            help="Random moves at the start of a game; default: 2, or 0 with --openings.",
        ),
    ] = None
    openings: Annotated[
        Path | None,
        typer.Option(
            "--openings",
            metavar="PROBLEMS.json",
            help="Start games at these positions, in turn; default: the start position.",
        ),
    ] = None
    seed: Annotated[
        int, typer.Option("--seed", min=0, max=(1 << 31) - 1, metavar="K", help="Random seed.")
    ] = 0
    out: Out = None
    as_json: AsJson = False


def match(match: MatchOptions) -> None:
    """Play games between two players; each opening is played from both sides.

    The same command resumes the match in the folder of --out.

    Settings of uct: c=1.41 (exploration), sims=N, time=S, wave=1 (simulations in flight), most=2000
    (moves of a random game). Settings of pnmcts, in addition: flags=FSU (F: choose the final move
    by proof status; S: do not search solved moves; U: rank moves by proof numbers), c_pn=1 (weight
    of the ranks), rank=highest or children (divisor of the ranks), new=moves or one (proof numbers
    of a new position), threshold=5 (visits before S applies), layers=single, double or players
    (claims that are ranked), contempt=never or a number (play a proved draw up to this mean result;
    needs layers). Example: pnmcts:flags=FU,c_pn=0.5.
    """
    from jaxsolve.commands import match as command

    raise typer.Exit(command.run(match))


# ---- experiment, train -------------------------------------------------------------------------
EXPERIMENT_SETTINGS = {"allow_extra_args": True, "ignore_unknown_options": True}
TRAIN_SETTINGS = {**EXPERIMENT_SETTINGS, "help_option_names": []}


def experiment(
    context: typer.Context,
    name: Annotated[
        str | None,
        typer.Argument(
            metavar="[NAME] [KEY=VALUE ...]",
            help="The experiment, and settings to change; without a name, list all experiments.",
        ),
    ] = None,
    as_json: AsJson = False,
) -> None:
    """Reproduce a table or figure of a publication: variants of a player against one opponent.

    NAME is an experiment in the list, or a file of your own, such as ./mine.yaml: copy one from
    configs/experiments. The same command resumes an experiment.

    Settings: games='[loa-7, awari]', player and opponent (as for 'jaxsolve match', with {AXIS} for
    the value of an axis), axes.AXIS='[1, 2]' (null: no such axis), simulations or seconds per move,
    games_each (games per cell), opening_moves (random moves), seed, side_by_side (games played at
    once), out (the folder), title, source, x_label, paper, paper_x (published numbers to show
    beside ours). Put quotes inside quotes around a value that contains : = { or a comma.
    """
    from jaxsolve.commands import experiment as command

    raise typer.Exit(command.run(name, context.args, as_json))


def train(context: typer.Context) -> None:
    """Train a network by self-play: settings as key=value, sweeps with -m (see train --help)."""
    from jaxsolve.commands import train as command

    raise typer.Exit(command.run(context.args))


# ---- bench -------------------------------------------------------------------------------------
class Benchmark(enum.StrEnum):
    """The benchmarks of ``jaxsolve bench``."""

    kernels = "kernels"
    search = "search"
    patterns = "patterns"
    zones = "zones"
    selfplay = "selfplay"
    pnmcts = "pnmcts"
    cluster = "cluster"


@dataclass(frozen=True, kw_only=True)
class BenchOptions:
    """A benchmark and its settings. An empty list means the benchmark's default."""

    what: Annotated[
        Benchmark,
        typer.Argument(
            metavar="kernels|search|patterns|zones|selfplay|pnmcts|cluster",
            parser=options.one_of(Benchmark),
            help="The benchmark.",
            show_default=False,
        ),
    ]
    games: Annotated[
        str,
        typer.Option(
            "--games", metavar="ID,ID,...", help="Only these games; empty: the benchmark's own."
        ),
    ] = ""
    batch: Annotated[
        str,
        typer.Option(
            "--batch",
            metavar="N,N,...",
            help="Batch sizes, wave widths or numbers of patterns; empty: the benchmark's own.",
        ),
    ] = ""
    vs: Annotated[
        str | None,
        typer.Option(
            "--vs", metavar="pgx", help="kernels: measure this library in the same run too."
        ),
    ] = None
    seconds: Annotated[
        float | None,
        typer.Option(
            "--seconds",
            metavar="S",
            help="CPU seconds of each search; default: 2 (search), 5 (zones), 10 (patterns), 20 "
            "(cluster).",
            callback=options.seconds,
        ),
    ] = None
    problems: Annotated[
        str | None,
        typer.Option(
            "--problems", metavar="FILE.json[:ID,ID]", help="zones: search these problems of a set."
        ),
    ] = None
    plot: Annotated[
        Path | None,
        typer.Option(
            "--plot",
            metavar="FILE",
            help="zones: draw solved problems against CPU seconds, .png or .svg.",
        ),
    ] = None
    seeds: Annotated[
        str | None,
        typer.Option(
            "--seeds",
            metavar="N",
            help="zones: measure the effect of restarts over N move-order seeds (2 or more).",
        ),
    ] = None
    network: Annotated[
        str | None,
        typer.Option(
            "--network",
            metavar="BLOCKSxCHANNELS|NAME",
            help="selfplay, search: a new network of that size; search: or a network as for "
            "'jaxsolve solve'.",
        ),
    ] = None
    dtype: Annotated[
        Dtype,
        typer.Option(
            "--dtype",
            parser=options.one_of(Dtype),
            help="Number format of the network. bfloat16 is faster on a GPU or a processor with "
            "AMX, and slower on other processors.",
        ),
    ] = Dtype.float32
    workers: Annotated[
        str | None,
        typer.Option("--workers", metavar="N,N,...", help="cluster: numbers of simulated workers."),
    ] = None
    verifiers: Annotated[
        str | None,
        typer.Option(
            "--verifiers",
            metavar="N,N,...",
            help="cluster: numbers of processes that verify proofs; 0: the manager does.",
        ),
    ] = None
    jobs: Annotated[
        Path | None,
        typer.Option(
            "--jobs",
            metavar="DIR",
            help="cluster: simulate jobs like those in the folder of a 'cluster solve'.",
        ),
    ] = None
    as_json: AsJson = False


def bench(benchmark: BenchOptions) -> None:
    """Measure speed on this machine.

    Figures are per CPU second and per second of wall time. On a GPU choose large batches, such as
    --batch 4096,65536. Benchmark 'kernels' takes about three minutes, 'search' two (26 searches of
    --seconds each, and compilation), 'patterns' ten, 'zones' two and 'selfplay' one. --games and
    --batch select fewer measurements. 'zones' measures the effect of each part of relevance-zone
    search; 'selfplay' measures the network's share of the time of self-play games; 'cluster' runs
    the manager of 'jaxsolve cluster solve' with simulated workers, in three minutes.
    """
    from jaxsolve.commands import bench as command

    raise typer.Exit(command.run(benchmark))
