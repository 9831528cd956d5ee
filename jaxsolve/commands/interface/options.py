"""Command-line options that several commands share, in groups, and the checks of their values.

Nothing here imports JAX, numba or NumPy before a search is set up: ``--help`` must be fast.
"""

from __future__ import annotations

import enum
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, TypeVar

import typer

from jaxsolve.commands import failure
from jaxsolve.core.strict_json import shortened
from jaxsolve.search.settings import METHOD_NAMES, Limits, Settings

if TYPE_CHECKING:
    from jaxsolve.networks import Guide
    from jaxsolve.networks.shipped import AutoGuide

Choice = TypeVar("Choice", bound=enum.StrEnum)


class Letters(enum.StrEnum):
    """Column letters of typed Gomoku moves, as ``jaxsolve.formats.letters`` names them."""

    gtp = "gtp"
    renju = "renju"


class Dtype(enum.StrEnum):
    """Number formats in which a network's tower computes."""

    float32 = "float32"
    bfloat16 = "bfloat16"


# ---- values ------------------------------------------------------------------------------------
def one_of(kind: type[Choice]) -> Callable[[str], Choice]:
    """A parser of the values of ``kind`` with an error message of our own."""

    def parse(text: str) -> Choice:
        return kind(_checked_name(text, [choice.value for choice in kind]))

    return parse


def method_name(text: str) -> str:
    """Checks the name of a search method. Raises ``typer.BadParameter``."""
    return _checked_name(text, METHOD_NAMES)


def _checked_name(text: str, names: Sequence[str]) -> str:
    if text not in names:
        allowed = f"{', '.join(names[:-1])} or {names[-1]}"
        raise typer.BadParameter(f"{shortened(text)!r} is not known; it may be {allowed}")
    return text


def seconds(value: float | None) -> float | None:
    """Checks a number of seconds. Raises ``typer.BadParameter``."""
    if value is not None and not 0 < value < float("inf"):
        raise typer.BadParameter(f"{value} is not a number of seconds above 0")
    return value


def checked_rotations(value: int) -> int:
    """Checks the value of ``--rotations``. Raises ``typer.BadParameter``."""
    if value not in (1, 8):
        raise typer.BadParameter(
            f"{value} is neither 1 (the position as it is) "
            "nor 8 (the mean over all symmetries of the rules)"
        )
    return value


def rules(texts: list[str] | None) -> dict[str, str]:
    """Rule options by name.

    Each text is KEY=VALUE, several of them joined by semicolons, or a whole rule-set id. The base
    of an id is stored under the name ``rules``. Raises ``typer.BadParameter``.
    """
    options: dict[str, str] = {}
    for text in texts or []:
        base, *fields = text.split(";")
        for pair in [f"rules={base}", *fields] if fields and "=" not in base else [base, *fields]:
            key, equals, value = pair.partition("=")
            if not equals or not key or key in options:
                reason = "given twice" if key in options else "not of the form KEY=VALUE"
                raise typer.BadParameter(f"{pair!r} is {reason}", param_hint="--rule")
            options[key] = value
    return options


# ---- single options ----------------------------------------------------------------------------
AsJson = Annotated[bool, typer.Option("--json", help="Print one JSON object and nothing else.")]
Out = Annotated[
    Path | None,
    typer.Option(
        "--out",
        "-o",
        metavar="DIR",
        help="Folder for the results. The same command resumes the run in it.",
    ),
]
Time = Annotated[
    float | None,
    typer.Option(
        "--time",
        callback=seconds,
        metavar="S",
        help="Stop a search after S CPU seconds, compilation not counted.",
    ),
]
Seed = Annotated[
    int,
    typer.Option("--seed", min=0, max=(1 << 64) - 1, metavar="K", help="Random seed, below 2^64."),
]
Rule = Annotated[
    list[str] | None,
    typer.Option(
        "--rule",
        "-r",
        metavar="KEY=VALUE",
        help="Rule option, or several joined by ';'; see 'jaxsolve games'.",
    ),
]
Patterns = Annotated[
    Path | None,
    typer.Option(
        "--patterns",
        metavar="FILE",
        help="Use the patterns that earlier searches proved and saved in FILE, and add new ones. "
        "The file is created if missing.",
    ),
]


# ---- groups ------------------------------------------------------------------------------------
@dataclass(frozen=True, kw_only=True)
class PositionOptions:
    """A position with its rules."""

    position: Annotated[
        str,
        typer.Argument(
            metavar="POSITION",
            show_default=False,
            help="An SGF file; FILE.json:ID, a problem of a set (quickstart.json is included); "
            "start; 'moves:C3 D4 pass' from the start position; a position in canonical text, in "
            "quotes; or - to read an SGF record or a text from standard input.",
        ),
    ]
    game: Annotated[
        str | None,
        typer.Option(
            "--game",
            "-g",
            metavar="ID",
            help="Rule set, such as killallgo-9 or 'gomoku-15;knowledge=4t'.",
        ),
    ] = None
    rule: Rule = None
    letters: Annotated[
        Letters | None,
        typer.Option(
            "--letters",
            parser=one_of(Letters),
            help="Column letters of typed Gomoku moves: gtp omits I, renju includes it. "
            "Output always uses gtp.",
        ),
    ] = None

    @property
    def column_letters(self) -> str | None:
        return None if self.letters is None else self.letters.value


