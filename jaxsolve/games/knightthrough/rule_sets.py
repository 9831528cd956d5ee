"""Rule sets of Knightthrough."""

from jaxsolve.games.options import Entry, choice, factory_of

ENTRIES = (
    Entry(
        "knightthrough-N",
        factory_of("jaxsolve.games.knightthrough.game", "Knightthrough"),
        (
            choice(
                "rules",
                "forward",
                "all",
                meaning="The legal steps of a knight: those towards the far row, or all eight.",
            ),
        ),
        sizes=range(4, 9),
        default_size=8,
        summary="a race of knights to the far row",
        example="start --game knightthrough-5",
    ),
)
