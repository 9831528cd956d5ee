"""The table of a sweep. It is written when Hydra reports the end of the sweep's last run."""

from __future__ import annotations

import itertools
import json
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from hydra.core.override_parser.overrides_parser import OverridesParser
from hydra.experimental.callback import Callback
from omegaconf import DictConfig, OmegaConf

from jaxsolve.core.run_folder import FolderError, differences, write_table
from jaxsolve.train.metrics import CONFIG, MARKER, metrics
from jaxsolve.view.columns import columns

FAILED, TABLE = "failed.txt", "table.csv"
SHOWN = ("iteration", "total_games", "length", "first_wins", "loss_total", "cpu_seconds")
failed: list[str] = []  # runs of the latest sweep that failed


def fail(folder: Path, error: Exception) -> None:
    """Records that a run of a sweep has failed, and prints the error to stderr.

    The other runs continue. The table shows the error.
    """
    sentence = str(error).splitlines()[0] if str(error) else type(error).__name__
    where = "" if sentence.startswith(str(folder)) else f"{folder}: "
    print(f"jaxsolve: {where}{sentence}", file=sys.stderr)
    _beside(folder).write_text(sentence + "\n", encoding="utf-8")


def begin(folder: Path) -> None:
    """Removes the record of a failure of an earlier attempt at this run."""
    _beside(folder).unlink(missing_ok=True)


def _beside(folder: Path) -> Path:
    """Returns the file that records a run's failure.

    The file is next to the run's folder, not in it, because the folder may belong to another run.
    """
    return folder.parent / f"{folder.name}.{FAILED}"


def refuse_another(folder: Path, questions: Sequence[dict[str, Any]]) -> None:
    """Raises FolderError if the folder holds runs of another sweep.

    Args:
      folder: the folder of the sweep.
      questions: what the results of each run depend on (``run.question``), in the order of Hydra's
        numbers. Numbers without a run, as of a sweep that was interrupted, are not compared.
    """
    for number, wanted in enumerate(questions):
        file = folder / str(number) / MARKER
        try:
            stored = json.loads(file.read_text(encoding="utf-8"))["settings"]
        except (OSError, ValueError, LookupError, TypeError):
            continue  # no run, or a damaged file, which the run itself refuses
        if found := differences(stored, wanted):
            raise FolderError(
                f"{folder} holds another sweep, whose run {number} has {found}; give another "
                "folder: hydra.sweep.dir=FOLDER"
            )


class SweepTable(Callback):
    """Hydra callback that writes and prints the table of a sweep.

    Each run has a row with its settings and results.
    """

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
    """Returns the rows of a sweep's folder, one for each run.

    A row has the swept settings, the metrics of the last iteration, and the error if the run
    failed.

    Runs are numbered as Hydra numbers the combinations of ``swept``: the last setting varies
    fastest. Other runs in the folder, from an earlier and larger sweep, are ignored. If the folder
    of a run contains a run with other settings, the new run is refused, and its row does not show
    the results in the folder. If runs have names (``hydra.sweep.subdir``), every run in the folder
    has a row.
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
            **{
                key: _value_of(settings, key, value) if own else value
                for key, value in choice.items()
            },
        }
        rows.append(row | {metric: last.get(metric, "") for metric in SHOWN} | {"failed": why})
    return rows


def _value_of(settings: Any, key: str, wanted: str) -> Any:
    """Returns the value of a setting, or the name of a group of settings.

    The name of a group that stores none, such as ``search``, is ``wanted``.
    """
    value = OmegaConf.select(settings, key)
    if not isinstance(value, DictConfig):
        return value
    return value.get("name") or wanted or json.dumps(OmegaConf.to_container(value))


def _agrees(settings: Any, key: str, wanted: str) -> bool:
    """Returns whether a setting has the value ``wanted``.

    The result is also True for an absent setting and for a group without a name.
    """
    value = OmegaConf.select(settings, key)
    if isinstance(value, DictConfig):
        return value.get("name") in (None, wanted)
    return value is None or value == OmegaConf.from_dotlist([f"value={wanted}"]).value


def _show(rows: list[dict[str, Any]], file: Path) -> None:
    """Prints the rows as a table with aligned columns, then the path of ``file``."""
    names = [name for name in rows[0] if name != "failed" or any(row[name] for row in rows)]
    cells = [names] + [
        [f"{row[name]:.4g}" if isinstance(row[name], float) else str(row[name]) for name in names]
        for row in rows
    ]
    print(columns(cells))
    print(file)
