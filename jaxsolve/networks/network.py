"""A network and its file: architecture, parameters and description."""

from __future__ import annotations

import dataclasses
import errno
import io
import json
import os
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, Self

import jax
import numpy as np

from jaxsolve.core import process
from jaxsolve.core.run_folder import write_atomically
from jaxsolve.games.game import Game
from jaxsolve.networks.architecture import Architecture, dotted
from jaxsolve.networks.archive import SUFFIX, UNREADABLE, Archive
from jaxsolve.networks.forward import Dtype, Forward
from jaxsolve.networks.heads import Heads
from jaxsolve.networks.rotated import Rotated

if TYPE_CHECKING:
    from etils import epath

FORMAT = 1  # version of the file format; increased by incompatible changes


@dataclass(frozen=True, eq=False)
class Network:
    """A trained network. Networks of equal architectures share all compiled code.

    Raises ValueError, with a message of one sentence, for parameters that do not fit the
    architecture or are not finite.
    """

    name: str
    architecture: Architecture
    params: Any  # a pytree as ``Architecture.shapes``
    game: str  # rule-set id of the game that it was trained on
    # how the network was made, as JSON values
    about: dict[str, Any] = dataclasses.field(default_factory=dict)

    def __post_init__(self) -> None:
        object.__setattr__(self, "params", self.architecture.fitted(self.params, self.name))

    def check(self, game: Game) -> None:
        """Raises ValueError, in one sentence, if boards or actions of a game have another shape."""
        try:
            self.architecture.check(game, "it")
        except ValueError as error:
            raise ValueError(
                f"{self.name} was trained on {self.game.split(';')[0]}, and does not fit "
                f"{game.rule_set.split(';')[0]}: {error}"
            ) from None

    def heads(self, game: Game, *, averaged: bool = False, dtype: Dtype = "float32") -> Heads:
        """Returns the network for searches of ``game``.

        With ``averaged``, estimates are means over the symmetries of the rules (``Rotated``).
        ``dtype`` is the dtype of the arithmetic in the tower. Raises ValueError if the shape of the
        game does not fit.
        """
        self.check(game)
        shape = self.architecture
        forward = Forward(shape, dtype)
        return Heads(
            Rotated(forward, game) if averaged and game.num_symmetries > 1 else forward,
            self.params,
            shape.view.planes(game),
            most_cost=shape.most_cost,
            name=self.name,
        )

    # ---- files -----------------------------------------------------------------------------------
    def to_bytes(self) -> bytes:
        """Returns the content of a network file, an ``.npz`` archive.

        It holds the arrays by name, and the description ``about`` as JSON.
        """
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
        content = io.BytesIO()
        np.savez_compressed(
            content, about=np.frombuffer(json.dumps(about, indent=1).encode(), np.uint8), **leaves
        )
        return content.getvalue()

    def save(self, file: str | Path) -> None:
        """Writes the network to an ``.npz`` file. Creates the folder if it is missing.

        Raises ValueError for another suffix, FileExistsError if the file exists, and OSError if it
        cannot be written.
        """
        file = Path(file)
        if file.suffix != SUFFIX:
            raise ValueError(f"{file}: the file of a network ends in {SUFFIX}")
        if file.exists():
            raise FileExistsError(errno.EEXIST, os.strerror(errno.EEXIST), str(file))
        content = self.to_bytes()
        file.parent.mkdir(parents=True, exist_ok=True)
        write_atomically(file, content)

    @classmethod
    def load(cls, file: str | Path | epath.Path) -> Self:
        """Returns the network of a file that ``save`` wrote.

        Interruptions are deferred until the file is read. No array is decompressed before its shape
        has been checked. Raises ValueError for any other file, and OSError if it cannot be read.
        """
        path = Path(file) if isinstance(file, str) else file
        if path.is_dir():
            raise ValueError(
                f"{path} is a folder: jaxsolve.networks.finding.find loads the latest network of a"
                " run"
            )
        try:
            with process.defer_interrupts(), Archive(path) as archive:
                return cls._read(archive)
        except (KeyError, RecursionError, *UNREADABLE) as error:
            what = f"{error} is missing" if isinstance(error, KeyError) else error
            raise ValueError(f"{path} holds no network: {what}") from None

    @classmethod
    def _read(cls, archive: Archive) -> Self:
        if "about" not in archive.names:
            raise ValueError(
                "it does not describe itself ('jaxsolve import-weights' reads published ones)"
            )
        about = json.loads(archive.text("about"))
        if about["format"] != FORMAT:
            raise ValueError(f"it is of format {about['format']}, this version reads {FORMAT}")
        architecture = Architecture.from_json(about["architecture"])
        leaves, structure = jax.tree_util.tree_flatten_with_path(architecture.shapes())
        shapes = {dotted(path): leaf.shape for path, leaf in leaves}
        strange = sorted((shapes.keys() ^ archive.names) - {"about"})
        if strange:
            raise ValueError(
                f"{strange[0]} is {'missing' if strange[0] in shapes else 'no part of it'}"
            )
        params = [archive.floats(name, shape) for name, shape in shapes.items()]
        name, game, made = about["name"], about["game"], about["about"]
        if not (_is_line(name) and _is_line(game) and isinstance(made, dict)):
            raise ValueError("its name, game or description is not what the format has")
        return cls(name, architecture, jax.tree.unflatten(structure, params), game, made)


def _is_line(text: Any) -> bool:
    """Returns whether ``text`` is a string that a terminal prints on one line."""
    return isinstance(text, str) and text.isprintable() and 0 < len(text) <= 400


@dataclass(frozen=True, eq=False)
class Guide:
    """A network and its evaluation settings, for all games that fit the network.

    Use it as ``search.Settings.heads`` if the rules of the problems differ.
    """

    network: Network
    averaged: bool = False  # over the symmetries of the rules
    dtype: Dtype = "float32"

    def heads(self, game: Game) -> Heads:
        """Returns the network for searches of ``game`` (see ``Network.heads``)."""
        return self.network.heads(game, averaged=self.averaged, dtype=self.dtype)
