"""Finds a network by the name that the user gives."""

from __future__ import annotations

from pathlib import Path

from jaxsolve.networks import shipped
from jaxsolve.networks.network import Network


def find(text: str) -> Network:
    """The network of a file, of a run's folder (the latest one), or of a shipped name.

    Raises ValueError or OSError for a name without a network.
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
    """The networks of a training run, in order. Raises ValueError if it has none."""
    found = sorted((folder / "networks").glob("*.npz"))
    if not found:
        raise ValueError(f"{folder} holds no run of training with a network yet")
    return found
