"""The command line: the program, its commands and its entry point.

``jaxsolve.commands.interface`` defines the options of each command. The modules of
``jaxsolve.commands`` that do the work are imported when a command runs.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Sequence
from typing import Annotated, Any

import typer
from typer.core import TyperCommand, TyperGroup

import jaxsolve
from jaxsolve.commands import exit_codes, failure, signals, streams, usage
from jaxsolve.commands.interface import clustering, playing, solving, viewing
from jaxsolve.commands.interface.option_groups import expand_groups


class Commands(TyperGroup):
    """The group of all commands. An error of the option parser is reported as one sentence."""

    def main(
        self,
        args: Sequence[str] | None = None,
        prog_name: str | None = None,
        complete_var: str | None = None,
        standalone_mode: bool = True,
        windows_expand_args: bool = True,
        **extra: Any,
    ) -> Any:
        extra |= {"complete_var": complete_var, "windows_expand_args": windows_expand_args}
        given = sys.argv[1:] if args is None else list(args)
        if not standalone_mode or not given:  # without words the help is shown
            return super().main(args, prog_name=prog_name, standalone_mode=standalone_mode, **extra)
        try:
            code = super().main(args, prog_name=prog_name, standalone_mode=False, **extra)
            sys.exit(code if isinstance(code, int) else 0)
        except typer.TyperException as error:
            try:
                failure.refuse(usage.sentence(error, given), as_json="--json" in given)
            except typer.Exit as end:
                sys.exit(end.exit_code)

    def invoke(self, ctx: Any) -> Any:
        """Runs a command. If Ctrl-C is not handled by the command, exits with code 130."""
        try:
            return super().invoke(ctx)
        except KeyboardInterrupt:
            print("jaxsolve: interrupted", file=sys.stderr)
            raise typer.Exit(exit_codes.INTERRUPTED) from None


class OneCommand(TyperCommand):
    """A command that refuses an empty argument, and an option given twice that may not repeat."""

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:
        if args and not ctx.resilient_parsing:
            try:
                values, _, order = self.make_parser(ctx).parse_args(args=list(args))
            except typer.TyperException as error:
                vars(error)["ctx"] = getattr(error, "ctx", None) or ctx
                raise
            usage.refuse_repeated(order, ctx)
            usage.refuse_empty(values, ctx)
            usage.refuse_names_not_utf8(values, ctx)
        return super().parse_args(ctx, args)


app = typer.Typer(
    name="jaxsolve",
    cls=Commands,
    help="Solve two-player board games and positions, with proofs that an independent checker "
    "accepts.",
    no_args_is_help=True,
    pretty_exceptions_enable=False,
    rich_markup_mode=None,
)


def _print_version(requested: bool) -> None:
    if requested:
        print(f"jaxsolve {jaxsolve.__version__}")
        raise typer.Exit()


@app.callback()
def _program(
    version: Annotated[
        bool,
        typer.Option(
            "--version", callback=_print_version, is_eager=True, help="Show the version and exit."
        ),
    ] = False,
) -> None: ...


app.command(cls=OneCommand)(expand_groups(solving.solve))
app.command(cls=OneCommand)(expand_groups(viewing.check))
app.command(cls=OneCommand)(expand_groups(solving.suite))
app.command(cls=OneCommand)(expand_groups(solving.tsumego))
app.command(name="import-weights", cls=OneCommand)(viewing.import_weights)
app.command(cls=OneCommand)(expand_groups(solving.evaluate))
app.command(cls=OneCommand)(expand_groups(playing.match))
app.command(context_settings=playing.EXPERIMENT_SETTINGS, cls=OneCommand)(playing.experiment)
app.command(cls=OneCommand)(viewing.plot)
app.command(cls=OneCommand)(viewing.networks)
app.command(context_settings=playing.TRAIN_SETTINGS, cls=OneCommand)(playing.train)
app.command(cls=OneCommand)(viewing.games)
app.command(cls=OneCommand)(expand_groups(viewing.show))
app.command(cls=OneCommand)(expand_groups(playing.bench))


cluster = typer.Typer(
    name="cluster",
    cls=Commands,
    help="Solve with many workers: processes of this machine, or Ray on many machines.",
    no_args_is_help=True,
    rich_markup_mode=None,
)
cluster.command(cls=OneCommand)(expand_groups(clustering.solve))
cluster.command(cls=OneCommand)(clustering.status)
app.add_typer(cluster)


def main() -> None:
    """Entry point of the ``jaxsolve`` program."""
    # Must come before the import of JAX. JAX's garbage-collector callback would suppress Ctrl-C.
    signals.stop_on_terminate()
    # JAX's transfer guards are switched off, because reading a position would fail under them.
    for name in ("", "_HOST_TO_DEVICE", "_DEVICE_TO_DEVICE", "_DEVICE_TO_HOST"):
        os.environ.pop(f"JAX_TRANSFER_GUARD{name}", None)
    streams.prepare()
    try:
        app(prog_name="jaxsolve")
    except SystemExit as ended:
        if ended.code == exit_codes.INTERRUPTED:
            # All results are saved. Python's cleanup is skipped, because XLA's compiling threads
            # can crash during it.
            streams.flush()
            os._exit(exit_codes.INTERRUPTED)
        streams.flush()
        signals.leave_on_interrupt()
        raise


if __name__ == "__main__":
    main()
