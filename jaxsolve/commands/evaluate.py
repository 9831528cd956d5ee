"""``jaxsolve evaluate``: compares networks by solving a problem set with each, and with none."""

from __future__ import annotations

import contextlib
import dataclasses
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from jaxsolve.commands import exit_codes, failure, networks, streams
from jaxsolve.commands.results_file import ResultsFile
from jaxsolve.commands.suite import Request, held_folder, problems_of, solve_all
from jaxsolve.commands.suite_table import SuiteTable, contradicts
from jaxsolve.core import process
from jaxsolve.core.run_folder import LOCK, RunFolder, write_table
from jaxsolve.networks.forward import Dtype
from jaxsolve.question import Problem

NONE = "none"
PICTURE, TABLE, ASKED = "cactus.png", "worth.csv", "evaluate.json"
OWN_FILES = (PICTURE, TABLE, ASKED, LOCK)
Row = dict[str, Any]


@dataclass(frozen=True)
class Entry:
    """A row of the comparison: a network, or the search without one."""

    name: str
    network: str | None  # a value of --network; None: search without a network


def run(chosen: Sequence[str], last: int, rotations: int, dtype: Dtype, request: Request) -> int:
    """Solves the problem set with each network and compares the results.

    Args:
      chosen: values of ``--network``. The folder of a training run stands for the latest networks
        of that run. ``none``, the search without a network, is always included.
      last: number of networks that the folder of a training run stands for.
      rotations: value of ``--rotations``, 1 or 8.
      dtype: number format of the networks.
      request: the problem set, and the search settings without a network.

    Returns:
      0: done. 1: a verdict contradicts the expected one of the problem set, or something was not
      saved. 2: the folder of a problem was refused. 130: interrupted.
    """
    with failure.errors_as_sentences(request.as_json):
        process.setup()
        entries = _entries(chosen, last)
        if dtype != "float32" and all(entry.network is None for entry in entries):
            raise ValueError(f"--dtype {dtype}: this option needs a network")
        requests = {}
        for entry in entries:
            heads = (
                None if entry.network is None else networks.guide(entry.network, rotations, dtype)
            )
            out = None if request.out is None else request.out / entry.name
            requests[entry.name] = dataclasses.replace(
                request, settings=dataclasses.replace(request.settings, heads=heads), out=out
            )
            problems_of(requests[entry.name])  # refuses a network that does not fit a problem
        with _held(request):
            for each in requests.values():
                if each.out is not None and each.out.exists():
                    with held_folder(
                        each
                    ):  # refuses a folder with other contents before anything is solved
                        pass
            return _compared(requests, request)


@contextlib.contextmanager
def _held(request: Request) -> Iterator[None]:
    """Locks the folder ``request.out`` while the block runs; does nothing without a folder.

    Raises FolderError if ``RunFolder`` refuses the folder, for example if it holds a run with other
    limits. Networks are comparable under equal limits only.
    """
    if request.out is None:
        yield
        return
    limits = {
        **dataclasses.asdict(request.settings.limits),
        "memory_mb": request.settings.memory_mb,
    }
    folder = RunFolder(
        request.out, ASKED, {"format": "jaxsolve-evaluate", "version": 1, **limits}, resume=True
    )
    try:
        yield
    finally:
        folder.release()


def _compared(requests: dict[str, Request], request: Request) -> int:
    """Solves the problem set once for each network, and prints and saves the comparison.

    Args:
      requests: one request for each network, by the name of the network.
      request: the request of the whole comparison.

    Returns:
      The exit code.
    """
    found: dict[str, dict[str, Row]] = {}
    chosen: list[Problem] = []
    left_out, unsaved = False, []
    for name, each in requests.items():
        chosen = problems_of(each)
        with held_folder(each):
            results = ResultsFile(each.out)
            interrupted, refused = solve_all(
                chosen, results, SuiteTable([], None), each, f"{name} "
            )
        if results.failure is not None:
            unsaved.append(f"rows of {name} could not be saved ({_reason(results.failure)})")
        if interrupted:
            resumes = f"; the same command resumes the run in {request.out}"
            failure.remark(f"interrupted{'' if each.out is None else resumes}")
            return exit_codes.INTERRUPTED
        for sentence in refused:
            failure.remark(f"{sentence}; the problem was skipped")
        found[name] = {
            problem.id: results.rows[problem.id] for problem in chosen if problem.id in results.rows
        }
        left_out |= bool(refused)
    table = worth(found, len(chosen))
    unsaved += _show(table, found, len(chosen), request)
    for sentence in unsaved:
        failure.remark(sentence)
    if left_out:
        return exit_codes.BAD_INPUT
    against = [
        f"{name} {row['contradicted']}"
        for name, row in zip(found, table, strict=True)
        if row["contradicted"]
    ]
    if against:
        failure.remark(
            f"answers that contradict the source of the problems: {', '.join(against)}; "
            "check their proofs"
        )
    proofs = any(row.get("unsaved") for rows in found.values() for row in rows.values())
    return exit_codes.FAILED if against or unsaved or proofs else 0


