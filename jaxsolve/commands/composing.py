"""Composes settings with Hydra from the YAML files in ``configs/`` and key=value arguments.

Hydra's errors are converted to ValueErrors whose message is one sentence.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Sequence
from pathlib import Path
from typing import Any

import jaxsolve
from jaxsolve.core import spelling


def folder() -> Path:
    """Returns the folder ``configs``: beside the package in a checkout, inside it if installed."""
    package = Path(jaxsolve.__file__).parent
    beside = package.parent / "configs"
    return beside if (beside / "train.yaml").exists() else package / "configs"


def settings(
    where: Path, main: str, schema: type, overrides: Sequence[str], groups: Collection[str] = ()
) -> tuple[Any, str]:
    """Composes settings from a YAML file and overrides.

    Args:
      where: folder of the configuration files.
      main: name of the main file in ``where``, without ``.yaml``.
      schema: dataclass of the settings.
      overrides: key=value arguments.
      groups: names of subfolders of ``where``. An override ``GROUP=NAME`` chooses a file of one.

    Returns:
      The settings as an instance of ``schema``, and the same settings as YAML text.

    Raises:
      ValueError: a file is missing or malformed, or Hydra or the types of ``schema`` refuse a
        setting. For an unknown setting the message suggests the nearest known one.
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
        except AssertionError:  # Hydra refuses a list of defaults without names
            raise ValueError(f"{file}: its 'defaults' are not a list of files for Hydra") from None
        except Exception as error:
            # PyYAML is a requirement of Hydra, not of this package.
            if not type(error).__module__.startswith("yaml."):
                raise
            where_it_is = getattr(getattr(error, "problem_mark", None), "name", file)
            raise ValueError(f"{where_it_is} is no YAML: {' '.join(str(error).split())}") from None


def register(schema: type) -> None:
    """Registers the dataclass ``schema`` with Hydra.

    YAML files refer to it as ``schema`` in their list of defaults.
    """
    from hydra.core.config_store import ConfigStore

    ConfigStore.instance().store(name="schema", node=schema)


def parsed_overrides(words: Sequence[str]) -> list[Any]:
    """Parses key=value arguments to Hydra's override objects. Raises ValueError for others."""
    from hydra.core.override_parser.overrides_parser import OverridesParser
    from hydra.errors import HydraException

    try:
        return OverridesParser.create().parse_overrides(list(words))
    except HydraException as error:
        raise ValueError(sentence(error)) from None


def quoted(words: Iterable[str]) -> list[str]:
    """Adds quotes to arguments key=value that Hydra cannot parse because the value contains '='.

    A value that contains a comma may be a list of values for a sweep, so it is not quoted.
    """
    found = []
    for word in words:
        key, _, value = word.partition("=")
        if not word.startswith("-") and "=" in value and value[0] not in "'\"[{":
            try:
                parsed_overrides([word])
            except ValueError:
                if "," not in value:  # each of several values of a sweep needs its own quotes
                    escaped = value.replace("\\", "\\\\").replace("'", "\\'")
                    word = f"{key}='{escaped}'"
        found.append(word)
    return found


def check_overrides(words: Iterable[str], command: str, more: str = "") -> None:
    """Raises ValueError for an argument that is not key=value (or ~key, which removes a key).

    Args:
      words: the arguments.
      command: name of the command for the message.
      more: text to append to the message.
    """
    for word in words:
        if word.startswith("-") or ("=" not in word.lstrip("~+") and not word.startswith("~")):
            raise ValueError(
                f"{word!r} is unknown to '{command}'; settings are given as key=value{more}"
            )


def files(where: Path) -> list[str]:
    """Returns the names of the YAML files in a folder, without suffix, sorted."""
    return sorted(file.stem for file in where.glob("*.yaml"))


def nearest(wrong: str, right: Iterable[str]) -> str:
    """Returns the end of an error message about the unknown name ``wrong``.

    It names the nearest of the existing names ``right``, or if none is near, the first 12.
    """
    known = sorted(right)
    more = ", ..." if len(known) > 12 else ""
    return spelling.hint(wrong, known) or f"; there are {', '.join(known[:12])}{more}"


def sentence(error: Exception) -> str:
    """Converts a Hydra exception and its cause to a message on one line.

    Hydra's further lines, such as a drawing of the position of a syntax error, are left out.
    """
    if isinstance(override := getattr(error, "override", None), str):
        key, _, value = override.partition("=")
        return (
            f"{override!r} cannot be read as key=value; a value with : = {{ or a comma in it "
            f"needs quotes of its own: \"{key}='{value}'\""
        )
    lines = [line.strip() for line in str(error).splitlines() if line.strip()]
    wrong = _WRONG_TYPE.search(f"{error} {error.__cause__}")
    if wrong is not None and lines[0].startswith("Error merging override "):
        setting = lines[0].removeprefix("Error merging override ")
        return f"{setting}: give {_KINDS[wrong[1] or wrong[2]]}"
    if error.__cause__ is not None and str(error.__cause__).strip():
        lines[1:] = str(error.__cause__).strip().splitlines()[:1]
    return ": ".join(lines[:2])


# OmegaConf's messages about a value of the wrong type.
_WRONG_TYPE = re.compile(r"could not be converted to (Float|Integer)|is not a valid (bool)\b")
_KINDS = {"Float": "a number", "Integer": "a whole number", "bool": "true or false"}


# ---- checks --------------------------------------------------------------------------------------
def _refuse_strange(plain: Any, parsed: Sequence[Any], groups: dict[str, list[str]]) -> None:
    """Raises ValueError for an override that is unknown, removes a setting or changes nothing.

    Args:
      plain: the configuration without overrides.
      parsed: Hydra's override objects.
      groups: for each group (subfolder), the names of its files.
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
