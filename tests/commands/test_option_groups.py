"""Groups of options: a dataclass in a command's signature stands for its fields."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Annotated

import pytest
import typer
from typer.testing import CliRunner

from jaxsolve.commands.interface.option_groups import expand_groups
from support.reference import commands, options_by_command


@dataclass(frozen=True, kw_only=True)
class Limits:
    nodes: Annotated[int | None, typer.Option("--nodes", "-n", min=1)] = None


@dataclass(frozen=True, kw_only=True)
class MoreLimits(Limits):
    name: Annotated[str, typer.Argument()]
    exact: Annotated[bool, typer.Option("--exact")] = False


@dataclass(frozen=True, kw_only=True)
class Wide:
    wide: Annotated[bool, typer.Option("--wide")] = False


@dataclass(frozen=True, kw_only=True)
class Listed:
    rule: Annotated[list[str], typer.Option("--rule")] = field(default_factory=list)


def outcome(command, *words):
    app = typer.Typer()
    app.command()(expand_groups(command))
    return CliRunner().invoke(app, list(words))


def test_a_command_receives_its_groups_with_defaults_and_inherited_fields():
    received = []

    def command(limits: MoreLimits, wide: Annotated[bool, typer.Option("--wide")] = False) -> None:
        received.append((limits, wide))

    assert outcome(command, "a").exit_code == 0
    assert outcome(command, "-n", "3", "b", "--exact", "--wide").exit_code == 0
    assert received == [
        (MoreLimits(name="a"), False),
        (MoreLimits(name="b", nodes=3, exact=True), True),
    ]


@pytest.mark.parametrize("words", [(), ("a", "-n", "0"), ("a", "--unknown")])
def test_a_missing_argument_and_bad_values_are_usage_errors(words):
    def command(limits: MoreLimits) -> None: ...

    assert outcome(command, *words).exit_code == 2


def test_two_options_of_one_name_are_refused():
    def command(limits: Limits, nodes: Annotated[int, typer.Option("--more")] = 1) -> None: ...

    with pytest.raises(ValueError, match="nodes"):
        expand_groups(command)


def test_a_group_may_have_the_name_of_another_groups_field():
    received = []

    def command(name: Wide, limits: MoreLimits) -> None:
        received.append((name, limits))

    assert outcome(command, "a", "--wide").exit_code == 0
    assert received == [(Wide(wide=True), MoreLimits(name="a"))]


def test_an_option_of_two_groups_is_refused():
    def command(limits: Limits, more: MoreLimits) -> None: ...

    with pytest.raises(ValueError, match="nodes"):
        expand_groups(command)


def test_a_default_factory_is_refused():
    def command(rules: Listed) -> None: ...

    with pytest.raises(ValueError, match="rule"):
        expand_groups(command)


def test_commands_that_search_share_the_options_of_a_search():
    options = options_by_command()
    shared = {"--method", "-m", "--memory", "--seed", "--wave", "--no-zones", "--dtype", "--json"}
    for name in ("solve", "suite", "tsumego", "evaluate"):
        assert shared <= options[name]
    assert set(options) == {"jaxsolve", *commands()}
