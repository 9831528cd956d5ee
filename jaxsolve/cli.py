"""The command line. Only words are here; each word's work is in ``jaxsolve.commands``, imported when it is used."""

from __future__ import annotations

import enum
import os
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Annotated, Any

import typer
from typer.core import TyperGroup

import jaxsolve
from jaxsolve.commands import failure, options, streams
from jaxsolve.commands.options import (
    Arithmetic,
    AsJson,
    Columns,
    Dtype,
    Evaluations,
    Game,
    Memory,
    Method,
    NetworkName,
    NoCheck,
    Nodes,
    NoZones,
    Patterns,
    Position,
    Rotations,
    Rules,
    Search,
    Seed,
    Time,
    Wall,
    Wave,
)  # fmt: skip
from jaxsolve.core import process


class Benchmark(enum.StrEnum):
    """What ``jaxsolve bench`` measures."""

    kernels = "kernels"
    search = "search"
    patterns = "patterns"
    zones = "zones"
    selfplay = "selfplay"
    pnmcts = "pnmcts"


class Commands(TyperGroup):
    """All commands; a usage error under ``--json`` is one JSON object like any other error."""

    def main(
        self,
        args: Sequence[str] | None = None,
        prog_name: str | None = None,
        standalone_mode: bool = True,
        **extra: Any,
    ) -> Any:
        words = sys.argv[1:] if args is None else list(args)
        if not standalone_mode or "--json" not in words:
            return super().main(args, prog_name=prog_name, standalone_mode=standalone_mode, **extra)
        try:
            code = super().main(args, prog_name=prog_name, standalone_mode=False, **extra)
            sys.exit(code if isinstance(code, int) else 0)
        except typer.TyperException as error:
            try:
                failure.refuse(error.format_message(), as_json=True)
            except typer.Exit as end:
                sys.exit(end.exit_code)


app = typer.Typer(
    name="jaxsolve",
    cls=Commands,
    help="Solves two-player board games and positions, and gives a proof that an independent checker accepts.",
    no_args_is_help=True,
    pretty_exceptions_enable=False,
    rich_markup_mode=None,
)


def _version(asked: bool) -> None:
    if asked:
        print(f"jaxsolve {jaxsolve.__version__}")
        raise typer.Exit()


@app.callback()
def _options(
    version: Annotated[
        bool,
        typer.Option(
            "--version", callback=_version, is_eager=True, help="Show the version and exit."
        ),
    ] = False,
) -> None: ...


@app.command()
def solve(
    position: Position,
    game: Game = None,
    rule: Rules = None,
    letters: Columns = None,
    claim: Annotated[
        str | None,
        typer.Option(
            "--claim",
            metavar="TEXT",
            help="What to prove: 'white wins', 'black does not lose', 'value'.",
        ),
    ] = None,
    method: Search = Method["dfpn"],
    time: Time = None,
    wall: Wall = None,
    nodes: Nodes = None,
    evaluations: Evaluations = None,
    memory: Memory = 2048,
    seed: Seed = 0,
    wave: Wave = None,
    network: NetworkName = None,
    rotations: Rotations = 1,
    dtype: Arithmetic = Dtype.float32,
    no_zones: NoZones = False,
    no_check: NoCheck = False,
    patterns: Patterns = None,
    out: Annotated[
        Path | None,
        typer.Option("--out", "-o", metavar="DIR", help="Folder for the proof and the result."),
    ] = None,
    resume: Annotated[
        bool, typer.Option("--resume", help="Go on with the run that --out holds.")
    ] = False,
    json: AsJson = False,
) -> None:
    """Solve one position. Without a limit it goes on until there is an answer.

    Exit code: 0 proved, 10 unknown, 20 disproved, 1 answered but its proof could not be saved or its answer not printed, 2 bad input or nothing
    answered, 130 interrupted (saved).
    """
    rules = options.rules(rule)
    if resume and out is None:
        raise typer.BadParameter("needs --out DIR, the folder to go on with", param_hint="--resume")
    process.import_jax()
    from jaxsolve.commands import solve as command
    from jaxsolve.search.settings import Limits, Settings

    heads = options.heads(network, rotations, dtype, json)
    settings = Settings(
        method.value,
        Limits(time, wall, nodes, evaluations),
        memory,
        seed,
        wave,
        heads=heads,
        zones=not no_zones,
        check=not no_check,
    )
    raise typer.Exit(
        command.run(
            command.Request(
                position,
                game,
                rules,
                claim,
                settings,
                options.letters_name(letters),
                out,
                resume,
                patterns,
                json,
            )
        )
    )


