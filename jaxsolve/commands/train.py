"""``jaxsolve train``: one training run, or with ``-m`` a sweep by Hydra's launchers."""

from __future__ import annotations

import argparse
import contextlib
import itertools
import re
import sys
import time
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, NoReturn

from jaxsolve.commands import composing, exit_codes, failure

if TYPE_CHECKING:
    from jaxsolve.train.config import Settings
    from jaxsolve.train.run import Run

MAIN = "train"
# Folders of configs/ from which a configuration chooses.
GROUPS = ("exp", "game", "network", "search", "targets", "train")
SECONDS = 20.0  # between two lines of progress
# Options that Hydra handles.
_HYDRAS = ("--help", "-h", "--hydra-help", "--info", "-i", "--cfg", "-c", "--version")


def run(words: Sequence[str]) -> int:
    """Trains one network, or with ``-m`` one network for each setting of a sweep.

    Options of Hydra, such as ``--help``, are passed on to Hydra.

    Returns 0, or 1 if a run of a sweep failed.
    """
    try:
        import flax
        import hydra  # noqa: F401
        import tensorboardX  # noqa: F401

        del flax
    except ModuleNotFoundError as error:
        failure.refuse(
            f"training needs {error.name}, which is not installed: pip install 'jaxsolve[learn]'"
        )
    with failure.errors_as_sentences():
        words = composing.quoted(words)
        if any(word.split("=")[0] in _HYDRAS for word in words):
            # Only to report bad settings in one sentence.
            composed(
                [word for word in words if "=" in word and not word.startswith(("-", "hydra"))]
            )
            return _by_hydra(words)
        several = [word for word in words if word in ("-m", "--multirun")]
        overrides = [word for word in words if word not in several]
        composing.check_overrides(overrides, "jaxsolve train", "; -m makes a sweep")
        if not several:
            return train(*composed(overrides))
        from jaxsolve.train import build

        choices = [composed(choice)[0] for choice in _each_choice(overrides)]
        for settings in choices:
            build.loop(settings)  # refuses impossible settings before anything runs
        if any(word.lstrip("+").startswith("out=") for word in overrides):
            raise ValueError(
                "out= is the folder of one run; the runs of a sweep have numbered folders in "
                "hydra.sweep.dir=FOLDER"
            )
        hydras = {word.lstrip("+").partition("=")[0]: word.partition("=")[2] for word in overrides}
        folder = hydras.get("hydra.sweep.dir", f"runs/{choices[0].name}-sweep")
        if "hydra.sweep.subdir" not in hydras:  # the runs are numbered
            _refuse_another_sweep(Path(folder.strip("'\"")), choices)
        if "hydra.sweep.dir" not in hydras:
            # All runs of a sweep go to one folder, even if they have different names.
            words = [*words, f"hydra.sweep.dir={folder}"]
        return _by_hydra(words)


def _refuse_another_sweep(folder: Path, choices: Sequence[Settings]) -> None:
    """Raises FolderError if ``folder`` holds another sweep than that of the runs ``choices``."""
    from jaxsolve.train import build, sweep
    from jaxsolve.train.run import question

    if not folder.is_dir():
        return
    questions = []
    for settings in choices:
        learn_on, first = settings.train.learn_on, None
        if learn_on is not None:
            first = build.first_params(learn_on, build.loop(settings).learner)
        questions.append(question(settings, first))
    sweep.refuse_another(folder, questions)


def train(settings: Settings, config: str) -> int:
    """Runs one training and returns 0. In a distributed run only the first process prints.

    Args:
      settings: what is trained, and how.
      config: the settings as YAML, stored in the folder of the run.
    """
    from jaxsolve.core import process
    from jaxsolve.train import devices
    from jaxsolve.train.run import Run

    if settings.distributed:
        devices.join()  # before any device is used
    process.setup()
    training = Run(settings, config)
    say = print if devices.is_first() else _silent
    last = float("-inf")

    def progress(measured: dict[str, float]) -> None:
        nonlocal last
        iterations = settings.train.iterations
        if time.monotonic() - last >= SECONDS or measured["iteration"] == iterations:
            last = time.monotonic()
            say(_line(measured, iterations), flush=True)

    try:
        for line in _opening(training):
            say(line, flush=True)
        for file in training.train(progress):
            say(f"saved {file}", flush=True)
        if training.iteration < settings.train.iterations:
            say(
                f"train.hours={settings.train.hours} are over after iteration "
                f"{training.iteration}; {_continuation(training)}",
                flush=True,
            )
    except KeyboardInterrupt:
        say(f"stopped after iteration {training.iteration}; {_continuation(training)}", flush=True)
        raise
    finally:
        training.release()
    return 0


def _silent(*_: object, **__: object) -> None:
    """Replaces ``print`` in all processes of a distributed run except the first."""


def _opening(training: Run) -> Iterator[str]:
    """Yields lines about the start of the run: its folder, size, and where it continues."""
    settings, done = training.settings, training.iteration
    start = f"continues after iteration {done}" if done else "begins"
    if done >= settings.train.iterations:
        start = (
            f"has {done} iterations already, and train.iterations={settings.train.iterations}: "
            "nothing is left to do"
        )
    parameters = training.architecture.parameters
    yield f"{settings.out}: {settings.name} {start}; {parameters:,} parameters"
    if training.redone is not None and done < settings.train.iterations:
        first, last = training.redone
        which = f"iteration {first} lies" if first == last else f"iterations {first} to {last} lie"
        yield f"{settings.out}: {which} beyond the last checkpoint: computed again"


