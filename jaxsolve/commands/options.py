"""The options that several words of the command line share, and what becomes of them."""

from __future__ import annotations

import enum
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, TypeVar

import typer

from jaxsolve.commands import failure
from jaxsolve.core.strict_json import shortened
from jaxsolve.search.settings import METHOD_NAMES

if TYPE_CHECKING:
    from jaxsolve.networks import Guide
    from jaxsolve.networks.shipped import AutoGuide

Choice = TypeVar("Choice", bound=enum.StrEnum)
Method = enum.StrEnum("Method", {name: name for name in METHOD_NAMES})


class Letters(enum.StrEnum):
    """Column letters of typed Gomoku moves, as ``jaxsolve.formats.letters`` names them."""

    gtp = "gtp"
    renju = "renju"


class Dtype(enum.StrEnum):
    """Numbers that a network's tower computes in."""

    float32 = "float32"
    bfloat16 = "bfloat16"


def one_of(kind: type[Choice]) -> Callable[[str], Choice]:
    """A parser of the words of ``kind``; typer's own lets its validator's wording through."""

    def parse(text: str) -> Choice:
        try:
            return kind(text)
        except ValueError:
            words = [choice.value for choice in kind]
            raise typer.BadParameter(
                f"{shortened(text)!r} is not known; it may be {', '.join(words[:-1])} or {words[-1]}"
            ) from None

    return parse


POSITION_HELP = (
    "An SGF file; FILE.json:ID, a problem of a set (quickstart.json comes with the package); start; 'moves:C3 D4 pass' from the start position; "
    "a position in canonical text, in quotes; or - for an SGF record or a text on standard input."
)
Position = Annotated[
    str, typer.Argument(metavar="POSITION", help=POSITION_HELP, show_default=False)
]
Game = Annotated[
    str | None,
    typer.Option(
        "--game",
        "-g",
        metavar="ID",
        help="Rule set, such as killallgo-9 or 'gomoku-15;knowledge=4t'.",
    ),
]
Rules = Annotated[
    list[str] | None,
    typer.Option(
        "--rule",
        "-r",
        metavar="KEY=VALUE",
        help="Rule option, or several joined by ';'; see 'jaxsolve games'.",
    ),
]
Search = Annotated[
    Method, typer.Option("--method", "-m", parser=one_of(Method), help="Search method.")
]
Nodes = Annotated[
    int | None,
    typer.Option("--nodes", min=1, metavar="N", help="Give up after N expanded positions."),
]
Evaluations = Annotated[
    int | None,
    typer.Option(
        "--evaluations", min=1, metavar="N", help="Give up after N positions sent to the evaluator."
    ),
]
Memory = Annotated[
    int,
    typer.Option(
        "--memory",
        min=16,
        max=1 << 24,
        metavar="MB",
        help="Memory for the search, its table and its proof.",
    ),
]
Seed = Annotated[
    int,
    typer.Option("--seed", min=0, max=(1 << 64) - 1, metavar="K", help="Random seed, below 2^64."),
]
Wave = Annotated[
    int | None,
    typer.Option(
        "--wave",
        min=1,
        max=1 << 20,
        metavar="N",
        help="Positions sent to the evaluator at a time; the method's own (README, On a GPU).",
    ),
]
NetworkName = Annotated[
    str | None,
    typer.Option(
        "--network",
        metavar="NAME",
        help="A network that guides the search: auto, a name that 'jaxsolve networks' lists, a file, a run's folder.",
    ),
]


def rotations_asked(value: int) -> int:
    if value not in (1, 8):
        raise typer.BadParameter(
            f"{value} is neither 1 (the position as it stands) nor 8 (the mean over all symmetries of the rules)"
        )
    return value


Rotations = Annotated[
    int,
    typer.Option(
        "--rotations",
        callback=rotations_asked,
        metavar="1|8",
        help="8: the mean of what it says over all symmetries of the rules.",
    ),
]
Arithmetic = Annotated[
    Dtype,
    typer.Option(
        "--dtype",
        parser=one_of(Dtype),
        help="Numbers that the network computes in. bfloat16: faster on a GPU or a processor with AMX, slower on others.",
    ),
]
NoZones = Annotated[
    bool,
    typer.Option(
        "--no-zones",
        help="Answer every reply, also those that cannot touch what a refutation rests on.",
    ),
]
Patterns = Annotated[
    Path | None,
    typer.Option(
        "--patterns",
        metavar="FILE",
        help="Begin with what earlier searches with this FILE have proved, and add to it; made if missing.",
    ),
]
NoCheck = Annotated[
    bool, typer.Option("--no-check", help="Announce an answer without having its proof checked.")
]
Columns = Annotated[
    Letters | None,
    typer.Option(
        "--letters",
        parser=one_of(Letters),
        help="Column letters of typed Gomoku moves: gtp leaves out I, renju counts it; boards have gtp.",
    ),
]
AsJson = Annotated[bool, typer.Option("--json", help="Print one JSON object and nothing else.")]


def seconds(value: float | None) -> float | None:
    if value is not None and not 0 < value < float("inf"):
        raise typer.BadParameter(f"{value} is not a number of seconds above 0")
    return value


Time = Annotated[
    float | None,
    typer.Option(
        "--time",
        callback=seconds,
        metavar="S",
        help="Give up after S CPU seconds, compilation apart.",
    ),
]
Wall = Annotated[
    float | None,
    typer.Option(
        "--wall",
        callback=seconds,
        metavar="S",
        help="Give up after S seconds of the clock, likewise.",
    ),
]


def heads(
    network: str | None, rotations: int, dtype: Dtype, json: bool
) -> Guide | AutoGuide | None:
    """The network that guides a search. Raises ``typer.Exit`` for a name of none, ``typer.BadParameter`` for what needs one where there is none."""
    if network is not None:
        from jaxsolve.commands import networks as command

        with failure.errors_as_sentences(json):
            return command.guide(network, rotations, dtype.value)
    if rotations != 1:
        raise typer.BadParameter(
            "needs --network, which it asks so many times", param_hint="--rotations"
        )
    if dtype is not Dtype.float32:
        raise typer.BadParameter("needs --network, which computes in it", param_hint="--dtype")
    return None


def rules(texts: list[str] | None) -> dict[str, str]:
    """Options by name, from KEY=VALUE, several joined by semicolons, or a whole rule-set id, whose base is the option ``rules``."""
    options: dict[str, str] = {}
    for text in texts or []:
        base, *fields = text.split(";")
        for pair in [f"rules={base}", *fields] if fields and "=" not in base else [base, *fields]:
            key, equals, value = pair.partition("=")
            if not equals or not key or key in options:
                raise typer.BadParameter(
                    f"{pair!r} is {'given twice' if key in options else 'not of the form KEY=VALUE'}",
                    param_hint="--rule",
                )
            options[key] = value
    return options


def ids(text: str | None) -> tuple[str, ...] | None:
    return None if text is None else tuple(word.strip() for word in text.split(",") if word.strip())


def letters_name(letters: Letters | None) -> str | None:
    return None if letters is None else letters.value