@app.command()
def check(
    proofs: Annotated[
        list[Path],
        typer.Argument(
            metavar="PROOF...", help="A proof.jsonl.gz, or a folder: all in it.", show_default=False
        ),
    ],
    replay: Annotated[
        int | None,
        typer.Option(
            "--replay",
            min=1,
            metavar="N",
            help="Play N random defences against an accepted proof, and N more inside it.",
        ),
    ] = None,
    seed: Annotated[
        int,
        typer.Option(
            "--seed",
            min=0,
            max=(1 << 64) - 1,
            metavar="K",
            help="Random seed of the replay, below 2^64.",
        ),
    ] = 0,
    flatten: Annotated[
        Path | None,
        typer.Option(
            "--flatten",
            metavar="OUT",
            help="Write an accepted proof to OUT as a plain one: every reply, no zones.",
        ),
    ] = None,
    most: Annotated[
        int | None,
        typer.Option(
            "--most", min=1, metavar="NODES", help="Stop where the plain one needs more (100000)."
        ),
    ] = None,
    json: AsJson = False,
) -> None:
    """Check proofs independently of the solver.

    Exit code: 0 accepted, and as claimed in every game replayed; 1 refused; 2 unreadable, or --flatten has written nothing. Of several proofs the
    largest counts.
    """
    from jaxsolve.commands import show as command

    raise typer.Exit(command.check(proofs, json, replay or 0, seed, flatten, most))


@app.command()
def suite(
    problems: Annotated[
        Path,
        typer.Argument(
            metavar="PROBLEMS.json",
            help="A problem set; quickstart.json comes with the package.",
            show_default=False,
        ),
    ],
    ids: Annotated[
        str | None,
        typer.Option("--ids", metavar="ID,ID,...", help="Only these problems, in this order."),
    ] = None,
    rule: Rules = None,
    method: Search = Method["dfpn"],
    time: Time = None,
    wall: Wall = None,
    nodes: Nodes = None,
    evaluations: Evaluations = None,
    memory: Memory = 2048,
    seed: Seed = 0,
    wave: Wave = None,
    network: NetworkName = None,
    rotations: Rotations = 1,
    dtype: Arithmetic = Dtype.float32,
    no_zones: NoZones = False,
    no_check: NoCheck = False,
    patterns: Patterns = None,
    pool: Annotated[
        int,
        typer.Option(
            "--pool", min=1, metavar="N", help="Problems solved at a time, sharing one evaluator."
        ),
    ] = 1,
    out: Annotated[
        Path | None,
        typer.Option(
            "--out",
            "-o",
            metavar="DIR",
            help="Folder for the table and proofs; goes on where it was.",
        ),
    ] = None,
    json: AsJson = False,
) -> None:
    """Solve a problem set, each problem within the limits.

    The same command goes on where --out ends. The limits, --memory among them, may be others: what is decided stays, and what a limit left unknown is
    searched again where that limit is larger now or absent.

    Exit code: 0 done, 1 an answer contradicts the source's or could not be saved, 2 bad input, or a problem's folder holds something else (the
    others are solved), 130 interrupted (saved).
    """
    rules = options.rules(rule)
    process.import_jax()
    from jaxsolve.commands import suite as command
    from jaxsolve.search.settings import Limits, Settings

    heads = options.heads(network, rotations, dtype, json)
    settings = Settings(
        method.value,
        Limits(time, wall, nodes, evaluations),
        memory,
        seed,
        wave,
        heads=heads,
        zones=not no_zones,
        check=not no_check,
    )
    raise typer.Exit(
        command.run(
            command.Request(problems, options.ids(ids), rules, settings, pool, out, patterns, json)
        )
    )