def _continuation(training: Run) -> str:
    if not training.saved:
        return "nothing is saved: the same command begins again"
    return f"the same command continues from iteration {training.saved}"


def composed(overrides: Sequence[str]) -> tuple[Settings, str]:
    """Composes the settings of a run from key=value overrides.

    Returns the settings, and the same as YAML. Raises ValueError as ``composing.settings`` does.
    """
    from jaxsolve.train.config import Settings

    given = {word.lstrip("+").partition("=")[0]: word.partition("=")[2] for word in overrides}
    # Without a name for the chosen rules, the run would be named after the default game.
    if "game.rules" in given and not given.keys() & {"game.name", "game", "exp"}:
        base = given["game.rules"].strip("'\"").split(";")[0]
        name = "".join(c if c.isalnum() or c == "-" else "-" for c in base)
        overrides = [*overrides, f"game.name={name}"]
    return composing.settings(composing.folder(), MAIN, Settings, overrides, GROUPS)


# ---- inside --------------------------------------------------------------------------------------
def _by_hydra(words: Sequence[str]) -> int:
    """Runs Hydra's own command line, for sweeps and for options such as ``--help``.

    Returns the exit code: 0, 1 if a run of a sweep failed, or the exit code of Hydra.
    """
    import hydra
    from hydra.core.hydra_config import HydraConfig
    from omegaconf import OmegaConf

    from jaxsolve.core import process
    from jaxsolve.train import sweep
    from jaxsolve.train.config import Settings

    composing.register(Settings)
    sweep.failed.clear()

    def one(config: Any) -> None:
        settings: Any = OmegaConf.to_object(config)
        settings.out = HydraConfig.get().runtime.output_dir
        try:
            sweep.begin(Path(settings.out))
            process.release_compiled_code()
            train(settings, OmegaConf.to_yaml(OmegaConf.structured(settings)))
        except (ValueError, OSError, RuntimeError, MemoryError) as error:
            sweep.fail(Path(settings.out), error)

    before = sys.argv
    sys.argv = ["jaxsolve train", *words]
    try:
        with _parser_errors_as_sentences():
            hydra.main(version_base="1.3", config_path=str(composing.folder()), config_name=MAIN)(
                one
            )()
    except SystemExit as end:
        return end.code if isinstance(end.code, int) else exit_codes.BAD_INPUT
    finally:
        sys.argv = before
    return 1 if sweep.failed else 0


@contextlib.contextmanager
def _parser_errors_as_sentences() -> Iterator[None]:
    """Context manager in which errors of Hydra's option parser raise ValueError.

    The parser would print its usage.
    """

    def refuse(self: argparse.ArgumentParser, message: str) -> NoReturn:
        raise ValueError(_option_error(message))

    own = argparse.ArgumentParser.error
    argparse.ArgumentParser.error = refuse
    try:
        yield
    finally:
        argparse.ArgumentParser.error = own


def _option_error(message: str) -> str:
    """Converts a message of ``argparse`` about an option to a sentence of this program."""
    found = re.fullmatch(r"argument (--[\w-]+)\S*: (.*)", message, re.DOTALL)
    if found is None:
        return f"{message}; 'jaxsolve train --hydra-help' lists the options"
    option, words = found.groups()
    if words.startswith("ignored explicit argument"):
        return f"{option} takes no value"
    if words.startswith("expected"):
        return f"{option} needs a value"
    if choice := re.fullmatch(r"invalid choice: (.*) \(choose from (.*)\)", words):
        names = re.sub(", ([^,]*)$", r" or \1", choice[2].replace("'", ""))
        return f"{option} {choice[1].strip(chr(39))}: give {names}"
    return f"{option}: {words}"


def _each_choice(overrides: Sequence[str]) -> list[list[str]]:
    """Expands the overrides of a sweep to one list of overrides for each run.

    Raises ValueError for an argument that Hydra cannot parse.
    """
    choices = []
    for override in composing.parsed_overrides(
        [word for word in overrides if not word.lstrip("+~").startswith("hydra")]
    ):
        swept = override.is_sweep_override()
        choices.append(
            [f"{override.get_key_element()}={value}" for value in override.sweep_string_iterator()]
            if swept
            else [override.input_line]
        )
    return [list(choice) for choice in itertools.product(*choices)]


def _line(measured: dict[str, float], iterations: int) -> str:
    losses = "  ".join(
        f"{name.removeprefix('loss_')} {value:.3f}"
        for name, value in measured.items()
        if name.startswith("loss_") and name != "loss_total"
    )
    wrong = "  ".join(
        f"{name.removeprefix('wrong_')} {100 * value:.0f} %"
        for name, value in measured.items()
        if name.startswith("wrong_")
    )
    open_ones = (
        f" ({100 * measured['nobody_wins']:.0f} % nobody)" if measured["nobody_wins"] else ""
    )
    return (
        f"iteration {measured['iteration']}/{iterations}  {measured['total_games']:,.0f} games  "
        f"{measured['length']:.1f} moves  first player wins "
        f"{100 * measured['first_wins']:.0f} %{open_ones}  loss: {losses}  "
        f"{f'wrong winner: {wrong}  ' if wrong else ''}{measured['cpu_seconds']:,.0f} CPU s in all"
    )
