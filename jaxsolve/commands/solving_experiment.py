"""Experiments of solvers: one problem set, solved with variants of the options of many workers.

Each run is a ``jaxsolve cluster solve`` in a process of its own, one after the other. A folder of
an experiment has a folder for each run, ``VARIANT/ID`` or ``VARIANT/ID/SEED``, and the table
``results.csv``.
"""

from __future__ import annotations

import dataclasses
import itertools
import shlex
import subprocess
import sys
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, NamedTuple

from jaxsolve.commands import failure, streams
from jaxsolve.core import strict_json
from jaxsolve.core.run_folder import RunFolder, refuse_folder_name, write_atomically, write_table

MARKER, CONFIG, RESULTS = "solving.json", "config.yaml", "results.csv"
DECIDED = (0, 20)  # exit codes of a search that has decided its claim
UNKNOWN = 10  # exit code of a search that a limit has ended


@dataclass
class Settings:
    """Settings of an experiment; ``configs/solving`` has their values."""

    name: str = "solving"  # of its folder
    title: str = ""
    source: str = ""  # where the paper's numbers are from, and under which conditions
    out: str = "runs/solving"  # its folder; the same command continues in it
    problems: str = ""  # a problem set
    ids: list[str] = field(default_factory=list)  # of its problems
    options: str = ""  # options of 'cluster solve' of all runs
    variants: dict[str, Any] = field(default_factory=dict)  # name -> more options; null: not run
    seeds: list[int] = field(default_factory=list)  # a run for each; []: one run, without --seed
    # Name of a variant -> the paper's seconds for each problem; null: not known.
    paper: dict[str, list[int | None]] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self.variants = {name: str(v) for name, v in self.variants.items() if v is not None}

    def question(self) -> dict[str, Any]:
        """Returns the settings that results depend on, as plain JSON values."""
        left_out = ["name", "title", "source", "out", "paper", *([] if self.seeds else ["seeds"])]
        return {k: value for k, value in dataclasses.asdict(self).items() if k not in left_out}

    def check(self) -> None:
        """Raises ValueError for settings without runs, or numbers of other runs.

        A folder must not be made for settings that cannot run: it would refuse better ones.
        """
        for name in ("ids", "variants"):
            if not getattr(self, name):
                raise ValueError(f"{name}: give at least one")
        variants = {f"variants.{name}": text for name, text in self.variants.items()}
        for name, text in {"options": self.options, **variants}.items():
            try:
                shlex.split(text)
            except ValueError:
                raise ValueError(f"{name}: {text}: a quotation mark is not closed") from None
        for name in (*self.ids, *self.variants):
            refuse_folder_name(name, "the name")
        if any(not 0 <= seed < 1 << 64 for seed in self.seeds) or _repeats(self.seeds):
            raise ValueError(f"seeds: {self.seeds}: give different numbers from 0 to 2^64 - 1")
        for name, seconds in self.paper.items():
            if name not in self.variants or len(seconds) != len(self.ids):
                raise ValueError(
                    f"paper.{name}: give the seconds of a variant, one number for each problem"
                )
        from jaxsolve.formats import problems  # imports the games

        problems.load(self.problems, ids=self.ids)


def run(settings: Settings, config: str, as_json: bool) -> int:
    """Runs what is not decided yet, and prints the table. Returns 0, or 1 if a run has failed."""
    settings.check()
    folder = RunFolder(Path(settings.out), MARKER, settings.question(), resume=True)
    try:
        write_atomically(folder.path / CONFIG, config)
        rows, failed = [], False
        for row, code in _runs(settings, folder.path):
            rows.append(row)
            failed |= code not in (*DECIDED, UNKNOWN)
            write_table(folder.path / RESULTS, rows)
    finally:
        folder.release()
    streams.deliver(
        lambda: _show(settings, rows, as_json), f"the results are in {folder.path / RESULTS}"
    )
    return int(failed)


class _Run(NamedTuple):
    problem: str
    variant: str
    seed: int | None
    folder: Path

    def words(self, settings: Settings) -> list[str]:
        """Returns the words of its command."""
        words = [f"{settings.problems}:{self.problem}", *shlex.split(settings.options)]
        words += shlex.split(settings.variants[self.variant])
        if self.seed is not None:
            words += ["--seed", str(self.seed)]
        return ["cluster", "solve", *words, "--out", str(self.folder)]


