"""A network as users have it: its architecture, its parameters and what is known of it, in one file."""

from __future__ import annotations

import dataclasses
import errno
import io
import json
import os
import zipfile
import zlib
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Self

import jax
import numpy as np

from jaxsolve.core.run_folder import write_atomically
from jaxsolve.games.game import Game
from jaxsolve.networks.architecture import Architecture, dotted
from jaxsolve.networks.forward import Dtype, Forward
from jaxsolve.networks.heads import Heads
from jaxsolve.networks.rotated import Rotated

FORMAT = 1  # changes when files of an older form could no longer be read, or newer ones not by older programs
SUFFIX = ".npz"
UNREADABLE = (
    ValueError,
    TypeError,
    AttributeError,
    EOFError,
    NotImplementedError,
    RuntimeError,
    zlib.error,
    zipfile.BadZipFile,
)
"""What reading arrays from a damaged or foreign file may raise, beside OSError."""


@dataclass(frozen=True, eq=False)
class Network:
    """Parameters with the architecture that they fit; equal architectures share all compiled code.

    Raises ValueError, in one sentence, for parameters that do not fit, or are not finite.
    """

    name: str
    architecture: Architecture
    params: Any  # a pytree as ``Architecture.shapes`` has it
    game: str  # rule-set id of the game that it learned
    about: dict[str, Any] = dataclasses.field(
        default_factory=dict
    )  # how it was made, as far as JSON can say it

    def __post_init__(self) -> None:
        object.__setattr__(self, "params", self.architecture.fitted(self.params, self.name))

    def check(self, game: Game) -> None:
        """Raises ValueError, in one sentence that names the game it learned, where ``game`` has boards or moves of another shape."""
        try:
            self.architecture.check(game, self.name)
        except ValueError as error:
            raise ValueError(
                f"{self.name} has learned {self.game.split(';')[0]}, and does not fit {game.rule_set.split(';')[0]}: {error}"
            ) from None

    def heads(self, game: Game, *, averaged: bool = False, dtype: Dtype = "float32") -> Heads:
        """The network as searches of ``game`` take it; ``averaged`` over the symmetries of its rules.

        Raises ValueError for a game of another shape.
        """
        self.check(game)
        shape = self.architecture
        forward = Forward(shape, dtype)
        return Heads(
            Rotated(forward, game) if averaged and game.num_symmetries > 1 else forward,
            self.params,
            shape.view.planes(game),
            most_cost=shape.most_cost,
        )

    # ---- files -----------------------------------------------------------------------------------------------------
    def save(self, file: Path) -> None:
        """Writes one ``.npz`` file: arrays by their names and ``about``, JSON.

        Its folder is made if missing. Raises ValueError for another ending, FileExistsError where the file exists, OSError as any file.
        """
        if file.suffix != SUFFIX:
            raise ValueError(f"{file}: the file of a network ends in {SUFFIX}")
        about = {
            "format": FORMAT,
            "name": self.name,
            "game": self.game,
            "architecture": self.architecture.to_json(),
            "about": self.about,
        }
        leaves = {
            dotted(path): leaf
            for path, leaf in jax.tree_util.tree_flatten_with_path(self.params)[0]
        }
        if file.exists():
            raise FileExistsError(errno.EEXIST, os.strerror(errno.EEXIST), str(file))
        content = io.BytesIO()
        np.savez_compressed(
            content, about=np.frombuffer(json.dumps(about, indent=1).encode(), np.uint8), **leaves
        )
        file.parent.mkdir(parents=True, exist_ok=True)
        write_atomically(file, content.getvalue())

    @classmethod
    def load(cls, file: Path) -> Self:
        """What ``save`` wrote. Raises ValueError for any other file, OSError where there is none."""
        try:
            with file.open("rb") as content:
                if not zipfile.is_zipfile(content):
                    raise ValueError(f"no {SUFFIX} file, whatever its name is")
            with np.load(file, allow_pickle=False) as arrays:
                if "about" not in arrays:
                    raise ValueError(
                        "it does not say what it is ('jaxsolve import-weights' reads published ones)"
                    )
                about = json.loads(arrays["about"].tobytes())
                if about["format"] != FORMAT:
                    raise ValueError(
                        f"it is of format {about['format']}, this version reads {FORMAT}"
                    )
                architecture = Architecture.from_json(about["architecture"])
                leaves, structure = jax.tree_util.tree_flatten_with_path(architecture.shapes())
                names = [dotted(path) for path, _ in leaves]
                strange = sorted(({*names} ^ {*arrays.files}) - {"about"})
                if strange:
                    raise ValueError(
                        f"{strange[0]} is {'missing' if strange[0] in names else 'no part of it'}"
                    )
                params = jax.tree.unflatten(structure, [arrays[name] for name in names])
                name, game, made = about["name"], about["game"], about["about"]
                if not (_is_line(name) and _is_line(game) and isinstance(made, dict)):
                    raise ValueError(
                        "its name, its game or how it was made is not what the format has"
                    )
                return cls(name, architecture, params, game, made)
        except (KeyError, *UNREADABLE) as error:
            what = f"{error} is missing" if isinstance(error, KeyError) else error
            raise ValueError(f"{file} holds no network: {what}") from None


def _is_line(text: Any) -> bool:
    """Whether it is text that fits a line of a person's terminal, and leaves it alone."""
    return isinstance(text, str) and text.isprintable() and 0 < len(text) <= 400


@dataclass(frozen=True, eq=False)
class Guide:
    """A network and how it is asked, for whatever game a search is of: what ``Settings.heads`` takes where rules differ from problem to problem."""

    network: Network
    averaged: bool = False  # over the symmetries of the rules
    dtype: Dtype = "float32"

    def heads(self, game: Game) -> Heads:
        """As ``Network.heads``."""
        return self.network.heads(game, averaged=self.averaged, dtype=self.dtype)
