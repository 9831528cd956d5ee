"""The command line. Only words and options are here; each word's work is in ``jaxsolve.commands``, imported when it is used."""

from __future__ import annotations

import enum
from pathlib import Path
from typing import Annotated

import typer

app = typer.Typer(
    name="jaxsolve",
    help="Solves two-player board games and positions, and gives a proof that an independent checker accepts.",
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
    rich_markup_mode=None,
)


class Method(enum.StrEnum):
    """Search methods, as ``jaxsolve.search`` names them."""

    pns = "pns"
    dfpn = "dfpn"
    fdfpn = "fdfpn"
    mcts = "mcts"


class Benchmark(enum.StrEnum):
    """What ``jaxsolve bench`` measures."""

    kernels = "kernels"
    search = "search"


POSITION_HELP = (
    "An SGF file; FILE.json:ID, a problem of a set; start; 'moves:C3 D4 pass' from the start position; "
    "a position in canonical text, in quotes; or - for an SGF record or a text on standard input."
)
Position = Annotated[str, typer.Argument(metavar="POSITION", help=POSITION_HELP, show_default=False)]
Game = Annotated[str | None, typer.Option("--game", "-g", metavar="ID", help="Rule set, such as killallgo-9 or 'gomoku-15;knowledge=4t'.")]
Rules = Annotated[
    list[str] | None, typer.Option("--rule", "-r", metavar="KEY=VALUE", help="Rule option, or several joined by ';'; see 'jaxsolve games'.")
]
Search = Annotated[Method, typer.Option("--method", "-m", help="Search method.")]
Nodes = Annotated[int | None, typer.Option("--nodes", min=1, metavar="N", help="Give up after N expanded positions.")]
Memory = Annotated[int, typer.Option("--memory", min=16, metavar="MB", help="Memory for the proof tree and its table.")]
Seed = Annotated[int, typer.Option("--seed", min=0, metavar="K", help="Random seed.")]
AsJson = Annotated[bool, typer.Option("--json", help="Print one JSON object and nothing else.")]


def _seconds(value: float | None) -> float | None:
    if value is not None and not value > 0:
        raise typer.BadParameter(f"{value} is not a number of seconds above 0")
    return value


def _rules(texts: list[str] | None) -> dict[str, str]:
    """Options by name, from KEY=VALUE, several joined by semicolons, or a whole rule-set id, whose base is the option ``rules``."""
    options: dict[str, str] = {}
    for text in texts or []:
        base, *fields = text.split(";")
        for pair in [f"rules={base}", *fields] if fields and "=" not in base else [base, *fields]:
            key, equals, value = pair.partition("=")
            if not equals or not key or key in options:
                raise typer.BadParameter(f"{pair!r} is {'given twice' if key in options else 'not of the form KEY=VALUE'}", param_hint="--rule")
            options[key] = value
    return options


@app.command()
def solve(
    position: Position,
    game: Game = None,
    rule: Rules = None,
    claim: Annotated[str | None, typer.Option("--claim", metavar="TEXT", help="What to prove: 'white wins', 'black does not lose', 'value'.")] = None,
    method: Search = Method.dfpn,
    time: Annotated[float | None, typer.Option("--time", callback=_seconds, metavar="S", help="Give up after S CPU seconds.")] = None,
    nodes: Nodes = None,
    memory: Memory = 2048,
    seed: Seed = 0,
    out: Annotated[Path | None, typer.Option("--out", "-o", metavar="DIR", help="Folder for the proof and the result.")] = None,
    resume: Annotated[bool, typer.Option("--resume", help="Go on with the run that --out holds.")] = False,
    json: AsJson = False,
) -> None:
    """Solve one position. Exit code: 0 proved, 10 unknown, 20 disproved, 2 bad input, 130 interrupted (saved)."""
    options = _rules(rule)
    if resume and out is None:
        raise typer.BadParameter("needs --out DIR, the folder to go on with", param_hint="--resume")
    from jaxsolve.commands import solve as command
    from jaxsolve.search.settings import Limits, Settings

    settings = Settings(method.value, Limits(cpu_seconds=time, nodes=nodes), memory, seed)
    raise typer.Exit(command.run(command.Request(position, game, options, claim, settings, out, resume, json)))


