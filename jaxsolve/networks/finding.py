"""Finds the network that the user names by a file, a folder or a shipped network's name."""

from __future__ import annotations

from pathlib import Path

from jaxsolve.networks import shipped
from jaxsolve.networks.network import Network


def find(text: str) -> Network:
    """Returns the network that ``text`` names.

    ``text`` is a file, the folder of a training run (its latest network is returned), or the name
    of a shipped network. Raises ValueError or OSError if there is no such network.
    """
    if not text:
        raise ValueError(
            "'' names no network: give a file, the folder of a run, or a name that "
            "'jaxsolve networks' lists"
        )
    path = Path(text)
    if path.is_dir():
        return Network.load(of_run(path)[-1])
    return (
        Network.load(path)
        if path.suffix or path.exists() or path.parent != Path()
        else shipped.load(text)
    )


def of_run(folder: Path) -> list[Path]:
    """Returns the network files of a training run, oldest first.

    Raises ValueError if there are none.
    """
    found = sorted((folder / "networks").glob("*.npz"))
    if not found:
        raise ValueError(f"{folder} holds no run of training with a network yet")
    return found
