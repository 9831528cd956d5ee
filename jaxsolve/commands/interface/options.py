"""Groups of command-line options that several commands share, and checks of their values.

Importing this module does not import JAX, numba or NumPy, so that ``--help`` is fast.
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

EnumMember = TypeVar("EnumMember", bound=enum.StrEnum)
METHODS = f"<{'|'.join(METHOD_NAMES)}>"  # as ``--help`` shows the search methods


class Letters(enum.StrEnum):
    """Column letters of typed Gomoku moves; ``jaxsolve.formats.letters`` defines the names."""

    gtp = "gtp"
    renju = "renju"


class Dtype(enum.StrEnum):
    """Number formats in which the residual tower of a network computes."""

    float32 = "float32"
    bfloat16 = "bfloat16"


# ---- values ------------------------------------------------------------------------------------
def one_of(kind: type[EnumMember]) -> Callable[[str], EnumMember]:
    """Returns a parser for the names of the enum ``kind``.

    For another name the parser raises ``typer.BadParameter``, whose message lists all names.
    """

    def parse(text: str) -> EnumMember:
        return kind(_checked_name(text, [member.value for member in kind]))

    return parse


def listed(text: str | None) -> tuple[str, ...] | None:
    """Returns the names in a list with commas; None for None."""
    if text is None:
        return None
    return tuple(name.strip() for name in text.split(",") if name.strip())


def method_name(text: str) -> str:
    """Returns ``text`` if it is a search method; otherwise raises ``typer.BadParameter``."""
    return _checked_name(text, METHOD_NAMES)


def _checked_name(text: str, names: Sequence[str]) -> str:
    if text not in names:
        allowed = f"{', '.join(names[:-1])} or {names[-1]}"
        raise typer.BadParameter(f"{shortened(text)}: give {allowed}")
    return text


def seconds(value: float | None) -> float | None:
    """Returns ``value`` if it is None or in ]0, 1e9]; else raises ``typer.BadParameter``."""
    if value is not None and not 0 < value <= 1e9:
        raise typer.BadParameter("give a number of seconds above 0, at most 1e9")
    return value


def folder(text: str) -> Path:
    """Returns the folder that ``text`` names; raises ``typer.BadParameter`` if it is empty."""
    if not text:
        raise typer.BadParameter("give a folder, not an empty name")
    return Path(text)


def checked_rotations(value: int) -> int:
    """Returns ``value`` if it is 1 or 8; otherwise raises ``typer.BadParameter``."""
    if value not in (1, 8):
        raise typer.BadParameter(
            "give 1 (the position as it is) or 8 (the mean over all symmetries of the rules)"
        )
    return value


def rule_options(texts: list[str] | None) -> dict[str, str]:
    """Parses the values of ``--rule`` to rule options by name.

    Each text is KEY=VALUE, or several of these joined by semicolons, or a rule-set id with options
    such as ``go-9;ko=simple``. The base of an id, ``go-9``, is stored under the
    name ``rules``.

    Raises ``typer.BadParameter`` for other texts, and for an option that is given twice.
    """
    options: dict[str, str] = {}
    for text in texts or []:
        base, *fields = text.split(";")
        for pair in [f"rules={base}", *fields] if fields and "=" not in base else [base, *fields]:
            key, equals, value = pair.partition("=")
            if not equals or not key or key in options:
                reason = f"give {key} once" if key in options else "give KEY=VALUE"
                raise typer.BadParameter(f"{shortened(pair)}: {reason}", param_hint="--rule")
            options[key] = value
    return options


# ---- single options ----------------------------------------------------------------------------
AsJson = Annotated[bool, typer.Option("--json", help="Print one JSON object and nothing else.")]
Out = Annotated[
    Path | None,
    typer.Option(
        "--out",
        "-o",
        parser=folder,
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
NoZones = Annotated[
    bool,
    typer.Option(
        "--no-zones",
        help="Search every reply, also replies outside the relevance zone of a refutation.",
    ),
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
    """Options that give a position and its rules."""

    position: Annotated[
        str,
        typer.Argument(
            metavar="POSITION",
            show_default=False,
            help="An SGF file; FILE.json:ID, a problem of a set (quickstart.json is included); "
            "a link of the Hex board hexworld.org/board, in quotes; "
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
    """Options that select problems of a set and change their rules."""

    ids: Annotated[
        str | None,
        typer.Option("--ids", metavar="ID,ID,...", help="Only these problems, in this order."),
    ] = None
    rule: Rule = None

    @property
    def chosen(self) -> tuple[str, ...] | None:
        """The ids of ``--ids``; None for all problems."""
        return listed(self.ids)


@dataclass(frozen=True, kw_only=True)
class LimitOptions:
    """Limits of one search. The search ends when one of them is reached."""

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
    """Limits of one search, including a limit on evaluations."""

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
            metavar=METHODS,
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
    no_zones: NoZones = False

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
    """Options for how a network is evaluated: symmetries and number format."""

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
    """A network that guides the search, and how it is evaluated."""

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
        """Loads the network of ``--network``. Returns None if the option is not given.

        Raises:
          typer.Exit: there is no such network.
          typer.BadParameter: ``--rotations`` or ``--dtype`` is given without ``--network``.
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
    """Options about proofs: whether they are checked, and a file of patterns to reuse."""

    no_check: Annotated[
        bool, typer.Option("--no-check", help="Report an answer without checking its proof.")
    ] = False
    patterns: Patterns = None


@dataclass(frozen=True, kw_only=True)
class OutputOptions:
    """Output options of a command: folder and format."""

    out: Out = None
    as_json: AsJson = False
