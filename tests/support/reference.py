"""The commands and options of the command line, read from the program itself."""

from __future__ import annotations

from typing import Any

import typer

from jaxsolve import cli


def commands() -> dict[str, Any]:
    """All commands; those of a group with its name before theirs."""
    found: dict[str, Any] = {}
    for name, command in getattr(typer.main.get_command(cli.app), "commands", {}).items():
        members = getattr(command, "commands", None)
        found |= (
            {name: command} if members is None else {f"{name} {m}": members[m] for m in members}
        )
    return found


def options_by_command() -> dict[str, set[str]]:
    """Maps each command, such as ``"solve"``, to its long and short options.

    The program's own options, such as ``--version``, are under ``"jaxsolve"``. ``--help``, which
    every command has, and ``--no-...`` forms that switches do not define are left out.
    """
    program: Any = typer.main.get_command(cli.app)
    return {
        name: {
            option
            for parameter in command.params
            for option in (*parameter.opts, *parameter.secondary_opts)
            if option.startswith("-")
        }
        for name, command in {"jaxsolve": program, **commands()}.items()
    }
