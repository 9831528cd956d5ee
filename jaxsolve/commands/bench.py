"""``jaxsolve bench``: hands the request to the benchmark of that name."""

from __future__ import annotations

import importlib
from pathlib import Path
from typing import TYPE_CHECKING

from jaxsolve.bench.request import Request
from jaxsolve.commands import failure
from jaxsolve.core.strict_json import shortened

if TYPE_CHECKING:
    from jaxsolve.networks.forward import Dtype

WITH_NETWORK = ("search", "selfplay")  # that take a network
LARGEST_BATCH = 1 << 20  # positions; far above what any device gains from


def run(
    what: str,
    games: str,
    batch: str,
    vs: str | None,
    as_json: bool,
    seconds: float | None = None,
    problems: str | None = None,
    plot: Path | None = None,
    seeds: str | None = None,
    network: str | None = None,
    dtype: Dtype = "float32",
) -> int:
    """Runs ``jaxsolve.bench.<what>.run``; empty lists leave the choice to the benchmark.

    Only zones takes ``problems``, ``plot`` and ``seeds``, only search and selfplay ``network`` and
    ``dtype``.
    """
    with failure.errors_as_sentences(as_json):
        if vs not in (None, "pgx"):
            raise ValueError(f"--vs {vs} is not known; it may be pgx")
        for name, value in {"--problems": problems, "--plot": plot, "--seeds": seeds}.items():
            if value is not None and what != "zones":
                raise ValueError(f"{name} is an option of 'jaxsolve bench zones' only")
        if (network is not None or dtype != "float32") and what not in WITH_NETWORK:
            raise ValueError(
                f"{'--dtype' if network is None else '--network'} is an option of 'jaxsolve bench {WITH_NETWORK[0]}' and '{WITH_NETWORK[1]}' only"
            )
        sizes = [word.strip() for word in batch.split(",") if word.strip()]
        wrong = [
            word
            for word in sizes
            if not (
                word.isascii()
                and word.isdecimal()
                and len(word) < 10
                and 1 <= int(word) <= LARGEST_BATCH
            )
        ]
        if wrong:
            raise ValueError(
                f"--batch {shortened(batch)}: {shortened(wrong[0])!r} is not a number from 1 to {LARGEST_BATCH}"
            )
        if seeds is not None and not (
            seeds.isascii() and seeds.isdecimal() and len(seeds) < 5 and int(seeds) >= 2
        ):
            raise ValueError(f"--seeds {shortened(seeds)}: give a number of seeds from 2 to 9999")
        from jaxsolve.core import process

        process.setup()
        request = Request(
            games=[word.strip() for word in games.split(",") if word.strip()],
            batches=[int(word) for word in sizes],
            vs=vs,
            as_json=as_json,
            seconds=seconds,
            problems=problems,
            plot=plot,
            seeds=None if seeds is None else int(seeds),
            network=network,
            dtype=dtype,
        )
        try:
            return importlib.import_module(f"jaxsolve.bench.{what}").run(request)
        except ModuleNotFoundError as error:
            raise ValueError(
                f"'jaxsolve bench {what}' needs {error.name}, which is not installed: pip install 'jaxsolve[learn]'"
            ) from None
