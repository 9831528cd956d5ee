"""The commands and options of the command line, read from the program itself."""

from __future__ import annotations

import typer

from jaxsolve import cli


def options_by_command() -> dict[str, set[str]]:
    """Maps each command, such as ``"solve"``, to its long and short options.

    The program's own options, such as ``--version``, are under ``"jaxsolve"``. ``--help``, which
    every command has, and ``--no-...`` forms that switches do not define are left out.
    """
    program = typer.main.get_command(cli.app)
    commands = {"jaxsolve": program, **getattr(program, "commands", {})}
    return {
        name: {
            option
            for parameter in command.params
            for option in (*parameter.opts, *parameter.secondary_opts)
            if option.startswith("-")
        }
        for name, command in commands.items()
    }