def _runs(settings: Settings, folder: Path) -> Iterator[tuple[dict[str, Any], int]]:
    """Yields the row of each run and its exit code, the variants of a problem together.

    The second seed of all problems comes after the first, so a part of the runs has all problems.
    """
    for seed, name, variant in itertools.product(
        settings.seeds or [None], settings.ids, settings.variants
    ):
        out = folder / variant / name
        run = _Run(name, variant, seed, out if seed is None else out / str(seed))
        code = 0
        if not _decided(_result(run.folder)):
            words = run.words(settings)
            failure.remark(f"{name}, {variant}: {shlex.join(words[3:-2])}")
            code = _solve(words, resume=run.folder.exists())
        paper = settings.paper.get(variant)
        yield _row(run, None if paper is None else paper[settings.ids.index(name)]), code


def _solve(words: Sequence[str], resume: bool) -> int:
    command = [sys.executable, "-m", "jaxsolve", *words, *(["--resume"] if resume else [])]
    done = subprocess.run(command, stdout=subprocess.DEVNULL, check=False)
    if done.returncode == 130:
        raise KeyboardInterrupt
    return done.returncode


def _result(out: Path, file: str = "result.json") -> dict[str, Any]:
    """Returns a JSON file of a run; {} if there is none."""
    try:
        found = strict_json.loads((out / file).read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return {}
    return found if isinstance(found, dict) else {}


def _decided(values: dict[str, Any]) -> bool:
    return values.get("verdict") in ("proved", "disproved")


def _row(run: _Run, paper: int | None) -> dict[str, Any]:
    result, status = _result(run.folder), _result(run.folder, "cluster.json")
    trainer = status.get("trainer")
    trainer = trainer if isinstance(trainer, dict) else {}
    return {
        "problem": run.problem,
        "variant": run.variant,
        "seed": "" if run.seed is None else run.seed,
        "verdict": result.get("verdict", ""),
        "seconds": result.get("wall_seconds", ""),
        "paper": "" if paper is None else paper,
        "nodes": result.get("nodes", ""),
        "cpu_seconds": result.get("cpu_seconds", ""),
        "solved_share": status.get("solved_share", ""),
        "load": status.get("load", ""),
        "weights": status.get("weights", ""),
        "games": trainer.get("games", ""),
        "trainer_cpu_seconds": trainer.get("cpu_seconds", ""),
    }


def _show(settings: Settings, rows: Sequence[dict[str, Any]], as_json: bool) -> None:
    """Prints seconds as in the paper's tables: a line for each variant, its numbers below ours.

    Nodes follow. Of several seeds it prints the mean.
    """
    if as_json:
        streams.print_json({"results": list(rows)})
        return
    from jaxsolve.view.columns import columns

    print(settings.title)
    for measure in ("seconds", "nodes"):
        lines = [[measure, *settings.ids]]
        for variant in settings.variants:
            own = [row for row in rows if row["variant"] == variant]
            each = [[row for row in own if row["problem"] == name] for name in settings.ids]
            lines.append([variant, *(_mean(some, measure) for some in each)])
            if variant in settings.paper and measure == "seconds":
                lines.append(["  paper", *map(_known, settings.paper[variant])])
        print(columns(lines, right=1))
    print(f"paper: {settings.source}")
    print(Path(settings.out) / RESULTS)


def _known(seconds: int | None) -> str:
    return "" if seconds is None else f"{seconds:,.0f}"


def _mean(rows: Sequence[dict[str, Any]], measure: str) -> str:
    """Returns the mean of runs of a problem; with ">" if one of them is not decided."""
    found = [row[measure] for row in rows]
    if not all(isinstance(each, int | float) for each in found):
        return "-"
    mean = f"{sum(found) / len(found):,.0f}"
    return mean if all(map(_decided, rows)) else f">{mean}"


def _repeats(values: Sequence[Any]) -> bool:
    return len(set(values)) < len(values)


__all__ = ["Settings", "run"]
