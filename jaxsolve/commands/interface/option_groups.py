"""Groups of command-line options: frozen dataclasses used as parameters of commands.

typer reads the options of a command from its signature, one parameter per option. With
``expand_groups`` a parameter may also be a group, which stands for one option per field:

    @dataclass(frozen=True, kw_only=True)
    class Limits:
        nodes: Annotated[int | None, typer.Option("--nodes")] = None

    @app.command()
    @expand_groups
    def solve(position: Annotated[str, typer.Argument()], limits: Limits): ...

The command line of ``solve`` then has the argument POSITION and the option --nodes, and ``solve``
is called with a ``Limits``. A group can extend another group by inheritance.
"""

from __future__ import annotations

import dataclasses
import functools
import inspect
from collections.abc import Callable, Iterator
from typing import Any, TypeVar, get_type_hints

Result = TypeVar("Result")


def expand_groups(command: Callable[..., Result]) -> Callable[..., Result]:
    """Returns ``command`` with each group in its signature replaced by the options of the group.

    Raises:
      ValueError: two options have the same name, or a field of a group has a default factory.
    """
    hints = get_type_hints(command, include_extras=True)
    parameters: list[inspect.Parameter] = []
    groups: dict[str, type] = {}
    for name, parameter in inspect.signature(command).parameters.items():
        if dataclasses.is_dataclass(hints[name]):
            groups[name] = hints[name]
            parameters += _options(hints[name])
        else:
            parameters.append(
                parameter.replace(annotation=hints[name], kind=inspect.Parameter.KEYWORD_ONLY)
            )

    @functools.wraps(command)
    def expanded(**values: Any) -> Result:
        built = {
            name: group(**{each.name: values.pop(each.name) for each in dataclasses.fields(group)})
            for name, group in groups.items()
        }
        return command(**values, **built)

    expanded.__annotations__ = {each.name: each.annotation for each in parameters}
    vars(expanded)["__signature__"] = inspect.Signature(parameters)
    return expanded


def _options(group: type) -> Iterator[inspect.Parameter]:
    """Yields one parameter per field of ``group``. Raises ValueError for a default factory."""
    hints = get_type_hints(group, include_extras=True)
    for each in dataclasses.fields(group):
        if each.default_factory is not dataclasses.MISSING:
            raise ValueError(
                f"{group.__name__}.{each.name} has a default factory; an option needs a value"
            )
        default = each.default
        yield inspect.Parameter(
            each.name,
            inspect.Parameter.KEYWORD_ONLY,
            default=inspect.Parameter.empty if default is dataclasses.MISSING else default,
            annotation=hints[each.name],
        )