@app.command()
def tsumego(
    position: Annotated[
        str,
        typer.Argument(
            metavar="FILE.sgf",
            show_default=False,
            help="An SGF record, with or without variations (the marked position, else the one set up), or - for one on "
            "standard input; or a position in any other way that 'jaxsolve solve' takes.",
        ),
    ],
    game: Annotated[
        str | None,
        typer.Option(
            "--game",
            "-g",
            metavar="ID",
            help="tsumego-N (the default), or killallgo-9: can White live anywhere?",
        ),
    ] = None,
    rule: Annotated[
        list[str] | None,
        typer.Option(
            "--rule",
            "-r",
            metavar="KEY=VALUE",
            help="ko or fill_eyes; see 'jaxsolve games tsumego'.",
        ),
    ] = None,
    crucial: Annotated[
        str | None,
        typer.Option(
            "--crucial",
            metavar="P2,Q3",
            help="The stones in question. Else those marked by TR, CR, SQ or MA, else the weakest enclosed group.",
        ),
    ] = None,
    region: Annotated[
        str | None,
        typer.Option(
            "--region",
            metavar="auto|all|POINTS",
            help="Where stones may be placed, as A1-D3,E1; auto: what others close in.",
        ),
    ] = None,
    method: Search = Method["dfpn"],
    time: Annotated[
        float,
        typer.Option(
            "--time",
            callback=options.seconds,
            metavar="S",
            help="Give up a question after S CPU seconds, compilation apart.",
        ),
    ] = 60,
    total: Annotated[
        float | None,
        typer.Option(
            "--total",
            callback=options.seconds,
            metavar="S",
            help="Ask nothing more after S CPU seconds in all.",
        ),
    ] = None,
    wall: Annotated[
        float | None,
        typer.Option(
            "--wall",
            callback=options.seconds,
            metavar="S",
            help="Give up a question after S seconds of the clock, likewise.",
        ),
    ] = None,
    nodes: Annotated[
        int | None,
        typer.Option(
            "--nodes", min=1, metavar="N", help="Give up a question after N expanded positions."
        ),
    ] = None,
    memory: Memory = 2048,
    seed: Seed = 0,
    wave: Wave = None,
    network: NetworkName = None,
    rotations: Rotations = 1,
    dtype: Arithmetic = Dtype.float32,
    no_zones: NoZones = False,
    pool: Annotated[
        int,
        typer.Option(
            "--pool",
            min=1,
            metavar="N",
            help="First moves searched at a time, sharing one evaluator.",
        ),
    ] = 4,
    patterns: Patterns = None,
    out: Annotated[
        Path | None,
        typer.Option(
            "--out", "-o", metavar="DIR", help="Folder for the proofs; goes on where it was."
        ),
    ] = None,
    svg: Annotated[
        Path | None,
        typer.Option(
            "--svg",
            metavar="FILE",
            help="Also draw the position with the moves that work into FILE.",
        ),
    ] = None,
    sgf_out: Annotated[
        Path | None,
        typer.Option("--sgf-out", metavar="FILE", help="Also write the variations to FILE as SGF."),
    ] = None,
    json: AsJson = False,
) -> None:
    """Say how a Go position stands for either side first, and which first moves do it.

    The stones live, are a seki, or die, each perhaps in ko: by winning a ko the side that moves first gets this. Every first move is a question of
    its own with a checked proof; each wrong one is shown with its refutation. The same command goes on where --out ends, under other limits too.

    Exit code: 0 all answered, 10 a limit came first, 1 something could not be saved or printed, 2 bad input, 130 interrupted (saved).
    """
    rules = options.rules(rule)
    process.import_jax()
    from jaxsolve.commands import tsumego as command
    from jaxsolve.search.settings import Limits, Settings

    heads = options.heads(network, rotations, dtype, json)
    settings = Settings(
        method.value, Limits(time, wall, nodes), memory, seed, wave, heads=heads, zones=not no_zones
    )
    request = command.Request(
        position,
        game,
        rules,
        crucial,
        region,
        settings,
        total,
        pool,
        patterns,
        out,
        svg,
        sgf_out,
        json,
    )
    raise typer.Exit(command.run(request))


