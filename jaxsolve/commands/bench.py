"""``jaxsolve bench``: checks the options and runs the chosen benchmark of ``jaxsolve.bench``."""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING

from jaxsolve.bench.request import Request
from jaxsolve.commands import failure
from jaxsolve.core.strict_json import shortened

if TYPE_CHECKING:
    from jaxsolve.commands.interface.playing import BenchOptions

WITH_NETWORK = ("search", "selfplay")  # benchmarks that take a network
OWN = {
    **dict.fromkeys(("problems", "plot", "seeds"), "zones"),
    **dict.fromkeys(("workers", "verifiers", "jobs"), "cluster"),
}
"""Options of a single benchmark, and which one."""
LARGEST_BATCH = 1 << 20  # positions; far above the batch size that any device gains from


def run(options: BenchOptions) -> int:
    """Runs ``jaxsolve.bench.<name>.run`` and returns its exit code.

    Only the benchmark ``zones`` takes ``problems``, ``plot`` and ``seeds``, only ``cluster`` takes
    ``workers``, ``verifiers`` and ``jobs``. Only ``search`` and ``selfplay`` take ``network`` and
    ``dtype``. Other combinations are refused.
    """
    name = options.what.value
    with failure.errors_as_sentences(options.as_json):
        _refuse_other_options(name, options)
        batches = _batches(options.batch)
        seeds = None if options.seeds is None else _seeds(options.seeds)
        from jaxsolve.core import process

        process.setup()
        request = Request(
            games=_listed(options.games),
            batches=batches,
            vs=options.vs,
            as_json=options.as_json,
            seconds=options.seconds,
            problems=options.problems,
            plot=options.plot,
            seeds=seeds,
            network=options.network,
            dtype=options.dtype.value,
            workers=_numbers("workers", options.workers, 1),
            verifiers=_numbers("verifiers", options.verifiers, 0),
            jobs=options.jobs,
        )
        try:
            return importlib.import_module(f"jaxsolve.bench.{name}").run(request)
        except ModuleNotFoundError as error:
            raise ValueError(
                f"'jaxsolve bench {name}' needs {error.name}, which is not installed: "
                "pip install 'jaxsolve[learn]'"
            ) from None


def _refuse_other_options(name: str, options: BenchOptions) -> None:
    """Raises ValueError for an option that the benchmark ``name`` does not take."""
    if options.vs not in (None, "pgx"):
        raise ValueError(f"--vs {shortened(options.vs)}: give pgx")
    for option, owner in OWN.items():
        if getattr(options, option) is not None and name != owner:
            raise ValueError(f"--{option} is an option of 'jaxsolve bench {owner}' only")
    dtype = options.dtype.value != "float32"
    if (options.network is not None or dtype) and name not in WITH_NETWORK:
        option = "--dtype" if options.network is None else "--network"
        first, second = WITH_NETWORK
        raise ValueError(f"{option} is an option of 'jaxsolve bench {first}' and '{second}' only")


def _listed(text: str) -> list[str]:
    return [name.strip() for name in text.split(",") if name.strip()]


def _number(text: str, digits: int) -> int | None:
    return int(text) if text.isascii() and text.isdecimal() and len(text) <= digits else None


def _batches(text: str) -> list[int]:
    """Parses comma-separated batch sizes.

    Raises ValueError for a size that is below 1 or too large.
    """
    batches = []
    for size in _listed(text):
        number = _number(size, 9)
        if number is None or not 1 <= number <= LARGEST_BATCH:
            raise ValueError(
                f"--batch {shortened(text)}: give numbers from 1 to {LARGEST_BATCH}, not "
                f"{shortened(size)!r}"
            )
        batches.append(number)
    return batches


def _numbers(option: str, text: str | None, least: int) -> list[int]:
    """Parses comma-separated numbers. Raises ValueError for one that is below ``least``."""
    found = []
    for each in _listed(text or ""):
        number = _number(each, 6)
        if number is None or number < least:
            raise ValueError(
                f"--{option} {shortened(text or '')}: give numbers from {least}, not "
                f"{shortened(each)!r}"
            )
        found.append(number)
    return found


def _seeds(text: str) -> int:
    """Parses a number of seeds. Raises ValueError unless it is between 2 and 9999."""
    number = _number(text, 4)
    if number is None or number < 2:
        raise ValueError(f"--seeds {shortened(text)}: give a number of seeds from 2 to 9999")
    return number
