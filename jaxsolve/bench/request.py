"""The options of ``jaxsolve bench``, the argument of every benchmark."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from jaxsolve.networks.forward import Dtype


@dataclass(frozen=True, kw_only=True)
class Request:
    """What to measure. An empty value or None means the benchmark's default."""

    games: Sequence[str] = ()  # rule sets
    batches: Sequence[int] = ()  # batch sizes, wave widths or numbers of patterns
    vs: str | None = None  # library to compare with
    as_json: bool = False
    seconds: float | None = None  # CPU seconds of each search
    problems: str | None = None  # FILE.json or FILE.json:ID,ID; zones only
    plot: Path | None = None  # picture; zones only
    seeds: int | None = None  # number of move-order seeds, 2 or more; zones only
    network: str | None = None  # BLOCKSxCHANNELS or a name; search and selfplay only
    dtype: Dtype = "float32"
    workers: Sequence[int] = ()  # numbers of workers; cluster only
    verifiers: Sequence[int] = ()  # numbers of processes that verify; cluster only
    jobs: Path | None = None  # folder of a cluster run; cluster only

    def refuse_vs(self) -> None:
        """Raises ValueError if ``vs`` is set. Benchmarks without a comparison call this."""
        if self.vs is not None:
            raise ValueError(
                f"--vs {self.vs} compares kernels only: use 'jaxsolve bench kernels --vs {self.vs}'"
            )
