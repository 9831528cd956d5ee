"""``jaxsolve experiment``: reproduces a table or a figure of a publication."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from jaxsolve.commands import composing, exit_codes, failure, solving_experiment, streams
from jaxsolve.core import strict_json
from jaxsolve.core.run_folder import RunFolder, write_atomically, write_table

if TYPE_CHECKING:
    from jaxsolve.play.experiment import Experiment, Result
    from jaxsolve.play.match import Matches
    from jaxsolve.play.records import Tally

MARKER, CONFIG, RESULTS, GAMES, PICTURE = (
    "experiment.json",
    "config.yaml",
    "results.csv",
    "games.csv",
    "experiment.png",
)
SHOWN = "shown.json"  # labels and paper values for the picture


def run(name: str | None, words: Sequence[str], as_json: bool) -> int:
    """Plays an experiment with settings key=value and prints its results.

    Without a name, lists the experiments. Returns 0, or 1 if standard output failed.

    Args:
      name: name of an experiment in ``configs/experiments``, or path of a YAML file.
      words: key=value arguments.
      as_json: whether to print one JSON object.
    """
    try:
        import hydra  # noqa: F401
    except ModuleNotFoundError as error:
        failure.refuse(
            f"experiments need {error.name}, which is not installed: pip install 'jaxsolve[learn]'",
            as_json,
        )
    with failure.errors_as_sentences(as_json):
        if name is None:
            return _list(as_json)
        where, main = _found(name)
        composing.check_overrides(words, "jaxsolve experiment")
        if _solves(where / f"{main}.yaml"):
            chosen, text = composing.settings(where, main, solving_experiment.Settings, words)
            return solving_experiment.run(chosen, text, as_json)
        from jaxsolve.core import process
        from jaxsolve.play.experiment import Experiment, Settings

        process.setup()
        settings, config = composing.settings(where, main, Settings, words)
        experiment = Experiment(settings)
        folder = RunFolder(Path(settings.out), MARKER, settings.question(), resume=True)
        try:
            write_atomically(folder.path / CONFIG, config)
            results = _played(experiment, folder)
        finally:
            folder.release()
        picture = _drawn(folder.path)
        printed = streams.deliver(
            lambda: _show(experiment, folder.path, results, picture, as_json),
            f"the results are in {folder.path / RESULTS}",
        )
        return 0 if printed else exit_codes.FAILED


def is_experiment(folder: Path) -> bool:
    """Returns whether a folder holds an experiment, finished or not."""
    return (folder / MARKER).exists()


def draw(folder: Path, out: Path) -> None:
    """Draws the results of the experiment in ``folder`` to the picture file ``out``.

    Raises:
      ValueError: there are no results yet, or they are damaged.
      OSError: a file cannot be read or written.
    """
    from jaxsolve.view import experiments

    if not (folder / SHOWN).exists():
        raise ValueError(
            f"no game of {folder} is complete; the command that started the experiment resumes it"
        )
    shown = _shown(folder / SHOWN)
    experiments.draw(out, experiments.read(folder / RESULTS, shown["axes"]), shown)


# ---- inside ------------------------------------------------------------------------------------
def _shown(file: Path) -> dict[str, Any]:
    """Reads the labels and paper values of the picture, written to the file ``SHOWN``.

    Raises ValueError if the file is damaged, and OSError.
    """
    from jaxsolve.view import experiments

    try:
        found = strict_json.loads(file.read_text(encoding="utf-8"))
        experiments.refuse_damaged(found)
    except (ValueError, KeyError, TypeError, AttributeError):
        raise ValueError(f"{file} is damaged; repeat the command that wrote it") from None
    return found


def _where() -> Path:
    return composing.folder() / "experiments"


def _solving() -> Path:
    """Returns the folder of experiments that solve problems (``solving_experiment``)."""
    return composing.folder() / "solving"


def _solves(file: Path) -> bool:
    """Returns whether the YAML file of an experiment has variants of a solver."""
    text = file.read_text(encoding="utf-8", errors="replace")
    return any(line.startswith("variants:") for line in text.splitlines())


def _found(name: str) -> tuple[Path, str]:
    """Returns the folder and the stem of the YAML file of an experiment.

    ``name`` is the name of an experiment or the path of a YAML file. Raises ValueError if there is
    no such experiment or file.
    """
    if name.endswith(".yaml"):
        file = Path(name)
        if not file.is_file():
            raise ValueError(f"{name}: there is no such file")
        return file.resolve().parent, file.stem
    if name in composing.files(_solving()):
        return _solving(), name
    names = composing.files(_where())
    if name not in names:
        raise ValueError(
            f"{name!r} is not an experiment{composing.nearest(name, names)}; "
            f"give a file of your own as ./{Path(name).name}.yaml"
        )
    return _where(), name


def _list(as_json: bool) -> int:
    from jaxsolve.play.experiment import Settings

    kinds = {_where(): Settings, _solving(): solving_experiment.Settings}
    found = {
        name: composing.settings(where, name, schema, [])[0].title
        for where, schema in kinds.items()
        for name in composing.files(where)
    }
    if as_json:
        streams.print_json({"experiments": found})
    for name, title in {} if as_json else found.items():
        print(f"{name:24} {title}")
    return 0


def _played(experiment: Experiment, folder: RunFolder) -> list[Result]:
    """Plays the unfinished games, prints progress, and writes the tables after each rule set."""
    from jaxsolve.commands import progress
    from jaxsolve.core import process

    results, rows = [], []
    for game, cells in experiment.cells.items():
        process.release_compiled_code()
        parts = len(experiment.parts(game))
        played: list[Matches] = []
        with progress.ProgressLines(f"{game}: preparing ...") as lines:
            for part, matches in experiment.play(game, folder.path):
                process.raise_lost_interrupt()
                if part == len(played):
                    played.append(matches)
                where = f"{game}, {len(cells)} variants, part {part + 1} of {parts}"
                lines.report(
                    lambda where=where, matches=matches: (
                        f"{where}: move {matches.ply + 1}, {matches.left} games in progress"
                    )
                )
        results += experiment.results(game, played)
        rows += experiment.rows_of_games(game, played)
        # The results of finished rule sets can be read while games of the others are played.
        _write(experiment, folder, results, rows)
    return results


def _write(
    experiment: Experiment,
    folder: RunFolder,
    results: Sequence[Result],
    rows: Sequence[dict[str, Any]],
) -> None:
    """Writes the two tables, and the labels and paper values of the picture."""
    axes, settings = experiment.axes, experiment.settings
    write_table(folder.path / RESULTS, [_row(result, axes) for result in results])
    write_table(folder.path / GAMES, rows)
    labels = {key: getattr(settings, key) for key in ("source", "x_label", "paper_x")}
    folder.write_json(
        SHOWN, labels | {"paper": experiment.paper, "axes": axes, "title": _title(experiment)}
    )


def _title(experiment: Experiment) -> str:
    """Returns a one-line title of the results, with opponent, number of games and limits."""
    settings = experiment.settings
    limit = "" if settings.simulations is None else f", {settings.simulations} simulations a move"
    limit += "" if settings.seconds is None else f", {settings.seconds:g} CPU s a move"
    opponent = settings.opponent.format(**{axis: f"[{axis}]" for axis in experiment.axes})
    return (
        f"{settings.title}: per cent of the points against {opponent}, "
        f"{settings.games_each} games each{limit}"
    )


def _row(result: Result, axes: Any) -> dict[str, Any]:
    cell, tally, (own, other) = result.cell, result.tally, result.spent
    low, high = tally.interval
    numbers = {"points": 100 * tally.score, "low": 100 * low, "high": 100 * high}
    counts = {
        name: getattr(tally, name)
        for name in ("games", "wins", "draws", "losses", "cut_off", "distinct")
    }
    rates = {
        "simulations_a_move": own.simulations / max(own.moves, 1),
        "opponents_simulations_a_move": other.simulations / max(other.moves, 1),
    }
    return (
        {
            "game": cell.game,
            **dict(zip(axes, cell.values, strict=True)),
            "player": cell.player,
            "opponent": cell.opponent,
        }
        | {name: round(value, 2) for name, value in numbers.items()}
        | {"paper": cell.paper, **counts}
        | {name: round(value, 1) for name, value in rates.items()}
        | {"cpu_seconds": round(own.seconds + other.seconds, 1)}
    )


def _show(
    experiment: Experiment,
    folder: Path,
    results: Sequence[Result],
    picture: Path | None,
    as_json: bool,
) -> None:
    """Prints the results as a table, like the publication, or as one JSON object.

    Each column of the table is a value of the experiment's last axis.
    """
    if as_json:
        axes = experiment.axes
        streams.print_json(
            {
                "results": [_row(result, axes) for result in results],
                "plot": None if picture is None else str(picture),
            }
        )
        return
    from jaxsolve.view.columns import columns

    settings = experiment.settings
    across = list(experiment.axes.values())[-1] if experiment.axes else ["points"]
    lines = [["", *list(experiment.axes)[:-1], *across]]
    for begun in range(0, len(results), len(across)):
        line = results[begun : begun + len(across)]
        before = [line[0].cell.game, *line[0].cell.values[:-1]]
        lines.append(before + [_points(each.tally) for each in line])
        if any(each.cell.paper is not None for each in line):
            lines.append(
                [
                    "  paper",
                    *[""] * (len(before) - 1),
                    *("" if each.cell.paper is None else f"{each.cell.paper:.1f}" for each in line),
                ]
            )
    print(f"{_title(experiment)}, with 95 % intervals")
    print(columns(lines, right=max(len(experiment.axes), 1)))
    if any(each.cell.paper is not None for each in results) or (
        settings.paper_x and experiment.paper
    ):
        print(f"paper: {settings.source}")
    if alike := sum(each.tally.games - each.tally.distinct for each in results):
        print(
            f"{alike} games repeat another game of their cell and do not count in the intervals; "
            "more opening_moves give more different games"
        )
    print(folder / RESULTS)
    if picture is not None:
        print(picture)


def _points(tally: Tally) -> str:
    low, high = tally.interval
    return f"{100 * tally.score:.1f} ({100 * low:.0f}-{100 * high:.0f})"


def _drawn(folder: Path) -> Path | None:
    from jaxsolve.view import pictures

    try:
        pictures.check(folder / PICTURE)
        draw(folder, folder / PICTURE)
    except (ValueError, OSError) as error:  # the results are printed nevertheless
        failure.remark(f"no picture: {error}")
        return None
    return folder / PICTURE
