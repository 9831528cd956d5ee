"""Settings from the YAML files of ``configs/`` and words key=value, composed by Hydra.

Errors are reported in one sentence.
"""

from __future__ import annotations

import difflib
from collections.abc import Collection, Iterable, Sequence
from pathlib import Path
from typing import Any

import jaxsolve


def folder() -> Path:
    """The folder of the configurations: beside this package in a checkout, else inside it."""
    package = Path(jaxsolve.__file__).parent
    beside = package.parent / "configs"
    return beside if (beside / "train.yaml").exists() else package / "configs"


def settings(
    where: Path, main: str, schema: type, overrides: Sequence[str], groups: Collection[str] = ()
) -> tuple[Any, str]:
    """An object of ``schema`` from the file ``main`` of the folder ``where``, and the same as YAML.

    ``groups``: its subfolders, of which one file each may be chosen. Raises ValueError, in one
    sentence, for anything that Hydra or the types of the schema refuse, for an unknown setting
    (with the nearest known one), and for a missing file.
    """
    from hydra import compose, initialize_config_dir
    from hydra.errors import HydraException
    from omegaconf import OmegaConf
    from omegaconf.errors import OmegaConfBaseException

    register(schema)
    file, overrides = where / f"{main}.yaml", quoted(overrides)
    with initialize_config_dir(version_base="1.3", config_dir=str(where)):
        try:
            parsed, plain = parsed_overrides(overrides), compose(main)
            if OmegaConf.get_type(plain) is not schema:
                raise ValueError(
                    f"{file} does not begin with 'defaults: [schema, _self_]', which defines its "
                    "settings"
                )
            _refuse_strange(plain, parsed, {name: files(where / name) for name in groups})
            config = compose(main, list(overrides))
            return OmegaConf.to_object(config), OmegaConf.to_yaml(config, resolve=True)
        except (HydraException, OmegaConfBaseException) as error:
            raise ValueError(sentence(error)) from None
        except UnicodeDecodeError as error:
            raise ValueError(
                f"{file}, or a file that it includes, is no text in UTF-8: {error}"
            ) from None
        except AssertionError:  # Hydra's, for a list of defaults that holds no names
            raise ValueError(f"{file}: its 'defaults' are not a list of files for Hydra") from None
        except Exception as error:
            # PyYAML is a requirement of Hydra, not of this package.
            if not type(error).__module__.startswith("yaml."):
                raise
            where_it_is = getattr(getattr(error, "problem_mark", None), "name", file)
            raise ValueError(f"{where_it_is} is no YAML: {' '.join(str(error).split())}") from None


def register(schema: type) -> None:
    """Registers the types of the settings with Hydra, as the ``schema`` of the defaults."""
    from hydra.core.config_store import ConfigStore

    ConfigStore.instance().store(name="schema", node=schema)


def parsed_overrides(words: Sequence[str]) -> list[Any]:
    """Hydra's overrides. Raises ValueError for other words."""
    from hydra.core.override_parser.overrides_parser import OverridesParser
    from hydra.errors import HydraException

    try:
        return OverridesParser.create().parse_overrides(list(words))
    except HydraException as error:
        raise ValueError(sentence(error)) from None


def quoted(words: Iterable[str]) -> list[str]:
    """Words key=value, with quotes around values that Hydra cannot parse because of an '='."""
    found = []
    for word in words:
        key, _, value = word.partition("=")
        if not word.startswith("-") and "=" in value and value[0] not in "'\"[{":
            try:
                parsed_overrides([word])
            except ValueError:
                if "," not in value:  # several values of a sweep need quotes of their own
                    escaped = value.replace("\\", "\\\\").replace("'", "\\'")
                    word = f"{key}='{escaped}'"
        found.append(word)
    return found


def check_overrides(words: Iterable[str], command: str, more: str = "") -> None:
    """Raises ValueError for an argument that is not key=value.

    ``more`` is appended to the message.
    """
    for word in words:
        if word.startswith("-") or ("=" not in word.lstrip("~+") and not word.startswith("~")):
            raise ValueError(
                f"{word!r} is unknown to '{command}'; settings are given as key=value{more}"
            )


def files(where: Path) -> list[str]:
    """The names of a folder's YAML files."""
    return sorted(file.stem for file in where.glob("*.yaml"))


def nearest(wrong: str, right: Iterable[str]) -> str:
    """The end of a sentence about an unknown name."""
    known = sorted(right)
    near = difflib.get_close_matches(wrong, known, n=1, cutoff=0.5)
    return (
        f"; did you mean {near[0]!r}?"
        if near
        else f"; there are {', '.join(known[:12])}{', ...' if len(known) > 12 else ''}"
    )


def sentence(error: Exception) -> str:
    """The message of a Hydra exception and of its cause, without drawings and addresses."""
    if isinstance(override := getattr(error, "override", None), str):
        key, _, value = override.partition("=")
        return (
            f"{override!r} cannot be read as key=value; a value with : = {{ or a comma in it "
            f"needs quotes of its own: \"{key}='{value}'\""
        )
    lines = [line.strip() for line in str(error).splitlines() if line.strip()]
    if error.__cause__ is not None and str(error.__cause__).strip():
        lines[1:] = str(error.__cause__).strip().splitlines()[:1]
    return ": ".join(lines[:2])


# ---- inside --------------------------------------------------------------------------------------
def _refuse_strange(plain: Any, parsed: Sequence[Any], groups: dict[str, list[str]]) -> None:
    """Raises ValueError for an unknown setting, group or choice.

    The message suggests the nearest known one.
    """
    keys = set(_names(plain))
    for override in parsed:
        key = override.key_or_group
        if key.startswith("hydra"):
            continue
        if key in groups:
            if not isinstance(override.value(), str):
                raise ValueError(
                    f"{override.input_line!r}: give one of configs/{key}: {', '.join(groups[key])}"
                )
            if override.value() not in groups[key]:
                raise ValueError(
                    f"{override.value()!r} is no {key} in configs/{key}"
                    f"{nearest(override.value(), groups[key])}"
                )
        elif key not in keys | groups.keys():
            raise ValueError(f"{key!r} is no setting{nearest(key, keys | groups.keys())}")
        elif override.is_delete():
            raise ValueError(
                f"{override.input_line!r} removes a setting, which needs a value: "
                f"give {key}=VALUE; {key}=null for none"
            )
        if override.value() == {}:
            raise ValueError(
                f"{override.input_line!r} would change nothing: settings are added to those of the "
                "file; null as a value removes one"
            )


def _names(config: Any, before: str = "") -> list[str]:
    from omegaconf import DictConfig

    found = []
    for name in config:
        child = config._get_node(name)
        found += [before + str(name)] + (
            _names(child, f"{before}{name}.") if isinstance(child, DictConfig) else []
        )
    return found
