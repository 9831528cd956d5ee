"""Registry entry of Nim, named by the entry point of the group ``jaxsolve.games``."""

from jaxsolve.games.options import Entry, factory_of, number

ENTRY = Entry(
    "nim-N",
    factory_of("nim_game", "Nim"),
    [
        number(
            "heaps",
            int,
            default="0",
            values="a whole number, 0 for N",
            meaning="The number of heaps; they hold 1, 2, ..., N, 1, ... counters.",
            example="2",
        )
    ],
    sizes=range(1, 20),
    summary="take counters; the last one wins",
    example="'1,2,2 f' --game nim-3",
)