@app.command(name="import-weights")
def import_weights(
    weights: Annotated[
        Path,
        typer.Argument(
            metavar="FILE.npz", help="Published weights as plain arrays.", show_default=False
        ),
    ],
    like: Annotated[
        str,
        typer.Option("--like", metavar="NAME", help="What they are: go_W-max, gomoku_AZ-4T, ..."),
    ],
    out: Annotated[
        Path,
        typer.Option(
            "--out", "-o", metavar="FILE.npz", help="Where the network goes, for --network."
        ),
    ],
    json: AsJson = False,
) -> None:
    """Make a network of published weights."""
    from jaxsolve.commands import networks as command

    raise typer.Exit(command.import_weights(weights, like, out, json))


@app.command()
def evaluate(
    networks: Annotated[
        list[str],
        typer.Argument(
            metavar="RUN|NETWORK...",
            help="Runs of training, files or names of networks.",
            show_default=False,
        ),
    ],
    problems: Annotated[
        Path, typer.Option("--problems", metavar="PROBLEMS.json", help="The problem set.")
    ],
    ids: Annotated[
        str | None,
        typer.Option("--ids", metavar="ID,ID,...", help="Only these problems, in this order."),
    ] = None,
    last: Annotated[
        int, typer.Option("--last", min=1, metavar="N", help="Of a run, the latest N networks.")
    ] = 1,
    rule: Rules = None,
    method: Search = Method["dfpn"],
    time: Time = None,
    wall: Wall = None,
    nodes: Nodes = None,
    memory: Memory = 2048,
    seed: Seed = 0,
    wave: Wave = None,
    rotations: Rotations = 1,
    dtype: Arithmetic = Dtype.float32,
    no_zones: NoZones = False,
    out: Annotated[
        Path | None,
        typer.Option(
            "--out",
            "-o",
            metavar="DIR",
            help="Folder for tables, proofs and plot; goes on where it was.",
        ),
    ] = None,
    json: AsJson = False,
) -> None:
    """Show what networks are worth for solving: a problem set with each of them, and with none."""
    rules = options.rules(rule)
    process.import_jax()
    from jaxsolve.commands import evaluate as command
    from jaxsolve.commands.suite import Request
    from jaxsolve.search.settings import Limits, Settings

    settings = Settings(
        method.value, Limits(time, wall, nodes), memory, seed, wave, zones=not no_zones
    )
    request = Request(problems, options.ids(ids), rules, settings, out=out, as_json=json)
    raise typer.Exit(command.run(networks, last, rotations, dtype.value, request))


@app.command()
def match(
    players: Annotated[
        tuple[str, str],
        typer.Argument(
            metavar="A B",
            help="Networks as --network has them, NETWORK:value, :cost or :within to say which head the search goes by; or without a network: "
            "uct and pnmcts, each with settings as above, rollouts (mctx), random.",
            show_default=False,
        ),
    ],
    game: Annotated[str, typer.Option("--game", "-g", metavar="ID", help="Rule set.")],
    games: Annotated[
        int,
        typer.Option(
            "--games",
            min=2,
            max=100_000,
            metavar="N",
            help="Games, half of them with sides changed.",
        ),
    ] = 100,
    simulations: Annotated[
        int | None,
        typer.Option(
            "--simulations",
            "--sims",
            min=1,
            max=1_000_000,
            metavar="K",
            help="Of each move's search; 32 without --time.",
        ),
    ] = None,
    seconds: Annotated[
        float | None,
        typer.Option(
            "--time",
            callback=options.seconds,
            metavar="S",
            help="CPU seconds a move of uct and pnmcts, each its own share.",
        ),
    ] = None,
    opening_moves: Annotated[
        int | None,
        typer.Option(
            "--opening-moves",
            min=0,
            max=1000,
            metavar="K",
            help="Random moves that a game begins with; 2, or none after --openings.",
        ),
    ] = None,
    openings: Annotated[
        Path | None,
        typer.Option(
            "--openings",
            metavar="PROBLEMS.json",
            help="Games begin at these positions, in turn; else at the start.",
        ),
    ] = None,
    seed: Annotated[
        int, typer.Option("--seed", min=0, max=(1 << 31) - 1, metavar="K", help="Random seed.")
    ] = 0,
    out: Annotated[
        Path | None,
        typer.Option("--out", "-o", metavar="DIR", help="Folder for the games and the result."),
    ] = None,
    json: AsJson = False,
) -> None:
    """Let two players play each other, every opening from both sides. The same command goes on where --out ends.

    Settings of uct: c=1.41 (exploration), sims=N, time=S, wave=1 (simulations under way at a time), most=2000 (moves of a random game). Of pnmcts,
    beside these: flags=FSU (F final move by what is proved, S solved moves are left alone, U ranks by proof numbers), c_pn=1 (weight of ranks),
    rank=highest or children (what ranks are divided by), new=moves or one (proof numbers of a new position), threshold=5 (visits before S), layers=
    single, double or players (claims that are ranked by), contempt=never or a number (mean result up to which a proved draw is played; with layers).
    As in pnmcts:flags=FU,c_pn=0.5.
    """
    from jaxsolve.commands import match as command

    raise typer.Exit(
        command.run(
            command.Request(
                players, game, games, simulations, seconds, opening_moves, openings, seed, out, json
            )
        )
    )