@app.command()
def check(proof: Annotated[Path, typer.Argument(metavar="PROOF", help="A proof.jsonl.gz.", show_default=False)], json: AsJson = False) -> None:
    """Check a proof independently of the solver. Exit code: 0 accepted, 1 refused, 2 unreadable."""
    from jaxsolve.commands import show as command

    raise typer.Exit(command.check(proof, json))


@app.command()
def suite(
    problems: Annotated[Path, typer.Argument(metavar="PROBLEMS.json", help="A problem set.", show_default=False)],
    ids: Annotated[str | None, typer.Option("--ids", metavar="ID,ID,...", help="Only these problems, in this order.")] = None,
    rule: Rules = None,
    method: Search = Method.dfpn,
    time: Annotated[float | None, typer.Option("--time", callback=_seconds, metavar="S", help="CPU seconds for each problem.")] = None,
    nodes: Nodes = None,
    memory: Memory = 2048,
    seed: Seed = 0,
    pool: Annotated[int, typer.Option("--pool", min=1, metavar="N", help="Problems solved at a time, sharing one evaluator.")] = 1,
    out: Annotated[Path | None, typer.Option("--out", "-o", metavar="DIR", help="Folder for the table and proofs; goes on where it was.")] = None,
    json: AsJson = False,
) -> None:
    """Solve a problem set. Exit code: 0 done, 1 an answer contradicts the source's, 2 bad input, 130 interrupted."""
    options = _rules(rule)
    from jaxsolve.commands import suite as command
    from jaxsolve.search.settings import Limits, Settings

    settings = Settings(method.value, Limits(cpu_seconds=time, nodes=nodes), memory, seed)
    chosen = None if ids is None else tuple(word.strip() for word in ids.split(",") if word.strip())
    raise typer.Exit(command.run(command.Request(problems, chosen, options, settings, pool, out, json)))


@app.command()
def games(json: AsJson = False) -> None:
    """List the games and their rule options."""
    from jaxsolve.commands import show as command

    raise typer.Exit(command.games(json))


@app.command()
def show(
    position: Position,
    game: Game = None,
    rule: Rules = None,
    svg: Annotated[Path | None, typer.Option("--svg", metavar="FILE", help="Also draw it into FILE.")] = None,
    sgf: Annotated[Path | None, typer.Option("--sgf", metavar="FILE", help="Also write it to FILE as SGF.")] = None,
    json: AsJson = False,
) -> None:
    """Show a position and what would be proven about it."""
    options = _rules(rule)
    from jaxsolve.commands import show as command

    raise typer.Exit(command.show(position, game, options, svg, sgf, json))


@app.command()
def bench(
    what: Annotated[Benchmark, typer.Argument(metavar="kernels|search", help="What to measure.", show_default=False)],
    games: Annotated[str, typer.Option("--games", metavar="ID,ID,...", help="Only these; empty = the benchmark's own.")] = "",
    batch: Annotated[str, typer.Option("--batch", metavar="N,N,...", help="Batch sizes or wave widths; empty = the benchmark's own.")] = "",
    vs: Annotated[str | None, typer.Option("--vs", metavar="pgx", help="Measure this library in the same run too.")] = None,
    seconds: Annotated[float | None, typer.Option("--seconds", metavar="S", help="CPU seconds of each search.", callback=_seconds)] = None,
    json: AsJson = False,
) -> None:
    """Measure speed on this machine, per CPU second and per wall second; on a GPU ask for large batches, such as --batch 4096,65536."""
    from jaxsolve.commands import bench as command

    raise typer.Exit(command.run(what.value, games, batch, vs, json, seconds))


def main() -> None:
    """Entry point of the ``jaxsolve`` program."""
    app()


if __name__ == "__main__":
    main()
