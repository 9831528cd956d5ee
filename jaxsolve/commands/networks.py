"""``jaxsolve networks`` and ``jaxsolve import-weights``; loading the network of ``--network``."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from jaxsolve.commands import failure, streams

if TYPE_CHECKING:
    from jaxsolve.networks import Architecture, Guide
    from jaxsolve.networks.forward import Dtype
    from jaxsolve.networks.shipped import AutoGuide


def guide(text: str, rotations: int, dtype: Dtype = "float32") -> Guide | AutoGuide:
    """Loads the network that guides a search.

    Args:
      text: value of ``--network``: ``auto``, a listed name, a file, or the folder of a training
        run.
      rotations: value of ``--rotations``. 8 averages the network over the symmetries of the rules.
      dtype: number format of the network.

    Raises ValueError or OSError if there is no such network.
    """
    # These modules import JAX, which commands without a network do not need.
    from jaxsolve.networks import Guide, finding, shipped

    averaged = rotations > 1
    return (
        shipped.AutoGuide(averaged, dtype)
        if text == shipped.AUTO
        else Guide(finding.find(text), averaged, dtype)
    )


def show(as_json: bool) -> int:
    """Lists the networks that the package includes. Returns 0."""
    from rich.table import Table

    from jaxsolve.commands.terminal import output_console
    from jaxsolve.networks import shipped

    with failure.errors_as_sentences(as_json):
        found = {name: shipped.load(name) for name in shipped.shipped()}
    if as_json:
        streams.print_json(
            {
                "networks": [
                    {
                        "name": name,
                        "game": x.game,
                        "architecture": x.architecture.to_json(),
                        "about": x.about,
                    }
                    for name, x in found.items()
                ]
            }
        )
        return 0
    if not found:
        print(
            "this version includes no network; --network takes the folder of a training run, "
            "or a file with a network"
        )
        return 0
    table = Table("name", "game", "tower", "heads", "parameters", box=None, pad_edge=False)
    for name, network in found.items():
        shape = network.architecture
        table.add_row(
            name,
            network.game.split(";")[0],
            f"{shape.blocks}x{shape.channels}",
            _heads(shape),
            f"{shape.parameters:,}",
        )
    output_console().print(table)
    print("solve --network NAME uses one of them; --network auto selects one by the rules")
    return 0


def _heads(shape: Architecture) -> str:
    return " and ".join(
        [
            "policy",
            *(name for name in ("value", "cost", "within") if getattr(shape, name) is not None),
        ]
    )


def import_weights(weights: Path, like: str, out: Path, as_json: bool) -> int:
    """Converts the file ``weights`` of published weights and writes the network to ``out``.

    ``like`` is the name of the published network. Returns 0.
    """
    from jaxsolve.formats import weights as published

    with failure.errors_as_sentences(as_json):
        network = published.import_weights(weights, like)
        network.save(out)
    shape = network.architecture
    if as_json:
        streams.print_json(
            {
                "network": str(out),
                "name": network.name,
                "game": network.game,
                "architecture": shape.to_json(),
            }
        )
    else:
        print(
            f"{out}: {network.name}, for {network.game}, "
            f"{shape.blocks} blocks of {shape.channels} channels, {_heads(shape)}"
        )
    return 0