@app.command(context_settings={"allow_extra_args": True, "ignore_unknown_options": True})
def experiment(
    context: typer.Context,
    name: Annotated[
        str | None,
        typer.Argument(
            metavar="[NAME] [KEY=VALUE ...]",
            help="Which one, and settings that differ; without, all are listed.",
        ),
    ] = None,
    json: AsJson = False,
) -> None:
    """Play a paper's table or figure again: many variants of a player against one opponent. The same command goes on where it ended.

    NAME is one that is listed without it, or a file of your own as ./mine.yaml: copy one of configs/experiments. Settings: games='[loa-7, awari]',
    player and opponent (as 'jaxsolve match' names them, {AXIS} for the value of an axis), axes.AXIS='[1, 2]' (null: without it), simulations or
    seconds of a move, games_each (of a cell), opening_moves (random ones), seed, side_by_side (games at a time), out (the folder), title, source,
    x_label, paper, paper_x (numbers to show beside ours). A value with : = { or a comma in it needs quotes of its own.
    """
    from jaxsolve.commands import experiment as command

    raise typer.Exit(command.run(name, context.args, json))


@app.command()
def plot(
    runs: Annotated[
        list[Path],
        typer.Argument(
            metavar="RUN...",
            help="Folders of 'jaxsolve train', or one of 'jaxsolve experiment'.",
            show_default=False,
        ),
    ],
    out: Annotated[
        Path | None,
        typer.Option(
            "--out",
            "-o",
            metavar="FILE",
            help="Picture, .png or .svg; else one in the first folder.",
        ),
    ] = None,
) -> None:
    """Draw the curves of runs of training, or the figure of an experiment with the paper's values beside ours."""
    from jaxsolve.commands import plot as command

    raise typer.Exit(command.run(runs, out))


@app.command()
def networks(json: AsJson = False) -> None:
    """List the networks that come with jaxsolve."""
    from jaxsolve.commands import networks as command

    raise typer.Exit(command.show(json))


@app.command(
    context_settings={
        "allow_extra_args": True,
        "ignore_unknown_options": True,
        "help_option_names": [],
    }
)
def train(context: typer.Context) -> None:
    """Train a network by self-play: settings as key=value, sweeps with -m; see 'jaxsolve train --help'."""
    from jaxsolve.commands import train as command

    raise typer.Exit(command.run(context.args))


@app.command()
def games(
    name: Annotated[
        str | None,
        typer.Argument(
            metavar="[NAME]",
            help="Describe this one's options: tsumego, gomoku-15.",
            show_default=False,
        ),
    ] = None,
    json: AsJson = False,
) -> None:
    """List the games; with a name, every rule option of it, with meaning, default and an example."""
    from jaxsolve.commands import show as command

    with failure.errors_as_sentences(json):
        raise typer.Exit(command.games(name, json))


