"""Progress on standard error: a status line for searches, messages for other work."""

from __future__ import annotations

import contextlib
import time
from collections.abc import Callable, Iterator

from rich.console import Console
from rich.live import Live
from rich.text import Text

from jaxsolve.commands import failure
from jaxsolve.search.result import Progress

SECONDS = 60.0  # between two lines of ``ProgressLines`` if standard error is not a terminal


def number(value: float) -> str:
    """Formats a proof number, visit count or mean value: ``1,234``, ``0.25``, ``∞`` (from 2^30)."""
    if value >= 1 << 30:
        return "∞"
    return f"{value:,.0f}" if value == int(value) else f"{value:.2f}"


def line(progress: Progress, rate: float) -> str:
    """Formats nodes, nodes per second, the root's proof and disproof number, and the best line."""
    parts = [
        f"{progress.nodes:,} nodes",
        f"{rate:,.0f}/s",
        f"pn {number(progress.proof_number)}",
        f"dn {number(progress.disproof_number)}",
    ]
    return "  ".join(parts + (["best " + " ".join(progress.line)] if progress.line else []))


class StatusLine:
    """Status line of a search on standard error, rewritten in place.

    Nothing is printed if standard error is not a terminal. Use it as a context manager.
    """

    def __init__(self, console: Console | None = None):
        console = console or Console(stderr=True)
        self.title = ""
        self._live = Live(
            console=console,
            transient=True,
            refresh_per_second=8,
            redirect_stdout=False,
            redirect_stderr=False,
        )
        self._shown = console.is_terminal
        self._previous = (time.monotonic(), 0, 0.0)

    @property
    def callback(self) -> StatusLine | None:
        """Progress callback for a search; None if standard error is not a terminal."""
        return self if self._shown else None

    def __call__(self, progress: Progress) -> None:
        now, (then, nodes, rate) = time.monotonic(), self._previous
        if now - then >= 0.5 or progress.nodes < nodes:
            rate = max(progress.nodes - nodes, 0) / max(now - then, 1e-3)
            self._previous = (now, progress.nodes, rate)
        self._update(line(progress, rate or progress.nodes / max(progress.wall_seconds, 1e-3)))

    def _update(self, text: str) -> None:
        shown = Text.assemble((self.title + "  " if self.title else "", "bold"), text)
        shown.no_wrap, shown.overflow = True, "ellipsis"
        self._live.update(shown)

    @contextlib.contextmanager
    def paused(self) -> Iterator[None]:
        """Removes the status line while the block prints something else."""
        if self._shown:
            self._live.stop()
        try:
            yield
        finally:
            if self._shown:
                self._live.start()

    def __enter__(self) -> StatusLine:
        if self._shown:
            self._live.start()
            self._update("preparing ...")
        return self

    def __exit__(self, *_: object) -> None:
        if self._shown:
            self._live.stop()


class ProgressLines:
    """Progress messages of work other than searches, such as games and matches.

    On a terminal one line is rewritten in place; otherwise one line per minute is printed. Use it
    as a context manager.
    """

    def __init__(self, first: str):
        console = Console(stderr=True)
        self._status = console.status(first) if console.is_terminal else None
        self._printed = time.monotonic()

    def report(self, line: Callable[[], str]) -> None:
        """Prints the message that ``line`` returns.

        Without a terminal nothing is printed, and ``line`` is not called, within a minute of the
        last message.
        """
        if self._status is not None:
            self._status.update(line())
        elif time.monotonic() - self._printed >= SECONDS:
            self._printed = time.monotonic()
            failure.remark(line())

    def __enter__(self) -> ProgressLines:
        if self._status is not None:
            self._status.start()
        return self

    def __exit__(self, *_: object) -> None:
        if self._status is not None:
            self._status.stop()
