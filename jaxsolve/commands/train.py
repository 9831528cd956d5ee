"""``jaxsolve train``: settings by Hydra, one run here, several with ``-m`` by Hydra's launchers."""

from __future__ import annotations

import difflib
import itertools
import sys
import time
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import jaxsolve
from jaxsolve.commands import failure

if TYPE_CHECKING:
    from jaxsolve.train.config import Settings

MAIN = "train"
SECONDS = 20.0  # between two lines of progress
_HYDRAS = ("--help", "-h", "--hydra-help", "--info", "-i", "--cfg", "-c", "--version")  # questions that Hydra answers


def run(words: Sequence[str]) -> int:
    """One run, or with ``-m`` a sweep; 0, or 1 where a run of a sweep failed."""
    try:
        import flax
        import hydra  # noqa: F401
        import tensorboardX  # noqa: F401

        del flax
    except ModuleNotFoundError as error:
        failure.refuse(f"training needs {error.name}, which is not installed: pip install 'jaxsolve[learn]'")
    with failure.sentences():
        if any(word.split("=")[0] in _HYDRAS for word in words):
            composed([word for word in words if "=" in word and not word.startswith(("-", "hydra"))])  # refused in one sentence
            return _by_hydra(words)
        several = [word for word in words if word in ("-m", "--multirun")]
        overrides = [word for word in words if word not in several]
        for word in overrides:
            if word.startswith("-") or ("=" not in word.lstrip("~+") and not word.startswith("~")):
                raise ValueError(f"{word!r} is nothing that 'jaxsolve train' knows; settings are given as key=value, a sweep is asked for with -m")
        if not several:
            return train(*composed(overrides))
        from jaxsolve.train import build

        choices = [composed(choice)[0] for choice in _each_choice(overrides)]
        for settings in choices:
            build.loop(settings)  # what cannot be is said before anything runs
        if any(word.lstrip("+").startswith("out=") for word in overrides):
            raise ValueError("out= is the folder of one run; those of a sweep are numbered folders in hydra.sweep.dir=FOLDER")
        if not any(word.lstrip("+").startswith("hydra.sweep.dir=") for word in overrides):
            words = [*words, f"hydra.sweep.dir=runs/{choices[0].name}-sweep"]  # one folder, also where what is swept is part of the name
        return _by_hydra(words)


def train(settings: Settings, config: str) -> int:
    """Trains, says how it goes, and returns 0."""
    from jaxsolve import runtime
    from jaxsolve.train import devices
    from jaxsolve.train.run import Run

    if settings.distributed:
        devices.join()  # before anything asks for devices
    runtime.setup()

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
        print(f"{settings.out}: {settings.name} {where}; {training.loop.learner.architecture.parameters:,} parameters", flush=True)
        for file in training.train(told):
            print(f"saved {file}", flush=True)
        if training.iteration < settings.train.iterations:
            print(f"train.hours={settings.train.hours} are over after iteration {training.iteration}; the same command goes on", flush=True)
    except KeyboardInterrupt:
        print(f"stopped after iteration {training.iteration}; the same command goes on", flush=True)
        raise
    finally:
        training.release()
    return 0


def composed(overrides: Sequence[str]) -> tuple[Settings, str]:
    """Settings, and the same as YAML. Raises ValueError, in one sentence, for what Hydra or the settings' types refuse."""
    from hydra import compose, initialize_config_dir
    from hydra.core.override_parser.overrides_parser import OverridesParser
    from hydra.errors import HydraException
    from omegaconf.errors import OmegaConfBaseException

    _register()
    with initialize_config_dir(version_base="1.3", config_dir=str(folder())):
        try:
            parsed = OverridesParser.create().parse_overrides(list(overrides))
            _refuse_strange(compose(MAIN), parsed)
            said = {override.key_or_group: override for override in parsed}
            if "game.rules" in said and not said.keys() & {"game.name", "game", "exp"}:  # else the run would go by another game's name
                base = str(said["game.rules"].value()).strip("'\"").split(";")[0]
                overrides = [*overrides, f"game.name={''.join(c if c.isalnum() or c == '-' else '-' for c in base)}"]
            return _settings(compose(MAIN, list(overrides)))
        except (HydraException, OmegaConfBaseException) as error:
            raise ValueError(_sentence(error)) from None


def folder() -> Path:
    """Where the configurations are: beside this package in a checkout, else in it."""
    package = Path(jaxsolve.__file__).parent
    beside = package.parent / "configs"
    return beside if (beside / f"{MAIN}.yaml").exists() else package / "configs"


# ---- inside ----------------------------------------------------------------------------------------------------------------
def _register() -> None:
    """Makes the settings' types known to Hydra."""
    from hydra.core.config_store import ConfigStore

    from jaxsolve.train.config import Settings

    ConfigStore.instance().store(name="schema", node=Settings)