@app.command()
def show(
    position: Position,
    game: Game = None,
    rule: Rules = None,
    letters: Columns = None,
    svg: Annotated[
        Path | None, typer.Option("--svg", metavar="FILE", help="Also draw it into FILE.")
    ] = None,
    sgf: Annotated[
        Path | None, typer.Option("--sgf", metavar="FILE", help="Also write it to FILE as SGF.")
    ] = None,
    json: AsJson = False,
) -> None:
    """Show a position and what would be proven about it."""
    rules = options.rules(rule)
    from jaxsolve.commands import show as command

    raise typer.Exit(
        command.show(position, game, rules, svg, sgf, json, options.letters_name(letters))
    )


@app.command()
def bench(
    what: Annotated[
        Benchmark,
        typer.Argument(
            metavar="kernels|search|patterns|zones|selfplay|pnmcts",
            parser=options.one_of(Benchmark),
            help="What to measure.",
            show_default=False,
        ),
    ],
    games: Annotated[
        str,
        typer.Option(
            "--games", metavar="ID,ID,...", help="Only these; empty = the benchmark's own."
        ),
    ] = "",
    batch: Annotated[
        str,
        typer.Option(
            "--batch",
            metavar="N,N,...",
            help="Batch sizes, wave widths or numbers of patterns; empty = the benchmark's own.",
        ),
    ] = "",
    vs: Annotated[
        str | None,
        typer.Option(
            "--vs", metavar="pgx", help="kernels: measure this library in the same run too."
        ),
    ] = None,
    seconds: Annotated[
        float | None,
        typer.Option(
            "--seconds",
            metavar="S",
            help="CPU seconds of each search; search: 2 where not given, zones: 5, patterns: 10.",
            callback=options.seconds,
        ),
    ] = None,
    problems: Annotated[
        str | None,
        typer.Option(
            "--problems", metavar="FILE.json[:ID,ID]", help="zones: search these problems of a set."
        ),
    ] = None,
    plot: Annotated[
        Path | None,
        typer.Option(
            "--plot", metavar="FILE", help="zones: draw solved against CPU seconds, .png or .svg."
        ),
    ] = None,
    seeds: Annotated[
        str | None,
        typer.Option(
            "--seeds",
            metavar="N",
            help="zones: what new attempts are worth, over N seeds (2 or more) of the order of moves.",
        ),
    ] = None,
    network: Annotated[
        str | None,
        typer.Option(
            "--network",
            metavar="BLOCKSxCHANNELS|NAME",
            help="selfplay, search: a new network of that size; search: or as solve takes it.",
        ),
    ] = None,
    dtype: Arithmetic = Dtype.float32,
    json: AsJson = False,
) -> None:
    """Measure speed on this machine.

    Figures are per CPU second and per second of the clock; on a GPU ask for large batches, such as --batch 4096,65536. kernels takes about three
    minutes, search about two, --seconds for each of its 26 searches and compilation, patterns ten; --games and --batch ask for less. zones, about two
    minutes, says what each part of the search with relevance zones is worth. selfplay, one minute, says what of training's games is the network.
    """
    from jaxsolve.commands import bench as command

    raise typer.Exit(
        command.run(
            what.value, games, batch, vs, json, seconds, problems, plot, seeds, network, dtype.value
        )
    )


def main() -> None:
    """Entry point of the ``jaxsolve`` program."""
    failure.stop_on_terminate()  # before JAX is imported: its callback of the garbage collector would swallow Ctrl-C
    for name in ("", "_HOST_TO_DEVICE", "_DEVICE_TO_DEVICE", "_DEVICE_TO_HOST"):
        os.environ.pop(
            f"JAX_TRANSFER_GUARD{name}", None
        )  # a search lets its own transfers pass; reading a position would not
    streams.prepare()
    try:
        app(prog_name="jaxsolve")
    except SystemExit as ended:
        if (
            ended.code == failure.INTERRUPTED
        ):  # all is saved; XLA may still compile, in threads that crash where Python cleans up around them
            streams.flush()
            os._exit(failure.INTERRUPTED)
        raise


if __name__ == "__main__":
    main()
