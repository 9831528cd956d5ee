"""``jaxsolve cluster``: solves with many workers, and shows the status of such a run."""

from __future__ import annotations

import time
from collections.abc import Callable
from contextlib import nullcontext
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from rich.console import Console
from rich.live import Live

from jaxsolve.commands import cluster_table, failure, solve, streams, suite
from jaxsolve.commands.terminal import output_console
from jaxsolve.core import process
from jaxsolve.search.settings import Settings


@dataclass(frozen=True, kw_only=True)
class Request:
    """The options of ``jaxsolve cluster solve``."""

    position: str  # or the file of a problem set
    out: Path
    game: str | None = None
    options: dict[str, str] = field(default_factory=dict)
    claim: str | None = None
    letters: str | None = None
    settings: Settings = field(default_factory=Settings)
    workers: dict[str, Any] = field(default_factory=dict)  # fields of ``ClusterOptions``
    resume: bool = False
    ids: tuple[str, ...] | None = None
    pool: int = 1
    as_json: bool = False


def is_problem_set(position: str) -> bool:
    """Whether an argument POSITION is the file of a problem set instead of a position."""
    return position.endswith(".json")


def run(request: Request) -> int:
    """Solves the position or the problem set, prints answers and figures.

    Returns the exit code.
    """
    with failure.errors_as_sentences(request.as_json):
        process.setup()
        from jaxsolve.cluster import ClusterOptions, Run

        options = ClusterOptions(**request.workers)
        if is_problem_set(request.position):
            _refuse_options_of_positions(request)
        with (
            _LiveTable(shown=not is_problem_set(request.position)) as table,
            Run(options, request.settings, request.out, table.callback) as started,
        ):
            code = _solve(request, started, table)
        figures = started.figures()
        # Without workers, as when a decided run is resumed, the table would be zeros.
        if not request.as_json and figures.get("workers"):
            streams.deliver(
                lambda: output_console().print(cluster_table.report(figures)),
                f"{figures['nodes']} nodes",
            )
        return code


def _refuse_options_of_positions(request: Request) -> None:
    """Raises ValueError for options that a problem set answers itself."""
    given = {"--game": request.game, "--claim": request.claim, "--letters": request.letters}
    for name, value in given.items():
        if value is not None:
            raise ValueError(
                f"{name} {value}: the problems of a set have their own rules, positions and claims;"
                " leave it out"
            )


def _solve(request: Request, started: Any, table: _LiveTable) -> int:
    """Runs ``solve`` or ``suite`` with the workers. Returns the exit code."""

    def figures() -> dict[str, Any]:
        return {"cluster": started.figures()}

    if is_problem_set(request.position):
        return suite.run(
            suite.Request(
                problems=Path(request.position),
                ids=request.ids,
                options=request.options,
                settings=started.settings,
                pool=request.pool,
                out=request.out,
                as_json=request.as_json,
                make_pool=started.make_pool,
                figures=figures,
            )
        )
    return solve.run(
        solve.Request(
            position=request.position,
            game=request.game,
            options=request.options,
            claim=request.claim,
            settings=started.settings,
            letters=request.letters,
            out=request.out,
            resume=request.resume,
            as_json=request.as_json,
            make_pool=started.make_pool,
            before_answer=table.stop,
            figures=figures,
        )
    )


class _LiveTable:
    """The status of a run on standard error, rewritten in place; nothing without a terminal."""

    def __init__(self, *, shown: bool):
        console = Console(stderr=True)
        self._shown = shown and console.is_terminal
        self._live = Live(
            console=console,
            transient=True,
            refresh_per_second=2,
            redirect_stdout=False,
            redirect_stderr=False,
        )

    @property
    def callback(self) -> Callable[[dict[str, Any]], None] | None:
        """Function that shows a status; None if nothing is shown."""
        return self._show if self._shown else None

    def _show(self, status: dict[str, Any]) -> None:
        if not self._live.is_started:
            if status["ended"]:
                return
            self._live.start()
        self._live.update(cluster_table.status(status))

    def stop(self) -> None:
        """Removes the table from the terminal."""
        self._live.stop()

    def __enter__(self) -> _LiveTable:
        return self

    def __exit__(self, *_: object) -> None:
        self.stop()


def status(folder: Path, *, watch: bool, as_json: bool) -> int:
    """Prints the status of the run in a folder; with ``watch`` again every second until its end.

    Returns the exit code.
    """
    with failure.errors_as_sentences(as_json):
        from jaxsolve.cluster.status import read

        console = output_console()
        in_place = watch and not as_json and console.is_terminal
        with Live(console=console, auto_refresh=False) if in_place else nullcontext() as live:
            while True:
                found = read(folder)
                if as_json:
                    streams.print_json(found)
                elif live is not None:
                    live.update(cluster_table.status(found), refresh=True)
                else:
                    console.print(cluster_table.status(found))
                if not watch or found["ended"]:
                    return 0
                time.sleep(1.0)