@dataclass(frozen=True, kw_only=True)
class ProblemOptions:
    """Problems of a set."""

    ids: Annotated[
        str | None,
        typer.Option("--ids", metavar="ID,ID,...", help="Only these problems, in this order."),
    ] = None
    rule: Rule = None

    @property
    def chosen(self) -> tuple[str, ...] | None:
        """The ids; None for all problems."""
        if self.ids is None:
            return None
        return tuple(name.strip() for name in self.ids.split(",") if name.strip())


@dataclass(frozen=True, kw_only=True)
class LimitOptions:
    """Limits of one search; the first that is reached ends it."""

    time: Time = None
    wall: Annotated[
        float | None,
        typer.Option(
            "--wall",
            callback=seconds,
            metavar="S",
            help="Stop a search after S seconds of wall time, compilation not counted.",
        ),
    ] = None
    nodes: Annotated[
        int | None,
        typer.Option(
            "--nodes", min=1, metavar="N", help="Stop a search after N expanded positions."
        ),
    ] = None

    def limits(self) -> Limits:
        return Limits(self.time, self.wall, self.nodes)


@dataclass(frozen=True, kw_only=True)
class EvaluationLimitOptions(LimitOptions):
    """Limits of one search, with one on evaluations."""

    evaluations: Annotated[
        int | None,
        typer.Option(
            "--evaluations",
            min=1,
            metavar="N",
            help="Stop a search after N positions sent to evaluation.",
        ),
    ] = None

    def limits(self) -> Limits:
        return Limits(self.time, self.wall, self.nodes, self.evaluations)


@dataclass(frozen=True, kw_only=True)
class SearchOptions:
    """Command-line options that select and configure the search."""

    method: Annotated[
        str,
        typer.Option(
            "--method",
            "-m",
            parser=method_name,
            metavar=f"<{'|'.join(METHOD_NAMES)}>",
            help="Search method.",
        ),
    ] = "dfpn"
    memory: Annotated[
        int,
        typer.Option(
            "--memory",
            min=16,
            max=1 << 24,
            metavar="MB",
            help="Memory for the search, its table and its proof.",
        ),
    ] = 2048
    seed: Seed = 0
    wave: Annotated[
        int | None,
        typer.Option(
            "--wave",
            min=1,
            max=1 << 20,
            metavar="N",
            help="Positions evaluated together; default: chosen by the method.",
        ),
    ] = None
    no_zones: Annotated[
        bool,
        typer.Option(
            "--no-zones",
            help="Search every reply, also replies outside the relevance zone of a refutation.",
        ),
    ] = False

    def settings(
        self, limits: Limits, heads: Guide | AutoGuide | None = None, *, check: bool = True
    ) -> Settings:
        return Settings(
            method=self.method,
            limits=limits,
            memory_mb=self.memory,
            seed=self.seed,
            wave=self.wave,
            heads=heads,
            zones=not self.no_zones,
            check=check,
        )


@dataclass(frozen=True, kw_only=True)
class NetworkUseOptions:
    """How a network computes."""

    rotations: Annotated[
        int,
        typer.Option(
            "--rotations",
            callback=checked_rotations,
            metavar="1|8",
            help="8: average the network's outputs over all symmetries of the rules.",
        ),
    ] = 1
    dtype: Annotated[
        Dtype,
        typer.Option(
            "--dtype",
            parser=one_of(Dtype),
            help="Number format of the network. bfloat16 is faster on a GPU or a processor with "
            "AMX, and slower on other processors.",
        ),
    ] = Dtype.float32


@dataclass(frozen=True, kw_only=True)
class NetworkOptions(NetworkUseOptions):
    """A network that guides the search, and how it computes."""

    network: Annotated[
        str | None,
        typer.Option(
            "--network",
            metavar="NAME",
            help="A network that guides the search: auto, a name that 'jaxsolve networks' lists, "
            "a file, or the folder of a training run.",
        ),
    ] = None

    def heads(self, as_json: bool) -> Guide | AutoGuide | None:
        """The network that guides a search; None without one.

        Raises:
          typer.Exit: no network has that name.
          typer.BadParameter: an option needs a network and there is none.
        """
        if self.network is not None:
            from jaxsolve.commands import networks

            with failure.errors_as_sentences(as_json):
                return networks.guide(self.network, self.rotations, self.dtype.value)
        if self.rotations != 1:
            raise typer.BadParameter("needs --network NAME", param_hint="--rotations")
        if self.dtype is not Dtype.float32:
            raise typer.BadParameter("needs --network NAME", param_hint="--dtype")
        return None


@dataclass(frozen=True, kw_only=True)
class ProofOptions:
    """Checks of proofs, and patterns that are reused."""

    no_check: Annotated[
        bool, typer.Option("--no-check", help="Report an answer without checking its proof.")
    ] = False
    patterns: Patterns = None


@dataclass(frozen=True, kw_only=True)
class OutputOptions:
    """Where results go."""

    out: Out = None
    as_json: AsJson = False
