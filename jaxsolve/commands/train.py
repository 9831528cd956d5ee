"""``jaxsolve train``: settings by Hydra, one run here, several with ``-m`` by Hydra's launchers."""

from __future__ import annotations

import itertools
import sys
import time
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from jaxsolve.commands import composing, failure

if TYPE_CHECKING:
    from jaxsolve.train.config import Settings

MAIN = "train"
GROUPS = (
    "exp",
    "game",
    "network",
    "search",
    "targets",
    "train",
)  # folders of configs/ that it chooses from
SECONDS = 20.0  # between two lines of progress
_HYDRAS = (
    "--help",
    "-h",
    "--hydra-help",
    "--info",
    "-i",
    "--cfg",
    "-c",
    "--version",
)  # questions that Hydra answers


def run(words: Sequence[str]) -> int:
    """One run, or with ``-m`` a sweep; 0, or 1 where a run of a sweep failed."""
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
        if any(word.split("=")[0] in _HYDRAS for word in words):
            composed(
                [word for word in words if "=" in word and not word.startswith(("-", "hydra"))]
            )  # refused in one sentence
            return _by_hydra(words)
        several = [word for word in words if word in ("-m", "--multirun")]
        overrides = [word for word in words if word not in several]
        composing.refuse_words(overrides, "jaxsolve train", ", a sweep is asked for with -m")
        if not several:
            return train(*composed(overrides))
        from jaxsolve.train import build

        choices = [composed(choice)[0] for choice in _each_choice(overrides)]
        for settings in choices:
            build.loop(settings)  # what cannot be is said before anything runs
        if any(word.lstrip("+").startswith("out=") for word in overrides):
            raise ValueError(
                "out= is the folder of one run; those of a sweep are numbered folders in hydra.sweep.dir=FOLDER"
            )
        if not any(word.lstrip("+").startswith("hydra.sweep.dir=") for word in overrides):
            words = [
                *words,
                f"hydra.sweep.dir=runs/{choices[0].name}-sweep",
            ]  # one folder, also where what is swept is part of the name
        return _by_hydra(words)


def train(settings: Settings, config: str) -> int:
    """Trains, says how it goes, and returns 0."""
    from jaxsolve.core import process
    from jaxsolve.train import devices
    from jaxsolve.train.run import Run

    if settings.distributed:
        devices.join()  # before anything asks for devices
    process.setup()

    training = Run(settings, config)
    said = float("-inf")

    def told(measured: dict[str, float]) -> None:
        nonlocal said
        if time.monotonic() - said >= SECONDS or measured["iteration"] == settings.train.iterations:
            said = time.monotonic()
            print(_line(measured, settings.train.iterations), flush=True)

    try:
        where = f"goes on after iteration {training.iteration}" if training.iteration else "begins"
        if training.iteration >= settings.train.iterations:
            where = f"has {training.iteration} iterations already, and train.iterations={settings.train.iterations}: nothing is left to do"
        print(
            f"{settings.out}: {settings.name} {where}; {training.loop.learner.architecture.parameters:,} parameters",
            flush=True,
        )
        for file in training.train(told):
            print(f"saved {file}", flush=True)
        if training.iteration < settings.train.iterations:
            print(
                f"train.hours={settings.train.hours} are over after iteration {training.iteration}; the same command goes on",
                flush=True,
            )
    except KeyboardInterrupt:
        print(f"stopped after iteration {training.iteration}; the same command goes on", flush=True)
        raise
    finally:
        training.release()
    return 0


def composed(overrides: Sequence[str]) -> tuple[Settings, str]:
    """Settings, and the same as YAML. Raises ValueError as ``composing.settings``."""
    from jaxsolve.train.config import Settings

    said = {word.lstrip("+").partition("=")[0]: word.partition("=")[2] for word in overrides}
    if "game.rules" in said and not said.keys() & {
        "game.name",
        "game",
        "exp",
    }:  # else the run would go by another game's name
        base = said["game.rules"].strip("'\"").split(";")[0]
        overrides = [
            *overrides,
            f"game.name={''.join(c if c.isalnum() or c == '-' else '-' for c in base)}",
        ]
    return composing.settings(composing.folder(), MAIN, Settings, overrides, GROUPS)


# ---- inside ----------------------------------------------------------------------------------------------------------------
def _by_hydra(words: Sequence[str]) -> int:
    """Leaves the words to Hydra: questions about the configuration, and sweeps."""
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
        hydra.main(version_base="1.3", config_path=str(composing.folder()), config_name=MAIN)(one)()
    except SystemExit as end:
        return end.code if isinstance(end.code, int) else failure.BAD_INPUT
    finally:
        sys.argv = before
    return 1 if sweep.failed else 0


def _each_choice(overrides: Sequence[str]) -> list[list[str]]:
    """The runs of a sweep, each as its overrides. Raises ValueError for words that are no overrides."""
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
        f"iteration {measured['iteration']}/{iterations}  {measured['total_games']:,.0f} games  {measured['length']:.1f} moves  "
        f"first player wins {100 * measured['first_wins']:.0f} %{open_ones}  loss: {losses}  "
        f"{f'wrong winner: {wrong}  ' if wrong else ''}{measured['cpu_seconds']:,.0f} CPU s in all"
    )
