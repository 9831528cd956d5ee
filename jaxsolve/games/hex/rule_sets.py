"""Registry entry of Hex."""

from jaxsolve.games.options import Entry, factory_of

ENTRIES = (
    Entry(
        "hex-N",
        factory_of("jaxsolve.games.hex.game", "Hex"),
        sizes=range(1, 20),
        default_size=11,
        summary="joining opposite sides, no swap",
        example="'moves:a2' --game hex-4",
    ),
)
