"""``jaxsolve import-weights``, and the network that ``--network`` names."""

from __future__ import annotations

from pathlib import Path

from jaxsolve.commands import failure, streams
from jaxsolve.networks import Guide, Network, published


def guide(file: Path, rotations: int) -> Guide:
    """What searches take for ``--network`` and ``--rotations``. Raises ValueError or OSError for a file that holds no network."""
    return Guide(Network.load(file), averaged=rotations > 1)


def import_weights(weights: Path, like: str, out: Path, as_json: bool) -> int:
    """Writes the network that the weights make; 0."""
    with failure.sentences(as_json):
        network = published.import_weights(weights, like)
        network.save(out)
    shape = network.architecture
    heads = " and ".join(name for name in ("value", "cost", "within") if getattr(shape, name) is not None)
    if as_json:
        streams.say_json({"network": str(out), "name": network.name, "game": network.game, "architecture": shape.to_json()})
    else:
        print(f"{out}: {network.name}, for {network.game}, {shape.blocks} blocks of {shape.channels} channels, policy and {heads}")
    return 0