def _settings(config: Any) -> tuple[Settings, str]:
    from omegaconf import OmegaConf

    settings = OmegaConf.to_object(config)
    return settings, OmegaConf.to_yaml(config, resolve=True)  # pyright: ignore[reportReturnType]  of the schema's type


def _by_hydra(words: Sequence[str]) -> int:
    """Leaves the words to Hydra: questions about the configuration, and sweeps."""
    import hydra
    from hydra.core.hydra_config import HydraConfig
    from omegaconf import OmegaConf

    from jaxsolve.train import sweep

    _register()
    sweep.failed.clear()

    def one(config: Any) -> None:
        settings, _ = _settings(config)
        settings.out = HydraConfig.get().runtime.output_dir
        try:
            sweep.begin(Path(settings.out))
            train(settings, OmegaConf.to_yaml(OmegaConf.structured(settings)))
        except (ValueError, OSError, RuntimeError, MemoryError) as error:
            sweep.fail(Path(settings.out), error)

    before = sys.argv
    sys.argv = ["jaxsolve train", *words]
    try:
        hydra.main(version_base="1.3", config_path=str(folder()), config_name=MAIN)(one)()
    except SystemExit as end:
        return end.code if isinstance(end.code, int) else failure.BAD_INPUT
    finally:
        sys.argv = before
    return 1 if sweep.failed else 0


def _each_choice(overrides: Sequence[str]) -> list[list[str]]:
    """The runs of a sweep, each as its overrides. Raises ValueError for words that are no overrides."""
    from hydra.core.override_parser.overrides_parser import OverridesParser
    from hydra.errors import HydraException

    try:
        parsed = OverridesParser.create().parse_overrides([word for word in overrides if not word.lstrip("+~").startswith("hydra")])
    except HydraException as error:
        raise ValueError(_sentence(error)) from None
    choices = []
    for override in parsed:
        swept = override.is_sweep_override()
        choices.append([f"{override.get_key_element()}={value}" for value in override.sweep_string_iterator()] if swept else [override.input_line])
    return [list(choice) for choice in itertools.product(*choices)]


def _refuse_strange(plain: Any, parsed: Sequence[Any]) -> None:
    """Raises ValueError for a setting, a group or a group's choice that there is not, with the nearest there is."""
    keys, groups = set(_names(plain)), _groups()
    for override in parsed:
        key = override.key_or_group
        if key.startswith("hydra"):
            continue
        if key in groups:
            if not isinstance(override.value(), str):
                raise ValueError(f"{override.input_line!r}: give one of configs/{key}: {', '.join(groups[key])}")
            known, what = groups[key], f"{override.value()!r} is no {key} in configs/{key}"
            if override.value() not in known:
                raise ValueError(f"{what}{_nearest(override.value(), known)}")
        elif key not in keys | groups.keys():
            raise ValueError(f"{key!r} is no setting{_nearest(key, keys | groups.keys())}")


def _nearest(wrong: str, right: Any) -> str:
    near = difflib.get_close_matches(wrong, sorted(right), n=1, cutoff=0.5)
    return f"; did you mean {near[0]!r}?" if near else f"; there are {', '.join(sorted(right)[:12])}{', ...' if len(right) > 12 else ''}"


def _groups() -> dict[str, list[str]]:
    return {path.name: sorted(file.stem for file in path.glob("*.yaml")) for path in folder().iterdir() if any(path.glob("*.yaml"))}


def _names(config: Any, before: str = "") -> list[str]:
    from omegaconf import DictConfig

    found = []
    for name in config:
        child = config._get_node(name)
        found += [before + str(name)] + (_names(child, f"{before}{name}.") if isinstance(child, DictConfig) else [])
    return found


def _sentence(error: Exception) -> str:
    """What Hydra's exceptions say, and what caused them, without their drawings and addresses."""
    if isinstance(override := getattr(error, "override", None), str):
        return f"{override!r} cannot be read as key=value"
    lines = [line.strip() for line in str(error).splitlines() if line.strip()]
    if error.__cause__ is not None and str(error.__cause__).strip():
        lines[1:] = str(error.__cause__).strip().splitlines()[:1]
    return ": ".join(lines[:2])


def _line(measured: dict[str, float], iterations: int) -> str:
    losses = "  ".join(
        f"{name.removeprefix('loss_')} {value:.3f}" for name, value in measured.items() if name.startswith("loss_") and name != "loss_total"
    )
    wrong = "  ".join(f"{name.removeprefix('wrong_')} {100 * value:.0f} %" for name, value in measured.items() if name.startswith("wrong_"))
    open_ones = f" ({100 * measured['nobody_wins']:.0f} % nobody)" if measured["nobody_wins"] else ""
    return (
        f"iteration {measured['iteration']}/{iterations}  {measured['total_games']:,.0f} games  {measured['length']:.1f} moves  "
        f"first player wins {100 * measured['first_wins']:.0f} %{open_ones}  loss: {losses}  "
        f"{f'wrong winner: {wrong}  ' if wrong else ''}{measured['cpu_seconds']:,.0f} CPU s in all"
    )
