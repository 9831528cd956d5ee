"""Rule sets of Lines of Action."""

from jaxsolve.games.options import Entry, choice, factory_of

ENTRIES = (
    Entry(
        "loa-N",
        factory_of("jaxsolve.games.loa.game", "Loa"),
        (
            choice(
                "simultaneous",
                "draw",
                "mover",
                meaning="Whose game it is if a move joins the pieces of both sides: nobody's, or the mover's.",
            ),
            choice(
                "no_moves",
                "pass",
                "loss",
                meaning="What a player does who has no legal move: it passes, or it has lost.",
            ),
        ),
        sizes=range(4, 9),
        default_size=8,
        summary="Lines of Action: joining all own pieces; a piece moves as far as its line holds pieces",
        example="'......../...XX.../..XOX..X/..O...../...O..O./......../......../........ b' --game loa-8",
    ),
)