def worth(found: dict[str, dict[str, Row]], problems: int) -> list[Row]:
    """Returns the table of the comparison, one row for each network.

    A row has the number of solved problems, the total effort, and the nodes spent on the *shared*
    problems, which all networks solved.

    Args:
      found: for each network, the results of its problems by problem id.
      problems: number of problems in the set.
    """
    solved = {
        name: {key for key, row in rows.items() if row["verdict"] != "unknown"}
        for name, rows in found.items()
    }
    shared = set.intersection(*solved.values())
    return [
        {
            "network": name,
            "solved": len(solved[name]),
            "of": problems,
            "nodes": sum(row["nodes"] for row in rows.values()),
            "shared_nodes": sum(rows[key]["nodes"] for key in shared),
            "shared": len(shared),
            "evaluations": sum(row["evaluations"] for row in rows.values()),
            "cpu_seconds": round(sum(row["cpu_seconds"] for row in rows.values()), 3),
            "contradicted": sum(map(contradicts, rows.values())),
        }
        for name, rows in found.items()
    ]


# ---- inside ------------------------------------------------------------------------------------
def _entries(chosen: Sequence[str], last: int) -> list[Entry]:
    """Returns the search without a network, then the chosen networks.

    Raises ValueError for two networks of one name, and for a name that no folder can have.
    """
    from jaxsolve.networks import finding

    entries = [Entry(NONE, None)]
    for text in chosen:
        if text == NONE:
            continue
        if Path(text).is_dir():
            name = Path(text).resolve().name
            entries += [
                Entry(f"{name}-{file.stem}", str(file))
                for file in finding.of_run(Path(text))[-last:]
            ]
        else:
            is_file = Path(text).suffix or Path(text).exists()
            entries.append(Entry(Path(text).stem if is_file else text, text))
    for number, entry in enumerate(entries):
        if entry.name in OWN_FILES or not entry.name.isprintable():
            raise ValueError(
                f"a network may not be called {entry.name!r}, because its results need a folder "
                "of that name; copy it to a file of another name"
            )
        if entry.name in [other.name for other in entries[:number]]:
            raise ValueError(
                f"two networks have the name {entry.name!r} in the table; "
                "copy one of them to a file of another name"
            )
    return entries


def _show(
    table: list[Row], found: dict[str, dict[str, Row]], problems: int, request: Request
) -> list[str]:
    """Draws, writes and prints the results.

    Returns:
      A sentence for each file that could not be written.
    """
    picture, unsaved = None, []
    try:
        picture = _drawn(found, problems, request)
    except OSError as error:
        unsaved.append(f"the picture could not be saved ({_reason(error)})")
    if request.out is not None:
        try:
            write_table(request.out / TABLE, table)
        except OSError as error:
            unsaved.append(f"{request.out / TABLE} could not be saved ({_reason(error)})")
    if request.as_json:
        streams.print_json({"networks": table, "plot": None if picture is None else str(picture)})
    else:
        _print(table, picture)
    return unsaved


def _reason(error: OSError) -> str:
    return error.strerror or str(error)


def _print(table: list[Row], picture: Path | None) -> None:
    from rich.console import Console
    from rich.table import Table

    shared = table[0]["shared"]
    shown = Table("network", box=None, pad_edge=False)
    for name in (
        "solved",
        "nodes",
        f"nodes on the {shared} that all solved",
        "evaluations",
        "CPU s",
    ):
        shown.add_column(name, justify="right")
    for row in table:
        numbers = (
            f"{row['solved']} of {row['of']}",
            f"{row['nodes']:,}",
            f"{row['shared_nodes']:,}" if shared else "-",
            f"{row['evaluations']:,}",
        )
        shown.add_row(row["network"], *numbers, f"{row['cpu_seconds']:.1f}")
    Console(soft_wrap=True, highlight=False).print(shown)
    if picture is not None:
        print(picture)


def _drawn(found: dict[str, dict[str, Row]], problems: int, request: Request) -> Path | None:
    """Draws a cactus plot into the folder of the comparison and returns its path.

    Returns None without a folder, and if matplotlib is not installed.
    """
    from jaxsolve.view import cactus, pictures

    if request.out is None:
        return None
    path = request.out / PICTURE
    try:
        pictures.check(path)
    except ValueError as error:
        failure.remark(f"no picture: {error}")
        return None
    times = {
        name: [row["cpu_seconds"] for row in rows.values() if row["verdict"] != "unknown"]
        for name, rows in found.items()
    }
    longest = max(
        (row["cpu_seconds"] for rows in found.values() for row in rows.values()), default=1.0
    )
    cactus.draw(path, times, request.settings.limits.cpu_seconds or longest, problems)
    return path
