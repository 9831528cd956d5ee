"""Registry entry of Slither."""

from jaxsolve.games.options import Entry, factory_of

ENTRIES = (
    Entry(
        "slither-N",
        factory_of("jaxsolve.games.slither.game", "Slither"),
        sizes=range(1, 20),
        default_size=8,
        summary="joining opposite sides; a stone may step aside first",
        example="'moves:B2 C3 B2-B3 B2' --game slither-4",
    ),
)
