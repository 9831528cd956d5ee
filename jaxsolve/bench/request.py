"""The options of ``jaxsolve bench``, as every benchmark gets them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from jaxsolve.networks.forward import Dtype


@dataclass(frozen=True, kw_only=True)
class Request:
    """What to measure. An empty or missing value leaves the choice to the benchmark."""

    games: Sequence[str] = ()  # rule sets
    batches: Sequence[int] = ()  # batch sizes, wave widths or numbers of patterns
    vs: str | None = None  # library to compare with
    as_json: bool = False
    seconds: float | None = None  # CPU seconds of each search
    problems: str | None = None  # FILE.json or FILE.json:ID,ID; zones only
    plot: Path | None = None  # picture; zones only
    seeds: int | None = None  # orders of moves, 2 or more; zones only
    network: str | None = None  # BLOCKSxCHANNELS or a name; search and selfplay only
    dtype: Dtype = "float32"

    def refuse_vs(self) -> None:
        """Raises ValueError where a library is given to a benchmark that compares with none."""
        if self.vs is not None:
            raise ValueError(
                f"--vs {self.vs} compares kernels only: use 'jaxsolve bench kernels --vs {self.vs}'"
            )
