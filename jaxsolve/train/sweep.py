"""The table of a sweep, written when Hydra reports that its last run has ended."""

from __future__ import annotations

import itertools
import json
import sys
from pathlib import Path
from typing import Any

from hydra.core.override_parser.overrides_parser import OverridesParser
from hydra.experimental.callback import Callback
from omegaconf import DictConfig, OmegaConf

from jaxsolve.core.run_folder import write_table
from jaxsolve.train.metrics import CONFIG, MARKER, metrics
from jaxsolve.view.columns import columns

FAILED, TABLE = "failed.txt", "table.csv"
SHOWN = ("iteration", "total_games", "length", "first_wins", "loss_total", "cpu_seconds")
failed: list[str] = []  # runs of the latest sweep that failed


def fail(folder: Path, error: Exception) -> None:
    """Records that a run of a sweep failed: the others continue, and the table shows the reason."""
    sentence = str(error).splitlines()[0] if str(error) else type(error).__name__
    print(f"jaxsolve: {folder}: {sentence}", file=sys.stderr)
    _beside(folder).write_text(sentence + "\n", encoding="utf-8")


def begin(folder: Path) -> None:
    """Removes the record of an earlier attempt's failure."""
    _beside(folder).unlink(missing_ok=True)


def _beside(folder: Path) -> Path:
    """The file that records a run's failure: not in its folder, which may belong to another run."""
    return folder.parent / f"{folder.name}.{FAILED}"


class SweepTable(Callback):
    """Writes and prints the table of a sweep: a row a run, with settings and results."""

    def on_multirun_end(self, config: DictConfig, **_: Any) -> None:
        parsed = OverridesParser.create().parse_overrides(list(config.hydra.overrides.task))
        swept = {
            override.key_or_group: list(override.sweep_string_iterator())
            for override in parsed
            if override.is_sweep_override()
        }
        folder = Path(config.hydra.sweep.dir)
        rows = table(folder, swept)
        failed[:] = [row["run"] for row in rows if row["failed"]]
        if rows:
            _show(rows, write_table(folder / TABLE, rows))


def table(folder: Path, swept: dict[str, list[str]]) -> list[dict[str, Any]]:
    """Rows of a sweep's folder, by run: swept settings, the last iteration's numbers, or the
    failure.

    Runs are numbered as Hydra numbers the choices of ``swept``: the last setting varies fastest.
    Runs left by an earlier, larger sweep in the folder are ignored, and the results of a run with
    other settings are not attributed to the run that it refused. If runs have names
    (``hydra.sweep.subdir``), every run in the folder is a row.
    """
    held = {path.parent.name for path in folder.glob(f"*/{MARKER}")}
    names = held | {path.name.removesuffix(f".{FAILED}") for path in folder.glob(f"*.{FAILED}")}
    choices = {
        str(number): dict(zip(swept, choice, strict=True))
        for number, choice in enumerate(itertools.product(*swept.values()))
    }
    if not names & choices.keys():
        choices = {name: dict.fromkeys(swept, "") for name in sorted(names)}
    rows = []
    for name, choice in choices.items():
        run = folder / name
        settings = OmegaConf.load(run / CONFIG) if name in held else OmegaConf.create()
        own = name in held and (
            not _beside(run).exists()
            or all(_agrees(settings, key, value) for key, value in choice.items())
        )
        last = (metrics(run) or [{}])[-1] if own else {}
        why = (
            _beside(run).read_text(encoding="utf-8").strip()
            if _beside(run).exists()
            else ""
            if own
            else "left no trace"
        )
        row = {
            "run": name,
            **{key: _value_of(settings, key) if own else value for key, value in choice.items()},
        }
        rows.append(row | {metric: last.get(metric, "") for metric in SHOWN} | {"failed": why})
    return rows


def _value_of(settings: Any, key: str) -> Any:
    """The value of a setting; the name of a group."""
    value = OmegaConf.select(settings, key)
    return (
        value
        if not isinstance(value, DictConfig)
        else value.get("name", json.dumps(OmegaConf.to_container(value)))
    )


def _agrees(settings: Any, key: str, wanted: str) -> bool:
    """Whether a setting has the value ``wanted``; true for a group without a name."""
    value = OmegaConf.select(settings, key)
    if isinstance(value, DictConfig):
        return value.get("name") in (None, wanted)
    return value is None or value == OmegaConf.from_dotlist([f"value={wanted}"]).value


def _show(rows: list[dict[str, Any]], file: Path) -> None:
    """Prints the table with columns as wide as their contents."""
    names = [name for name in rows[0] if name != "failed" or any(row[name] for row in rows)]
    cells = [names] + [
        [f"{row[name]:.4g}" if isinstance(row[name], float) else str(row[name]) for name in names]
        for row in rows
    ]
    print(columns(cells))
    print(file)
